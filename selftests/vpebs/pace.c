// SPDX-License-Identifier: GPL-2.0
/*
 * A vCPU waits only for a while: the other may be waiting too, for something that
 * this one does (QEMU's exclusive sections). One that did not move meanwhile is
 * not waited for again until it has.
 */
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "pace.h"

#define PACE_LEAD	256		/* instructions */
#define PACE_SPINS	200
#define PACE_NAP_NS	100000		/* sleeps are this long, if nobody wakes it */
#define PACE_PATIENCE	60		/* naps without any progress of the other */

static struct pace {
	uint32_t futex;			/* 1 while asleep */
	uint32_t waits_for;		/* vCPU */
	uint64_t target;		/* until its clock is that far */
	uint64_t stalled_at;		/* its own clock when it was given up */
	int64_t shift;			/* of its clock: it was idle meanwhile */
	bool running;
} __attribute__((aligned(64))) pace[VP_MAX_CPUS];

static unsigned int sleepers, cpus;
static vp_pace_clock count;

#define get(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define put(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

static uint64_t clock_of(unsigned int vcpu)
{
	return count(vcpu) + (uint64_t)get(pace[vcpu].shift);
}

static bool counts(unsigned int vcpu)
{
	return get(pace[vcpu].running) && clock_of(vcpu) != get(pace[vcpu].stalled_at);
}

static void wake(unsigned int sleeper)
{
	if (__atomic_exchange_n(&pace[sleeper].futex, 0, __ATOMIC_ACQ_REL))
		syscall(SYS_futex, &pace[sleeper].futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wake_those_behind(unsigned int vcpu, uint64_t clock)
{
	unsigned int i;

	for (i = 0; i < cpus; i++)
		if (get(pace[i].futex) && get(pace[i].waits_for) == vcpu &&
		    get(pace[i].target) <= clock)
			wake(i);
}

/* The slowest other vCPU that runs, if this one is too far ahead of it. */
static int too_far_ahead_of(unsigned int vcpu, uint64_t clock, uint64_t lead)
{
	uint64_t behind = lead;
	int found = -1;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		int64_t d = (int64_t)(clock - clock_of(i));

		if (i != vcpu && d > (int64_t)behind && counts(i)) {
			behind = (uint64_t)d;
			found = (int)i;
		}
	}
	return found;
}

static void nap(unsigned int vcpu, unsigned int other, uint64_t target)
{
	const struct timespec t = { .tv_nsec = PACE_NAP_NS };

	put(pace[vcpu].target, target);
	put(pace[vcpu].waits_for, other);
	__atomic_fetch_add(&sleepers, 1, __ATOMIC_ACQ_REL);
	__atomic_store_n(&pace[vcpu].futex, 1, __ATOMIC_SEQ_CST);
	/* It may have got there before it could see the futex. */
	if (clock_of(other) < target && get(pace[other].running))
		syscall(SYS_futex, &pace[vcpu].futex, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0);
	put(pace[vcpu].futex, 0);
	__atomic_fetch_sub(&sleepers, 1, __ATOMIC_ACQ_REL);
}

static void wait_for(unsigned int vcpu, unsigned int other, uint64_t target)
{
	unsigned int i, patience = PACE_PATIENCE;
	uint64_t seen = clock_of(other), now;

	for (i = 0; i < PACE_SPINS; i++) {
		if (clock_of(other) >= target)
			return;
		__asm__ volatile("" : : : "memory");
	}
	while ((now = clock_of(other)) < target && get(pace[other].running)) {
		if (now != seen)
			patience = PACE_PATIENCE;
		else if (!patience--) {
			put(pace[other].stalled_at, now);
			return;
		}
		seen = now;
		nap(vcpu, other, target);
	}
}

/*
 * A vCPU that slept joins where the others are, be that behind where it was. What it ran
 * while memory was not watched would else be a lead, and it would stand still until
 * another one had run as much; for half a minute when that waited for this one all along.
 */
static void join(unsigned int vcpu)
{
	uint64_t newest = clock_of(vcpu), clock;
	bool found = false;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (i == vcpu || !get(pace[i].running))
			continue;
		clock = clock_of(i);
		if (!found || (int64_t)(clock - newest) > 0)
			newest = clock;
		found = true;
	}
	put(pace[vcpu].shift, (int64_t)(newest - count(vcpu)));
	put(pace[vcpu].stalled_at, UINT64_MAX);
	put(pace[vcpu].running, true);
}

void vp_pace(unsigned int vcpu)
{
	uint64_t clock;
	int other;

	if (!get(pace[vcpu].running))
		join(vcpu);
	clock = clock_of(vcpu);
	if (get(sleepers))
		wake_those_behind(vcpu, clock);
	other = too_far_ahead_of(vcpu, clock, PACE_LEAD);
	if (other >= 0)
		wait_for(vcpu, (unsigned int)other, clock);
}

void vp_pace_idle(unsigned int vcpu)
{
	put(pace[vcpu].running, false);
	if (get(sleepers))
		wake_those_behind(vcpu, UINT64_MAX);
}

void vp_pace_setup(unsigned int how_many, vp_pace_clock clock)
{
	cpus = how_many;
	count = clock;
}
