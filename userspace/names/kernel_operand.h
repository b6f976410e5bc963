/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the types of operands of the running kernel's instructions, without its debug information.
 * BTF has the types of arguments, of what functions return and of per-CPU variables. From these,
 * values are followed through the code as it is in memory.
 */
#ifndef MEMLAT_KERNEL_OPERAND_H
#define MEMLAT_KERNEL_OPERAND_H

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"
#include "operand.h"

struct kernel_operands;

/* The arguments have to live as long as the result. */
struct kernel_operands *kernel_operands_new(const struct kernel_core *core, const struct btf *btf,
					    const struct kallsyms *all);
void kernel_operands_free(struct kernel_operands *operands);

/* The operand of the instruction at an address; NULL: its type is not known. */
const struct operand *kernel_operand(struct kernel_operands *operands, __u64 ip);
/* The operand of the instruction that ends at an address; NULL: its type is not known. */
const struct operand *kernel_operand_before(struct kernel_operands *operands, __u64 ip);

#endif
