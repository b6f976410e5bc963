/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_RECORD_H
#define MEMLAT_CORE_RECORD_H

#include "sample.h"

struct memlat_walk;

/**
 * struct memlat_record_layout - the layout of the PEBS records of a format
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
 * @status_is_global: @status is a copy of GLOBAL_STATUS, and not exact (formats 1 and 2)
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

/* The layout of a format; NULL: memlat cannot read it (0, or 4 to 6 without baseline). */
const struct memlat_record_layout *memlat_record_layout_of(unsigned int format, bool baseline);

/**
 * struct memlat_record_counters - the counters that make records now
 * @loads: the counter armed for loads, as its bit in the applicable counters; 0: none, or
 *	stores have their turn
 * @stores: the same for stores
 */
struct memlat_record_counters {
	u64 loads;
	u64 stores;
};

/**
 * enum memlat_verdict - whether a record is a sample
 * @MEMLAT_VERDICT_SAMPLE: it is a sample
 * @MEMLAT_VERDICT_COLLISION: another counter than memlat's made it, or both of memlat's at once;
 *	with both, its source word cannot be decoded
 * @MEMLAT_VERDICT_MALFORMED: it has no counter, no instruction, a load without a latency, or other
 *	groups than memlat asked for
 *
 * In formats 1 and 2, a status without any of memlat's bits is attributed to the one armed
 * counter. If two are armed, the record is a collision.
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
 * A fragment of architectural PEBS begins with two words, the second of which is reserved. Bits
 * 63:32 of the first say which groups follow. If there is no group, or if bit 31 is set, the record
 * goes on in the next fragment (asm/perf_event.h: struct arch_pebs_header).
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

/*
 * Does the record have the size and groups that memlat configured? If not, the caller may read no
 * more of it than the first word.
 */
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
 * Which of memlat's counters made a record, as bits of its status. Formats 1 and 2 have a copy of
 * GLOBAL_STATUS instead, in which an overflow's bit may be set already for another record, or not
 * yet for this one. If no bit is set, the armed counter made the record; if two counters are armed,
 * it is not known which one.
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
 * @record: the record, with as many bytes as memlat_record_step() returns
 * @s: for MEMLAT_VERDICT_SAMPLE, filled in with ip, addr, both latencies and what the source word
 *	says; other members are left alone
 *
 * Runs in NMI.
 *
 * Return: what the record is.
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
	 * A record of the load latency facility has an instruction and a latency; without them it
	 * is not such a record.
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
		 * The threshold applies to the use latency, which includes waits for anything else
		 * that the load needs: operands, a lock, a store. So loads that hit L1 may pass the
		 * threshold. The cache latency is the time in memory; make it a cycle at least.
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
		 * Since Golden Cove and Gracemont a store's latency is the time from the attempt to
		 * write to L1 until it was done. On older cores the field has no meaning.
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
	/* A copy of GLOBAL_STATUS without any armed counter counts as no status. */
	if (layout->status_is_global)
		status = made_by;
	return status ? MEMLAT_VERDICT_COLLISION : MEMLAT_VERDICT_MALFORMED;
}

/*
 * Bytes from this record to the next; since format 4 a record has its own size in it. 0: it cannot
 * be a record, and the records after it cannot be found. @left: bytes from @record to the end of
 * what was written.
 */
unsigned int memlat_record_step(const struct memlat_record_layout *layout, const void *record,
				u64 left);

/*
 * Process all records of a buffer, in NMI (see struct memlat_walk). Both return the number of
 * records.
 */
unsigned int memlat_record_walk(struct memlat_walk *walk, const void *records, u64 bytes);
unsigned int memlat_record_walk_filtered(struct memlat_walk *walk, const void *records, u64 bytes);

#endif /* MEMLAT_CORE_RECORD_H */
