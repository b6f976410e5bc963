// SPDX-License-Identifier: GPL-2.0
/* Which rows of a snapshot are one line, and which accesses are to it. */
#include <sys/mman.h>

#include "ctl_session.h"

#include "analysis/lineset.h"
#include "analysis/verdict.h"
#include "profile/history.h"

static void map_add(struct history *history, __u32 pid, __u64 start, __u64 offset,
		    __u64 inode, __u32 flags)
{
	const struct history_map map = {
		.start = start, .end = start + 0x10000, .offset = offset,
		.major = 0, .minor = 1, .inode = inode, .prot = PROT_READ | PROT_WRITE,
		.flags = flags, .path = "/dev/shm/x",
	};

	history_fork(history, 0, pid, pid, 1, 1);
	history_map(history, pid, 0, &map);
}

/* Lines of one shared mapping are one line, at whatever address each process has it. */
TEST(shared_mappings)
{
	struct history *history;
	struct verdicts *verdicts;
	const struct lineset_line *line;
	struct lineset *set;
	struct session s;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		USES(&s, { .addr = 0x700000000080ULL, .tid = 1, .loads = 100, .hitm = 90,
			   .stores = 50 },
		     { .addr = 0x7f0000001088ULL, .pid = 72, .tid = 2, .loads = 100, .hitm = 80,
		       .stores = 61 });
		history = history_new();
		assert_non_null(history);
		/* The same file; another file; another place in it; not shared. */
		map_add(history, PID, 0x700000000000ULL, 0x1000, 5, MAP_SHARED);
		map_add(history, 72, 0x7f0000000000ULL, i == 2 ? 0x1000 : 0, i == 1 ? 6 : 5,
			i == 3 ? MAP_PRIVATE : MAP_SHARED);
		history_settle(history, &s.snap);
		set = lineset_new(&s.snap, history, 64);
		assert_non_null(set);
		verdicts = verdicts_of_set(set);
		assert_int_equal(lineset_lines(set), i ? 2 : 1);
		line = lineset_find(set, &s.lines[0]);
		assert_non_null(line);
		if (!i) {
			assert_ptr_equal(line, lineset_find(set, &s.lines[1]));
			assert_true(line->mapping);
			assert_int_equal(line->nr_rows, 2);
			assert_int_equal(line->nr, 2);
			assert_int_equal(line->rec->samples, 311);
			assert_int_equal(line->rec->stores, 111);
			assert_int_equal(line->rec->source[MEMLAT_SRC_L3_HITM], 170);
			assert_int_equal(line->rec->cpus, 6);
			assert_int_equal(line->rec->shared, 1);
			assert_int_equal(line->rec->cost, s.lines[0].cost + s.lines[1].cost);
			/* It has the address of the row with more samples. */
			assert_int_equal(line->rec->addr, 0x7f0000001080ULL);
		}
		assert_int_equal(verdict_of(verdicts, &s.lines[0])->verdict,
				 i ? VERDICT_TOO_FEW : VERDICT_FALSE_SHARING);
		verdicts_free(verdicts);
		lineset_free(set);
		history_free(history);
	}
}

/*
 * A page that moved: two rows of one line. Each access belongs to the row of its physical address.
 */
TEST(page_that_moved)
{
	const struct lineset_line *line;
	struct lineset *set;
	struct session s;

	session_init(&s);
	s.snap.head.status.flags |= MEMLAT_F_PHYS;
	USE(&s, .addr = LINE, .phys = 0x7080, .tid = 1, .loads = 100, .hitm = 90, .stores = 50);
	USE(&s, .addr = LINE, .phys = 0x9080, .tid = 1, .loads = 10, .hitm = 9, .stores = 5);
	/* Another process has the line, and that page, at another address. */
	USE(&s, .addr = 0x70088, .pid = 72, .phys = 0x9080, .tid = 2, .loads = 10, .stores = 5);
	/* A page whose line was evicted. */
	USE(&s, .addr = LINE + 8, .phys = 0x7080, .tid = 3, .loads = 10);
	s.accesses[3].phys = 0xb080;
	assert_int_equal(s.snap.nr_lines, 2);
	set = lineset_new(&s.snap, NULL, 64);
	assert_int_equal(lineset_lines(set), 1);
	line = lineset_find(set, &s.lines[1]);
	assert_ptr_equal(line, lineset_find(set, &s.lines[0]));
	assert_int_equal(line->nr_rows, 2);
	assert_int_equal(line->nr, 4);
	assert_int_equal(line->rec->samples, 190);
	lineset_free(set);
}

TEST(pairs_of_lines)
{
	const struct lineset_line *line;
	struct lineset *set;
	struct session s;

	USES(&s, { .addr = 0x404080, .tid = 1, .loads = 10 },
	     { .addr = 0x4040c8, .tid = 2, .loads = 20 },
	     { .addr = 0x404100, .tid = 2, .loads = 40 });
	set = lineset_new(&s.snap, NULL, 128);
	assert_int_equal(lineset_lines(set), 2);
	line = lineset_find(set, &s.lines[1]);
	assert_int_equal(line->start, 0x404080);
	assert_int_equal(line->rec->samples, 30);
	assert_int_equal(line->nr, 2);
	assert_int_equal(lineset_offset(set, lineset_access(set, line->first + 1)), 0x48);
	assert_null(lineset_partner(set, line));
	lineset_free(set);

	set = lineset_new(&s.snap, NULL, 64);
	line = lineset_find(set, &s.lines[0]);
	assert_int_equal(lineset_partner(set, line)->rec->addr, 0x4040c0);
	assert_null(lineset_partner(set, lineset_find(set, &s.lines[2])));
	assert_int_equal(lineset_partner(set, lineset_find(set, &s.lines[1]))->rec->addr, 0x404080);
	lineset_free(set);
	lineset_free(NULL);
}

/* A page that moved in memory: one row, whose physical address is not known any more. */
TEST(one_row_of_a_line)
{
	struct session s;
	__u64 samples = 0, cost = 0;
	size_t i;

	session_init(&s);
	s.snap.head.status.flags |= MEMLAT_F_PHYS;
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50, .phys = 0x5080);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 30, .hitm = 20, .phys = 0x7080);
	USE(&s, .addr = LINE + 64, .tid = 2, .loads = 7, .phys = 0x50c0);
	assert_int_equal(s.snap.nr_lines, 3);
	for (i = 0; i < 3; i++) {
		samples += s.lines[i].samples;
		cost += s.lines[i].cost;
	}
	lineset_unite(&s.snap, NULL);
	assert_int_equal(s.snap.nr_lines, 2);
	assert_int_equal(s.lines[0].addr, LINE);
	assert_int_equal(s.lines[0].samples, 180);
	assert_int_equal(s.lines[0].phys, 0);
	assert_int_equal(s.lines[1].phys, 0x50c0);
	assert_int_equal(s.lines[0].samples + s.lines[1].samples, samples);
	assert_int_equal(s.lines[0].cost + s.lines[1].cost, cost);
	/* All of its accesses are found. */
	{
		struct lineset *set = lineset_new(&s.snap, NULL, 64);

		assert_int_equal(lineset_find(set, &s.lines[0])->nr, 2);
		lineset_free(set);
	}
	lineset_unite(&s.snap, NULL);
	assert_int_equal(s.snap.nr_lines, 2);
}

/*
 * Each member of a line that has two rows. All are sums, but for those that are named here; so a
 * new member has to be added up, or named.
 */
TEST(two_rows_of_one_line)
{
	struct memlat_rec_line one, other, sum, wanted;
	__u64 words[3][sizeof(one) / sizeof(__u64)];
	size_t i;

	for (i = 0; i < sizeof(one) / sizeof(__u64); i++) {
		words[0][i] = 3 * i + 1;
		words[1][i] = 5 * i + 2;
		words[2][i] = words[0][i] + words[1][i];
	}
	memcpy(&one, words[0], sizeof(one));
	memcpy(&other, words[1], sizeof(other));
	memcpy(&wanted, words[2], sizeof(wanted));
#define KEEP(member)	memcpy(&wanted.member, &one.member, sizeof(one.member))
#define JOIN(member)	(wanted.member = one.member | other.member)
	KEEP(hdr), KEEP(addr), KEEP(space), KEEP(gen), KEEP(ip), KEEP(comm), KEEP(reserved2);
	KEEP(phys), KEEP(home);
	JOIN(cpus), JOIN(nodes), JOIN(hitm_nodes), JOIN(bytes_loaded), JOIN(bytes_stored);
	JOIN(store_cpus), JOIN(store_nodes);
	wanted.latency_max = other.latency_max;
	wanted.shared = 1;
	sum = one;
	line_add(&sum, &other);
	assert_memory_equal(&sum, &wanted, sizeof(sum));

	/* The largest latency may be that of the first row, and its home may not be known. */
	sum = one;
	sum.latency_max = other.latency_max + 1;
	sum.home = MEMLAT_NODE_UNKNOWN;
	sum.space = other.space;
	sum.gen = other.gen;
	sum.shared = 0;
	line_add(&sum, &other);
	assert_int_equal(sum.latency_max, other.latency_max + 1);
	assert_int_equal(sum.home, other.home);
	assert_int_equal(sum.shared, 0);
}
