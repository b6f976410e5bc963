// SPDX-License-Identifier: GPL-2.0
/* Who uses what of a plan, at what cost, and where it lies. */
#include "plan.h"

bool plan_op_reads(const struct plan_op *op)
{
	return op->kind != PLAN_STORE && op->kind != PLAN_COPY_IN && op->kind != PLAN_UNLOCK &&
	       op->kind != PLAN_PASS_TURN && op->kind != PLAN_ADVANCE &&
	       op->kind != PLAN_PUBLISH && op->kind != PLAN_WORK;
}

bool plan_op_writes(const struct plan_op *op)
{
	switch (op->kind) {
	case PLAN_STORE:
	case PLAN_ADD:
	case PLAN_LOCKED_ADD:
	case PLAN_COPY_IN:
	case PLAN_LOCK:
	case PLAN_UNLOCK:
	case PLAN_PASS_TURN:
	case PLAN_ADVANCE:
	case PLAN_SEQ_BEGIN:
	case PLAN_SEQ_END:
	case PLAN_PUBLISH:
		return true;
	default:
		return false;
	}
}

struct plan_users plan_users(const struct plan *plan, unsigned int object, unsigned int field,
			     unsigned int element)
{
	struct plan_users users = { 0 };
	unsigned int phase, t, s, i;

	for (phase = 0; phase < plan->phases; phase++)
		for (t = 0; t < plan->threads; t++)
			for (s = 0; s < plan->role[phase][t].nr; s++) {
				const struct plan_section *section =
					&plan->role[phase][t].section[s];

				for (i = 0; i < section->nr; i++) {
					const struct plan_op *op = &section->op[i];

					if (op->kind == PLAN_WORK || op->object != object ||
					    op->field != field)
						continue;
					if (element != PLAN_ANY && plan_is_fixed(op) &&
					    op->index != element)
						continue;
					if (plan_op_reads(op))
						users.readers |= (uint8_t)(1U << t);
					if (plan_op_writes(op))
						users.writers |= (uint8_t)(1U << t);
				}
			}
	return users;
}

static double instructions_of(const struct plan_op *op)
{
	switch (op->kind) {
	case PLAN_WORK:
		return 5.0 * op->n;
	case PLAN_WALK:
		return 6.0 * op->n;
	case PLAN_COPY_OUT:
	case PLAN_COPY_IN:
		return 4 + op->n / 8.0;
	case PLAN_LOCK:
	case PLAN_UNLOCK:
		return 12;
	case PLAN_WAIT_TURN:
	case PLAN_WAIT_ROOM:
	case PLAN_WAIT_ITEM:
		return 20;
	default:
		return 3;
	}
}

double plan_instructions(const struct plan_role *role)
{
	double sum = 3;
	unsigned int s, i;

	for (s = 0; s < role->nr; s++) {
		const struct plan_section *section = &role->section[s];
		double part = section->apart ? 6 : 0;

		for (i = 0; i < section->nr; i++)
			part += (section->op[i].every > 1 ? 5 : 0) +
				instructions_of(&section->op[i]) / section->op[i].every;
		sum += (section->every > 1 || section->waits ? 5 : 0) + part / section->every;
	}
	return sum;
}

static double cycles_of(const struct plan *plan, const struct plan_op *op, unsigned int thread)
{
	const struct plan_object *o = &plan->object[op->object];
	struct plan_users users;
	unsigned int others;

	if (op->kind == PLAN_WORK)
		return 4.0 * op->n;
	if (op->kind == PLAN_WALK)
		return op->n * (op->at == PLAN_AT_RANDOM && o->count > 16384 ? 100.0 : 4.0);
	if (op->kind == PLAN_WAIT_TURN || op->kind == PLAN_WAIT_ROOM || op->kind == PLAN_WAIT_ITEM)
		return 200;
	users = plan_users(plan, op->object, op->field, plan_is_fixed(op) ? op->index : PLAN_ANY);
	others = (users.readers | users.writers) & ~(1U << thread);
	if ((users.writers & ~(1U << thread)) || (others && plan_op_writes(op)))
		return 60;
	return op->kind == PLAN_LOCKED_ADD || op->kind == PLAN_LOCK ? 20 : 2;
}

double plan_cycles(const struct plan *plan, const struct plan_role *role, unsigned int thread)
{
	double sum = 2;
	unsigned int s, i;

	for (s = 0; s < role->nr; s++) {
		const struct plan_section *section = &role->section[s];

		for (i = 0; i < section->nr; i++)
			sum += cycles_of(plan, &section->op[i], thread) /
			       section->op[i].every / section->every;
	}
	return sum;
}

#define GLOBALS	0x555555558080ULL
#define HEAP	0x2a0ULL	/* of the page behind the globals */
#define MAPS	0x7ffff7000000ULL
#define SECOND	0x7fffe0000000ULL
#define PAGE	4096ULL
/* glibc maps larger ones. */
#define HEAP_LARGEST	(128 * 1024)

static uint64_t align_of(const struct plan *plan, const struct plan_object *o)
{
	const uint64_t bytes = (uint64_t)o->size * o->count;

	if (plan->mended)
		return PLAN_APART;
	if (o->aligned)
		return PLAN_LINE;
	/* Compilers align larger globals more. */
	return o->place == PLAN_GLOBAL && bytes < 32 ? 8 : 16;
}

/* Returns where the globals end. */
static uint64_t layout_globals(const struct plan *plan, uint64_t at[PLAN_OBJECTS][2])
{
	uint64_t end = GLOBALS;
	unsigned int i;

	for (i = 0; i < plan->objects; i++) {
		const struct plan_object *o = &plan->object[i];
		const uint64_t align = align_of(plan, o);

		if (o->place != PLAN_GLOBAL)
			continue;
		at[i][0] = at[i][1] = (end + align - 1) / align * align;
		end = at[i][0] + (uint64_t)o->size * o->count;
	}
	return end;
}

void plan_layout(const struct plan *plan, uint64_t at[PLAN_OBJECTS][2])
{
	uint64_t heap = (layout_globals(plan, at) + PAGE - 1) / PAGE * PAGE + HEAP;
	uint64_t map = MAPS, second = SECOND;
	unsigned int i;

	for (i = 0; i < plan->objects; i++) {
		const struct plan_object *o = &plan->object[i];
		const uint64_t bytes = (uint64_t)o->size * o->count, align = align_of(plan, o);
		const uint64_t pages = (bytes + 2 * PAGE - 1) / PAGE * PAGE;

		if (o->place == PLAN_GLOBAL)
			continue;
		if (o->place == PLAN_HEAP && bytes < HEAP_LARGEST) {
			at[i][0] = (heap + align - 1) / align * align;
			/* A chunk has 8 bytes of its own, and is 32 at least. */
			heap = at[i][0] + (bytes < 24 ? 32 : (bytes + 8 + 15) / 16 * 16);
		} else {
			map -= pages;
			at[i][0] = map + (o->place == PLAN_HEAP ? align : 0);
		}
		at[i][1] = at[i][0];
		if (o->place == PLAN_MEMFD) {
			second -= pages;
			at[i][1] = second;
		}
	}
}
