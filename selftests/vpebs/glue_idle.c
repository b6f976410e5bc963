// SPDX-License-Identifier: GPL-2.0
/*
 * When every vCPU sleeps, the guest's clock is set forward to the next timer. QEMU leaves
 * that to its main loop (icount_start_warp_timer() in accel/tcg/icount-common.c), which is
 * another thread of the host and may look at any moment. If it looks before the last
 * instructions of a vCPU that has just gone to sleep are counted, it sets the clock too far.
 * If it looks between the waking of the vCPUs and the timer that is due, it wakes them once
 * more. The load of the host decides how often that happens.
 *
 * So the vCPUs' thread sets the clock itself, where QEMU has it ask whether all of them
 * sleep. The main loop is told that they never do. Where the clock goes with the host's
 * (run --shell), icount_start_warp_timer() starts a timer of the host's, and the vCPUs wait
 * for that as they do in QEMU.
 */
#include "glue.h"

/* system/cpus.c, accel/tcg/icount-common.c, util/qemu-timer.c, system/runstate.c */
bool all_cpu_threads_idle(void);
bool cpu_thread_is_idle(void *cpu);
bool qemu_in_vcpu_thread(void);
bool runstate_is_running(void);
int qemu_shutdown_requested_get(void);
int qemu_reset_requested_get(void);
void icount_start_warp_timer(void);
void icount_handle_deadline(void);
int64_t qemu_clock_deadline_ns_all(int clock, int attributes);
/* util/thread-pool.c, include/block/thread-pool.h, include/block/aio.h */
void *thread_pool_submit_aio(int (*func)(void *arg), void *arg,
			     void (*done)(void *opaque, int ret), void *opaque);

/* include/qemu/timer.h */
#define QEMU_CLOCK_VIRTUAL	1
#define QEMU_TIMER_ATTR_ALL	(-1)

static struct {
	void *vcpu[VP_MAX_CPUS];
	unsigned int vcpus;
	bool setting;	/* icount_start_warp_timer() asks as well */
} idle;

bool glue_idle_all(void)
{
	unsigned int i;

	for (i = 0; i < idle.vcpus; i++) {
		if (!cpu_thread_is_idle(idle.vcpu[i]))
			return false;
	}
	return true;
}

static bool all_idle(void)
{
	if (!qemu_in_vcpu_thread())
		return false;
	if (idle.setting)
		return true;
	while (glue_idle_all()) {
		/*
		 * The main loop ends or resets the machine, once it gets QEMU's lock. Minutes of
		 * the guest's would pass until then, and its kernel complain of tasks that hang.
		 */
		if (!runstate_is_running() || qemu_shutdown_requested_get() || qemu_reset_requested_get())
			return true;
		idle.setting = true;
		icount_start_warp_timer();
		idle.setting = false;
		/* No timer at all, or one that waits for the host's clock. */
		if (qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, QEMU_TIMER_ATTR_ALL))
			return true;
		icount_handle_deadline();
	}
	return false;
}

/*
 * Has what would be done in a thread of QEMU's done at once. A guest that ends flushes its
 * virtio-pmem (virtio_pmem_flush() in hw/virtio/virtio-pmem.c), and sleeps until the main loop
 * hands over that thread's answer. Its clock does not wait for that: two minutes of its time
 * may pass, and its kernel complains of a task that hangs.
 */
static void *at_once(int (*func)(void *arg), void *arg, void (*done)(void *opaque, int ret),
		     void *opaque)
{
	done(opaque, func(arg));
	return NULL;
}

/* The vCPU, in its thread, before it runs. */
void glue_idle_vcpu(void *vcpu)
{
	idle.vcpu[idle.vcpus++] = vcpu;
}

bool glue_idle_init(void)
{
	return glue_replace(all_cpu_threads_idle, all_idle) &&
	       glue_replace(thread_pool_submit_aio, at_once);
}
