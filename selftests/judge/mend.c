// SPDX-License-Identifier: GPL-2.0
/* Part what different threads use in one line but for no reason. */
#include <stdlib.h>

#include "plan.h"

/**
 * struct piece - a field of an element, or of all elements of an array
 * @offset: in the element, if the elements of the array have lines of their own; else 0
 * @key: pieces with one key belong together
 */
struct piece {
	uint64_t first, last, offset;
	unsigned int key, object;
	struct plan_users users;
};

#define PIECES	4096

static bool has_threads_elements(const struct plan *plan, unsigned int object)
{
	unsigned int phase, t, s, i;

	if (plan->object[object].count == 1)
		return false;
	for (phase = 0; phase < plan->phases; phase++)
		for (t = 0; t < plan->threads; t++)
			for (s = 0; s < plan->role[phase][t].nr; s++)
				for (i = 0; i < plan->role[phase][t].section[s].nr; i++) {
					const struct plan_op *op =
						&plan->role[phase][t].section[s].op[i];

					if (op->kind != PLAN_WORK && op->object == object &&
					    plan_is_fixed(op))
						return true;
				}
	return false;
}

static unsigned int pieces_of(const struct plan *plan, struct piece *piece)
{
	uint64_t at[PLAN_OBJECTS][2];
	unsigned int nr = 0, i, j, e;

	plan_layout(plan, at);
	for (i = 0; i < plan->objects; i++) {
		const struct plan_object *o = &plan->object[i];
		const bool each = has_threads_elements(plan, i);

		for (j = 0; j < o->fields; j++)
			for (e = 0; e < (each ? o->count : 1) && nr < PIECES; e++) {
				const struct plan_field *f = &o->field[j];
				struct piece *p = &piece[nr];

				p->object = i;
				p->offset = o->count > 1 && o->size % PLAN_LINE == 0 ? f->offset : 0;
				p->first = at[i][0] + (uint64_t)e * o->size + f->offset;
				p->last = p->first + f->width - 1 +
					  (each ? 0 : (uint64_t)(o->count - 1) * o->size);
				p->key = f->unit ? f->unit : 1000 + nr;
				p->users = plan_users(plan, i, j, each ? e : PLAN_ANY);
				nr++;
			}
	}
	return nr;
}

/* Does a thread write the one while another uses the other? */
static bool disturbs(const struct piece *a, const struct piece *b)
{
	const unsigned int uses = b->users.readers | b->users.writers;
	const unsigned int writes = a->users.writers;
	const bool one = !(writes & (writes - 1));

	return writes && uses && !(one && uses == writes);
}

static bool conflict(const struct piece *a, const struct piece *b)
{
	if (a->key == b->key ||
	    (a->users.readers == b->users.readers && a->users.writers == b->users.writers))
		return false;
	if (a->object == b->object && a->offset / PLAN_LINE != b->offset / PLAN_LINE)
		return false;
	if (a->last / PLAN_LINE < b->first / PLAN_LINE || b->last / PLAN_LINE < a->first / PLAN_LINE)
		return false;
	return disturbs(a, b) || disturbs(b, a);
}

static bool together(const struct plan *plan, unsigned int object, unsigned int a, unsigned int b)
{
	const struct plan_field *field = plan->object[object].field;
	const struct plan_users ua = plan_users(plan, object, a, PLAN_ANY);
	const struct plan_users ub = plan_users(plan, object, b, PLAN_ANY);

	if (field[a].unit || field[b].unit)
		return field[a].unit == field[b].unit;
	return ua.writers == ub.writers && (ua.readers == ub.readers || !ua.writers);
}

static uint32_t up(uint32_t value, uint32_t to)
{
	return (value + to - 1) / to * to;
}

/* Give the fields lines of their own, by who uses them. */
static void part(struct plan *plan, unsigned int object)
{
	struct plan_object *o = &plan->object[object];
	bool placed[PLAN_FIELDS] = { false };
	uint32_t offset = 0;
	unsigned int i, j;

	for (i = 0; i < o->fields; i++) {
		if (placed[i])
			continue;
		offset = up(offset, PLAN_APART);
		for (j = i; j < o->fields; j++) {
			struct plan_field *f = &o->field[j];

			if (placed[j] || !together(plan, object, i, j))
				continue;
			if (f->width & (f->width - 1))
				offset = up(offset, 8);
			else
				offset = up(offset, f->width);
			f->offset = offset;
			offset += f->width;
			placed[j] = true;
		}
	}
	o->size = up(offset, PLAN_APART);
}

/* Returns false if nothing was to be done. */
static bool mend(struct plan *plan, struct piece *piece)
{
	bool any = false, inside[PLAN_OBJECTS] = { false };
	unsigned int nr = pieces_of(plan, piece), i, j;

	for (i = 0; i < nr; i++)
		for (j = i + 1; j < nr; j++)
			if (conflict(&piece[i], &piece[j])) {
				any = true;
				if (piece[i].object == piece[j].object)
					inside[piece[i].object] = true;
			}
	for (i = 0; any && i < plan->objects; i++) {
		struct plan_object *o = &plan->object[i];

		o->aligned = true;
		if (inside[i])
			part(plan, i);
		if (has_threads_elements(plan, i))
			o->size = up(o->size, PLAN_APART);
	}
	plan->mended |= any;
	return any;
}

bool plan_mend(struct plan *plan)
{
	struct piece *piece = calloc(PIECES, sizeof(*piece));
	unsigned int times = 0;

	if (!piece)
		abort();
	/* In an object that was not aligned, alignment may bring fields into one line. */
	while (mend(plan, piece) && times < PLAN_OBJECTS)
		times++;
	free(piece);
	return times;
}
