// SPDX-License-Identifier: GPL-2.0
#include "dcache_scale.h"

#include <string.h>

#include "../analysis/bus.h"
#include "../analysis/scale.h"
#include "../util/text.h"
#include "dcache_totals.h"
#include "row.h"

static const struct {
	enum memlat_event_id event;
	const char *what, *note;
} counts[] = {
	{ MEMLAT_EVENT_LOADS, "counted loads", "all that retired, sampled or not" },
	{ MEMLAT_EVENT_L1_MISSES, "L1 misses",
	  "counted, of these; no load that a fill buffer (LFB) served is one" },
	{ MEMLAT_EVENT_L2_MISSES, "L2 misses", "counted, of these" },
	{ MEMLAT_EVENT_STORES, "counted stores", "all that retired" },
	{ MEMLAT_EVENT_DTLB_LOAD_WALKS, "page walks", "counted, of loads" },
};

#define COUNTS	(sizeof(counts) / sizeof(counts[0]))

/* Why there is no factor. */
static const char *const why_not[] = {
	[SCALE_NO_EVENT] = "no counter here counts the misses that are sampled",
	[SCALE_PARTLY] = "the misses that are sampled were not counted on all CPUs",
	[SCALE_LDLAT] = "ldlat leaves out a part of every kind of miss that is counted (--ldlat 30 or less does not)",
	[SCALE_NO_SAMPLES] = "there is no sample to compare the count with",
};

/* Text wraps it to the width. Programs get it without the newline. */
static const char weight_caveat[] =
	"A row's estimate is its samples times this factor: with few samples it may be far off, and "
	"loads faster than ldlat are in none. Rely on the order of the rows, not on their numbers.\n";

static const char count_caveat[] =
	"A row's estimate is its samples times this factor: with few samples it may be far off, and "
	"loads faster than ldlat are in none. It assumes that every load has the same chance to be sampled, but the "
	"CPU watches some loads only, and which ones depends on the code. Instructions with a lock prefix are "
	"sampled by where their data came from and counted as hits, wherever that was: with many of these all "
	"estimates are too low. Loads served by a fill buffer (LFB) are not counted as misses, but are scaled like "
	"the others. Rely on the order of the rows, not on their numbers.\n";

static double loads_per_sample(const struct scale *scale, const struct memlat_status *status)
{
	return scale->factor * (double)status->weight_loads / (double)status->loads;
}

static void print_counts(FILE *out, const struct scale *scale)
{
	size_t i;

	for (i = 0; i < COUNTS; i++)
		if (scale->count[counts[i].event].known)
			dcache_print_count(out, counts[i].what,
					   scale->count[counts[i].event].value, "",
					   counts[i].note);
}

void dcache_scale_print(FILE *out, const struct snapshot *snap, __u64 est_misses)
{
	const struct memlat_status *status = &snap->head.status;
	char counted[TEXT_NUMBER_MAX], sampled[TEXT_NUMBER_MAX];
	struct scale scale;

	scale_compute(&scale, snap);
	print_counts(out, &scale);
	dcache_print_count(out, "est. loads", scale_up(&scale, status->weight_loads), "",
			   scale.why == SCALE_GOOD ? "that took at least ldlat cycles" :
			   "that took at least ldlat cycles, counted where they were sampled");
	dcache_print_count(out, "est. misses", scale_up(&scale, est_misses), "", "of these");
	fprintf(out, "%-16s %17.1f %-6s  %s\n", "scale factor",
		loads_per_sample(&scale, status), "", "loads that one sample stands for");
	if (scale.why == SCALE_GOOD)
		fprintf(out, "%-16s %17.3f %-6s  its period: %s misses were counted, the samples stand for %s\n",
			"", scale.factor, "times",
			text_count(counted, scale.counted), text_count(sampled, scale.sampled));
	else if (scale.why != SCALE_NOT_COUNTED)
		fprintf(out, "Estimates use only the samples' own weights: %s.\n",
			why_not[scale.why]);
	fputs(scale.why == SCALE_GOOD ? count_caveat : weight_caveat, out);
}

static struct json_object *counts_json(const struct scale *scale)
{
	struct json_object *object = json_new();
	unsigned int event;

	for (event = 0; event < MEMLAT_EVENT_NR; event++)
		if (scale->count[event].known)
			json_put_count(object, bus_event_name(event),
				       scale->count[event].value);
	return object;
}

static void put_caveat(struct json_object *object, const char *lines)
{
	char text[sizeof(count_caveat) + sizeof(weight_caveat)], *end;

	snprintf(text, sizeof(text), "%s", lines);
	for (end = strchr(text, '\n'); end; end = strchr(end, '\n'))
		*end = end[1] ? ' ' : '\0';
	json_put_text(object, "caveat", text);
}

static struct json_object *estimate_json(const struct scale *scale)
{
	struct json_object *object = json_new();
	bool good = scale->why == SCALE_GOOD;

	json_put_text(object, "by", good ? "counts" : "weight");
	json_put_text(object, "why", scale_why_name(scale->why));
	json_put_text(object, "event", good ? bus_event_name(scale->event) : NULL);
	json_put_known(object, "counted", good, scale->counted);
	json_put_known(object, "sampled", good, scale->sampled);
	json_put_ratio(object, "factor", good ? scale->counted : 1, good ? scale->sampled : 1);
	put_caveat(object, good ? count_caveat : weight_caveat);
	return object;
}

void dcache_scale_put(struct json_object *totals, const struct snapshot *snap,
		      __u64 est_misses)
{
	const struct memlat_status *status = &snap->head.status;
	struct scale scale;

	scale_compute(&scale, snap);
	json_put_count(totals, "est_loads", scale_up(&scale, status->weight_loads));
	json_put_count(totals, "est_misses", scale_up(&scale, est_misses));
	json_put_ratio(totals, "scale_factor", scale_up(&scale, status->weight_loads),
		      status->loads);
	json_put(totals, "counted", counts_json(&scale));
	json_put(totals, "estimate", estimate_json(&scale));
}
