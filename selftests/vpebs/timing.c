// SPDX-License-Identifier: GPL-2.0
/* The clock of a simple out-of-order core; timing.h has its rules. */
#include <stdlib.h>

#include "timing.h"

/* More cycles than all in flight can take, one after the other, each from another node's memory. */
#define AHEAD	(1u << 18)

enum queue {
	QUEUE_READS,
	QUEUE_DEMAND,
	QUEUE_RFO,
	QUEUE_L1D,
	QUEUES
};

/* The count of each queue's occupancy. The next one is that of its busy cycles. */
static const enum vp_count queue_counts[QUEUES] = {
	[QUEUE_READS]	= VP_CT_READS_OUTSTANDING,
	[QUEUE_DEMAND]	= VP_CT_DEMAND_OUTSTANDING,
	[QUEUE_RFO]	= VP_CT_RFO_OUTSTANDING,
	[QUEUE_L1D]	= VP_CT_L1D_PENDING,
};

struct vp_timing {
	struct vp_cache_clock clock;	/* has to be first, since miss() casts it */
	struct vp_counts *counts;
	bool user;
	uint64_t next;			/* when the next instruction can begin */
	uint64_t counted;		/* cycles are counted up to here */
	uint64_t retired;		/* when the latest one retires */
	uint64_t rob[VP_ROB];		/* when each of the latest retires, in a ring */
	unsigned int rob_at;
	uint64_t stored[VP_STORE_BUFFER];	/* likewise: when stores are done */
	unsigned int stored_at;
	uint64_t last_stored;
	uint64_t ready[INSN_REGS];	/* registers */
	unsigned int fills;
	uint64_t fill[VP_TIMING_FILLS];	/* when each buffer is free again */

	/* The current instruction: */
	uint64_t address;		/* when its address is known */
	uint64_t data;			/* when its other operands are ready */
	uint64_t loaded;		/* when its load is done; 0: not known yet */
	uint64_t missed;		/* when the line that it missed arrives */
	uint64_t waits_from, waits_to;	/* of its loads that missed L1; 0: none */
	bool locked;

	/* A bit for each of the next cycles, in a ring: a request is under way; a micro-op executes; the
	 * store buffer is full. */
	uint64_t busy[QUEUES][AHEAD / 64];
	uint64_t executes[AHEAD / 64], full[AHEAD / 64];
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Set the bits of these cycles, but for those that are counted already or too far ahead. */
static void mark(const struct vp_timing *t, uint64_t *cycles, uint64_t from, uint64_t to)
{
	from = later(from, t->counted);
	if (to > t->counted + AHEAD)
		to = t->counted + AHEAD;
	while (from < to) {
		const unsigned int bit = from % 64, n = to - from < 64 - bit ? to - from : 64 - bit;

		cycles[from % AHEAD / 64] |= ~0ull >> (64 - n) << bit;
		from += n;
	}
}

/*
 * A micro-op can execute from this time on. One begins in a cycle, so one executes in a cycle, too: the
 * next that is free. This decides only which cycles are stalled, not how long anything takes.
 */
static void execute(struct vp_timing *t, uint64_t at)
{
	at = later(at, t->counted);
	while (at < t->counted + AHEAD) {
		const uint64_t free = ~t->executes[at % AHEAD / 64] >> at % 64;

		if (free) {
			at += __builtin_ctzll(free);
			mark(t, t->executes, at, at + 1);
			return;
		}
		at += 64 - at % 64;
	}
}

/*
 * Take the buffer that is free at this time and became free last, because requests come in program
 * order, not in the order of time. If none is free, take the first that becomes free.
 */
static uint64_t take_fill_buffer(struct vp_timing *t, uint64_t at, uint32_t latency)
{
	unsigned int i, best = 0;

	for (i = 1; i < t->fills; i++) {
		const uint64_t a = t->fill[i], b = t->fill[best];

		if (b <= at ? a <= at && a > b : a < b)
			best = i;
	}
	at = later(at, t->fill[best]);
	t->fill[best] = at + latency;
	return at;
}

static void under_way(struct vp_timing *t, enum queue queue, uint64_t from, uint64_t to)
{
	vp_counts_add(&t->counts->by[t->user][queue_counts[queue]], to - from);
	mark(t, t->busy[queue], from, to);
}

static uint64_t miss(struct vp_cache_clock *clock, const struct vp_miss *m)
{
	struct vp_timing *t = (struct vp_timing *)clock;
	const bool beyond_l2 = m->code >= VP_L3;
	uint64_t from = clock->now + m->translation, to;

	if (!m->prefetch)
		from = take_fill_buffer(t, from, m->latency);
	to = from + m->latency;
	if (beyond_l2 && m->own) {
		under_way(t, QUEUE_RFO, from, to);
	} else if (beyond_l2) {
		under_way(t, QUEUE_READS, from, to);
		if (!m->prefetch)
			under_way(t, QUEUE_DEMAND, from, to);
	}
	if (!m->prefetch) {
		if (!m->own)
			under_way(t, QUEUE_L1D, from, to);
		t->missed = later(t->missed, to);
	} else if (beyond_l2) {
		vp_counts_add(&t->counts->by[t->user][VP_CT_READS], 1);
	}
	return to;
}

struct vp_timing *vp_timing_new(unsigned int fills, struct vp_counts *counts)
{
	struct vp_timing *t;

	if (!fills || fills > VP_TIMING_FILLS)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->clock.miss = miss;
	t->counts = counts;
	t->fills = fills;
	return t;
}

void vp_timing_free(struct vp_timing *t)
{
	free(t);
}

struct vp_cache_clock *vp_timing_clock(struct vp_timing *t)
{
	return &t->clock;
}

static uint64_t ready(const struct vp_timing *t, uint32_t regs, uint64_t at)
{
	for (; regs; regs &= regs - 1)
		at = later(at, t->ready[__builtin_ctz(regs)]);
	return at;
}

static void stalls(struct vp_timing *t, enum vp_count what, uint64_t cycles)
{
	vp_counts_add(&t->counts->by[t->user][what], cycles);
}

void vp_timing_begin(struct vp_timing *t, const struct insn_regs *regs)
{
	const uint64_t begin = later(t->next, t->rob[t->rob_at]);

	if (begin - t->counted > AHEAD / 4)
		vp_timing_publish(t);
	t->next = begin + 1;
	t->address = ready(t, regs->addr, begin);
	t->data = ready(t, regs->in, begin);
	t->loaded = 0;
	t->waits_to = 0;
	t->locked = false;
}

void vp_timing_access(struct vp_timing *t, const struct vp_access *access)
{
	t->missed = 0;
	if (access->locked && !t->locked) {
		t->locked = true;
		t->address = later(t->address, later(t->retired, t->last_stored));
	}
	if (!access->store) {
		t->clock.now = t->address;
		execute(t, t->address);
		return;
	}
	/* The store's instruction could not begin before the store buffer had a free entry. */
	if (t->stored[t->stored_at] >= t->next) {
		mark(t, t->full, t->next, t->stored[t->stored_at] + 1);
		t->next = t->stored[t->stored_at] + 1;
		t->address = later(t->address, t->next - 1);
	}
	t->clock.now = later(t->address, later(t->data, t->loaded));
}

void vp_timing_accessed(struct vp_timing *t, const struct vp_access *access,
			const struct vp_outcome *outcome)
{
	const uint64_t done = later(t->clock.now + outcome->latency, t->missed);
	unsigned int what;

	for (what = VP_CT_LOADS; what < VP_COUNTS; what++)
		if (vp_access_counts((enum vp_count)what, access, outcome))
			vp_counts_add(&t->counts->by[t->user][what], 1);
	if (!access->store) {
		vp_counts_add(&t->counts->by[t->user][VP_CT_WALK_PENDING], outcome->walk);
		t->loaded = later(t->loaded, done);
		if (!outcome->l1_hit) {
			if (!t->waits_to || t->clock.now < t->waits_from)
				t->waits_from = t->clock.now;
			t->waits_to = later(t->waits_to, done);
			vp_counts_add(&t->counts->by[t->user][VP_CT_LOAD_LATENCY],
				      outcome->latency);
		}
		return;
	}
	t->last_stored = later(t->last_stored, done);
	t->stored[t->stored_at] = t->last_stored;
	t->stored_at = (t->stored_at + 1) % VP_STORE_BUFFER;
}

void vp_timing_end(struct vp_timing *t, const struct insn_regs *regs)
{
	uint64_t done = later(t->address, t->data) + 1;
	uint32_t out;

	if (t->loaded)
		done = later(t->loaded + !regs->moves, t->data + 1);
	if (!t->loaded || !regs->moves)
		execute(t, done - 1);
	for (out = regs->out; out; out &= out - 1)
		t->ready[__builtin_ctz(out)] = done;
	t->waits_from = later(t->waits_from, t->retired);
	if (t->waits_to > t->waits_from)
		stalls(t, VP_CT_HEAD_WAITS, t->waits_to - t->waits_from);
	t->retired = later(t->retired, done);
	t->rob[t->rob_at] = t->retired;
	t->rob_at = (t->rob_at + 1) % VP_ROB;
	if (t->locked)
		t->next = later(t->next, later(t->retired, t->last_stored));
}

void vp_timing_drain(struct vp_timing *t)
{
	t->next = later(t->next, later(t->retired, t->last_stored));
	vp_timing_publish(t);
}

void vp_timing_privilege(struct vp_timing *t, bool user)
{
	if (user != t->user)
		vp_timing_drain(t);
	t->user = user;
}

void vp_timing_publish(struct vp_timing *t)
{
	_Atomic uint64_t *count = t->counts->by[t->user];
	uint64_t at = t->counted, busy[QUEUES] = {}, load_stalls = 0, store_stalls = 0;
	const uint64_t end = t->next - at < AHEAD ? t->next : at + AHEAD;
	unsigned int queue;

	while (at < end) {
		const unsigned int bit = at % 64, n = end - at < 64 - bit ? end - at : 64 - bit;
		const unsigned int word = at % AHEAD / 64;
		const uint64_t cycles = ~0ull >> (64 - n) << bit, misses = t->busy[QUEUE_L1D][word];

		load_stalls += __builtin_popcountll(misses & ~t->executes[word] & cycles);
		store_stalls += __builtin_popcountll(t->full[word] & ~misses & cycles);
		t->executes[word] &= ~cycles;
		t->full[word] &= ~cycles;
		for (queue = 0; queue < QUEUES; queue++) {
			busy[queue] += __builtin_popcountll(t->busy[queue][word] & cycles);
			t->busy[queue][word] &= ~cycles;
		}
		at += n;
	}
	vp_counts_add(&count[VP_CT_CYCLES], t->next - t->counted);
	vp_counts_add(&count[VP_CT_LOAD_STALLS], load_stalls);
	vp_counts_add(&count[VP_CT_STORE_STALLS], store_stalls);
	for (queue = 0; queue < QUEUES; queue++)
		vp_counts_add(&count[queue_counts[queue] + 1], busy[queue]);
	t->counted = t->next;
}
