// SPDX-License-Identifier: GPL-2.0
#include "waits.h"

#include <math.h>
#include <string.h>

#include "../util/number.h"
#include "gain.h"
#include "line.h"
#include "share.h"

#define TWO_SIDED	1.96	/* standard errors, for 95 % */

static void known(struct waits *waits, double stalls, double cycles)
{
	waits->why = WAITS_COUNTED;
	waits->low = waits->high = fmin(stalls / cycles, 1);
}

/* How many of the sampled loads are of the kind that was counted, by their weight. */
static double missed(const struct snapshot *snap, const struct scale *scale)
{
	double loads = 0;
	unsigned int row, source;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			loads += (double)snap->buckets.weight[row][source];
	return loads > 0 ? (double)snap->head.status.loads *
			   fmin((double)scale->sampled / loads, 1) : 0;
}

/* The most that the estimate can be with the error of its samples, as a multiple of it. */
static double error_of(const struct snapshot *snap, const struct scale *scale)
{
	const double loads = (double)snap->head.status.loads, misses = missed(snap, scale);
	struct share cost = { 0 };
	double effective;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++)
		share_add(&cost, (double)snap->accesses[i].cost,
			  snap->accesses[i].samples - access_stores(&snap->accesses[i]));
	share_complete(&cost, (double)snapshot_cost(snap), snap->head.status.loads);
	effective = share_effective(&cost);
	if (!(effective > 0) || !(misses > 0))
		return INFINITY;
	/* Both the cost and the number of sampled misses are sums over samples. */
	return exp(TWO_SIDED * sqrt(1 / effective + loads / (misses * effective)));
}

static double locked_part(const struct snapshot *snap)
{
	double locked = 0, all = 0;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++) {
		locked += (double)snap->lines[i].cost * line_locked_part(&snap->lines[i]);
		all += (double)snap->lines[i].cost;
	}
	return all > 0 ? locked / all : 0;
}

void waits_compute(struct waits *waits, const struct snapshot *snap,
		   const struct snapshot *counted)
{
	const double busy = (double)snapshot_busy(&snap->head.status);
	const double cost = (double)snapshot_cost(snap);
	const struct scale_count *stalls;
	struct gain_counts counts;

	*waits = (struct waits){ .why = WAITS_NO_LATENCY, .high = 1 };
	scale_compute(&waits->scale, snap);
	if (cost > 0)
		waits->why = !(busy > 0) ? WAITS_NO_BUSY :
			     waits->scale.why == SCALE_GOOD ? WAITS_ESTIMATED : WAITS_NO_FACTOR;
	if (waits->why == WAITS_ESTIMATED) {
		waits->each = waits->scale.factor * error_of(snap, &waits->scale) / busy;
		waits->high = fmin(cost * waits->each, 1);
	}
	stalls = &waits->scale.count[MEMLAT_EVENT_LOAD_STALLS];
	/* None, although loads were slow: the event counts nothing here, as on some virtual CPUs. */
	waits->still = stalls->known && !stalls->value && cost > 0;
	if (stalls->known && !waits->still && busy > 0)
		known(waits, (double)stalls->value, busy);
	if (counted) {
		gain_counts_take(&counts, counted);
		waits->still |= counts.still;
		if (counts.has_load_stalls && counts.cycles > 0)
			known(waits, counts.load_stalls, counts.cycles);
	}
	if (waits->why == WAITS_COUNTED)
		waits->locked = locked_part(snap);
}

/*
 * Up to these thresholds all misses of a kind are slow enough to be sampled: no L2 answers within
 * 12 cycles, and no L3 within 30 (Ivy Bridge's takes about 30).
 */
#define L1_LDLAT	11
#define L2_LDLAT	30

/* The sources that Intel's event L1_MISS counts; a load that a fill buffer served is not one. */
#define BEYOND_L2	(1U << MEMLAT_SRC_L3 | 1U << MEMLAT_SRC_L3_SNOOP | \
			 1U << MEMLAT_SRC_L3_HITM | 1U << MEMLAT_SRC_RCACHE | \
			 1U << MEMLAT_SRC_RHITM | 1U << MEMLAT_SRC_DRAM | \
			 1U << MEMLAT_SRC_RDRAM | 1U << MEMLAT_SRC_PMEM | \
			 1U << MEMLAT_SRC_RPMEM | 1U << MEMLAT_SRC_L4)
#define BEYOND_L1	(BEYOND_L2 | 1U << MEMLAT_SRC_L2)

static const struct kind {
	enum memlat_event_id event;
	__u32 ldlat;		/* highest threshold that samples all of them */
	unsigned int sources;
} kinds[] = {
	{ MEMLAT_EVENT_L1_MISSES, L1_LDLAT, BEYOND_L1 },
	{ MEMLAT_EVENT_L2_MISSES, L2_LDLAT, BEYOND_L2 },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Add up the counts of one CPU, and note events that it did not count although it ran. */
static void count_cpu(struct scale *scale, bool *missing, const struct memlat_rec_count *record,
		      size_t nr)
{
	bool has[MEMLAT_EVENT_NR] = { false }, busy = false;
	unsigned int event;
	size_t i;

	for (i = 0; i < nr; i++) {
		event = record[i].event;
		if (event >= MEMLAT_EVENT_NR)
			continue;
		has[event] = true;
		scale->count[event].known = true;
		scale->count[event].value += record[i].value;
		/* Every CPU counts instructions, so a CPU with none did not run. */
		busy |= event == MEMLAT_EVENT_INSTRUCTIONS && record[i].value;
	}
	for (event = 0; event < MEMLAT_EVENT_NR; event++)
		missing[event] |= busy && !has[event];
}

static void count(struct scale *scale, const struct snapshot *snap)
{
	bool missing[MEMLAT_EVENT_NR] = { false };
	size_t i, next;

	for (i = 0; i < snap->nr_counts; i = next) {
		for (next = i + 1; next < snap->nr_counts; next++)
			if (snap->counts[next].cpu != snap->counts[i].cpu)
				break;
		count_cpu(scale, missing, &snap->counts[i], next - i);
	}
	for (i = 0; i < MEMLAT_EVENT_NR; i++)
		if (missing[i] || !scale->count[i].known)
			scale->count[i] = (struct scale_count){ .known = false };
}

static bool is_there(const struct snapshot *snap, unsigned int event)
{
	size_t i;

	for (i = 0; i < snap->nr_counts; i++)
		if (snap->counts[i].event == event)
			return true;
	return false;
}

static __u64 weight_of(const struct snapshot *snap, unsigned int sources)
{
	unsigned int row, source;
	__u64 weight = 0;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			if (sources >> source & 1)
				weight += snap->buckets.weight[row][source];
	return weight;
}

static enum scale_why try(struct scale *scale, const struct snapshot *snap,
			  const struct kind *kind)
{
	if (!is_there(snap, kind->event))
		return SCALE_NO_EVENT;
	if (!scale->count[kind->event].known)
		return SCALE_PARTLY;
	scale->sampled = weight_of(snap, kind->sources);
	scale->counted = scale->count[kind->event].value;
	if (!scale->sampled || !scale->counted)
		return SCALE_NO_SAMPLES;
	scale->event = kind->event;
	scale->factor = (double)scale->counted / (double)scale->sampled;
	return SCALE_GOOD;
}

void scale_compute(struct scale *scale, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	unsigned int i;

	memset(scale, 0, sizeof(*scale));
	scale->event = MEMLAT_EVENT_NR;
	scale->factor = 1;
	scale->why = SCALE_NOT_COUNTED;
	if (!(status->flags & MEMLAT_F_COUNT) || !snap->nr_counts)
		return;
	count(scale, snap);
	scale->why = SCALE_LDLAT;
	for (i = 0; i < KINDS && scale->why != SCALE_GOOD; i++)
		if (status->ldlat <= kinds[i].ldlat)
			scale->why = try(scale, snap, &kinds[i]);
}

__u64 scale_up(const struct scale *scale, __u64 weight)
{
	return scale->why == SCALE_GOOD ? number_whole((double)weight * scale->factor + 0.5) : weight;
}

const char *scale_why_name(enum scale_why why)
{
	static const char *const names[] = {
		[SCALE_GOOD] = "good",
		[SCALE_NOT_COUNTED] = "not_counted",
		[SCALE_NO_EVENT] = "no_event",
		[SCALE_PARTLY] = "not_on_all_cpus",
		[SCALE_LDLAT] = "ldlat_too_high",
		[SCALE_NO_SAMPLES] = "no_samples",
	};

	return names[why];
}
