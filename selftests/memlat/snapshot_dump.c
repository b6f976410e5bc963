// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot_dump: a snapshot of /dev/memlat as plain text, for shell tests that
 * must not trust memlat-ctl. One figure a line, "NAME VALUE", then one line
 * "line ADDRESS SPACE SAMPLES HITM HITM_NODES" per cache line. Status 1, with
 * a message, when the device refuses, the stream is not as documented, or
 * the accounts do not add up.
 */
#include "device.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	const struct memlat_rec_line *line;
	const struct memlat_status *status;
	struct snapshot snapshot;
	const char *wrong;
	int fd, error;
	size_t i;

	fd = device_open();
	error = fd < 0 ? fd : device_snapshot(fd, &snapshot);
	if (error) {
		fprintf(stderr, "snapshot_dump: %s\n", strerror(-error));
		return 1;
	}
	status = &snapshot.status.status;

#define FIGURE(name)	printf(#name " %lld\n", (long long)status->name)
	FIGURE(state);
	FIGURE(ldlat);
	FIGURE(flags);
	FIGURE(period);
	FIGURE(pid);
	FIGURE(cpus_online);
	FIGURE(cpus_armed);
	FIGURE(nodes);
	FIGURE(started_ns);
	FIGURE(duration_ns);
	FIGURE(records);
	FIGURE(samples);
	FIGURE(filtered);
	FIGURE(malformed);
	FIGURE(collision);
	FIGURE(full_pmis);
	FIGURE(lines);
	FIGURE(lines_evicted);
	FIGURE(pmis);
	FIGURE(late_pmis);
	FIGURE(switch_drains);
	FIGURE(latency_sum);
	FIGURE(latency_max);
#undef FIGURE
	for (i = 0; i < snapshot.nr_lines; i++) {
		line = &snapshot.lines[i];
		printf("line 0x%llx %u %llu %llu 0x%llx\n",
		       (unsigned long long)line->addr, line->space,
		       (unsigned long long)line->samples,
		       (unsigned long long)snapshot_line_hitm(line),
		       (unsigned long long)line->hitm_nodes);
	}
	wrong = snapshot_accounts(&snapshot);
	if (wrong)
		fprintf(stderr, "snapshot_dump: %s\n", wrong);
	snapshot_free(&snapshot);
	return wrong ? 1 : 0;
}
