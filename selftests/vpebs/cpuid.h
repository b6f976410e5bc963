/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What CPUID and a few registers outside the PMU report on an emulated machine. QEMU does the rest.
 */
#ifndef VPEBS_CPUID_H
#define VPEBS_CPUID_H

#include <stddef.h>

#include "model.h"

struct vp_cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * Does this leaf need another answer than QEMU's? level: QEMU's own highest leaf; 0: not known yet.
 * For higher leaves QEMU returns what its highest leaf has, so these must not be left to it.
 */
bool vp_cpuid_ours(const struct vp_model *m, uint32_t level, uint32_t leaf, uint32_t subleaf);
void vp_cpuid_mend(const struct vp_model *m, const struct vp_core *core, uint32_t leaf,
		   uint32_t subleaf, struct vp_cpuid *r);

enum {
	VP_MSR_UCODE_REV	= 0x08b,	/* revision in the upper half */
	VP_MSR_ARCH_CAPS	= 0x10a,
	VP_MSR_MISC_ENABLE	= 0x1a0,
};

/* IA32_MISC_ENABLE: fast string operations are on; PEBS is unavailable. */
#define VP_MISC_FAST_STRINGS	(1u << 0)
#define VP_MISC_PEBS_OFF	(1u << 12)

/* A register that is answered here. False: it is QEMU's, or the PMU's. */
bool vp_sysmsr(const struct vp_model *m, uint32_t msr, uint64_t *value);

/*
 * What the machine is, as lines of text: "machine NAME", "title TITLE", and for
 * each kind of core "core NAME cpus LIST". Returns the length needed without
 * the terminating NUL; writes at most size bytes, with a NUL at the end.
 */
size_t vp_identity(const struct vp_model *m, unsigned int cpus, char *buf, size_t size);

#endif
