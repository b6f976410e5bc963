// SPDX-License-Identifier: GPL-2.0
/*
 * When all vCPUs sleep, the guest's clock is advanced to the next timer. In QEMU the main loop does
 * that (icount_start_warp_timer() in accel/tcg/icount-common.c), which is another thread and may do
 * it at any time. If it does so before the last instructions of a vCPU that has just gone to sleep
 * are counted, it advances the clock too far. If it does so after the vCPUs were woken and before
 * the due timer has run, it wakes them again. How often this happens depends on the host's load.
 *
 * So the vCPUs' thread advances the clock itself, where QEMU makes it check whether all vCPUs
 * sleep. The main loop is told that they never sleep. If the clock follows the host's (run
 * --shell), icount_start_warp_timer() starts a timer of the host, and the vCPUs wait for it as
 * usual in QEMU.
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
		 * The main loop will end or reset the machine as soon as it gets QEMU's lock.
		 * Minutes of the guest's time would pass until then, and its kernel would report
		 * hung tasks.
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
 * Do at once what QEMU would do in another thread. At its end, a guest flushes its virtio-pmem
 * (virtio_pmem_flush() in hw/virtio/virtio-pmem.c), and sleeps until the main loop passes on that
 * thread's result. The guest's clock does not stop meanwhile: two minutes of its time may pass, and
 * its kernel would report a hung task.
 */
static void *at_once(int (*func)(void *arg), void *arg, void (*done)(void *opaque, int ret),
		     void *opaque)
{
	done(opaque, func(arg));
	return NULL;
}

/* To be called for each vCPU, in its thread, before it runs. */
void glue_idle_vcpu(void *vcpu)
{
	idle.vcpu[idle.vcpus++] = vcpu;
}

bool glue_idle_init(void)
{
	return glue_replace(all_cpu_threads_idle, all_idle) &&
	       glue_replace(thread_pool_submit_aio, at_once);
}
