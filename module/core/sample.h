/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SAMPLE_H
#define MEMLAT_CORE_SAMPLE_H

#include "types.h"

/**
 * struct memlat_sample - one load or store, as every later stage sees it
 * @ip: address of the instruction
 * @addr: linear address of the datum
 * @phys: physical address of its line, 0: not known
 * @weight: qualifying events that it stands for
 * @latency: use latency, core cycles; 0 for a store
 * @cache_latency: the memory's part of it, where the CPU tells; else 0
 * @tgid: process, initial PID namespace
 * @tid: thread, likewise
 * @gen: generation of the process (hw/who.h)
 * @stack: call chain, as memlat_shard_stack() numbered it; 0: none
 * @source: decoded source, enum memlat_source; MEMLAT_SRC_L1 or _UNKNOWN for a
 *	store
 * @raw: source word as hardware wrote it, as memlat_source_raw() packs it
 * @store: a store, not a load
 * @l1_hit: a store that found its line in L1
 * @stlb_miss: it missed the second-level TLB
 * @locked: it had a lock prefix
 * @blocked_data: a load that waited for a store's data
 * @blocked_addr: a load that waited for a store's address
 */
struct memlat_sample {
	u64 ip;
	u64 addr;
	u64 phys;
	u64 weight;
	u32 latency;
	u32 cache_latency;
	u32 tgid;
	u32 tid;
	u32 gen;
	u16 stack;
	u16 raw;
	u8 source;
	bool store;
	bool l1_hit;
	bool stlb_miss;
	bool locked;
	bool blocked_data;
	bool blocked_addr;
};

#endif /* MEMLAT_CORE_SAMPLE_H */
