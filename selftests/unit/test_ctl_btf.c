// SPDX-License-Identifier: GPL-2.0
#include "ctl_named.h"

#include "names/btf.h"

static unsigned char *bytes;
static size_t size;

static int begin(void **state)
{
	FILE *file = fopen(named_file("percpu.btf"), "r");

	(void)state;
	assert_non_null(file);
	bytes = malloc(65536);
	assert_non_null(bytes);
	size = fread(bytes, 1, 65536, file);
	fclose(file);
	assert_in_range(size, 64, 65535);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(bytes);
	return 0;
}

static void assert_field(const struct btf *btf, __u64 offset, const char *wanted)
{
	struct pool pool = { 0 };
	const char *type, *field;

	btf_percpu(btf, "queues", 0, offset, &pool, &type, &field);
	assert_non_null(type);
	assert_string_equal(type, "struct queue[2]");
	assert_non_null(field);
	assert_string_equal(field, wanted);
	pool_free(&pool);
}

static void fields(void **state)
{
	struct btf *btf = btf_from(bytes, size);
	struct pool pool = { 0 };
	const char *type, *field;

	(void)state;
	assert_non_null(btf);
	assert_field(btf, 0, "[0].running");
	assert_field(btf, 64, "[1].running");
	assert_field(btf, 12, "[0].b");
	assert_field(btf, 64 + 16, "[1].word.{whole|half.low}");
	assert_field(btf, 18, "[0].word.{whole|half.high}");
	assert_field(btf, 20, "[0].word.whole");
	assert_field(btf, 24, "[0].{ready|done|wide}");
	assert_field(btf, 25, "[0].wide");
	assert_field(btf, 28, "[0].(padding)");
	assert_field(btf, 127, "[1].names[3]");
	/* Another name, another place, and behind the end. */
	btf_percpu(btf, "queue", 0, 0, &pool, &type, &field);
	assert_null(type);
	btf_percpu(btf, "queues", 8, 8, &pool, &type, &field);
	assert_null(type);
	btf_percpu(btf, "queues", 0, 128, &pool, &type, &field);
	assert_null(type);
	assert_null(field);
	pool_free(&pool);
	btf_free(btf);
}

static void try(size_t nr)
{
	unsigned char *copy = malloc(nr ? nr : 1);
	struct pool pool = { 0 };
	const char *type, *field;
	struct btf *btf;
	__u64 offset;

	assert_non_null(copy);
	memcpy(copy, bytes, nr);
	btf = btf_from(copy, nr);
	free(copy);
	for (offset = 0; btf && offset < 136; offset += 4)
		btf_percpu(btf, "queues", 0, offset, &pool, &type, &field);
	pool_free(&pool);
	btf_free(btf);
}

static void damaged(void **state)
{
	unsigned int bit;
	size_t i;

	(void)state;
	for (i = 0; i < size; i++)
		try(i);
	for (i = 0; i < size; i++)
		for (bit = 0; bit < 8; bit++) {
			bytes[i] ^= (unsigned char)(1 << bit);
			try(size);
			bytes[i] ^= (unsigned char)(1 << bit);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("btf", tests, begin, end);
}
