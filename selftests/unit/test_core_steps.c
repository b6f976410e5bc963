// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: steps of bursts, and the strides that they are merged into, compared with a simple
 * model.
 */
#include "core_test.h"
#include "tables.h"

#define IPS	5
#define LOADS	200

/* A few bits of the hash decide where an instruction is. None of these share a place. */
static u64 ip_of(unsigned int i)
{
	return 0x401000 + i;
}

struct pair {
	u64 ip;
	int64_t step;
	u32 tgid;
	u64 pairs, stlb_miss, new_page, latency_sum, onward, turned;
};

struct model {
	struct pair pair[4096];
	unsigned int used;
	u64 pairs;
};

/* way: that of the step before; 0: there was none. */
static void model_pair(struct model *model, const struct memlat_sample *from,
		       const struct memlat_sample *to, int64_t way)
{
	const int64_t step = to->addr - from->addr;
	struct pair *pair = model->pair;

	while (pair < model->pair + model->used &&
	       (pair->ip != to->ip || pair->step != step || pair->tgid != to->tgid))
		pair++;
	if (pair == model->pair + model->used) {
		assert_true(model->used < 4096);
		model->used++;
		*pair = (struct pair) { .ip = to->ip, .step = step, .tgid = to->tgid };
	}
	pair->pairs++;
	pair->stlb_miss += to->stlb_miss;
	pair->new_page += from->addr / 4096 != to->addr / 4096;
	pair->latency_sum += to->latency;
	pair->onward += (step > 0 && way > 0) || (step < 0 && way < 0);
	pair->turned += (step > 0 && way < 0) || (step < 0 && way > 0);
	model->pairs++;
}

/* The last step before that of the i-th load that was not zero. */
static int64_t way_before(const struct memlat_sample *s, unsigned int i)
{
	unsigned int to = i, from = i;

	while (from-- > 0) {
		if (s[from].ip != s[i].ip)
			continue;
		if (to != i && s[from].addr != s[to].addr)
			return s[to].addr - s[from].addr;
		to = from;
	}
	return 0;
}

/* For each load of a burst, the load before it of the same instruction. */
static void model_burst(struct model *model, const struct memlat_sample *s, unsigned int n)
{
	unsigned int i, j;

	for (i = 1; i < n; i++) {
		for (j = i; j-- > 0;) {
			if (s[j].ip != s[i].ip)
				continue;
			model_pair(model, &s[j], &s[i], way_before(s, i));
			break;
		}
	}
}

static void burst_make(struct memlat_sample *s, unsigned int n, u32 tgid, u64 *seed)
{
	u64 at[IPS];
	unsigned int i;

	for (i = 0; i < IPS; i++)
		at[i] = 0x10000 + random_next(seed) % 65536;
	for (i = 0; i < n; i++) {
		unsigned int ip = random_next(seed) % IPS;

		/* The first ones are regular, and the last one jumps. */
		at[ip] += ip == IPS - 1 ? random_next(seed) % 64 * 8 - 256 : ip * 2048 - 2048;
		s[i] = sample(at[ip], 3 + random_next(seed) % 500, MEMLAT_SRC_L1);
		s[i].ip = ip_of(ip);
		s[i].tgid = tgid;
		s[i].stlb_miss = random_next(seed) % 4 == 0;
	}
}

static struct memlat_steps *steps;
static struct memlat_counts counts;

static int begin(void **state)
{
	steps = calloc(1, sizeof(*steps));
	assert_non_null(steps);
	memset(&counts, 0, sizeof(counts));
	return 0;
}

static int end(void **state)
{
	free(steps);
	return 0;
}

static void burst_load(const struct memlat_sample *s, unsigned int n)
{
	unsigned int i;

	memlat_steps_begin(steps);
	for (i = 0; i < n; i++)
		memlat_steps_load(steps, &counts, &s[i]);
}

static void assert_table(const struct memlat_table *table, const struct model *model)
{
	const struct memlat_rec_stride *stride = NULL;
	unsigned int i, j;

	assert_int_equal(table->now.used, model->used);
	for (i = 0; i < model->used; i++) {
		const struct pair *pair = &model->pair[i];

		for (j = 0; j < table->now.used; j++) {
			stride = memlat_table_at(table, j);
			if (stride->ip == pair->ip && stride->step == pair->step &&
			    stride->space == pair->tgid)
				break;
		}
		assert_true(j < table->now.used);
		assert_int_equal(stride->hdr.type, MEMLAT_REC_STRIDE);
		assert_int_equal(stride->hdr.size, sizeof(*stride));
		assert_int_equal(stride->gen, 9);
		assert_int_equal(stride->pairs, pair->pairs);
		assert_int_equal(stride->error, 0);
		assert_int_equal(stride->stlb_miss, pair->stlb_miss);
		assert_int_equal(stride->new_page, pair->new_page);
		assert_int_equal(stride->latency_sum, pair->latency_sum);
		assert_int_equal(stride->onward, pair->onward);
		assert_int_equal(stride->turned, pair->turned);
	}
}

/* Many bursts of two processes, with merges in between. */
TEST_WITH(test_as_model, begin, end)
{
	struct memlat_tables *tables = tables_new_with(16 << 20, false, true);
	struct memlat_table *table = &tables->table[MEMLAT_STRIDES];
	struct model *model = calloc(1, sizeof(*model));
	struct memlat_sample s[LOADS];
	unsigned int round, i, n;
	u64 seed = 1;

	assert_non_null(model);
	for (round = 0; round < 300; round++) {
		n = random_next(&seed) % LOADS;
		burst_make(s, n, 7 + round % 2, &seed);
		model_burst(model, s, n);
		burst_load(s, n);
		if (round % 3)
			continue;
		for (i = 0; i < steps->used; i++)
			memlat_strides_add(table, &steps->step[steps->place[i]]);
		memlat_steps_clear(steps);
	}
	for (i = 0; i < steps->used; i++)
		memlat_strides_add(table, &steps->step[steps->place[i]]);
	assert_true(model->used > 100);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS], model->pairs);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS_LOST], 0);
	assert_table(table, model);
	free(model);
	tables_delete(tables);
}

/* A step that has the maximum count counts no more, and the pair is counted as lost. */
TEST_WITH(test_brim, begin, end)
{
	struct memlat_sample s = sample(0x1000, 5, MEMLAT_SRC_L1);
	struct memlat_step *step;

	burst_load(&s, 1);
	s.addr += 64;
	memlat_steps_load(steps, &counts, &s);
	step = &steps->step[steps->place[0]];
	step->pairs = MEMLAT_STEP_PAIRS;
	s.addr += 64;
	memlat_steps_load(steps, &counts, &s);
	assert_int_equal(step->pairs, MEMLAT_STEP_PAIRS);
	assert_int_equal(step->onward, 0);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS], 2);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS_LOST], 1);
}

/* Two instructions with one place: the later one replaces the earlier one, and nothing is mixed. */
TEST_WITH(test_one_place, begin, end)
{
	struct memlat_sample s = sample(0x1000, 5, MEMLAT_SRC_L1), other = s;
	u64 ip;

	memlat_steps_begin(steps);
	memlat_steps_load(steps, &counts, &s);
	/* An instruction that takes its place, unlike those that leave two places. */
	for (ip = s.ip + 1;; ip++) {
		unsigned int i, places = 0;

		memset(steps->ip, 0, sizeof(steps->ip));
		memlat_steps_load(steps, &counts, &s);
		other.ip = ip;
		memlat_steps_load(steps, &counts, &other);
		for (i = 0; i < MEMLAT_STEP_IPS; i++)
			places += steps->ip[i].burst == steps->burst;
		if (places == 1)
			break;
		assert_true(ip < s.ip + 100 * MEMLAT_STEP_IPS);
	}
	memlat_steps_load(steps, &counts, &s);
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS], 0);
	assert_int_equal(steps->used, 0);
}

/* More steps than places: those without a place are counted, and nothing else is lost. */
TEST_WITH(test_full, begin, end)
{
	struct memlat_sample s = sample(0x1000, 5, MEMLAT_SRC_L1);
	u64 seed = 3, pairs = 0;
	unsigned int i;

	memlat_steps_begin(steps);
	for (i = 0; i <= 4 * MEMLAT_STEPS; i++) {
		s.addr = random_next(&seed) * 4096 + random_next(&seed) % 4096;
		memlat_steps_load(steps, &counts, &s);
	}
	assert_true(memlat_steps_is_crowded(steps));
	assert_true(steps->used <= MEMLAT_STEPS);
	for (i = 0; i < steps->used; i++)
		pairs += steps->step[steps->place[i]].pairs;
	assert_int_equal(counts.count[MEMLAT_COUNT_PAIRS], 4 * MEMLAT_STEPS);
	assert_true(counts.count[MEMLAT_COUNT_PAIRS_LOST] > 0);
	assert_int_equal(pairs + counts.count[MEMLAT_COUNT_PAIRS_LOST], 4 * MEMLAT_STEPS);

	/* When it is empty it has room again, also when the rounds wrap. */
	for (i = 0; i < 2; i++) {
		memlat_steps_clear(steps);
		assert_int_equal(steps->used, 0);
		assert_false(memlat_steps_is_crowded(steps));
		s.addr += 8;
		memlat_steps_load(steps, &counts, &s);
		assert_int_equal(steps->used, 1);
		assert_int_equal(steps->step[steps->place[0]].pairs, 1);
		steps->emptied = ~0U - 1;
	}
	assert_false(memlat_steps_is_crowded(NULL));
}

/* Kernel code is one space, whichever process runs it. */
TEST(test_kernel)
{
	struct memlat_tables *tables = tables_new_with(1 << 20, false, true);
	struct memlat_table *table = &tables->table[MEMLAT_STRIDES];
	struct memlat_step step = { .ip = 0xffffffff81000000, .step = 8, .gen = 9, .pairs = 2 };
	const struct memlat_rec_stride *stride;

	for (step.tgid = 7; step.tgid < 10; step.tgid++)
		memlat_strides_add(table, &step);
	assert_int_equal(table->now.used, 1);
	stride = memlat_table_at(table, 0);
	assert_int_equal(stride->space, 0);
	assert_int_equal(stride->gen, 0);
	assert_int_equal(stride->pairs, 6);
	tables_delete(tables);
}
