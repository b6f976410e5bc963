/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that memlat builds for (6.1 … 7.2), and the
 * only place with a version check. Force-included by Kbuild, so that everything
 * else reads as if it were written for 7.2.
 */
#ifndef MEMLAT_COMPAT_H
#define MEMLAT_COMPAT_H

/* Before any header: begin every line in the log with the module's name. */
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include "needs.h"

#include <linux/slab.h>
#include <linux/types.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <asm/msr.h>

/* 6.16 renamed the 64-bit MSR accessors from …l to …q. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq_safe(msr, p)	rdmsrl_safe(msr, p)
#define wrmsrq_safe(msr, val)	wrmsrl_safe(msr, val)
#define native_rdmsrq(msr)	__rdmsr(msr)
#define native_wrmsrq(msr, val)	native_wrmsrl(msr, val)
#endif

/* Older kernels declare cpuid() in asm/processor.h. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#endif

/* 6.17 renamed the workqueue that is bound to no CPU. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_dfl_wq		system_unbound_wq
/* Before 6.17 workqueues are bound to a CPU by default; some kernels have the flag already. */
#define WQ_PERCPU		0
#endif

/*
 * Ask the security modules whether perf may sample the kernel. Older kernels do not let modules do
 * so: they export no function for it, or one with another prototype.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define MEMLAT_PERF_ALLOWED()	perf_allow_kernel()
#else
#define MEMLAT_PERF_ALLOWED()	0
#endif

/*
 * Until 6.15 sched_process_exit has only the task as argument, and is passed when the task's page
 * tables are gone.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define MEMLAT_EXIT_ARGS	struct task_struct *task, bool group_dead
#else
#define MEMLAT_EXIT_ARGS	struct task_struct *task
#endif

/*
 * Until 6.8 kvm_entry has only the vCPU as argument, and KCFI wants a probe to have the exact
 * prototype. (The patch, "Plumb force_immediate_exit into kvm_entry() tracepoint", was posted in
 * January 2024.)
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define MEMLAT_KVM_ENTRY_ARGS	struct kvm_vcpu *vcpu, bool force_immediate_exit
#else
#define MEMLAT_KVM_ENTRY_ARGS	struct kvm_vcpu *vcpu
#endif

/* Until 5.16 kvm_exit has the reason for the exit as its first argument. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define MEMLAT_KVM_EXIT_ARGS	struct kvm_vcpu *vcpu, u32 isa
#else
#define MEMLAT_KVM_EXIT_ARGS	unsigned int exit_reason, struct kvm_vcpu *vcpu, u32 isa
#endif

/* Without CONFIG_MODULE_UNLOAD no kernel counts a module's users, so assume that it is in use. */
#ifndef CONFIG_MODULE_UNLOAD
#define module_refcount(mod)	((void)(mod), 1)
#endif

/* Allocators by type: 7.2 has all of them, 6.12 some. */
#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp)	kzalloc(sizeof(obj), gfp)
#endif
#ifndef kvmalloc_obj
#define kvmalloc_obj(obj, gfp)	kvmalloc(sizeof(obj), gfp)
#endif

#endif /* MEMLAT_COMPAT_H */
