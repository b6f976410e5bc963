// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a vCPU may execute until the next one's turn. QEMU
 * (accel/tcg/tcg-accel-ops-icount.c) divides what is left until the next timer by the
 * number of vCPUs, each time anew: four vCPUs of which three sleep come to a timer that is
 * 125,000 instructions away in 41 ever smaller steps. Each step ends in the middle of a
 * block, so QEMU translates that block once more, cut to the rest of the step: that took
 * a fifth of a guest's time. QEMU also asks when a timer of the host's clock is due, and
 * nothing of the host may decide what a guest does.
 *
 * So QEMU's function is replaced by one here, by a jump that is written over its beginning.
 * There is no other way: QEMU calls it directly.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "glue.h"

/*
 * Long beside what cutting a block takes, short beside the 125,000 instructions of a tick.
 * A vCPU that waits for another ends its step by itself, with PAUSE.
 */
#define STEP	20000

/* accel/tcg/tcg-accel-ops-icount.c, accel/tcg/icount-common.c, util/qemu-timer.c */
int64_t icount_percpu_budget(int cpus);
int64_t icount_round(int64_t ns);
int64_t icount_get_raw(void);
int64_t icount_to_ns(int64_t icount);
int64_t qemu_clock_deadline_ns_all(int clock, int attributes);

/* include/qemu/timer.h */
#define QEMU_CLOCK_VIRTUAL	1
#define QEMU_TIMER_ATTR_ALL	(-1)

static int64_t budget(int cpus)
{
	/* -1 where there is no timer. */
	uint64_t ns = (uint64_t)qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL);

	(void)cpus;
	glue_clock_set(icount_to_ns(icount_get_raw()));
	return MIN(icount_round((int64_t)MIN(ns, (uint64_t)INT32_MAX)), STEP);
}

/* Before any vCPU runs. Has whoever calls a function of QEMU's call one of ours in its place. */
bool glue_replace(void *qemus, const void *ours)
{
	/* jmp *(%rip), and the address behind it */
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint8_t *code = qemus;
	uintptr_t mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	uintptr_t first = (uintptr_t)code & mask;
	uintptr_t last = ((uintptr_t)code + sizeof(jump) + sizeof(ours) - 1) & mask;
	size_t size = last - first + (~mask + 1);

	if (mprotect((void *)first, size, PROT_READ | PROT_WRITE))
		return false;
	memcpy(code, jump, sizeof(jump));
	memcpy(code + sizeof(jump), &ours, sizeof(ours));
	return !mprotect((void *)first, size, PROT_READ | PROT_EXEC);
}

bool glue_budget_init(void)
{
	return glue_replace(icount_percpu_budget, budget);
}
