// SPDX-License-Identifier: GPL-2.0
/* What heads a view: rows that surely cost much, of programs, and not of memlat-ctl itself. */

#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/line.h"
#include "profile/self.h"
#include "views/c2c_story.h"
#include "views/views.h"

static struct session s;

static char *lines_text(size_t show)
{
	struct rows_view view = { .word = LINE_BY_COST, .show = show, .width = 200 };

	return SHOWN(&s.snap, view, PRINTED(lines_show(out, REPORT_TEXT, &view)));
}

/*
 * Two samples of a long period have half of all latency. They are shown with their error, and come
 * after what surely costs more.
 */
TEST(single_samples)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100 },
	     { .addr = LINE + 256, .tid = 1, .loads = 10 },
	     { .addr = LINE + 512, .tid = 1, .loads = 1, .period = 65536 },
	     { .addr = LINE + 768, .tid = 1, .loads = 1, .period = 65536 });
	line_sort(s.lines, s.snap.nr_lines, LINE_BY_COST, 0);
	assert_int_equal(s.lines[0].addr, LINE & ~63ULL);
	assert_int_equal(s.lines[3].addr, (LINE + 256) & ~63ULL);
	SAYS(lines_text(20), "41.5%  0x404080", "27.2% +-43  0x404280", "27.2% +-43  0x404380",
	     "4.1% +-37  0x404180", NOT "hardly sampled");
	SAYS(lines_text(1), NOT "0x404180", "(1 of 4 lines, by cost; -n 0 shows all)");
}

/* What has less than 1 % of the latency, and may have next to none, is one line of the text. */
TEST(next_to_nothing)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 1000 },
	     { .addr = LINE + 256, .tid = 1, .loads = 2 },
	     { .addr = LINE + 512, .tid = 1, .loads = 2, .period = 65536 },
	     { .addr = LINE + 768, .tid = 1, .loads = 1 });
	line_sort(s.lines, s.snap.nr_lines, LINE_BY_COST, 0);
	SAYS(lines_text(20), "0x404080", "0x404280", NOT "0x404180", NOT "0x404380",
	     "\n(2 more lines, hardly sampled: 0.3% of sampled latency together; -n 0 shows all)\n");
	SAYS(lines_text(0), "0x404180", "0x404380", NOT "hardly sampled");
	/* If there are no others, they are shown. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 9 });
	SAYS(lines_text(20), "0x404080", NOT "hardly sampled");
}

TEST(sites_in_order)
{
	struct memlat_rec_site sites[3] = {
		{ .ip = 1, .samples = 1, .cost = 10, .source[MEMLAT_SRC_L3_HITM] = 1 },
		{ .ip = 2, .samples = 10, .cost = 5 },
		{ .ip = 3, .samples = 100, .cost = 4 },
	};

	site_sort(sites, 3, SITE_BY_COST);
	assert_int_equal(sites[0].ip, 3);
	assert_int_equal(sites[2].ip, 1);
	site_sort(sites, 3, SITE_BY_SAMPLES);
	assert_int_equal(sites[0].ip, 3);
	assert_int_equal(sites[2].ip, 1);
	site_sort(sites, 3, SITE_BY_HITM);
	assert_int_equal(sites[0].ip, 1);
	assert_int_equal(sites[2].ip, 2);
}

/* In a live view. Lines that others use too, and the kernel's, stay. */
TEST(own_rows)
{
	struct memlat_rec_thread threads[] = {
		{ .tid = 5, .tgid = 5, .gen = 1, .samples = 70, .cost = 700, .comm = "memlat-ctl" },
		{ .tid = 71, .tgid = PID, .samples = 30, .cost = 300, .comm = "server" },
		/* Its pid, in an earlier or later generation. */
		{ .tid = 5, .tgid = 5, .gen = 2, .samples = 1, .cost = 1, .comm = "cat" },
		{ .tid = 6, .tgid = 5, .gen = 1, .samples = 7, .cost = 70, .comm = "memlat-ctl" },
	};
	struct memlat_rec_site sites[] = {
		{ .ip = 1, .space = 5, .gen = 1 }, { .ip = 2, .space = PID },
		{ .ip = 3, .space = 5, .gen = 2 }, { .ip = 1ULL << 63 },
	};
	struct memlat_rec_stride strides[] = {
		{ .ip = 1, .space = 5, .gen = 1 }, { .ip = 2, .space = PID },
	};
	struct own_left_out left_out;
	struct session none;

	USES(&s, { .addr = LINE, .pid = 5, .tid = 5, .loads = 10 },
	     { .addr = LINE, .tid = 7, .loads = 20 },
	     { .addr = LINE + 64, .pid = 5, .tid = 5, .loads = 10 },
	     { .addr = 0xffff888000404080ULL, .pid = 5, .tid = 5, .loads = 10 });
	s.lines[0].gen = s.lines[2].gen = 1;
	s.accesses[0].gen = s.accesses[2].gen = s.accesses[3].gen = 1;
	s.lines[2].shared = 1;
	s.snap.threads = threads;
	s.snap.nr_threads = 4;
	s.snap.sites = sites;
	s.snap.nr_sites = 4;
	s.snap.strides = strides;
	s.snap.nr_strides = 2;
	self_leave_out(&s.snap, &left_out);
	assert_int_equal(left_out.samples, 77);
	assert_int_equal(left_out.cost, 770);
	assert_int_equal(s.snap.nr_threads, 2);
	assert_int_equal(s.snap.threads[0].tid, 71);
	assert_int_equal(s.snap.threads[1].gen, 2);
	assert_int_equal(s.snap.nr_sites, 3);
	assert_int_equal(s.snap.sites[0].ip, 2);
	assert_int_equal(s.snap.nr_strides, 1);
	assert_int_equal(s.snap.nr_lines, 3);
	assert_int_equal(s.snap.lines[0].space, PID);
	assert_true(s.snap.lines[1].shared);
	assert_int_equal(s.snap.lines[2].space, 0);
	assert_int_equal(s.snap.nr_accesses, 2);
	assert_int_equal(s.snap.accesses[0].tgid, PID);

	/* There is no process of that name: all rows stay. */
	USES(&none, { .addr = LINE, .tid = 7, .loads = 20 });
	self_leave_out(&none.snap, &left_out);
	assert_int_equal(left_out.samples, 0);
	assert_int_equal(none.snap.nr_lines, 1);
	assert_int_equal(none.snap.nr_accesses, 1);
}

TEST(kernel_housekeeping)
{
	const struct memlat_rec_line user = { .addr = LINE };

	assert_true(housekeeping_name("timekeeper_data"));
	assert_true(housekeeping_name("jiffies"));
	assert_true(housekeeping_name("runqueues of CPU 3"));
	assert_true(housekeeping_name("tk_core.seq"));
	assert_false(housekeeping_name("jiffies_of_mine"));
	assert_false(housekeeping_name("nohz_balancer"));
	assert_false(housekeeping_name("my_runqueues"));
	assert_false(housekeeping_name(NULL));
	/* Only clocks count as one of these, whatever their fields. */
	assert_true(housekeeping_clock("timekeeper_data"));
	assert_true(housekeeping_clock("tk_core.seq"));
	assert_false(housekeeping_clock("runqueues of CPU 3"));
	assert_false(housekeeping_clock("jiffies"));
	assert_false(housekeeping_clock(NULL));
	assert_false(housekeeping_line(NULL, &user));
}
