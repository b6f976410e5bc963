// SPDX-License-Identifier: GPL-2.0
#include "operand.h"

#include <capstone/capstone.h>

#include "naming.h"
#include "operand_code.h"

#define LOOKED	32	/* bytes of an instruction and those that follow it */

/* Does an instruction read the flags, which the one before it has set? */
static bool asks(const cs_insn *insn)
{
	size_t i;

	for (i = 0; i < insn->detail->regs_read_count; i++)
		if (insn->detail->regs_read[i] == X86_REG_EFLAGS)
			return true;
	return false;
}

static enum operand_use use_of(const cs_insn *insn, const cs_insn *next)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *to = &x86->operands[0];
	bool memory_first, memory = false;
	unsigned int i;

	for (i = 0; i < x86->op_count; i++)
		memory |= x86->operands[i].type == X86_OP_MEM;
	if (!memory || insn->id == X86_INS_LEA)
		return WORD_UNKNOWN;
	memory_first = to->type == X86_OP_MEM;
	switch (insn->id) {
	case X86_INS_INC:
	case X86_INS_ADD:
		return memory_first ? WORD_ADD : WORD_LOAD;
	case X86_INS_DEC:
	case X86_INS_SUB:
		if (!memory_first)
			return WORD_LOAD;
		return next && asks(next) ? WORD_DROP : WORD_ADD;
	case X86_INS_XADD:
		return memory_first ? WORD_FETCH_ADD : WORD_UNKNOWN;
	case X86_INS_XCHG:
	case X86_INS_BTS:
	case X86_INS_BTR:
	case X86_INS_BTC:
		return WORD_EXCHANGE;
	case X86_INS_CMPXCHG:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		return WORD_COMPARE;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		return memory_first ? WORD_STORE : WORD_LOAD;
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_CMP:
	case X86_INS_TEST:
		return WORD_LOAD;
	default:
		return WORD_UNKNOWN;
	}
}

enum operand_use operand_use_of(struct decoder *decoder, const unsigned char *code, size_t bytes)
{
	const csh handle = bytes ? decoder_handle(decoder) : 0;
	enum operand_use use = WORD_UNKNOWN;
	cs_insn *insns;
	size_t nr;

	if (!handle)
		return WORD_UNKNOWN;
	nr = cs_disasm(handle, code, bytes, 0, 2, &insns);
	if (nr) {
		use = use_of(&insns[0], nr > 1 ? &insns[1] : NULL);
		cs_free(insns, nr);
	}
	return use;
}

enum operand_use namer_operand_use(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	unsigned char code[LOOKED];

	/* The instruction there is another one. */
	if (namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER)
		return WORD_UNKNOWN;
	return operand_use_of(namer_decoder(namer, namer_code(namer, space, gen, ip)), code,
			      namer_text(namer, space, gen, ip, code, sizeof(code)));
}
