// SPDX-License-Identifier: GPL-2.0
/* How advise declares structures that threads fight over: variables of this very program. */
#include <stdint.h>
#include <unistd.h>

#include "ctl_own.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/layout.h"
#include "profile/history.h"
#include "views/advise.h"

#define LINE_BYTES	64
#define ALIGNED		__attribute__((aligned(128)))

/* Two writers, and members between and behind that nobody uses. */
struct queue {
	uint64_t head;
	uint64_t size;
	uint64_t tail;
	char name[24];
};

struct per_cpu {
	uint32_t hits, misses;
};

struct counters {
	char name[64];
	struct per_cpu cpu[4];
	uint64_t plain[4];
};

struct holder {
	uint64_t id;
	struct queue queue;
};

struct flags {
	unsigned int a : 3, b : 5;
	union {
		uint32_t word;
		uint16_t half[2];
	} u;
	uint64_t end;
};

/* A lock-free ring: one thread writes it and many read it. And a table that all read. */
struct ring {
	uint64_t produced;
	uint64_t consumed;
	const void *table;
	uint64_t mask;
	uint64_t dropped;
};

/* Members with a reader each, more than there can be groups, and two contended ones. */
struct crowd {
	uint16_t r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t head, tail;
};

/* Marks as the kernel has them: members without bytes. */
struct marked {
	char begin[0];
	uint64_t head;
	char between[0];
	uint64_t tail;
};

struct packed_one {
	char c;
	uint64_t a, b;
} __attribute__((packed));

static struct queue queue ALIGNED;
static struct counters counters ALIGNED;
static struct holder holder ALIGNED;
static struct flags flags ALIGNED;
static struct ring ring ALIGNED;
static struct marked marked ALIGNED;
static struct packed_one packed_one ALIGNED;
static struct crowd crowd ALIGNED;
static struct {
	char before[LINE_BYTES];
	uint64_t a;
} spacer ALIGNED;
/*
 * Two variables in a line, in a section of their own, in which the sanitizer puts nothing between
 * them.
 */
#define BESIDE	__attribute__((section("beside")))
static uint32_t neighbours_a BESIDE ALIGNED;
static uint32_t neighbours_b BESIDE;

/* Numbers of a part of the program in Fortran: real(8) :: foreign(4) */
extern double foreign[4];

__asm__(
"	.pushsection .bss\n"
"	.balign 128\n	.globl foreign\n	.type foreign, @object\n	.size foreign, 32\n"
"foreign: .zero 128\n"
"	.popsection\n"
"	.pushsection .debug_abbrev,\"\",@progbits\n"
"foreign_abbrevs:\n"
"	.uleb128 1, 0x11\n	.byte 1\n	.uleb128 0x13, 0x0b, 0x03, 0x08, 0, 0\n"
"	.uleb128 2, 0x24\n	.byte 0\n	.uleb128 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b, 0, 0\n"
"	.uleb128 3, 0x01\n	.byte 1\n	.uleb128 0x49, 0x13, 0, 0\n"
"	.uleb128 4, 0x21\n	.byte 0\n	.uleb128 0x2f, 0x0b, 0, 0\n"
"	.uleb128 5, 0x34\n	.byte 0\n	.uleb128 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0\n"
"	.uleb128 0\n"
"	.popsection\n"
"	.pushsection .debug_info,\"\",@progbits\n"
"foreign_unit: .long foreign_end - foreign_begin\n"
"foreign_begin:\n"
"	.short 4\n	.long foreign_abbrevs\n	.byte 8\n"
"	.uleb128 1\n	.byte 0x23\n	.string \"foreign.f90\"\n"	/* Fortran 2008 */
"foreign_real: .uleb128 2\n	.string \"real(kind=8)\"\n	.byte 4, 8\n"
"foreign_array: .uleb128 3\n	.long foreign_real - foreign_unit\n"
"	.uleb128 4\n	.byte 4\n	.uleb128 0\n"
"	.uleb128 5\n	.string \"foreign\"\n	.long foreign_array - foreign_unit\n"
"	.uleb128 9\n	.byte 3\n	.quad foreign\n"
"	.uleb128 0\n"
"foreign_end:\n"
"	.popsection\n");

/* Instructions that tell how many bytes an access has. */
__asm__(
"	.pushsection .text\n"
"change_1: addb $1, (%rdi)\n"
"change_2: addw $1, (%rdi)\n"
"change_4: addl $1, (%rdi)\n"
"	ret\n"
"	.popsection\n");
extern const char change_1[], change_2[], change_4[];

static struct session session;
static struct profile profile;
static struct namer *namer;
static struct advise advise;

static __u64 address(const volatile void *of)
{
	return (__u64)(uintptr_t)of;
}

/* A thread that stores and loads there, and loses the line all the time. */
static void fights(const volatile void *at, unsigned int thread)
{
	USE(&session, .addr = address(at), .pid = (__u32)getpid(), .tid = thread, .loads = 400,
	    .rhitm = 400, .stores = 400, .store_misses = 200);
}

/* By an instruction above. */
static void fights_by(const char *code, const volatile void *at, unsigned int thread)
{
	USE(&session, .addr = address(at), .pid = (__u32)getpid(), .tid = thread, .loads = 400,
	    .rhitm = 400, .stores = 400, .store_misses = 200, .ip = address(code));
}

static void reads(const volatile void *at, unsigned int thread)
{
	USE(&session, .addr = address(at), .pid = (__u32)getpid(), .tid = thread, .loads = 400,
	    .rhitm = 400);
}

static const struct advise_layout *found(void)
{
	namer = own_namer(&profile, &session.snap);
	advise_take(&advise, &profile, namer, false);
	assert_int_equal(advise.nr_items, 1);
	return &advise.items[0].layout;
}

SESSION_BEGIN(session)

static int end(void **state)
{
	(void)state;
	if (!namer)
		return 0;
	advise_free(&advise);
	namer_free(namer);
	namer = NULL;
	snapshot_init(&profile.snap);
	profile_free(&profile);
	return 0;
}

#define TEST_LAYOUT(name) TEST_WITH(name, begin, end)

static const struct advise_member *member(const struct advise_layout *layout, const char *name)
{
	size_t i;

	for (i = 0; i < layout->nr_members; i++)
		if (!strcmp(layout->members[i].name, name))
			return &layout->members[i];
	fail_msg("no member %s", name);
	return NULL;
}

/* Nobody uses what is around them: the order stays, and one of them begins a line. */
TEST_LAYOUT(members_apart)
{
	const struct advise_layout *layout;

	fights(&queue.head, 1);
	fights(&queue.tail, 2);
	layout = found();
	assert_null(layout->why);
	assert_string_equal(layout->type, "struct queue");
	assert_string_equal(layout->declaration,
			    "struct queue {\n"
			    "\tuint64_t head;\t/* 0 -> 0, stores, 1 thread */\n"
			    "\tuint64_t size;\n"
			    "\tuint64_t tail __attribute__((aligned(64)));\t/* 16 -> 64, stores, 1 thread */\n"
			    "\tchar name[24];\t/* 24 -> 72 */\n"
			    "} __attribute__((aligned(64)))");
	assert_int_equal(layout->bytes_before, sizeof(struct queue));
	assert_int_equal(layout->bytes_after, 128);
	assert_int_equal(member(layout, "tail")->after, 64);
	assert_false(layout->allocated);
	TELLS(advise_json(&advise), FITS "advise", "/items/0/layout/members/2/name tail",
	      "/items/0/layout/members/2/after 64");
}

/* Only at the end is a member without bytes an array of any length. */
TEST_LAYOUT(marks)
{
	const struct advise_layout *layout;

	fights(&marked.head, 1);
	fights(&marked.tail, 2);
	layout = found();
	assert_null(layout->why);
	assert_string_equal(layout->type, "struct marked");
	assert_int_equal(member(layout, "head")->threads, 1);
	assert_int_equal(member(layout, "tail")->after, 64);
}

/* Groups are for the members that are used most, wherever they are. */
TEST_LAYOUT(many_groups)
{
	const struct advise_layout *layout;
	unsigned int i;

	for (i = 0; i < 16; i++)
		USE(&session, .addr = address(&crowd.r0 + i), .pid = (__u32)getpid(),
		    .tid = 10 + i, .loads = 10);
	fights(&crowd.head, 1);
	fights(&crowd.tail, 2);
	layout = found();
	assert_null(layout->why);
	assert_int_not_equal(member(layout, "tail")->after / 64, member(layout, "head")->after / 64);
}

/* A thread that once stored beside it has nothing to do with the fight. */
TEST_LAYOUT(a_stray)
{
	fights(&queue.head, 1);
	fights(&queue.tail, 2);
	USE(&session, .addr = address(&queue + 1), .pid = (__u32)getpid(), .tid = 3, .stores = 1);
	assert_null(found()->why);
	assert_int_equal(advise.items[0].remedy, ADVISE_MEMBERS);
	assert_int_equal(advise.items[0].places, 2);
	assert_int_equal(advise.items[0].threads, 2);
}

TEST_LAYOUT(elements_apart)
{
	const struct advise_layout *layout;

	fights(&counters.cpu[0].hits, 1);
	fights(&counters.cpu[1].hits, 2);
	fights(&counters.cpu[3].hits, 3);
	layout = found();
	assert_null(layout->why);
	assert_string_equal(layout->type, "struct per_cpu");
	assert_true(layout->elements);
	assert_int_equal(layout->bytes_before, 8);
	assert_int_equal(layout->bytes_after, 64);
	says(layout->declaration, "} __attribute__((aligned(64)))");
}

/* Elements that are numbers have no type to which an attribute could be added. */
/* Each thread may store most to another member of its element. */
TEST_LAYOUT(members_of_elements)
{
	fights(&counters.cpu[0].hits, 1);
	fights(&counters.cpu[1].misses, 2);
	assert_null(found()->why);
	assert_int_equal(advise.items[0].remedy, ADVISE_ELEMENTS);
	assert_string_equal(advise.items[0].object, "counters.cpu");
}

TEST_LAYOUT(numbers_apart)
{
	const struct advise_layout *layout;

	fights(&counters.plain[0], 1);
	fights(&counters.plain[1], 2);
	layout = found();
	assert_null(layout->why);
	says(layout->declaration, "uint64_t value;");
	assert_int_equal(layout->bytes_after, 64);
}

/* Nothing is declared in another language. */
TEST_LAYOUT(numbers_of_fortran)
{
	const struct advise_layout *layout;

	fights(&foreign[0], 1);
	fights(&foreign[1], 2);
	layout = found();
	says(layout->why, "it is not a type of C or C++");
	assert_null(layout->declaration);
}

/* A thread uses several elements: a line for each of them would only mean more lines. */
TEST_LAYOUT(blocks)
{
	const struct advise_layout *layout;

	fights(&counters.plain[0], 1);
	fights(&counters.plain[1], 1);
	fights(&counters.plain[2], 2);
	fights(&counters.plain[3], 2);
	layout = found();
	says(layout->why, "give each thread a block of them");
	assert_null(layout->declaration);
}

/* The fight is within a member, so the type of that member changes. */
TEST_LAYOUT(nested)
{
	const struct advise_layout *layout;

	fights(&holder.queue.head, 1);
	fights(&holder.queue.size, 2);
	layout = found();
	assert_null(layout->why);
	assert_string_equal(layout->type, "struct queue");
	assert_int_equal(member(layout, "size")->after / 64 == member(layout, "head")->after / 64, 0);
}

/* A fight between a member and one that has members itself: that one is moved as a whole. */
TEST_LAYOUT(whole_member)
{
	const struct advise_layout *layout;

	fights(&holder.id, 1);
	fights(&holder.queue.tail, 2);
	layout = found();
	assert_null(layout->why);
	assert_string_equal(layout->type, "struct holder");
	assert_int_equal(member(layout, "queue")->after, 64);
}

/* Readers of a table, and two writers beside it: both writers are moved, or what is read. */
TEST_LAYOUT(readers)
{
	const struct advise_layout *layout;
	__u64 lines[4];
	unsigned int i;

	fights(&ring.produced, 1);
	fights(&ring.consumed, 2);
	for (i = 3; i < 6; i++) {
		reads(&ring.table, i);
		reads(&ring.mask, i);
	}
	layout = found();
	assert_null(layout->why);
	lines[0] = member(layout, "produced")->after / 64;
	lines[1] = member(layout, "consumed")->after / 64;
	lines[2] = member(layout, "table")->after / 64;
	lines[3] = member(layout, "mask")->after / 64;
	assert_int_not_equal(lines[0], lines[1]);
	assert_int_not_equal(lines[0], lines[2]);
	assert_int_not_equal(lines[1], lines[2]);
	assert_int_equal(lines[2], lines[3]);
	/* Members that nobody was seen to use cost no line. */
	assert_int_equal(layout->bytes_after, 192);
}

/* Two halves of a union, and bits beside it: to separate these is not enough. */
TEST_LAYOUT(within_and_between)
{
	fights_by(change_1, (char *)&flags, 1);
	fights_by(change_2, (char *)&flags.u + 2, 2);
	fights_by(change_2, (char *)&flags.u, 3);
	says(found()->why, "a part of the fight is within members");
}

TEST_LAYOUT(bits_and_a_member)
{
	const struct advise_layout *layout;

	fights_by(change_1, (char *)&flags, 1);
	fights_by(change_4, &flags.u, 2);
	layout = found();
	assert_null(layout->why);
	says(layout->declaration, "unsigned int a : 3;\t/* 0 -> 0, stores, 1 thread */\n\tunsigned int b : 5;");
	says(layout->declaration, "} u __attribute__((aligned(64)));");
	assert_int_equal(layout->bytes_after, 128);
}

TEST_LAYOUT(unions_stay)
{
	fights_by(change_2, &flags.u.half[0], 1);
	fights_by(change_2, &flags.u.half[1], 2);
	says(found()->why, "it is a union");
}

TEST_LAYOUT(packed)
{
	fights((char *)&packed_one + 1, 1);
	fights((char *)&packed_one + 9, 2);
	says(found()->why, "packed");
}

TEST_LAYOUT(variables)
{
	const struct advise_layout *layout;

	assert_int_equal(address(&neighbours_a) / 64, address(&neighbours_b) / 64);
	fights_by(change_4, &neighbours_a, 1);
	fights_by(change_4, &neighbours_b, 2);
	layout = found();
	assert_null(layout->why);
	says(layout->declaration, "static uint32_t neighbours_a __attribute__((aligned(64)))");
	says(layout->declaration, "static uint32_t neighbours_b __attribute__((aligned(64)))");
	assert_int_equal(layout->bytes_after, 128);
}

/* The partner line is to blame, so 128 bytes. */
TEST_LAYOUT(pairs)
{
	const struct advise_layout *layout;

	spacer.a = 1;
	fights(&spacer.before[0], 1);
	fights(&spacer.a, 2);
	layout = found();
	assert_int_equal(advise.items[0].alignment, 128);
	says(layout->declaration, "aligned(128)");
}

/* Three threads each use each pair of four members: none has a member alone. */
TEST(tangled)
{
	struct layout_member members[4] = { 0 };
	struct layout_fight fight;
	struct layout layout;
	size_t a, b;

	layout_fight_init(&fight, 4);
	for (a = 0; a < 4; a++) {
		members[a].part = (struct record_part){ .size = 8, .align = 8, .bit = 64 * a };
		for (b = 0; b < 4; b++)
			fight.between[4 * a + b] = a != b;
		/* All of one kind. */
		fight.use[a].storing = fight.use[a].loading = 7;
		fight.use[a].stores = 3;
		fight.use[a].by_thread[0] = fight.use[a].by_thread[1] = fight.use[a].by_thread[2] = 1;
	}
	layout_search(&layout, members, &fight, 0, 64);
	assert_int_equal(layout.why, LAYOUT_TANGLED);
	layout_free(&layout);
	/* A member that only one other thread stores to can be separated, if that is most of it. */
	fight.use[2].storing = fight.use[2].loading = 8;
	fight.use[2].by_thread[0] = fight.use[2].by_thread[1] = fight.use[2].by_thread[2] = 0;
	fight.use[2].by_thread[3] = 3;
	for (a = 0; a < 4; a++)
		if (a != 2)
			fight.between[4 * a + 2] = fight.between[8 + a] = 1000;
	layout_search(&layout, members, &fight, 0, 64);
	assert_int_equal(layout.why, LAYOUT_GOOD);
	assert_int_equal(layout.moves, 1);
	assert_true(layout.left < LAYOUT_LEFT && layout.left > 0);
	for (a = 0; a < 4; a++)
		assert_int_equal(layout.after[a].bit / 512 == layout.after[2].bit / 512, a == 2);
	assert_int_equal(layout.size, 128);
	layout_free(&layout);
	layout_fight_free(&fight);
}

/* A flexible array stays the last member. */
TEST(open_end)
{
	struct layout_member members[3] = {
		{ .part = { .size = 8, .align = 8 } },
		{ .part = { .size = 8, .align = 8, .bit = 64 } },
		{ .part = { .size = 0, .align = 1, .bit = 128 }, .last = true },
	};
	struct layout_fight fight;
	struct layout layout;

	layout_fight_init(&fight, 3);
	fight.between[1] = fight.between[3] = 10;
	fight.use[0].storing = 1;
	fight.use[1].storing = 2;
	fight.use[0].stores = fight.use[1].stores = 10;
	fight.use[0].by_thread[0] = fight.use[1].by_thread[1] = 10;
	layout_search(&layout, members, &fight, 0, 64);
	assert_int_equal(layout.why, LAYOUT_GOOD);
	assert_int_equal(layout.order[2], 2);
	assert_int_equal(layout.after[1].bit / 8 / 64 == layout.after[0].bit / 8 / 64, 0);
	layout_free(&layout);
	layout_fight_free(&fight);
}
