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

#define COVERED_PERCENT	50	/* of a line's samples, to go by its accesses */
#define ALONE_PERCENT	95	/* of the weight: the others are strays */
#define ONE_WRITER_PERCENT 90	/* of the stores: the others are strays */
#define BOTH_PERCENT	20	/* of the fight: the lesser part is worth telling */
#define READERS_LEAST	2
#define UNSEEN_STORES	3	/* samples: see seldom_written() */

struct verdicts {
	struct lineset *own;		/* made by verdicts_new() */
	const struct lineset *set;
	struct verdict_line **lines;	/* by line of the set, as they are asked for */
	verdict_lock_fn is_lock;	/* NULL: nobody knows */
	void *context;			/* its */
	struct evidence_widths widths;	/* width: NULL: nobody knows */
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

struct verdicts *verdicts_new(const struct snapshot *snap)
{
	struct lineset *set = lineset_new(snap, NULL, MEMLAT_LINE_BYTES);
	struct verdicts *verdicts = verdicts_of_set(set);

	verdicts->own = set;
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
	lineset_free(verdicts->own);
	free(verdicts);
}

/* How sure a verdict is for which this share of the weight of so many samples speaks. */
static unsigned int certainty(double share, __u64 samples)
{
	/* As many as agree, one more may not: the rule of succession. */
	double sure = 100 * share * (double)samples / (double)(samples + 2);

	return sure < 0 ? 0 : sure > 99 ? 99 : (unsigned int)(sure + 0.5);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* The weight of a line's stores by threads other than this one, of all of them. */
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
 * The 128-byte partner of a line that only this thread uses, or nobody writes: does
 * another write to it often enough to be what this line suffers from?
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
 * The part of the line's loads, or of its stores if these are more, that did not find it modified
 * by another core.
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
 * A load that is sampled stands for many more where the CPU tags one in N, and nobody knows
 * N: there are at least as many as were counted. Where most stores found that the line had
 * been taken from the writer it is read between two stores, whatever N is.
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
 * Where stores were sampled and none is of this line, it has few: of three times as
 * many as one sample stands for, one would have been seen in 19 of 20 cases.
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

/* Where the CPU does not tell HITM from a clean forward: may it have been HITM? */
static bool forwards_may_be_hitm(const struct memlat_rec_line *line,
				 const struct evidence *evidence)
{
	const struct signs signs = signs_of(evidence);

	return line->stores >= SIGNS_STORES && signs_explain_forwards(&signs);
}

/*
 * Somebody writes, and no store to the line was sampled: no thread is named, and
 * nothing is said of the bytes that are written.
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

/* Is anybody slowed down by somebody else's use of this line? */
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
		/* HITM of one thread alone: of a line it left on another CPU, or else. */
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

/* Its bytes that are parts of locks, or of what changes together; false: none. */
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
		/* From the line's start on, as other processes have it elsewhere. */
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

/* Did any load or store come from another core, as far as that is told? */
static bool moves(const struct memlat_rec_line *rec)
{
	return line_cross_core(rec) || rec->store_hitm || rec->store_xsnp_fwd;
}

/* Of so few samples nothing is said; of a line that moves between cores, nor of more. */
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

	/* Names take time, and what nobody fights over is no matter of locks. */
	locks = may_be_fought(rec) && find_locks(&found, verdicts, line) ? &found : NULL;
	if (may_be_fought(rec) && verdicts->widths.width)
		widths = &verdicts->widths;
	evidence_take(&evidence, set, line, locks, widths, false);
	/* Where the fight shows in few samples, go by who was where. */
	if (evidence.fought < SIGNS_LEAST) {
		free(evidence.parties);
		evidence_take(&evidence, set, line, locks, widths, true);
		evidence.fought = evidence.samples;
	}
	to->parties = evidence.parties;
	to->nr_parties = evidence.nr_parties;
	coarse = (double)evidence.samples * 100 < (double)rec->samples * COVERED_PERCENT;
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
