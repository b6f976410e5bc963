// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS records: bytes in, a sample out. SDM vol. 3B, "PEBS Record Format" and
 * "Adaptive PEBS".
 */
#include "record.h"

/*
 * Formats 1 to 3 are quadwords: rflags, rip, 16 registers, then what is of
 * interest, and each format appends to the one before. Until format 2 the word at
 * 0x90 is an image of GLOBAL_STATUS, later it is the set of applicable counters.
 */
#define FIXED(n)		\
	.format = n,		\
	.status = 0x90,		\
	.addr = 0x98,		\
	.source = 0xa0,		\
	.latency = 0xa8

/* Nehalem to Ivy Bridge: rip alone, which is already the next instruction's. */
static const struct memlat_record_layout format1 = {
	FIXED(1),
	.size = 176,
	.ip = 0x08,
	.ip_after = true,
	.status_is_global = true,
};

/* Haswell and Broadwell: the eventing IP, and a word about transactions. */
static const struct memlat_record_layout format2 = {
	FIXED(2),
	.size = 192,
	.ip = 0xb0,
	.status_is_global = true,
};

/* Skylake to Cooper Lake: the time. */
static const struct memlat_record_layout format3 = {
	FIXED(3),
	.size = 200,
	.ip = 0xb0,
};

/* The bits of a group in MSR_PEBS_DATA_CFG and in a record's first word. */
#define GROUP_MEMINFO	0x1ULL
#define GROUPS		0xffffffULL	/* 31:24: how many branches, of a group that is off */
#define BASIC_BYTES	32
#define MEMINFO_BYTES	32
#define SIZE_SHIFT	48

/* Basic group: first word, IP, applicable counters, TSC. Then the memory group. */
#define ADAPTIVE(n)					\
	.format = n,					\
	.adaptive = true,				\
	.size = BASIC_BYTES + MEMINFO_BYTES,		\
	.ip = 0x08,					\
	.status = 0x10,					\
	.addr = BASIC_BYTES + 0x00,			\
	.source = BASIC_BYTES + 0x08,			\
	.latency = BASIC_BYTES + 0x10

/*
 * Format 5 and 6 add groups that memlat does not ask for, and reset slots in the
 * DS area.
 */
static const struct memlat_record_layout format4 = { ADAPTIVE(4) };
static const struct memlat_record_layout format5 = { ADAPTIVE(5) };
static const struct memlat_record_layout format6 = { ADAPTIVE(6) };

#define FORMATS		7

/**
 * memlat_record_layout_of - the layout of a format
 * @format: IA32_PERF_CAPABILITIES[11:8]
 * @baseline: IA32_PERF_CAPABILITIES[14]: records are adaptive
 *
 * Return: NULL for one without address, source and latency: 0, and 4 and up
 * without baseline; and for those that memlat does not know.
 */
const struct memlat_record_layout *memlat_record_layout_of(unsigned int format, bool baseline)
{
	static const struct memlat_record_layout *const layout[FORMATS] = {
		[1] = &format1,
		[2] = &format2,
		[3] = &format3,
		[4] = &format4,
		[5] = &format5,
		[6] = &format6,
	};
	const struct memlat_record_layout *found;

	if (format >= FORMATS)
		return NULL;
	found = layout[format];
	return found && found->adaptive && !baseline ? NULL : found;
}

static inline u64 field(const void *record, u16 offset)
{
	u64 v;

	memcpy(&v, (const u8 *)record + offset, sizeof(v));
	return v;
}

/* Of one that has another size no more than the first word may be read. */
static bool is_as_configured(const struct memlat_record_layout *layout, const void *record)
{
	u64 first = field(record, 0);

	return first >> SIZE_SHIFT == layout->size && (first & GROUPS) == GROUP_MEMINFO;
}

/*
 * Which of memlat's counters made a record that has an image of GLOBAL_STATUS:
 * the bit of an overflow may be set already for another record, or not yet for
 * this one. Without any it was the one that is armed; of two nobody knows.
 */
static u64 applicable(const struct memlat_record_counters *counters, u64 global_status)
{
	u64 armed = counters->loads | counters->stores;

	return global_status & armed ? global_status & armed : armed;
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
enum memlat_verdict
memlat_record_decode(const struct memlat_record_layout *layout,
		     const struct memlat_source_table *sources,
		     const struct memlat_record_counters *counters,
		     const void *record, struct memlat_sample *s)
{
	u64 status, latency;
	bool load;

	if (layout->adaptive && !is_as_configured(layout, record))
		return MEMLAT_VERDICT_MALFORMED;
	status = field(record, layout->status);
	if (layout->status_is_global)
		status = applicable(counters, status);
	if (!status)
		return MEMLAT_VERDICT_MALFORMED;
	load = status & counters->loads;
	s->store = status & counters->stores;
	if (load == s->store)
		return MEMLAT_VERDICT_COLLISION;

	s->ip = field(record, layout->ip);
	s->addr = field(record, layout->addr);
	/* In a store's record the place of the latency means nothing. */
	latency = load ? field(record, layout->latency) : 0;
	if (sources->cache_latency) {
		s->latency = (u16)latency;
		s->cache_latency = (u16)(latency >> 32);
	} else {
		s->latency = (u32)latency;
		s->cache_latency = 0;
	}
	/*
	 * What the facility tagged has an instruction, and a load a latency; a
	 * record without was not written by it.
	 */
	if (!s->ip || (load && !s->latency))
		return MEMLAT_VERDICT_MALFORMED;

	memlat_source_decode(sources, field(record, layout->source), s);
	return MEMLAT_VERDICT_SAMPLE;
}

/**
 * memlat_record_step - bytes from this record to the next
 * @layout: of this CPU's PEBS format
 * @record: the record
 * @left: bytes from @record to the end of what was written
 *
 * Runs in NMI. No more than @left bytes are read, and what this returns is no
 * more than that.
 *
 * Return: 0: it can't be a record, and where the next one begins is not known.
 */
unsigned int memlat_record_step(const struct memlat_record_layout *layout, const void *record,
				u64 left)
{
	u64 size = layout->size;

	if (layout->adaptive) {
		if (left < BASIC_BYTES)
			return 0;
		size = field(record, 0) >> SIZE_SHIFT;
		if (size < BASIC_BYTES || size % sizeof(u64))
			return 0;
	}
	return size <= left ? size : 0;
}
