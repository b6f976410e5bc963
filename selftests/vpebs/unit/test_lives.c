// SPDX-License-Identifier: GPL-2.0
/*
 * Lives of lines: traces worked by hand, of the kinds of Dubois et al. (ISCA 1993), with the class
 * of each miss and what its loads waited. Threads are numbered by their CPUs.
 */
#include "../lives_internal.h"
#include "../truth_out.h"
#include "cache_test.h"

#include <json-c/json.h>

#define ESSENTIAL	LIVES_ESSENTIAL
#define OVERWRITTEN	LIVES_OVERWRITTEN
#define USELESS		LIVES_USELESS

struct world {
	struct vp_cache *cache;
	struct vp_lives *lives;
};

static unsigned int thread_of_cpu[4];

static void who(unsigned int cpu, struct vp_thread *to)
{
	to->space = 0x1000;
	to->fs = thread_of_cpu[cpu];
}

static int world(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	unsigned int i;

	*state = w;
	for (i = 0; i < 4; i++)
		thread_of_cpu[i] = i;
	w->cache = vp_cache_new(&two_by_two);
	w->lives = vp_lives_new(4, who);
	assert_true(vp_cache_lives(w->cache, w->lives));
	/* Thread numbers are then those of the CPUs. */
	for (i = 0; i < 4; i++)
		vp_lives_thread(w->lives, i);
	return 0;
}

static int unworld(void **state)
{
	struct world *w = *state;
	unsigned int faults = cache_faults(w->cache);

	vp_cache_free(w->cache);
	vp_lives_free(w->lives);
	free(w);
	return faults ? -1 : 0;
}

/* A load or a store of bytes of line A. */
static struct vp_outcome r(struct world *w, unsigned int cpu, unsigned int byte, unsigned int size)
{
	return access_at(w->cache, cpu, A + byte, A + byte, size, false, false);
}

static struct vp_outcome s(struct world *w, unsigned int cpu, unsigned int byte, unsigned int size)
{
	return access_at(w->cache, cpu, A + byte, A + byte, size, true, false);
}

static struct vp_outcome locked(struct world *w, unsigned int cpu, unsigned int byte)
{
	struct vp_outcome o = access_at(w->cache, cpu, A + byte, A + byte, 8, false, true);

	access_at(w->cache, cpu, A + byte, A + byte, 8, true, true);
	return o;
}

static void assert_sharing(struct world *w, unsigned int essential, unsigned int overwritten,
			   unsigned int useless)
{
	vp_lives_end(w->lives);
	assert_int_equal(w->lives->sharing[ESSENTIAL][0], essential);
	assert_int_equal(w->lives->sharing[OVERWRITTEN][0], overwritten);
	assert_int_equal(w->lives->sharing[USELESS][0], useless);
	assert_int_equal(w->lives->unkept, 0);
}

static const struct lives_line *line_of(const struct world *w, uint64_t paddr)
{
	size_t i;

	for (i = 0; i <= w->lives->mask; i++)
		if (w->lives->index[i] && w->lives->index[i]->line == paddr / LINE)
			return w->lives->index[i];
	fail_msg("no such line");
	return NULL;
}

static const struct lives_pair *pair_of(const struct world *w, uint32_t reader, uint32_t writer)
{
	const struct lives_pair *pair = line_of(w, A)->pairs;

	while (pair && (pair->reader != reader || pair->writer != writer))
		pair = pair->next;
	assert_non_null(pair);
	return pair;
}

/* First misses, by whatever core and whoever wrote before, are cold. */
TEST_WITH(test_cold, world, unworld)
{
	struct world *w = *state;

	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	r(w, 2, 32, 8);
	assert_sharing(w, 0, 0, 0);
	assert_int_equal(w->lives->began[BEGAN_COLD][0], 3);
	/* The store is no load. */
	assert_int_equal(w->lives->began[BEGAN_COLD][1], 2);
}

/* Ping-pong over one word: each miss but the first of each core brings a new value. */
TEST_WITH(test_pure_true_sharing, world, unworld)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		r(w, 0, 8, 8);
		s(w, 0, 8, 8);
		r(w, 1, 8, 8);
		s(w, 1, 8, 8);
	}
	assert_sharing(w, 8, 0, 0);
	assert_int_equal(pair_of(w, 0, 1)->life[ESSENTIAL][0], 4);
	assert_int_equal(pair_of(w, 1, 0)->life[ESSENTIAL][0], 4);
}

/* The same with a word for each: no miss but the cold ones brings anything. */
TEST_WITH(test_pure_false_sharing, world, unworld)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		r(w, 0, 0, 8);
		s(w, 0, 0, 8);
		r(w, 1, 8, 8);
		s(w, 1, 8, 8);
	}
	assert_sharing(w, 0, 0, 8);
}

/* A value counts when it is used, even if the load that missed was of another byte. */
TEST_WITH(test_value_is_used_later_in_the_life, world, unworld)
{
	struct world *w = *state;

	r(w, 1, 32, 4);
	s(w, 0, 0, 4);
	r(w, 1, 32, 4);
	r(w, 1, 0, 1);
	assert_sharing(w, 1, 0, 0);
}

/* A value that was not used in one life is still new in the next. */
TEST_WITH(test_value_stays_pending_over_a_useless_life, world, unworld)
{
	struct world *w = *state;

	r(w, 1, 32, 4);		/* cold */
	s(w, 0, 0, 4);
	r(w, 1, 32, 4);		/* useless: 0..3 stay pending */
	s(w, 0, 8, 4);
	r(w, 1, 0, 4);		/* essential: nothing is pending any more, 8..11 neither */
	s(w, 0, 16, 4);
	r(w, 1, 8, 4);		/* useless */
	assert_sharing(w, 1, 0, 2);
}

/* Own values bring nothing, though the byte was another core's before. */
TEST_WITH(test_own_value_is_not_communicated, world, unworld)
{
	struct world *w = *state;

	s(w, 1, 0, 4);		/* cold */
	s(w, 0, 0, 4);		/* cold */
	s(w, 1, 0, 4);		/* overwritten */
	r(w, 1, 0, 4);		/* its own */
	s(w, 0, 32, 4);		/* useless: 0..3 are pending, and stay so */
	r(w, 1, 0, 4);		/* useless: still its own */
	assert_sharing(w, 0, 1, 2);
}

TEST_WITH(test_two_write_the_same_word, world, unworld)
{
	struct world *w = *state;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		s(w, 0, 8, 8);
		s(w, 1, 8, 8);
	}
	assert_sharing(w, 0, 4, 0);
}

/* A byte beside a byte in one word is another byte. */
TEST_WITH(test_granularity_is_the_byte, world, unworld)
{
	struct world *w = *state;

	s(w, 0, 5, 1);
	s(w, 1, 4, 1);
	r(w, 0, 5, 1);		/* useless */
	s(w, 1, 4, 1);
	r(w, 0, 4, 2);		/* essential */
	assert_sharing(w, 1, 0, 1);
}

TEST_WITH(test_eviction_ends_a_life, world, unworld)
{
	struct world *w = *state;

	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	push_out(w->cache, 1, A, 0);
	r(w, 1, 0, 8);		/* after an eviction: no sharing */
	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	assert_sharing(w, 1, 0, 0);
	assert_int_equal(line_of(w, A)->began[BEGAN_EVICTED][0], 1);
	assert_int_equal(line_of(w, A)->began[BEGAN_COLD][0], 2);
}

/* Nor are the pending bytes that such a life loads an essential life's. */
TEST_WITH(test_eviction_is_not_essential, world, unworld)
{
	struct world *w = *state;
	const struct lives_use *use;

	r(w, 1, 32, 8);
	s(w, 0, 0, 8);
	r(w, 1, 32, 8);		/* useless */
	push_out(w->cache, 1, A, 0);
	r(w, 1, 0, 8);
	assert_sharing(w, 0, 0, 1);
	for (use = line_of(w, A)->uses; use; use = use->next)
		assert_int_equal(use->essential, 0);
}

/* What was written before an eviction is seen by who comes after it. */
TEST_WITH(test_written_evicted_read, world, unworld)
{
	struct world *w = *state;

	r(w, 1, 0, 8);
	s(w, 0, 0, 8);
	push_out(w->cache, 0, A, 0);
	r(w, 1, 0, 8);
	assert_sharing(w, 1, 0, 0);
}

/* What loads waited: the miss, and those behind it in the fill buffer, but no hit. */
TEST_WITH(test_waited, world, unworld)
{
	struct world *w = *state;
	struct vp_outcome miss, behind;
	const struct lives_pair *pair;

	warm_tlb(w->cache, 1, A);
	r(w, 1, 32, 8);
	settle(w->cache, 1);
	s(w, 0, 0, 8);
	miss = r(w, 1, 32, 8);
	behind = r(w, 1, 40, 8);
	assert_int_equal(miss.code, VP_L3_HITM);
	assert_int_equal(behind.code, VP_LFB);
	settle(w->cache, 1);
	assert_int_equal(r(w, 1, 32, 8).code, VP_L1);
	vp_lives_end(w->lives);
	pair = pair_of(w, 1, 0);
	assert_int_equal(pair->life[USELESS][1], 2);
	assert_int_equal(pair->life[USELESS][2], miss.latency + behind.latency);
}

/* Each access over a line's end belongs to both lines, each with its own bytes. */
TEST_WITH(test_access_over_the_end, world, unworld)
{
	struct world *w = *state;

	access_at(w->cache, 0, A + 60, A + 60, 8, true, false);
	r(w, 1, 32, 4);
	access_at(w->cache, 1, A + LINE + 32, A + LINE + 32, 4, false, false);
	access_at(w->cache, 0, A + 60, A + 60, 8, true, false);
	r(w, 1, 32, 4);						/* useless */
	access_at(w->cache, 1, A + LINE + 3, A + LINE + 3, 1, false, false);	/* essential */
	assert_sharing(w, 1, 0, 1);
	assert_int_equal(line_of(w, A)->pairs->life[USELESS][0], 1);
	assert_int_equal(line_of(w, A + LINE)->pairs->life[ESSENTIAL][0], 1);
}

/* A core that reads, then asks for ownership, is as useful as the lives that it ends. */
TEST_WITH(test_upgrades, world, unworld)
{
	struct world *w = *state;
	unsigned int i;
	struct vp_outcome o = { 0 };

	for (i = 0; i < 4; i++) {
		o = locked(w, 0, 0);
		r(w, 1, 32, 8);
	}
	assert_sharing(w, 0, 0, 3);
	/* The first ends the other's cold life. */
	assert_int_equal(w->lives->upgrade[ESSENTIAL][0], 1);
	assert_int_equal(w->lives->upgrade[USELESS][0], 2);
	assert_int_equal(w->lives->upgrade[USELESS][1], 2);
	assert_true(w->lives->upgrade[USELESS][2] >= o.latency);
	assert_int_equal(pair_of(w, 0, 1)->upgrade[USELESS][0], 2);
}

TEST_WITH(test_upgrade_by_store_waits_for_nothing, world, unworld)
{
	struct world *w = *state;

	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	s(w, 0, 0, 8);
	assert_sharing(w, 1, 0, 0);
	assert_int_equal(w->lives->upgrade[ESSENTIAL][0], 2);
	assert_int_equal(w->lives->upgrade[ESSENTIAL][2], 0);
}

/* A line that a core had when counting began is no cold miss, and its loss makes the next one. */
TEST_WITH(test_held, world, unworld)
{
	struct world *w = *state;

	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	vp_cache_lives(w->cache, NULL);
	vp_lives_begin(w->lives);
	vp_cache_lives(w->cache, w->lives);
	r(w, 1, 0, 8);
	s(w, 0, 0, 8);
	r(w, 1, 0, 8);
	assert_sharing(w, 1, 0, 0);
	assert_int_equal(w->lives->began[BEGAN_HELD][0], 2);
	assert_int_equal(w->lives->began[BEGAN_COLD][0], 0);
}

/* Threads are told apart by who runs, not by the CPU. */
TEST_WITH(test_threads, world, unworld)
{
	struct world *w = *state;
	const struct lives_use *use;
	unsigned int uses = 0;

	r(w, 1, 32, 8);
	s(w, 0, 0, 8);
	thread_of_cpu[1] = 7;
	r(w, 1, 32, 8);
	vp_lives_end(w->lives);
	assert_int_equal(w->lives->threads, 5);
	assert_int_equal(pair_of(w, 4, 0)->life[USELESS][0], 1);
	for (use = line_of(w, A)->uses; use; use = use->next) {
		uses++;
		assert_int_equal(use->loaded, use->thread ? 0xffULL << 32 : 0);
		assert_int_equal(use->stored, use->thread ? 0 : 0xff);
		assert_int_equal(use->essential, 0);
	}
	assert_int_equal(uses, 3);
}

/* A thread that stores to what its core may write already does not get ownership. */
TEST_WITH(test_owner_is_who_got_it, world, unworld)
{
	struct world *w = *state;
	unsigned int i;

	r(w, 1, 32, 8);
	s(w, 0, 0, 8);
	thread_of_cpu[0] = 7;
	s(w, 0, 8, 8);
	/* Out of L1, but not out of L2. */
	for (i = 1; i <= vp_config_skx.l1.ways; i++)
		load(w->cache, 0, A + i * L1_ALIAS);
	assert_int_equal(s(w, 0, 16, 8).code, VP_L2);
	r(w, 1, 32, 8);
	vp_lives_end(w->lives);
	assert_int_equal(pair_of(w, 1, 0)->life[USELESS][0], 1);
}

/* Further items of a string instruction use bytes, and are no accesses. */
TEST_WITH(test_more, world, unworld)
{
	struct world *w = *state;
	const struct vp_access more = { .cpu = 1, .size = 4, .vaddr = A + 4, .paddr = A + 4 };

	r(w, 1, 0, 4);
	s(w, 0, 4, 4);
	r(w, 1, 0, 4);
	vp_cache_more(w->cache, &more);
	assert_sharing(w, 1, 0, 0);
	assert_int_equal(line_of(w, A)->pairs->life[ESSENTIAL][1], 1);
}

/* The trace has each access with what it met, and evictions before what caused them. */
TEST_WITH(test_trace, world, unworld)
{
	struct world *w = *state;
	FILE *file = tmpfile();
	struct vp_lives_row row[3];
	struct vp_outcome o;

	assert_non_null(file);
	vp_lives_trace(w->lives, file);
	vp_lives_begin(w->lives);
	vp_lives_thread(w->lives, 0);
	o = access_at(w->cache, 1, 0x7000 + 62, A + 62, 4, true, true);
	rewind(file);
	/* First that a bracket begins. */
	assert_int_equal(fread(row, sizeof(*row), 1, file), 1);
	assert_int_equal(row[0].kind, VP_ROW_BEGIN);
	assert_int_equal(fread(row, sizeof(*row), 3, file), 2);
	assert_int_equal(row[0].vaddr, 0x7000 + 62);
	assert_int_equal(row[0].paddr, A + 62);
	assert_int_equal(row[0].size, 2);
	assert_int_equal(row[1].vaddr, 0x7000 + 64);
	assert_int_equal(row[1].paddr, A + 64);
	assert_int_equal(row[1].size, 2);
	assert_int_equal(row[0].kind, VP_ROW_STORE | VP_ROW_LOCKED);
	assert_int_equal(row[0].cpu, 1);
	assert_int_equal(row[0].thread, 1);
	assert_true(row[0].code == o.code || row[1].code == o.code);
	vp_lives_trace(w->lives, NULL);
	fclose(file);
}

/* Each life begins with a row: an access that its core had not the line for, or a prefetch. */
TEST_WITH(test_trace_of_prefetches, world, unworld)
{
	struct world *w = *state;
	struct vp_config config = vp_config_skx;
	FILE *file = tmpfile();
	struct vp_lives_row row;
	uint64_t begun = 0, prefetched = 0;
	struct vp_cache *cache;
	unsigned int i;

	config.prefetch = true;
	cache = vp_cache_new_config(&two_by_two, &config);
	assert_non_null(cache);
	assert_non_null(file);
	assert_true(vp_cache_lives(cache, w->lives));
	vp_lives_trace(w->lives, file);
	for (i = 0; i < 400; i++) {
		access_at(cache, 0, A + 8 * i, A + 8 * i, 8, false, false);
		access_at(cache, 0, A + MIB + 256 * i, A + MIB + 256 * i, 8, false, false);
	}
	rewind(file);
	while (fread(&row, sizeof(row), 1, file) == 1) {
		prefetched += row.kind == VP_ROW_PREFETCH;
		begun += row.kind == VP_ROW_PREFETCH || (!row.kind && row.code >= VP_L3);
	}
	vp_lives_trace(w->lives, NULL);
	vp_lives_end(w->lives);
	assert_true(prefetched > 20);
	assert_int_equal(w->lives->began[BEGAN_COLD][0], begun);
	vp_cache_free(cache);
	fclose(file);
}

TEST_WITH(test_json, world, unworld)
{
	struct world *w = *state;
	char text[8192];
	struct json out = { .buf = text, .size = sizeof(text) };
	json_object *all, *lives, *line, *pair, *n;

	r(w, 1, 32, 8);
	s(w, 0, 0, 8);
	r(w, 1, 32, 8);
	vp_lives_end(w->lives);
	json_open(&out, NULL, '{');
	vp_lives_json(w->lives, &out);
	json_close(&out, '}');
	text[out.length] = '\0';
	all = json_tokener_parse(text);
	assert_non_null(all);
	assert_true(json_object_object_get_ex(all, "lives", &lives));
	assert_true(json_object_object_get_ex(lives, "lines", &n));
	assert_int_equal(json_object_array_length(n), 1);
	line = json_object_array_get_idx(n, 0);
	assert_true(json_object_object_get_ex(line, "vaddr", &n));
	assert_string_equal(json_object_get_string(n), "0x100040");
	assert_true(json_object_object_get_ex(line, "pairs", &n));
	pair = json_object_array_get_idx(n, 0);
	assert_true(json_object_object_get_ex(pair, "reader", &n));
	assert_int_equal(json_object_get_int(n), 1);
	assert_true(json_object_object_get_ex(pair, "useless", &n));
	assert_int_equal(json_object_get_int(json_object_array_get_idx(n, 0)), 1);
	json_object_put(all);
}

/* A cache that is asked for nothing does what it does with lives. */
TEST_WITH(test_lives_change_nothing, world, unworld)
{
	struct world *w = *state;
	struct vp_cache *plain = vp_cache_new(&two_by_two);
	uint64_t seed = 1;
	unsigned int i;

	for (i = 0; i < 200000; i++) {
		struct vp_access access;
		struct vp_outcome a, b;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		access = (struct vp_access) {
			.cpu = seed >> 33 & 3, .store = !(seed >> 35 & 3), .locked = !(seed >> 37 & 15),
			.size = 1U << (seed >> 41 & 3), .paddr = (seed >> 43) % (3000 * LINE),
		};
		access.vaddr = access.paddr;
		vp_cache_access(plain, &access, &a);
		vp_cache_access(w->cache, &access, &b);
		assert_int_equal(a.code, b.code);
		assert_int_equal(a.latency, b.latency);
	}
	vp_cache_free(plain);
	vp_lives_end(w->lives);
	assert_true(w->lives->sharing[USELESS][0] > 1000);
	assert_true(w->lives->sharing[ESSENTIAL][0] > 1000);
}
