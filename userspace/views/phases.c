// SPDX-License-Identifier: GPL-2.0
#include "phases.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/text.h"

#define INDENT	"   "

char *waits_text(char text[WAITS_TEXT_MAX], const struct waits *waits)
{
	if (waits->why == WAITS_COUNTED)
		snprintf(text, WAITS_TEXT_MAX, "%.1f%%", 100 * waits->high);
	else
		snprintf(text, WAITS_TEXT_MAX, waits->high < 1 ? "0 to %.1f%%" : "0 to %.0f%%",
			 100 * waits->high);
	return text;
}

#define STILL "the counter of stalls counts nothing on this CPU"

static const char *why_not(const struct waits *waits, const struct memlat_status *status)
{
	if (waits->still)
		return STILL;
	if (waits->why == WAITS_NO_BUSY)
		return imported_by_perf(status) ? "perf did not count busy cycles" :
					  "busy cycles were not counted (--period was given)";
	return waits->scale.why == SCALE_NO_SAMPLES && waits->scale.counted ?
	       "of the counted misses none was sampled" : "no misses were counted";
}

void waits_put(FILE *out, const struct waits *waits, const struct memlat_status *status)
{
	char text[WAITS_TEXT_MAX];

	if (waits->why == WAITS_NO_LATENCY)
		fprintf(out, "Nothing is known of latency: %s", status->loads ?
			"it is not recorded of these loads" : "no load was sampled");
	else if (!waits_known(waits))
		fprintf(out, "How much of the time loads wait is not known: %s",
			why_not(waits, status));
	else
		fprintf(out, "Loads wait for memory in %s of busy cycles, %s", waits_text(text, waits),
			waits->why == WAITS_COUNTED ? "counted" : "by estimate");
	if (waits->locked > WAITS_LOCKED)
		fprintf(out, " without locked instructions, which have %.0f%% of sampled latency",
			100 * waits->locked);
	if (waits->high < WAITS_LITTLE && waits->locked <= WAITS_LOCKED)
		fputs(": memory is hardly the problem", out);
	else if (waits->low >= WAITS_MOST)
		fputs(": memory is what the CPUs wait for", out);
	else if (waits->still)
		fputs(waits->why == WAITS_ESTIMATED ? ": " STILL : "", out);
	else if (waits->why != WAITS_COUNTED && waits->why != WAITS_NO_LATENCY && !imported_by_perf(status))
		command_say(out, ". 'memlat-ctl record --counts -- COMMAND' counts it");
}

struct phase phase_of(const struct interval *interval)
{
	struct phase phase = {
		.cost = snapshot_cost(&interval->came),
		.busy = snapshot_busy(&interval->came.head.status),
		.duration_ns = interval->to_ns - interval->from_ns,
	};

	waits_compute(&phase.waits, &interval->came, NULL);
	return phase;
}

double phase_height(const struct phase *phase)
{
	const __u64 whole = phase->busy ? phase->busy : phase->duration_ns;

	if (phase->waits.why == WAITS_COUNTED)
		return phase->waits.high;
	return whole ? (double)scale_up(&phase->waits.scale, phase->cost) / (double)whole : 0;
}

static void put_highest(FILE *out, const struct interval *interval)
{
	const struct phase phase = phase_of(interval);
	char text[WAITS_TEXT_MAX];

	if (waits_known(&phase.waits))
		fprintf(out, "%s of busy cycles, ", waits_text(text, &phase.waits));
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

void phases_waiting(FILE *out, const struct profile *profile, __u64 cost)
{
	struct waits waits;
	double most;

	waits_compute(&waits, &profile->snap, profile->counts);
	most = waits.each > 0 ? fmin((double)cost * waits.each, waits.high) : waits.high;
	/* What is not counted bounds nothing. */
	if (cost && most < 1 && waits.locked <= WAITS_LOCKED)
		fprintf(out, ", at most %.1f%% of busy cycles", 100 * most);
}

void waits_json(struct json_object *document, const struct waits *waits)
{
	json_put_known_real(document, "waiting_low", waits_known(waits), waits->low);
	json_put_known_real(document, "waiting_high", waits_known(waits), waits->high);
	json_put_known(document, "waiting_counted", waits_known(waits),
		       waits->why == WAITS_COUNTED);
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
		waits_json(object, &phase.waits);
		json_append(list, object);
	}
	return list;
}
