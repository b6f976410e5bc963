// SPDX-License-Identifier: GPL-2.0
/* What other tools get. selftests/exports lets these tools read it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_view.h"

#include "host/session_end.h"
#include "views/export.h"

static char *folded(const struct profile *profile, struct namer *namer, enum export_value value)
{
	struct export export;
	char *text;

	export_begin(&export, profile, namer);
	text = PRINTED(export_folded(out, &export, value));
	export_end(&export);
	return text;
}

/* Callers, outermost first, with names that would break the format. */
TEST(chains_and_names)
{
	struct memlat_rec_stack stack = {
		.id = 7, .frames = 3, .kernel_frames = 1, .tgid = 5,
		.frame = { 0xffffffff81000010, 0x401136, 0x401000 },
	};
	struct memlat_rec_access accesses[2] = { {
		.ip = 0xffffffff81000010, .tgid = 5, .tid = 5, .stack = 7, .samples = 3,
		.stores = 1, .cost = 90, .hitm_local = 1, .hitm_remote = 1,
	} };
	struct code_name code = { .function = "a;b\n c\x1b" };
	struct snapshot snap = { .accesses = accesses, .nr_accesses = 1, .stacks = &stack,
				 .nr_stacks = 1 };
	struct shown shown;

	snap.head.status.loads = 2;
	snap.head.status.stores = 1;
	snap.sum[TABLE_ACCESSES].cost = 90;
	shown_open(&shown, &snap);
	SAYS(folded(&shown.profile, shown.namer, EXPORT_HITM),
	     "[unknown];[unknown];[unknown];", " 2\n");
	shown_close(&shown);
	/* Another instruction of the same functions is no other stack. */
	accesses[1] = accesses[0];
	accesses[1].ip++;
	snap.nr_accesses = 2;
	snap.head.status.loads = 4;
	snap.head.status.stores = 2;
	snap.sum[TABLE_ACCESSES].cost = 180;
	shown_open(&shown, &snap);
	SAYS(folded(&shown.profile, shown.namer, EXPORT_HITM), " 4\n", NOT " 2\n");
	shown_close(&shown);
	says_just(PRINTED(export_put(out, export_function(&code), ';')), "a_b_ c_");
}

static const char *ended_folder;

static char *metrics(const struct profile *profile, struct namer *namer, bool openmetrics)
{
	return PRINTED(export_metrics(out, profile, namer, openmetrics, ended_folder));
}

/* What start --keep counted is there for a live session only, and says how long none ran. */
TEST(metrics_tell_of_sessions_that_ended)
{
	static const char known[] = "refused 7\nfired 3\ntakeover 2\n";
	static const char * const broken[] = { "refused 7\ntakeo", "0\n0\n7\n", "refused 7\n5\n" };
	struct session_end_counts counts = { .refused = 4, .keepers = 5, .away_ns = 1500000000 }, back;
	struct snapshot snap = { 0 };
	struct memlat_status *status;
	struct folder folder;
	struct shown shown;
	const char *ended;
	size_t i;

	folder_make(&folder);
	ended_folder = folder.path;
	ended = folder_file(&folder, "ended");
	shown_open(&shown, &snap);
	status = &shown.profile.snap.head.status;
	shown.profile.live = true;
	SAYS(metrics(&shown.profile, shown.namer, false), NOT "memlat_session_ended");
	counts.ended[MEMLAT_END_TAKEOVER] = 3;
	counts.ended[MEMLAT_END_GONE] = ~0ULL;
	assert_int_equal(session_end_write(folder.path, &counts), 0);
	assert_true(session_end_read(folder.path, &back));
	assert_memory_equal(&counts, &back, sizeof(counts));
	SAYS(metrics(&shown.profile, shown.namer, false),
	     "memlat_session_ended_total{reason=\"stopped\"} 0\n",
	     "memlat_session_ended_total{reason=\"takeover\"} 3\n",
	     "memlat_start_refused_total 4\n", "memlat_keeper_lost_total 5\n",
	     "memlat_session_away_seconds_total 1.500\n");
	SAYS(metrics(&shown.profile, shown.namer, true), "# TYPE memlat_session_ended counter\n",
	     NOT "memlat_session_ended_created");
	/* None runs since the first nanosecond. Then one runs that somebody else started. */
	counts.since_ns = 1;
	assert_int_equal(session_end_write(folder.path, &counts), 0);
	SAYS(metrics(&shown.profile, shown.namer, false),
	     NOT "memlat_session_away_seconds_total 1.500\n");
	status->state = MEMLAT_STATE_RUNNING;
	status->started_ns = 2500000001;
	SAYS(metrics(&shown.profile, shown.namer, false),
	     "memlat_session_away_seconds_total 4.000\n");
	shown.profile.live = false;
	SAYS(metrics(&shown.profile, shown.namer, false), NOT "memlat_session_ended");
	/* Names may be more, fewer, and in any order. Without names it is another memlat-ctl's file. */
	file_put(ended, known, strlen(known));
	assert_true(session_end_read(folder.path, &back));
	assert_true(back.refused == 7 && back.ended[MEMLAT_END_TAKEOVER] == 2 && !back.keepers);
	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		file_put(ended, broken[i], strlen(broken[i]));
		assert_false(session_end_read(folder.path, &back));
		assert_int_equal(back.refused, 0);
	}
	assert_int_not_equal(session_end_write("/proc/memlat", &counts), 0);
	shown_close(&shown);
	ended_folder = NULL;
	folder_remove(&folder);
}

/* Each format has its own names for counters. Both say when counting began. */
TEST(two_formats_of_metrics)
{
	struct profile profile;
	struct namer *namer;

	sample_profile(&profile);
	profile.recorded_at = 2000000;
	profile.snap.head.status.duration_ns = 1500 * 1000000000ULL;
	namer = namer_new(&profile, NULL);
	SAYS(metrics(&profile, namer, true), "# TYPE memlat_samples counter\n",
	     "memlat_samples_total{type=\"load\"} 1000\nmemlat_samples_created{type=\"load\"} 1998500\n",
	     "memlat_session_start_time_seconds 1998500\n", "\n# EOF\n");
	SAYS(metrics(&profile, namer, false), "# TYPE memlat_samples_total counter\n",
	     "# TYPE memlat_load_latency_cycles histogram\n",
	     "memlat_session_start_time_seconds 1998500\n", NOT "_created", NOT "# EOF");
	namer_free(namer);
	profile_free(&profile);
}

/* Later figures of a session are no lower. A new session says that it is another one. */
TEST(metrics_rise_and_tell_of_a_new_session)
{
	struct snapshot snap = { 0 };
	struct memlat_status *status;
	struct shown shown;

	shown_open(&shown, &snap);
	status = &shown.profile.snap.head.status;
	shown.profile.recorded_at = 1000;
	status->started_ns = 1;
	status->duration_ns = 600 * 1000000000ULL;
	status->loads = 5;
	SAYS(metrics(&shown.profile, shown.namer, true),
	     "memlat_samples_total{type=\"load\"} 5\nmemlat_samples_created{type=\"load\"} 400\n");
	shown.profile.recorded_at = 1015;
	status->duration_ns += 15 * 1000000000ULL;
	status->loads = 7;
	SAYS(metrics(&shown.profile, shown.namer, true),
	     "memlat_samples_total{type=\"load\"} 7\nmemlat_samples_created{type=\"load\"} 400\n");
	shown.profile.recorded_at = 1030;
	status->duration_ns = 5 * 1000000000ULL;
	status->loads = 1;
	SAYS(metrics(&shown.profile, shown.namer, true),
	     "memlat_samples_total{type=\"load\"} 1\nmemlat_samples_created{type=\"load\"} 1025\n");
	shown_close(&shown);
}

/* If it is armed, a tenth of a second passes between a look at the one clock and at the other. */
static enum { PROMPT, ARMED, SLOW } waits;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static const struct timespec tenth = { .tv_nsec = 100000000 };

	if (clock == CLOCK_REALTIME && waits == ARMED) {
		waits = SLOW;
	} else if (clock == CLOCK_MONOTONIC && waits == SLOW) {
		waits = PROMPT;
		nanosleep(&tenth, NULL);
	}
	return (int)syscall(SYS_clock_gettime, clock, now);
}

/* However long memlat-ctl waits between its two looks, a session begins when it began. */
TEST(a_live_session_begins_once)
{
	struct snapshot snap = { 0 };
	struct timespec real, run;
	struct memlat_status *status;
	struct shown shown;
	char *before, *after;
	__u64 apart;

	shown_open(&shown, &snap);
	shown.profile.live = true;
	status = &shown.profile.snap.head.status;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &run);
	apart = (__u64)(real.tv_sec - run.tv_sec) * 1000000000ULL + (__u64)real.tv_nsec -
		(__u64)run.tv_nsec;
	/* Just above half a second, which is rounded up. */
	status->started_ns = 2 * 1000000000ULL - apart % 1000000000ULL + 550000000ULL;
	before = metrics(&shown.profile, shown.namer, true);
	waits = ARMED;
	after = metrics(&shown.profile, shown.namer, true);
	assert_int_equal(waits, PROMPT);
	assert_string_equal(before, after);
	free(before);
	free(after);
	shown_close(&shown);
}

/*
 * Later samples of a source are faster and stand for more loads. The sum of latency rises all the
 * same.
 */
TEST(estimated_latency_rises)
{
	static const char series[] = "memlat_estimated_load_latency_cycles_sum{source=\"dram\"} ";
	struct snapshot snap = { 0 };
	struct memlat_rec_buckets *buckets;
	__u64 sum[2];
	struct shown shown;
	unsigned int i;
	char *text;

	shown_open(&shown, &snap);
	buckets = &shown.profile.snap.buckets;
	for (i = 0; i < MEMLAT_BUCKETS - 1; i++)
		buckets->edge[i] = 100 * (i + 1);
	buckets->count[9][MEMLAT_SRC_DRAM] = 1;
	buckets->weight[9][MEMLAT_SRC_DRAM] = 65537;
	buckets->latency[MEMLAT_SRC_DRAM] = 950;
	for (i = 0; i < 2; i++) {
		text = metrics(&shown.profile, shown.namer, false);
		says(text, series);
		sum[i] = strtoull(strstr(text, series) + strlen(series), NULL, 10);
		free(text);
		buckets->count[1][MEMLAT_SRC_DRAM] = 1000;
		buckets->weight[1][MEMLAT_SRC_DRAM] = 17000;
		buckets->latency[MEMLAT_SRC_DRAM] += 1000 * 150;
	}
	assert_int_equal(sum[0], 65537 * 950);
	assert_int_equal(sum[1], 65537 * 950 + 17000 * 150);
	shown_close(&shown);
}

static size_t times(const char *text, const char *word)
{
	size_t nr = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		nr++;
	}
	return nr;
}

#define FOUGHT	12	/* lines */

/* Two threads write different bytes of each line, and wait for each other. */
static void fight(struct memlat_rec_line *lines, struct memlat_rec_access *accesses)
{
	size_t i;

	for (i = 0; i < FOUGHT; i++) {
		lines[i] = (struct memlat_rec_line){
			.addr = 0x1000 + 64 * i, .space = 100 + i, .samples = 400, .stores = 200,
			.cost = 10000, .weight = 400, .cpus = 3, .store_cpus = 3, .nodes = 1,
			.slot[0] = 200, .slot[2] = 200, .slot_hitm[0] = 100, .slot_hitm[2] = 100,
			.slot_store[0] = 100, .slot_store[2] = 100, .bytes_loaded = 0xff0000ff,
			.bytes_stored = 0xff0000ff, .source[MEMLAT_SRC_L3_HITM] = 200,
			.latency[MEMLAT_SRC_L3_HITM] = 40000, .latency_sum = 40000,
		};
		accesses[2 * i] = (struct memlat_rec_access){
			.addr = lines[i].addr, .ip = 0x401000, .tgid = 100 + i, .tid = 100 + i,
			.samples = 200, .stores = 100, .hitm_local = 100, .cost = 5000, .weight = 200,
			.cpus = 1, .nodes = 1, .latency_sum = 20000, .latency_hitm_local = 20000,
		};
		accesses[2 * i + 1] = accesses[2 * i];
		accesses[2 * i + 1].addr += 16;
		accesses[2 * i + 1].tid += 1000;
		accesses[2 * i + 1].cpus = 2;
	}
}

/* There are few time series, however many lines are contended, and each one is there once. */
TEST(labels_are_few)
{
	struct memlat_rec_line lines[FOUGHT];
	struct memlat_rec_access accesses[2 * FOUGHT];
	struct snapshot snap = { .lines = lines, .nr_lines = FOUGHT, .accesses = accesses,
				 .nr_accesses = 2 * FOUGHT };
	struct shown shown;
	char *text;

	fight(lines, accesses);
	snap.head.status.loads = 200 * FOUGHT;
	snap.head.status.stores = 200 * FOUGHT;
	snap.sum[TABLE_LINES].cost = 10000 * FOUGHT;
	snap.sum[TABLE_ACCESSES].cost = 10000 * FOUGHT;
	shown_open(&shown, &snap);
	text = metrics(&shown.profile, shown.namer, false);
	/* No line has a name, so they are one series with the sum of their costs. */
	assert_int_equal(times(text, "\nmemlat_contended_latency_ratio{"), 1);
	says(text, "\nmemlat_contended_latency_ratio{verdict=\"false_sharing\",process=\"\",data=\"\"} 1\n");
	free(text);
	shown_close(&shown);
}

#define OTHER	500	/* another process than those of fight() */

static bool named_other;

const struct data_name *namer_data(struct namer *namer, __u32 space, __u32 gen, __u64 address,
				   __u32 tid)
{
	const struct data_name *(*real)(struct namer *, __u32, __u32, __u64, __u32) =
		dlsym(RTLD_NEXT, "namer_data");

	named_other |= space == OTHER;
	return real(namer, space, gen, address, tid);
}

/* Names take most of the time, so lines that are not exported get none, however costly they are. */
static void stays_unnamed(const struct memlat_rec_line *line,
			  const struct memlat_rec_access *access, size_t nr)
{
	struct memlat_rec_line lines[FOUGHT + 1];
	struct memlat_rec_access accesses[2 * FOUGHT + 2];
	struct snapshot snap = { .lines = lines, .nr_lines = FOUGHT + 1, .accesses = accesses,
				 .nr_accesses = 2 * FOUGHT + nr };
	struct shown shown;

	fight(lines, accesses);
	lines[FOUGHT] = *line;
	memcpy(&accesses[2 * FOUGHT], access, nr * sizeof(*access));
	snap.sum[TABLE_LINES].cost = 10000 * FOUGHT + line->cost;
	shown_open(&shown, &snap);
	named_other = false;
	SAYS(metrics(&shown.profile, shown.namer, false),
	     "\nmemlat_contended_latency_ratio{verdict=\"false_sharing\",process=\"\",data=\"\"} 0.12\n");
	assert_false(named_other);
	shown_close(&shown);
}

TEST(lines_without_a_fight_are_not_named)
{
	/* Two threads read it, and it moves between their cores. */
	const struct memlat_rec_line line = {
		.addr = 0x1000, .space = OTHER, .samples = 400, .cost = 880000, .weight = 400,
		.cpus = 3, .nodes = 1, .slot[0] = 400, .source[MEMLAT_SRC_L3_HITM] = 4,
		.source[MEMLAT_SRC_L3] = 396, .latency_sum = 40000,
	};
	struct memlat_rec_access accesses[2];

	accesses[0] = (struct memlat_rec_access){
		.addr = 0x1000, .ip = 0x401000, .tgid = OTHER, .tid = OTHER, .samples = 200,
		.hitm_local = 2, .cost = 440000, .weight = 200, .cpus = 1, .nodes = 1,
		.latency_sum = 20000,
	};
	accesses[1] = accesses[0];
	accesses[1].tid++;
	accesses[1].cpus = 2;
	stays_unnamed(&line, accesses, 2);
}

/* It looks as contended as others, but for the threads. */
TEST(lines_of_one_thread_are_not_named)
{
	struct memlat_rec_line lines[FOUGHT];
	struct memlat_rec_access accesses[2 * FOUGHT];

	fight(lines, accesses);
	lines[0].space = OTHER;
	lines[0].cost = 880000;
	accesses[0].tgid = accesses[1].tgid = OTHER;
	accesses[0].tid = accesses[1].tid = OTHER;
	stays_unnamed(&lines[0], accesses, 2);
}

/* The same for few samples that stand for much. */
TEST(lines_of_few_samples_are_not_named)
{
	struct memlat_rec_line lines[FOUGHT];
	struct memlat_rec_access accesses[2 * FOUGHT];
	unsigned int i;

	fight(lines, accesses);
	lines[0].space = OTHER;
	lines[0].cost = 880000;
	lines[0].samples = 18;
	lines[0].stores = 6;
	lines[0].source[MEMLAT_SRC_L3_HITM] = 12;
	for (i = 0; i < 2; i++) {
		accesses[i].tgid = OTHER;
		accesses[i].samples = 9;
		accesses[i].stores = 3;
		accesses[i].hitm_local = 6;
	}
	stays_unnamed(&lines[0], accesses, 2);
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	struct profile profile;
	struct stat status;

	umask(022);
	sample_profile(&profile);
	profile_put(&profile, in("a"));
	profile_free(&profile);
	SAYS(program_ends(0, "export --format callgrind -i %s", in("a")),
	     "events: Cycles Loads Hitm Stores", "fn=[evicted]\n0 ");
	SAYS(program_ends(0, "export --format openmetrics -i %s", in("a")),
	     "memlat_samples_total{type=\"load\"} 1000\n", "# EOF\n");
	says_just(program_ends(0, "export --format prometheus -i %s -o %s", in("a"),
			       in("memlat.prom")), "");
	/* Another user's program can read the file. */
	assert_int_equal(stat(in("memlat.prom"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
	free(program_ends(0, "export --format pprof -i %s -o %s", in("a"), in("a.pb")));
	assert_int_equal(stat(in("a.pb"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	SAYS(program_ends(1, "export --format folded -i %s -o %s", in("a"), own_folder.path),
	     "it is a folder; give the name of a file");
	SAYS(program_ends(2, "export -i %s", in("a")), "say for which tool; give --format");
	SAYS(program_ends(2, "export --format xml -i %s", in("a")),
	     "--format xml: no such word; give folded, folded:loads, folded:hitm, folded:stores, callgrind, pprof, openmetrics or prometheus");
	SAYS(program_ends(2, "export --format folded:time -i %s", in("a")),
	     "--format folded:time: no such word; give folded, ");
	SAYS(program_ends(0, "export --format folded:stores -i %s", in("a")), "[evicted] ");
}
