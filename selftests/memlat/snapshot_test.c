// SPDX-License-Identifier: GPL-2.0
/* The guest tests' reader of a snapshot refuses what is not documented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "snapshot.h"

/* A whole stream: status, buckets, raw, two lines, end. */
struct stream {
	struct memlat_rec_status status;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_raw raw;
	struct memlat_rec_line line[2];
	struct memlat_rec_end end;
};

static struct memlat_rec_header header(__u32 type, __u32 size)
{
	return (struct memlat_rec_header){ type, size };
}

static struct memlat_rec_line line_at(__u64 addr, __u64 samples)
{
	struct memlat_rec_line line = {
		.hdr = header(MEMLAT_REC_LINE, sizeof(line)),
		.addr = addr, .space = 7, .samples = samples,
		.latency_sum = 40 * samples, .latency_max = 40,
		.nodes = 3, .hitm_nodes = 3,
	};

	line.source[MEMLAT_SRC_RHITM] = samples;
	line.slot[1] = samples;
	line.slot_hitm[1] = samples;
	return line;
}

static struct stream good_stream(void)
{
	struct stream stream = {
		.status.hdr = header(MEMLAT_REC_STATUS, sizeof(stream.status)),
		.buckets.hdr = header(MEMLAT_REC_BUCKETS, sizeof(stream.buckets)),
		.raw.hdr = header(MEMLAT_REC_RAW, sizeof(stream.raw)),
		.line = { line_at(0x1000, 2), line_at(0x2040, 3) },
		.end = { header(MEMLAT_REC_END, sizeof(stream.end)), 6, 2 },
	};

	stream.status.status.records = 9;
	stream.status.status.samples = 6;
	stream.status.status.filtered = 3;
	stream.status.status.lines = 2;
	stream.status.status.lines_evicted = 1;
	stream.status.status.latency_sum = 240;
	stream.buckets.count[0][MEMLAT_SRC_RHITM] = 6;
	stream.buckets.latency[MEMLAT_SRC_RHITM] = 240;
	stream.raw.count[0x0d] = 6;
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
	assert_null(snapshot_line(&snapshot, 8, 0x1038));
	snapshot_free(&snapshot);
}

static void broken(void **state)
{
	struct stream stream = good_stream();
	struct snapshot snapshot;

	(void)state;
	/* Cut short, and without its end. */
	assert_int_equal(snapshot_parse(&snapshot, &stream, sizeof(stream) - 8),
			 -EPROTO);
	assert_int_equal(snapshot_parse(&snapshot, &stream,
					offsetof(struct stream, end)), -EPROTO);
	assert_int_equal(snapshot_parse(&snapshot, &stream, 0), -EPROTO);
	/* Not opened by the status. */
	assert_int_equal(snapshot_parse(&snapshot, &stream.buckets,
					sizeof(stream) - sizeof(stream.status)),
			 -EPROTO);
	stream.end.records = 7;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.line[0].hdr.size = 12;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
	stream = good_stream();
	stream.line[1].hdr.type = MEMLAT_REC_RAW;
	assert_int_equal(parse(&stream, &snapshot), -EPROTO);
}

static void unknown_record(void **state)
{
	struct stream stream = good_stream();
	struct snapshot snapshot;

	(void)state;
	/* Of a later version: skipped by its size, and counted. */
	stream.line[0].hdr.type = 99;
	stream.end.lines = 1;
	assert_int_equal(parse(&stream, &snapshot), 0);
	assert_int_equal(snapshot.nr_lines, 1);
	assert_int_equal(snapshot.lines[0].addr, 0x2040);
	snapshot_free(&snapshot);
}

/* One more of a figure must break the accounts. */
#define BREAKS(member)							\
	do {								\
		struct stream stream = good_stream();			\
		struct snapshot snapshot;				\
									\
		stream.member++;					\
		assert_int_equal(parse(&stream, &snapshot), 0);		\
		assert_non_null(snapshot_accounts(&snapshot));		\
		snapshot_free(&snapshot);				\
	} while (0)

static void accounts(void **state)
{
	(void)state;
	BREAKS(status.status.records);
	BREAKS(status.status.samples);
	BREAKS(status.status.filtered);
	BREAKS(status.status.malformed);
	BREAKS(status.status.collision);
	BREAKS(status.status.lines);
	BREAKS(status.status.lines_evicted);
	BREAKS(status.status.latency_sum);
	BREAKS(buckets.count[3][2]);
	BREAKS(buckets.latency[3]);
	BREAKS(raw.count[255]);
	BREAKS(line[0].addr);
	BREAKS(line[0].samples);
	BREAKS(line[0].source[MEMLAT_SRC_L2]);
	BREAKS(line[0].slot[0]);
	BREAKS(line[0].slot_hitm[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(broken),
		cmocka_unit_test(unknown_record),
		cmocka_unit_test(accounts),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
