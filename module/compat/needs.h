/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a kernel is configured with that memlat cannot do without. Said here, once and at the first
 * file, and not by names that modpost does not find.
 */
#ifndef MEMLAT_NEEDS_H
#define MEMLAT_NEEDS_H

#ifndef CONFIG_X86_64
#error "memlat is for 64-bit kernels of x86 (CONFIG_X86_64)"
#endif
#ifndef CONFIG_CPU_SUP_INTEL
#error "memlat needs CONFIG_CPU_SUP_INTEL: without it nothing is mapped where PEBS writes"
#endif
#ifndef CONFIG_TRACEPOINTS
#error "memlat needs CONFIG_TRACEPOINTS, which any tracer has: they tell who runs"
#endif

#endif /* MEMLAT_NEEDS_H */
