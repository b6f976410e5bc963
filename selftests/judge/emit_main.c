// SPDX-License-Identifier: GPL-2.0
/* Print a plan as a C program: what all programs have in common, their setup, and main(). */
#include "emit.h"

#include <inttypes.h>

/* How many children of vfork a thread makes, one after another. */
#define CHILDREN	4

static const char prelude[] =
"#define _GNU_SOURCE\n"
"#include <pthread.h>\n"
"#include <sched.h>\n"
"#include <signal.h>\n"
"#include <stdatomic.h>\n"
"#include <stdint.h>\n"
"#include <stdio.h>\n"
"#include <stdlib.h>\n"
"#include <string.h>\n"
"#include <sys/mman.h>\n"
"#include <sys/wait.h>\n"
"#include <unistd.h>\n"
"\n"
"/* What several threads use at once. */\n"
"#define LOAD(x)\t\t__atomic_load_n(&(x), __ATOMIC_RELAXED)\n"
"#define STORE(x, v)\t__atomic_store_n(&(x), v, __ATOMIC_RELAXED)\n"
"#define ACQUIRE(x)\t__atomic_load_n(&(x), __ATOMIC_ACQUIRE)\n"
"#define RELEASE(x, v)\t__atomic_store_n(&(x), v, __ATOMIC_RELEASE)\n"
"#define LOCKED_ADD(x)\t__atomic_fetch_add(&(x), 1, __ATOMIC_RELAXED)\n"
"/* The compiler makes the access before this once each time. */\n"
"#define KEEP()\t\tatomic_signal_fence(memory_order_seq_cst)\n"
"#define WAIT_UNTIL(condition) \\\n"
"\tfor (unsigned int spins = 0; !(condition);) \\\n"
"\t\trelax(&spins)\n"
"\n"
"/* A thread's own. */\n"
"struct own {\n"
"\tuint64_t sum, random, next[8];\n"
"\tunsigned char buffer[128];\n"
"};\n"
"\n"
"/* There may be fewer CPUs than threads. */\n"
"static inline void relax(unsigned int *spins)\n"
"{\n"
"\t__builtin_ia32_pause();\n"
"\tif (++*spins % 64 == 0)\n"
"\t\tsched_yield();\n"
"}\n"
"\n"
"static inline void lock(uint32_t *word)\n"
"{\n"
"\twhile (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))\n"
"\t\tWAIT_UNTIL(!LOAD(*word));\n"
"}\n"
"\n"
"static inline uint64_t draw(struct own *own)\n"
"{\n"
"\town->random = own->random * 6364136223846793005u + 1442695040888963407u;\n"
"\treturn own->random >> 33;\n"
"}\n"
"\n"
"static inline uint64_t work(uint64_t sum, unsigned int n)\n"
"{\n"
"\twhile (n--)\n"
"\t\tsum = (sum ^ n) * 6364136223846793005u;\n"
"\treturn sum;\n"
"}\n"
"\n";

/* C has no access of one instruction to a vector that others use, or over a line's end. */
static const char bytes_of[] =
"static inline uint64_t load_bytes%u(const unsigned char *at)\n"
"{\n"
"\tuint64_t value = 0;\n"
"\n"
"\t__asm__ volatile(\"%s %%1, %s\" : \"+r\"(value) : \"m\"(*(const unsigned char (*)[%u])at)%s);\n"
"\treturn value;\n"
"}\n"
"\n"
"static inline void store_bytes%u(unsigned char *at, uint64_t value)\n"
"{\n"
"\t__asm__ volatile(\"%s %s, %%0\" : \"=m\"(*(unsigned char (*)[%u])at) : \"r\"(value)%s);\n"
"}\n"
"\n";

static void bytes(const struct plan *plan, FILE *out)
{
	static const struct {
		unsigned int width;
		const char *move, *reg, *stored, *clobber, *stores;
	} how[] = {
		{ 4, "movl", "%k0", "%k1", "", "" },
		{ 8, "movq", "%0", "%1", "", "" },
		{ 16, "movdqu", "%%xmm0", "%%xmm0", " : \"xmm0\"", "" },
		{ 32, "vmovdqu", "%%ymm0", "%%ymm0", " : \"xmm0\"", "" },
	};
	unsigned int w, i, j;

	for (w = 0; w < sizeof(how) / sizeof(*how); w++) {
		bool any = false;

		for (i = 0; i < plan->objects; i++)
			for (j = 0; j < plan->object[i].fields; j++)
				any |= plan->object[i].field[j].kind == PLAN_BYTES &&
				       plan->object[i].field[j].width == how[w].width;
		if (any)
			fprintf(out, bytes_of, how[w].width, how[w].move, how[w].reg, how[w].width,
				how[w].clobber, how[w].width, how[w].move, how[w].stored,
				how[w].width, how[w].stores);
	}
}

void emit_begin(const struct plan *plan, FILE *out)
{
	unsigned int i;

	fprintf(out, "/*\n * Random program %" PRIu64 " of version %d%s: ", plan->seed, PLAN_VERSION,
		plan->mended ? ", mended" : "");
	for (i = 0; i < plan->patterns; i++)
		fprintf(out, "%s%s", i ? ", " : "", plan->pattern[i].name);
	fprintf(out, ".\n *\n * usage: program [ROUNDS]\n */\n%s", prelude);
	bytes(plan, out);
	fprintf(out, "static uint64_t rounds = %" PRIu64 ";\n", plan->rounds);
	if (plan->forked)
		fprintf(out, "static uint32_t *arrived;\n\n");
	else
		fprintf(out, "static struct {\n\t_Alignas(128) uint32_t arrived;\n} gate;\n\n");
}

static const char map_text[] =
"static void fail(const char *what)\n"
"{\n"
"\tperror(what);\n"
"\texit(1);\n"
"}\n"
"\n"
"static inline void *shared_map(size_t size, int fd)\n"
"{\n"
"\tvoid *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);\n"
"\n"
"\tif (at == MAP_FAILED)\n"
"\t\tfail(\"mmap\");\n"
"\treturn at;\n"
"}\n"
"\n"
"/* The same memory at two addresses. */\n"
"static inline void map_twice(void *at[2], size_t size)\n"
"{\n"
"\tconst int fd = memfd_create(\"shared\", 0);\n"
"\n"
"\tif (fd < 0 || ftruncate(fd, (off_t)size))\n"
"\t\tfail(\"memfd_create\");\n"
"\tat[0] = shared_map(size, fd);\n"
"\tat[1] = shared_map(size, fd);\n"
"\tclose(fd);\n"
"}\n"
"\n"
"static inline void *allocate(size_t align, size_t size)\n"
"{\n"
"\tvoid *at = align ? aligned_alloc(align, (size + align - 1) / align * align) : malloc(size);\n"
"\n"
"\tif (!at)\n"
"\t\tfail(\"malloc\");\n"
"\treturn at;\n"
"}\n"
"\n"
"static void report(const char *role)\n"
"{\n"
"\tdprintf(1, \"thread %s %d 0x%lx\\n\", role, gettid(), (unsigned long)pthread_self());\n"
"}\n"
"\n"
"/* Phases begin in all threads at once. */\n"
"static void pass_gate(uint32_t target)\n"
"{\n"
"\t(void)LOCKED_ADD(ARRIVED);\n"
"\tWAIT_UNTIL(ACQUIRE(ARRIVED) >= target);\n"
"}\n"
"\n";

static const char vfork_text[] =
"/* The parent waits until its child, which has its memory, has done this part of the phase. */\n"
"static __attribute__((noinline)) void in_child(const char *role, struct own *own, uint64_t from,\n"
"\t\t\t\t\t       uint64_t to,\n"
"\t\t\t\t\t       void (*body)(struct own *, uint64_t, uint64_t))\n"
"{\n"
"\tconst pid_t pid = vfork();\n"
"\n"
"\tif (!pid) {\n"
"\t\treport(role);\n"
"\t\tbody(own, from, to);\n"
"\t\t_exit(0);\n"
"\t}\n"
"\tif (pid < 0 || waitpid(pid, NULL, 0) != pid)\n"
"\t\tfail(\"vfork\");\n"
"}\n"
"\n";

static void setup_one(const struct plan *plan, FILE *out, const struct plan_object *o)
{
	const unsigned int bytes = (unsigned int)(o->size * o->count);
	const char *times = o->place == PLAN_GLOBAL ? "" : "*";
	char name[32];

	snprintf(name, sizeof(name), o->place == PLAN_MEMFD ? "%s_at[0]" : "%s", o->name);
	if (o->place == PLAN_HEAP)
		fprintf(out, "\t%s = allocate(%d, %u * sizeof(*%s));\n", o->name,
			plan->mended ? PLAN_APART : o->aligned ? PLAN_LINE : 0, o->count, o->name);
	if (o->place == PLAN_MAP)
		fprintf(out, "\t%s = shared_map(%u * sizeof(*%s), -1);\n", o->name, o->count, o->name);
	if (o->place == PLAN_MEMFD) {
		fprintf(out, "\tmap_twice(at, %u * sizeof(struct %s));\n", o->count, o->name);
		fprintf(out, "\t%s_at[0] = at[0];\n\t%s_at[1] = at[1];\n", o->name, o->name);
	}
	if (!*times)
		fprintf(out, "\tmemset(&%s, 0, sizeof(%s));\n", name, name);
	else
		fprintf(out, "\tmemset(%s, 0, %u * sizeof(*%s));\n", name, o->count, name);
	fprintf(out, "\tprintf(\"object %s %%p %u\\n\", (void *)%s%s);\n", o->name,
		bytes, *times ? "" : "&", name);
	if (o->place == PLAN_MEMFD)
		fprintf(out, "\tprintf(\"object %s %%p %u\\n\", (void *)%s_at[1]);\n", o->name,
			bytes, o->name);
}

static void setup_fields(const struct plan *plan, FILE *out, const struct plan_object *o)
{
	const char *points = o->place == PLAN_GLOBAL ? "." : o->place == PLAN_MEMFD ? "_at[0]->" : "->";
	unsigned int i;

	for (i = 0; i < o->fields; i++) {
		const struct plan_field *f = &o->field[i];
		const struct plan_object *pool = &plan->object[f->target];

		if (f->kind == PLAN_MUTEX)
			fprintf(out, "\tpthread_mutex_init(&%s%s%s, NULL);\n", o->name, points, f->name);
		if (f->kind == PLAN_POINTER)
			fprintf(out, "\t%s%s%s = %s%s%s;\n", o->name, points, f->name,
				pool->place == PLAN_GLOBAL && pool->count == 1 ? "&" : "", pool->name,
				pool->place == PLAN_MEMFD ? "_at[0]" : "");
	}
}

static void setup(const struct plan *plan, FILE *out)
{
	bool twice = false;
	unsigned int i;

	for (i = 0; i < plan->objects; i++)
		twice |= plan->object[i].place == PLAN_MEMFD;
	fprintf(out, "static void setup(void)\n{\n");
	if (twice)
		fprintf(out, "\tvoid *at[2];\n\n");
	if (plan->forked)
		fprintf(out, "\tarrived = shared_map(sizeof(*arrived), -1);\n");
	for (i = 0; i < plan->objects; i++)
		setup_one(plan, out, &plan->object[i]);
	for (i = 0; i < plan->objects; i++)
		setup_fields(plan, out, &plan->object[i]);
	fprintf(out, "\tfflush(stdout);\n}\n\n");
}

static void thread(const struct plan *plan, FILE *out, unsigned int t)
{
	unsigned int phase;

	fprintf(out, "static void *thread_%u(void *arg)\n{\n", t);
	fprintf(out, "\tstruct own own = { .random = %u };\n\n", t + 1);
	fprintf(out, "\treport(\"t%u\");\n", t);
	for (phase = 0; phase < plan->phases; phase++) {
		const unsigned int pace = plan->role[phase][t].pace;

		fprintf(out, "\tpass_gate(%u);\n", (phase + 1) * plan->threads);
		if (t == plan->vfork)
			fprintf(out, "\tfor (unsigned int part = 0; part < %d; part++)\n"
				"\t\tin_child(\"t%u\", &own, rounds * %u * part / %d,\n"
				"\t\t\t rounds * %u * (part + 1) / %d, t%u_phase%u);\n",
				CHILDREN, t, pace, CHILDREN, pace, CHILDREN, t, phase);
		else
			fprintf(out, "\tt%u_phase%u(&own, 0, rounds * %u);\n", t, phase, pace);
	}
	fprintf(out, "\treturn arg;\n}\n\n");
}

static const char main_threads[] =
"\tpthread_t thread[THREADS];\n"
"\tunsigned int i;\n"
"\n"
"\tif (argc > 1)\n"
"\t\trounds = strtoull(argv[1], NULL, 0);\n"
"\tsetup();\n"
"\tfor (i = 0; i < THREADS; i++)\n"
"\t\tif (pthread_create(&thread[i], NULL, start[i], NULL))\n"
"\t\t\tfail(\"pthread_create\");\n"
"\tfor (i = 0; i < THREADS; i++)\n"
"\t\tpthread_join(thread[i], NULL);\n";

/* If one process dies, the others would wait for it for ever. */
static const char main_processes[] =
"\tpid_t pid[THREADS];\n"
"\tunsigned int i;\n"
"\tint status;\n"
"\n"
"\tif (argc > 1)\n"
"\t\trounds = strtoull(argv[1], NULL, 0);\n"
"\tsetup();\n"
"\tfor (i = 0; i < THREADS; i++) {\n"
"\t\tpid[i] = fork();\n"
"\t\tif (pid[i] < 0)\n"
"\t\t\tfail(\"fork\");\n"
"\t\tif (!pid[i]) {\n"
"\t\t\tstart[i](NULL);\n"
"\t\t\t_exit(0);\n"
"\t\t}\n"
"\t}\n"
"\twhile (wait(&status) > 0) {\n"
"\t\tif (!status)\n"
"\t\t\tcontinue;\n"
"\t\tfor (i = 0; i < THREADS; i++)\n"
"\t\t\tkill(pid[i], SIGKILL);\n"
"\t\treturn 1;\n"
"\t}\n";

void emit_end(const struct plan *plan, FILE *out)
{
	unsigned int t;

	fprintf(out, "#define THREADS\t%u\n#define ARRIVED\t%s\n\n", plan->threads,
		plan->forked ? "*arrived" : "gate.arrived");
	fputs(map_text, out);
	if (plan->vfork < plan->threads)
		fputs(vfork_text, out);
	setup(plan, out);
	for (t = 0; t < plan->threads; t++)
		thread(plan, out, t);
	fprintf(out, "int main(int argc, char **argv)\n{\n\tvoid *(*const start[THREADS])(void *) = {");
	for (t = 0; t < plan->threads; t++)
		fprintf(out, "%s thread_%u", t ? "," : "", t);
	fprintf(out, " };\n");
	fputs(plan->forked ? main_processes : main_threads, out);
	fprintf(out, "\tputs(\"done\");\n\treturn 0;\n}\n");
}
