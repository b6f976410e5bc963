// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a record on this host: module/core's decoding and aggregation, compared with a pass
 * over the same records that only loads the same fields.
 *
 * One buffer at a time, as in the module: it is written, and then both passes process it. They take
 * turns in being the first one. When the shard asks for it, it is merged into the tables. A ratio
 * is that of passes over the same buffers. A pass that another program interrupted does not count.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>

#include "pass.h"
#include "stream.h"

#define BUFFERS	64	/* of one measurement */
#define ROOMY	(1ULL << 30)	/* of the store: all lines fit */
#define STORE	(64ULL << 20)	/* the default of sessions */
#define SAMPLES	10000000U	/* with which the store is filled */
#define SWEEP	(8U << 20)	/* bytes: more than a core's own caches */

static const char *filter;
static unsigned int pairs = 15, loads = 1U << 21;
static u8 *buffer, *sweep;
static double ns_per_tick;

static u64 now(void)
{
	u64 ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value, unsigned int n)
{
	qsort(value, n, sizeof(*value), by_size);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* The cost of reading the clock twice, which no pass has. */
static double overhead(void)
{
	double empty[101];
	unsigned int i;

	for (i = 0; i < 101; i++) {
		u64 from = now();

		empty[i] = now() - from;
	}
	return median(empty, 101);
}

static void find_tick(void)
{
	struct timespec a, b;
	u64 from, ticks;

	clock_gettime(CLOCK_MONOTONIC_RAW, &a);
	from = now();
	do {
		clock_gettime(CLOCK_MONOTONIC_RAW, &b);
		ticks = now() - from;
	} while (b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < 0.05);
	ns_per_tick = ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec) / ticks;
}

/* The sampled program runs on, and uses the caches itself. */
static void run_program(void)
{
	unsigned int i;

	for (i = 0; i < SWEEP; i += 64)
		sweep[i]++;
}

typedef void pass_fn(struct cpu *cpu, const u8 *buffer, unsigned int records);

static u64 timed(pass_fn *pass, struct cpu *cpu, unsigned int records, bool cold)
{
	u64 from;

	if (cold)
		run_program();
	from = now();
	pass(cpu, buffer, records);
	return now() - from;
}

static void merge_pass(struct cpu *cpu, const u8 *unused, unsigned int records)
{
	pass_merge(cpu);
}

/**
 * struct cost - of one record, median of all pairs
 */
struct cost {
	double bare;
	double drain;
	double merge;
	double ratio_drain;
	double ratio;
};

/* Return how often this program had to wait for another one. */
static long interruptions(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/**
 * struct sums - figures of some pairs of passes over the same buffers
 * @records: number of records for which @bare and @drain, in ticks, were measured
 * @merged: number of cells for which @merge was measured
 * @all_records: @records, and the records of interrupted passes
 * @all_merged: @merged, and the cells of interrupted merges
 */
struct sums {
	double records, bare, drain;
	double merged, merge;
	double all_records, all_merged;
};

static void measure_buffer(struct cpu *cpu, struct stream *stream, bool cold, bool bare_first,
			   double clock, struct sums *sums)
{
	unsigned int n = stream_fill(stream, cpu->layout, buffer, ~0U);
	double bare = 0, drain, merge;
	long before = interruptions();

	if (bare_first)
		bare = timed(pass_bare, cpu, n, cold) - clock;
	drain = timed(pass_drain, cpu, n, cold) - clock;
	if (!bare_first)
		bare = timed(pass_bare, cpu, n, cold) - clock;
	sums->all_records += n;
	if (interruptions() == before) {
		sums->records += n;
		sums->bare += bare;
		sums->drain += drain;
	}
	if (!memlat_shard_is_crowded(cpu->shard))
		return;
	n = cpu->shard->used + cpu->shard->spilled;
	before = interruptions();
	merge = timed(merge_pass, cpu, 0, cold) - clock;
	sums->all_merged += n;
	if (interruptions() == before) {
		sums->merged += n;
		sums->merge += merge;
	}
}

static struct cost measure(struct cpu *cpu, struct stream *stream, bool cold)
{
	const unsigned int buffers = cold ? BUFFERS / 4 : BUFFERS;
	double *figure[5], clock = overhead();
	unsigned int pair, i, n = 0;
	struct cost cost;

	for (i = 0; i < 5; i++)
		figure[i] = calloc(pairs, sizeof(double));
	for (pair = 0; pair < pairs; pair++) {
		struct sums sums = { 0 };
		double merge;

		for (i = 0; i < buffers; i++)
			measure_buffer(cpu, stream, cold, i % 2, clock, &sums);
		/* All passes were interrupted, so there is no figure. */
		if (!sums.records || (sums.all_merged && !sums.merged))
			continue;
		merge = sums.merged ? sums.merge / sums.merged * sums.all_merged : 0;
		merge /= sums.all_records;
		figure[0][n] = sums.bare / sums.records * ns_per_tick;
		figure[1][n] = sums.drain / sums.records * ns_per_tick;
		figure[2][n] = merge * ns_per_tick;
		figure[3][n] = sums.drain / sums.bare;
		figure[4][n] = (sums.drain + merge * sums.records) / sums.bare;
		n++;
	}
	if (!n)
		errx(1, "nothing could be measured without interruption");
	cost.bare = median(figure[0], n);
	cost.drain = median(figure[1], n);
	cost.merge = median(figure[2], n);
	cost.ratio_drain = median(figure[3], n);
	cost.ratio = median(figure[4], n);
	for (i = 0; i < 5; i++)
		free(figure[i]);
	return cost;
}

/* Run until the tables have all lines, so that their growth is not measured. */
static void warm_up(struct cpu *cpu, struct stream *stream)
{
	unsigned int left = stream->loads;

	while (left) {
		unsigned int n = stream_fill(stream, cpu->layout, buffer, left);

		pass_drain(cpu, buffer, n);
		if (memlat_shard_is_crowded(cpu->shard))
			pass_merge(cpu);
		left -= n;
	}
	if (cpu_samples(cpu) != stream->loads)
		errx(1, "%llu of %u samples are in the tables",
		     (unsigned long long)cpu_samples(cpu), stream->loads);
}

static void figures(unsigned int format, unsigned int lines, bool zipf, bool cold)
{
	const char *goal = lines == 100 ? "<=10" : lines == 10000 ? "<=30" : "-";
	struct stream stream;
	struct cost cost;
	struct cpu cpu;
	char name[64];

	snprintf(name, sizeof(name), "native.fmt%u.%s.lines%u%s", format,
		 zipf ? "zipf" : "uniform", lines, cold ? ".cold" : "");
	if (filter && !strstr(name, filter))
		return;
	cpu_init(&cpu, format, ROOMY);
	stream_init(&stream, loads, lines, zipf);
	warm_up(&cpu, &stream);
	cost = measure(&cpu, &stream, cold);
	printf("%s.bare %.2f ns - a record's fields loaded, nothing else\n", name, cost.bare);
	printf("%s.drain %.2f ns - a record decoded, counted, and in a cell\n", name, cost.drain);
	printf("%s.merge %.2f ns - a record's share of the merge into all tables\n", name,
	       cost.merge);
	printf("%s.ns_per_record %.2f ns - all of it\n", name, cost.drain + cost.merge);
	printf("%s.ratio_drain %.2f x - drain to bare, median of %u pairs\n", name,
	       cost.ratio_drain, pairs);
	printf("%s.ratio %.2f x %s drain and merge to bare, median of %u pairs\n", name,
	       cost.ratio, goal, pairs);
	fflush(stdout);
	stream_free(&stream);
	cpu_free(&cpu);
}

/* Separate functions, so that the tool can see them. They do not contain the warm-up. */
__attribute__((noinline)) static void counted_bare(struct cpu *cpu, unsigned int records)
{
	pass_bare(cpu, buffer, records);
}

__attribute__((noinline)) static void counted_drain(struct cpu *cpu, unsigned int records)
{
	pass_drain(cpu, buffer, records);
}

__attribute__((noinline)) static void counted_merge(struct cpu *cpu)
{
	pass_merge(cpu);
}

/*
 * Run without a clock, for a tool that counts instructions and misses: so many records, after the
 * tables have all lines.
 */
static void count(unsigned int format, unsigned int lines, bool zipf)
{
	struct stream stream;
	unsigned int left;
	struct cpu cpu;

	cpu_init(&cpu, format, ROOMY);
	stream_init(&stream, loads, lines, zipf);
	warm_up(&cpu, &stream);
	for (left = loads; left;) {
		unsigned int n = stream_fill(&stream, cpu.layout, buffer, left);

		counted_bare(&cpu, n);
		counted_drain(&cpu, n);
		if (memlat_shard_is_crowded(cpu.shard))
			counted_merge(&cpu);
		left -= n;
	}
	stream_free(&stream);
	cpu_free(&cpu);
}

/*
 * The memory of the store after so many samples of as many lines, nearly all of which are new: it
 * grows until it is full.
 */
static void bytes(void)
{
	unsigned int samples = 10000, done = 0;
	struct stream stream;
	struct cpu cpu;

	if (filter && !strstr("native.bytes", filter))
		return;
	cpu_init(&cpu, 3, STORE);
	stream_init(&stream, SAMPLES, SAMPLES, false);
	for (; samples <= SAMPLES; samples *= 10) {
		while (done < samples) {
			unsigned int n = stream_fill(&stream, cpu.layout, buffer, samples - done);

			pass_drain(&cpu, buffer, n);
			if (memlat_shard_is_crowded(cpu.shard))
				pass_merge(&cpu);
			done += n;
		}
		pass_merge(&cpu);
		if (cpu_samples(&cpu) != samples)
			errx(1, "%llu of %u samples are accounted for",
			     (unsigned long long)cpu_samples(&cpu), samples);
		printf("native.bytes.%u.store %llu bytes <=%llu %llu lines and all that is kept of them\n",
		       samples, (unsigned long long)cpu_bytes(&cpu), STORE,
		       (unsigned long long)cpu.tables->table[MEMLAT_LINES].now.used);
	}
	stream_free(&stream);
	cpu_free(&cpu);
}

static void usage(void)
{
	fputs("usage: native [--pairs N] [--loads N] [FILTER]\n"
	      "       native --count FORMAT LINES uniform|zipf [--loads N]\n"
	      "\n"
	      "  --pairs N  measure N times, and tell the median (15)\n"
	      "  --loads N  records made up for each working set (2097152)\n"
	      "  --count    measure nothing: for valgrind\n"
	      "  FILTER     only figures whose name has this in it\n", stderr);
	exit(2);
}

static unsigned int number(const char *text)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || end == text || *end || !n || n > 1U << 30)
		errx(2, "'%s' is not a number from 1 to %u", text, 1U << 30);
	return n;
}

int main(int argc, char *argv[])
{
	static const unsigned int format[] = { 1, 3, 4 }, lines[] = { 100, 10000, 1000000 };
	static const struct option options[] = {
		{ "pairs", required_argument, NULL, 'p' },
		{ "loads", required_argument, NULL, 'l' },
		{ "count", no_argument, NULL, 'c' },
		{ NULL }
	};
	unsigned int i, j, zipf;
	bool counting = false;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			pairs = number(optarg);
			break;
		case 'l':
			loads = number(optarg);
			break;
		case 'c':
			counting = true;
			break;
		default:
			usage();
		}
	}
	buffer = aligned_alloc(4096, BUFFER_BYTES);
	sweep = calloc(1, SWEEP);
	if (!buffer || !sweep)
		err(1, "memory");
	if (counting) {
		if (argc - optind != 3)
			usage();
		count(number(argv[optind]), number(argv[optind + 1]),
		      !strcmp(argv[optind + 2], "zipf"));
		return 0;
	}
	if (argc - optind > 1)
		usage();
	filter = argv[optind];
	find_tick();
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
			for (zipf = 0; zipf < 2; zipf++)
				figures(format[i], lines[j], zipf, false);
	/* The same if the sampled program has used the caches in between. */
	for (j = 0; j < 3; j++)
		figures(3, lines[j], false, true);
	bytes();
	free(sweep);
	free(buffer);
	return 0;
}
