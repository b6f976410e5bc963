/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_RECORD_H
#define MEMLAT_CORE_RECORD_H

#include "source.h"

/**
 * struct memlat_record_layout - where a PEBS record of one format keeps what
 * @size: bytes of a record
 * @status: offset of the applicable counters
 * @addr: offset of the data linear address
 * @source: offset of the data source
 * @latency: offset of the latency; the low 32 bits count
 * @ip: offset of the eventing instruction pointer
 */
struct memlat_record_layout {
	u16 size;
	u16 status;
	u16 addr;
	u16 source;
	u16 latency;
	u16 ip;
};

extern const struct memlat_record_layout memlat_record_fmt3;

/**
 * struct memlat_record_counters - which counters make which records
 * @loads: the counter armed for loads, as its bit in the applicable counters;
 *	0: none
 * @stores: the same for stores
 */
struct memlat_record_counters {
	u64 loads;
	u64 stores;
};

/**
 * enum memlat_verdict - what a record turned out to be
 * @MEMLAT_VERDICT_SAMPLE: a sample
 * @MEMLAT_VERDICT_COLLISION: not from memlat's counters, or from both at once:
 *	then nobody can tell how its source word is to be read
 * @MEMLAT_VERDICT_MALFORMED: no counter, no instruction, or a load without a
 *	latency
 */
enum memlat_verdict {
	MEMLAT_VERDICT_SAMPLE,
	MEMLAT_VERDICT_COLLISION,
	MEMLAT_VERDICT_MALFORMED,
};

enum memlat_verdict
memlat_record_decode(const struct memlat_record_layout *layout,
		     const struct memlat_source_table *sources,
		     const struct memlat_record_counters *counters,
		     const void *record, struct memlat_sample *s);

#endif /* MEMLAT_CORE_RECORD_H */
