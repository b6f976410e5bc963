// SPDX-License-Identifier: GPL-2.0
/* analysis/gain.c, compared with loops whose real gain is known (gain_machine.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gain_machine.h"
#include "harness.h"

#define MIB		(1ULL << 20)
#define L1		5
#define DRAM		220
#define TOLERANCE	0.03	/* points: what was asked for */

/* ------------------------------------------------------------- planted loops */

static void sharing(unsigned int c)
{
	load(c, 0, 1, word(c), L1);
	op(c, REG(1), REG(1));
	store(c, 0, 1, word(c), true);
	op(c, REG(2), REG(2));
	op(c, REG(2), 0);
}

static void sharing_beside_work(unsigned int c)
{
	sharing(c);
	work(c, 300);
}

/* The loaded value decides what comes next. */
static void sharing_needed(unsigned int c)
{
	load(c, 0, 1, word(c), L1);
	op(c, REG(1), REG(0));
	op(c, REG(1), REG(1));
	store(c, 0, 1, word(c), true);
	work(c, 40);
}

static void sharing_beside_misses(unsigned int c)
{
	unsigned int i;

	sharing(c);
	for (i = 0; i < 4; i++)
		load(c, 3, 4, fresh(c, c % 2), UNTOUCHED);
	work(c, 100);
}

static void sharing_beside_chase(unsigned int c)
{
	sharing(c);
	load(c, 3, 3, fresh(c, c % 2), UNTOUCHED);
	work(c, 20);
}

static void sharing_seldom(unsigned int c)
{
	if (!(iteration(c) % 16))
		sharing(c);
	load(c, 3, 3, fresh(c, c % 2), UNTOUCHED);
	work(c, 60);
}

/* Misses that hit L2 are stalls, too, but not those beyond L2. */
static void sharing_beside_l2(unsigned int c)
{
	unsigned int i;

	sharing(c);
	for (i = 0; i < 30; i++)
		load(c, 3, 3, 192 * MIB + c * MIB + 64 * (++*scratch(c) % 1024), UNTOUCHED);
}

static void sharing_of_stores(unsigned int c)
{
	op(c, REG(1), REG(1));
	store(c, 0, 1, word(c), true);
	op(c, REG(2), REG(2));
	op(c, REG(2), 0);
	work(c, 30);
}

static void one_writer(unsigned int c)
{
	if (!c) {
		store(c, 0, 1, word(c), true);
		work(c, 200);
	} else {
		load(c, 0, 1, word(c), L1);
		op(c, REG(1), REG(0));
		work(c, 60);
	}
}

static void sharing_locked(unsigned int c)
{
	locked_add(c, 0, word(c), L1);
	work(c, 40);
}

static void remote(unsigned int c, unsigned int chains)
{
	unsigned int i;

	for (i = 0; i < chains; i++)
		load(c, 3 + i, 3 + i, fresh(c, mended() ? 0 : 1), DRAM);
	op(c, REG(2), REG(2));
	op(c, REG(2), 0);
}

static void remote_1(unsigned int c)
{
	remote(c, 1);
}

static void remote_2(unsigned int c)
{
	remote(c, 2);
}

static void remote_4(unsigned int c)
{
	remote(c, 4);
}

static void remote_8(unsigned int c)
{
	remote(c, 8);
}

static void remote_beside_local(unsigned int c)
{
	load(c, 3, 3, fresh(c, mended() ? 0 : 1), DRAM);
	load(c, 4, 4, fresh(c, 0), UNTOUCHED);
	work(c, 10);
}

static void remote_then_local(unsigned int c)
{
	load(c, 3, 3, fresh(c, mended() ? 0 : 1), DRAM);
	load(c, 3, 3, fresh(c, 0), UNTOUCHED);
	work(c, 10);
}

static void remote_stream(unsigned int c)
{
	load(c, 5, 6, fresh(c, mended() ? 0 : 1), DRAM);
	work(c, 4);
}

static void remote_beside_work(unsigned int c)
{
	load(c, 5, 6, fresh(c, mended() ? 0 : 1), DRAM);
	work(c, 500);
}

static void sharing_of_four(unsigned int c)
{
	sharing(c);
	work(c, 20);
}

static void sharing_then_chase(unsigned int c)
{
	load(c, 3, 1, word(c), L1);
	op(c, REG(1), REG(1));
	store(c, 0, 1, word(c), true);
	load(c, 1, 3, fresh(c, c % 2), UNTOUCHED);
	work(c, 20);
}

/*
 * In percent: the values when these loops were planted. If a change of the machine or of the engine
 * moves any of these, look at it.
 */
static const struct planted {
	const char *name;
	unsigned int cpus, nodes;
	void (*body)(unsigned int cpu);
	unsigned int iterations;
	double latency, real, lo, hi;
} planted[] = {
	{ "sharing, two sockets", 2, 2, sharing, 20000, 100.0, 78.1, 76.8, 78.1 },
	{ "sharing, one socket", 2, 1, sharing, 20000, 100.0, 47.5, 45.3, 47.5 },
	{ "sharing by four", 4, 2, sharing_of_four, 10000, 100.0, 40.1, 39.3, 40.0 },
	{ "sharing beside 300 instructions", 2, 2, sharing_beside_work, 8000, 100.0, 28.4, 28.0, 28.4 },
	{ "sharing, the value is needed", 2, 2, sharing_needed, 8000, 100.0, 87.3, 85.9, 87.2 },
	{ "sharing beside four misses", 2, 2, sharing_beside_misses, 8000, 28.3, 24.2, 0.0, 27.3 },
	{ "sharing beside a chase", 2, 2, sharing_beside_chase, 8000, 60.4, 0.0, 0.0, 88.1 },
	{ "sharing, then a chase", 2, 2, sharing_then_chase, 8000, 60.1, 59.4, 53.4, 60.7 },
	{ "sharing once in 16 beside a chase", 2, 2, sharing_seldom, 16000, 8.8, 0.0, 0.0, 10.6 },
	{ "sharing of stores alone", 2, 2, sharing_of_stores, 20000, 0, 0, 0, 0 },
	{ "one writer, three readers", 4, 2, one_writer, 8000, 100.0, 28.5, 27.8, 28.5 },
	{ "sharing, locked", 2, 2, sharing_locked, 8000, 100.0, 87.2, 87.2, 87.2 },
	{ "sharing beside hits in L2", 2, 2, sharing_beside_l2, 8000, 89.3, 0.0, 0.0, 71.5 },
	{ "remote, one chain", 1, 2, remote_1, 20000, 100.0, 42.0, 41.7, 42.2 },
	{ "remote, two chains", 1, 2, remote_2, 10000, 100.0, 41.9, 41.7, 42.1 },
	{ "remote, four chains", 1, 2, remote_4, 8000, 100.0, 41.8, 41.6, 42.2 },
	{ "remote, eight chains", 1, 2, remote_8, 8000, 100.0, 41.6, 41.0, 42.2 },
	{ "remote beside local", 1, 2, remote_beside_local, 10000, 61.8, 41.9, 14.0, 42.2 },
	{ "remote, local after it", 1, 2, remote_then_local, 10000, 62.2, 26.7, 24.5, 27.1 },
	{ "remote, independent", 1, 2, remote_stream, 20000, 100.0, 42.1, 35.4, 42.2 },
	{ "remote beside 500 instructions", 1, 2, remote_beside_work, 8000, 100.0, 23.3, 10.0, 23.8 },
};
#define PLANTED	(sizeof(planted) / sizeof(planted[0]))

static double both_runs(struct gain_run *run, struct gain_ran *ran, struct gain *gain)
{
	struct gain_ran after;

	run->mended = false;
	gain_machine_run(run, ran);
	gain_of(gain, &ran->counts, &ran->samples, &ran->part);
	run->mended = true;
	gain_machine_run(run, &after);
	return 1 - after.counts.cycles / ran->counts.cycles;
}

static bool is_inside(const struct gain *gain, double real)
{
	return real >= gain->lo - TOLERANCE && real <= gain->hi + TOLERANCE;
}

static bool same(double percent, double figure)
{
	return fabs(percent - 100 * figure) <= 0.15;
}

/* A row for Documentation/gain.rst, printed by make gain-table; NULL: not requested. */
static void put_row(const struct planted *p, const struct gain_ran *ran, const struct gain *gain,
		    double real)
{
	const char *file = getenv("GAIN_TABLE");
	FILE *table = file ? fopen(file, "a") : NULL;

	if (!table)
		return;
	fprintf(table, "%-33s %6.1f %%   %5.1f to %4.1f %%  %5.1f %%\n", p->name, 100 * ran->latency,
		100 * gain->lo, 100 * gain->hi, 100 * real);
	fclose(table);
}

TEST(test_planted)
{
	unsigned int i, bad = 0;

	for (i = 0; i < PLANTED; i++) {
		const struct planted *p = &planted[i];
		struct gain_run run = {
			.cpus = p->cpus, .nodes = p->nodes, .body = p->body,
			.iterations = p->iterations, .seed = 9 + i,
		};
		struct gain_ran ran;
		struct gain gain;
		double real = both_runs(&run, &ran, &gain);

		assert_int_equal(gain.known, GAIN_KNOWN);
		put_row(p, &ran, &gain, real);
		if (is_inside(&gain, real) && same(p->latency, ran.latency) && same(p->real, real) &&
		    same(p->lo, gain.lo) && same(p->hi, gain.hi))
			continue;
		bad++;
		print_message("# %s: %.1f of the latency, really %.1f, predicted %.1f to %.1f%s\n",
			      p->name, 100 * ran.latency, 100 * real, 100 * gain.lo, 100 * gain.hi,
			      is_inside(&gain, real) ? "" : ": outside");
	}
	assert_int_equal(bad, 0);
}

/* -------------------------------------------------------------- random loops */

enum kind { CHANGED_LOAD, CHANGED_STORE, MISS, IN_L2, IN_L1, WORK, OP };

static struct step {
	enum kind kind;
	unsigned int a, b, every, work;
} steps[16];
static unsigned int nr_steps;
static bool numa;

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 5;
}

static void take_step(unsigned int c, const struct step *s)
{
	switch (s->kind) {
	case CHANGED_LOAD:
		load(c, s->a, s->b, numa ? fresh(c, mended() ? 0 : 1) : word(c), numa ? DRAM : L1);
		return;
	case CHANGED_STORE:
		if (!numa)
			store(c, s->a, s->b, word(c), true);
		return;
	case MISS:
		load(c, s->a, s->b, fresh(c, c % 2), UNTOUCHED);
		return;
	case IN_L2:
		load(c, s->a, s->b, 192 * MIB + c * MIB + 64 * (++*scratch(c) % 1024), UNTOUCHED);
		return;
	case IN_L1:
		load(c, s->a, s->b, 208 * MIB + c * 4096, UNTOUCHED);
		return;
	case WORK:
		work(c, s->work);
		return;
	case OP:
		op(c, REG(s->a), REG(s->b));
		return;
	}
}

static void random_body(unsigned int c)
{
	unsigned int i;

	for (i = 0; i < nr_steps; i++)
		if (!(iteration(c) % steps[i].every))
			take_step(c, &steps[i]);
}

static enum kind kind_of(uint64_t percent)
{
	static const struct {
		unsigned int below;
		enum kind kind;
	} kinds[] = {
		{ 15, CHANGED_LOAD }, { 25, CHANGED_STORE }, { 35, MISS }, { 45, IN_L2 },
		{ 55, IN_L1 }, { 75, WORK }, { 100, OP },
	};
	unsigned int i = 0;

	while (percent >= kinds[i].below)
		i++;
	return kinds[i].kind;
}

static void make_loop(uint64_t *seed)
{
	unsigned int i;

	nr_steps = 3 + random_next(seed) % 12;
	for (i = 0; i < nr_steps; i++) {
		steps[i] = (struct step) {
			.kind = i ? kind_of(random_next(seed) % 100) : CHANGED_LOAD,
			.a = random_next(seed) % 8, .b = random_next(seed) % 8,
			.work = 1 + random_next(seed) % 120, .every = 1,
		};
		if (steps[i].kind != WORK && (!i || !(random_next(seed) % 3)))
			steps[i].every = 1 + random_next(seed) % (i ? 8 : 6);
	}
}

/* The number of loops about which anything is known, and how many of them are outside. */
struct tally {
	unsigned int sharing, sharing_outside, numa, numa_outside;
};

static void random_loops(struct tally *tally, unsigned int wanted, uint64_t seed, bool prefetch,
			 bool tagging, bool sharing_alone)
{
	memset(tally, 0, sizeof(*tally));
	while (tally->sharing + tally->numa < wanted) {
		struct gain_run run = {
			.nodes = 2, .body = random_body, .iterations = 3000,
			.prefetch = prefetch, .tagging = tagging,
		};
		struct gain_ran ran;
		struct gain gain;
		double real;
		bool outside;

		numa = random_next(&seed) % 2 && !sharing_alone;
		make_loop(&seed);
		run.cpus = numa ? 1 : 2;
		run.seed = 1 + random_next(&seed) % 100000;
		real = both_runs(&run, &ran, &gain);
		if (gain.known != GAIN_KNOWN || ran.part.samples < 100)
			continue;
		outside = !is_inside(&gain, real);
		if (outside)
			print_message("# %s: really %.1f, predicted %.1f to %.1f\n",
				      numa ? "remote" : "sharing", 100 * real, 100 * gain.lo,
				      100 * gain.hi);
		tally->numa += numa;
		tally->numa_outside += numa && outside;
		tally->sharing += !numa;
		tally->sharing_outside += !numa && outside;
	}
}

TEST(test_random)
{
	struct tally tally;

	random_loops(&tally, 300, 4711, false, false, false);
	assert_true(tally.sharing >= 50 && tally.numa >= 50);
	/*
	 * What executes in bursts or beside a miss is not stalled, so both bounds may be wrong: of 1,800
	 * loops of six other seeds 4 were outside, by 3 to 7 points beyond the tolerance.
	 */
	assert_in_range(tally.sharing_outside + tally.numa_outside, 0, 1);
}

TEST(test_random_prefetch)
{
	struct tally tally;

	random_loops(&tally, 60, 815, true, false, true);
	assert_int_equal(tally.sharing_outside, 0);
}

TEST(test_random_tagging)
{
	struct tally tally;

	random_loops(&tally, 100, 42, false, true, false);
	assert_in_range(tally.sharing_outside + tally.numa_outside, 0, 2);
}
