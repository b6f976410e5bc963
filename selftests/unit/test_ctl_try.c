// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl try: what is concluded from pairs of runs, and what it refuses. */
#include <numaif.h>
#include <sys/prctl.h>

#include "ctl_profile.h"
#include "ctl_view.h"
#include "record/policy.h"
#include "views/views.h"

static struct try_view view;
static struct snapshot snap;
static struct memlat_rec_count counts[3];

static void count(unsigned int at, __u16 event, __u64 value)
{
	counts[at] = (struct memlat_rec_count) {
		.event = event, .value = value, .enabled = 1000, .running = 1000,
	};
	snap.counts = counts;
	snap.nr_counts = at + 1;
}

static void run(bool second, size_t pair, __u64 cycles, __u64 instructions)
{
	snapshot_init(&snap);
	snap.head.status.duration_ns = cycles * 2;
	count(0, MEMLAT_EVENT_CYCLES, cycles);
	count(1, MEMLAT_EVENT_INSTRUCTIONS, instructions);
	count(2, MEMLAT_EVENT_LOAD_STALLS, cycles / 2);
	assert_true(try_take(&view, second, pair, &snap));
}

static void runs(__u64 before, __u64 after, __u64 spread, __u64 more)
{
	size_t i;

	memset(&view, 0, sizeof(view));
	view.what = "numa=bind:0";
	view.first = view.second = "./grid";
	view.pairs = 5;
	for (i = 0; i < view.pairs; i++) {
		run(false, i, before + i * spread, 500000);
		run(true, i, after + (5 - i) * spread, 500000 + more);
	}
	try_conclude(&view);
}

static char *shown(void)
{
	return PRINTED(try_print(out, &view));
}

TEST(a_difference)
{
	runs(1000000, 600000, 1000, 0);
	SAYS(shown(), "numa=bind:0: 5 pairs of runs, in alternating order\n",
	     "  CPU cycles 39.8 % less (95 %: 39.5 to 40.1)\n", "  time 39.8 % less (95 %: ",
	     "loads kept the CPUs waiting 50.0 % of the cycles before, 50.0 % now\n",
	     NOT "same work");
	TELLS(try_json(&view), FITS "try", "/remedy numa=bind:0", "/pairs 5", "/same_work true",
	      "/cycles/shown true", "/cycles/before/0 1000000", "/cycles/after/4 601000");

	/* If it is slower, the ends of the interval are in the order of their values. */
	runs(600000, 900000, 1000, 0);
	SAYS(shown(), "  CPU cycles 50.0 % more (95 %: 49.2 to 50.8)\n");
}

TEST(no_difference)
{
	runs(1000000, 1000000, 10000, 0);
	SAYS(shown(), "  CPU cycles: no difference could be shown (", NOT " % less (95");
	TELLS(try_json(&view), FITS "try", "/cycles/shown false");
}

TEST(other_work)
{
	runs(1000000, 600000, 100, 20000);
	SAYS(shown(), "The runs executed different numbers of instructions (500,000 before, 520,000 now). Threads that wait");
	/* A compiler makes other code of a mended declaration: that is no other work. */
	view.what = NULL;
	SAYS(shown(), "The commands execute different numbers of instructions (500,000 before, 520,000 now)",
	     NOT "same work");
	TELLS(try_json(&view), "/same_work false");
}

/* A core without the event, and two commands. */
TEST(without_stalls)
{
	size_t i;

	runs(1000000, 600000, 100, 0);
	for (i = 0; i < view.pairs; i++)
		view.runs[0][TRY_STALLS][i] = view.runs[1][TRY_STALLS][i] = 0;
	view.has_stalls = false;
	view.what = NULL;
	view.second = "./new\033grid";
	try_conclude(&view);
	SAYS(shown(), "./new\\033grid instead of ./grid: 5 pairs", NOT "waiting", NOT "nan");
	TELLS(try_json(&view), FITS "try", "/remedy null", "/second_command ./new\033grid");
}

/* Wrong use is reported before the device is opened. */
TEST(nonsense_is_refused)
{
	program_refuses("try", 2, "give a command after --");
	program_refuses("try -- true", 2, "give a remedy before --, or a second command after :::");
	program_refuses("try numa=local", 2, "give a command after --");
	program_refuses("try thp=always -- true ::: false", 2, "a remedy and a second command");
	program_refuses("try -- true :::", 2, "give a command after :::");
	program_refuses("try -- ::: true", 2, "give a command after --");
	program_refuses("try magic -- true", 2, "magic: no such remedy; give one of\n  numa=bind:N");
	program_refuses("try -n 3 magic -- true", 2, "magic: no such remedy");
	program_refuses("try thp=sometimes -- true", 2, "thp=sometimes: give thp=always or thp=never");
	program_refuses("try heap-align=32 -- true", 2, "heap-align=32: give heap-align=64, or 128");
	program_refuses("try prefetch=on -- true", 2, "prefetch=on: give prefetch=off");
	program_refuses("try env:X -- true", 2, "env:X: no variable; give env:NAME=VALUE");
	program_refuses("try thp=never -n 2 -- true", 2, "-n 2: out of range; give a number from 3 to 50");
	program_refuses("try thp=never --frob -- true", 2, "--frob: no such option");
}

/* Runs without the remedy have to be as memlat-ctl was started, in all pairs. */
TEST(a_remedy_is_taken_back)
{
	struct policy remedy;

	assert_true(policy_parse(&remedy, "thp=never"));
	assert_true(policy_apply(&remedy, -1, NULL));
	assert_int_equal(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 1);
	policy_undo(&remedy);
	assert_int_equal(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 0);

	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	assert_true(policy_parse(&remedy, "thp=never"));
	assert_true(policy_apply(&remedy, -1, NULL));
	policy_undo(&remedy);
	assert_int_equal(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), 1);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
}

/* The library comes before another allocator, which otherwise would be called in its place. */
TEST(heap_align_with_another_allocator)
{
	struct policy remedy;
	const char *list;

	setenv("LD_PRELOAD", "/usr/lib/liballocator.so", 1);
	assert_true(policy_parse(&remedy, "heap-align=64"));
	assert_true(policy_apply(&remedy, -1, NULL));
	list = getenv("LD_PRELOAD");
	assert_non_null(list);
	if (!strstr(list, "libmemlat-heap.so:/usr/lib/liballocator.so"))
		fail_msg("LD_PRELOAD=%s", list);
	policy_undo(&remedy);
	assert_string_equal(getenv("LD_PRELOAD"), "/usr/lib/liballocator.so");
	unsetenv("LD_PRELOAD");
}

/* As with numactl --membind=0 memlat-ctl try. */
TEST(a_policy_is_taken_back)
{
	unsigned long nodes[16] = { 1 };
	struct policy remedy;
	int mode = -1;

	/* A machine of one node refuses this remedy, but not to apply it. */
	(void)policy_parse(&remedy, "numa=local");
	if (set_mempolicy(MPOL_BIND, nodes, 8 * sizeof(nodes)))
		skip();
	assert_true(policy_apply(&remedy, -1, NULL));
	assert_int_equal(get_mempolicy(&mode, NULL, 0, NULL, 0), 0);
	assert_int_equal(mode, MPOL_LOCAL);
	policy_undo(&remedy);
	nodes[0] = 0;
	assert_int_equal(get_mempolicy(&mode, nodes, 8 * sizeof(nodes), NULL, 0), 0);
	assert_int_equal(mode, MPOL_BIND);
	assert_int_equal(nodes[0], 1);
	assert_int_equal(set_mempolicy(MPOL_DEFAULT, NULL, 0), 0);
	assert_true(policy_apply(&remedy, -1, NULL));
	policy_undo(&remedy);
	assert_int_equal(get_mempolicy(&mode, NULL, 0, NULL, 0), 0);
	assert_int_equal(mode, MPOL_DEFAULT);
}
