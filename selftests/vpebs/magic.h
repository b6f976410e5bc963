/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a guest talks to the emulator: CPUID with EAX = VP_MAGIC_LEAF, from
 * any privilege. RCX = call, RBX = address of a buffer whose pages are
 * present, RDX = its size. The result is in EAX.
 */
#ifndef VPEBS_MAGIC_H
#define VPEBS_MAGIC_H

#define VP_MAGIC_LEAF		0x4d4c4154u	/* "MLAT" */
#define VP_MAGIC_ANSWER		0x56504542u	/* "VPEB" */
#define VP_MAGIC_VERSION	1u

enum vp_call {
	VP_CALL_IDENTIFY,	/* EAX = VP_MAGIC_ANSWER, EBX = VP_MAGIC_VERSION */
	VP_CALL_BEGIN,		/* zero the counts and count */
	VP_CALL_END,		/* stop counting */
	VP_CALL_TRUTH,		/* JSON into the buffer; EAX = its length, also if it did not fit */
	VP_CALL_PHOTO,		/* note all PMU registers of all CPUs */
	VP_CALL_COMPARE,	/* EAX = how many differ now; each becomes a violation */
	VP_CALL_FORGIVE,	/* forget all violations */
};

#endif
