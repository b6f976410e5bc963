// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <numa.h>

#include "../util/cpulist.h"
#include "../util/io.h"
#include "../util/xalloc.h"

void machine_init(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
}

void machine_free(struct machine *machine)
{
	free(machine->host);
	free(machine->kernel);
	free(machine->cpu);
	free(machine->cpu_node);
	free(machine->cpu_socket);
	free(machine->node_bytes);
	machine_init(machine);
}

int machine_node(const struct machine *machine, unsigned int cpu)
{
	return cpu < machine->nr_cpus ? machine->cpu_node[cpu] : -1;
}

static __s32 socket_of(unsigned int cpu)
{
	char path[96], line[32], *end;
	long socket;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
	if (!io_text(path, line, sizeof(line)))
		return -1;
	socket = strtol(line, &end, 10);
	return end == line || socket < 0 || socket > INT32_MAX ? -1 : (__s32)socket;
}

static void read_topology(struct machine *machine)
{
	bool numa = numa_available() >= 0;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	__u64 present[MEMLAT_CPU_WORDS];
	const bool listed = cpulist_present(present);
	size_t i;

	machine->nr_cpus = cpus > 0 ? (size_t)cpus : 1;
	/* The numbers may have holes, so the highest one may be above the number of CPUs. */
	for (i = machine->nr_cpus; listed && i < CPULIST_CPUS; i++)
		if (cpulist_has(present, (unsigned int)i))
			machine->nr_cpus = i + 1;
	machine->nr_nodes = numa ? (size_t)numa_max_node() + 1 : 1;
	machine->cpu_node = xcalloc(machine->nr_cpus, sizeof(*machine->cpu_node));
	machine->cpu_socket = xcalloc(machine->nr_cpus, sizeof(*machine->cpu_socket));
	machine->node_bytes = xcalloc(machine->nr_nodes, sizeof(*machine->node_bytes));
	for (i = 0; i < machine->nr_cpus; i++) {
		if (listed && !cpulist_has(present, (unsigned int)i))
			machine->cpu_node[i] = -1;
		else
			machine->cpu_node[i] = numa ? numa_node_of_cpu((int)i) : 0;
		machine->cpu_socket[i] = socket_of((unsigned int)i);
	}
	for (i = 0; i < machine->nr_nodes; i++) {
		long long bytes = numa ? numa_node_size64((int)i, NULL) :
				  (long long)sysconf(_SC_PHYS_PAGES) *
				  sysconf(_SC_PAGESIZE);

		machine->node_bytes[i] = bytes > 0 ? (__u64)bytes : 0;
	}
}

static char *cpu_title(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], *title = NULL;

	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = '\0';
		title = xstrdup(colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (file)
		fclose(file);
	return title;
}

void machine_read(struct machine *machine, const struct memlat_query *query)
{
	struct utsname system;

	machine_init(machine);
	machine->query = *query;
	if (!uname(&system)) {
		machine->host = xstrdup(system.nodename);
		machine->kernel = xstrdup(system.release);
	}
	machine->cpu = cpu_title();
	io_text("/proc/sys/kernel/random/boot_id", machine->boot_id, sizeof(machine->boot_id));
	read_topology(machine);
	machine_edges_find(machine);
}
