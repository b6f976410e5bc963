// SPDX-License-Identifier: GPL-2.0
#include "gain_machine.h"

#include <stdlib.h>
#include <string.h>

#include "../vpebs/cache.h"
#include "../vpebs/config.h"
#include "../vpebs/timing.h"
#include "harness.h"

#define MIB		(1ULL << 20)
#define LDLAT		30
#define PERIOD		7	/* a prime; drawn, not counted, so that loops do not alias */
#define CPUS_MAX	4

struct cpu {
	struct vp_timing *timing;
	struct vp_counts counts;
	uint64_t iteration, lines, scratch, random, tagged_until;
	struct gain_ran ran;
};

static struct cpu cpus[CPUS_MAX];
static struct vp_cache *cache;
static const struct gain_run *now;

static uint64_t draw(struct cpu *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random >> 11;
}

static uint64_t clock_of(struct cpu *c)
{
	vp_timing_publish(c->timing);
	return atomic_load(&c->counts.by[0][VP_CT_CYCLES]);
}

/* A load has the tag until it retires, and the loads behind it in the meantime have none. */
static bool is_sampled(struct cpu *c, const struct vp_outcome *o)
{
	if (!now->tagging)
		return o->latency > LDLAT && !(draw(c) % PERIOD);
	if (clock_of(c) < c->tagged_until || draw(c) % 3)
		return false;
	c->tagged_until = clock_of(c) + o->latency;
	return o->latency > LDLAT;
}

static void sample(struct cpu *c, const struct vp_access *a, const struct vp_outcome *o, double after)
{
	const double weight = now->tagging ? 3 : PERIOD, cost = weight * o->latency;
	struct gain_samples *all = &c->ran.samples;
	struct gain_part *part = &c->ran.part;
	double saved;

	if (!is_sampled(c, o))
		return;
	all->all += cost;
	if (o->code == VP_LFB)
		all->lfb += cost;
	if (o->code >= VP_L3 && !a->locked)
		all->beyond += cost;
	if (o->code >= VP_L3 && a->locked) {
		all->locked += cost;
		all->locked_loads += weight;
	}
	if (after < 0 || o->latency <= after)
		return;
	c->ran.latency += cost;
	part->samples++;
	saved = weight * (o->latency - after);
	if (a->locked && o->code >= VP_L3) {
		part->locked_waited += cost;
		part->locked_saved += saved;
		part->locked_squares += cost * cost;
	} else if (o->code >= VP_L3) {
		part->waited += cost;
		part->saved += saved;
		part->squares += cost * cost;
	}
}

static struct vp_outcome touch(unsigned int cpu, uint64_t addr, bool stores, bool locked)
{
	const struct vp_access a = {
		.cpu = cpu, .store = stores, .locked = locked, .size = 8, .vaddr = addr, .paddr = addr,
	};
	struct vp_outcome o;

	vp_timing_access(cpus[cpu].timing, &a);
	vp_cache_access(cache, &a, &o);
	vp_timing_accessed(cpus[cpu].timing, &a, &o);
	return o;
}

void op(unsigned int cpu, uint32_t in, uint32_t out)
{
	const struct insn_regs regs = { .in = in, .out = out };

	vp_timing_begin(cpus[cpu].timing, &regs);
	vp_timing_end(cpus[cpu].timing, &regs);
}

void work(unsigned int cpu, unsigned int instructions)
{
	while (instructions--)
		op(cpu, REG(13), REG(13));
}

void load(unsigned int cpu, unsigned int base, unsigned int to, uint64_t addr, double after)
{
	const struct insn_regs regs = { .addr = REG(base), .out = REG(to), .moves = true };
	const struct vp_access a = { .cpu = cpu };
	struct vp_outcome o;

	vp_timing_begin(cpus[cpu].timing, &regs);
	o = touch(cpu, addr, false, false);
	vp_timing_end(cpus[cpu].timing, &regs);
	sample(&cpus[cpu], &a, &o, after);
}

static void note_store(struct cpu *c, const struct vp_outcome *o, bool touched)
{
	if (o->l1_hit)
		return;
	c->ran.samples.store_misses++;
	c->ran.part.store_misses += touched;
	c->ran.part.store_squares += touched;
	c->ran.part.samples += touched;
}

void store(unsigned int cpu, unsigned int base, unsigned int from, uint64_t addr, bool touched)
{
	const struct insn_regs regs = { .addr = REG(base), .in = REG(from) };
	struct vp_outcome o;

	vp_timing_begin(cpus[cpu].timing, &regs);
	o = touch(cpu, addr, true, false);
	vp_timing_end(cpus[cpu].timing, &regs);
	note_store(&cpus[cpu], &o, touched);
}

void locked_add(unsigned int cpu, unsigned int base, uint64_t addr, double after)
{
	const struct insn_regs regs = { .addr = REG(base), .in = REG(9) };
	const struct vp_access a = { .cpu = cpu, .locked = true };
	struct vp_outcome o;

	vp_timing_begin(cpus[cpu].timing, &regs);
	o = touch(cpu, addr, false, true);
	touch(cpu, addr, true, true);
	vp_timing_end(cpus[cpu].timing, &regs);
	sample(&cpus[cpu], &a, &o, after);
}

uint64_t fresh(unsigned int cpu, unsigned int node)
{
	return node * 1024 * MIB + 256 * MIB + cpu * 100 * MIB +
	       VP_LINE_BYTES * (cpus[cpu].lines++ % (MIB));
}

uint64_t word(unsigned int cpu)
{
	return 16 * MIB + (uint64_t)cpu * (now->mended ? 2 * VP_LINE_BYTES : 8);
}

uint64_t iteration(unsigned int cpu)
{
	return cpus[cpu].iteration;
}

uint64_t *scratch(unsigned int cpu)
{
	return &cpus[cpu].scratch;
}

bool mended(void)
{
	return now->mended;
}

static void machine_make(const struct gain_run *run)
{
	struct vp_topology topology = { .cpus = run->cpus, .nodes = run->nodes };
	struct vp_config config = vp_config_skx;
	unsigned int i;

	for (i = 0; i < run->nodes; i++)
		topology.node_mem[i] = 1024 * MIB;
	config.prefetch = run->prefetch;
	cache = vp_cache_new_config(&topology, &config);
	assert_non_null(cache);
	now = run;
	memset(cpus, 0, sizeof(cpus));
	for (i = 0; i < run->cpus; i++) {
		cpus[i].random = run->seed * 77 + i * 13 + 1;
		cpus[i].timing = vp_timing_new(12, &cpus[i].counts);
		assert_non_null(cpus[i].timing);
		vp_cache_set_clock(cache, i, vp_timing_clock(cpus[i].timing));
	}
}

/* The CPU whose clock is behind runs next. */
static bool turn(const struct gain_run *run)
{
	struct cpu *next = NULL;
	uint64_t first = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < run->cpus; i++) {
		if (cpus[i].iteration >= run->iterations || clock_of(&cpus[i]) >= first)
			continue;
		next = &cpus[i];
		first = clock_of(next);
	}
	if (!next)
		return false;
	run->body((unsigned int)(next - cpus));
	next->iteration++;
	return true;
}

static void add_up(struct gain_ran *ran, struct cpu *c)
{
	struct gain_counts *n = &ran->counts;
	const _Atomic uint64_t *by = c->counts.by[0];

	vp_timing_drain(c->timing);
	n->cycles += (double)by[VP_CT_CYCLES];
	n->load_stalls += (double)by[VP_CT_LOAD_STALLS];
	n->store_stalls += (double)by[VP_CT_STORE_STALLS];
	n->l1d_pending += (double)by[VP_CT_L1D_PENDING];
	n->demand += (double)by[VP_CT_DEMAND_OUTSTANDING];
	n->demand_cycles += (double)by[VP_CT_DEMAND_CYCLES];
	n->walk_pending += (double)by[VP_CT_WALK_PENDING];
	n->rfo += (double)by[VP_CT_RFO_OUTSTANDING];
	ran->samples.beyond += c->ran.samples.beyond;
	ran->samples.lfb += c->ran.samples.lfb;
	ran->samples.all += c->ran.samples.all;
	ran->samples.locked += c->ran.samples.locked;
	ran->samples.locked_loads += c->ran.samples.locked_loads;
	ran->samples.store_misses += c->ran.samples.store_misses;
	ran->latency += c->ran.latency;
	gain_join(&ran->part, &c->ran.part);
}

void gain_machine_run(const struct gain_run *run, struct gain_ran *ran)
{
	unsigned int i;

	memset(ran, 0, sizeof(*ran));
	ran->part.sharing = true;
	machine_make(run);
	for (i = 0; i < run->cpus; i++)
		cpus[i].ran.part.sharing = run->cpus > 1;
	while (turn(run))
		continue;
	for (i = 0; i < run->cpus; i++) {
		add_up(ran, &cpus[i]);
		vp_timing_free(cpus[i].timing);
	}
	ran->counts.has_load_stalls = ran->counts.has_pending = ran->counts.has_rfo = true;
	if (ran->samples.all > 0)
		ran->latency /= ran->samples.all;
	vp_cache_free(cache);
}
