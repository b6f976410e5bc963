/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PEBS_H
#define MEMLAT_HW_PEBS_H

#include "buffer.h"

struct pt_regs;

/* Are there records to drain? */
static inline bool memlat_pebs_pending(const struct memlat_cpu *c)
{
	return memlat_buffer_end(c) != c->base;
}

unsigned int memlat_pebs_drain(struct memlat_cpu *c, struct pt_regs *regs);
unsigned int memlat_pebs_drain_of(struct memlat_cpu *c, const struct memlat_who *who);

#endif /* MEMLAT_HW_PEBS_H */
