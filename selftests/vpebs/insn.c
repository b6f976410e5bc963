// SPDX-License-Identifier: GPL-2.0
#include "insn.h"

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e:	/* segments; also as padding */
	case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

/* An opcode after 0x0f. */
static enum insn_kind two_bytes(const uint8_t *b, size_t n)
{
	switch (b[0]) {
	case 0x01:
		if (n == 2 && b[1] == 0xc6)
			return INSN_WRMSR;
		/* Linux 5.10 sleeps by MWAIT where newer kernels, which see no C-states, use HLT. */
		if (n == 2 && b[1] == 0xc9)
			return INSN_HLT;
		return n == 2 && b[1] == 0xf9 ? INSN_RDTSC : INSN_OTHER;
	case 0x30:
		return INSN_WRMSR;
	case 0x31:
		return INSN_RDTSC;
	case 0x32:
		return INSN_RDMSR;
	case 0x33:
		return INSN_RDPMC;
	case 0xa2:
		return INSN_CPUID;
	}
	return INSN_OTHER;
}

/*
 * MOV to RSP, POP RSP. A load from RBP is not a change of stacks, but the end of a function that
 * has a frame. rex: 0 if there is none.
 */
static bool loads_rsp(uint8_t rex, const uint8_t *b, size_t n)
{
	const bool r = rex & 4, lower = !(rex & 1);
	uint8_t reg = n > 1 ? b[1] >> 3 & 7 : 0;

	if (b[0] == 0x5c)
		return lower;
	if (n < 2 || !(rex & 8))
		return false;
	if (b[0] == 0x8b)
		return !r && reg == 4 && !((b[1] & 0xc7) == 0xc5 && lower);
	return b[0] == 0x89 && (b[1] & 0xc7) == 0xc4 && lower && (r || reg != 5);
}

struct insn insn_decode(const uint8_t *bytes, size_t size)
{
	struct insn insn = { .kind = INSN_OTHER };
	bool rep = false;
	uint8_t rex = 0;
	size_t i;

	for (i = 0; i < size && is_prefix(bytes[i]); i++) {
		if (bytes[i] == 0xf0)
			insn.locked = true;
		if (bytes[i] == 0xf2 || bytes[i] == 0xf3)
			rep = true;
	}
	if (i < size && (bytes[i] & 0xf0) == 0x40)
		rex = bytes[i++];
	if (i == size)
		return insn;
	bytes += i;
	size -= i;
	/* MOVS, CMPS, STOS, LODS, SCAS; 0xa8 and 0xa9 are TEST. */
	if (rep && bytes[0] >= 0xa4 && bytes[0] <= 0xaf && (bytes[0] & 0xfe) != 0xa8)
		insn.repeated = true;
	else if (bytes[0] == 0xf4)
		insn.kind = INSN_HLT;
	else if (bytes[0] == 0xcf)
		insn.kind = INSN_IRET;
	else if (loads_rsp(rex, bytes, size))
		insn.kind = INSN_STACK;
	else if (size > 2 && bytes[0] == 0x0f && (bytes[1] & ~2) == 0x20 && !(rex & 4) &&
		 (bytes[2] & 0x38) == 0x20) {
		insn.kind = bytes[1] == 0x20 ? INSN_READ_CR4 : INSN_WRITE_CR4;
		insn.reg = (uint8_t)((bytes[2] & 7) | (rex & 1) << 3);
	} else if (bytes[0] == 0x0f && size > 1) {
		insn.kind = two_bytes(bytes + 1, size - 1);
	/* XCHG with memory locks without a prefix. */
	} else if ((bytes[0] == 0x86 || bytes[0] == 0x87) && size > 1 && bytes[1] < 0xc0) {
		insn.locked = true;
	}
	return insn;
}
