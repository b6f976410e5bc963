// SPDX-License-Identifier: GPL-2.0
#include "layout.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../profile/snapshot.h"
#include "../util/xalloc.h"

#define GROUPS_MAX	16	/* groups that may be moved: each three of them are tried */
#define USED_PART	0.05	/* part of a member's use; a thread with less does not count */

/* Members that the same threads store to and load. */
struct group {
	__u64 storing, loading;
	double weight;
	size_t last;		/* the group's last member */
	int kept;		/* its number among those that may be moved; -1: it is none */
};

struct pair {
	size_t a, b;
	double weight;
};

struct search {
	const struct layout_member *members;
	const struct layout_fight *fight;
	size_t nr;
	__u32 said, alignment;
	int *group;		/* by member; -1: none of those */
	struct group *groups;	/* those that are used most, in the order of their first members */
	size_t nr_groups;
	double apart;		/* the weight of all pairs */
	struct pair *pairs;	/* members that are fought over, and by how much */
	size_t nr_pairs;
	/* The layout that is tried now. */
	size_t *order;
	__u32 *aligned;
	struct record_part *placed;	/* by place */
	struct record_part *after;	/* by member */
	struct layout *best;
	size_t best_last;	/* sum of the last members of the groups that best moves */
	bool best_kept;		/* best keeps the order of the members */
};

/*
 * The threads that use a member often. One that uses it now and then, as the one that sets it up
 * does, is left out.
 */
static __u64 heavy(const struct layout_use *use, __u64 threads)
{
	const double whole = use->stores + use->loads;
	__u64 heavy_ones = 0;
	unsigned int i;

	for (i = 0; i < LAYOUT_THREADS; i++)
		if (threads >> i & 1 && use->by_thread[i] >= USED_PART * whole)
			heavy_ones |= 1ULL << i;
	return heavy_ones;
}

/* The use of a member and of those that have to stay with it. */
static struct layout_use use_of(const struct search *search, size_t first)
{
	struct layout_use use = search->fight->use[first];
	unsigned int k;
	size_t i;

	for (i = first + 1; i < search->nr && search->members[i].follows; i++) {
		const struct layout_use *more = &search->fight->use[i];

		use.storing |= more->storing;
		use.loading |= more->loading;
		use.stores += more->stores;
		use.loads += more->loads;
		for (k = 0; k < LAYOUT_THREADS; k++)
			use.by_thread[k] += more->by_thread[k];
	}
	return use;
}

static int group_of(struct search *search, const struct layout_use *use, size_t member)
{
	const __u64 storing = heavy(use, use->storing), loading = heavy(use, use->loading);
	size_t i;

	if (!storing && !loading)
		return -1;
	for (i = 0; i < search->nr_groups; i++)
		if (search->groups[i].storing == storing && search->groups[i].loading == loading)
			break;
	if (i == search->nr_groups)
		search->groups[search->nr_groups++] =
			(struct group){ .storing = storing, .loading = loading };
	search->groups[i].weight += use->stores + use->loads;
	search->groups[i].last = member;
	return (int)i;
}

/* Is the group among those that are used most, as many as can be tried? */
static bool is_tried(const struct search *search, size_t group)
{
	const struct group *groups = search->groups;
	size_t i, before = 0;

	for (i = 0; i < search->nr_groups; i++)
		before += groups[i].weight > groups[group].weight ||
			  (i < group && !(groups[i].weight < groups[group].weight));
	return before < GROUPS_MAX;
}

static void keep_groups(struct search *search)
{
	const size_t nr = search->nr_groups;
	size_t i, kept = 0;

	for (i = 0; i < nr; i++)
		search->groups[i].kept = is_tried(search, i) ? (int)kept++ : -1;
	for (i = 0; i < search->nr; i++)
		if (search->group[i] >= 0)
			search->group[i] = search->groups[search->group[i]].kept;
	for (i = 0; i < nr; i++)
		if (search->groups[i].kept >= 0)
			search->groups[search->groups[i].kept] = search->groups[i];
	search->nr_groups = kept;
}

static void find_groups(struct search *search)
{
	size_t i;
	int group = -1;

	for (i = 0; i < search->nr; i++) {
		if (!search->members[i].follows) {
			const struct layout_use use = use_of(search, i);

			group = group_of(search, &use, i);
		}
		search->group[i] = group;
	}
	keep_groups(search);
}

/* Place the members in the order that is tried. Returns the structure's size. */
static __u64 place(struct search *search)
{
	__u64 size;
	size_t i;

	for (i = 0; i < search->nr; i++) {
		search->placed[i] = search->members[search->order[i]].part;
		if (search->aligned[i] > search->placed[i].said)
			search->placed[i].said = search->aligned[i];
	}
	/* A structure whose members stay has to begin at a line, too. */
	size = record_place(search->placed, search->nr, false,
			    search->said > search->alignment ? search->said : search->alignment);
	for (i = 0; i < search->nr; i++)
		search->after[search->order[i]] = search->placed[i];
	return size;
}

static bool meet(const struct search *search, size_t a, size_t b)
{
	const __u64 line = search->alignment;
	const struct record_part *pa = &search->after[a], *pb = &search->after[b];
	const __u64 end_a = record_end(pa), end_b = record_end(pb);

	if (!end_a || !end_b)
		return false;
	return pa->bit / 8 / line <= (end_b - 1) / line && pb->bit / 8 / line <= (end_a - 1) / line;
}

static double left_over(const struct search *search)
{
	double left = 0;
	size_t i;

	for (i = 0; i < search->nr_pairs; i++)
		if (meet(search, search->pairs[i].a, search->pairs[i].b))
			left += search->pairs[i].weight;
	return left / search->apart;
}

static void judge(struct search *search, __u32 groups, size_t moves, bool kept)
{
	struct layout *best = search->best;
	const __u64 size = place(search);
	const double left = left_over(search);
	size_t i, last = 0;

	if (left > LAYOUT_LEFT)
		return;
	for (i = 0; i < search->nr_groups; i++)
		if (groups >> i & 1)
			last += search->groups[i].last;
	if (best->why == LAYOUT_GOOD &&
	    (best->moves < moves || best->size < size ||
	     (best->size == size &&
	      (search->best_kept > kept ||
	       (search->best_kept == kept && search->best_last >= last)))))
		return;
	best->why = LAYOUT_GOOD;
	best->moves = moves;
	best->size = size;
	best->left = left;
	search->best_last = last;
	search->best_kept = kept;
	memcpy(best->order, search->order, search->nr * sizeof(*best->order));
	memcpy(best->aligned, search->aligned, search->nr * sizeof(*best->aligned));
	memcpy(best->after, search->after, search->nr * sizeof(*best->after));
}

static bool is_moved(const struct search *search, __u32 groups, size_t member)
{
	return search->group[member] >= 0 && groups >> search->group[member] & 1;
}

/*
 * Keep the order: each run of grouped members begins a line, and so does what follows it, unless
 * nobody uses that.
 */
static void keep_order(struct search *search, __u32 groups, size_t moves, bool following)
{
	size_t i;

	memset(search->aligned, 0, search->nr * sizeof(*search->aligned));
	for (i = 0; i < search->nr; i++) {
		search->order[i] = i;
		if (i && !search->members[i].follows &&
		    (is_moved(search, groups, i) ||
		     (following && is_moved(search, groups, i - 1))) &&
		    search->group[i] != search->group[i - 1])
			search->aligned[i] = search->alignment;
	}
	judge(search, groups, moves, true);
}

/* Move the groups behind all other members, each to a line of its own. */
static void move_back(struct search *search, __u32 groups, size_t moves)
{
	size_t i, k, used = 0;

	memset(search->aligned, 0, search->nr * sizeof(*search->aligned));
	for (i = 0; i < search->nr; i++)
		if (!is_moved(search, groups, i) && !search->members[i].last)
			search->order[used++] = i;
	for (k = 0; k < search->nr_groups; k++) {
		if (!(groups >> k & 1))
			continue;
		search->aligned[used] = search->alignment;
		for (i = 0; i < search->nr; i++)
			if (search->group[i] == (int)k && !search->members[i].last)
				search->order[used++] = i;
	}
	for (i = 0; i < search->nr; i++)
		if (search->members[i].last) {
			search->aligned[used] = search->alignment;
			search->order[used++] = i;
		}
	judge(search, groups, moves, false);
}

static void try_groups(struct search *search, size_t moves)
{
	__u32 groups;

	for (groups = 1; groups < 1U << search->nr_groups; groups++) {
		if ((size_t)__builtin_popcount(groups) != moves)
			continue;
		keep_order(search, groups, moves, false);
		keep_order(search, groups, moves, true);
		move_back(search, groups, moves);
	}
}

static void find_pairs(struct search *search)
{
	const size_t nr = search->nr;
	size_t a, b, room = 0;

	for (a = 0; a < nr; a++)
		for (b = 0; b < nr; b++) {
			const double weight = search->fight->between[a * nr + b];

			if (a == b || !(weight > 0))
				continue;
			ARRAY_GROW(search->pairs, search->nr_pairs + 1, room);
			search->pairs[search->nr_pairs++] = (struct pair){ a, b, weight };
			search->apart += weight;
		}
}

static void search_free(struct search *search)
{
	free(search->pairs);
	free(search->group);
	free(search->groups);
	free(search->order);
	free(search->aligned);
	free(search->placed);
	free(search->after);
}

void layout_search(struct layout *layout, const struct layout_member *members,
		   const struct layout_fight *fight, __u32 said, __u32 alignment)
{
	const size_t nr = fight->nr;
	struct search search = {
		.members = members, .fight = fight, .nr = nr, .said = said, .alignment = alignment,
		.group = xcalloc(nr + 1, sizeof(*search.group)),
		.groups = xcalloc(nr + 1, sizeof(*search.groups)),
		.order = xcalloc(nr + 1, sizeof(*search.order)),
		.aligned = xcalloc(nr + 1, sizeof(*search.aligned)),
		.placed = xcalloc(nr + 1, sizeof(*search.placed)),
		.after = xcalloc(nr + 1, sizeof(*search.after)),
		.best = layout,
	};
	size_t moves;

	*layout = (struct layout){
		.why = LAYOUT_TANGLED,
		.order = xcalloc(nr + 1, sizeof(*layout->order)),
		.aligned = xcalloc(nr + 1, sizeof(*layout->aligned)),
		.after = xcalloc(nr + 1, sizeof(*layout->after)),
	};
	find_pairs(&search);
	if (search.apart > 0) {
		find_groups(&search);
		for (moves = 1; moves <= LAYOUT_MOVES && layout->why != LAYOUT_GOOD; moves++)
			try_groups(&search, moves);
	} else {
		layout->why = LAYOUT_NO_FIGHT;
	}
	search_free(&search);
}

void layout_free(struct layout *layout)
{
	free(layout->order);
	free(layout->aligned);
	free(layout->after);
	memset(layout, 0, sizeof(*layout));
}

#define LINE	MEMLAT_LINE_BYTES

void latent_chances(__u64 a, __u64 b, struct latent_pair *pair)
{
	__u64 begin;

	pair->shares = pair->of = 0;
	for (begin = 0; begin < LINE; begin += LATENT_STEP) {
		pair->of++;
		pair->shares += (begin + a) / LINE == (begin + b) / LINE;
	}
}

/*
 * Does one thread store to these bytes, and often enough? Bytes that several threads store to are
 * fought over wherever the object begins.
 */
static bool is_own(const struct latent_use *uses, size_t at, size_t nr, __u64 all)
{
	if ((at && uses[at - 1].offset == uses[at].offset) ||
	    (at + 1 < nr && uses[at + 1].offset == uses[at].offset))
		return false;
	return uses[at].stores >= LATENT_LEAST && uses[at].stores * 100 >= all * LATENT_PART;
}

_Bool latent_find(struct latent_pair *pair, __u64 start, const struct latent_use *uses, size_t nr)
{
	struct latent_pair tried;
	__u64 all = 0;
	size_t i, k;

	pair->shares = 0;
	for (i = 0; i < nr; i++)
		all += uses[i].stores;
	/* The object may have been aligned to a line on purpose. */
	if (!(start % LINE) || start % LATENT_STEP)
		return false;
	for (i = 0; i < nr; i++) {
		for (k = i + 1; k < nr && uses[k].offset - uses[i].offset < LINE; k++) {
			if (uses[i].tid == uses[k].tid || !is_own(uses, i, nr, all) ||
			    !is_own(uses, k, nr, all) ||
			    (start + uses[i].offset) / LINE == (start + uses[k].offset) / LINE)
				continue;
			latent_chances(uses[i].offset, uses[k].offset, &tried);
			if (tried.shares <= pair->shares)
				continue;
			*pair = tried;
			pair->first = i;
			pair->second = k;
		}
	}
	return pair->shares > 0;
}
