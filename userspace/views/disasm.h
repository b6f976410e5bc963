/* SPDX-License-Identifier: GPL-2.0 */
/* Machine code as text, on capstone. */
#ifndef MEMLAT_DISASM_H
#define MEMLAT_DISASM_H

#include <stdbool.h>
#include <stddef.h>

#include "../names/namer.h"

#define DISASM_TEXT_MAX	200

struct disasm_line {
	__u64 ip;
	unsigned int size;		/* bytes */
	char text[DISASM_TEXT_MAX];	/* "movq (%rdi), %rax", "mov rax, qword ptr [rdi]" */
};

enum disasm_syntax {
	DISASM_ATT,		/* as perf annotate and objdump show it */
	DISASM_INTEL
};

struct disasm;

struct disasm *disasm_new(struct namer *namer);
void disasm_free(struct disasm *disasm);
/* The default is DISASM_ATT. */
void disasm_set_syntax(struct disasm *disasm, enum disasm_syntax syntax);

/*
 * Disassemble the instruction at an address with at most so many before and after it, into lines,
 * which has room for before + 1 + after. Returns how many lines there are, 0 if the code is not
 * available. *at: the index of the instruction asked for. offset: of the address from its
 * function's start, where decoding begins; 0: not known, so no instruction before it is shown.
 */
size_t disasm_around(struct disasm *disasm, __u32 space, __u32 gen, __u64 ip,
		     __u64 offset, size_t before, size_t after,
		     struct disasm_line *lines, size_t *at);

/* bytes; the rest of a longer function is left out */
#define DISASM_FUNCTION_MAX	(1 << 20)

/*
 * Disassemble a whole function into *lines, which the caller frees. Returns how many lines there
 * are, 0 if the code is not available. Bytes that are no instruction get lines of their own.
 */
size_t disasm_function(struct disasm *disasm, __u32 space, __u32 gen, __u64 start, __u64 size,
		       struct disasm_line **lines);

#endif
