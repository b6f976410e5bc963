// SPDX-License-Identifier: GPL-2.0
/* Who waits: threads, and what they add up to; the cgroups of processes. */
#include <unistd.h>

#include "ctl_view.h"

#include "profile/history.h"
#include "profile/imported.h"
#include "views/figures.h"
#include "views/views.h"

SAMPLE_BEGIN_END(snap)

TEST_WITH(latency_is_not_known, begin, end)
{
	struct rows_view view = { 0 };

	snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	TELLS(SHOWN(&snap, view, threads_show(NULL, REPORT_JSON, &view)), FITS "threads", "/threads/0/latency_avg null");
	SAYS(SHOWN(&snap, view, PRINTED(threads_show(out, REPORT_CSV, &view))), ",latency_avg,", "1,0.75,0.71576,0.781375,,,1000,0,,0,1,");
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
