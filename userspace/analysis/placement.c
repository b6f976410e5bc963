// SPDX-License-Identifier: GPL-2.0
#include "placement.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "line.h"

#define NODES	64

struct place {
	const struct memlat_rec_line *line;
	size_t object;
};

/* Latency and number of local loads, by node and of all nodes. */
struct local {
	double latency[NODES], samples[NODES];
	double all_latency, all_samples;
};

struct page {
	double by_user[NODES];	/* loads from memory, by weight */
	double weight, remote;
	__u64 homes;
	struct gain_part part;	/* its loads from other nodes; saved is not filled in */
	double remote_samples, remote_latency;
	double stores, accesses;
};

static bool is_placed(const struct memlat_rec_line *line)
{
	return line->home < NODES &&
	       line->source[MEMLAT_SRC_DRAM] + line->source[MEMLAT_SRC_RDRAM] + line->stores;
}

static void take_local(struct local *local, const struct snapshot *snap)
{
	size_t i;

	memset(local, 0, sizeof(*local));
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];

		local->all_samples += (double)line->source[MEMLAT_SRC_DRAM];
		local->all_latency += (double)line->latency[MEMLAT_SRC_DRAM];
		if (line->home >= NODES)
			continue;
		local->samples[line->home] += (double)line->source[MEMLAT_SRC_DRAM];
		local->latency[line->home] += (double)line->latency[MEMLAT_SRC_DRAM];
	}
}

/* How long a local load takes on this node; 0: too few were seen anywhere. */
static double local_on(const struct local *local, unsigned int node)
{
	if (local->samples[node] >= PLACEMENT_LEAST)
		return local->latency[node] / local->samples[node];
	return local->all_samples >= PLACEMENT_LEAST ? local->all_latency / local->all_samples : 0;
}

/*
 * Share out loads from another node evenly among the nodes that used the line, but for the line's
 * home.
 */
static void add_users(struct page *page, const struct memlat_rec_line *line, double weight)
{
	const double here = weight * (double)line->source[MEMLAT_SRC_DRAM];
	const double away = weight * (double)line->source[MEMLAT_SRC_RDRAM];
	const __u64 others = line->nodes & ~(1ULL << line->home);
	const int nr = __builtin_popcountll(others);
	unsigned int node;

	page->by_user[line->home] += here;
	for (node = 0; node < NODES; node++)
		if (others >> node & 1)
			page->by_user[node] += away / nr;
	page->weight += here + (nr ? away : 0);
	page->remote += nr ? away : 0;
}

static void add_line(struct page *page, const struct memlat_rec_line *line)
{
	const double weight = line_load_weight(line);
	const double samples = (double)line->source[MEMLAT_SRC_RDRAM];
	const double latency = (double)line->latency[MEMLAT_SRC_RDRAM];

	add_users(page, line, weight);
	page->homes |= 1ULL << line->home;
	page->remote_samples += samples;
	page->remote_latency += latency;
	page->stores += (double)line->stores;
	page->accesses += (double)line->samples;
	if (!(samples > 0))
		return;
	page->part.samples += samples;
	page->part.waited += latency * weight;
	page->part.squares += latency * weight * (latency / samples) * weight;
}

static enum placement_class class_of(const struct page *page, unsigned int *user)
{
	unsigned int node, most = 0;

	for (node = 1; node < NODES; node++)
		if (page->by_user[node] > page->by_user[most])
			most = node;
	*user = most;
	if (page->by_user[most] < PLACEMENT_NEARLY_ALL * page->weight)
		return PLACEMENT_SHARED;
	return page->homes >> most & 1 ? PLACEMENT_LOCAL : PLACEMENT_MISPLACED;
}

/* Add what remote loads would save if they were local: nothing if a local load takes as long. */
static void add_saved(struct placement *to, const struct page *page, double after)
{
	struct gain_part part = page->part;
	const double mean = part.samples > 0 ? page->remote_latency / part.samples : 0;

	part.saved = mean > after ? part.waited * (mean - after) / mean : 0;
	to->saving_known &= after > 0;
	/* The mean over the loads of all misplaced pages: their users may be on several nodes. */
	if (part.samples > 0)
		to->local_latency += (after - to->local_latency) * part.samples /
				     (to->part.samples + part.samples);
	gain_join(&to->part, &part);
}

static void add_page(struct placement *to, const struct page *page, const struct local *local)
{
	unsigned int user;
	const enum placement_class class = class_of(page, &user);

	if (!(page->weight > 0))
		return;
	to->pages++;
	to->weight += page->weight;
	to->remote += page->remote;
	to->by_class[class] += page->weight;
	to->moved += (page->homes & (page->homes - 1)) != 0;
	if (class != PLACEMENT_MISPLACED)
		return;
	to->misplaced++;
	to->users |= 1ULL << user;
	to->homes |= page->homes;
	add_saved(to, page, local_on(local, user));
}

COMPARE(by_page, struct place,
	order(a->object, b->object) ?: order(a->line->space, b->line->space) ?:
	order(a->line->addr / PLACEMENT_PAGE, b->line->addr / PLACEMENT_PAGE))

COMPARE(by_remote, struct placement,
	ORDER_OF(b->part.waited, a->part.waited) ?: ORDER_OF(b->remote, a->remote) ?:
	order(a->object, b->object))

/* Take all pages of one object, from here on. Returns where the next object begins. */
static size_t take_object(struct placement *to, const struct place *places, size_t from, size_t nr,
			  const struct local *local)
{
	double stores = 0, accesses = 0, latency = 0, samples = 0;
	struct page page;
	size_t i = from;

	memset(to, 0, sizeof(*to));
	to->object = places[from].object;
	to->saving_known = true;
	while (i < nr && places[i].object == to->object) {
		const struct place *first = &places[i];

		memset(&page, 0, sizeof(page));
		for (; i < nr && !by_page(first, &places[i]); i++)
			add_line(&page, places[i].line);
		add_page(to, &page, local);
		/* Also of pages that nobody loads from memory, because these stores change the object, too. */
		stores += page.stores;
		accesses += page.accesses;
		latency += page.remote_latency;
		samples += page.remote_samples;
	}
	to->stores = accesses > 0 ? stores / accesses : 0;
	to->remote_latency = samples > 0 ? latency / samples : 0;
	return i;
}

void placements_take(struct placements *placements, const struct snapshot *snap,
		     placement_object_fn object_of, void *context)
{
	struct place *places = xcalloc(snap->nr_lines + 1, sizeof(*places));
	struct local local;
	size_t i, nr = 0, room = 0;

	memset(placements, 0, sizeof(*placements));
	take_local(&local, snap);
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];

		placements->homes_known |= line->home < NODES;
		placements->samples += line->source[MEMLAT_SRC_RDRAM] + line->source[MEMLAT_SRC_DRAM];
		placements->remote += line_load_weight(line) * (double)line->source[MEMLAT_SRC_RDRAM];
		placements->all += line_load_weight(line) * (double)(line->source[MEMLAT_SRC_RDRAM] +
							       line->source[MEMLAT_SRC_DRAM]);
		if (is_placed(line))
			places[nr++] = (struct place){ .line = line, .object = object_of(context, line) };
	}
	qsort(places, nr, sizeof(*places), by_page);
	for (i = 0; i < nr;) {
		ARRAY_GROW(placements->rows, placements->nr + 1, room);
		i = take_object(&placements->rows[placements->nr], places, i, nr, &local);
		placements->nr += placements->rows[placements->nr].weight > 0;
	}
	if (placements->nr)
		qsort(placements->rows, placements->nr, sizeof(*placements->rows), by_remote);
	free(places);
}

void placements_free(struct placements *placements)
{
	free(placements->rows);
	memset(placements, 0, sizeof(*placements));
}

enum placement_class placement_class(const struct placement *placement, bool *sure)
{
	const double *by = placement->by_class;
	const double most = PLACEMENT_NEARLY_ALL * placement->weight;

	*sure = true;
	if (by[PLACEMENT_SHARED] >= most)
		return PLACEMENT_SHARED;
	if (by[PLACEMENT_LOCAL] >= most)
		return PLACEMENT_LOCAL;
	/* A part of such an object may be local: who filled it all also uses some of it. */
	*sure = by[PLACEMENT_LOCAL] + by[PLACEMENT_MISPLACED] >= most;
	return PLACEMENT_MISPLACED;
}
