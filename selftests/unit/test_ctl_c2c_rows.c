// SPDX-License-Identifier: GPL-2.0
/* Rows of a line: coalescing, nodes, means, and what is left out. */
#include <stdbool.h>

#include "ctl_c2c.h"

#include "profile/imported.h"
#include "views/c2c_pareto.h"

VIEW_BEGIN_END(view)

/* Two processes on one line in memory, five users of two bytes. */
static void take_users(void)
{
	struct session *s = &view.s;

	s->snap.head.status.flags |= MEMLAT_F_PHYS;
	USE(s, .addr = LINE, .phys = 0x9080, .tid = 1, .ip = 0x1000, .loads = 100, .hitm = 40,
	    .rhitm = 20, .stores = 100, .store_misses = 25);
	USE(s, .addr = LINE, .phys = 0x9080, .tid = 1, .ip = 0x1010, .loads = 100, .hitm = 40);
	USE(s, .addr = LINE, .phys = 0x9080, .tid = 2, .ip = 0x1000, .loads = 100, .rhitm = 20);
	USE(s, .addr = LINE, .phys = 0x9080, .tid = 3, .pid = 72, .ip = 0x1000, .loads = 100,
	    .rhitm = 60);
	USE(s, .addr = LINE + 9, .phys = 0x9080, .tid = 2, .ip = 0x1010, .loads = 100,
	    .stores = 60);
}

static void has_rows(unsigned int coalesce, size_t rows)
{
	struct c2c_rows found;

	view.options.coalesce = coalesce;
	assert_int_equal(view_take(&view), 0);
	c2c_rows_take(&found, &view.c2c, 0);
	if (found.nr_rows != rows)
		fail_msg("%zu rows, not %zu, by %x", found.nr_rows, rows, coalesce);
	c2c_rows_free(&found);
}

TEST_WITH(coalescing, begin, end)
{
	take_users();
	/* Nothing is known of the code: an address is each process's own. */
	has_rows(C2C_IADDR, 4);
	has_rows(C2C_PID, 3);
	has_rows(C2C_TID, 4);
	has_rows(C2C_TID | C2C_PID, 4);
	has_rows(C2C_TID | C2C_IADDR, 5);
	has_rows(C2C_PID | C2C_IADDR, 4);
	has_rows(C2C_DSO, 2);
}

TEST_WITH(latency_is_not_known, begin, end)
{
	take_users();
	view.s.snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	view.options.coalesce = C2C_DSO;
	TELLS(view_json(&view), "/lines/0/rows/0/hitm_remote_latency_avg null",
	      "/lines/0/rows/0/hitm_local_latency_avg null", "/lines/0/rows/0/other_latency_avg null");
}

TEST_WITH(cpus_are_not_known, begin, end)
{
	size_t i;

	take_users();
	for (i = 0; i < view.s.snap.nr_accesses; i++)
		view.s.accesses[i].cpus = 0;
	view.options.coalesce = C2C_DSO;
	TELLS(view_json(&view), "/lines/0/rows/0/cpu_count null");
}

/* The number of different physical pages, not of their changes. */
TEST_WITH(pages_of_a_line, begin, end)
{
	take_users();
	view.s.accesses[1].phys = 0xb080;
	view.options.coalesce = C2C_DSO;
	TELLS(view_json(&view), "/lines/0/pages 2", "/lines/0/rows/0/pages 2",
	      "/lines/0/rows/1/pages 1");
}

TEST_WITH(columns, begin, end)
{
	take_users();
	SAYS(view_text(&view), "Code address", "Source:Line", NOT "Tid");
	view.options.no_source = true;
	SAYS(view_text(&view), NOT "Source:Line");
	view.options.coalesce = C2C_TID;
	SAYS(view_text(&view), "Tid", NOT "Code address", "offset,tid");
	view.options.stats = true;
	SAYS(view_text(&view), "c2c details", NOT "Pareto", NOT "Shared Data Cache Line Table");
}

TEST_WITH(node_forms, begin, end)
{
	take_users();
	view.options.coalesce = C2C_DSO;
	/*
	 * HITM loads on node 1: of threads 1 and 3, 40+20+40+60 of 180. All stores are of thread 1.
	 */
	view.options.node_info = 1;
	TELLS(view_json(&view), "/lines/0/rows/0/node_use 0{1 11.1% 0.0%} 1{2 88.9% 100.0%}",
	      "/lines/0/rows/1/node_use 0{1 - 100.0%}");
	/* By what is displayed: remote HITM, 80 of 100. */
	view.options.display = C2C_RMT;
	TELLS(view_json(&view), "/lines/0/rows/0/node_use 0{1 20.0% 0.0%} 1{2 80.0% 100.0%}");
	/* Which node the remote ones of thread 3 were on is not known. */
	view.s.accesses[3].nodes = 3;
	TELLS(view_json(&view), "/lines/0/rows/0/node_use 0{1 20.0% 0.0%} 1{2 20.0% 100.0%}");
	view.options.node_info = 2;
	TELLS(view_json(&view), "/lines/0/rows/0/node_use 0{2} 1{1,3}");
}

TEST_WITH(what_is_left_out, begin, end)
{
	USE(&view.s, .addr = LINE, .tid = 1, .loads = 9000, .hitm = 9000, .stores = 2000);
	USE(&view.s, .addr = LINE, .tid = 2, .loads = 9000, .hitm = 9000, .stores = 2000);
	/* Less than a thousandth of the cost, and no HITM. */
	USE(&view.s, .addr = LINE + 8, .tid = 2, .loads = 10);
	SAYS(view_text(&view), "(1 row with less than 0.1%", NOT "+0x08");
	view.options.show_all = true;
	SAYS(view_text(&view), NOT "with less than", "+0x08",
	     NOT "samples: the others were evicted");
	/* Accesses that had to leave the table. */
	view.s.lines[0].samples += 100;
	SAYS(view_text(&view), "(rows show 22,010 of these lines' 22,110 samples");
}

TEST_WITH(call_chains, begin, end)
{
	struct memlat_rec_stack stacks[] = {
		{ .id = 9, .frames = 2, .tgid = PID, .frame = { 0x1000, 0x2000 } },
		{ .id = 4, .frames = 3, .kernel_frames = 1, .tgid = PID,
		  .frame = { 0xffffffff81000000, 0x3000, 0x4000 } },
	};

	USE(&view.s, .addr = LINE, .tid = 1, .stack = 4, .loads = 100, .hitm = 10, .stores = 50);
	USE(&view.s, .addr = LINE, .tid = 1, .stack = 9, .loads = 300, .hitm = 90, .stores = 50);
	USE(&view.s, .addr = LINE, .tid = 2, .loads = 100, .hitm = 90, .stores = 50);
	USE(&view.s, .addr = LINE, .tid = 3, .stack = 4, .loads = 10, .hitm = 1);
	view.options.coalesce = C2C_PID;
	view.options.call_graph = true;
	SAYS(view_text(&view), "No call chains were recorded");
	view.s.snap.stacks = stacks;
	view.s.snap.nr_stacks = 2;
	SAYS(view_text(&view), "Call chains by line and offset", "0x2000");
	TELLS(view_json(&view),
	      /* The costliest first. */
	      "/lines/0/rows/0/stacks/0/samples 350",
	      "/lines/0/rows/0/stacks/0/frames/1/ip 0x2000",
	      "/lines/0/rows/0/stacks/1/samples 160",
	      "/lines/0/rows/0/stacks/1/frames/0/ip 0xffffffff81000000");
	view.s.snap.stacks = NULL;
}

/* Lines that hardly anything was sampled of are one line. */
TEST_WITH(hardly_sampled, begin, end)
{
	const __u64 kernel = 0xffff9c3f8112c040;
	size_t i;

	USE(&view.s, .addr = kernel, .tid = 1, .loads = 400, .rhitm = 40, .stores = 90);
	USE(&view.s, .addr = kernel + 8, .tid = 2, .loads = 400, .rhitm = 40, .stores = 90);
	for (i = 1; i < 20; i++) {
		USE(&view.s, .addr = kernel + 64 * i, .tid = 1, .stores = 1);
		USE(&view.s, .addr = kernel + 64 * i, .tid = 2, .loads = 5);
	}
	view.options.fold = true;
	view.options.show = 20;
	SAYS(view_text(&view), "(19 more lines, hardly sampled: ", NOT "too few samples",
	     NOT "no line here is fought over");
}

/* Without a line that is fought over, other views tell more. */
TEST_WITH(screen_without_sharing, begin, end)
{
	USE(&view.s, .addr = LINE, .tid = 1, .loads = 3000, .dram = 2900);
	USE(&view.s, .addr = LINE + 64, .tid = 1, .stores = 1);
	USE(&view.s, .addr = LINE + 64, .tid = 2, .loads = 1, .hitm = 1);
	view.options.fold = true;
	view.options.show = 20;
	SAYS(view_text(&view), "(no line here is fought over; the views dcache and data show where loads wait)",
	     "(1 more line, hardly sampled: ", NOT "too few samples");
}

/* What -n 0 does not show is not among what it is said to show. */
TEST_WITH(lines_left_out_are_told_apart, begin, end)
{
	USE(&view.s, .addr = LINE, .tid = 1, .loads = 9000, .hitm = 900, .stores = 60);
	USE(&view.s, .addr = LINE + 8, .tid = 2, .loads = 9000, .hitm = 900, .stores = 60);
	USE(&view.s, .addr = LINE + 64, .tid = 1, .loads = 100, .hitm = 90);
	USE(&view.s, .addr = LINE + 64, .tid = 2, .stores = 60);
	USE(&view.s, .addr = LINE + 128, .tid = 1, .loads = 1);
	USE(&view.s, .addr = LINE + 128, .tid = 2, .loads = 1, .stores = 1);
	view.options.show = 1;
	SAYS(view_text(&view), "(1 of 2 shared lines, by cost; -n 0 shows all)",
	     "(left out: 1 with less than 0.1% of the shared lines' cost; -d all shows all)");
	view.options.show = 0;
	SAYS(view_text(&view), "(left out: 1 with less than", NOT "-n 0 shows all");
}
