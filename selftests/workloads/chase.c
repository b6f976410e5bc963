// SPDX-License-Identifier: GPL-2.0
/*
 * A pointer chase: the address of each load is the value of the load before it. By default, the
 * memory is on one node and the CPU on another. So if the memory is larger than the caches, each
 * step is a load from remote DRAM.
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

struct element {
	struct element *next;
	char pad[WORKLOAD_LINE - sizeof(void *)];
};

static struct element *element(struct element *elements, uint64_t apart, uint64_t i)
{
	return (struct element *)((char *)elements + i * apart);
}

/* Sattolo's shuffle: one cycle through all elements. */
static void build(struct element *elements, uint64_t apart, uint64_t count)
{
	uint32_t *order;
	uint64_t i;

	order = malloc(count * sizeof(*order));
	if (!order)
		workload_fail("no memory for %" PRIu64 " elements", count);
	workload_shuffle(order, count);
	for (i = 0; i < count; i++)
		element(elements, apart, order[i])->next =
			element(elements, apart, order[(i + 1) % count]);
	free(order);
}

__attribute__((noinline)) struct element *chase(struct element *at,
						uint64_t steps)
{
	while (steps--)
		at = *(struct element *volatile *)&at->next;
	return at;
}

int main(int argc, char **argv)
{
	struct element *elements;
	uint64_t size = 16ull << 20, steps = 1000000, apart = sizeof(*elements);
	int node = 0, cpu = -1, cpu_node;
	const struct workload_arg args[] = {
		{ "size", 2 * sizeof(*elements), 1ull << 36, .number = &size },
		{ "apart", sizeof(*elements), 4096, .number = &apart },
		{ "node", 0, 1023, .integer = &node },
		{ "cpu", 0, CPU_SETSIZE - 1, .integer = &cpu },
		{ "steps", 1, UINT64_MAX / 2, .number = &steps },
		{ }
	};

	workload_name = "chase";
	workload_args(argc, argv,
		      "chase [--size BYTES] [--apart BYTES] [--node N] [--cpu N] [--steps N]",
		      args);
	apart -= apart % sizeof(*elements);
	if (numa_available() < 0)
		workload_fail("this kernel has no NUMA support");
	if (node > numa_max_node())
		workload_usage("--node %d: the last node is %d", node,
			       numa_max_node());
	if (cpu < 0)
		cpu = workload_cpu_not_on(node);
	workload_pin(cpu);
	cpu_node = workload_node_of(cpu);

	if (size < 2 * apart)
		workload_usage("--size %" PRIu64 ": not two elements that are %" PRIu64 " bytes apart",
			       size, apart);
	size -= size % apart;
	/*
	 * Bind the memory to the node or fail, because a page on another node would make the answer
	 * wrong.
	 */
	numa_set_bind_policy(1);
	numa_set_strict(1);
	elements = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (elements == MAP_FAILED)
		workload_fail("no %" PRIu64 " bytes of memory", size);
	numa_tonode_memory(elements, size, node);

	printf("{\"start\":\"0x%" PRIxPTR "\",\"bytes\":%" PRIu64 ",\"node\":%d,"
	       "\"cpu\":%d,\"cpu_node\":%d,\"source\":\"%s\",\"function\":\"chase\","
	       "\"code\":\"0x%" PRIxPTR "\",\"steps\":%" PRIu64 ",\"slots\":[0],\"pid\":%d}\n",
	       (uintptr_t)elements, size, node, cpu, cpu_node,
	       node == cpu_node ? "dram" : "rdram", (uintptr_t)&chase, steps,
	       (int)getpid());
	fflush(stdout);

	build(elements, apart, size / apart);
	if (!chase(elements, steps))
		workload_fail("the chain is broken");
	return 0;
}
