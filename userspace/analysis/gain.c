// SPDX-License-Identifier: GPL-2.0
#include "gain.h"

#include <math.h>
#include <string.h>

#include "bus.h"

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static bool counted(const struct bus *bus, enum memlat_event_id event, double *estimate)
{
	*estimate = bus->event[event].estimate;
	return bus->event[event].wanted > 0 && !bus->event[event].silent;
}

void gain_counts_take(struct gain_counts *counts, const struct snapshot *snap)
{
	struct bus bus;

	memset(counts, 0, sizeof(*counts));
	bus_compute(&bus, snap);
	counted(&bus, MEMLAT_EVENT_CYCLES, &counts->cycles);
	counted(&bus, MEMLAT_EVENT_STORE_STALLS, &counts->store_stalls);
	counts->has_load_stalls = counted(&bus, MEMLAT_EVENT_LOAD_STALLS, &counts->load_stalls);
	counts->has_pending =
		counted(&bus, MEMLAT_EVENT_L1D_PENDING, &counts->l1d_pending) &
		counted(&bus, MEMLAT_EVENT_DEMAND_OUTSTANDING, &counts->demand) &
		counted(&bus, MEMLAT_EVENT_DEMAND_CYCLES, &counts->demand_cycles) &
		counted(&bus, MEMLAT_EVENT_WALK_PENDING, &counts->walk_pending);
}

/*
 * Its part of the waiting beyond the L2, and how far samples may be off that: as many
 * equally heavy ones as would tell as much.
 */
static double share_of(const struct gain_samples *samples, const struct gain_part *part,
		       double *error)
{
	double share = samples->beyond > 0 ? least(part->waited / samples->beyond, 1) : 0;
	double effective = part->squares > 0 ? part->waited * part->waited / part->squares : 0;

	/* n of the part's are n / share of all. */
	*error = effective > 0 && share > 0 ?
		 2 * sqrt(share * (1 - share) / (effective / share)) : 0;
	return share;
}

/* Its loads, without locked ones, in cycles. */
static void of_loads(const struct gain_counts *counts, const struct gain_samples *samples,
		     const struct gain_part *part, double *lo, double *hi)
{
	const double stalls = counts->has_load_stalls ? counts->load_stalls : counts->cycles;
	const double quotient = part->waited > 0 ? part->saved / part->waited : 0;
	double error, share = share_of(samples, part, &error);
	double beyond, any, busy;

	*lo = 0;
	if (!counts->has_pending) {
		*hi = least(part->saved, stalls);
		return;
	}
	beyond = counts->demand + counts->walk_pending;
	any = counts->l1d_pending + counts->walk_pending;
	busy = least(counts->cycles, counts->demand_cycles + counts->walk_pending);
	*hi = least(quotient * least(least(share + error, 1) * beyond, busy), stalls);
	if (counts->has_load_stalls)
		*lo = quotient * most(0, stalls - (any - most(share - error, 0) * beyond));
}

void gain_of(struct gain *gain, const struct gain_counts *counts,
	     const struct gain_samples *samples, const struct gain_part *part)
{
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
	if (samples->store_misses > 0)
		gain->hi += counts->store_stalls *
			    least(part->store_misses / samples->store_misses, 1);
	gain->lo += part->locked_saved;
	gain->hi += part->locked_saved;
	gain->hi = least(gain->hi / counts->cycles, 1);
	gain->lo = least(gain->lo / counts->cycles, gain->hi);
}

void gain_join(struct gain_part *part, const struct gain_part *more)
{
	part->waited += more->waited;
	part->saved += more->saved;
	part->locked_saved += more->locked_saved;
	part->store_misses += more->store_misses;
	part->samples += more->samples;
	part->squares += more->squares;
	part->sharing &= more->sharing;
}
