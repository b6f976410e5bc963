// SPDX-License-Identifier: GPL-2.0
/* Which CPU of a machine is of which kind, and what they have in common. */
#include "model.h"

unsigned int vp_model_kinds(const struct vp_model *m)
{
	unsigned int n = 0;

	while (n < VP_CORE_KINDS && m->core[n])
		n++;
	return n;
}

unsigned int vp_model_kind(const struct vp_model *m, unsigned int cpu, unsigned int cpus)
{
	return cpu * vp_model_kinds(m) / cpus;
}

const struct vp_core *vp_model_core(const struct vp_model *m, unsigned int cpu,
				    unsigned int cpus)
{
	return m->core[vp_model_kind(m, cpu, cpus)];
}

uint64_t vp_model_two_latencies(const struct vp_model *m, unsigned int cpus)
{
	uint64_t set = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (vp_model_core(m, cpu, cpus)->cache_latency)
			set |= 1ULL << cpu;
	return set;
}

#define CORE_CYCLES	5

uint32_t vp_memory_latency(const struct vp_core *core, const struct vp_outcome *outcome)
{
	if (!core->cache_latency || outcome->wait)
		return outcome->latency;
	return outcome->latency > CORE_CYCLES ? outcome->latency - CORE_CYCLES : 0;
}

unsigned int vp_model_leaf_gp(const struct vp_model *m)
{
	unsigned int i, least = m->core[0]->gp;

	for (i = 1; i < vp_model_kinds(m); i++)
		least = m->core[i]->gp < least ? m->core[i]->gp : least;
	return least;
}

unsigned int vp_model_leaf_fixed(const struct vp_model *m)
{
	unsigned int i, least = m->core[0]->fixed;

	for (i = 1; i < vp_model_kinds(m); i++)
		least = m->core[i]->fixed < least ? m->core[i]->fixed : least;
	return least;
}
