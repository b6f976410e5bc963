// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces kvm.ko: the tracepoints that KVM passes before and after a guest, and the parameter that
 * says whether VMX is on while KVM is loaded.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "kvm_trace.h"

EXPORT_TRACEPOINT_SYMBOL_GPL(kvm_entry);
EXPORT_TRACEPOINT_SYMBOL_GPL(kvm_exit);

static bool enable_virt_at_load = true;
module_param(enable_virt_at_load, bool, 0444);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stands in for KVM in memlat's tests");
