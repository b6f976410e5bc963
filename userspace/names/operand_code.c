// SPDX-License-Identifier: GPL-2.0
#include "operand_code.h"

#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "../util/xalloc.h"

struct decoder {
	csh handle;
	cs_insn *insn;
	__u8 word;
};

#define FOUR(quad, wide, word, low, number) \
	[X86_REG_##quad] = (number) + 1, [X86_REG_##wide] = (number) + 1, \
	[X86_REG_##word] = (number) + 1, [X86_REG_##low] = (number) + 1
#define NEW(number) FOUR(R##number, R##number##D, R##number##W, R##number##B, number)

/* By capstone's number: DWARF's number plus one; 0: another kind of register. */
static const __u8 numbers[X86_REG_ENDING] = {
	FOUR(RAX, EAX, AX, AL, 0), [X86_REG_AH] = 1,
	FOUR(RDX, EDX, DX, DL, 1), [X86_REG_DH] = 2,
	FOUR(RCX, ECX, CX, CL, 2), [X86_REG_CH] = 3,
	FOUR(RBX, EBX, BX, BL, 3), [X86_REG_BH] = 4,
	FOUR(RSI, ESI, SI, SIL, 4),
	FOUR(RDI, EDI, DI, DIL, 5),
	FOUR(RBP, EBP, BP, BPL, 6),
	FOUR(RSP, ESP, SP, SPL, 7),
	NEW(8), NEW(9), NEW(10), NEW(11), NEW(12), NEW(13), NEW(14), NEW(15),
	[X86_REG_RIP] = REG_RIP + 1,
};

static __u8 register_of(x86_reg reg)
{
	if (reg == X86_REG_INVALID)
		return REG_NONE;
	if ((unsigned int)reg >= X86_REG_ENDING || !numbers[reg])
		return REG_OTHER;
	return numbers[reg] - 1;
}

static __u32 bit_of(x86_reg reg)
{
	__u8 number = register_of(reg);

	return number < REG_NR ? 1U << number : 0;
}

struct decoder *decoder_new(unsigned int word)
{
	struct decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->word = (__u8)word;
	return decoder;
}

/* Open capstone. It is loaded when the first code is to be decoded; false: it is missing. */
static bool open_decoder(struct decoder *decoder)
{
	const cs_err error = decoder->insn ? CS_ERR_OK :
			     cs_open(CS_ARCH_X86, decoder->word == 4 ? CS_MODE_32 : CS_MODE_64,
				     &decoder->handle);

	if (error == CS_ERR_ARCH)
		return false;
	if (error != CS_ERR_OK)
		xneed(NULL);
	if (!decoder->insn) {
		cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
		decoder->insn = xneed(cs_malloc(decoder->handle));
	}
	return true;
}

size_t decoder_handle(struct decoder *decoder)
{
	return open_decoder(decoder) ? decoder->handle : 0;
}

void decoder_free(struct decoder *decoder)
{
	if (decoder && decoder->insn) {
		cs_free(decoder->insn, 1);
		cs_close(&decoder->handle);
	}
	free(decoder);
}

/* Does this instruction never write its first operand? */
static bool only_reads(unsigned int id)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_PUSH:
	case X86_INS_BT:
	case X86_INS_NOP:
	case X86_INS_CALL:
	case X86_INS_JMP:
		return true;
	default:
		return false;
	}
}

/*
 * The registers that an instruction changes. Capstone's list has gaps, so more are added. A
 * register that is missing here would lead to a wrong name, and one too many only to no name.
 */
static __u32 kills_of(const struct decoder *decoder)
{
	const cs_insn *insn = decoder->insn;
	const cs_x86 *x86 = &insn->detail->x86;
	uint8_t nr_read = 0, nr_written = 0, i;
	cs_regs read, written;
	__u32 kills = 0;

	if (!cs_regs_access(decoder->handle, insn, read, &nr_read, written, &nr_written))
		for (i = 0; i < nr_written; i++)
			kills |= bit_of(written[i]);
	for (i = 0; i < x86->op_count && !only_reads(insn->id); i++)
		if (x86->operands[i].type == X86_OP_REG &&
		    (!i || x86->operands[i].access & CS_AC_WRITE))
			kills |= bit_of(x86->operands[i].reg);
	switch (insn->id) {
	case X86_INS_XCHG:
	case X86_INS_XADD:
		for (i = 0; i < x86->op_count; i++)
			if (x86->operands[i].type == X86_OP_REG)
				kills |= bit_of(x86->operands[i].reg);
		break;
	case X86_INS_MULX:
		kills |= bit_of(x86->operands[1].reg);
		break;
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
	case X86_INS_INT:
	case X86_INS_VMCALL:
	case X86_INS_CPUID:
		kills |= REGS_OF_CALLS | 1U << 3;
		break;
	case X86_INS_MUL:
	case X86_INS_IMUL:
	case X86_INS_DIV:
	case X86_INS_IDIV:
		if (x86->op_count > 1)
			break;
		/* fall through */
	case X86_INS_RDTSC:
	case X86_INS_RDTSCP:
	case X86_INS_RDPMC:
	case X86_INS_RDMSR:
	case X86_INS_XGETBV:
	case X86_INS_CMPXCHG:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		kills |= 1U << 0 | 1U << 1 | (insn->id == X86_INS_RDTSCP ? 1U << 2 : 0);
		break;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		kills |= 1U << 2;
		break;
	default:
		break;
	}
	return kills;
}

/* Does this instruction access no memory although it has a memory operand? */
static bool no_access(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_CLFLUSH:
	case X86_INS_CLFLUSHOPT:
	case X86_INS_CLWB:
	case X86_INS_INVLPG:
		return true;
	default:
		return !strncmp(insn->mnemonic, "prefetch", 8);
	}
}

/* Does this instruction write its first operand without reading it? */
static bool only_writes(const cs_insn *insn)
{
	return !strncmp(insn->mnemonic, "mov", 3) || !strncmp(insn->mnemonic, "vmov", 4) ||
	       !strncmp(insn->mnemonic, "set", 3);
}

/*
 * Take the only memory operand. String instructions have two, and do not access a single member.
 * They may write to any place.
 */
static void take_memory(struct step *step, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *found = NULL;
	bool first = false;
	uint8_t i;

	for (i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM)
			continue;
		if (found) {
			step->writes = true;
			return;
		}
		found = &x86->operands[i];
		first = !i;
	}
	if (!found)
		return;
	step->base = register_of(found->mem.base);
	step->index = register_of(found->mem.index);
	step->scale = (__u8)found->mem.scale;
	step->disp = found->mem.disp;
	step->segment = found->mem.segment == X86_REG_FS || found->mem.segment == X86_REG_GS;
	if (step->base == REG_RIP)
		step->disp += (__s64)(insn->address + insn->size);
	/* No type follows from a short address, or from the implied registers of a string. */
	if (x86->addr_size != step->word || !strncmp(insn->mnemonic, "rep", 3) ||
	    found->mem.segment == X86_REG_ES) {
		step->base = step->index = REG_OTHER;
		step->segment = true;
	}
	if (no_access(insn))
		return;
	step->memory = true;
	step->width = found->size <= 64 ? found->size : 0;
	step->writes = first && !only_reads(insn->id) && insn->id != X86_INS_COMISD &&
		       found->access & CS_AC_WRITE;
	step->reads = !(first && only_writes(insn));
	if (first && only_writes(insn))
		step->writes = true;
}

static bool is_register(const cs_x86 *x86, unsigned int operand)
{
	return operand < x86->op_count && x86->operands[operand].type == X86_OP_REG;
}

static bool is_number(const cs_x86 *x86, unsigned int operand)
{
	return operand < x86->op_count && x86->operands[operand].type == X86_OP_IMM;
}

/* Take dst and src. The kind is of_register or of_memory, by what the second operand is. */
static void take_two(struct step *step, const cs_x86 *x86, enum step_kind of_register,
		     enum step_kind of_memory)
{
	if (is_register(x86, 0)) {
		step->dst = register_of(x86->operands[0].reg);
		step->wide = x86->operands[0].size == step->word;
		if (step->dst >= REG_NR)
			return;
	}
	if (is_register(x86, 1))
		step->src = register_of(x86->operands[1].reg);
	if (is_register(x86, 0) && is_register(x86, 1)) {
		/* Writing a byte or a word leaves the rest of the register as it was. */
		if (x86->operands[0].size >= 4 && x86->operands[1].size >= 4)
			step->kind = of_register;
	} else if (is_register(x86, 0) && x86->operands[1].type == X86_OP_MEM) {
		if (step->wide)
			step->kind = of_memory;
	}
}

static void take_move(struct step *step, const cs_x86 *x86)
{
	take_two(step, x86, STEP_COPY, STEP_LOAD);
	if (step->kind == STEP_OTHER && x86->operands[0].type == X86_OP_MEM) {
		step->kind = STEP_STORE;
	} else if (is_register(x86, 0) && is_number(x86, 1) && x86->operands[0].size >= 4) {
		step->kind = STEP_NUMBER;
		step->number = x86->operands[1].imm;
	}
}

static void take_sum(struct step *step, const cs_x86 *x86, int sign)
{
	take_two(step, x86, sign > 0 ? STEP_ADD_REGISTER : STEP_OTHER, STEP_OTHER);
	if (is_register(x86, 0) && is_number(x86, 1) && x86->operands[0].size >= 4) {
		step->kind = STEP_ADD;
		step->number = sign * x86->operands[1].imm;
	} else if (sign < 0 && is_register(x86, 0) && is_register(x86, 1) &&
		   x86->operands[0].reg == x86->operands[1].reg) {
		step->kind = STEP_NUMBER;
	}
}

static void take_product(struct step *step, const cs_x86 *x86)
{
	unsigned int last = x86->op_count - 1U;

	if (x86->op_count < 2 || !is_register(x86, 0) || !is_number(x86, last))
		return;
	step->dst = register_of(x86->operands[0].reg);
	if (last == 2 && !is_register(x86, 1)) {
		step->kind = STEP_MULTIPLE;
	} else {
		step->src = register_of(x86->operands[last - 1].reg);
		step->kind = STEP_TIMES;
	}
	step->wide = x86->operands[0].size == step->word;
	step->number = x86->operands[last].imm;
}

static void take_bits(struct step *step, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool same = is_register(x86, 0) && is_register(x86, 1) &&
		    x86->operands[0].reg == x86->operands[1].reg;

	if (!is_register(x86, 0) || x86->operands[0].size < 4)
		return;
	step->dst = register_of(x86->operands[0].reg);
	step->wide = x86->operands[0].size == step->word;
	if (insn->id == X86_INS_XOR && same) {
		step->kind = STEP_NUMBER;
	} else if (insn->id == X86_INS_AND && is_number(x86, 1) && x86->operands[1].imm) {
		step->kind = STEP_MULTIPLE;
		step->number = x86->operands[1].imm & -x86->operands[1].imm;
	} else if (insn->id == X86_INS_SHL && is_number(x86, 1) &&
		   x86->operands[1].imm > 0 && x86->operands[1].imm < 32) {
		step->kind = STEP_TIMES;
		step->src = step->dst;
		step->number = 1LL << x86->operands[1].imm;
	}
}

static void take_jump(struct step *step, const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool told = x86->op_count == 1 && is_number(x86, 0);

	if (told)
		step->target = (__u64)x86->operands[0].imm;
	if (insn->id == X86_INS_JMP)
		step->kind = told ? STEP_JUMP : STEP_AWAY;
	else
		step->kind = told ? STEP_BRANCH : STEP_OTHER;
}

static void take_kind(struct step *step, const struct decoder *decoder)
{
	const cs_insn *insn = decoder->insn;
	const cs_x86 *x86 = &insn->detail->x86;

	switch (insn->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		take_move(step, x86);
		break;
	case X86_INS_MOVSXD:
		if (is_register(x86, 0) && is_register(x86, 1))
			take_two(step, x86, STEP_COPY, STEP_OTHER);
		step->wide = false;
		break;
	case X86_INS_CDQE:
		step->kind = STEP_COPY;
		step->dst = step->src = REG_RAX;
		break;
	case X86_INS_LEA:
		step->dst = register_of(x86->operands[0].reg);
		step->wide = x86->operands[0].size == step->word;
		step->kind = x86->operands[0].size >= 4 ? STEP_ADDRESS : STEP_OTHER;
		break;
	case X86_INS_ADD:
		take_sum(step, x86, 1);
		break;
	case X86_INS_SUB:
		take_sum(step, x86, -1);
		break;
	case X86_INS_INC:
	case X86_INS_DEC:
		if (!is_register(x86, 0) || x86->operands[0].size < 4)
			break;
		step->dst = register_of(x86->operands[0].reg);
		step->wide = x86->operands[0].size == step->word;
		step->kind = STEP_ADD;
		step->number = insn->id == X86_INS_INC ? 1 : -1;
		break;
	case X86_INS_IMUL:
		take_product(step, x86);
		break;
	case X86_INS_XOR:
	case X86_INS_AND:
	case X86_INS_SHL:
		take_bits(step, insn);
		break;
	case X86_INS_PUSH:
		step->kind = STEP_PUSH;
		if (is_register(x86, 0))
			step->src = register_of(x86->operands[0].reg);
		break;
	case X86_INS_POP:
		step->kind = STEP_POP;
		if (is_register(x86, 0))
			step->dst = register_of(x86->operands[0].reg);
		break;
	case X86_INS_NOP:
		step->kind = STEP_PADDING;
		break;
	case X86_INS_XCHG:
		take_two(step, x86, STEP_SWAP, STEP_OTHER);
		if (!step->wide)
			step->kind = STEP_OTHER;
		/* "xchg %ax,%ax" */
		if (x86->operands[0].size == 2 && x86->operands[0].reg == X86_REG_AX &&
		    x86->operands[1].reg == X86_REG_AX)
			step->kind = STEP_PADDING;
		break;
	case X86_INS_LEAVE:
		step->kind = STEP_LEAVE;
		break;
	case X86_INS_CALL:
		step->kind = STEP_CALL;
		if (is_number(x86, 0))
			step->target = (__u64)x86->operands[0].imm;
		break;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_IRET:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_HLT:
	case X86_INS_INT3:
		step->kind = STEP_END;
		break;
	default:
		if (!strncmp(insn->mnemonic, "cmov", 4)) {
			take_two(step, x86, STEP_SELECT, STEP_SELECT_LOAD);
			if (!step->wide)
				step->kind = STEP_OTHER;
		} else if (cs_insn_group(decoder->handle, insn, CS_GRP_JUMP) ||
			   insn->id == X86_INS_LOOP || insn->id == X86_INS_LOOPE ||
			   insn->id == X86_INS_LOOPNE) {
			take_jump(step, insn);
		} else if (step->memory && step->writes && !step->reads) {
			step->kind = STEP_STORE;
		}
		break;
	}
	if (insn->id == X86_INS_JMP)
		take_jump(step, insn);
}

/* Decode the next instruction; false: there is none, or it can't be decoded. */
static bool next_step(struct decoder *decoder, const uint8_t **at, size_t *left, uint64_t *ip,
		      struct step *step)
{
	if (!*left || !open_decoder(decoder) ||
	    !cs_disasm_iter(decoder->handle, at, left, ip, decoder->insn))
		return false;
	*step = (struct step){
		.at = decoder->insn->address,
		.size = (__u8)decoder->insn->size,
		.dst = REG_NONE, .src = REG_NONE, .base = REG_NONE, .index = REG_NONE,
		.word = decoder->word,
	};
	step->kills = kills_of(decoder);
	take_memory(step, decoder->insn);
	take_kind(step, decoder);
	return true;
}

bool decoder_one(struct decoder *decoder, const unsigned char *code, size_t bytes, __u64 address,
		 struct step *step)
{
	uint64_t ip = address;

	return next_step(decoder, &code, &bytes, &ip, step);
}

size_t decoder_run(struct decoder *decoder, const unsigned char *code, size_t bytes,
		   __u64 address, struct step **steps, size_t *nr, size_t *room)
{
	const uint8_t *at = code;
	uint64_t ip = address;
	size_t left = bytes;
	struct step step;

	while (next_step(decoder, &at, &left, &ip, &step)) {
		ARRAY_GROW(*steps, *nr + 1, *room);
		(*steps)[(*nr)++] = step;
	}
	return bytes - left;
}
