// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a vCPU may execute until the next one's turn. Each time, QEMU
 * (accel/tcg/tcg-accel-ops-icount.c) divides what is left until the next timer by the number of
 * vCPUs. So with four vCPUs, of which three sleep, it takes 41 smaller and smaller steps to reach a
 * timer that is 125,000 instructions away. Each step ends in the middle of a block, and QEMU
 * translates that block again, cut to the rest of the step. This took a fifth of a guest's time.
 * QEMU also checks when a timer of the host's clock is due, but nothing of the host may decide what
 * a guest does.
 *
 * So this file replaces QEMU's function by its own. It writes a jump over the function's beginning,
 * because QEMU calls the function directly.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "glue.h"

/*
 * Large compared to the cost of cutting a block, small compared to the 125,000 instructions of a
 * tick. A vCPU that waits for another ends its step with PAUSE.
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
	/* -1 if there is no timer. */
	uint64_t ns = (uint64_t)qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL);

	(void)cpus;
	glue_clock_set(icount_to_ns(icount_get_raw()));
	return MIN(icount_round((int64_t)MIN(ns, (uint64_t)INT32_MAX)), STEP);
}

/* Replace a function of QEMU's by one of ours, for all callers. No vCPU runs yet. */
bool glue_replace(void *qemus, const void *ours)
{
	/* jmp *(%rip), followed by the address */
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
