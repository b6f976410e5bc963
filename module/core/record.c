// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS records: bytes in, a sample out. SDM vol. 3B, "PEBS Record Format".
 */
#include "record.h"

/*
 * Format 3 (Skylake): 25 quadwords, rflags … TSC. The word at 0x90 is the set
 * of applicable counters, exact since this format; before, it was an image of
 * GLOBAL_STATUS.
 */
const struct memlat_record_layout memlat_record_fmt3 = {
	.size = 200,
	.status = 0x90,
	.addr = 0x98,
	.source = 0xa0,
	.latency = 0xa8,
	.ip = 0xb0,
};

static u64 field(const void *record, u16 offset)
{
	u64 v;

	memcpy(&v, (const u8 *)record + offset, sizeof(v));
	return v;
}

/**
 * memlat_record_decode - decode one record
 * @layout: of this CPU's PEBS format
 * @sources: data source table of this CPU's model
 * @counters: the counters that memlat armed
 * @record: the record, @layout->size bytes
 * @s: what the record says, for MEMLAT_VERDICT_SAMPLE: ip, addr, latency and
 *	all that the source word holds; the rest is left alone
 *
 * Runs in NMI. Return: what the record is.
 */
enum memlat_verdict
memlat_record_decode(const struct memlat_record_layout *layout,
		     const struct memlat_source_table *sources,
		     const struct memlat_record_counters *counters,
		     const void *record, struct memlat_sample *s)
{
	u64 status = field(record, layout->status);
	bool load = status & counters->loads;

	if (!status)
		return MEMLAT_VERDICT_MALFORMED;
	s->store = status & counters->stores;
	if (load == s->store)
		return MEMLAT_VERDICT_COLLISION;

	s->ip = field(record, layout->ip);
	s->addr = field(record, layout->addr);
	/* In a store's record the place of the latency means nothing. */
	s->latency = load ? (u32)field(record, layout->latency) : 0;
	/*
	 * What the facility tagged has an instruction, and a load a latency; a
	 * record without was not written by it.
	 */
	if (!s->ip || (load && !s->latency))
		return MEMLAT_VERDICT_MALFORMED;

	memlat_source_decode(sources, field(record, layout->source), s);
	return MEMLAT_VERDICT_SAMPLE;
}
