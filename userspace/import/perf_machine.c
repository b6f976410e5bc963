// SPDX-License-Identifier: GPL-2.0
#include "perf_file.h"

#include <stdio.h>
#include <string.h>

#include "../profile/machine.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define VENDOR_MAX	16

/* "GenuineIntel,6,85,4"; Arm's is the MIDR. */
static bool split(const char *cpuid, char vendor[VENDOR_MAX], unsigned int *family,
		  unsigned int *model, unsigned int *stepping)
{
	return cpuid && sscanf(cpuid, "%15[A-Za-z]%*[-,]%u%*[-,]%u%*[-,]%u", vendor, family,
			       model, stepping) == 4;
}

struct cpu_identity perf_machine_cpu(const struct perf_file *file)
{
	struct cpu_identity cpu = { 0 };
	char vendor[VENDOR_MAX];

	if (split(file->cpuid, vendor, &cpu.family, &cpu.model, &cpu.stepping))
		cpu.intel = !strcmp(vendor, "GenuineIntel");
	cpu.amd = !cpu.intel && cpu.family && !strcmp(vendor, "AuthenticAMD");
	return cpu;
}

bool perf_machine_has_hitm(const struct perf_file *file)
{
	const struct cpu_identity cpu = perf_machine_cpu(file);

	/* Zen 3: CacheHitSt does not exist (its PPR; perf's perf-c2c.txt). */
	if (cpu.amd)
		return cpu.family != 0x19 || (cpu.model > 0xf && cpu.model < 0x20) ||
		       cpu.model > 0x5f;
	/* Of Arm's SPE only HiSilicon's source (implementer 0x48) says it. */
	return cpu.intel || !file->arch || strcmp(file->arch, "aarch64") ||
	       (file->cpuid && !strncmp(file->cpuid, "0x0000000048", 12));
}

void perf_machine_model(struct memlat_query *query, const struct cpu_identity *cpu,
			const char *other_name, const char *other_title)
{
	const char *why, *name = cpu_models_name(cpu), *title = cpu_models_find(cpu, &why);

	query->size = sizeof(*query);
	query->cpu_family = cpu->family;
	query->cpu_model = cpu->model;
	query->cpu_stepping = cpu->stepping;
	query->cores = 1;
	snprintf(query->model_name, sizeof(query->model_name), "%s", name ? name : other_name);
	snprintf(query->model_title, sizeof(query->model_title), "%s",
		 title ? title : other_title);
	text_plain(query->model_name, sizeof(query->model_name));
	text_plain(query->model_title, sizeof(query->model_title));
}

static void take_model(struct machine *machine, const struct perf_file *file)
{
	const struct cpu_identity cpu = perf_machine_cpu(file);
	char vendor[VENDOR_MAX];
	unsigned int unused;

	perf_machine_model(&machine->query, &cpu,
			   split(file->cpuid, vendor, &unused, &unused, &unused) ? vendor :
			   file->arch ? file->arch : "unknown",
			   file->cpu ? file->cpu : file->cpuid ? file->cpuid : "unknown");
}

static void take_node(struct machine *machine, const struct perf_file_node *node)
{
	__u64 cpus[MEMLAT_CPU_WORDS] = { 0 };
	size_t cpu;

	machine->node_bytes[node->number] = node->bytes;
	if (cpulist_parse(node->cpus, cpus) != CPULIST_OK)
		return;
	for (cpu = 0; cpu < machine->nr_cpus; cpu++)
		if (cpulist_has(cpus, (unsigned int)cpu))
			machine->cpu_node[cpu] = (__s32)node->number;
}

void perf_machine_read(struct machine *machine, const struct perf_file *file)
{
	size_t i;

	machine_init(machine);
	machine->host = file->host ? xstrdup(file->host) : NULL;
	machine->kernel = file->release ? xstrdup(file->release) : NULL;
	machine->cpu = file->cpu ? xstrdup(file->cpu) : NULL;
	take_model(machine, file);
	machine->nr_cpus = file->cpus_available;
	machine->cpu_node = xcalloc(machine->nr_cpus, sizeof(*machine->cpu_node));
	machine->cpu_socket = xcalloc(machine->nr_cpus, sizeof(*machine->cpu_socket));
	for (i = 0; i < machine->nr_cpus; i++) {
		machine->cpu_node[i] = -1;
		machine->cpu_socket[i] = i < file->nr_sockets ? file->cpu_socket[i] : -1;
	}
	for (i = 0; i < file->nr_nodes; i++)
		if (file->nodes[i].number >= machine->nr_nodes)
			machine->nr_nodes = file->nodes[i].number + 1;
	machine->node_bytes = xcalloc(machine->nr_nodes, sizeof(*machine->node_bytes));
	for (i = 0; i < file->nr_nodes; i++)
		take_node(machine, &file->nodes[i]);
	machine_edges_find(machine);
}
