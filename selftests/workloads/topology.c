// SPDX-License-Identifier: GPL-2.0
/* What the workloads share: nodes and their CPUs. */
#include "workload.h"

#include <numa.h>

int workload_node_of(int cpu)
{
	int node = numa_available() < 0 ? 0 : numa_node_of_cpu(cpu);

	if (node < 0)
		workload_fail("CPU %d is on no node of this machine", cpu);
	return node;
}

int workload_cpu_not_on(int node)
{
	int cpu;

	for (cpu = 0; cpu < numa_num_configured_cpus(); cpu++)
		if (numa_node_of_cpu(cpu) != node)
			return cpu;
	workload_fail("every CPU is on node %d: name one with --cpu", node);
}

void workload_cpus_of_two_nodes(int cpus[2])
{
	cpus[0] = 0;
	cpus[1] = workload_cpu_not_on(workload_node_of(0));
}
