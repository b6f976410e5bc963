// SPDX-License-Identifier: GPL-2.0
/*
 * The filters of a session: cgroups, a process and its children, one thread, user or kernel mode, a
 * list of CPUs. Each time something else runs as well. What is selected is counted as often as in
 * the truth, and nothing else is.
 */
#include "rig.h"

#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD		101
#define ARRAY		"--size 1310720 --rounds 3"
#define LONG		"--size 1310720 --rounds 40"	/* the machine does little else */
#define BYTES		1310720
#define STRIDE		0x100000000ull		/* between a walker's arrays */
#define WANTED_AT	0x240000000000ull
#define OTHER_AT	0x250000000000ull
#define BELOW_AT	0x260000000000ull
#define LOADS_MIN	50000			/* fewer would prove nothing */
#define CGROUPS		"/tmp/memlat-cgroups"

static struct measured m;

static struct memlat_config config_of(unsigned int flags)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);

	config.flags |= flags;
	return config;
}

/* Was a worker's array counted as often as its slow loads happened? */
static bool counted(const char *what, uint64_t start)
{
	struct json_object *truth = truth_totals(start, BYTES);
	uint64_t events = truth_u64(truth, "/lines_sum/qualified");
	struct share share = lines_in(&m.snapshot, start, BYTES);

	json_object_put(truth);
	return events >= LOADS_MIN &&
	       weight_agrees(what, share.weight, events, PERIOD);
}

/* Did the worker run, and is no sample of it? */
static bool not_counted(const char *what, uint64_t start)
{
	struct json_object *truth = truth_totals(start, BYTES);
	uint64_t events = truth_u64(truth, "/lines_sum/qualified");
	struct share share = lines_in(&m.snapshot, start, BYTES);

	json_object_put(truth);
	note("%s: %" PRIu64 " slow loads, %" PRIu64 " samples\n", what,
	     events, share.samples);
	return events >= LOADS_MIN && !share.samples;
}

typedef bool (*predicate)(const struct memlat_rec_access *access, uint32_t of);

/* Do all samples have this property? */
static bool all_accesses(predicate is, uint32_t of)
{
	const struct memlat_rec_access *access;
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i < m.snapshot.nr_accesses; i++) {
		access = &m.snapshot.accesses[i];
		if (is(access, of))
			continue;
		if (wrong++ < 5)
			note("a sample of process %u thread %u at ip 0x%llx\n",
			     access->tgid, access->tid, access->ip);
	}
	return m.snapshot.nr_accesses && !wrong;
}

static bool of_process(const struct memlat_rec_access *access, uint32_t of)
{
	return access->tgid == of;
}

static bool of_thread(const struct memlat_rec_access *access, uint32_t of)
{
	return access->tid == of;
}

static bool not_of_process(const struct memlat_rec_access *access, uint32_t of)
{
	return access->tgid != of && access->tgid != (uint32_t)getpid() &&
	       access->tgid;
}

static bool in_user(const struct memlat_rec_access *access, uint32_t of)
{
	(void)of;
	return !snapshot_is_kernel(access->ip);
}

static bool in_kernel(const struct memlat_rec_access *access, uint32_t of)
{
	return !in_user(access, of);
}

static bool on_cpu(const struct memlat_rec_access *access, uint32_t of)
{
	return access->cpus == 1ull << of;
}

static uint64_t by_cpu(int cpu, const char *member)
{
	char pointer[64];

	snprintf(pointer, sizeof(pointer), "/by_cpu/%d/%s", cpu, member);
	need(truth_has(m.truth, pointer), "the truth has no %s", pointer);
	return truth_u64(m.truth, pointer);
}

/* Two walkers on one CPU, so that it switches between them. */
static void start_both(struct actor *wanted, struct actor *other,
		       const char *options)
{
	actor_start(wanted, "exec " WORKLOADS "walker --wait --cpu 0 --at %llu " ARRAY
		    " %s", WANTED_AT, options);
	actor_start(other, "exec " WORKLOADS "walker --wait --cpu 0 --at %llu " ARRAY,
		    OTHER_AT);
}

static void run_both(struct memlat_config *config, struct actor *wanted,
		     struct actor *other)
{
	measure_begin(config);
	actor_go(wanted);
	actor_go(other);
	actor_wait(wanted);
	actor_wait(other);
	measure_end(&m);
}

static void test_process(void)
{
	struct memlat_config config = config_of(0);
	struct actor wanted, other;

	start_both(&wanted, &other, "--children 1");
	config.pid = wanted.pid;
	run_both(&config, &wanted, &other);
	check_conserved(&m, "a process");
	result(counted("the process", WANTED_AT),
	       "a process is counted\n");
	result(not_counted("other process", OTHER_AT) &&
	       not_counted("its child", WANTED_AT + STRIDE) &&
	       all_accesses(of_process, wanted.pid),
	       "neither its children nor another process is counted\n");
	measured_free(&m);
}

/* The busy cycles of a process, beside another one that does the same work. */
static void test_cycles(void)
{
	struct memlat_config config = config_of(0);
	const struct memlat_status *status = &m.snapshot.status.status;
	struct actor wanted, other;

	config.max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	actor_start(&wanted, "exec " WORKLOADS "walker --wait --cpu 0 " LONG);
	actor_start(&other, "exec " WORKLOADS "walker --wait --cpu 0 " LONG);
	config.pid = wanted.pid;
	run_both(&config, &wanted, &other);
	check_conserved(&m, "the cycles of a process");
	note("busy cycles %llu, of the process %llu\n", status->busy_cycles, status->sampled_cycles);
	result(status->sampled_cycles * 100 > status->busy_cycles * 43 &&
	       status->sampled_cycles * 100 < status->busy_cycles * 51,
	       "half of the busy cycles are of the one of two equal processes that is sampled\n");
	measured_free(&m);
}

static void test_children(void)
{
	struct memlat_config config = config_of(MEMLAT_F_CHILDREN);
	struct actor wanted, other;

	start_both(&wanted, &other, "--children 2");
	config.pid = wanted.pid;
	run_both(&config, &wanted, &other);
	check_conserved(&m, "a process and its children");
	result(counted("the process", WANTED_AT) &&
	       counted("its child", WANTED_AT + STRIDE) &&
	       counted("its grandchild", WANTED_AT + 2 * STRIDE),
	       "a process, its child and grandchild are counted\n");
	result(not_counted("other process", OTHER_AT) &&
	       all_accesses(not_of_process, other.pid) &&
	       !m.snapshot.status.status.forks_lost,
	       "no other process is counted\n");
	measured_free(&m);
}

static void test_thread(void)
{
	struct memlat_config config = config_of(MEMLAT_F_THREAD);
	struct actor wanted, other;
	uint32_t tid;
	int i;
	bool others = true;

	start_both(&wanted, &other, "--threads 4");
	tid = truth_u64(wanted.answer, "/arrays/2/tid");
	config.pid = tid;
	run_both(&config, &wanted, &other);
	check_conserved(&m, "a thread");
	result(counted("the thread", WANTED_AT + 2 * STRIDE),
	       "one of four threads is counted\n");
	for (i = 0; i < 4; i++)
		others &= i == 2 || not_counted("its sister", WANTED_AT + i * STRIDE);
	result(others && not_counted("other process", OTHER_AT) &&
	       all_accesses(of_thread, tid),
	       "the other threads and other processes are not counted\n");
	measured_free(&m);
}

/* The first thread's number is that of its process, which has four more that do the work. */
static void test_first_thread(void)
{
	struct memlat_config config = config_of(MEMLAT_F_THREAD);
	struct actor wanted, other;
	bool others = true;
	int i;

	start_both(&wanted, &other, "--threads 4");
	config.pid = wanted.pid;
	run_both(&config, &wanted, &other);
	check_conserved(&m, "a first thread");
	for (i = 0; i < 4; i++)
		others &= not_counted("its sister", WANTED_AT + i * STRIDE);
	result(others && all_accesses(of_thread, wanted.pid),
	       "a process's first thread is counted without the others\n");
	measured_free(&m);
}

static void join(const char *cgroup, pid_t pid)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), CGROUPS "/%s/cgroup.procs", cgroup);
	file = fopen(path, "w");
	need(file && fprintf(file, "%d\n", (int)pid) > 0 && !fclose(file),
	     "cannot move %d to %s", (int)pid, path);
}

static uint64_t cgroup_id(const char *name)
{
	char path[128];
	struct stat info;

	snprintf(path, sizeof(path), CGROUPS "/%s", name);
	need(!stat(path, &info), "no cgroup %s", path);
	return info.st_ino;
}

static void test_cgroups(void)
{
	struct memlat_config config = config_of(0);
	struct actor wanted, other, below;

	need(!command_run(NULL, "mkdir -p " CGROUPS " && mount -t cgroup2 none " CGROUPS
			  " && mkdir -p " CGROUPS "/first/below " CGROUPS "/second"),
	     "cannot make cgroups");
	start_both(&wanted, &other, "");
	actor_start(&below, "exec " WORKLOADS "walker --wait --at %llu " ARRAY,
		    BELOW_AT);
	join("first", wanted.pid);
	join("second", other.pid);
	join("first/below", below.pid);

	config.cgroup = cgroup_id("first");
	measure_begin(&config);
	actor_go(&wanted);
	actor_go(&other);
	actor_go(&below);
	actor_wait(&wanted);
	actor_wait(&other);
	actor_wait(&below);
	measure_end(&m);
	check_conserved(&m, "a cgroup");
	result(m.snapshot.status.status.cgroup == config.cgroup &&
	       counted("in it", WANTED_AT) && counted("below it", BELOW_AT),
	       "a cgroup and what is below it are counted\n");
	result(not_counted("in another", OTHER_AT) &&
	       all_accesses(not_of_process, other.pid),
	       "processes in another cgroup are not counted\n");
	measured_free(&m);

	/* With a PID, both must match: a process of another cgroup is not sampled. */
	start_both(&wanted, &other, "");
	join("first", wanted.pid);
	join("second", other.pid);
	config.cgroup = cgroup_id("second");
	config.pid = wanted.pid;
	run_both(&config, &wanted, &other);
	result(not_counted("the pid, not in it", WANTED_AT) &&
	       not_counted("in it, not the pid", OTHER_AT) &&
	       !m.snapshot.status.status.samples,
	       "with a pid and a cgroup, only a process that fits both is counted\n");
	measured_free(&m);
	need(!command_run(NULL, "rmdir " CGROUPS "/first/below " CGROUPS "/first "
			  CGROUPS "/second && umount " CGROUPS),
	     "cannot remove the cgroups: a reference was left");
}

static void test_user(void)
{
	struct memlat_config config = config_of(0);
	struct actor wanted, other;

	config.flags = MEMLAT_F_USER;
	start_both(&wanted, &other, "");
	run_both(&config, &wanted, &other);
	check_conserved(&m, "user mode");
	result(counted("user loads", WANTED_AT), "user mode is counted\n");
	result(!by_cpu(0, "counted_kernel") && !by_cpu(1, "counted_kernel") &&
	       by_cpu(0, "qualified_kernel") && all_accesses(in_user, 0),
	       "the kernel is not counted\n");
	measured_free(&m);
}

static void test_kernel(void)
{
	struct memlat_config config = config_of(0);
	uint64_t kernel;
	struct actor wanted, other;

	config.flags = MEMLAT_F_KERNEL;
	config.ldlat = MEMLAT_LDLAT_MIN;
	start_both(&wanted, &other, "");
	measure_begin(&config);
	actor_go(&wanted);
	actor_go(&other);
	actor_wait(&wanted);
	actor_wait(&other);
	json_object_put(work(WORKLOADS "call_tree --rounds 0 --calls 2000"));
	measure_end(&m);
	check_conserved(&m, "the kernel");
	kernel = by_cpu(0, "counted_kernel") + by_cpu(1, "counted_kernel");
	result(kernel > LOADS_MIN &&
	       weight_agrees("kernel loads",
				       m.snapshot.status.status.weight_loads,
				       kernel, PERIOD),
	       "the kernel is counted\n");
	result(!by_cpu(0, "counted_user") && !by_cpu(1, "counted_user") &&
	       by_cpu(0, "qualified_user") && all_accesses(in_kernel, 0),
	       "user mode is not counted\n");
	measured_free(&m);
}

static void test_cpus(void)
{
	struct memlat_config config = config_of(0);
	struct actor wanted, other;

	config.cpus[0] = 1 << 1;
	actor_start(&wanted, "exec " WORKLOADS "walker --wait --cpu 1 --at %llu " ARRAY,
		    WANTED_AT);
	actor_start(&other, "exec " WORKLOADS "walker --wait --cpu 0 --at %llu " ARRAY,
		    OTHER_AT);
	run_both(&config, &wanted, &other);
	check_conserved(&m, "a CPU");
	result(counted("on CPU 1", WANTED_AT), "CPU 1 is counted\n");
	result(!by_cpu(0, "counted_user") && !by_cpu(0, "counted_kernel") &&
	       !by_cpu(0, "written") && not_counted("on CPU 0", OTHER_AT) &&
	       all_accesses(on_cpu, 1),
	       "CPU 0 is not counted\n");
	measured_free(&m);
}

int main(void)
{
	rig_open(9 * (CONSERVED_RESULTS + 2) - 1);
	need(!truth_call("qualify 30"), "the machine cannot count what qualifies");
	test_process();
	test_cycles();
	test_children();
	test_thread();
	test_first_thread();
	test_cgroups();
	test_user();
	test_cpus();
	test_kernel();
	rig_close();
}
