/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The thread and process that the records of a drain belong to.
 */
#ifndef MEMLAT_HW_WHO_H
#define MEMLAT_HW_WHO_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

/**
 * struct memlat_who - a thread and its process
 * @tgid: process, in the initial PID namespace
 * @tid: thread, in the initial PID namespace
 * @gen: generation of the process
 * @tls_base: the thread's FS base
 * @comm: name of the thread
 * @process: name of the process's first thread
 */
struct memlat_who {
	u32 tgid;
	u32 tid;
	u32 gen;
	u64 tls_base;
	char comm[TASK_COMM_LEN];
	char process[TASK_COMM_LEN];
};

/**
 * memlat_leader - the first thread of a task's process
 * @t: a task, held, or current
 *
 * A thread that has been released, which the scheduler switches away from for the last time, may
 * have outlived its leader's memory. pid_alive() shows that (include/linux/pid.h); then the thread
 * itself is returned. The caller has interrupts off or is in an NMI, and a leader is freed by RCU,
 * so a leader that is alive when it is looked up stays valid until the caller is done.
 */
static inline const struct task_struct *memlat_leader(const struct task_struct *t)
{
	return likely(pid_alive(t)) ? READ_ONCE(t->group_leader) : t;
}

/**
 * memlat_leader_gen - generation of a process
 * @leader: what memlat_leader() returned
 *
 * The generation distinguishes processes that had the same pid, by the start time of their first
 * thread, and the programs that a process executed one after the other, because exec increments
 * self_exec_id. All threads of a process have the same generation.
 *
 * Return: never 0.
 */
static inline u32 memlat_leader_gen(const struct task_struct *leader)
{
	u64 exec = READ_ONCE(leader->self_exec_id);

	return hash_64(leader->start_time + exec * GOLDEN_RATIO_64, 32) ?: 1;
}

/**
 * memlat_task_gen - generation of a task's process
 * @t: a task, held
 *
 * Return: as memlat_leader_gen().
 */
static inline u32 memlat_task_gen(const struct task_struct *t)
{
	return memlat_leader_gen(memlat_leader(t));
}

/**
 * struct memlat_vfork_parent - the process in whose memory a child of vfork() runs
 * @tgid: that process, in the initial PID namespace; 0: the task runs in its own process's memory
 * @gen: its generation
 */
struct memlat_vfork_parent {
	u32 tgid;
	u32 gen;
};

/*
 * Whether a task may run in memory that vfork() lent to it: it has forked and did not execute a
 * program, it is no thread of another, and it is not the only user of its memory. A switch reads
 * all of this anyway (on_cpu, pid for PSI, mm, membarrier_state). It does not read vfork_done,
 * which would be one cache line more at each switch.
 */
static inline bool memlat_may_be_vforked(const struct task_struct *t)
{
	return t->flags & PF_FORKNOEXEC && t->pid == t->tgid && t->mm &&
	       atomic_read(&t->mm->mm_users) > 1;
}

/**
 * memlat_vfork_parent_of - find in whose memory a task runs
 * @of: filled in
 * @t: current, or the task that the scheduler has chosen
 *
 * Called with interrupts off while @t is between two drains: exec and exit take a child's memory
 * away before memlat drains its records, so a drain cannot find out any more. vfork() and
 * posix_spawn() set vfork_done, and mm_release() clears it (kernel/fork.c). A child that clone()
 * gave the memory without CLONE_VFORK counts as a process with memory of its own.
 */
static inline void memlat_vfork_parent_of(struct memlat_vfork_parent *of,
					  const struct task_struct *t)
{
	const struct task_struct *parent;

	if (unlikely(of->tgid))
		of->tgid = 0;
	if (likely(!memlat_may_be_vforked(t)) || !READ_ONCE(t->vfork_done))
		return;
	/* RCU keeps a parent that is alive, as it does a leader (memlat_leader()). */
	parent = rcu_dereference_raw(t->real_parent);
	if (READ_ONCE(parent->mm) != t->mm)
		return;
	parent = memlat_leader(parent);
	of->gen = memlat_leader_gen(parent);
	of->tgid = parent->tgid;
}

/**
 * memlat_who_now - identify the thread that runs here
 * @who: filled in
 * @parent: of current; such a thread counts as one of the process whose memory it uses, so that
 *	lines and names of that memory are found once
 *
 * Runs in NMI, so a name may be read while it changes; it is terminated nevertheless.
 */
static inline void memlat_who_now(struct memlat_who *who, const struct memlat_vfork_parent *parent)
{
	const struct task_struct *t = current, *leader = memlat_leader(t);

	who->tgid = parent->tgid ?: t->tgid;
	who->tid = t->pid;
	who->gen = parent->tgid ? parent->gen : memlat_leader_gen(leader);
	/* The value set by arch_prctl() or clone(); a WRFSBASE shows after the next task switch. */
	who->tls_base = t->thread.fsbase;
	memcpy(who->comm, t->comm, sizeof(who->comm));
	memcpy(who->process, leader->comm, sizeof(who->process));
	who->comm[sizeof(who->comm) - 1] = 0;
	who->process[sizeof(who->process) - 1] = 0;
}

#endif /* MEMLAT_HW_WHO_H */
