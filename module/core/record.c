// SPDX-License-Identifier: GPL-2.0
/*
 * Turn PEBS records into counts and cells. The formats are those of SDM vol. 3B, "PEBS Record
 * Format" and "Adaptive PEBS"; architectural PEBS is read as Linux reads it
 * (setup_arch_pebs_sample_data()).
 */
#include "shard.h"

/*
 * Formats 1 to 3 consist of quadwords: rflags, rip, 16 registers, and then what memlat needs. Each
 * format appends to the one before. The word at 0x90 is a copy of GLOBAL_STATUS in formats 1 and 2,
 * and the set of applicable counters in format 3.
 */
#define FIXED(n)		\
	.format = n,		\
	.status = 0x90,		\
	.addr = 0x98,		\
	.source = 0xa0,		\
	.latency = 0xa8

/* Nehalem to Ivy Bridge: only rip, which is that of the next instruction. */
static const struct memlat_record_layout format1 = {
	FIXED(1),
	.size = 176,
	.ip = 0x08,
	.ip_after = true,
	.status_is_global = true,
};

/* Haswell and Broadwell append the eventing IP, and a word about transactions. */
static const struct memlat_record_layout format2 = {
	FIXED(2),
	.size = 192,
	.ip = 0xb0,
	.status_is_global = true,
};

/* Skylake to Cooper Lake append the time. */
static const struct memlat_record_layout format3 = {
	FIXED(3),
	.size = 200,
	.ip = 0xb0,
};

#define MEMINFO_BYTES	32

/* The basic group (first word, IP, applicable counters, TSC), then the memory group. */
#define ADAPTIVE(n)						\
	.format = n,						\
	.adaptive = true,					\
	.size = MEMLAT_BASIC_BYTES + MEMINFO_BYTES,	\
	.ip = 0x08,						\
	.status = 0x10,						\
	.addr = MEMLAT_BASIC_BYTES + 0x00,			\
	.source = MEMLAT_BASIC_BYTES + 0x08,			\
	.latency = MEMLAT_BASIC_BYTES + 0x10

/*
 * Formats 5 and 6 add groups that memlat does not ask for, and reload values in the DS area.
 */
static const struct memlat_record_layout format4 = { ADAPTIVE(4) };
static const struct memlat_record_layout format5 = { ADAPTIVE(5) };
static const struct memlat_record_layout format6 = { ADAPTIVE(6) };

/*
 * One fragment, as hardware writes it if no other record interrupts it: header, basic group (IP,
 * applicable counters, TSC, retire latency), auxiliary group.
 */
static const struct memlat_record_layout format_arch = {
	.format = 0xf,
	.arch = true,
	.size = MEMLAT_ARCH_RECORD_BYTES,
	.ip = MEMLAT_ARCH_HEADER_BYTES + 0x00,
	.status = MEMLAT_ARCH_HEADER_BYTES + 0x08,
	.addr = MEMLAT_ARCH_HEADER_BYTES + MEMLAT_ARCH_BASIC_BYTES + 0x00,
	.source = MEMLAT_ARCH_HEADER_BYTES + MEMLAT_ARCH_BASIC_BYTES + 0x28,
	.latency = MEMLAT_ARCH_HEADER_BYTES + MEMLAT_ARCH_BASIC_BYTES + 0x30,
};

#define FORMATS		16

/**
 * memlat_record_layout_of - the layout of a format
 * @format: IA32_PERF_CAPABILITIES[11:8]
 * @baseline: IA32_PERF_CAPABILITIES[14]: records are adaptive
 *
 * Return: the layout. NULL for a format without address, source and latency (0, and 4 to 6 without
 * baseline), and for a format that memlat does not know.
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
		[0xf] = &format_arch,
	};
	const struct memlat_record_layout *found;

	if (format >= FORMATS)
		return NULL;
	found = layout[format];
	return found && found->adaptive && !baseline ? NULL : found;
}

/* Bytes of the fragment at @at; 0: it cannot be a fragment. */
static unsigned int fragment_bytes(const u8 *at, u64 left)
{
	unsigned int size;

	if (left < MEMLAT_ARCH_HEADER_BYTES)
		return 0;
	size = memlat_record_field(at, 0) & MEMLAT_ARCH_SIZE;
	/* Hardware counts the place of the next fragment in units of 16 bytes. */
	return size >= MEMLAT_ARCH_HEADER_BYTES && size % 16 == 0 && size <= left ? size : 0;
}

static bool fragment_goes_on(const u8 *at)
{
	const u64 header = memlat_record_field(at, 0);

	return (header & MEMLAT_ARCH_GOES_ON) || !(header & ~MEMLAT_ARCH_SIZE);
}

/* Bytes of all fragments of a record; 0: its chain of fragments does not end within @left. */
static unsigned int memlat_chain_bytes(const u8 *record, u64 left)
{
	unsigned int bytes = 0, size;

	do {
		size = fragment_bytes(record + bytes, left - bytes);
		if (!size)
			return 0;
		bytes += size;
	} while (fragment_goes_on(record + bytes - size));
	return bytes;
}

/*
 * If a fragment has a group at *@at, copy it and move *@at behind it. Returns false if the fragment
 * is too small for the group.
 */
static bool memlat_group_take(const u8 *record, u64 group, unsigned int bytes, unsigned int *at,
			      u8 *to)
{
	const u64 header = memlat_record_field(record, 0);

	if (!(header & group))
		return true;
	if ((header & MEMLAT_ARCH_SIZE) < *at + bytes)
		return false;
	memcpy(to, record + *at, bytes);
	*at += bytes;
	return true;
}

/*
 * Join a record of several fragments, or with groups that memlat did not ask for, into one fragment
 * of the usual layout, @whole. Its header is 0 if the record lacks a group.
 */
static void memlat_chain_join(const u8 *record, unsigned int bytes, u8 *whole)
{
	const u64 both = MEMLAT_ARCH_BASIC | MEMLAT_ARCH_AUX;
	const u64 header = both | MEMLAT_ARCH_RECORD_BYTES;
	u8 *const basic = whole + MEMLAT_ARCH_HEADER_BYTES;
	u64 seen = 0, here;
	unsigned int at;

	memset(whole, 0, MEMLAT_ARCH_RECORD_BYTES);
	while (bytes) {
		here = memlat_record_field(record, 0) & both;
		/* Each group is there once, basic first; else these are parts of another record. */
		if ((seen & here) || (here == MEMLAT_ARCH_AUX && !seen))
			return;
		/* These groups are the first ones of their fragment. */
		at = MEMLAT_ARCH_HEADER_BYTES;
		if (!memlat_group_take(record, MEMLAT_ARCH_BASIC, MEMLAT_ARCH_BASIC_BYTES, &at,
				       basic) ||
		    !memlat_group_take(record, MEMLAT_ARCH_AUX, MEMLAT_ARCH_AUX_BYTES, &at,
				       basic + MEMLAT_ARCH_BASIC_BYTES))
			return;
		seen |= here;
		at = memlat_record_field(record, 0) & MEMLAT_ARCH_SIZE;
		record += at;
		bytes -= at;
	}
	if (seen == both)
		memcpy(whole, &header, sizeof(header));
}

/**
 * memlat_record_step - bytes from this record to the next
 * @layout: of this CPU's PEBS format
 * @record: the record
 * @left: bytes from @record to the end of what was written
 *
 * Runs in NMI. Reads no more than @left bytes.
 *
 * Return: at most @left. 0: it cannot be a record, and where the next one begins is not known.
 */
unsigned int memlat_record_step(const struct memlat_record_layout *layout, const void *record,
				u64 left)
{
	u64 size = layout->size;

	if (layout->arch)
		return memlat_chain_bytes(record, left);
	if (layout->adaptive) {
		if (left < MEMLAT_BASIC_BYTES)
			return 0;
		size = memlat_record_field(record, 0) >> MEMLAT_RECORD_SIZE_SHIFT;
		if (size < MEMLAT_BASIC_BYTES || size % sizeof(u64))
			return 0;
	}
	return size <= left ? size : 0;
}

/*
 * Count a record that is not a sample, or has another size. Returns the bytes to the next record;
 * 0: where that begins is not known, nor how many records follow.
 */
static unsigned int memlat_walk_odd(struct memlat_walk *walk, const u8 *record, u64 left,
				    enum memlat_verdict verdict)
{
	unsigned int step = memlat_record_step(walk->layout, record, left);

	if (step && verdict == MEMLAT_VERDICT_COLLISION)
		walk->counts->count[MEMLAT_COUNT_COLLISION]++;
	else
		walk->counts->count[MEMLAT_COUNT_MALFORMED]++;
	return step;
}

/* Do what costs time only in sessions that want it. */
static __always_inline void walk_more(const struct memlat_walk *walk, struct memlat_sample *s)
{
	if (walk->phys)
		s->phys = walk->phys(s->addr);
	if (walk->stack)
		s->stack = walk->stack(walk->context, walk, s->ip);
	if (walk->steps && !s->store) {
		/* Pass a copy: taking the address of *s would force it out of registers. */
		const struct memlat_sample copy = *s;

		memlat_steps_load(walk->steps, walk->counts, &copy);
	}
}

/* The tally of one kind of access. Its first sample also stands for @flow->carry events. */
static struct memlat_tally walk_came(struct memlat_flow *flow, u64 samples)
{
	struct memlat_tally came = { samples, samples * flow->period };

	if (samples) {
		came.weight += flow->carry;
		flow->carry = 0;
	}
	flow->samples += samples;
	return came;
}

static __always_inline unsigned int walk_layout(struct memlat_walk *walk,
						const struct memlat_record_layout *layout,
						const u8 *record, u64 left)
{
	const u64 load_period = walk->loads.period, store_period = walk->stores.period;
	const struct memlat_record_counters counters = *walk->counters;
	const struct memlat_source_table *sources = walk->sources;
	u64 load_weight = load_period + walk->loads.carry;
	u64 store_weight = store_period + walk->stores.carry;
	struct memlat_counts *counts = walk->counts;
	struct memlat_shard *shard = walk->shard;
	struct memlat_sample s = { .tgid = walk->tgid, .tid = walk->tid, .gen = walk->gen };
	const bool more = walk->phys || walk->stack || walk->steps;
	unsigned int records = 0, stores = 0, odd = 0, step, row;
	struct memlat_tally loads_came, stores_came;
	struct memlat_sums sums = { 0 };
	u8 whole[MEMLAT_ARCH_RECORD_BYTES];
	enum memlat_verdict verdict;
	const u8 *at;

	for (; left >= layout->size; record += step, left -= step) {
		records++;
		step = layout->size;
		at = record;
		if (layout->arch && unlikely(!memlat_record_is_usual(layout, record))) {
			step = memlat_chain_bytes(record, left);
			memlat_chain_join(record, step, whole);
			at = whole;
		}
		verdict = memlat_record_decode(layout, sources, &counters, at, &s);
		if (unlikely(verdict != MEMLAT_VERDICT_SAMPLE)) {
			odd++;
			step = memlat_walk_odd(walk, record, left, verdict);
			if (!step)
				goto out;
			continue;
		}
		if (unlikely(more))
			walk_more(walk, &s);
		if (s.store) {
			s.weight = store_weight;
			store_weight = store_period;
			stores++;
			memlat_counts_store(counts, &s);
			memlat_shard_add(shard, counts, &s, 0);
		} else {
			s.weight = load_weight;
			load_weight = load_period;
			row = memlat_bucket_of(s.latency);
			memlat_counts_load(counts, &sums, &s, row);
			memlat_shard_add(shard, counts, &s, row);
		}
	}
	/* The rest is shorter than a usual record. */
	for (; left; record += step, left -= step) {
		records++;
		odd++;
		step = memlat_walk_odd(walk, record, left, MEMLAT_VERDICT_MALFORMED);
		if (!step)
			break;
	}
out:
	loads_came = walk_came(&walk->loads, records - stores - odd);
	stores_came = walk_came(&walk->stores, stores);
	memlat_counts_sums(walk->counts, &sums, &loads_came, &stores_came);
	return records;
}

/**
 * memlat_record_walk - process records
 * @walk: the drain
 * @records: the first record
 * @bytes: bytes of all records
 *
 * Runs in NMI. Each record is read once, and its time is bounded.
 *
 * Return: number of records; each is a sample, or counted in MALFORMED or COLLISION.
 */
unsigned int memlat_record_walk(struct memlat_walk *walk, const void *records, u64 bytes)
{
	switch (walk->layout->format) {
	case 1:
		return walk_layout(walk, &format1, records, bytes);
	case 2:
		return walk_layout(walk, &format2, records, bytes);
	case 3:
		return walk_layout(walk, &format3, records, bytes);
	case 0xf:
		return walk_layout(walk, &format_arch, records, bytes);
	default:
		/* Formats 5 and 6 differ from 4 only in groups that memlat does not ask for. */
		return walk_layout(walk, &format4, records, bytes);
	}
}

/**
 * memlat_record_walk_filtered - count records of a task that is not to be sampled
 * @walk: the drain
 * @records: the first record
 * @bytes: bytes of all records
 *
 * Return: number of records; each is counted in FILTERED or in MALFORMED.
 */
unsigned int memlat_record_walk_filtered(struct memlat_walk *walk, const void *records, u64 bytes)
{
	const u8 *record = records;
	unsigned int n = 0, step;

	for (; bytes; record += step, bytes -= step) {
		n++;
		step = memlat_record_step(walk->layout, record, bytes);
		if (!step) {
			walk->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
		walk->counts->count[MEMLAT_COUNT_FILTERED]++;
	}
	return n;
}
