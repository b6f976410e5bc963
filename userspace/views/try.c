// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <math.h>

#include "../analysis/bus.h"
#include "../util/text.h"

#define NAME_SHOWN	256

static const char *const keys[TRY_FIGURES] = {
	[TRY_CYCLES] = "cycles", [TRY_TIME] = "time_ns",
	[TRY_INSTRUCTIONS] = "instructions", [TRY_STALLS] = "load_stalls",
};

bool try_take(struct try_view *view, bool second, size_t pair, const struct snapshot *snap)
{
	struct bus bus;

	bus_compute(&bus, snap);
	view->runs[second][TRY_CYCLES][pair] = (double)bus.event[MEMLAT_EVENT_CYCLES].value;
	view->runs[second][TRY_INSTRUCTIONS][pair] =
		(double)bus.event[MEMLAT_EVENT_INSTRUCTIONS].value;
	view->runs[second][TRY_STALLS][pair] = bus.event[MEMLAT_EVENT_LOAD_STALLS].estimate;
	view->runs[second][TRY_TIME][pair] = (double)snap->head.status.duration_ns;
	view->has_stalls |= bus.event[MEMLAT_EVENT_LOAD_STALLS].wanted > 0;
	return bus.event[MEMLAT_EVENT_CYCLES].value;
}

static double mean(const struct try_view *view, bool second, enum try_figure figure)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < view->pairs; i++)
		sum += view->runs[second][figure][i];
	return sum / (double)view->pairs;
}

void try_conclude(struct try_view *view)
{
	enum try_figure figure;

	for (figure = 0; figure < TRY_FIGURES; figure++)
		view->known[figure] = paired_compare(&view->change[figure], view->runs[0][figure],
						     view->runs[1][figure], view->pairs);
	view->same_work = view->known[TRY_INSTRUCTIONS] &&
			  fabs(view->change[TRY_INSTRUCTIONS].less) <= TRY_WORK_MAX;
}

/* "40.9 % less (95 %: 40.1 to 41.6)" */
static void print_change(FILE *out, const char *what, const struct paired *change)
{
	const double sign = change->less < 0 ? -100 : 100;

	if (!change->shown) {
		fprintf(out, "%s: no difference could be shown (%.1f %% %s to %.1f %% %s)", what,
			fabs(100 * change->lo), change->lo < 0 ? "more" : "less",
			fabs(100 * change->hi), change->hi < 0 ? "more" : "less");
		return;
	}
	fprintf(out, "%s %.1f %% %s (95 %%: %.1f to %.1f)", what, sign * change->less,
		change->less < 0 ? "more" : "less",
		sign * (change->less < 0 ? change->hi : change->lo),
		sign * (change->less < 0 ? change->lo : change->hi));
}

static void print_who(FILE *out, const struct try_view *view)
{
	char first[NAME_SHOWN], second[NAME_SHOWN];

	if (view->what)
		fprintf(out, "%s", text_escape(first, sizeof(first), view->what));
	else
		fprintf(out, "%s instead of %s", text_escape(second, sizeof(second), view->second),
			text_escape(first, sizeof(first), view->first));
	fprintf(out, ": %zu pairs of runs, in alternating order\n", view->pairs);
}

void try_print(FILE *out, const struct try_view *view)
{
	char with[TEXT_NUMBER_MAX], without[TEXT_NUMBER_MAX];

	print_who(out, view);
	print_change(out, "  CPU cycles", &view->change[TRY_CYCLES]);
	fputc('\n', out);
	print_change(out, "  time", &view->change[TRY_TIME]);
	fputc('\n', out);
	if (view->has_stalls)
		fprintf(out, "  loads kept the CPUs waiting %.1f %% of the cycles before, %.1f %% now\n",
			100 * mean(view, false, TRY_STALLS) / mean(view, false, TRY_CYCLES),
			100 * mean(view, true, TRY_STALLS) / mean(view, true, TRY_CYCLES));
	if (!view->same_work)
		fprintf(out, view->what ?
			"The runs executed different numbers of instructions (%s before, %s now). Threads that wait\n"
			"in loops do that by chance; if there are none, give all runs the same input, and try again.\n" :
			"The commands execute different numbers of instructions (%s before, %s now). A changed\n"
			"program may do so with the same input; with another input the difference above is not its own.\n",
			text_count(without, (__u64)mean(view, false, TRY_INSTRUCTIONS)),
			text_count(with, (__u64)mean(view, true, TRY_INSTRUCTIONS)));
}

static struct json_object *figure_json(const struct try_view *view, enum try_figure figure)
{
	struct json_object *object = json_new(), *list;
	const struct paired *change = &view->change[figure];
	unsigned int second;
	size_t i;

	for (second = 0; second < 2; second++) {
		list = json_list();
		for (i = 0; i < view->pairs; i++)
			json_append(list, json_object_new_int64((int64_t)view->runs[second][figure][i]));
		json_put(object, second ? "after" : "before", list);
	}
	json_put_known_real(object, "less", view->known[figure], change->less);
	json_put_known_real(object, "lo", view->known[figure], change->lo);
	json_put_known_real(object, "hi", view->known[figure], change->hi);
	json_put_bool(object, "shown", view->known[figure] && change->shown);
	return object;
}

struct json_object *try_json(const struct try_view *view)
{
	struct json_object *document = json_view("try");
	enum try_figure figure;

	json_put_text(document, "remedy", view->what);
	json_put_text(document, "command", view->first);
	json_put_text(document, "second_command", view->what ? NULL : view->second);
	json_put_count(document, "pairs", view->pairs);
	json_put_bool(document, "same_work", view->same_work);
	for (figure = 0; figure < TRY_FIGURES; figure++)
		json_put(document, keys[figure], figure_json(view, figure));
	return document;
}
