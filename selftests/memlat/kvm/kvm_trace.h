/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kvm

#if !defined(KVM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KVM_TRACE_H

#include <linux/tracepoint.h>

struct kvm_vcpu;

TRACE_EVENT(kvm_entry,
	    TP_PROTO(struct kvm_vcpu *vcpu, bool force_immediate_exit),
	    TP_ARGS(vcpu, force_immediate_exit),
	    TP_STRUCT__entry(__field(bool, forced)),
	    TP_fast_assign(__entry->forced = force_immediate_exit;),
	    TP_printk("forced %d", __entry->forced)
	    );

TRACE_EVENT(kvm_exit,
	    TP_PROTO(struct kvm_vcpu *vcpu, u32 isa),
	    TP_ARGS(vcpu, isa),
	    TP_STRUCT__entry(__field(u32, isa)),
	    TP_fast_assign(__entry->isa = isa;),
	    TP_printk("isa %u", __entry->isa)
	    );

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE kvm_trace
#include <trace/define_trace.h>
