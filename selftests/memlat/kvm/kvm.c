// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for kvm.ko: the tracepoint that is passed before each guest entry, and the
 * parameter that says whether VMX is on as long as this is loaded.
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#include "kvm_trace.h"

EXPORT_TRACEPOINT_SYMBOL_GPL(kvm_entry);

static bool enable_virt_at_load = true;
module_param(enable_virt_at_load, bool, 0444);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stands in for KVM in memlat's tests");
