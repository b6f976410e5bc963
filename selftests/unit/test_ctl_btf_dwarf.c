// SPDX-License-Identifier: GPL-2.0
/* BTF made into DWARF: what is read of it is what BTF says, and damaged BTF ends nothing. */
#include <linux/btf.h>

#include "ctl_named.h"

#include "names/btf.h"
#include "names/btf_dwarf.h"
#include "names/btf_member.h"
#include "names/types.h"

#define DAMAGED	300

static unsigned char *bytes;
static size_t size;
static struct pool pool;

static int begin(void **state)
{
	FILE *file = fopen(named_file("percpu.btf"), "r");

	elf_version(EV_CURRENT);
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
	free(bytes);
	pool_free(&pool);
	return 0;
}

TEST_GROUP(begin, end)

static bool find(struct btf *btf, struct btf_dwarf *dwarf, const char *name, Dwarf_Die *die)
{
	__u32 id;

	for (id = 1; id < btf_end(btf); id++) {
		const struct btf_type *type = btf_type(btf, id);

		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT &&
		    !strcmp(btf_text(btf, type->name_off), name))
			return btf_dwarf_type(dwarf, id, die);
	}
	return false;
}

static void assert_field(Dwarf_Die *die, __u64 offset, const char *wanted)
{
	const char *field = type_field(&pool, die, offset);

	assert_non_null(field);
	assert_string_equal(field, wanted);
}

TEST(types)
{
	struct btf *btf = btf_from(NULL, bytes, size);
	struct btf_dwarf *dwarf;
	Dwarf_Die die;

	assert_non_null(btf);
	dwarf = btf_dwarf_new(btf);
	assert_non_null(dwarf);
	assert_false(btf_dwarf_type(dwarf, 0, &die));
	assert_false(btf_dwarf_type(dwarf, btf_end(btf), &die));
	assert_true(find(btf, dwarf, "queue", &die));
	assert_string_equal(type_name(&pool, &die), "struct queue");
	assert_int_equal(type_size(&die), 64);
	assert_field(&die, 0, ".running");
	assert_field(&die, 8, ".a");
	assert_field(&die, 12, ".b");
	assert_field(&die, 16, ".word.{whole|half.low}");
	assert_field(&die, 18, ".word.{whole|half.high}");
	assert_field(&die, 20, ".word.whole");
	assert_field(&die, 24, ".{ready|done|wide}");
	assert_field(&die, 28, ".(padding)");
	assert_field(&die, 40, ".names[1]");
	btf_dwarf_free(dwarf);
	btf_free(btf);
}

TEST(members)
{
	struct btf *btf = btf_from(NULL, bytes, size);
	struct btf_place place;
	__u32 value;

	assert_non_null(btf);
	assert_int_equal(btf_struct_size(btf, "queue"), 64);
	assert_int_equal(btf_struct_size(btf, "no such"), 0);
	assert_true(btf_member(btf, "queue", "running", &place));
	assert_int_equal(place.offset, 0);
	assert_int_equal(place.size, 8);
	assert_int_equal(place.bits, 0);
	/* In a structure without a name. */
	assert_true(btf_member(btf, "queue", "b", &place));
	assert_int_equal(place.offset, 12);
	assert_int_equal(place.size, 4);
	assert_true(btf_member(btf, "queue", "wide", &place));
	assert_int_equal(place.offset, 24);
	assert_int_equal(place.shift, 3);
	assert_int_equal(place.bits, 20);
	assert_int_equal(place.size, 3);
	assert_false(btf_member(btf, "queue", "low", &place));
	assert_false(btf_member(btf, "queue", "no such", &place));
	assert_false(btf_constant(btf, "no such", &value));
	btf_free(btf);
}

/* Each type of BTF in which some bits were changed, the same ones in each run. */
TEST(damaged)
{
	unsigned char *copy = malloc(size);
	__u64 random = 11;
	unsigned int i, k;
	__u32 id;

	assert_non_null(copy);
	for (i = 0; i < DAMAGED; i++) {
		struct pool texts = { 0 };
		struct btf_dwarf *dwarf;
		struct btf_place place;
		struct btf *btf;
		Dwarf_Die die;

		memcpy(copy, bytes, size);
		for (k = 0; k < 4; k++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			copy[sizeof(struct btf_header) +
			     (random >> 33) % (size - sizeof(struct btf_header))] ^=
				1U << (random >> 29 & 7);
		}
		btf = btf_from(NULL, copy, size);
		if (!btf)
			continue;
		dwarf = btf_dwarf_new(btf);
		for (id = 0; dwarf && id <= btf_end(btf); id++)
			if (btf_dwarf_type(dwarf, id, &die)) {
				type_name(&texts, &die);
				type_size(&die);
				type_field(&texts, &die, 8);
			}
		btf_member(btf, "queue", "low", &place);
		btf_dwarf_free(dwarf);
		btf_free(btf);
		pool_free(&texts);
	}
	free(copy);
}
