// SPDX-License-Identifier: GPL-2.0
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "lineset.h"

#define COVERED_PERCENT	50	/* of a line's samples must be in its accesses, to use these */

__u64 line_loads(const struct memlat_rec_line *line)
{
	return line->samples - line->stores;
}

double line_locked_part(const struct memlat_rec_line *line)
{
	const __u64 loads = line_loads(line);

	if (!loads)
		return 0;
	return line->locked >= loads ? 1 : (double)line->locked / (double)loads;
}

__u64 line_hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_RHITM] + line->source[MEMLAT_SRC_L3_HITM];
}

__u64 line_cross_core(const struct memlat_rec_line *line)
{
	return line_hitm(line) + line->source[MEMLAT_SRC_L3_SNOOP] +
	       line->source[MEMLAT_SRC_RCACHE];
}

static bool counts(const struct memlat_rec_line *line, __u64 loads, __u64 latency)
{
	if (loads < LINE_HITM_LEAST)
		return false;
	/*
	 * Go by time, too: with a low threshold most sampled loads are fast ones, which take little
	 * of the time.
	 */
	return (double)loads >= (double)line_loads(line) / 100 * LINE_HITM_PERCENT ||
	       (latency && (double)latency >=
			   (double)line->latency_sum / 100 * LINE_HITM_PERCENT);
}

bool line_hitm_counts(const struct memlat_rec_line *line)
{
	return counts(line, line_hitm(line), line->latency[MEMLAT_SRC_L3_HITM] +
					     line->latency[MEMLAT_SRC_RHITM]);
}

static bool stores_count(const struct memlat_rec_line *line, __u64 stores)
{
	return stores >= LINE_STORES_LEAST &&
	       (double)stores >= (double)line->stores / 100 * LINE_HITM_PERCENT;
}

bool line_stores_fight(const struct memlat_rec_line *line)
{
	return stores_count(line, line->store_hitm);
}

bool line_stores_taken(const struct memlat_rec_line *line)
{
	bool several = line->store_cpus & (line->store_cpus - 1);

	return stores_count(line, line->store_hitm + (several ? line->store_xsnp_fwd : 0));
}

__u64 line_cross_latency(const struct memlat_rec_line *line)
{
	return line->latency[MEMLAT_SRC_L3_HITM] + line->latency[MEMLAT_SRC_RHITM] +
	       line->latency[MEMLAT_SRC_L3_SNOOP] + line->latency[MEMLAT_SRC_RCACHE];
}

bool line_crosses_count(const struct memlat_rec_line *line)
{
	return counts(line, line_cross_core(line), line_cross_latency(line));
}

bool line_waits_count(const struct memlat_rec_line *line)
{
	__u64 missed = line->stores - line->store_l1_hit;

	if (counts(line, line_cross_core(line) + line->source[MEMLAT_SRC_LFB],
		   line_cross_latency(line) + line->latency[MEMLAT_SRC_LFB]))
		return true;
	return line->store_l1_hit <= line->stores && missed >= LINE_STORES_LEAST &&
	       (double)missed >= (double)line->stores / 100 * LINE_HITM_PERCENT;
}

unsigned int line_hot_slot(const struct memlat_rec_line *line)
{
	unsigned int i, most = 0;

	for (i = 1; i < MEMLAT_LINE_SLOTS; i++)
		if (line->slot[i] + line->slot_store[i] >
		    line->slot[most] + line->slot_store[most])
			most = i;
	return most;
}

COMPARE(compare_hitm, struct memlat_rec_line,
	order(line_hitm(b) + b->store_hitm, line_hitm(a) + a->store_hitm) ?:
	rank_order(RANK_OF(a, addr), RANK_OF(b, addr)))

COMPARE(compare_cost, struct memlat_rec_line,
	rank_order(RANK_OF(a, addr), RANK_OF(b, addr)))

COMPARE(compare_loads, struct memlat_rec_line,
	order(line_loads(b), line_loads(a)) ?: rank_order(RANK_OF(a, addr), RANK_OF(b, addr)))

COMPARE(compare_stores, struct memlat_rec_line,
	order(b->stores, a->stores) ?: rank_order(RANK_OF(a, addr), RANK_OF(b, addr)))

typedef int (*compare_fn)(const void *, const void *);

static const struct {
	const char *name;
	compare_fn compare;
} orders[] = {
	[LINE_BY_HITM]		= { "hitm", compare_hitm },
	[LINE_BY_COST]		= { "cost", compare_cost },
	[LINE_BY_LOADS]		= { "loads", compare_loads },
	[LINE_BY_STORES]	= { "stores", compare_stores },
};

const char *line_order_name(enum line_order order)
{
	return orders[order].name;
}

/* Restore the heap below a place: move its line down until no line below it is worse. */
static void sink(struct memlat_rec_line **heap, size_t nr, size_t at, compare_fn compare)
{
	struct memlat_rec_line *line = heap[at];

	while (2 * at + 1 < nr) {
		size_t below = 2 * at + 1;

		if (below + 1 < nr && compare(heap[below + 1], heap[below]) > 0)
			below++;
		if (compare(line, heap[below]) >= 0)
			break;
		heap[at] = heap[below];
		at = below;
	}
	heap[at] = line;
}

/* Choose the best lines by a heap that has the worst of them on top, then put them in order. */
static void choose(struct memlat_rec_line **best, size_t show, struct memlat_rec_line *lines,
		   size_t nr, compare_fn compare)
{
	struct memlat_rec_line *worst;
	size_t i;

	for (i = 0; i < show; i++)
		best[i] = &lines[i];
	for (i = show / 2; i--;)
		sink(best, show, i, compare);
	for (i = show; i < nr; i++) {
		if (compare(&lines[i], best[0]) >= 0)
			continue;
		best[0] = &lines[i];
		sink(best, show, 0, compare);
	}
	for (i = show; i > 1; i--) {
		worst = best[0];
		best[0] = best[i - 1];
		sink(best, i - 1, 0, compare);
		best[i - 1] = worst;
	}
}

/* Move the best lines to the front. The lines that were there take the places of those moved. */
static void to_front(struct memlat_rec_line *lines, struct memlat_rec_line **best, size_t show,
		     struct memlat_rec_line *room, bool *stays)
{
	size_t i, hole = 0;

	for (i = 0; i < show; i++) {
		room[i] = *best[i];
		if (best[i] < lines + show)
			stays[best[i] - lines] = true;
	}
	for (i = 0; i < show; i++) {
		if (stays[i])
			continue;
		while (best[hole] < lines + show)
			hole++;
		*best[hole++] = lines[i];
	}
	memcpy(lines, room, show * sizeof(*lines));
}

void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order, size_t show)
{
	const compare_fn compare = orders[order].compare;
	struct memlat_rec_line **best, *room;
	bool *stays;

	if (!show || show >= nr) {
		if (nr)
			qsort(lines, nr, sizeof(*lines), compare);
		return;
	}
	best = xcalloc(show, sizeof(struct memlat_rec_line *));
	room = xcalloc(show, sizeof(*room));
	stays = xcalloc(show, sizeof(*stays));
	choose(best, show, lines, nr, compare);
	to_front(lines, best, show, room, stays);
	free(best);
	free(room);
	free(stays);
}

__u64 access_stores(const struct memlat_rec_access *access)
{
	return access->stores < access->samples ? access->stores : access->samples;
}

__u64 access_store_misses(const struct memlat_rec_access *access)
{
	const __u64 stores = access_stores(access);

	return access->store_l1_hit < stores ? stores - access->store_l1_hit : 0;
}

__u64 access_fetched(const struct memlat_rec_access *access, const struct memlat_rec_line *line)
{
	return access->hitm_local + access->hitm_remote + (line->stores ? access->xsnp_fwd : 0);
}

/* The mean weight of a row's samples, whether loads or stores. */
static double even(const struct memlat_rec_access *access)
{
	return access->samples ? (double)access->weight / (double)access->samples : 0;
}

double access_load_weight(const struct memlat_rec_access *access)
{
	if (access_stores(access) == access->samples)
		return 0;
	if (!access->stores || !access->latency_sum)
		return even(access);
	return (double)access->cost / (double)access->latency_sum;
}

double access_store_weight(const struct memlat_rec_access *access)
{
	const __u64 stores = access_stores(access);
	double loads;

	if (!stores)
		return 0;
	loads = access_load_weight(access) * (double)(access->samples - stores);
	/* Only in a damaged row do the loads weigh more than loads and stores together. */
	if (loads >= (double)access->weight)
		return even(access);
	return ((double)access->weight - loads) / (double)stores;
}

double line_load_weight(const struct memlat_rec_line *line)
{
	return line->latency_sum ? (double)line->cost / (double)line->latency_sum : 0;
}

double site_loads_weight(const struct memlat_rec_site *site)
{
	const double loads = (double)site->samples - (double)site->stores;

	if (!site->stores)
		return (double)site->weight;
	return site->latency_sum ? (double)site->cost / (double)site->latency_sum * loads :
				   (double)site->weight / (double)site->samples * loads;
}

__u64 site_loads(const struct memlat_rec_site *site)
{
	return site->samples - site->stores;
}

__u64 site_hitm(const struct memlat_rec_site *site)
{
	return site->source[MEMLAT_SRC_RHITM] + site->source[MEMLAT_SRC_L3_HITM];
}

COMPARE(site_by_cost, struct memlat_rec_site,
	rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(site_by_hitm, struct memlat_rec_site,
	order(site_hitm(b), site_hitm(a)) ?:
	rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(site_by_samples, struct memlat_rec_site,
	order(b->samples, a->samples) ?: rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(site_by_stores, struct memlat_rec_site,
	order(b->stores, a->stores) ?: rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

static const struct {
	const char *name;
	compare_fn compare;
} site_orders[] = {
	[SITE_BY_COST]		= { "cost", site_by_cost },
	[SITE_BY_HITM]		= { "hitm", site_by_hitm },
	[SITE_BY_SAMPLES]	= { "samples", site_by_samples },
	[SITE_BY_STORES]	= { "stores", site_by_stores },
};

const char *site_order_name(enum site_order order)
{
	return site_orders[order].name;
}

void site_sort(struct memlat_rec_site *sites, size_t nr, enum site_order order)
{
	if (nr)
		qsort(sites, nr, sizeof(*sites), site_orders[order].compare);
}

static bool is_of(const struct lineset_line *found, const struct memlat_rec_access *access,
		  const struct memlat_rec_line *line)
{
	if (line->phys)
		return access->phys == line->phys;
	/* The line has no physical address: it had several, or none was recorded. */
	if (found->nr_rows == 1)
		return true;
	if (access->phys)
		return false;
	return !line->space || (access->tgid == line->space &&
				access->gen == line->gen);
}

void slots_of_line(const struct lineset *set, const struct memlat_rec_line *line,
		   struct line_slots *slots)
{
	const struct lineset_line *found = lineset_find(set, line);
	__u64 covered = 0;
	size_t i;

	memset(slots, 0, sizeof(*slots));
	for (i = 0; found && i < found->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, found->first + i);
		unsigned int slot = access->addr % MEMLAT_LINE_BYTES / 8;

		if (!is_of(found, access, line))
			continue;
		covered += access->samples;
		slots->hitm[slot] += number_whole(access_load_weight(access) *
						  (double)(access->hitm_local + access->hitm_remote));
		slots->store[slot] += number_whole(access_store_weight(access) *
						   (double)access->stores);
	}
	if ((double)covered >= (double)line->samples / 100 * COVERED_PERCENT)
		return;
	memcpy(slots->hitm, line->slot_hitm, sizeof(slots->hitm));
	memcpy(slots->store, line->slot_store, sizeof(slots->store));
}
