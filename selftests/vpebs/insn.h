/* SPDX-License-Identifier: GPL-2.0 */
/* Just enough of x86 to know the few 64-bit instructions that matter here. */
#ifndef VPEBS_INSN_H
#define VPEBS_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_kind {
	INSN_OTHER,
	INSN_RDMSR,
	INSN_WRMSR,		/* WRMSRNS too */
	INSN_RDPMC,
	INSN_CPUID,
	INSN_RDTSC,		/* RDTSCP too */
	INSN_HLT,		/* MWAIT too */
	INSN_IRET,
	INSN_STACK,		/* loads RSP, perhaps with another stack */
	INSN_READ_CR4,
	INSN_WRITE_CR4,
	INSN_KINDS
};

struct insn {
	enum insn_kind kind;
	bool locked;		/* its memory accesses are */
	bool repeated;		/* a string instruction with REP */
	uint8_t reg;		/* INSN_READ_CR4, INSN_WRITE_CR4: number of the register */
};

/* bytes: the whole instruction. */
struct insn insn_decode(const uint8_t *bytes, size_t size);

#endif
