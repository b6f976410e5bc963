/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_RECORD_H
#define MEMLAT_CORE_RECORD_H

#include "source.h"

struct memlat_walk;

/**
 * struct memlat_record_layout - where a PEBS record of one format keeps what
 * @format: IA32_PERF_CAPABILITIES[11:8]
 * @adaptive: basic and memory groups; bits 63:48 of the first word are the size
 * @arch: a chain of fragments (architectural PEBS): basic and auxiliary group
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
	bool arch;
	u16 size;
	u16 status;
	u16 addr;
	u16 source;
	u16 latency;
	u16 ip;
	bool ip_after;
	bool status_is_global;
};

/* Of a format, NULL: memlat can't read it (0, or 4 to 6 without baseline). */
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

/* The bits of a group in MSR_PEBS_DATA_CFG and in a record's first word. */
#define MEMLAT_GROUP_MEMINFO	0x1ULL
#define MEMLAT_GROUPS		0xffffffULL	/* 31:24: branches, of a group that is off */
#define MEMLAT_BASIC_BYTES	32
#define MEMLAT_RECORD_SIZE_SHIFT 48

/*
 * A fragment of architectural PEBS begins with two words, the second of which is reserved. Of
 * the first, bits 63:32 say which groups follow; none means that another fragment does, as bit
 * 31 does (asm/perf_event.h: struct arch_pebs_header).
 */
#define MEMLAT_ARCH_HEADER_BYTES 16
#define MEMLAT_ARCH_BASIC_BYTES	48
#define MEMLAT_ARCH_AUX_BYTES	64
#define MEMLAT_ARCH_SIZE	0xffffULL
#define MEMLAT_ARCH_GOES_ON	0x80000000ULL
#define MEMLAT_ARCH_GROUPS	(~0ULL << 32)
#define MEMLAT_ARCH_AUX		0x4000000000000000ULL	/* address, source, latency */
#define MEMLAT_ARCH_BASIC	0x8000000000000000ULL
#define MEMLAT_ARCH_RECORD_BYTES \
	(MEMLAT_ARCH_HEADER_BYTES + MEMLAT_ARCH_BASIC_BYTES + MEMLAT_ARCH_AUX_BYTES)

static inline u64 memlat_record_field(const void *record, u16 offset)
{
	u64 v;

	memcpy(&v, (const u8 *)record + offset, sizeof(v));
	return v;
}

/* Of one that has another size no more than the first word may be read. */
static inline bool memlat_record_is_usual(const struct memlat_record_layout *layout,
					  const void *record)
{
	const u64 usual = (u64)layout->size << MEMLAT_RECORD_SIZE_SHIFT | MEMLAT_GROUP_MEMINFO;
	const u64 mask = 0xffffULL << MEMLAT_RECORD_SIZE_SHIFT | MEMLAT_GROUPS;

	if (layout->arch)
		return (memlat_record_field(record, 0) &
			(MEMLAT_ARCH_SIZE | MEMLAT_ARCH_GOES_ON | MEMLAT_ARCH_GROUPS)) ==
		       (layout->size | MEMLAT_ARCH_AUX | MEMLAT_ARCH_BASIC);
	return !layout->adaptive || (memlat_record_field(record, 0) & mask) == usual;
}

/*
 * Which of memlat's counters made a record: their bits of its status. What a record
 * of formats 1 and 2 has is an image of GLOBAL_STATUS: the bit of an overflow may be
 * set already for another record, or not yet for this one. Without any it was the one
 * that is armed; of two nobody knows.
 */
static __always_inline u64 memlat_record_made_by(const struct memlat_record_layout *layout,
						 u64 armed, u64 status)
{
	u64 made_by = status & armed;

	return layout->status_is_global && !made_by ? armed : made_by;
}

/**
 * memlat_record_decode - decode one record
 * @layout: of this CPU's PEBS format
 * @sources: data source table of this CPU's kind of core
 * @counters: the counters that memlat armed
 * @record: the record; as many bytes as memlat_record_step() tells
 * @s: what the record says, for MEMLAT_VERDICT_SAMPLE: ip, addr, both latencies
 *	and all that the source word holds; the rest is left alone
 *
 * Runs in NMI. Return: what the record is.
 */
static __always_inline enum memlat_verdict
memlat_record_decode(const struct memlat_record_layout *layout,
		     const struct memlat_source_table *sources,
		     const struct memlat_record_counters *counters,
		     const void *record, struct memlat_sample *s)
{
	u64 status, made_by, latency;

	if (unlikely(!memlat_record_is_usual(layout, record)))
		return MEMLAT_VERDICT_MALFORMED;
	status = memlat_record_field(record, layout->status);
	made_by = memlat_record_made_by(layout, counters->loads | counters->stores, status);
	s->ip = memlat_record_field(record, layout->ip);
	s->addr = memlat_record_field(record, layout->addr);
	/*
	 * What the facility tagged has an instruction, and a load a latency; a
	 * record without was not written by it.
	 */
	if (likely(made_by == counters->loads && made_by)) {
		latency = memlat_record_field(record, layout->latency);
		s->latency = latency;
		s->use_latency = 0;
		if (sources->cache_latency) {
			s->latency = (u16)latency;
			s->use_latency = (u16)latency;
		}
		if (unlikely(!s->ip || !s->latency))
			return MEMLAT_VERDICT_MALFORMED;
		memlat_source_decode_load(sources, memlat_record_field(record, layout->source), s);
		/*
		 * The threshold looks at use latency, which goes on until what the load
		 * needed besides is there: operands, a lock, a store. So loads that hit L1
		 * pass it. What memory took is the cache latency: a cycle at least.
		 */
		if (sources->cache_latency) {
			s->latency = (u16)(latency >> 32) ?: 1;
			if (s->source == MEMLAT_SRC_L1 && s->use_latency > 2 * s->latency)
				s->flags |= MEMLAT_CELL_NOT_MEMORY;
		}
		return MEMLAT_VERDICT_SAMPLE;
	}
	if (made_by == counters->stores && made_by) {
		/*
		 * From Golden Cove and Gracemont on: from the attempt to write to L1 until it
		 * was done. Elsewhere the place of the latency means nothing.
		 */
		s->latency = 0;
		s->use_latency = 0;
		if (unlikely(!s->ip))
			return MEMLAT_VERDICT_MALFORMED;
		if (memlat_source_of_stores(sources))
			s->latency = (u16)(memlat_record_field(record, layout->latency) >> 32);
		memlat_source_decode_store(sources, memlat_record_field(record, layout->source), s);
		return MEMLAT_VERDICT_SAMPLE;
	}
	/* Nothing armed is no status at all, where it is an image. */
	if (layout->status_is_global)
		status = made_by;
	return status ? MEMLAT_VERDICT_COLLISION : MEMLAT_VERDICT_MALFORMED;
}

/*
 * Bytes from this record to the next: those since format 4 tell their own. 0: it
 * can't be one, what follows up to @left can't be found. @left: bytes from
 * @record to the end of what was written.
 */
unsigned int memlat_record_step(const struct memlat_record_layout *layout, const void *record,
				u64 left);

/* In NMI, a buffer's records one after the other (walk.h). Both return how many there were. */
unsigned int memlat_record_walk(struct memlat_walk *walk, const void *records, u64 bytes);
unsigned int memlat_record_walk_filtered(struct memlat_walk *walk, const void *records, u64 bytes);

#endif /* MEMLAT_CORE_RECORD_H */
