// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "evidence.h"
#include "line.h"
#include "lineset.h"

/*
 * Sampled stores to each of two words, and to both, before they have different writers: if every
 * thread stored to both, the samples would part so once in 128 times.
 */
#define WORD_STORES		2
#define TWO_WORDS_STORES	8
#define COVERED_PERCENT	50	/* of a line's samples must be in its accesses, to judge by these */
#define ALONE_PERCENT	95	/* of the weight: the others are strays */
#define ONE_WRITER_PERCENT 90	/* of the stores: the others are strays */
#define CLEAN_MOST	10	/* loads that other cores serve clean after a store */
#define CROSS_PERCENT	20	/* of the cycles of loads that fetched it: less is no fight */
#define CERTAIN		0.7	/* the least probability that decides */
#define SURE_MOST	99	/* percent */
#define READERS_LEAST	2
#define UNSEEN_STORES	3	/* samples: see seldom_written() */

struct verdicts {
	const struct lineset *set;
	struct verdict_line **lines;	/* by line of the set, as they are asked for */
	verdict_lock_fn is_lock;	/* NULL: locks are not known */
	void *context;			/* for is_lock */
};

static const struct verdict_line unknown = {
	.verdict = VERDICT_TOO_FEW, .few = VERDICT_FEW_SAMPLES,
};

struct verdicts *verdicts_of_set(const struct lineset *set)
{
	struct verdicts *verdicts = xcalloc(1, sizeof(*verdicts));

	verdicts->set = set;
	verdicts->lines = xcalloc(lineset_lines(set), sizeof(*verdicts->lines));
	return verdicts;
}

void verdicts_know_locks(struct verdicts *verdicts, verdict_lock_fn is_lock, void *context)
{
	verdicts->is_lock = is_lock;
	verdicts->context = context;
}

bool verdict_takes_part(const struct verdict_line *verdict, const struct verdict_party *party)
{
	__u64 samples = 0, cost = 0;
	size_t i;

	for (i = 0; i < verdict->nr_parties; i++) {
		samples += verdict->parties[i].loads + verdict->parties[i].stores;
		cost += verdict->parties[i].cost;
	}
	return (party->loads + party->stores) * 100 >= samples * EVIDENCE_PART_PERCENT ||
	       (cost && party->cost * 100 >= cost * EVIDENCE_PART_PERCENT);
}

void verdicts_free(struct verdicts *verdicts)
{
	size_t i;

	if (!verdicts)
		return;
	for (i = 0; i < lineset_lines(verdicts->set); i++)
		if (verdicts->lines[i]) {
			free(verdicts->lines[i]->parties);
			free(verdicts->lines[i]);
		}
	free(verdicts->lines);
	free(verdicts);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* The share of a line's stores (by weight) that threads other than @party made. */
static double stored_by_others(const struct lineset *set, const struct lineset_line *line,
			       const struct verdict_party *party)
{
	const struct memlat_rec_access own = {
		.tid = party->tid, .tgid = party->pid, .gen = party->gen,
	};
	double theirs = 0, whole = 0;
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		double stores = access_store_weight(access) * (double)access_stores(access);

		whole += stores;
		if (!lineset_same_thread(line, access, &own))
			theirs += stores;
	}
	return share(theirs, whole);
}

/*
 * Only @party uses the line, or nobody writes it. Do other threads write its 128-byte partner often
 * enough to explain its loads from other cores? Returns their share of the partner's stores.
 */
static double partner_to_blame(const struct lineset *set, const struct lineset_line *line,
			       const struct verdict_party *party)
{
	const struct lineset_line *partner = lineset_partner(set, line);

	if (!partner || partner->rec->stores < LINE_STORES_LEAST ||
	    partner->rec->stores * 10 < line_cross_core(line->rec))
		return 0;
	return stored_by_others(set, partner, party);
}

/*
 * The share that accesses over the line's end have of the loads that fetched it from another core.
 * These may have met the use of the line behind, where they count, too.
 */
static double crossing(const struct lineset *set, const struct lineset_line *line)
{
	double over = 0, whole = 0;
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		double fetched = access_load_weight(access) *
				 (double)access_fetched(access, line->rec);

		whole += fetched;
		if (fetched > 0 && lineset_crosses(set, line, access))
			over += fetched;
	}
	return share(over, whole);
}

/*
 * If the CPU tags only one load in N, a sampled load stands for more loads than its weight says,
 * and N is not known. So reader_loads is a lower bound. If most stores missed because the line had
 * been taken from the writer, it was read between two stores, whatever N is.
 */
static bool read_mostly(const struct evidence *evidence, bool same_bytes)
{
	if (evidence->writers != 1 || evidence->readers < READERS_LEAST ||
	    evidence->first_writer * 100 < evidence->stores * ONE_WRITER_PERCENT)
		return false;
	return evidence->stores <= evidence->reader_loads ||
	       (same_bytes && evidence->missed * 2 >= evidence->stores);
}

/*
 * How many stores a line has at most. If none was sampled, one would have been in 19 of 20 cases if
 * it had three times as many as one sample stands for.
 */
static double stores_most(const struct memlat_status *status, const struct evidence *evidence)
{
	if (evidence->stores > 0)
		return evidence->stores;
	if (!(status->flags & MEMLAT_F_STORES) || !status->stores)
		return HUGE_VAL;
	return UNSEEN_STORES * (double)status->weight_stores / (double)status->stores;
}

static bool seldom_written(const struct memlat_status *status,
			   const struct evidence *evidence)
{
	return !(evidence->stores > 0) && evidence->readers >= READERS_LEAST &&
	       evidence->loads >= stores_most(status, evidence);
}

static unsigned int percent(double part)
{
	return (unsigned int)(100 * part + 0.5);
}

/* The verdict if the line is fought over. */
static enum verdict kind_of(struct verdict_line *to, const struct evidence *evidence,
			    const struct memlat_rec_line *line,
			    const struct memlat_status *status, enum model_class class)
{
	to->unseen_writer = !line->stores;
	if (to->unseen_writer)
		return seldom_written(status, evidence) ? VERDICT_READ_MOSTLY : VERDICT_UNSEEN;
	to->both = class == MODEL_BOTH;
	if (class == MODEL_FALSE || (to->both && to->apart >= 50))
		return VERDICT_FALSE_SHARING;
	if (to->locked && to->locked >= to->same)
		return VERDICT_LOCK;
	return !to->both && read_mostly(evidence, true) ? VERDICT_READ_MOSTLY : VERDICT_TRUE_SHARING;
}

/* The verdict if it is not. */
static enum verdict quiet_of(const struct evidence *evidence, const struct memlat_rec_line *line)
{
	if (evidence->alone * 100 >= ALONE_PERCENT)
		return VERDICT_ONE_THREAD;
	return line->stores ? VERDICT_NONE : VERDICT_READ_SHARED;
}

/*
 * Do the loads show that the line is not handed over? They do if other cores served few of those
 * that fetched it, by cycles. Loads that waited in a fill buffer do not tell who served them.
 *
 * A store makes one load find the line modified, and those after it find it clean. So a line that is
 * served clean, or perhaps modified, far more often than it is stored to is clean. Unless that is so,
 * a line of which no store was sampled may have been written all the same, and L1 and L3 may have had
 * it from there; then only L2 and memory tell. Of 57 such lines of selftests/judge that other caches
 * served, 52 were fought over.
 */
static bool stays(const struct evidence *evidence, const struct memlat_rec_line *line,
		  const struct memlat_status *status)
{
	const __u64 *const cycles = line->latency;
	const double fetched = (double)line->latency_sum - (double)cycles[MEMLAT_SRC_LFB];
	const double clean = line_load_weight(line) * (double)(line->source[MEMLAT_SRC_L3_SNOOP] +
							       line->source[MEMLAT_SRC_RCACHE]);
	double cross = (double)line_cross_latency(line);

	if (line_loads(line) < LINE_HITM_LEAST + line->source[MEMLAT_SRC_LFB] || line_stores_fight(line))
		return false;
	if (stores_most(status, evidence) * CLEAN_MOST < clean)
		cross -= (double)(cycles[MEMLAT_SRC_L3_SNOOP] + cycles[MEMLAT_SRC_RCACHE]);
	else if (!(evidence->stores > 0))
		cross += (double)(cycles[MEMLAT_SRC_L1] + cycles[MEMLAT_SRC_L3]);
	return cross * 100 < fetched * CROSS_PERCENT;
}

static void set_verdict(struct verdict_line *to, enum verdict verdict, double certainty)
{
	to->verdict = verdict;
	to->sure = percent(certainty) < SURE_MOST ? percent(certainty) : SURE_MOST;
}

static void undecided(struct verdict_line *to, enum verdict_few why)
{
	to->likely = to->verdict;
	to->few = why;
}

/* Rule of succession: the next sample may disagree. */
static double succession(__u64 samples)
{
	return (double)samples / (double)(samples + 2);
}

/* The parts of a fight: what to expect of them, if half of it is over different bytes in both. */
static void split(struct verdict_line *to, const struct evidence *evidence,
		  const double class[MODEL_CLASSES])
{
	const double fight = class[MODEL_FALSE] + class[MODEL_BOTH] + class[MODEL_TRUE];
	const double apart = fight > 0 ? (class[MODEL_FALSE] + class[MODEL_BOTH] / 2) / fight : 0;

	to->apart = percent(apart);
	to->locked = percent((1 - apart) * evidence->locked);
	to->same = 100 - to->apart > to->locked ? 100 - to->apart - to->locked : 0;
}

/*
 * Nobody was seen to store beside another thread, so the samples do not tell what a fight is over.
 * A single thread that moves between CPUs leaves its line behind, too, but only once for each move.
 */
static void judge_unexposed(struct verdict_line *to, const struct evidence *evidence,
			    const struct memlat_rec_line *line, const struct memlat_status *status)
{
	const double certainty = succession(line_loads(line));

	if (line_loads(line) < LINE_HITM_LEAST)
		undecided(to, VERDICT_FEW_LOADS);
	else if (stays(evidence, line, status))
		set_verdict(to, quiet_of(evidence, line), certainty);
	else if (!line->stores && line_hitm_counts(line))
		set_verdict(to, kind_of(to, evidence, line, status, MODEL_TRUE), certainty);
	else
		undecided(to, VERDICT_FEW_ONE_SIDE);
}

/* An access of unknown width may be narrow or wide, so what the answer is then is halfway. */
static void classes(double class[MODEL_CLASSES], const struct evidence *evidence)
{
	double wide[MODEL_CLASSES];
	unsigned int i;

	model_classes(class, evidence->features);
	model_classes(wide, evidence->wide);
	for (i = 0; i < MODEL_CLASSES; i++)
		class[i] = (class[i] + wide[i]) / 2;
}

static void judge(struct verdict_line *to, const struct lineset *set,
		  const struct lineset_line *line, const struct evidence *evidence)
{
	const struct memlat_status *status = &lineset_snapshot(set)->head.status;
	const bool exposed = evidence->features[MODEL_THREADS] > 0;
	double class[MODEL_CLASSES], blame = 0, over = exposed ? 0 : crossing(set, line);
	enum model_class i, most = MODEL_FALSE;

	to->crosses = over * 2 >= 1;
	if (!to->crosses && (evidence->alone * 100 >= ALONE_PERCENT || !line->rec->stores) &&
	    line_crosses_count(line->rec))
		blame = partner_to_blame(set, line, to->parties) * evidence->alone;
	if (blame * 2 >= 1) {
		set_verdict(to, VERDICT_ADJACENT, blame * succession(line_cross_core(line->rec)));
		to->least = 100;
	} else if (to->crosses) {
		set_verdict(to, quiet_of(evidence, line->rec), over * succession(line_loads(line->rec)));
	} else if (!exposed) {
		judge_unexposed(to, evidence, line->rec, status);
	} else if (stays(evidence, line->rec, status)) {
		set_verdict(to, quiet_of(evidence, line->rec), succession(line_loads(line->rec)));
	} else {
		classes(class, evidence);
		to->widths_matter = memcmp(evidence->features, evidence->wide, sizeof(evidence->wide));
		for (i = MODEL_BOTH; i < MODEL_CLASSES; i++)
			if (class[i] > class[most])
				most = i;
		split(to, evidence, class);
		set_verdict(to, most == MODEL_NONE ? quiet_of(evidence, line->rec) :
			    kind_of(to, evidence, line->rec, status, most), class[most]);
		if (most == MODEL_FALSE)
			to->least = percent(model_least(class[most]));
		if (class[most] < CERTAIN)
			undecided(to, VERDICT_FEW_UNDECIDED);
		else if (most == MODEL_NONE && line_loads(line->rec) < LINE_HITM_LEAST)
			undecided(to, VERDICT_FEW_LOADS);
	}
}

/* Find the line's bytes that belong to locks, or to fields that change together; false: none. */
static bool find_locks(struct evidence_locks *locks, const struct verdicts *verdicts,
		       const struct lineset_line *line)
{
	__u64 start[MEMLAT_LINE_BYTES], end[MEMLAT_LINE_BYTES];
	struct verdict_lock lock;
	unsigned int at, other;
	__u64 known = 0;
	size_t i;

	memset(locks, 0, sizeof(*locks));
	for (i = line->first; verdicts->is_lock && i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(verdicts->set, i);
		__u64 base = access->addr & ~(__u64)(MEMLAT_LINE_BYTES - 1);

		if (!verdicts->is_lock(verdicts->context, access, &lock))
			continue;
		at = lineset_offset(verdicts->set, access) % MEMLAT_LINE_BYTES;
		known |= 1ULL << at;
		if (!lock.data)
			locks->bytes |= 1ULL << at;
		/* Relative to the line's start, because each process may map it elsewhere. */
		start[at] = lock.start - base;
		end[at] = start[at] + lock.bytes;
	}
	for (at = 0; at < MEMLAT_LINE_BYTES; at++) {
		locks->object[at] = (__u8)at;
		if (!(known >> at & 1))
			continue;
		for (other = 0; other < at; other++)
			if (known >> other & 1 && locks->object[other] == other &&
			    (locks->bytes >> other & 1) == (locks->bytes >> at & 1) &&
			    (at - start[other] < end[other] - start[other] ||
			     other - start[at] < end[at] - start[at])) {
				locks->object[at] = (__u8)other;
				break;
			}
	}
	return known;
}

/* Are most of the line's samples in accesses that were evicted? */
static bool is_coarse(const struct memlat_rec_line *rec, __u64 samples)
{
	return (double)samples * 100 < (double)rec->samples * COVERED_PERCENT;
}

/* Ask for the names of locks, and for widths, only where the answer could matter. */
static void evidence_named(struct evidence *evidence, const struct verdicts *verdicts,
			   const struct lineset_line *line)
{
	const struct memlat_status *status = &lineset_snapshot(verdicts->set)->head.status;
	struct evidence_locks locks;
	struct evidence wide;
	bool found;

	memcpy(evidence->wide, evidence->features, sizeof(evidence->wide));
	if (evidence->effective < VERDICT_LEAST || !(evidence->features[MODEL_THREADS] > 0) ||
	    stays(evidence, line->rec, status))
		return;
	found = find_locks(&locks, verdicts, line);
	free(evidence->parties);
	evidence_take(&wide, verdicts->set, line, found ? &locks : NULL, true, true);
	free(wide.parties);
	evidence_take(evidence, verdicts->set, line, found ? &locks : NULL, true, false);
	memcpy(evidence->wide, wide.features, sizeof(evidence->wide));
}

static void weigh_line(struct verdict_line *to, const struct verdicts *verdicts,
		       const struct lineset_line *line)
{
	struct evidence evidence;

	evidence_take(&evidence, verdicts->set, line, NULL, false, false);
	evidence_named(&evidence, verdicts, line);
	to->parties = evidence.parties;
	to->nr_parties = evidence.nr_parties;
	to->effective = evidence.effective;
	to->coarse = is_coarse(line->rec, evidence.samples);
	if (to->coarse)
		to->few = VERDICT_FEW_EVICTED;
	else if (to->effective < VERDICT_LEAST)
		to->few = VERDICT_FEW_SAMPLES;
	else
		judge(to, verdicts->set, line, &evidence);
	if (to->few) {
		to->verdict = VERDICT_TOO_FEW;
		to->sure = to->few == VERDICT_FEW_UNDECIDED ? to->sure : 0;
		to->both = to->unseen_writer = false;
	} else if (to->verdict == VERDICT_FALSE_SHARING || to->verdict == VERDICT_TRUE_SHARING ||
		   to->verdict == VERDICT_LOCK) {
		evidence_point(to->parties, to->nr_parties, verdicts->set, line,
			       to->verdict != VERDICT_FALSE_SHARING);
	}
}

void verdict_features(const struct verdicts *verdicts, const struct memlat_rec_line *line,
		      double features[MODEL_FEATURES])
{
	const struct lineset_line *found = lineset_find(verdicts->set, line);
	struct evidence evidence;

	memset(features, 0, MODEL_FEATURES * sizeof(*features));
	if (!found)
		return;
	evidence_take(&evidence, verdicts->set, found, NULL, false, false);
	evidence_named(&evidence, verdicts, found);
	memcpy(features, evidence.features, sizeof(evidence.features));
	free(evidence.parties);
}

const struct verdict_line *verdict_of(struct verdicts *verdicts,
				      const struct memlat_rec_line *line)
{
	const struct lineset_line *found = lineset_find(verdicts->set, line);
	struct verdict_line **known;

	if (!found)
		return &unknown;
	known = &verdicts->lines[found - lineset_line(verdicts->set, 0)];
	if (!*known) {
		*known = xcalloc(1, sizeof(**known));
		weigh_line(*known, verdicts, found);
	}
	return *known;
}

/* What threads do at each byte where accesses begin. */
struct words {
	__u64 stores[MEMLAT_LINE_BYTES];	/* samples */
	__u64 used, stored;	/* by threads that store at the given byte */
};

static void words_take(struct words *words, const struct lineset *set,
		       const struct lineset_line *line, unsigned int byte)
{
	const size_t end = line->first + line->nr;
	size_t at = line->first;

	memset(words, 0, sizeof(*words));
	while (at < end) {
		const struct memlat_rec_access *first = lineset_access(set, at), *access = first;
		__u64 used = 0, stored = 0;

		while (lineset_same_thread(line, access, first)) {
			const unsigned int begin = lineset_offset(set, access) % MEMLAT_LINE_BYTES;
			const __u64 stores = access_stores(access);

			words->stores[begin] += stores;
			used |= 1ULL << begin;
			stored |= (__u64)(stores > 0) << begin;
			if (++at == end)
				break;
			access = lineset_access(set, at);
		}
		if (stored >> byte & 1) {
			words->used |= used;
			words->stored |= stored;
		}
	}
}

int verdict_other_word(const struct verdicts *verdicts, const struct memlat_rec_line *line,
		       unsigned int byte)
{
	const struct lineset_line *found = lineset_find(verdicts->set, line);
	struct words words;
	int at, most = -1;

	if (!found)
		return -1;
	words_take(&words, verdicts->set, found, byte);
	for (at = 0; at < MEMLAT_LINE_BYTES; at++)
		if ((words.used & ~words.stored) >> at & 1 &&
		    words.stores[at] >= WORD_STORES && words.stores[byte] >= WORD_STORES &&
		    words.stores[at] + words.stores[byte] >= TWO_WORDS_STORES &&
		    (most < 0 || words.stores[at] > words.stores[most]))
			most = at;
	return most;
}

bool verdict_may_be_fight(const struct verdicts *verdicts, const struct memlat_rec_line *line)
{
	const struct lineset *set = verdicts->set;
	const struct lineset_line *found = lineset_find(set, line);
	const struct memlat_rec_access *first, *last;
	struct verdict_party party;
	__u64 samples = 0;
	size_t i;

	if (!found)
		return false;
	for (i = found->first; i < found->first + found->nr; i++)
		samples += lineset_access(set, i)->samples;
	if (is_coarse(found->rec, samples) || evidence_effective(set, found) < VERDICT_LEAST)
		return false;
	first = lineset_access(set, found->first);
	last = lineset_access(set, found->first + found->nr - 1);
	if (!lineset_same_thread(found, first, last))
		return true;
	/* A single thread can only suffer from the use of the line's partner. */
	party = (struct verdict_party){ .pid = first->tgid, .gen = first->gen, .tid = first->tid };
	return line_crosses_count(found->rec) && partner_to_blame(set, found, &party) * 2 >= 1;
}

static const struct {
	const char *text, *key;
} words[VERDICTS] = {
	[VERDICT_TOO_FEW]	= { "too few samples", "too_few" },
	[VERDICT_NONE]		= { "shared, not fought over", "none" },
	[VERDICT_ONE_THREAD]	= { "one thread", "one_thread" },
	[VERDICT_READ_SHARED]	= { "read by several", "read_shared" },
	[VERDICT_FALSE_SHARING]	= { "false sharing", "false_sharing" },
	[VERDICT_TRUE_SHARING]	= { "true sharing", "true_sharing" },
	[VERDICT_READ_MOSTLY]	= { "read mostly", "read_mostly" },
	[VERDICT_ADJACENT]	= { "adjacent line", "adjacent_line" },
	[VERDICT_LOCK]		= { "contended lock", "contended_lock" },
	[VERDICT_UNSEEN]	= { "writer not seen", "writer_not_seen" },
};

const char *verdict_text(enum verdict verdict)
{
	return words[verdict].text;
}

const char *verdict_words(const struct verdict_line *line)
{
	return line->few > VERDICT_FEW_SAMPLES ? "not decided yet" : verdict_text(line->verdict);
}

const char *verdict_key(enum verdict verdict)
{
	return words[verdict].key;
}
