// SPDX-License-Identifier: GPL-2.0
/* Profiles of several sessions as one: sums, bounds, names, and what cannot be merged. */
#include <errno.h>
#include <sys/mman.h>

#include "ctl_profile.h"

#include "profile/history_internal.h"
#include "profile/snapshot.h"

/* The sample, with another start time. */
static void session(struct profile *profile, __u64 started_ns)
{
	sample_profile(profile);
	profile->snap.head.status.started_ns = started_ns;
}

static void merges(struct profile *into, struct profile *other)
{
	char why[PROFILE_ERROR_MAX];

	if (profile_merge(into, other, why))
		fail_msg("does not merge: %s", why);
	profile_free(other);
}

static void does_not_merge(struct profile *into, struct profile *other, const char *words)
{
	char why[PROFILE_ERROR_MAX];

	assert_int_equal(profile_merge(into, other, why), -EINVAL);
	if (!strstr(why, words))
		fail_msg("\"%s\" does not say \"%s\"", why, words);
	assert_int_equal(into->snap.head.status.samples, 1100);
	profile_free(other);
	profile_free(into);
}

/* The node of a line's memory is the one that was seen last, in whichever session. */
TEST_WITH(homes, own_folder_make, own_folder_remove)
{
	struct profile early = { 0 }, late = { 0 };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct profile *into = i ? &late : &early;

		session(&early, 1000);
		session(&late, 2000);
		early.snap.lines[0].home = 3;
		late.snap.lines[1].home = 4;
		early.snap.lines[2].home = 3;
		late.snap.lines[2].home = 4;
		merges(into, i ? &early : &late);
		assert_int_equal(into->snap.lines[0].home, 3);
		assert_int_equal(into->snap.lines[1].home, 4);
		assert_int_equal(into->snap.lines[2].home, 4);
		profile_free(into);
	}
}

static void set_command(struct profile *profile, const char *command)
{
	free(profile->command);
	profile->command = strdup(command);
	assert_non_null(profile->command);
}

/* A command that several sessions share is there once, also when they are merged in turn. */
TEST(commands_are_there_once)
{
	struct profile a, b, c, d;

	session(&a, 1000);
	session(&b, 2000);
	session(&c, 3000);
	session(&d, 4000);
	set_command(&a, "./a");
	set_command(&b, "./a -v");
	set_command(&c, "./a -v");
	set_command(&d, "./a");
	merges(&a, &b);
	assert_string_equal(a.command, "./a; ./a -v");
	merges(&a, &c);
	assert_string_equal(a.command, "./a; ./a -v");
	merges(&d, &a);
	assert_string_equal(d.command, "./a; ./a -v");
	profile_free(&d);
}

TEST_WITH(refusals, own_folder_make, own_folder_remove)
{
	struct profile a, b;

	session(&a, 1000), session(&b, 1000);
	does_not_merge(&a, &b, "both hold the same session");
	session(&a, 1000), session(&b, 2000);
	b.machine.boot_id[0] = '7';
	does_not_merge(&a, &b, "different machines or during different boots");
	session(&a, 1000), session(&b, 2000);
	b.machine.boot_id[0] = '\0';
	does_not_merge(&a, &b, "does not say during which boot");
	session(&a, 1000), session(&b, 2000);
	b.snap.head.status.ldlat = 60;
	does_not_merge(&a, &b, "--ldlat 30, another with 60");
	session(&a, 1000), session(&b, 2000);
	b.snap.head.status.flags &= ~MEMLAT_F_STORES;
	does_not_merge(&a, &b, "only one of them has loads, stores or physical addresses");
	session(&a, 1000), session(&b, 2000);
	b.snap.buckets.edge[3]++;
	does_not_merge(&a, &b, "different edges");
	session(&a, 1000), session(&b, 2000);
	strcpy(b.snap.head.model_name, "spr");
	does_not_merge(&a, &b, "different CPU models: skx and spr");
	session(&a, 1000), session(&b, 2000);
	strcpy(b.snap.cores[0].model_name, "spr");
	does_not_merge(&a, &b, "core kind 0 is skx in one and spr in another");
	session(&a, 1000), session(&b, 2000);
	b.snap.tables = 1U << MEMLAT_REC_LINE;
	does_not_merge(&a, &b, "not all of their tables");
}

/* Hostile profiles: each session of one is looked for in the other. */
TEST_WITH(many_sessions, own_folder_make, own_folder_remove)
{
	const size_t nr = 400000;
	struct profile a, b;
	size_t i;

	session(&a, 1000);
	session(&b, 2000);
	free(a.sessions);
	free(b.sessions);
	a.sessions = calloc(nr, sizeof(*a.sessions));
	b.sessions = calloc(nr, sizeof(*b.sessions));
	assert_non_null(a.sessions);
	assert_non_null(b.sessions);
	a.nr_sessions = b.nr_sessions = nr;
	for (i = 0; i < nr; i++) {
		a.sessions[i] = 1000 + 2 * i;
		b.sessions[i] = 1001 + 2 * i;
	}
	endless_begin();
	does_not_merge(&a, &b, "the sessions of one were recorded between those of another");
	endless_end();
}

/* A session without a budget does not report its cycles. Then the cycles of both are not known. */
TEST_WITH(unknown_cycles, own_folder_make, own_folder_remove)
{
	struct profile a, b;

	session(&a, 1000), session(&b, 2000);
	b.snap.head.status.busy_cycles = b.snap.head.status.own_cycles = 0;
	b.snap.head.status.max_overhead = 0;
	b.snap.head.status.period_low = b.snap.head.status.period_high = 0;
	merges(&a, &b);
	assert_int_equal(a.snap.head.status.busy_cycles, 0);
	assert_int_equal(a.snap.head.status.own_cycles, 0);
	assert_int_equal(a.snap.head.status.max_overhead, 0);
	assert_int_equal(a.snap.head.status.period_low, 1009);
	profile_free(&a);
}

static void counted(struct profile *profile, __u32 cpu, __u64 value)
{
	struct snapshot *snap = &profile->snap;

	snap->head.status.flags |= MEMLAT_F_COUNT;
	snap->counts = calloc(1, sizeof(*snap->counts));
	assert_non_null(snap->counts);
	snap->nr_counts = snap->room_counts = 1;
	*snap->counts = (struct memlat_rec_count){
		.hdr = { MEMLAT_REC_COUNT, sizeof(*snap->counts) }, .cpu = cpu,
		.event = MEMLAT_EVENT_LOADS, .value = value, .enabled = 10, .running = 10,
	};
}

/* Events counted beside the samples: those of the same CPU are summed, and can be read again. */
TEST_WITH(counts_of_both, own_folder_make, own_folder_remove)
{
	struct profile a, b, c;
	const char *path = in("m");

	session(&a, 1000), session(&b, 2000), session(&c, 3000);
	counted(&a, 1, 5), counted(&b, 1, 7), counted(&c, 2, 9);
	merges(&a, &b);
	merges(&a, &c);
	assert_int_equal(a.snap.nr_counts, 2);
	assert_int_equal(a.snap.counts[0].value, 12);
	assert_int_equal(a.snap.counts[0].running, 20);
	assert_int_equal(a.snap.counts[1].value, 9);
	profile_put(&a, path);
	profile_get(&c, path, 0);
	assert_int_equal(c.snap.nr_counts, 2);
	assert_int_equal(c.snap.counts[1].cpu, 2);
	assert_true(c.snap.head.status.flags & MEMLAT_F_COUNT);
	profile_free(&a);
	profile_free(&c);
}

/* Counts of only one session would be compared with the samples of both. */
TEST_WITH(counts_of_one, own_folder_make, own_folder_remove)
{
	struct profile a, b;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		session(&a, 1000), session(&b, 2000);
		counted(i ? &b : &a, 1, 5);
		merges(&a, &b);
		assert_int_equal(a.snap.nr_counts, 0);
		assert_false(a.snap.head.status.flags & MEMLAT_F_COUNT);
		profile_free(&a);
	}
}

/* A process in a history: it existed before the recording, or began during it, and still exists. */
static void lives(struct history *history, __u32 pid, __u64 from, __u64 base, const char *path)
{
	const struct history_map map = {
		.start = base, .end = base + 0x1000, .inode = 7, .prot = PROT_EXEC,
		.time = from, .path = path,
	};

	history_comm(history, from, pid, pid, path + 1, from != 0);
	history_map(history, pid, 0, &map);
}

static const struct history_map *map_of(const struct history *history, __u32 pid,
					__u64 time, __u64 address)
{
	size_t i;

	for (i = 0; i < history->nr_images; i++) {
		const struct history_image *image = &history->images[i];

		if (image->pid == pid && image->from <= time && time < image->until)
			return history_map_at(image, address);
	}
	return NULL;
}

static size_t images_of(const struct history *history, __u32 pid)
{
	size_t i, count = 0;

	for (i = 0; i < history->nr_images; i++)
		count += history->images[i].pid == pid;
	return count;
}

TEST_WITH(histories, own_folder_make, own_folder_remove)
{
	struct history *one = history_new(), *two = history_new();

	/* 10 lives through both, 20 is another program in each, 30 begins in the second. */
	lives(one, 10, 0, 0x10000, "/same");
	lives(two, 10, 0, 0x10000, "/same");
	lives(two, 10, 0, 0x90000, "/plugin");
	lives(one, 20, 0, 0x20000, "/first");
	lives(two, 20, 0, 0x20000, "/second");
	lives(two, 30, 6000, 0x30000, "/new");
	lives(one, 40, 100, 0x40000, "/gone");
	history_lost(one, 1);
	history_lost(two, 2);
	history_settle(one, NULL);
	history_settle(two, NULL);
	history_merge(one, two, 5000);
	history_free(two);
	history_settle(one, NULL);

	assert_int_equal(images_of(one, 10), 1);
	assert_string_equal(map_of(one, 10, 1, 0x10000)->path, "/same");
	assert_string_equal(map_of(one, 10, 9000, 0x90800)->path, "/plugin");
	assert_int_equal(images_of(one, 20), 2);
	assert_string_equal(map_of(one, 20, 4999, 0x20000)->path, "/first");
	assert_string_equal(map_of(one, 20, 5000, 0x20000)->path, "/second");
	assert_null(map_of(one, 30, 5999, 0x30000));
	assert_string_equal(map_of(one, 30, 6000, 0x30000)->path, "/new");
	assert_string_equal(map_of(one, 40, 100, 0x40000)->path, "/gone");
	assert_int_equal(history_lost_events(one), 3);
	history_free(one);
}
