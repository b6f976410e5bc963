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
/* A new one has DISASM_ATT. */
void disasm_set_syntax(struct disasm *disasm, enum disasm_syntax syntax);

/*
 * The instruction at an address with at most so many before and after it, into lines
 * of before + 1 + after; how many, 0 where the code is not to be had. *at: which of
 * them is the one asked for. offset: of the address from its function's start, from
 * where the ones before are decoded; 0: not known, and none is before.
 */
size_t disasm_around(struct disasm *disasm, __u32 space, __u32 gen, __u64 ip,
		     __u64 offset, size_t before, size_t after,
		     struct disasm_line *lines, size_t *at);

#define DISASM_FUNCTION_MAX	(1 << 20)	/* bytes; of a longer one the rest is left out */

/*
 * All instructions of a function, in *lines, which is to be freed; how many, 0 where the code is
 * not to be had. Bytes that are not an instruction are shown as such.
 */
size_t disasm_function(struct disasm *disasm, __u32 space, __u32 gen, __u64 start, __u64 size,
		       struct disasm_line **lines);

#endif
