// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that nobody has here, with so many CPUs, nodes and processes. A tool (see run) counts
 * the cost of a cell in the merge, and of a CPU in the sum of a snapshot.
 *
 * Each process drains some records on its CPU, one process after the other. A CPU is merged into
 * the store when it asks for it, and all of them are merged in the end, as for a snapshot.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "pass.h"
#include "shard.h"
#include "stream.h"

#define STORE	(64ULL << 20)	/* the default of sessions */
#define LINES	4096		/* of each process */
#define RECORDS	16		/* of a drain */
#define LOADS	(1U << 16)

static struct cpu machine;
static struct memlat_counts sum;
static struct memlat_core_counts core;
static u8 buffer[BUFFER_BYTES];
static u64 cells, counted_cpus;

/* Separate functions, so that the tool can see them. */
__attribute__((noinline)) static void counted_merge(void)
{
	pass_merge(&machine);
}

/* As module/shards.c adds up what a CPU has counted, which is 0 afterwards. */
__attribute__((noinline)) static void counted_sum(struct memlat_counts *counts)
{
	const unsigned int raws = memlat_source_raws(machine.sources);

	memlat_counts_merge(&sum, counts);
	memlat_core_counts_add(&core, counts, raws);
	memset(counts, 0, offsetof(struct memlat_counts, raw) + raws * sizeof(counts->raw[0]));
}

static void merge(void)
{
	cells += machine.shard->used + machine.shard->spilled;
	counted_merge();
}

static void process_runs(struct stream *stream, unsigned int process)
{
	unsigned int records;

	stream->next = process * RECORDS % LOADS;
	records = stream_fill(stream, machine.layout, buffer, RECORDS);
	machine.tgid = 100 + process;
	machine.tid = machine.tgid;
	pass_drain(&machine, buffer, records);
	if (memlat_shard_is_crowded(machine.shard))
		merge();
}

/*
 * All CPUs use the same memory as their shard, because a CPU's shard is empty when the next CPU
 * runs.
 */
static void cpu_runs(struct stream *stream, unsigned int cpu, unsigned int cpus,
		     unsigned int nodes, unsigned int processes)
{
	unsigned int process;

	machine.number = cpu;
	machine.node = (u64)cpu * nodes / cpus;
	for (process = cpu; process < processes; process += cpus)
		process_runs(stream, process);
	merge();
	counted_sum(machine.counts);
	counted_cpus++;
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || !n || n > 1U << 20)
		errx(2, "'%s' is not a number from 1 to %u", text, 1U << 20);
	return n;
}

int main(int argc, char *argv[])
{
	unsigned int cpu, cpus, nodes, processes;
	struct stream stream;
	u64 samples, stored;

	if (argc != 4) {
		fputs("usage: machine CPUS NODES PROCESSES\n", stderr);
		return 2;
	}
	cpus = number(argv[1]);
	nodes = number(argv[2]);
	processes = number(argv[3]);
	cpu_init(&machine, 3, STORE);
	stream_init(&stream, LOADS, LINES, false);
	for (cpu = 0; cpu < cpus; cpu++)
		cpu_runs(&stream, cpu, cpus, nodes, processes);

	/* No sample is lost, and the store keeps its bound, whatever the size of the machine. */
	samples = sum.count[MEMLAT_COUNT_SAMPLES];
	stored = cpu_samples(&machine) + sum.count[MEMLAT_COUNT_CELLS_LOST];
	if (samples != (u64)processes * RECORDS || stored != samples)
		errx(1, "%llu of %llu samples are accounted for", (unsigned long long)stored,
		     (unsigned long long)samples);
	if (cpu_bytes(&machine) > STORE)
		errx(1, "the store has %llu bytes", (unsigned long long)cpu_bytes(&machine));
	printf("%llu cells %llu cpus\n", (unsigned long long)cells,
	       (unsigned long long)counted_cpus);
	stream_free(&stream);
	cpu_free(&machine);
	return 0;
}
