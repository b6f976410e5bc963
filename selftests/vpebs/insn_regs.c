// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of instructions, from the opcode maps of the SDM, volume 2, appendix A: for all integer
 * instructions that compilers generate, and for the addresses of all others.
 */
#include "insn_regs.h"

#define RAX	0
#define RCX	1
#define RDX	2
#define RBX	3
#define RSP	4
#define RSI	6
#define RDI	7
#define BIT(r)	(1u << (r))

struct decode {
	const uint8_t *b;		/* what is left */
	size_t n;
	uint8_t rex;
	bool narrow;			/* 0x66: 16 bits; the rest of the target is kept */
	unsigned int reg, rm;		/* of ModRM */
	bool memory;			/* rm is */
	struct insn_regs r;
};

/* What an instruction does with its operands. */
enum use {
	READS		= 1 << 0,
	WRITES		= 1 << 1,
	BOTH		= READS | WRITES,
};

static void use_reg(struct decode *d, unsigned int reg, enum use how)
{
	if (how & READS)
		d->r.in |= BIT(reg);
	if (how & WRITES) {
		d->r.out |= BIT(reg);
		if (d->narrow)
			d->r.in |= BIT(reg);
	}
}

/* AH to BH are 4 to 7 if there is no REX. */
static unsigned int byte_reg(const struct decode *d, unsigned int reg)
{
	return !d->rex && reg >= 4 && reg < 8 ? reg - 4 : reg;
}

static void use_rm(struct decode *d, enum use how)
{
	if (!d->memory)
		use_reg(d, d->rm, how);
}

/* ModRM and SIB. False: the instruction is incomplete. */
static bool modrm(struct decode *d)
{
	uint8_t byte, sib;

	if (!d->n)
		return false;
	byte = *d->b;
	d->reg = (byte >> 3 & 7) | (d->rex & 4) << 1;
	d->rm = (byte & 7) | (d->rex & 1u) << 3;
	d->memory = byte < 0xc0;
	if (!d->memory)
		return true;
	if ((byte & 7) != 4) {
		/* Mode 0 with 5 is relative to RIP. */
		if ((byte & 0xc7) != 5)
			d->r.addr |= BIT(d->rm);
		return true;
	}
	if (d->n < 2)
		return false;
	sib = d->b[1];
	if ((sib & 7) != 5 || byte >= 0x40)
		d->r.addr |= BIT((sib & 7) | (d->rex & 1u) << 3);
	if ((sib >> 3 & 7) != 4 || d->rex & 2)
		d->r.addr |= BIT((sib >> 3 & 7) | (d->rex & 2u) << 2);
	return true;
}

/* Operands of 8 bits: registers are numbered differently, and the rest of the target is kept. */
static void eight_bits(struct decode *d, bool reg_too)
{
	d->narrow = true;
	if (reg_too)
		d->reg = byte_reg(d, d->reg);
	if (!d->memory)
		d->rm = byte_reg(d, d->rm);
}

/* ADD, OR, ADC, SBB, AND, SUB, XOR, CMP in this order; kind: the opcode's low bits. */
static void arithmetic(struct decode *d, unsigned int which, unsigned int kind)
{
	const enum use target = which == 7 ? READS : BOTH;

	d->r.out |= INSN_FLAGS;
	if (which == 2 || which == 3)
		d->r.in |= INSN_FLAGS;
	if (kind >= 4) {
		d->narrow |= kind == 4;
		use_reg(d, RAX, target);
		return;
	}
	if (!modrm(d))
		return;
	if (!(kind & 1))
		eight_bits(d, true);
	/* SUB and XOR of a register with itself: zero, whatever it was. */
	if ((which == 5 || which == 6) && !d->memory && d->rm == d->reg && !d->narrow) {
		use_reg(d, d->rm, WRITES);
		return;
	}
	if (kind & 2) {
		use_rm(d, READS);
		use_reg(d, d->reg, target);
	} else {
		use_reg(d, d->reg, READS);
		use_rm(d, target);
	}
}

/* The only operand is r/m, which has 8 bits if wide is not set. */
static void on_rm(struct decode *d, bool wide, enum use how)
{
	if (!modrm(d))
		return;
	if (!wide)
		eight_bits(d, false);
	use_rm(d, how);
}

static void string(struct decode *d, uint8_t op)
{
	const uint32_t from = BIT(RSI), to = BIT(RDI);

	switch (op & 0xfe) {
	case 0xa4:			/* MOVS */
	case 0xa6:			/* CMPS */
		d->r.addr = from | to;
		d->r.out = from | to | BIT(RCX);
		break;
	case 0xaa:			/* STOS */
	case 0xae:			/* SCAS */
		d->r.addr = to;
		d->r.in = BIT(RAX);
		d->r.out = to | BIT(RCX);
		break;
	case 0xac:			/* LODS */
		d->r.addr = from;
		d->r.out = from | BIT(RAX) | BIT(RCX);
		break;
	}
	d->r.in |= BIT(RCX);
}

/* NOT, NEG and the multiplications and divisions of RDX:RAX; TEST is 0 and 1. */
static void group3(struct decode *d, bool wide)
{
	unsigned int which;

	if (!modrm(d))
		return;
	which = d->reg & 7;
	if (!wide)
		eight_bits(d, false);
	use_rm(d, which == 2 || which == 3 ? BOTH : READS);
	if (which != 2)
		d->r.out |= INSN_FLAGS;
	if (which < 4)
		return;
	d->r.in |= BIT(RAX) | (which >= 6 ? BIT(RDX) : 0);
	d->r.out |= BIT(RAX) | BIT(RDX);
}

/* INC, DEC, and the indirect jumps, calls and PUSH. */
static void group45(struct decode *d, bool wide)
{
	if (!modrm(d))
		return;
	if (!wide)
		eight_bits(d, false);
	use_rm(d, (d->reg & 7) < 2 ? BOTH : READS);
	if ((d->reg & 7) < 2)
		d->r.out |= INSN_FLAGS;
}

static void mov(struct decode *d, uint8_t op)
{
	if (!modrm(d))
		return;
	if (!(op & 1))
		eight_bits(d, true);
	if (op & 2) {
		use_rm(d, READS);
		use_reg(d, d->reg, WRITES);
		d->r.moves = d->memory;
	} else {
		use_reg(d, d->reg, READS);
		use_rm(d, WRITES);
	}
}

static void one_byte(struct decode *d, uint8_t op)
{
	const bool wide = op & 1;
	const unsigned int low = (op & 7) | (d->rex & 1u) << 3;

	if (op < 0x40 && (op & 7) < 6) {
		arithmetic(d, op >> 3, op & 7);
		return;
	}
	switch (op) {
	case 0x50 ... 0x57:
		d->r.addr = BIT(RSP);
		use_reg(d, low, READS);
		return;
	case 0x58 ... 0x5f:
		d->r.addr = BIT(RSP);
		use_reg(d, low, WRITES);
		d->r.moves = true;
		return;
	case 0x63:			/* MOVSXD */
	case 0x69: case 0x6b:		/* IMUL by a constant */
		if (!modrm(d))
			return;
		use_rm(d, READS);
		use_reg(d, d->reg, WRITES);
		d->r.moves = op == 0x63 && d->memory;
		if (op != 0x63)
			d->r.out |= INSN_FLAGS;
		return;
	case 0x70 ... 0x7f:		/* jumps: predicted, so nothing waits for them */
		return;
	case 0x80: case 0x81: case 0x83:
		on_rm(d, wide, READS);
		if ((d->reg & 7) != 7)
			use_rm(d, WRITES);
		if ((d->reg & 7) == 2 || (d->reg & 7) == 3)
			d->r.in |= INSN_FLAGS;
		d->r.out |= INSN_FLAGS;
		return;
	case 0x84: case 0x85:
	case 0x86: case 0x87:
		if (!modrm(d))
			return;
		if (!wide)
			eight_bits(d, true);
		use_rm(d, op < 0x86 ? READS : BOTH);
		use_reg(d, d->reg, op < 0x86 ? READS : BOTH);
		if (op < 0x86)
			d->r.out |= INSN_FLAGS;
		return;
	case 0x88 ... 0x8b:
		mov(d, op);
		return;
	case 0x8d:			/* LEA: an address that is data */
		if (!modrm(d))
			return;
		d->r.in = d->r.addr;
		d->r.addr = 0;
		use_reg(d, d->reg, WRITES);
		return;
	case 0x8f:
		on_rm(d, true, WRITES);
		d->r.addr |= BIT(RSP);
		return;
	case 0x91 ... 0x97:
		use_reg(d, RAX, BOTH);
		use_reg(d, low, BOTH);
		return;
	case 0x98:
		use_reg(d, RAX, BOTH);
		return;
	case 0x99:
		use_reg(d, RAX, READS);
		use_reg(d, RDX, WRITES);
		return;
	case 0xa4 ... 0xa7: case 0xaa ... 0xaf:
		string(d, op);
		return;
	case 0xa8: case 0xa9:
		use_reg(d, RAX, READS);
		d->r.out |= INSN_FLAGS;
		return;
	case 0xb0 ... 0xb7:
		d->narrow = true;
		use_reg(d, byte_reg(d, low), WRITES);
		return;
	case 0xb8 ... 0xbf:
		use_reg(d, low, WRITES);
		return;
	case 0xc0: case 0xc1: case 0xd0: case 0xd1:
	case 0xd2: case 0xd3:
		on_rm(d, wide, BOTH);
		if (op >= 0xd2)
			use_reg(d, RCX, READS);
		d->r.in |= INSN_FLAGS;
		d->r.out |= INSN_FLAGS;
		return;
	case 0xc2: case 0xc3: case 0xe8:
		d->r.addr = BIT(RSP);
		return;
	case 0xc6: case 0xc7:
		on_rm(d, wide, WRITES);
		return;
	case 0xc9:			/* LEAVE: RSP is RBP, and RBP is loaded */
		d->r.addr = BIT(5);
		d->r.out = BIT(5) | BIT(RSP);
		d->r.moves = true;
		return;
	case 0xd8 ... 0xdf:		/* x87 */
		modrm(d);
		return;
	case 0xf6: case 0xf7:
		group3(d, wide);
		return;
	case 0xfe: case 0xff:
		group45(d, wide);
		return;
	}
}

/* From r/m to reg. Some instructions also read the target. */
static void to_reg(struct decode *d, enum use target, uint32_t in, uint32_t out)
{
	if (!modrm(d))
		return;
	use_rm(d, READS);
	use_reg(d, d->reg, target);
	d->r.in |= in;
	d->r.out |= out;
}

static void extend(struct decode *d, bool wide)
{
	if (!modrm(d))
		return;
	if (!d->memory && !wide)
		d->rm = byte_reg(d, d->rm);
	use_rm(d, READS);
	use_reg(d, d->reg, WRITES);
	d->r.moves = d->memory;
}

/* An opcode after 0x0f. */
static void two_bytes(struct decode *d, uint8_t op)
{
	const bool wide = op & 1;

	switch (op) {
	case 0x05: case 0x07: case 0x0b: case 0x31: case 0x34: case 0x35: case 0x77:
	case 0x80 ... 0x8f: case 0xa0: case 0xa1: case 0xa8: case 0xa9:
		return;
	case 0x40 ... 0x4f:
		to_reg(d, BOTH, INSN_FLAGS, 0);
		return;
	case 0x90 ... 0x9f:
		on_rm(d, false, WRITES);
		d->r.in |= INSN_FLAGS;
		return;
	case 0xa3: case 0xab: case 0xb3: case 0xbb:	/* BT and its like */
	case 0xa4: case 0xa5: case 0xac: case 0xad:	/* SHLD, SHRD */
		if (!modrm(d))
			return;
		use_reg(d, d->reg, READS);
		use_rm(d, op == 0xa3 ? READS : BOTH);
		if (op == 0xa5 || op == 0xad)
			use_reg(d, RCX, READS);
		d->r.out |= INSN_FLAGS;
		return;
	case 0xaf:
		to_reg(d, BOTH, 0, INSN_FLAGS);
		return;
	case 0xb0: case 0xb1: case 0xc0: case 0xc1:	/* CMPXCHG, XADD */
		if (!modrm(d))
			return;
		if (!wide)
			eight_bits(d, true);
		use_rm(d, BOTH);
		use_reg(d, d->reg, op >= 0xc0 ? BOTH : READS);
		if (op < 0xc0)
			use_reg(d, RAX, BOTH);
		d->r.out |= INSN_FLAGS;
		return;
	case 0xb6: case 0xb7: case 0xbe: case 0xbf:
		extend(d, wide);
		return;
	case 0xb8: case 0xbc: case 0xbd:
		to_reg(d, WRITES, 0, INSN_FLAGS);
		return;
	case 0xba:
		on_rm(d, true, BOTH);
		d->r.out |= INSN_FLAGS;
		return;
	case 0xc3:			/* MOVNTI */
		if (modrm(d))
			use_reg(d, d->reg, READS);
		return;
	case 0xc7:			/* CMPXCHG16B */
		if (modrm(d) && d->memory && (d->reg & 7) == 1) {
			d->r.in |= BIT(RAX) | BIT(RBX) | BIT(RCX) | BIT(RDX);
			d->r.out |= BIT(RAX) | BIT(RDX) | INSN_FLAGS;
		}
		return;
	case 0xc8 ... 0xcf:
		use_reg(d, (op & 7) | (d->rex & 1u) << 3, BOTH);
		return;
	default:
		modrm(d);
	}
}

/* VEX and EVEX: only the address. They have the bits of REX inverted. */
static void vex(struct decode *d, size_t prefix)
{
	if (d->n < prefix + 2)
		return;
	d->rex = prefix == 2 ? 0 : (uint8_t)(~d->b[1] >> 5 & 7);
	d->b += prefix + 1;
	d->n -= prefix + 1;
	modrm(d);
}

static bool legacy_prefix(struct decode *d, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		d->narrow = true;
		return true;
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

struct insn_regs insn_registers(const uint8_t *bytes, size_t size)
{
	struct decode d = { .b = bytes, .n = size };
	uint8_t op;

	for (; d.n && legacy_prefix(&d, *d.b); d.n--)
		d.b++;
	if (d.n && (*d.b & 0xf0) == 0x40) {
		d.rex = *d.b++;
		d.n--;
	}
	/* REX.W overrides 0x66. */
	if (d.rex & 8)
		d.narrow = false;
	if (!d.n)
		return d.r;
	op = *d.b;
	if (op == 0xc5 || op == 0xc4 || op == 0x62) {
		vex(&d, op == 0xc5 ? 2 : op == 0xc4 ? 3 : 4);
		return d.r;
	}
	d.b++;
	d.n--;
	if (op != 0x0f) {
		one_byte(&d, op);
		return d.r;
	}
	if (!d.n)
		return d.r;
	op = *d.b++;
	d.n--;
	if (op == 0x38 || op == 0x3a) {
		/* A third opcode byte, and vectors mostly. */
		if (d.n) {
			d.b++;
			d.n--;
			modrm(&d);
		}
		return d.r;
	}
	two_bytes(&d, op);
	return d.r;
}
