// SPDX-License-Identifier: GPL-2.0
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "line.h"
#include "share.h"

#define BYTES	MEMLAT_LINE_BYTES
#define SLOT	8	/* most bytes of an operand, except vectors */
#define FEW	5	/* effective samples that are worth as much as knowing nothing */
#define MOST	100	/* samples: the programs that the model was fitted to seldom have more */
#define LIFE	4	/* loads of a life that can miss, and others' stores between two lives */
#define LIFE_MOST 50	/* others' stores between two lives, at most */
#define TAGGED	30	/* of so many loads the PMU tags one: in the middle of 14 to 100 */
#define ROUNDING 1e-9	/* what differences of sums leave behind */

/* Accesses to a line by weight: how many begin at each byte, and how far they reach. */
struct spread {
	double begin[BYTES];
	/* Of the accesses that begin at a byte: how many reach n bytes further. */
	double reach[BYTES][SLOT];
};

/* One party's accesses. */
struct bytes {
	double load[BYTES];		/* its loads */
	struct spread waited;		/* these, by the cycles that they waited */
	struct spread store;
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
static unsigned int first_byte(const struct evidence_locks *locks, const struct lineset *set,
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
	for (i = 1; i < SLOT && i < width; i++)
		to[i] += weight;
}

/*
 * How many bytes an access has; if that is not known, as few or as many as an aligned operand may
 * have.
 */
static unsigned int width_of(const struct lineset *set, const struct memlat_rec_access *access,
			     unsigned int at, bool wide)
{
	unsigned int width = lineset_width(set, access);

	return width || !wide ? width : at % SLOT ? at & -at : SLOT;
}

static void bytes_take(struct bytes *bytes, const struct run *run,
		       const struct evidence_locks *locks, bool widths, bool wide)
{
	unsigned int width;
	size_t i;

	memset(bytes, 0, sizeof(*bytes));
	for (i = run->first; i < run->first + run->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(run->set, i);
		unsigned int at = first_byte(locks, run->set, access);
		__u64 stores = access_stores(access);

		bytes->load[at] += weigh_loads(access, access->samples - stores);
		bytes->store.begin[at] += weigh_stores(access, stores);
		bytes->fetched[at] += weigh_loads(access, access_fetched(access, run->line->rec));
		bytes->store_miss[at] += weigh_stores(access, access_store_misses(access));
		width = widths ? width_of(run->set, access, at, wide) : 0;
		if (access->samples > stores) {
			bytes->waited.begin[at] += (double)access->cost;
			reach(bytes->waited.reach[at], (double)access->cost, width);
		}
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
		party->hitm += access->hitm_local + access->hitm_remote;
		party->cost += access->cost;
		party->cpus |= access->cpus;
		party->nodes |= access->nodes;
		if (access->samples > stores)
			party->bytes_loaded |= bit;
		if (stores)
			party->bytes_stored |= bit;
	}
	party->load_byte = most(own->fetched, own->load);
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

static void add_bytes(double to[BYTES], const double from[BYTES])
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

/* The part of the accesses beginning at @at that reach so many bytes further. */
static double part(const struct spread *of, unsigned int at, unsigned int further)
{
	double part = of->begin[at] > 0 ? of->reach[at][further] / of->begin[at] : 0;

	return part > 1 ? 1 : part > 0 ? part : 0;
}

/* The share of their accesses that meets mine at a byte. */
static double meeting(const struct spread *mine, const struct spread *them, unsigned int at,
		      double whole)
{
	unsigned int i, slot = at / SLOT * SLOT;
	double meets = them->begin[at];

	for (i = slot; i < slot + SLOT; i++)
		if (i < at)
			meets += them->begin[i] * part(them, i, at - i);
		else if (i > at)
			meets += them->begin[i] * part(mine, at, i - at);
	return whole > 0 && meets > 0 ? meets < whole ? meets / whole : 1 : 0;
}

/*
 * A byte that a thread uses in a share @use of its lives, and that was written in a share @write of
 * the times between two of them. It stays to be read until a life reads it, so a share of the lives
 * finds it written that is at most the lesser of the two.
 */
static double finds(double use, double write)
{
	double either = use + write - use * write;

	return either > 0 ? use * write / either : 0;
}

/* A thing of this share is seen at least once among so many. */
static double once(double share, double among)
{
	return 1 - pow(1 - fmin(share, 1), among);
}

/* What features are shares of: the line's loads by waited cycles, and its stores. */
struct sums {
	double waited, exposed, direct, finds, touches, follows, writes;
	double stores, used;
	unsigned int threads;
	double met[2], locked[2];	/* loads and stores at the others' bytes; those of locks */
};

/* How one thread's lives begin and go on, by what is sampled: weights of loads. */
struct lives {
	double unfound, untouched;	/* the share of its lives that does not find or touch what was written */
	double fetches;			/* lives, if TAGGED is right */
	double begun, behind;		/* loads of what was written: those that fetched, and those behind a miss */
};

static void lives_add(struct lives *lives, const struct bytes *own, unsigned int at,
		      double load, double store, double met, double stores_between)
{
	const double touched = fmax(load, store), written = once(met, LIFE);

	lives->unfound *= 1 - finds(once(load, LIFE), written);
	lives->untouched *= 1 - finds(once(touched, LIFE), written);
	lives->begun += TAGGED * own->fetched[at] * once(met, stores_between);
	lives->behind += TAGGED * (own->load[at] - own->fetched[at]) * written;
}

/* The share of lives that load what was written first, or behind the miss. */
static double follows(const struct lives *lives)
{
	const double begun = fmin(lives->begun, lives->fetches);

	if (!(lives->fetches > 0))
		return lives->behind > 0;
	return (begun + (lives->fetches - begun) * fmin(1, lives->behind / lives->fetches)) / lives->fetches;
}

static void sums_add(struct sums *sums, const struct evidence_locks *locks,
		     const struct bytes *own, const struct bytes *all)
{
	double waited = sum(own->waited.begin), stores = sum(own->store.begin), whole, used = 0;
	struct lives lives = { 1, 1, TAGGED * sum(own->fetched), 0, 0 };
	struct spread them = all->store;
	double between = LIFE_MOST;
	unsigned int at;

	/* The others' stores are all stores minus the party's own. */
	spread_add(&them, &own->store, -1);
	whole = sum(them.begin);
	sums->stores += stores;
	if (!(whole > sum(all->store.begin) * ROUNDING))
		return;
	if (lives.fetches > 0)
		between = fmin(fmax(whole / lives.fetches, 1), LIFE_MOST);
	for (at = 0; at < BYTES; at++) {
		double loads = own->waited.begin[at], stored = own->store.begin[at];
		double loaded = loads > 0 ? meeting(&own->waited, &them, at, whole) : 0;
		double stores_met = stored > 0 ? meeting(&own->store, &them, at, whole) : 0;

		lives_add(&lives, own, at, loads > 0 ? loads / waited : 0, stored > 0 ? stored / stores : 0,
			  fmax(loaded, stores_met), between);
		sums->met[0] += loads * loaded;
		sums->met[1] += stored * stores_met;
		if (locks && locks->bytes >> at & 1) {
			sums->locked[0] += loads * loaded;
			sums->locked[1] += stored * stores_met;
		}
		sums->direct += loaded > ROUNDING ? loads : 0;
		used += fmax(loaded, stores_met);
	}
	used = fmin(used, 1);
	sums->threads++;
	sums->exposed += waited;
	sums->finds += waited * (1 - lives.unfound);
	sums->touches += waited * (1 - lives.untouched);
	sums->follows += waited * follows(&lives);
	sums->writes += waited * (lives.fetches > 0 ? fmin(1, whole * used / lives.fetches) : used > 0);
	sums->used += stores * used;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 1;
}

static void count_party(struct evidence *evidence, const struct bytes *own,
			const struct bytes *all)
{
	double loads = sum(own->load), stores = sum(own->store.begin);

	evidence->alone = fmax(evidence->alone, fmin(share(loads, evidence->loads),
						     share(stores, evidence->stores)));
	if (stores > evidence->first_writer)
		evidence->first_writer = stores;
	if (stores > 0 && stores * 100 >= sum(all->store.begin) * EVIDENCE_WRITER_PERCENT) {
		evidence->writers++;
	} else if (loads * 100 >= sum(all->load) * EVIDENCE_PART_PERCENT) {
		evidence->readers++;
		evidence->reader_loads += loads;
	}
}

COMPARE(compare_party, struct verdict_party,
	order(b->cost, a->cost) ?: order(b->loads + b->stores, a->loads + a->stores) ?:
	order(a->pid, b->pid) ?: order(a->tid, b->tid))

static void worths(struct share *loads, struct share *stores, const struct lineset *set,
		   const struct lineset_line *line)
{
	size_t at;

	*loads = *stores = (struct share){ 0 };
	for (at = line->first; at < line->first + line->nr; at++) {
		const struct memlat_rec_access *access = lineset_access(set, at);
		__u64 stored = access_stores(access), loaded = access->samples - stored;

		share_add(loads, weigh_loads(access, loaded), loaded);
		share_add(stores, weigh_stores(access, stored), stored);
	}
}

double evidence_effective(const struct lineset *set, const struct lineset_line *line)
{
	struct share loads, stores;

	worths(&loads, &stores, set, line);
	return share_effective(&loads) + share_effective(&stores);
}

/* A share by so many effective samples, from -1 to 1: the fewer, the closer to 0. */
static double shrunk(double part, double whole, double samples)
{
	return whole > 0 ? (2 * part / whole - 1) * samples / (samples + FEW) : 0;
}

static void features_take(struct evidence *evidence, const struct sums *sums,
			  const struct lineset *set, const struct lineset_line *line)
{
	const struct memlat_rec_line *rec = line->rec;
	const double latency = (double)rec->latency_sum;
	struct share loads, stores;
	double l, s, *f = evidence->features;

	worths(&loads, &stores, set, line);
	l = share_effective(&loads);
	s = share_effective(&stores);
	evidence->effective = l + s;
	f[MODEL_ONE] = 1;
	f[MODEL_LOADS] = log1p(fmin(l, MOST)) / 5;
	f[MODEL_STORES] = log1p(fmin(s, MOST)) / 5;
	f[MODEL_THREADS] = log1p(sums->threads);
	f[MODEL_DIRECT] = shrunk(sums->direct, sums->exposed, l);
	f[MODEL_FINDS] = shrunk(sums->finds, sums->exposed, l);
	f[MODEL_TOUCHES] = shrunk(sums->touches, sums->exposed, l);
	f[MODEL_FOLLOWS2] = pow(shrunk(sums->follows, sums->exposed, l), 2);
	f[MODEL_WRITES] = shrunk(sums->writes, sums->exposed, l);
	f[MODEL_USED] = shrunk(sums->used, sums->stores, s);
	f[MODEL_UNLOADED] = FEW / (fmin(l, MOST) + FEW);
	f[MODEL_USED_UNLOADED] = f[MODEL_USED] * f[MODEL_UNLOADED];
	f[MODEL_CROSS] = shrunk((double)line_cross_latency(rec), latency, l);
	f[MODEL_CROSS_FINDS] = f[MODEL_CROSS] * f[MODEL_FINDS];
	f[MODEL_MISSED] = shrunk(evidence->missed, evidence->stores, s);
}

void evidence_take(struct evidence *evidence, const struct lineset *set,
		   const struct lineset_line *line, const struct evidence_locks *locks,
		   bool widths, bool wide)
{
	const size_t end = line->first + line->nr;
	struct bytes own, whole = { 0 };
	struct sums sums = { 0 };
	struct run run;
	size_t at, nr = 0;

	memset(evidence, 0, sizeof(*evidence));
	for (at = line->first; at < end; at += run.nr) {
		run = run_at(set, line, at);
		bytes_take(&own, &run, locks, widths, wide);
		add_bytes(whole.load, own.load);
		spread_add(&whole.store, &own.store, 1);
		add_bytes(whole.store_miss, own.store_miss);
		nr++;
	}
	evidence->loads = sum(whole.load);
	evidence->stores = sum(whole.store.begin);
	evidence->missed = sum(whole.store_miss);
	evidence->parties = nr ? xcalloc(nr, sizeof(*evidence->parties)) : NULL;
	for (at = line->first; at < end; at += run.nr) {
		struct verdict_party *party = &evidence->parties[evidence->nr_parties++];

		run = run_at(set, line, at);
		bytes_take(&own, &run, locks, widths, wide);
		party_take(party, &run, &own);
		count_party(evidence, &own, &whole);
		sums_add(&sums, locks, &own, &whole);
	}
	for (at = line->first; at < end; at++)
		evidence->samples += lineset_access(set, at)->samples;
	/* By loads, or if none met the others' stores, by stores. */
	at = !(sums.met[0] > 0);
	evidence->locked = sums.met[at] > 0 ? sums.locked[at] / sums.met[at] : 0;
	features_take(evidence, &sums, set, line);
	if (nr)
		qsort(evidence->parties, nr, sizeof(*evidence->parties), compare_party);
}

/* Name the party's part by the most used of these bytes, unless it already is, or uses none. */
static void point_at(struct verdict_party *party, const struct lineset *set,
		     const struct lineset_line *line, __u64 mask)
{
	__u64 most = 0;
	size_t at;

	if (mask >> verdict_byte(party) & 1)
		return;
	for (at = line->first; at < line->first + line->nr; at++) {
		const struct memlat_rec_access *access = lineset_access(set, at);
		const unsigned int byte = lineset_offset(set, access) % BYTES;

		if (access->tgid != party->pid || access->tid != party->tid ||
		    !(mask >> byte & 1) || access->samples <= most)
			continue;
		most = access->samples;
		party->load_byte = party->store_byte = (__u8)byte;
		party->load_ip = party->store_ip = access->ip;
	}
}

void evidence_point(struct verdict_party *parties, size_t nr, const struct lineset *set,
		    const struct lineset_line *line, bool same)
{
	size_t users[BYTES] = { 0 }, most = 1, i;
	__u64 stored = 0, shared = 0, first = 0;
	unsigned int byte;

	for (i = 0; i < nr; i++) {
		stored |= parties[i].bytes_stored;
		for (byte = 0; byte < BYTES; byte++)
			users[byte] += (parties[i].bytes_loaded | parties[i].bytes_stored) >> byte & 1;
	}
	for (byte = 0; byte < BYTES; byte++) {
		if (users[byte] < 2 || !(stored >> byte & 1))
			continue;
		shared |= 1ULL << byte;
		/* One byte for all parties, of those that most of them use. */
		if (users[byte] > most) {
			most = users[byte];
			first = 1ULL << byte;
		}
	}
	for (i = 0; i < nr; i++) {
		point_at(&parties[i], set, line, same ? shared : ~shared);
		if (same)
			point_at(&parties[i], set, line, first);
	}
}
