// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPU is this, and can memlat use it? A table, and one check after the
 * other, each with its reason in words.
 */
#include <linux/printk.h>
#include <linux/cache.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "cpu_model.h"
#include "msr.h"

static const struct memlat_cpu_model models[] = {
	{
		.name = "skx",
		.title = "Skylake-SP",
		.family = 6,
		.model = 0x55,
		.stepping_min = 0,
		.stepping_max = 4,	/* 5 and up: Cascade and Cooper Lake */
		.pebs_format = 3,
		.load_event = 0x01cd,	/* MEM_TRANS_RETIRED.LOAD_LATENCY */
		/* Any of 0-2; 3 is not free while TSX_FORCE_ABORT is clear. */
		.load_counter = 0,
		.store_event = 0x82d0,	/* MEM_INST_RETIRED.ALL_STORES */
		.store_counter = 1,
		.period_min = 2,
		/*
		 * Where the handler can't look, so estimated: entry and IRET
		 * of an NMI, walking its handlers, switching page tables.
		 */
		.pmi_cycles = 800,
		.hook_cycles = 50,
		.merge_cycles = 7000,
		.record_cycles = 1000,
		.layout = &memlat_record_fmt3,
		.sources = &memlat_source_skx,
	},
};

static const struct memlat_cpu_model *find(const struct cpuinfo_x86 *c)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (c->x86 == models[i].family && c->x86_model == models[i].model &&
		    c->x86_stepping >= models[i].stepping_min &&
		    c->x86_stepping <= models[i].stepping_max)
			return &models[i];
	}
	return NULL;
}

static const char *missing(const struct cpuinfo_x86 *c, const struct memlat_cpu_model *model,
			   struct memlat_cpu_caps *caps)
{
	unsigned int eax, ebx, ecx, edx;
	u64 misc, cap;

	if (c->x86_vendor != X86_VENDOR_INTEL)
		return "it is not an Intel CPU";
	if (!model)
		return "its model is not in memlat's table";
	if (!cpu_feature_enabled(X86_FEATURE_DS) || !cpu_feature_enabled(X86_FEATURE_DTES64))
		return "CPUID shows no 64-bit debug store (a hypervisor may hide it)";
	if (!cpu_feature_enabled(X86_FEATURE_PDCM) || c->cpuid_level < 0xa)
		return "CPUID shows no performance monitoring (a hypervisor may hide it)";
	if (rdmsrq_safe(MSR_IA32_MISC_ENABLE, &misc) ||
	    (misc & MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL))
		return "IA32_MISC_ENABLE says that PEBS is unavailable (firmware setting)";
	if (rdmsrq_safe(MSR_IA32_PERF_CAPABILITIES, &cap) ||
	    MEMLAT_CAP_FORMAT(cap) != model->pebs_format)
		return "IA32_PERF_CAPABILITIES shows another PEBS format than this model has";

	cpuid(0xa, &eax, &ebx, &ecx, &edx);
	caps->counters = (eax >> 8) & 0xff;
	caps->counter_width = (eax >> 16) & 0xff;
	caps->fixed_width = (edx >> 5) & 0xff;
	caps->full_width = cap & MEMLAT_CAP_FULL_WIDTH;
	/* Version 2 brought the global registers; fixed counter 1 is core cycles. */
	if ((eax & 0xff) < 2 || (edx & 0x1f) < 2 ||
	    caps->counters <= max(model->load_counter, model->store_counter) ||
	    caps->counter_width < 32 || caps->counter_width > 63 ||
	    caps->fixed_width < 32 || caps->fixed_width > 63)
		return "CPUID shows too few performance counters";
	return NULL;
}

/**
 * memlat_cpu_identify - find this CPU's row, or say why there is none
 * @caps: filled in
 *
 * Return: the row, or NULL after one line in the log that says what is missing
 * and what would serve.
 */
const struct memlat_cpu_model *memlat_cpu_identify(struct memlat_cpu_caps *caps)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	const struct memlat_cpu_model *model = find(c);
	const char *why = missing(c, model, caps);

	if (!why)
		return model;
	pr_err("cannot run on this CPU (%s, family %u model %u stepping %u): %s; memlat needs PEBS load latency on an Intel %s (family %u model %u stepping %u-%u), not hidden by a hypervisor\n",
	       c->x86_vendor_id, c->x86, c->x86_model, c->x86_stepping, why,
	       models[0].title, models[0].family, models[0].model,
	       models[0].stepping_min, models[0].stepping_max);
	return NULL;
}
