/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run a plan on the emulator's caches and PMU, without QEMU. Each thread has a CPU of its own. The
 * run has only a part of the rounds that the C program has, so everything that memlat's budget sees
 * (cycles, events, time) is multiplied by @scale: a sample stands for as many events, and comes as
 * often in the program, as in a guest.
 */
#ifndef JUDGE_NATIVE_H
#define JUDGE_NATIVE_H

#include "../vpebs/lives.h"
#include "../vpebs/model.h"
#include "plan.h"

#define NATIVE_CPUS	8
#define NATIVE_PID	1000
#define NATIVE_TEXT	0x555555400000ULL	/* the program's code */
#define NATIVE_CODE	0x1000			/* where it is in the file */
#define NATIVE_ID_BYTES	20			/* its build id */

/**
 * struct native - a run
 * @scale: how many rounds of the program a round stands for
 * @rounds: of each phase
 * @turn: instructions that a CPU runs before the next one does; 0: the CPU whose clock is behind
 * @cpus: at least as many as threads
 */
struct native {
	struct plan plan;
	const char *machine;
	uint64_t tag, scale, rounds;
	unsigned int turn, cpus, nodes;
	FILE *trace;
};

/**
 * struct native_thread - who runs on a CPU now
 * @space: its page table
 */
struct native_thread {
	uint32_t tgid, tid;
	uint64_t space, fs;
	const char *role;
};

/* run.c: what each thread does. False: the threads did not come to an end. */
bool native_run(const struct native *native);
/* The thread of a CPU at present. */
struct native_thread native_who(unsigned int cpu);
/* The name of the function that an instruction is in; "": none. */
const char *native_function(uint64_t ip, char text[64]);

/* machine.c: caches and PMU. An error is told on stderr, and ends the program. */
void machine_begin(const struct native *native);
void machine_end(void);
struct vp_lives *machine_lives(void);
const struct vp_core *machine_core(unsigned int cpu);
void machine_access(const struct vp_access *access);
/* Instructions without memory. chained: each needs the result of the one before. */
void machine_work(unsigned int cpu, unsigned int n, bool chained);
/* What is left of the present period of a kind (loads, stores); 0: a record is due. */
uint64_t machine_left(unsigned int cpu, unsigned int kind);
/* Begin a new period of a kind of event; returns what it can be at least. */
uint64_t machine_period(unsigned int cpu, unsigned int kind, uint64_t period);
/* Cycles. */
uint64_t machine_clock(unsigned int cpu);
/* The buffer's records; they are gone afterwards. Returns their bytes. */
size_t machine_drain(unsigned int cpu, const void **records);
bool machine_wants_drain(unsigned int cpu);

/* budget.c: memlat's budget, by module/hw/budget.c. */
void budget_begin(const struct native *native);
/* A CPU has run so many instructions. Drains its records if that is due. */
void budget_pass(unsigned int cpu, uint64_t instructions);
void budget_end(unsigned int cpu);
/* The shortest and the longest period of a kind, and cycles: all, and memlat's own. */
void budget_figures(uint64_t period[2][2], uint64_t *busy, uint64_t *own);
uint64_t budget_now_ns(void);

/* profile.c: samples into tables, and into a file. */
void profile_begin(const struct native *native);
/* Decode records; returns how many were loads, and how many stores. */
void profile_take(unsigned int cpu, const void *records, size_t bytes, const uint64_t weight[2],
		  uint64_t carry[2], uint64_t taken[2]);
bool profile_end(const struct native *native, const char *path);

/* program.c: the code. A store may be the other part of a locked instruction. */
void program_executes(uint64_t ip, unsigned int width, bool store, bool locked);
void program_id(const struct plan *plan, uint8_t id[NATIVE_ID_BYTES]);
bool program_write(const struct plan *plan, const char *path);

/* truth.c: what the caches did, as JSON. */
bool truth_write(const struct native *native, const char *path);

#endif
