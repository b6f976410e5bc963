// SPDX-License-Identifier: GPL-2.0
/* Memory, or one message and status 1. And growing arrays. */
#include "ctl_test.h"

#include <unistd.h>

#include "ctl_output.h"

#include "util/bytes.h"
#include "util/out.h"
#include "util/xalloc.h"

/*
 * The address sanitizer would end the program itself, with its own message. And what is still
 * allocated when the program ends was not leaked.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_sigill=2:allocator_may_return_null=1:detect_leaks=0";
}

#define TOO_MUCH	(SIZE_MAX / 2)

static void ask_zeroed(void)
{
	xcalloc(1, TOO_MUCH);
}

/* The product is 0 in a size_t. */
static void ask_product(void)
{
	xmallocarray(SIZE_MAX / 4 + 1, 4);
}

static void ask_plain(void)
{
	xmalloc(TOO_MUCH);
}

static void ask_more(void)
{
	free(xreallocarray(xmalloc(8), TOO_MUCH / 8, 8));
}

static void ask_pool(void)
{
	struct pool pool = { NULL };

	pool_take(&pool, TOO_MUCH + 1);
}

static void ask_bytes(void)
{
	struct bytes bytes = { NULL };

	bytes_put_raw(&bytes, "", TOO_MUCH);
}

static void ask_element(void)
{
	size_t room = 0;
	__u64 *array = NULL;

	ARRAY_GROW(array, SIZE_MAX / 8 + 2, room);
}

static void ask_library(void)
{
	xneed(NULL);
}

/* What a child prints when it ends, and how it ends. */
static void expect_no_memory(void (*ask)(void))
{
	static const char expected[] = "memlat-ctl: no memory\n";
	struct caught caught;
	char said[4096];
	int status;
	pid_t child;

	output_catch(&caught, STDERR_FILENO);
	child = fork();
	if (!child) {
		ask();
		_exit(0);
	}
	status = exit_status_of(child);
	output_end(&caught, said, sizeof(said));
	assert_int_equal(status, FAILED);
	/* The sanitizer may have printed a warning before. */
	assert_true(strlen(said) >= strlen(expected));
	assert_string_equal(said + strlen(said) - strlen(expected), expected);
}

TEST(end_is_one)
{
	expect_no_memory(ask_zeroed);
	expect_no_memory(ask_product);
	expect_no_memory(ask_plain);
	expect_no_memory(ask_more);
	expect_no_memory(ask_pool);
	expect_no_memory(ask_bytes);
	expect_no_memory(ask_element);
	expect_no_memory(ask_library);
}

TEST(nothing_is_something)
{
	char *none = xmalloc(0);
	int *array = xmallocarray(0, sizeof(*array));

	assert_non_null(none);
	assert_non_null(array);
	array = xreallocarray(array, 0, sizeof(*array));
	assert_non_null(array);
	free(none);
	free(array);
}

TEST(arrays_grow)
{
	size_t room = 0, before, moves = 0, i;
	__u32 *array = NULL;

	/* Nothing is requested, and nothing is there. */
	ARRAY_GROW(array, 0, room);
	assert_null(array);
	for (i = 0; i < 100000; i++) {
		before = room;
		ARRAY_GROW(array, i + 1, room);
		assert_true(room > i);
		moves += room != before;
		array[i] = (__u32)i;
	}
	assert_true(moves < 20);
	for (i = 0; i < 100000; i++)
		assert_int_equal(array[i], i);
	/* Many at once. */
	ARRAY_GROW(array, 1000000, room);
	assert_int_equal(room, 1000000);
	assert_int_equal(array[99999], 99999);
	free(array);
}

TEST(texts)
{
	char *text = xasprintf("%d of %s", 2, "these"), *told;
	struct pool pool = { NULL };
	FILE *out;
	size_t size;

	assert_string_equal(text, "2 of these");
	free(text);
	text = xstrdup("as it was");
	assert_string_equal(text, "as it was");
	free(text);
	out = xmemstream(&told, &size);
	fprintf(out, "line %d", 1);
	xmemstream_end(out);
	assert_string_equal(told, "line 1");
	assert_int_equal(size, 6);
	free(told);
	assert_string_equal(pool_format(&pool, "%s%05d", "n", 42), "n00042");
	pool_free(&pool);
}
