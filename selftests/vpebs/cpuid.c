// SPDX-License-Identifier: GPL-2.0
/* What CPUID and a few registers outside the PMU report on an emulated machine. */
#include <stdio.h>

#include "cpuid.h"

/* Leaf 1. ECX: DTES64, PDCM; EDX: DS. TCG does not accept them as -cpu flags. */
#define LEAF1_ECX	((1u << 2) | (1u << 15))
#define LEAF1_EDX	(1u << 21)
/* Leaf 7.0 ECX: five levels of page tables. */
#define LEAF7_LA57	(1u << 16)
/* Leaf 7.0 EDX: hybrid, ARCH_CAPABILITIES; 7.1 EAX: there is a leaf 0x23. */
#define LEAF7_HYBRID	(1u << 15)
#define LEAF7_ARCH_CAPS	(1u << 29)
#define LEAF71_PERFMON	(1u << 8)

#define LEVEL		0x23u

/* Leaf 0x23, EAX: which subleaves there are. */
#define SUBLEAVES	((1u << 0) | (1u << 1))
#define PEBS_SUBLEAVES	((1u << 4) | (1u << 5))

/*
 * ARCH_CAPABILITIES: RDCL_NO, and what cores since Ice Lake report together with it:
 * SKIP_L1DFL_VMENTRY, MDS_NO, PSCHANGE_MC_NO, TAA_NO.
 */
#define ARCH_CAPS	((1u << 0) | (1u << 3) | (1u << 5) | (1u << 6) | (1u << 8))

static bool hybrid(const struct vp_model *m)
{
	return vp_model_kinds(m) > 1;
}

static bool has_leaf23(const struct vp_model *m)
{
	unsigned int i;

	for (i = 0; i < vp_model_kinds(m); i++)
		if (m->core[i]->leaf23)
			return true;
	return false;
}

bool vp_cpuid_ours(const struct vp_model *m, uint32_t level, uint32_t leaf, uint32_t subleaf)
{
	const bool more = hybrid(m) || has_leaf23(m);

	switch (leaf) {
	case 1:
	case 0xa:
		return true;
	case 0:
	case 0x1a:
	case 0x23:
		return more;
	case 7:
		return !subleaf || (subleaf == 1 && has_leaf23(m));
	}
	return more && level && leaf > level && leaf <= LEVEL;
}

static uint32_t signature(const struct vp_model *m)
{
	const unsigned int family = m->family < 0xf ? m->family : 0xf;

	return m->stepping | (m->model & 0xf) << 4 | family << 8 | (m->model >> 4) << 16 |
	       (m->family - family) << 20;
}

static void leaf_7(const struct vp_model *m, uint32_t subleaf, struct vp_cpuid *r)
{
	if (subleaf == 1) {
		r->eax |= LEAF71_PERFMON;
		return;
	}
	/* The last subleaf. */
	if (has_leaf23(m) && !r->eax)
		r->eax = 1;
	if (hybrid(m))
		r->edx |= LEAF7_HYBRID;
	if (m->rdcl_no)
		r->edx |= LEAF7_ARCH_CAPS;
	if (!m->la57)
		r->ecx &= ~LEAF7_LA57;
}

/*
 * A hybrid machine reports the counters that all cores have, on each core. Linux' driver expects
 * this since Alder Lake. Leaf 0x23 reports what only one kind of core has.
 */
static void leaf_a(const struct vp_model *m, const struct vp_core *core, struct vp_cpuid *r)
{
	const unsigned int gp = vp_model_leaf_gp(m), fixed = vp_model_leaf_fixed(m);
	/* Architectural events; version 5 has top-down slots too. */
	const unsigned int events = core->version >= 5 ? 8 : 7;

	r->eax = core->version | gp << 8 | 48u << 16 | events << 24;
	r->ecx = core->version >= 5 ? (1u << fixed) - 1 : 0;
	/* Bit 15: no AnyThread. */
	r->edx = fixed | 48u << 5 | (core->version >= 5 ? 1u << 15 : 0);
}

static void leaf_23(const struct vp_core *core, uint32_t subleaf, struct vp_cpuid *r)
{
	const uint32_t gp = (1u << core->gp) - 1;
	const bool arch = vp_core_arch(core);

	switch (subleaf) {
	case 0:
		r->eax = SUBLEAVES | (arch ? PEBS_SUBLEAVES : 0);
		break;
	case 1:
		r->eax = gp;
		r->ebx = (1u << core->fixed) - 1;
		break;
	/* Subleaf 4 has the bits of CFG_C that do something, subleaf 5 the counters that have one. */
	case 4:
		r->ebx = (uint32_t)(core->pebs_caps >> 32);
		break;
	case 5:
		r->eax = core->pebs_gp;
		r->ebx = core->pebs_gp_pdist;
		r->ecx = core->pebs_fixed;
		r->edx = core->pebs_fixed_pdist;
		break;
	}
}

void vp_cpuid_mend(const struct vp_model *m, const struct vp_core *core, uint32_t leaf,
		   uint32_t subleaf, struct vp_cpuid *r)
{
	switch (leaf) {
	case 0:
		if (r->eax < LEVEL)
			r->eax = LEVEL;
		return;
	case 1:
		r->eax = signature(m);
		r->ecx |= LEAF1_ECX;
		r->edx |= LEAF1_EDX;
		return;
	case 7:
		leaf_7(m, subleaf, r);
		return;
	}
	/* QEMU's answer is of no use in the other leaves. */
	*r = (struct vp_cpuid) { 0 };
	switch (leaf) {
	case 0xa:
		leaf_a(m, core, r);
		break;
	case 0x1a:
		r->eax = core->type;
		break;
	case 0x23:
		if (has_leaf23(m))
			leaf_23(core, subleaf, r);
		break;
	}
}

bool vp_sysmsr(const struct vp_model *m, uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case VP_MSR_UCODE_REV:
		*value = (uint64_t)m->microcode << 32;
		return m->microcode;
	case VP_MSR_ARCH_CAPS:
		*value = ARCH_CAPS;
		return m->rdcl_no;
	}
	return false;
}

size_t vp_identity(const struct vp_model *m, unsigned int cpus, char *buf, size_t size)
{
	unsigned int kind, cpu;
	size_t n = 0;

#define ADD(...) \
	(n += (size_t)snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, __VA_ARGS__))
	ADD("machine %s\ntitle %s\n", m->name, m->title);
	for (kind = 0; kind < vp_model_kinds(m); kind++) {
		const struct vp_core *core = m->core[kind];
		unsigned int from = cpus, to = 0;

		/* The CPUs of a kind have consecutive numbers. */
		for (cpu = 0; cpu < cpus; cpu++) {
			if (vp_model_core(m, cpu, cpus) != core)
				continue;
			if (from == cpus)
				from = cpu;
			to = cpu;
		}
		if (from == cpus)
			continue;
		ADD("core %s cpus %u", core->name, from);
		if (to != from)
			ADD("-%u", to);
		ADD("\n");
	}
#undef ADD
	return n;
}
