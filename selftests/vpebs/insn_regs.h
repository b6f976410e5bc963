/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers that a 64-bit instruction waits for and writes, for the timing model. RSP is left
 * out for pushes and pops, which cores track without waiting. Vector registers are left out too;
 * values in them are not followed.
 */
#ifndef VPEBS_INSN_REGS_H
#define VPEBS_INSN_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_REGS	17		/* as they are encoded, and the flags */
#define INSN_FLAGS	(1u << 16)

struct insn_regs {
	uint32_t addr;			/* bit per register: form the address of its operand */
	uint32_t in;			/* read beside these */
	uint32_t out;
	bool moves;			/* what it loads is what it writes */
};

/* bytes: the whole instruction. An unknown instruction reads and writes no registers. */
struct insn_regs insn_registers(const uint8_t *bytes, size_t size);

#endif
