// SPDX-License-Identifier: GPL-2.0
#include "evidence.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "access_weight.h"

#define BYTES	MEMLAT_LINE_BYTES
#define SLOT	8	/* most bytes of an operand, except vectors */

/* Accesses to a line by weight: how many begin at each byte, and how far they reach. */
struct spread {
	double begin[BYTES];
	/*
	 * Of the accesses that begin at a byte: how many reach n bytes further; [0]: how many have
	 * an unknown width.
	 */
	double reach[BYTES][SLOT];
};

/* One party's accesses. */
struct bytes {
	struct spread load, store;
	double fetched[BYTES];		/* those of the loads that fetched the line */
	double store_miss[BYTES];	/* those of the stores that missed L1 */
};

struct run {
	const struct lineset *set;
	const struct lineset_line *line;
	size_t first, nr;	/* accesses of one thread */
};

/* How many accesses so many sampled loads, or stores, of a row stand for. */
static double weigh_loads(const struct memlat_rec_access *access, __u64 samples)
{
	return access_load_weight(access) * (double)samples;
}

static double weigh_stores(const struct memlat_rec_access *access, __u64 samples)
{
	return access_store_weight(access) * (double)samples;
}

/* All accesses of one thread; they follow each other from @from on. */
static struct run run_at(const struct lineset *set, const struct lineset_line *line,
			 size_t from)
{
	const struct memlat_rec_access *access = lineset_access(set, from);
	size_t to = from + 1;

	while (to < line->first + line->nr &&
	       lineset_same_thread(line, access, lineset_access(set, to)))
		to++;
	return (struct run){ set, line, from, to - from };
}

/* The byte where an access begins, or, if it is to a lock, where the lock begins. */
static unsigned int place_of(const struct evidence_locks *locks, const struct lineset *set,
			     const struct memlat_rec_access *access)
{
	unsigned int at = lineset_offset(set, access) % BYTES;

	return locks ? locks->object[at] : at;
}

/* Only within a slot, because accesses that begin in different slots count as apart. */
static void reach(double to[SLOT], double weight, unsigned int width)
{
	unsigned int i;

	if (!(weight > 0))
		return;
	if (!width)
		to[0] += weight;
	for (i = 1; i < SLOT && i < width; i++)
		to[i] += weight;
}

static void bytes_take(struct bytes *bytes, const struct run *run,
		       const struct evidence_locks *locks,
		       const struct evidence_widths *widths)
{
	unsigned int width;
	size_t i;

	memset(bytes, 0, sizeof(*bytes));
	for (i = run->first; i < run->first + run->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(run->set, i);
		unsigned int at = place_of(locks, run->set, access);
		__u64 stores = access_stores(access);

		bytes->load.begin[at] += weigh_loads(access, access->samples - stores);
		bytes->store.begin[at] += weigh_stores(access, stores);
		bytes->fetched[at] += weigh_loads(access, access_fetched(access, run->line->rec));
		bytes->store_miss[at] += weigh_stores(access, access_store_misses(access));
		width = widths ? widths->width(widths->context, access) : 0;
		reach(bytes->load.reach[at], weigh_loads(access, access->samples - stores), width);
		reach(bytes->store.reach[at], weigh_stores(access, stores), width);
	}
}

struct use {
	__u64 ip;
	double loads, stores;
};

ORDER_BY(compare_use, struct use, ip)

/* Find the party's most frequent instructions. One instruction may access several bytes. */
static void find_ips(struct verdict_party *party, const struct run *run)
{
	struct use *uses = xcalloc(run->nr, sizeof(*uses));
	double most_loads = 0, most_stores = 0;
	size_t i, nr = 0;

	for (i = 0; i < run->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(run->set, run->first + i);
		__u64 stores = access_stores(access);

		uses[i].ip = access->ip;
		uses[i].loads = weigh_loads(access, access->samples - stores);
		uses[i].stores = weigh_stores(access, stores);
	}
	qsort(uses, run->nr, sizeof(*uses), compare_use);
	for (i = 1; i < run->nr; i++) {
		if (uses[i].ip == uses[nr].ip) {
			uses[nr].loads += uses[i].loads;
			uses[nr].stores += uses[i].stores;
		} else {
			uses[++nr] = uses[i];
		}
	}
	for (i = 0; i <= nr; i++) {
		if (uses[i].loads > most_loads) {
			most_loads = uses[i].loads;
			party->load_ip = uses[i].ip;
		}
		if (uses[i].stores > most_stores) {
			most_stores = uses[i].stores;
			party->store_ip = uses[i].ip;
		}
	}
	free(uses);
}

static __u8 most(const double weight[BYTES], const double or_weight[BYTES])
{
	unsigned int i, first = 0, second = 0;

	for (i = 1; i < BYTES; i++) {
		if (weight[i] > weight[first])
			first = i;
		if (or_weight[i] > or_weight[second])
			second = i;
	}
	return (__u8)(weight[first] > 0 ? first : second);
}

static void party_take(struct verdict_party *party, const struct run *run,
		       const struct bytes *own)
{
	const struct memlat_rec_access *access = lineset_access(run->set, run->first);
	size_t i;

	memset(party, 0, sizeof(*party));
	party->pid = access->tgid;
	party->gen = access->gen;
	party->tid = access->tid;
	for (i = run->first; i < run->first + run->nr; i++) {
		__u64 bit, stores;

		access = lineset_access(run->set, i);
		stores = access_stores(access);
		bit = 1ULL << lineset_offset(run->set, access) % BYTES;
		party->loads += access->samples - stores;
		party->stores += stores;
		party->hitm += access->hitm + access->rhitm;
		party->cost += access->cost;
		party->cpus |= access->cpus;
		party->nodes |= access->nodes;
		if (access->samples > stores)
			party->bytes_loaded |= bit;
		if (stores)
			party->bytes_stored |= bit;
	}
	party->load_byte = most(own->fetched, own->load.begin);
	party->store_byte = most(own->store.begin, own->store.begin);
	find_ips(party, run);
}

static double sum(const double weight[BYTES])
{
	double whole = 0;
	unsigned int i;

	for (i = 0; i < BYTES; i++)
		whole += weight[i];
	return whole;
}

static void add(double to[BYTES], const double from[BYTES])
{
	unsigned int i;

	for (i = 0; i < BYTES; i++)
		to[i] += from[i];
}

static void spread_add(struct spread *to, const struct spread *from, double sign)
{
	unsigned int i, k;

	for (i = 0; i < BYTES; i++) {
		to->begin[i] += sign * from->begin[i];
		for (k = 0; k < SLOT; k++)
			to->reach[i][k] += sign * from->reach[i][k];
	}
}

/* The part of the accesses beginning at @at that reach each byte behind ([0]: that may). */
static double part(const struct spread *of, unsigned int at, unsigned int further)
{
	double part = of->begin[at] > 0 ? of->reach[at][further] / of->begin[at] : 0;

	return part > 1 ? 1 : part > 0 ? part : 0;
}

/*
 * Accesses of this weight at this byte show a fight. Divide it among the others' accesses by their
 * weights.
 */
static void fight(struct evidence *evidence, const struct evidence_locks *locks,
		  unsigned int at, double weight, const struct spread *mine,
		  const struct spread *them, double whole)
{
	unsigned int i, slot = at / SLOT * SLOT;
	const double *other = them->begin;
	double near = 0;

	if (!(weight > 0))
		return;
	if (!(whole > 0)) {
		evidence->unexplained += weight;
		return;
	}
	for (i = slot; i < slot + SLOT; i++) {
		const struct spread *lower = i < at ? them : mine;
		unsigned int first = i < at ? i : at, further = i < at ? at - i : i - at;
		double pair = weight * (other[i] / whole), meets, unsure;

		near += other[i];
		if (i == at)
			continue;
		meets = part(lower, first, further);
		unsure = part(lower, first, 0);
		evidence->same += pair * meets;
		evidence->undecided += pair * unsure;
		evidence->apart += pair * (1 - meets - unsure);
	}
	if (locks && locks->bytes >> at & 1)
		evidence->locked += weight * (other[at] / whole);
	else
		evidence->same += weight * (other[at] / whole);
	evidence->apart += weight * ((whole - near) / whole);
}

/*
 * A load fights with the others' stores, and a store with all their accesses. If no store of the
 * others was sampled, the fight is unexplained.
 */
static void fights(struct evidence *evidence, const struct evidence_locks *locks,
		   const struct bytes *own, const struct bytes *all, bool every)
{
	struct spread stored = all->store, used;
	const double *loads = every ? own->load.begin : own->fetched;
	const double *stores = every ? own->store.begin : own->store_miss;
	double whole_stored, whole_used;
	unsigned int i;

	/* The others' accesses are all accesses minus the party's own. */
	spread_add(&stored, &own->store, -1);
	used = stored;
	spread_add(&used, &all->load, 1);
	spread_add(&used, &own->load, -1);
	whole_stored = sum(stored.begin);
	whole_used = sum(used.begin);
	for (i = 0; i < BYTES; i++) {
		fight(evidence, locks, i, loads[i], &own->load, &stored, whole_stored);
		fight(evidence, locks, i, stores[i], &own->store, &used, whole_used);
	}
}

static void count_party(struct evidence *evidence, const struct bytes *own,
			const struct bytes *all)
{
	double loads = sum(own->load.begin), stores = sum(own->store.begin);

	if (loads + stores > evidence->heaviest)
		evidence->heaviest = loads + stores;
	if (stores > evidence->first_writer)
		evidence->first_writer = stores;
	if (stores > 0 && stores * 100 >= sum(all->store.begin) * EVIDENCE_WRITER_PERCENT) {
		evidence->writers++;
	} else if (loads * 100 >= sum(all->load.begin) * EVIDENCE_PART_PERCENT) {
		evidence->readers++;
		evidence->reader_loads += loads;
	}
}

/*
 * Count the samples which show that a writer and another thread take the line from each other:
 * loads of threads that do not store, and stores that found the line in another core, if the CPU
 * reports it.
 */
static void count_taken(struct evidence *evidence, const struct verdict_party *party,
			const struct run *run)
{
	size_t i;

	evidence->storing += party->stores > 0;
	for (i = run->first; i < run->first + run->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(run->set, i);

		evidence->taken += access->store_hitm + access->store_xsnp_fwd;
		if (!party->stores)
			evidence->taken += access_fetched(access, run->line->rec);
	}
}

COMPARE(compare_party, struct verdict_party,
	order(b->cost, a->cost) ?: order(b->loads + b->stores, a->loads + a->stores) ?:
	order(a->pid, b->pid) ?: order(a->tid, b->tid))

/* (sum w)^2 / sum w^2 over the samples' weights; samples of one row count as equally heavy. */
struct worth {
	double weight, squares;
};

static void worth_add(struct worth *worth, double weight, __u64 samples)
{
	if (!samples)
		return;
	worth->weight += weight;
	worth->squares += weight * weight / (double)samples;
}

static double worth_of(const struct worth *worth)
{
	return worth->squares > 0 ? worth->weight * worth->weight / worth->squares : 0;
}

double evidence_effective(const struct lineset *set, const struct lineset_line *line)
{
	struct worth loads = { 0 }, stores = { 0 };
	size_t at;

	for (at = line->first; at < line->first + line->nr; at++) {
		const struct memlat_rec_access *access = lineset_access(set, at);
		__u64 stored = access_stores(access), loaded = access->samples - stored;

		worth_add(&loads, weigh_loads(access, loaded), loaded);
		worth_add(&stores, weigh_stores(access, stored), stored);
	}
	return worth_of(&loads) + worth_of(&stores);
}

void evidence_take(struct evidence *evidence, const struct lineset *set,
		   const struct lineset_line *line, const struct evidence_locks *locks,
		   const struct evidence_widths *widths, bool all)
{
	const size_t end = line->first + line->nr;
	struct bytes own, whole = { 0 };
	struct run run;
	size_t at, nr = 0;

	memset(evidence, 0, sizeof(*evidence));
	for (at = line->first; at < end; at += run.nr) {
		run = run_at(set, line, at);
		bytes_take(&own, &run, locks, widths);
		spread_add(&whole.load, &own.load, 1);
		spread_add(&whole.store, &own.store, 1);
		add(whole.store_miss, own.store_miss);
		nr++;
	}
	evidence->loads = sum(whole.load.begin);
	evidence->stores = sum(whole.store.begin);
	evidence->missed = sum(whole.store_miss);
	evidence->weight = evidence->loads + evidence->stores;
	if (!nr)
		return;
	evidence->parties = xcalloc(nr, sizeof(*evidence->parties));
	for (at = line->first; at < end; at += run.nr) {
		struct verdict_party *party = &evidence->parties[evidence->nr_parties++];

		run = run_at(set, line, at);
		bytes_take(&own, &run, locks, widths);
		party_take(party, &run, &own);
		count_party(evidence, &own, &whole);
		count_taken(evidence, party, &run);
		fights(evidence, locks, &own, &whole, all);
	}
	for (at = line->first; at < end; at++) {
		const struct memlat_rec_access *access = lineset_access(set, at);

		evidence->samples += access->samples;
		evidence->forwarded += weigh_loads(access, access->xsnp_fwd);
		evidence->fought += access_fetched(access, line->rec) + access_store_misses(access);
	}
	evidence->effective = evidence_effective(set, line);
	qsort(evidence->parties, nr, sizeof(*evidence->parties), compare_party);
}
