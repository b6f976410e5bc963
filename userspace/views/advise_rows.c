// SPDX-License-Identifier: GPL-2.0
/* Advice for programs: JSON and CSV, which share the scalar figures of a piece of advice. */
#include "advise.h"

#include <math.h>
#include <stdlib.h>

#include "../util/xalloc.h"
#include "figures.h"
#include "phases.h"
#include "quality.h"
#include "report.h"

#define FINE	1000000000U	/* denominator for a share of the cycles */
/* denominator for a number of samples, which may be huge in a damaged file */
#define SAMPLES_FINE	1000U
#define SAMPLES_MOST	1e15

struct rows {
	struct report_table table;
	const struct advise *advise;
};

static const char *const remedy_keys[] = {
	[ADVISE_ELEMENTS] = "elements", [ADVISE_MEMBERS] = "members",
	[ADVISE_VARIABLES] = "variables", [ADVISE_UNNAMED] = "unnamed",
	[ADVISE_WORD] = "word", [ADVISE_PLACE] = "place", [ADVISE_PAD] = "pad",
	[ADVISE_HUGE_PAGES] = "huge_pages",
};

static const char *const kind_keys[] = {
	[ADVISE_FALSE_SHARING] = "false_sharing", [ADVISE_TRUE_SHARING] = "true_sharing",
	[ADVISE_PLACEMENT] = "placement", [ADVISE_CONFLICT] = "conflict",
	[ADVISE_LATENT] = "latent", [ADVISE_PAGES] = "pages",
};

static const char *const move_keys[] = {
	[ADVISE_MOVE_NONE] = "none", [ADVISE_MOVE_THERE] = "run_there",
	[ADVISE_MOVE_FIRST_TOUCH] = "first_touch", [ADVISE_MOVE_COPY] = "copy",
	[ADVISE_MOVE_NOTHING] = "nothing",
};

static const char *const why_keys[] = {
	[ADVISE_GOOD] = "good", [ADVISE_NOT_COUNTED] = "not_counted",
	[ADVISE_RUNS_DIFFER] = "runs_differ",
};

static struct cell cell_real(double value)
{
	return cell_ratio(CELL_AVERAGE, (__u64)llround(value * FINE), FINE);
}

static struct cell cell_gain(const struct advise *advise, const struct advise_item *item, double end)
{
	if (advise->why != ADVISE_GOOD || !advise_has_gain(item) || item->gain.known != GAIN_KNOWN)
		return cell_none();
	return cell_real(end);
}

/* In place of a gain: the most that threads wait for the word. */
static struct cell cell_waiting(const struct advise *advise, const struct advise_item *item)
{
	if (item->kind != ADVISE_TRUE_SHARING || advise->why != ADVISE_GOOD ||
	    item->gain.known != GAIN_KNOWN)
		return cell_none();
	return cell_real(item->gain.hi);
}

static struct cell cell_places(struct cell_room *room, const struct advise_item *item)
{
	size_t size, i;
	char *text;
	FILE *to = xmemstream(&text, &size);

	for (i = 0; i < item->places; i++)
		fprintf(to, "%s%s", i ? " " : "", item->place[i]);
	xmemstream_end(to);
	return cell_keep(room, text);
}

static struct cell cell_bytes(const struct advise_item *item, __u64 bytes)
{
	if (item->kind != ADVISE_FALSE_SHARING || item->layout.why)
		return cell_none();
	return cell_count(bytes);
}

#define ITEM	(&of->advise->items[at])
#define CELL(name, ...)	REPORT_CELL(name, struct rows, __VA_ARGS__)

CELL(kind, cell_text(kind_keys[ITEM->kind]))
CELL(remedy, cell_text(remedy_keys[ITEM->remedy]))
CELL(cost, cell_ratio(CELL_SHARE, ITEM->cost, of->advise->c2c.cost))
CELL(sure, cell_ratio(CELL_SHARE, ITEM->sure, 100))
CELL(samples, cell_ratio(CELL_AVERAGE, (__u64)llround(fmin(ITEM->part.samples, SAMPLES_MOST) *
						      SAMPLES_FINE), SAMPLES_FINE))
CELL(lo, cell_gain(of->advise, ITEM, ITEM->gain.lo))
CELL(hi, cell_gain(of->advise, ITEM, ITEM->gain.hi))
CELL(waiting, cell_waiting(of->advise, ITEM))
CELL(move, cell_text(ITEM->placement ? move_keys[ITEM->move] : NULL))
CELL(word, cell_text(advise_word_key(ITEM->word.kind)))
CELL(places, cell_places(report_table_room(&of->table), ITEM))
CELL(bytes_before, cell_bytes(ITEM, ITEM->layout.bytes_before))
CELL(bytes_after, cell_bytes(ITEM, ITEM->layout.bytes_after))
CELL(worth_it, cell_text(of->advise->why == ADVISE_GOOD && advise_is_worth(ITEM) ? "true" : "false"))

#define FIGURE(kind, member)	REPORT_NUMBER(CELL_ ## kind, struct advise_item, member)
#define WORDS(member)		REPORT_WORDS(struct advise_item, member)

static const struct report_column columns[] = {
	{ .key = "kind", .get = kind },
	{ .key = "remedy", .get = remedy },
	{ .figure = F_DATA_NAME, WORDS(object) },
	{ .key = "where", WORDS(where) },
	{ .figure = F_LINE, FIGURE(HEX, line) },
	{ .key = "lines", FIGURE(COUNT, lines) },
	{ .key = "alignment", FIGURE(COUNT, alignment) },
	{ .figure = F_THREADS, FIGURE(COUNT, threads) },
	{ .figure = F_SURE, .get = sure },
	{ .figure = F_COST, .get = cost },
	{ .key = "effective_samples", .get = samples },
	{ .key = "gain_low", .get = lo },
	{ .key = "gain_high", .get = hi },
	{ .key = "waiting", .get = waiting },
	{ .key = "move", .get = move },
	{ .key = "word", .get = word },
	{ .key = "code", WORDS(code) },
	/* JSON has lists and objects in place of these. */
	{ .key = "places", .get = places },
	{ .key = "layout_bytes_before", .get = bytes_before },
	{ .key = "layout_bytes_after", .get = bytes_after },
	{ .key = "worth_it", .get = worth_it },
};

#define IN_JSON	4	/* that JSON has otherwise */

static void begin(struct rows *rows, const struct advise *advise, size_t nr_columns)
{
	*rows = (struct rows){ .advise = advise };
	report_table_begin(&rows->table, rows, "items", NULL, advise->nr_items, advise->nr_items);
	rows->table.report.rows = advise->items;
	report_table_take(&rows->table, columns, nr_columns);
}

void advise_csv(FILE *out, const struct advise *advise)
{
	struct rows rows;

	begin(&rows, advise, sizeof(columns) / sizeof(columns[0]));
	report_csv(out, &rows.table.report);
}

static void put_gain(struct json_object *object, const char *lo, const char *hi, bool known,
		     const struct gain *gain)
{
	known &= gain->known == GAIN_KNOWN;
	json_put_known_real(object, lo, known, gain->lo);
	json_put_known_real(object, hi, known, gain->hi);
}

static struct json_object *layout_json(const struct advise_layout *layout)
{
	struct json_object *object = json_new(), *list = json_list();
	size_t i;

	json_put_text(object, "reason", layout->why);
	json_put_text(object, "data_type", layout->type);
	json_put_text(object, "file", layout->file);
	json_put_known(object, "line", layout->file, layout->line);
	json_put_text(object, "declaration", layout->why ? NULL : layout->declaration);
	json_put_known(object, "bytes_before", !layout->why, layout->bytes_before);
	json_put_known(object, "bytes_after", !layout->why, layout->bytes_after);
	json_put_bool(object, "allocated", layout->allocated);
	for (i = 0; i < layout->nr_members && !layout->why; i++) {
		const struct advise_member *member = &layout->members[i];
		struct json_object *row = json_new();

		json_put_text(row, "name", member->name);
		json_put_count(row, "size", member->size);
		json_put_count(row, "before", member->before);
		json_put_count(row, "after", member->after);
		json_put_real(row, "loads", member->loads);
		json_put_real(row, "stores", member->stores);
		json_put_count(row, "threads", member->threads);
		json_append(list, row);
	}
	json_put(object, "members", list);
	return object;
}

static struct json_object *conflict_json(const struct advise_item *item)
{
	const struct conflict *conflict = &item->conflict;
	struct json_object *object = json_new();

	json_put_count(object, "step", conflict->site->stride);
	json_put_count(object, "lines", conflict->lines);
	json_put_count(object, "sets", conflict->sets);
	json_put_count(object, "ways", conflict->ways);
	json_put_count(object, "step_after", conflict->site->stride + MEMLAT_LINE_BYTES);
	return object;
}

static struct json_object *pages_json(const struct advise_item *item)
{
	struct json_object *object = json_new();

	json_put_count(object, "bytes", item->bytes);
	json_put_real(object, "stlb_miss_share", item->missed < 1 ? item->missed : 1);
	json_put_real(object, "walks", item->walks);
	return object;
}

static struct json_object *latent_json(const struct advise_item *item)
{
	struct json_object *object = json_new();

	json_put_count(object, "shares", item->latent.shares);
	json_put_count(object, "of", item->latent.of);
	return object;
}

static struct json_object *place_json(const struct placement *placement)
{
	struct json_object *object = json_new();
	bool sure;
	const enum placement_class class = placement_class(placement, &sure);

	json_put_text(object, "class", !sure ? "mixed" : class == PLACEMENT_LOCAL ? "local" :
					class == PLACEMENT_SHARED ? "shared" : "misplaced");
	json_put_bits(object, "users", placement->users);
	json_put_bits(object, "homes", placement->homes);
	json_put_real(object, "remote", placement->weight > 0 ? placement->remote / placement->weight : 0);
	json_put_real(object, "remote_latency", placement->remote_latency);
	json_put_known_real(object, "local_latency", placement->local_latency > 0,
			    placement->local_latency);
	json_put_count(object, "pages", placement->pages);
	json_put_count(object, "misplaced", placement->misplaced);
	json_put_count(object, "moved", placement->moved);
	return object;
}

static struct json_object *item_json(const struct rows *rows, size_t row)
{
	const struct advise *advise = rows->advise;
	const struct advise_item *item = &advise->items[row];
	struct json_object *object = json_new(), *list = json_list();
	size_t i;

	report_put_row(object, &rows->table.report, row);
	for (i = 0; i < item->places; i++)
		json_append_text(list, item->place[i]);
	json_put(object, "places", list);
	json_put(object, "layout", item->kind == ADVISE_FALSE_SHARING ?
		 layout_json(&item->layout) : NULL);
	json_put(object, "placement", item->placement ? place_json(item->placement) : NULL);
	json_put(object, "conflict", item->kind == ADVISE_CONFLICT ?
		 conflict_json(item) : NULL);
	json_put(object, "latent", item->kind == ADVISE_LATENT ? latent_json(item) : NULL);
	json_put(object, "huge_pages", item->kind == ADVISE_PAGES ? pages_json(item) : NULL);
	json_put_bool(object, "worth_it", advise->why == ADVISE_GOOD && advise_is_worth(item));
	return object;
}

static void put_share(struct json_object *object, const char *key, bool known, double part,
		      double whole)
{
	json_put_known_real(object, key, known && whole > 0, part / whole);
}

struct json_object *advise_json(const struct advise *advise)
{
	struct json_object *document = quality_document("advise", &advise->profile->snap);
	const struct gain_counts *counts = &advise->counts;
	const bool good = advise->why == ADVISE_GOOD;
	struct json_object *list = json_list();
	struct waits waits;
	struct rows rows;
	size_t i;

	begin(&rows, advise, sizeof(columns) / sizeof(columns[0]) - IN_JSON);
	json_put_text(document, "gains", why_keys[advise->why]);
	json_put_real(document, "runs_differ", advise->differ);
	waits_compute(&waits, &advise->profile->snap, advise->profile->counts);
	waits_json(document, &waits);
	put_share(document, "cycles", good, counts->cycles, 1);
	put_share(document, "load_stalls", good && counts->has_load_stalls, counts->load_stalls,
		  counts->cycles);
	put_share(document, "store_stalls", good, counts->store_stalls, counts->cycles);
	put_gain(document, "joint_gain_low", "joint_gain_high", good, &advise->together);
	for (i = 0; i < advise->nr_items; i++)
		json_append(list, item_json(&rows, i));
	json_put(document, "items", list);
	return document;
}
