/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CHAIN_H
#define MEMLAT_HW_CHAIN_H

#include <linux/types.h>
#include <uapi/linux/memlat.h>

struct pt_regs;

/**
 * struct memlat_chain - a call chain
 * @frames: number of frames in @frame
 * @kernel_frames: number of kernel frames, which come first
 * @frame: the record's instruction, then return addresses, innermost first
 */
struct memlat_chain {
	unsigned int frames;
	unsigned int kernel_frames;
	u64 frame[MEMLAT_STACK_FRAMES];
};

void memlat_chain_walk(struct memlat_chain *chain, struct pt_regs *regs, u64 ip);

#endif /* MEMLAT_HW_CHAIN_H */
