// SPDX-License-Identifier: GPL-2.0
/*
 * One host thread runs all vCPUs in turns (-accel tcg,thread=single). The end of a turn does not
 * depend on the host, so that a guest does the same in every run. QEMU's plugin interface does not
 * provide for this, so this file uses QEMU's own functions, which are exported for QEMU's modules.
 * QEMU 11.1 has all of them. If one is missing, QEMU does not load the plugin.
 */
#include <unistd.h>

#include "glue.h"

/* accel/tcg/cpu-exec.c, hw/core/cpu-common.c, util/rcu.c, include/qemu/notify.h */
struct qemu_notifier {
	void (*notify)(struct qemu_notifier *notifier, void *data);
	struct qemu_notifier *next;
	struct qemu_notifier **previous;
};

void tcg_cflags_set(void *cpu, uint32_t flags);
void cpu_exit(void *cpu);
void rcu_add_force_rcu_notifier(struct qemu_notifier *notifier);
void rcu_remove_force_rcu_notifier(struct qemu_notifier *notifier);
extern __thread void *current_cpu;

/* util/main-loop.c, replay/replay-internal.c, system/cpus.c */
void qemu_notify_event(void);
void replay_mutex_lock(void);
bool qemu_in_vcpu_thread(void);

/* accel/tcg/translate-all.c */
bool cpu_restore_state(void *cpu, uintptr_t host_pc);
/* accel/tcg/getpc.h: from a return address back into the call */
#define GETPC_ADJ	2

/* include/hw/core/cpu.h: passed by value */
union qemu_run_on_cpu_data {
	unsigned long target;
	void *host;
};
void async_run_on_cpu(void *cpu, void (*func)(void *cpu, union qemu_run_on_cpu_data data),
		      union qemu_run_on_cpu_data data);

/* include/exec/translation-block.h */
#define CF_PARALLEL	0x8000u
/* Bits that QEMU does not use: the level of a block, enum vp_pmu_watch. */
#define CF_LEVEL_SHIFT	20
#define CF_LEVEL	(3u << CF_LEVEL_SHIFT)

uint32_t curr_cflags(void *cpu);

/* The flags are within the first 2 KB of struct CPUState. */
#define CPU_STATE_WORDS	512u

/* Each vCPU's tcg_cflags, in QEMU's struct CPUState. */
static uint32_t *cflags[VP_MAX_CPUS];

/*
 * When something is to be freed, QEMU's RCU thread makes the current vCPU end its turn, at a time
 * that depends on the host. Without QEMU's notifier, the RCU thread waits until the vCPU ends its
 * turn itself, which is soon. Notifiers are added at the head of the list, so the one after a newly
 * added notifier is QEMU's.
 */
static void end_no_turn_for_rcu(void)
{
	struct qemu_notifier ours = { .notify = NULL };

	rcu_add_force_rcu_notifier(&ours);
	if (ours.next)
		rcu_remove_force_rcu_notifier(ours.next);
	rcu_remove_force_rcu_notifier(&ours);
}

/*
 * QEMU looks up a block by its address and by these flags of the vCPU, so it can keep a block for
 * each level. QEMU has no function that clears a flag. So this sets one, and finds the word in
 * which it appears.
 */
static bool find_cflags(unsigned int vcpu)
{
	const uint32_t before = curr_cflags(current_cpu);
	uint32_t *word = current_cpu;
	unsigned int i;

	tcg_cflags_set(current_cpu, CF_LEVEL);
	for (i = 0; i < CPU_STATE_WORDS; i++, word++) {
		/* curr_cflags() may have more than the word, e.g. with -accel one-insn-per-tb. */
		if ((*word & CF_LEVEL) != CF_LEVEL || *word & ~(before | CF_LEVEL))
			continue;
		*word &= ~CF_LEVEL;
		if (curr_cflags(current_cpu) == before) {
			cflags[vcpu] = word;
			return true;
		}
		*word |= CF_LEVEL;
	}
	return false;
}

/* All vCPUs are between two blocks, or the one in a block will continue with its next block. */
void glue_turn_level(int level)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++) {
		/* The kernel has run while nobody watched it: see true_ip(). */
		glue.cpu[i].in_kernel = true;
		if (cflags[i])
			*cflags[i] = (*cflags[i] & ~CF_LEVEL) | (uint32_t)level << CF_LEVEL_SHIFT;
	}
}

static void between(void *cpu, union qemu_run_on_cpu_data data)
{
	void (*func)(void) = (void (*)(void))data.host;

	(void)cpu;
	func();
}

void glue_turn_between(void (*func)(void))
{
	async_run_on_cpu(current_cpu, between, (union qemu_run_on_cpu_data) { .host = (void *)func });
}

static void *stir(void *unused)
{
	(void)unused;
	for (;;) {
		qemu_notify_event();
		usleep(50);
	}
	return NULL;
}

void glue_turn_init(unsigned int vcpu)
{
	static pthread_t vcpus;
	pthread_t thread;

	if (!vcpu)
		vcpus = pthread_self();
	if (!pthread_equal(vcpus, pthread_self()))
		g_error("vpebs: all vCPUs must run in one thread; start QEMU with -accel tcg,thread=single");
	if (!find_cflags(vcpu))
		g_error("vpebs: QEMU's flags of a vCPU are not where they were in QEMU 11.1");
	glue_idle_vcpu(current_cpu);
	glue_turn_level(glue.level);
	/*
	 * With one thread for all vCPUs, QEMU gives callbacks the vCPU for which a block was
	 * translated, though all execute it. With CF_PARALLEL it reads the current vCPU's number.
	 */
	tcg_cflags_set(current_cpu, CF_PARALLEL);
	if (vcpu)
		return;
	end_no_turn_for_rcu();
	/* Not when the plugin is loaded, because QEMU has no main loop then. */
	if (glue.stir && pthread_create(&thread, NULL, stir, NULL))
		g_error("vpebs: stir=on: cannot start a thread");
}

/* End the current vCPU's turn at the end of its block. */
void glue_turn_end(void)
{
	cpu_exit(current_cpu);
}

/*
 * Make QEMU store how the arithmetic flags are computed at this instruction. Otherwise the flags
 * would be those of an earlier instruction when a block is left in the middle.
 */
void glue_turn_settle(const void *from)
{
	cpu_restore_state(current_cpu, (uintptr_t)from - GETPC_ADJ);
}

static void interrupt(void *cpu, union qemu_run_on_cpu_data data)
{
	current_cpu = cpu;
	glue_raise_nmi((unsigned int)data.target);
}

/* With -icount a vCPU can only be interrupted between its blocks, so this waits for that. */
void glue_turn_nmi(unsigned int vcpu)
{
	async_run_on_cpu(current_cpu, interrupt, (union qemu_run_on_cpu_data) { .target = vcpu });
}

/*
 * The vCPUs' thread calls this while it does not hold QEMU's lock. If all vCPUs sleep and a timer
 * is due, the main loop then runs in between.
 */
static void let_main_loop(void)
{
	if (qemu_in_vcpu_thread() && glue_idle_all())
		usleep(200);
}

/*
 * Make QEMU's main loop wake up all the time and take the lock from the vCPUs' thread, as it
 * sometimes happens on a busy host. A guest must do the same nevertheless; selftests/vm/selftest
 * checks that.
 */
bool glue_turn_stir(void)
{
	/* Without record and replay, QEMU's function does nothing. */
	return glue_replace(replay_mutex_lock, let_main_loop);
}
