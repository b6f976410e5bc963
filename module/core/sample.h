/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SAMPLE_H
#define MEMLAT_CORE_SAMPLE_H

#include "types.h"

/* Bits of memlat_sample.flags and memlat_cell.flags, in the order of the bit-fields below. */
#define MEMLAT_CELL_STORE	0x1
#define MEMLAT_CELL_L1_HIT	0x2
#define MEMLAT_CELL_STLB_MISS	0x4
#define MEMLAT_CELL_LOCKED	0x8
#define MEMLAT_CELL_BLOCKED_DATA 0x10
#define MEMLAT_CELL_BLOCKED_ADDR 0x20
#define MEMLAT_CELL_XSNP_FWD	0x40
#define MEMLAT_CELL_NOT_MEMORY	0x80

/**
 * struct memlat_sample - one load or store, as all later stages see it
 * @ip: address of the instruction
 * @addr: linear address of the datum
 * @phys: physical address of its line; 0: not known
 * @weight: qualifying events that it stands for
 * @latency: of a load, in core cycles, at least 1: the cache latency if the CPU reports it, else
 *	the use latency. Of a store, the time until it was done, if the CPU reports it; else 0
 * @use_latency: the use latency if the CPU reports both; else 0
 * @tgid: process, in the initial PID namespace
 * @tid: thread, in the initial PID namespace
 * @gen: generation of the process (hw/who.h)
 * @stack: number of the call chain, from memlat_shard_stack(); 0: none
 * @source: enum memlat_source. Of a store, where its line was: MEMLAT_SRC_L1 or _UNKNOWN if the CPU
 *	reports no more
 * @raw: source word of a load, as memlat_source_raw() packs it
 * @store: a store, not a load
 * @l1_hit: a store that found its line in L1
 * @stlb_miss: it missed the second-level TLB
 * @locked: it had a lock prefix
 * @blocked_data: a load that waited for a store's data
 * @blocked_addr: a load that waited for a store's address
 * @xsnp_fwd: a sibling core forwarded the line, modified or clean (MEMLAT_SNOOP_XSNP_FWD)
 * @not_memory: a load that found its line in L1 and waited longer for something else
 * @flags: all of these bits, as MEMLAT_CELL_*
 */
struct memlat_sample {
	u64 ip;
	u64 addr;
	u64 phys;
	u64 weight;
	u32 latency;
	u32 use_latency;
	u32 tgid;
	u32 tid;
	u32 gen;
	u16 stack;
	u16 raw;
	u8 source;
	union {
		u8 flags;
		struct {
			bool store:1;
			bool l1_hit:1;
			bool stlb_miss:1;
			bool locked:1;
			bool blocked_data:1;
			bool blocked_addr:1;
			bool xsnp_fwd:1;
			bool not_memory:1;
		};
	};
};

#endif /* MEMLAT_CORE_SAMPLE_H */
