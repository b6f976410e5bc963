// SPDX-License-Identifier: GPL-2.0
/*
 * One host thread runs all vCPUs in turns (-accel tcg,thread=single), and nothing of the
 * host decides when a turn ends: a guest does the same in every run. QEMU's plugin
 * interface has no word for that, so this file uses QEMU's own functions. They are
 * exported for QEMU's modules; QEMU 11.1 has them, and a plugin whose QEMU lacks one is
 * not loaded.
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
/* accel/tcg/getpc.h: a call returns behind itself */
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
/* Bits that QEMU makes no use of: what is planted in a block, enum vp_pmu_watch. */
#define CF_LEVEL_SHIFT	20
#define CF_LEVEL	(3u << CF_LEVEL_SHIFT)

uint32_t curr_cflags(void *cpu);

/* How far to look for them: they lie in the first 2 KB. */
#define CPU_STATE_WORDS	512u

/* Each vCPU's tcg_cflags, in QEMU's struct CPUState. */
static uint32_t *cflags[VP_MAX_CPUS];

/*
 * QEMU's RCU thread has the running vCPU give up its turn when something is to be freed,
 * which is at a time of the host's. Without its notifier that waits until the vCPU ends
 * a turn by itself, which is soon. A list grows at its head, so what follows a notifier
 * just added is QEMU's.
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
 * QEMU finds a block by its address and by these flags of the vCPU, so blocks with little
 * planted in them and blocks with much can be kept side by side. Nothing of QEMU's takes a
 * flag away again: the word is looked for where one appears that was just set.
 */
static bool find_cflags(unsigned int vcpu)
{
	const uint32_t before = curr_cflags(current_cpu);
	uint32_t *word = current_cpu;
	unsigned int i;

	tcg_cflags_set(current_cpu, CF_LEVEL);
	for (i = 0; i < CPU_STATE_WORDS; i++, word++) {
		/* QEMU adds some to those of the word, with -accel one-insn-per-tb for instance. */
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

/* All vCPUs stand between two blocks, or the one whose block runs goes on with the next. */
void glue_turn_level(int level)
{
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++) {
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
	pthread_t thread;

	if (!find_cflags(vcpu))
		g_error("vpebs: QEMU's flags of a vCPU are not where they were in QEMU 11.1");
	glue_idle_vcpu(current_cpu);
	glue_turn_level(glue.level);
	/*
	 * With one thread for all vCPUs QEMU takes a block's vCPU for a constant, though
	 * all run it. CF_PARALLEL has it look.
	 */
	tcg_cflags_set(current_cpu, CF_PARALLEL);
	if (vcpu)
		return;
	end_no_turn_for_rcu();
	/* Not before QEMU has its main loop, which is after it has loaded this plugin. */
	if (glue.stir && pthread_create(&thread, NULL, stir, NULL))
		g_error("vpebs: stir=on: cannot start a thread");
}

/* The vCPU that runs goes on to the end of its block. */
void glue_turn_end(void)
{
	cpu_exit(current_cpu);
}

/*
 * Has QEMU put down what it knows at this instruction and has not stored: how the
 * arithmetic flags are to be worked out. Who leaves a block in the middle would else leave
 * those of an earlier instruction behind.
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

/* With -icount a vCPU can be interrupted only where none of its blocks runs. That is soon. */
void glue_turn_nmi(unsigned int vcpu)
{
	async_run_on_cpu(current_cpu, interrupt, (union qemu_run_on_cpu_data) { .target = vcpu });
}

/*
 * The vCPUs' thread calls this while it has let go of QEMU's lock. When all vCPUs sleep and
 * a timer is due, the main loop comes between the two.
 */
static void let_main_loop(void)
{
	if (qemu_in_vcpu_thread() && glue_idle_all())
		usleep(200);
}

/*
 * Has QEMU's main loop wake up all the time, as a busy host does now and then, and take its
 * lock from the vCPUs' thread. A guest must do the same all the same: that is what the
 * laboratory's test of itself looks at.
 */
bool glue_turn_stir(void)
{
	/* It does nothing where nothing is replayed. */
	return glue_replace(replay_mutex_lock, let_main_loop);
}
