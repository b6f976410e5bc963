// SPDX-License-Identifier: GPL-2.0
#include "phases.h"

#include <langinfo.h>
#include <string.h>

#include "../analysis/scale.h"
#include "../util/text.h"
#include "prose.h"

#define INDENT	"   "

struct phase phase_of(const struct interval *interval)
{
	struct phase phase = {
		.cost = snapshot_cost(&interval->came),
		.busy = interval->came.head.status.busy_cycles,
		.duration_ns = interval->to_ns - interval->from_ns,
	};
	struct scale scale;

	scale_compute(&scale, &interval->came);
	phase.estimate = scale_up(&scale, phase.cost);
	return phase;
}

double phase_height(const struct phase *phase)
{
	const __u64 whole = phase->busy ? phase->busy : phase->duration_ns;

	return whole ? (double)phase->estimate / (double)whole : 0;
}

static void put_highest(FILE *out, const struct interval *interval)
{
	const struct phase phase = phase_of(interval);
	char share[TEXT_NUMBER_MAX];

	if (phase.busy && phase.estimate > phase.busy)
		fprintf(out, "%.1f loads waiting at once by estimate, ",
			(double)phase.estimate / (double)phase.busy);
	else if (phase.busy)
		fprintf(out, "at most %s of busy cycles by estimate, ",
			text_share(share, phase.estimate, phase.busy, 1));
	fprintf(out, "%.1f to %.1f s", (double)interval->from_ns / 1e9,
		(double)interval->to_ns / 1e9);
}

void phases_highest(FILE *out, const struct intervals *intervals)
{
	size_t i, highest = 0;
	double value, most = 0;

	for (i = 0; i < intervals->nr; i++) {
		const struct phase phase = phase_of(&intervals->at[i]);

		value = phase_height(&phase);
		if (value > most) {
			most = value;
			highest = i;
		}
	}
	fputs("Highest: ", out);
	put_highest(out, &intervals->at[highest]);
	fputc('.', out);
}

void phases_print(FILE *out, const struct profile *profile, size_t width)
{
	const struct intervals *intervals = profile->intervals;
	size_t i, highest = 0;
	char length[TEXT_NUMBER_MAX];
	double value[INTERVALS_MOST];
	struct prose prose;

	if (!intervals || !intervals->nr)
		return;
	for (i = 0; i < intervals->nr && i < INTERVALS_MOST; i++) {
		const struct phase phase = phase_of(&intervals->at[i]);

		value[i] = phase_height(&phase);
		if (value[i] > value[highest])
			highest = i;
	}
	prose_begin(&prose);
	if (intervals_are_even(intervals))
		fprintf(prose.out, "Over time, %s each: ",
			text_duration(length, intervals->step_ns << intervals->joins));
	else
		fprintf(prose.out, "Over time, %zu intervals, some longer: ", intervals->nr);
	text_spark(prose.out, value, i, !strcmp(nl_langinfo(CODESET), "UTF-8"));
	fputs(" (highest: ", prose.out);
	put_highest(prose.out, &intervals->at[highest]);
	fputs("; --time shows a part).", prose.out);
	prose_end(&prose, out, width, "", INDENT);
}

void phases_waiting(FILE *out, const struct snapshot *snap, __u64 cost)
{
	__u64 busy = snap->head.status.busy_cycles;
	char share[TEXT_NUMBER_MAX];
	struct scale scale;

	if (!busy || !cost)
		return;
	/* A CPU tags only some of its loads. If misses were counted, scale by them. */
	scale_compute(&scale, snap);
	cost = scale_up(&scale, cost);
	if (cost > busy)
		fprintf(out, ", %.1f of its loads waiting at once by estimate",
			(double)cost / (double)busy);
	else
		fprintf(out, ", at most %s of busy cycles by estimate",
			text_share(share, cost, busy, 1));
}

struct json_object *phases_json(const struct profile *profile)
{
	const struct intervals *intervals = profile->intervals;
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < intervals->nr; i++) {
		const struct interval *interval = &intervals->at[i];
		const struct phase phase = phase_of(interval);
		struct json_object *object = json_new();

		json_put_real(object, "from_s", (double)interval->from_ns / 1e9);
		json_put_real(object, "to_s", (double)interval->to_ns / 1e9);
		json_put_count(object, "samples", interval->came.head.status.samples);
		json_put_count(object, "cost_cycles", phase.cost);
		json_put_known(object, "busy_cycles", phase.busy, phase.busy);
		json_put_ratio(object, "waiting", phase.estimate, phase.busy);
		json_append(list, object);
	}
	return list;
}
