// SPDX-License-Identifier: GPL-2.0
#include "ctl_profile.h"
#include "ctl_view.h"

#include "host/session_end.h"
#include "views/status.h"

static const struct memlat_query query = {
	.abi_version = 2, .ldlat_min = 3, .ldlat_max = 65535, .period_max = INT64_MAX,
	.pebs_format = 3, .model_name = "skx", .model_title = "Skylake-SP", .flags = MEMLAT_F_ALL,
	.overhead_max = 5000, .store_period_default = 10007,
};

SAMPLE_BEGIN_END(snap)

static char *snapshot_text(const struct snapshot *of)
{
	return PRINTED(status_print(out, &query, of, 17000000000));
}

/* The status of a module that does not report cores. */
static char *status_text(const struct memlat_status *status)
{
	const struct snapshot alone = { .head.status = *status };

	return snapshot_text(&alone);
}

/* A session that counts has no threshold, no period and no overhead to show. */
TEST(counting_is_told)
{
	const struct memlat_status status = {
		.state = MEMLAT_STATE_RUNNING, .started_ns = 5000000000,
		.flags = MEMLAT_F_COUNT | MEMLAT_F_USER, .cpus_armed = 4, .cpus_online = 4,
	};
	char *text = status_text(&status);

	SAYS(text, "samples   nothing (only event counts), user mode\n",
	     "filters   all processes, on 4 of 4 CPUs\n", NOT "rate  ", NOT "overhead ",
	     "quality   0.0 s | events are counted | 4 of 4 CPUs | user\n");
}

TEST_WITH(status_more, begin, end)
{
	struct memlat_status *status = &snap.head.status;

	status->suspends = 2;
	status->cells_lost = 7;
	status->flags |= MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS | MEMLAT_F_TIED |
			 MEMLAT_F_NO_GUESTS | MEMLAT_F_CHILDREN;
	status->pid = (__s32)SAMPLE_GONE_PID;
	status->cpus_armed = 2;
	SAYS(status_text(status),
	     "since 12.0 s; the machine slept 2 times meanwhile; it ends with the process that started it\n",
	     "mode, with call chains, with physical addresses, --no-guests was given\n",
	     "filters   process 2147483646 (gone) and its children, on 2 of 4 CPUs\n",
	     "\nstacks                 1                 5             -\n",
	     /* What reached no table may have been of any row. */
	     "\nlines                  3                 4            10\n");

	SAYS(status_text(status), NOT "warning");
	status->cpus_still = 2;
	SAYS(status_text(status),
	     "\nwarning   on 2 CPUs nothing is counted, although sampled code runs there");

	/* Nothing was busy yet, so there is no share of nothing. */
	status->busy_cycles = 0;
	SAYS(status_text(status), "overhead  - of 0 busy cycles (bound 1%)\n");
	status->max_overhead = 0;
	SAYS(status_text(status), "overhead  not measured: the period is fixed\n",
	     "(stores 10,007), fixed; stands for");

	status->records++;
	status->state = MEMLAT_STATE_IDLE;
	status->ended = MEMLAT_END_STOPPED;
	SAYS(status_text(status), "idle; figures are of the last session", "DOES NOT HOLD");

	memset(status, 0, sizeof(*status));
	SAYS(status_text(status),
	     "no session was started", NOT "loads longer than 0", NOT "evicted samples");
}

/* Each type of core, and what is known about loads on only some of them. */
TEST_WITH(kinds_of_cores, begin, end)
{
	struct memlat_status *status = &snap.head.status;

	SAYS(snapshot_text(&snap),
	     "machine   Skylake-SP (skx), PEBS format 3, 4 of 4 CPUs sampling, 2 nodes\n"
	     "          CPUs 0-3: 1,000 loads, 100 stores\n"
	     "          TLB misses and locked accesses are known\n"
	     "quality   ",
	     NOT "use latency", NOT "blocked   ", NOT "\nturns");
	status->flags = MEMLAT_F_COUNT | MEMLAT_F_USER;
	SAYS(snapshot_text(&snap), "\n          CPUs 0-3\n");
	/* Values from before the first start are not shown. */
	status->started_ns = 0;
	SAYS(snapshot_text(&snap), "\n          CPUs 0-3\n");
	snapshot_free(&snap);

	sample_hybrid(&snap);
	status = &snap.head.status;
	SAYS(snapshot_text(&snap),
	     "latency   400 cycles on average; on cores that report both, of 900 loads: memory 261, use latency 324\n"
	     "blocked   200 loads (22.2%) waited for a store's data, 200 (22.2%) for its address, of the 900 on cores that report it\n"
	     "machine   2 kinds of cores, 4 of 4 CPUs sampling, 2 nodes\n"
	     "core      big: Big Cove, PEBS format 4\n"
	     "          CPUs 0,2: 900 loads, 100 stores\n"
	     "          TLB misses and locked accesses are known\n"
	     "          loads that waited for an earlier store are known\n"
	     "          a load's wait for memory is recorded apart from its other waits\n"
	     "core      small: Smallmont, PEBS format 4\n"
	     "          CPUs 4-5,7-8,10-11,",
	     "...: 100 loads, 0 stores\n          TLB misses", NOT "Skylake-SP");

	/* What Intel says about a type of core is below that one, and not below the other. */
	strcpy(snap.cores[0].model_name, "snb");
	strcpy(snap.cores[0].model_title, "Sandy Bridge-EP");
	SAYS(snapshot_text(&snap),
	     "apart from its other waits\n          doubtful: sources behind L2 are unreliable",
	     "(BT241)\ncore      small: ");
	setenv("COLUMNS", "60", 1);
	SAYS(snapshot_text(&snap),
	     "\n          doubtful: sources behind L2 are unreliable: loads\n"
	     "          that L3 or another socket served may be missing or\n"
	     "          have another's name (BT241)\ncore      small: ");
	unsetenv("COLUMNS");
	strcpy(snap.cores[0].model_title, "Sandy Bridge");
	SAYS(snapshot_text(&snap), NOT "doubtful");

	/* Shown once if it is the same for all. "CPU" if it is only one. */
	snap.cores[1].traits = snap.cores[0].traits;
	memset(snap.cores[0].cpus, 0, sizeof(snap.cores[0].cpus));
	snap.cores[0].cpus[1] = 1;
	SAYS(snapshot_text(&snap),
	     "PEBS format 4\n          CPU 64: 900 loads, 100 stores\ncore      small: ",
	     ": 100 loads, 0 stores\n"
	     "all       TLB misses and locked accesses are known\n"
	     "          loads that waited for an earlier store are known\n"
	     "          a load's wait for memory is recorded apart from its other waits\n"
	     "quality   ");
	snap.cores[1].traits = MEMLAT_TRAIT_TLB;

	/* A damaged profile, whose cores loaded although nothing did. */
	status->loads = 0;
	SAYS(snapshot_text(&snap), NOT "memory 261");
	status->loads = 1000;

	/* Nothing was loaded on the cores that report it. */
	snap.cores[0].loads = 0;
	SAYS(snapshot_text(&snap), NOT "memory 261", NOT "blocked   ");

	/* All cores report it, so one is a part of the other. */
	snap.cores[0].loads = 1000;
	snap.nr_cores = 1;
	memset(snap.cores[0].cpus, 0, sizeof(snap.cores[0].cpus));
	status->flags = MEMLAT_F_USER | MEMLAT_F_LOADS;
	SAYS(snapshot_text(&snap),
	     "latency   400 cycles of memory on average; use latency, with other waits, 292\n"
	     "blocked   200 loads (20.0%) waited for a store's data, 200 (20.0%) for its address\n",
	     "          no CPU now: 1,000 loads\n");

	/* All peculiarities of an old core. */
	snap.cores[0].traits = MEMLAT_TRAIT_IP_AFTER | MEMLAT_TRAIT_TURNS |
			       MEMLAT_TRAIT_UNRESERVED;
	status->traits = snap.cores[0].traits;
	status->load_turn = 300;
	status->store_turn = 100;
	SAYS(snapshot_text(&snap),
	     "\nturns     loads had 75.0%, stores 25.0% of the time; weights cover only that time\nmachine",
	     "          instruction addresses are of the instruction after the access\n"
	     "          loads and stores take turns, when both are sampled\n"
	     "          TLB misses and locked accesses are not known\n"
	     "          during a session perf opens events, but counts none of them\n"
	     "quality   ",
	     "\nload_turn                       300 cycles  in which loads were sampled");
}

/* Every end that nobody requested is explained, with a remedy. */
TEST(ended_alone)
{
	static const struct {
		__u32 ended;
		const char *name, *words, *way_out;
	} cases[] = {
		{ MEMLAT_END_TAKEOVER, "takeover",
		  "the session ended: someone else programmed the PMU; its figures stay\n",
		  "\n  dmesg | tail" },
		{ MEMLAT_END_VMX, "vmx", "CR4.VMXE", "--no-guests" },
		{ MEMLAT_END_REBOOT, "reboot", "going down", "" },
		{ MEMLAT_END_RESUME, "resume", "after a suspend", "memlat-ctl start" },
		{ MEMLAT_END_OOPS, "oops", "had an oops", "memlat-ctl start" },
		{ MEMLAT_END_GONE, "gone", "cgroup that it sampled is gone", "memlat-ctl report" },
		{ MEMLAT_END_CLOSED, "closed", "the process that started it exited", "memlat-ctl report" },
		{ 4711, NULL, "does not know", "dmesg | tail" },
	};
	struct memlat_status status = {
		.started_ns = 1, .ldlat = 30,
	};
	unsigned int i;

	assert_false(session_end_by_itself(&status));
	status.ended = MEMLAT_END_STOPPED;
	assert_false(session_end_by_itself(&status));
	assert_string_equal(session_end_name(MEMLAT_END_STOPPED), "stopped");
	assert_string_equal(session_end_name(MEMLAT_END_NONE), "none");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		status.ended = cases[i].ended;
		assert_true(session_end_by_itself(&status));
		assert_true(strlen(session_end_short(cases[i].ended)) > 0);
		SAYS(status_text(&status), cases[i].words, cases[i].way_out);
		if (cases[i].name)
			assert_string_equal(session_end_name(cases[i].ended), cases[i].name);
		else
			assert_null(session_end_name(cases[i].ended));
	}
	/* The end of the last session does not matter to one that runs. */
	status.state = MEMLAT_STATE_RUNNING;
	assert_false(session_end_by_itself(&status));
}

TEST_WITH(status_fits_the_terminal, own_folder_make, own_folder_remove)
{
	struct profile profile;

	sample_profile(&profile);
	profile_put(&profile, in("a"));
	profile_free(&profile);
	setenv("COLUMNS", "60", 1);
	SAYS(program_ends(0, "status -i %s", in("a")),
	     "\naccount   1,110 records = 1,100 samples + 7 filtered + 2\n"
	     "          malformed + 1 collision, samples = 1,000 loads +\n"
	     "          100 stores: holds\n",
	     "\nlines_evicted                     4         samples whose\n"
	     "                                            line was\n"
	     "                                            evicted: they\n");
	unsetenv("COLUMNS");
}
