// SPDX-License-Identifier: GPL-2.0
/* Make a plan of a seed. */
#include "plan.h"

#include <stdio.h>
#include <string.h>

#include "maker.h"

const char * const plan_place_name[PLAN_PLACES] = { "global", "heap", "map", "memfd" };

/* splitmix64, of Steele, Lea and Flood, "Fast splittable pseudorandom number generators". */
static uint64_t next(struct maker *m)
{
	uint64_t x = m->random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

unsigned int maker_draw(struct maker *m, unsigned int n)
{
	return (unsigned int)((next(m) >> 32) * n >> 32);
}

unsigned int maker_between(struct maker *m, unsigned int low, unsigned int high)
{
	return low + maker_draw(m, high - low + 1);
}

bool maker_chance(struct maker *m, unsigned int percent)
{
	return maker_draw(m, 100) < percent;
}

unsigned int maker_rate(struct maker *m, unsigned int high)
{
	static const uint16_t rate[] = {
		1, 1, 1, 2, 3, 4, 6, 10, 16, 25, 40, 64, 100, 160, 250, 400, 640, 1000
	};
	unsigned int n = sizeof(rate) / sizeof(*rate);

	while (n > 1 && rate[n - 1] > high)
		n--;
	return rate[maker_draw(m, n)];
}

unsigned int maker_width(struct maker *m)
{
	static const uint8_t width[] = { 1, 2, 4, 4, 8, 8, 8, 8 };

	return width[maker_draw(m, sizeof(width))];
}

void maker_threads(struct maker *m, unsigned int least, unsigned int most)
{
	const unsigned int all = m->plan->threads;
	unsigned int i;

	for (i = 0; i < all; i++)
		m->thread[i] = (uint8_t)i;
	for (i = 0; i < all; i++) {
		unsigned int other = maker_between(m, i, all - 1);
		uint8_t t = m->thread[i];

		m->thread[i] = m->thread[other];
		m->thread[other] = t;
	}
	m->nr = (uint8_t)maker_between(m, least < all ? least : all, most < all ? most : all);
	m->plan->pattern[m->pattern].threads = 0;
	for (i = 0; i < m->nr; i++)
		m->plan->pattern[m->pattern].threads |= (uint8_t)(1U << m->thread[i]);
}

static unsigned int object_new(struct maker *m, const char *stem, unsigned int count,
			       enum plan_place place)
{
	struct plan_object *o = &m->plan->object[m->plan->objects];

	snprintf(o->name, sizeof(o->name), "%s%u", stem, m->plan->objects);
	o->place = (uint8_t)place;
	o->count = count;
	o->aligned = maker_chance(m, 60);
	return m->plan->objects++;
}

unsigned int maker_object(struct maker *m, const char *stem, unsigned int count)
{
	const unsigned int dice = maker_draw(m, 100);

	if (m->plan->forked)
		return object_new(m, stem, count, dice < 60 ? PLAN_MAP : PLAN_MEMFD);
	return object_new(m, stem, count, dice < 45 ? PLAN_GLOBAL : dice < 80 ? PLAN_HEAP :
			  dice < 88 ? PLAN_MAP : PLAN_MEMFD);
}

unsigned int maker_private(struct maker *m, const char *stem, unsigned int count)
{
	return object_new(m, stem, count, count < 4096 && maker_chance(m, 50) ?
			  PLAN_GLOBAL : PLAN_HEAP);
}

unsigned int maker_home(struct maker *m, const char *stem, unsigned int fields)
{
	if (m->home < PLAN_OBJECTS && m->plan->object[m->home].fields + fields <= PLAN_FIELDS &&
	    maker_chance(m, 30))
		return m->home;
	m->home = (uint8_t)maker_object(m, stem, 1);
	return m->home;
}

unsigned int maker_unit(struct maker *m)
{
	return ++m->units;
}

static unsigned int alignment(const struct plan_field *f)
{
	return f->kind == PLAN_BYTES ? 1 : f->kind == PLAN_MUTEX ? 8 : f->width;
}

unsigned int maker_field(struct maker *m, unsigned int object, const char *stem,
			 enum plan_field_kind kind, unsigned int width, unsigned int unit)
{
	struct plan_object *o = &m->plan->object[object];
	struct plan_field *f = &o->field[o->fields];
	unsigned int align;

	snprintf(f->name, sizeof(f->name), "%s%u", stem, o->fields);
	f->kind = (uint8_t)kind;
	f->width = (uint16_t)width;
	f->unit = (uint8_t)unit;
	align = alignment(f);
	/* Vectors are mostly aligned, as compilers align them. */
	if (kind == PLAN_BYTES && (width == 16 || width == 32) && maker_chance(m, 70))
		align = width;
	/* Fields of one unit stay together, as people write them. */
	if (o->count == 1 && o->fields && (!unit || unit != o->field[o->fields - 1].unit) &&
	    maker_chance(m, 15))
		o->size += 8 * maker_between(m, 1, 8);
	f->offset = (o->size + align - 1) / align * align;
	o->size = f->offset + width;
	return o->fields++;
}

void maker_line(struct maker *m, unsigned int object, unsigned int before)
{
	struct plan_object *o = &m->plan->object[object];

	o->size = (o->size + before + PLAN_LINE - 1) / PLAN_LINE * PLAN_LINE;
	if (!o->size)
		o->size = PLAN_LINE;
	o->size -= before;
}

void maker_guard(struct maker *m, unsigned int object, unsigned int field)
{
	m->guarded[object][field] = true;
}

struct plan_section maker_section(struct maker *m, unsigned int every, bool waits)
{
	return (struct plan_section){
		.pattern = m->pattern, .every = (uint16_t)every, .waits = waits,
		.apart = maker_chance(m, 40),
	};
}

struct plan_op *maker_op(struct plan_section *s, enum plan_op_kind kind, unsigned int object,
			 unsigned int field)
{
	struct plan_op *op = &s->op[s->nr++];

	*op = (struct plan_op){
		.kind = (uint8_t)kind, .object = (uint8_t)object, .field = (uint8_t)field, .every = 1,
	};
	return op;
}

void maker_work(struct maker *m, struct plan_section *s, unsigned int high)
{
	maker_op(s, PLAN_WORK, 0, 0)->n = maker_rate(m, high);
}

struct plan_op *maker_load(struct plan_section *s, unsigned int object, unsigned int field)
{
	return maker_op(s, PLAN_LOAD, object, field);
}

struct plan_op *maker_change(struct maker *m, struct plan_section *s, unsigned int object,
			     unsigned int field)
{
	const unsigned int dice = maker_draw(m, 100);
	struct plan_op *op = maker_op(s, PLAN_STORE, object, field);

	if (m->plan->object[object].field[field].kind == PLAN_DATA)
		op->kind = dice < 40 ? PLAN_STORE : dice < 75 ? PLAN_ADD : PLAN_LOCKED_ADD;
	op->n = op->kind == PLAN_LOCKED_ADD && maker_chance(m, 30);
	return op;
}

void maker_add(struct maker *m, unsigned int thread, const struct plan_section *s)
{
	unsigned int phase;

	for (phase = 0; phase < m->plan->phases; phase++) {
		struct plan_role *role = &m->plan->role[phase][thread];

		if (m->phases >> phase & 1 && role->nr < PLAN_SECTIONS)
			role->section[role->nr++] = *s;
	}
}

/* An object's size is a multiple of its alignment, as C has it. */
static void finish_objects(struct maker *m)
{
	struct plan *p = m->plan;
	unsigned int i, j, align;

	for (i = 0; i < p->objects; i++) {
		struct plan_object *o = &p->object[i];

		for (j = 0, align = 1; j < o->fields; j++) {
			struct plan_field *f = &o->field[j];
			const struct plan_users u = plan_users(p, i, j, PLAN_ANY);
			const unsigned int all = u.readers | u.writers;

			if (alignment(f) > align)
				align = alignment(f);
			f->shared = !m->guarded[i][j] && u.writers && (all & (all - 1));
		}
		o->size = (o->size + align - 1) / align * align;
	}
}

/* Threads whose iterations are cheap make more of them in a round. */
static void finish_roles(struct maker *m, uint64_t budget)
{
	double instructions = 0;
	struct plan *p = m->plan;
	unsigned int phase, t;

	for (phase = 0; phase < p->phases; phase++) {
		double cycles[PLAN_THREADS], most = 0;

		for (t = 0; t < p->threads; t++) {
			cycles[t] = plan_cycles(p, &p->role[phase][t], t);
			if (cycles[t] > most)
				most = cycles[t];
		}
		for (t = 0; t < p->threads; t++) {
			struct plan_role *role = &p->role[phase][t];
			const double pace = most / cycles[t];

			role->pace = (uint16_t)(pace > 40 ? 40 : pace + 0.5);
			instructions += role->pace * plan_instructions(role);
		}
	}
	p->rounds = 1 + (uint64_t)((double)budget / instructions);
}

static void fill_idle(struct maker *m)
{
	unsigned int phase, t;

	for (phase = 0; phase < m->plan->phases; phase++) {
		m->phases = (uint8_t)(1U << phase);
		for (t = 0; t < m->plan->threads; t++) {
			struct plan_role *role = &m->plan->role[phase][t];
			bool runs = false;
			unsigned int i;

			for (i = 0; i < role->nr; i++)
				runs |= !role->section[i].waits;
			if (!runs)
				maker_alone(m, t);
		}
	}
}

void plan_make(struct plan *p, uint64_t seed)
{
	struct maker m = { .plan = p, .random = seed ^ (uint64_t)PLAN_VERSION << 56 };
	unsigned int i, patterns;
	uint64_t budget;

	memset(p, 0, sizeof(*p));
	m.home = PLAN_OBJECTS;
	p->seed = seed;
	p->vfork = PLAN_THREADS;
	p->threads = (uint8_t)maker_between(&m, 2, maker_chance(&m, 75) ? 4 : PLAN_THREADS);
	p->phases = maker_chance(&m, 70) ? 1 : (uint8_t)maker_between(&m, 2, PLAN_PHASES);
	p->forked = maker_chance(&m, 15);
	if (!p->forked && maker_chance(&m, 8))
		p->vfork = (uint8_t)maker_draw(&m, p->threads);
	budget = 1000000ULL * maker_between(&m, 40, 150);
	patterns = maker_between(&m, 1, maker_chance(&m, 60) ? 3 : 6);
	for (i = 0; i < patterns; i++) {
		m.pattern = (uint8_t)i;
		m.phases = (uint8_t)((1U << p->phases) - 1);
		if (p->phases > 1 && maker_chance(&m, 60))
			m.phases = (uint8_t)(1U << maker_draw(&m, p->phases));
		p->pattern[i].phases = m.phases;
		maker_pattern(&m);
	}
	p->patterns = (uint8_t)patterns;
	m.pattern = PLAN_PATTERNS - 1;
	fill_idle(&m);
	finish_objects(&m);
	finish_roles(&m, budget);
}
