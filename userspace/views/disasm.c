// SPDX-License-Identifier: GPL-2.0
#include "disasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "../util/out.h"
#include "../util/xalloc.h"

#define INSTRUCTION_MAX	15		/* bytes, the limit of the architecture */
/* most bytes decoded to find what is before an instruction */
#define FUNCTION_MAX	(64 << 10)

struct disasm {
	struct namer *namer;
	csh handle;
	cs_insn *insn;
	unsigned char *code;
};

struct disasm *disasm_new(struct namer *namer)
{
	struct disasm *disasm = xcalloc(1, sizeof(*disasm));
	const cs_err error = cs_open(CS_ARCH_X86, CS_MODE_64, &disasm->handle);

	disasm->namer = namer;
	disasm->code = xmalloc(FUNCTION_MAX);
	if (error == CS_ERR_ARCH)
		exit(FAILED);
	/* Every capstone supports x86, so another failure means that memory is missing. */
	if (error != CS_ERR_OK)
		xneed(NULL);
	disasm_set_syntax(disasm, DISASM_ATT);
	disasm->insn = xneed(cs_malloc(disasm->handle));
	return disasm;
}

void disasm_free(struct disasm *disasm)
{
	if (!disasm)
		return;
	cs_free(disasm->insn, 1);
	cs_close(&disasm->handle);
	free(disasm->code);
	free(disasm);
}

void disasm_set_syntax(struct disasm *disasm, enum disasm_syntax syntax)
{
	cs_option(disasm->handle, CS_OPT_SYNTAX, syntax == DISASM_INTEL ?
		  CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
}

/* Decode what is there as code of 32 or 64 bits. */
static void set_mode(struct disasm *disasm, __u32 space, __u32 gen, __u64 ip)
{
	const bool i386 = namer_code(disasm->namer, space, gen, ip)->i386;

	cs_option(disasm->handle, CS_OPT_MODE, i386 ? CS_MODE_32 : CS_MODE_64);
}

static void copy_insn(struct disasm_line *line, const cs_insn *insn)
{
	line->ip = insn->address;
	line->size = insn->size;
	snprintf(line->text, sizeof(line->text), "%s%s%s", insn->mnemonic,
		 *insn->op_str ? " " : "", insn->op_str);
}

/* Decode from start on. Returns how many lines there are, or 0 if none begins at ip. */
static size_t decode(struct disasm *disasm, __u64 start, size_t bytes, __u64 ip,
		     size_t before, size_t after, struct disasm_line *lines,
		     size_t *at)
{
	const uint8_t *code = disasm->code;
	size_t left = bytes, nr = 0;
	uint64_t address = start;
	bool met = false;

	while (cs_disasm_iter(disasm->handle, &code, &left, &address, disasm->insn)) {
		if (disasm->insn->address > ip && !met)
			return 0;
		if (disasm->insn->address == ip) {
			met = true;
			*at = nr;
		} else if (!met && nr == before) {
			if (!before)
				continue;
			memmove(lines, lines + 1, (before - 1) * sizeof(*lines));
			nr--;
		}
		copy_insn(&lines[nr++], disasm->insn);
		if (met && nr == *at + 1 + after)
			break;
	}
	return met ? nr : 0;
}

size_t disasm_around(struct disasm *disasm, __u32 space, __u32 gen, __u64 ip,
		     __u64 offset, size_t before, size_t after,
		     struct disasm_line *lines, size_t *at)
{
	size_t tail = (after + 1) * INSTRUCTION_MAX, bytes, nr = 0;

	set_mode(disasm, space, gen, ip);
	if (tail > FUNCTION_MAX)
		tail = FUNCTION_MAX;
	if (offset && before && offset <= FUNCTION_MAX - tail && offset <= ip) {
		bytes = namer_text(disasm->namer, space, gen, ip - offset,
				   disasm->code, (size_t)offset + tail);
		nr = decode(disasm, ip - offset, bytes, ip, before, after, lines, at);
	}
	if (nr)
		return nr;
	bytes = namer_text(disasm->namer, space, gen, ip, disasm->code, tail);
	return decode(disasm, ip, bytes, ip, 0, after, lines, at);
}

/* Decode the next line. A byte that begins no instruction gets a line of its own. */
static void next(struct disasm *disasm, const uint8_t **code, size_t *left, uint64_t *address,
		 struct disasm_line *line)
{
	if (cs_disasm_iter(disasm->handle, code, left, address, disasm->insn)) {
		copy_insn(line, disasm->insn);
		return;
	}
	line->ip = *address;
	line->size = 1;
	snprintf(line->text, sizeof(line->text), ".byte 0x%02x", **code);
	(*code)++;
	(*left)--;
	(*address)++;
}

size_t disasm_function(struct disasm *disasm, __u32 space, __u32 gen, __u64 start, __u64 size,
		       struct disasm_line **lines)
{
	size_t room = size < DISASM_FUNCTION_MAX ? (size_t)size : DISASM_FUNCTION_MAX;
	uint8_t *bytes = xmalloc(room);
	const uint8_t *code = bytes;
	size_t left = namer_text(disasm->namer, space, gen, start, bytes, room);
	size_t nr = 0, held = 0;
	uint64_t address = start;

	*lines = NULL;
	set_mode(disasm, space, gen, start);
	while (left) {
		ARRAY_GROW(*lines, nr + 1, held);
		next(disasm, &code, &left, &address, &(*lines)[nr++]);
	}
	free(bytes);
	return nr;
}
