// SPDX-License-Identifier: GPL-2.0
/* Source and machine code around the costliest instructions. */
#include <stdlib.h>

#include "../util/text.h"
#include "../util/xalloc.h"
#include "annotate.h"
#include "html.h"

#define FUNCTIONS	4	/* shown */
#define AROUND		7	/* rows shown before and after a costly one */
#define WORTH_PERCENT	1	/* of its function, or of everything: a cheaper one is not costly */
#define ROWS_MAX	160	/* most rows of a function */
#define SOURCE_SHOWN	160	/* most characters of a source line */

static bool waits(const struct annotate_function *function, const struct annotate_row *row)
{
	return row->sum.cost &&
	       (double)row->sum.cost >= (double)function->sum.cost / 100 * WORTH_PERCENT;
}

/* Mark the rows near a costly instruction. */
static bool *near_hot(const struct annotate_function *function)
{
	bool *shown = xcalloc(function->nr_rows, sizeof(*shown));
	size_t i, k;

	for (i = 0; i < function->nr_rows; i++) {
		if (!waits(function, &function->rows[i]))
			continue;
		for (k = i < AROUND ? 0 : i - AROUND; k <= i + AROUND && k < function->nr_rows; k++)
			shown[k] = true;
	}
	return shown;
}

static void put_source_row(FILE *out, const struct annotate_row *row)
{
	fprintf(out, "<tr class=\"src\"><td></td><td></td><td></td><td></td><td class=\"n\">%u</td><td class=\"t\"><code>",
		row->line);
	if (row->source) {
		const char *at = row->source;

		/* Choose the width of tabs so that the text has room. */
		for (; *at == '\t' || *at == ' '; at++)
			fputs(*at == '\t' ? "    " : " ", out);
		html_text_short(out, at, SOURCE_SHOWN);
	} else if (row->file) {
		html_text(out, row->file);
		fprintf(out, ":%u", row->line);
	}
	fputs("</code></td></tr>\n", out);
}

static void put_code_row(FILE *out, const struct annotate_function *function,
			 const struct annotate_row *row, const struct row_whole *whole)
{
	const struct sums *sum = &row->sum;
	const __u64 loads = sums_loads(sum);
	char hitm[TEXT_NUMBER_MAX], *share = row_cost_text(whole, sum->cost, loads);

	fprintf(out, "<tr class=\"asm%s\"><td class=\"n\">", sum->cost ? " hot" : "");
	if (sum->cost)
		fprintf(out, "<span class=\"bar\" style=\"width:%.2f%%\"></span>%s",
			html_percent(sum->cost, function->most),
			share);
	free(share);
	fputs("</td><td class=\"n\">", out);
	if (loads)
		html_count(out, sum->latency_sum / loads);
	fputs("</td><td class=\"n\">", out);
	if (loads)
		fputs(text_share(hitm, sum->hitm, loads, 0), out);
	fputs("</td><td class=\"n\">", out);
	if (sum->stores)
		html_count(out, sum->stores);
	fprintf(out, "</td><td class=\"n\">+0x%llx</td><td class=\"t\"><code>", row->offset);
	html_text(out, *row->code->text ? row->code->text : "(the code cannot be read here)");
	fputs("</code></td></tr>\n", out);
}

static void put_rows(FILE *out, const struct annotate_function *function, const struct row_whole *whole)
{
	bool *shown = near_hot(function), gap = false;
	size_t i, rows = 0;

	for (i = 0; i < function->nr_rows && rows < ROWS_MAX; i++) {
		if (!shown[i]) {
			gap = true;
			continue;
		}
		if (gap)
			fputs("<tr class=\"gap\"><td colspan=\"6\">&#8942;</td></tr>\n", out);
		gap = false;
		if (function->rows[i].code)
			put_code_row(out, function, &function->rows[i], whole);
		else
			put_source_row(out, &function->rows[i]);
		rows++;
	}
	if (gap || i < function->nr_rows)
		fputs("<tr class=\"gap\"><td colspan=\"6\">&#8942;</td></tr>\n", out);
	free(shown);
}

/* Choose between source and machine code: without a script, by radio buttons. */
static void put_choice(FILE *out, size_t at)
{
	static const char *const choices[][2] = {
		{ "both", "source and assembly" }, { "only-src", "source" },
		{ "only-asm", "assembly" },
	};
	size_t i;

	for (i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		fprintf(out, "<input type=\"radio\" class=\"%s\" name=\"code%zu\" id=\"code%zu%s\"%s/><label for=\"code%zu%s\">%s</label>\n",
			choices[i][0], at, at, choices[i][0], i ? "" : " checked=\"checked\"", at,
			choices[i][0], choices[i][1]);
}

/* Is there more to show than addresses? */
static bool tells(const struct annotate_function *function)
{
	size_t i;

	for (i = 0; i < function->nr_rows; i++)
		if (!function->rows[i].code || *function->rows[i].code->text)
			return true;
	return false;
}

static void put_function(FILE *out, struct annotate *annotate, size_t at)
{
	struct annotate_function *function = &annotate->functions[at];
	char *share = row_cost_text(&annotate->whole, function->sum.cost, sums_loads(&function->sum));

	annotate_decode(annotate, function);
	if (!tells(function)) {
		fputs("<p class=\"note\">", out);
		html_put_code(out, function->name, function->site->ip);
		fprintf(out, ": %s of sampled latency; its code is not available on this machine.</p>\n", share);
		free(share);
		return;
	}
	fputs("<article><h3>", out);
	html_put_code(out, function->name, function->site->ip);
	fprintf(out, ": %s of sampled latency</h3>\n", share);
	free(share);
	put_choice(out, at);
	fputs("<div class=\"wide\"><table class=\"code\">\n<thead><tr><th class=\"n\">latency</th><th class=\"n\">cycles</th><th class=\"n\">HITM</th><th class=\"n\">stores</th><th class=\"n\">at</th><th class=\"t\"></th></tr></thead>\n<tbody>\n",
	      out);
	put_rows(out, function, &annotate->whole);
	fputs("</tbody></table></div>\n</article>\n", out);
}

static bool is_worth(const struct annotate *annotate, const struct annotate_function *function)
{
	return function->sum.cost &&
	       (double)function->sum.cost >= annotate->whole.cost.weight / 100 * WORTH_PERCENT;
}

void html_code(FILE *out, const struct html_page *page)
{
	const struct html_view *view = page->view;
	struct annotate annotate;
	const char *changed, *missing;
	size_t i, shown = 0;

	annotate_begin(&annotate, view->profile, view->namer, NULL, view->sources);
	for (i = 0; i < annotate.nr_functions && shown < FUNCTIONS; i++, shown++) {
		if (!is_worth(&annotate, &annotate.functions[i]))
			break;
		put_function(out, &annotate, i);
	}
	if (!shown)
		fputs("<p>No function is known whose loads waited for more than 1% of sampled latency.</p>\n", out);
	changed = source_texts_without(annotate.texts, &missing);
	if (changed) {
		fputs("<p class=\"note\">Not shown, since it is newer than the recording: <code>", out);
		html_text(out, changed);
		fputs("</code>. With --debug-path a file is shown as it is.</p>\n", out);
	}
	annotate_end(&annotate);
}
