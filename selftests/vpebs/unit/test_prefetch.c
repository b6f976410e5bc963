// SPDX-License-Identifier: GPL-2.0
/* The prefetchers: what each fetches, to where, and what its bit turns off. */
#include "../prefetch.h"
#include "cache_test.h"

#define PAGE	4096ULL
#define FAR	0x400000ULL	/* a page of its own for each test below */

#define ONLY(which)	(VP_PREFETCH_BITS & ~(1U << (which)))

static int setup_on(void **state)
{
	struct vp_config config = vp_config_skx;

	config.prefetch = true;
	*state = vp_cache_new_config(&two_by_two, &config);
	return *state ? 0 : -1;
}

/* On CPU 0 all prefetchers but one are off. */
static struct vp_cache *alone(void **state, enum vp_prefetcher which)
{
	vp_cache_prefetch_off(*state, 0, ONLY(which));
	return *state;
}

static struct vp_outcome load_by(struct vp_cache *cache, uint64_t ip, uint64_t paddr)
{
	const struct vp_access access = { .ip = ip, .size = 8, .vaddr = paddr, .paddr = paddr };
	struct vp_outcome outcome;

	vp_cache_access(cache, &access, &outcome);
	return outcome;
}

static bool has(struct vp_cache *cache, unsigned int cpu, uint64_t paddr)
{
	struct vp_cache_line line;

	vp_cache_probe(cache, paddr, &line);
	return line.holders >> cpu & 1;
}

static unsigned int total(const struct vp_outcome *o)
{
	unsigned int i, n = 0;

	for (i = 0; i < VP_PREFETCHERS; i++)
		n += vp_prefetched(o, i);
	return n;
}

/*
 * The other half of 128 bytes, whichever half was requested. It is fetched to L2, and not after a
 * hit.
 */
TEST_WITH(adjacent, setup_on, teardown)
{
	struct vp_cache *cache = alone(state, VP_PREFETCH_ADJACENT);
	struct vp_outcome o = load(cache, 0, FAR + LINE);

	assert_int_equal(vp_prefetched(&o, VP_PREFETCH_ADJACENT), 1);
	assert_int_equal(total(&o), 1);
	assert_true(has(cache, 0, FAR));
	assert_false(has(cache, 0, FAR + 2 * LINE));
	o = load(cache, 0, FAR);
	assert_int_equal(o.code, VP_L2);
	assert_int_equal(total(&o), 0);
	o = store(cache, 0, FAR + 2 * LINE);
	assert_int_equal(vp_prefetched(&o, VP_PREFETCH_ADJACENT), 1);
	assert_true(has(cache, 0, FAR + 3 * LINE));
}

/*
 * CPU 0's fetch of the other line makes a line shared that CPU 1 has modified. So CPU 1's next
 * store has to request permission again, although no CPU but CPU 1 ever used that line.
 */
TEST_WITH(adjacent_takes_permission, setup_on, teardown)
{
	struct vp_cache *cache = alone(state, VP_PREFETCH_ADJACENT);
	struct vp_outcome o;

	vp_cache_prefetch_off(cache, 1, VP_PREFETCH_BITS);
	store(cache, 1, FAR + LINE);
	settle(cache, 1);
	o = store(cache, 1, FAR + LINE);
	assert_int_equal(o.code, VP_L1);
	load(cache, 0, FAR);
	o = store(cache, 1, FAR + LINE);
	assert_int_not_equal(o.code, VP_L1);
}

/* A second load, higher up in the line, fetches the next line to L1. */
TEST_WITH(dcu, setup_on, teardown)
{
	struct vp_cache *cache = alone(state, VP_PREFETCH_DCU);
	struct vp_outcome o = load(cache, 0, FAR + 8);

	assert_int_equal(total(&o), 0);
	o = load(cache, 0, FAR);
	assert_int_equal(total(&o), 0);
	o = load(cache, 0, FAR + 16);
	assert_int_equal(vp_prefetched(&o, VP_PREFETCH_DCU), 1);
	assert_int_equal(total(&o), 1);
	o = load(cache, 0, FAR + 24);
	assert_int_equal(total(&o), 0);
	o = load(cache, 0, FAR + LINE);
	assert_int_equal(o.code, VP_LFB);
	settle(cache, 0);
	assert_int_equal(load(cache, 0, FAR + LINE).code, VP_L1);
	assert_false(has(cache, 0, FAR + 2 * LINE));
}

/* Up or down, from the fourth load on. Not with a stride above 2 KiB, and not to the next page. */
TEST_WITH(ip, setup_on, teardown)
{
	struct vp_cache *cache = alone(state, VP_PREFETCH_IP);
	struct vp_outcome o;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		o = load_by(cache, 0x1000, FAR + PAGE - LINE - i * 192);
		assert_int_equal(vp_prefetched(&o, VP_PREFETCH_IP), i == 3);
		assert_int_equal(total(&o), i == 3);
	}
	assert_true(has(cache, 0, FAR + PAGE - LINE - 4 * 192));
	for (i = 0; i < 8; i++) {
		o = load_by(cache, 0x2000, FAR + 16 * PAGE + i * 2112);
		assert_int_equal(total(&o), 0);
	}
	for (i = 0; i < 4; i++)
		o = load_by(cache, 0x3000, FAR + 64 * PAGE + i * 1024);
	assert_int_equal(total(&o), 0);
	/* Two instructions that take turns have two strides. The fill buffers are free again. */
	settle(cache, 0);
	for (i = 0; i < 4; i++) {
		load_by(cache, 0x5000, FAR + 80 * PAGE + i * 64);
		o = load_by(cache, 0x6000, FAR + 90 * PAGE + i * 128);
	}
	assert_int_equal(total(&o), 1);
}

/* From the third request in one direction on: two lines each time, to L2, at most 20 ahead. */
TEST_WITH(stream, setup_on, teardown)
{
	struct vp_cache *cache = alone(state, VP_PREFETCH_L2);
	struct vp_outcome o;
	unsigned int i, fetched = 0;

	for (i = 0; i < 3; i++) {
		o = load(cache, 0, FAR + i * LINE);
		assert_int_equal(vp_prefetched(&o, VP_PREFETCH_L2), i == 2 ? 2 : 0);
		assert_int_equal(total(&o), i == 2 ? 2 : 0);
	}
	assert_true(has(cache, 0, FAR + 4 * LINE));
	assert_false(has(cache, 0, FAR + 5 * LINE));
	for (; i < 64; i++) {
		o = load(cache, 0, FAR + i * LINE);
		assert_int_equal(o.code, VP_L2);
		fetched += total(&o);
		if (i + 21 < 64)
			assert_false(has(cache, 0, FAR + (i + 21) * LINE));
		settle(cache, 0);
	}
	assert_int_equal(fetched + 2 + 3, 64);
	assert_false(has(cache, 0, FAR + PAGE));
	/* Downwards. Requests that change direction each time are no stream. */
	for (i = 0; i < 3; i++)
		o = load(cache, 0, FAR + 9 * PAGE + (40 - i) * LINE);
	assert_int_equal(total(&o), 2);
	assert_true(has(cache, 0, FAR + 9 * PAGE + 36 * LINE));
	for (i = 0; i < 10; i++) {
		o = load(cache, 0, FAR + 19 * PAGE + (i % 2 ? 20 + i : 20 - i) * LINE);
		assert_int_equal(total(&o), 0);
	}
}

/* With all bits set it is like a machine without prefetchers. Each CPU has its own bits. */
TEST_WITH(off, setup_on, teardown)
{
	struct vp_cache *cache = *state;
	struct vp_outcome o;
	unsigned int i, on = 0;

	vp_cache_prefetch_off(cache, 0, VP_PREFETCH_BITS);
	for (i = 0; i < 512; i++) {
		o = load(cache, 0, FAR + i * 8);
		assert_int_equal(total(&o), 0);
		o = load(cache, 1, FAR + 4 * PAGE + i * 8);
		on += total(&o);
	}
	assert_int_equal(load(cache, 0, FAR + PAGE).code, VP_DRAM);
	assert_true(on > 32);
	vp_cache_prefetch_off(cache, 0, 0);
	for (i = 0, on = 0; i < 512; i++) {
		o = load(cache, 0, FAR + 8 * PAGE + i * 8);
		on += total(&o);
	}
	assert_true(on > 32);
}

/* A machine that was made without prefetchers ignores the register. */
TEST_WITH(without, setup, teardown)
{
	struct vp_cache *cache = *state;
	struct vp_outcome o;
	unsigned int i;

	vp_cache_prefetch_off(cache, 0, 0);
	for (i = 0; i < 512; i++) {
		o = load(cache, 0, FAR + i * 8);
		assert_int_equal(total(&o), 0);
		assert_int_equal(o.code == VP_DRAM, i % 8 == 0);
	}
}

/* Prefetching must not break the caches' coherence, which teardown checks. */
TEST_WITH(coherent, setup_on, teardown)
{
	struct vp_cache *cache = *state;
	uint64_t x = 88172645463325252ULL;
	unsigned int i;

	for (i = 0; i < 200000; i++) {
		unsigned int cpu;
		uint64_t at;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		cpu = x & 3;
		at = (x >> 8 & 1 ? NODE1 : 0) + FAR + (x >> 16 & 0xfffff) / 8 * 8;
		if (x >> 2 & 3)
			load_by(cache, x >> 40 & 7, at);
		access_at(cache, cpu, at, at, x >> 5 & 1 ? 16 : 8, !(x >> 2 & 3), false);
		if (i % 5000 == 0)
			vp_cache_prefetch_off(cache, cpu, x >> 33 & VP_PREFETCH_BITS);
	}
}
