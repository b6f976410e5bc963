// SPDX-License-Identifier: GPL-2.0
/* Who waits: threads, and what they add up to; the cgroups of processes. */
#include <unistd.h>

#include "ctl_view.h"

#include "profile/history.h"
#include "profile/imported.h"
#include "views/figures.h"
#include "views/views.h"

#define THREADS	5

static struct memlat_rec_thread threads[THREADS];
static struct profile profile;

/* Two processes with two threads and one with one, in two cgroups and in none. */
static int begin(void **state)
{
	static const struct {
		__u32 tgid, tid;
		__u64 cpus, nodes;
		const char *comm;
	} of[THREADS] = {
		{ 70, 70, 1, 1, "server" }, { 70, 71, 3, 3, "worker" }, { 80, 80, 2, 2, "server" },
		{ 80, 81, 2, 2, "worker" }, { 90, 90, 1, 1, "other" },
	};
	size_t i;

	profile_init(&profile);
	profile.history = history_new();
	profile.snap.threads = threads;
	profile.snap.nr_threads = THREADS;
	for (i = 0; i < THREADS; i++) {
		memset(&threads[i], 0, sizeof(threads[i]));
		threads[i].tgid = of[i].tgid;
		threads[i].tid = of[i].tid;
		threads[i].cpus = of[i].cpus;
		threads[i].nodes = of[i].nodes;
		strncpy(threads[i].comm, of[i].comm, sizeof(threads[i].comm));
		threads[i].samples = 100 + i;
		threads[i].stores = 10 + i;
		threads[i].hitm = i;
		threads[i].latency_sum = 1000 * (i + 1);
		threads[i].weight = 7 * (i + 1);
		threads[i].cost = 10000ULL << i;
		profile.snap.sum[TABLE_THREADS].samples += threads[i].samples;
		profile.snap.sum[TABLE_THREADS].cost += threads[i].cost;
		history_fork(profile.history, 0, of[i].tgid, of[i].tid, 1, 1);
	}
	profile.snap.head.status.samples = profile.snap.sum[TABLE_THREADS].samples;
	profile.snap.head.status.started_ns = 1;
	profile.snap.head.status.nodes = 2;
	profile.snap.head.status.flags = MEMLAT_F_LOADS | MEMLAT_F_STORES;
	profile.snap.tables = 1U << MEMLAT_REC_THREAD;
	cgroups_set(&profile.cgroups, 70, "/a.slice/x");
	cgroups_set(&profile.cgroups, 80, "/b.slice");
	history_settle(profile.history, &profile.snap);
	return 0;
}

static int end(void **state)
{
	profile.snap.threads = NULL;
	profile.snap.nr_threads = 0;
	profile_free(&profile);
	return 0;
}

TEST_WITH(latency_is_not_known, begin, end)
{
	struct rows_view view = { .profile = &profile };

	profile.snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	TELLS(threads_show(NULL, REPORT_JSON, &view), FITS "threads", "/threads/0/latency_avg null");
	SAYS(PRINTED(threads_show(out, REPORT_CSV, &view)), "rank,cost,cost_low,cost_high,cgroup,nodes,loads,stores,latency_avg,",
	     "\r\n1,0.516129,0,1,,0,90,14,,4,");
}

TEST(cgroups_of_processes)
{
	struct history *history = history_new();
	struct cgroups cgroups = { 0 }, read = { 0 }, more = { 0 };
	struct json_object *object = json_new();

	cgroups_set(&cgroups, 9, "/late");
	cgroups_set(&cgroups, 5, "/a");
	cgroups_set(&cgroups, 7, "/b\377");
	cgroups_set(&cgroups, 5, "/c");
	/* A child of a known process, and a stranger. */
	history_fork(history, 1, 100, 100, 5, 5);
	history_fork(history, 2, 200, 200, 199, 199);
	history_settle(history, NULL);
	assert_string_equal(cgroups_find(&cgroups, history, 5, 0), "/c");
	assert_string_equal(cgroups_find(&cgroups, NULL, 7, 0), "/b\377");
	assert_string_equal(cgroups_find(&cgroups, history, 100, 0), "/c");
	assert_null(cgroups_find(&cgroups, history, 200, 0));
	assert_null(cgroups_find(&cgroups, history, 0, 0));

	cgroups_to_json(object, &cgroups);
	assert_int_equal(cgroups_from_json(&read, object), 0);
	assert_int_equal(read.nr, 3);
	assert_string_equal(cgroups_find(&read, NULL, 7, 0), "/b\377");
	cgroups_set(&more, 5, "/other");
	cgroups_set(&more, 6, "/new");
	cgroups_merge(&read, &more);
	assert_string_equal(cgroups_find(&read, NULL, 5, 0), "/c");
	assert_string_equal(cgroups_find(&read, NULL, 6, 0), "/new");
	json_object_put(object);
	/* Older files have none. What is no list is refused. */
	object = json_new();
	assert_int_equal(cgroups_from_json(&read, object), 0);
	json_put_count(object, "cgroups", 5);
	assert_int_not_equal(cgroups_from_json(&read, object), 0);
	json_object_put(object);
	/* So is what is not by number, which would take long to put in order one by one. */
	cgroups_free(&read);
	object = json_tokener_parse("{\"cgroups\":[{\"pid\":7,\"path\":\"/a\"},"
				    "{\"pid\":5,\"path\":\"/b\"}]}");
	assert_non_null(object);
	assert_int_not_equal(cgroups_from_json(&read, object), 0);
	json_object_put(object);
	cgroups_free(&cgroups);
	cgroups_free(&more);
	cgroups_free(&read);
	/* As the kernel has it. */
	cgroups_note(&cgroups, (__u32)getpid());
	cgroups_note_all(&cgroups);
	if (!access("/proc/self/cgroup", R_OK))
		assert_true(cgroups.nr >= 1);
	cgroups_free(&cgroups);
	history_free(history);
}
