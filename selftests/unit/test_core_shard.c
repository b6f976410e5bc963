// SPDX-License-Identifier: GPL-2.0
/* module/core: what one CPU collects. The fuzz target "shard" compares it with a list. */
#include "core_test.h"

static const struct memlat_cell *find(const struct memlat_shard *shard,
				      const struct memlat_sample *s)
{
	const struct memlat_cell *found = NULL;
	unsigned int i;

	for (i = 0; i < MEMLAT_SHARD_CELLS; i++) {
		const struct memlat_cell *c = &shard->cell[i];

		if (shard->tag[i] && c->addr == s->addr && c->ip == s->ip && c->tid == s->tid &&
		    c->kind >> 4 == s->source && c->flags % 2 == s->store) {
			/* Two cells for one key would contradict each other. */
			assert_null(found);
			found = c;
		}
	}
	return found;
}

static struct memlat_shard *shard;
static struct memlat_counts counts;

static int begin(void **state)
{
	shard = shard_new(false);
	memset(&counts, 0, sizeof(counts));
	return 0;
}

static int end(void **state)
{
	shard_delete(shard);
	return 0;
}

/* If two samples differ in anything, they are two cells. */
TEST_WITH(test_unlike, begin, end)
{
	const struct memlat_sample first = sample(0x1008, 100, MEMLAT_SRC_RHITM);
	struct memlat_sample s = first;
	unsigned int n = 0;

#define ADD(change) do {				\
	s = first;					\
	change;						\
	shard_add(shard, &counts, &s);		\
	assert_int_equal(shard->used, ++n);		\
} while (0)
	ADD();
	ADD(s.addr++);
	ADD(s.ip++);
	ADD(s.phys = 0x40);
	ADD(s.tgid++);
	ADD(s.tid++);
	ADD(s.gen++);
	ADD(s.stack++);
	ADD(s.source = MEMLAT_SRC_L1);
	ADD(s.latency = 200);
	ADD(s.store = true);
	ADD(s.l1_hit = true);
	ADD(s.stlb_miss = true);
	ADD(s.locked = true);
	ADD(s.blocked_data = true);
	ADD(s.blocked_addr = true);
#undef ADD
	assert_int_equal(shard_samples(shard), n);
}

/* A cell that cannot count further restarts from zero. Nothing wraps. */
TEST_WITH(test_full_cell, begin, end)
{
	struct memlat_sample s = sample(0x1008, 100, MEMLAT_SRC_L3);
	unsigned int i;

	shard_add(shard, &counts, &s);
	for (i = 0; !shard->tag[i]; i++)
		;
	shard->cell[i].samples = UINT32_MAX - 1;
	shard_add(shard, &counts, &s);
	assert_int_equal(shard->spilled, 0);
	shard_add(shard, &counts, &s);
	assert_int_equal(shard->spilled, 1);
	assert_int_equal(shard->spill[0].samples, UINT32_MAX);
	assert_int_equal(find(shard, &s)->samples, 1);
	assert_int_equal(shard_samples(shard), UINT32_MAX + 1ULL);
	assert_int_equal(shard->used, 1);
}

/* Far more cells than fit: lost ones are counted, and the hot one stays. */
TEST_WITH(test_overflow, begin, end)
{
	struct memlat_sample heavy = sample(0x40, 50, MEMLAT_SRC_L3);
	struct memlat_sample s;
	unsigned int i;
	bool crowded = false;

	for (i = 0; i < 5; i++)
		shard_add(shard, &counts, &heavy);
	for (i = 0; i < 10000; i++) {
		/* Two samples each, so that a lost cell is more than one sample. */
		s = sample(0x100000 + i / 2 * 64ULL, 50, MEMLAT_SRC_L3);
		s.stack = i / 2 % 4 == 0;
		shard_add(shard, &counts, &s);
		/* The warning comes while there is still room. */
		if (!crowded && memlat_shard_is_crowded(shard)) {
			crowded = true;
			assert_int_equal(counts.count[MEMLAT_COUNT_CELLS_LOST], 0);
			assert_in_range(shard->spilled, 0, MEMLAT_SHARD_SPILL / 2);
		}
	}
	assert_true(crowded);
	assert_int_equal(shard->spilled, MEMLAT_SHARD_SPILL);
	assert_int_equal(shard->used, MEMLAT_SHARD_CELLS);
	assert_true(counts.count[MEMLAT_COUNT_CELLS_LOST] > 0);
	assert_int_equal(shard_samples(shard) + counts.count[MEMLAT_COUNT_CELLS_LOST], 10005);
	assert_in_range(counts.count[MEMLAT_COUNT_STACKS_LOST], 1,
			counts.count[MEMLAT_COUNT_CELLS_LOST] - 1);
	assert_int_equal(find(shard, &heavy)->samples, 5);

	memlat_shard_clear(shard);
	assert_int_equal(shard_samples(shard), 0);
	assert_false(memlat_shard_is_crowded(shard));
	shard_add(shard, &counts, &heavy);
	assert_int_equal(find(shard, &heavy)->samples, 1);
}

/* With a budget, merges are small, and never later than without. */
TEST_WITH(test_due, begin, end)
{
	unsigned int i, even = 0, uneven = 0;

	for (i = 1; i <= MEMLAT_SHARD_CELLS / 2; i++) {
		struct memlat_sample s = sample(i * 64ULL, 50, MEMLAT_SRC_L3);

		shard_add(shard, &counts, &s);
		if (!even && memlat_shard_is_due(shard, true))
			even = i;
		if (!uneven && memlat_shard_is_due(shard, false))
			uneven = i;
	}
	assert_int_equal(even, MEMLAT_SHARD_EVEN + 1);
	assert_int_equal(uneven, MEMLAT_SHARD_CELLS / 4 + 1);
}

/* All places are used before the spill has to take much, because the hash is good. */
TEST_WITH(test_spread, begin, end)
{
	static const u64 stride[] = { 1, 8, 64, 4096, 1 << 20 };
	unsigned int i, k;

	for (k = 0; k < sizeof(stride) / sizeof(stride[0]); k++) {
		for (i = 0; i < MEMLAT_SHARD_CELLS / 2; i++) {
			struct memlat_sample s = sample(i * stride[k], 50, MEMLAT_SRC_L3);

			shard_add(shard, &counts, &s);
		}
		/* By chance alone, 1 in 20 finds its set full. */
		assert_in_range(shard->spilled, 0, MEMLAT_SHARD_CELLS / 40);
		memlat_shard_clear(shard);
	}
}

/*
 * A free place contains a cell of the last round. Two keys have the same set and the same tag: the
 * second one has its own cell in each round.
 */
TEST_WITH(test_rounds, begin, end)
{
	static u64 first[MEMLAT_SHARD_CELLS][256];
	unsigned int i, round, pairs = 0;

	for (i = 1; i < 100000; i++) {
		struct memlat_sample b = sample(i * 8, 50, MEMLAT_SRC_L3), a = b;
		const struct memlat_key key = memlat_key_of(&b, memlat_bucket_of(50));
		u64 hash = memlat_key_hash(&key);

		a.addr = first[memlat_hash_set(hash)][memlat_hash_tag(hash)];
		first[memlat_hash_set(hash)][memlat_hash_tag(hash)] = b.addr;
		if (!a.addr)
			continue;
		pairs++;
		for (round = 0; round < 2; round++) {
			shard_add(shard, &counts, &a);
			shard_add(shard, &counts, &b);
			assert_int_equal(shard->used, 2);
			assert_int_equal(shard_samples(shard), 2);
			memlat_shard_clear(shard);
		}
	}
	assert_in_range(pairs, 1000, i);
}

/* Fill what the next call has on its stack, so that what it does not write there is no 0. */
static __attribute__((noinline)) void dirty_stack(void)
{
	volatile unsigned char stack[1024];
	unsigned int i;

	for (i = 0; i < sizeof(stack); i++)
		stack[i] = 0xa5;
}

TEST_WITH(test_names, begin, end)
{
	const struct memlat_shard_thread *t;
	struct memlat_shard_thread *noted;
	char name[MEMLAT_COMM_BYTES] = "worker", process[MEMLAT_COMM_BYTES] = "server";
	unsigned int i, known = 0;

	memlat_shard_note_thread(shard, 7, 9, 8, name, process)->first_ns = 5;
	memlat_shard_note_thread(shard, 7, 10, 8, name, process);
	t = memlat_shard_find_thread(shard, 7, 9, 8);
	assert_non_null(t);
	/* What the kernel left of a longer name is not part of the name, and no new name. */
	for (i = 0; i < MEMLAT_COMM_BYTES; i++) {
		char rest[MEMLAT_COMM_BYTES], zeros[MEMLAT_COMM_BYTES] = "";

		memset(rest, 0x81, sizeof(rest));
		memset(rest, 0xff, i);
		memcpy(zeros, rest, i);
		rest[i] = '\0';
		noted = memlat_shard_note_thread(shard, 7, 9, 8, rest, rest);
		assert_memory_equal(noted->comm, zeros, sizeof(zeros));
		assert_memory_equal(noted->process, zeros, sizeof(zeros));
		noted->named_ns = 6;
		assert_int_equal(memlat_shard_note_thread(shard, 7, 9, 8, zeros, rest)->named_ns, 6);
	}

	/* Renamed, and not terminated, as a race may leave the name. */
	memset(name, 'x', sizeof(name));
	dirty_stack();
	noted = memlat_shard_note_thread(shard, 7, 9, 8, name, process);
	assert_int_equal(noted->first_ns, 5);
	assert_int_equal(noted->named_ns, 0);
	assert_int_equal(shard->threads, 2);
	assert_string_equal(t->comm, "xxxxxxxxxxxxxxx");

	for (i = 0; i < 1000; i++)
		memlat_shard_note_thread(shard, 1000, 1, i, name, process);
	for (i = 0; i < 1000; i++)
		known += !!memlat_shard_find_thread(shard, 1000, 1, i);
	assert_int_equal(shard->threads, known + 2);
	assert_in_range(known, MEMLAT_SHARD_THREADS / 2, MEMLAT_SHARD_THREADS);
	assert_true(memlat_shard_is_crowded(shard));
	assert_non_null(memlat_shard_find_thread(shard, 7, 9, 8));

	memlat_shard_clear(shard);
	assert_null(memlat_shard_find_thread(shard, 7, 9, 8));
	assert_int_equal(shard->threads, 0);
}

/* A thread that is noted again after a merge has no times of the round before. */
TEST_WITH(test_noted_anew, begin, end)
{
	struct memlat_shard_thread *thread;

	thread = memlat_shard_note_thread(shard, 7, 9, 8, "a name that is cut",
					  "another such name");
	assert_string_equal(thread->comm, "a name that is ");
	assert_string_equal(thread->process, "another such na");
	thread->first_ns = thread->named_ns = thread->tls_base = 4711;
	memlat_shard_note_thread(shard, 7, 9, 8, thread->comm, thread->process);
	assert_int_equal(thread->first_ns, 4711);
	assert_int_equal(thread->named_ns, 4711);
	assert_int_equal(thread->tls_base, 4711);
	memlat_shard_clear(shard);
	assert_ptr_equal(memlat_shard_note_thread(shard, 7, 9, 8, thread->comm, thread->process),
			 thread);
	assert_int_equal(thread->first_ns, 0);
	assert_int_equal(thread->named_ns, 0);
	assert_int_equal(thread->tls_base, 0);
}

TEST(test_stacks)
{
	u64 chain[MEMLAT_STACK_FRAMES + 1] = { 0xffffffff81000010, 0x401000, 0x402000 };
	struct memlat_shard *with = shard_new(true), *none = shard_new(false);
	unsigned int i, placed = 0;
	u16 id;

	id = memlat_shard_stack(with, 7, 9, chain, 3, 1);
	assert_in_range(id, 1, MEMLAT_SHARD_STACKS);
	assert_int_equal(memlat_shard_stack(with, 7, 9, chain, 3, 1), id);
	assert_int_equal(with->stacks, 1);
	assert_int_equal(with->stack[id - 1].frames, 3);
	assert_int_equal(with->stack[id - 1].kernel_frames, 1);
	assert_memory_equal(with->stack[id - 1].frame, chain, 3 * sizeof(*chain));
	/* Other processes, other depths, other frames. */
	assert_int_not_equal(memlat_shard_stack(with, 8, 9, chain, 3, 1), id);
	assert_int_not_equal(memlat_shard_stack(with, 7, 8, chain, 3, 1), id);
	assert_int_not_equal(memlat_shard_stack(with, 7, 9, chain, 2, 1), id);
	assert_int_not_equal(memlat_shard_stack(with, 7, 9, chain, 3, 0), id);
	chain[2]++;
	assert_int_not_equal(memlat_shard_stack(with, 7, 9, chain, 3, 1), id);
	assert_int_equal(with->stacks, 6);
	/* The deepest there may be, and none that may not. */
	assert_int_not_equal(memlat_shard_stack(with, 7, 9, chain, MEMLAT_STACK_FRAMES, 1), 0);
	assert_int_equal(memlat_shard_stack(with, 7, 9, chain, MEMLAT_STACK_FRAMES + 1, 1), 0);
	assert_int_equal(memlat_shard_stack(with, 7, 9, chain, 0, 0), 0);
	assert_int_equal(memlat_shard_stack(none, 7, 9, chain, 3, 1), 0);

	memlat_shard_clear(with);
	assert_int_equal(with->stacks, 0);
	for (i = 0; i < 4 * MEMLAT_SHARD_STACKS; i++) {
		chain[0] = i;
		placed += !!memlat_shard_stack(with, 7, 9, chain, 3, 0);
	}
	assert_int_equal(placed, with->stacks);
	assert_in_range(placed, MEMLAT_SHARD_STACKS / 2, MEMLAT_SHARD_STACKS);
	assert_true(memlat_shard_is_crowded(with));

	/* After that all places are free again, for chains that were not there. */
	memlat_shard_clear(with);
	for (i = 0; i < MEMLAT_SHARD_STACKS / 8; i++) {
		chain[0] = ~(u64)i;
		assert_int_not_equal(memlat_shard_stack(with, 7, 9, chain, 3, 0), 0);
		assert_int_equal(with->stacks, i + 1);
	}
	shard_delete(with);
	shard_delete(none);
}
