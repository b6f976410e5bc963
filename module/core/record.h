/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_RECORD_H
#define MEMLAT_CORE_RECORD_H

#include "source.h"

/**
 * struct memlat_record_layout - where a PEBS record of one format keeps what
 * @format: IA32_PERF_CAPABILITIES[11:8]
 * @adaptive: basic and memory groups; bits 63:48 of the first word are the size
 * @size: bytes of a record as memlat configures it
 * @status: offset of the applicable counters
 * @addr: offset of the data linear address
 * @source: offset of the data source
 * @latency: offset of the latency
 * @ip: offset of the instruction pointer
 * @ip_after: @ip is that of the next instruction (format 1)
 * @status_is_global: @status is an image of GLOBAL_STATUS, not exact (1, 2)
 */
struct memlat_record_layout {
	u8 format;
	bool adaptive;
	u16 size;
	u16 status;
	u16 addr;
	u16 source;
	u16 latency;
	u16 ip;
	bool ip_after;
	bool status_is_global;
};

/* Of a format, NULL: memlat can't read it (0, 0xf, or 4 and up without baseline). */
const struct memlat_record_layout *memlat_record_layout_of(unsigned int format, bool baseline);

/**
 * struct memlat_record_counters - which counters make which records, now
 * @loads: the counter armed for loads, as its bit in the applicable counters;
 *	0: none, or it is the stores' turn
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
 * @MEMLAT_VERDICT_MALFORMED: no counter, no instruction, a load without a
 *	latency, or not the groups that memlat asked for
 *
 * Formats 1 and 2: a status without any of our bits is the one armed counter's
 * (hw-facts B.4), with two of them a collision.
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

/*
 * Bytes from this record to the next: an adaptive record tells its own. 0: it
 * can't be one, what follows up to @left can't be found. @left: bytes from
 * @record to the end of what was written.
 */
unsigned int memlat_record_step(const struct memlat_record_layout *layout, const void *record,
				u64 left);

#endif /* MEMLAT_CORE_RECORD_H */
