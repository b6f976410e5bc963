// SPDX-License-Identifier: GPL-2.0
/* The screen of memlat-ctl top, as lines of text. */
#include "phases.h"
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/selection.h"
#include "../profile/imported.h"
#include "../profile/snapshot.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "row.h"
#include "summary.h"

#define SOURCES_SHOWN	5
#define MESSAGE_ROWS	1
#define NARROW		20	/* least number of columns of a screen */

static const char *dot(const struct top_screen *screen)
{
	return screen->utf8 ? "\302\267" : "|";
}

/* Put a line. If it is too wide, it is cut off. text: fit for the terminal; freed here. */
static void put(struct top_frame *frame, const struct top_screen *screen, char *text)
{
	if (frame->nr < screen->rows && text_width(text) > screen->columns) {
		frame->line[frame->nr++] = text_shorten(text, screen->columns);
		free(text);
	} else if (frame->nr < screen->rows) {
		frame->line[frame->nr++] = text;
	} else {
		free(text);
	}
}

static char *overhead_text(const struct top_screen *screen, const struct memlat_status *status)
{
	char share[TEXT_NUMBER_MAX], bound[TEXT_NUMBER_MAX];

	if (!status->max_overhead)
		return xasprintf(" %s fixed periods", dot(screen));
	return xasprintf(" %s overhead %s of %s", dot(screen),
			 text_share(share, status->own_cycles, status->busy_cycles, 2),
			 text_hundredths(bound, status->max_overhead));
}

static char *every_text(const struct top_screen *screen)
{
	char every[TEXT_NUMBER_MAX], asked[TEXT_NUMBER_MAX];

	text_duration(every, screen->interval_ns);
	if (!screen->asked_ns || screen->asked_ns >= screen->interval_ns)
		return xstrdup(every);
	return xasprintf("%s, not %s", every, text_duration(asked, screen->asked_ns));
}

/* If there is not enough room, shorten the description of the machine. */
static char *head_session(const struct top_screen *screen, const struct top_interval *interval)
{
	const struct memlat_status *status = &interval->profile->snap.head.status;
	char *overhead = overhead_text(screen, status), *every = every_text(screen), *text = NULL;
	char lost[TEXT_NUMBER_MAX];
	unsigned int less;

	for (less = 0; less < 4; less++) {
		const char *model = less < 1 ? screen->model : "";
		char *cpus = less < 2 ? xasprintf(" %s %u of %u CPUs, %u node%s%s%s%s", dot(screen),
						  status->cpus_armed, status->cpus_online,
						  status->nodes, status->nodes == 1 ? "" : "s",
						  *model ? ", " : "", model,
						  status->flags & SAMPLED_BY_PERF ? ", perf's engine" :
						  "") : xstrdup("");

		free(text);
		text = xasprintf("memlat %s%s%s%s %s %s lost %s every %s", screen->clock,
				 screen->hold ? " [held]" : "", cpus, less < 3 ? overhead : "", dot(screen),
				 text_count(lost, account_lost(status)), dot(screen), every);
		free(cpus);
		if (text_width(text) <= screen->columns)
			break;
	}
	free(overhead);
	free(every);
	return text;
}

static void put_waiting(FILE *out, const struct top_interval *interval)
{
	char text[WAITS_TEXT_MAX];

	if (!interval->busy && interval->profile->snap.head.status.max_overhead)
		fputs("waiting: no busy cycles in this interval", out);
	else if (!interval->busy)
		fputs("waiting: not known (busy cycles are not counted)", out);
	else if (waits_known(&interval->waits))
		fprintf(out, "waiting for memory: %s of busy cycles", waits_text(text, &interval->waits));
	else
		fputs("waiting: not known (misses were not counted)", out);
}

static void put_sources(FILE *out, const struct top_interval *interval)
{
	const __u64 all = source_total(interval->by_source);
	unsigned int rank[MEMLAT_SRC_NR];
	size_t nr = summary_rank_sources(interval->by_source, rank), i;
	char share[TEXT_NUMBER_MAX];

	for (i = 0; i < nr && i < SOURCES_SHOWN; i++) {
		const __u64 cost = interval->by_source[rank[i]];

		if ((double)cost < (double)all / 100)
			break;
		fprintf(out, "%s%s %s", i ? "  " : "   ",
			level_source_name((enum memlat_source)rank[i]),
			text_share(share, cost, all, 0));
	}
}

static void put_past(FILE *out, const struct top_screen *screen)
{
	if (!screen->past.nr)
		return;
	fputs("   last minute ", out);
	text_spark(out, screen->past.value, screen->past.nr, screen->utf8);
}

static void head_waiting(FILE *out, const struct top_screen *screen,
			 const struct top_interval *interval, bool sources)
{
	put_waiting(out, interval);
	if (sources)
		put_sources(out, interval);
	put_past(out, screen);
}

static void head_own(FILE *out, const struct top_screen *screen,
		     const struct top_interval *interval)
{
	char share[TEXT_NUMBER_MAX], samples[TEXT_NUMBER_MAX];

	fprintf(out, "%s samples %s memlat-ctl itself: %.1f%% of one CPU, %s of latency%s",
		text_count(samples, interval->profile->snap.head.status.samples),
		dot(screen), 100 * screen->own_cpu,
		interval->cost ? text_share(share, screen->own.cost, interval->cost, 1) : "0%",
		screen->self ? "" : " (hidden)");
}

/* Put what is above the table. On a narrow screen, the sources get a line of their own. */
static void put_head(struct top_frame *frame, const struct top_screen *screen,
		     const struct top_interval *interval)
{
	char *waiting = XPRINTED(out, head_waiting(out, screen, interval, true));

	put(frame, screen, head_session(screen, interval));
	if (text_width(waiting) > screen->columns) {
		char *sources = XPRINTED(out, put_sources(out, interval));

		free(waiting);
		put(frame, screen, XPRINTED(out, head_waiting(out, screen, interval, false)));
		put(frame, screen, xasprintf("from:%s", sources));
		free(sources);
	} else {
		put(frame, screen, waiting);
	}
	put(frame, screen, XPRINTED(out, head_own(out, screen, interval)));
}

/* Put the lines of a text, which is freed here. */
static void put_lines(struct top_frame *frame, const struct top_screen *screen, char *text,
		      size_t most)
{
	char *line, *rest = text;

	while (most-- && (line = strsep(&rest, "\n")) && (rest || *line))
		put(frame, screen, xstrdup(line));
	free(text);
}

/* Mark the selected row with a sign too, so that it is visible without colour. */
static void put_table(struct top_frame *frame, struct top_rows *rows, size_t first, size_t nr,
		      size_t marked, const struct top_screen *screen)
{
	const size_t width = screen->columns > 2 ? screen->columns - 2 : 1;
	char *text = XPRINTED(out, report_print(out, top_rows_report(rows, first, nr), width));
	char *line, *rest = text;
	size_t at;

	if (nr > rows->nr - rows->first)
		nr = rows->nr - rows->first;
	if (!rows->nr) {
		put(frame, screen, xstrdup("  (nothing was sampled in this time)"));
		free(text);
		return;
	}
	frame->head = frame->nr;
	/* Put the heading and the rows, but not the note about columns that did not fit. */
	for (at = 0; at <= nr && (line = strsep(&rest, "\n")); at++) {
		const bool mark = at && first + at - 1 == marked;

		if (mark)
			frame->marked = frame->nr;
		put(frame, screen, xasprintf("%s%s", mark ? "> " : "  ", line));
	}
	free(text);
}

/* Remarks about what is in no row, each in parentheses. */
static void put_rest(FILE *out, const struct top_rows *rows, size_t below, const char *filter)
{
	char count[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];

	if (below)
		fprintf(out, "  (%s more rows)", text_count(count, below));
	if (rows->nameless_cost)
		fprintf(out, "  (without a name: %s)",
			text_share(share, rows->nameless_cost, rows->cost, 1));
	if (rows->rest_cost)
		fprintf(out, "  (not among the costliest: %s)",
			text_share(share, rows->rest_cost, rows->cost, 1));
	if (filter)
		text_say(out, "  (without '%s': %s rows, %s)", filter,
			 text_count(count, rows->filtered),
			 text_share(share, rows->filtered_cost, rows->cost, 1));
}

#define KEYS_WIDTH	125	/* columns that suffice for the names of all tables */

static void put_tables(FILE *out, const struct top_screen *screen)
{
	unsigned int by;

	for (by = 0; by < TOP_BY; by++)
		if (screen->columns >= KEYS_WIDTH)
			fprintf(out, "%c%s%s ", *top_by_names[by], screen->by == by ? "*" : " ",
				top_by_names[by]);
		else
			fprintf(out, "%c ", *top_by_names[by]);
	if (screen->columns < KEYS_WIDTH)
		fprintf(out, "table (%s) ", top_by_names[screen->by]);
}

static void put_keys(FILE *out, const struct top_screen *screen)
{
	if (screen->prompt) {
		text_say(out, "%s_", screen->prompt);
	} else if (screen->enter) {
		fputs("Esc back  up/down another line  space hold  w write  q quit", out);
	} else {
		put_tables(out, screen);
		fprintf(out, "s sort (%s) / filter Enter space w q", top_order_names[screen->order]);
	}
}

/* How many rows fit, with the table's heading and the remarks below the table. */
static size_t room_for_rows(const struct top_frame *frame, const struct top_screen *screen)
{
	const size_t others = frame->nr + MESSAGE_ROWS + 3;

	return screen->rows > others ? screen->rows - others : 1;
}

static void keep_in_view(struct top_screen *screen, size_t nr, size_t room)
{
	if (screen->selected >= nr)
		screen->selected = nr ? nr - 1 : 0;
	if (screen->first > screen->selected)
		screen->first = screen->selected;
	if (screen->selected >= screen->first + room)
		screen->first = screen->selected - room + 1;
	if (screen->first + room > nr)
		screen->first = nr > room ? nr - room : 0;
}

static void draw_rows(struct top_frame *frame, struct top_screen *screen, struct top_rows *rows)
{
	size_t room = room_for_rows(frame, screen), below;

	keep_in_view(screen, rows->nr, room);
	put_table(frame, rows, screen->first, room, screen->selected, screen);
	below = rows->nr > screen->first + room ? rows->nr - screen->first - room : 0;
	put(frame, screen, XPRINTED(out, put_rest(out, rows, below, screen->filter)));
}

/* Draw the lines of the selected row, and the story of one of them. */
static void draw_lines(struct top_frame *frame, struct top_screen *screen,
		       const struct top_interval *interval, const char *of)
{
	struct top_rows lines;
	size_t room = room_for_rows(frame, screen), shown;
	struct story story;
	char *remark;

	top_rows_find(&lines, interval, TOP_BY_LINE, screen->order, NULL);
	if (screen->line >= lines.nr)
		screen->line = lines.nr ? lines.nr - 1 : 0;
	put(frame, screen, xasprintf("cache lines of %s:", of));
	shown = lines.nr < room / 2 + 1 ? lines.nr : room / 2 + 1;
	put_table(frame, &lines, screen->line >= shown ? screen->line - shown + 1 : 0, shown,
		  screen->line, screen);
	put(frame, screen, xstrdup(""));
	if (lines.nr) {
		story = top_story(interval, lines.row[screen->line].line);
		story.width = screen->columns;
		put_lines(frame, screen, story_text(&story), screen->rows - frame->nr - 2);
		remark = row_cpus_remark(interval->profile);
		if (remark)
			put_lines(frame, screen,
				  XPRINTED(out, text_remark(out, screen->columns, "%s", remark)),
				  screen->rows - frame->nr - 1);
		free(remark);
	}
	top_rows_free(&lines);
}

/* Draw an interval that contains only the lines of a selection. */
static void draw_selected(struct top_frame *frame, struct top_screen *screen,
			  const struct top_interval *interval, const struct selection *selection,
			  const char *of)
{
	const struct snapshot *snap = &interval->profile->snap;
	struct profile some = *interval->profile;
	struct selection_left left;
	struct top_interval those;

	some.snap.lines = xcalloc(snap->nr_lines, sizeof(*snap->lines));
	some.snap.accesses = xcalloc(snap->nr_accesses, sizeof(*snap->accesses));
	if (snap->nr_lines)
		memcpy(some.snap.lines, snap->lines, snap->nr_lines * sizeof(*snap->lines));
	if (snap->nr_accesses)
		memcpy(some.snap.accesses, snap->accesses,
		       snap->nr_accesses * sizeof(*snap->accesses));
	selection_apply(selection, &some, interval->namer, TABLE_LINES, &left);
	top_interval_take(&those, &some, interval->session, interval->namer);
	draw_lines(frame, screen, &those, of);
	top_interval_free(&those);
	free(some.snap.lines);
	free(some.snap.accesses);
}

static void draw_entered(struct top_frame *frame, struct top_screen *screen,
			 const struct top_interval *interval, const struct top_rows *rows)
{
	struct selection selection;
	char pattern[256], *of;

	of = text_escaped(rows->row[screen->selected].name);
	if (rows->by == TOP_BY_LINE) {
		screen->line = screen->selected;
		draw_lines(frame, screen, interval, "everything");
		screen->selected = screen->line;
	} else if (top_row_select(rows, screen->selected, &selection, pattern)) {
		draw_selected(frame, screen, interval, &selection, of);
	} else {
		put(frame, screen, xstrdup("Its lines cannot be separated from those of others."));
	}
	free(of);
}

static struct top_key key_of(const struct top_row *row)
{
	struct top_key key = {
		.set = true, .pid = row->pid, .gen = row->gen, .tid = row->tid,
		.nodes = row->nodes, .addr = row->addr,
	};

	/* A process is identified by its numbers, because its name may change. */
	if (!row->pid)
		snprintf(key.name, sizeof(key.name), "%s", row->name);
	return key;
}

static bool same_key(const struct top_key *a, const struct top_key *b)
{
	return a->pid == b->pid && a->gen == b->gen && a->tid == b->tid && a->nodes == b->nodes &&
	       a->addr == b->addr && !strcmp(a->name, b->name);
}

/*
 * Move the selection to the row that was entered, wherever it is now; false: it no longer exists.
 */
static bool follow(struct top_screen *screen, const struct top_rows *rows)
{
	size_t i;

	if (!screen->key.set)
		screen->key = key_of(&rows->row[screen->selected]);
	for (i = 0; i < rows->nr; i++) {
		const struct top_key key = key_of(&rows->row[i]);

		if (same_key(&key, &screen->key)) {
			screen->selected = i;
			return true;
		}
	}
	return false;
}

static void draw_body(struct top_frame *frame, struct top_screen *screen,
		      const struct top_interval *interval, struct top_rows *rows)
{
	if (screen->selected >= rows->nr)
		screen->selected = rows->nr ? rows->nr - 1 : 0;
	/* In a table of lines, the mark moves from one line to the next. */
	if (!screen->enter || rows->by == TOP_BY_LINE)
		screen->key.set = false;
	if (!screen->enter || (!rows->nr && !screen->key.set))
		draw_rows(frame, screen, rows);
	else if (follow(screen, rows))
		draw_entered(frame, screen, interval, rows);
	else
		put(frame, screen, xstrdup("  (nothing of it was sampled in this time)"));
}

void top_frame_draw(struct top_frame *frame, struct top_screen *screen,
		    const struct top_interval *interval)
{
	struct top_rows rows;

	memset(frame, 0, sizeof(*frame));
	frame->line = xcalloc(screen->rows, sizeof(*frame->line));
	frame->marked = frame->head = screen->rows;
	if (screen->columns < NARROW || screen->rows < 8) {
		put(frame, screen, xstrdup("too small"));
		return;
	}
	put_head(frame, screen, interval);
	put(frame, screen, screen->message ? text_escaped(screen->message) : xstrdup(""));
	top_rows_find(&rows, interval, screen->by, screen->order, screen->filter);
	draw_body(frame, screen, interval, &rows);
	top_rows_free(&rows);
	while (frame->nr + 1 < screen->rows)
		put(frame, screen, xstrdup(""));
	/* The last line of the screen shows the keys. */
	if (frame->nr == screen->rows)
		free(frame->line[--frame->nr]);
	put(frame, screen, XPRINTED(out, put_keys(out, screen)));
}

void top_frame_free(struct top_frame *frame)
{
	size_t i;

	for (i = 0; i < frame->nr; i++)
		free(frame->line[i]);
	free(frame->line);
	memset(frame, 0, sizeof(*frame));
}

/* Print a line, wrapped if it is too wide, and free it. */
static void print_filled(FILE *out, const struct top_screen *screen, char *text)
{
	text_fill(out, text, screen->columns, "  ");
	fputc('\n', out);
	free(text);
}

void top_print(FILE *out, struct top_screen *screen, const struct top_interval *interval,
	       size_t show)
{
	struct top_rows rows;
	size_t below;

	top_rows_find(&rows, interval, screen->by, screen->order, screen->filter);
	print_filled(out, screen, head_session(screen, interval));
	print_filled(out, screen, XPRINTED(line, head_waiting(line, screen, interval, true)));
	print_filled(out, screen, XPRINTED(line, head_own(line, screen, interval)));
	fputc('\n', out);
	if (!show)
		show = rows.nr;
	report_print(out, top_rows_report(&rows, 0, show), screen->columns);
	below = rows.nr > show ? rows.nr - show : 0;
	print_filled(out, screen, XPRINTED(line, put_rest(line, &rows, below, screen->filter)));
	top_rows_free(&rows);
}
