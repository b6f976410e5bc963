// SPDX-License-Identifier: GPL-2.0
#include "c2c_node.h"

#include <stdio.h>

#include "../util/text.h"
#include "../util/xalloc.h"

/* The CPUs of a node that are in the mask. Masks contain CPU numbers mod 64. */
static __u64 cpus_on(const struct machine *machine, __u64 cpus, unsigned int node)
{
	__u64 here = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < machine->nr_cpus; cpu++)
		if (machine_node(machine, cpu) == (int)node)
			here |= 1ULL << cpu % 64;
	return cpus & here;
}

static void put_node(FILE *out, const struct node_use *use, const struct machine *machine,
		     unsigned int form, unsigned int node)
{
	char hitm[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX], list[TEXT_LIST_MAX];
	__u64 cpus = cpus_on(machine, use->cpus, node);

	if (form == 1)
		fprintf(out, "{%d %s %s}", __builtin_popcountll(cpus),
			text_share(hitm, use->hitm[node], use->whole_hitm, 1),
			text_share(stores, use->stores[node], use->whole_stores, 1));
	else
		fprintf(out, "{%s}", text_bits(list, cpus));
}

char *c2c_node_text(const struct node_use *use, const struct machine *machine,
		    unsigned int form)
{
	char list[TEXT_LIST_MAX], *text;
	const char *gap = "";
	unsigned int node;
	size_t size;
	FILE *out;

	if (!form)
		return xstrdup(text_bits(list, use->nodes));
	out = xmemstream(&text, &size);
	for (node = 0; node < NODES_MAX; node++) {
		if (!(use->nodes >> node & 1))
			continue;
		fprintf(out, "%s%u", gap, node);
		put_node(out, use, machine, form, node);
		gap = " ";
	}
	xmemstream_end(out);
	return text;
}
