// SPDX-License-Identifier: GPL-2.0
#include "bus.h"

#include <string.h>

#include "core_traits.h"

#define NS_PER_SECOND	1e9

const struct bus_kind_events bus_kinds[BUS_KINDS] = {
	[BUS_READS]	= { "reads", MEMLAT_EVENT_READS_OUTSTANDING, MEMLAT_EVENT_READS_CYCLES },
	[BUS_DEMAND]	= { "demand", MEMLAT_EVENT_DEMAND_OUTSTANDING,
			    MEMLAT_EVENT_DEMAND_CYCLES },
	[BUS_RFO]	= { "rfo", MEMLAT_EVENT_RFO_OUTSTANDING, MEMLAT_EVENT_RFO_CYCLES },
	[BUS_CODE]	= { "code", MEMLAT_EVENT_CODE_OUTSTANDING, MEMLAT_EVENT_CODE_CYCLES },
	[BUS_L1D]	= { "l1d", MEMLAT_EVENT_L1D_PENDING, MEMLAT_EVENT_L1D_PENDING_CYCLES },
};

static const char *const events[MEMLAT_EVENT_NR] = {
	[MEMLAT_EVENT_CYCLES]			= "cycles",
	[MEMLAT_EVENT_INSTRUCTIONS]		= "instructions",
	[MEMLAT_EVENT_READS_OUTSTANDING]	= "reads_outstanding",
	[MEMLAT_EVENT_READS_CYCLES]		= "reads_cycles",
	[MEMLAT_EVENT_DEMAND_OUTSTANDING]	= "demand_outstanding",
	[MEMLAT_EVENT_DEMAND_CYCLES]		= "demand_cycles",
	[MEMLAT_EVENT_RFO_OUTSTANDING]		= "rfo_outstanding",
	[MEMLAT_EVENT_RFO_CYCLES]		= "rfo_cycles",
	[MEMLAT_EVENT_CODE_OUTSTANDING]		= "code_outstanding",
	[MEMLAT_EVENT_CODE_CYCLES]		= "code_cycles",
	[MEMLAT_EVENT_L1D_PENDING]		= "l1d_pending",
	[MEMLAT_EVENT_L1D_PENDING_CYCLES]	= "l1d_pending_cycles",
	[MEMLAT_EVENT_LOADS]			= "loads",
	[MEMLAT_EVENT_STORES]			= "stores",
	[MEMLAT_EVENT_DTLB_LOAD_WALKS]		= "dtlb_load_walks",
	[MEMLAT_EVENT_READS]			= "reads",
	[MEMLAT_EVENT_L1_MISSES]		= "l1_misses",
	[MEMLAT_EVENT_L2_MISSES]		= "l2_misses",
	[MEMLAT_EVENT_LOAD_STALLS]		= "load_stalls",
	[MEMLAT_EVENT_STORE_STALLS]		= "store_stalls",
	[MEMLAT_EVENT_WALK_PENDING]		= "walk_pending",
};

const char *bus_event_name(unsigned int event)
{
	return event < MEMLAT_EVENT_NR ? events[event] : NULL;
}

const char *bus_reading_name(enum bus_reading reading)
{
	static const char *const names[] = {
		[BUS_NOTHING] = "nothing_counted", [BUS_UNKNOWN] = "unknown",
		[BUS_CACHED] = "cached", [BUS_CHAIN] = "dependent_chain",
		[BUS_SOME] = "some_overlap", [BUS_DEEP] = "deep",
	};

	return names[reading];
}

static void sum_count(struct bus_event *event, const struct memlat_rec_count *count)
{
	event->cpus++;
	event->value += count->value;
	event->enabled += count->enabled;
	event->running += count->running;
	if (count->running) {
		/* Scale each CPU by its own turns, because CPUs are busy at different times. */
		event->estimate += (double)count->value * (double)count->enabled /
				   (double)count->running;
		event->wanted += (double)count->enabled;
	} else if (count->enabled) {
		event->silent++;
	}
}

static struct bus_figure quotient(double part, double whole)
{
	struct bus_figure figure = { .known = whole > 0 };

	if (figure.known)
		figure.value = part / whole;
	return figure;
}

/* Were both events of a kind counted? */
static bool counted(const struct bus_event *event)
{
	return event->wanted > 0;
}

static struct bus_figure per(const struct bus *bus, enum memlat_event_id part,
			     enum memlat_event_id whole)
{
	static const struct bus_figure unknown;

	if (!counted(&bus->event[part]) || !counted(&bus->event[whole]))
		return unknown;
	return quotient(bus->event[part].estimate, bus->event[whole].estimate);
}

/* Does a known erratum affect data reads, but not demand reads, which this CPU counts too? */
static bool reads_are_worse(const struct bus *bus)
{
	return bus->doubtful & ERRATA_BUS(BUS_READS) &&
	       !(bus->doubtful & ERRATA_BUS(BUS_DEMAND)) &&
	       bus->event[MEMLAT_EVENT_DEMAND_CYCLES].cpus;
}

static void compute_traffic(struct bus *bus)
{
	unsigned int kind;

	for (kind = 0; kind < BUS_KINDS; kind++) {
		const struct bus_event *cycles = &bus->event[bus_kinds[kind].cycles];

		bus->traffic[kind].share = quotient(cycles->estimate, cycles->wanted);
		bus->traffic[kind].depth = per(bus, bus_kinds[kind].outstanding,
						bus_kinds[kind].cycles);
	}
	bus->main = bus->event[MEMLAT_EVENT_READS_CYCLES].cpus ? BUS_READS : BUS_DEMAND;
	if (reads_are_worse(bus))
		bus->main = BUS_DEMAND;
}

static void compute_counted(struct bus *bus)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_EVENT_NR; i++) {
		const struct bus_event *event = &bus->event[i];
		struct bus_figure share = quotient((double)event->running,
						   (double)event->enabled);

		if (share.known && (!bus->counted.known || share.value < bus->counted.value))
			bus->counted = share;
	}
}

static enum bus_reading read_figures(const struct bus *bus)
{
	const struct bus_traffic *traffic = &bus->traffic[bus->main];

	if (!bus->event[MEMLAT_EVENT_CYCLES].value)
		return BUS_NOTHING;
	if (!traffic->share.known)
		return BUS_UNKNOWN;
	if (traffic->share.value < BUS_CACHED_SHARE)
		return BUS_CACHED;
	if (!traffic->depth.known)
		return BUS_UNKNOWN;
	if (traffic->depth.value < BUS_CHAIN_DEPTH)
		return BUS_CHAIN;
	return traffic->depth.value < BUS_DEEP_DEPTH ? BUS_SOME : BUS_DEEP;
}

void bus_compute(struct bus *bus, const struct snapshot *snap)
{
	const struct bus_figure *demand = &bus->traffic[BUS_DEMAND].depth;
	const struct bus_figure *all = &bus->traffic[BUS_READS].depth;
	size_t i;

	memset(bus, 0, sizeof(*bus));
	for (i = 0; i < snap->nr_counts; i++)
		/* Skip events of a newer module, which this program does not know. */
		if (snap->counts[i].event < MEMLAT_EVENT_NR)
			sum_count(&bus->event[snap->counts[i].event], &snap->counts[i]);
	bus->doubtful = errata_touch(errata_here(snap));
	compute_traffic(bus);
	compute_counted(bus);
	bus->instructions_per_cycle = per(bus, MEMLAT_EVENT_INSTRUCTIONS, MEMLAT_EVENT_CYCLES);
	if (!reads_are_worse(bus))
		bus->latency = per(bus, MEMLAT_EVENT_READS_OUTSTANDING, MEMLAT_EVENT_READS);
	bus->walks_per_load = per(bus, MEMLAT_EVENT_DTLB_LOAD_WALKS, MEMLAT_EVENT_LOADS);
	bus->misses_per_load = per(bus, MEMLAT_EVENT_L1_MISSES, MEMLAT_EVENT_LOADS);
	if (counted(&bus->event[MEMLAT_EVENT_READS]))
		bus->bytes_per_second = quotient(bus->event[MEMLAT_EVENT_READS].estimate *
						 MEMLAT_LINE_BYTES * NS_PER_SECOND,
						 (double)snap->head.status.duration_ns);
	bus->reading = read_figures(bus);
	bus->prefetched = bus->reading >= BUS_SOME && bus->main == BUS_READS && demand->known &&
			  demand->value < BUS_CHAIN_DEPTH && all->value > demand->value;
}
