// SPDX-License-Identifier: GPL-2.0
#include "c2c.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../util/command.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "c2c_pareto.h"
#include "figures.h"
#include "phases.h"
#include "quality.h"
#include "row.h"

#define STORIES	3	/* most lines whose story is printed */
#define WIDE	132	/* columns: with fewer, a line's address is only in the first table */

bool c2c_is_fight(enum verdict verdict)
{
	return verdict == VERDICT_FALSE_SHARING || verdict == VERDICT_TRUE_SHARING ||
	       verdict == VERDICT_READ_MOSTLY || verdict == VERDICT_ADJACENT ||
	       verdict == VERDICT_LOCK || verdict == VERDICT_UNSEEN;
}

/* perf's percentage is of what is displayed. If that is cost, it stays a percentage of all HITM. */
static struct cell hitm_share_of(const struct c2c *c2c, const struct memlat_rec_line *rec)
{
	const enum c2c_display display = c2c->options.display;
	const struct sums sums = sums_of_line(rec), *all = &c2c->shared.sum;

	return cell_ratio(CELL_SHARE, c2c_figure(display, sums.hitm, &sums), c2c_figure(display, all->hitm, all));
}

static const struct c2c_line *line_at(const struct c2c *c2c, size_t at)
{
	return &c2c->lines[c2c->first + at];
}

static __u64 other_loads(const __u64 *source)
{
	return source[MEMLAT_SRC_UNKNOWN] + source[MEMLAT_SRC_PMEM] + source[MEMLAT_SRC_RPMEM] +
	       source[MEMLAT_SRC_L4] + source[MEMLAT_SRC_IO] + source[MEMLAT_SRC_UNC];
}

#define CELL(name, ...)	REPORT_CELL(name, struct c2c, __VA_ARGS__)
#define REC	(line_at(of, at)->rec)
#define HALF	(line_at(of, at)->half)

CELL(index_cell, cell_count(of->first + at + 1))
CELL(home, cell_known(REC->home != MEMLAT_NODE_UNKNOWN, REC->home))
CELL(cost, row_cost_cell(&of->whole, REC->cost, line_loads(REC)))
CELL(hitm_share, hitm_share_of(of, REC))
CELL(hitm, cell_count(line_hitm(REC)))
/*
 * The line may have been modified (HITM) or clean: the CPU does not tell, so both are in this
 * column.
 */
CELL(fwd, cell_known(trait_here(&of->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD),
		     REC->xsnp_fwd))
CELL(verdict, cell_text(verdict_words(verdict_of(of->verdicts, HALF))))
CELL(key_of_verdict, cell_text(verdict_key(verdict_of(of->verdicts, HALF)->verdict)))
CELL(sure, story_sure(of->namer, HALF, verdict_of(of->verdicts, HALF)))
CELL(loads, cell_count(line_loads(REC)))
CELL(l1_miss, cell_count(REC->stores - REC->store_l1_hit))

/* perf's count of stores for which the CPU reports neither a hit nor a miss. memlat counts none so. */
CELL(store_na, cell_none())
CELL(llc_hit, cell_count(REC->source[MEMLAT_SRC_L3] + REC->source[MEMLAT_SRC_L3_SNOOP] -
			 REC->xsnp_fwd))
/* The loads for which perf has no column, so that the loads of a row add up. */
CELL(other, cell_count(other_loads(REC->source)))
CELL(sources, (struct cell){ .kind = CELL_SOURCES, .list = REC->source })

/*
 * perf's columns are in perf's order. What c2c is for stays on narrow terminals: HITM loads, or
 * forwards where the CPU has those instead; loads, stores and the data. The address goes first.
 */
#define RECORD(member)	REPORT_NUMBER_AT(CELL_COUNT, struct c2c_line, rec, member)
#define SOURCE(above, heading, from) \
	{ .group = (above), .title = (heading), RECORD(source[MEMLAT_SRC_ ## from]) }

static const struct report_column columns[] = {
	{ .figure = F_RANK, .title = "Index", .keep = 3, .get = index_cell },
	{ .figure = F_LINE, .group = "Cacheline", .title = "Address", .keep = 1,
	  REPORT_NUMBER_AT(CELL_HEX, struct c2c_line, line, start) },
	{ .figure = F_HOME, .title = "Node", .group = "Cacheline", .get = home },
	{ .figure = F_PAGES, .group = "Cacheline", .title = "PA cnt",
	  REPORT_NUMBER(CELL_COUNT, struct c2c_line, pages), .known = true },
	{ .figure = F_COST, .title = "Cost", .keep = 2, .get = cost, .bounded = true },
	{ .figure = F_HITM_SHARE, .title = "Tot Hitm", .get = hitm_share },
	{ .figure = F_HITM, .title = "Total", .group = "Load Hitm", .get = hitm },
	{ .figure = F_HITM_LOCAL, .group = "Load Hitm", .keep = 3, RECORD(source[MEMLAT_SRC_L3_HITM]) },
	{ .figure = F_FWD, .title = "or Hitm", .keep = 3, .group = "LclFwd", .get = fwd },
	{ .figure = F_HITM_REMOTE, .group = "Load Hitm", .keep = 3, RECORD(source[MEMLAT_SRC_RHITM]) },
	{ .figure = F_VERDICT_TEXT, .title = "Verdict", .keep = 2, .get = verdict },
	{ .title = "Data", .left = true, .keep = 3, REPORT_WORDS(struct c2c_line, label) },
	{ .figure = F_DATA_NAME, REPORT_WORDS(struct c2c_line, data) },
	{ .figure = F_DATA_HOW, REPORT_WORDS(struct c2c_line, how) },
	{ .figure = F_SAMPLES, .title = "records", .group = "Total", RECORD(samples) },
	{ .figure = F_LOADS, .title = "Loads", .keep = 3, .group = "Total", .get = loads },
	{ .figure = F_STORES, .title = "Stores", .keep = 3, .group = "Total", RECORD(stores) },
	{ .figure = F_STORE_L1_HIT, .title = "L1Hit", .group = "Stores", RECORD(store_l1_hit) },
	{ "store_l1_miss", "L1Miss", .group = "Stores", .get = l1_miss },
	{ "store_na", "N/A", .group = "Stores", .get = store_na },
	SOURCE("Core Load Hit", "FB", LFB),
	SOURCE("Core Load Hit", "L1", L1),
	SOURCE("Core Load Hit", "L2", L2),
	{ "load_llc_clean_hit", "LclHit", .group = "LLC Load Hit", .get = llc_hit },
	SOURCE("LLC Load Hit", "LclHitm", L3_HITM),
	SOURCE("RMT Load Hit", "RmtHit", RCACHE),
	SOURCE("RMT Load Hit", "RmtHitm", RHITM),
	SOURCE("Load Dram", "Lcl", DRAM),
	SOURCE("Load Dram", "Rmt", RDRAM),
	{ "load_other", "Load Other", .get = other },
	{ .figure = F_SURE, .title = "Sure", .get = sure },
	{ .figure = F_VERDICT, .get = key_of_verdict },
	{ .figure = F_COST_CYCLES, RECORD(cost) },
	{ .figure = F_PID | ONLY_DATA, RECORD(space), .known = true },
	{ .figure = F_SOURCES, .sources = true, .get = sources },
};

/* perf's words for the share of what is displayed. */
static const char *const share_title[C2C_DISPLAYS] = {
	[C2C_COST] = "Tot Hitm", [C2C_TOT] = "Tot Hitm",
	[C2C_LCL] = "Lcl Hitm", [C2C_RMT] = "Rmt Hitm",
};

bool c2c_tells(const struct c2c *c2c, unsigned int figure)
{
	const struct sums *shared = &c2c->shared.sum;
	const __u64 local = sums_local(shared), remote = shared->hitm_remote;

	switch (figure % KEEP) {
	case F_HITM_LOCAL:
		return local || (!remote && !shared->fwd);
	case F_HITM_REMOTE:
		return remote || (!local && !shared->fwd);
	case F_HITM:
	case F_HITM_SHARE:	/* Where none is local, it is the remote ones' column once more. */
		return local || !shared->fwd || c2c->options.display != C2C_COST;
	case F_FWD:
		return trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD);
	default:
		return true;
	}
}

/* The fourth table, of the lines that are shown. It must not move. */
static void lines_table(struct report_table *table, const struct c2c *c2c)
{
	size_t i;

	report_table_begin(table, c2c, "lines", NULL, c2c->nr_shown, c2c->nr_shown);
	table->report.rows = c2c->lines + c2c->first;
	report_table_take(table, columns, sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < table->report.nr_columns; i++) {
		if (columns[i].get == hitm_share)
			table->columns[i].title = share_title[c2c->options.display];
		if (!c2c_tells(c2c, columns[i].figure))
			table->columns[i].title = NULL;
	}
}

static enum verdict verdict_at(const struct c2c *c2c, size_t row)
{
	return verdict_of(c2c->verdicts, c2c->lines[row].half)->verdict;
}

/* "; worst: stats.per_cpu[0].hits, stats.per_cpu[1].hits, false sharing (line 1 below)" */
static void print_worst(FILE *stream, const struct c2c *c2c)
{
	size_t i, size;
	char *text;
	FILE *out;

	for (i = c2c->first; i < c2c->first + c2c->nr_shown; i++) {
		const struct c2c_line *line = &c2c->lines[i];
		char share[TEXT_NUMBER_MAX];

		/* A verdict of a modified line names no culprit, so it is no fight. */
		if (!c2c_is_fight(verdict_at(c2c, i)) || line->housekeeping ||
		    verdict_at(c2c, i) == VERDICT_UNSEEN)
			continue;
		out = xmemstream(&text, &size);
		fputs("worst: ", out);
		if (line->label)
			text_put(out, line->label);
		else
			fprintf(out, "0x%llx", line->line->start);
		fprintf(out, ": %s, %s of sampled latency", verdict_text(verdict_at(c2c, i)),
			text_share(share, line->line->rec->cost, c2c->cost, 1));
		phases_waiting(out, c2c->profile, line->line->rec->cost);
		fprintf(out, " (line %zu below)", i + 1);
		xmemstream_end(out);
		text_remark(stream, out_width(), "%s", text);
		free(text);
		return;
	}
}

/* Print the answer first: the number of lines by verdict, and their total cost. */
static void print_answer(FILE *out, const struct c2c *c2c)
{
	char count[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	size_t by[VERDICTS] = { 0 }, i;
	const char *gap = ": ";

	fprintf(out, "%s shared line%s", text_count(count, c2c->shared.sum.nr),
		c2c->shared.sum.nr == 1 ? "" : "s");
	if (c2c->shared.sum.nr && c2c->cost)
		fprintf(out, " with %s of sampled latency",
			text_share(share, c2c->shared.sum.cost, c2c->cost, 1));
	/* Only lines that are shown have a verdict. */
	if (c2c->nr_shown < c2c->shared.sum.nr)
		fprintf(out, ", %s of them shown", text_count(count, c2c->nr_shown));
	for (i = c2c->first; i < c2c->first + c2c->nr_shown; i++)
		by[verdict_at(c2c, i)]++;
	for (i = 0; i < VERDICTS; i++) {
		if (!by[i] || !c2c_is_fight((enum verdict)i))
			continue;
		fprintf(out, "%s%s %s", gap, text_count(count, by[i]),
			verdict_text((enum verdict)i));
		gap = ", ";
	}
	fputc('\n', out);
	print_worst(out, c2c);
	if (gap[0] == ':')
		quality_print_elsewhere(out);
}

/* Print the story of a line that was asked for, otherwise the stories of lines with fights. */
static void print_stories(FILE *out, const struct c2c *c2c, size_t width)
{
	bool alone = c2c->options.index || c2c->options.addr;
	size_t i, told = 0;

	for (i = c2c->first; i < c2c->first + c2c->nr_shown && told < STORIES; i++) {
		struct story story = c2c_story(c2c, i);

		if (!alone && (!c2c_is_fight(verdict_at(c2c, i)) || c2c->lines[i].housekeeping))
			continue;
		story.width = width;
		fputc('\n', out);
		story_write(out, &story);
		told++;
	}
	if (told && !alone)
		command_say(out, "more of one line: memlat-ctl c2c --line %zu ...\n", c2c->first + 1);
}

static void print_pareto(FILE *out, const struct c2c *c2c, size_t width)
{
	struct pareto pareto;

	pareto_take(&pareto, c2c, true);
	pareto.narrow = width < WIDE;
	c2c_heading(out, "Shared Cache Line Distribution Pareto");
	report_print(out, &pareto.table.report, width);
	pareto_print_notes(out, &pareto);
	if (c2c->options.call_graph)
		pareto_print_chains(out, &pareto);
	pareto_free(&pareto);
}

/* Lines of the kernel's own work come last and get no story. */
static void print_housekeeping(FILE *out, const struct c2c *c2c)
{
	char count[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	__u64 lines = 0, cost = 0;
	size_t i;

	for (i = 0; i < c2c->nr_lines; i++) {
		lines += c2c->lines[i].housekeeping;
		cost += c2c->lines[i].housekeeping ? c2c->lines[i].line->rec->cost : 0;
	}
	if (lines)
		text_remark(out, out_width(), "(last: %s of the kernel's own housekeeping, time, ticks and run queues, as on every machine: %s of sampled latency)",
			text_count(count, lines), c2c->cost ? text_share(share, cost, c2c->cost, 1) : "-");
}

static void print_left_out(FILE *out, const struct c2c *c2c)
{
	const struct quality_table quality = {
		.what = "shared lines", .order = c2c_display_names[c2c->options.display],
		.shown = c2c->nr_shown, .total = c2c->nr_lines - c2c->fold.rows, .table = TABLE_LINES,
	};
	char few[TEXT_NUMBER_MAX];

	if (c2c->options.index || c2c->options.addr)
		return;
	quality_print_table(out, &c2c->profile->snap.head.status, &quality);
	quality_print_fold(out, "line", &c2c->fold, c2c->cost);
	if (c2c->nr_lines < c2c->shared.sum.nr)
		text_remark(out, out_width(), "(left out: %s with less than 0.1%% of the shared lines' %s; -d all shows all)",
			text_count(few, c2c->shared.sum.nr - c2c->nr_lines),
			c2c->options.display == C2C_COST ? "cost" : "HITM");
}

void c2c_print(FILE *out, const struct c2c *c2c, size_t width)
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	bool alone = c2c->options.index || c2c->options.addr;
	struct report_table lines;

	if (!quality_print_begin(out, status))
		return;
	if (!alone) {
		print_answer(out, c2c);
		if (!c2c->options.stats)
			print_stories(out, c2c, width);
		c2c_stats_print(out, c2c);
	}
	if (c2c->options.stats)
		return;
	c2c_heading(out, "Shared Data Cache Line Table");
	lines_table(&lines, c2c);
	report_print(out, &lines.report, width);
	print_left_out(out, c2c);
	print_housekeeping(out, c2c);
	errata_print(out, "", errata_here(&c2c->profile->snap), ERRATA_SOURCES);
	if (alone)
		print_stories(out, c2c, width);
	print_pareto(out, c2c, width);
	row_print_cpus(out, c2c->profile);
	namer_print_notes(c2c->namer, out);
}

void c2c_csv(FILE *out, const struct c2c *c2c)
{
	struct c2c_fact trace[C2C_FACTS_MAX], shared[C2C_FACTS_MAX];
	struct report_table lines;
	struct report reports[4];
	struct pareto pareto;

	pareto_take(&pareto, c2c, false);
	lines_table(&lines, c2c);
	reports[0] = c2c_facts_report("trace", trace, c2c_trace_facts(c2c, trace));
	reports[1] = c2c_facts_report("shared", shared, c2c_shared_facts(c2c, shared));
	reports[2] = lines.report;
	reports[3] = pareto.table.report;
	report_csv_tables(out, reports, c2c->options.stats ? 2 : 4);
	pareto_free(&pareto);
}

/* The parts that the document is made from. */
struct parts {
	const struct c2c *c2c;
	struct pareto pareto;
	struct stacks stacks;
	size_t entry;		/* next entry of the pareto table */
};

static void put_where(struct json_object *object, const char *key, const char *symbol,
		      const struct c2c *c2c, const struct verdict_party *party, __u64 ip)
{
	if (ip)
		json_put_hex(object, key, ip);
	else
		json_put_null(object, key);
	json_put_text(object, symbol, ip ? c2c_symbol(namer_sampled(c2c->namer, party->pid,
								    party->gen, ip)) : NULL);
}

static struct json_object *party_json(const struct c2c *c2c,
				      const struct verdict_party *party)
{
	struct json_object *object = json_new();

	json_put_count(object, "pid", party->pid);
	json_put_count(object, "tid", party->tid);
	json_put_count(object, "loads", party->loads);
	json_put_count(object, "stores", party->stores);
	json_put_count(object, "hitm", party->hitm);
	json_put_count(object, "cost_cycles", party->cost);
	json_put_bits(object, "bytes_loaded", party->bytes_loaded);
	json_put_bits(object, "bytes_stored", party->bytes_stored);
	json_put_bits(object, "cpus", party->cpus);
	json_put_bits(object, "nodes", party->nodes);
	put_where(object, "load_ip", "load_symbol", c2c, party, party->load_ip);
	put_where(object, "store_ip", "store_symbol", c2c, party, party->store_ip);
	return object;
}

static void put_story(struct json_object *object, const struct c2c *c2c, size_t row)
{
	struct story story = c2c_story(c2c, row);
	char *text;

	/* The story is one paragraph: line ends are added for the terminal. */
	story.utf8 = true;
	text = story_text(&story);
	json_put_text(object, "story", text);
	free(text);
}

static void put_verdict(struct json_object *object, const struct c2c *c2c, size_t row)
{
	const struct verdict_line *verdict;
	struct json_object *parties = json_list();
	size_t i;

	verdict = verdict_of(c2c->verdicts, c2c->lines[row].half);
	json_put_bool(object, "both", verdict->both);
	json_put_bool(object, "unseen_writer", verdict->unseen_writer);
	json_put_ratio(object, "lock_share", verdict->locked, 100);
	json_put_ratio(object, "same_bytes_share", verdict->same, 100);
	json_put_ratio(object, "other_bytes_share", verdict->apart, 100);
	json_put_bool(object, "coarse", verdict->coarse);
	json_put_count(object, "process_lines", c2c->lines[row].line->nr_rows);
	json_put_bool(object, "shared", c2c->lines[row].line->rec->shared != 0);
	for (i = 0; i < verdict->nr_parties; i++)
		json_append(parties, party_json(c2c, &verdict->parties[i]));
	json_put(object, "parties", parties);
	put_story(object, c2c, row);
}

static struct json_object *rows_json(struct parts *parts, size_t line)
{
	const struct c2c_rows *of = &parts->pareto.lines[line];
	struct json_object *list = json_list();

	for (; parts->entry < parts->pareto.nr_entries; parts->entry++) {
		const struct pareto_entry *entry = &parts->pareto.entries[parts->entry];
		struct json_object *row;

		if (entry->line != line)
			break;
		row = json_new();
		report_put_row(row, &parts->pareto.table.report, parts->entry);
		if (parts->c2c->options.call_graph)
			json_put(row, "stacks", c2c_chains_json(&parts->stacks, of, entry->row));
		json_append(list, row);
	}
	return list;
}

static void put_lines(struct json_object *document, struct parts *parts)
{
	struct json_object *list = json_list();
	struct report_table table;
	size_t i;

	lines_table(&table, parts->c2c);

	for (i = 0; i < parts->c2c->nr_shown; i++) {
		struct json_object *line = json_new();

		report_put_row(line, &table.report, i);
		put_verdict(line, parts->c2c, parts->c2c->first + i);
		json_put(line, "rows", rows_json(parts, i));
		json_append(list, line);
	}
	json_put(document, "lines", list);
}

struct json_object *c2c_json(const struct c2c *c2c)
{
	const struct snapshot *snap = &c2c->profile->snap;
	struct json_object *document = quality_document("c2c", snap);
	struct parts parts = { .c2c = c2c };

	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", c2c->cost);
	json_put_count(document, "lines_shared", c2c->shared.sum.nr);
	json_put_count(document, "lines_shown", c2c->nr_shown);
	json_put_count(document, "line_bytes", lineset_bytes(c2c->set));
	c2c_stats_put(document, c2c);
	if (!c2c->options.stats) {
		pareto_take(&parts.pareto, c2c, false);
		stacks_take(&parts.stacks, snap, c2c->namer);
		put_lines(document, &parts);
		stacks_free(&parts.stacks);
		pareto_free(&parts.pareto);
	}
	return document;
}
