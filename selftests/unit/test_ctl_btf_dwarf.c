// SPDX-License-Identifier: GPL-2.0
/* BTF converted to DWARF says what BTF says, and damaged BTF does no harm. */
#include <linux/btf.h>

#include "ctl_named.h"

#include "names/btf.h"
#include "names/members.h"
#include "names/operand_type.h"
#include "names/type_text.h"
#include "names/types.h"

#define DAMAGED	300

static unsigned char *bytes;
static size_t size;
static struct pool pool;

static int begin(void **state)
{
	elf_version(EV_CURRENT);
	bytes = named_bytes("percpu.btf", &size);
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
	dwarf = btf_dwarf_new(btf, NULL);
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

/* A module's "struct mine { const struct queue first; struct queue *second; }". */
static size_t make_module(const struct btf *base, unsigned char *to)
{
	static const char own[] = "\0mine\0first\0second";
	struct btf_header *header = (void *)to;
	struct {
		struct btf_type keep, pointer, whole;
		struct btf_member member[2];
	} *types = (void *)(header + 1);
	__u32 id, queue = 0;
	size_t texts;

	for (id = 1; id < btf_end(base); id++)
		if (btf_type(base, id) == btf_named(base, BTF_KIND_STRUCT, "queue"))
			queue = id;
	assert_int_not_equal(queue, 0);
	btf_texts(base, &texts);
	memset(to, 0, sizeof(*header) + sizeof(*types));
	types->keep.info = BTF_KIND_CONST << 24;
	types->pointer.info = BTF_KIND_PTR << 24;
	types->keep.type = types->pointer.type = queue;
	types->whole = (struct btf_type){
		.name_off = (__u32)texts + 1, .info = BTF_KIND_STRUCT << 24 | 2, .size = 72,
	};
	types->member[0] = (struct btf_member){ .name_off = (__u32)texts + 6, .type = id };
	types->member[1] = (struct btf_member){
		.name_off = (__u32)texts + 12, .type = id + 1, .offset = 8 * 64,
	};
	*header = (struct btf_header){
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(*header),
		.type_len = sizeof(*types), .str_off = sizeof(*types), .str_len = sizeof(own),
	};
	memcpy(types + 1, own, sizeof(own));
	return sizeof(*header) + sizeof(*types) + sizeof(own);
}

/* A type of the kernel is the same one, whoever refers to it. */
TEST(of_a_module)
{
	struct btf *base = btf_from(NULL, bytes, size), *btf;
	struct btf_dwarf *kernel, *dwarf;
	Dwarf_Die die, other, bare, inner;
	unsigned char module[256];

	assert_non_null(base);
	btf = btf_from(base, module, make_module(base, module));
	assert_non_null(btf);
	assert_non_null(btf_named(btf, BTF_KIND_STRUCT, "queue"));
	assert_null(btf_named(base, BTF_KIND_STRUCT, "mine"));
	kernel = btf_dwarf_new(base, NULL);
	dwarf = btf_dwarf_new(btf, kernel);
	assert_non_null(kernel);
	assert_non_null(dwarf);
	assert_true(find(btf, dwarf, "mine", &die));
	assert_string_equal(type_name(&pool, &die), "struct mine");
	assert_field(&die, 8, ".first.a");
	assert_field(&die, 64, ".second");
	assert_true(btf_dwarf_type(dwarf, btf_end(base), &die));
	assert_string_equal(type_name(&pool, &die), "const struct queue");
	assert_true(type_bare(&die, &bare));
	assert_true(btf_dwarf_type(dwarf, btf_end(base) + 1, &die));
	assert_string_equal(type_name(&pool, &die), "struct queue *");
	assert_true(type_of(&die, &inner) && type_bare(&inner, &inner));
	assert_true(find(base, kernel, "queue", &other));
	assert_ptr_equal(bare.addr, other.addr);
	assert_ptr_equal(inner.addr, other.addr);
	btf_dwarf_free(dwarf);
	btf_dwarf_free(kernel);
	btf_free(btf);
	btf_free(base);
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
	/* The member of a structure without a name. */
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

#define LEVELS	15
#define SAME	8

/* Unions of SAME members each, which all are the union of the level below. */
static struct btf *make_levels(void)
{
	static const char texts[] = "\0u";
	struct {
		struct btf_header header;
		struct btf_type number;
		__u32 encoding;
		struct {
			struct btf_type type;
			struct btf_member member[SAME];
		} level[LEVELS];
		char texts[sizeof(texts)];
	} all = { .encoding = 64 };
	unsigned int i, k;

	all.header = (struct btf_header){
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(all.header),
		.type_len = offsetof(__typeof__(all), texts) - sizeof(all.header),
		.str_off = offsetof(__typeof__(all), texts) - sizeof(all.header),
		.str_len = sizeof(texts),
	};
	all.number = (struct btf_type){ .name_off = 1, .info = BTF_KIND_INT << 24, .size = 8 };
	for (i = 0; i < LEVELS; i++) {
		all.level[i].type = (struct btf_type){
			.name_off = 1, .info = BTF_KIND_UNION << 24 | SAME, .size = 8,
		};
		for (k = 0; k < SAME; k++)
			all.level[i].member[k] = (struct btf_member){
				.name_off = 1, .type = i + 1,
			};
	}
	memcpy(all.texts, texts, sizeof(texts));
	return btf_from(NULL, &all, sizeof(all));
}

/* Such a type is soon written, but has 8 to the power of 15 numbers at one place. */
TEST(members_within_members)
{
	struct type_shapes shapes = { .by_die = { 0 } };
	struct btf *btf = make_levels();
	struct members members;
	Dwarf_Die die;

	assert_non_null(btf);
	assert_true(btf_die(btf, 1 + LEVELS, &die));
	endless_begin();
	assert_non_null(type_field(&pool, &die, 0));
	assert_false(type_shape_holds(type_shape(&shapes, &die), 0, 1));
	assert_true(members_take(&pool, &members, &die));
	assert_non_null(members.why);
	endless_end();
	type_shapes_free(&shapes);
	btf_free(btf);
}

/* Each type of BTF with some bits changed, the same ones in each run. */
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
		dwarf = btf_dwarf_new(btf, NULL);
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
