/* SPDX-License-Identifier: GPL-2.0 */
/* How a plan is made: random numbers of its seed, and what patterns add to it. */
#ifndef JUDGE_MAKER_H
#define JUDGE_MAKER_H

#include "plan.h"

/**
 * struct maker - a plan being made, and the pattern that is being added
 * @phases: bit per phase in which the pattern runs
 * @nr: how many threads it has, @thread
 * @units: used so far
 * @home: the object that a pattern may share with an earlier one; PLAN_OBJECTS: none
 */
struct maker {
	struct plan *plan;
	uint64_t random;
	uint8_t pattern, phases;
	uint8_t nr, thread[PLAN_THREADS];
	uint8_t units, home;
	/* Fields whose pattern orders all accesses to them, so that they need no atomics. */
	bool guarded[PLAN_OBJECTS][PLAN_FIELDS];
};

/* Draw: from 0 to n - 1; from low to high; yes in that many of 100 cases. */
unsigned int maker_draw(struct maker *m, unsigned int n);
unsigned int maker_between(struct maker *m, unsigned int low, unsigned int high);
bool maker_chance(struct maker *m, unsigned int percent);
/* From 1 to high, each order of magnitude as often as another. */
unsigned int maker_rate(struct maker *m, unsigned int high);
/* 1, 2, 4 or 8 bytes. */
unsigned int maker_width(struct maker *m);

/* Choose from least to most threads for the pattern, in random order. */
void maker_threads(struct maker *m, unsigned int least, unsigned int most);

/* A new object, for data that threads share or for a thread's own. */
unsigned int maker_object(struct maker *m, const char *stem, unsigned int count);
unsigned int maker_private(struct maker *m, const char *stem, unsigned int count);
/* A new object or one that an earlier pattern has made, with room for so many fields more. */
unsigned int maker_home(struct maker *m, const char *stem, unsigned int fields);
unsigned int maker_unit(struct maker *m);

/* Add a field behind the last one; in some cases with a gap between them. */
unsigned int maker_field(struct maker *m, unsigned int object, const char *stem,
			 enum plan_field_kind kind, unsigned int width, unsigned int unit);
/* Begin a new line in the object, so that the next field is `before` bytes before its end. */
void maker_line(struct maker *m, unsigned int object, unsigned int before);
void maker_guard(struct maker *m, unsigned int object, unsigned int field);

/* A section, its operations, and the thread that runs it. */
struct plan_section maker_section(struct maker *m, unsigned int every, bool waits);
struct plan_op *maker_op(struct plan_section *s, enum plan_op_kind kind, unsigned int object,
			 unsigned int field);
void maker_work(struct maker *m, struct plan_section *s, unsigned int high);
/* Load a field, or change it in one way or another. */
struct plan_op *maker_load(struct plan_section *s, unsigned int object, unsigned int field);
struct plan_op *maker_change(struct maker *m, struct plan_section *s, unsigned int object,
			     unsigned int field);
void maker_add(struct maker *m, unsigned int thread, const struct plan_section *s);

/* Draw a pattern, and add it. */
void maker_pattern(struct maker *m);
/* A pattern for a thread that has nothing else to do. */
void maker_alone(struct maker *m, unsigned int thread);

#endif
