// SPDX-License-Identifier: GPL-2.0
#include "conflict.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

#define LINE		MEMLAT_LINE_BYTES
#define NEARLY_ALL	90	/* percent of the walk's lines, in sets with more lines than ways */

unsigned int conflict_ways(const char *model)
{
	/* 32 KiB; 48 KiB of 12 ways since Ice Lake. E-cores have 32 KiB of 8. */
	static const char *const eight[] = {
		"nhm", "wsm", "snb", "ivb", "hsw", "bdw", "skl", "skx", "clx", "cpx", "adl-e", "adl-n",
		"mtl-e", "arl-u-e", "arl-lp", "srf", "grr",
	};
	size_t i;

	for (i = 0; i < sizeof(eight) / sizeof(eight[0]); i++)
		if (!strcmp(model, eight[i]))
			return 8;
	return 12;
}

static bool is_of(const struct memlat_rec_access *access, const struct stride_site *site)
{
	return access->ip == site->ip && access->tgid == site->space && access->gen == site->gen;
}

/* The lines that the site's loads read, and how often each line was sampled. */
static __u64 *lines_of(struct conflict *conflict, const struct snapshot *snap, __u64 *samples)
{
	__u64 *lines = xcalloc(snap->nr_accesses + 1, sizeof(*lines));
	size_t i, nr = 0;

	*samples = 0;
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];

		if (!is_of(access, conflict->site))
			continue;
		lines[nr++] = access->addr / LINE;
		*samples += access->samples;
		if (!conflict->access || access->addr < conflict->access->addr)
			conflict->access = access;
	}
	qsort(lines, nr, sizeof(*lines), order_u64);
	for (i = 0; i < nr; i++)
		if (!conflict->lines || lines[i] != lines[conflict->lines - 1])
			lines[conflict->lines++] = lines[i];
	return lines;
}

/* Do the lines exceed their sets, but not all of L1? */
static bool do_conflict(struct conflict *conflict, const __u64 *lines)
{
	size_t by_set[CONFLICT_SETS] = { 0 }, i, too_many = 0;

	if (conflict->lines > CONFLICT_SETS * conflict->ways)
		return false;
	for (i = 0; i < conflict->lines; i++)
		by_set[lines[i] % CONFLICT_SETS]++;
	for (i = 0; i < CONFLICT_SETS; i++) {
		conflict->sets += by_set[i] > 0;
		too_many += by_set[i] > conflict->ways ? by_set[i] : 0;
	}
	return too_many * 100 >= conflict->lines * NEARLY_ALL;
}

static void take_part(struct conflict *conflict)
{
	const struct memlat_rec_site *site = conflict->site->site;
	const double loads = (double)site->source[MEMLAT_SRC_L2];
	const double weight = site->latency_sum ? (double)site->cost / (double)site->latency_sum : 0;
	const double mean = loads > 0 ? (double)site->latency[MEMLAT_SRC_L2] / loads : 0;

	conflict->part = (struct gain_part){
		.samples = loads, .waited = loads * mean * weight,
		.saved = mean > GAIN_L1_CYCLES ? loads * (mean - GAIN_L1_CYCLES) * weight : 0,
		.squares = loads * mean * weight * mean * weight,
	};
}

bool conflict_find(struct conflict *conflict, const struct stride_site *site,
		   const struct snapshot *snap, unsigned int ways)
{
	const struct memlat_status *status = &snap->head.status;
	__u64 *lines, samples;
	bool found;

	*conflict = (struct conflict){ .site = site, .ways = ways };
	/*
	 * A step of an odd number of lines passes through all sets. Where accesses were evicted, the
	 * walk's lines are not all known.
	 */
	if (!site->stride || site->stride % (2 * LINE) || !site->site || !site->space ||
	    site->site->source[MEMLAT_SRC_L2] < GAIN_LEAST ||
	    status->ldlat > CONFLICT_LDLAT || status->accesses_evicted)
		return false;
	lines = lines_of(conflict, snap, &samples);
	found = samples >= CONFLICT_SEEN * conflict->lines && do_conflict(conflict, lines);
	free(lines);
	if (found)
		take_part(conflict);
	return found;
}
