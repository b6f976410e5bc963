// SPDX-License-Identifier: GPL-2.0
/* What narrows a perf.data, records of later kernels, and what an address meant at a time. */
#include "ctl_perf.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "import/import.h"
#include "profile/history.h"
#include "profile/imported.h"
#include "profile/snapshot.h"

static void imported_from(struct profile *profile, const char *path)
{
	char why[PERF_FILE_ERROR_MAX];
	const char *broken;

	if (import_perf(profile, path, IMPORT_MEMORY, why))
		fail_msg("not imported: %s", why);
	broken = account_snapshot_broken(&profile->snap);
	if (broken)
		fail_msg("%s", broken);
}

/* A file of this CPU with one load. */
static void of_cpu(struct profile *profile, const char *arch, const char *cpuid, uint64_t config,
		   uint64_t config1)
{
	struct perf_event_attr attr = perf_loads(0, 1009);
	struct perf_access access = {
		.event = 1, .ip = 0x100, .time = 9, .addr = 0x500, .pid = 5, .tid = 5, .cpu = 1,
		.data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT),
	};
	struct perf_made made;

	attr.config = config;
	attr.config1 = config1;
	perf_begin(&made, &attr, 1);
	perf_add_access(&made, &access);
	perf_feature_text(&made, 6, arch);
	perf_feature_text(&made, 9, cpuid);
	perf_end(&made, in("perf.data"));
	imported_from(profile, in("perf.data"));
}

#define NARROWED	(IMPORTED_L3_MISSES | IMPORTED_STREAMING | IMPORTED_NO_HITM)

static void is_narrowed(const char *arch, const char *cpuid, uint64_t config, uint64_t config1,
			unsigned int flags, unsigned int ldlat)
{
	struct profile profile;

	of_cpu(&profile, arch, cpuid, config, config1);
	assert_int_equal(profile.snap.head.status.flags & NARROWED, flags);
	assert_int_equal(profile.snap.head.status.ldlat, ldlat);
	profile_free(&profile);
}

TEST_WITH(what_narrows_a_file_is_said, own_folder_make, own_folder_remove)
{
	struct profile profile;

	is_narrowed("x86_64", "AuthenticAMD,26,2,1", 1 << 16, 1024, IMPORTED_L3_MISSES, 1024);
	/* The kernel sets the one filter with the other. */
	is_narrowed("x86_64", "AuthenticAMD,26,2,1", 0, 128, IMPORTED_L3_MISSES, 128);
	is_narrowed("x86_64", "AuthenticAMD,26,2,1", 0, 0, 0, 0);
	is_narrowed("x86_64", "AuthenticAMD,26,80,1", 0, 1 << 12, IMPORTED_STREAMING, 0);
	/* Zen 3, Zen 4, Zen 2. */
	is_narrowed("x86_64", "AuthenticAMD,25,1,1", 0, 0, IMPORTED_NO_HITM, 0);
	is_narrowed("x86_64", "AuthenticAMD,25,33,0", 0, 0, IMPORTED_NO_HITM, 0);
	is_narrowed("x86_64", "AuthenticAMD,25,17,1", 0, 0, 0, 0);
	is_narrowed("x86_64", "AuthenticAMD,25,97,2", 0, 0, 0, 0);
	is_narrowed("x86_64", "AuthenticAMD,23,49,0", 0, 0, 0, 0);
	/* A Neoverse, and a Kunpeng. */
	is_narrowed("aarch64", "0x00000000413fd0c1", 0, 0, IMPORTED_NO_HITM, 0);
	is_narrowed("aarch64", "0x00000000481fd010", 0, 0, 0, 0);
	is_narrowed("x86_64", "GenuineIntel,6,85,4", 1 << 16, 31, 0, 31);
	of_cpu(&profile, "x86_64", "AuthenticAMD,26,2,1", 1 << 16, 1024);
	profile_put(&profile, in("amd.memlat"));
	profile_free(&profile);
	SAYS(program_ends(0, "report -i %s", in("amd.memlat")), "ldlat 1024",
	     "only loads that missed L3 were sampled (IBS filter l3missonly)");
	SAYS(program_ends(0, "lines -i %s", in("amd.memlat")), "ldlat 1024",
	     "only loads that missed L3 were sampled (IBS filter l3missonly)");
	SAYS(program_ends(0, "lines --json -i %s", in("amd.memlat")), "\"l3_hits\"");
}

/* Linux 6.19 may write the part in user space later. BPF programs are told by records of their own. */
TEST_WITH(records_of_later_kernels, own_folder_make, own_folder_remove)
{
	const uint64_t address = 0xffffffffc00006ba, deferred[] = { 1, 1, 0x100, 0, 0, 0 };
	/* The name ends before the bytes that tell process and time. */
	struct { uint64_t address; uint32_t length; uint16_t kind, flags; char name[96]; } symbol = {
		.address = address & ~0xfffULL, .length = 0x1000, .kind = 1,
		.name = "bpf_prog_a6f400c3a082623e_count_sys_enter",
	};
	struct perf_access access = {
		.event = 1, .ip = address, .time = 9, .addr = 0x500, .pid = 5, .tid = 5,
		.data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT),
	};
	struct profile profile;
	struct perf_made made;

	perf_fight(&made, 40);
	perf_add_access(&made, &access);
	perf_add(&made, 22, 0, deferred, sizeof(deferred));
	perf_add(&made, PERF_RECORD_KSYMBOL, 0, &symbol, sizeof(symbol));
	/* It was unloaded; it is no address of the kernel; its name has no end. */
	symbol.flags = 1;
	perf_add(&made, PERF_RECORD_KSYMBOL, 0, &symbol, sizeof(symbol));
	symbol.flags = 0;
	symbol.address = 0x1000;
	perf_add(&made, PERF_RECORD_KSYMBOL, 0, &symbol, sizeof(symbol));
	memset(symbol.name, 'x', sizeof(symbol.name));
	perf_add(&made, PERF_RECORD_KSYMBOL, 0, &symbol, sizeof(symbol));
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	assert_true(profile.snap.head.status.flags & IMPORTED_DEFERRED);
	assert_non_null(profile.kernel);
	assert_string_equal(kernel_row_at(profile.kernel, KERNEL_CODE, address)->name,
			    "bpf_prog_a6f400c3a082623e_count_sys_enter");
	assert_null(kernel_row_at(profile.kernel, KERNEL_CODE, address + 0x1000));
	profile_free(&profile);
}

/*
 * Two libraries at one address, one after the other, as dlopen() and dlclose() make them: 300 pairs
 * of samples are of the first one's code and variables, and 20 of the second one's.
 */
TEST_WITH(libraries_at_one_address, own_folder_make, own_folder_remove)
{
	const uint64_t at = 0x7f0000000000;
	struct perf_access access = {
		.event = 1, .ip = at + 0x1100, .addr = at + 0x4040, .pid = 5, .tid = 5, .cpu = 1,
		.data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT),
	};
	const struct history_image *image;
	uint64_t last = 0, past = 0;
	struct profile profile;
	struct perf_made made;
	size_t i;

	perf_fight(&made, 40);
	perf_add_map(&made, 1000, 5, at, 0x5000, "/lib/liba.so");
	/* The rest of its .bss. */
	perf_add_map(&made, 1010, 5, at + 0x4000, 0x1000, "//anon");
	for (i = 0; i < 300; i++) {
		access.time = 2000 + i;
		perf_add_access(&made, &access);
	}
	perf_add_map(&made, 500000000, 5, at, 0x5000, "/lib/libg.so");
	perf_add_map(&made, 500000010, 5, at + 0x4000, 0x1000, "//anon");
	for (i = 0; i < 20; i++) {
		access.time = 500000100 + i;
		perf_add_access(&made, &access);
	}
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	for (i = 0; i < profile.snap.nr_accesses; i++) {
		const struct memlat_rec_access *row = &profile.snap.accesses[i];

		if (row->addr == at + 0x4040 && row->ip == at + 0x1100)
			last = row->samples;
		if (row->addr == at + 0x4040 + HISTORY_PAST && row->ip == at + 0x1100 + HISTORY_PAST)
			past = row->samples;
	}
	assert_int_equal(past, 300);
	assert_int_equal(last, 20);
	image = history_find(profile.history, 5, 0);
	assert_string_equal(history_map_at(image, at + 0x1100)->path, "/lib/libg.so");
	assert_string_equal(history_map_at(image, at + 0x1100 + HISTORY_PAST)->path, "/lib/liba.so");
	assert_string_equal(history_map_at(image, at + 0x4040 + HISTORY_PAST)->path, "//anon");
	assert_string_equal(history_before(image, at + 0x1100)->path, "/lib/liba.so");
	profile_free(&profile);
}

static void without_times(struct snapshot *snap)
{
	const uint64_t address = HISTORY_PAST - 1;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++) {
		snap->lines[i].addr &= address;
		snap->lines[i].ip &= address;
	}
	for (i = 0; i < snap->nr_sites; i++)
		snap->sites[i].ip &= address;
	for (i = 0; i < snap->nr_accesses; i++) {
		snap->accesses[i].addr &= address;
		snap->accesses[i].ip &= address;
	}
	snap->head.status.flags &= ~IMPORTED_ALL;
}

/* A fight in a program's memory, where another file was mapped later. */
TEST_WITH(no_verdict_is_sure_without_times, own_folder_make, own_folder_remove)
{
	static const char *const views[] = { "report", "lines", "c2c" };
	struct profile profile;
	struct perf_made made;
	size_t i;

	perf_fight(&made, 40);
	perf_add_map(&made, 500000000, 71, 0x10000, 0x1000, "/bin/later");
	perf_end(&made, in("perf.data"));
	imported_from(&profile, in("perf.data"));
	assert_int_equal(profile.snap.lines[0].addr, 0x10040 + HISTORY_PAST);
	profile_put(&profile, in("sure"));
	without_times(&profile.snap);
	profile_put(&profile, in("not-sure"));
	profile_free(&profile);
	SAYS(program_ends(0, "report -i %s", in("sure")), "false sharing", "Sure:");
	SAYS(program_ends(0, "lines -i %s", in("sure")), "false sharing", "Sure:");
	SAYS(program_ends(0, "report -i %s", in("not-sure")), "false sharing",
	     "sure: fight was mapped", NOT "Sure:");
	SAYS(program_ends(0, "lines -i %s", in("not-sure")), "false sharing",
	     "Not sure: fight", NOT "Sure:");
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		SAYS(program_ends(0, "%s --json -i %s", views[i], in("sure")), "\"sure\": 0.",
		     NOT "\"sure\": null");
		SAYS(program_ends(0, "%s --json -i %s", views[i], in("not-sure")),
		     "\"sure\": null", NOT "\"sure\": 0");
	}
	SAYS(program_ends(0, "advise --json -i %s", in("not-sure")), "\"sure\": 0,");
}
