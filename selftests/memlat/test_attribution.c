// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes that take turns on one CPU, a switch after every few samples:
 * no sample may be put down to the wrong one. Every load of theirs is counted
 * (ldlat 3), so that there are many, and the emulated machine's own records by
 * address say how many each must have.
 */
#include "command.h"
#include "device.h"
#include "snapshot.h"
#include "truth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"

#define PERIOD	101
#define ROUNDS	3000

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
	ksft_set_plan(9);
	need(!truth_call("forgive"), "cannot clear the list of violations");
	need(!module_load(), "insmod failed");
	fd = device_open();
	need(fd >= 0, "cannot open the device");

	need(!truth_call("begin"), "cannot open the bracket");
	config = device_config(MEMLAT_LDLAT_MIN, device_period(fd, PERIOD));
	config.flags = MEMLAT_F_USER;
	need(!device_start(fd, &config), "start is refused");
	need(!command_run(&output, "selftests/workloads/two_tasks --rounds %d",
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
			 "accounts hold and no line left the table\n");
	written = truth_u64(truth, "/records/written");
	if (written != snapshot.status.status.records)
		ksft_print_msg("written %" PRIu64 ", taken out %llu\n", written,
			       snapshot.status.status.records);
	ksft_test_result(written && written == snapshot.status.status.records,
			 "conservation: records written = aggregated + losses\n");

	/* Otherwise the tasks did not switch while records were pending. */
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
			 "both tasks have many samples there\n");

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

	close(fd);
	need(!module_unload(), "rmmod failed");
	json_object_put(truth);
	truth = truth_totals(0, MEMLAT_LINE_BYTES);
	ksft_test_result(truth && !truth_violations(truth),
			 "the machine saw no violation\n");
	ksft_finished();
}
