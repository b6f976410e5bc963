// SPDX-License-Identifier: GPL-2.0
#include "ctl_view.h"

#include "views/ended.h"
#include "views/status.h"

static const struct memlat_query query = {
	.abi_version = 2,
	.ldlat_min = 3,
	.ldlat_max = 65535,
	.period_max = INT64_MAX,
	.pebs_format = 3,
	.model_name = "skx",
	.model_title = "Skylake-SP",
	.flags = MEMLAT_F_ALL,
	.overhead_max = 5000,
	.store_period_default = 10007,
};

static char *status_text(const struct memlat_status *status)
{
	struct page page;

	page_open(&page);
	status_print(page.out, &query, status, 17000000000);
	fclose(page.out);
	return page.text;
}

static void status_as_text(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	snap.head.status.store_bytes = 1 << 20;
	snap.head.status.max_memory = 64 << 20;
	text = status_text(&snap.head.status);
	says(text, "state     running, since 12.0 s\n");
	says(text, "samples   loads longer than 30 cycles and stores, user and kernel mode\n");
	says(text, "filters   all processes, on 4 of 4 CPUs\n");
	says(text, "rate      period 1,009..2,003 (stores 10,007), moved to stay within 1% overhead; stands for 1,009,000 loads and 1,000,700 stores\n");
	says(text, "overhead  0.93% of 1,000,000,000 busy cycles (bound 1%)\n");
	says(text, "machine   Skylake-SP (skx), PEBS format 3, 4 of 4 CPUs sampling, 2 nodes\n");
	says(text, "account   1,110 records = 1,100 samples + 7 filtered + 2 malformed + 1 collision, samples = 1,000 loads + 100 stores: holds\n");
	says(text, "\ntable                          rows    evicted samples  error bound  1.0 MiB of 64.0 MiB\n"
		   "lines                             3                  4            3\n"
		   "sites                             2                100           60\n"
		   "accesses                          1              1,000          900\n"
		   "threads                           2                  0            0\n\n");
	says(text, "\nlines_evicted                     4         samples whose line left");
	says(text, "\nlatency_sum                 400,000 cycles  sum of");
	free(text);
	snapshot_free(&snap);
}

/* What there is to say more, each by itself. */
static void status_more(void **state)
{
	struct snapshot snap;
	struct memlat_status *status = &snap.head.status;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	status->suspends = 2;
	status->cells_lost = 7;
	status->flags |= MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS |
			 MEMLAT_F_NO_GUESTS | MEMLAT_F_CHILDREN;
	status->pid = (__s32)SAMPLE_GONE_PID;
	status->cpus_armed = 2;
	text = status_text(status);
	says(text, "since 12.0 s; the machine slept 2 times meanwhile\n");
	says(text, "mode, with call chains, with physical addresses, no guests by your word\n");
	says(text, "filters   process 2147483646 (gone) and its children, on 2 of 4 CPUs\n");
	says(text, "\nstacks                            1                  5            -\n");
	/* What reached no table may have been of any row. */
	says(text, "\nlines                             3                  4           10\n");
	free(text);

	/* Nothing was busy yet: no share of nothing. */
	status->busy_cycles = 0;
	says(text = status_text(status), "overhead  - of 0 busy cycles (bound 1%)\n");
	free(text);
	status->max_overhead = 0;
	says(text = status_text(status), "overhead  not measured: the period is fixed\n");
	says(text, "(stores 10,007), fixed; stands for");
	free(text);

	status->records++;
	status->state = MEMLAT_STATE_IDLE;
	status->ended = MEMLAT_END_STOPPED;
	says(text = status_text(status), "idle; figures are of the last session");
	says(text, "DOES NOT HOLD");
	free(text);

	memset(status, 0, sizeof(*status));
	says(text = status_text(status), "nothing was started");
	is_silent(text, "loads longer than 0");
	is_silent(text, "evicted samples");
	free(text);
	snapshot_free(&snap);
}

/* Every way to end that nobody asked for is told, with the way out. */
static void ended_alone(void **state)
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
		{ 4711, NULL, "does not know", "dmesg | tail" },
	};
	struct memlat_status status = {
		.started_ns = 1, .ldlat = 30,
	};
	unsigned int i;
	char *text;

	(void)state;
	assert_false(ended_by_itself(&status));
	status.ended = MEMLAT_END_STOPPED;
	assert_false(ended_by_itself(&status));
	assert_string_equal(ended_name(MEMLAT_END_STOPPED), "stopped");
	assert_string_equal(ended_name(MEMLAT_END_NONE), "none");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		status.ended = cases[i].ended;
		assert_true(ended_by_itself(&status));
		assert_true(strlen(ended_short(cases[i].ended)) > 0);
		text = status_text(&status);
		says(text, cases[i].words);
		says(text, cases[i].way_out);
		free(text);
		if (cases[i].name)
			assert_string_equal(ended_name(cases[i].ended),
					    cases[i].name);
		else
			assert_null(ended_name(cases[i].ended));
	}
	/* What ended the one before does not matter to one that runs. */
	status.state = MEMLAT_STATE_RUNNING;
	assert_false(ended_by_itself(&status));
}

static void status_as_json(void **state)
{
	/* Counters are told under their names in struct memlat_status. */
	static const char *const names[] = {
		"records", "samples", "filtered", "malformed", "collision",
		"full_pmis", "lines", "lines_evicted", "pmis", "late_pmis",
		"switch_drains", "merges", "store_bytes", "max_memory",
		"latency_sum", "latency_max", "ended", "loads", "stores",
		"weight_loads", "weight_stores", "period_low", "period_high",
		"store_period_low", "store_period_high", "busy_cycles",
		"own_cycles", "cells_lost", "lines_error", "sites",
		"sites_evicted", "sites_error", "accesses", "accesses_evicted",
		"accesses_error", "threads", "threads_evicted", "threads_error", "stacks",
		"stacks_lost", "cgroup", "forks_lost", "suspends", "nodes",
		"started_ns", "duration_ns", "overhead_percent", "limits", "cpu",
	};
	struct json_object *document;
	struct snapshot snap;
	unsigned int i;

	(void)state;
	sample_snapshot(&snap);
	snap.head.status.latency_max = UINT64_MAX;
	document = reread(status_json(&query, &snap.head.status));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!json_object_object_get_ex(document, names[i], NULL))
			fail_msg("no %s", names[i]);
	is_real(document, "/overhead_percent/used", 0.93);
	is_real(document, "/overhead_percent/max", 1);
	is_real(document, "/limits/overhead_max", 50);
	is_count(document, "/limits/store_period_default", 10007);
	is_true(document, "/cpu/stores");
	is_count(document, "/sites_error", 60);
	is_text(document, "/ended", "none");
	is_count(document, "/lines_evicted", 4);
	is_count(document, "/latency_max", UINT64_MAX);
	is_count(document, "/ldlat", 30);
	is_count(document, "/limits/period_max", INT64_MAX);
	assert_true(json_object_get_boolean(at(document, "/kernel")));
	assert_false(json_object_get_boolean(at(document, "/no_guests")));
	assert_true(json_object_get_boolean(at(document, "/accounts_hold")));
	assert_string_equal(json_object_get_string(at(document, "/cpu/title")),
			    "Skylake-SP");
	assert_string_equal(json_object_get_string(at(document, "/state")),
			    "running");
	json_object_put(document);

	snap.head.status.busy_cycles = 0;
	document = reread(status_json(&query, &snap.head.status));
	assert_null(at(document, "/overhead_percent/used"));
	json_object_put(document);
	snapshot_free(&snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_as_text),
		cmocka_unit_test(status_more),
		cmocka_unit_test(ended_alone),
		cmocka_unit_test(status_as_json),
	};

	return cmocka_run_group_tests_name("ctl_status", tests, NULL, NULL);
}
