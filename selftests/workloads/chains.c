// SPDX-License-Identifier: GPL-2.0
/*
 * Several independent pointer chases in one thread. If the memory is larger than the caches, as
 * many reads are outstanding all the time, up to the core's limit.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <inttypes.h>
#include <numa.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHAINS_MAX 13
#define PAGE 4096

struct element {
	struct element *next;
	char pad[WORKLOAD_LINE - sizeof(void *)];
};

/* Link all elements to one cycle. */
static void build(struct element *elements, uint64_t count, uint32_t *order)
{
	uint64_t i;

	workload_shuffle(order, count);
	for (i = 0; i < count; i++)
		elements[order[i]].next = &elements[order[(i + 1) % count]];
}

/* Each chain stays in a register. On the stack, it would add a load and a store to each step. */
#define LOAD(n) "mov (%[p" #n "]), %[p" #n "]\n\t"
#define WALK(n, loads)								\
	static __attribute__((noinline)) void walk_##n(struct element **p, uint64_t steps) \
	{									\
		__asm__ volatile("1:\n\t" loads "dec %[steps]\n\tjnz 1b"	\
				 : [steps] "+r" (steps),			\
				   [p0] "+r" (p[0]), [p1] "+r" (p[1]), [p2] "+r" (p[2]), \
				   [p3] "+r" (p[3]), [p4] "+r" (p[4]), [p5] "+r" (p[5]), \
				   [p6] "+r" (p[6]), [p7] "+r" (p[7]) : : "cc", "memory"); \
	}

/* The same with all registers that there are. */
#define L1_TO_8		LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
#define WALK_MANY(n, loads)							\
	static __attribute__((noinline, optimize("omit-frame-pointer")))	\
	void walk_##n(struct element **at, uint64_t steps)			\
	{									\
		struct element *p[CHAINS_MAX];					\
		unsigned int i;							\
										\
		for (i = 0; i < CHAINS_MAX; i++)				\
			p[i] = at[i];						\
		__asm__ volatile("1:\n\t" loads "dec %[steps]\n\tjnz 1b"	\
				 : [steps] "+r" (steps),			\
				   [p0] "+r" (p[0]), [p1] "+r" (p[1]), [p2] "+r" (p[2]), \
				   [p3] "+r" (p[3]), [p4] "+r" (p[4]), [p5] "+r" (p[5]), \
				   [p6] "+r" (p[6]), [p7] "+r" (p[7]), [p8] "+r" (p[8]), \
				   [p9] "+r" (p[9]), [p10] "+r" (p[10]),	\
				   [p11] "+r" (p[11]), [p12] "+r" (p[12])	\
				 : : "cc", "memory");				\
	}

WALK(1, LOAD(0))
WALK(2, LOAD(0) LOAD(1))
WALK(3, LOAD(0) LOAD(1) LOAD(2))
WALK(4, LOAD(0) LOAD(1) LOAD(2) LOAD(3))
WALK(5, LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4))
WALK(6, LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5))
WALK(7, LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6))
WALK(8, L1_TO_8)
WALK_MANY(9, L1_TO_8 LOAD(8))
WALK_MANY(10, L1_TO_8 LOAD(8) LOAD(9))
WALK_MANY(11, L1_TO_8 LOAD(8) LOAD(9) LOAD(10))
WALK_MANY(12, L1_TO_8 LOAD(8) LOAD(9) LOAD(10) LOAD(11))
WALK_MANY(13, L1_TO_8 LOAD(8) LOAD(9) LOAD(10) LOAD(11) LOAD(12))

static void (*const walks[])(struct element **p, uint64_t steps) = {
	NULL, walk_1, walk_2, walk_3, walk_4, walk_5, walk_6, walk_7, walk_8, walk_9, walk_10,
	walk_11, walk_12, walk_13,
};

int main(int argc, char **argv)
{
	uint64_t size = 5ull << 20, steps = 100000, each;
	struct element *elements, *at[CHAINS_MAX];
	int chains = 1, cpu = 0, node = -1, beside = 0, wait = 0, i;
	uint32_t *order;
	char byte;
	const struct workload_arg args[] = {
		{ "chains", 1, CHAINS_MAX, .integer = &chains },
		{ "size", 64 * sizeof(*elements), 1ull << 36, .number = &size },
		{ "steps", 1, UINT64_MAX / 2, .number = &steps },
		{ "cpu", 0, CPU_SETSIZE - 1, .integer = &cpu },
		{ "node", 0, 1023, .integer = &node },
		{ "beside", 0, CHAINS_MAX, .integer = &beside },
		{ "wait", .flag = &wait },
		{ }
	};

	workload_name = "chains";
	workload_args(argc, argv,
		      "chains [--chains N] [--size BYTES] [--steps N] [--cpu N] [--node N [--beside N]] [--wait]",
		      args);
	if (numa_available() < 0)
		workload_fail("this kernel has no NUMA support");
	workload_pin(cpu);
	if (node < 0)
		node = workload_node_of(cpu);
	if (node > numa_max_node())
		workload_usage("this machine has no node %d", node);
	if (beside > chains)
		workload_usage("of %d chains no %d can be beside the CPU", chains, beside);
	each = size / sizeof(*elements) / chains;
	/* Whole pages, because memory is bound by pages. */
	if (beside)
		each -= each % (PAGE / sizeof(*elements));
	size = each * chains * sizeof(*elements);
	/*
	 * Bind the memory to the node or fail, because a page on another node would make the answer
	 * wrong.
	 */
	numa_set_bind_policy(1);
	numa_set_strict(1);
	elements = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	order = malloc(each * sizeof(*order));
	if (elements == MAP_FAILED || !order)
		workload_fail("no %" PRIu64 " bytes of memory", size);
	numa_tonode_memory(elements, size, node);
	if (beside)
		numa_tonode_memory(elements, beside * each * sizeof(*elements), workload_node_of(cpu));
	for (i = 0; i < chains; i++)
		build(elements + i * each, each, order);
	free(order);
	for (i = 0; i < CHAINS_MAX; i++)
		at[i] = elements + i % chains * each;

	printf("{\"start\":\"0x%" PRIxPTR "\",\"bytes\":%" PRIu64 ",\"chains\":%d,"
	       "\"steps\":%" PRIu64 ",\"loads\":%" PRIu64 ",\"instructions\":%" PRIu64 ","
	       "\"cpu\":%d,\"pid\":%d}\n", (uintptr_t)elements, size, chains, steps,
	       chains * steps, (chains + 2) * steps, cpu, (int)getpid());
	fflush(stdout);
	if (wait && read(STDIN_FILENO, &byte, 1) < 0)
		workload_fail("standard input can't be read");
	walks[chains](at, steps);
	return 0;
}
