// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <sched.h>
#include <string.h>

#include "device.h"
#include "rig.h"

void session_begin(struct memlat_config config)
{
	int error = device_start(rig_fd(), &config);

	need(!error, "start is refused: %s, reason %u", strerror(-error), config.reason);
}

void session_take(struct snapshot *snapshot)
{
	int error = device_snapshot(rig_fd(), snapshot);

	need(!error, "snapshot: %s", strerror(-error));
}

void session_end(struct snapshot *snapshot)
{
	need(!device_stop(rig_fd()), "cannot stop");
	if (snapshot)
		session_take(snapshot);
}

void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "cannot move to CPU %d", cpu);
}

static volatile uint64_t words[2];

void work_loop(uint64_t rounds)
{
	uint64_t a, b;

	__asm__ volatile("1:	mov	(%[at]), %[a]\n"
			 "	mov	8(%[at]), %[b]\n"
			 "	inc	%[a]\n"
			 "	mov	%[a], (%[at])\n"
			 "	dec	%[left]\n"
			 "	jnz	1b"
			 : [a] "=&r" (a), [b] "=&r" (b), [left] "+r" (rounds)
			 : [at] "r" (words)
			 : "cc", "memory");
}
