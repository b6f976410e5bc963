// SPDX-License-Identifier: GPL-2.0
#include "stride.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/stride.h"
#include "../analysis/trait.h"
#include "../util/command.h"
#include "../util/number.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "quality.h"
#include "report.h"
#include "site_data.h"
#include "where.h"

/* The most useful columns first: a narrow terminal loses the last ones. */
enum which {
	W_RANK, W_COST, W_FUNCTION, W_LINE, W_STRIDE, W_FITTING, W_TLB, W_PAGES, W_DATA,
	W_READING, W_PAIRS, W_SAME, W_WITHIN_LINE, W_WITHIN_PAGE, W_BEYOND, W_AVG, W_OFTEN,
	W_OFTEN_SHARE, W_IP, W_MODULE, W_PROCESS, W_PID, W_GEN, W_FUNCTION_NAME,
	W_OFFSET, W_INLINED, W_FILE, W_LINE_NUMBER, W_MODULE_NAME, W_PATH, W_FORWARD,
	W_NEW_PAGE, W_LOADS, W_MISSED, W_COST_CYCLES, W_DATA_NAME, W_DATA_KIND, W_DATA_TYPE,
	W_DATA_HOW, W_DATA_SECTION, W_DATA_SHARE, W_ELEMENT, W_READING_NAME, W_STORY, W_NR
};

#define COUNT(member)		REPORT_NUMBER(CELL_COUNT, struct stride_site, member)
#define RATIO(kind, part, whole) \
	REPORT_RATIO(CELL_ ## kind, struct stride_site, part, whole)
#define STEP(member)		false, false, "steps of", RATIO(SHARE, member, pairs)

static const struct report_column known[W_NR] = {
	[W_RANK]	= { "rank", "#", false, true },
	[W_COST]	= { "cost", "cost", false, true },
	[W_FUNCTION]	= { NULL, "function", true, true, .code = WHERE_FUNCTION },
	[W_LINE]	= { NULL, "source line", true, .code = WHERE_LINE },
	[W_STRIDE]	= { "stride", "stride", false, true },
	[W_FITTING]	= { "stride_share", "fit" },
	[W_TLB]		= { "stlb_miss_share", "TLB miss", false, true },
	[W_PAGES]	= { NULL, "pages/load" },
	[W_DATA]	= { NULL, "data", true },
	[W_READING]	= { NULL, "reading", true, true },
	[W_PAIRS]	= { "pairs", "pairs", COUNT(pairs) },
	[W_SAME]	= { "same_share", "0", STEP(same) },
	[W_WITHIN_LINE]	= { "within_line_share", "<64", STEP(within_line) },
	[W_WITHIN_PAGE]	= { "within_page_share", "<4096", STEP(within_page) },
	[W_BEYOND]	= { "beyond_page_share", "more", STEP(beyond_page) },
	[W_AVG]		= { "latency_avg", "avg cyc", RATIO(AVERAGE, latency_sum, pairs) },
	[W_OFTEN]	= { "step", "most often" },
	[W_OFTEN_SHARE]	= { "step_share", "so often", RATIO(SHARE, often_pairs, pairs) },
	[W_IP]		= { "ip", "ip", REPORT_NUMBER(CELL_HEX, struct stride_site, ip) },
	[W_MODULE]	= { NULL, "load module", true, .code = WHERE_MODULE },
	[W_PROCESS]	= { NULL, "pid" },
	[W_PID]		= { "pid", NULL, COUNT(space) },
	[W_GEN]		= { "gen", NULL, COUNT(gen) },
	WHERE_KEYS(W_),
	[W_FORWARD]	= { "forward_share", NULL, RATIO(SHARE, forward, fitting) },
	[W_NEW_PAGE]	= { "pages_per_load", NULL, RATIO(AVERAGE, new_page, pairs) },
	[W_LOADS]	= { "loads", NULL },
	[W_MISSED]	= { "stlb_miss", NULL },
	[W_COST_CYCLES]	= { "cost_cycles", NULL },
	SITE_DATA_KEYS(W_),
	[W_DATA_SECTION] = { "data_section", NULL, .data = SITE_DATA_SECTION },
	[W_ELEMENT]	= { "element_bytes", NULL },
	[W_READING_NAME] = { "reading", NULL },
	[W_STORY]	= { "story", NULL },
};

static const char *const readings[STRIDE_READINGS] = {
	[STRIDE_FEW]		= "too few pairs",
	[STRIDE_IRREGULAR]	= "irregular",
	[STRIDE_SAME]		= "one address",
	[STRIDE_SMALL]		= "small stride",
	[STRIDE_LARGE]		= "large stride",
	[STRIDE_INEFFICIENT]	= "LARGE STRIDE",
};

/* The table must not move until table_free(), because its parts point to each other. */
struct table {
	const struct rows_view *view;
	struct strides strides;
	struct site_data *data;	/* of the rows that are shown */
	size_t shown;
	bool tlb;		/* the CPU reports STLB misses */
	__u64 cost;		/* cost of all samples */
	struct report_table table;
};

static const struct code_name *code_of(const struct table *table,
				       const struct stride_site *site)
{
	return namer_sampled(table->view->namer, site->space, site->gen, site->ip);
}

static bool downwards(const struct stride_site *site)
{
	return 2 * site->forward < site->fitting;
}

/* A size with its sign, which CELL_CHANGE takes from a subtraction. */
static struct cell signed_cell(__u64 size, bool down)
{
	return (struct cell){
		.kind = CELL_CHANGE, .part = down ? 0 : size, .whole = down ? size : 0,
	};
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

static struct cell data_cell(const struct table *table, size_t row, enum which which)
{
	const struct site_data *data = &table->data[row];

	if (which != W_DATA)
		return cell_known(element_of(data), element_of(data));
	return data->name ? cell_keep(report_table_room(&table->table), data_text(data->name)) :
			    cell_none();
}

/* "1.00" */
static struct cell pages_cell(const struct table *table, const struct stride_site *site)
{
	__u64 hundredths;

	if (!site->pairs)
		return cell_none();
	hundredths = number_whole((double)site->new_page / (double)site->pairs * 100 + 0.5);
	return cell_say(report_table_room(&table->table), "%llu.%02llu", hundredths / 100,
			hundredths % 100);
}

static struct cell tlb_cell(const struct table *table, const struct stride_site *site,
			    enum which which)
{
	__u64 missed, loads;

	stride_missed(site, &missed, &loads);
	if (which == W_LOADS)
		return cell_count(loads);
	if (!table->tlb)
		return cell_none();
	return which == W_MISSED ? cell_count(missed) : cell_ratio(CELL_SHARE, missed, loads);
}

static struct cell steps_cell(const struct stride_site *site, enum which which)
{
	switch (which) {
	case W_STRIDE:
		return site->stride ? signed_cell(site->stride, downwards(site)) : cell_none();
	case W_FITTING:
		return site->stride ? cell_ratio(CELL_SHARE, site->fitting,
						 site->pairs - site->same) : cell_none();
	default:
		return signed_cell(site->often < 0 ? 0 - (__u64)site->often : (__u64)site->often,
				   site->often < 0);
	}
}

/* Put the code that walks: "walk() (matrix.c:41)", or what is known of it. */
static void put_code(FILE *out, const struct table *table, const struct stride_site *site)
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
static bool is_random(const struct table *table, const struct stride_site *site)
{
	__u64 missed, loads;

	stride_missed(site, &missed, &loads);
	return table->tlb && site->reading == STRIDE_IRREGULAR &&
	       missed * 100 >= loads * STRIDE_MISSES && missed;
}

static bool has_story(const struct table *table, const struct stride_site *site)
{
	return site->reading == STRIDE_INEFFICIENT || is_random(table, site);
}

/*
 * "walk() (matrix.c:41) loads m (.bss) in steps of 8,192 bytes: ..." for a site that walks in large
 * strides, or "find() (hash.c:24) loads table at random: ..."; NULL for others. Newly allocated.
 */
static char *story_of(const struct table *table, size_t row)
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

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct table *table = context;
	const struct stride_site *site = &table->strides.sites[row];

	switch ((enum which)which) {
	case W_RANK:
		return cell_count(row + 1);
	case W_COST:
		return cell_ratio(CELL_SHARE, stride_cost(site), table->cost);
	case W_COST_CYCLES:
		return cell_count(stride_cost(site));
	case W_PAGES:
		return pages_cell(table, site);
	case W_TLB:
	case W_LOADS:
	case W_MISSED:
		return tlb_cell(table, site, which);
	case W_READING:
		return cell_text(readings[site->reading]);
	case W_READING_NAME:
		return cell_text(stride_reading_name(site->reading));
	case W_PROCESS:
		return site->space ? cell_say(report_table_room(&table->table), "%u",
					      site->space) : cell_text("kernel");
	case W_STORY:
		return cell_keep(report_table_room(&table->table), story_of(table, row));
	case W_DATA:
	case W_ELEMENT:
		return data_cell(table, row, which);
	case W_STRIDE:
	case W_FITTING:
	case W_OFTEN:
		return steps_cell(site, which);
	default:
		if (known[which].data)
			return site_data_cell(&table->data[row], known[which].data);
		return where_cell(report_table_room(&table->table), code_of(table, site),
				  known[which].code);
	}
}

static struct site_key key_of(const void *table, size_t row)
{
	const struct stride_site *site = &((const struct table *)table)->strides.sites[row];

	return (struct site_key){ site->ip, site->space, site->gen };
}

static void table_init(struct table *table, const struct rows_view *view)
{
	const struct snapshot *snap = rows_snap(view);
	size_t total;

	memset(table, 0, sizeof(*table));
	table->view = view;
	table->tlb = trait_here(&snap->head.status, MEMLAT_TRAIT_TLB);
	table->cost = snapshot_cost(snap);
	strides_find(&table->strides, snap);
	total = table->strides.nr;
	table->shown = rows_shown(view, total);
	table->data = site_data_find(view->profile, view->namer, key_of, table, table->shown,
				     DATA_BY_VARIABLE);
	report_table_begin(&table->table, table, "sites", NULL, table->shown, total);
	table->table.report.rows = table->strides.sites;
	report_table_take(&table->table, known, W_NR, cell);
	if (trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER))
		table->table.columns[W_IP].title = "ip after";
}

static void table_free(struct table *table)
{
	strides_free(&table->strides);
	free(table->data);
}

static size_t named(const struct table *table)
{
	size_t i, nr = 0;

	for (i = 0; i < table->strides.nr; i++)
		nr += has_story(table, &table->strides.sites[i]);
	return nr;
}

/* The cost of the sites of which it is known how they walk. *most: the costliest other one. */
static __u64 cost_read(const struct table *table, const struct stride_site **most)
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
static void print_unnamed(FILE *out, const struct table *table)
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
	text_remark(out, table->view->width, "Whether a site walks in large strides or at random and misses the STLB is not known: %s of sampled latency is of sites with fewer than %d steps. Sample about %s times as long, or give --max-overhead 5.",
		    text_share(share, unread, table->cost, 0), STRIDE_PAIRS_LEAST,
		    text_count(times, (STRIDE_PAIRS_LEAST + steps - 1) / steps));
}

/* Print the answer first: which shown sites walk in large strides or at random. */
static void print_stories(FILE *out, const struct table *table)
{
	size_t row, all = named(table), told = 0;

	if (!table->tlb)
		fputs("This CPU's records do not report STLB misses: strides are shown, but not what they\n"
		      "cost in the TLB, so no site is named.\n", out);
	else if (!all)
		print_unnamed(out, table);
	for (row = 0; row < table->shown; row++) {
		char *story = story_of(table, row), *shown;

		if (!story)
			continue;
		/* Names in a program may contain any bytes. */
		shown = text_escaped(story);
		text_remark(out, table->view->width, "%zu: %s", row + 1, shown);
		free(shown);
		free(story);
		told++;
	}
	if (told < all)
		fprintf(out, "(%zu more of these are not shown; -n 0 shows all)\n", all - told);
}

static void print_notes(FILE *out, const struct table *table)
{
	const struct memlat_status *status = &rows_snap(table->view)->head.status;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];

	if (table->shown < table->strides.nr)
		text_remark(out, table->view->width, "(%s of %s sites, by cost; -n 0 shows all)",
			    text_count(a, table->shown), text_count(b, table->strides.nr));
	if (status->strides_evicted)
		text_remark(out, table->view->width, "(the table was full: %s of %s pairs are of steps that were evicted, none of which had more than %s; raise --max-memory)",
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

static void print_table(FILE *out, const struct rows_view *view)
{
	struct table table;

	table_init(&table, view);
	fputc('\n', out);
	print_stories(out, &table);
	fputc('\n', out);
	report_print(out, &table.table.report, view->width);
	print_notes(out, &table);
	table_free(&table);
}

void stride_print(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;

	if (!quality_print_begin(out, status))
		return;
	if (status->pairs)
		print_table(out, view);
	else
		print_none(out);
	namer_print_notes(view->namer, out);
}

void stride_csv(FILE *out, const struct rows_view *view)
{
	struct table table;

	table_init(&table, view);
	report_csv(out, &table.table.report);
	table_free(&table);
}

struct json_object *stride_json(const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;
	struct json_object *document = quality_document("stride", rows_snap(view));
	struct table table;

	table_init(&table, view);
	json_put_text(document, "unit", "bytes");
	json_put_count(document, "pairs", status->pairs);
	json_put_count(document, "strides_total", rows_snap(view)->nr_strides);
	json_put_count(document, "evicted", status->strides_evicted);
	json_put_count(document, "error_bound", status->strides_error);
	json_put_count(document, "cost_cycles", table.cost);
	json_put_bool(document, "tlb_known", table.tlb);
	json_put_count(document, "sites_total", table.strides.nr);
	json_put_count(document, "sites_shown", table.shown);
	json_put_count(document, "sites_inefficient", named(&table));
	json_put(document, "sites", report_json(&table.table.report));
	table_free(&table);
	return document;
}
