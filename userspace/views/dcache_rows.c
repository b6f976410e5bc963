// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/core_traits.h"
#include "../analysis/line.h"
#include "../profile/imported.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "row.h"

static __u64 key_of(const struct memlat_rec_site *site, const struct code_name *name, enum dcache_by by)
{
	/* If no line is known, functions still have to be told apart. */
	const bool line = by == DCACHE_LINE && name->file && name->line;
	__u64 key = name->deleted;

	key_text(&key, name->path);
	key_text(&key, name->module);
	if (by == DCACHE_LINE) {
		key_text(&key, name->file);
		key_number(&key, name->line);
	}
	if (by == DCACHE_FUNCTION || (by == DCACHE_LINE && !line)) {
		key_text(&key, name->function);
		/* The function that it was inlined into. */
		key_text(&key, name->raw);
	}
	/* An instruction of a file is the same in all processes. Other code differs in each process. */
	if (by == DCACHE_INSTRUCTION && name->path && name->module_offset) {
		key_number(&key, name->module_offset);
	} else if (by == DCACHE_INSTRUCTION) {
		key_number(&key, (__u64)site->space << 32 | site->gen);
		key_number(&key, site->ip);
	}
	return key;
}

static void sum_site(struct dcache_row *row, const struct snapshot *snap,
		     const struct memlat_rec_site *site, const struct code_name *name)
{
	const __u64 loads = site_loads(site), hits = site->source[MEMLAT_SRC_L1];
	const __u64 misses = loads - hits;
	__u64 rows[MEMLAT_BUCKETS];
	const struct sums sums = sums_of_site(site);
	struct dcache_sum *sum = &row->sum;
	unsigned int i;

	if (!row->site || (order(row->site->cost, site->cost) ?:
			   order(site->space, row->site->space) ?:
			   order(site->ip, row->site->ip)) < 0) {
		row->site = site;
		row->name = name;
	}
	sums_add(&row->all, &sums);
	levels_misses(snap, site->bucket, hits, site->latency[MEMLAT_SRC_L1], rows);
	sum->hits += hits;
	sum->misses += misses;
	sum->latency += site->latency_sum - site->latency[MEMLAT_SRC_L1];
	if (loads)
		sum->est_misses += number_whole(site_loads_weight(site) * (double)misses /
						(double)loads);
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		sum->bucket[i] += rows[i];
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		sum->source[i] += site->source[i];
	sum->not_memory += site->not_memory;
}

COMPARE(compare_cost, struct dcache_row,
	share_order((double)a->all.cost, a->sum.hits + a->sum.misses, (double)b->all.cost,
		    b->sum.hits + b->sum.misses) ?:
	order(b->all.cost, a->all.cost) ?: order(b->sum.misses, a->sum.misses) ?:
	order(b->all.samples, a->all.samples) ?: order_text(a->name->path, b->name->path) ?:
	order(a->site->ip, b->site->ip))

struct dcache_row *dcache_rows(const struct profile *profile, struct namer *namer,
			       enum dcache_by by, size_t *nr)
{
	struct pivot pivot = PIVOT(struct dcache_row);
	size_t i;

	for (i = 0; i < profile->snap.nr_sites; i++) {
		const struct memlat_rec_site *site = &profile->snap.sites[i];
		const struct code_name *name = namer_sampled(namer, site->space, site->gen, site->ip);

		sum_site(pivot_row(&pivot, key_of(site, name, by)), &profile->snap, site, name);
	}
	return pivot_end(&pivot, compare_cost, nr);
}

static const struct dcache_table *table_of(const void *grid)
{
	return ((const struct grid *)grid)->of;
}

/*
 * The instruction that made the access. If records hold the next one's address, it is the one
 * before.
 */
static struct cell instruction(const struct grid *grid, const struct figures *row)
{
	const struct dcache_table *table = table_of(grid);
	bool after = trait_here(&grid->profile->snap.head.status, MEMLAT_TRAIT_IP_AFTER);
	struct disasm_line lines[2];
	size_t at, nr;

	nr = disasm_around(table->disasm, row->pid, row->gen, row->ip,
			   row->code->raw ? row->code->offset + after : 0, after, 0, lines, &at);
	if (!nr || (after && !at))
		return cell_none();
	return cell_say(grid_room(grid), "%s", lines[after ? at - 1 : at].text);
}

static struct cell line(const struct grid *grid, const struct figures *row)
{
	/* If no line is known, a row of this table is a function. */
	if (!row->code->file && table_of(grid)->by == DCACHE_LINE)
		return row->code->function ?
		       cell_say(grid_room(grid), "(in %s)", row->code->function) :
		       where_function(grid_room(grid), row->code);
	return where_line(grid_room(grid), row->code->file, row->code->line);
}

static __u64 waited(const struct grid *grid, const struct figures *row)
{
	return scale_up(&table_of(grid)->scale, row->sum.cost);
}

GRID_CELL(waiting, cell_ratio(CELL_AVERAGE, waited(grid, row), table_of(grid)->busy))
GRID_CELL(waiting_text, table_of(grid)->busy ?
		   cell_say(grid_room(grid), "%.2f", (double)waited(grid, row) /
						     (double)table_of(grid)->busy) : cell_none())
GRID_CELL(miss_rate, cell_ratio(CELL_SHARE, row->dcache->sum.misses, sums_loads(&row->sum)))
GRID_CELL(miss_average, cell_ratio(CELL_AVERAGE, row->dcache->sum.latency,
			      imported_timed(&grid->profile->snap.head.status,
					     row->dcache->sum.misses)))
GRID_CELL(estimate, cell_count(scale_up(&table_of(grid)->scale, row->dcache->sum.est_misses)))
/* If nothing is known of the code, show its address. */
GRID_CELL(where, row->code->module || row->code->function ?
		 where_offset(grid_room(grid), row->code) : cell_number(CELL_HEX, row->ip))
GRID_CELL(module, row->code->module && row->code->deleted ?
	     cell_say(grid_room(grid), "%s (deleted)", row->code->module) :
	     cell_text(row->code->module ?: "(unknown)"))
GRID_CELL(data, cell_text(row->data->name ? row->data->name->text : NULL))

enum {
	F_WAITING = F_OWN, F_WAITING_TEXT, F_HITS, F_MISSES, F_MISS_RATE,
	F_MISS_CYCLES, F_MISS_AVG, F_ESTIMATE, F_SITES, F_WHERE, F_CODE_TEXT, F_LINE_TEXT,
	F_MODULE_TEXT, F_OF_DATA
};

#define COUNT(member)	REPORT_NUMBER_AT(CELL_COUNT, struct figures, dcache, member)

static const struct figure own[] = {
	OWN(WAITING)	= { "loads_waiting", .get = waiting },
	OWN(WAITING_TEXT) = { NULL, "waiting", .get = waiting_text },
	OWN(HITS)	= { "hits", "hits", COUNT(sum.hits) },
	OWN(MISSES)	= { "misses", "misses", COUNT(sum.misses) },
	OWN(MISS_RATE)	= { "miss_rate", "miss rate", .get = miss_rate },
	OWN(MISS_CYCLES) = { "miss_latency_sum", "latency cyc", COUNT(sum.latency) },
	OWN(MISS_AVG)	= { "miss_latency_avg", "avg cyc", .get = miss_average },
	OWN(ESTIMATE)	= { "est_misses", "est. misses", .get = estimate },
	OWN(SITES)	= { "sites", NULL, COUNT(all.nr) },
	OWN(WHERE)	= { NULL, "where", true, .get = where },
	OWN(CODE_TEXT)	= { .as = F_INSTRUCTION, .get = instruction },
	OWN(LINE_TEXT)	= { .as = F_SOURCE, .get = line },
	OWN(MODULE_TEXT) = { .as = F_MODULE, .get = module },
	OWN(OF_DATA)	= { .as = F_DATA_TEXT, .get = data },
};

/*
 * The most useful columns first. The name comes directly after the figures for which every terminal
 * has room.
 */
static const unsigned short figures_first[] = {
	F_COST | KEEP, F_CUMULATIVE, F_WAITING, F_WAITING_TEXT, F_HITS, F_MISSES | KEEP,
	F_MISS_RATE, F_MISS_CYCLES, F_MISS_AVG, F_END
};

#define FUNCTION	F_FUNCTION_NAME, F_INLINED
#define MODULE		F_MODULE | ONLY_DATA, F_PATH, F_END

/* The columns that name the row: one or two for people, all of them for programs. */
static const unsigned short names[DCACHE_BY][16] = {
	[DCACHE_MODULE] = { F_MODULE_TEXT | KEEP | ONLY_TEXT, MODULE },
	[DCACHE_FUNCTION] = { F_FUNCTION | KEEP, FUNCTION, F_MODULE_TEXT | ONLY_TEXT, MODULE },
	[DCACHE_LINE] = {
		F_LINE_TEXT | KEEP, F_FILE, F_FILE_LINE, F_FUNCTION, FUNCTION, F_MODULE_TEXT | ONLY_TEXT, MODULE
	},
	[DCACHE_INSTRUCTION] = {
		F_IP | ONLY_DATA, F_WHERE | KEEP, F_CODE_TEXT, F_OFFSET, F_LINE_TEXT, F_FILE,
		F_FILE_LINE, FUNCTION, F_MODULE_TEXT | ONLY_TEXT, F_MODULE | ONLY_DATA, F_PATH, F_OF_DATA,
		F_END
	},
};

static const unsigned short figures_last[] = {
	F_SERVED_TEXT, F_ESTIMATE, F_COST_CYCLES, F_WEIGHT | ONLY_DATA,
	F_STORES | ONLY_DATA, F_SITES, F_SOURCES, F_END
};

static const unsigned short of_instruction[] = {
	F_PROCESS, F_PID | ONLY_DATA, F_DATA, F_END
};

static struct cell level_figure(const void *grid, size_t at, unsigned int which)
{
	const struct dcache_table *table = table_of(grid);
	const struct dcache_sum *sum = &table->rows[at].sum;

	return cell_ratio(CELL_SHARE, level_sum(&table->levels.level[which], sum->bucket),
			  sum->misses);
}

static void add_columns(struct dcache_table *table)
{
	struct grid *grid = &table->grid;
	unsigned int i;

	grid_columns(grid, figures_first);
	if (!table->busy)
		grid_title(grid, F_WAITING_TEXT, NULL);
	grid_columns(grid, names[table->by]);
	for (i = 0; i < table->levels.nr; i++)
		REPORT_ADD(&grid->table, table->levels.level[i].key, table->levels.level[i].title,
			   .get_at = level_figure, .which = i, .group = "cycles");
	grid_columns(grid, figures_last);
	grid_title(grid, F_SERVED_TEXT, "served from");
	if (table->by == DCACHE_INSTRUCTION)
		grid_columns(grid, of_instruction);
}

static void fill(struct figures *row, const struct grid *grid)
{
	const struct dcache_table *table = grid->of;
	const struct dcache_row *of = &table->rows[row->index];

	*row = (struct figures){
		.of = of, .sum = of->all, .ip = of->site->ip, .pid = of->site->space,
		.gen = of->site->gen, .comm = of->site->comm, .source = of->sum.source,
		.code = of->name, .not_memory = of->sum.not_memory,
		.data = table->data ? &table->data[row->index] : NULL,
	};
}

void dcache_table_init(struct dcache_table *table, const struct rows_view *view, bool fold,
		       enum dcache_by by)
{
	static const char *const keys[DCACHE_BY] = {
		[DCACHE_MODULE]		= "modules",
		[DCACHE_FUNCTION]	= "functions",
		[DCACHE_LINE]		= "lines",
		[DCACHE_INSTRUCTION]	= "instructions",
	};
	static const char *const titles[DCACHE_BY] = {
		[DCACHE_MODULE]		= "Load modules",
		[DCACHE_FUNCTION]	= "Functions",
		[DCACHE_LINE]		= "Source lines",
		[DCACHE_INSTRUCTION]	= "Instructions",
	};
	const struct profile *profile = view->profile;
	size_t nr;

	memset(table, 0, sizeof(*table));
	table->view = view;
	table->by = by;
	table->rows = dcache_rows(profile, view->namer, by, &nr);
	table->busy = snapshot_busy(&profile->snap.head.status);
	scale_compute(&table->scale, &profile->snap);
	levels_find(&table->levels, &profile->machine, &profile->snap);
	table->grid = (struct grid){
		.profile = profile, .namer = view->namer, .key = keys[by], .title = titles[by],
		.nr = nr, .fill = fill, .of = table, .own = own,
	};
	grid_show(&table->grid, view->show, fold);
	/* There may be millions of rows that are not shown. */
	table->rows = xreallocarray(table->rows, table->grid.shown, sizeof(*table->rows));
	if (by == DCACHE_INSTRUCTION) {
		table->disasm = disasm_new(view->namer);
		table->data = site_data_find(&table->grid, DATA_BY_FIELD);
	}
	add_columns(table);
}

void dcache_table_free(struct dcache_table *table)
{
	free(table->rows);
	disasm_free(table->disasm);
	free(table->data);
}

#define HOTTEST		5	/* number of instructions whose neighbours are shown */
#define BEFORE		4
#define AFTER		3
#define LINES		(BEFORE + 1 + AFTER)

/* A hot instruction with its neighbours. */
struct code_window {
	const struct dcache_table *table;
	const struct dcache_row *row;
	size_t nr, hot;
	struct disasm_line line[LINES];
	__u64 cost[LINES];		/* of each line, if it was sampled too */
	struct report_table shown;
};

/* The cost at an address as records have it, which may be that after the access. */
static __u64 cost_at(const struct code_window *code, __u64 ip)
{
	const struct memlat_rec_site *hot = code->row->site;
	const struct snapshot *snap = &code->table->view->profile->snap;
	__u64 cost = 0;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];

		if (site->ip == ip && site->space == hot->space && site->gen == hot->gen)
			cost += site->cost;
	}
	return cost;
}


static struct cell line_cell(const struct code_window *code, __u64 ip)
{
	const struct memlat_rec_site *site = code->row->site;
	const struct code_name *name = namer_code(code->table->view->namer, site->space, site->gen,
						  ip);

	return where_line(report_table_room(&code->shown), name->file, name->line);
}

#define CELL(name, ...)	REPORT_CELL(name, struct code_window, __VA_ARGS__)

CELL(mark, cell_text(at == of->hot ? ">" : " "))
CELL(code_share, cell_ratio(CELL_SHARE, of->cost[at], of->cost[at] ?
			    snapshot_cost(&of->table->view->profile->snap) : 0))
CELL(code_ip, cell_number(CELL_HEX, of->line[at].ip))
CELL(code_text, cell_text(of->line[at].text))
CELL(code_line, line_cell(of, of->line[at].ip))

static const struct report_column columns[] = {
	{ NULL, " ", true, true, .get = mark },
	{ .figure = F_COST, .get = code_share },
	{ .figure = F_IP, .title = "address", .get = code_ip },
	{ .figure = F_INSTRUCTION, .keep = true, .get = code_text },
	{ "source_line", "source line", true, .get = code_line },
};

/* false: the row has no cost, or its code is not known. */
static bool code_find(struct code_window *code, const struct dcache_table *table, size_t at)
{
	const struct dcache_row *row = &table->rows[at];
	bool after = trait_here(&table->view->profile->snap.head.status,
				MEMLAT_TRAIT_IP_AFTER);
	size_t i;

	if (!row->all.cost)
		return false;
	memset(code, 0, sizeof(*code));
	code->table = table;
	code->row = row;
	code->nr = disasm_around(table->disasm, row->site->space, row->site->gen,
				 row->site->ip, row->name->raw ? row->name->offset + after : 0,
				 BEFORE, AFTER, code->line, &code->hot);
	/* The access is the instruction before, so nothing is shown if that is not known. */
	if (after && !code->hot)
		return false;
	code->hot -= after;
	for (i = 0; i < code->nr; i++)
		code->cost[i] = cost_at(code, code->line[i].ip +
					      (after ? code->line[i].size : 0));
	/* The same file may run in several processes: add up all of them. */
	if (code->nr)
		code->cost[code->hot] = row->all.cost;
	report_table_begin(&code->shown, code, "code", NULL, code->nr, code->nr);
	report_table_take(&code->shown, columns, sizeof(columns) / sizeof(columns[0]));
	return code->nr != 0;
}

static void print_heading(FILE *out, const struct code_window *code, size_t at)
{
	const struct code_name *name = code->row->name;
	const char *function = name->function ? name->function : name->module;
	char share[TEXT_NUMBER_MAX];

	fprintf(out, "\nInstruction %zu, %s of the latency", at + 1,
		text_share(share, code->row->all.cost, snapshot_cost(&code->table->view->profile->snap), 1));
	if (function)
		text_say(out, ", in %s", function);
	fputc('\n', out);
}

void dcache_code_print(FILE *out, const struct dcache_table *table)
{
	size_t at, shown = 0;

	for (at = 0; at < table->grid.shown && at < HOTTEST; at++) {
		struct code_window code;

		if (!code_find(&code, table, at))
			continue;
		print_heading(out, &code, at);
		report_print(out, &code.shown.report, table->view->width);
		shown++;
	}
	if (!shown && table->grid.shown)
		fputs("\n(no machine code: the files of these instructions are not available on this machine)\n",
		      out);
}

struct json_object *dcache_code_json(const struct dcache_table *table)
{
	struct json_object *list = json_list();
	size_t at;

	for (at = 0; at < table->grid.shown && at < HOTTEST; at++) {
		struct json_object *object;
		struct code_window code;

		if (!code_find(&code, table, at))
			continue;
		object = json_new();
		json_put_count(object, "rank", at + 1);
		json_put_count(object, "hot", code.hot);
		json_put(object, "code", report_json(&code.shown.report));
		json_append(list, object);
	}
	return list;
}
