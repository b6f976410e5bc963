// SPDX-License-Identifier: GPL-2.0
/*
 * Interpret a plan: each operation makes the accesses that its C code makes, and waits as that
 * does. Only values on which somebody waits are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "native.h"

#define FUNCTION	0x1000ULL	/* bytes of a function, of an operation in it */
#define OPERATION	0x20ULL
#define FUNCTIONS	(PLAN_SECTIONS + 1)	/* of a thread in a phase: the loop, sections apart */
#define OBJECTS_PHYS	0x10000000ULL
#define MAPS_PHYS	0x40000000ULL
#define GATE		0x555555557f80ULL
#define CHILDREN	4		/* of vfork, in a phase */
#define CHILD_PID	2000
#define STUCK		200		/* times the instructions that a plan should need */

enum step_kind { STEP_SECTION, STEP_OP, STEP_END };

/**
 * struct step - an operation, or the beginning of a section
 * @every: in each so many iterations
 * @skip: where it goes on if it is not its turn
 */
struct step {
	uint8_t kind, pattern;
	uint16_t skip;
	uint64_t every, ip;
	const struct plan_op *op;
};

#define STEPS	(PLAN_SECTIONS * (PLAN_OPS + 1) + 1)

/**
 * struct thread - a thread, on the CPU of its number
 * @at: its step; @again: where READ_END goes back to
 * @part: how far it got in an operation that waits
 * @node: the element that its pointer points to
 */
struct thread {
	struct step step[PLAN_PHASES][STEPS];
	unsigned int phase, at, again, tries, part, node;
	uint64_t i, end, random, next[PLAN_PATTERNS];
	bool in_gate, done;
};

static const struct plan *plan;
static const struct native *run;
static struct thread threads[PLAN_THREADS];
static uint64_t address[PLAN_OBJECTS][2], value[PLAN_OBJECTS][PLAN_FIELDS];
static unsigned int arrived, cpu_now;
static uint64_t executed, ip_now;

/* ---------------------------------------------------------------- who runs */

struct native_thread native_who(unsigned int cpu)
{
	static const char * const name[] = { "t0", "t1", "t2", "t3", "t4", "t5", "", "" };
	const struct thread *t = &threads[cpu % PLAN_THREADS];
	struct native_thread who = {
		.tgid = NATIVE_PID, .tid = NATIVE_PID + 1 + cpu, .space = 0x10000000,
		.fs = 0x7ffff6000000 - cpu * 0x801000ULL, .role = name[cpu],
	};

	if (cpu >= plan->threads) {
		who.tid = who.tgid;
		who.fs = 0x7ffff7c00000;
	} else if (plan->forked) {
		who.tgid = who.tid;
		who.space += 0x1000000ULL * (1 + cpu);
		who.fs = 0x7ffff7c00000;
	} else if (cpu == plan->vfork && !t->in_gate && !t->done) {
		who.tgid = CHILD_PID + t->phase * CHILDREN +
			   (t->end ? (uint32_t)(t->i * CHILDREN / t->end) : 0);
		who.tid = who.tgid;
	}
	return who;
}

/* ---------------------------------------------------------------- accesses */

static uint64_t physical(uint64_t addr)
{
	return addr >> 40 == 0x7f ? MAPS_PHYS + (addr & 0x3fffffff) : OBJECTS_PHYS + (addr & 0xffffff);
}

static void touch(uint64_t addr, uint64_t paddr, unsigned int size, bool store, bool locked)
{
	const struct vp_access access = {
		.cpu = cpu_now, .store = store, .user = true, .locked = locked, .size = size,
		.ip = ip_now, .vaddr = addr, .paddr = paddr,
	};

	machine_access(&access);
	program_executes(ip_now, size, store, locked);
	executed++;
	ip_now += 4;
}

static void work(unsigned int n, bool chained)
{
	machine_work(cpu_now, n, chained);
	executed += n;
}

struct place {
	uint64_t addr, paddr;
	unsigned int width;
};

static struct place place_of(const struct plan_op *op, uint64_t element)
{
	const struct plan_object *o = &plan->object[op->object];
	const uint64_t offset = element % o->count * o->size + o->field[op->field].offset;

	return (struct place){
		.addr = address[op->object][cpu_now % 2] + offset,
		.paddr = physical(address[op->object][0]) + offset,
		.width = o->field[op->field].width,
	};
}

static void load(const struct place *p)
{
	touch(p->addr, p->paddr, p->width, false, false);
}

static void store(const struct place *p)
{
	touch(p->addr, p->paddr, p->width, true, false);
}

/* One instruction, both a load and a store, of the same address. */
static void locked(const struct place *p)
{
	touch(p->addr, p->paddr, p->width, false, true);
	ip_now -= 4;
	touch(p->addr, p->paddr, p->width, true, true);
}

static struct place part_of(const struct place *p, unsigned int offset, unsigned int width)
{
	return (struct place){ p->addr + offset, p->paddr + offset, width };
}

/* ------------------------------------------------------------- operations */

static uint64_t draw(struct thread *t)
{
	t->random = t->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return t->random >> 33;
}

static uint64_t element_of(struct thread *t, const struct step *s, unsigned int j)
{
	switch (s->op->at) {
	case PLAN_AT_MINE:
		return t->next[s->pattern];
	case PLAN_AT_POINTER:
		return t->node;
	case PLAN_AT_ROUND:
		return s->op->kind == PLAN_WALK ? t->i * s->op->n + j : t->i;
	case PLAN_AT_RANDOM:
		return draw(t);
	case PLAN_AT_ALL:
		return j;
	default:
		return s->op->index;
	}
}

/* As the C library copies: in steps of 16 bytes. */
static void copy(const struct place *p, unsigned int bytes, bool in)
{
	unsigned int at, width;

	for (at = 0; at < bytes; at += width) {
		const struct place part = part_of(p, at, bytes - at < 16 ? bytes - at : 16);

		width = part.width;
		if (in)
			store(&part);
		else
			load(&part);
	}
}

/* A spin lock, or what the C library does with a mutex. False: it has to wait. */
static bool lock(struct thread *t, const struct place *p, uint64_t *word)
{
	const bool mutex = p->width == 40;
	const struct place lock = part_of(p, 0, 4), owner = part_of(p, 8, 4);
	const struct place users = part_of(p, 12, 4), kind = part_of(p, 16, 4);

	if (t->part) {
		/* A thread that waits for a mutex sleeps. */
		if (!mutex)
			load(&lock);
		work(2, false);
		if (*word)
			return false;
	} else if (mutex) {
		load(&kind);
	}
	ip_now += 4 * !!t->part;
	locked(&lock);
	t->part = 1;
	if (*word)
		return false;
	*word = 1;
	t->part = 0;
	if (mutex) {
		store(&owner);
		load(&users);
		store(&users);
	}
	return true;
}

static void unlock(const struct place *p, uint64_t *word)
{
	const struct place lock = part_of(p, 0, 4), owner = part_of(p, 8, 4);
	const struct place users = part_of(p, 12, 4), kind = part_of(p, 16, 4);

	*word = 0;
	if (p->width != 40) {
		store(&lock);
		return;
	}
	load(&kind);
	store(&owner);
	load(&users);
	store(&users);
	locked(&lock);
}

/* Is what the thread waits for there? It has just loaded the value. */
static bool has_come(const struct thread *t, const struct step *s, uint64_t now)
{
	const uint64_t mine = t->next[s->pattern];

	if (s->op->kind == PLAN_WAIT_TURN)
		return now == s->op->n;
	if (s->op->kind == PLAN_WAIT_ROOM)
		return mine - now < s->op->n;
	return now != mine;
}

static void read_end(struct thread *t, const struct place *p, uint64_t seq)
{
	load(p);
	if ((seq & 1 || seq != t->node) && ++t->tries < PLAN_TRIES)
		t->at = t->again - 1;
}

static void several(struct thread *t, const struct step *s)
{
	const unsigned int n = s->op->kind == PLAN_WALK ? s->op->n : plan->object[s->op->object].count;
	unsigned int j;

	for (j = 0; j < n; j++) {
		const struct place p = place_of(s->op, element_of(t, s, j));

		load(&p);
		ip_now -= 4;
		work(4, false);
	}
}

/* Returns false if the thread has to try again. */
static bool one(struct thread *t, const struct step *s)
{
	const struct plan_op *op = s->op;
	uint64_t *v = &value[op->object][op->field];
	struct place p;

	ip_now = s->ip;
	if (op->kind == PLAN_WORK) {
		work(4 * op->n, true);
		return true;
	}
	if (op->kind == PLAN_WALK || op->at == PLAN_AT_ALL) {
		several(t, s);
		return true;
	}
	p = place_of(op, element_of(t, s, 0));
	switch (op->kind) {
	case PLAN_LOAD:
		load(&p);
		break;
	case PLAN_STORE:
		store(&p);
		break;
	case PLAN_ADD:
		load(&p);
		store(&p);
		break;
	case PLAN_LOCKED_ADD:
		locked(&p);
		break;
	case PLAN_COPY_OUT:
	case PLAN_COPY_IN:
		copy(&p, op->n, op->kind == PLAN_COPY_IN);
		break;
	case PLAN_LOCK:
		return lock(t, &p, v);
	case PLAN_UNLOCK:
		unlock(&p, v);
		break;
	case PLAN_WAIT_TURN:
	case PLAN_WAIT_ROOM:
	case PLAN_WAIT_ITEM:
		load(&p);
		work(3, false);
		return has_come(t, s, *v);
	case PLAN_PASS_TURN:
		store(&p);
		*v = op->n;
		break;
	case PLAN_ADVANCE:
		store(&p);
		*v = ++t->next[s->pattern];
		break;
	case PLAN_SEQ_BEGIN:
	case PLAN_SEQ_END:
		load(&p);
		store(&p);
		++*v;
		break;
	case PLAN_READ_BEGIN:
		if (t->again != t->at)
			t->tries = 0;
		t->again = t->at;
		t->node = (unsigned int)*v;
		load(&p);
		break;
	case PLAN_READ_END:
		read_end(t, &p, *v);
		if (t->at != t->again - 1)
			t->again = 0;
		break;
	case PLAN_PUBLISH:
		store(&p);
		*v = t->next[s->pattern]++;
		break;
	case PLAN_GET_POINTER:
		load(&p);
		t->node = (unsigned int)*v;
		break;
	}
	return true;
}

/* -------------------------------------------------------------- the threads */

static void compile(struct thread *t, unsigned int phase, unsigned int number)
{
	const struct plan_role *role = &plan->role[phase][number];
	const unsigned int base = (phase * PLAN_THREADS + number) * FUNCTIONS;
	uint64_t main_ip = NATIVE_TEXT + base * FUNCTION;
	struct step *step = t->step[phase];
	unsigned int n = 0, s, i;

	for (s = 0; s < role->nr; s++) {
		const struct plan_section *section = &role->section[s];
		const uint64_t every = (uint64_t)section->every * (section->waits ? role->pace : 1);
		uint64_t apart_ip = NATIVE_TEXT + (base + 1 + s) * FUNCTION;
		uint64_t *ip = section->apart ? &apart_ip : &main_ip;
		const unsigned int begins = n;

		step[n++] = (struct step){ .kind = STEP_SECTION, .every = every };
		for (i = 0; i < section->nr; i++, *ip += OPERATION) {
			step[n] = (struct step){
				.kind = STEP_OP, .pattern = section->pattern, .op = &section->op[i],
				.every = every * section->op[i].every, .ip = *ip,
			};
			n++;
			step[n - 1].skip = (uint16_t)n;
		}
		step[begins].skip = (uint16_t)n;
	}
	step[n] = (struct step){ .kind = STEP_END };
}

static void gate(struct thread *t)
{
	const struct place p = { GATE, physical(GATE), 4 };

	ip_now = NATIVE_TEXT + 0x140000 + (uint64_t)(t - threads) * 64;
	if (!t->part) {
		locked(&p);
		arrived++;
		t->part = 1;
	}
	load(&p);
	work(3, false);
	if (arrived < (t->phase + 1) * plan->threads)
		return;
	t->part = 0;
	t->in_gate = false;
	t->i = t->at = 0;
	t->end = run->rounds * plan->role[t->phase][t - threads].pace;
}

static void end_iteration(struct thread *t)
{
	work(3, false);
	t->at = 0;
	if (++t->i < t->end)
		return;
	t->in_gate = true;
	t->done = ++t->phase == plan->phases;
}

/* Returns false if the thread waits. */
static bool step(struct thread *t)
{
	const struct step *s = &t->step[t->phase][t->at];

	if (t->in_gate) {
		gate(t);
		return !t->in_gate;
	}
	if (s->kind == STEP_END) {
		end_iteration(t);
		return true;
	}
	if (s->every > 1) {
		work(3, false);
		if (t->i % s->every) {
			t->at = s->skip;
			return true;
		}
	}
	if (s->kind == STEP_OP && !one(t, s))
		return false;
	t->at++;
	return true;
}

/* A turn ends early if the thread waits for another one, as it does with PAUSE in a guest. */
static void turn(struct thread *t)
{
	const uint64_t from = executed;

	cpu_now = (unsigned int)(t - threads);
	while (step(t) && !t->done && executed - from < (run->turn ? run->turn : 1))
		continue;
	budget_pass(cpu_now, executed - from);
}

static struct thread *next_thread(void)
{
	static unsigned int last;
	struct thread *next = NULL;
	unsigned int i;

	for (i = 0; i < plan->threads; i++) {
		struct thread *t = &threads[run->turn ? (last + 1 + i) % plan->threads : i];

		if (t->done)
			continue;
		if (!next || (!run->turn && machine_clock((unsigned int)(t - threads)) <
			      machine_clock((unsigned int)(next - threads))))
			next = t;
	}
	if (next)
		last = (unsigned int)(next - threads);
	return next;
}

bool native_run(const struct native *native)
{
	uint64_t most = 100000;
	unsigned int phase, i;
	struct thread *t;

	run = native;
	plan = &native->plan;
	memset(threads, 0, sizeof(threads));
	memset(value, 0, sizeof(value));
	arrived = 0;
	executed = 0;
	plan_layout(plan, address);
	for (i = 0; i < plan->threads; i++) {
		threads[i].in_gate = true;
		threads[i].random = i + 1;
		for (phase = 0; phase < plan->phases; phase++) {
			compile(&threads[i], phase, i);
			most += (uint64_t)(plan_instructions(&plan->role[phase][i]) * STUCK) *
				run->rounds * plan->role[phase][i].pace;
		}
	}
	while ((t = next_thread())) {
		turn(t);
		if (executed > most)
			return false;
	}
	for (i = 0; i < plan->threads; i++) {
		cpu_now = i;
		budget_end(i);
	}
	return true;
}

const char *native_function(uint64_t ip, char text[64])
{
	const uint64_t n = (ip - NATIVE_TEXT) / FUNCTION;
	const unsigned int section = (unsigned int)(n % FUNCTIONS);
	const unsigned int thread = (unsigned int)(n / FUNCTIONS % PLAN_THREADS);
	const unsigned int phase = (unsigned int)(n / FUNCTIONS / PLAN_THREADS);

	if (ip < NATIVE_TEXT || phase >= PLAN_PHASES)
		return "";
	if (section)
		snprintf(text, 64, "t%u_phase%u_section%u", thread, phase, section - 1);
	else
		snprintf(text, 64, "t%u_phase%u", thread, phase);
	return text;
}
