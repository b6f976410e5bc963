// SPDX-License-Identifier: GPL-2.0
/*
 * One core's side of an access: TLBs, the hit in L1, and the clock that tells which fills are still
 * on their way.
 *
 * The core clock advances by one cycle per access, because a core that executes out of order does
 * not wait for a miss. But only a limited number of accesses can pass an unfinished one (the
 * window), and only a limited number of fills can be on their way (the fill buffers). At the limit
 * the core waits until the oldest fill has arrived: the clock jumps to that time.
 *
 * A core can have an external clock instead (timing.c), which knows which access depends on which.
 */
#include <stdlib.h>
#include <string.h>

#include "cache_internal.h"
#include "prefetch.h"
#include "random.h"

/* Wait for the oldest fill, and forget it. */
static void fill_wait(const struct vp_cache *cache, struct core *core)
{
	const struct fill *oldest = &core->fill[core->fill_head];
	uint64_t now = core_clock(core);

	if (oldest->ready > now)
		core->skew += oldest->ready - now;
	core->fill_head = (core->fill_head + 1) % cache->config.fill_buffers;
	core->fills--;
	core->deadline = core->fills ? core->fill[core->fill_head].deadline : UINT64_MAX;
}

/* Not inlined, so that the path of an L1 hit stays short. */
static __attribute__((noinline)) void fills_settle(const struct vp_cache *cache,
						   struct core *core)
{
	while (core->fills && core->accesses >= core->deadline)
		fill_wait(cache, core);
}

/* Start a fill. Returns when its line arrives. */
static uint64_t fill_start(const struct vp_cache *cache, struct core *core, uint32_t latency)
{
	struct fill *fill;

	while (core->fills && core->fill[core->fill_head].ready <= core_clock(core))
		fill_wait(cache, core);
	if (core->fills == cache->config.fill_buffers)
		fill_wait(cache, core);
	fill = &core->fill[(core->fill_head + core->fills) % cache->config.fill_buffers];
	fill->ready = core_clock(core) + latency;
	fill->deadline = core->accesses + cache->config.window;
	if (!core->fills++)
		core->deadline = fill->deadline;
	return fill->ready;
}

/* The deviation is a hash, so the same line at the same point of a run has the same latency. */
static uint32_t latency_of(const struct core *core, const struct vp_latency *latency,
			   uint64_t line)
{
	uint32_t hash, range = 2U * latency->spread + 1;

	if (!latency->spread)
		return latency->base;
	hash = (uint32_t)(mix64(line ^ mix64(core->accesses)) >> 32);
	return latency->base - latency->spread + (uint32_t)((uint64_t)hash * range >> 32);
}

/* The 8-byte parts of a line that an access touches, one bit for each. */
static uint8_t parts(const struct vp_access *access, uint64_t line)
{
	uint64_t start = line << VP_LINE_SHIFT, end = start + VP_LINE_BYTES - 1;
	uint64_t first = access->paddr, last = first + (access->size ? access->size - 1 : 0);

	first = (first > start ? first : start) - start;
	last = (last < end ? last : end) - start;
	return (uint8_t)((0xffU << (first / 8)) & (0xffU >> (7 - last / 8)));
}

/*
 * The line is on its way. What this core has written to it since its request is in the store
 * buffer. A load of that is served from there, as fast as from L1, but a locked load waits for the
 * line.
 */
static bool forwarded(struct core *core, const struct vp_access *access, uint64_t line,
		      size_t slot)
{
	uint8_t want = parts(access, line);

	if (access->store) {
		core->l1_stored[slot] |= want;
		return false;
	}
	return !access->locked && !(want & ~core->l1_stored[slot]);
}

/* Not inlined either: nobody follows lives but to judge verdicts. */
static __attribute__((noinline)) void live(const struct vp_cache *cache, struct core *core,
					   const struct vp_access *access, uint64_t line,
					   size_t slot, const struct vp_outcome *outcome,
					   enum vp_request request)
{
	struct vp_life *known = request == VP_REQUEST_NONE ? core->l1_life[slot] : NULL;

	core->l1_life[slot] = vp_lives_access(cache->lives, known, line, access, outcome, request);
}

static void hit(const struct vp_cache *cache, struct core *core, const struct vp_access *access,
		uint64_t line, size_t slot, struct vp_outcome *outcome)
{
	uint64_t now = core_clock(core);
	uint64_t ready = core->l1_ready[slot];

	core->l1_used[slot] = core->accesses;
	if (__builtin_expect(ready > now, 0) && !forwarded(core, access, line, slot)) {
		outcome->code = VP_LFB;
		outcome->l1_hit = false;
		outcome->latency = (uint32_t)(ready - now) + cache->config.latency[VP_LFB].base;
	} else {
		outcome->code = VP_L1;
		outcome->l1_hit = true;
		outcome->latency = cache->config.latency[VP_L1].base;
	}
	if (__builtin_expect(cache->lives != NULL, 0))
		live(cache, core, access, line, slot, outcome, VP_REQUEST_NONE);
}

static __attribute__((noinline)) void miss(struct vp_cache *cache, struct core *core,
					   const struct vp_access *access, uint64_t line,
					   bool own, uint32_t translation,
					   struct vp_outcome *outcome)
{
	struct served served;
	uint64_t ready;

	if (cache->lives)
		vp_lives_request(cache->lives);
	cache_request(cache, core, line, own, false, &served);
	if (served.writable_hit) {
		hit(cache, core, access, line, served.l1_slot, outcome);
		return;
	}
	core->l1_used[served.l1_slot] = core->accesses;
	outcome->code = served.code;
	outcome->l1_hit = false;
	outcome->latency = latency_of(core, &cache->config.latency[served.code], line);
	if (core->clock)
		ready = core->clock->miss(core->clock, &(struct vp_miss) {
			.own = own, .code = served.code, .latency = outcome->latency,
			.translation = translation,
		});
	else
		ready = fill_start(cache, core, outcome->latency + translation);
	/* On an upgrade the data is there, and can be read while the request is under way. */
	if (!served.upgrade) {
		core->l1_ready[served.l1_slot] = ready;
		core->l1_stored[served.l1_slot] = 0;
	}
	if (access->store)
		core->l1_stored[served.l1_slot] |= parts(access, line);
	if (cache->lives)
		live(cache, core, access, line, served.l1_slot, outcome, served.fetched ?
		     VP_REQUEST_LINE : VP_REQUEST_HELD);
	if (core->prefetch)
		prefetch_request(cache, core, line, served.fetched, outcome);
}

static inline void access_line(struct vp_cache *cache, struct core *core,
			       const struct vp_access *access, uint64_t line, bool own,
			       uint32_t translation, struct vp_outcome *outcome)
{
	uint64_t set = line & (cache->config.l1.sets - 1);
	unsigned int ways = cache->config.l1.ways;
	uint64_t want = line << 2 | L1_VALID | L1_WRITABLE;
	const uint64_t care = own ? 0 : (uint64_t)L1_WRITABLE;	/* a load hits either */
	_Atomic uint64_t *tag = core->l1_tag + set * ways;
	unsigned int way = core->l1_latest[set];

	if (__builtin_expect(++core->accesses >= core->deadline, 0))
		fills_settle(cache, core);

	if ((atomic_load_explicit(&tag[way], memory_order_relaxed) | care) != want) {
		for (way = 0; way < ways; way++)
			if ((atomic_load_explicit(&tag[way], memory_order_relaxed) | care) ==
			    want)
				break;
		if (way == ways) {
			miss(cache, core, access, line, own, translation, outcome);
			return;
		}
		core->l1_latest[set] = (uint8_t)way;
	}
	hit(cache, core, access, line, set * ways + way, outcome);
}

/* All caches were flushed. Only this thread may flush what belongs to its core. */
static __attribute__((noinline)) void core_flush(const struct vp_cache *cache, struct core *core,
						 unsigned int flushes)
{
	size_t slots = (size_t)cache->config.l1.sets * cache->config.l1.ways;

	vp_tlb_flush(&core->tlb);
	memset(core->l1_ready, 0, slots * sizeof(*core->l1_ready));
	memset(core->l1_stored, 0, slots * sizeof(*core->l1_stored));
	memset(core->l1_used, 0, slots * sizeof(*core->l1_used));
	core->accesses = 0;
	core->skew = 0;
	core->deadline = UINT64_MAX;
	core->fill_head = 0;
	core->fills = 0;
	if (core->prefetch)
		prefetch_forget(core->prefetch);
	core->flushes = flushes;
}

static uint32_t translate(struct vp_cache *cache, struct core *core,
			  const struct vp_access *access, struct vp_outcome *outcome)
{
	outcome->stlb_miss = false;
	switch (vp_tlb_lookup(&core->tlb, access->vaddr, access->paddr)) {
	case VP_TLB_HIT:
		return 0;
	case VP_TLB_STLB_HIT:
		return cache->config.stlb_hit;
	case VP_TLB_MISS:
		break;
	}
	outcome->stlb_miss = true;
	return latency_of(core, &cache->config.walk, access->vaddr >> VP_PAGE_SHIFT);
}

/* Access the next line too, if the access crosses the end of its line. */
static __attribute__((noinline)) void straddle(struct vp_cache *cache, struct core *core,
					       const struct vp_access *access, bool own,
					       struct vp_outcome *outcome)
{
	uint64_t line = (access->paddr >> VP_LINE_SHIFT) + 1;
	struct vp_outcome second = *outcome;

	if (line % (1U << (VP_PAGE_SHIFT - VP_LINE_SHIFT)) == 0)
		return;
	access_line(cache, core, access, line, own, 0, &second);
	if (second.latency > outcome->latency) {
		outcome->code = second.code;
		outcome->latency = second.latency;
	}
	outcome->l1_hit = outcome->l1_hit && second.l1_hit;
	outcome->prefetches = second.prefetches;
}

/*
 * Golden Cove and later, and E-cores, record two latencies: from dispatch to completion, and
 * memory's part. Intel's event lists say that the first "may be longer than just the
 * memory latency". On a Core i9-12900KF (lore.kernel.org,
 * f6aca7df-3fc6-4676-bb5b-cb15eba8f97c@gmail.com) loads from L1 were recorded with 5 cycles
 * of memory and 33, 68, 85, 90, 111, 163 and 218 in all, from L3 with 96 and 120, from a fill
 * buffer with 71 and 73. So each access waits for a few cycles, and a few wait for a queue, whose
 * length has a tail.
 */
#define WAIT_SELDOM	64U
#define WAIT_QUEUE	24U

static uint32_t wait_of(struct core *core)
{
	const uint32_t r = vp_random(&core->random);
	const uint32_t some = 2 + r % 4;

	if (r >> 8 & (WAIT_SELDOM - 1))
		return some;
	/* Each further 32 cycles are half as likely as the last. */
	return some + WAIT_QUEUE + (r >> 14 & 31) + 32 * (uint32_t)__builtin_ctz(r >> 19 | 1U << 12);
}

void vp_cache_access(struct vp_cache *cache, const struct vp_access *access,
		     struct vp_outcome *outcome)
{
	struct core *core = &cache->core[access->cpu];
	unsigned int flushes = atomic_load_explicit(&cache->flushes, memory_order_relaxed);
	bool own = access->store || access->locked;
	uint32_t translation;

	if (__builtin_expect(flushes != core->flushes, 0))
		core_flush(cache, core, flushes);
	outcome->prefetches = 0;
	translation = translate(cache, core, access, outcome);
	outcome->walk = outcome->stlb_miss ? translation : 0;
	access_line(cache, core, access, access->paddr >> VP_LINE_SHIFT, own, translation, outcome);
	if (__builtin_expect((access->paddr % VP_LINE_BYTES) + access->size > VP_LINE_BYTES, 0))
		straddle(cache, core, access, own, outcome);
	if (__builtin_expect(core->prefetch != NULL, 0) && !access->store)
		prefetch_load(cache, core, access, outcome);
	outcome->latency += translation;
	outcome->wait = __builtin_expect(core->random != 0, 0) ? wait_of(core) : 0;
}

void vp_cache_prefetch_off(struct vp_cache *cache, unsigned int cpu, unsigned int bits)
{
	atomic_store_explicit(&cache->core[cpu].prefetch_off, bits, memory_order_relaxed);
}

void vp_cache_set_clock(struct vp_cache *cache, unsigned int cpu, struct vp_cache_clock *clock)
{
	cache->core[cpu].clock = clock;
}

void vp_cache_flush(struct vp_cache *cache)
{
	cache_invalidate_all(cache);
}

bool vp_cache_lives(struct vp_cache *cache, struct vp_lives *lives)
{
	const size_t slots = (size_t)cache->config.l1.sets * cache->config.l1.ways;
	unsigned int i;

	for (i = 0; i < cache->topology.cpus; i++) {
		free(cache->core[i].l1_life);
		cache->core[i].l1_life = lives ? calloc(slots, sizeof(struct vp_life *)) : NULL;
		if (lives && !cache->core[i].l1_life)
			return false;
	}
	cache->lives = lives;
	return true;
}

void vp_cache_more(struct vp_cache *cache, const struct vp_access *access)
{
	if (cache->lives)
		vp_lives_more(cache->lives, access);
}

unsigned int vp_cache_home(const struct vp_cache *cache, uint64_t paddr)
{
	unsigned int node, last = cache->topology.nodes - 1;

	for (node = 0; node < last; node++)
		if (paddr < cache->node_end[node])
			break;
	return node;
}
