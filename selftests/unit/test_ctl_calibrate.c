// SPDX-License-Identifier: GPL-2.0
/*
 * memlat-ctl doctor --calibrate levels: the sizes that it walks and their order, the edges, and what is stored.
 * Nothing here depends on how long anything takes.
 */
#define _GNU_SOURCE
#include "ctl_profile.h"
#include "ctl_view.h"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/calibrate.h"
#include "profile/machine.h"
#include "views/views.h"

#define KIB	1024ULL
#define MIB	(1024 * KIB)

TEST(sizes_lie_in_their_level)
{
	static const __u64 caches[][2] = {
		{ 0, 32 * KIB }, { 32 * KIB, MIB }, { 48 * KIB, 2 * MIB }, { MIB, 40 * MIB },
		{ 32 * KIB, 256 * KIB }, { MIB, 2 * MIB + 768 * KIB },
	};
	struct plan_sizes sizes;
	unsigned int i, j;

	for (i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		plan_cache(&sizes, caches[i][0], caches[i][1]);
		assert_true(sizes.nr >= 1 && sizes.nr <= PLAN_SIZES);
		for (j = 0; j < sizes.nr; j++) {
			assert_true(sizes.bytes[j] > caches[i][0]);
			assert_true(sizes.bytes[j] < caches[i][1]);
			assert_int_equal(sizes.bytes[j] % (16 * CHASE_LINE), 0);
			assert_true(!j || sizes.bytes[j] > sizes.bytes[j - 1]);
		}
	}
	plan_cache(&sizes, 32 * KIB, MIB);
	assert_int_equal(sizes.nr, 3);
	assert_int_equal(sizes.bytes[0], 64 * KIB);
	assert_int_equal(sizes.bytes[2], 384 * KIB);
	/* Hardly larger than the cache before it, so neither can be measured alone. */
	plan_cache(&sizes, MIB, MIB + 384 * KIB);
	assert_int_equal(sizes.nr, 0);
}

TEST(memory_is_beyond_the_caches)
{
	struct plan_sizes sizes;

	plan_memory(&sizes, 2 * MIB, 1024 * MIB);
	assert_int_equal(sizes.nr, 2);
	assert_int_equal(sizes.bytes[0], 8 * MIB);
	assert_int_equal(sizes.bytes[1], 16 * MIB);
	plan_memory(&sizes, 480 * MIB, 1024 * MIB);
	assert_int_equal(sizes.nr, 1);
	assert_int_equal(sizes.bytes[0], 1024 * MIB);
	plan_memory(&sizes, 480 * MIB, 512 * MIB);
	assert_int_equal(sizes.nr, 0);
	plan_memory(&sizes, 0, 1024 * MIB);
	assert_int_equal(sizes.bytes[0], 64 * MIB);
}

TEST(medians_hold)
{
	double values[] = { 9, 1, 8, 2, 7, 3, 6, 4, 5 }, low, median, high;

	assert_true(plan_middle(values, 9) == 5);
	assert_true(values[0] == 9);
	plan_median(values, 9, &low, &median, &high);
	assert_true(low == 3 && median == 5 && high == 7);
	plan_median(values, 1, &low, &median, &high);
	assert_true(low == 1 && median == 1 && high == 1);
}

/* A cache that is as slow as memory is no level. */
TEST(levels_rise)
{
	struct latency latencies[] = {
		{ .source = MEMLAT_SRC_L1, .cycles = 1 },	/* another CPU's */
		{ .source = MEMLAT_SRC_L1, .cycles = 5 },
		{ .source = MEMLAT_SRC_L2, .cycles = 16 },
		{ .source = MEMLAT_SRC_L3, .cycles = 443 },
		{ .source = MEMLAT_SRC_DRAM, .cycles = 350 },
		{ .source = MEMLAT_SRC_RDRAM, .cycles = 300 },
	};
	size_t nr = 6;

	assert_int_equal(plan_rising(latencies, 1, &nr), 1U << MEMLAT_SRC_L3);
	assert_int_equal(nr, 5);
	assert_int_equal(latencies[2].source, MEMLAT_SRC_L2);
	assert_int_equal(latencies[3].source, MEMLAT_SRC_DRAM);
	assert_int_equal(latencies[4].source, MEMLAT_SRC_RDRAM);
	assert_int_equal(plan_rising(latencies, 1, &nr), 0);
	latencies[1].cycles = 15.9;
	assert_int_equal(plan_rising(latencies, 1, &nr), 1U << MEMLAT_SRC_L1);
	assert_int_equal(nr, 4);
	nr = 0;
	assert_int_equal(plan_rising(latencies, 0, &nr), 0);
}

TEST(edges_lie_between_levels)
{
	const struct latency latencies[] = {
		{ .source = MEMLAT_SRC_DRAM, .cycles = 220 },
		{ .source = MEMLAT_SRC_L1, .cycles = 5 },
		{ .source = MEMLAT_SRC_L2, .cycles = 14 },
		{ .source = MEMLAT_SRC_L3, .cycles = 50 },
		{ .source = MEMLAT_SRC_L3, .cycles = 60 },
		{ .source = MEMLAT_SRC_UNKNOWN, .cycles = 9 },
	};
	__u32 edge[MEMLAT_SRC_NR];

	plan_edges(latencies, 6, edge);
	assert_int_equal(edge[MEMLAT_SRC_L1], 9);	/* sqrt(5 * 14) */
	assert_int_equal(edge[MEMLAT_SRC_L2], 28);	/* twice 14 is less than sqrt(14 * 60) */
	assert_int_equal(edge[MEMLAT_SRC_L3], 115);	/* of the slower: sqrt(60 * 220) */
	assert_int_equal(edge[MEMLAT_SRC_DRAM], 440);
	assert_int_equal(edge[MEMLAT_SRC_RDRAM], 0);
	assert_int_equal(edge[MEMLAT_SRC_UNKNOWN], 0);
	plan_edges(NULL, 0, edge);
	assert_int_equal(edge[MEMLAT_SRC_L1], 0);
}

/* The walk is one cycle, with each line in it once, and no two neighbouring lines in sequence. */
static void walk_is_a_circle(__u64 bytes, __u64 block)
{
	__u64 nr = bytes / CHASE_LINE, i, pair;
	struct chase_line *first, *at;
	struct chase_pool pool;
	unsigned char *seen = calloc(nr, 1);

	assert_non_null(seen);
	assert_int_equal(chase_pool_make(&pool, bytes, CHASE_PAIR, -1), 0);
	at = first = chase_lay(&pool, bytes, block);
	assert_non_null(first);
	for (i = 0; i < nr; i++) {
		pair = (__u64)((char *)at - pool.memory) / CHASE_PAIR;
		assert_true(pair < nr);
		assert_false(seen[pair]);
		seen[pair] = 1;
		if (block)
			assert_int_equal(pair / block, i / block);
		at = at->next;
	}
	assert_ptr_equal(at, first);
	assert_ptr_equal(chase_walk(first, nr), first);
	assert_ptr_not_equal(chase_walk(first, 16), first);
	chase_pool_free(&pool);
	free(seen);
}

TEST(chases_are_circles)
{
	walk_is_a_circle(4 * KIB, 0);
	walk_is_a_circle(MIB, 0);
	walk_is_a_circle(MIB, 1024);
	/* The last block is the rest. */
	walk_is_a_circle(MIB + 3 * KIB, 1024);
}

TEST(one_line_of_each_page)
{
	unsigned char seen[64] = { 0 };
	struct chase_line *first, *at;
	struct chase_pool pool;
	unsigned int i;

	assert_int_equal(chase_pool_make(&pool, 256 * KIB, CHASE_PAIR, -1), 0);
	at = first = chase_lay_pages(&pool, 64);
	assert_non_null(first);
	for (i = 0; i < 64; i++, at = at->next) {
		__u64 page = (__u64)((char *)at - pool.memory) / 4096;

		assert_true(page < 64);
		assert_false(seen[page]);
		seen[page] = 1;
	}
	assert_ptr_equal(at, first);
	chase_pool_free(&pool);
}

/*
 * Two threads on one CPU work, too: each waits for the other. A CPU that does not exist is
 * reported.
 */
TEST(turns_are_taken)
{
	double cycles[3], ns[3];
	struct clock clock;

	clock_begin(&clock);
	assert_true(clock.cycle > 0);
	assert_int_equal(hitm_measure(&clock, sched_getcpu(), 3, cycles, ns), 0);
	assert_int_not_equal(hitm_measure(&clock, 8191, 3, cycles, ns), 0);
	clock_end(&clock);
}

static struct calibration sample(struct latency latencies[2])
{
	struct calibration calibration = {
		.caches = { 32 * KIB, MIB }, .clock = CLOCK_PERF, .latencies = latencies, .nr = 2,
	};

	latencies[0] = (struct latency){
		.source = MEMLAT_SRC_L1, .node = -1, .writer = -1, .least = 4 * KIB,
		.most = 12 * KIB, .runs = 27, .cycles = 5, .low = 5, .high = 5.25, .ns = 2,
	};
	latencies[1] = (struct latency){
		.source = MEMLAT_SRC_L3_HITM, .node = -1, .writer = 3, .least = 16 * KIB,
		.most = 16 * KIB, .runs = 65, .cycles = 110.5, .low = 100, .high = 120, .ns = 44,
	};
	strcpy(calibration.machine.query.model_name, "skx");
	plan_edges(latencies, 2, calibration.edge);
	return calibration;
}

TEST(forms_agree)
{
	struct latency latencies[2];
	struct calibration calibration = sample(latencies);

	SAYS(PRINTED(calibrate_print(out, &calibration, "/etc/x")),
	     "L1         0  -               4.0 KiB to 12.0 KiB     5.0          5.0..5.2   2.0\n",
	     "L3 HITM    0  CPU 3 wrote it  16.0 KiB              110.5      100.0..120.0  44.0\n",
	     "edges     L1 10, L3 HITM 221 cycles at most\n", "stored    /etc/x\n",
	     "cycles    of the core, counted by perf\n");
	SAYS(PRINTED(calibrate_csv(out, &calibration)),
	     "source,cpu,node,writer,bytes_least,bytes_most,runs,cycles,cycles_low,cycles_high,ns\r\n"
	     "l1,0,,,4096,12288,27,5,5,5.25,2\r\n"
	     "l3_hitm,0,,3,16384,16384,65,110.5,100,120,44\r\n");
	TELLS(calibrate_json(&calibration, NULL), FITS "calibrate", "/view calibrate",
	      "/clock perf", "/latencies/1/cycles 110.5", "/latencies/1/writer 3",
	      "/latency_edge/l1 10", "/stored null");
}

/* Views find what was written, for this model and for no other. */
TEST(stored_edges_are_used)
{
	char folder[] = "/tmp/calibrate-XXXXXX", path[MACHINE_EDGES_PATH], command[128];
	char target[sizeof(folder) + 16], why[FILE_NEW_WHY_MAX];
	struct latency latencies[2];
	struct calibration calibration = sample(latencies);
	struct machine machine;
	struct stat is;

	assert_non_null(mkdtemp(folder));
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_true(machine_edges_path(path, false));
	says(path, folder);
	assert_int_equal(store_write(path, true, calibrate_file_json(&calibration), why), 0);
	assert_int_equal(stat(path, &is), 0);
	assert_int_equal(is.st_mode & 0777, 0644);
	/* Once more, over the existing file. */
	assert_int_equal(store_write(path, true, calibrate_file_json(&calibration), why), 0);
	/* A symbolic link stays one, and its target gets the results. */
	snprintf(target, sizeof(target), "%s/kept.json", folder);
	assert_int_equal(rename(path, target), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(truncate(target, 0), 0);
	assert_int_equal(store_write(path, true, calibrate_file_json(&calibration), why), 0);
	assert_int_equal(lstat(path, &is), 0);
	assert_true(S_ISLNK(is.st_mode));
	machine_init(&machine);
	strcpy(machine.query.model_name, "skx");
	machine_edges_find(&machine);
	assert_true(machine.edges_measured);
	assert_int_equal(machine.latency_edge[MEMLAT_SRC_L1], 10);
	assert_int_equal(machine.latency_edge[MEMLAT_SRC_L3_HITM], 221);
	machine_init(&machine);
	strcpy(machine.query.model_name, "icx");
	machine_edges_find(&machine);
	assert_false(machine.edges_measured);
	assert_int_not_equal(machine.latency_edge[MEMLAT_SRC_L1], 10);
	assert_string_equal(store_wrong(folder), "that is a folder");
	assert_string_equal(store_wrong("/dev/null"), "that is a device or the like");
	assert_string_equal(store_wrong(""), "that is not the name of a file");
	assert_null(store_wrong(path));
	unsetenv("XDG_CONFIG_HOME");
	assert_true(machine_edges_path(path, true));
	assert_string_equal(path, "/etc/memlat/latencies.json");
	setenv("XDG_CONFIG_HOME", "here", 1);
	assert_false(machine_edges_path(path, false));
	unsetenv("XDG_CONFIG_HOME");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/*
 * On this machine, without a privilege, the module or PEBS, with small caches, to be quick. The
 * reported latencies rise from level to level, whatever else the machine does. One that does not is
 * left out, with a note.
 */
TEST(this_machine_has_a_table)
{
	static const char *const levels[] = { "l1", "l2", "dram" };
	static const char *const notes[] = { "L1: no faster", "L2: no faster" };
	struct json_object *json, *list;
	size_t i, row = 0;
	double last = 0;
	char *text;

	text = program_ends(0, "doctor --calibrate hitm --caches 32K,256K -o /dev/null --json");
	json = json_tokener_parse(text);
	free(text);
	assert_non_null(json);
	list = at(json, "/latencies");
	for (i = 0; i < 3; i++) {
		struct json_object *found = json_object_array_get_idx(list, row);
		double cycles;

		assert_non_null(found);
		if (i < 2 && strcmp(json_object_get_string(at(found, "/source")), levels[i])) {
			says(json_object_get_string(at(json, "/note")), notes[i]);
			continue;
		}
		is_text(found, "/source", levels[i]);
		cycles = json_object_get_double(at(found, "/cycles"));
		assert_true(cycles > last);
		last = cycles;
		assert_true(json_object_get_double(at(found, "/cycles_low")) <= cycles);
		assert_true(json_object_get_double(at(found, "/cycles_high")) >= cycles);
		assert_true(json_object_get_double(at(found, "/ns")) > 0);
		row++;
	}
	assert_true(json_object_get_int(at(json, "/latency_edge/dram")) > 0);
	HOLDS(json, "/stored null", FITS "calibrate");
	json_object_put(json);
	SAYS(program_ends(0, "doctor --calibrate 64K"), "64.0 KiB");
}

/* With --cpu, on these: here on the last one that this process may use. */
TEST(the_cpu_that_was_asked_for)
{
	struct json_object *json;
	int cpu = CPU_SETSIZE - 1;
	char member[64];
	cpu_set_t may;

	assert_int_equal(sched_getaffinity(0, sizeof(may), &may), 0);
	while (cpu && !CPU_ISSET((size_t)cpu, &may))
		cpu--;
	snprintf(member, sizeof(member), "/latencies/0/cpu %d", cpu);
	json = parsed(program_ends(0, "doctor --calibrate 64K --cpu %d --json", cpu));
	HOLDS(json, member, "/latencies #1");
	json_object_put(json);
}

TEST(nonsense_is_refused)
{
	program_refuses("doctor --calibrate 1K", 2, "--calibrate 1K: out of range; give levels, hitm, or 4K to 16G");
	program_refuses("doctor --calibrate much", 2, "--calibrate much:");
	program_refuses("doctor --calibrate levels --caches 32K,16K", 2, "each larger than the one before");
	program_refuses("doctor --calibrate levels --caches 1,2,3,4", 2, "--caches 1,2,3,4");
	program_refuses("doctor --calibrate levels --caches ''", 2, "--caches \"\"");
	program_refuses("doctor --calibrate levels -C x", 2, "--cpu x: not a list of CPUs");
	program_refuses("doctor --calibrate levels -C 8000", 2,
			"--cpu 8000: there is no CPU 8000 in this machine; give some of 0");
	program_refuses("doctor --calibrate 64K --caches 16K,64K", 2, "a size alone is measured");
	program_refuses("doctor --caches 16K,64K", 2, "are for --calibrate");
	program_refuses("doctor --calibrate levels -o /", 1, "-o /: that is a folder");
	program_refuses("doctor --calibrate levels -o /dev/zero", 1, "-o /dev/zero: that is a device");
	program_refuses("doctor --calibrate levels --caches 16K,64K -o /nonexistent/x", 1,
			"cannot write /nonexistent/x");
	program_refuses("doctor --calibrate levels word", 2, "no argument is expected");
}
