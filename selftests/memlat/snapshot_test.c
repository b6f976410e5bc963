// SPDX-License-Identifier: GPL-2.0
/* The guest tests' parser refuses a snapshot that is not as documented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "snapshot.h"

/* A whole stream: each table has a record, and 2 of 8 samples are stores. */
struct stream {
	struct memlat_rec_status status;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_parts parts;
	struct memlat_rec_stores stores;
	struct memlat_rec_raw raw;
	struct memlat_rec_line line[2];
	struct memlat_rec_site site;
	struct memlat_rec_access access;
	struct memlat_rec_thread thread;
	struct memlat_rec_stack stack;
	struct memlat_rec_stride stride;
	struct memlat_rec_core core[2];
	struct memlat_rec_source source[2];
	struct memlat_rec_end end;
};

static struct memlat_rec_header header(__u32 type, __u32 size)
{
	return (struct memlat_rec_header){ type, size };
}

#define PERIOD	10

static struct memlat_rec_line line_at(__u64 addr, __u64 loads, __u64 stores)
{
	struct memlat_rec_line line = {
		.hdr = header(MEMLAT_REC_LINE, sizeof(line)),
		.addr = addr, .space = 7, .gen = 3, .samples = loads + stores,
		.latency_sum = 40 * loads, .latency_max = 40,
		.stores = stores, .store_l1_hit = stores,
		.weight = PERIOD * (loads + stores),
		.nodes = 3, .hitm_nodes = 3, .store_nodes = stores ? 1 : 0,
		.cpus = 3, .store_cpus = stores ? 1 : 0,
		.bytes_loaded = 1 << 8, .bytes_stored = stores ? 1 << 8 : 0,
	};

	line.source[MEMLAT_SRC_RHITM] = loads;
	line.latency[MEMLAT_SRC_RHITM] = 40 * loads;
	line.slot[1] = loads;
	line.slot_hitm[1] = loads;
	line.slot_store[1] = stores;
	return line;
}

/* 6 loads and 2 stores; of the lines, one load has left the table. */
static struct stream good_stream(void)
{
	struct stream stream = {
		.status.hdr = header(MEMLAT_REC_STATUS, sizeof(stream.status)),
		.buckets.hdr = header(MEMLAT_REC_BUCKETS, sizeof(stream.buckets)),
		.parts.hdr = header(MEMLAT_REC_PARTS, sizeof(stream.parts)),
		.stores = {
			.hdr = header(MEMLAT_REC_STORES, sizeof(stream.stores)),
			.count[MEMLAT_SRC_L1] = 2, .weight[MEMLAT_SRC_L1] = 2 * PERIOD,
		},
		.raw.hdr = header(MEMLAT_REC_RAW, sizeof(stream.raw)),
		.line = { line_at(0x1000, 2, 0), line_at(0x2040, 3, 2) },
		.site = {
			.hdr = header(MEMLAT_REC_SITE, sizeof(stream.site)),
			.ip = 0x400000, .space = 7, .gen = 3, .samples = 8,
			.stores = 2, .store_l1_hit = 2, .latency_sum = 240,
			.latency_max = 40, .weight = 8 * PERIOD,
			.addr_min = 0x1008, .addr_max = 0x2048,
		},
		.access = {
			.hdr = header(MEMLAT_REC_ACCESS, sizeof(stream.access)),
			.addr = 0x1008, .ip = 0x400000, .tgid = 7, .gen = 3,
			.tid = 8, .stack = 5, .samples = 8, .stores = 2,
			.store_l1_hit = 2, .hitm_remote = 6, .latency_sum = 240, .latency_hitm_remote = 240,
			.latency_max = 40, .weight = 8 * PERIOD,
		},
		.thread = {
			.hdr = header(MEMLAT_REC_THREAD, sizeof(stream.thread)),
			.tid = 8, .tgid = 7, .gen = 3, .samples = 8, .stores = 2,
			.hitm = 6, .latency_sum = 240, .weight = 8 * PERIOD,
		},
		.stack = {
			.hdr = header(MEMLAT_REC_STACK, sizeof(stream.stack)),
			.id = 5, .frames = 2, .kernel_frames = 1, .tgid = 7,
			.samples = 8, .frame = { 0xffffffff81000000, 0x400000 },
		},
		.stride = {
			.hdr = header(MEMLAT_REC_STRIDE, sizeof(stream.stride)),
			.ip = 0x400000, .step = -4096, .space = 7, .gen = 3,
			.pairs = 3, .stlb_miss = 3, .new_page = 3, .latency_sum = 120,
			.onward = 2, .turned = 1,
		},
		.core = {
			{
				.hdr = header(MEMLAT_REC_CORE, sizeof(stream.core[0])),
				.core = 0, .pebs_format = 4, .record_size = 64,
				.traits = MEMLAT_TRAIT_TLB | MEMLAT_TRAIT_BLOCKED |
					  MEMLAT_TRAIT_CACHE_LATENCY,
				.model_name = "big", .model_title = "Big",
				.loads = 4, .stores = 2, .cpus = { 0x3 },
			}, {
				.hdr = header(MEMLAT_REC_CORE, sizeof(stream.core[1])),
				.core = 1, .pebs_format = 4, .record_size = 64,
				.traits = MEMLAT_TRAIT_TURNS,
				.model_name = "small", .model_title = "Small",
				.loads = 2, .cpus = { 0x4 },
			},
		},
		.source = {
			{
				.hdr = header(MEMLAT_REC_SOURCE, sizeof(stream.source[0])),
				.core = 0, .word = 0x2d, .samples = 4,
				.source = MEMLAT_SRC_RHITM, .snoop = MEMLAT_SNOOP_HITM,
				.flags = MEMLAT_WORD_LOCKED | MEMLAT_WORD_BLOCKED_DATA,
			}, {
				.hdr = header(MEMLAT_REC_SOURCE, sizeof(stream.source[1])),
				.core = 1, .word = 0x0d, .samples = 2,
				.source = MEMLAT_SRC_RHITM, .snoop = MEMLAT_SNOOP_HITM,
			},
		},
		.end = {
			header(MEMLAT_REC_END, sizeof(stream.end)), 17, 2, 1, 1,
			1, 1, 2, 1
		},
	};
	struct memlat_status *status = &stream.status.status;

	status->flags = MEMLAT_F_STRIDE;
	status->pairs = 4;
	status->strides = 1;
	status->strides_evicted = 1;
	status->records = 11;
	status->samples = 8;
	status->loads = 6;
	status->stores = 2;
	status->filtered = 3;
	status->lines = 2;
	status->lines_evicted = 1;
	status->sites = 1;
	status->accesses = 1;
	status->threads = 1;
	status->stacks = 1;
	status->latency_sum = 240;
	status->weight_loads = 6 * PERIOD;
	status->weight_stores = 2 * PERIOD;
	stream.site.bucket[0] = 6;
	stream.site.source[MEMLAT_SRC_RHITM] = 6;
	stream.site.latency[MEMLAT_SRC_RHITM] = 240;
	stream.buckets.count[0][MEMLAT_SRC_RHITM] = 6;
	stream.buckets.weight[0][MEMLAT_SRC_RHITM] = 6 * PERIOD;
	stream.buckets.latency[MEMLAT_SRC_RHITM] = 240;
	stream.raw.count[0x2d] = 4;
	stream.raw.count[0x0d] = 2;
	status->cores = 2;
	status->traits = stream.core[0].traits | stream.core[1].traits;
	status->blocked_data = 4;
	status->cache_latency_sum = 60;
	status->use_latency_sum = 90;
	stream.parts.use_latency[MEMLAT_SRC_RHITM] = 90;
	stream.buckets.cache_latency[MEMLAT_SRC_RHITM] = 60;
	stream.site.blocked_data = 4;
	return stream;
}

static int parse(const struct stream *stream, struct snapshot *snapshot)
{
	return snapshot_parse(snapshot, stream, sizeof(*stream));
}

static void whole(void **state)
{
	struct stream stream = good_stream();
	struct snapshot snapshot;

	(void)state;
	assert_int_equal(parse(&stream, &snapshot), 0);
	assert_int_equal(snapshot.nr_lines, 2);
	assert_null(snapshot_accounts(&snapshot));
	assert_int_equal(snapshot_top_hitm(&snapshot)->addr, 0x2040);
	assert_int_equal(snapshot_line(&snapshot, 7, 0x1038)->samples, 2);
	assert_int_equal(snapshot_thread(&snapshot, 8)->tgid, 7);
	assert_null(snapshot_thread(&snapshot, 7));
	assert_int_equal(snapshot_stack(&snapshot, 5)->frames, 2);
	assert_null(snapshot_line(&snapshot, 8, 0x1038));
	assert_string_equal(snapshot_core(&snapshot, 1)->model_name, "small");
	assert_null(snapshot_core(&snapshot, 2));
	assert_int_equal(snapshot.sources[0].word, 0x2d);
	snapshot_free(&snapshot);
}

static void broken(void **state)
{
	struct stream stream = good_stream();
	struct snapshot snapshot;

	(void)state;
	/* The stream is cut short, or has no end record. */
	assert_int_equal(snapshot_parse(&snapshot, &stream, sizeof(stream) - 8),
			 -EPROTO);
	assert_int_equal(snapshot_parse(&snapshot, &stream,
					offsetof(struct stream, end)), -EPROTO);
	assert_int_equal(snapshot_parse(&snapshot, &stream, 0), -EPROTO);
	/* The stream does not begin with the status. */
	assert_int_equal(snapshot_parse(&snapshot, &stream.buckets,
					sizeof(stream) - sizeof(stream.status)),
			 -EPROTO);
	stream.end.records = 14;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.line[0].hdr.size = 12;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.line[1].hdr.type = MEMLAT_REC_RAW;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.end.sources = 1;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.end.strides = 0;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
}

static void unknown_record(void **state)
{
	struct stream stream = good_stream();
	struct snapshot snapshot;

	(void)state;
	/* A record of a later version is skipped by its size, and counted. */
	stream.line[0].hdr.type = 99;
	stream.end.lines = 1;
	assert_int_equal(parse(&stream, &snapshot), 0);
	assert_int_equal(snapshot.nr_lines, 1);
	assert_int_equal(snapshot.lines[0].addr, 0x2040);
	snapshot_free(&snapshot);
}

/* A good stream whose first line is packed. Returns its size. */
static size_t packed_stream(char *to, const struct stream *from)
{
	const size_t before = offsetof(struct stream, line), words = sizeof(from->line[0]) / 8;
	struct memlat_rec_header hdr = { .type = MEMLAT_REC_LINE | words << MEMLAT_REC_WORDS_SHIFT };
	const __u64 *word = (const __u64 *)&from->line[0];
	__u64 *start = (__u64 *)(to + before), *at = start + 1 + (words + 62) / 64;
	size_t i;

	memcpy(to, from, before);
	for (i = 0; i < words - 1; i++) {
		if (!word[1 + i])
			continue;
		start[1 + i / 64] |= 1ULL << i % 64;
		*at++ = word[1 + i];
	}
	hdr.size = (at - start) * 8;
	memcpy(start, &hdr, sizeof(hdr));
	memcpy(at, &from->line[1], sizeof(*from) - before - sizeof(from->line[0]));
	return before + hdr.size + sizeof(*from) - before - sizeof(from->line[0]);
}

static void packed_record(void **state)
{
	const struct stream from = good_stream();
	static __u64 stream[sizeof(from) / 8];
	__u64 *record = stream + offsetof(struct stream, line) / 8;
	const size_t size = packed_stream((char *)stream, &from);
	struct snapshot snapshot;

	(void)state;
	assert_true(size < sizeof(from));
	assert_int_equal(snapshot_parse(&snapshot, stream, size), 0);
	assert_int_equal(snapshot.nr_lines, 2);
	assert_memory_equal(snapshot.lines, from.line, sizeof(from.line));
	snapshot_free(&snapshot);
	/* One word too many, one too few, and a word that is zero. */
	record[1] ^= 1ULL << 63;
	assert_int_equal(snapshot_parse(&snapshot, stream, size), -EPROTO);
	record[1] ^= 1ULL << 63 | 1;
	assert_int_equal(snapshot_parse(&snapshot, stream, size), -EPROTO);
	record[1] ^= 1;
	record[1 + (sizeof(from.line[0]) / 8 + 62) / 64] = 0;
	assert_int_equal(snapshot_parse(&snapshot, stream, size), -EPROTO);
}

struct figure {
	const char *name;
	size_t at, bytes;
};

#define FIGURE(member) \
	{ #member, offsetof(struct stream, member), sizeof(((struct stream *)0)->member) }

static const struct figure figures[] = {
	FIGURE(status.status.records), FIGURE(status.status.samples),
	FIGURE(status.status.filtered), FIGURE(status.status.malformed),
	FIGURE(status.status.collision), FIGURE(status.status.lines),
	FIGURE(status.status.lines_evicted), FIGURE(status.status.latency_sum),
	FIGURE(buckets.count[3][2]), FIGURE(buckets.latency[3]), FIGURE(stores.count[3]),
	FIGURE(stores.weight[3]), FIGURE(stores.latency[3]), FIGURE(stores.xsnp_fwd),
	FIGURE(line[0].store_hitm), FIGURE(line[0].store_xsnp_fwd),
	FIGURE(line[0].store_latency_sum), FIGURE(site.store_hitm), FIGURE(access.store_xsnp_fwd),
	FIGURE(status.status.use_latency_sum), FIGURE(parts.use_latency[0]),
	FIGURE(parts.part[MEMLAT_PART_NOT_MEMORY].count[3]),
	FIGURE(parts.part[MEMLAT_PART_XSNP_FWD].count[3]),
	FIGURE(parts.part[MEMLAT_PART_XSNP_FWD].weight[3]), FIGURE(raw.count[255]),
	FIGURE(status.status.loads), FIGURE(status.status.weight_loads),
	FIGURE(status.status.sites), FIGURE(status.status.sites_evicted),
	FIGURE(status.status.accesses), FIGURE(status.status.accesses_evicted),
	FIGURE(status.status.threads), FIGURE(status.status.threads_evicted),
	FIGURE(status.status.stacks), FIGURE(status.status.cells_lost),
	FIGURE(buckets.weight[3][2]), FIGURE(line[0].addr), FIGURE(line[0].samples),
	FIGURE(line[0].source[MEMLAT_SRC_L2]), FIGURE(line[0].slot[0]),
	FIGURE(line[0].slot_hitm[0]), FIGURE(line[0].slot_store[0]), FIGURE(line[0].stores),
	FIGURE(line[0].store_l1_hit), FIGURE(line[0].latency[MEMLAT_SRC_L2]),
	FIGURE(line[0].store_nodes), FIGURE(line[0].store_cpus), FIGURE(line[0].bytes_stored),
	FIGURE(line[0].not_memory), FIGURE(site.not_memory), FIGURE(line[0].xsnp_fwd),
	FIGURE(line[0].slot_xsnp_fwd[1]), FIGURE(line[0].xsnp_fwd_latency), FIGURE(site.xsnp_fwd),
	FIGURE(access.xsnp_fwd), FIGURE(access.latency_xsnp_fwd), FIGURE(site.samples),
	FIGURE(site.stores), FIGURE(site.weight), FIGURE(site.bucket[13]), FIGURE(site.source[0]),
	FIGURE(site.latency[0]), FIGURE(access.samples), FIGURE(access.stores),
	FIGURE(access.weight), FIGURE(access.hitm_local), FIGURE(access.stack), FIGURE(thread.samples),
	FIGURE(thread.stores), FIGURE(thread.weight), FIGURE(status.status.pairs),
	FIGURE(status.status.strides), FIGURE(status.status.strides_evicted), FIGURE(stride.pairs),
	FIGURE(stride.stlb_miss), FIGURE(stride.new_page), FIGURE(stride.onward),
	FIGURE(stride.turned), FIGURE(stack.kernel_frames), FIGURE(stack.frame[5]),
	FIGURE(status.status.cores), FIGURE(status.status.blocked_data),
	FIGURE(status.status.blocked_addr), FIGURE(status.status.cache_latency_sum),
	FIGURE(buckets.cache_latency[0]), FIGURE(site.blocked_data), FIGURE(site.blocked_addr),
	FIGURE(core[0].core), FIGURE(core[0].loads), FIGURE(core[1].stores),
	FIGURE(core[1].cpus[0]), FIGURE(source[0].core), FIGURE(source[0].word),
	FIGURE(source[1].samples), FIGURE(source[1].source), FIGURE(source[0].reserved),
};

/* If a figure is one larger, the accounts must not balance. */
static void accounts(void **state)
{
	const struct figure *figure;

	(void)state;
	for (figure = figures; figure < figures + sizeof(figures) / sizeof(figures[0]); figure++) {
		struct stream stream = good_stream();
		struct snapshot snapshot;
		__u64 value = 0;

		memcpy(&value, (char *)&stream + figure->at, figure->bytes);
		value++;
		memcpy((char *)&stream + figure->at, &value, figure->bytes);
		assert_int_equal(parse(&stream, &snapshot), 0);
		if (!snapshot_accounts(&snapshot))
			fail_msg("%s", figure->name);
		snapshot_free(&snapshot);
	}
}

/* Errors other than a figure that is one larger. */
static void accounts_of_cores(void **state)
{
	struct stream stream;
	struct snapshot snapshot;

	(void)state;
#define WITH(change)							\
	do {								\
		stream = good_stream();					\
		change;							\
		assert_int_equal(parse(&stream, &snapshot), 0);		\
		assert_non_null(snapshot_accounts(&snapshot));		\
		snapshot_free(&snapshot);				\
	} while (0)
	WITH(stream.core[0].traits |= MEMLAT_TRAIT_IP_AFTER);
	WITH(stream.status.status.flags &= ~MEMLAT_F_STRIDE);
	/* A number of new pages that does not fit the step. */
	WITH(stream.stride.new_page = 2);
	WITH(stream.stride.step = 0);
	WITH(stream.stride.ip |= 1ULL << 63);
	WITH(stream.stride.latency_sum = 2);
	WITH(stream.status.status.traits |= MEMLAT_TRAIT_IP_AFTER);
	/* The status has TLB misses, but the core does not report them. */
	WITH(stream.core[0].traits &= ~MEMLAT_TRAIT_TLB;
	     stream.core[1].traits |= MEMLAT_TRAIT_TLB);
	WITH(stream.core[0].traits &= ~MEMLAT_TRAIT_BLOCKED;
	     stream.core[1].traits |= MEMLAT_TRAIT_BLOCKED);
	WITH(stream.status.status.traits &= ~MEMLAT_TRAIT_CACHE_LATENCY;
	     stream.core[0].traits &= ~MEMLAT_TRAIT_CACHE_LATENCY);
	WITH(stream.status.status.traits &= ~MEMLAT_TRAIT_TURNS;
	     stream.core[1].traits = 0; stream.status.status.load_turn = 1);
	WITH(stream.core[1].model_name[0] = '\0');
	WITH(stream.line[0].blocked_addr = 3);
	WITH(memset(stream.core[1].model_title, 'x', sizeof(stream.core[1].model_title)));
	WITH(stream.core[0].record_size = 0);
	WITH(stream.source[0].source = MEMLAT_SRC_NR);
	WITH(stream.source[0].snoop = MEMLAT_SNOOP_XSNP_FWD + 1);
	/* Modified or clean, on a core that tells the two apart, and not in L3. */
	WITH(stream.source[0].snoop = MEMLAT_SNOOP_XSNP_FWD);
	WITH(stream.source[0].flags |= 1U << 4);
	/* Samples moved from one kind of core to the other. */
	WITH(stream.core[0].loads--; stream.core[1].loads++);
	/* A word twice, and no words. */
	WITH(stream.source[1] = stream.source[0];
	     stream.source[0].samples = 2; stream.source[1].samples = 2);
	WITH(stream.source[0].samples = 0; stream.source[1].samples = 6);
#undef WITH
	/* Both tables are missing, as if the module does not know them. */
	stream = good_stream();
	stream.core[0].hdr.type = stream.core[1].hdr.type = 99;
	stream.source[0].hdr.type = stream.source[1].hdr.type = 99;
	stream.end.sources = 0;
	assert_int_equal(parse(&stream, &snapshot), 0);
	assert_null(snapshot_totals(&snapshot));
	assert_string_equal(snapshot_accounts(&snapshot), "no kind of core");
	snapshot_free(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(broken),
		cmocka_unit_test(unknown_record),
		cmocka_unit_test(packed_record),
		cmocka_unit_test(accounts),
		cmocka_unit_test(accounts_of_cores),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
