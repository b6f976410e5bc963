/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel configuration that memlat needs. The build fails here, at the first file, with a
 * reason, and not in modpost with a list of missing names.
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
