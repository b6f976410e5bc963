// SPDX-License-Identifier: GPL-2.0
#include "gain.h"

#include <math.h>
#include <string.h>

#include "bus.h"
#include "line.h"

static const enum memlat_event_id needed[] = {
	MEMLAT_EVENT_CYCLES, MEMLAT_EVENT_LOAD_STALLS, MEMLAT_EVENT_STORE_STALLS,
	MEMLAT_EVENT_L1D_PENDING, MEMLAT_EVENT_DEMAND_OUTSTANDING, MEMLAT_EVENT_DEMAND_CYCLES,
	MEMLAT_EVENT_WALK_PENDING, MEMLAT_EVENT_RFO_OUTSTANDING,
};

static bool is_unseen(const struct memlat_rec_count *count)
{
	size_t i;

	if (count->running || !count->enabled)
		return false;
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (count->event == needed[i])
			return true;
	return false;
}

/* The cycles of CPUs on which an event had no turn. event -1: any of the needed events. */
static double unseen_cycles(const struct snapshot *snap, int event)
{
	double cycles = 0;
	size_t i, k;

	for (i = 0; i < snap->nr_counts; i++) {
		const struct memlat_rec_count *count = &snap->counts[i];

		if (!is_unseen(count) || (event >= 0 && count->event != event))
			continue;
		/* Count each CPU once. */
		for (k = 0; event < 0 && k < i; k++)
			if (is_unseen(&snap->counts[k]) && snap->counts[k].cpu == count->cpu)
				break;
		if (event >= 0 || k == i)
			cycles += (double)count->enabled;
	}
	return cycles;
}

static bool counted(const struct bus *bus, const struct snapshot *snap, enum memlat_event_id event,
		    double *estimate)
{
	*estimate = bus->event[event].estimate;
	return bus->event[event].wanted > 0 &&
	       unseen_cycles(snap, event) <= GAIN_UNSEEN * bus->event[event].wanted;
}

void gain_counts_take(struct gain_counts *counts, const struct snapshot *snap)
{
	struct bus bus;

	memset(counts, 0, sizeof(*counts));
	bus_compute(&bus, snap);
	counted(&bus, snap, MEMLAT_EVENT_CYCLES, &counts->cycles);
	counted(&bus, snap, MEMLAT_EVENT_STORE_STALLS, &counts->store_stalls);
	counts->has_load_stalls = counted(&bus, snap, MEMLAT_EVENT_LOAD_STALLS, &counts->load_stalls);
	counts->has_rfo = counted(&bus, snap, MEMLAT_EVENT_RFO_OUTSTANDING, &counts->rfo);
	/* Each call sets its estimate, so none is left out if an earlier one says no. */
	counts->has_pending = counted(&bus, snap, MEMLAT_EVENT_L1D_PENDING, &counts->l1d_pending);
	counts->has_pending &= counted(&bus, snap, MEMLAT_EVENT_DEMAND_OUTSTANDING, &counts->demand);
	counts->has_pending &=
		counted(&bus, snap, MEMLAT_EVENT_DEMAND_CYCLES, &counts->demand_cycles);
	counts->has_pending &= counted(&bus, snap, MEMLAT_EVENT_WALK_PENDING, &counts->walk_pending);
	counts->unseen = unseen_cycles(snap, -1);
	/* As on some virtual CPUs, whose events of cycles count nothing. */
	counts->still = !(counts->load_stalls > 0) && !(counts->l1d_pending > 0) &&
			(bus.event[MEMLAT_EVENT_L1_MISSES].estimate > 0 ||
			 bus.event[MEMLAT_EVENT_L2_MISSES].estimate > 0);
	if (counts->still)
		counts->has_load_stalls = counts->has_pending = counts->has_rfo = false;
}

/*
 * The share of a part in a whole, and the error that sampling may cause. The samples count as the
 * number of equally heavy ones that would be as exact.
 */
static double share_of(double part, double whole, double squares, double *error)
{
	const double share = whole > 0 ? fmin(part / whole, 1) : 0;
	const double effective = squares > 0 ? part * part / squares : 0;

	/* If the part has n samples, the whole has n / share. */
	*error = effective > 0 && share > 0 ?
		 2 * sqrt(share * (1 - share) / (effective / share)) : 0;
	return share;
}

static double quotient_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* The most of the outstanding requests for ownership that stores outside the part may have made. */
static double other_requests(const struct gain_counts *counts, const struct gain_samples *samples,
			     const struct gain_part *part)
{
	double error, share, others;

	share = share_of(part->store_misses, samples->store_misses, part->store_squares, &error);
	others = GAIN_UNLIKE * (1 - fmax(share - error, 0)) * samples->store_misses;
	return counts->rfo * quotient_of(others, others + part->store_misses + samples->locked_loads);
}

/*
 * Cycles saved by the part's loads, without locked ones, and by what its stores keep the store
 * buffer full.
 *
 * A full reorder buffer waits for loads. A full store buffer waits for stores, or for the values
 * that are to be stored.
 */
static void of_loads(const struct gain_counts *counts, const struct gain_samples *samples,
		     const struct gain_part *part, double *lo, double *hi)
{
	const double stalls = counts->has_load_stalls ? counts->load_stalls : counts->cycles;
	const double quotient = quotient_of(part->saved, part->waited);
	double error, share = share_of(part->waited, samples->beyond, part->squares, &error);
	const double least = quotient_of(part->saved - part->doubtful, part->waited);
	double beyond, any, busy, others, unexplained;

	*lo = 0;
	if (!counts->has_pending) {
		*hi = fmin(part->saved, stalls);
		return;
	}
	beyond = counts->demand + counts->walk_pending;
	any = counts->l1d_pending + counts->walk_pending;
	busy = fmin(counts->cycles, counts->demand_cycles + counts->walk_pending);
	*hi = fmin(quotient * fmin(fmin(share + error, 1) * beyond, busy), stalls);
	if (!counts->has_load_stalls)
		return;
	others = any - fmax(share - error, 0) * beyond + GAIN_AT_ONCE * counts->unseen;
	unexplained = stalls - others;
	if (counts->has_rfo && part->store_misses > 0)
		unexplained = fmax(unexplained, stalls + GAIN_STORES_SURE * counts->store_stalls -
						others - other_requests(counts, samples, part));
	*lo = least * fmax(0, unexplained);
}

/* Cycles saved by the part's locked loads. */
static void of_locked(const struct gain_counts *counts, const struct gain_samples *samples,
		      const struct gain_part *part, double *lo, double *hi)
{
	const double quotient = quotient_of(part->locked_saved, part->locked_waited);
	const double least = quotient_of(part->locked_saved - part->locked_doubtful, part->locked_waited);
	const double stores = samples->store_misses, loads = samples->locked_loads;
	double error, share;

	*lo = 0;
	*hi = part->locked_saved;
	if (!counts->has_rfo)
		return;
	share = share_of(part->locked_waited, samples->locked, part->locked_squares, &error);
	*lo = least * fmax(share - error, 0) * counts->rfo *
	      quotient_of(loads, loads + GAIN_UNLIKE * stores);
	*hi = quotient * fmin(share + error, 1) * counts->rfo *
	      quotient_of(loads, loads + stores / GAIN_UNLIKE);
}

/* The most cycles that the part's stores may account for, of those with a full store buffer. */
static double of_stores(const struct gain_counts *counts, const struct gain_samples *samples,
			const struct gain_part *part)
{
	double error, share;

	share = share_of(part->store_misses, samples->store_misses, part->store_squares, &error);
	return counts->store_stalls * fmin(share + error, 1);
}

void gain_of(struct gain *gain, const struct gain_counts *counts,
	     const struct gain_samples *samples, const struct gain_part *part)
{
	double locked_lo, locked_hi;

	memset(gain, 0, sizeof(*gain));
	if (part->samples < GAIN_LEAST)
		gain->known = GAIN_TOO_FEW;
	else if (!(counts->cycles > 0))
		gain->known = GAIN_NOT_COUNTED;
	if (gain->known != GAIN_KNOWN)
		return;
	of_loads(counts, samples, part, &gain->lo, &gain->hi);
	gain->prefetched = !part->sharing && samples->lfb > GAIN_PREFETCHED * samples->all;
	if (gain->prefetched) {
		gain->lo = 0;
		gain->hi = counts->has_load_stalls ? counts->load_stalls : counts->cycles;
	}
	of_locked(counts, samples, part, &locked_lo, &locked_hi);
	gain->hi += of_stores(counts, samples, part) + locked_hi + counts->unseen;
	gain->lo += locked_lo;
	gain->hi = fmin(gain->hi / counts->cycles, 1);
	gain->lo = fmin(gain->lo / counts->cycles, gain->hi);
}

void gain_of_l1(struct gain *gain, const struct gain_counts *counts,
		const struct gain_samples *samples, const struct gain_part *part)
{
	struct gain_counts l1 = *counts;
	struct gain_samples all = *samples;

	l1.demand = counts->l1d_pending;
	l1.demand_cycles = fmin(counts->cycles, counts->l1d_pending);
	all.beyond = samples->missed;
	gain_of(gain, &l1, &all, part);
}

void gain_of_walks(struct gain *gain, const struct gain_counts *counts, double part, double samples)
{
	const double stalls = counts->has_load_stalls ? counts->load_stalls : counts->cycles;
	const double error = samples > 0 ? 2 * sqrt(part * (1 - part) / samples) : 0;

	memset(gain, 0, sizeof(*gain));
	if (samples < GAIN_LEAST)
		gain->known = GAIN_TOO_FEW;
	else if (!(counts->cycles > 0) || !counts->has_pending)
		gain->known = GAIN_NOT_COUNTED;
	if (gain->known == GAIN_KNOWN)
		gain->hi = fmin((fmin(fmin(part + error, 1) * counts->walk_pending, stalls) +
				 counts->unseen) / counts->cycles, 1);
}

void gain_join(struct gain_part *part, const struct gain_part *more)
{
	part->waited += more->waited;
	part->saved += more->saved;
	part->doubtful += more->doubtful;
	part->locked_waited += more->locked_waited;
	part->locked_saved += more->locked_saved;
	part->locked_doubtful += more->locked_doubtful;
	part->store_misses += more->store_misses;
	part->samples += more->samples;
	part->squares += more->squares;
	part->locked_squares += more->locked_squares;
	part->store_squares += more->store_squares;
	part->sharing &= more->sharing;
}

/* The cycles that a part of a line's sampled latency stands for. */
static double cycles_of(const struct memlat_rec_line *line, __u64 latency)
{
	return line->latency_sum ? (double)line->cost * (double)latency / (double)line->latency_sum : 0;
}

static double store_misses(const struct memlat_rec_access *access)
{
	return access_store_weight(access) * (double)access_store_misses(access);
}

/* The part of loads, or of their latency, from beyond L2. */
static __u64 beyond_l2(const __u64 by[MEMLAT_SRC_NR])
{
	__u64 sum = 0;
	unsigned int source;

	for (source = MEMLAT_SRC_L3; source <= MEMLAT_SRC_L4; source++)
		sum += by[source];
	return sum;
}

void gain_samples_take(struct gain_samples *samples, const struct snapshot *snap)
{
	size_t i;

	memset(samples, 0, sizeof(*samples));
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];
		const __u64 beyond = beyond_l2(line->latency);

		samples->all += cycles_of(line, line->latency_sum);
		samples->lfb += cycles_of(line, line->latency[MEMLAT_SRC_LFB]);
		samples->beyond += cycles_of(line, beyond) * (1 - line_locked_part(line));
		samples->missed += cycles_of(line, beyond + line->latency[MEMLAT_SRC_L2]) *
				   (1 - line_locked_part(line));
		samples->locked += cycles_of(line, beyond) * line_locked_part(line);
		samples->locked_loads += line_load_weight(line) * (double)beyond_l2(line->source) *
					 line_locked_part(line);
	}
	for (i = 0; i < snap->nr_accesses; i++)
		samples->store_misses += store_misses(&snap->accesses[i]);
}

/*
 * Add a number of samples with their mean latency and the weight of each. locked is the part of
 * them that is locked.
 */
static void add_loads(struct gain_part *part, double samples, double latency, double weight,
		      double locked)
{
	const double cost = samples * latency * weight;
	const double saved = latency > GAIN_L1_CYCLES ?
			     samples * (latency - GAIN_L1_CYCLES) * weight : 0;

	part->samples += samples;
	part->waited += (1 - locked) * cost;
	part->saved += (1 - locked) * saved;
	part->locked_waited += locked * cost;
	part->locked_saved += locked * saved;
	part->squares += (1 - locked) * cost * latency * weight;
	part->locked_squares += locked * cost * latency * weight;
}

static void add_stores(struct gain_part *part, const struct memlat_rec_access *access, double apart)
{
	const double misses = apart * store_misses(access);

	part->store_misses += misses;
	part->store_squares += misses * access_store_weight(access);
	part->samples += apart * (double)access_store_misses(access);
}

/*
 * Add loads of lines that were clean in another core or in L3. This core had read what that core
 * wrote, or the reverse.
 */
static void add_clean(struct gain_part *part, const struct memlat_rec_line *line, double apart,
		      double locked)
{
	const double weight = line_load_weight(line);
	__u64 samples = line->source[MEMLAT_SRC_RCACHE] + line->source[MEMLAT_SRC_L3_SNOOP] +
			line->source[MEMLAT_SRC_L3];
	__u64 latency = line->latency[MEMLAT_SRC_RCACHE] + line->latency[MEMLAT_SRC_L3_SNOOP] +
			line->latency[MEMLAT_SRC_L3];

	/* gain_line() adds the forwards (xsnp_fwd) with their accesses. */
	if (line->xsnp_fwd > samples || line->xsnp_fwd_latency > latency)
		return;
	samples -= line->xsnp_fwd;
	latency -= line->xsnp_fwd_latency;
	if (samples)
		add_loads(part, apart * (double)samples, (double)latency / (double)samples, weight,
			  locked);
}

void gain_line(struct gain_part *part, const struct lineset *set, const struct lineset_line *line,
	       double apart, double least)
{
	const double locked = line_locked_part(line->rec);
	size_t i;

	memset(part, 0, sizeof(*part));
	part->sharing = true;
	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		const __u64 samples = access->hitm_local + access->hitm_remote + access->xsnp_fwd;
		const __u64 latency = access->latency_hitm_local + access->latency_hitm_remote +
				      access->latency_xsnp_fwd;

		if (samples)
			add_loads(part, apart * (double)samples, (double)latency / (double)samples,
				  access_load_weight(access), locked);
		add_stores(part, access, apart);
	}
	add_clean(part, line->rec, apart, locked);
	part->doubtful = (1 - least) * part->saved;
	part->locked_doubtful = (1 - least) * part->locked_saved;
}
