// SPDX-License-Identifier: GPL-2.0
/* Objects that are identified by the instructions that access them, and when they are not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dwarf.h>
#include <sys/mman.h>

#include "ctl_named.h"
#include "ctl_view.h"

#include "names/instance.h"
#include "names/types.h"
#include "names/units.h"

#define VOTES	64

static struct profile profile;
static struct pool pool;
static struct elf_files files;
static struct elf_file *file;
static struct vote votes[VOTES];
static size_t nr_votes;
static struct instances *found;	/* by the votes that were counted last */

static int begin(void **state)
{
	struct history_map map = { .path = named_file("operands-gcc2") };

	elf_version(EV_CURRENT);
	profile_init(&profile);
	files = (struct elf_files){ .pool = &pool, .profile = &profile };
	file = elf_file_of(&files, 0, &map);
	assert_non_null(file);
	assert_non_null(units_dwarf(&files, file));
	return 0;
}

static int end(void **state)
{
	instances_free(found);
	elf_files_free(&files);
	pool_free(&pool);
	profile_free(&profile);
	return 0;
}

TEST_GROUP(begin, end)

struct wanted {
	const char *type;
	__s64 offset;
	const struct operand *found;
};

static int look(Dwarf_Die *function, void *context)
{
	struct wanted *wanted = context;
	Dwarf_Addr base, start, last;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &start, &last)) > 0)
		for (; start < last; start++) {
			const struct operand *operand = operand_at(&files, file, start);
			Dwarf_Die die;

			if (!operand || !operand->type || !operand->type->compound ||
			    operand->place != PLACE_EXACT || operand->offset != wanted->offset)
				continue;
			die = operand->type->die;
			if (strcmp(type_name(&pool, &die), wanted->type))
				continue;
			wanted->found = operand;
			return DWARF_CB_ABORT;
		}
	return DWARF_CB_OK;
}

/* A real instruction's operand: of this type, at this offset. */
static const struct operand *operand_of(const char *type, __s64 offset)
{
	struct wanted wanted = { type, offset, NULL };
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die die, split;
	uint8_t kind;

	while (!wanted.found &&
	       !dwarf_get_units(file->dwarf, cu, &cu, &version, &kind, &die, &split))
		dwarf_getfuncs(&die, look, &wanted, 0);
	assert_non_null(wanted.found);
	return wanted.found;
}

static struct vote *vote(const char *type, __s64 offset, __u64 object, __u64 weight)
{
	assert_true(nr_votes < VOTES);
	votes[nr_votes] = (struct vote){
		.address = object + (__u64)offset, .weight = weight,
		.operand = operand_of(type, offset),
	};
	votes[nr_votes].ip = votes[nr_votes].operand->address;
	return &votes[nr_votes++];
}

static void count(void)
{
	instances_free(found);
	found = instances_find(votes, nr_votes);
	nr_votes = 0;
}

static void assert_at(__u64 address, const char *type, __u64 start)
{
	const struct instance *in = instances_at(found, address);
	Dwarf_Die die;

	if (!type) {
		assert_null(in);
		return;
	}
	assert_non_null(in);
	die = in->type->die;
	assert_string_equal(type_name(&pool, &die), type);
	assert_int_equal(in->start, start);
}

TEST(one_instruction_names_the_object)
{
	vote("struct session", 8, 0x1000, 5);
	count();
	assert_at(0x1000, "struct session", 0x1000);
	assert_at(0x103f, "struct session", 0x1000);
	assert_at(0x0fff, NULL, 0);
	assert_at(0x1040, NULL, 0);
	assert_true(instances_by_operand(found, 0x1008));
	assert_false(instances_by_operand(found, 0x1000));
}

TEST(objects_of_one_type)
{
	vote("struct node", 8, 0x1000, 5);
	vote("struct node", 8, 0x1018, 5);
	vote("struct node", 16, 0x1018, 5);
	vote("struct session", 8, 0x2000, 5);
	count();
	assert_at(0x1017, "struct node", 0x1000);
	assert_at(0x1018, "struct node", 0x1018);
	assert_int_equal(instances_at(found, 0x1000)->alike, 2);
	assert_int_equal(instances_at(found, 0x2000)->alike, 1);
}

TEST(no_object_is_there_by_alignment)
{
	vote("struct session", 8, 0x1004, 5);
	count();
	assert_at(0x100c, NULL, 0);
}

TEST(no_object_reaches_out_of_what_it_is_in)
{
	struct vote *one = vote("struct session", 8, 0x1000, 5);

	one->low = 0x1000;
	one->high = 0x103f;
	one = vote("struct node", 8, 0x2000, 5);
	one->low = 0x2008;
	one->high = 0x3000;
	one = vote("struct list", 0, 0x4000, 5);
	one->low = 0x4000;
	one->high = 0x4010;
	count();
	assert_at(0x1008, NULL, 0);
	assert_at(0x2008, NULL, 0);
	assert_at(0x4008, "struct list", 0x4000);
}

TEST(the_heavier_of_two_that_overlap)
{
	vote("struct session", 8, 0x1000, 90);
	vote("struct node", 8, 0x1008, 10);
	/* The same instruction elsewhere: it was wrong once in two times. */
	vote("struct node", 8, 0x2000, 10);
	count();
	assert_at(0x1008, "struct session", 0x1000);
	assert_at(0x2008, NULL, 0);
}

TEST(none_of_two_that_overlap)
{
	vote("struct session", 8, 0x1000, 20);
	vote("struct node", 8, 0x1008, 10);
	count();
	assert_at(0x1000, NULL, 0);
	assert_at(0x1010, NULL, 0);
}

TEST(a_third_one_gains_nothing)
{
	vote("struct session", 8, 0x1000, 20);
	vote("struct node", 8, 0x1008, 20);
	vote("struct list", 0, 0x1010, 1);
	count();
	assert_at(0x1010, NULL, 0);
}

TEST(a_part_is_no_contradiction)
{
	vote("struct item", 24, 0x1000, 10);
	vote("struct list", 0, 0x1008, 10);
	count();
	assert_at(0x1008, "struct item", 0x1000);
	assert_at(0x1018, "struct item", 0x1000);
	assert_true(instances_by_operand(found, 0x1008));
}

TEST(rarely_refused_is_believed)
{
	vote("struct session", 8, 0x1000, 96);
	vote("struct session", 8, 0x2004, 4);
	count();
	assert_at(0x1008, "struct session", 0x1000);
	vote("struct session", 8, 0x1000, 94);
	vote("struct session", 8, 0x2004, 6);
	count();
	assert_at(0x1008, NULL, 0);
}

/*
 * Memory that was freed and reused: each instruction is right about its own access, and about no
 * other one.
 */
TEST(others_say_something_else_of_the_memory)
{
	const struct operand *session = operand_of("struct session", 8);
	const struct instance *in;

	vote("struct session", 8, 0x1000, 90);
	vote("struct node", 8, 0x1000, 10)->ip = 99;
	count();
	assert_int_equal(instances_claim(found, session->address, 0x1008, &in), CLAIM_OWN);
	assert_int_equal(in->start, 0x1000);
	assert_int_equal(instances_claim(found, 99, 0x1008, &in), CLAIM_REFUSED);
	assert_int_equal(instances_claim(found, 98, 0x1008, &in), CLAIM_NONE);
	assert_at(0x1008, NULL, 0);
	/* Nothing is known about its other members either. */
	assert_at(0x1000, NULL, 0);
}

/* One object follows the other, and both existed. */
TEST(on_a_stack)
{
	const struct operand *session = operand_of("struct session", 8);
	const struct operand *node = operand_of("struct node", 8);
	const struct instance *in;

	vote("struct session", 8, 0x1000, 20)->passing = true;
	vote("struct node", 8, 0x1008, 10)->passing = true;
	vote("struct node", 8, 0x2000, 10)->passing = true;
	count();
	assert_int_equal(instances_claim(found, session->address, 0x1008, &in), CLAIM_OWN);
	assert_int_equal(in->start, 0x1000);
	assert_int_equal(instances_claim(found, node->address, 0x1010, &in), CLAIM_OWN);
	assert_int_equal(in->start, 0x1008);
	assert_at(0x2008, "struct node", 0x2000);
	/* Whatever is there later. */
	assert_at(0x2000, NULL, 0);
	assert_at(0x1018, NULL, 0);
}

TEST(a_claim_to_a_part_is_one_to_the_whole)
{
	const struct operand *list = operand_of("struct list", 0);
	const struct instance *in;

	vote("struct item", 24, 0x1000, 10);
	vote("struct list", 0, 0x1008, 10);
	count();
	assert_int_equal(instances_claim(found, list->address, 0x1008, &in), CLAIM_OWN);
	assert_int_equal(in->start, 0x1000);
}

/* The processes of whose instructions one was looked at: bit n is process n, modulo 32. */
static unsigned int looked_at;

const struct operand *namer_operand(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	const struct operand *(*real)(struct namer *, __u32, __u32, __u64) =
		dlsym(RTLD_NEXT, "namer_operand");

	looked_at |= 1U << space % 32;
	return real(namer, space, gen, ip);
}

/* To name the data of one process, the code of another one is not read, as that takes long. */
TEST(each_process_is_looked_at_for_itself)
{
	struct memlat_rec_access accesses[] = {
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 2, .samples = 1 },
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 1, .samples = 1 },
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 1, .gen = 1, .samples = 1 },
		{ .addr = ~0xfffULL, .ip = 0x401000, .tgid = 3, .samples = 1 },
	};
	struct snapshot snap = { .accesses = accesses, .nr_accesses = 4 };
	struct shown shown;

	shown_open(&shown, &snap);
	looked_at = 0;
	namer_data(shown.namer, 1, 0, 0x1000, 0);
	assert_int_equal(looked_at, 1 << 1);
	/* It is known already, the next has no access, and the kernel's objects are not found so. */
	looked_at = 0;
	namer_access(shown.namer, &accesses[1]);
	namer_data(shown.namer, 4, 0, 0x1000, 0);
	namer_data(shown.namer, 3, 0, ~0xfffULL, 0);
	assert_int_equal(looked_at, 0);
	namer_access(shown.namer, &accesses[2]);
	namer_access(shown.namer, &accesses[0]);
	assert_int_equal(looked_at, 1 << 1 | 1 << 2);
	shown_close(&shown);
}

/* A selection drops rows after names were found. The others of the table are then elsewhere. */
TEST(rows_may_move)
{
	struct memlat_rec_access accesses[] = {
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 1, .samples = 1 },
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 1, .samples = 1 },
		{ .addr = 0x1000, .ip = 0x401000, .tgid = 2, .samples = 1 },
	};
	struct snapshot snap = { .accesses = accesses, .nr_accesses = 3 };
	struct shown shown;

	shown_open(&shown, &snap);
	namer_access(shown.namer, &accesses[0]);
	accesses[0] = accesses[2];
	shown.profile.snap.nr_accesses = 1;
	looked_at = 0;
	namer_access(shown.namer, &accesses[0]);
	assert_int_equal(looked_at, 1 << 2);
	shown_close(&shown);
}

#define LOADED_AT	0x10000000ULL

/* Tell that process 1 has the code of the file whose operands are used here. */
static void map_code(struct history *history)
{
	struct history_map map = {
		.path = named_file("operands-gcc2"), .prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	size_t i;

	history_comm(history, 1, 1, 1, "one", true);
	for (i = 0; i < file->nr_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (!(segment->flags & PF_X))
			continue;
		map.offset = segment->offset & ~0xfffULL;
		map.start = LOADED_AT + (segment->address & ~0xfffULL);
		map.end = LOADED_AT + ((segment->address + segment->file_size + 0xfff) & ~0xfffULL);
		map.time = 2;
		history_map(history, 1, 0, &map);
	}
	history_settle(history, NULL);
}

static struct memlat_rec_access access_by(const char *type, __s64 offset, __u64 object)
{
	const struct operand *operand = operand_of(type, offset);

	return (struct memlat_rec_access){
		.addr = object + (__u64)offset, .ip = LOADED_AT + operand->address, .tgid = 1,
		.samples = 1, .stores = !operand->reads,
	};
}

/* The object is of this process, and not of another one or of one that had its number. */
TEST(an_object_of_one_process)
{
	struct memlat_rec_access access = access_by("struct session", 8, 0x20000);
	struct snapshot snap = { .accesses = &access, .nr_accesses = 1 };
	struct shown shown;

	shown_open(&shown, &snap);
	map_code(shown.profile.history);
	assert_string_equal(namer_data(shown.namer, 1, 0, 0x20008, 0)->type, "struct session");
	assert_null(namer_data(shown.namer, 2, 0, 0x20008, 0)->type);
	assert_null(namer_data(shown.namer, 1, 1, 0x20008, 0)->type);
	shown_close(&shown);
}

/* top names the accesses of one interval after those of another. Memory is reused in between. */
TEST(a_later_interval)
{
	struct memlat_rec_access first = access_by("struct session", 8, 0x20000);
	struct memlat_rec_access later[] = {
		access_by("struct session", 0, 0x20000), access_by("struct node", 8, 0x20008),
	};
	struct snapshot snap = { .accesses = &first, .nr_accesses = 1 };
	struct shown shown;

	shown_open(&shown, &snap);
	map_code(shown.profile.history);
	assert_string_equal(namer_access(shown.namer, &first)->type, "struct session");
	shown.profile.snap.accesses = later;
	shown.profile.snap.nr_accesses = 2;
	assert_string_equal(namer_access(shown.namer, &later[0])->type, "struct session");
	assert_null(namer_access(shown.namer, &later[1])->type);
	shown_close(&shown);
}

/* A variable has its name from its file, and an instruction its width from its own bytes. */
TEST(variables_need_no_code)
{
	struct memlat_rec_access access = { .samples = 1 };
	struct named c;

	named_start(&c, named_file("sample"), NULL);
	access.addr = named_place(&c, "hits")->address;
	access.ip = named_place(&c, "outer")->address;
	access.tgid = (__u32)c.pid;
	c.profile.snap.accesses = &access;
	c.profile.snap.nr_accesses = 1;
	looked_at = 0;
	assert_string_equal(namer_access(c.namer, &access)->name, "stats");
	namer_width(c.namer, access.tgid, 0, access.ip);
	assert_int_equal(looked_at, 0);
	c.profile.snap.accesses = NULL;
	c.profile.snap.nr_accesses = 0;
	named_end(&c);
}
