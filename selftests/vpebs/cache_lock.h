/* SPDX-License-Identifier: GPL-2.0 */
/* A spinlock for sections of some tens of instructions. */
#ifndef VPEBS_CACHE_LOCK_H
#define VPEBS_CACHE_LOCK_H

#include <sched.h>
#include <stdatomic.h>

struct vp_lock {
	atomic_uint taken;
};

static inline void vp_lock(struct vp_lock *lock)
{
	unsigned int spins = 0;

	while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire)) {
		/*
		 * There may be fewer host CPUs than guest CPUs: the holder
		 * then can't go on until a waiter gives up its turn.
		 */
		while (atomic_load_explicit(&lock->taken, memory_order_relaxed)) {
			if (++spins < 64)
				__builtin_ia32_pause();
			else
				sched_yield();
		}
	}
}

static inline void vp_unlock(struct vp_lock *lock)
{
	atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
