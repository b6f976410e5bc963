/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operands of the running kernel's instructions without its debug information: BTF tells what the
 * arguments of functions lead to, what functions return and what per-CPU variables are; from there
 * values are followed through the code, as it is in memory.
 */
#ifndef MEMLAT_KERNEL_OPERAND_H
#define MEMLAT_KERNEL_OPERAND_H

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"
#include "operand.h"

struct kernel_operands;

/* All of these have to live as long. */
struct kernel_operands *kernel_operands_new(const struct kernel_core *core, const struct btf *btf,
					    const struct kallsyms *all);
void kernel_operands_free(struct kernel_operands *operands);

/* The type is known; NULL: it is not. */
const struct operand *kernel_operand(struct kernel_operands *operands, __u64 ip);
/* Of the instruction that ends there. */
const struct operand *kernel_operand_before(struct kernel_operands *operands, __u64 ip);

#endif
