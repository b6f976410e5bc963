// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes take turns on one CPU, with a switch after every few samples. No sample may be
 * attributed to the wrong one. All of their loads count (ldlat 3), for many samples, and the
 * truth's records by address say how many each must have. One process is in its own PID namespace,
 * but samples have the PID of the initial namespace. Then the same is checked for children of
 * vfork(), which work in their parent's memory, and for counted events.
 */
#include "command.h"
#include "device.h"
#include "session.h"
#include "snapshot.h"
#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"

#define PERIOD	101
#define ROUNDS	3000

/* The rounds of work_loop(), and the instructions of each. */
#define LOOP		200000ull
#define LOOP_OTHER	2000000ull
#define INSTRUCTIONS	6
/* User instructions outside the loop, for each read of the counts. */
#define BESIDE		100000
/* Children of vfork(), and what each loads: a few records, some of which it leaves in the buffer. */
#define CHILDREN	60
#define CHILD_LOADS	350
/* Enough until each event had its turn, which is after about 20 ms. */
#define LOOKS		2000
/* No event can happen more often in a cycle, neither loads nor reads under way. */
#define OF_A_CYCLE	1000

struct task {
	uint32_t pid;
	uint64_t own;			/* address that only this task has */
	uint64_t samples;		/* at its own address */
	uint64_t common;		/* at the address both have */
	uint64_t strangers;		/* at its own address, as someone else's */
	uint64_t wrong_slots;		/* as its own, in the other's slots */
};

static void need(bool done, const char *what)
{
	if (!done)
		ksft_exit_fail_msg("%s\n", what);
}

static void sort_out(const struct snapshot *snapshot, struct task *tasks,
		     uint64_t common, uint64_t bytes, uint64_t *others)
{
	const struct memlat_rec_line *line;
	struct task *task;
	size_t i, t, slot;

	for (i = 0; i < snapshot->nr_lines; i++) {
		line = &snapshot->lines[i];
		for (t = 0; t < 2; t++) {
			if (line->addr - tasks[t].own >= bytes)
				continue;
			if (line->space == tasks[t].pid)
				tasks[t].samples += line->samples;
			else
				tasks[t].strangers += line->samples;
		}
		if (line->addr - common >= bytes)
			continue;
		task = line->space == tasks[0].pid ? &tasks[0] :
		       line->space == tasks[1].pid ? &tasks[1] : NULL;
		if (!task) {
			*others += line->samples;
			continue;
		}
		task->common += line->samples;
		for (slot = 0; slot < MEMLAT_LINE_SLOTS; slot++)
			if (slot % 2 != (size_t)(task - tasks))
				task->wrong_slots += line->slot[slot];
	}
}

/* Was each event counted at some time, if it was enabled at all? */
static bool had_turns(const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++)
		if (snapshot->counts[i].enabled && !snapshot->counts[i].running)
			return false;
	return snapshot->nr_counts;
}

static uint64_t instructions(const struct snapshot *snapshot)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++)
		if (snapshot->counts[i].event == MEMLAT_EVENT_INSTRUCTIONS)
			sum += snapshot->counts[i].value;
	return sum;
}

/* A counter starts at zero for each task, so no count can be larger than possible. */
static bool counts_can_be(const struct snapshot *snapshot)
{
	const struct memlat_rec_count *count;
	bool good = true;
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++) {
		count = &snapshot->counts[i];
		if (count->value <= OF_A_CYCLE * count->running)
			continue;
		ksft_print_msg("event %u on CPU %u: %llu in %llu cycles\n", count->event,
			       count->cpu, count->value, count->running);
		good = false;
	}
	return good;
}

static uint64_t lent[512] __attribute__((aligned(4096)));

static __attribute__((noinline)) void load_lent(unsigned int loads)
{
	const volatile uint64_t *word = lent;

	while (loads--)
		(void)word[loads % (sizeof(lent) / sizeof(lent[0]))];
}

/* Every second child runs another program, the others just end. */
static void lend_memory(void)
{
	volatile int i;	/* vfork() returns twice */
	int status;
	pid_t pid;

	for (i = 0; i < CHILDREN; i++) {
		pid = vfork();
		need(pid >= 0, "cannot vfork");
		if (!pid) {
			load_lent(CHILD_LOADS);
			if (i % 2)
				execl("/bin/true", "true", (char *)NULL);
			_exit(i % 2);
		}
		need(waitpid(pid, &status, 0) == pid && !status, "a child failed");
	}
}

/* A child of vfork() counts as a thread of the process whose memory it uses, until it execs. */
static void check_vfork(int fd)
{
	const uint64_t at = (uintptr_t)lent;
	struct memlat_config config = device_config(MEMLAT_LDLAT_MIN, device_period(fd, PERIOD));
	uint64_t own = 0, others = 0, written, threads = 0;
	struct snapshot snapshot;
	struct json_object *truth;
	size_t i;

	config.flags = MEMLAT_F_USER;
	need(!truth_call("begin") && !device_start(fd, &config), "start is refused");
	lend_memory();
	need(!device_stop(fd) && !truth_call("end"), "stop failed");
	need(!device_snapshot(fd, &snapshot), "no snapshot");
	truth = truth_get();
	need(truth, "no truth");
	written = truth_records_in(truth, at, sizeof(lent));
	json_object_put(truth);
	for (i = 0; i < snapshot.nr_lines; i++) {
		if (snapshot.lines[i].addr - at >= sizeof(lent))
			continue;
		if (snapshot.lines[i].space == (uint32_t)getpid())
			own += snapshot.lines[i].samples;
		else
			others += snapshot.lines[i].samples;
	}
	for (i = 0; i < snapshot.nr_threads; i++)
		threads += snapshot.threads[i].tgid == (uint32_t)getpid() &&
			   snapshot.threads[i].tid != (uint32_t)gettid();
	ksft_print_msg("lent memory: %" PRIu64 " samples of the parent's, %" PRIu64 " of others, %"
		       PRIu64 " records; %" PRIu64 " children\n", own, others, written, threads);
	ksft_test_result(written > CHILDREN && own == written && !others,
			 "what children of vfork() touch is their parent's memory, to the last record\n");
	ksft_test_result(threads > CHILDREN / 2, "each of them is a thread of its own\n");
	snapshot_free(&snapshot);
}

/* This thread's own events, while another process has the CPU too. */
static void check_counts(int fd)
{
	struct memlat_config config = {
		.size = sizeof(config),
		.flags = MEMLAT_F_COUNT | MEMLAT_F_USER | MEMLAT_F_THREAD,
		.pid = gettid(),
	};
	unsigned int looks, ended;
	struct snapshot snapshot;
	uint64_t before, loop;
	bool enough = false;
	int status;
	pid_t pid;

	on_cpu(0);
	need(!device_start(fd, &config), "start of a session that counts is refused");
	pid = fork();
	need(pid >= 0, "cannot fork");
	if (!pid) {
		work_loop(LOOP_OTHER);
		_exit(0);
	}
	need(waitpid(pid, &status, 0) == pid && !status, "the other process failed");
	need(!device_snapshot(fd, &snapshot), "no snapshot");
	before = instructions(&snapshot);
	snapshot_free(&snapshot);
	ksft_print_msg("%" PRIu64 " instructions while another had %llu\n", before,
		       LOOP_OTHER * INSTRUCTIONS);
	ksft_test_result(before && before < BESIDE,
			 "what another process does is not counted\n");

	for (looks = 0; looks < LOOKS && !enough; looks++) {
		work_loop(LOOP);
		need(!device_snapshot(fd, &snapshot), "no snapshot");
		enough = had_turns(&snapshot);
		snapshot_free(&snapshot);
	}
	need(!device_stop(fd), "stop failed");
	need(!device_snapshot(fd, &snapshot), "no snapshot");
	ended = snapshot.status.status.ended;
	loop = looks * LOOP * INSTRUCTIONS;
	ksft_print_msg("%u looks: %" PRIu64 " instructions, of the loop %" PRIu64 "\n", looks,
		       instructions(&snapshot) - before, loop);
	ksft_test_result(ended == MEMLAT_END_STOPPED && instructions(&snapshot) >= before + loop &&
			 instructions(&snapshot) <= before + loop + (looks + 1) * BESIDE,
			 "what the process itself does is counted, and nothing else\n");
	ksft_test_result(enough && counts_can_be(&snapshot),
			 "each event had its turn, and none longer than possible\n");
	snapshot_free(&snapshot);
}

int main(void)
{
	uint64_t common, bytes, others = 0, written, true_own;
	struct json_object *answer, *truth;
	struct memlat_config config;
	struct snapshot snapshot;
	struct task tasks[2] = { 0 };
	char *output = NULL;
	const char *wrong;
	bool good;
	int fd, t;

	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (!truth_available())
		ksft_exit_skip("needs the emulated machine: there is no truth here\n");
	ksft_set_plan(14);
	need(!truth_call("forgive"), "cannot clear the list of violations");
	need(!module_load(), "insmod failed");
	fd = device_open();
	need(fd >= 0, "cannot open the device");

	need(!truth_call("begin"), "cannot open the bracket");
	config = device_config(MEMLAT_LDLAT_MIN, device_period(fd, PERIOD));
	config.flags = MEMLAT_F_USER;
	need(!device_start(fd, &config), "start is refused");
	need(!command_run(&output, "selftests/workloads/two_tasks --namespace --rounds %d",
			  ROUNDS), "the workload failed");
	need(!device_stop(fd), "stop failed");
	need(!truth_call("end"), "cannot close the bracket");
	need(!device_snapshot(fd, &snapshot), "no snapshot");
	truth = truth_get();
	answer = json_first_line(output);
	need(truth && answer, "no truth or no answer");

	common = truth_address(answer, "/common");
	bytes = truth_u64(answer, "/bytes");
	tasks[0].pid = truth_u64(answer, "/tasks/0/pid");
	tasks[0].own = truth_address(answer, "/tasks/0/own");
	tasks[1].pid = truth_u64(answer, "/tasks/1/pid");
	tasks[1].own = truth_address(answer, "/tasks/1/own");
	sort_out(&snapshot, tasks, common, bytes, &others);
	for (t = 0; t < 2; t++)
		ksft_print_msg("pid %u: %" PRIu64 " at its own address, %" PRIu64
			       " at the common one\n", tasks[t].pid,
			       tasks[t].samples, tasks[t].common);

	wrong = snapshot_accounts(&snapshot);
	if (wrong)
		ksft_print_msg("%s\n", wrong);
	ksft_test_result(!wrong && !snapshot.status.status.lines_evicted,
			 "the accounts hold, and no line was evicted\n");
	written = truth_u64(truth, "/records/written");
	if (written != snapshot.status.status.records)
		ksft_print_msg("written %" PRIu64 ", taken out %llu\n", written,
			       snapshot.status.status.records);
	ksft_test_result(written && written == snapshot.status.status.records,
			 "conservation: records written = aggregated + losses\n");

	/* Without these, tasks did not switch while records were pending. */
	ksft_print_msg("%llu switches found records\n",
		       snapshot.status.status.switch_drains);
	ksft_test_result(snapshot.status.status.switch_drains >= ROUNDS / 4,
			 "many switches happened with records in the buffer\n");

	ksft_test_result(!tasks[0].strangers && !tasks[1].strangers,
			 "no sample of a task's own address is another's\n");
	ksft_test_result(!tasks[0].wrong_slots && !tasks[1].wrong_slots && !others,
			 "at the common address no sample is the other task's\n");
	ksft_test_result(tasks[0].common > ROUNDS / 8 &&
			 tasks[1].common > ROUNDS / 8,
			 "both tasks have many samples at the common address\n");

	good = true;
	for (t = 0; t < 2; t++) {
		true_own = truth_records_in(truth, tasks[t].own, bytes);
		ksft_print_msg("pid %u: %" PRIu64 " records written at its own address\n",
			       tasks[t].pid, true_own);
		good &= true_own && true_own == tasks[t].samples;
	}
	ksft_test_result(good, "samples at own addresses = records written, exactly\n");
	ksft_test_result(tasks[0].common + tasks[1].common ==
			 truth_records_in(truth, common, bytes),
			 "samples at the common address = records written, exactly\n");

	check_vfork(fd);
	check_counts(fd);
	close(fd);
	need(!module_unload(), "rmmod failed");
	json_object_put(truth);
	truth = truth_totals(0, MEMLAT_LINE_BYTES);
	ksft_test_result(truth && !truth_violations(truth),
			 "no rule of the hardware was broken\n");
	ksft_finished();
}
