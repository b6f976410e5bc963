// SPDX-License-Identifier: GPL-2.0
/*
 * Compare counted events with the truth, on a machine with its clock on (selftests/vm/run --vpebs
 * timing=on). If several pointer chains are followed at once, as many reads are outstanding; a loop
 * in the cache has none.
 */
#include "rig.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Events take turns, and in a run each has a few dozen. */
#define SCALED		0.05
#define STEPS		400000
#define STEPS_MAX	6400000
/* What happens only once, when a program starts, is not seen, or is scaled up. */
#define ONCE		20000
/* The same for events that add up cycles. */
#define ONCE_CYCLES	30000	/* some hundred misses, or a thousand walks */
#define UNSEEN		3

static const char *const names[MEMLAT_EVENT_NR] = {
	[MEMLAT_EVENT_CYCLES] = "cycles",
	[MEMLAT_EVENT_INSTRUCTIONS] = "instructions",
	[MEMLAT_EVENT_READS_OUTSTANDING] = "reads_outstanding",
	[MEMLAT_EVENT_READS_CYCLES] = "reads_cycles",
	[MEMLAT_EVENT_DEMAND_OUTSTANDING] = "demand_outstanding",
	[MEMLAT_EVENT_DEMAND_CYCLES] = "demand_cycles",
	[MEMLAT_EVENT_RFO_OUTSTANDING] = "rfo_outstanding",
	[MEMLAT_EVENT_RFO_CYCLES] = "rfo_cycles",
	[MEMLAT_EVENT_CODE_OUTSTANDING] = "code_outstanding",
	[MEMLAT_EVENT_CODE_CYCLES] = "code_cycles",
	[MEMLAT_EVENT_L1D_PENDING] = "l1d_pending",
	[MEMLAT_EVENT_L1D_PENDING_CYCLES] = "l1d_pending_cycles",
	[MEMLAT_EVENT_LOADS] = "loads",
	[MEMLAT_EVENT_STORES] = "stores",
	[MEMLAT_EVENT_DTLB_LOAD_WALKS] = "dtlb_load_walks",
	[MEMLAT_EVENT_READS] = "reads",
	[MEMLAT_EVENT_L1_MISSES] = "l1_misses",
	[MEMLAT_EVENT_L2_MISSES] = "l2_misses",
	[MEMLAT_EVENT_LOAD_STALLS] = "load_stalls",
	[MEMLAT_EVENT_STORE_STALLS] = "store_stalls",
	[MEMLAT_EVENT_WALK_PENDING] = "walk_pending",
};

static uint64_t truth_of(struct json_object *truth, unsigned int event)
{
	uint64_t sum = 0, value;
	unsigned int cpu;

	for (cpu = 0; counted_truth(truth, cpu, names[event], &value); cpu++)
		sum += value;
	return sum;
}

static double once(unsigned int event, const struct counted *sum)
{
	if ((event < MEMLAT_EVENT_READS_OUTSTANDING || event > MEMLAT_EVENT_L1D_PENDING_CYCLES) &&
	    event < MEMLAT_EVENT_LOAD_STALLS)
		return ONCE;
	return ONCE_CYCLES * (sum->value ? fmax(sum->estimate / sum->value, UNSEEN) : UNSEEN);
}

/* These have all events. Other kinds of cores lack some, and so do Intel's lists. */
static bool has_all(void)
{
	struct memlat_query query;

	need(!device_query(rig_fd(), &query), "no query");
	return !strcmp(query.model_name, "skl") || !strcmp(query.model_name, "skx") ||
	       !strcmp(query.model_name, "clx");
}

/* Do the events that this kind of core has agree, up to the last one? */
static bool events_agree(const struct measured *m, unsigned int last)
{
	bool good = truth_of(m->truth, MEMLAT_EVENT_CYCLES), all = has_all();
	unsigned int event;

	for (event = 0; event <= last; event++) {
		struct counted sum = counted_of(&m->snapshot, event, -1);
		uint64_t truth = truth_of(m->truth, event);
		bool fits;

		if (!sum.records && all) {
			note("%s: not counted, and this core has it\n", names[event]);
			good = false;
		}
		if (!sum.records)
			continue;
		if (event <= MEMLAT_EVENT_INSTRUCTIONS)
			fits = sum.value == truth;
		else
			fits = sum.running &&
			       fabs(sum.estimate - truth) <= SCALED * truth + once(event, &sum);
		note("%-20s counted %" PRIu64 ", estimate %.0f, true %" PRIu64 "%s\n",
		     names[event], sum.value, sum.estimate, truth, fits ? "" : ": NO");
		good &= fits;
	}
	return good;
}

static void measure(struct measured *m, const char *workload)
{
	struct memlat_config config = {
		.size = sizeof(config),
		.flags = MEMLAT_F_COUNT | MEMLAT_F_USER,
	};
	struct actor actor;

	actor_start(&actor, "exec " WORKLOADS "%s --wait --cpu 0", workload);
	measure_actor(m, &config, &actor);
}

/* The average number of reads under way, while there are any. */
static double depth(const struct measured *m)
{
	struct counted all = counted_of(&m->snapshot, MEMLAT_EVENT_READS_OUTSTANDING, -1);
	struct counted cycles = counted_of(&m->snapshot, MEMLAT_EVENT_READS_CYCLES, -1);

	return cycles.estimate > 0 ? all.estimate / cycles.estimate : 0;
}

static double busy(const struct measured *m)
{
	return counted_of(&m->snapshot, MEMLAT_EVENT_READS_CYCLES, -1).estimate /
	       counted_of(&m->snapshot, MEMLAT_EVENT_CYCLES, -1).estimate;
}

static bool has_reads(void)
{
	struct memlat_query query;

	need(!device_query(rig_fd(), &query), "no query");
	/* The first CPU's kind. */
	return strcmp(query.model_name, "nhm") && strcmp(query.model_name, "adl-n") &&
	       strcmp(query.model_name, "srf") && strcmp(query.model_name, "grr") &&
	       strcmp(query.model_name, "cwf");
}

static void chains(unsigned int number)
{
	unsigned int steps = STEPS;
	struct measured m;
	char workload[80];
	double read;

	/* Repeat with more steps while an event had no turn. */
	for (;; steps *= 2) {
		snprintf(workload, sizeof(workload), "chains --chains %u --steps %u", number,
			 steps);
		measure(&m, workload);
		if (steps >= STEPS_MAX || snapshot_had_turns(&m.snapshot))
			break;
		measured_free(&m);
	}
	result(events_agree(&m, MEMLAT_EVENT_NR - 1), "%u chains: every event is what the machine says\n", number);
	read = depth(&m);
	note("%u chains: %.2f reads at once in %.2f of the time\n", number, read, busy(&m));
	if (has_reads())
		result(fabs(read - number) <= 0.1 * number && busy(&m) > 0.5,
		       "%u chains: the depth is the number of chains\n", number);
	else
		result(!counted_of(&m.snapshot, MEMLAT_EVENT_READS_OUTSTANDING, -1).records,
		       "%u chains: this core does not report the depth\n", number);
	measured_free(&m);
}

/* Does this core have the event, and is it at least this share of the cycles? */
static bool fills(const struct measured *m, unsigned int event, double least)
{
	struct counted sum = counted_of(&m->snapshot, event, -1);

	note("%s: %.3f of the cycles\n", names[event],
	     sum.estimate / counted_of(&m->snapshot, MEMLAT_EVENT_CYCLES, -1).estimate);
	return !sum.records ||
	       sum.estimate >= least * counted_of(&m->snapshot, MEMLAT_EVENT_CYCLES, -1).estimate;
}

/* Almost every load has a page walk, and the program waits for loads. */
static void in_many_pages(void)
{
	struct measured m;

	measure(&m, "chains --chains 1 --size 33554432 --steps 400000");
	result(events_agree(&m, MEMLAT_EVENT_NR - 1), "many pages: every event is what the machine says\n");
	result(fills(&m, MEMLAT_EVENT_WALK_PENDING, 0.05) && fills(&m, MEMLAT_EVENT_LOAD_STALLS, 0.8),
	       "many pages: there are page walks and stalls\n");
	measured_free(&m);
}

static void stores(void)
{
	struct measured m;

	measure(&m, "writer --rounds 40");
	result(events_agree(&m, MEMLAT_EVENT_NR - 1), "stores: every event is what the machine says\n");
	result(fills(&m, MEMLAT_EVENT_STORE_STALLS, 0.5), "stores: the store buffer is full\n");
	measured_free(&m);
}

static void in_cache(void)
{
	struct measured m;

	measure(&m, "chains --chains 1 --size 16384 --steps 4000000");
	note("in the cache: load stalls estimate %.0f, true %" PRIu64 "\n",
	     counted_of(&m.snapshot, MEMLAT_EVENT_LOAD_STALLS, -1).estimate,
	     truth_of(m.truth, MEMLAT_EVENT_LOAD_STALLS));
	result(truth_of(m.truth, MEMLAT_EVENT_LOAD_STALLS) <=
	       0.02 * truth_of(m.truth, MEMLAT_EVENT_CYCLES),
	       "in the cache: hardly any stall, as no load misses\n");
	result(events_agree(&m, MEMLAT_EVENT_INSTRUCTIONS),
	       "in the cache: cycles and instructions are exact\n");
	note("in the cache: reads in %.3f of the time\n", busy(&m));
	result(!has_reads() || busy(&m) < 0.1, "in the cache: there are almost no reads\n");
	measured_free(&m);
}

int main(void)
{
	rig_open(13);
	chains(1);
	chains(2);
	chains(4);
	in_many_pages();
	stores();
	in_cache();
	rig_close();
}
