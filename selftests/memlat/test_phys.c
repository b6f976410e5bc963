// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share memory. With lines by physical address they meet in one line, otherwise in
 * two. The line's home is the node of its page.
 */
#include "rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define PERIOD		101
#define ITERATIONS	300000

static struct measured m;
static uint64_t address[2];
static uint32_t pid[2];

static struct json_object *run(unsigned int flags, int node, const char *more)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	struct json_object *answer;

	config.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STORES | flags;
	measure_begin(&config);
	answer = work(WORKLOADS "shared_memory --iterations %d --node %d%s",
		      ITERATIONS, node, more);
	measure_end(&m);
	address[0] = truth_address(answer, "/lines/0");
	address[1] = truth_address(answer, "/lines/1");
	pid[0] = truth_u64(answer, "/pids/0");
	pid[1] = truth_u64(answer, "/pids/1");
	return answer;
}

/*
 * The number of lines at the two addresses. *hot: the one with most samples; *rest: the samples of
 * all others.
 */
static unsigned int shared_lines(const struct memlat_rec_line **hot, uint64_t *rest)
{
	const struct memlat_rec_line *line;
	unsigned int found = 0;
	size_t i;

	*hot = NULL;
	*rest = 0;
	for (i = 0; i < m.snapshot.nr_lines; i++) {
		line = &m.snapshot.lines[i];
		if (line->addr != address[0] && line->addr != address[1])
			continue;
		note("line 0x%llx of %u: %llu samples, %llu stores, physical 0x%llx, home %u, shared %u\n",
		     line->addr, line->space, line->samples, line->stores,
		     line->phys, line->home, line->shared);
		found++;
		*rest += line->samples;
		if (!*hot || line->samples > (*hot)->samples)
			*hot = line;
	}
	if (*hot)
		*rest -= (*hot)->samples;
	return found;
}

/* Since 6.16 a tracepoint reports an exit before the process gives up its page tables. */
static bool kernel_is(unsigned int major, unsigned int minor)
{
	struct utsname name;
	unsigned int is[2];

	need(!uname(&name) && sscanf(name.release, "%u.%u", &is[0], &is[1]) == 2,
	     "cannot tell which kernel this is");
	return is[0] > major || (is[0] == major && is[1] >= minor);
}

/* The physical address in the truth. */
static uint64_t true_phys(void)
{
	struct json_object *truth = truth_lines(address[0], MEMLAT_LINE_BYTES);
	uint64_t phys = truth_address(truth, "/lines/0/paddr");

	json_object_put(truth);
	return phys;
}

static void check_together(int node, const char *more)
{
	struct json_object *answer = run(MEMLAT_F_PHYS, node, more), *truth[2];
	const struct memlat_rec_line *line;
	uint64_t records = 0, samples = 0, other = 0, rest;
	size_t i;
	int t;

	check_conserved(&m, "by physical address");
	shared_lines(&line, &rest);
	need(line, "the shared line is not there");
	/* A record drained after its process gave up its pages has only a linear address. */
	result(line->phys && !rest,
	       "both processes' accesses are in one line%s\n", more);
	for (t = 0; t < 2; t++) {
		truth[t] = truth_totals(address[t], MEMLAT_LINE_BYTES);
		records += truth_u64(truth[t], "/lines_sum/records") +
			   truth_u64(truth[t], "/lines_sum/store_records");
		json_object_put(truth[t]);
	}
	note("%llu samples, %" PRIu64 " records written, %llu collisions\n",
	     line->samples, records, m.snapshot.status.status.collision);
	result(line->samples && line->samples + rest <= records &&
	       line->samples + rest + m.snapshot.status.status.collision >= records &&
	       line->shared == 1 && line->cpus == 3,
	       "the line has the records of both processes\n");
	result(line->phys == (true_phys() & ~63ull) && line->phys,
	       "the line's physical address is the true one\n");
	note("home %u, placed on %" PRIu64 "\n", line->home,
	     truth_u64(answer, "/node"));
	result(line->home == (uint32_t)node &&
	       truth_u64(answer, "/node") == (uint64_t)node,
	       "the line's home is node %d\n", node);
	for (i = 0; i < m.snapshot.nr_accesses; i++) {
		const struct memlat_rec_access *access = &m.snapshot.accesses[i];

		if (access->phys != line->phys)
			continue;
		if (access->tgid == pid[0])
			samples += access->samples;
		else if (access->tgid == pid[1])
			other += access->samples;
	}
	result(samples && other && samples + other == line->samples,
	       "the line's accesses are of both processes\n");
	json_object_put(answer);
	measured_free(&m);
}

int main(void)
{
	const struct memlat_rec_line *line;
	uint64_t rest;
	bool exit_is_told = kernel_is(6, 16);
	int node;

	rig_open((2 + exit_is_told) * (CONSERVED_RESULTS + 5) + 1);
	rig_pages_stay();
	for (node = 0; node < 2; node++)
		check_together(node, "");
	if (exit_is_told)
		check_together(0, " --at-once");
	json_object_put(run(0, 0, ""));
	result(shared_lines(&line, &rest) == 2 && line && !line->phys &&
	       line->home == MEMLAT_NODE_UNKNOWN && !line->shared,
	       "without physical addresses, both processes have a line of their own\n");
	measured_free(&m);
	rig_close();
}
