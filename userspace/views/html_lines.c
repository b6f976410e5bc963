// SPDX-License-Identifier: GPL-2.0
/* Each shared line byte by byte: the data there, and the threads that load and store it. */
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/text.h"
#include "c2c_pareto.h"
#include "html.h"
#include "row.h"
#include "figures.h"

#define PARTIES		8	/* most parties of a line that are drawn */
#define NAME_SHOWN	40	/* most characters of a name beside its bytes */

static const char *state_of(const struct verdict_party *party, unsigned int byte)
{
	const bool loads = party->bytes_loaded >> byte & 1, stores = party->bytes_stored >> byte & 1;

	return loads ? stores ? "both" : "load" : stores ? "store" : NULL;
}

/* Print the bytes of a line. Neighbours of equal use share a box. */
static void put_bytes(FILE *out, const struct verdict_party *party)
{
	unsigned int byte = 0, end;

	while (byte < MEMLAT_LINE_BYTES) {
		const char *state = state_of(party, byte);

		for (end = byte + 1; end < MEMLAT_LINE_BYTES && state_of(party, end) == state; end++)
			;
		if (state)
			fprintf(out, "<i class=\"%s\" style=\"grid-column:%u/%u\" title=\"bytes %u to %u: %s\"></i>",
				state, byte + 1, end + 1, byte, end - 1,
				!strcmp(state, "both") ? "loaded and stored" :
				!strcmp(state, "load") ? "loaded" : "stored");
		byte = end;
	}
}

static void put_party(FILE *out, const struct html_page *page, const struct verdict_party *party)
{
	const char *name = thread_name(page->view->profile, party->pid, party->gen, party->tid);

	fputs("<tr><th>", out);
	if (name) {
		html_text_short(out, name, NAME_SHOWN);
		fputc(' ', out);
	}
	fprintf(out, "%u</th><td><div class=\"bytes\">", party->tid);
	put_bytes(out, party);
	fputs("</div></td><td class=\"n\">", out);
	html_count(out, party->loads);
	fputs("</td><td class=\"n\">", out);
	html_count(out, party->hitm);
	fputs("</td><td class=\"n\">", out);
	html_count(out, party->stores);
	fputs("</td></tr>\n", out);
}

/* Print each known field of the line once. */
static void put_fields(FILE *out, const struct c2c_rows *rows)
{
	const char *last = NULL;
	bool any = false;
	size_t i;

	for (i = 0; i < rows->nr_rows; i++) {
		const struct c2c_row *row = &rows->rows[i];

		if (!row->data || (last && !strcmp(last, row->data)))
			continue;
		last = row->data;
		fputs(any ? "<span> &#183; </span>" : "<p class=\"fields\">", out);
		fprintf(out, "<b>+0x%02x</b> <code>", row->offset);
		html_text(out, row->data);
		fputs("</code>", out);
		any = true;
	}
	if (any)
		fputs("</p>\n", out);
}

static void put_layout(FILE *out, const struct html_page *page, const struct verdict_line *verdict)
{
	unsigned int slot;
	size_t i;

	fputs("<div class=\"wide\"><table class=\"layout\">\n<thead><tr><th>thread</th><th><div class=\"bytes\">",
	      out);
	for (slot = 0; slot < MEMLAT_LINE_SLOTS; slot++)
		fprintf(out, "<span style=\"grid-column:%u/%u\">+%02x</span>", 8 * slot + 1,
			8 * slot + 9, 8 * slot);
	fputs("</div></th><th class=\"n\">loads</th><th class=\"n\">HITM</th><th class=\"n\">stores</th></tr></thead>\n<tbody>\n",
	      out);
	for (i = 0; i < verdict->nr_parties && i < PARTIES; i++)
		put_party(out, page, &verdict->parties[i]);
	fputs("</tbody></table></div>\n", out);
	if (verdict->nr_parties > PARTIES)
		fprintf(out, "<p class=\"note\">%zu more threads use it.</p>\n",
			verdict->nr_parties - PARTIES);
}

/* Print all accesses to the line, as in c2c. */
static void put_rows(FILE *out, const struct pareto *pareto, size_t line)
{
	struct pareto part = *pareto;
	struct report report;

	while (part.nr_entries && part.entries->line != line) {
		part.entries++;
		part.nr_entries--;
	}
	for (part.nr_entries = 0; &part.entries[part.nr_entries] <
	     &pareto->entries[pareto->nr_entries] &&
	     part.entries[part.nr_entries].line == line; part.nr_entries++)
		;
	if (!part.nr_entries)
		return;
	report = part.table.report;
	report.context = &part;
	report.rows = part.entries;
	report.nr_rows = part.nr_entries;
	fputs("<details><summary>who uses which bytes, and from where</summary>\n", out);
	html_table(out, &report);
	fputs("</details>\n", out);
}

static void put_line(FILE *out, const struct html_page *page, const struct pareto *pareto, size_t at)
{
	const struct c2c *c2c = &page->c2c;
	const struct c2c_line *line = &c2c->lines[at];
	const struct verdict_line *verdict = verdict_of(c2c->verdicts, line->half);
	struct story story = c2c_story(c2c, at);
	char *share = row_cost_text(&c2c->whole, line->line->rec->cost, line_loads(line->line->rec));
	char *told;

	story.utf8 = true;
	told = story_text(&story);
	fprintf(out, "<article><h3><span class=\"rank\">%zu</span> ", at + 1);
	html_text(out, verdict_words(verdict));
	if (line->label) {
		fputs(" of <code>", out);
		html_text(out, line->label);
		fputs("</code>", out);
	}
	fprintf(out, ": %s</h3>\n<p>", share);
	free(share);
	html_text(out, told);
	fputs("</p>\n", out);
	free(told);
	put_fields(out, &pareto->lines[at]);
	if (verdict->nr_parties)
		put_layout(out, page, verdict);
	put_rows(out, pareto, at);
	fputs("</article>\n", out);
}

void html_lines(FILE *out, const struct html_page *page)
{
	const struct c2c *c2c = &page->c2c;
	char lines[TEXT_NUMBER_MAX], *remark;
	struct pareto pareto;
	size_t i;

	if (!page->has_lines || !c2c->shared.sum.nr) {
		fputs("<p>No line was sampled that several threads use.</p>\n", out);
		return;
	}
	if (!c2c->nr_shown) {
		fprintf(out, "<p>Several threads use %s of the lines that were sampled, and none of these stands out.</p>\n",
			text_count(lines, c2c->shared.sum.nr));
		return;
	}
	fputs("<p class=\"legend\"><i class=\"load\"></i> loaded <i class=\"store\"></i> stored <i class=\"both\"></i> both: "
	      "the bytes that sampled instructions accessed, of 64</p>\n", out);
	pareto_take(&pareto, c2c, false);
	for (i = 0; i < c2c->nr_shown; i++)
		put_line(out, page, &pareto, i);
	pareto_free(&pareto);
	if (c2c->nr_shown < c2c->nr_lines)
		fprintf(out, "<p class=\"note\">The %zu that cost most of %zu; memlat-ctl c2c has all.</p>\n",
			c2c->nr_shown, c2c->nr_lines);
	remark = row_cpus_remark(c2c->profile);
	if (remark)
		fprintf(out, "<p class=\"note\">%s</p>\n", remark);
	free(remark);
}
