// SPDX-License-Identifier: GPL-2.0
/* The hardware prefetchers; prefetch.h has their rules. */
#include <stdlib.h>
#include <string.h>

#include "cache_internal.h"
#include "prefetch.h"

#define PAGE_LINES	(1U << (VP_PAGE_SHIFT - VP_LINE_SHIFT))
#define DCU_ENTRIES	4		/* lines loaded from lately */
#define IP_ENTRIES	64
#define STREAMS		32		/* pages: Optimization Reference Manual */
#define STRIDE_MAX	2048		/* bytes: likewise */
#define AHEAD_MAX	20		/* lines: likewise */
#define AT_ONCE		2		/* lines of a stream, for each request: likewise */
#define TRAINED		2		/* like steps in a row before lines are requested */

struct dcu_entry {
	uint64_t line;			/* + 1; 0: none */
	uint8_t offset;			/* of the last load from it */
	bool done;			/* the next line was requested */
};

struct ip_entry {
	uint64_t ip;
	uint64_t vaddr;			/* last */
	int64_t stride;
	unsigned int times;
};

struct stream {
	uint64_t page;			/* + 1; 0: none */
	uint64_t used;
	int at;				/* last request, as a line of the page */
	int front;			/* furthest line that was requested */
	int direction;			/* 1, -1; 0: one request so far */
	unsigned int times;		/* requests in this direction */
};

struct prefetch {
	unsigned int next_dcu;
	uint64_t clock;			/* requests */
	struct dcu_entry dcu[DCU_ENTRIES];
	struct ip_entry ip[IP_ENTRIES];
	struct stream stream[STREAMS];
};

struct prefetch *prefetch_new(void)
{
	return calloc(1, sizeof(struct prefetch));
}

void prefetch_forget(struct prefetch *prefetch)
{
	*prefetch = (struct prefetch) { 0 };
}

static bool is_on(const struct core *core, enum vp_prefetcher which)
{
	return !(atomic_load_explicit(&core->prefetch_off, memory_order_relaxed) >> which & 1);
}

static void count(struct vp_outcome *outcome, enum vp_prefetcher which)
{
	if (vp_prefetched(outcome, which) < 0xff)
		outcome->prefetches += 1U << 8 * which;
}

/* An external clock counts the requests beyond L2. No instruction waits for a prefetch. */
static uint32_t under_way(const struct vp_cache *cache, struct core *core, uint8_t code)
{
	const struct vp_miss miss = {
		.prefetch = true, .code = code, .latency = cache->config.latency[code].base,
	};

	if (core->clock && code != VP_L2)
		core->clock->miss(core->clock, &miss);
	return miss.latency;
}

static void to_l2(struct vp_cache *cache, struct core *core, uint64_t line,
		  enum vp_prefetcher which, struct vp_outcome *outcome)
{
	uint8_t code;

	if (!cache_fetch_l2(cache, core, line, &code))
		return;
	under_way(cache, core, code);
	count(outcome, which);
}

/* Prefetch to L1, which requests the line from L2 like any other. */
static void to_l1(struct vp_cache *cache, struct core *core, uint64_t line,
		  enum vp_prefetcher which, struct vp_outcome *outcome)
{
	struct served served;

	if (core->fills == cache->config.fill_buffers || cache_in_l1(cache, core, line))
		return;
	cache_request(cache, core, line, false, true, &served);
	core->l1_used[served.l1_slot] = core->accesses;
	core->l1_ready[served.l1_slot] = core_clock(core) + under_way(cache, core, served.code);
	core->l1_stored[served.l1_slot] = 0;
	count(outcome, which);
	prefetch_request(cache, core, line, served.fetched, outcome);
}

/* Find the stream of a page. If it has none, start one in place of the least recently used. */
static struct stream *stream_of(struct prefetch *p, uint64_t page, int at)
{
	struct stream *oldest = &p->stream[0];
	unsigned int i;

	for (i = 0; i < STREAMS; i++) {
		struct stream *s = &p->stream[i];

		if (s->page == page + 1)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct stream) { .page = page + 1, .at = at, .front = at };
	return oldest;
}

static void stream_go(struct vp_cache *cache, struct core *core, uint64_t line,
		      struct vp_outcome *outcome)
{
	struct prefetch *p = core->prefetch;
	uint64_t page = line / PAGE_LINES;
	int at = (int)(line % PAGE_LINES), direction, n;
	struct stream *s = stream_of(p, page, at);

	s->used = ++p->clock;
	if (at == s->at)
		return;
	direction = at > s->at ? 1 : -1;
	if (direction != s->direction) {
		s->times = 0;
		s->front = at;
	}
	s->direction = direction;
	s->at = at;
	/* Lines behind the request are of no use any more. */
	if ((at - s->front) * direction > 0)
		s->front = at;
	if (++s->times < TRAINED)
		return;
	for (n = 0; n < AT_ONCE; n++) {
		int next = s->front + direction;

		if (next < 0 || next >= (int)PAGE_LINES || (next - at) * direction > AHEAD_MAX)
			return;
		s->front = next;
		to_l2(cache, core, page * PAGE_LINES + (unsigned int)next, VP_PREFETCH_L2, outcome);
	}
}

void prefetch_request(struct vp_cache *cache, struct core *core, uint64_t line, bool fetched,
		      struct vp_outcome *outcome)
{
	if (fetched && is_on(core, VP_PREFETCH_ADJACENT))
		to_l2(cache, core, line ^ 1, VP_PREFETCH_ADJACENT, outcome);
	if (is_on(core, VP_PREFETCH_L2))
		stream_go(cache, core, line, outcome);
}

static void dcu_go(struct vp_cache *cache, struct core *core, const struct vp_access *access,
		   struct vp_outcome *outcome)
{
	struct prefetch *p = core->prefetch;
	uint64_t line = access->paddr >> VP_LINE_SHIFT;
	uint8_t offset = access->paddr % VP_LINE_BYTES;
	struct dcu_entry *e;
	unsigned int i;
	bool ascends;

	for (i = 0; i < DCU_ENTRIES && p->dcu[i].line != line + 1; i++)
		;
	if (i == DCU_ENTRIES) {
		p->dcu[p->next_dcu] = (struct dcu_entry) { .line = line + 1, .offset = offset };
		p->next_dcu = (p->next_dcu + 1) % DCU_ENTRIES;
		return;
	}
	e = &p->dcu[i];
	ascends = offset > e->offset;
	e->offset = offset;
	if (!ascends || e->done || line % PAGE_LINES == PAGE_LINES - 1)
		return;
	e->done = true;
	to_l1(cache, core, line + 1, VP_PREFETCH_DCU, outcome);
}

static void ip_go(struct vp_cache *cache, struct core *core, const struct vp_access *access,
		  struct vp_outcome *outcome)
{
	struct ip_entry *e = &core->prefetch->ip[(mix64(access->ip) >> 32) % IP_ENTRIES];
	uint64_t next;
	int64_t stride;

	if (e->ip != access->ip) {
		*e = (struct ip_entry) { .ip = access->ip, .vaddr = access->vaddr };
		return;
	}
	stride = (int64_t)(access->vaddr - e->vaddr);
	e->vaddr = access->vaddr;
	e->times = stride == e->stride ? e->times + 1 : 1;
	e->stride = stride;
	if (!stride || stride > STRIDE_MAX || stride < -STRIDE_MAX || e->times <= TRAINED)
		return;
	next = access->vaddr + (uint64_t)stride;
	if (next >> VP_PAGE_SHIFT == access->vaddr >> VP_PAGE_SHIFT)
		to_l1(cache, core, (access->paddr + (uint64_t)stride) >> VP_LINE_SHIFT,
		      VP_PREFETCH_IP, outcome);
}

void prefetch_load(struct vp_cache *cache, struct core *core, const struct vp_access *access,
		   struct vp_outcome *outcome)
{
	if (is_on(core, VP_PREFETCH_DCU))
		dcu_go(cache, core, access, outcome);
	if (is_on(core, VP_PREFETCH_IP))
		ip_go(cache, core, access, outcome);
}
