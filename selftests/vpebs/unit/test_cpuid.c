// SPDX-License-Identifier: GPL-2.0
/* What CPUID and the registers that are not the PMU's say, for all machines. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../cpuid.h"

#define QEMU_LEVEL	0x10

/* Return the answer of the CPU with this number, changed from QEMU's answer as the glue does. */
static struct vp_cpuid ask(const struct vp_model *m, unsigned int cpu, unsigned int cpus,
			   uint32_t leaf, uint32_t subleaf, struct vp_cpuid qemu)
{
	struct vp_cpuid r = qemu;

	if (vp_cpuid_ours(m, QEMU_LEVEL, leaf, subleaf))
		vp_cpuid_mend(m, vp_model_core(m, cpu, cpus), leaf, subleaf, &r);
	return r;
}

static const struct vp_model *machine(const char *name)
{
	const struct vp_model *m = vp_model_find(name);

	assert_non_null(m);
	return m;
}

static const struct vp_cpuid nothing;

TEST(test_skx_is_as_it_was)
{
	const struct vp_model *m = machine("skx");
	const struct vp_cpuid qemu = { .eax = 0x50654, .ebx = 1, .ecx = 0x80000000, .edx = 3 };
	const struct vp_cpuid seven = { .eax = 1, .ebx = 2, .ecx = 3, .edx = 4 };
	struct vp_cpuid r = ask(m, 0, 2, 1, 0, qemu);

	assert_int_equal(r.eax, 0x50654);
	assert_int_equal(r.ebx, 1);
	assert_int_equal(r.ecx, 0x80000000u | 1 << 2 | 1 << 15);
	assert_int_equal(r.edx, 3 | 1 << 21);
	r = ask(m, 0, 2, 0xa, 0, nothing);
	assert_int_equal(r.eax, 0x07300404);
	assert_int_equal(r.ebx, 0);
	assert_int_equal(r.ecx, 0);
	assert_int_equal(r.edx, 0x603);
	r = ask(m, 0, 2, 7, 0, seven);
	assert_memory_equal(&r, &seven, sizeof(r));
	/* QEMU's CPU has page tables of five levels, a Skylake-SP does not. */
	r = ask(m, 0, 2, 7, 0, (struct vp_cpuid) { .ecx = 1u << 16 | 3 });
	assert_int_equal(r.ecx, 3);
	r = ask(machine("icx"), 0, 2, 7, 0, (struct vp_cpuid) { .ecx = 1u << 16 | 3 });
	assert_int_equal(r.ecx, 1u << 16 | 3);
	r = ask(m, 0, 2, 7, 1, seven);
	assert_memory_equal(&r, &seven, sizeof(r));
	assert_false(vp_cpuid_ours(m, QEMU_LEVEL, 0, 0));
	assert_false(vp_cpuid_ours(m, QEMU_LEVEL, 0x1a, 0));
	assert_false(vp_cpuid_ours(m, QEMU_LEVEL, 0x23, 0));
}

TEST(test_signatures)
{
	static const struct {
		const char *name;
		uint32_t signature;
	} known[] = {
		{ "nhm", 0x106a5 }, { "wsm", 0x206c2 }, { "snb", 0x206d7 }, { "ivb", 0x306e4 },
		{ "hsw", 0x306f2 }, { "bdw", 0x406f1 }, { "skl", 0x506e3 }, { "skx", 0x50654 },
		{ "clx", 0x50657 }, { "icx", 0x606a6 }, { "adl", 0x90672 }, { "spr", 0x806f8 },
		{ "emr", 0xc06f2 }, { "gnr", 0xa06d1 }, { "mtl", 0xa06a4 }, { "lnl", 0xb06d1 },
		{ "srf", 0xa06f3 },
	};
	const struct vp_model nova_lake = { .family = 18, .model = 1, .core = {
		machine("skx")->core[0] } };
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(ask(machine(known[i].name), 0, 4, 1, 0, nothing).eax,
				 known[i].signature);
	/* A family above 15 needs bits 27:20. */
	assert_int_equal(ask(&nova_lake, 0, 1, 1, 0, nothing).eax, 0x00300f10);
}

TEST(test_icx_tells_that_it_needs_no_pti)
{
	const struct vp_model *m = machine("icx");
	struct vp_cpuid r = ask(m, 0, 2, 7, 0, nothing);
	uint64_t value = 0;

	assert_int_equal(r.edx, 1u << 29);
	assert_true(vp_sysmsr(m, VP_MSR_ARCH_CAPS, &value));
	assert_true(value & 1);
	assert_false(vp_sysmsr(machine("skx"), VP_MSR_ARCH_CAPS, &value));
	r = ask(m, 0, 2, 0xa, 0, nothing);
	assert_int_equal(r.eax & 0xff, 5);
	assert_int_equal(r.ecx, (1u << (r.edx & 0x1f)) - 1);
	assert_true(r.edx & 1 << 15);
}

TEST(test_hybrid_machines_tell_each_core_its_kind)
{
	const struct vp_model *m = machine("adl");
	struct vp_cpuid p = ask(m, 0, 4, 0x1a, 0, nothing), e = ask(m, 3, 4, 0x1a, 0, nothing);
	struct vp_cpuid a;

	assert_int_equal(p.eax >> 24, 0x40);
	assert_int_equal(e.eax >> 24, 0x20);
	assert_int_equal(ask(m, 1, 4, 0x1a, 0, nothing).eax, p.eax);
	assert_int_equal(ask(m, 2, 4, 0x1a, 0, nothing).eax, e.eax);
	assert_int_equal(ask(m, 0, 4, 7, 0, nothing).edx & 1 << 15, 1 << 15);
	/* Linux itself adds two general counters and a fixed one for the P-cores. */
	a = ask(m, 0, 4, 0xa, 0, nothing);
	assert_int_equal(a.eax >> 8 & 0xff, 6);
	assert_int_equal(a.edx & 0x1f, 3);
	assert_int_equal(ask(m, 3, 4, 0xa, 0, nothing).eax, a.eax);
	assert_true(ask(m, 0, 4, 0, 0, nothing).eax >= 0x1a);
	assert_int_equal(ask(m, 0, 4, 7, 1, nothing).eax, 0);
}

TEST(test_three_kinds)
{
	const struct vp_model *m = machine("arlh");
	uint32_t p = ask(m, 0, 3, 0x1a, 0, nothing).eax, e = ask(m, 1, 3, 0x1a, 0, nothing).eax;
	uint32_t low = ask(m, 2, 3, 0x1a, 0, nothing).eax;

	assert_int_equal(p, 0x40000003);
	assert_int_equal(e, 0x20000003);
	assert_int_equal(low, 0x20000002);
}

TEST(test_counters_by_core)
{
	const struct vp_model *m = machine("lnl");
	struct vp_cpuid p = ask(m, 0, 2, 0x23, 1, nothing), e = ask(m, 1, 2, 0x23, 1, nothing);

	assert_int_equal(ask(m, 0, 2, 7, 1, nothing).eax, 1 << 8);
	assert_int_equal(ask(m, 0, 2, 7, 0, nothing).eax, 1);
	assert_int_equal(ask(m, 0, 2, 0, 0, nothing).eax, 0x23);
	assert_int_equal(ask(m, 0, 2, 0x23, 0, nothing).eax & 2, 2);
	assert_int_equal(p.eax, (1u << m->core[0]->gp) - 1);
	assert_int_equal(e.eax, (1u << m->core[1]->gp) - 1);
	assert_int_equal(p.ebx, (1u << m->core[0]->fixed) - 1);
	/* Above QEMU's last leaf, no value of that last leaf may be visible. */
	assert_int_equal(ask(m, 0, 2, 0x14, 0, (struct vp_cpuid) { 1, 1, 1, 1 }).eax, 0);
	assert_false(vp_cpuid_ours(m, QEMU_LEVEL, 0xb, 0));
}

TEST(test_architectural_pebs_is_told)
{
	const struct vp_model *m = machine("ptl");
	unsigned int cpu;

	assert_int_equal(ask(m, 0, 2, 0x23, 0, nothing).eax & 0x30, 0x30);
	assert_int_equal(ask(machine("lnl"), 0, 2, 0x23, 0, nothing).eax & 0x30, 0);
	/* Groups: GPRs and auxiliary. Counters that do PEBS, and that do it precisely distributed. */
	for (cpu = 0; cpu < 2; cpu++) {
		const struct vp_cpuid groups = ask(m, cpu, 2, 0x23, 4, nothing);
		const struct vp_cpuid counters = ask(m, cpu, 2, 0x23, 5, nothing);

		assert_int_equal(groups.ebx, 3u << 29);
		assert_int_equal(counters.eax, cpu ? 0xff : 0x3ff);
		assert_int_equal(counters.ebx, cpu ? 0x3 : 0x1);
		assert_int_equal(counters.ecx, 1);
		assert_int_equal(counters.edx, 1);
	}
}

TEST(test_microcode_and_misc_enable)
{
	uint64_t value = 0;

	assert_true(vp_sysmsr(machine("snb"), VP_MSR_UCODE_REV, &value));
	assert_int_equal(value >> 32, machine("snb")->microcode);
	assert_true(vp_sysmsr(machine("snb-old"), VP_MSR_UCODE_REV, &value));
	assert_true(value >> 32 < machine("snb")->microcode);
	assert_true(machine("fw-off")->misc_pebs_off);
	/* This is QEMU's own register, changed by the glue, because it is read in real mode. */
	assert_false(vp_sysmsr(machine("fw-off"), VP_MSR_MISC_ENABLE, &value));
}

TEST(test_identity)
{
	const struct vp_model *m = machine("adl");
	char text[256], expected[256];
	size_t need;

	need = vp_identity(m, 4, text, sizeof(text));
	assert_int_equal(need, strlen(text));
	snprintf(expected, sizeof(expected),
		 "machine adl\ntitle %s\ncore adl-p cpus 0-1\ncore adl-e cpus 2-3\n", m->title);
	assert_string_equal(text, expected);
	/* The text is cut off. The returned length is that of the whole text. */
	assert_int_equal(vp_identity(m, 4, text, 12), need);
	assert_string_equal(text, "machine adl");
	assert_int_equal(vp_identity(m, 4, NULL, 0), need);
	vp_identity(machine("skx"), 1, text, sizeof(text));
	assert_non_null(strstr(text, "\ncore skx cpus 0\n"));
}
