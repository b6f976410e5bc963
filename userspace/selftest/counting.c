// SPDX-License-Identifier: GPL-2.0
/* Use a counter through perf, to check that perf gets the PMU and counts correctly. */
#include "judge.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define TURNS	1000000ULL	/* of two instructions */

void counting_try(struct counting *counting)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	__u64 left = TURNS;
	int fd;

	memset(counting, 0, sizeof(*counting));
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		counting->error = errno;
		return;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	asm volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &counting->counted, sizeof(counting->counted)) !=
	    sizeof(counting->counted))
		counting->error = EIO;
	counting->executed = 2 * TURNS;
	close(fd);
}
