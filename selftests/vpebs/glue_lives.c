// SPDX-License-Identifier: GPL-2.0
/* Who runs on a vCPU, for the lives of lines (lives.h) and for what its cycles are spent on. */
#include <stdio.h>

#include "glue.h"
#include "lives.h"

/* CR3 without PCID, and without the bit that tells the two page tables of isolation apart. */
#define CR3_SPACE	(~0x1fffULL & ~(1ULL << 63))

static void read_thread(unsigned int vcpu, struct vp_thread *to)
{
	to->space = glue_get(vcpu, R_CR3) & CR3_SPACE;
	to->fs = glue_get(vcpu, R_FS_BASE);
}

/* In user mode neither changes. In the kernel the last thread may have gone meanwhile. */
static void who(unsigned int vcpu, struct vp_thread *to)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	if (c->in_kernel || c->thread_visit != c->visit)
		read_thread(vcpu, to);
	else
		*to = c->thread;
}

bool glue_lives_init(void)
{
	glue.lives = vp_lives_new(glue.topology.cpus, who);
	if (!glue.lives)
		return false;
	vp_lives_trace(glue.lives, glue.trace);
	return true;
}

bool glue_lives_trace(const char *name)
{
	glue.trace = fopen(name, "we");
	return glue.trace;
}

/* Charge the thread that was in user mode last, before another one is. */
static void charge(unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	const bool known = c->thread_visit;
	uint32_t thread = 0;

	if (!c->time.model)
		return;
	if (known)
		thread = vp_lives_number(glue.lives, &c->thread);
	glue_timing_charge(vcpu, known ? &thread : NULL);
}

void glue_lives_visit(unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	charge(vcpu);
	read_thread(vcpu, &c->thread);
	c->thread_visit = c->visit;
}

bool glue_lives_begin(void)
{
	unsigned int i;

	vp_lives_begin(glue.lives);
	vp_truth_lives(glue.truth, glue.lives);
	if (!vp_cache_lives(glue.cache, glue.lives))
		return false;
	for (i = 0; i < glue.topology.cpus; i++) {
		struct glue_cpu *c = &glue.cpu[i];

		c->thread_visit = 0;
		charge(i);
		/* A visit 0 would be taken for one that is not known. */
		c->visit++;
	}
	glue.living = true;
	return true;
}

void glue_lives_end(void)
{
	unsigned int i;

	if (!glue.living)
		return;
	glue.living = false;
	for (i = 0; i < glue.topology.cpus; i++)
		charge(i);
	vp_lives_end(glue.lives);
	vp_cache_lives(glue.cache, NULL);
}
