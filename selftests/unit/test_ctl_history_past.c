// SPDX-License-Identifier: GPL-2.0
/* What an address meant at a time, and what it meant before. */
#include <sys/mman.h>

#include "ctl_test.h"
#include "profile/history_internal.h"
#include "util/order.h"

#define SECOND	1000000000ULL

struct mapped {
	const char *path;
	uint64_t time, start, end, offset;
};

static void map_add(struct history *history, uint32_t pid, const struct mapped *mapped)
{
	const struct history_map map = {
		.path = mapped->path, .time = mapped->time, .start = mapped->start,
		.end = mapped->end, .offset = mapped->offset,
		.prot = PROT_READ | (strstr(mapped->path, ".so") ? PROT_EXEC : 0),
	};

	history_map(history, pid, pid, &map);
}

/* A process that mapped these, one after the other. */
static struct history *lives_with(const struct mapped *maps, size_t nr)
{
	struct history *history = history_new();
	size_t i;

	history_comm(history, 0, 7, 7, "p", true);
	for (i = 0; i < nr; i++)
		map_add(history, 7, &maps[i]);
	return history;
}

/* The file that an address was of, and its place there. */
static void was_at(const struct history *history, uint64_t address, uint64_t time, const char *path,
		   uint64_t offset)
{
	const struct history_image *image = history_find(history, 7, 0);
	const uint64_t then = history_address_at(history, 7, time, address);
	const struct history_map *map = history_map_at(image, then);

	if (!map || strcmp(map->path, path) || map->offset + (then - map->start) != offset)
		fail_msg("0x%lx at %lu: %s +0x%lx, not %s +0x%lx", address, time,
			 map ? map->path : "nothing",
			 map ? (uint64_t)(map->offset + (then - map->start)) : 0, path, offset);
}

static const char *before(const struct history *history, uint32_t pid, uint64_t address)
{
	const struct history_map *map = history_before(history_find(history, pid, 0), address);

	return map ? map->path : NULL;
}

/*
 * A file and then memory, memory and then a file, three files; and what is no change: a file that
 * is mapped again, memory that grows.
 */
TEST(what_was_there_before)
{
	static const struct mapped maps[] = {
		{ "/a", 1, 0x10000, 0x20000, 0 }, { "//anon", 300000000, 0x12000, 0x14000, 0 },
		{ "//anon", 1, 0x40000, 0x50000, 0 }, { "/b", 300000000, 0x48000, 0x60000, 0 },
		{ "/c", 1, 0x70000, 0x80000, 0 }, { "/d", 300000000, 0x70000, 0x80000, 0 },
		{ "/e", 600000000, 0x74000, 0x80000, 0 },
		{ "/f", 1, 0x90000, 0xa0000, 0 }, { "/f", 300000000, 0x90000, 0xa0000, 0 },
		{ "//anon", 1, 0xb0000, 0xc0000, 0 }, { "//anon", 300000000, 0xb0000, 0xd0000, 0 },
		{ "/g", 1, 0xe0000, 0xf0000, 0 }, { "/h", 2, 0xe0000, 0xf0000, 0 },
	};
	static const struct { uint64_t address, time, past; const char *before; } wanted[] = {
		{ 0x11000, 2, 0, NULL }, { 0x13000, 2, 1, "/a" }, { 0x13000, 300000000, 0, "/a" },
		{ 0x49000, 2, 1, "//anon" }, { 0x49000, 400000000, 0, "//anon" }, { 0x58000, 2, 0, NULL },
		{ 0x71000, 2, 1, "/c" }, { 0x71000, 700000000, 0, "/c" },
		{ 0x75000, 2, 1, "/c" }, { 0x75000, 400000000, 2, "/c" }, { 0x75000, 700000000, 0, "/c" },
		{ 0x91000, 2, 0, NULL }, { 0xb1000, 2, 0, NULL },
		/* It was there for a moment only. */
		{ 0xe1000, 1, 1, NULL }, { 0xe1000, 5, 0, NULL },
	};
	struct history *lives = lives_with(maps, sizeof(maps) / sizeof(maps[0]));
	size_t i;

	history_settle(lives, NULL);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const uint64_t address = wanted[i].address;

		if (history_address_at(lives, 7, wanted[i].time, address) !=
		    address + wanted[i].past * HISTORY_PAST)
			fail_msg("0x%lx at %lu", address, wanted[i].time);
		if (order_text(before(lives, 7, address), wanted[i].before))
			fail_msg("0x%lx: %s was there before", address, before(lives, 7, address));
	}
	history_free(lives);
}

/* What a loader maps for a moment, and libraries of a program that does not run for much longer. */
TEST(libraries_of_a_short_program)
{
	static const struct mapped maps[] = {
		{ "/cache", 1000000, 0x10000, 0x20000, 0 },
		{ "/a.so", 2000000, 0x10000, 0x14000, 0 },
		{ "/a.so", 2000000, 0x14000, 0x18000, 0x4000 },
		{ "/b.so", 40000000, 0x10000, 0x14000, 0 },
		{ "/b.so", 40000000, 0x14000, 0x18000, 0x4000 },
		{ "/c.so", 41000000, 0x30000, 0x38000, 0 },
		{ "/d.so", 41100000, 0x30000, 0x38000, 0 },
		/* One that comes back was not what another name is needed for. */
		{ "/e.so", 42000000, 0x50000, 0x54000, 0 }, { "/f.so", 52000000, 0x50000, 0x54000, 0 },
		{ "/e.so", 62000000, 0x50000, 0x54000, 0 },
	};
	struct history *lives = lives_with(maps, sizeof(maps) / sizeof(maps[0]));

	history_exit(lives, 80000000, 7, 7);
	history_settle(lives, NULL);
	assert_string_equal(before(lives, 7, 0x11000), "/a.so");
	assert_string_equal(before(lives, 7, 0x15000), "/a.so");
	/* The cache was brief. A library is no cache, however soon it was replaced. */
	assert_null(before(lives, 7, 0x19000));
	assert_string_equal(before(lives, 7, 0x31000), "/c.so");
	assert_string_equal(before(lives, 7, 0x51000), "/f.so");
	history_free(lives);
}

/* Each library lies over a part of the one before, and the first ones have no other in common. */
TEST(libraries_that_overlap_in_part)
{
	static const struct mapped maps[] = {
		{ "/a", SECOND, 0x10000, 0x15000, 0 }, { "/b", 2 * SECOND, 0x13000, 0x18000, 0 },
		{ "/c", 3 * SECOND, 0x13000, 0x1a000, 0 }, { "/d", 4 * SECOND, 0x16000, 0x17000, 0 },
		{ "/e", 5 * SECOND, 0x10000, 0x1a000, 0 },
	};
	struct history *lives = lives_with(maps, sizeof(maps) / sizeof(maps[0]));

	history_settle(lives, NULL);
	was_at(lives, 0x11000, SECOND, "/a", 0x1000);
	was_at(lives, 0x14000, SECOND, "/a", 0x4000);
	was_at(lives, 0x14000, 2 * SECOND, "/b", 0x1000);
	was_at(lives, 0x14000, 3 * SECOND, "/c", 0x1000);
	/* Nothing is in the lowest place of the past, but there is one behind it. */
	was_at(lives, 0x16800, 2 * SECOND, "/b", 0x3800);
	was_at(lives, 0x16800, 3 * SECOND, "/c", 0x3800);
	was_at(lives, 0x16800, 4 * SECOND, "/d", 0x800);
	was_at(lives, 0x16800, 5 * SECOND, "/e", 0x6800);
	was_at(lives, 0x19000, 4 * SECOND, "/c", 0x6000);
	was_at(lives, 0x19000, 5 * SECOND, "/e", 0x9000);
	assert_string_equal(before(lives, 7, 0x11000), "/a");
	assert_string_equal(before(lives, 7, 0x16800), "/b");
	assert_string_equal(before(lives, 7, 0x19000), "/c");
	history_free(lives);
}

/* A library that comes back at another base: the address is of another place in the same file. */
TEST(one_library_elsewhere)
{
	static const struct mapped maps[] = {
		{ "/a", SECOND, 0x10000, 0x18000, 0 }, { "/a", 2 * SECOND, 0x14000, 0x1c000, 0 },
		/* A loader maps all of it, and its data at another offset then. */
		{ "/b", SECOND, 0x20000, 0x28000, 0 }, { "/b", SECOND + 9, 0x24000, 0x28000, 0x3000 },
	};
	struct history *lives = lives_with(maps, sizeof(maps) / sizeof(maps[0]));

	history_settle(lives, NULL);
	was_at(lives, 0x15000, SECOND, "/a", 0x5000);
	was_at(lives, 0x15000, 2 * SECOND, "/a", 0x1000);
	assert_string_equal(before(lives, 7, 0x15000), "/a");
	was_at(lives, 0x25000, SECOND, "/b", 0x4000);
	assert_null(before(lives, 7, 0x25000));
	history_free(lives);
}

/* What the past has no room for has no name, and not that of another time. */
TEST(libraries_without_end)
{
	static const char *const paths[] = { "/a", "/b" };
	struct history *lives = lives_with(NULL, 0);
	unsigned int i;

	for (i = 0; i < 400; i++)
		map_add(lives, 7, &(struct mapped){ paths[i % 2], (i + 1) * SECOND, 0x10000,
						    0x10000 + 0x1000 * (1 + i % 3), 0 });
	history_settle(lives, NULL);
	was_at(lives, 0x10008, SECOND, "/a", 8);
	was_at(lives, 0x10008, 100 * SECOND + 5, "/b", 8);
	was_at(lives, 0x10008, 300 * SECOND + 5, HISTORY_TOO_OFTEN, 8);
	was_at(lives, 0x10008, 399 * SECOND + 5, HISTORY_TOO_OFTEN, 8);
	was_at(lives, 0x10008, 400 * SECOND, "/b", 8);
	history_free(lives);
}

/* One mapping over a hundred files. */
TEST(many_files_at_once)
{
	struct history *lives = lives_with(NULL, 0);
	char path[16];
	unsigned int i;

	for (i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/file%u", i);
		map_add(lives, 7, &(struct mapped){ path, SECOND, 0x10000 + 0x1000 * i,
						    0x11000 + 0x1000 * i, 0 });
	}
	map_add(lives, 7, &(struct mapped){ "/all", 2 * SECOND, 0x10000, 0x10000 + 0x1000 * 100, 0 });
	history_settle(lives, NULL);
	was_at(lives, 0x10000 + 0x1000 * 99, SECOND, "/file99", 0);
	was_at(lives, 0x10000 + 0x1000 * 99, 2 * SECOND, "/all", 0x1000 * 99);
	history_free(lives);
}

/* What its parent had before the fork, a process never had, nor the program after exec. */
TEST(past_of_others)
{
	static const struct mapped maps[] = {
		{ "/a", SECOND, 0x10000, 0x15000, 0 }, { "/b", 2 * SECOND, 0x10000, 0x15000, 0 },
	};
	struct history *lives = lives_with(maps, 2);

	history_fork(lives, 3 * SECOND, 8, 8, 7, 7);
	map_add(lives, 8, &(struct mapped){ "/c", 4 * SECOND, 0x14000, 0x15000, 0 });
	history_fork(lives, 3 * SECOND, 9, 9, 7, 7);
	history_comm(lives, 4 * SECOND, 9, 9, "other", true);
	map_add(lives, 9, &(struct mapped){ "/d", 4 * SECOND + 1, 0x10000, 0x15000, 0 });
	history_settle(lives, NULL);
	assert_string_equal(before(lives, 7, 0x11000), "/a");
	assert_null(before(lives, 8, 0x11000));
	assert_string_equal(before(lives, 8, 0x14000), "/b");
	assert_null(before(lives, 9, 0x11000));
	assert_string_equal(history_map_at(history_find(lives, 9, 0), 0x11000)->path, "/d");
	history_free(lives);
}

/* A process had another library in the second session than in the first one. */
TEST(two_sessions)
{
	static const struct mapped first[] = {
		{ "/app", 0, 0x1000, 0x2000, 0 }, { "/a", SECOND, 0x10000, 0x15000, 0 },
		{ "/b", 2 * SECOND, 0x10000, 0x15000, 0 }, { "//anon", 2 * SECOND, 0x20000, 0x21000, 0 },
	};
	static const struct mapped second[] = {
		{ "/app", 0, 0x1000, 0x2000, 0 }, { "/c", 0, 0x10000, 0x13000, 0 },
		{ "/d", 8 * SECOND, 0x10000, 0x13000, 0 }, { "//anon", 0, 0x20000, 0x21000, 0 },
	};
	struct history *lives = history_new(), *later = history_new();
	size_t i;

	for (i = 0; i < 4; i++) {
		map_add(lives, 7, &first[i]);
		map_add(later, 7, &second[i]);
	}
	history_settle(lives, NULL);
	history_settle(later, NULL);
	history_merge(lives, later, 5 * SECOND);
	history_settle(lives, NULL);
	history_free(later);
	assert_int_equal(lives->nr_images, 1);
	assert_string_equal(history_map_at(history_find(lives, 7, 0), 0x11000)->path, "/d");
	assert_string_equal(before(lives, 7, 0x11000), "/a");
	assert_string_equal(history_map_at(history_find(lives, 7, 0), 0x14000)->path, "/b");
	assert_null(before(lives, 7, 0x1800));
	assert_null(before(lives, 7, 0x20800));
	history_free(lives);
}

/* A JIT's functions as "perf inject --jit" writes them: a file each, from any byte to any other. */
TEST(functions_of_a_jitdump)
{
	static const struct mapped maps[] = {
		{ "//anon", SECOND, 0x10000, 0x20000, 0 },
		{ "/tmp/jitted-7-1.so", SECOND + 50, 0x10040, 0x10100, 0x40 },
		{ "/tmp/jitted-7-2.so", SECOND + 60, 0x10100, 0x10180, 0x40 },
		{ "/tmp/jitted-7-3.so", SECOND + 900, 0x100c0, 0x10140, 0x40 },
		{ "/tmp/jitted-7-4.so", 2 * SECOND, 0x10040, 0x10080, 0x40 },
	};
	struct history *lives = lives_with(maps, sizeof(maps) / sizeof(maps[0]));

	history_settle(lives, NULL);
	was_at(lives, 0x10050, SECOND + 50, "/tmp/jitted-7-1.so", 0x50);
	was_at(lives, 0x10050, 2 * SECOND, "/tmp/jitted-7-4.so", 0x50);
	was_at(lives, 0x10090, 2 * SECOND, "/tmp/jitted-7-1.so", 0x90);
	was_at(lives, 0x100d0, SECOND + 70, "/tmp/jitted-7-1.so", 0xd0);
	was_at(lives, 0x100d0, SECOND + 900, "/tmp/jitted-7-3.so", 0x50);
	was_at(lives, 0x10120, SECOND + 899, "/tmp/jitted-7-2.so", 0x60);
	was_at(lives, 0x10120, SECOND + 900, "/tmp/jitted-7-3.so", 0xa0);
	was_at(lives, 0x10160, 2 * SECOND, "/tmp/jitted-7-2.so", 0xa0);
	was_at(lives, 0x10200, 2 * SECOND, "//anon", 0x200);
	history_free(lives);
}

static void add_code(struct history *history, const char *name, uint64_t start)
{
	struct history_code *codes = calloc(1, sizeof(*codes));
	struct history_map *maps = calloc(1, sizeof(*maps));
	struct history_image image = {
		.pid = 7, .until = ~0ULL, .nr_maps = 1, .maps = maps, .nr_codes = 1, .codes = codes,
	};

	assert_true(codes && maps);
	*maps = (struct history_map){ .start = 0x1000, .end = 0x2000, .path = "/app" };
	*codes = (struct history_code){
		.start = start, .end = start + 1, .function = start - 4, .name = name,
	};
	history_add_image(history, &image);
	history_settle(history, NULL);
}

/* A JIT used the place for another function between two sessions. */
TEST(functions_of_two_sessions)
{
	static const char *const wanted[] = { "later" HISTORY_EARLIER "first", "same", "first" };
	static const struct { const char *name; uint64_t start; } later[] = {
		{ "later", 0x10010 }, { "same", 0x10010 }, { "later", 0x10020 },
	};
	size_t i;

	for (i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		struct history *lives = history_new(), *other = history_new();

		add_code(lives, i == 1 ? "same" : "first", 0x10010);
		add_code(other, later[i].name, later[i].start);
		history_merge(lives, other, 5);
		history_settle(lives, NULL);
		history_free(other);
		assert_string_equal(history_code_at(history_find(lives, 7, 0), 0x10010)->name,
				    wanted[i]);
		history_free(lives);
	}
}
