// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdint.h>
#include <stdlib.h>

#include "../analysis/core_traits.h"
#include "../names/name_cache.h"
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

static const struct figure figures[F_OWN] = {
#define FIGURE(id, ...)		[F_ ## id] = { __VA_ARGS__ },
#include "figures_list.h"
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

static struct cell figure_cell(const void *context, size_t index, unsigned int id)
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

static bool is_little(const struct grid *grid, size_t at)
{
	const struct figures *row = filled(grid, at);

	return row_is_little(&grid->whole, &row->sum, row->few);
}

/*
 * Leave out such rows at the end of the first rows, unless there are no others. Returns how many to
 * show; 0: all.
 */
static size_t fold_little(struct grid *grid, size_t show)
{
	struct row_fold *fold = &grid->fold;
	size_t at = report_limit(show, grid->nr);

	while (show && at && is_little(grid, at - 1))
		at--;
	fold->all = show && !at && grid->nr;
	if (!show || !at)
		return show;
	show = at;
	for (; at < grid->nr; at++)
		if (is_little(grid, at)) {
			fold->rows++;
			fold->cost += grid->row->sum.cost;
		}
	return show;
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
		show = fold_little(grid, show);
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
				   (*list & KEEP) != 0, figure->group, .get_at = figure_cell, .which = id,
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
static size_t site_of(const struct name_cache *sites, const struct memlat_rec_access *access)
{
	const bool kernel = kernel_address(access->ip);

	return (uintptr_t)name_cache_find(sites, (struct name_cache_key){
		.address = access->ip, .space = kernel ? 0 : access->tgid,
		.gen = kernel ? 0 : access->gen,
	});
}

/* A tie-break, so that of equally frequent variables the same one is named each time. */
COMPARE(by_samples, struct site_use, order(b->sum.samples, a->sum.samples) ?: order(a->addr, b->addr))

struct site_data *site_data_find(const struct grid *grid, enum data_by by)
{
	const struct snapshot *snap = &grid->profile->snap;
	struct site_data *data = xcalloc(grid->shown, sizeof(*data));
	struct pivot pivot = PIVOT(struct site_use);
	struct name_cache sites = { 0 };	/* their numbers, from 1 */
	struct site_use *uses;
	size_t i, nr;

	for (i = 0; i < grid->shown; i++) {
		const struct figures *row = filled(grid, i);

		name_cache_keep(&sites, (struct name_cache_key){ row->ip, row->pid, row->gen, 0 },
				(const void *)(uintptr_t)(i + 1));
	}
	grid->row->of = NULL;
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const size_t site = site_of(&sites, access);
		const struct data_name *name = site ? namer_access(grid->namer, access) : NULL;
		struct site_use *use;

		if (!site)
			continue;
		use = pivot_row(&pivot, data_key(site, &(struct data_named){ access, name }, by));
		if (!use->name || access->addr < use->addr) {
			use->addr = access->addr;
			use->name = name;
		}
		use->site = site;
		use->sum.samples += access->samples;
	}
	uses = pivot_end(&pivot, by_samples, &nr);
	for (i = 0; i < nr; i++) {
		struct site_data *of = &data[uses[i].site - 1];

		if (uses[i].sum.samples && !of->name) {
			of->name = uses[i].name;
			of->samples = uses[i].sum.samples;
		}
		of->all += uses[i].sum.samples;
	}
	free(uses);
	name_cache_free(&sites);
	return data;
}
