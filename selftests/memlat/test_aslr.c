// SPDX-License-Identifier: GPL-2.0
/*
 * One program runs several times, each time at other addresses. Its instructions must be reported
 * at the addresses of that run. Processes share the pages of its code, so a mistake about where
 * these are (the emulator made one) reports instructions of another process.
 */
#include "rig.h"

#include <inttypes.h>

#define RUNS	3
#define PERIOD	101
#define STEPS	20000
#define CHASE_CODE	64	/* bytes of chase() at most */

int main(void)
{
	struct memlat_config config;
	struct json_object *answer[RUNS];
	uint64_t code[RUNS], samples[RUNS] = { 0 }, elsewhere = 0;
	struct measured m = { };
	bool good = true;
	int run, other;
	size_t i;

	rig_open(CONSERVED_RESULTS + 3);
	config = device_config(MEMLAT_LDLAT_DEFAULT, device_period(rig_fd(), PERIOD));
	config.flags = MEMLAT_F_USER | MEMLAT_F_LOADS;
	measure_begin(&config);
	for (run = 0; run < RUNS; run++)
		answer[run] = work(WORKLOADS "chase --size 4194304 --steps %d --cpu 0", STEPS);
	measure_end(&m);
	check_conserved(&m, "three runs");
	for (run = 0; run < RUNS; run++) {
		code[run] = truth_address(answer[run], "/code");
		for (other = 0; other < run; other++)
			good &= code[run] != code[other];
	}
	result(good, "each run had addresses of its own\n");
	for (i = 0; i < m.snapshot.nr_sites; i++) {
		const struct memlat_rec_site *site = &m.snapshot.sites[i];

		for (run = 0; run < RUNS; run++) {
			if (site->ip - code[run] >= CHASE_CODE)
				continue;
			if (site->space == truth_u64(answer[run], "/pid"))
				samples[run] += site->samples;
			else
				elsewhere += site->samples;
		}
	}
	for (run = 0, good = true; run < RUNS; run++) {
		note("run %d: chase() at 0x%" PRIx64 ": %" PRIu64 " samples\n", run, code[run],
		     samples[run]);
		good &= samples[run] > STEPS / PERIOD / 2;
	}
	result(good, "each run has its samples at its own chase()\n");
	result(!elsewhere, "no run has samples at the chase() of another (%" PRIu64 ")\n",
	       elsewhere);
	for (run = 0; run < RUNS; run++)
		json_object_put(answer[run]);
	measured_free(&m);
	rig_close();
}
