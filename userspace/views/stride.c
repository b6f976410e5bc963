// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/stride.h"
#include "../analysis/core_traits.h"
#include "../util/command.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "row.h"

static const char *const readings[STRIDE_READINGS] = {
	[STRIDE_FEW]		= "too few pairs",
	[STRIDE_IRREGULAR]	= "irregular",
	[STRIDE_SAME]		= "one address",
	[STRIDE_SMALL]		= "small stride",
	[STRIDE_LARGE]		= "large stride",
	[STRIDE_INEFFICIENT]	= "LARGE STRIDE",
};

/* The grid must not move, because its parts point to each other. */
struct stride_table {
	struct strides strides;
	struct site_data *data;	/* of the rows that are shown */
	bool tlb;		/* the CPU reports STLB misses */
	__u64 cost;		/* cost of all samples */
	size_t width;
	struct grid grid;
};

static const struct code_name *code_of(const struct stride_table *table,
				       const struct stride_site *site)
{
	return namer_sampled(table->grid.namer, site->space, site->gen, site->ip);
}

static bool downwards(const struct stride_site *site)
{
	return 2 * site->forward < site->fitting;
}

static __u64 element_of(const struct site_data *data)
{
	return data->name ? stride_element(data->name->type, data->name->size) : 0;
}

/* "m (.bss)", "heap, matrix.c:41 build()" */
static char *data_text(const struct data_name *name)
{
	const struct code_name *site = name->site;

	if (site && site->function && site->file && site->line)
		return xasprintf("heap, %s:%u %s%s", text_last_part(site->file), site->line,
				 site->function, where_call(site->function));
	if (!name->name)
		return NULL;
	if (name->section)
		return xasprintf("%s (%s)", name->name, name->section);
	return xstrdup(name->name);
}

/* Put the code that walks: "walk() (matrix.c:41)", or what is known of it. */
static void put_code(FILE *out, const struct stride_table *table, const struct stride_site *site)
{
	const struct code_name *name = code_of(table, site);

	if (name->function)
		fprintf(out, "%s%s", name->function, where_call(name->function));
	else if (name->module)
		fprintf(out, "%s+0x%llx", name->module, name->module_offset);
	else
		fprintf(out, "0x%llx", site->ip);
	if (name->file && name->line)
		fprintf(out, " (%s:%u)", text_last_part(name->file), name->line);
}

/* Put what would be better, if the type tells. */
static void put_advice(FILE *out, const struct stride_site *site, const struct site_data *data)
{
	__u64 element = element_of(data);
	char a[TEXT_NUMBER_MAX];

	if (!element || site->stride % element)
		return;
	if (element == site->stride)
		fputs("; that is one element each: keep together what the loop reads of them", out);
	else
		fprintf(out, "; %s it would be %s", strstr(data->name->type, "][") ? "by rows" :
			"one by one", text_count(a, element));
}

/* Does it read at random, and do as many loads miss the STLB as of a walk that is named? */
static bool is_random(const struct stride_table *table, const struct stride_site *site)
{
	__u64 missed, loads;

	stride_missed(site, &missed, &loads);
	return table->tlb && site->reading == STRIDE_IRREGULAR &&
	       missed * 100 >= loads * STRIDE_MISSES && missed;
}

static bool has_story(const struct stride_table *table, const struct stride_site *site)
{
	return site->reading == STRIDE_INEFFICIENT || is_random(table, site);
}

/*
 * "walk() (matrix.c:41) loads m (.bss) in steps of 8,192 bytes: ..." for a site that walks in large
 * strides, or "find() (hash.c:24) loads table at random: ..."; NULL for others. Newly allocated.
 */
static char *story_of(const struct stride_table *table, size_t row)
{
	const struct stride_site *site = &table->strides.sites[row];
	const struct site_data *data = &table->data[row];
	char a[TEXT_NUMBER_MAX], *what = NULL, *text;
	__u64 missed, loads;
	size_t size;
	FILE *out;

	if (!has_story(table, site))
		return NULL;
	out = xmemstream(&text, &size);
	put_code(out, table, site);
	if (data->name)
		what = data_text(data->name);
	fprintf(out, " loads%s%s ", what ? " " : "", what ? what : "");
	free(what);
	if (is_random(table, site))
		fputs("at random", out);
	else
		fprintf(out, "in steps of %s%s bytes", downwards(site) ? "-" : "",
			text_count(a, site->stride));
	stride_missed(site, &missed, &loads);
	fprintf(out, ": %s of its samples missed the STLB, %.2f pages a load",
		text_share(a, missed, loads, 0), (double)site->new_page / (double)site->pairs);
	if (is_random(table, site))
		command_say(out, "; larger pages help: 'memlat-ctl try thp=always -- COMMAND' measures it");
	else
		put_advice(out, site, data);
	fputc('.', out);
	xmemstream_end(out);
	return text;
}

/* A size with its sign, which CELL_CHANGE takes from a subtraction. */
static struct cell signed_cell(__u64 size, bool down)
{
	return (struct cell){
		.kind = CELL_CHANGE, .part = down ? 0 : size, .whole = down ? size : 0,
	};
}

#define SITE(name, ...) \
	static struct cell name(const struct grid *grid, const struct figures *row) \
	{ const struct stride_site *site = row->stride; return __VA_ARGS__; }

SITE(cost, cell_ratio(CELL_SHARE, stride_cost(site), snapshot_cost(&grid->profile->snap)))
SITE(cost_cycles, cell_count(stride_cost(site)))
SITE(stride, site->stride ? signed_cell(site->stride, downwards(site)) : cell_none())
SITE(fit, site->stride ? cell_ratio(CELL_SHARE, site->fitting, site->pairs - site->same) :
			 cell_none())
SITE(often, signed_cell(site->often < 0 ? 0 - (__u64)site->often : (__u64)site->often,
			site->often < 0))
SITE(reading, cell_text(readings[site->reading]))
SITE(reading_name, cell_text(stride_reading_name(site->reading)))
SITE(process, site->space ? cell_say(grid_room(grid), "%u", site->space) : cell_text("kernel"))
/* "1.00" */
SITE(pages, site->pairs ? cell_say(grid_room(grid), "%.2f", floor((double)site->new_page /
				   (double)site->pairs * 100 + 0.5) / 100) : cell_none())
GRID_CELL(data, row->data->name ? cell_keep(grid_room(grid), data_text(row->data->name)) : cell_none())
GRID_CELL(element, cell_known(element_of(row->data), element_of(row->data)))
GRID_CELL(story, cell_keep(grid_room(grid), story_of(grid->of, row->index)))

#define MISSED(name, ...) \
	static struct cell name(const struct grid *grid, const struct figures *row) \
	{ __u64 missed, loads; stride_missed(row->stride, &missed, &loads); return __VA_ARGS__; }

MISSED(loads, cell_count(loads))
MISSED(missed, cell_count(missed))
MISSED(missed_share, cell_ratio(CELL_SHARE, missed, grid->lacks & NEEDS_TLB ? 0 : loads))

enum {
	F_STRIDE_COST = F_OWN, F_STRIDE, F_FITTING, F_MISSED_SHARE, F_PAGES_PER_LOAD, F_OF_DATA,
	F_READING, F_PAIRS, F_SAME, F_WITHIN_LINE, F_WITHIN_PAGE, F_BEYOND, F_PAIR_AVG, F_OFTEN,
	F_OFTEN_SHARE, F_PROCESS_TEXT, F_FORWARD, F_NEW_PAGE, F_STRIDE_LOADS, F_MISSED,
	F_STRIDE_CYCLES, F_ELEMENT, F_READING_NAME, F_STORY
};

#define RATIO(form, part, whole) REPORT_RATIO_AT(CELL_ ## form, struct figures, stride, part, whole)
#define STEP(member)	RATIO(SHARE, member, pairs), .group = "steps of"

static const struct figure own[] = {
	OWN(STRIDE_COST) = { .as = F_COST, .get = cost },
	OWN(STRIDE)	= { "stride", "stride", .get = stride },
	OWN(FITTING)	= { "stride_share", "fit", .get = fit },
	OWN(MISSED_SHARE) = { .as = F_TLB_SHARE, .get = missed_share },
	OWN(PAGES_PER_LOAD) = { NULL, "pages/load", .get = pages },
	OWN(OF_DATA)	= { .as = F_DATA_TEXT, .get = data },
	OWN(READING)	= { NULL, "reading", true, .get = reading },
	OWN(PAIRS)	= { "pairs", "pairs",
			    REPORT_NUMBER_AT(CELL_COUNT, struct figures, stride, pairs) },
	OWN(SAME)	= { "same_share", "0", STEP(same) },
	OWN(WITHIN_LINE) = { "within_line_share", "<64", STEP(within_line) },
	OWN(WITHIN_PAGE) = { "within_page_share", "<4096", STEP(within_page) },
	OWN(BEYOND)	= { "beyond_page_share", "more", STEP(beyond_page) },
	OWN(PAIR_AVG)	= { "pair_latency_avg", "avg cyc", RATIO(AVERAGE, latency_sum, pairs) },
	OWN(OFTEN)	= { "step", "most often", .get = often },
	OWN(OFTEN_SHARE) = { "step_share", "so often", RATIO(SHARE, often_pairs, pairs) },
	OWN(PROCESS_TEXT) = { NULL, "pid", .get = process },
	OWN(FORWARD)	= { "forward_share", NULL, RATIO(SHARE, forward, fitting) },
	OWN(NEW_PAGE)	= { "pages_per_load", NULL, RATIO(AVERAGE, new_page, pairs) },
	OWN(STRIDE_LOADS) = { .as = F_LOADS, .get = loads },
	OWN(MISSED)	= { .as = F_TLB, .needs = NEEDS_TLB, .get = missed },
	OWN(STRIDE_CYCLES) = { .as = F_COST_CYCLES, .get = cost_cycles },
	OWN(ELEMENT)	= { "element_bytes", .get = element },
	OWN(READING_NAME) = { "reading", .get = reading_name },
	OWN(STORY)	= { "story", .get = story },
};

/* The most useful columns first: a narrow terminal loses the last ones. */
static const unsigned short columns[] = {
	F_RANK | KEEP, F_STRIDE_COST | KEEP, F_FUNCTION | KEEP, F_SOURCE, F_STRIDE | KEEP,
	F_FITTING, F_MISSED_SHARE | KEEP, F_PAGES_PER_LOAD, F_OF_DATA, F_READING | KEEP, F_PAIRS, F_SAME,
	F_WITHIN_LINE, F_WITHIN_PAGE, F_BEYOND, F_PAIR_AVG, F_OFTEN, F_OFTEN_SHARE, F_IP,
	F_MODULE | ONLY_TEXT, F_PROCESS_TEXT, F_PID | ONLY_DATA, F_GEN, F_FUNCTION_NAME, F_OFFSET, F_INLINED,
	F_FILE, F_FILE_LINE, F_MODULE | ONLY_DATA, F_PATH, F_FORWARD, F_NEW_PAGE, F_STRIDE_LOADS | ONLY_DATA,
	F_MISSED, F_STRIDE_CYCLES, F_DATA_NAME, F_DATA_KIND | ONLY_DATA, F_DATA_TYPE | ONLY_DATA, F_DATA_HOW, F_DATA_SECTION,
	F_DATA_SHARE, F_ELEMENT, F_READING_NAME, F_STORY, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	const struct stride_table *table = grid->of;
	const struct stride_site *site = &table->strides.sites[row->index];

	*row = (struct figures){
		.index = row->index, .of = site, .ip = site->ip, .pid = site->space, .gen = site->gen,
		.data = table->data ? &table->data[row->index] : NULL,
	};
}

static void table_init(struct stride_table *table, const struct rows_view *view)
{
	const struct snapshot *snap = rows_snap(view);

	strides_find(&table->strides, snap);
	table->grid = (struct grid){
		.profile = view->profile, .namer = view->namer, .key = "sites", .fill = fill,
		.nr = table->strides.nr, .of = table, .own = own,
	};
	table->tlb = trait_here(&snap->head.status, MEMLAT_TRAIT_TLB);
	table->cost = snapshot_cost(snap);
	table->width = view->width;
	grid_show(&table->grid, view->show, false);
	table->data = site_data_find(&table->grid, DATA_BY_VARIABLE);
	grid_columns(&table->grid, columns);
	if (trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER))
		grid_title(&table->grid, F_IP, "ip after");
}

static void table_free(struct stride_table *table)
{
	strides_free(&table->strides);
	free(table->data);
}

static size_t named(const struct stride_table *table)
{
	size_t i, nr = 0;

	for (i = 0; i < table->strides.nr; i++)
		nr += has_story(table, &table->strides.sites[i]);
	return nr;
}

/* The cost of the sites of which it is known how they walk. *most: the costliest other one. */
static __u64 cost_read(const struct stride_table *table, const struct stride_site **most)
{
	__u64 cost = 0;
	size_t i;

	*most = NULL;
	for (i = 0; i < table->strides.nr; i++) {
		const struct stride_site *site = &table->strides.sites[i];

		if (site->reading != STRIDE_FEW)
			cost += stride_cost(site);
		else if (!*most)
			*most = site;
	}
	return cost < table->cost ? cost : table->cost;
}

/* No site is named. That says something only of sites with enough pairs. */
static void print_unnamed(FILE *out, const struct stride_table *table)
{
	const struct stride_site *most;
	const __u64 unread = table->cost - cost_read(table, &most);
	char share[TEXT_NUMBER_MAX], times[TEXT_NUMBER_MAX];
	__u64 steps;

	if (table->cost && unread <= table->cost / 10) {
		fputs("No site walks in large strides or at random and misses the STLB.\n", out);
		return;
	}
	steps = most && most->pairs > most->same ? most->pairs - most->same : 1;
	text_remark(out, table->width, "Whether a site walks in large strides or at random and misses the STLB is not known: %s of sampled latency is of sites with fewer than %d steps. Sample about %s times as long, or give --max-overhead 5.",
		    text_share(share, unread, table->cost, 0), STRIDE_PAIRS_LEAST,
		    text_count(times, (STRIDE_PAIRS_LEAST + steps - 1) / steps));
}

/* Print the answer first: which shown sites walk in large strides or at random. */
static void print_stories(FILE *out, const struct stride_table *table)
{
	size_t row, all = named(table), told = 0;

	if (!table->tlb)
		fputs("This CPU's records do not report STLB misses: strides are shown, but not what they\n"
		      "cost in the TLB, so no site is named.\n", out);
	else if (!all)
		print_unnamed(out, table);
	for (row = 0; row < table->grid.shown; row++) {
		char *story = story_of(table, row), *shown;

		if (!story)
			continue;
		/* Names in a program may contain any bytes. */
		shown = text_escaped(story);
		text_remark(out, table->width, "%zu: %s", row + 1, shown);
		free(shown);
		free(story);
		told++;
	}
	if (told < all)
		fprintf(out, "(%zu more of these are not shown; -n 0 shows all)\n", all - told);
}

static void print_notes(FILE *out, const struct stride_table *table)
{
	const struct memlat_status *status = &table->grid.profile->snap.head.status;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];

	if (table->grid.shown < table->strides.nr)
		text_remark(out, table->width, "(%s of %s sites, by cost; -n 0 shows all)",
			    text_count(a, table->grid.shown), text_count(b, table->strides.nr));
	if (status->strides_evicted)
		text_remark(out, table->width, "(the table was full: %s of %s pairs are of steps that were evicted, none of which had more than %s; raise --max-memory)",
			    text_count(a, status->strides_evicted), text_count(b, status->pairs),
			    text_count(c, status->strides_error));
}

/* There are samples, but no two neighbouring ones of one instruction. */
static void print_none(FILE *out)
{
	fputs("No pairs: no instruction was sampled twice in one burst, so that no step is known.\n"
	      "  Let it run longer, or sample all loads (--ldlat 3, as record --stride does).\n",
	      out);
}

static void print_table(FILE *out, const struct stride_table *table)
{
	fputc('\n', out);
	print_stories(out, table);
	fputc('\n', out);
	report_print(out, &table->grid.table.report, table->width);
	print_notes(out, table);
}

static struct json_object *json(const struct stride_table *table)
{
	const struct snapshot *snap = &table->grid.profile->snap;
	struct json_object *document = quality_document("stride", snap);

	json_put_text(document, "unit", "bytes");
	json_put_count(document, "pairs", snap->head.status.pairs);
	json_put_count(document, "strides_total", snap->nr_strides);
	json_put_count(document, "evicted", snap->head.status.strides_evicted);
	json_put_count(document, "error_bound", snap->head.status.strides_error);
	json_put_count(document, "cost_cycles", table->cost);
	json_put_bool(document, "tlb_known", table->tlb);
	json_put_count(document, "sites_total", table->strides.nr);
	json_put_count(document, "sites_shown", table->grid.shown);
	json_put_count(document, "sites_inefficient", named(table));
	json_put(document, "sites", report_json(&table->grid.table.report));
	return document;
}

struct json_object *stride_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;
	struct json_object *document = NULL;
	struct stride_table table;

	if (format == REPORT_TEXT && !quality_print_begin(out, status))
		return NULL;
	table_init(&table, view);
	if (format == REPORT_CSV)
		report_csv(out, &table.grid.table.report);
	else if (format == REPORT_JSON)
		document = json(&table);
	else if (status->pairs)
		print_table(out, &table);
	else
		print_none(out);
	if (format == REPORT_TEXT)
		namer_print_notes(view->namer, out);
	table_free(&table);
	return document;
}
