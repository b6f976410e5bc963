// SPDX-License-Identifier: GPL-2.0
/*
 * A session on the emulated machine, held against what that machine knows:
 * the planted false sharing and pointer chase are found, counts agree
 * exactly where they must and within sampling error where they are samples,
 * and the PMU is given back as it was.
 *
 * The bounds are those of stats.h: 3 sigma of the binomial for each planted
 * figure, 4 sigma for each cell of a table. Of the planted figures about four are
 * independent, so in one run in a hundred one is off by chance: then all is
 * measured once more, and the second measurement decides. What is wrong is wrong
 * twice.
 */
#include "command.h"
#include "device.h"
#include "snapshot.h"
#include "stats.h"
#include "truth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"

#define WORKLOADS	"selftests/workloads/"
#define PERIOD		101
#define WRITES		2000000		/* of each thread of false_sharing */
#define CHASE_BYTES	(16 << 20)
#define CHASE_STEPS	300000
#define CHASE_CODE	64		/* chase() is shorter, bytes */

/* The names of the truth's by_source, by enum memlat_source. */
static const char *const source_names[MEMLAT_SRC_NR] = {
	[MEMLAT_SRC_UNKNOWN] = "unknown", [MEMLAT_SRC_L1] = "l1",
	[MEMLAT_SRC_LFB] = "lfb", [MEMLAT_SRC_L2] = "l2",
	[MEMLAT_SRC_L3] = "l3", [MEMLAT_SRC_L3_SNOOP] = "l3_snoop",
	[MEMLAT_SRC_L3_HITM] = "l3_hitm", [MEMLAT_SRC_RCACHE] = "rcache",
	[MEMLAT_SRC_RHITM] = "rhitm", [MEMLAT_SRC_DRAM] = "dram",
	[MEMLAT_SRC_RDRAM] = "rdram", [MEMLAT_SRC_PMEM] = "pmem",
	[MEMLAT_SRC_RPMEM] = "rpmem", [MEMLAT_SRC_L4] = "l4",
	[MEMLAT_SRC_IO] = "io", [MEMLAT_SRC_UNC] = "unc",
};

/* The planted figures, each within 3 sigma of the truth or not. */
struct figures {
	bool line;	/* the planted line's share of all samples */
	bool slots;	/* its slots' shares of its samples */
	bool hitm;	/* HITM loads of its slots */
	bool chase;	/* the chase's share of all samples */
};

static int fd;
static struct figures figures;
static struct snapshot snapshot;
static struct json_object *truth, *sharing, *chase;
static unsigned long period;

static void need(bool done, const char *what)
{
	if (!done)
		ksft_exit_fail_msg("%s\n", what);
}

static struct json_object *work(const char *command)
{
	char *output = NULL;
	struct json_object *answer;

	ksft_print_msg("%s\n", command);
	need(!command_run(&output, "%s", command), "the workload failed");
	answer = json_first_line(output);
	need(answer, "the workload did not print its answer");
	free(output);
	return answer;
}

/* The bracket covers the session whole: it opens before and closes after. */
static void measure(void)
{
	struct memlat_config config;
	char command[200];

	need(!truth_call("begin"), "cannot open the bracket");
	period = device_period(fd, PERIOD);
	config = device_config(MEMLAT_LDLAT_DEFAULT, period);
	need(!device_start(fd, &config), "start is refused");
	snprintf(command, sizeof(command), WORKLOADS "false_sharing --iterations %d",
		 WRITES);
	sharing = work(command);
	snprintf(command, sizeof(command), WORKLOADS "chase --size %d --steps %d",
		 CHASE_BYTES, CHASE_STEPS);
	chase = work(command);
	need(!device_stop(fd), "stop failed");
	need(!truth_call("end"), "cannot close the bracket");
	need(!device_snapshot(fd, &snapshot), "no snapshot");
	truth = truth_get();
	need(truth, "no truth");
}

static const struct memlat_status *status(void)
{
	return &snapshot.status.status;
}

static double lost(void)
{
	return truth_sum(truth, "/records/lost");
}

static void check_accounts(void)
{
	uint64_t written = truth_u64(truth, "/records/written");
	uint64_t counted = truth_u64(truth, "/counted/total");
	const char *wrong = snapshot_accounts(&snapshot);
	double expected = (double)counted / period;

	ksft_print_msg("%llu samples, %llu records, %.0f lost, %" PRIu64
		       " loads counted, period %lu, %llu lines, %llu PMIs\n",
		       status()->samples, status()->records, lost(), counted,
		       period, status()->lines, status()->pmis);
	if (wrong)
		ksft_print_msg("%s\n", wrong);
	ksft_test_result(!wrong, "the snapshot's accounts hold\n");

	if (written != status()->records)
		ksft_print_msg("written %" PRIu64 ", taken out %llu\n", written,
			       status()->records);
	ksft_test_result(written && written == status()->records,
			 "conservation: records written = aggregated + losses\n");
	ksft_test_result(!status()->malformed && !status()->collision &&
			 !status()->filtered,
			 "no record is malformed, collided or filtered\n");
	ksft_test_result(lost() == truth_u64(truth, "/records/lost/buffer_full"),
			 "the only loss that hardware saw is a full buffer\n");
	ksft_test_result(!lost() || status()->full_pmis,
			 "a full buffer is not silent: full_pmis counts it\n");

	/* Each CPU may hold most of one period, and skid costs one load. */
	ksft_print_msg("expected %.1f samples\n", expected);
	ksft_test_result(fabs(written + lost() - expected) <=
			 0.02 * expected + status()->cpus_online,
			 "loads counted / period = samples taken, within 2 %%\n");
	ksft_test_result(status()->pmis &&
			 status()->pmis <= truth_u64(truth, "/pmis/sent"),
			 "PMIs taken do not exceed PMIs sent\n");
	/* Delivery masks LVTPC; who forgets to unmask it gets no second one. */
	ksft_test_result(!truth_u64(truth, "/pmis/masked"),
			 "no PMI found LVTPC masked\n");
}

/* k of n samples, c of t loads: within 3 sigma? */
static bool agree(const char *what, uint64_t k, uint64_t n, uint64_t c,
		  uint64_t t)
{
	double p = t ? (double)c / t : 0.0;

	ksft_print_msg("%s: %" PRIu64 " of %" PRIu64 " samples, expected %.1f "
		       "(sigma %.1f)\n", what, k, n, n * p,
		       sqrt(n * p * (1.0 - p)));
	return n && stats_agree(k, n, p, STATS_ONE,
				lost() + status()->lines_evicted);
}

/* The planted line, as memlat and as the machine saw it. */
static const struct memlat_rec_line *planted(struct truth_line *real)
{
	uint64_t address = truth_address(sharing, "/line");
	const struct memlat_rec_line *line;

	truth_line(truth, address, real);
	line = snapshot_line(&snapshot, truth_u64(sharing, "/pid"), address);
	need(line, "the planted line is not in the snapshot");
	need(real->places, "the planted line is not in the truth");
	return line;
}

static void compare_sharing(void)
{
	struct truth_line real;
	const struct memlat_rec_line *line = planted(&real);
	uint64_t total = 0;
	int i;

	figures.line = agree("planted line", line->samples, status()->samples,
			     real.counted, truth_u64(truth, "/counted/total"));
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		total += real.slot[i];
	figures.slots = true;
	figures.hitm = true;
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		if (i >= 2) {
			figures.slots &= !line->slot[i] && !real.slot[i];
			continue;
		}
		figures.slots &= real.slot[i] &&
				 agree("slot", line->slot[i], line->samples,
				       real.slot[i], total);
		figures.hitm &= line->slot_hitm[i] &&
				agree("HITM of slot", line->slot_hitm[i],
				      line->samples, real.slot_hitm[i], total);
	}
}

static void check_sharing(void)
{
	const struct memlat_rec_line *line, *top = snapshot_top_hitm(&snapshot);
	struct truth_line real;
	uint64_t nodes;

	line = planted(&real);

	if (top != line)
		ksft_print_msg("first is 0x%llx of %u\n", top ? top->addr : 0,
			       top ? top->space : 0);
	ksft_test_result(top == line, "the planted line ranks first by HITM\n");

	nodes = 1ull << truth_u64(sharing, "/nodes/0") |
		1ull << truth_u64(sharing, "/nodes/1");
	ksft_print_msg("HITM from nodes 0x%llx\n", line->hitm_nodes);
	ksft_test_result(line->hitm_nodes == nodes && nodes == 3 &&
			 real.hitm_nodes == nodes,
			 "its HITM loads come from both nodes\n");

	ksft_print_msg("%llu samples, truth wrote %" PRIu64
		       " records, at %u physical lines\n", line->samples,
		       real.records, real.places);
	ksft_test_result(line->samples == real.records,
			 "its samples are the records written for it, exactly\n");
	ksft_test_result(figures.line, "its share of all samples agrees\n");
	ksft_test_result(figures.slots, "its two slots, and no others, agree\n");
	ksft_test_result(figures.hitm, "HITM loads of its two slots agree\n");
}

/* What was sampled of the chase. */
struct chased {
	uint64_t samples;
	uint64_t remote;	/* of these, from remote DRAM */
	uint64_t elsewhere;	/* of these, not at slot 0 */
};

static struct chased chased(void)
{
	uint64_t start = truth_address(chase, "/start");
	uint64_t bytes = truth_u64(chase, "/bytes");
	const struct memlat_rec_line *line;
	struct chased seen = { 0 };
	size_t i;

	for (i = 0; i < snapshot.nr_lines; i++) {
		line = &snapshot.lines[i];
		if (line->addr - start >= bytes ||
		    line->space != truth_u64(chase, "/pid"))
			continue;
		seen.samples += line->samples;
		seen.remote += line->source[MEMLAT_SRC_RDRAM];
		seen.elsewhere += line->samples - line->slot[0];
	}
	return seen;
}

/* Building the chain only stores: all loads there are chase()'s. */
static void compare_chase(void)
{
	uint64_t code = truth_address(chase, "/code");

	figures.chase = agree("chase", chased().samples, status()->samples,
			      truth_range(truth, "/ips", "/ip", code, CHASE_CODE,
					  "/counted"),
			      truth_u64(truth, "/counted/total"));
}

static void check_chase(void)
{
	struct chased seen = chased();

	ksft_print_msg("chase: %" PRIu64 " samples, %" PRIu64
		       " from remote DRAM\n", seen.samples, seen.remote);
	ksft_test_result(seen.remote * 10 > seen.samples * 9 && seen.samples,
			 "over 9 of 10 loads of the chase are remote DRAM\n");
	ksft_test_result(seen.samples && !seen.elsewhere,
			 "the chase loads slot 0 of its lines and no other\n");
	ksft_test_result(figures.chase, "the chase's share of all samples agrees\n");
}

static bool measure_figures(void)
{
	measure();
	compare_sharing();
	compare_chase();
	return figures.line && figures.slots && figures.hitm && figures.chase;
}

static void forget(void)
{
	snapshot_free(&snapshot);
	json_object_put(truth);
	json_object_put(sharing);
	json_object_put(chase);
}

static void report_table(const char *name, int compared)
{
	if (compared < 0)
		ksft_print_msg("%s: cell %d is out of bounds\n", name,
			       -1 - compared);
	else
		ksft_print_msg("%s: %d cells compared\n", name, compared);
	ksft_test_result(compared > 1, "%s agrees, each cell within %.0f sigma\n",
			 name, STATS_TABLE);
}

static void check_tables(void)
{
	uint64_t sampled[256], counted[256];
	char pointer[64];
	int i, j;

	for (i = 0; i < MEMLAT_BUCKETS; i++) {
		snprintf(pointer, sizeof(pointer), "/counted/by_bucket/%d", i);
		counted[i] = truth_u64(truth, pointer);
		sampled[i] = 0;
		for (j = 0; j < MEMLAT_SRC_NR; j++)
			sampled[i] += snapshot.buckets.count[i][j];
	}
	report_table("the latency table", stats_table(sampled, counted,
						      MEMLAT_BUCKETS, lost()));

	for (j = 0; j < MEMLAT_SRC_NR; j++) {
		snprintf(pointer, sizeof(pointer), "/counted/by_source/%s",
			 source_names[j]);
		counted[j] = truth_u64(truth, pointer);
		sampled[j] = 0;
		for (i = 0; i < MEMLAT_BUCKETS; i++)
			sampled[j] += snapshot.buckets.count[i][j];
	}
	report_table("the source table", stats_table(sampled, counted,
						     MEMLAT_SRC_NR, lost()));

	for (i = 0; i < 256; i++) {
		snprintf(pointer, sizeof(pointer), "/counted/by_raw/0x%02x", i);
		counted[i] = truth_u64(truth, pointer);
		sampled[i] = snapshot.raw.count[i];
	}
	report_table("the raw source table", stats_table(sampled, counted, 256,
							 lost()));
}

int main(void)
{
	int error;

	ksft_print_header();
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (!truth_available())
		ksft_exit_skip("needs the emulated machine: there is no truth here\n");
	ksft_set_plan(23);

	/* What perf did at boot is not memlat's. */
	need(!truth_call("forgive"), "cannot clear the list of violations");
	need(!truth_call("photo"), "cannot photograph the PMU");
	error = module_load();
	if (error)
		ksft_exit_fail_msg("insmod: %s\n", strerror(-error));
	fd = device_open();
	need(fd >= 0, "cannot open the device");

	if (!measure_figures()) {
		ksft_print_msg("a figure is over 3 sigma off: measured once more\n");
		forget();
		measure_figures();
	}
	check_accounts();
	check_sharing();
	check_chase();
	check_tables();

	ksft_test_result(!truth_call("compare"),
			 "after stop every PMU register is as before insmod\n");
	close(fd);
	need(!module_unload(), "rmmod failed");
	ksft_test_result(!truth_call("compare"),
			 "after rmmod every PMU register is as before insmod\n");
	json_object_put(truth);
	truth = truth_get();
	ksft_test_result(truth && !truth_violations(truth),
			 "the machine saw no violation\n");
	ksft_finished();
}
