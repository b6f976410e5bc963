// SPDX-License-Identifier: GPL-2.0
/* Records of the snapshot stream without their zeros. */
#include <errno.h>

#include "ctl_test.h"

#include "profile/snapshot.h"
#include "profile/snapshot_rows.h"

/* Copy a stream with all records but the first and the last one packed. */
static void pack_stream(struct stream *to, const struct stream *from)
{
	struct memlat_rec_header header;
	size_t at, size;

	memset(to, 0, sizeof(*to));
	/* What is not written is no 0. */
	memset(to->bytes, 0xa5, sizeof(to->bytes));
	for (at = 0; at < from->used; at += header.size) {
		memcpy(&header, from->bytes + at, sizeof(header));
		size = header.size;
		if (header.type == MEMLAT_REC_STATUS || header.type == MEMLAT_REC_END)
			memcpy(to->bytes + to->used, from->bytes + at, size);
		else
			size = snapshot_pack(to->bytes + to->used, from->bytes + at, size);
		to->used += size;
	}
}

TEST(packed_records)
{
	struct snapshot plain, packed;
	struct stream from, to;
	unsigned int table;

	stream_fill(&from);
	pack_stream(&to, &from);
	assert_true(to.used < from.used / 2);
	sample_snapshot(&plain);
	snapshot_init(&packed);
	stream_read(&to, &packed);
	assert_int_equal(packed.records, plain.records);
	assert_memory_equal(&packed.buckets, &plain.buckets, sizeof(plain.buckets));
	for (table = 0; table < TABLE_NR; table++) {
		assert_int_equal(packed.rows[table].nr, plain.rows[table].nr);
		if (plain.rows[table].nr)
			assert_memory_equal(packed.rows[table].row, plain.rows[table].row,
					    plain.rows[table].nr * row_kinds[table].size);
	}
	snapshot_free(&plain);
	snapshot_free(&packed);
}

/* Invalid forms of a packed record of 70 words, two of which are set. */
TEST(broken_packed_records)
{
	const struct {
		__u32 words, size;
		__u64 map[2];
	} broken[] = {
		{ 70, 5 * 8, { 1, 0 } },		/* a word that the map does not tell of */
		{ 70, 5 * 8, { 7, 0 } },		/* a word less than it tells of */
		{ 70, 5 * 8, { 1, 1ULL << 5 } },	/* the 71st word */
		{ 70, 2 * 8, { 0, 0 } },		/* half a map */
		{ MEMLAT_REC_MAX / 8 + 1, 5 * 8, { 3, 0 } },
		{ MEMLAT_REC_MAX / 8 + 1, 9 * 8, { 0, 0 } },	/* with its whole map */
		{ 0xffff, 5 * 8, { 3, 0 } },
	};
	size_t i;

	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		const __u64 word = broken[i].size == 5 * 8;
		__u64 record[9] = { 0, broken[i].map[0], broken[i].map[1], word, word };
		struct stream stream = { 0 };
		struct snapshot snap;
		unsigned char *exact;

		stream_add_status(&stream);
		stream_add(&stream, MEMLAT_REC_LINE | broken[i].words << MEMLAT_REC_WORDS_SHIFT,
			   record, broken[i].size);
		/* Nothing behind the record exists to be read. */
		exact = malloc(stream.used);
		assert_non_null(exact);
		memcpy(exact, stream.bytes, stream.used);
		snapshot_init(&snap);
		assert_int_equal(snapshot_feed(&snap, exact, stream.used), -EBADMSG);
		assert_non_null(strstr(snap.error, "packed into"));
		snapshot_free(&snap);
		free(exact);
	}
}
