/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a guest calls the emulator: by CPUID with EAX = VP_MAGIC_LEAF, at any privilege. RCX is the
 * call, and RBX, RDX, RSI and RDI its arguments. A buffer is given by its address and its size; its
 * pages must be present. EAX has the result. A call with a bad argument does nothing and returns
 * VP_MAGIC_BAD, with the number of CPUs in EBX.
 */
#ifndef VPEBS_MAGIC_H
#define VPEBS_MAGIC_H

#define VP_MAGIC_LEAF		0x4d4c4154u	/* "MLAT" */
#define VP_MAGIC_ANSWER		0x56504542u	/* "VPEB" */
#define VP_MAGIC_VERSION	7u		/* calls of earlier versions are unchanged */
#define VP_MAGIC_BAD		0xffffffffu

#define VP_GRACE_NEVER		UINT64_MAX

enum vp_begin {
	VP_BEGIN_LINES,		/* watch memory, and count by line and instruction, too */
	VP_BEGIN_TIME,		/* only sums, and watch no memory for them */
	VP_BEGIN_SUMS,		/* watch memory, but only for sums */
	VP_BEGIN_LIVES,		/* the same, and follow the lives of lines (lives.h) */
};

enum vp_call {
	VP_CALL_IDENTIFY,	/* EAX = VP_MAGIC_ANSWER, EBX = VP_MAGIC_VERSION */
	VP_CALL_BEGIN,		/* zero the counts and count; RBX = enum vp_begin */
	VP_CALL_END,		/* stop counting */
	VP_CALL_TRUTH,		/* JSON into buffer RBX, RDX; EAX = length, also if it didn't fit */
	VP_CALL_PHOTO,		/* note all PMU registers of all CPUs */
	VP_CALL_COMPARE,	/* EAX = how many differ now; each becomes a violation */
	VP_CALL_FORGIVE,	/* forget all violations */
	/* Since version 2: */
	VP_CALL_NMI,		/* send an NMI that is not a PMI to CPU RBX */
	VP_CALL_HOLD,		/* CPU RBX: next PMI comes RDX instructions after PEBS_ENABLE = 0 */
	VP_CALL_VMXE,		/* RBX = 1: CR4 shows VMXE; records RDX instructions later are bad */
	VP_CALL_OWNER,		/* measure the module whose text is RBX to RDX; 0, 0: none */
	VP_CALL_QUALIFY,	/* loads slower than RBX qualify, counter or none; 0: off */
	VP_CALL_LATE,		/* as HOLD, for the next PEBS record */
	VP_CALL_LINES,		/* as TRUTH, with the lines in RDI bytes from RSI and no others */
	/* Since version 3: */
	VP_CALL_SWEEP,		/* RBX = 1: load-latency records carry one source word after another */
	VP_CALL_MACHINE,	/* what the machine is, as text into buffer RBX, RDX; EAX as TRUTH */
	/* Since version 4: */
	VP_CALL_SUM,		/* as LINES, with their sum and no line or instruction at all */
	/* Since version 5: */
	VP_CALL_OVER,		/* the program has ended: instructions are counted until now */
	/* Since version 7: */
	VP_CALL_GUEST,		/* RBX = 1: a VM guest runs on this CPU; 0, or an interrupt: it has left */
};

#endif
