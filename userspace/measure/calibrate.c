// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "calibrate.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <numa.h>

#include "../profile/machine.h"
#include "../util/clock.h"
#include "../util/io.h"
#include "../util/json.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define RUNS		9
#define HITM_RUNS	65
/* ratio to the smallest size's latency up to which a size is on the same level */
#define ALIKE		1.5
#define STEPS		65536ULL	/* in a run */
#define WARM_MOST	(1ULL << 22)	/* most steps before the first run */
#define BLOCK		1024		/* lines of 32 small pages, which fit into every TLB */
#define MEMORY_MOST	(1ULL << 30)	/* most bytes of lines */
/* divisor of free memory, because lines take twice their bytes */
#define MEMORY_SHARE	8

/* The state of a calibration. */
struct bench {
	struct calibration *calibration;
	const struct calibrate_options *options;
	calibrate_progress *progress;
	struct clock clock;
	struct chase_pool pool;
	struct place place;	/* of the CPU that measures */
	__u64 caches[PLAN_CACHES];
	__u64 block;
};

__attribute__((format(printf, 2, 3)))
static void missing(struct calibration *calibration, const char *format, ...)
{
	size_t used = strlen(calibration->missing);
	va_list args;

	if (used && used + 2 < sizeof(calibration->missing)) {
		strcat(calibration->missing, "; ");
		used += 2;
	}
	va_start(args, format);
	vsnprintf(calibration->missing + used, sizeof(calibration->missing) - used, format, args);
	va_end(args);
}

static struct latency *latency_add(struct calibration *calibration)
{
	struct latency *latency;

	ARRAY_GROW(calibration->latencies, calibration->nr + 1, calibration->room);
	latency = &calibration->latencies[calibration->nr];
	memset(latency, 0, sizeof(*latency));
	latency->node = latency->writer = -1;
	return latency;
}

/* Conclude a level after all its runs. */
static void latency_finish(struct calibration *calibration, struct latency *latency,
			   double *cycles, double *ns, unsigned int runs)
{
	double low, high;

	latency->runs = runs;
	plan_median(ns, runs, &low, &latency->ns, &high);
	plan_median(cycles, runs, &latency->low, &latency->cycles, &latency->high);
	calibration->nr++;
}

/* Measure lines of one size, RUNS times. */
static void take_size(struct bench *bench, __u64 bytes, double *cycles, double *ns)
{
	__u64 lines = bytes / CHASE_LINE;
	struct chase_line *at = chase_lay(&bench->pool, bytes, bench->block);
	unsigned int i;

	/* After one turn, a cache holds everything that fits. */
	at = chase_walk(at, (lines < WARM_MOST ? lines : WARM_MOST) + STEPS);
	clock_adjust(&bench->clock);
	for (i = 0; i < RUNS; i++)
		at = chase_time(at, STEPS, &bench->clock, &cycles[i], &ns[i]);
}

static void report_progress(const struct bench *bench, const char *name, __u64 bytes)
{
	char text[96];

	snprintf(text, sizeof(text), "CPU %d, %s: %llu KiB", bench->place.cpu, name, bytes / 1024);
	bench->progress(text);
}

/*
 * Measure sizes from the smallest on, as long as they are on the same level: a virtual machine may
 * have less cache than it reports. Returns how many are.
 */
static unsigned int alike(struct bench *bench, const char *name, const struct plan_sizes *sizes,
			  const double *cycles)
{
	double first = plan_middle(cycles, RUNS), other;
	char bytes[2][TEXT_NUMBER_MAX];
	unsigned int i;

	for (i = 1; i < sizes->nr; i++) {
		other = plan_middle(cycles + i * RUNS, RUNS);
		if (other <= ALIKE * first)
			continue;
		missing(bench->calibration, "%s: %s of lines take %.0f cycles, %s take %.0f, so it holds less than reported",
			name, text_bytes(bytes[0], sizes->bytes[i - 1]),
			plan_middle(cycles + (i - 1) * RUNS, RUNS),
			text_bytes(bytes[1], sizes->bytes[i]), other);
		break;
	}
	return i;
}

/* Measure one level on a node's memory (-1: this CPU's), with several sizes. 0 or -errno */
static int take_level(struct bench *bench, enum memlat_source source, const char *name,
		      const struct plan_sizes *sizes, int node)
{
	double cycles[PLAN_SIZES * RUNS], ns[PLAN_SIZES * RUNS];
	struct latency *latency = latency_add(bench->calibration);
	unsigned int i;
	int ret;

	ret = chase_pool_make(&bench->pool, sizes->bytes[sizes->nr - 1], CHASE_PAIR, node);
	if (ret)
		return ret;
	for (i = 0; i < sizes->nr; i++) {
		report_progress(bench, name, sizes->bytes[i]);
		take_size(bench, sizes->bytes[i], cycles + i * RUNS, ns + i * RUNS);
	}
	chase_pool_free(&bench->pool);
	i = alike(bench, name, sizes, cycles);
	latency->source = source;
	latency->cpu = bench->place.cpu;
	latency->node = node;
	latency->least = sizes->bytes[0];
	latency->most = sizes->bytes[i - 1];
	latency_finish(bench->calibration, latency, cycles, ns, i * RUNS);
	return 0;
}

/*
 * Does a large page take one entry of the TLB? With small pages, or if a hypervisor has small ones
 * beneath ours, a line in each of many pages takes longer than as many lines in few pages.
 */
static int look_at_pages(struct bench *bench)
{
	enum { PAGES = 256 };
	double apart, together, ns;
	struct chase_line *at;
	int ret = chase_pool_make(&bench->pool, PAGES * 4096, CHASE_PAIR, -1);

	if (ret)
		return ret;
	at = chase_walk(chase_lay_pages(&bench->pool, PAGES), STEPS);
	chase_time(at, STEPS, &bench->clock, &apart, &ns);
	at = chase_walk(chase_lay(&bench->pool, PAGES * CHASE_LINE, 0), STEPS);
	chase_time(at, STEPS, &bench->clock, &together, &ns);
	bench->block = apart < 1.5 * together ? 0 : BLOCK;
	chase_pool_free(&bench->pool);
	return 0;
}

static const struct {
	enum memlat_source source;
	const char *name;
} levels[PLAN_CACHES] = {
	{ MEMLAT_SRC_L1, "L1" }, { MEMLAT_SRC_L2, "L2" }, { MEMLAT_SRC_L3, "L3" },
};

static int take_caches(struct bench *bench)
{
	unsigned int i;
	__u64 before = 0;

	for (i = 0; i < PLAN_CACHES; i++) {
		struct plan_sizes sizes;
		int ret;

		if (!bench->caches[i])
			continue;
		plan_cache(&sizes, before, bench->caches[i]);
		before = bench->caches[i];
		if (!sizes.nr) {
			missing(bench->calibration, "%s: hardly larger than the cache before it",
				levels[i].name);
			continue;
		}
		ret = take_level(bench, levels[i].source, levels[i].name, &sizes, -1);
		if (ret)
			return ret;
	}
	return 0;
}

static __u64 free_bytes(int node)
{
	long long bytes = 0;

	/* A kernel without NUMA has no nodes to report. */
	if (numa_available() < 0)
		bytes = (long long)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	else if (numa_node_size64(node, &bytes) < 0)
		bytes = 0;
	return bytes > 0 ? (__u64)bytes / MEMORY_SHARE : 0;
}

static int take_memory(struct bench *bench)
{
	const struct machine *machine = &bench->calibration->machine;
	int own = machine_node(machine, (unsigned int)bench->place.cpu), ret;
	__u64 last = 0, most;
	size_t node;
	unsigned int i;

	for (i = 0; i < PLAN_CACHES; i++)
		if (bench->caches[i])
			last = bench->caches[i];
	for (node = 0; node < machine->nr_nodes; node++) {
		bool remote = own >= 0 && (int)node != own;
		struct plan_sizes sizes;

		if (!machine->node_bytes[node])
			continue;
		most = free_bytes((int)node);
		plan_memory(&sizes, last, most < MEMORY_MOST ? most : MEMORY_MOST);
		if (!sizes.nr) {
			missing(bench->calibration, "memory of node %zu: too little is free", node);
			continue;
		}
		ret = take_level(bench, remote ? MEMLAT_SRC_RDRAM : MEMLAT_SRC_DRAM,
				 remote ? "remote memory" : "memory", &sizes,
				 machine->nr_nodes > 1 ? (int)node : -1);
		if (ret == -ENOMEM)
			return ret;
		if (ret)
			missing(bench->calibration, "memory of node %zu: %s", node, strerror(-ret));
	}
	return 0;
}

static int take_hitm(struct bench *bench, int writer)
{
	const struct machine *machine = &bench->calibration->machine;
	double cycles[HITM_RUNS], ns[HITM_RUNS];
	int reader = bench->place.cpu, ret;
	struct latency *latency;

	clock_adjust(&bench->clock);
	report_progress(bench, "modified by another CPU", HITM_BYTES);
	ret = hitm_measure(&bench->clock, writer, HITM_RUNS, cycles, ns);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		missing(bench->calibration, "HITM with CPU %d: %s", writer, strerror(-ret));
		return 0;
	}
	latency = latency_add(bench->calibration);
	latency->source = MEMLAT_SRC_L3_HITM;
	if ((size_t)reader < machine->nr_cpus && (size_t)writer < machine->nr_cpus &&
	    machine->cpu_socket[reader] != machine->cpu_socket[writer])
		latency->source = MEMLAT_SRC_RHITM;
	latency->cpu = reader;
	latency->writer = writer;
	latency->least = latency->most = HITM_BYTES;
	latency_finish(bench->calibration, latency, cycles, ns, HITM_RUNS);
	return 0;
}

/* Measure with every other CPU that was asked for, or else with one of each distance. */
static int take_hitm_all(struct bench *bench, const struct place *first)
{
	const struct calibrate_options *options = bench->options;
	bool any = false;
	int writer, ret = 0;

	if (!options->some_cpus) {
		if (first->near >= 0)
			ret = take_hitm(bench, first->near);
		if (!ret && first->far >= 0)
			ret = take_hitm(bench, first->far);
		any = first->near >= 0 || first->far >= 0;
	}
	for (writer = 0; options->some_cpus && !ret && writer < MEMLAT_CPU_WORDS * 64; writer++) {
		if (writer == bench->place.cpu || !(options->cpus[writer / 64] >> writer % 64 & 1))
			continue;
		any = true;
		ret = take_hitm(bench, writer);
	}
	if (!any)
		missing(bench->calibration, "HITM: there is no second core to measure with");
	return ret;
}

/* Levels that cannot be told apart would get wrong edges. */
static void leave_out(struct calibration *calibration, size_t from)
{
	__u32 out = plan_rising(calibration->latencies, from, &calibration->nr);
	unsigned int i;

	for (i = 0; i < PLAN_CACHES; i++)
		if (out >> levels[i].source & 1)
			missing(calibration, "%s: no faster than what is behind it: others fill it, or it is not there",
				levels[i].name);
}

static int take_cpu(struct bench *bench, int cpu, const struct place *first, const char **what)
{
	struct calibration *calibration = bench->calibration;
	const size_t from = calibration->nr;
	unsigned int i;
	int ret;

	*what = "stay on a CPU: give some that this process may use (taskset -p $$)";
	ret = work_pin(cpu);
	if (ret)
		return ret;
	*what = "measure";
	/* The caches of this CPU, because those of a hybrid part differ. */
	place_find(&bench->place, "");
	bench->place.cpu = cpu;
	for (i = 0; i < PLAN_CACHES; i++)
		bench->caches[i] = bench->options->caches[0] ? bench->options->caches[i] :
							       bench->place.cache[i];
	clock_begin(&bench->clock);
	if (!calibration->nr) {
		memcpy(calibration->caches, bench->caches, sizeof(bench->caches));
		calibration->clock = bench->clock.kind;
	}
	ret = look_at_pages(bench);
	calibration->large_pages = !bench->block;
	if (!ret && bench->options->size) {
		const struct plan_sizes one = { .nr = 1, .bytes = { bench->options->size } };

		ret = take_level(bench, MEMLAT_SRC_UNKNOWN, "a size", &one, -1);
	} else if (!ret) {
		ret = take_caches(bench);
		if (!ret)
			ret = take_memory(bench);
		if (!ret)
			leave_out(calibration, from);
	}
	if (!ret && bench->options->hitm)
		ret = take_hitm_all(bench, first);
	clock_end(&bench->clock);
	return ret;
}

int calibrate(struct calibration *calibration, const struct calibrate_options *options,
	      const struct memlat_query *query, calibrate_progress *progress,
	      const char **what)
{
	struct bench bench = {
		.calibration = calibration, .options = options, .progress = progress,
	};
	struct place first;
	int cpu, ret = 0;

	memset(calibration, 0, sizeof(*calibration));
	*what = "find out what this machine is";
	machine_read(&calibration->machine, query);
	if (!place_find(&first, ""))
		return -ENODEV;
	calibration->virtual = first.emulated;
	if (!options->some_cpus)
		ret = take_cpu(&bench, first.cpu, &first, what);
	for (cpu = 0; options->some_cpus && !ret && cpu < MEMLAT_CPU_WORDS * 64; cpu++)
		if (options->cpus[cpu / 64] >> cpu % 64 & 1)
			ret = take_cpu(&bench, cpu, &first, what);
	progress("");
	if (!ret)
		plan_edges(calibration->latencies, calibration->nr, calibration->edge);
	return ret;
}

void calibration_free(struct calibration *calibration)
{
	machine_free(&calibration->machine);
	free(calibration->latencies);
	memset(calibration, 0, sizeof(*calibration));
}

const char *store_wrong(const char *path)
{
	struct stat is;

	if (!*path)
		return "that is not the name of a file";
	if (stat(path, &is))
		return NULL;
	if (S_ISDIR(is.st_mode))
		return "that is a folder";
	/* The rename would replace it by a file. */
	return S_ISREG(is.st_mode) ? NULL : "that is a device or the like";
}

static int make_folders(const char *path)
{
	char folder[MACHINE_EDGES_PATH];
	char *at;

	snprintf(folder, sizeof(folder), "%s", path);
	for (at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(folder, 0755) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

static int write_text(int fd, const void *text)
{
	int ret = io_write(fd, text, strlen(text));

	if (!ret)
		ret = io_write(fd, "\n", 1);
	/* The machine's file is for all users. */
	if (!ret && (fchmod(fd, 0644) || fsync(fd)))
		ret = -errno;
	return ret;
}

int store_write(const char *path, bool folders, struct json_object *document,
		char why[FILE_NEW_WHY_MAX])
{
	const char *text = json_text(document, JSON_C_TO_STRING_PRETTY);
	int ret = folders ? make_folders(path) : 0;

	if (ret)
		snprintf(why, FILE_NEW_WHY_MAX, "%s", strerror(-ret));
	else
		ret = file_new_write(path, write_text, text, why);
	json_object_put(document);
	return ret;
}
