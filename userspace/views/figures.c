// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdint.h>
#include <stdlib.h>

#include "../analysis/trait.h"
#include "../names/memo.h"
#include "../profile/imported.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "row.h"

/* Lines and instructions have counts of the same names. */
#define FILL(row, rec, sums) (*(row) = (struct figures){					\
	.index = (row)->index, .of = (rec), .sum = (sums), .error = (rec)->error,		\
	.store_hitm = (rec)->store_hitm, .store_fwd = (rec)->store_xsnp_fwd,			\
	.store_latency = (rec)->store_latency_sum, .not_memory = (rec)->not_memory,		\
	.locked = (rec)->locked, .stlb_miss = (rec)->stlb_miss,					\
	.blocked_data = (rec)->blocked_data, .blocked_addr = (rec)->blocked_addr,		\
	.ip = (rec)->ip, .pid = (rec)->space, .gen = (rec)->gen, .comm = (rec)->comm,		\
	.source = (rec)->source, .latency = (rec)->latency,					\
})

void figures_of_line(struct figures *row, const struct memlat_rec_line *line)
{
	FILL(row, line, sums_of_line(line));
	row->addr = line->addr;
	row->phys = line->phys;
	row->home = line->home;
	row->shared = line->shared;
}

void figures_of_site(struct figures *row, const struct memlat_rec_site *site)
{
	FILL(row, site, sums_of_site(site));
}

static const struct code_name *code_of(const struct grid *grid, const struct figures *row)
{
	return row->code ? row->code : namer_sampled(grid->namer, row->pid, row->gen, row->ip);
}

GRID_CELL(rank, cell_count(row->index + 1))
GRID_CELL(cost, row_cost_cell(&grid->whole, row->sum.cost, sums_loads(&row->sum)))
GRID_CELL(cumulative, cell_ratio(CELL_SHARE, row->sum.cost_before + row->sum.cost,
			    number_whole(grid->whole.cost.weight)))
GRID_CELL(home, cell_known(row->home != MEMLAT_NODE_UNKNOWN, row->home))
GRID_CELL(hitm_local, cell_count(sums_local(&row->sum)))
GRID_CELL(loads, cell_count(sums_loads(&row->sum)))
GRID_CELL(store_average, cell_ratio(CELL_AVERAGE, row->store_latency, row->sum.stores))
GRID_CELL(average, cell_ratio(CELL_AVERAGE, row->sum.latency_sum,
			 imported_timed(&grid->profile->snap.head.status, sums_loads(&row->sum))))
GRID_CELL(tlb_share, cell_ratio(CELL_SHARE, row->stlb_miss, row->sum.samples))
GRID_CELL(cpu_count, cell_cpu_count(row->sum.cpus))
GRID_CELL(sources, (struct cell){ .kind = CELL_SOURCES, .list = row->source })
GRID_CELL(latency, (struct cell){ .kind = CELL_SOURCES, .list = row->latency })
GRID_CELL(process, row_process_cell(grid_room(grid), row->comm, row->pid, row->shared))
GRID_CELL(comm, cell_say(grid_room(grid), "%.*s", MEMLAT_COMM_BYTES, row->comm))
GRID_CELL(kernel, cell_number(CELL_BOOL, !row->pid))
GRID_CELL(shared, cell_number(CELL_BOOL, row->shared != 0))

static struct cell served_text(const struct grid *grid, const struct figures *row)
{
	const __u64 part[MEMLAT_PART_NR] = {
		[MEMLAT_PART_XSNP_FWD] = row->sum.fwd, [MEMLAT_PART_NOT_MEMORY] = row->not_memory,
	};

	return cell_keep(grid_room(grid), row_sources(row->source, part));
}

GRID_CELL(served_from, sums_loads(&row->sum) ? served_text(grid, row) : cell_none())

/* Named when it is shown: that takes long, and notes tell what files lack names. */
#define CODE(name, ...) \
	static struct cell name(const struct grid *grid, const struct figures *row) \
	{ const struct code_name *code = code_of(grid, row); return __VA_ARGS__; }

CODE(function, where_function(grid_room(grid), code))
CODE(function_name, cell_text(code->function))
CODE(offset, code->raw ? cell_number(CELL_OFFSET, code->offset) : cell_none())
CODE(inlined, cell_text(where_inlined(code)))
CODE(source, where_line(grid_room(grid), code->file, code->line))
CODE(file, cell_text(code->file))
CODE(file_line, cell_known(code->line, code->line))
CODE(module, cell_text(code->module))
CODE(path, cell_text(code->path))

#define NAMED(id, ...) \
	static struct cell id(const struct grid *grid, const struct figures *row) \
	{ const struct data_name *data = row->data->name; return data ? __VA_ARGS__ : cell_none(); }

NAMED(data_name, cell_text(data->name))
NAMED(data_field, cell_text(data->field))
NAMED(data_kind, cell_text(data_kind_name(data->kind)))
NAMED(data_type, cell_text(data->type))
NAMED(data_how, cell_text(data_how_name(data->how)))
NAMED(data_section, cell_text(data->section))
NAMED(data_share, cell_ratio(CELL_SHARE, row->data->samples, row->data->all))

#define IS(form, member)	REPORT_NUMBER(CELL_ ## form, struct figures, member)
#define COUNT(member)		IS(COUNT, member)
#define BY(function)		.get = function
#define LEFT			true
/* The kind of its cells in all views, and what it is. */
#define SAYS(form, words)	.kind = CELL_ ## form, .says = words
#define NEEDS(...)		.needs = (__VA_ARGS__)
#define FIGURE(id)		[F_ ## id]

static const struct figure figures[F_OWN] = {
	FIGURE(RANK)	= { "rank", "#", BY(rank), SAYS(COUNT, "the row's number, from 1") },
	FIGURE(COST)	= { "cost", "cost", NEEDS(NEEDS_LOADS), BY(cost), .bounded = true,
			    SAYS(SHARE, "share of the latency of all sampled loads") },
	FIGURE(CUMULATIVE) = { "cumulative", "cum.", NEEDS(NEEDS_LOADS), BY(cumulative),
			       SAYS(SHARE, "the cost of this row and those above") },
	FIGURE(LINE)	= { "addr", "line", IS(HEX, addr), SAYS(HEX, "address of the cache line") },
	FIGURE(IP)	= { "ip", "ip", IS(HEX, ip), SAYS(HEX, "address of the instruction") },
	FIGURE(PHYS)	= { "phys", "phys", NEEDS(NEEDS_PHYS), IS(HEX, phys), .known = true,
			    SAYS(HEX, "physical address") },
	FIGURE(HOME)	= { "home", "home", NEEDS(NEEDS_PHYS), BY(home),
			    SAYS(COUNT, "node of the memory") },
	FIGURE(HITM)	= { "hitm", "HITM", NEEDS(NEEDS_LOADS), COUNT(sum.hitm),
			    SAYS(COUNT, "loads of a line that was modified in another core's cache") },
	FIGURE(HITM_REMOTE) = { "hitm_remote", "RmtHitm", NEEDS(NEEDS_LOADS | NEEDS_REMOTE),
				COUNT(sum.hitm_remote), SAYS(COUNT, "of hitm, in another socket's cache") },
	FIGURE(HITM_LOCAL) = { "hitm_local", "LclHitm", NEEDS(NEEDS_LOADS | NEEDS_HITM),
			       BY(hitm_local), SAYS(COUNT, "of hitm, in this socket") },
	FIGURE(FWD)	= { "xsnp_fwd", "fwd or HITM", NEEDS(NEEDS_LOADS | NEEDS_FWD), COUNT(sum.fwd),
			    SAYS(COUNT, "loads from a core of this socket, modified or clean; null where the CPU tells which") },
	FIGURE(SAMPLES)	= { "samples", "samples", COUNT(sum.samples),
			    SAYS(COUNT, "sampled loads and stores") },
	FIGURE(LOADS)	= { "loads", "loads", NEEDS(NEEDS_LOADS), BY(loads), SAYS(COUNT, "sampled loads") },
	FIGURE(STORES)	= { "stores", "stores", NEEDS(NEEDS_STORES), COUNT(sum.stores),
			    SAYS(COUNT, "sampled stores") },
	FIGURE(STORE_L1_HIT) = { "store_l1_hit", NULL, COUNT(sum.store_l1_hit),
				 SAYS(COUNT, "stores that hit L1") },
	FIGURE(STORE_HITM) = { "store_hitm", "stores HITM", NEEDS(NEEDS_STORES | NEEDS_STORE_SOURCE),
			       COUNT(store_hitm), SAYS(COUNT, "stores to a line that was modified in another core's cache") },
	FIGURE(STORE_FWD) = { "store_xsnp_fwd", NEEDS(NEEDS_STORE_SOURCE), COUNT(store_fwd),
			      SAYS(COUNT, "stores to a line from a core of this socket, modified or clean") },
	FIGURE(STORE_AVG) = { "store_latency_avg", NEEDS(NEEDS_STORE_SOURCE), BY(store_average),
			      SAYS(AVERAGE, "average latency of the stores, cycles") },
	FIGURE(ERROR)	= { "error", NULL, COUNT(error),
			    SAYS(COUNT, "samples that may be of an evicted row") },
	FIGURE(WEIGHT)	= { "weight", "est. accesses", COUNT(sum.weight),
			    SAYS(COUNT, "estimated accesses that the samples stand for") },
	FIGURE(COST_CYCLES) = { "cost_cycles", NULL, COUNT(sum.cost),
				SAYS(COUNT, "estimated cycles that the loads took") },
	FIGURE(LATENCY_SUM) = { "latency_sum", NULL, COUNT(sum.latency_sum),
				SAYS(COUNT, "cycles of the sampled loads") },
	FIGURE(AVG)	= { "latency_avg", "avg cyc", NEEDS(NEEDS_LOADS), BY(average),
			    SAYS(AVERAGE, "average latency of the loads, cycles") },
	FIGURE(MAX)	= { "latency_max", "max cyc", NEEDS(NEEDS_LOADS), COUNT(sum.latency_max),
			    SAYS(COUNT, "largest latency of a load, cycles") },
	FIGURE(NOT_MEMORY) = { "not_memory", NEEDS(NEEDS_MEMORY), COUNT(not_memory),
			       SAYS(COUNT, "loads that hit L1 and waited for something else") },
	FIGURE(LOCKED)	= { "locked", "locked", NEEDS(NEEDS_TLB), COUNT(locked),
			    SAYS(COUNT, "locked loads") },
	FIGURE(TLB)	= { "stlb_miss", NEEDS(NEEDS_TLB), COUNT(stlb_miss),
			    SAYS(COUNT, "samples that missed the STLB") },
	FIGURE(TLB_SHARE) = { "stlb_miss_share", "TLB miss", NEEDS(NEEDS_TLB), BY(tlb_share),
			      SAYS(SHARE, "share of samples that missed the STLB") },
	FIGURE(BLOCKED_DATA) = { "blocked_data", "blk data", NEEDS(NEEDS_BLOCKED | NEEDS_ANY),
				 COUNT(blocked_data), SAYS(COUNT, "loads that waited for the data of an earlier store") },
	FIGURE(BLOCKED_ADDR) = { "blocked_addr", "blk addr", NEEDS(NEEDS_BLOCKED | NEEDS_ANY),
				 COUNT(blocked_addr), SAYS(COUNT, "loads that waited for the address of an earlier store") },
	FIGURE(CPUS)	= { "cpus", NULL, LEFT, IS(BITS, sum.cpus), SAYS(BITS, "CPUs, modulo 64") },
	FIGURE(CPU_COUNT) = { "cpu_count", "CPUs", BY(cpu_count), SAYS(COUNT, "how many CPUs") },
	FIGURE(NODES)	= { "nodes", "nodes", LEFT, NEEDS(NEEDS_NODES), IS(BITS, sum.nodes),
			    SAYS(BITS, "nodes of the CPUs") },
	FIGURE(SOURCES)	= { "sources", BY(sources), .sources = true,
			    SAYS(SOURCES, "loads by what served them") },
	FIGURE(LATENCY)	= { "latency", BY(latency), .sources = true,
			    SAYS(SOURCES, "cycles of the sampled loads by what served them") },
	FIGURE(SERVED_TEXT) = { NULL, "loads served from", LEFT, NEEDS(NEEDS_LOADS), BY(served_text) },
	FIGURE(SERVED_FROM) = { "served_from", BY(served_from),
				SAYS(TEXT, "what served the loads, in words") },
	FIGURE(PROCESS)	= { NULL, "process", LEFT, BY(process) },
	FIGURE(COMM)	= { "comm", BY(comm), SAYS(TEXT, "name of the process") },
	FIGURE(PID)	= { "pid", "pid", COUNT(pid), SAYS(COUNT, "number of the process") },
	FIGURE(TID)	= { "tid", "tid", SAYS(COUNT, "number of the thread") },
	FIGURE(THREAD_COMM) = { "thread_comm", SAYS(TEXT, "name of the thread") },
	FIGURE(THREADS)	= { "threads", "threads", COUNT(sum.nr), SAYS(COUNT, "how many threads") },
	FIGURE(CGROUP)	= { "cgroup", "cgroup", LEFT, SAYS(TEXT, "path of the control group") },
	FIGURE(GEN)	= { "gen", NULL, COUNT(gen),
			    SAYS(COUNT, "tells processes of one number apart") },
	FIGURE(KERNEL)	= { "kernel", BY(kernel), SAYS(BOOL, "is it the kernel's?") },
	FIGURE(SHARED)	= { "shared", BY(shared), SAYS(BOOL, "do other processes use the line?") },
	FIGURE(FUNCTION) = { NULL, "function", LEFT, BY(function) },
	FIGURE(FUNCTION_NAME) = { "function", BY(function_name),
				  SAYS(TEXT, "function in the source, which may be inlined") },
	FIGURE(SYMBOL)	= { "symbol", SAYS(TEXT, "function in the symbol table") },
	FIGURE(OFFSET)	= { "function_offset", BY(offset), SAYS(OFFSET, "offset in the symbol") },
	FIGURE(INLINED)	= { "inlined_in", BY(inlined),
			    SAYS(TEXT, "symbol in which the function is inlined") },
	FIGURE(SOURCE)	= { NULL, "source line", LEFT, BY(source) },
	FIGURE(FILE)	= { "file", BY(file), SAYS(TEXT, "source file of the code") },
	FIGURE(FILE_LINE) = { "line", BY(file_line), SAYS(COUNT, "line in the source file") },
	FIGURE(MODULE)	= { "module", "module", LEFT, BY(module),
			    SAYS(TEXT, "program or library of the code") },
	FIGURE(PATH)	= { "path", BY(path), SAYS(TEXT, "path of that file") },
	FIGURE(INSTRUCTION) = { "instruction", "instruction", LEFT,
				SAYS(TEXT, "the instruction in assembly") },
	FIGURE(DATA_TEXT) = { NULL, "data", LEFT },
	FIGURE(DATA_NAME) = { "data", BY(data_name), SAYS(TEXT, "the data that is accessed") },
	FIGURE(DATA_FIELD) = { "data_field", BY(data_field), SAYS(TEXT, "member of the data") },
	FIGURE(DATA_KIND) = { "data_kind", "kind", LEFT, BY(data_kind), SAYS(TEXT, "kind of memory") },
	FIGURE(DATA_TYPE) = { "data_type", "type", LEFT, BY(data_type), SAYS(TEXT, "type of the data") },
	FIGURE(DATA_HOW) = { "data_how", BY(data_how), SAYS(TEXT, "how the data is known") },
	FIGURE(DATA_SECTION) = { "data_section", BY(data_section), SAYS(TEXT, "section of the variable") },
	FIGURE(DATA_SHARE) = { "data_share", BY(data_share),
			       SAYS(SHARE, "share of the samples that access this data") },
	FIGURE(DATA_SIZE) = { "data_size", "size", SAYS(COUNT, "bytes of the data") },
	FIGURE(DATA_MODULE) = { "data_module", SAYS(TEXT, "program or library of the data") },
	FIGURE(DATA_PATH) = { "data_path", SAYS(TEXT, "path of that file") },
	FIGURE(VERDICT)	= { "verdict", SAYS(TEXT, "why the line is shared, as a key") },
	FIGURE(VERDICT_TEXT) = { "verdict_text", "verdict", LEFT, SAYS(TEXT, "the same in words") },
	FIGURE(SURE)	= { "sure", SAYS(SHARE, "how sure the verdict is") },
	FIGURE(LINE_RANK) = { "line_rank", SAYS(COUNT, "the rank of its line in memlat-ctl c2c") },
	FIGURE(PAGES)	= { "pages", SAYS(COUNT, "physical pages at which the line was seen") },
	FIGURE(HITM_SHARE) = { "hitm_share", "HITM", SAYS(SHARE, "share of HITM loads") },
};

static const struct figure *figure_of(const struct grid *grid, unsigned int id)
{
	return id < F_OWN ? &figures[id] : &grid->own[id - F_OWN];
}

void figures_name(struct report_column *column)
{
	const struct figure *figure = &figures[column->figure % KEEP];

	if (!(column->figure & ONLY_TEXT))
		column->key = figure->key;
	if (!(column->figure & ONLY_DATA) && !column->title)
		column->title = figure->title;
	column->left |= figure->left;
}

const struct figure *figures_get(enum figure_id id)
{
	return &figures[id];
}

static const struct figures *filled(const struct grid *grid, size_t index)
{
	struct figures *row = grid->row;

	if (!row->of || row->index != index) {
		row->index = index;
		grid->fill(row, grid);
		row->index = index;
	}
	return row;
}

static struct cell cell(const void *context, size_t index, unsigned int id)
{
	const struct grid *grid = context;
	const struct figure *figure = figure_of(grid, id);
	const struct figures *row;
	struct cell cell;

	if (figure->needs & grid->lacks & NEEDS_TO_KNOW)
		return cell_none();
	row = filled(grid, index);
	if (figure->get)
		return figure->get(grid, row);
	cell = report_member_cell(&figure->shows, row);
	return figure->known && !cell.part ? cell_none() : cell;
}

static struct row_figures little(const void *grid, size_t at)
{
	const struct figures *row = filled(grid, at);

	return (struct row_figures){ row->sum.cost, sums_loads(&row->sum), row->sum.samples, row->few };
}

struct cell_room *grid_room(const struct grid *grid)
{
	return report_table_room(&grid->table);
}

static unsigned int lacks(const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	const __u32 flags = status->flags;

	return (filter_loads(flags) ? 0 : NEEDS_LOADS) | (filter_stores(flags) ? 0 : NEEDS_STORES) |
	       (status->nodes != 1 ? 0 : NEEDS_NODES | NEEDS_REMOTE) |
	       (flags & MEMLAT_F_PHYS ? 0 : NEEDS_PHYS) |
	       (trait_everywhere(snap, MEMLAT_TRAIT_XSNP_FWD) ? NEEDS_HITM : 0) |
	       (trait_here(status, MEMLAT_TRAIT_TLB) ? 0 : NEEDS_TLB) |
	       (trait_here(status, MEMLAT_TRAIT_XSNP_FWD) ? 0 : NEEDS_FWD) |
	       (trait_here(status, MEMLAT_TRAIT_BLOCKED) ? 0 : NEEDS_BLOCKED) |
	       (trait_here(status, MEMLAT_TRAIT_STORE_SOURCE) ? 0 : NEEDS_STORE_SOURCE) |
	       (trait_memory(snap) ? 0 : NEEDS_MEMORY);
}

void grid_show(struct grid *grid, size_t show, bool fold)
{
	const struct snapshot *snap = &grid->profile->snap;

	grid->row = &grid->now;
	grid->lacks = lacks(snap);
	row_whole_take(&grid->whole, snap);
	if (fold)
		show = row_fold(&grid->fold, &grid->whole, show, grid, grid->nr, little);
	grid->shown = report_limit(show, grid->nr);
	grid->row->of = NULL;	/* the view may know more of its rows now */
	report_table_begin(&grid->table, grid, grid->key, grid->title, grid->shown, grid->nr);
}

static bool is_shown(const struct grid *grid, unsigned int needs,
		     const struct report_column *column)
{
	if (needs & grid->lacks & ~(unsigned int)NEEDS_REMOTE)
		return false;
	return !(needs & (NEEDS_ANY | (grid->lacks & NEEDS_REMOTE))) ||
	       report_any(&grid->table.report, column);
}

void grid_columns(struct grid *grid, const unsigned short *list)
{
	for (; *list; list++) {
		const unsigned int id = *list % KEEP;
		const struct figure *figure = figure_of(grid, id);
		struct report_column *column =
			REPORT_ADD(&grid->table, *list & ONLY_TEXT ? NULL : figure->key,
				   *list & ONLY_DATA ? NULL : figure->title, figure->left,
				   (*list & KEEP) != 0, figure->group, .get_at = cell, .which = id,
				   .bounded = figure->bounded, .sources = figure->sources,
				   .figure = figure->as ? figure->as | (*list & (ONLY_TEXT | ONLY_DATA)) : 0);

		if (column->title && !is_shown(grid, figure->needs, column))
			column->title = NULL;
	}
}

void grid_title(struct grid *grid, unsigned int id, const char *title)
{
	size_t i;

	for (i = 0; i < grid->table.report.nr_columns; i++)
		if (grid->table.columns[i].which == id)
			grid->table.columns[i].title = title;
}

static struct quality_table quality_of(const struct grid *grid)
{
	struct quality_table quality = grid->quality;

	quality.shown = grid->shown;
	quality.total = grid->nr;
	return quality;
}

static void print(FILE *out, const struct grid *grid, const char *one, size_t width)
{
	const struct quality_table quality = quality_of(grid);
	const struct snapshot *snap = &grid->profile->snap;

	fputc('\n', out);
	report_print(out, &grid->table.report, width);
	quality_print_table(out, &snap->head.status, &quality);
	row_print_cpus(out, grid->profile);
	quality_print_fold(out, one, &grid->fold, snapshot_cost(snap));
}

/* Put what stands above the rows in a document. */
static void put_sums(struct json_object *document, const struct grid *grid)
{
	const struct quality_table quality = quality_of(grid);
	const struct snapshot *snap = &grid->profile->snap;
	char key[32];

	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	snprintf(key, sizeof(key), "%s_total", quality.what);
	json_put_count(document, key, grid->nr);
	snprintf(key, sizeof(key), "%s_shown", quality.what);
	json_put_count(document, key, grid->shown);
	quality_put_table(document, &snap->head.status, &quality);
}

static struct json_object *json(const struct grid *grid, const struct grid_view *of)
{
	const struct snapshot *snap = &grid->profile->snap;
	struct json_object *document = quality_document(of->name, snap);

	json_put_text(document, "unit", "core cycles");
	of->put(document, grid);
	put_sums(document, grid);
	if (of->ip_after)
		json_put_bool(document, "ip_after", trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER));
	json_put(document, of->name, report_json(&grid->table.report));
	return document;
}

struct json_object *grid_view_show(FILE *out, enum report_format format,
				   const struct rows_view *view, const struct grid_view *of)
{
	struct grid grid = { .profile = view->profile, .namer = view->namer, .key = of->name };
	struct json_object *document = NULL;

	if (format == REPORT_TEXT) {
		if (!quality_print_begin(out, &rows_snap(view)->head.status))
			return NULL;
		if (of->print_above)
			of->print_above(out, view);
	}
	of->begin(&grid, view, of->columns, format == REPORT_TEXT);
	if (format == REPORT_CSV) {
		report_csv(out, &grid.table.report);
	} else if (format == REPORT_JSON) {
		document = json(&grid, of);
	} else {
		print(out, &grid, of->one, view->width);
		if (of->print_below)
			of->print_below(out, &grid);
	}
	of->end(&grid);
	return document;
}

/* The accesses of the instructions that are shown. */
struct finding {
	const struct snapshot *snap;
	struct namer *namer;
	enum data_by by;
	struct memo sites;			/* numbers of instructions, from 1 */
	const struct data_name **names;		/* of each access to data */
};

/* What one instruction accesses, as far as it has one name. */
struct site_use {
	struct sums sum;
	size_t site;
	__u64 addr;		/* the lowest one */
	const struct data_name *name;
};

/*
 * An access of kernel code belongs to the process that ran it, while the kernel's sites belong to
 * none.
 */
static size_t site_of(const struct finding *finding, const struct memlat_rec_access *access)
{
	const bool kernel = kernel_address(access->ip);

	return (uintptr_t)memo_find(&finding->sites, (struct memo_key){
		.address = access->ip, .space = kernel ? 0 : access->tgid,
		.gen = kernel ? 0 : access->gen,
	});
}

static __u64 use_key(const void *of, size_t at)
{
	const struct finding *finding = of;
	const struct memlat_rec_access *access = &finding->snap->accesses[at];
	__u64 key = site_of(finding, access);

	if (!key)
		return 0;
	finding->names[at] = namer_access(finding->namer, access);
	data_key(&key, &(struct data_named){ access, finding->names[at] }, finding->by);
	return key;
}

static void add_use(void *to, const void *of, size_t at)
{
	const struct finding *finding = of;
	const struct memlat_rec_access *access = &finding->snap->accesses[at];
	struct site_use *use = to;

	if (!use->name || access->addr < use->addr) {
		use->addr = access->addr;
		use->name = finding->names[at];
	}
	use->site = site_of(finding, access);
	use->sum.samples += access->samples;
}

/* A tie-break, so that of equally frequent variables the same one is named each time. */
COMPARE(by_samples, struct site_use, order(b->sum.samples, a->sum.samples) ?: order(a->addr, b->addr))

struct site_data *site_data_find(const struct grid *grid, enum data_by by)
{
	static const struct pivot pivot = { sizeof(struct site_use), use_key, add_use, by_samples };
	const size_t accesses = grid->profile->snap.nr_accesses;
	struct finding finding = {
		&grid->profile->snap, grid->namer, by,
		.names = xcalloc(accesses, sizeof(*finding.names)),
	};
	struct site_data *data = xcalloc(grid->shown, sizeof(*data));
	struct site_use *uses;
	size_t i, nr;

	for (i = 0; i < grid->shown; i++) {
		const struct figures *row = filled(grid, i);

		memo_keep(&finding.sites, (struct memo_key){ row->ip, row->pid, row->gen, 0 },
			  (const void *)(uintptr_t)(i + 1));
	}
	grid->row->of = NULL;
	uses = pivot_rows(&pivot, &finding, accesses, &nr);
	for (i = 0; i < nr; i++) {
		struct site_data *of = &data[uses[i].site - 1];

		if (uses[i].sum.samples && !of->name) {
			of->name = uses[i].name;
			of->samples = uses[i].sum.samples;
		}
		of->all += uses[i].sum.samples;
	}
	free(uses);
	free(finding.names);
	memo_free(&finding.sites);
	return data;
}
