// SPDX-License-Identifier: GPL-2.0
/* Each CPU's counts by the clock of timing.h, on machines that have one. */
#include <stdlib.h>
#include <string.h>

#include "truth_internal.h"
#include "truth_out.h"

struct vp_counts *vp_truth_counts(struct vp_truth *truth)
{
	const unsigned int cpus = truth->topology.cpus;

	if (!truth->counts) {
		truth->counts = calloc(cpus, sizeof(*truth->counts));
		truth->counts_before = calloc(cpus, sizeof(*truth->counts_before));
		truth->counts_after = calloc(cpus, sizeof(*truth->counts_after));
	}
	return truth->counts_before && truth->counts_after ? truth->counts : NULL;
}

void truth_counts_free(struct vp_truth *truth)
{
	free(truth->counts);
	free(truth->counts_before);
	free(truth->counts_after);
}

static uint64_t peek(_Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

static void copy(struct vp_counts *from, struct counts_copy *to)
{
	unsigned int i;

	for (i = 0; i < VP_COUNTS; i++) {
		to->by[0][i] = peek(&from->by[0][i]);
		to->by[1][i] = peek(&from->by[1][i]);
		to->counted[i] = peek(&from->counted[i]);
	}
}

void truth_counts_note(struct vp_truth *truth, struct counts_copy *to)
{
	unsigned int cpu;

	for (cpu = 0; truth->counts && cpu < truth->topology.cpus; cpu++)
		copy(&truth->counts[cpu], &to[cpu]);
}

static void put(struct json *out, const char *key, const uint64_t *now, const uint64_t *before)
{
	unsigned int i;

	json_open(out, key, '{');
	for (i = 0; i < VP_COUNTS; i++)
		json_number(out, vp_count_name((enum vp_count)i), now[i] - before[i]);
	json_close(out, '}');
}

void truth_counts_put(struct json *out, struct vp_truth *truth, bool run)
{
	static const struct counts_copy zero;
	unsigned int cpu;

	if (!truth->counts)
		return;
	json_open(out, "events", '[');
	for (cpu = 0; cpu < truth->topology.cpus; cpu++) {
		const struct counts_copy *before = run ? &zero : &truth->counts_before[cpu];
		struct counts_copy now;

		copy(&truth->counts[cpu], &now);
		if (!run && !truth->open)
			now = truth->counts_after[cpu];
		json_open(out, NULL, '{');
		json_number(out, "cpu", cpu);
		put(out, "user", now.by[1], before->by[1]);
		put(out, "kernel", now.by[0], before->by[0]);
		put(out, "counted", now.counted, before->counted);
		json_close(out, '}');
	}
	json_close(out, ']');
}
