// SPDX-License-Identifier: GPL-2.0
/*
 * Views of a large profile are fast and need little memory: they take no more than so many times as
 * long as it takes to read the file and check its account, which is what "buckets" does, and less
 * than four times the file's size. A CPU's second is another amount of work on each host, so the
 * only bound in seconds is the one for reading, with much to spare. "buckets" keeps no rows, so what the
 * host takes to give a view its memory is left out: 0.3 seconds for a gibibyte, and 5 in some virtual
 * machines. With sanitizers, which make everything slower and larger, the profile has 60,000 lines.
 * MEMLAT_LINES sets another number, and "make million" runs all of it on what users have.
 * MEMLAT_KEEP=FILE writes the profile to that file, for a browser (selftests/html).
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl_profile.h"

#define LINES_DEFAULT	60000
#define READING		2.0	/* seconds of a CPU */
#define READINGS	24	/* a view takes at most so many; the slowest takes 13 to 16 */
#define MEMORY		4	/* times the file's size */
#define REPORT_BYTES	5000000	/* of HTML: a mail takes it */

static size_t nr_lines;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The CPU time of the program, without that of others that run at the same time. */
static double cpu_seconds(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* What the host takes to give a process so many pages. */
static double giving(long pages)
{
	const size_t each = (size_t)sysconf(_SC_PAGESIZE), bytes = (size_t)pages * each;
	struct rusage usage;
	pid_t pid = fork();
	char *memory;
	size_t i;

	if (!pid) {
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (i = 0; memory != MAP_FAILED && i < bytes; i += each)
			memory[i] = 1;
		_exit(memory == MAP_FAILED);
	}
	assert_int_equal(wait4(pid, NULL, 0, &usage), pid);
	return cpu_seconds(&usage);
}

/* The CPU time of the program's own work. */
static double work(const struct rusage *usage)
{
	return cpu_seconds(usage) - giving(usage->ru_minflt);
}

/* In no order, as in tables of the module, and each number once below 2^20. */
static __u64 shuffled(size_t number)
{
	return number * 2654435761U % (1U << 20);
}

static __u64 cost_of(size_t line)
{
	return (line ^ 0x155) * 40503U % (1U << 20);
}

/* Two threads use each line, and every eighth line has false sharing. */
static void fill_line(struct memlat_rec_line *line, size_t number)
{
	const __u64 hitm = number % 8 ? 0 : 1;

	*line = (struct memlat_rec_line){
		.addr = number * MEMLAT_LINE_BYTES, .space = 71, .samples = 3, .weight = 3027,
		.cost = cost_of(number), .latency_sum = 600, .latency_max = 300, .cpus = 3,
		.nodes = 1, .hitm_nodes = hitm, .slot[0] = 2, .slot[7] = 1, .shared = 1,
		.slot_hitm[0] = hitm, .bytes_loaded = 0xff000000000000ffULL,
		.stores = 1, .store_l1_hit = 1, .slot_store[7] = 1, .store_cpus = 2,
		.bytes_stored = 0xff00000000000000ULL,
	};
	line->source[MEMLAT_SRC_L3] = 1;
	line->source[hitm ? MEMLAT_SRC_L3_HITM : MEMLAT_SRC_LFB] = 1;
}

static void fill_access(struct memlat_rec_access *access, size_t number)
{
	const bool second = number % 2;
	const __u64 hitm = number % 16 ? 0 : 1;

	*access = (struct memlat_rec_access){
		.addr = number / 2 * MEMLAT_LINE_BYTES + (second ? 64 - 8 : 0),
		.ip = 0x401136 + number % 1000, .tgid = 71, .tid = 71 + (second ? 1 : 0),
		.samples = second ? 1 : 2, .stores = second, .store_l1_hit = second,
		.hitm_local = hitm, .latency_hitm_local = 300 * hitm, .latency_sum = second ? 0 : 600,
		.latency_max = 300, .weight = 1009, .cost = second ? 0 : cost_of(number / 2),
		.cpus = 1 + second, .nodes = 1,
	};
}

/* All other figures, so that the account holds: two loads and a store per line. */
static void fill_account(struct snapshot *snap)
{
	struct memlat_status *status = &snap->head.status;
	__u64 in_sites = 0, in_threads = 0;
	size_t i;

	status->loads = 2 * nr_lines;
	status->stores = nr_lines;
	status->samples = 3 * nr_lines;
	status->records = status->samples + status->filtered + status->malformed +
			  status->collision;
	for (i = 0; i < snap->nr_sites; i++)
		in_sites += snap->sites[i].samples;
	for (i = 0; i < snap->nr_threads; i++)
		in_threads += snap->threads[i].samples;
	status->lines_evicted = status->accesses_evicted = 0;
	status->sites_evicted = status->samples - in_sites;
	status->threads_evicted = status->samples - in_threads;
	status->cores = 0;
	snap->nr_cores = snap->nr_sources = 0;
	memset(snap->raw.count, 0, sizeof(snap->raw.count));
	snap->raw.count[0x0d] = status->loads;
	memset(snap->buckets.count, 0, sizeof(snap->buckets.count));
	snap->buckets.count[7][MEMLAT_SRC_L3] = status->loads;
}

static int write_profile(const char *path)
{
	struct profile profile;
	struct snapshot *snap = &profile.snap;
	size_t i;

	sample_profile(&profile);
	snap->nr_lines = nr_lines;
	snap->nr_accesses = 2 * nr_lines;
	snap->lines = realloc(snap->lines, snap->nr_lines * sizeof(*snap->lines));
	snap->accesses = realloc(snap->accesses, snap->nr_accesses * sizeof(*snap->accesses));
	if (!snap->lines || !snap->accesses)
		return 1;
	for (i = 0; i < nr_lines; i++)
		fill_line(&snap->lines[i], shuffled(i));
	for (i = 0; i < 2 * nr_lines; i++)
		fill_access(&snap->accesses[i], 2 * shuffled(i / 2 * 40503U) + i % 2);
	fill_account(snap);
	profile_put(&profile, path);
	profile_free(&profile);
	return 0;
}

static int make(void **state)
{
	const char *wanted = getenv("MEMLAT_LINES"), *kept = getenv("MEMLAT_KEEP");
	int status;
	pid_t pid;

	nr_lines = wanted ? strtoul(wanted, NULL, 10) : LINES_DEFAULT;
	if (!nr_lines)
		return -1;
	own_folder_make(state);
	/* In a process of its own, because its usage would be added to that of all later ones. */
	pid = fork();
	if (!pid)
		_exit(write_profile(in("million")) || (kept && write_profile(kept)));
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status ? 0 : -1;
}

/*
 * Run memlat-ctl with these words. Returns the size of its output, and its usage. What it frees is
 * freed, because what the sanitizer keeps of that is no memory of memlat-ctl's.
 */
static off_t run(struct rusage *usage, const char *const *words)
{
	FILE *output = tmpfile();
	struct stat written;
	int status;
	pid_t pid;

	assert_non_null(output);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(output), STDOUT_FILENO);
		setenv("ASAN_OPTIONS", "quarantine_size_mb=0:thread_local_quarantine_size_kb=0", 1);
		execv(getenv("MEMLAT_CTL"), (char *const *)words);
		_exit(127);
	}
	assert_int_equal(wait4(pid, &status, 0, usage), pid);
	assert_int_equal(status, 0);
	assert_int_equal(fstat(fileno(output), &written), 0);
	fclose(output);
	return written.st_size;
}

TEST_WITH(views_answer, make, own_folder_remove)
{
	static const char *const views[][2] = {
		{ "buckets" }, { "lines" }, { "dcache", "site" }, { "dcache", "data" }, { "dcache" }, { "c2c" },
	};
	const char *path = in("million");
	struct rusage nothing, usage;
	double reading = 0;
	struct stat file;
	unsigned int i;

	assert_non_null(getenv("MEMLAT_CTL"));
	assert_int_equal(stat(path, &file), 0);
	/* What any process takes, including the sanitizers. */
	run(&nothing, (const char *[]){ "memlat-ctl", "--version", NULL });
	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		double start = now(), seconds, own;
		off_t size = run(&usage, (const char *[]){ "memlat-ctl", views[i][0], "-i", path,
							   views[i][1] ? "--by" : NULL, views[i][1], NULL });

		seconds = now() - start;
		own = work(&usage);
		print_message("# %s %s, %zu lines: %.2f s, %.2f s of CPU, %.2f without memory, %ld MiB for a file of %lld MiB, %lld bytes out\n",
			      views[i][0], views[i][1] ? views[i][1] : "", nr_lines, seconds, cpu_seconds(&usage), own,
			      (usage.ru_maxrss - nothing.ru_maxrss) / 1024,
			      (long long)file.st_size >> 20, (long long)size);
		assert_true(size > 100);
		assert_true((usage.ru_maxrss - nothing.ru_maxrss) * 1024LL < MEMORY * file.st_size);
		if (!i)
			reading = own;
		assert_true(reading < READING);
		assert_true(own <= READINGS * reading);
	}
}

/* A report is small, however large the profile is. */
TEST_WITH(report_is_small, make, own_folder_remove)
{
	struct rusage reading, usage;
	double own;
	off_t size;

	run(&reading, (const char *[]){ "memlat-ctl", "buckets", "-i", in("million"), NULL });
	size = run(&usage, (const char *[]){ "memlat-ctl", "report", "--html", "-i", in("million"),
					     NULL });
	own = work(&usage);
	print_message("# report --html, %zu lines: %.2f s of CPU and %.2f without memory, %lld bytes\n", nr_lines,
		      cpu_seconds(&usage), own, (long long)size);
	assert_true(size > 10000 && size < REPORT_BYTES);
	assert_true(own <= 2 * READINGS * work(&reading));
}
