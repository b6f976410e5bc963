// SPDX-License-Identifier: GPL-2.0
#include "ctl_test.h"

#include <errno.h>

/* In a copy of its own size, so that a byte read too far is noticed. */
static int decode_copy(const unsigned char *bytes, size_t size, size_t bit,
		       int (*decode)(const void *bytes, size_t size))
{
	unsigned char *copy = malloc(size ? size : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	if (bit < 8 * size)
		copy[bit / 8] ^= (unsigned char)(1 << bit % 8);
	ret = decode(copy, size);
	free(copy);
	return ret;
}

void decode_damaged(const void *bytes, size_t size, int (*decode)(const void *bytes, size_t size))
{
	size_t i;
	int ret;

	for (i = 0; i < size; i++)
		assert_int_equal(decode_copy(bytes, i, SIZE_MAX, decode), -EBADMSG);
	for (i = 0; i < 8 * size; i++) {
		ret = decode_copy(bytes, size, i, decode);
		assert_true(!ret || ret == -EBADMSG);
	}
}
