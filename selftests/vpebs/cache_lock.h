/* SPDX-License-Identifier: GPL-2.0 */
/* A lock for sections of some tens of instructions. */
#ifndef VPEBS_CACHE_LOCK_H
#define VPEBS_CACHE_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * There may be fewer host CPUs than guest CPUs. So the holder may have been preempted, and cannot
 * go on before a waiter gives up its CPU; therefore the waiter sleeps. sched_yield() would be
 * enough if nobody else wanted a CPU, but on Linux 6.18 a thread that yields is queued behind all
 * others.
 */
enum vp_lock_state {
	VP_LOCK_FREE,
	VP_LOCK_TAKEN,
	VP_LOCK_AWAITED,	/* and somebody may sleep */
};

struct vp_lock {
	atomic_uint state;
};

/* Longer than any section, when its thread runs. */
#define VP_LOCK_SPINS	100

static inline bool vp_lock_take(struct vp_lock *lock)
{
	unsigned int was = VP_LOCK_FREE;

	return atomic_compare_exchange_strong_explicit(&lock->state, &was, VP_LOCK_TAKEN,
						       memory_order_acquire, memory_order_relaxed);
}

static inline void vp_lock_wait(struct vp_lock *lock)
{
	unsigned int spins;

	for (spins = 0; spins < VP_LOCK_SPINS; spins++) {
		__builtin_ia32_pause();
		if (atomic_load_explicit(&lock->state, memory_order_relaxed) == VP_LOCK_FREE &&
		    vp_lock_take(lock))
			return;
	}
	/* Set AWAITED even if nobody else waits by now: a needless wake-up does no harm. */
	while (atomic_exchange_explicit(&lock->state, VP_LOCK_AWAITED, memory_order_acquire) !=
	       VP_LOCK_FREE)
		syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, VP_LOCK_AWAITED, NULL);
}

/*
 * The machine runs all of its CPUs in one thread (glue_turn.c), so there it needs no lock. The two
 * atomic instructions took up to a tenth of a guest's time. unit/test_threads.c has real threads.
 */
#ifdef VP_ONE_THREAD
#define VP_LOCKS	false
#else
#define VP_LOCKS	true
#endif

static inline void vp_lock(struct vp_lock *lock)
{
	if (VP_LOCKS && !vp_lock_take(lock))
		vp_lock_wait(lock);
}

static inline void vp_unlock(struct vp_lock *lock)
{
	if (VP_LOCKS && atomic_exchange_explicit(&lock->state, VP_LOCK_FREE, memory_order_release) ==
			VP_LOCK_AWAITED)
		syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1);
}

#endif
