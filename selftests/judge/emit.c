// SPDX-License-Identifier: GPL-2.0
/* Print a plan as a C program: its objects and what its threads do. emit_main.c prints the rest. */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

static bool is_pointer(const struct plan_object *o)
{
	return o->place != PLAN_GLOBAL;
}

/* ---------------------------------------------------------------- objects */

static int by_offset(const void *a, const void *b)
{
	const struct plan_field *x = *(const struct plan_field * const *)a;
	const struct plan_field *y = *(const struct plan_field * const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void gap(FILE *out, unsigned int *number, uint32_t from, uint32_t to)
{
	if (to > from)
		fprintf(out, "\tchar gap%u[%u];\n", (*number)++, (unsigned int)(to - from));
}

static void member(const struct plan *plan, FILE *out, const struct plan_field *f)
{
	if (f->kind == PLAN_BYTES)
		fprintf(out, "\tunsigned char %s[%u];", f->name, f->width);
	else if (f->kind == PLAN_MUTEX)
		fprintf(out, "\tpthread_mutex_t %s;", f->name);
	else if (f->kind == PLAN_POINTER)
		fprintf(out, "\tstruct %s *%s;", plan->object[f->target].name, f->name);
	else
		fprintf(out, "\tuint%u_t %s;", 8U * f->width, f->name);
	fprintf(out, "\t/* +%u */\n", f->offset);
}

static void object(const struct plan *plan, FILE *out, const struct plan_object *o)
{
	const struct plan_field *field[PLAN_FIELDS] = { NULL };
	unsigned int i, number = 0;
	uint32_t end = 0;

	for (i = 0; i < o->fields; i++)
		field[i] = &o->field[i];
	qsort(field, o->fields, sizeof(*field), by_offset);
	fprintf(out, "struct %s {\n", o->name);
	for (i = 0; i < o->fields; i++) {
		gap(out, &number, end, field[i]->offset);
		member(plan, out, field[i]);
		end = field[i]->offset + field[i]->width;
	}
	gap(out, &number, end, o->size);
	fprintf(out, "};\n_Static_assert(sizeof(struct %s) == %u, \"%s\");\n", o->name, o->size, o->name);
	if (o->place == PLAN_MEMFD) {
		fprintf(out, "struct %s *%s_at[2];\n\n", o->name, o->name);
		return;
	}
	if (is_pointer(o)) {
		fprintf(out, "struct %s *%s;\n\n", o->name, o->name);
		return;
	}
	if (o->aligned)
		fprintf(out, "_Alignas(%d) ", plan->mended ? PLAN_APART : PLAN_LINE);
	fprintf(out, "struct %s %s", o->name, o->name);
	if (o->count > 1)
		fprintf(out, "[%u]", o->count);
	fprintf(out, ";\n\n");
}

/* -------------------------------------------------------------- operations */

/**
 * struct emitter - where in the program the next operation stands
 * @tabs: how far it is indented
 */
struct emitter {
	const struct plan *plan;
	FILE *out;
	unsigned int phase, thread, pattern, pace, tabs;
};

static void line(struct emitter *e)
{
	unsigned int i;

	for (i = 0; i < e->tabs; i++)
		fputc('\t', e->out);
}

#define PRINT(e, ...) (line(e), fprintf((e)->out, __VA_ARGS__), fputc('\n', (e)->out))

/* The object of an operation, up to the name of the field. */
static const char *base(const struct emitter *e, const struct plan_op *op)
{
	const struct plan_object *o = &e->plan->object[op->object];
	static char text[128];
	char name[40], element[64];

	if (op->at == PLAN_AT_POINTER)
		return "node->";
	snprintf(name, sizeof(name), o->place == PLAN_MEMFD ? "%s_at[%u]" : "%s", o->name,
		 e->thread % 2);
	if (o->count == 1) {
		snprintf(text, sizeof(text), "%s%s", name, is_pointer(o) ? "->" : ".");
		return text;
	}
	if (op->at == PLAN_AT_INDEX)
		snprintf(element, sizeof(element), "%u", op->index);
	else if (op->at == PLAN_AT_MINE)
		snprintf(element, sizeof(element), "own->next[%u] %% %u", e->pattern, o->count);
	else if (op->at == PLAN_AT_RANDOM)
		snprintf(element, sizeof(element), "draw(own) %% %u", o->count);
	else if (op->at == PLAN_AT_ALL)
		snprintf(element, sizeof(element), "j");
	else if (op->kind == PLAN_WALK)
		snprintf(element, sizeof(element), "(i * %u + j) %% %u", op->n, o->count);
	else
		snprintf(element, sizeof(element), "i %% %u", o->count);
	snprintf(text, sizeof(text), "%s[%s].", name, element);
	return text;
}

static void access_bytes(struct emitter *e, const struct plan_op *op, const char *x, unsigned int width)
{
	if (op->kind == PLAN_LOAD)
		PRINT(e, "sum += load_bytes%u(%s);", width, x);
	else
		PRINT(e, "store_bytes%u(%s, i);", width, x);
}

static void access_data(struct emitter *e, const struct plan_op *op, const char *x, bool shared)
{
	const char *keep = shared ? "" : " KEEP();";

	switch (op->kind) {
	case PLAN_LOAD:
	case PLAN_WALK:
		PRINT(e, shared ? "sum += LOAD(%s);%s" : "sum += %s;%s", x, keep);
		break;
	case PLAN_STORE:
		PRINT(e, shared ? "STORE(%s, i);%s" : "%s = i;%s", x, keep);
		break;
	case PLAN_ADD:
		if (shared)
			PRINT(e, "STORE(%s, LOAD(%s) + 1);", x, x);
		else
			PRINT(e, "%s += 1; KEEP();", x);
		break;
	default:
		PRINT(e, op->n ? "sum += LOCKED_ADD(%s);" : "(void)LOCKED_ADD(%s);", x);
	}
}

/* Operations by which threads wait for each other, or hand something on. */
static void meet(struct emitter *e, const struct plan_op *op, const char *x, bool mutex)
{
	switch (op->kind) {
	case PLAN_LOCK:
		PRINT(e, mutex ? "pthread_mutex_lock(&%s);" : "lock(&%s);", x);
		break;
	case PLAN_UNLOCK:
		PRINT(e, mutex ? "pthread_mutex_unlock(&%s);" : "RELEASE(%s, 0);", x);
		break;
	case PLAN_WAIT_TURN:
		PRINT(e, "WAIT_UNTIL(ACQUIRE(%s) == %u);", x, op->n);
		break;
	case PLAN_PASS_TURN:
		PRINT(e, "RELEASE(%s, %u);", x, op->n);
		break;
	case PLAN_WAIT_ROOM:
		PRINT(e, "WAIT_UNTIL(own->next[%u] - ACQUIRE(%s) < %u);", e->pattern, x, op->n);
		break;
	case PLAN_WAIT_ITEM:
		PRINT(e, "WAIT_UNTIL(ACQUIRE(%s) != own->next[%u]);", x, e->pattern);
		break;
	case PLAN_ADVANCE:
		PRINT(e, "RELEASE(%s, ++own->next[%u]);", x, e->pattern);
		break;
	case PLAN_SEQ_BEGIN:
		PRINT(e, "STORE(%s, LOAD(%s) + 1);", x, x);
		PRINT(e, "atomic_thread_fence(memory_order_release);");
		break;
	default:
		PRINT(e, "RELEASE(%s, LOAD(%s) + 1);", x, x);
	}
}

static void read_begin(struct emitter *e, const char *x)
{
	PRINT(e, "for (tries = 0; tries < %d; tries++) {", PLAN_TRIES);
	e->tabs++;
	PRINT(e, "const uint32_t seq = ACQUIRE(%s);", x);
	fputc('\n', e->out);
}

static void read_end(struct emitter *e, const char *x)
{
	PRINT(e, "atomic_thread_fence(memory_order_acquire);");
	PRINT(e, "if (!(seq & 1) && seq == LOAD(%s))", x);
	PRINT(e, "\tbreak;");
	PRINT(e, "__builtin_ia32_pause();");
	e->tabs--;
	PRINT(e, "}");
}

static void publish(struct emitter *e, const struct plan_object *pool, const char *x)
{
	const bool map = pool->place == PLAN_MEMFD;
	const char *of = pool->place == PLAN_GLOBAL && pool->count == 1 ? "&" : "";

	PRINT(e, "RELEASE(%s, %s%s%s + own->next[%u]++ %% %u);", x, of, pool->name,
	      map ? "_at[0]" : "", e->pattern, pool->count);
}

static void one(struct emitter *e, const struct plan_op *op)
{
	const struct plan_object *o = &e->plan->object[op->object];
	const struct plan_field *f = &o->field[op->field];
	char x[160];

	if (op->kind == PLAN_WORK) {
		PRINT(e, "sum = work(sum, %u);", op->n);
		return;
	}
	snprintf(x, sizeof(x), "%s%s", base(e, op), f->name);
	if (op->kind == PLAN_READ_BEGIN)
		read_begin(e, x);
	else if (op->kind == PLAN_READ_END)
		read_end(e, x);
	else if (op->kind == PLAN_GET_POINTER)
		PRINT(e, "node = ACQUIRE(%s);", x);
	else if (op->kind == PLAN_PUBLISH)
		publish(e, &e->plan->object[f->target], x);
	else if (op->kind == PLAN_COPY_OUT)
		PRINT(e, "memcpy(own->buffer, %s, %u); KEEP();", x, op->n);
	else if (op->kind == PLAN_COPY_IN)
		PRINT(e, "memcpy(%s, own->buffer, %u); KEEP();", x, op->n);
	else if (f->kind == PLAN_BYTES)
		access_bytes(e, op, x, f->width);
	else if (op->kind <= PLAN_LOCKED_ADD || op->kind == PLAN_WALK)
		access_data(e, op, x, f->shared);
	else
		meet(e, op, x, f->kind == PLAN_MUTEX);
}

static void every(struct emitter *e, uint64_t n)
{
	if (n <= 1)
		return;
	PRINT(e, "if (i %% %llu == 0) {", (unsigned long long)n);
	e->tabs++;
}

static void close(struct emitter *e, bool opened)
{
	if (!opened)
		return;
	e->tabs--;
	PRINT(e, "}");
}

/* Iterations of the role from one time of the section to the next. */
static uint64_t period(const struct emitter *e, const struct plan_section *s)
{
	return (uint64_t)s->every * (s->waits ? e->pace : 1);
}

static void section(struct emitter *e, const struct plan_section *s)
{
	unsigned int i;

	e->pattern = s->pattern;
	for (i = 0; i < s->nr; i++) {
		const struct plan_op *op = &s->op[i];
		const struct plan_object *o = &e->plan->object[op->object];
		const bool loop = op->kind == PLAN_WALK || op->at == PLAN_AT_ALL;

		every(e, op->every > 1 ? period(e, s) * op->every : 1);
		if (loop) {
			PRINT(e, "for (j = 0; j < %u; j++) {",
			      op->kind == PLAN_WALK ? op->n : o->count);
			e->tabs++;
		}
		one(e, op);
		close(e, loop);
		close(e, op->every > 1);
	}
}

static bool has(const struct plan_section *s, enum plan_op_kind kind, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->op[i].kind == kind || (at && s->op[i].at == at))
			return true;
	return false;
}

static const struct plan_object *target_of(const struct emitter *e, const struct plan_section *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->op[i].kind == PLAN_GET_POINTER)
			return &e->plan->object[e->plan->object[s->op[i].object]
						.field[s->op[i].field].target];
	return NULL;
}

/* Local variables that sections need, those in functions of their own or the others. */
static void locals(struct emitter *e, const struct plan_section *s, unsigned int nr, bool apart)
{
	bool loops = false, tries = false;

	for (; nr--; s++) {
		if (s->apart != apart)
			continue;
		loops |= has(s, PLAN_WALK, PLAN_AT_ALL);
		tries |= has(s, PLAN_READ_BEGIN, 0);
	}
	if (loops)
		PRINT(e, "unsigned int j;");
	if (tries)
		PRINT(e, "unsigned int tries;");
}

static void begin_function(struct emitter *e, const char *name)
{
	fprintf(e->out, "static __attribute__((noinline)) ");
	fprintf(e->out, "%s\n{\n", name);
	e->tabs = 1;
}

static void name_of(const struct emitter *e, char *text, size_t size, unsigned int s)
{
	snprintf(text, size, "t%u_phase%u_%s%u", e->thread, e->phase,
		 e->plan->role[e->phase][e->thread].section[s].pattern < e->plan->patterns ?
		 e->plan->pattern[e->plan->role[e->phase][e->thread].section[s].pattern].name : "own", s);
}

static void pointer_of(struct emitter *e, const struct plan_section *s)
{
	const struct plan_object *target = target_of(e, s);

	if (target)
		PRINT(e, "struct %s *node;\n", target->name);
}

static void apart(struct emitter *e, unsigned int number)
{
	const struct plan_section *s = &e->plan->role[e->phase][e->thread].section[number];
	char name[64], text[160];

	name_of(e, name, sizeof(name), number);
	snprintf(text, sizeof(text), "uint64_t %s(struct own *own, uint64_t i, uint64_t sum)", name);
	begin_function(e, text);
	locals(e, s, 1, true);
	pointer_of(e, s);
	PRINT(e, "(void)own;");
	PRINT(e, "(void)i;");
	section(e, s);
	PRINT(e, "return sum;");
	fprintf(e->out, "}\n\n");
}

/* A function of a thread's own, whose loop is what it does in a phase. */
static void role(struct emitter *e)
{
	const struct plan_role *r = &e->plan->role[e->phase][e->thread];
	char text[160];
	unsigned int s;

	e->pace = r->pace;
	for (s = 0; s < r->nr; s++)
		if (r->section[s].apart)
			apart(e, s);
	snprintf(text, sizeof(text), "void t%u_phase%u(struct own *own, uint64_t i, uint64_t end)",
		 e->thread, e->phase);
	begin_function(e, text);
	PRINT(e, "uint64_t sum = own->sum;");
	locals(e, r->section, r->nr, false);
	fputc('\n', e->out);
	PRINT(e, "for (; i < end; i++) {");
	e->tabs = 2;
	for (s = 0; s < r->nr; s++) {
		const struct plan_section *section_now = &r->section[s];
		const bool pointer = !section_now->apart && target_of(e, section_now);
		const uint64_t n = period(e, section_now);

		every(e, n);
		if (section_now->apart) {
			name_of(e, text, sizeof(text), s);
			PRINT(e, "sum = %s(own, i, sum);", text);
		} else {
			if (pointer && n <= 1) {
				PRINT(e, "{");
				e->tabs++;
			}
			pointer_of(e, section_now);
			section(e, section_now);
			close(e, pointer && n <= 1);
		}
		close(e, n > 1);
	}
	e->tabs = 1;
	PRINT(e, "}");
	PRINT(e, "own->sum = sum;");
	fprintf(e->out, "}\n\n");
}

void plan_emit(const struct plan *plan, FILE *out)
{
	struct emitter e = { .plan = plan, .out = out };
	unsigned int i;

	emit_begin(plan, out);
	/* What pointers point to is declared before they are. */
	for (i = 0; i < plan->objects; i++)
		fprintf(out, "struct %s;\n", plan->object[i].name);
	fputc('\n', out);
	for (i = 0; i < plan->objects; i++)
		object(plan, out, &plan->object[i]);
	for (e.phase = 0; e.phase < plan->phases; e.phase++)
		for (e.thread = 0; e.thread < plan->threads; e.thread++)
			role(&e);
	emit_end(plan, out);
}
