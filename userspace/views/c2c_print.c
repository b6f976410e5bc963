// SPDX-License-Identifier: GPL-2.0
#include "c2c.h"

#include <stdlib.h>

#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "c2c_pareto.h"
#include "quality.h"
#include "row.h"
#include "untruths.h"
#include "waiting.h"

#define STORIES	3	/* most lines whose story is printed */

bool c2c_is_fight(enum verdict verdict)
{
	return verdict == VERDICT_FALSE_SHARING || verdict == VERDICT_TRUE_SHARING ||
	       verdict == VERDICT_READ_MOSTLY || verdict == VERDICT_ADJACENT ||
	       verdict == VERDICT_LOCK || verdict == VERDICT_UNSEEN;
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
		waiting_print(out, &c2c->profile->snap, line->line->rec->cost);
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

	fprintf(out, "%s shared line%s", text_count(count, c2c->shared.lines),
		c2c->shared.lines == 1 ? "" : "s");
	if (c2c->shared.lines && c2c->cost)
		fprintf(out, " with %s of sampled latency",
			text_share(share, c2c->shared.cost, c2c->cost, 1));
	/* Only lines that are shown have a verdict. */
	if (c2c->nr_shown < c2c->shared.lines)
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
		fputs("more of one line: memlat-ctl c2c --line N\n", out);
}

static void print_pareto(FILE *out, const struct c2c *c2c, size_t width)
{
	struct pareto pareto;
	struct report report;

	pareto_take(&pareto, c2c, true);
	c2c_heading(out, "Shared Cache Line Distribution Pareto");
	report = pareto_report(&pareto);
	report_print(out, &report, width);
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
		.what = "shared lines", .order = c2c_display_name(c2c->options.display),
		.shown = c2c->nr_shown, .total = c2c->shared.lines, .table = TABLE_LINES,
	};
	char few[TEXT_NUMBER_MAX];

	if (c2c->options.index || c2c->options.addr)
		return;
	quality_print_table(out, &c2c->profile->snap.head.status, &quality);
	if (c2c->nr_lines < c2c->shared.lines)
		text_remark(out, out_width(), "(left out: %s with less than 0.1%% of the shared lines' %s; --show-all shows all)",
			text_count(few, c2c->shared.lines - c2c->nr_lines),
			c2c->options.display == C2C_COST ? "cost" : "HITM");
}

void c2c_print(FILE *out, const struct c2c *c2c, size_t width)
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	bool alone = c2c->options.index || c2c->options.addr;
	struct report report;

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
	report = c2c_lines_report(c2c);
	report_print(out, &report, width);
	print_left_out(out, c2c);
	print_housekeeping(out, c2c);
	untruths_print(out, "doubtful: ", untruths_here(&c2c->profile->snap), UNTRUTH_SOURCES);
	if (alone)
		print_stories(out, c2c, width);
	print_pareto(out, c2c, width);
	row_print_cpus(out, c2c->profile);
	namer_print_notes(c2c->namer, out);
}

void c2c_csv(FILE *out, const struct c2c *c2c)
{
	struct c2c_fact trace[C2C_FACTS_MAX], shared[C2C_FACTS_MAX];
	struct report reports[4];
	struct pareto pareto;

	pareto_take(&pareto, c2c, false);
	reports[0] = c2c_facts_report("trace", trace, c2c_trace_facts(c2c, trace));
	reports[1] = c2c_facts_report("shared", shared, c2c_shared_facts(c2c, shared));
	reports[2] = c2c_lines_report(c2c);
	reports[3] = pareto_report(&pareto);
	report_csv_tables(out, reports, c2c->options.stats ? 2 : 4);
	pareto_free(&pareto);
}
