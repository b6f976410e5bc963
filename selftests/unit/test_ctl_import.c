// SPDX-License-Identifier: GPL-2.0
/* perf.data files, and the profiles that are made from them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl_perf.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "import/import.h"
#include "import/perf_sample.h"
#include "import/perf_tasks.h"
#include "profile/history.h"
#include "profile/imported.h"
#include "profile/snapshot.h"

#define MEMORY	(1 << 22)

static void imported_from(struct profile *profile, const char *path)
{
	char why[PERF_FILE_ERROR_MAX];
	const char *broken;

	if (import_perf(profile, path, MEMORY, why))
		fail_msg("not imported: %s", why);
	broken = account_snapshot_broken(&profile->snap);
	if (broken)
		fail_msg("%s", broken);
}

static void is_refused(const char *path, const char *words)
{
	char why[PERF_FILE_ERROR_MAX];
	struct profile profile;

	assert_int_equal(import_perf(&profile, path, MEMORY, why), -EBADMSG);
	if (!strstr(why, words))
		fail_msg("said: %s", why);
	assert_null(profile.history);
}

static void fight(const char *path, unsigned int loads)
{
	struct perf_made made;

	perf_fight(&made, loads);
	perf_end(&made, path);
}

TEST_WITH(a_fight, own_folder_make, own_folder_remove)
{
	const struct memlat_status *status;
	const struct memlat_rec_line *line;
	const struct history_image *image;
	struct profile profile;
	size_t i;

	fight(in("perf.data"), 40);
	imported_from(&profile, in("perf.data"));
	status = &profile.snap.head.status;
	assert_int_equal(status->samples, 80);
	assert_int_equal(status->loads, 40);
	assert_int_equal(status->weight_loads, 40 * 1009);
	assert_int_equal(status->weight_stores, 40 * 10007);
	assert_int_equal(status->ldlat, 30);
	assert_int_equal(status->period_low, 1009);
	assert_int_equal(status->store_period_high, 10007);
	assert_int_equal(status->duration_ns, 39);
	assert_int_equal(status->latency_sum, 40 * 400);
	assert_int_equal(status->flags & (IMPORTED_ALL | MEMLAT_F_LOADS | MEMLAT_F_STORES),
			 IMPORTED | MEMLAT_F_LOADS | MEMLAT_F_STORES);
	assert_int_equal(status->traits, MEMLAT_TRAIT_TLB);
	assert_int_equal(profile.snap.nr_lines, 1);
	line = profile.snap.lines;
	assert_int_equal(line->addr, 0x10040);
	assert_int_equal(line->source[MEMLAT_SRC_RHITM], 40);
	assert_int_equal(line->store_l1_hit, 20);
	assert_int_equal(line->cost, 40ULL * 400 * 1009);
	assert_int_equal(line->cpus, 3);
	assert_int_equal(line->nodes, 3);
	assert_int_equal(line->bytes_stored, 0x101);
	assert_string_equal(line->comm, "fight");
	assert_int_equal(profile.snap.nr_sites, 4);
	assert_int_equal(profile.snap.nr_accesses, 4);
	assert_int_equal(profile.snap.nr_threads, 2);
	for (i = 0; i < 2; i++)
		assert_string_equal(profile.snap.threads[i].comm,
				    profile.snap.threads[i].tid == 71 ? "fight" : "second");
	/* The program after its exec, and its mappings. */
	image = history_find(profile.history, 71, line->gen);
	assert_non_null(image);
	assert_string_equal(image->comm, "fight");
	assert_string_equal(history_map_at(image, 0x10100)->path, "/bin/fight");
	assert_string_equal(profile.machine.query.model_name, "skx");
	assert_string_equal(profile.machine.host, "somewhere");
	assert_int_equal(machine_node(&profile.machine, 1), 1);
	assert_string_equal(profile.machine.boot_id, "");
	profile_put(&profile, in("memlat.out"));
	profile_free(&profile);
	profile_get(&profile, in("memlat.out"), 0);
	assert_true(imported(&profile.snap.head.status));
	profile_free(&profile);
}

/* A file with one event of this type, and the body of one sample. */
static void one_sample(const char *path, struct perf_event_attr attr, const void *body,
		       size_t size)
{
	struct perf_made made;

	perf_begin(&made, &attr, 1);
	perf_add(&made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, size);
	perf_end(&made, path);
}

/* A sample with all possible fields: the last ones are right only if all before them were. */
TEST_WITH(a_sample_with_everything, own_folder_make, own_folder_remove)
{
	const uint64_t body[] = {
		1, 0x1000, 7ULL << 32 | 6, 500, 0x2040, 1, 9, 3, 1009,
		/* READ: a group of two, each with id and lost; CALLCHAIN; RAW, of 12 bytes */
		2, 100, 90, 11, 1, 0, 12, 2, 0,
		5, (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000001, (uint64_t)PERF_CONTEXT_USER,
		0x1000, 0x1100,
		0x123456780000000c, 0x1234,
		/* BRANCH_STACK of one with hw_idx; REGS_USER, two; STACK_USER of 8 bytes */
		1, 5, 0x1, 0x2, 0x3, PERF_SAMPLE_REGS_ABI_64, 21, 22, 8, 0xabcd, 8,
		/* WEIGHT_STRUCT, DATA_SRC, TRANSACTION, REGS_INTR of none, PHYS_ADDR */
		7ULL << 48 | 33ULL << 32 | 222,
		PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L2), 1,
		PERF_SAMPLE_REGS_ABI_NONE, 0x55555040,
	};
	struct perf_event_attr attr = perf_loads(30, 1009);
	const struct memlat_rec_access *access;
	struct profile profile;

	attr.sample_type = ((PERF_SAMPLE_PHYS_ADDR << 1) - 1) & ~PERF_SAMPLE_WEIGHT;
	attr.sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	/* With PERF_FORMAT_LOST, which is bit 4. */
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_GROUP | 1 << 4;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	attr.sample_regs_user = 0x11;
	attr.sample_regs_intr = 0x3;
	one_sample(in("perf.data"), attr, body, sizeof(body));
	imported_from(&profile, in("perf.data"));
	assert_int_equal(profile.snap.nr_accesses, 1);
	access = profile.snap.accesses;
	assert_int_equal(access->ip, 0x1000);
	assert_int_equal(access->addr, 0x2040);
	assert_int_equal(access->tgid, 6);
	assert_int_equal(access->tid, 7);
	assert_int_equal(access->cpus, 1 << 3);
	assert_int_equal(access->latency_sum, 222);
	assert_int_equal(access->weight, 1009);
	assert_int_equal(access->phys, 0x55555040);
	assert_int_equal(profile.snap.lines[0].source[MEMLAT_SRC_L2], 1);
	assert_int_equal(profile.snap.nr_stacks, 1);
	assert_int_equal(profile.snap.stacks[0].frames, 3);
	assert_int_equal(profile.snap.stacks[0].kernel_frames, 1);
	assert_int_equal(profile.snap.stacks[0].frame[2], 0x1100);
	/*
	 * According to the file it is not an Intel CPU, so the second latency has another meaning.
	 */
	assert_int_equal(profile.snap.head.status.use_latency_sum, 0);
	profile_free(&profile);
}

/* A file with one event that contains less than perf mem record requests. */
TEST_WITH(what_is_not_told_is_said, own_folder_make, own_folder_remove)
{
	const uint64_t body[] = {
		0x1000, 7ULL << 32 | 6, 0x2040, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT),
	};
	struct perf_event_attr attr = perf_loads(0, 0);
	struct profile profile;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
			   PERF_SAMPLE_DATA_SRC;
	attr.freq = 1;
	attr.sample_freq = 4000;
	one_sample(in("perf.data"), attr, body, sizeof(body));
	imported_from(&profile, in("perf.data"));
	assert_int_equal(profile.snap.head.status.flags & IMPORTED_ALL,
			 IMPORTED | IMPORTED_NO_LATENCY | IMPORTED_NO_CPU | IMPORTED_NO_PERIOD |
			 IMPORTED_NO_TIME);
	assert_int_equal(profile.snap.head.status.weight_loads, 1);
	profile_free(&profile);
}

static void add_lost(struct perf_made *made, uint64_t records, uint64_t samples)
{
	const uint64_t lost[] = { 1, records, 0, 0, 0, 0 }, other[] = { samples, 0, 0, 0, 0 };

	perf_add(made, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	perf_add(made, PERF_RECORD_LOST_SAMPLES, 0, other, sizeof(other));
	/* Samples that a filter of perf's dropped are not lost. */
	perf_add(made, PERF_RECORD_LOST_SAMPLES, 1 << 15, other, sizeof(other));
}

TEST_WITH(each_record_is_accounted_for, own_folder_make, own_folder_remove)
{
	struct perf_access access = {
		.event = 1, .ip = 0x100, .time = 9, .addr = 0, .pid = 5, .tid = 5,
		.data_src = PERF_MEM_S(OP, LOAD),
	};
	const struct memlat_status *status;
	struct profile profile;
	struct perf_made made;
	const uint64_t cut[] = { 1, 0x100 };

	perf_fight(&made, 40);
	/* Without an address; not of memory; with an unknown event; and cut off. */
	perf_add_access(&made, &access);
	access.addr = 0x500;
	access.data_src = PERF_MEM_S(OP, NA);
	perf_add_access(&made, &access);
	access.event = 77;
	perf_add_access(&made, &access);
	perf_add(&made, PERF_RECORD_SAMPLE, 0, cut, sizeof(cut));
	add_lost(&made, 3, 5);
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	status = &profile.snap.head.status;
	assert_int_equal(status->samples, 80);
	assert_int_equal(status->filtered, 1 + 5);
	assert_int_equal(status->malformed, 3 + 5);
	assert_int_equal(status->records, 80 + 6 + 8);
	assert_int_equal(history_lost_events(profile.history), 3);
	profile_free(&profile);
}

TEST_WITH(full_tables_forget, own_folder_make, own_folder_remove)
{
	const struct perf_event_attr attr = perf_loads(30, 1);
	const struct memlat_status *status;
	char why[PERF_FILE_ERROR_MAX];
	struct profile profile;
	struct perf_made made;
	unsigned int i;

	perf_begin(&made, &attr, 1);
	for (i = 0; i < 4000; i++) {
		struct perf_access access = {
			.event = 1, .ip = 0x100 + i, .time = 9, .addr = 0x1000 + 64 * i, .pid = 5,
			.tid = 5 + i, .weight = 50, .data_src = PERF_MEM_S(OP, LOAD),
		};

		perf_add_access(&made, &access);
	}
	perf_end(&made, in("perf.data"));
	assert_int_equal(import_perf(&profile, in("perf.data"), 1 << 20, why), 0);
	assert_null(account_snapshot_broken(&profile.snap));
	status = &profile.snap.head.status;
	assert_true(status->lines_evicted && status->sites_evicted && status->accesses_evicted &&
		    status->threads_evicted);
	assert_true(status->lines_error > 0);
	assert_int_equal(status->loads, 4000);
	profile_free(&profile);
}

/* perf inject makes several events from an SPE trace. One of them has each access once. */
TEST_WITH(accesses_are_not_taken_twice, own_folder_make, own_folder_remove)
{
	const struct perf_event_attr attrs[] = { perf_loads(0, 1), perf_loads(0, 1) };
	struct perf_access access = {
		.event = 1, .ip = 0x100, .time = 9, .addr = 0x1000, .pid = 5, .tid = 5,
		.weight = 50, .data_src = PERF_MEM_S(OP, LOAD),
	};
	unsigned char names[2048] = { 2, 0, 0, 0, sizeof(attrs[0]) };
	static const char *const name[] = { "l1d-access", "memory" };
	struct profile profile;
	struct perf_made made;
	size_t at = 8, i;

	perf_begin(&made, attrs, 2);
	perf_add_access(&made, &access);
	access.event = 2;
	perf_add_access(&made, &access);
	for (i = 0; i < 2; i++) {
		at += sizeof(attrs[0]);
		names[at] = 1;
		names[at + 4] = 16;
		strcpy((char *)names + at + 8, name[i]);
		at += 4 + 4 + 16 + 8;
	}
	perf_feature_text(&made, 6, "aarch64");
	perf_feature(&made, 12, names, at);
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	assert_int_equal(profile.snap.head.status.loads, 1);
	assert_string_equal(profile.machine.query.model_name, "aarch64");
	/* A machine that samples both together: no store in the file means that there was none. */
	assert_true(profile.snap.head.status.flags & MEMLAT_F_STORES);
	profile_free(&profile);
}

/* The build of each file, which perf writes behind the records. */
TEST_WITH(builds_of_files, own_folder_make, own_folder_remove)
{
	unsigned char builds[64] = { 0 };
	const uint16_t size[2] = { 1 << 15, 52 };
	const struct history_image *image;
	struct profile profile;
	struct perf_made made;

	perf_fight(&made, 40);
	memcpy(builds + 4, size, sizeof(size));
	memset(builds + 12, 0xab, 16);
	builds[32] = 16;
	strcpy((char *)builds + 36, "/bin/fight");
	perf_feature(&made, 2, builds, 52);
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	image = history_find(profile.history, 71, profile.snap.lines[0].gen);
	assert_int_equal(history_map_at(image, 0x10100)->build_id_size, 16);
	assert_int_equal(history_map_at(image, 0x10100)->build_id[15], 0xab);
	profile_free(&profile);
}

/* perf records no name for what only forks: as in perf, it has its parent's name of that time. */
/* An argument as long as Linux allows it, as of a script after "sh -c". */
TEST_WITH(a_long_argument, own_folder_make, own_folder_remove)
{
	enum { LONGEST = 131072 };
	const uint32_t nr = 2, first = 64, second = LONGEST;
	unsigned char *words = calloc(1, 12 + 64 + LONGEST);
	struct profile profile;
	struct perf_made made;

	assert_non_null(words);
	memcpy(words, &nr, 4);
	memcpy(words + 4, &first, 4);
	strcpy((char *)words + 8, "sh");
	memcpy(words + 8 + 64, &second, 4);
	memset(words + 12 + 64, 'x', LONGEST - 1);
	perf_fight(&made, 40);
	perf_feature(&made, 11, words, 12 + 64 + LONGEST);
	free(words);
	perf_end(&made, in("data"));
	SAYS(program_ends(0, "import %s -o %s", in("data"), in("a")), NOT "damaged");
	profile_get(&profile, in("a"), 0);
	assert_non_null(profile.command);
	assert_int_equal(strlen(profile.command), 3 + LONGEST - 1);
	profile_free(&profile);
}

TEST_WITH(children_without_an_exec, own_folder_make, own_folder_remove)
{
	struct perf_access access = {
		.event = 1, .ip = 0x10100, .addr = 0x10080, .weight = 40, .pid = 80, .tid = 80,
		.time = 2000, .data_src = PERF_MEM_S(OP, LOAD),
	};
	struct profile profile;
	struct perf_made made;
	size_t i;

	perf_fight(&made, 40);
	/* A process of the one named "second", then a thread of the process, after a renaming. */
	perf_add_fork(&made, 200, 80, 80, 72);
	perf_add_comm(&made, 300, 71, 72, "third", 0);
	perf_add_fork(&made, 400, 80, 81, 80);
	perf_add_access(&made, &access);
	access.tid = 81;
	access.addr += 64;
	perf_add_access(&made, &access);
	/* The pid of a process of another name, used again. */
	perf_add_comm(&made, 0, 90, 90, "older", 0);
	perf_add_fork(&made, 500, 90, 90, 80);
	access.pid = access.tid = 90;
	access.addr += 64;
	perf_add_access(&made, &access);
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	assert_int_equal(profile.snap.nr_threads, 5);
	for (i = 0; i < profile.snap.nr_threads; i++)
		if (profile.snap.threads[i].tgid >= 80)
			assert_string_equal(profile.snap.threads[i].comm, "second");
	for (i = 0; i < profile.snap.nr_lines; i++)
		if (profile.snap.lines[i].addr >= access.addr - 128)
			assert_string_equal(profile.snap.lines[i].comm, "second");
	profile_free(&profile);
}

TEST(who_was_who)
{
	static const struct perf_trailer trailer = { .size = 8, .time = 0 };
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char comm[16];
		uint64_t time;
	} first = { { PERF_RECORD_COMM, 0, 40 }, 5, 5, "one", 10 },
	  second = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 40 }, 5, 5, "two", 20 };
	struct {
		struct perf_event_header header;
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time, trailer;
	} forked = { { PERF_RECORD_FORK, 0, 40 }, 5, 4, 5, 4, 10, 10 };
	struct perf_tasks people = { 0 };

	perf_tasks_take(&people, &second.header, &trailer);
	perf_tasks_take(&people, &first.header, &trailer);
	perf_tasks_settle(&people);
	assert_string_equal(perf_tasks_name(&people, 5, 9), "");
	assert_string_equal(perf_tasks_name(&people, 5, 19), "one");
	assert_string_equal(perf_tasks_name(&people, 5, 20), "two");
	assert_string_equal(perf_tasks_name(&people, 6, 20), "");
	assert_int_equal(perf_tasks_generation(&people, 5, 19), 1);
	assert_int_equal(perf_tasks_generation(&people, 5, 20), 2);
	assert_int_equal(perf_tasks_generation(&people, 4, 20), 1);
	/* A running process has both records at the same time. Damage: its own parent. */
	perf_tasks_take(&people, &forked.header, &trailer);
	forked.tid = forked.parent_tid = 9;
	perf_tasks_take(&people, &forked.header, &trailer);
	perf_tasks_settle(&people);
	assert_string_equal(perf_tasks_name(&people, 5, 10), "one");
	assert_string_equal(perf_tasks_name(&people, 9, 10), "");
	perf_tasks_free(&people);
}

/* Change a number in a file that has so many bytes. */
static void change(const char *path, off_t at, uint64_t number, size_t width)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(pwrite(fd, &number, width, at), width);
	close(fd);
}

TEST_WITH(refused_by_name, own_folder_make, own_folder_remove)
{
	struct perf_event_attr attr = perf_loads(30, 1);
	struct perf_made made;
	unsigned int i;
	static const struct {
		unsigned int type;
		const char *words;
	} records[] = {
		{ 71, "perf inject --itrace=M" }, { 81, "record without -z" },
		{ 83, "record without -z" },
	};

	file_put(in("a"), "", 0);
	is_refused(in("a"), "it is empty");
	file_put(in("a"), "2ELIFREP and so on", 18);
	is_refused(in("a"), "big-endian");
	file_put(in("a"), "PERFFILE and so on", 18);
	is_refused(in("a"), "older than Linux 3.4");
	file_put(in("a"), "PERFILE2\20\0\0\0\0\0\0\0", 16);
	is_refused(in("a"), "to a pipe");
	file_put(in("a"), "MEMLATPF", 8);
	is_refused(in("a"), "it is not a perf.data file");
	is_refused(own_folder.path, "perf record --threads");
	fight(in("a"), 40);
	change(in("a"), 48, 0, 8);
	is_refused(in("a"), "it was not finished");
	for (i = 0; i < 3; i++) {
		perf_begin(&made, &attr, 1);
		perf_add(&made, records[i].type, 0, "", 0);
		perf_end(&made, in("a"));
		is_refused(in("a"), records[i].words);
	}
	/* Such a record may have any length, as in files of older perfs: here 13 bytes. */
	change(in("a"), 104 + sizeof(attr) + 16 + 8, 13ULL << 48 | 81, 8);
	is_refused(in("a"), "record without -z");
	attr.sample_type |= 1ULL << 40;
	perf_begin(&made, &attr, 1);
	perf_add(&made, PERF_RECORD_EXIT, 0, "", 0);
	perf_end(&made, in("a"));
	is_refused(in("a"), "fields that this memlat-ctl does not know (0x10000000000)");
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	perf_begin(&made, &attr, 1);
	perf_add(&made, PERF_RECORD_EXIT, 0, "", 0);
	perf_end(&made, in("a"));
	is_refused(in("a"), "record with perf mem record or perf c2c record");
}

TEST_WITH(samples_that_nobody_can_tell_apart, own_folder_make, own_folder_remove)
{
	struct perf_event_attr attrs[] = { perf_loads(30, 1), perf_stores(1) };
	struct perf_made made;

	attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	perf_begin(&made, attrs, 2);
	perf_add(&made, PERF_RECORD_EXIT, 0, "", 0);
	perf_end(&made, in("a"));
	is_refused(in("a"), "do not say to which of 2 events");
}

/* Thousands of events whose lists are one and the same part would take more than any memory. */
TEST_WITH(more_numbers_than_the_file_has_room_for, own_folder_make, own_folder_remove)
{
	struct perf_event_attr attrs[] = { perf_loads(30, 1), perf_stores(1) };
	struct perf_made made;
	struct bytes file;
	size_t i;

	perf_begin(&made, attrs, 2);
	perf_add(&made, PERF_RECORD_EXIT, 0, "", 0);
	perf_end(&made, in("a"));
	file = file_bytes(in("a"));
	free(file.at);
	for (i = 0; i < 2; i++) {
		const off_t part = 104 + (off_t)((i + 1) * sizeof(attrs[0]) + i * 16);

		change(in("a"), part, 0, 8);
		change(in("a"), part + 8, file.size, 8);
	}
	is_refused(in("a"), "lists of event numbers");
}

static void refused_or_whole(const char *path, size_t at)
{
	char why[PERF_FILE_ERROR_MAX];
	struct profile profile;
	int ret = import_perf(&profile, path, 1 << 18, why);

	if (ret == -EBADMSG && !*why)
		fail_msg("byte %zu: refused without a word", at);
	if (ret)
		return;
	if (account_snapshot_broken(&profile.snap))
		fail_msg("byte %zu: %s", at, account_snapshot_broken(&profile.snap));
	profile_free(&profile);
}

TEST_WITH(every_byte_flipped_and_every_end, own_folder_make, own_folder_remove)
{
	struct bytes file;
	size_t at;
	int fd;

	/* All samples have the same size, so the same bits of each are flipped: a few are enough. */
	fight(in("a"), 6);
	file = file_bytes(in("a"));
	fd = open(in("a"), O_RDWR);
	for (at = 0; at < file.size; at++) {
		unsigned char byte = file.at[at] ^ (at % 2 ? 0xff : 1U << at % 8);

		assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
		refused_or_whole(in("a"), at);
		assert_int_equal(pwrite(fd, &file.at[at], 1, (off_t)at), 1);
	}
	for (at = file.size; at-- > 0;) {
		char why[PERF_FILE_ERROR_MAX];
		struct profile profile;

		assert_int_equal(ftruncate(fd, (off_t)at), 0);
		assert_int_equal(import_perf(&profile, in("a"), 1 << 18, why), -EBADMSG);
		assert_true(*why);
	}
	close(fd);
	free(file.at);
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	fight(in("perf.data"), 40);
	SAYS(program_ends(0, "import %s -o %s", in("perf.data"), in("fight.memlat")),
	     "80 samples (40 stores), period 1,009 (stores 10,007), 0 lost",
	     "not in the imported file: samples that the hardware dropped",
	     "see: memlat-ctl report -i");
	SAYS(program_ends(0, "c2c -i %s", in("fight.memlat")), "imported from perf",
	     "1 false sharing");
	SAYS(program_ends(0, "status -i %s", in("fight.memlat")), "state     imported",
	     "overhead  not known");
	SAYS(program_ends(1, "c2c -i %s", in("perf.data")), "it is a perf.data; memlat-ctl import");
	free(program_ends(2, "import"));
	SAYS(program_ends(1, "import %s", in("none")), "No such file");
	/* If the input cannot be read, an older profile is not changed. */
	free(program_ends(1, "import %s -o %s", in("fight.memlat"), in("fight.memlat")));
	free(program_ends(0, "lines -i %s", in("fight.memlat")));
	free(program_ends(1, "fleet %s %s -o %s", in("fight.memlat"), in("fight.memlat"),
			  in("merged")));
}
