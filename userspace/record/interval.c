// SPDX-License-Identifier: GPL-2.0
#include "interval.h"

#include "../profile/since.h"

/* Add what was sampled since the last snapshot. What a reset dropped is in no table at the end. */
static void add(struct interval_run *run, const struct snapshot *now)
{
	static const struct snapshot nothing;
	struct snapshot came;
	const enum since since = snapshot_since(&came, run->begun ? &run->last : &nothing, now, 0);
	__u64 from = 0;

	if (since == SINCE_BEFORE) {
		from = run->last.head.status.duration_ns;
	} else if (run->begun) {
		const __u64 step_ns = run->kept->step_ns;

		intervals_free(run->kept);
		run->kept = intervals_new(step_ns);
	}
	if (now->head.status.duration_ns > from)
		intervals_add(run->kept, from, now->head.status.duration_ns, &came);
	else
		snapshot_free(&came);
}

int interval_take(struct interval_run *run)
{
	struct snapshot now;
	int ret;

	snapshot_init(&now);
	ret = snapshot_read(&now, run->device);
	if (ret || now.head.status.started_ns != run->started_ns) {
		snapshot_free(&now);
		return ret;
	}
	add(run, &now);
	snapshot_free(&run->last);
	run->last = now;
	run->begun = true;
	return 0;
}

void interval_finish(struct interval_run *run, const struct snapshot *end)
{
	if (run->kept && end->head.status.started_ns == run->started_ns)
		add(run, end);
}

void interval_free(struct interval_run *run)
{
	intervals_free(run->kept);
	snapshot_free(&run->last);
	run->kept = NULL;
}
