// SPDX-License-Identifier: GPL-2.0
/* What perf's engine counts, why it refuses, and how it finds a PMU. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "ctl_perf.h"
#include "ctl_profile.h"

#include "record/engine_events.c"

/* Counts are of two CPUs, and the second one counts cycles with two groups. */
static void finish(struct snapshot *snap, __u32 flags, const struct ring_sums *sums)
{
	const struct engine_events of = { .config.flags = flags };

	snapshot_init(snap);
	add_count(snap, 1, MEMLAT_EVENT_CYCLES, 100, 100);
	add_count(snap, 1, MEMLAT_EVENT_L2_MISSES, 7, 100);
	add_count(snap, 1, MEMLAT_EVENT_CYCLES, 300, 300);
	add_count(snap, 1, MEMLAT_EVENT_INSTRUCTIONS, 60, 300);
	add_count(snap, 0, MEMLAT_EVENT_CYCLES, 30, 30);
	add_count(snap, 0, MEMLAT_EVENT_INSTRUCTIONS, 40, 30);
	/* What was counted before a reset. */
	add_count(snap, 0, MEMLAT_EVENT_INSTRUCTIONS, -10ULL, 0);
	engine_events_finish(&of, snap, sums);
}

/* An event that had turns, because others counted as well, is left out. */
TEST(counts_beside)
{
	const struct ring_sums sums = {
		.running = 1000000, .counting = {
			[MEMLAT_EVENT_CYCLES] = 999000, [MEMLAT_EVENT_INSTRUCTIONS] = 1000000,
			[MEMLAT_EVENT_L2_MISSES] = 600000,
		},
	};
	struct snapshot snap;

	finish(&snap, MEMLAT_F_LOADS, &sums);
	assert_int_equal(snap.nr_counts, 4);
	assert_int_equal(snap.counts[0].value, 400);
	assert_int_equal(snap.counts[3].event, MEMLAT_EVENT_INSTRUCTIONS);
	assert_int_equal(snap.counts[3].value, 30);
	assert_int_equal(snap.counts[3].enabled, 30);
	assert_int_equal(snap.counts[3].running, 30);
	assert_int_equal(snap.head.status.sampled_cycles, 430);
	assert_true(snap.head.status.flags & MEMLAT_F_COUNT);
	snapshot_free(&snap);
}

static void in_groups(struct snapshot *snap, __u64 ran)
{
	const struct ring_sums sums = {
		.running = 1000000, .counting[MEMLAT_EVENT_CYCLES] = ran,
	};

	finish(snap, MEMLAT_F_USER, &sums);
}

/* Groups that had turns: what one has not seen is known from the cycles of all. */
TEST(counts_in_groups)
{
	struct snapshot snap;

	in_groups(&snap, 999000);
	assert_int_equal(snap.nr_counts, 5);
	assert_int_equal(snap.counts[1].event, MEMLAT_EVENT_L2_MISSES);
	assert_int_equal(snap.counts[1].enabled, 400);
	assert_int_equal(snap.counts[1].running, 100);
	assert_int_equal(snap.counts[2].running, 300);
	snapshot_free(&snap);
}

/* Somebody else had the counters, or groups ran at the same time. */
TEST(counts_in_groups_without_a_result)
{
	static const __u64 ran[] = { 900000, 1100000 };
	struct snapshot snap;
	size_t i;

	for (i = 0; i < 2; i++) {
		in_groups(&snap, ran[i]);
		assert_int_equal(snap.nr_counts, 0);
		assert_false(snap.head.status.flags & MEMLAT_F_COUNT);
		snapshot_free(&snap);
	}
}

static void why_has(int error, __u32 flags, __s32 pid, const char *words)
{
	const struct memlat_config config = { .flags = flags, .pid = pid };
	const char *why = engine_why(error, &config);

	if (!strstr(why, words))
		fail_msg("\"%s\" is not in: %s", words, why);
}

/* What is refused names what to type. */
TEST(refusals)
{
	why_has(-EMFILE, MEMLAT_F_USER, 70, "\n  ulimit -n");
	why_has(-ENOENT, MEMLAT_F_USER, 70, "mem-loads");
	why_has(-EACCES, MEMLAT_F_USER, 70, "perf_event_paranoid");
	why_has(-EPERM, MEMLAT_F_USER | MEMLAT_F_PHYS, 70, "--phys-data");
	why_has(-EINVAL, MEMLAT_F_USER, 70, "5.13");
	why_has(-ENOSYS, MEMLAT_F_USER, 70, "no perf_event_open()");
	assert_non_null(strstr(engine_why_ring(-EPERM), "\n  ulimit -l"));
	assert_null(engine_why_ring(-EACCES));
	assert_non_null(strstr(engine_why_no_kernel(), "only user mode"));
}

static void put_text(const char *folder, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s", in("sys"), folder);
	strncat(path, name, sizeof(path) - strlen(path) - 1);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_pmu(const char *name)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/bus/event_source/devices/%s/events %s/bus/event_source/devices/%s/format",
		 in("sys"), name, in("sys"), name);
	assert_int_equal(system(command), 0);
	put_text(name, "/format/event", "config:0-7\n");
	put_text(name, "/format/umask", "config:8-15,40-47\n");
	put_text(name, "/format/ldlat", "config1:0-15\n");
}

/* Two kinds of cores, of which one needs another event beside loads. */
TEST_WITH(pmus_of_a_hybrid, own_folder_make, own_folder_remove)
{
	struct pmu pmus[PMUS_MAX];
	char command[512];

	make_pmu("cpu_core");
	put_text("cpu_core", "/type", "4\n");
	put_text("cpu_core", "/cpus", "0-3\n");
	put_text("cpu_core", "/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put_text("cpu_core", "/events/mem-loads-aux", "event=0x03,umask=0x82\n");
	make_pmu("cpu_atom");
	put_text("cpu_atom", "/type", "10\n");
	put_text("cpu_atom", "/cpus", "4-7\n");
	put_text("cpu_atom", "/events/mem-loads", "event=0xd0,umask=0x105,ldlat=3\n");
	put_text("cpu_atom", "/events/mem-stores", "event=0xd0,umask=0x6,unknown=1\n");
	assert_int_equal(pmu_find(pmus, in("sys"), 30), 2);
	assert_string_equal(pmus[0].name, "cpu_core");
	assert_int_equal(pmus[0].type, 4);
	assert_int_equal(pmus[0].loads.config[0], 0x1cd);
	assert_int_equal(pmus[0].loads.config[1], 30);
	assert_true(pmus[0].aux.there);
	assert_int_equal(pmus[0].aux.config[0], 0x8203);
	assert_false(pmus[0].stores.there);
	/* A mask of 9 bits, and a term that is not described. */
	assert_true(pmus[1].loads.config[0] == (0x5d0ULL | 1ULL << 40));
	assert_false(pmus[1].aux.there);
	assert_false(pmus[1].stores.there);
	assert_ptr_equal(pmu_of(pmus, 2, 3), &pmus[0]);
	assert_ptr_equal(pmu_of(pmus, 2, 4), &pmus[1]);
	assert_null(pmu_of(pmus, 2, 8));
	assert_int_equal(pmu_find(pmus, in("nowhere"), 30), 0);
	snprintf(command, sizeof(command), "rm -r %s", in("sys"));
	assert_int_equal(system(command), 0);
}
