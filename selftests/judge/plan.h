/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random programs for judging verdicts on shared memory. A seed makes a plan, which is a small
 * program: objects with fields, and what each thread does with them, phase by phase. emit.c prints
 * a plan as C; native.c runs it on the emulator's caches and PMU without QEMU.
 *
 * A seed makes the same plan for ever. A change that alters any plan raises PLAN_VERSION.
 *
 * No plan can hang. A section that waits for another thread runs once in "every" rounds in all its
 * threads, all threads have the same number of rounds in a phase, and sections run in the order of
 * their patterns. So by round, pattern and rank, each wait is for something earlier.
 */
#ifndef JUDGE_PLAN_H
#define JUDGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PLAN_VERSION	1
#define PLAN_THREADS	6
#define PLAN_PHASES	3
#define PLAN_PATTERNS	8
#define PLAN_OBJECTS	48
#define PLAN_FIELDS	24
#define PLAN_SECTIONS	16
#define PLAN_OPS	24
#define PLAN_LINE	64
/* How far apart mending moves what different threads use: a line and the one fetched with it. */
#define PLAN_APART	(2 * PLAN_LINE)

/* Seeds up to FITTING are for fitting, up to JUDGING for judging. */
#define PLAN_SEED_FITTING	999999ULL
#define PLAN_SEED_JUDGING	999999999ULL

enum plan_place {
	PLAN_GLOBAL,
	PLAN_HEAP,
	PLAN_MAP,		/* anonymous shared memory, inherited by fork */
	PLAN_MEMFD,		/* mapped twice: threads with an odd number use the second address */
	PLAN_PLACES
};

enum plan_field_kind {
	PLAN_DATA,
	PLAN_BYTES,		/* copied, or loaded and stored by vectors or over a line's end */
	PLAN_SPIN,
	PLAN_MUTEX,
	PLAN_TURN,		/* the rank of the thread whose turn it is */
	PLAN_INDEX,		/* of a queue */
	PLAN_SEQ,
	PLAN_POINTER,
};

/**
 * struct plan_field - a member of an object
 * @unit: fields of one unit belong together, mending keeps them so; 0: this one stands alone
 * @target: the object that a pointer points to
 * @shared: several threads may use it at once, so accesses are relaxed atomics
 */
struct plan_field {
	char name[12];
	uint8_t kind;
	uint8_t unit;
	uint8_t target;
	bool shared;
	uint16_t width;
	uint32_t offset;
};

/**
 * struct plan_object - a variable or an array
 * @aligned: begins at the beginning of a line, or of two if it is mended
 * @size: bytes of an element
 */
struct plan_object {
	char name[16];
	uint8_t place;
	uint8_t fields;
	bool aligned;
	uint32_t size;
	uint32_t count;
	struct plan_field field[PLAN_FIELDS];
};

enum plan_op_kind {
	PLAN_LOAD,
	PLAN_STORE,
	PLAN_ADD,		/* load and store */
	PLAN_LOCKED_ADD,
	PLAN_COPY_OUT,		/* n bytes of a field into a private buffer */
	PLAN_COPY_IN,
	PLAN_LOCK,
	PLAN_UNLOCK,
	PLAN_WAIT_TURN,		/* until the field is n */
	PLAN_PASS_TURN,		/* make it n */
	PLAN_WAIT_ROOM,		/* until the queue's index is less than n behind mine */
	PLAN_WAIT_ITEM,		/* until it is another than mine */
	PLAN_ADVANCE,		/* store my index, plus one */
	PLAN_SEQ_BEGIN,
	PLAN_SEQ_END,
	PLAN_READ_BEGIN,
	PLAN_READ_END,		/* again from READ_BEGIN if a writer was there, PLAN_TRIES times */
	PLAN_PUBLISH,		/* a pointer to my next element of the target */
	PLAN_GET_POINTER,
	PLAN_WALK,		/* n loads of elements here and there */
	PLAN_WORK,		/* n rounds of arithmetic */
	PLAN_OP_KINDS
};

#define PLAN_TRIES	8

/* Which element of an object. */
enum plan_at {
	PLAN_AT_INDEX,		/* the op's own index */
	PLAN_AT_MINE,		/* this thread's count of the pattern, modulo the elements */
	PLAN_AT_POINTER,	/* where the pointer points that was loaded last */
	PLAN_AT_ROUND,		/* the iteration, modulo the elements */
	PLAN_AT_ALL,		/* one after another */
	PLAN_AT_RANDOM,
};

/**
 * struct plan_op - an operation
 * @every: in each so many iterations of its section
 */
struct plan_op {
	uint8_t kind, object, field, at;
	uint16_t index, every;
	uint32_t n;
};

/**
 * struct plan_section - operations of one pattern, for one thread
 * @waits: for other threads: @every is in rounds then, and in iterations otherwise
 * @apart: it is a function of its own in C
 */
struct plan_section {
	uint8_t pattern;
	uint8_t nr;
	bool waits, apart;
	uint16_t every;
	struct plan_op op[PLAN_OPS];
};

/**
 * struct plan_role - what a thread does in a phase: the body of a loop
 * @pace: iterations in a round, so that all threads need a similar time for a round
 */
struct plan_role {
	uint8_t nr;
	uint16_t pace;
	struct plan_section section[PLAN_SECTIONS];
};

/**
 * struct plan_pattern - a pattern that was drawn
 * @threads: bit per thread
 * @phases: bit per phase
 */
struct plan_pattern {
	const char *name;
	uint8_t threads, phases;
};

/**
 * struct plan - a program
 * @forked: its threads are processes
 * @vfork: the thread that works in children of vfork; PLAN_THREADS: none
 * @rounds: of each phase, by default
 */
struct plan {
	uint64_t seed;
	bool forked, mended;
	uint8_t threads, phases, patterns, objects, vfork;
	uint64_t rounds;
	struct plan_pattern pattern[PLAN_PATTERNS];
	struct plan_object object[PLAN_OBJECTS];
	struct plan_role role[PLAN_PHASES][PLAN_THREADS];
};

/**
 * struct plan_users - the threads that use a field, bit per thread
 */
struct plan_users {
	uint8_t readers, writers;
};

extern const char * const plan_place_name[PLAN_PLACES];

/* Make the plan of a seed. */
void plan_make(struct plan *plan, uint64_t seed);

/*
 * Part what different threads use but for the line: fields get lines of their own by who reads and
 * who writes them, elements by their threads, and objects too. Returns false, and changes nothing,
 * if no line of the plan has such fields.
 */
bool plan_mend(struct plan *plan);

/* Who uses a field of an element; PLAN_ANY: of any element. */
#define PLAN_ANY	(~0U)
struct plan_users plan_users(const struct plan *plan, unsigned int object, unsigned int field,
			     unsigned int element);

/* Does the operation touch one element that is known beforehand? */
static inline bool plan_is_fixed(const struct plan_op *op)
{
	return op->at == PLAN_AT_INDEX;
}

/* Does the operation have a field? Does it load, or store? */
bool plan_op_reads(const struct plan_op *op);
bool plan_op_writes(const struct plan_op *op);

/*
 * Where the objects are, as a program's would be: at[object][second], of which the second differs
 * for PLAN_MEMFD only.
 */
void plan_layout(const struct plan *plan, uint64_t at[PLAN_OBJECTS][2]);

/* Estimates: instructions of an iteration, and cycles. */
double plan_instructions(const struct plan_role *role);
double plan_cycles(const struct plan *plan, const struct plan_role *role, unsigned int thread);

/* Print the plan as a C program, or as JSON. */
void plan_emit(const struct plan *plan, FILE *out);
void plan_describe(const struct plan *plan, FILE *out);

#endif
