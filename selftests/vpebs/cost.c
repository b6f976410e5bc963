// SPDX-License-Identifier: GPL-2.0
/* Follow a module through interrupts and context switches. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cost.h"

/* The size and alignment of the kernel's task stacks. */
#define STACK_SHIFT	14
#define MAX_ASLEEP	256

/* A hook that was interrupted, or whose task is not running. */
struct asleep {
	uint64_t top;			/* RSP when the module was entered */
	uint64_t length;		/* so far */
	uint64_t ip, rsp;		/* interrupted here; ip 0: RSP left its stack */
};

struct cost_cpu {
	pthread_mutex_t lock;		/* guards figures against other threads */
	struct vp_cost_figures figures;
	uint64_t base;			/* clock when the bracket began */
	bool open;

	enum vp_cost_interrupt nmi;	/* VP_COST_IRQ: none is being served */
	uint64_t nmi_ip, nmi_rsp;	/* where it will return to */
	uint64_t nmi_began;		/* accounted for up to here */
	uint64_t nmi_length;		/* of this one, accounted for so far */

	bool inside;
	uint64_t top;
	uint64_t entered;
	uint64_t hook_length;		/* of this one, accounted for so far */
} __attribute__((aligned(64)));

struct vp_cost {
	unsigned int cpus;
	struct cost_cpu *cpu;
	pthread_mutex_t lock;		/* protects the members below */
	unsigned int sleepers;		/* also read without the lock */
	unsigned int lost;
	struct asleep asleep[MAX_ASLEEP];
};

struct vp_cost *vp_cost_new(unsigned int cpus)
{
	struct vp_cost *cost;
	unsigned int i;

	if (!cpus || cpus > VP_MAX_CPUS) {
		errno = EINVAL;
		return NULL;
	}
	cost = calloc(1, sizeof(*cost));
	if (!cost)
		return NULL;
	cost->cpu = aligned_alloc(64, cpus * sizeof(*cost->cpu));
	if (!cost->cpu) {
		free(cost);
		return NULL;
	}
	cost->cpus = cpus;
	pthread_mutex_init(&cost->lock, NULL);
	for (i = 0; i < cpus; i++) {
		cost->cpu[i] = (struct cost_cpu) { .nmi = VP_COST_IRQ };
		pthread_mutex_init(&cost->cpu[i].lock, NULL);
	}
	return cost;
}

void vp_cost_free(struct vp_cost *cost)
{
	unsigned int i;

	if (!cost)
		return;
	for (i = 0; i < cost->cpus; i++)
		pthread_mutex_destroy(&cost->cpu[i].lock);
	pthread_mutex_destroy(&cost->lock);
	free(cost->cpu);
	free(cost);
}

/* Account for the current PMI and hook up to now. The lock is held. */
static void settle(struct cost_cpu *c, uint64_t now)
{
	/* Another CPU's clock may be read a little behind. */
	if (c->nmi == VP_COST_PMI && now > c->nmi_began) {
		if (c->open)
			c->figures.pmi += now - c->nmi_began;
		c->nmi_length += now - c->nmi_began;
		c->nmi_began = now;
	}
	if (c->inside && now > c->entered) {
		if (c->open)
			c->figures.hook += now - c->entered;
		c->hook_length += now - c->entered;
		c->entered = now;
	}
}

void vp_cost_begin(struct vp_cost *cost, unsigned int cpu, uint64_t now)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	pthread_mutex_lock(&c->lock);
	settle(c, now);
	c->figures = (struct vp_cost_figures) { 0 };
	c->base = now;
	c->open = true;
	pthread_mutex_unlock(&c->lock);
}

void vp_cost_end(struct vp_cost *cost, unsigned int cpu, uint64_t now)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	pthread_mutex_lock(&c->lock);
	settle(c, now);
	if (c->open)
		c->figures.instructions = now - c->base;
	c->open = false;
	pthread_mutex_unlock(&c->lock);
}

void vp_cost_forget(struct vp_cost *cost)
{
	unsigned int i;

	for (i = 0; i < cost->cpus; i++) {
		cost->cpu[i].nmi = VP_COST_IRQ;
		cost->cpu[i].inside = false;
	}
	cost->sleepers = 0;
	cost->lost = 0;
}

enum vp_cost_watch vp_cost_watch(const struct vp_cost *cost, unsigned int cpu)
{
	const struct cost_cpu *c = &cost->cpu[cpu];

	if (c->nmi == VP_COST_PMI)
		return VP_COST_NEITHER;
	return c->inside ? VP_COST_OUTSIDE : VP_COST_TEXT;
}

static bool same_stack(uint64_t a, uint64_t b)
{
	/* An empty stack's RSP is one past its end. */
	return (a - 1) >> STACK_SHIFT == (b - 1) >> STACK_SHIFT;
}

static void fall_asleep(struct vp_cost *cost, struct cost_cpu *c, uint64_t ip, uint64_t rsp)
{
	c->inside = false;
	pthread_mutex_lock(&cost->lock);
	if (cost->sleepers < MAX_ASLEEP) {
		cost->asleep[cost->sleepers] =
			(struct asleep) { .top = c->top, .length = c->hook_length, .ip = ip, .rsp = rsp };
		__atomic_store_n(&cost->sleepers, cost->sleepers + 1, __ATOMIC_RELEASE);
	} else {
		cost->lost++;
	}
	pthread_mutex_unlock(&cost->lock);
}

/* Find the hook that continues at this place. ip 0: the one that RSP left, with this stack. */
static bool wake_up(struct vp_cost *cost, uint64_t ip, uint64_t rsp, struct asleep *hook)
{
	bool found = false;
	unsigned int i;

	if (!__atomic_load_n(&cost->sleepers, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&cost->lock);
	for (i = 0; i < cost->sleepers && !found; i++) {
		const struct asleep *a = &cost->asleep[i];

		found = ip ? a->ip == ip && a->rsp == rsp :
			     !a->ip && same_stack(a->top, rsp) && rsp <= a->top;
		if (found) {
			*hook = *a;
			cost->asleep[i] = cost->asleep[cost->sleepers - 1];
			__atomic_store_n(&cost->sleepers, cost->sleepers - 1, __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&cost->lock);
	return found;
}

static void enter(struct cost_cpu *c, uint64_t now, const struct asleep *hook)
{
	c->inside = true;
	c->top = hook->top;
	c->hook_length = hook->length;
	c->entered = now;
}

/* The module has returned. To be called after settle(). */
static void leave(struct cost_cpu *c)
{
	c->inside = false;
	if (!c->open)
		return;
	c->figures.hook_count++;
	if (c->hook_length > c->figures.longest_hook)
		c->figures.longest_hook = c->hook_length;
}

void vp_cost_interrupt(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		       enum vp_cost_interrupt kind, uint64_t ip, uint64_t rsp)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	/* An interrupt within a PMI is part of that PMI. */
	if (c->nmi == VP_COST_PMI)
		return;
	pthread_mutex_lock(&c->lock);
	settle(c, now);
	if (c->inside)
		fall_asleep(cost, c, ip, rsp);
	if (kind != VP_COST_IRQ && (c->nmi == VP_COST_IRQ || kind == VP_COST_PMI)) {
		c->nmi = kind;
		c->nmi_ip = ip;
		c->nmi_rsp = rsp;
		c->nmi_began = now;
		c->nmi_length = 0;
		if (kind == VP_COST_PMI && c->open)
			c->figures.pmi_count++;
	}
	pthread_mutex_unlock(&c->lock);
}

void vp_cost_iret(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t ip,
		  uint64_t rsp, bool user)
{
	struct cost_cpu *c = &cost->cpu[cpu];
	bool ends = c->nmi != VP_COST_IRQ && (user || (ip == c->nmi_ip && rsp == c->nmi_rsp));
	struct asleep hook;

	if (c->nmi == VP_COST_PMI && !ends)
		return;
	pthread_mutex_lock(&c->lock);
	settle(c, now);
	if (ends) {
		if (c->nmi == VP_COST_PMI && c->open && c->nmi_length > c->figures.longest_pmi)
			c->figures.longest_pmi = c->nmi_length;
		c->nmi = VP_COST_IRQ;
	}
	if (user && c->inside)
		leave(c);
	else if (!user && !c->inside && wake_up(cost, ip, rsp, &hook))
		enter(c, now, &hook);
	pthread_mutex_unlock(&c->lock);
}

void vp_cost_text(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	if (c->inside || c->nmi == VP_COST_PMI)
		return;
	pthread_mutex_lock(&c->lock);
	enter(c, now, &(struct asleep) { .top = rsp });
	pthread_mutex_unlock(&c->lock);
}

bool vp_cost_outside(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	if (!c->inside || c->nmi == VP_COST_PMI || rsp <= c->top)
		return false;
	pthread_mutex_lock(&c->lock);
	settle(c, now);
	leave(c);
	pthread_mutex_unlock(&c->lock);
	return c->nmi == VP_COST_NMI;
}

void vp_cost_stack(struct vp_cost *cost, unsigned int cpu, uint64_t now, uint64_t rsp)
{
	struct cost_cpu *c = &cost->cpu[cpu];
	struct asleep hook;

	if (c->nmi == VP_COST_PMI || (!c->inside && !__atomic_load_n(&cost->sleepers,
								     __ATOMIC_ACQUIRE)))
		return;
	if (c->inside && same_stack(c->top, rsp))
		return;
	pthread_mutex_lock(&c->lock);
	settle(c, now);
	if (c->inside)
		fall_asleep(cost, c, 0, 0);
	if (wake_up(cost, 0, rsp, &hook))
		enter(c, now, &hook);
	pthread_mutex_unlock(&c->lock);
}

void vp_cost_read(struct vp_cost *cost, unsigned int cpu, uint64_t now,
		  struct vp_cost_figures *figures)
{
	struct cost_cpu *c = &cost->cpu[cpu];

	pthread_mutex_lock(&c->lock);
	*figures = c->figures;
	if (c->open)
		figures->instructions = now - c->base;
	pthread_mutex_unlock(&c->lock);
}

unsigned int vp_cost_lost(struct vp_cost *cost)
{
	unsigned int lost;

	pthread_mutex_lock(&cost->lock);
	lost = cost->lost;
	pthread_mutex_unlock(&cost->lock);
	return lost;
}
