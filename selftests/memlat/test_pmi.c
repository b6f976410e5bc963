// SPDX-License-Identifier: GPL-2.0
/*
 * PMIs come, each is handled, and none is lost to a masked LVTPC. With the periods of other tests,
 * a task switch empties most buffers, or all, before they are full enough for a PMI. Here every
 * load counts, so that they fill within a tick.
 */
#include "rig.h"

#include <inttypes.h>
#include <unistd.h>

#define PERIOD		37
/* A thread on each CPU, with an array larger than L1. It is set up first, as every load counts. */
#define ARRAY		"--size 131072 --rounds 40"

int main(void)
{
	long last_cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	const struct memlat_status *status;
	struct memlat_config config;
	struct measured m = { };
	struct actor walker;
	uint64_t sent, masked;

	rig_open(CONSERVED_RESULTS + 2);
	need(last_cpu > 0 && last_cpu < 31, "this test wants 2 to 31 CPUs");
	config = device_config(MEMLAT_LDLAT_MIN, device_period(rig_fd(), PERIOD));
	actor_start(&walker, "exec " WORKLOADS "walker --wait --threads %ld --cpu 0 --cpus %ld " ARRAY,
		    last_cpu + 1, last_cpu + 1);
	measure_begin(&config);
	actor_go(&walker);
	actor_wait(&walker);
	measure_end(&m);
	check_conserved(&m, "busy");
	status = &m.snapshot.status.status;
	need(truth_has(m.truth, "/pmis/masked"), "the truth does not count masked PMIs");
	sent = truth_u64(m.truth, "/pmis/sent");
	masked = truth_u64(m.truth, "/pmis/masked");
	note("%llu PMIs, %" PRIu64 " sent, %" PRIu64 " found LVTPC masked\n", status->pmis,
	     sent, masked);
	result(status->pmis > 1 && status->pmis <= sent, "PMIs came, no more than were sent\n");
	/* Delivery masks LVTPC. If the handler does not unmask it, no other PMI comes. */
	result(!masked, "no PMI found LVTPC masked\n");
	measured_free(&m);
	rig_close();
}
