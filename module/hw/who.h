/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose a drain's records are.
 */
#ifndef MEMLAT_HW_WHO_H
#define MEMLAT_HW_WHO_H

#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/string.h>

/**
 * struct memlat_who - a thread and its process
 * @tgid: process, initial PID namespace
 * @tid: thread, likewise
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
 * A thread that has been released, as the scheduler switches away from it for the last time,
 * may have outlived its leader's memory: pid_alive() tells (include/linux/pid.h). It stands
 * for its leader then. The caller has interrupts off or is in an NMI, so that a leader which
 * is there when it is looked at stays until the caller is done: it goes by RCU.
 */
static inline const struct task_struct *memlat_leader(const struct task_struct *t)
{
	return likely(pid_alive(t)) ? READ_ONCE(t->group_leader) : t;
}

/**
 * memlat_leader_gen - generation of a process
 * @leader: what memlat_leader() found
 *
 * Tells apart processes that had the same pid, by when their first thread
 * started, and the programs that one process executed one after the other:
 * exec counts self_exec_id up. All threads of a process share it.
 *
 * Return: never 0.
 */
static inline u32 memlat_leader_gen(const struct task_struct *leader)
{
	u64 exec = READ_ONCE(leader->self_exec_id);

	return hash_64(leader->start_time + exec * GOLDEN_RATIO_64, 32) ?: 1;
}

/**
 * memlat_task_gen - the same of a task's process
 * @t: a task, held
 *
 * Return: as memlat_leader_gen().
 */
static inline u32 memlat_task_gen(const struct task_struct *t)
{
	return memlat_leader_gen(memlat_leader(t));
}

/**
 * memlat_who_now - the thread that runs here
 * @who: filled in
 *
 * Runs in NMI, so a name may be read while it changes; it ends all the same.
 */
static inline void memlat_who_now(struct memlat_who *who)
{
	const struct task_struct *t = current, *leader = memlat_leader(t);

	who->tgid = t->tgid;
	who->tid = t->pid;
	who->gen = memlat_leader_gen(leader);
	/* As arch_prctl() and clone() set it; WRFSBASE is seen after the next switch. */
	who->tls_base = t->thread.fsbase;
	memcpy(who->comm, t->comm, sizeof(who->comm));
	memcpy(who->process, leader->comm, sizeof(who->process));
	who->comm[sizeof(who->comm) - 1] = 0;
	who->process[sizeof(who->process) - 1] = 0;
}

#endif /* MEMLAT_HW_WHO_H */
