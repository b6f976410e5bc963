// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "access_weight.h"
#include "evidence.h"
#include "line.h"
#include "lineset.h"
#include "signs.h"
#include "verdict_coarse.h"

#define COVERED_PERCENT	50	/* of a line's samples must be in its accesses, to judge by these */
#define ALONE_PERCENT	95	/* of the weight: the others are strays */
#define ONE_WRITER_PERCENT 90	/* of the stores: the others are strays */
#define BOTH_PERCENT	20	/* of the fight: a part of this size is reported too */
#define READERS_LEAST	2
#define UNSEEN_STORES	3	/* samples: see seldom_written() */

struct verdicts {
	const struct lineset *set;
	struct verdict_line **lines;	/* by line of the set, as they are asked for */
	verdict_lock_fn is_lock;	/* NULL: locks are not known */
	void *context;			/* for is_lock */
	struct evidence_widths widths;	/* width NULL: widths are not known */
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

void verdicts_know_widths(struct verdicts *verdicts, evidence_width_fn width, void *context)
{
	verdicts->widths = (struct evidence_widths){ width, context };
}

void verdicts_know_locks(struct verdicts *verdicts, verdict_lock_fn is_lock, void *context)
{
	verdicts->is_lock = is_lock;
	verdicts->context = context;
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

/* Certainty in percent, if this share of the weight of @samples is in favour of the verdict. */
static unsigned int certainty(double share, __u64 samples)
{
	/* Rule of succession: the next sample may disagree. */
	double sure = 100 * share * (double)samples / (double)(samples + 2);

	return sure < 0 ? 0 : sure > 99 ? 99 : (unsigned int)(sure + 0.5);
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

static void say(struct verdict_line *to, enum verdict verdict, unsigned int sure)
{
	to->verdict = verdict;
	to->sure = sure;
}

/*
 * The share of the line's loads that did not find it modified by another core, or the same of its
 * stores, whichever is less.
 */
static double calm_of(const struct memlat_rec_line *line)
{
	double loads = share((double)line_hitm(line), (double)line_loads(line));
	double stores = share((double)line->store_hitm, (double)line->stores);

	return 1 - (loads > stores ? loads : stores);
}

static void judge_quiet(struct verdict_line *to, const struct evidence *evidence,
			const struct memlat_rec_line *line, double covered)
{
	double calm = calm_of(line);

	if (line->stores)
		say(to, VERDICT_NONE, certainty(calm * covered, evidence->samples));
	else
		say(to, VERDICT_READ_SHARED, certainty(calm * covered, evidence->samples));
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
 * Stores were sampled, but none of this line, so it has few. If it had three times as many as one
 * sample stands for, one of them would have been sampled in 19 of 20 cases.
 */
static bool seldom_written(const struct memlat_status *status,
			   const struct evidence *evidence)
{
	if (!(status->flags & MEMLAT_F_STORES) || !status->stores || evidence->stores > 0)
		return false;
	return evidence->readers >= READERS_LEAST &&
	       evidence->loads * (double)status->stores >=
	       UNSEEN_STORES * (double)status->weight_stores;
}

static unsigned int percent(double part, double whole)
{
	return (unsigned int)(100 * share(part, whole) + 0.5);
}

static void judge_fight(struct verdict_line *to, const struct evidence *evidence,
			double covered)
{
	double apart = evidence->apart + evidence->undecided / 2;
	double same = evidence->same + evidence->undecided / 2;
	double whole = apart + same + evidence->locked + evidence->unexplained;
	unsigned int kinds = (evidence->apart * 100 >= whole * BOTH_PERCENT) +
			     (evidence->same * 100 >= whole * BOTH_PERCENT) +
			     (evidence->locked * 100 >= whole * BOTH_PERCENT);

	to->locked = percent(evidence->locked, whole);
	to->same = percent(same, whole);
	to->apart = percent(apart, whole);
	to->both = kinds > 1;
	if (evidence->locked > 0 && evidence->locked >= apart && evidence->locked >= same) {
		say(to, VERDICT_LOCK,
		    certainty(share(evidence->locked, whole) * covered, evidence->fought));
	} else if (read_mostly(evidence, same > apart) && evidence->locked * 100 < whole * BOTH_PERCENT) {
		to->both = false;
		say(to, VERDICT_READ_MOSTLY,
		    certainty(share(evidence->first_writer, evidence->stores) * covered,
			      evidence->samples));
	} else if (apart >= same) {
		say(to, VERDICT_FALSE_SHARING,
		    certainty(share(apart, whole) * covered, evidence->fought));
	} else {
		say(to, VERDICT_TRUE_SHARING,
		    certainty(share(same, whole) * covered, evidence->fought));
	}
}

static struct signs signs_of(const struct evidence *evidence)
{
	return (struct signs){
		.several = evidence->nr_parties > 1,
		.storing = (unsigned int)evidence->storing,
		.writers = (unsigned int)evidence->writers,
		.taken = evidence->taken,
		.stores = evidence->stores, .forwarded = evidence->forwarded,
	};
}

/* On a CPU that does not separate HITM from clean forwards: may the forwards be HITM? */
static bool forwards_may_be_hitm(const struct memlat_rec_line *line,
				 const struct evidence *evidence)
{
	const struct signs signs = signs_of(evidence);

	return line->stores >= SIGNS_STORES && signs_explain_forwards(&signs);
}

/*
 * Somebody writes, but no store to the line was sampled. So the verdict names no writer, and does
 * not depend on which bytes are written.
 */
static void judge_unseen(struct verdict_line *to, const struct evidence *evidence,
			 const struct memlat_rec_line *line,
			 const struct memlat_status *status, double covered)
{
	to->unseen_writer = true;
	if (seldom_written(status, evidence))
		say(to, VERDICT_READ_MOSTLY, certainty(covered, evidence->samples));
	else
		say(to, VERDICT_UNSEEN,
		    certainty(share((double)line_hitm(line), (double)line_loads(line)) * covered,
			      evidence->samples));
}

/* Does any thread wait because of another one's use of this line? */
static bool contended(const struct memlat_rec_line *line, const struct evidence *evidence)
{
	if (line_hitm_counts(line) || line_stores_fight(line))
		return true;
	if ((line_hitm(line) || forwards_may_be_hitm(line, evidence)) &&
	    (line_fetched_counts(line) || line_buffers_count(line)))
		return true;
	return (evidence->writers > 1 && line_waits_count(line));
}

static void judge(struct verdict_line *to, const struct lineset *set,
		  const struct lineset_line *line, const struct evidence *evidence)
{
	double covered = share((double)evidence->samples, (double)line->rec->samples);
	double alone = share(evidence->heaviest, evidence->weight);
	const struct verdict_party *first = to->parties;
	bool fought = contended(line->rec, evidence);
	double blame;

	if (covered > 1)
		covered = 1;
	if (alone * 100 >= ALONE_PERCENT || !line->rec->stores) {
		blame = line_crosses_count(line->rec) ?
			partner_to_blame(set, line, first) : 0;
		if (blame * 2 >= 1) {
			say(to, VERDICT_ADJACENT,
			    certainty(blame * alone * covered, line_cross_core(line->rec)));
			return;
		}
	}
	if (evidence->nr_parties == 1) {
		/* A single thread may have HITM: it left the line on another CPU when it moved. */
		say(to, VERDICT_ONE_THREAD,
		    certainty(calm_of(line->rec) * covered, evidence->samples));
	} else if (fought) {
		if (line->rec->stores)
			judge_fight(to, evidence, covered);
		else
			judge_unseen(to, evidence, line->rec,
				     &lineset_snapshot(set)->head.status, covered);
	} else if (alone * 100 >= ALONE_PERCENT) {
		say(to, VERDICT_ONE_THREAD, certainty(alone * covered, evidence->samples));
	} else {
		judge_quiet(to, evidence, line->rec, covered);
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

/* Did any load or store find the line in another core, as far as the CPU reports that? */
static bool moves(const struct memlat_rec_line *rec)
{
	return line_cross_core(rec) || rec->store_hitm || rec->store_xsnp_fwd;
}

/*
 * Are the samples too few for the verdict? "One thread" of a line that moves between cores needs
 * more.
 */
static enum verdict_few too_few(const struct verdict_line *to, const struct memlat_rec_line *rec,
				const struct signs *signs)
{
	if (to->effective < VERDICT_LEAST)
		return VERDICT_FEW_SAMPLES;
	if (to->verdict == VERDICT_ONE_THREAD && moves(rec) &&
	    to->effective < VERDICT_ALONE_LEAST)
		return VERDICT_FEW_SAMPLES;
	return signs_few(to->verdict, rec, signs);
}

/* Are most of the line's samples in accesses that were evicted? */
static bool is_coarse(const struct memlat_rec_line *rec, __u64 samples)
{
	return (double)samples * 100 < (double)rec->samples * COVERED_PERCENT;
}

static bool may_be_fought(const struct memlat_rec_line *line)
{
	return line->stores && (line_fetched_counts(line) || line_stores_fight(line) ||
				line_buffers_count(line) || line_waits_count(line));
}

static void weigh_line(struct verdict_line *to, const struct verdicts *verdicts,
		       const struct lineset_line *line)
{
	const struct memlat_rec_line *rec = line->rec;
	const struct lineset *set = verdicts->set;
	const struct evidence_widths *widths = NULL;
	struct evidence_locks found, *locks;
	struct evidence evidence;
	struct signs signs;
	bool coarse;

	/* Look for locks only where there may be a fight, because names take time. */
	locks = may_be_fought(rec) && find_locks(&found, verdicts, line) ? &found : NULL;
	if (may_be_fought(rec) && verdicts->widths.width)
		widths = &verdicts->widths;
	evidence_take(&evidence, set, line, locks, widths, false);
	/* If too few samples show the fight, count all accesses as a part of it. */
	if (evidence.fought < SIGNS_LEAST) {
		free(evidence.parties);
		evidence_take(&evidence, set, line, locks, widths, true);
		evidence.fought = evidence.samples;
	}
	to->parties = evidence.parties;
	to->nr_parties = evidence.nr_parties;
	coarse = is_coarse(rec, evidence.samples);
	to->effective = coarse ? (double)rec->samples : evidence.effective;
	signs = coarse ? verdict_coarse_signs(rec) : signs_of(&evidence);
	if (coarse)
		verdict_coarse(to, set, line);
	else
		judge(to, set, line, &evidence);
	to->signs = signs.taken;
	to->few = too_few(to, rec, &signs);
	if (to->few) {
		say(to, VERDICT_TOO_FEW, 0);
		to->both = to->coarse = to->unseen_writer = false;
	}
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
	if (!found->nr || is_coarse(found->rec, samples))
		return true;
	if (evidence_effective(set, found) < VERDICT_LEAST)
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

const char *verdict_key(enum verdict verdict)
{
	return words[verdict].key;
}
