// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include <stddef.h>
#include <string.h>

#include "../util/text.h"
#include "report.h"

/* JSON keys are the member names; the order is the order of the text. */
#define COUNTER(member, unit, meaning) \
	{ #member, offsetof(struct memlat_status, member), unit, meaning }

static const struct {
	const char *name;
	size_t offset;
	const char *unit;
	const char *meaning;
} counters[] = {
	COUNTER(records, "", "records that hardware wrote and memlat took out"),
	COUNTER(samples, "", "of these: aggregated"),
	COUNTER(loads, "", "of the samples"),
	COUNTER(stores, "", "of the samples"),
	COUNTER(weight_loads, "", "loads longer than ldlat that they stand for"),
	COUNTER(weight_stores, "", "stores that they stand for"),
	COUNTER(filtered, "", "of the records: left out by -p, --tid or --cgroup, not lost"),
	COUNTER(malformed, "", "of the records, lost: no valid record"),
	COUNTER(collision, "", "of the records, lost: not of one of memlat's counters alone"),
	COUNTER(full_pmis, "", "drains that found the buffer full: later records were never made"),
	COUNTER(cells_lost, "", "samples that reached no table but the buckets"),
	COUNTER(lines, "", "cache lines in the store"),
	COUNTER(lines_evicted, "", "samples whose line left a full table (in the buckets, not in lines)"),
	COUNTER(lines_error, "", "most samples that a line which is not there may have had"),
	COUNTER(sites, "", "instructions in the store"),
	COUNTER(sites_evicted, "", "samples whose site left a full table"),
	COUNTER(sites_error, "", "as lines_error"),
	COUNTER(accesses, "", "accesses (address, instruction, thread) in the store"),
	COUNTER(accesses_evicted, "", "samples whose access left a full table"),
	COUNTER(accesses_error, "", "as lines_error"),
	COUNTER(threads, "", "threads in the store"),
	COUNTER(threads_evicted, "", "samples whose thread left a full table"),
	COUNTER(threads_error, "", "as lines_error"),
	COUNTER(stacks, "", "call chains in the store"),
	COUNTER(stacks_lost, "", "samples without a call chain, though asked for"),
	COUNTER(pairs, "", "neighbouring loads of one instruction, with --stride"),
	COUNTER(strides, "", "steps of sites in the store"),
	COUNTER(strides_evicted, "", "pairs whose step left a full table"),
	COUNTER(strides_error, "", "as lines_error, in pairs"),
	COUNTER(forks_lost, "", "children that could not be followed, for want of memory"),
	COUNTER(suspends, "", "times that the machine slept while the session ran"),
	COUNTER(cpus_still, "", "armed CPUs that are busy, but where nothing counts"),
	COUNTER(pmis, "", "interrupts taken"),
	COUNTER(late_pmis, "", "interrupts that came after disarming"),
	COUNTER(switch_drains, "", "drains at a task switch that found records"),
	COUNTER(merges, "", "per-CPU tables merged into the store"),
	COUNTER(store_bytes, "bytes", "memory of the store"),
	COUNTER(max_memory, "bytes", "its bound"),
	COUNTER(latency_sum, "cycles", "sum of all samples' latencies"),
	COUNTER(latency_max, "cycles", "largest latency of a sample"),
	COUNTER(cache_latency_sum, "cycles", "of latency_sum, loads whose latency is the cache latency"),
	COUNTER(use_latency_sum, "cycles", "sum of their use latencies"),
	COUNTER(blocked_data, "", "loads that waited for a store's data, where the CPU tells"),
	COUNTER(blocked_addr, "", "loads that waited for a store's address"),
	COUNTER(load_turn, "cycles", "that were the loads', where loads and stores take turns"),
	COUNTER(store_turn, "cycles", "that were the stores'"),
	COUNTER(busy_cycles, "cycles", "that the armed CPUs were not idle; 0 with fixed periods"),
	COUNTER(own_cycles, "cycles", "of these, memlat's own"),
};

#define NR_COUNTERS	(sizeof(counters) / sizeof(counters[0]))

static __u64 counter(const struct memlat_status *status, unsigned int i)
{
	__u64 value;

	memcpy(&value, (const char *)status + counters[i].offset, sizeof(value));
	return value;
}

void counters_print(FILE *out, const struct memlat_status *status)
{
	char number[TEXT_NUMBER_MAX];
	unsigned int i;

	for (i = 0; i < NR_COUNTERS; i++)
		fprintf(out, "%-17s %17s %-6s  %s\n", counters[i].name,
			text_count(number, counter(status, i)),
			counters[i].unit, counters[i].meaning);
}

static struct cell name_cell(const void *context, size_t row)
{
	(void)context;
	return cell_text(counters[row].name);
}

static struct cell value_cell(const void *context, size_t row)
{
	return cell_number(CELL_COUNT, counter(context, (unsigned int)row));
}

static struct cell unit_cell(const void *context, size_t row)
{
	(void)context;
	return *counters[row].unit ? cell_text(counters[row].unit) : cell_none();
}

static struct cell meaning_cell(const void *context, size_t row)
{
	(void)context;
	return cell_text(counters[row].meaning);
}

void counters_csv(FILE *out, const struct memlat_status *status)
{
	static const struct report_column columns[] = {
		{ .key = "counter", .get = name_cell },
		{ .key = "value", .get = value_cell },
		{ .key = "unit", .get = unit_cell },
		{ .key = "meaning", .get = meaning_cell },
	};
	const struct report report = {
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = NR_COUNTERS,
		.context = status,
	};

	report_csv(out, &report);
}

void counters_put(struct json_object *document,
		  const struct memlat_status *status)
{
	unsigned int i;

	for (i = 0; i < NR_COUNTERS; i++)
		json_put_count(document, counters[i].name, counter(status, i));
}
