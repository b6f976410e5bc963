// SPDX-License-Identifier: GPL-2.0
/* What rows of strides may contain, and what an element is by its name. */
#include <errno.h>

#include "ctl_view.h"

#include "analysis/stride.h"

TEST(elements)
{
	static const char *const none[] = {
		"int[]", "int[0]", "int]", "3]", "]", "char[99999999999999999999]",
		"char[999999999999999999][999999999999999999]", "struct stats", "", NULL,
	};
	unsigned int i;

	assert_int_equal(stride_element("double[512][512]", 512 * 512 * 8), 8);
	assert_int_equal(stride_element("struct big[10]", 81920), 8192);
	assert_int_equal(stride_element("Table<int[3]>[2][2]", 48), 12);
	assert_int_equal(stride_element("int[3]", 13), 0);
	assert_int_equal(stride_element("[4]", 12), 3);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(stride_element(none[i], 12), 0);
}

/* More pairs cannot have missed, or be in a new page, than there are. */
TEST(impossible_pairs)
{
	struct memlat_rec_stride stride = { .step = 8, .pairs = 3 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct stream stream = { 0 };
		struct snapshot read;
		int ret;

		stride.stlb_miss = i & 1 ? 4 : 3;
		stride.new_page = i & 2 ? 4 : 3;
		stream_add_status(&stream);
		stream_add(&stream, MEMLAT_REC_STRIDE, &stride, sizeof(stride));
		snapshot_init(&read);
		ret = snapshot_feed(&read, stream.bytes, stream.used);
		assert_int_equal(ret, i ? -EBADMSG : 0);
		if (i)
			says(read.error, "record 2: a stride has more STLB misses or new pages");
		snapshot_free(&read);
	}
}
