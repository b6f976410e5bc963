// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl doctor --selftest: what is plausible, what is not, and what is run. */
#include "ctl_profile.h"

#include <errno.h>
#include <unistd.h>

#include <json-c/json.h>

#include "ctl_view.h"
#include "host/process.h"
#include "measure/judge.h"
#include "measure/work.h"
#include "views/views.h"

static struct selftest test;
static struct selftest_check checks[SELFTEST_CHECKS];
static size_t nr;

static void fill_chase(enum chase_level level, enum memlat_source source, __u64 cycles)
{
	struct sample *sample = &test.runs[RUN_L1 + level];

	test.wanted[RUN_L1 + level] = true;
	sample->name = "chase";
	sample->taken = true;
	sample->steps = 1000000;
	sample->cycles = (double)cycles;
	sample->loads[source] = 900;
	sample->latency[source] = 900 * cycles;
	sample->loads[MEMLAT_SRC_LFB] = 100;
	sample->latency[MEMLAT_SRC_LFB] = 100 * cycles;
	sample->status.weight_loads = 990000;
	sample->status.records = sample->status.samples = 1000;
	sample->status.ended = MEMLAT_END_STOPPED;
}

static void fill_counters(enum selftest_run run, __u64 near, __u64 far)
{
	struct sample *sample = &test.runs[run];

	test.wanted[run] = true;
	sample->name = "counters";
	sample->work.kind = WORK_SHARED;
	sample->taken = true;
	sample->loads[MEMLAT_SRC_L1] = 400;
	sample->line_loads = 380;
	sample->line_near = near;
	sample->line_far = far;
	sample->status.ended = MEMLAT_END_STOPPED;
}

/* A machine on which everything is right. */
static void fill(void)
{
	memset(&test, 0, sizeof(test));
	machine_init(&test.machine);
	test.machine.query.model_name[0] = 'x';
	test.machine.latency_edge[MEMLAT_SRC_L1] = 8;
	test.machine.latency_edge[MEMLAT_SRC_L2] = 20;
	test.machine.latency_edge[MEMLAT_SRC_L3] = 100;
	test.machine.latency_edge[MEMLAT_SRC_DRAM] = 400;
	fill_chase(LEVEL_L1, MEMLAT_SRC_L1, 5);
	fill_chase(LEVEL_L2, MEMLAT_SRC_L2, 14);
	fill_chase(LEVEL_L3, MEMLAT_SRC_L3, 60);
	fill_chase(LEVEL_DRAM, MEMLAT_SRC_DRAM, 300);
	fill_counters(RUN_NEAR, 370, 0);
	fill_counters(RUN_FAR, 1, 369);
	fill_counters(RUN_PRIVATE, 0, 0);
	test.ended_as = MEMLAT_STATE_IDLE;
	test.watchdog_before = test.watchdog_after = WATCHDOG_ON;
	test.before.executed = test.after.executed = 2000000;
	test.before.counted = test.after.counted = 2000100;
}

static const struct selftest_check *check(const char *key)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(checks[i].key, key))
			return &checks[i];
	fail_msg("no %s", key);
	return NULL;
}

static void judge(void)
{
	nr = selftest_judge(&test, checks);
	assert_true(nr <= SELFTEST_CHECKS);
}

/* This check fails and no other one. Then everything is right again. */
static void only(const char *key)
{
	size_t i;

	judge();
	for (i = 0; i < nr; i++)
		if ((checks[i].state == SELFTEST_FAIL) != !strcmp(checks[i].key, key))
			fail_msg("%s is %s: %s", checks[i].key,
				 selftest_state_name(checks[i].state), checks[i].found);
	assert_false(selftest_plausible(checks, nr));
	fill();
}

TEST(all_well)
{
	size_t i;

	fill();
	judge();
	for (i = 0; i < nr; i++)
		if (checks[i].state != SELFTEST_OK)
			fail_msg("%s: %s", checks[i].key, checks[i].found);
	assert_true(selftest_plausible(checks, nr));
}

/* One error after the other. */
TEST(each_wrong)
{
	fill();
	test.runs[RUN_L2].loads[MEMLAT_SRC_L2] = 99;
	test.runs[RUN_L2].latency[MEMLAT_SRC_L2] = 99 * 14;
	only("chase_l2");
	test.runs[RUN_DRAM].latency[MEMLAT_SRC_DRAM] = 900 * 601;
	test.runs[RUN_DRAM].cycles = 601;
	only("chase_dram");
	/* The clock contradicts this. */
	test.runs[RUN_L3].cycles = 130;
	only("chase_l3");
	test.runs[RUN_L3].cycles = 20;
	only("chase_l3");
	test.runs[RUN_L1].latency[MEMLAT_SRC_L1] = 900 * 12;
	test.runs[RUN_L2].latency[MEMLAT_SRC_L2] = 900 * 11;
	only("levels_rise");
	test.runs[RUN_L1].status.weight_loads = 1300000;
	only("events");
	test.runs[RUN_NEAR].line_near = 100;
	only("shared_near");
	/* The wrong order. */
	test.runs[RUN_FAR].line_near = 369;
	test.runs[RUN_FAR].line_far = 1;
	only("shared_far");
	test.runs[RUN_PRIVATE].line_near = 4;
	only("private");
	test.runs[RUN_FAR].broken = "1 is not 2";
	only("accounts");
	says(check("accounts")->found, "1 is not 2");
	test.runs[RUN_FAR].status.malformed = 1;
	only("accounts");
	test.runs[RUN_L1].status.ended = MEMLAT_END_TAKEOVER;
	only("accounts");
	test.ended_as = MEMLAT_STATE_RUNNING;
	only("given_back");
	test.watchdog_after = WATCHDOG_OFF;
	only("given_back");
	test.after.error = EBUSY;
	only("given_back");
	test.after.counted = 1999999;
	only("given_back");
	test.after.counted = 0;
	only("given_back");
}

/* A check without a result has failed, and says why. */
TEST(no_answer)
{
	fill();
	test.runs[RUN_FAR].taken = false;
	strcpy(test.runs[RUN_FAR].why, "no snapshot: because");
	only("shared_far");
	says(check("shared_far")->found, "no snapshot: because");
	test.runs[RUN_PRIVATE].loads[MEMLAT_SRC_L1] = 49;
	only("private");
	says(check("private")->found, "49 samples");
}

/* A check that the machine cannot have is skipped. If all are skipped, nothing is plausible. */
TEST(skipped)
{
	unsigned int run;

	fill();
	test.place.emulated = true;
	test.wanted[RUN_L3] = test.wanted[RUN_NEAR] = false;
	test.runs[RUN_L2].cycles = 9999;
	judge();
	assert_int_equal(check("chase_l3")->state, SELFTEST_SKIP);
	says(check("chase_l3")->found, "made up");
	assert_int_equal(check("shared_near")->state, SELFTEST_SKIP);
	assert_int_equal(check("chase_l2")->state, SELFTEST_OK);
	says(check("chase_l2")->found, "not compared");
	assert_true(selftest_plausible(checks, nr));
	for (run = 0; run < RUNS; run++)
		test.wanted[run] = test.runs[run].taken = false;
	nr = 0;
	assert_false(selftest_plausible(checks, nr));
}

static void in_json(void)
{
	char *text = PRINTED(selftest_print(out, REPORT_JSON, &test, checks, nr));
	struct json_object *document = parsed(text);

	HOLDS(document, "/plausible false", "/checks/0/state ok", "/runs/6/line_hitm_local 4",
	      "/machine/latency_edge/dram 400", FITS "selftest");
	/* No key but those that the schema names. */
	json_put_null(at(document, "/machine"), "colour");
	assert_false(is_as_schema(document, "selftest"));
	json_object_object_del(at(document, "/machine"), "colour");
	json_put_null(at(document, "/runs/0"), "colour");
	assert_false(is_as_schema(document, "selftest"));
	json_object_put(document);
}

TEST(in_every_form)
{
	fill();
	test.runs[RUN_PRIVATE].line_near = 4;
	test.machine.cpu = strdup("a\033[2Jb");
	judge();
	SAYS(PRINTED(selftest_print(out, REPORT_TEXT, &test, checks, nr)),
	     "\nFAIL private      4 HITM of 380 loads", "wanted: 1% at most\n",
	     "\nnot plausible: 10 ok, 1 failed, 0 skipped\n", "a\\033[2Jb", NOT "\033");
	SAYS(PRINTED(selftest_print(out, REPORT_CSV, &test, checks, nr)),
	     "check,state,found,wanted\r\n", "private,FAIL,");
	in_json();
	free(test.machine.cpu);
}

TEST(sizes)
{
	struct place place = { .cache = { 32 << 10, 1 << 20, 22 << 20 } };

	place_sizes(&place, 1ULL << 40);
	assert_int_equal(place.bytes[LEVEL_L1], 16 << 10);
	assert_int_equal(place.bytes[LEVEL_L2], 128 << 10);
	assert_int_equal(place.bytes[LEVEL_L3], 2 << 20);
	assert_int_equal(place.bytes[LEVEL_DRAM], 88 << 20);
	/* Little memory, but not if it fits into the cache. */
	place_sizes(&place, 50 << 20);
	assert_int_equal(place.bytes[LEVEL_DRAM], 50 << 20);
	place_sizes(&place, 40 << 20);
	assert_int_equal(place.bytes[LEVEL_DRAM], 0);
	/* Caches whose sizes are too close, or not known. */
	place = (struct place){ .cache = { 48 << 10, 256 << 10, 512 << 10 } };
	place_sizes(&place, 1ULL << 40);
	assert_int_equal(place.bytes[LEVEL_L2], 0);
	assert_int_equal(place.bytes[LEVEL_L3], 0);
	assert_int_equal(place.bytes[LEVEL_DRAM], 64 << 20);
	place = (struct place){ 0 };
	place_sizes(&place, 1ULL << 40);
	assert_int_equal(place.bytes[LEVEL_L1], 16 << 10);
	assert_int_equal(place.bytes[LEVEL_L2] + place.bytes[LEVEL_L3], 0);
}

/* The programs themselves work on the given CPUs, until they are told to end. */
TEST(programs)
{
	struct work chase = { .kind = WORK_CHASE, .bytes = 16 << 10 };
	struct work counters = { .kind = WORK_SHARED };
	struct place place;

	assert_true(place_find(&place, ""));
	chase.cpu[0] = counters.cpu[0] = counters.cpu[1] = place.cpu;
	assert_int_equal(work_begin(&chase), 0);
	assert_true(chase.shared->cycles > 0);
	assert_int_equal(work_go(&chase), 0);
	while (!*(volatile __u64 *)&chase.shared->steps)
		;
	assert_true(work_finish(&chase));
	assert_int_equal(chase.shared->steps % 65536, 0);
	work_end(&chase);

	assert_int_equal(work_begin(&counters), 0);
	assert_ptr_equal((const char *)counters.words[1] - 32, counters.words[0]);
	assert_int_equal(work_go(&counters), 0);
	while (!*counters.words[0] || !*counters.words[1])
		;
	assert_true(work_finish(&counters));
	work_end(&counters);

	/* A CPU that does not exist, and one that is released before it starts. */
	chase.cpu[0] = 8000;
	assert_int_equal(work_begin(&chase), -EINVAL);
	work_end(&chase);
	chase.cpu[0] = place.cpu;
	assert_int_equal(work_begin(&chase), 0);
	work_end(&chase);
}
