// SPDX-License-Identifier: GPL-2.0
/* What became of each verdict, in words and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "diff.h"

COMPARE_POINTERS(order_places, char, order_text(a, b))

/* ".head", or a whole name if the fight has several objects; "": the object's beginning. */
static const char *field_name(const struct diff_fight *fight, size_t i)
{
	return fight->places.name[i] + (fight->object ? strlen(fight->object) : 0);
}

/* "head and tail" */
static void put_places(FILE *out, struct diff_fight *fight)
{
	size_t i;

	SORT(fight->places.name, fight->places.nr, order_places);
	for (i = 0; i < fight->places.nr; i++) {
		const char *place = field_name(fight, i);

		text_say(out, "%s%s", !i ? "" : i + 1 < fight->places.nr ? ", " : " and ",
			 *place ? place + (*place == '.') : "its beginning");
	}
}

/* known: the object that was told of just before; NULL: none. */
static void put_fight(FILE *out, struct diff_fight *fight, const char *known)
{
	const char *place = field_name(fight, 0);

	if (fight->undecided)
		fputs("a fight over ", out);
	else
		fprintf(out, "%s of ", verdict_text(fight->was ? fight->was : fight->verdict));
	if (!fight->object || (known && !strcmp(known, fight->object) && *place))
		put_places(out, fight);
	else
		text_say(out, "%s%s", fight->object,
			 fight->places.nr == 1 ? place : "");
	fputs(fight->undecided ? ", of a kind that is not decided yet," : "", out);
}

/* "45% ±8 less" */
static void put_change(FILE *out, const struct diff_fight *fight)
{
	const double before = fight->rate[DIFF_BEFORE], more = fight->rate[DIFF_AFTER] - before;

	fprintf(out, "%.0f%% %s%.0f %s", 100 * fabs(more) / before, text_plus_minus(),
		100 * (more < 0 ? fight->change.high - more : more - fight->change.low) / before,
		more < 0 ? "less" : "more");
}

static void put_open(FILE *out, const struct diff_fight *fight)
{
	const bool before = !fight->lines[DIFF_BEFORE];
	const __u64 samples = fight->open[before ? DIFF_BEFORE : DIFF_AFTER].samples.samples;
	const char *side = before ? "before" : "after";

	fprintf(out, " was %s, but ", before ? "found" : "not found again");
	if (!samples)
		fprintf(out, "too few samples %s tell", side);
	else
		fprintf(out, "%llu sample%s of it %s %s not tell", samples, samples == 1 ? "" : "s", side,
			samples == 1 ? "does" : "do");
	fprintf(out, " whether it is %s", before ? "new" : "gone");
	if (fight->longer)
		fprintf(out, ": record %u times as long %s the change", fight->longer, side);
}

static void put_state(FILE *out, const struct diff_fight *fight, const struct diff_rows *rows)
{
	static const char *const words[] = {
		[DIFF_GONE] = "is gone", [DIFF_NEW] = "is new", [DIFF_REMAINS] = "remains",
	};

	if (fight->state == DIFF_OPEN)
		put_open(out, fight);
	else
		fprintf(out, " %s", words[fight->state]);
	if (fight->state != DIFF_REMAINS)
		return;
	if (fight->was)
		fprintf(out, ", now judged as %s", verdict_text(fight->verdict));
	if (fight->was_undecided[DIFF_BEFORE] || fight->was_undecided[DIFF_AFTER])
		fprintf(out, " (not decided %s)", fight->was_undecided[DIFF_BEFORE] ? "before" : "after");
	if (!fight->lines[DIFF_BEFORE] || !fight->lines[DIFF_AFTER])
		return;
	if (!fight->sure) {
		fputs(diff_is_timed(rows) ? ", its change is not significant" : "", out);
		return;
	}
	fputs(", and costs ", out);
	put_change(out, fight);
}

/* Fights of one object that became the same are told together: "true sharing of head and tail". */
static bool alike(const struct diff_fight *a, const struct diff_fight *b)
{
	return a->verdict == b->verdict && a->was == b->was && a->state == b->state &&
	       !memcmp(a->was_undecided, b->was_undecided, sizeof(a->was_undecided)) &&
	       a->object && !order_text(a->object, b->object) && a->apart == b->apart &&
	       !(a->lines[DIFF_BEFORE] && a->state == DIFF_REMAINS);
}

void diff_fights_tell(FILE *out, const struct diff_fights *fights, const struct diff_rows *rows)
{
	const char *known = NULL;
	bool *told = xcalloc(fights->nr + 1, sizeof(*told));
	size_t i, k;

	for (i = 0; i < fights->nr; i++) {
		struct diff_fight fight = fights->fights[i];

		if (told[i])
			continue;
		for (k = i + 1; k < fights->nr; k++)
			if (!told[k] && alike(&fight, &fights->fights[k])) {
				diff_fight_join(&fight, &fights->fights[k]);
				told[k] = true;
			}
		fputs(known ? "; " : "", out);
		fputs(fight.apart ? "in the kernel, " : "", out);
		put_fight(out, &fight, known);
		put_state(out, &fight, rows);
		known = fight.object ? fight.object : "";
	}
	fputs(known ? "." : "No line is fought over, before or after.", out);
	free(told);
}

struct json_object *diff_fights_json(const struct diff_fights *fights, const struct diff_rows *rows)
{
	static const char *const states[] = {
		[DIFF_GONE] = "gone", [DIFF_REMAINS] = "remains", [DIFF_NEW] = "new",
		[DIFF_OPEN] = "not_decided",
	};
	struct json_object *list = json_list();
	size_t i, k;

	for (i = 0; i < fights->nr; i++) {
		const struct diff_fight *fight = &fights->fights[i];
		const bool both = fight->lines[DIFF_BEFORE] && fight->lines[DIFF_AFTER] && diff_is_timed(rows);
		struct json_object *object = json_new(), *places = json_list();

		json_put_text(object, "verdict", verdict_key(fight->verdict));
		json_put_text(object, "was", fight->was ? verdict_key(fight->was) : NULL);
		json_put_text(object, "data", fight->object);
		for (k = 0; k < fight->places.nr; k++)
			json_append_text(places, field_name(fight, k));
		json_put(object, "fields", places);
		json_put_bool(object, "kernel", fight->apart);
		json_put_text(object, "state", states[fight->state]);
		json_put_count(object, "lines_before", fight->lines[DIFF_BEFORE]);
		json_put_count(object, "lines_after", fight->lines[DIFF_AFTER]);
		json_put_known_real(object, "change_low", both, fight->change.low);
		json_put_known_real(object, "change_high", both, fight->change.high);
		json_append(list, object);
	}
	return list;
}
