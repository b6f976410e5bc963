// SPDX-License-Identifier: GPL-2.0
/* What the tests on the emulated machine share; see rig.h. */
#include "rig.h"

#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "../signal_child.h"

static int fd = -1;

void need(bool done, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	if (done)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ksft_exit_fail_msg("%s\n", text);
}

void note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

void result(bool good, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (good)
		ksft_test_result_pass("%s", text);
	else
		ksft_test_result_fail("%s", text);
}

void rig_take(void)
{
	int error = module_load();

	need(!error, "insmod: %s", strerror(-error));
	fd = device_open();
	need(fd >= 0, "cannot open the device: %s", strerror(-fd));
}

void rig_release(void)
{
	close(fd);
	fd = -1;
}

void rig_open(unsigned int results)
{
	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (!truth_available())
		ksft_exit_skip("needs the emulated machine: there is no truth here\n");
	ksft_set_plan(results + RIG_RESULTS);
	/* perf's violations during boot are not memlat's. */
	need(!truth_call("forgive"), "cannot clear the list of violations");
	need(!truth_call("photo"), "cannot photograph the PMU");
	rig_take();
}

int rig_fd(void)
{
	return fd;
}

bool stores_of_two_slots(const struct memlat_rec_line *line)
{
	return line->slot_store[0] && line->slot_store[1] &&
	       line->stores - line->slot_store[0] - line->slot_store[1] <= 1;
}

/* The setting of NUMA balancing to restore; -1: it was not changed. */
static int balancing = -1;

#define BALANCING	"/proc/sys/kernel/numa_balancing"

static bool balance(int *was, int wanted)
{
	FILE *file = fopen(BALANCING, "r+");
	bool good;

	if (!file)
		return false;
	good = !was || fscanf(file, "%d", was) == 1;
	rewind(file);
	good = fprintf(file, "%d\n", wanted) > 0 && good;
	return !fclose(file) && good;
}

void rig_pages_stay(void)
{
	need(access(BALANCING, F_OK) || balance(&balancing, 0), "cannot turn NUMA balancing off");
}

void rig_close(void)
{
	struct json_object *truth;

	if (balancing >= 0)
		need(balance(NULL, balancing), "cannot turn NUMA balancing on");
	rig_release();
	need(!module_unload(), "rmmod failed");
	result(!truth_call("compare"),
	       "after rmmod every PMU register is as before insmod\n");
	truth = truth_totals(0, MEMLAT_LINE_BYTES);
	result(truth && !truth_violations(truth),
	       "no rule of the hardware was broken\n");
	ksft_finished();
}

void actor_start(struct actor *actor, const char *fmt, ...)
{
	int in[2], out[2];
	char *command, *line = NULL;
	size_t room = 0;
	va_list ap;

	va_start(ap, fmt);
	need(vasprintf(&command, fmt, ap) > 0, "no memory");
	va_end(ap);
	note("%s\n", command);
	fflush(NULL);
	need(!pipe(in) && !pipe(out), "no pipe");
	actor->pid = fork();
	need(actor->pid >= 0, "cannot fork");
	if (!actor->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		/* exec replaces the shell, so that this pid is the workload's. */
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	actor->in = in[1];
	actor->out = fdopen(out[0], "r");
	need(actor->out && getline(&line, &room, actor->out) > 0,
	     "%s: it did not print its answer", command);
	actor->answer = json_first_line(line);
	need(actor->answer, "%s: its answer is not JSON", command);
	free(line);
	free(command);
}

void actor_go(struct actor *actor)
{
	need(write(actor->in, "g", 1) == 1, "the workload is gone");
}

static int actor_end(struct actor *actor)
{
	char rest[4096];
	int status;

	while (fread(rest, 1, sizeof(rest), actor->out) > 0)
		;
	need(waitpid(actor->pid, &status, 0) == actor->pid, "no such workload");
	fclose(actor->out);
	close(actor->in);
	return status;
}

void actor_wait(struct actor *actor)
{
	need(!actor_end(actor), "the workload failed");
}

void actor_kill(struct actor *actor)
{
	signal_child(actor->pid, SIGKILL);
	actor_end(actor);
}

struct json_object *work(const char *fmt, ...)
{
	struct json_object *answer;
	char *command, *output = NULL;
	va_list ap;

	va_start(ap, fmt);
	need(vasprintf(&command, fmt, ap) > 0, "no memory");
	va_end(ap);
	note("%s\n", command);
	need(!command_run(&output, "%s", command), "the workload failed");
	answer = json_first_line(output);
	need(answer, "the workload did not print its answer");
	free(output);
	free(command);
	return answer;
}

void measure_begin(struct memlat_config *config)
{
	int error;

	need(!truth_call("begin"), "cannot open the bracket");
	error = device_start(fd, config);
	need(!error, "start is refused: %s, reason %u", strerror(-error),
	     config->reason);
}

struct json_object *truth_lines(uint64_t start, uint64_t bytes)
{
	struct json_object *truth;
	char *output = NULL;

	need(!command_run(&output, "vpebsctl truth --lines 0x%" PRIx64 " %" PRIu64,
			  start, bytes), "no truth of a range of lines");
	truth = json_tokener_parse(output);
	need(truth, "the truth of a range of lines is not JSON");
	free(output);
	return truth;
}

/* The session may have ended first, because its process has. */
static bool is_gone(void)
{
	struct memlat_status status;

	return !device_status(fd, &status) && status.ended == MEMLAT_END_GONE;
}

static void end(struct measured *measured)
{
	int error = device_stop(fd);

	need(!error || (error == -ENODATA && is_gone()), "stop: %s", strerror(-error));
	need(!truth_call("end"), "cannot close the bracket");
	error = device_snapshot(fd, &measured->snapshot);
	need(!error, "snapshot: %s", strerror(-error));
}

void measure_end(struct measured *measured)
{
	end(measured);
	measured->truth = truth_totals(0, MEMLAT_LINE_BYTES);
	need(measured->truth, "no truth");
}

void measure_end_lists(struct measured *measured)
{
	end(measured);
	measured->truth = truth_get();
	need(measured->truth, "no truth");
}

void measure_end_lines(struct measured *measured, uint64_t start, uint64_t bytes)
{
	end(measured);
	measured->truth = truth_lines(start, bytes);
}

void measure_actor(struct measured *measured, struct memlat_config *config, struct actor *actor)
{
	config->pid = actor->pid;
	measure_begin(config);
	actor_go(actor);
	actor_wait(actor);
	measure_end(measured);
	need(truth_has(measured->truth, "/events"),
	     "the machine has no clock: selftests/vm/run --vpebs timing=on");
}

struct counted counted_of(const struct snapshot *snapshot, unsigned int event, int cpu)
{
	struct counted sum = { .all_the_time = true };
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++) {
		const struct memlat_rec_count *c = &snapshot->counts[i];

		if (c->event != event || (cpu >= 0 && c->cpu != (unsigned int)cpu))
			continue;
		sum.records++;
		sum.value += c->value;
		sum.enabled += c->enabled;
		sum.running += c->running;
		if (c->running)
			sum.estimate += (double)c->value * c->enabled / c->running;
		sum.all_the_time &= c->running == c->enabled && (c->running || !c->value);
	}
	return sum;
}

bool counted_truth(struct json_object *truth, unsigned int cpu, const char *event, uint64_t *value)
{
	char pointer[80];

	snprintf(pointer, sizeof(pointer), "/events/%u/cpu", cpu);
	if (!truth_has(truth, pointer))
		return false;
	snprintf(pointer, sizeof(pointer), "/events/%u/counted/%s", cpu, event);
	need(truth_has(truth, pointer), "the truth has no %s", pointer);
	*value = truth_u64(truth, pointer);
	return true;
}

bool refused(struct memlat_config config, int error, unsigned int why)
{
	int got = device_start(fd, &config);

	if (got == -error && config.reason == why)
		return true;
	note("flags 0x%x ldlat %u period %llu %llu overhead %u: %d, reason %u, not %u\n",
	     config.flags, config.ldlat, config.period, config.store_period,
	     config.max_overhead, got, config.reason, why);
	if (!got)
		device_stop(fd);
	return false;
}

void measured_free(struct measured *measured)
{
	snapshot_free(&measured->snapshot);
	json_object_put(measured->truth);
	measured->truth = NULL;
}

void check_conserved(const struct measured *measured, const char *what)
{
	const struct memlat_status *status = &measured->snapshot.status.status;
	uint64_t written = truth_u64(measured->truth, "/records/written");
	const char *wrong = snapshot_accounts(&measured->snapshot);

	note("%s: %llu records: %llu loads, %llu stores, %llu filtered; "
		       "%llu cells lost; %llu PMIs\n", what, status->records,
		       status->loads, status->stores, status->filtered,
		       status->cells_lost, status->pmis);
	if (wrong)
		note("%s\n", wrong);
	result(!wrong, "%s: the accounts hold\n", what);
	if (written != status->records)
		note("written %" PRIu64 ", taken out %llu\n", written,
		     status->records);
	result(written && written == status->records &&
	       !status->malformed,
	       "%s: records written = aggregated + losses\n", what);
}

struct share lines_in(const struct snapshot *snapshot, uint64_t start,
		      uint64_t bytes)
{
	const struct memlat_rec_line *line;
	struct share share = { 0 };
	size_t i;

	for (i = 0; i < snapshot->nr_lines; i++) {
		line = &snapshot->lines[i];
		if (line->addr - start >= bytes)
			continue;
		share.samples += line->samples;
		share.stores += line->stores;
		share.weight += line->weight;
	}
	return share;
}

bool weight_agrees(const char *what, uint64_t weight, uint64_t events,
		   uint64_t period)
{
	double slack = 3.0 * sqrt((double)events * period) +
		       (double)period * sysconf(_SC_NPROCESSORS_ONLN);

	note("%s: weight %" PRIu64 ", true %" PRIu64 ", may differ by %.0f\n",
	     what, weight, events, slack);
	return weight && fabs((double)weight - (double)events) <= slack;
}
