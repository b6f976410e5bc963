// SPDX-License-Identifier: GPL-2.0
#include "waiting.h"

#include "../analysis/scale.h"
#include "../util/text.h"

void waiting_print(FILE *out, const struct snapshot *snap, __u64 cost)
{
	__u64 busy = snap->head.status.busy_cycles;
	char share[TEXT_NUMBER_MAX];
	struct scale scale;

	if (!busy || !cost)
		return;
	/* A CPU tags only some of its loads. If misses were counted, scale by them. */
	scale_compute(&scale, snap);
	cost = scale_up(&scale, cost);
	if (cost > busy)
		fprintf(out, ", %.1f of its loads waiting at once by estimate",
			(double)cost / (double)busy);
	else
		fprintf(out, ", at most %s of busy cycles by estimate",
			text_share(share, cost, busy, 1));
}
