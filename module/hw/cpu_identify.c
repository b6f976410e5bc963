// SPDX-License-Identifier: GPL-2.0
/*
 * Identify a CPU and check whether memlat can use it. Each check has a text that says what is
 * missing.
 */
#include <linux/kernel.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "../core/record.h"
#include "buffer.h"
#include "cpu_model.h"
#include "hw.h"

#define FORMAT_NONE	0
#define FORMAT_ADAPTIVE	4	/* and above */
#define FORMAT_ARCH	0xf

/* Reasons, each with what is missing and what would help. */
enum {
	WHY_P4,
	WHY_ARCH,
	WHY_FORMAT_0,
	WHY_BASELINE,
	WHY_FORMAT,
	WHY_COUNTERS,
	WHY_VENDOR,
	WHY_DS,
	WHY_PERFMON,
	WHY_FIRMWARE,
	WHY_CAPS,
	WHY_MODEL,
	WHY_SWALLOWED,
};

static const char *const why_not[] = {
	[WHY_P4] =
	"Pentium 4 can't sample the latency of loads; Intel Core and Xeon since Nehalem (2008) and Atom since Gracemont can",
	[WHY_ARCH] =
	"it has architectural PEBS (format 0xf), but CPUID.23H shows no records with address, source and latency on the counters that memlat needs (a hypervisor may hide them: memlat has to run on the host)",
	[WHY_FORMAT_0] =
	"its PEBS records are of format 0, without address and latency (a hypervisor may hide the real one: memlat has to run on the host)",
	[WHY_BASELINE] =
	"IA32_PERF_CAPABILITIES shows PEBS without baseline (bit 14), as KVM shows it to guests; its records have no address and no latency, so memlat has to run on the host",
	[WHY_FORMAT] =
	"IA32_PERF_CAPABILITIES shows a PEBS format other than 1 to 6 and 0xf, which this memlat knows: look for a newer memlat",
	[WHY_COUNTERS] =
	"CPUID.0AH shows too few performance counters (a hypervisor may hide them)",
	[WHY_VENDOR] =
	"it is not an Intel CPU, and memlat needs PEBS",
	[WHY_DS] =
	"CPUID shows no 64-bit debug store (a hypervisor may hide it: memlat has to run on the host)",
	[WHY_PERFMON] =
	"CPUID shows no performance monitoring (a hypervisor may hide it: memlat has to run on the host)",
	[WHY_FIRMWARE] =
	"IA32_MISC_ENABLE says that PEBS is unavailable: the firmware switched it off; look for PEBS or performance monitoring in its setup",
	[WHY_CAPS] =
	"it has no IA32_PERF_CAPABILITIES (a hypervisor may hide it: memlat has to run on the host)",
	[WHY_MODEL] =
	"its model is not in memlat's table: look for a newer memlat, or add its row (Documentation/cpu-models.rst says how)",
	[WHY_SWALLOWED] =
	"IA32_PEBS_ENABLE, or IA32_PEBS_INDEX, does not keep what is written to it: a hypervisor shows PEBS and drops the writes, so memlat has to run on the host",
};

/* A reason with figures in it; one CPU is identified at a time. */
static char text[200];

static bool models_have(const u8 *models, const struct cpuinfo_x86 *c)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_MODELS_MAX && models[i]; i++)
		if (models[i] == c->x86_model)
			return true;
	return false;
}

static bool is_hybrid(void)
{
	/* Read CPUID.7, because not all kernels have X86_FEATURE_HYBRID_CPU. */
	return boot_cpu_data.cpuid_level >= 0x1a && cpuid_edx(7) & BIT(15);
}

/* Use CPUID.1AH (@leaf) only if CPUID.7 says that the part is hybrid. */
static bool core_fits(const struct memlat_cpu_model *m, bool hybrid, u32 leaf)
{
	/* A part of a hybrid family that has only P-cores does not say that it is hybrid. */
	if (!hybrid)
		return !m->core_type || m->core_type == 0x40;
	return (!m->core_type || m->core_type == leaf >> 24) &&
	       (!m->native_id || m->native_id == (leaf & 0xffffff));
}

static const struct memlat_cpu_model *model_of(const struct cpuinfo_x86 *c)
{
	bool hybrid = is_hybrid();
	u32 leaf = hybrid ? cpuid_eax(0x1a) : 0;
	unsigned int i;

	for (i = 0; i < memlat_cpu_models_nr; i++) {
		const struct memlat_cpu_model *m = &memlat_cpu_models[i];

		if (c->x86 == m->family && models_have(m->models, c) &&
		    c->x86_stepping >= m->stepping_min && c->x86_stepping <= m->stepping_max &&
		    core_fits(m, hybrid, leaf))
			return m;
	}
	return NULL;
}

static const char *without(const struct cpuinfo_x86 *c)
{
	unsigned int i;

	if (c->x86 == 15)
		return why_not[WHY_P4];
	if (c->x86 != 6)
		return NULL;
	for (i = 0; i < memlat_cpu_without_nr; i++) {
		if (!models_have(memlat_cpu_without[i].models, c))
			continue;
		scnprintf(text, sizeof(text),
			  "%s can't sample the latency of loads; Intel Core and Xeon since Nehalem and Atom since Gracemont can",
			  memlat_cpu_without[i].title);
		return text;
	}
	return NULL;
}

/* A model that memlat recognizes but does not support yet: report what is missing. */
static const char *not_yet(const struct cpuinfo_x86 *c)
{
	unsigned int i;

	for (i = 0; i < memlat_cpu_not_yet_nr; i++) {
		if (memlat_cpu_not_yet[i].family != c->x86 ||
		    !models_have(memlat_cpu_not_yet[i].models, c))
			continue;
		scnprintf(text, sizeof(text),
			  "%s is not supported yet: %s; look for a newer memlat",
			  memlat_cpu_not_yet[i].title, memlat_cpu_not_yet[i].missing);
		return text;
	}
	return NULL;
}

/* Architectural PEBS has no DS area, so such a CPU need not show one. */
static bool is_arch(void)
{
	u64 cap;

	return cpu_feature_enabled(X86_FEATURE_PDCM) &&
	       !rdmsrq_safe(MSR_IA32_PERF_CAPABILITIES, &cap) &&
	       MEMLAT_CAP_FORMAT(cap) == FORMAT_ARCH;
}

/* Check the PEBS format in IA32_PERF_CAPABILITIES. */
static const char *format_missing(u64 cap, struct memlat_cpu_caps *caps)
{
	unsigned int format = MEMLAT_CAP_FORMAT(cap);

	if (format == FORMAT_NONE)
		return why_not[WHY_FORMAT_0];
	if (format >= FORMAT_ADAPTIVE && format != FORMAT_ARCH && !(cap & MEMLAT_CAP_BASELINE))
		return why_not[WHY_BASELINE];
	caps->layout = memlat_record_layout_of(format, cap & MEMLAT_CAP_BASELINE);
	if (!caps->layout)
		return why_not[WHY_FORMAT];
	return NULL;
}

/* The bitmap of subleaves that CPUID.23H has; 0: there is no such leaf. */
static u32 memlat_leaf_23(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < 0x23)
		return 0;
	cpuid_count(7, 1, &eax, &ebx, &ecx, &edx);
	if (!(eax & BIT(8)))	/* ARCH_PERFMON_EXT */
		return 0;
	cpuid_count(0x23, 0, &eax, &ebx, &ecx, &edx);
	return eax;
}

/*
 * Architectural PEBS: subleaf 4 says which bits a counter's CFG_C may have, subleaf 5 which
 * counters have such a register. The whole leaf describes this kind of core.
 */
static bool arch_serves(const struct memlat_cpu_model *m, struct memlat_cpu_caps *caps)
{
	const u32 needs = BIT(4) | BIT(5);
	u64 counters = BIT_ULL(m->load_counter);
	unsigned int eax, ebx, ecx, edx;

	if (m->store_event)
		counters |= BIT_ULL(m->store_counter);
	if ((memlat_leaf_23() & needs) != needs)
		return false;
	cpuid_count(0x23, 4, &eax, &ebx, &ecx, &edx);
	if (!((u64)ebx << 32 & MEMLAT_CFG_C_AUX))
		return false;
	cpuid_count(0x23, 5, &eax, &ebx, &ecx, &edx);
	caps->recording = (u64)ecx << 32 | eax;
	return (caps->recording & counters) == counters;
}

/* Leaf 23H describes this core; on a hybrid part, leaf 0AH has only what all cores have. */
static void count_counters(struct memlat_cpu_caps *caps)
{
	unsigned int eax, ebx, ecx, edx;

	if (!(memlat_leaf_23() & BIT(1)))
		return;
	cpuid_count(0x23, 1, &eax, &ebx, &ecx, &edx);
	/* Count up to the first gap, because all counters below the number are read later. */
	if (eax && eax != ~0U)
		caps->counters = max_t(unsigned int, caps->counters, ffz(eax));
}

static const char *counters_missing(const struct memlat_cpu_model *m, u64 cap,
				    struct memlat_cpu_caps *caps)
{
	unsigned int eax, ebx, ecx, edx;

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	caps->version = eax & 0xff;
	caps->counters = (eax >> 8) & 0xff;
	caps->counter_width = (eax >> 16) & 0xff;
	caps->fixed_width = (edx >> 5) & 0xff;
	caps->full_width = cap & MEMLAT_CAP_FULL_WIDTH;
	count_counters(caps);
	/* memlat needs the global registers of version 2, and fixed counter 1 (core cycles). */
	if (caps->version < 2 || ((edx & 0x1f) < 2 && !(ecx & BIT(1))) ||
	    caps->counters <= max3(m->load_counter, m->store_counter, m->aux_counter) ||
	    caps->counter_width < 32 || caps->counter_width > 63 ||
	    caps->fixed_width < 32 || caps->fixed_width > 63)
		return why_not[WHY_COUNTERS];
	return NULL;
}

static const char *microcode_missing(const struct cpuinfo_x86 *c, const struct memlat_cpu_model *m)
{
	if (c->microcode >= m->microcode_min)
		return NULL;
	scnprintf(text, sizeof(text),
		  "its microcode %#x breaks PEBS, but %#x and later are good: update the firmware, or install intel-microcode and boot again",
		  c->microcode, m->microcode_min);
	return text;
}

/*
 * A hypervisor may show all of PEBS and drop writes to its registers, so write and read back. With
 * a DS area, try the bit of the load counter, which has no effect while the counter is not enabled.
 * With architectural PEBS, try a threshold while PEBS is off. If PEBS or the load counter is in
 * use, skip the test: its user has found that the PMU works.
 */
static bool arch_is_swallowed(void)
{
	u64 v, limit;
	bool kept;

	if (rdmsrq_safe(MEMLAT_MSR_PEBS_BASE, &v) || rdmsrq_safe(MEMLAT_MSR_PEBS_INDEX, &v))
		return true;
	if (v)
		return false;
	/* Not a constant expression, or sparse complains that it is truncated. */
	limit = MEMLAT_INDEX_LIMIT - v;
	kept = !wrmsrq_safe(MEMLAT_MSR_PEBS_INDEX, limit) &&
	       !rdmsrq_safe(MEMLAT_MSR_PEBS_INDEX, &v) && v == limit;
	wrmsrq_safe(MEMLAT_MSR_PEBS_INDEX, 0);
	return !kept;
}

static bool pebs_is_swallowed(const struct memlat_cpu_model *m)
{
	const u64 bit = MEMLAT_PEBS_EN(m->load_counter);
	u64 v, select;
	bool kept;

	if (rdmsrq_safe(MSR_IA32_PEBS_ENABLE, &v))
		return true;
	if (v || rdmsrq_safe(MSR_ARCH_PERFMON_EVENTSEL0 + m->load_counter, &select) ||
	    (select & MEMLAT_EVTSEL_EN))
		return false;
	kept = !wrmsrq_safe(MSR_IA32_PEBS_ENABLE, bit) &&
	       !rdmsrq_safe(MSR_IA32_PEBS_ENABLE, &v) && v == bit;
	wrmsrq_safe(MSR_IA32_PEBS_ENABLE, 0);
	return !kept;
}

static const char *missing(const struct cpuinfo_x86 *c, const struct memlat_cpu_model *m,
			   struct memlat_cpu_caps *caps)
{
	const char *why;
	u64 misc, cap;

	if (c->x86_vendor != X86_VENDOR_INTEL)
		return why_not[WHY_VENDOR];
	why = without(c);
	if (why)
		return why;
	if (!is_arch() && (!cpu_feature_enabled(X86_FEATURE_DS) ||
			   !cpu_feature_enabled(X86_FEATURE_DTES64)))
		return why_not[WHY_DS];
	if (!cpu_feature_enabled(X86_FEATURE_PDCM) || c->cpuid_level < 0xa)
		return why_not[WHY_PERFMON];
	if (rdmsrq_safe(MSR_IA32_MISC_ENABLE, &misc) ||
	    (misc & MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL))
		return why_not[WHY_FIRMWARE];
	if (rdmsrq_safe(MSR_IA32_PERF_CAPABILITIES, &cap))
		return why_not[WHY_CAPS];
	why = format_missing(cap, caps);
	if (why)
		return why;
	if (!m)
		return not_yet(c) ?: why_not[WHY_MODEL];
	why = microcode_missing(c, m);
	if (why)
		return why;
	why = counters_missing(m, cap, caps);
	if (why)
		return why;
	if (caps->layout->arch && !arch_serves(m, caps))
		return why_not[WHY_ARCH];
	if (caps->layout->arch ? arch_is_swallowed() : pebs_is_swallowed(m))
		return why_not[WHY_SWALLOWED];
	return NULL;
}

/**
 * memlat_cpu_identify - look up this CPU's row in the table of models
 * @caps: filled in
 * @why: set if memlat cannot use the CPU: what is missing and what would help; else NULL
 *
 * Runs on the CPU itself with interrupts off, on one CPU at a time.
 *
 * Return: the row, or NULL.
 */
const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps,
						   const char **why)
{
	const struct cpuinfo_x86 *c = &cpu_data(smp_processor_id());
	const struct memlat_cpu_model *m = NULL;

	*caps = (struct memlat_cpu_caps) { };
	if (c->x86_vendor == X86_VENDOR_INTEL)
		m = model_of(c);
	*why = missing(c, m, caps);
	return *why ? NULL : m;
}
