// SPDX-License-Identifier: GPL-2.0
/* The records of a snapshot that are about all samples: parts of buckets, and stores. */
#include <errno.h>

#include "ctl_view.h"

#include "profile/snapshot.h"
#include "views/views.h"

/* A status with one more record fails, with a message that has these words. */
static void fails(__u32 type, const void *record, size_t size, unsigned int times,
		  const char *words)
{
	struct stream stream = { 0 };
	struct snapshot snap;

	stream_add_status(&stream);
	while (times--)
		stream_add(&stream, type, record, size);
	snapshot_init(&snap);
	assert_int_equal(snapshot_feed(&snap, stream.bytes, stream.used), -EBADMSG);
	if (!strstr(snap.error, words))
		fail_msg("\"%s\" does not say \"%s\"", snap.error, words);
	snapshot_free(&snap);
}

TEST(wrong_parts)
{
	struct memlat_rec_parts parts = { .rows = MEMLAT_BUCKETS, .parts = MEMLAT_PART_NR };
	struct memlat_rec_line line = { .addr = 64, .source[MEMLAT_SRC_L3_SNOOP] = 3, .xsnp_fwd = 4 };
	struct memlat_rec_site site = { .source[MEMLAT_SRC_L3_SNOOP] = 3, .xsnp_fwd = 4 };
	struct snapshot snap;

	fails(MEMLAT_REC_PARTS, &parts, sizeof(parts), 2, "second parts");
	fails(MEMLAT_REC_PARTS, &parts, 16, 1, "has 16 bytes, needs");
	parts.rows++;
	fails(MEMLAT_REC_PARTS, &parts, sizeof(parts), 1, "its parts have 15 rows, known here are 14");
	fails(MEMLAT_REC_LINE, &line, sizeof(line), 1, "a line has more forwarded loads");
	fails(MEMLAT_REC_SITE, &site, sizeof(site), 1, "a site has more forwarded loads");

	/* A part has more samples than its source. */
	snapshot_init(&snap);
	snap.buckets.count[1][MEMLAT_SRC_L3_SNOOP] = 20;
	snap.buckets.count[2][MEMLAT_SRC_L1] = 7;
	snap.parts.part[MEMLAT_PART_XSNP_FWD].count[1] = 20;
	snap.parts.part[MEMLAT_PART_NOT_MEMORY].count[2] = 7;
	assert_int_equal(snapshot_parts_fit(&snap), 0);
	snap.parts.part[MEMLAT_PART_XSNP_FWD].count[1]++;
	assert_int_equal(snapshot_parts_fit(&snap), -EBADMSG);
	assert_string_equal(snap.error, "a part of bucket 1 is more than its source");
	snap.parts.part[MEMLAT_PART_XSNP_FWD].count[1]--;
	snap.parts.part[MEMLAT_PART_NOT_MEMORY].count[2]++;
	assert_int_equal(snapshot_parts_fit(&snap), -EBADMSG);
	assert_string_equal(snap.error, "a part of bucket 2 is more than its source");
}

TEST(wrong_stores)
{
	struct memlat_rec_stores stores = { .sources = MEMLAT_SRC_NR };

	fails(MEMLAT_REC_STORES, &stores, sizeof(stores), 2, "second stores");
	fails(MEMLAT_REC_STORES, &stores, 16, 1, "has 16 bytes, needs");
	stores.sources--;
	fails(MEMLAT_REC_STORES, &stores, sizeof(stores), 1,
	      "its stores have 15 sources, known here are 16");
}

/*
 * A newer module's records are longer, and begin in the same way. What was read can be written
 * again.
 */
TEST(taken_and_given)
{
	struct {
		struct memlat_rec_parts known;
		struct memlat_part_figures more;
	} parts = { .known.rows = MEMLAT_BUCKETS };
	struct memlat_rec_stores stores = { .sources = MEMLAT_SRC_NR };
	struct stream stream = { 0 };
	struct snapshot snap;

	parts.known.use_latency[MEMLAT_SRC_DRAM] = 4711;
	parts.known.part[MEMLAT_PART_NOT_MEMORY].latency = 12;
	parts.more.count[0] = 99;
	stores.count[MEMLAT_SRC_RHITM] = 5;
	stores.latency[MEMLAT_SRC_RHITM] = 2500;
	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_PARTS, &parts, sizeof(parts));
	stream_add(&stream, MEMLAT_REC_STORES, &stores, sizeof(stores));
	snapshot_init(&snap);
	assert_int_equal(snapshot_feed(&snap, stream.bytes, stream.used), 0);
	assert_true(snap.have_parts && snap.have_stores);
	assert_int_equal(snap.parts.use_latency[MEMLAT_SRC_DRAM], 4711);
	assert_int_equal(snap.parts.part[MEMLAT_PART_NOT_MEMORY].latency, 12);
	assert_int_equal(snap.stores.count[MEMLAT_SRC_RHITM], 5);
	assert_int_equal(snap.stores.latency[MEMLAT_SRC_RHITM], 2500);
	snapshot_free(&snap);
}
