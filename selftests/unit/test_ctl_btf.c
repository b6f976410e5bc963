// SPDX-License-Identifier: GPL-2.0
#include "ctl_named.h"

#include <errno.h>
#include <linux/btf.h>

#include "names/btf.h"

static unsigned char *bytes;
static size_t size;

static int begin(void **state)
{
	bytes = named_bytes("percpu.btf", &size);
	return 0;
}

static int end(void **state)
{
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

TEST(fields)
{
	struct btf *btf = btf_from(NULL, bytes, size);
	struct pool pool = { 0 };
	const char *type, *field;

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

/* What a module adds to the kernel's types: "mine", and queues like those of the kernel. */
static size_t make_split(unsigned char *to)
{
	const struct btf_header *base = (const void *)bytes;
	const unsigned char *at = bytes + base->hdr_len + base->type_off;
	const char *strings = (const char *)bytes + base->hdr_len + base->str_off;
	struct btf_header *header = (void *)to;
	struct {
		struct btf_type variable;
		struct btf_var linkage;
		struct btf_type section;
		struct btf_var_secinfo row;
	} *types = (void *)(header + 1);
	static const char own[] = "\0mine";
	__u32 id = 1;

	memset(to, 0, sizeof(*header) + sizeof(*types));
	while (at < (const unsigned char *)strings) {
		const struct btf_type *type = (const void *)at;
		unsigned int kind = BTF_INFO_KIND(type->info), nr = BTF_INFO_VLEN(type->info);

		if (kind == BTF_KIND_VAR && !strcmp(strings + type->name_off, "queues"))
			types->variable = *type;
		if (kind == BTF_KIND_DATASEC)
			types->section = *type;
		at += sizeof(*type) + (kind == BTF_KIND_INT || kind == BTF_KIND_VAR ? 4 :
				       kind == BTF_KIND_ARRAY ? sizeof(struct btf_array) :
				       kind == BTF_KIND_PTR ? 0 : 12 * nr);
		id++;
	}
	types->variable.name_off = base->str_len + 1;
	types->section.info = BTF_KIND_DATASEC << 24 | 1;
	types->row = (struct btf_var_secinfo){ .type = id, .offset = 64, .size = 128 };
	*header = (struct btf_header){
		.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof(*header),
		.type_len = sizeof(*types),
		.str_off = sizeof(*types),
		.str_len = sizeof(own),
	};
	memcpy(types + 1, own, sizeof(own));
	return sizeof(*header) + sizeof(*types) + sizeof(own);
}

TEST(of_a_module)
{
	struct btf *base = btf_from(NULL, bytes, size), *btf;
	unsigned char split[256];
	struct pool pool = { 0 };
	const char *type, *field;
	size_t nr, i;

	assert_non_null(base);
	nr = make_split(split);
	assert_in_range(nr, 64, sizeof(split));
	btf = btf_from(base, split, nr);
	assert_non_null(btf);
	btf_percpu(btf, "mine", BTF_ANYWHERE, 64 + 16, &pool, &type, &field);
	assert_non_null(type);
	assert_string_equal(type, "struct queue[2]");
	assert_string_equal(field, "[1].word.{whole|half.low}");
	btf_percpu(btf, "mine", BTF_ANYWHERE, 128, &pool, &type, &field);
	assert_null(type);
	/* Types of the kernel are those of the kernel. */
	btf_percpu(btf, "queues", BTF_ANYWHERE, 0, &pool, &type, &field);
	assert_null(type);
	btf_percpu(base, "mine", BTF_ANYWHERE, 0, &pool, &type, &field);
	assert_null(type);
	btf_free(btf);
	/* Without the base it says nothing, and does no harm. */
	btf_free(btf_from(NULL, split, nr));
	for (i = 0; i < 8 * nr; i++) {
		split[i / 8] ^= (unsigned char)(1 << i % 8);
		btf = btf_from(base, split, nr);
		if (btf)
			btf_percpu(btf, "mine", BTF_ANYWHERE, 24, &pool, &type, &field);
		btf_free(btf);
		split[i / 8] ^= (unsigned char)(1 << i % 8);
	}
	pool_free(&pool);
	btf_free(base);
}

static int try(const void *copy, size_t nr)
{
	struct btf *btf = btf_from(NULL, copy, nr);
	struct pool pool = { 0 };
	const char *type, *field;
	__u64 offset;

	if (!btf)
		return -EBADMSG;
	for (offset = 0; offset < 136; offset += 4)
		btf_percpu(btf, "queues", 0, offset, &pool, &type, &field);
	pool_free(&pool);
	btf_free(btf);
	return 0;
}

TEST(damaged)
{
	decode_damaged(bytes, size, try);
}

TEST_GROUP(begin, end)

/* Linux 7.3 has 24 bits for the number of members. Older headers and libraries know 16. */
TEST(more_members_than_16_bits_count)
{
	const __u32 nr = 70000, types = sizeof(struct btf_type) + nr * sizeof(struct btf_enum);
	static const char strings[] = "\0last";
	const size_t whole = sizeof(struct btf_header) + types + sizeof(strings);
	struct btf_header *header = calloc(1, whole);
	struct btf_type *type = (void *)(header + 1);
	struct btf_enum *rows = (void *)(type + 1);
	struct btf *btf;
	__u32 value;

	assert_non_null(header);
	*header = (struct btf_header){
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(*header),
		.type_len = types, .str_off = types, .str_len = sizeof(strings),
	};
	*type = (struct btf_type){ .info = BTF_KIND_ENUM << 24 | nr, .size = 4 };
	rows[nr - 1] = (struct btf_enum){ .name_off = 1, .val = 69999 };
	memcpy(rows + nr, strings, sizeof(strings));
	btf = btf_from(NULL, header, whole);
	free(header);
	assert_non_null(btf);
	assert_true(btf_constant(btf, "last", &value));
	assert_int_equal(value, 69999);
	assert_int_equal(btf_size(btf, 1), 4);
	btf_free(btf);
}
