// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "ctl_test.h"

#include "analysis/core_traits.h"
#include "profile/snapshot.h"

/* Feed the whole stream at once. It fails with a message that has these words. */
static void fails(struct stream *stream, const char *words)
{
	struct snapshot snap;
	int ret;

	snapshot_init(&snap);
	ret = snapshot_feed(&snap, stream->bytes, stream->used);
	if (!ret)
		ret = snapshot_finish(&snap);
	assert_int_equal(ret, -EBADMSG);
	if (!strstr(snap.error, words))
		fail_msg("\"%s\" does not say \"%s\"", snap.error, words);
	snapshot_free(&snap);
}

/* Each is compared with all others. */
TEST(more_types_of_cores_than_a_machine_has)
{
	struct stream stream;
	struct snapshot snap;
	__u32 core;
	int ret;

	stream_begin(&stream);
	snapshot_init(&snap);
	ret = snapshot_feed(&snap, stream.bytes, stream.used);
	for (core = 0; !ret && core < 1000; core++) {
		stream.used = 0;
		stream_add_core(&stream, core, 0, 0, 0);
		ret = snapshot_feed(&snap, stream.bytes, stream.used);
	}
	assert_int_equal(ret, -EBADMSG);
	assert_non_null(strstr(snap.error, "more than 64 types of cores"));
	assert_int_equal(snap.nr_cores, 64);
	snapshot_free(&snap);
}

TEST(unknown_types_are_skipped)
{
	unsigned char strange[MEMLAT_REC_MAX] = { 0 };
	struct stream stream;
	struct snapshot snap;

	stream_begin(&stream);
	stream_add(&stream, 4711, strange, sizeof(struct memlat_rec_header));
	stream_add_buckets(&stream);
	stream_add_raw(&stream);
	stream_add(&stream, MEMLAT_REC_STORES + 1, strange, sizeof(strange));
	stream_add_end(&stream);
	snapshot_init(&snap);
	stream_read(&stream, &snap);
	assert_int_equal(snap.skipped, 2);
	snapshot_free(&snap);
}

/* A newer module's structures are longer, and begin in the same way. */
TEST(longer_records_are_taken)
{
	static const __u64 none[MEMLAT_LINE_SLOTS];
	struct stream plain = { 0 }, stream = { 0 };
	unsigned char longer[MEMLAT_REC_MAX];
	struct snapshot snap;

	stream_add_status(&stream);
	stream_add_buckets(&stream);
	stream_add_raw(&stream);
	stream_add_line(&plain, 0x1000, 1, none);
	memset(longer, 0xff, sizeof(longer));
	memcpy(longer, plain.bytes, plain.used);
	stream_add(&stream, MEMLAT_REC_LINE, longer, plain.used + 16);
	stream_add_end(&stream);
	snapshot_init(&snap);
	stream_read(&stream, &snap);
	assert_int_equal(snap.lines[0].addr, 0x1000);
	snapshot_free(&snap);
}

/* An older module's threads are shorter: what is missing is not known. */
TEST(shorter_threads_are_taken)
{
	struct memlat_rec_thread thread = {
		.tid = 7, .tgid = 5, .gen = 3, .samples = 9, .first_ns = 1, .tls_base = 2,
		.named_ns = 3,
	};
	static const size_t size[] = {
		offsetof(struct memlat_rec_thread, first_ns),
		offsetof(struct memlat_rec_thread, tls_base),
		offsetof(struct memlat_rec_thread, named_ns), sizeof(thread),
	};
	struct stream stream;
	struct snapshot snap;
	unsigned int i;

	stream_begin(&stream);
	for (i = 0; i < 4; i++)
		stream_add(&stream, MEMLAT_REC_THREAD, &thread, size[i]);
	snapshot_init(&snap);
	assert_int_equal(snapshot_feed(&snap, stream.bytes, stream.used), 0);
	assert_int_equal(snap.nr_threads, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(snap.threads[i].tid, 7);
		assert_int_equal(snap.threads[i].first_ns, i > 0 ? 1 : 0);
		assert_int_equal(snap.threads[i].tls_base, i > 1 ? 2 : 0);
		assert_int_equal(snap.threads[i].named_ns, i > 2 ? 3 : 0);
	}
	snapshot_free(&snap);
	stream_begin(&stream);
	stream_add(&stream, MEMLAT_REC_THREAD, &thread, offsetof(struct memlat_rec_thread, comm));
	fails(&stream, "(thread) has");
}

/* A stream that is cut off anywhere is noticed. */
TEST(every_truncation)
{
	struct stream stream, cut;
	size_t length;

	stream_fill(&stream);
	for (length = 0; length < stream.used; length++) {
		cut = stream;
		cut.used = length;
		fails(&cut, "cut off");
	}
}

/* Every 32-bit word of the headers, with invalid values. */
TEST(broken_headers)
{
	static const __u32 sizes[] = { 0, 4, 7, 12, 4104, 0x80000000, 0xffffffff };
	struct memlat_rec_header header;
	struct stream stream;
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		stream_fill(&stream);
		header.type = MEMLAT_REC_STATUS;
		header.size = sizes[i];
		memcpy(stream.bytes, &header, sizeof(header));
		fails(&stream, "claims");
	}
}

/* One byte of the stream is wrong: it is accepted or refused, and nothing else happens. */
TEST(every_byte)
{
	static const unsigned char flips[] = { 0x01, 0x80, 0xff };
	struct stream stream;
	struct snapshot snap;
	size_t at;
	unsigned int i;
	int ret;

	stream_fill(&stream);
	for (at = 0; at < stream.used; at++) {
		for (i = 0; i < sizeof(flips); i++) {
			stream.bytes[at] ^= flips[i];
			snapshot_init(&snap);
			ret = snapshot_feed(&snap, stream.bytes, stream.used);
			if (!ret)
				ret = snapshot_finish(&snap);
			if (ret) {
				assert_int_equal(ret, -EBADMSG);
				assert_true(strlen(snap.error) > 0);
			} else {
				account_snapshot_broken(&snap);
			}
			snapshot_free(&snap);
			stream.bytes[at] ^= flips[i];
		}
	}
}

TEST(short_records)
{
	static const __u32 types[] = {
		MEMLAT_REC_STATUS, MEMLAT_REC_BUCKETS, MEMLAT_REC_RAW,
		MEMLAT_REC_LINE, MEMLAT_REC_END, MEMLAT_REC_SITE,
		MEMLAT_REC_ACCESS, MEMLAT_REC_THREAD, MEMLAT_REC_STACK,
		MEMLAT_REC_CORE, MEMLAT_REC_SOURCE, MEMLAT_REC_STRIDE,
	};
	/* The version in the status record is checked first. */
	const __u32 bytes[4] = { [2] = MEMLAT_ABI_VERSION };
	unsigned int i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct stream stream = { 0 };

		if (types[i] != MEMLAT_REC_STATUS)
			stream_add_status(&stream);
		stream_add(&stream, types[i], bytes, sizeof(bytes));
		fails(&stream, "has 16 bytes, needs");
	}
}

TEST(wrong_order)
{
	struct stream stream = { 0 };
	unsigned int i;

	stream_add_buckets(&stream);
	fails(&stream, "first record");
	stream_fill(&stream);
	stream_add_raw(&stream);
	fails(&stream, "after the end");
	stream_begin(&stream);
	stream_add_status(&stream);
	fails(&stream, "second status");
	for (i = 0; i < 2; i++) {
		stream_begin(&stream);
		(i ? stream_add_raw : stream_add_buckets)(&stream);
		(i ? stream_add_raw : stream_add_buckets)(&stream);
		fails(&stream, i ? "second raw" : "second buckets");
	}
}

TEST(missing_records)
{
	struct stream stream = { 0 };

	fails(&stream, "without an end");

	stream_add_status(&stream);
	stream_add_raw(&stream);
	stream_add_end(&stream);
	fails(&stream, "no buckets");

	stream_begin(&stream);
	stream_add_buckets(&stream);
	stream_add_end(&stream);
	fails(&stream, "no raw");
}

TEST(wrong_end)
{
	static const struct {
		__u32 type;
		const char *words;
	} tables[] = {
		{ MEMLAT_REC_LINE, "its end record counts 0 lines, but 1 were read" },
		{ MEMLAT_REC_SITE, "its end record counts 0 sites, but 1 were read" },
		{ MEMLAT_REC_ACCESS, "its end record counts 0 accesses, but 1 were read" },
		{ MEMLAT_REC_THREAD, "its end record counts 0 threads, but 1 were read" },
		{ MEMLAT_REC_STACK, "its end record counts 0 stacks, but 1 were read" },
		{ MEMLAT_REC_SOURCE, "its end record counts 0 sources, but 1 were read" },
		{ MEMLAT_REC_STRIDE, "its end record counts 0 strides, but 1 were read" },
	};
	static const unsigned char row[1024];
	struct stream stream;
	unsigned int i;

	stream_begin(&stream);
	stream.records++;
	stream_add_end(&stream);
	fails(&stream, "its end record counts 3 records");

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		stream_begin(&stream);
		stream_add(&stream, tables[i].type, row, sizeof(row));
		stream.rows[tables[i].type] = 0;
		stream_add_end(&stream);
		fails(&stream, tables[i].words);
	}
}

/* What the first version of the ABI sent: it is shorter, and refused for its version. */
TEST(older_module)
{
	struct memlat_rec_status *status;
	struct stream stream = { 0 }, old = { 0 };

	stream_add_status(&stream);
	status = (struct memlat_rec_status *)stream.bytes;
	status->abi_version = 1;
	stream_add(&old, MEMLAT_REC_STATUS, status,
		   offsetof(struct memlat_rec_status, status) +
		   MEMLAT_STATUS_SIZE_V1);
	fails(&old, "its ABI version is 1, but this memlat-ctl knows 2");
}

/* Copy a record of the stream without its last bytes. */
static void shorten(struct stream *to, const struct stream *from, size_t at, size_t least)
{
	struct memlat_rec_header header;

	memcpy(&header, from->bytes + at, sizeof(header));
	assert_true(least < header.size);
	stream_add(to, header.type, from->bytes + at, least);
}

/*
 * A module of this ABI version, from before the last members were appended: what it does not send
 * is zero, and it has no cores and no source words.
 */
TEST(before_the_cores)
{
	static const struct {
		__u32 type;
		size_t least;
	} sizes[] = {
		{ MEMLAT_REC_STATUS, offsetof(struct memlat_rec_status, status.traits) },
		{ MEMLAT_REC_BUCKETS, offsetof(struct memlat_rec_buckets, cache_latency) },
		{ MEMLAT_REC_LINE, offsetof(struct memlat_rec_line, blocked_data) },
		{ MEMLAT_REC_SITE, offsetof(struct memlat_rec_site, blocked_data) },
		{ MEMLAT_REC_ACCESS, offsetof(struct memlat_rec_access, xsnp_fwd) },
		{ MEMLAT_REC_END, offsetof(struct memlat_rec_end, sources) },
	};
	struct memlat_rec_header header;
	struct stream now, old = { 0 };
	struct snapshot snap;
	unsigned int i;
	size_t at, end = 0;

	stream_fill(&now);
	for (at = 0; at < now.used; at += header.size) {
		size_t size;

		memcpy(&header, now.bytes + at, sizeof(header));
		if (header.type == MEMLAT_REC_CORE || header.type == MEMLAT_REC_SOURCE ||
		    header.type == MEMLAT_REC_STRIDE)
			continue;
		size = header.size;
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			if (sizes[i].type == header.type)
				size = sizes[i].least;
		end = old.used;
		if (size < header.size)
			shorten(&old, &now, at, size);
		else
			stream_add(&old, header.type, now.bytes + at, size);
	}
	/* Six records fewer than the end record counted. */
	((struct memlat_rec_end *)(old.bytes + end))->records -= 6;

	snapshot_init(&snap);
	/* Old contents must not stay. */
	memset(&snap.head, 0xff, sizeof(snap.head));
	memset(&snap.buckets, 0xff, sizeof(snap.buckets));
	stream_read(&old, &snap);
	assert_int_equal(snap.head.status.suspends, 0);
	assert_int_equal(snap.head.status.traits, 0);
	assert_int_equal(snap.head.status.cores, 0);
	assert_int_equal(snap.head.status.store_turn, 0);
	assert_int_equal(snap.head.status.pairs, 0);
	assert_int_equal(snap.buckets.cache_latency[MEMLAT_SRC_NR - 1], 0);
	assert_int_equal(snap.lines[2].slot_hitm[1], 336);
	assert_int_equal(snap.lines[2].blocked_addr, 0);
	assert_int_equal(snap.sites[1].blocked_data, 0);
	assert_int_equal(snap.nr_cores, 0);
	assert_null(account_snapshot_broken(&snap));
	/* Its CPU has to be one of those that were known then. */
	assert_true(trait_here(&snap.head.status, MEMLAT_TRAIT_TLB));
	assert_false(trait_here(&snap.head.status, MEMLAT_TRAIT_IP_AFTER));
	assert_int_equal(trait_loads(&snap, MEMLAT_TRAIT_TLB), 0);
	snapshot_free(&snap);

	/* No module of this version ever sent a shorter one. */
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct stream cut = { 0 };

		for (at = 0; at < now.used; at += header.size) {
			memcpy(&header, now.bytes + at, sizeof(header));
			if (header.type == sizes[i].type)
				break;
		}
		if (header.type != MEMLAT_REC_STATUS)
			stream_add_status(&cut);
		shorten(&cut, &now, at, sizes[i].least - 8);
		fails(&cut, "bytes, needs");
	}
}

/* What each type of core has, and which figures are of its type. */
TEST(kinds_of_cores)
{
	__u64 count[MEMLAT_SRC_NR];
	struct snapshot snap;

	sample_hybrid(&snap);
	assert_null(account_snapshot_broken(&snap));
	assert_true(trait_here(&snap.head.status, MEMLAT_TRAIT_BLOCKED));
	assert_false(trait_here(&snap.head.status, MEMLAT_TRAIT_TURNS));
	assert_int_equal(trait_loads(&snap, MEMLAT_TRAIT_BLOCKED), 900);
	assert_int_equal(trait_loads(&snap, MEMLAT_TRAIT_TLB), 1000);
	trait_sources(&snap, MEMLAT_TRAIT_BLOCKED, count);
	assert_int_equal(count[MEMLAT_SRC_RHITM], 700);
	assert_int_equal(count[MEMLAT_SRC_L3_HITM], 200);
	assert_int_equal(count[MEMLAT_SRC_L3], 0);
	assert_int_equal(count[MEMLAT_SRC_UNKNOWN], 0);
	snapshot_free(&snap);
}

/* Tables that were not requested are not missed, and not in the account. */
TEST(some_tables)
{
	struct stream stream;
	struct snapshot snap;

	stream_begin(&stream);
	stream_add_buckets(&stream);
	stream_add_end(&stream);
	fails(&stream, "no raw");

	snapshot_init(&snap);
	snap.tables = 1U << MEMLAT_REC_BUCKETS;
	stream_read(&stream, &snap);
	assert_false(snapshot_has(&snap, TABLE_LINES));
	assert_null(account_snapshot_broken(&snap));
	assert_int_equal(snapshot_cost(&snap), 0);
	/* If all of them were requested and none is there, that is an error. */
	snap.tables = 0;
	assert_true(snapshot_has(&snap, TABLE_LINES));
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 4 in lines and evicted lines");
	snapshot_free(&snap);
}

/* A status, and a record that was changed; it is refused with these words. More changes can follow. */
#define WRONG(type, add, change, words) do {							\
	struct memlat_rec_##type *record = (void *)(stream.bytes + stream.used);		\
	add;											\
	change;											\
	fails(&stream, words);									\
} while (0)
#define WRONG_ONE(type, add, change, words) do {						\
	stream_begin(&stream);									\
	WRONG(type, add, change, words);							\
} while (0)

TEST(wrong_contents)
{
	static const char less[] = "a stride has more STLB misses or new pages than pairs";
	static const __u64 none[MEMLAT_LINE_SLOTS];
	static const struct memlat_rec_count count = {
		.cpu = 3, .event = 2, .enabled = 10, .running = 11,
	};
	struct stream stream;

	memset(&stream, 0, sizeof(stream));
	WRONG(status, stream_add_status(&stream), record->abi_version++, "ABI version");
	WRONG_ONE(line, stream_add_line(&stream, 65, 0, none), (void)record, "not a multiple of 64");
	WRONG_ONE(line, stream_add_line(&stream, 64, 0, none), record->stores = record->samples + 1,
		  "a line has more stores than samples");
	WRONG_ONE(site, stream_add_site(&stream, 64, 0, 1, 1), record->samples = 0,
		  "a site has more stores than samples");
	/* What missed is the difference. */
	WRONG_ONE(site, stream_add_site(&stream, 64, 0, 5, 1), record->source[MEMLAT_SRC_L1] = 6,
		  "a site has more loads from L1");
	WRONG_ONE(site, stream_add_site(&stream, 64, 0, 5, 1),
		  record->latency[MEMLAT_SRC_L1] = record->latency_sum + 1, "a site has more loads from L1");
	WRONG_ONE(buckets, stream_add_buckets(&stream), record->rows++, "known here are 14 by 16");
	WRONG_ONE(buckets, stream_add_buckets(&stream), record->edge[5] = record->edge[4], "does not rise");
	WRONG_ONE(buckets, stream_add_buckets(&stream), record->edge[MEMLAT_BUCKETS - 1] = 8192, "open-ended");
	stream_begin(&stream);
	stream_add_core(&stream, 3, 0, 0, 0);
	WRONG(core, stream_add_core(&stream, 3, 0, 0, 0), (void)record, "a second record of core 3");
	WRONG_ONE(source, stream_add_source(&stream, 0, 1, 1, MEMLAT_SRC_NR, 0, 0), (void)record,
		  "source 16 of a word, known here are 16");
	WRONG_ONE(stride, stream_add_stride(&stream, 0x401000, 7, 64, 6), record->stlb_miss = 7, less);
	WRONG_ONE(stride, stream_add_stride(&stream, 0x401000, 7, 64, 6), record->new_page = 7, less);
	WRONG_ONE(count, stream_add(&stream, MEMLAT_REC_COUNT, &count, sizeof(count)), (void)record,
		  "event 2 of CPU 3 was counted for longer than it was to be");
}
