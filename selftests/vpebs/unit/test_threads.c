// SPDX-License-Identifier: GPL-2.0
/*
 * The cache model and the truth with threads of several CPUs at once. Also built with the thread
 * sanitizer.
 */
#include <pthread.h>
#include <sched.h>

#include "../cache_internal.h"
#include "cache_faults.h"
#include "truth_test.h"

#define MIB		(1ULL << 20)
#define THREADS		4
#ifdef __SANITIZE_THREAD__
#define ACCESSES	10000U		/* it makes all of this ten times slower */
#else
#define ACCESSES	50000U
#endif

static const struct vp_topology small = {
	.cpus = THREADS, .nodes = 2, .node_mem = { 64 * MIB, 64 * MIB },
};

struct stress {
	struct vp_cache *cache;
	struct vp_truth *truth;
	uint64_t lines;
	unsigned int flush_every;	/* accesses of a CPU; 0 for never */
	atomic_uint running;
};

struct worker {
	struct stress *stress;
	unsigned int cpu;
	pthread_t thread;
	uint64_t by_code[VP_CODES];
	uint64_t counted;
	uint64_t latency;
	uint64_t loads;
	uint64_t stores;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct stress *stress = worker->stress;
	uint64_t seed = worker->cpu + 1;
	unsigned int n;

	for (n = 0; n < ACCESSES; n++) {
		struct vp_access access = { .cpu = worker->cpu, .size = 8, .ip = 0x400000 + n % 7 };
		struct vp_outcome outcome;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		access.store = (seed >> 60) < 5;
		access.locked = (seed >> 56 & 15) == 0;
		access.user = seed >> 55 & 1;
		access.paddr = (seed >> 33) % stress->lines * 64 + (seed >> 50 & 63);
		access.vaddr = access.paddr;
		vp_cache_access(stress->cache, &access, &outcome);
		worker->by_code[outcome.code & 15]++;
		if (stress->flush_every && n % stress->flush_every == 0)
			vp_cache_flush(stress->cache);
		if (!stress->truth)
			continue;
		vp_truth_access(stress->truth, &access, &outcome);
		if (access.store) {
			worker->stores++;
			continue;
		}
		worker->loads++;
		if (outcome.latency > 30) {
			worker->counted++;
			worker->latency += outcome.latency;
			vp_truth_counted(stress->truth, &access, &outcome);
			if (worker->counted % 10 == 0)
				vp_truth_record(stress->truth, &access, VP_WRITTEN, VP_NO_WORD);
			if (worker->counted % 100 == 0)
				vp_truth_pmi(stress->truth, worker->cpu, true);
			if (worker->counted % 1000 == 0)
				vp_truth_violation(stress->truth, worker->cpu, access.ip,
						   "test", "every thousandth");
		}
	}
	atomic_fetch_sub(&stress->running, 1);
	return NULL;
}

static void start(struct stress *stress, struct worker *worker)
{
	unsigned int i;

	atomic_store(&stress->running, THREADS);
	for (i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){ .stress = stress, .cpu = i };
		assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
	}
}

static void join(struct worker *worker)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(worker[i].thread, NULL), 0);
}

static uint64_t all_of(const struct worker *worker, unsigned int code)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		total += worker[i].by_code[code];
	return total;
}

static void stress_cache(const struct vp_config *config, uint64_t lines, unsigned int flush_every)
{
	struct stress stress = { .lines = lines, .flush_every = flush_every };
	struct worker worker[THREADS];
	uint64_t total = 0;
	unsigned int code;

	stress.cache = vp_cache_new_config(&small, config);
	assert_non_null(stress.cache);
	start(&stress, worker);
	join(worker);
	for (code = 0; code < VP_CODES; code++)
		total += all_of(worker, code);
	assert_int_equal(total, THREADS * ACCESSES);
	assert_int_equal(all_of(worker, VP_UNKNOWN), 0);
	check(stress.cache);
	vp_cache_free(stress.cache);
}

/* All threads access the same few lines. */
TEST(test_contended)
{
	stress_cache(&vp_config_skx, 3, 0);
}

/* Lines that evict each other while others look at them. */
TEST(test_evictions)
{
	struct vp_config config = vp_config_skx;

	config.l1 = (struct vp_geometry){ 64, 1 };
	config.l2 = (struct vp_geometry){ 64, 2 };
	config.l3 = (struct vp_geometry){ 64, 1 };
	stress_cache(&config, 1000, 0);
}

/*
 * The threads that access also flush: a flush takes all locks, and a thread that did nothing else
 * would leave the other threads no moment to take theirs.
 */
TEST(test_flush_meanwhile)
{
	stress_cache(&vp_config_skx, 2000, ACCESSES / 100);
}

struct counter {
	struct vp_lock lock;
	uint64_t count;
};

static void *count(void *arg)
{
	struct counter *counter = arg;
	unsigned int i;

	for (i = 0; i < ACCESSES; i++) {
		vp_lock(&counter->lock);
		counter->count++;
		vp_unlock(&counter->lock);
	}
	return NULL;
}

TEST(test_lock)
{
	struct counter counter = { .count = 0 };
	pthread_t thread[THREADS];
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, count, &counter), 0);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	assert_int_equal(counter.count, THREADS * ACCESSES);
}

/* In one call, because its length may change from one to the next. */
static json_object *parse_moving(struct vp_truth *truth)
{
	size_t size = 8 << 20, length;
	char *text = malloc(size);
	json_object *object;

	assert_non_null(text);
	length = vp_truth_json(truth, text, size);
	assert_true(length && length < size);
	object = json_tokener_parse(text);
	assert_non_null(object);
	free(text);
	return object;
}

/*
 * Brackets begin, end and are read while all threads count. No event may be lost: the figures of
 * the whole run have all of them.
 */
TEST_WITH(test_truth, NULL, teardown)
{
	struct stress stress = { .lines = 5000 };
	struct worker worker[THREADS];
	uint64_t counted = 0, latency = 0, loads = 0, stores = 0, records = 0, pmis = 0;
	uint64_t violations = 0;
	json_object *json;
	unsigned int i, brackets = 0;

	stress.cache = vp_cache_new(&small);
	*state = stress.truth = vp_truth_new(&small, vp_model_find("skx"));
	assert_non_null(stress.cache);
	assert_non_null(stress.truth);
	vp_truth_qualify(stress.truth, 30);
	start(&stress, worker);
	/* At least once, even if all threads have ended before this one runs again. */
	do {
		vp_truth_begin(stress.truth);
		brackets++;
		sched_yield();
		if (brackets % 2)
			vp_truth_end(stress.truth);
		json = parse_moving(stress.truth);
		assert_int_equal(num(json, "bracket"), brackets);
		json_object_put(json);
	} while (atomic_load(&stress.running));
	join(worker);
	for (i = 0; i < THREADS; i++) {
		counted += worker[i].counted;
		latency += worker[i].latency;
		loads += worker[i].loads;
		stores += worker[i].stores;
		records += worker[i].counted / 10;
		pmis += worker[i].counted / 100;
		violations += worker[i].counted / 1000;
	}
	json = parse(stress.truth, vp_truth_json_run);
	has_totals(json, counted, latency, loads, records, pmis);
	assert_int_equal(num(get(json, "all"), "stores"), stores);
	assert_int_equal(vp_truth_violations(stress.truth), violations);
	assert_int_equal(sum_of(get(json, "lines"), "counted") + num(json, "lines_truncated"),
			 counted);
	check(stress.cache);
	vp_cache_free(stress.cache);
}
