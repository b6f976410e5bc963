// SPDX-License-Identifier: GPL-2.0
#include "verdict_coarse.h"

#include "line.h"

#define CERTAINTY	0.5	/* the highest that a coarse verdict may have */
#define READERS_LEAST	2

static unsigned int several(__u64 mask)
{
	return (mask & (mask - 1)) != 0;
}

static void say(struct verdict_line *to, enum verdict verdict, double share, __u64 samples)
{
	const double sure = CERTAINTY * share * (double)samples / ((double)samples + 2);

	to->verdict = verdict;
	/* A damaged profile may have more of a part than of the whole. */
	to->sure = (unsigned int)(100 * (sure < CERTAINTY ? sure : CERTAINTY) + 0.5);
}

/* The slots, as bits, that have at least LINE_SLOT_PERCENT of the whole. */
static unsigned int hot(const __u64 slot[MEMLAT_LINE_SLOTS])
{
	double whole = 0;
	unsigned int i, bits = 0;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		whole += (double)slot[i];
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		if (slot[i] && (double)slot[i] >= whole / 100 * LINE_SLOT_PERCENT)
			bits |= 1U << i;
	return bits;
}

/* Do all accesses to a slot begin at one byte? Several bytes may be several variables. */
static bool one_byte(const struct memlat_rec_line *line, unsigned int slot)
{
	__u64 bytes = (line->bytes_loaded | line->bytes_stored) >> slot * 8 & 0xff;

	return !several(bytes);
}

static void judge_fight(struct verdict_line *to, const struct memlat_rec_line *line)
{
	unsigned int fetched, stored = hot(line->slot_store), used, i;
	__u64 slots[MEMLAT_LINE_SLOTS];

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		slots[i] = line->slot_hitm[i] + line->slot_xsnp_fwd[i];
	fetched = hot(slots);
	used = fetched | stored;

	if (!fetched)
		used = fetched = hot(line->slot) | stored;
	if (!line->stores) {
		to->unseen_writer = true;
		say(to, VERDICT_UNSEEN, 1, line_hitm(line));
		return;
	}
	if (!several(line->store_cpus) &&
	    __builtin_popcountll(line->cpus & ~line->store_cpus) >= READERS_LEAST &&
	    line->stores <= line_loads(line))
		say(to, VERDICT_READ_MOSTLY, 1, line->samples);
	else if (several(fetched) || (stored && !(fetched & stored)))
		say(to, VERDICT_FALSE_SHARING, 1, line_fetched(line) + line->store_hitm);
	else if (used && !one_byte(line, (unsigned int)__builtin_ctz(used)))
		say(to, VERDICT_FALSE_SHARING, 0.5, line_fetched(line) + line->store_hitm);
	else
		say(to, VERDICT_TRUE_SHARING, 1, line_fetched(line) + line->store_hitm);
}

struct signs verdict_coarse_signs(const struct memlat_rec_line *rec)
{
	const unsigned int storing = (unsigned int)__builtin_popcountll(rec->store_cpus);

	return (struct signs){
		.several = several(rec->cpus),
		.storing = storing,
		.writers = storing,
		.taken = line_fetched(rec) + rec->store_hitm + rec->store_xsnp_fwd,
		.stores = (double)rec->stores, .forwarded = (double)rec->xsnp_fwd,
	};
}

/*
 * Do cores fight over the line? If there are HITM or enough stores, lines that other cores
 * forwarded count as well, because they may have been modified.
 */
static bool fought_over(const struct memlat_rec_line *rec)
{
	if (line_hitm_counts(rec) || line_stores_fight(rec))
		return true;
	return (line_hitm(rec) || rec->stores >= LINE_STORES_LEAST) &&
	       (line_fetched_counts(rec) || line_buffers_count(rec));
}

void verdict_coarse(struct verdict_line *to, const struct lineset *set,
		    const struct lineset_line *line)
{
	const struct memlat_rec_line *rec = line->rec;
	const struct lineset_line *partner = lineset_partner(set, line);

	to->coarse = true;
	if (!several(rec->cpus)) {
		if (partner && line_crosses_count(rec) &&
		    partner->rec->stores >= LINE_STORES_LEAST &&
		    partner->rec->store_cpus & ~rec->cpus)
			say(to, VERDICT_ADJACENT, 1, line_cross_core(rec));
		else
			say(to, VERDICT_ONE_THREAD, 1, rec->samples);
	} else if (fought_over(rec) ||
		   (several(rec->store_cpus) && line_waits_count(rec))) {
		judge_fight(to, rec);
	} else {
		say(to, rec->stores ? VERDICT_NONE : VERDICT_READ_SHARED, 1, rec->samples);
	}
}
