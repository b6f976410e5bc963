// SPDX-License-Identifier: GPL-2.0
/*
 * The cache model with long traces: the same trace gives the same outcomes, tags and directory
 * never contradict each other, and an independent simple MESIF of a few lines gives the same
 * answers.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../cache_internal.h"
#include "cache_faults.h"

#define MIB		(1ULL << 20)
#define CPUS		6	/* three in each socket */
#define NODES		2

static const struct vp_topology topology = {
	.cpus = CPUS, .nodes = NODES, .node_mem = { 64 * MIB, 64 * MIB },
};

/* Caches so small that lines are evicted all the time. */
static struct vp_config tiny(void)
{
	struct vp_config config = vp_config_skx;

	config.l1 = (struct vp_geometry){ 64, 1 };
	config.l2 = (struct vp_geometry){ 64, 2 };
	config.l3 = (struct vp_geometry){ 64, 1 };
	config.dtlb = (struct vp_geometry){ 1, 2 };
	config.stlb = (struct vp_geometry){ 2, 2 };
	return config;
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static struct vp_access random_access(uint64_t *seed, uint64_t lines)
{
	uint64_t line = next(seed) % lines;
	struct vp_access access = {
		.cpu = (unsigned int)(next(seed) % CPUS),
		.store = next(seed) % 3 == 0,
		.locked = next(seed) % 16 == 0,
		.size = 1U << next(seed) % 4,
		.paddr = line * 64 + next(seed) % 64,
	};

	access.vaddr = access.paddr + 0x7000000000ULL;
	return access;
}

/* Return a trace's outcomes, folded into one number. */
static uint64_t run(struct vp_cache *cache, uint64_t seed, unsigned int n, uint64_t lines)
{
	uint64_t fold = 0;

	while (n--) {
		struct vp_access access = random_access(&seed, lines);
		struct vp_outcome o;

		vp_cache_access(cache, &access, &o);
		fold = fold * 31 + (o.code | (uint64_t)o.l1_hit << 8 |
				    (uint64_t)o.stlb_miss << 9 | (uint64_t)o.latency << 16);
	}
	return fold;
}

TEST(test_same_trace_same_outcomes)
{
	struct vp_cache *a = vp_cache_new(&topology), *b = vp_cache_new(&topology);
	uint64_t fold;

	assert_non_null(a);
	assert_non_null(b);
	fold = run(a, 1, 300000, 3000);
	assert_true(run(b, 1, 300000, 3000) == fold);
	/* After a flush, the cache is as after its creation. */
	assert_true(run(b, 2, 300000, 3000) != fold);
	vp_cache_flush(b);
	check(b);
	assert_true(run(b, 1, 300000, 3000) == fold);
	check(a);
	check(b);
	vp_cache_free(a);
	vp_cache_free(b);
}

TEST(test_invariants_under_pressure)
{
	struct vp_config config = tiny();
	struct vp_cache *cache = vp_cache_new_config(&topology, &config);
	unsigned int round;

	assert_non_null(cache);
	for (round = 0; round < 200; round++) {
		run(cache, round, 2000, round % 2 ? 200 : 2000);
		check(cache);
	}
	vp_cache_free(cache);
}

/* The self-check finds a contradiction, and this is the first that it names. */
static void assert_fault(struct vp_cache *cache, const char *first)
{
	char why[200] = "";

	assert_true(vp_cache_check(cache, why, sizeof(why)));
	if (strncmp(why, first, strlen(first)))
		fail_msg("it says: %s, not: %s", why, first);
}

/* Test the self-check: it must notice each contradiction. */
TEST(test_check_sees_faults)
{
	struct vp_cache *cache = vp_cache_new(&topology);
	struct vp_access access = { .paddr = 0x1000, .vaddr = 0x1000, .size = 8, .store = true };
	struct vp_outcome outcome;
	struct dir_entry *entry, *twice;
	struct dir *dir;
	char why[200];
	size_t slot;

	assert_non_null(cache);
	vp_cache_access(cache, &access, &outcome);
	check(cache);
	entry = dir_find(&stripe_of(cache, 0x40)->dir, 0x40);
	assert_non_null(entry);

	entry->state = DIR_SHARED;	/* but L1 may write */
	assert_true(vp_cache_check(cache, why, sizeof(why)));
	entry->state = DIR_MODIFIED;
	entry->holders |= 2;		/* two holders of a modified line */
	assert_true(vp_cache_check(cache, why, sizeof(why)) >= 2);
	entry->holders = 1;
	entry->l3 = 1;			/* a copy that isn't there */
	assert_true(vp_cache_check(cache, why, sizeof(why)));
	entry->l3 = 0;
	check(cache);
	entry->l3_dirty = 1;		/* a dirty copy of none */
	assert_fault(cache, "more dirty L3 copies than copies");
	entry->l3_dirty = 0;
	entry->forwarder = 1;
	assert_fault(cache, "a forwarder without a copy");
	entry->forwarder = 0;
	entry->holders = 0;
	assert_fault(cache, "an entry for a line that nobody has");
	entry->holders = 1;
	entry->owner = 1;
	assert_fault(cache, "an owner who is not alone");
	entry->owner = 0;
	check(cache);

	/* The directory itself: an entry twice, and a wrong count. */
	dir = &stripe_of(cache, 0x40)->dir;
	twice = &dir->entry[(uint32_t)(entry - dir->entry + 1) & dir->mask];
	*twice = *entry;
	dir->used++;
	assert_fault(cache, "an entry that can't be found");
	twice->key = 0;
	assert_fault(cache, "a directory that miscounts itself");
	dir->used--;
	check(cache);

	slot = l3_set(cache, &cache->socket[1], 0x41);
	cache->socket[1].l3_tag[slot] = 0x41 + 1;	/* unknown to the directory */
	assert_fault(cache, "in L3 but not in the directory: line 0x41, cpu or node 1");
	cache->socket[1].l3_tag[slot] = 0;
	slot = l2_set(cache, 0x41);
	cache->core[3].l2_tag[slot] = 0x41 + 1;	/* unknown to the directory */
	assert_int_equal(vp_cache_check(cache, why, sizeof(why)), 1);
	assert_string_equal(why, "in L2 but not in the directory: line 0x41, cpu or node 3");
	cache->core[3].l2_tag[slot] = 0;
	slot = l1_set(cache, 0x41);
	atomic_store(&cache->core[3].l1_tag[slot], 0x41ULL << 2 | L1_VALID);
	assert_int_equal(vp_cache_check(cache, why, sizeof(why)), 1);
	atomic_store(&cache->core[3].l1_tag[slot], 0);
	check(cache);
	vp_cache_free(cache);
}

/*
 * The simple model has no capacity, so a line leaves a cache only by invalidation. It was written
 * from the rules in cache.h and machine.h, not from the code.
 */
#define LINES	8

struct naive {
	char state[CPUS];	/* 'M', 'E', 'S', 'I' */
	bool l3_dirty[NODES];	/* a copy in L3, newer than memory */
	bool l3[NODES];
	int forwarder;
};

static unsigned int node_of(unsigned int cpu)
{
	return vp_node_of_cpu(&topology, cpu);
}

static uint8_t naive_access(struct naive *line, unsigned int cpu, bool own, unsigned int home)
{
	bool here_private = false, here_l3 = line->l3[node_of(cpu)], elsewhere = false;
	bool dirty_elsewhere = false, any = false;
	int owner = -1;
	unsigned int i;
	uint8_t code;
	char was = line->state[cpu];

	for (i = 0; i < CPUS; i++) {
		if (i == cpu || line->state[i] == 'I')
			continue;
		any = true;
		if (node_of(i) == node_of(cpu))
			here_private = true;
		else
			elsewhere = true;
		if (line->state[i] == 'M')
			owner = (int)i;
	}
	for (i = 0; i < NODES; i++) {
		if (i == node_of(cpu))
			continue;
		elsewhere = elsewhere || line->l3[i];
		dirty_elsewhere = dirty_elsewhere || line->l3_dirty[i];
	}

	if (was == 'M' || was == 'E' || (was == 'S' && !own))
		code = VP_L1;
	else if (was == 'S')
		code = elsewhere ? VP_RCACHE : here_private ? VP_L3_CLEAN : VP_L3;
	else if (owner >= 0)
		code = node_of((unsigned int)owner) == node_of(cpu) ? VP_L3_HITM : VP_RHITM;
	else if (here_l3)
		code = VP_L3;
	else if (here_private)
		code = VP_L3_CLEAN;
	else if (dirty_elsewhere)
		code = VP_RHITM;
	else if (elsewhere && line->forwarder >= 0)
		code = VP_RCACHE;
	else
		code = home == node_of(cpu) ? VP_DRAM : VP_RDRAM;

	if (own) {
		for (i = 0; i < CPUS; i++)
			line->state[i] = 'I';
		memset(line->l3, 0, sizeof(line->l3));
		memset(line->l3_dirty, 0, sizeof(line->l3_dirty));
		line->state[cpu] = 'M';
	} else if (was == 'I') {
		for (i = 0; i < CPUS; i++)
			if (line->state[i] != 'I')
				line->state[i] = 'S';
		if (code == VP_L3_HITM)
			line->l3[node_of(cpu)] = line->l3_dirty[node_of(cpu)] = true;
		if (code == VP_RHITM)
			memset(line->l3_dirty, 0, sizeof(line->l3_dirty));
		for (i = 0; i < NODES; i++)
			any = any || line->l3[i];
		line->state[cpu] = any ? 'S' : 'E';
	}
	if (code != VP_L1)
		line->forwarder = (int)node_of(cpu);
	return code;
}

static void naive_flush(struct naive *line)
{
	unsigned int i;

	memset(line, 0, LINES * sizeof(*line));
	for (i = 0; i < LINES; i++) {
		memset(line[i].state, 'I', sizeof(line[i].state));
		line[i].forwarder = -1;
	}
}

TEST(test_against_naive_model)
{
	/* All sources that can occur as long as no line is evicted. */
	static const uint8_t reached[] = {
		VP_L1, VP_L3, VP_L3_CLEAN, VP_L3_HITM, VP_RCACHE, VP_RHITM, VP_DRAM, VP_RDRAM
	};
	struct vp_cache *cache = vp_cache_new(&topology);
	uint64_t seed = 99, seen[VP_CODES] = { 0 };
	struct naive line[LINES];
	unsigned int n, i;

	assert_non_null(cache);
	for (n = 0; n < 200000; n++) {
		unsigned int which = (unsigned int)(next(&seed) % LINES);
		struct vp_access access = {
			.cpu = (unsigned int)(next(&seed) % CPUS),
			.store = next(&seed) % 4 == 0,
			.locked = next(&seed) % 16 == 0,
			.size = 8,
			/* spread over the nodes */
			.paddr = which % NODES * 64 * MIB + which * 192,
		};
		struct vp_outcome outcome;
		struct vp_cache_line probe;
		uint8_t want;

		access.vaddr = access.paddr;
		if (n % 5000 == 0) {
			vp_cache_flush(cache);
			naive_flush(line);
		}
		want = naive_access(&line[which], access.cpu, access.store || access.locked,
				    which % NODES);
		vp_cache_access(cache, &access, &outcome);
		if (outcome.code == VP_LFB)
			outcome.code = VP_L1;	/* the naive model has no time */
		if (outcome.code != want)
			print_error("access %u: line %u, cpu %u, store %d, locked %d\n", n, which,
				    access.cpu, access.store, access.locked);
		assert_int_equal(outcome.code, want);
		seen[want]++;
		vp_cache_probe(cache, access.paddr, &probe);
		for (i = 0; i < CPUS; i++)
			assert_int_equal(probe.holders >> i & 1, line[which].state[i] != 'I');
		for (i = 0; i < NODES; i++)
			assert_int_equal(probe.l3_dirty >> i & 1, line[which].l3_dirty[i]);
		assert_int_equal(probe.state, line[which].state[access.cpu]);
	}
	for (i = 0; i < sizeof(reached); i++)
		if (!seen[reached[i]])
			fail_msg("the trace never reached code %u", reached[i]);
	check(cache);
	vp_cache_free(cache);
}
