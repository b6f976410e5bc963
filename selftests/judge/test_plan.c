// SPDX-License-Identifier: GPL-2.0
/* Plans: the same for a seed for ever, sound, and spread over everything that they may have. */
#include <stdlib.h>
#include <string.h>

#include "../unit/harness.h"
#include "plan.h"

#define SEEDS	1000

static struct plan plan;

static char *text_of(uint64_t seed, bool mended)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	plan_make(&plan, seed);
	if (mended)
		plan_mend(&plan);
	plan_emit(&plan, out);
	plan_describe(&plan, out);
	fclose(out);
	return text;
}

TEST(same_seed_same_text)
{
	char *one = text_of(77, false), *again = text_of(77, false), *other = text_of(78, false);

	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
	free(one);
	free(again);
	free(other);
}

static uint64_t add(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ULL;
}

static uint64_t add_section(uint64_t hash, const struct plan_section *s)
{
	unsigned int i;

	hash = add(add(hash, s->every), s->waits * 2 + s->apart);
	for (i = 0; i < s->nr; i++) {
		const struct plan_op *op = &s->op[i];

		hash = add(add(add(hash, op->kind), op->object), op->field);
		hash = add(add(add(add(hash, op->at), op->index), op->every), op->n);
	}
	return hash;
}

static uint64_t hash_of(const struct plan *p, uint64_t hash)
{
	unsigned int i, j, phase;

	hash = add(add(hash, p->rounds), p->forked);
	for (i = 0; i < p->objects; i++) {
		hash = add(add(add(hash, p->object[i].place), p->object[i].size), p->object[i].count);
		for (j = 0; j < p->object[i].fields; j++)
			hash = add(add(hash, p->object[i].field[j].offset), p->object[i].field[j].width);
	}
	for (phase = 0; phase < p->phases; phase++)
		for (i = 0; i < p->threads; i++)
			for (j = 0; j < p->role[phase][i].nr; j++)
				hash = add_section(hash, &p->role[phase][i].section[j]);
	return hash;
}

/* If this fails, plans have changed, and results of other versions are of other programs. */
TEST(plans_of_this_version)
{
	uint64_t hash = 0xcbf29ce484222325ULL, seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		plan_make(&plan, seed);
		hash = hash_of(&plan, hash);
	}
	assert_int_equal(PLAN_VERSION, 1);
	assert_int_equal(hash, 0x4275849396463006ULL);
}

static void check_object(const struct plan_object *o)
{
	unsigned int i, j;

	assert_true(o->size && o->count && o->fields);
	for (i = 0; i < o->fields; i++) {
		const struct plan_field *f = &o->field[i];

		assert_true(f->offset + f->width <= o->size);
		if (f->kind != PLAN_BYTES && f->kind != PLAN_MUTEX)
			assert_int_equal(f->offset % f->width, 0);
		for (j = 0; j < i; j++)
			assert_true(f->offset >= o->field[j].offset + o->field[j].width ||
				    f->offset + f->width <= o->field[j].offset);
	}
}

/* Mending leaves nothing to mend, and the same operations. */
TEST(sound)
{
	static struct plan twin;
	unsigned int i, none = 0;
	uint64_t seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		plan_make(&plan, seed);
		for (i = 0; i < plan.objects; i++)
			check_object(&plan.object[i]);
		twin = plan;
		if (!plan_mend(&twin)) {
			assert_memory_equal(&twin, &plan, sizeof(plan));
			none++;
			continue;
		}
		for (i = 0; i < twin.objects; i++)
			check_object(&twin.object[i]);
		assert_memory_equal(&twin.role, &plan.role, sizeof(plan.role));
		assert_false(plan_mend(&twin));
	}
	assert_in_range(none, SEEDS / 10, SEEDS / 3);
}

/* How many programs have what. */
struct spread {
	unsigned int threads[PLAN_THREADS + 1], phases[PLAN_PHASES + 1], place[PLAN_PLACES];
	unsigned int op[PLAN_OP_KINDS], width[64], split, shared, forked, vfork, pace;
	unsigned int rate[4];	/* by order of magnitude */
};

static void count_ops(struct spread *sp, const struct plan_role *role)
{
	unsigned int s, i;

	sp->pace += role->pace > 1;
	for (s = 0; s < role->nr; s++)
		for (i = 0; i < role->section[s].nr; i++) {
			const struct plan_op *op = &role->section[s].op[i];
			const unsigned int every = op->every * role->section[s].every;

			sp->op[op->kind]++;
			sp->rate[every < 10 ? 0 : every < 100 ? 1 : every < 1000 ? 2 : 3]++;
		}
}

static void count_fields(struct spread *sp, const struct plan_object *o)
{
	unsigned int i;

	sp->place[o->place]++;
	for (i = 0; i < o->fields; i++) {
		const struct plan_field *f = &o->field[i];

		if (f->width < 64)
			sp->width[f->width]++;
		sp->shared += f->shared;
		sp->split += o->aligned && o->count == 1 && f->width <= 32 &&
			     f->offset / PLAN_LINE != (f->offset + f->width - 1) / PLAN_LINE;
	}
}

TEST(spread)
{
	static const uint8_t width[] = { 1, 2, 4, 8, 16, 32 };
	struct spread sp = { 0 };
	unsigned int i, phase;
	uint64_t seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		plan_make(&plan, seed);
		sp.threads[plan.threads]++;
		sp.phases[plan.phases]++;
		sp.forked += plan.forked;
		sp.vfork += plan.vfork < plan.threads;
		for (i = 0; i < plan.objects; i++)
			count_fields(&sp, &plan.object[i]);
		for (phase = 0; phase < plan.phases; phase++)
			for (i = 0; i < plan.threads; i++)
				count_ops(&sp, &plan.role[phase][i]);
	}
	for (i = 2; i <= PLAN_THREADS; i++)
		assert_in_range(sp.threads[i], SEEDS / 40, SEEDS / 2);
	for (i = 1; i <= PLAN_PHASES; i++)
		assert_in_range(sp.phases[i], SEEDS / 10, SEEDS);
	for (i = 0; i < PLAN_PLACES; i++)
		assert_true(sp.place[i] > SEEDS / 10);
	for (i = 0; i < PLAN_OP_KINDS; i++)
		assert_true(sp.op[i] > SEEDS / 20);
	for (i = 0; i < sizeof(width); i++)
		assert_true(sp.width[width[i]] > SEEDS / 20);
	for (i = 0; i < 4; i++)
		assert_true(sp.rate[i] > SEEDS / 10);
	assert_in_range(sp.forked, SEEDS / 10, SEEDS / 5);
	assert_true(sp.vfork > SEEDS / 50 && sp.split > SEEDS / 50 && sp.shared > SEEDS);
	assert_true(sp.pace > SEEDS / 10);
}
