// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <unistd.h>

#include "ctl_view.h"

#include "analysis/lineset.h"
#include "profile/imported.h"
#include "util/xalloc.h"
#include "views/views.h"

#define KERNEL	0xffff888000000000ULL

static void slots_get(const struct snapshot *snap, struct line_slots *slots)
{
	struct lineset *set = lineset_new(snap, NULL, MEMLAT_LINE_BYTES);

	assert_non_null(set);
	slots_of_line(set, snap->lines, slots);
	lineset_free(set);
}

/*
 * Two CPUs take turns at two slots, and one of them samples 20 times as often. By samples it looks
 * like one slot, by their weights like two.
 */
TEST(periods_that_differ)
{
	struct memlat_rec_access accesses[] = {
		{ .addr = 0x1048, .tgid = 7, .gen = 1, .samples = 5,
		  .hitm_remote = 5, .weight = 5 * 2000, },
		{ .addr = 0x1040, .tgid = 7, .gen = 1, .samples = 95,
		  .hitm_local = 45, .hitm_remote = 50, .weight = 95 * 100, },
		{ .addr = 0x1040, .tgid = 7, .gen = 1, .samples = 20,
		  .stores = 20, .weight = 20 * 1000, },
		/* These are by an earlier process with that number, and by other processes. */
		{ .addr = 0x1060, .tgid = 7, .gen = 2, .samples = 100,
		  .hitm_local = 100, .weight = 100000, },
		{ .addr = 0x1058, .tgid = 8, .gen = 1, .samples = 100,
		  .hitm_local = 100, .weight = 100000, },
		{ .addr = 0x1080, .tgid = 7, .gen = 1, .samples = 100,
		  .hitm_local = 100, .weight = 100000, },
		{ .addr = 0x1000, .tgid = 7, .gen = 1, .samples = 100,
		  .hitm_local = 100, .weight = 100000, },
	};
	struct snapshot snap = {
		.accesses = accesses, .nr_accesses = sizeof(accesses) / sizeof(accesses[0]),
	};
	struct memlat_rec_line line = {
		.addr = 0x1040, .space = 7, .gen = 1, .samples = 120, .stores = 20,
		.source = { [MEMLAT_SRC_RHITM] = 55, [MEMLAT_SRC_L3_HITM] = 45 },
		.slot_hitm = { 95, 5 }, .slot_store = { 20 },
	};
	const __u64 weights[MEMLAT_LINE_SLOTS] = { 9500, 10000 };
	struct line_slots slots;
	size_t i;

	snap.lines = &line;
	snap.nr_lines = 1;
	slots_get(&snap, &slots);
	assert_memory_equal(slots.hitm, weights, sizeof(weights));
	assert_int_equal(slots.store[0], 20000);
	assert_int_equal(slots.store[1], 0);

	/* If most of its accesses were evicted, its samples are the better figure. */
	line.samples = 241;
	slots_get(&snap, &slots);
	assert_memory_equal(slots.hitm, line.slot_hitm, sizeof(slots.hitm));
	assert_memory_equal(slots.store, line.slot_store, sizeof(slots.store));
	line.samples = 120;

	/* A kernel line belongs to everyone, a physical one to whoever maps it. */
	line.space = 0;
	line.addr += KERNEL;
	for (i = 0; i < snap.nr_accesses; i++)
		accesses[i].addr += KERNEL;
	slots_get(&snap, &slots);
	assert_int_equal(slots.hitm[3], 100000);
	line.space = 7;
	line.addr -= KERNEL;
	line.phys = 0x98765440;
	snap.head.status.flags = MEMLAT_F_PHYS;
	for (i = 0; i < snap.nr_accesses; i++) {
		accesses[i].addr -= KERNEL;
		accesses[i].phys = 0x1040;
		if (accesses[i].tgid == 8)
			accesses[i].phys = 0x98765440;
	}
	slots_get(&snap, &slots);
	assert_int_equal(slots.hitm[3], 100000);
	assert_int_equal(slots.hitm[0], 0);
	/*
	 * If a line was seen at several physical addresses, all accesses at its linear address are
	 * its own.
	 */
	line.phys = 0;
	slots_get(&snap, &slots);
	assert_memory_equal(slots.hitm, weights, sizeof(weights));
}

SAMPLE_BEGIN_END(snap)

/* Who made the samples of two lines: two threads at two places of one, and at one of the other. */
static void know_accesses(void)
{
	struct memlat_rec_access *accesses = xcalloc(4, sizeof(*accesses));
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const bool kernel = i >= 2;
		const __u64 loads = kernel ? 100 : 350, stores = kernel ? 20 : 30;

		accesses[i] = (struct memlat_rec_access){
			.addr = kernel ? 0xffff9c3f8112c058ULL : 0x55d0c0a04080ULL + 8 * i,
			.ip = 0x401136, .tgid = (__u32)getpid(), .tid = 1 + i % 2,
			.samples = loads + stores, .stores = stores,
			.hitm_local = kernel ? loads : 0, .hitm_remote = kernel ? 0 : loads,
			.latency_hitm_local = kernel ? loads * 350 : 0,
			.latency_hitm_remote = kernel ? 0 : loads * 350, .latency_sum = loads * 350,
			.weight = (loads + stores) * SAMPLE_PERIOD,
			.cost = loads * 350 * SAMPLE_PERIOD, .cpus = 2U << i % 2, .nodes = 1,
		};
	}
	free(snap.accesses);
	snap.accesses = accesses;
	snap.nr_accesses = snap.room_accesses = 4;
	for (i = 0; i < snap.nr_lines; i++) {
		snap.lines[i].latency[MEMLAT_SRC_L3_HITM] = snap.lines[i].source[MEMLAT_SRC_L3_HITM] * 350;
		snap.lines[i].latency[MEMLAT_SRC_RHITM] = snap.lines[i].source[MEMLAT_SRC_RHITM] * 350;
	}
}

static char *lines_text(size_t show, size_t width)
{
	struct rows_view view = { .word = LINE_BY_HITM, .show = show, .width = width };

	return SHOWN(&snap, view, PRINTED(lines_show(out, REPORT_TEXT, &view)));
}

static char *lines_table(void)
{
	struct rows_view view = { .word = LINE_BY_HITM };

	return SHOWN(&snap, view, PRINTED(lines_show(out, REPORT_CSV, &view)));
}

static struct json_object *lines_document(size_t show)
{
	struct rows_view view = { .word = LINE_BY_HITM, .show = show };

	return SHOWN(&snap, view, reread(lines_show(NULL, REPORT_JSON, &view)));
}

TEST_WITH(latency_is_not_known, begin, end)
{
	snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	SAYS(lines_text(0, 240), "  RmtHitm  ", NOT "avg cyc");
	TELLS(lines_document(0), FITS "lines", "/lines/0/latency_avg null");
}

/* Nor are CPUs: they are not 0. */
TEST_WITH(cpus_are_not_known, begin, end)
{
	size_t i;

	SAYS(lines_text(0, 240), "  CPUs  ");
	for (i = 0; i < snap.nr_lines; i++)
		snap.lines[i].cpus = 0;
	SAYS(lines_text(0, 240), NOT "  CPUs  ");
}

/* With physical addresses: the node of a line, and that several processes use it. */
TEST_WITH(lines_by_physical_address, begin, end)
{
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM, 0);
	snap.head.status.flags |= MEMLAT_F_PHYS;
	snap.lines[0].phys = 0x123456040;
	snap.lines[0].home = 1;
	snap.lines[0].shared = 1;
	SAYS(lines_text(2, 300),
	     "  home  CPUs", "  0x123456040\n", " and others  ", "     -     4 ",
	     "            -\n");

	TELLS(lines_document(0), "/lines/0/phys 0x123456040", "/lines/0/home 1",
	      "/lines/0/shared true", "/lines/1/phys null", "/lines/1/home null",
	      "/lines/1/shared false");
}

/* The table, the story below it, and JSON have the same verdict. */
TEST_WITH(lines_tell_sharing, begin, end)
{
	know_accesses();
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM, 0);
	snap.lines[0] = snap.lines[1];
	SAYS(lines_text(1, 200), "     40  true sharing  ",
	     "\nLine 1, 0xffff9c3f8112c040: true sharing, 17.5% of sampled latency. ");
	TELLS(lines_document(3), "/lines/0/verdict true_sharing", "/lines/0/reading true_sharing");
	/* Without stores there is nothing to say of them. */
	snap.lines[0].samples -= snap.lines[0].stores;
	snap.lines[0].stores = 0;
	snap.head.status.flags &= ~MEMLAT_F_STORES;
	SAYS(lines_text(1, 200), NOT "stored at");
}

/* What only some CPUs report is shown for these, if there is any. */
TEST_WITH(lines_of_other_cores, begin, end)
{
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM, 0);
	TELLS(lines_document(0), "/ip_after false", "/lines/0/locked 0",
	      "/lines/0/blocked_data null");
	/* CSV does not say 0 of what is not known either. */
	SAYS(lines_table(), ",home,blocked_data,blocked_addr,cpu_count,latency_max,", ",,,,4,5000,", NOT ",,0,0,4,5000,");

	snap.head.status.traits = MEMLAT_TRAIT_BLOCKED | MEMLAT_TRAIT_IP_AFTER;
	snap.lines[1].blocked_data = 17;
	snap.lines[2].blocked_addr = 18;
	SAYS(lines_text(2, 250), "  blk data  CPUs", "        17     4 ", NOT "blk addr");
	SAYS(lines_text(0, 250), "  blk data  blk addr  CPUs");
	/* On a narrow terminal, the more important columns stay. */
	SAYS(lines_text(0, 80), "offsets (of\n loads), stored at, blk data, blk addr, CPUs");
	TELLS(lines_document(0), "/ip_after true", "/lines/1/blocked_data 17",
	      "/lines/2/blocked_addr 18", "/lines/0/locked null", "/lines/0/stlb_miss null");
	SAYS(lines_table(), ",17,0,4,5000,", ",0,18,1,900,");
}

/* With one node nothing is remote, and there is only one node to name. */
TEST_WITH(lines_of_one_node, begin, end)
{
	snap.head.status.nodes = 1;
	line_sort(snap.lines, snap.nr_lines, LINE_BY_LOADS, 0);
	SAYS(lines_text(0, 200),
	     /* The CPU reported some, so they are shown all the same. */
	     "RmtHitm  LclHitm  loads  stores  verdict          data      avg cyc  process ");
	snap.lines[0].source[MEMLAT_SRC_RHITM] = 0;
	SAYS(lines_text(0, 200),
	     "line  LclHitm  loads  stores  verdict          data      avg cyc  process ",
	     NOT "rmt");
}

/* Stores alone: there is no column that only loads have. */
TEST_WITH(lines_of_stores, begin, end)
{
	snap.head.status.flags = MEMLAT_F_KERNEL | MEMLAT_F_STORES;
	SAYS(lines_text(1, 200),
	     "#            line  stores  verdict          data  nodes  process ", NOT "  loads",
	     NOT "RmtHitm");
}

TEST_WITH(lines_without_samples, begin, end)
{
	snap.nr_lines = 0;
	snap.head.status.samples = 0;
	snap.head.status.latency_sum = 0;
	snap.head.status.pid = 71;
	snap.head.status.max_overhead = 0;
	snap.head.status.flags &= ~MEMLAT_F_STORES;
	SAYS(lines_text(20, 132),
	     "No samples: no load longer than 30 cycles", "lower --ldlat or --period",
	     "7 records of other tasks were left out; the session samples only process 71 (",
	     NOT "%");

	snap.head.status.started_ns = 0;
	SAYS(lines_text(20, 132), "no session was started", "memlat-ctl start --ldlat 30");
}
