/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SAMPLE_H
#define MEMLAT_CORE_SAMPLE_H

#include "types.h"

/**
 * struct memlat_sample - one load, as every later stage sees it
 * @ip: address of the load instruction
 * @addr: linear address of the datum
 * @comm: command name of the process, MEMLAT_COMM_BYTES long
 * @latency: use latency, core cycles
 * @space: whose address space: tgid, 0 for kernel addresses
 * @source: decoded source, enum memlat_source
 * @raw: source word as hardware wrote it, low 8 bits
 * @stlb_miss: the load missed the second-level TLB
 * @locked: the load had a lock prefix
 */
struct memlat_sample {
	u64 ip;
	u64 addr;
	const char *comm;
	u32 latency;
	u32 space;
	u8 source;
	u8 raw;
	bool stlb_miss;
	bool locked;
};

#endif /* MEMLAT_CORE_SAMPLE_H */
