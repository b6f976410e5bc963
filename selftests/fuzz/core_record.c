// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer of records of any format. It is read by the drain's own loop, and by a decoder that uses
 * the manual's offsets, one field after the other.
 */
#include "core.h"
#include "shard.h"

/* Architectural PEBS, whose records are chains of fragments. */
#define ARCH		0xf
#define ARCH_BASIC	(1ULL << 63)
#define ARCH_AUX	(1ULL << 62)

struct format {
	unsigned int number;
	unsigned int size;
	unsigned int ip;
	unsigned int status;
	unsigned int addr;
	unsigned int source;
};

static const struct format formats[] = {
	{ 1, 176, 0x08, 0x90, 0x98, 0xa0 },
	{ 2, 192, 0xb0, 0x90, 0x98, 0xa0 },
	{ 3, 200, 0xb0, 0x90, 0x98, 0xa0 },
	{ 4, 64, 0x08, 0x10, 0x20, 0x28 },
	{ 5, 64, 0x08, 0x10, 0x20, 0x28 },
	{ 6, 64, 0x08, 0x10, 0x20, 0x28 },
	{ ARCH, 128, 0x10, 0x18, 0x40, 0x68 },
};

#define FORMATS		(sizeof(formats) / sizeof(formats[0]))

struct expected {
	u64 records, loads, stores, malformed, collision;
	u64 load_weight, store_weight, store_latency, latency, latency_max, cache_latency, use_latency;
	u64 raw[MEMLAT_RAWS];
	u64 bucket[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	u64 addr_xor, ip_xor, flags_sum;
};

struct drain {
	const struct format *format;
	const struct source_known *source;
	struct memlat_record_counters counters;
	u64 load_next, load_period, store_next, store_period;
};

static u64 word_at(const u8 *record, unsigned int offset)
{
	u64 word;

	memcpy(&word, record + offset, sizeof(word));
	return word;
}

static void expect_load(struct drain *drain, struct expected *should, u64 source, u64 latency)
{
	const struct memlat_source_code *code;
	u64 use = drain->source->two_latencies ? latency & 0xffff : 0;
	u64 took = drain->source->two_latencies ? latency >> 32 & 0xffff : latency & 0xffffffff;

	if (!took)
		took = 1;
	code = memlat_source_code_of(drain->source->table, source);
	should->loads++;
	should->load_weight += drain->load_next;
	drain->load_next = drain->load_period;
	should->latency += took;
	if (took > should->latency_max)
		should->latency_max = took;
	should->use_latency += use;
	if (drain->source->two_latencies)
		should->cache_latency += took;
	should->raw[memlat_source_raw(drain->source->table, source)]++;
	should->bucket[edges_bucket(took)][code->source]++;
	should->flags_sum += source_flags(drain->source, source, false);
	if (code->source == MEMLAT_SRC_L1 && use > 2 * took)
		should->flags_sum += MEMLAT_CELL_NOT_MEMORY;
}

/* Read a record that was found. Returns false if it is no sample. */
static bool expect_record(struct drain *drain, struct expected *should, const u8 *record)
{
	const struct format *format = drain->format;
	const u64 loads = drain->counters.loads, stores = drain->counters.stores;
	u64 status = word_at(record, format->status), from = status & (loads | stores);
	u64 source = word_at(record, format->source);
	u64 latency = word_at(record, format->source + 8);
	u64 ip = word_at(record, format->ip);
	bool image = format->number < 3;
	u64 use;

	/*
	 * If the status word is an image without a bit of ours, the record is that of the armed
	 * counter.
	 */
	if (image && !from)
		from = loads | stores;
	if (!from || (loads && stores && from == (loads | stores) && loads != stores)) {
		if (image ? from != 0 : status != 0)
			should->collision++;
		else
			should->malformed++;
		return false;
	}
	use = drain->source->two_latencies ? latency & 0xffff : latency & 0xffffffff;
	if (!ip || (from == loads && !use)) {
		should->malformed++;
		return false;
	}
	if (from == loads) {
		expect_load(drain, should, source, latency);
	} else {
		should->stores++;
		should->store_weight += drain->store_next;
		if (drain->source->two_latencies)
			should->store_latency += latency >> 32 & 0xffff;
		drain->store_next = drain->store_period;
		should->flags_sum += source_flags(drain->source, source, true);
	}
	should->addr_xor ^= word_at(record, format->addr);
	should->ip_xor ^= ip;
	return true;
}

/*
 * Read a chain of fragments, with the first basic and auxiliary group in it, as one record. Returns
 * its bytes, or more than are left if it has no end. *sound: it has both groups once, in this
 * order.
 */
static u64 chain(const u8 *from, size_t left, u8 record[128], bool *sound)
{
	unsigned int basics = 0, auxes = 0, at;
	u64 gone = 0, header;
	bool good = true;

	memset(record, 0, 128);
	do {
		if (left - gone < 16)
			return left + 1;
		header = word_at(from, gone);
		if ((header & 0xffff) < 16 || header & 15 || (header & 0xffff) > left - gone)
			return left + 1;
		at = 16;
		if (header & ARCH_BASIC) {
			good &= (header & 0xffff) >= 64;
			if (good && !basics++)
				memcpy(record + 16, from + gone + at, 48);
			at += 48;
		}
		if (header & ARCH_AUX) {
			good &= (header & 0xffff) >= at + 64 && basics;
			if (good && !auxes++)
				memcpy(record + 64, from + gone + at, 64);
		}
		gone += header & 0xffff;
	} while (header >> 31 & 1 || !(header >> 16));
	*sound = good && basics == 1 && auxes == 1;
	return gone;
}

static void expect_chains(struct drain *drain, struct expected *should, const u8 *at, size_t left)
{
	u8 record[128];
	bool sound;
	u64 step;

	for (; left; at += step, left -= step) {
		should->records++;
		step = chain(at, left, record, &sound);
		if (step > left || !sound)
			should->malformed++;
		else
			expect_record(drain, should, record);
		if (step > left)
			return;
	}
}

static void expect(struct drain *drain, struct expected *should, const u8 *record, size_t left)
{
	const unsigned int usual = drain->format->size;

	if (drain->format->number == ARCH) {
		expect_chains(drain, should, record, left);
		return;
	}

	while (left) {
		u64 step = usual;

		should->records++;
		if (drain->format->number >= 4) {
			step = left < 32 ? 0 : word_at(record, 0) >> 48;
			if (step < 32 || step % 8)
				step = left + 1;
		}
		if (step > left) {
			should->malformed++;
			return;
		}
		if (drain->format->number >= 4 &&
		    (step != usual || (word_at(record, 0) & 0xffffff) != 1))
			should->malformed++;
		else
			expect_record(drain, should, record);
		record += step;
		left -= step;
	}
}

static u64 mixed_cells(const struct memlat_shard *shard, u64 (*of)(const struct memlat_cell *))
{
	unsigned int i;
	u64 mixed = 0;

	for (i = 0; i < shard->used; i++)
		mixed ^= of(&shard->cell[shard->place[i]]);
	for (i = 0; i < shard->spilled; i++)
		mixed ^= of(&shard->spill[i]);
	return mixed;
}

static u64 addr_of(const struct memlat_cell *cell)
{
	return cell->samples & 1 ? cell->addr : 0;
}

static u64 ip_of(const struct memlat_cell *cell)
{
	return cell->samples & 1 ? cell->ip : 0;
}

static void check_counts(const struct memlat_counts *counts, const struct expected *should)
{
	u64 stores = 0, weight = 0, latency = 0;
	unsigned int i, j;

	fuzz_equal(counts->count[MEMLAT_COUNT_LOADS], should->loads);
	fuzz_equal(counts->count[MEMLAT_COUNT_STORES], should->stores);
	fuzz_equal(counts->count[MEMLAT_COUNT_SAMPLES], should->loads + should->stores);
	fuzz_equal(counts->count[MEMLAT_COUNT_WEIGHT_LOADS], should->load_weight);
	fuzz_equal(counts->count[MEMLAT_COUNT_WEIGHT_STORES], should->store_weight);
	fuzz_equal(counts->count[MEMLAT_COUNT_MALFORMED], should->malformed);
	fuzz_equal(counts->count[MEMLAT_COUNT_COLLISION], should->collision);
	fuzz_equal(counts->count[MEMLAT_COUNT_LATENCY_SUM], should->latency);
	fuzz_equal(counts->latency_max, should->latency_max);
	fuzz_equal(memlat_counts_cache_latency(counts), should->cache_latency);
	fuzz_equal(memlat_counts_use_latency(counts), should->use_latency);
	fuzz_equal(counts->count[MEMLAT_COUNT_CELLS_LOST], 0);
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		stores += counts->store[i].samples;
		weight += counts->store[i].weight;
		latency += counts->store_latency[i];
	}
	fuzz_equal(stores, should->stores);
	fuzz_equal(weight, should->store_weight);
	fuzz_equal(latency, should->store_latency);
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		for (j = 0; j < MEMLAT_SRC_NR; j++)
			fuzz_equal(counts->bucket[i][j].samples, should->bucket[i][j]);
	for (i = 0; i < MEMLAT_RAWS; i++)
		fuzz_equal(counts->raw[i], should->raw[i]);
}

static struct memlat_shard *shard;

void core_record(const uint8_t *data, size_t size)
{
	static struct memlat_counts counts, filtered_counts;
	static struct expected should;
	struct fuzz_input input = { data, size };
	u8 format = fuzz_take(&input, 1), source = fuzz_take(&input, 1);
	struct drain drain = {
		.format = &formats[format % FORMATS],
		.source = &source_known[source % SOURCES_KNOWN],
	};
	u8 armed = fuzz_take(&input, 1);
	struct memlat_walk walk = {
		.sources = drain.source->table, .counters = &drain.counters, .counts = &counts,
		.tgid = 1, .tid = 2, .gen = 3,
	}, filtered;
	unsigned int i;
	u64 flags = 0;
	u8 *records;

	/* Counters as memlat arms them: two different ones, or only one. */
	drain.counters.loads = armed & 1 ? 1ULL << (armed >> 2 & 3) : 0;
	drain.counters.stores = armed & 2 ? 1ULL << ((armed >> 2 & 3) ^ 1) : 0;
	walk.loads.period = drain.load_period = fuzz_take(&input, 2) + 1;
	walk.loads.carry = fuzz_take(&input, 2);
	walk.stores.period = drain.store_period = fuzz_take(&input, 2) + 1;
	walk.stores.carry = fuzz_take(&input, 2);
	drain.load_next = walk.loads.period + walk.loads.carry;
	drain.store_next = walk.stores.period + walk.stores.carry;
	walk.layout = memlat_record_layout_of(drain.format->number, true);
	fuzz_check(walk.layout);
	fuzz_equal(walk.layout->size, drain.format->size);

	if (!shard)
		shard = shard_new(false);
	walk.shard = shard;
	memset(&counts, 0, sizeof(counts));
	memset(&filtered_counts, 0, sizeof(filtered_counts));
	memset(&should, 0, sizeof(should));
	/* Memory of exactly that size, so that a read behind it is noticed. */
	records = fuzz_alloc(input.left);
	if (input.left)
		memcpy(records, input.at, input.left);
	expect(&drain, &should, records, input.left);
	fuzz_equal(memlat_record_walk(&walk, records, input.left), should.records);
	check_counts(&counts, &should);
	fuzz_equal(shard_samples(shard), should.loads + should.stores);
	fuzz_equal(mixed_cells(shard, addr_of), should.addr_xor);
	fuzz_equal(mixed_cells(shard, ip_of), should.ip_xor);
	for (i = 0; i < shard->used; i++)
		flags += shard->cell[shard->place[i]].samples *
			 (shard->cell[shard->place[i]].flags & ~MEMLAT_CELL_L1_HIT);
	if (!shard->spilled)
		fuzz_equal(flags, should.flags_sum);
	fuzz_equal(walk.loads.carry, should.loads ? 0 : drain.load_next - drain.load_period);
	fuzz_equal(walk.loads.samples, should.loads);
	memlat_shard_clear(shard);

	/* If a filter rejects everything, the same bytes are the same number of records. */
	filtered = walk;
	filtered.counts = &filtered_counts;
	i = memlat_record_walk_filtered(&filtered, records, input.left);
	fuzz_equal(i, should.records);
	fuzz_equal(i, filtered_counts.count[MEMLAT_COUNT_FILTERED] +
		   filtered_counts.count[MEMLAT_COUNT_MALFORMED]);
	fuzz_check(filtered_counts.count[MEMLAT_COUNT_MALFORMED] <= 1);
}
