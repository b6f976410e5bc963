// SPDX-License-Identifier: GPL-2.0
#include "stride.h"

#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "core_traits.h"

#define LINE_BYTES	MEMLAT_LINE_BYTES
#define PAGE_BYTES	4096

#define SAMPLE		48	/* steps whose divisors are tried, evenly chosen from the pairs */

/* The size of a step. It also works for the lowest number, which has no positive counterpart. */
static __u64 size_of(__s64 step)
{
	return step < 0 ? 0 - (__u64)step : (__u64)step;
}

static int compare_falling(const void *pa, const void *pb)
{
	return order(*(const __u64 *)pb, *(const __u64 *)pa);
}

static int compare_site(const struct memlat_rec_stride *a, const struct memlat_rec_stride *b)
{
	return order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->ip, b->ip);
}

/* Sort rows by site, and those of one site by the size of the step. */
COMPARE_POINTERS(compare_row, struct memlat_rec_stride,
	compare_site(a, b) ?: order(size_of(a->step), size_of(b->step)) ?:
	order(a->step < 0, b->step < 0))

static void sum_row(struct stride_site *site, const struct memlat_rec_stride *row)
{
	__u64 size = size_of(row->step);

	site->pairs += row->pairs;
	site->stlb_miss += row->stlb_miss;
	site->new_page += row->new_page;
	site->latency_sum += row->latency_sum;
	site->onward += row->onward;
	site->turned += row->turned;
	if (!size)
		site->same += row->pairs;
	else if (size < LINE_BYTES)
		site->within_line += row->pairs;
	else if (size < PAGE_BYTES)
		site->within_page += row->pairs;
	else
		site->beyond_page += row->pairs;
	/* Of equally frequent steps, the smallest stays, because it comes first. */
	if (row->pairs > site->often_pairs) {
		site->often = row->step;
		site->often_pairs = row->pairs;
	}
}

static bool at_least(__u64 part, __u64 whole, unsigned int percent)
{
	return (unsigned __int128)part * 100 >= (unsigned __int128)whole * percent;
}

/* How many of a site's pairs a stride explains. */
struct fit {
	__u64 all;
	__u64 exact;	/* exact multiples */
	__u64 near;	/* multiples within the bound, with the exact ones */
	__u64 near_few;	/* those of near that are STRIDE_TIMES_MOST strides at most */
	__u64 forward;	/* those of near that go upwards */
};

static void fit_take(struct fit *fit, __s64 step, __u64 pairs, __u64 stride)
{
	__u64 size = size_of(step), bound = stride / STRIDE_BOUND;
	__u64 times = size / stride, rest = size % stride;

	if (!size)
		return;
	fit->all += pairs;
	if (rest > stride / 2) {
		rest = stride - rest;
		times++;
	}
	if (!times || rest > bound)
		return;
	fit->exact += rest ? 0 : pairs;
	fit->near += pairs;
	fit->near_few += times <= STRIDE_TIMES_MOST ? pairs : 0;
	fit->forward += step > 0 ? pairs : 0;
}

static bool explains(const struct fit *fit)
{
	return at_least(fit->near, fit->all, STRIDE_FITTING) &&
	       at_least(fit->exact, fit->all, STRIDE_EXACT) &&
	       at_least(fit->near_few, fit->near, 50);
}

/*
 * Does the site walk? Of three random positions the middle one in value is as likely to be any of
 * them, so one step in three goes onward and two turn. In a walk at least half of the steps go
 * onward, which is more than that third by three standard deviations, or nearly all go one way.
 */
static bool walks(const struct stride_site *site, const struct fit *fit, __u64 frequent)
{
	double ways = (double)site->onward + (double)site->turned;
	double more = 3 * (double)site->onward - ways;
	__u64 backward = fit->near - fit->forward;
	__u64 one_way = fit->forward < backward ? backward : fit->forward;

	if (at_least(one_way, fit->near, STRIDE_ONE_WAY))
		return true;
	/* An older profile, in which onward and turned were not counted. */
	if (ways < STRIDE_PAIRS_LEAST)
		return at_least(frequent, fit->all, STRIDE_FREQUENT);
	return (double)site->onward * 100 >= ways * STRIDE_ONWARD && more * more >= 18 * ways;
}

/* Choose steps at even distances in the sorted pairs, so frequent steps are chosen more often. */
static size_t take_sample(__u64 sample[SAMPLE], const struct memlat_rec_stride *const *rows,
			  size_t nr, __u64 stepping)
{
	double passed = 0;
	size_t i, taken = 0;

	for (i = 0; i < nr; i++) {
		if (!rows[i]->step)
			continue;
		passed += (double)rows[i]->pairs;
		while (taken < SAMPLE &&
		       passed * SAMPLE > ((double)taken + 0.5) * (double)stepping)
			sample[taken++] = size_of(rows[i]->step);
	}
	return taken;
}

/* List the divisors that two steps of the sample have in common, the largest first. */
static size_t find_candidates(__u64 *candidates, const __u64 *sample, size_t taken)
{
	size_t i, j, nr = 0, kept = 0;

	for (i = 0; i < taken; i++)
		for (j = i; j < taken; j++)
			candidates[nr++] = number_divisor(sample[i], sample[j]);
	qsort(candidates, nr, sizeof(*candidates), compare_falling);
	for (i = 0; i < nr; i++)
		if (!kept || candidates[i] != candidates[kept - 1])
			candidates[kept++] = candidates[i];
	return kept;
}

/* A quick test on the sample, which saves trying most candidates on all rows. */
static bool may_explain(const __u64 *sample, size_t taken, __u64 stride)
{
	struct fit fit = { 0 };
	size_t i;

	for (i = 0; i < taken; i++)
		fit_take(&fit, (__s64)sample[i], 1, stride);
	return at_least(fit.near, fit.all, STRIDE_FITTING / 2);
}

static bool try_stride(struct stride_site *site, const struct memlat_rec_stride *const *rows,
		       size_t nr, __u64 stride)
{
	struct fit fit = { 0 };
	__u64 frequent = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		fit_take(&fit, rows[i]->step, rows[i]->pairs, stride);
		if (size_of(rows[i]->step) == stride)
			frequent += rows[i]->pairs;
	}
	if (!explains(&fit))
		return false;
	if (walks(site, &fit, frequent)) {
		site->stride = stride;
		site->fitting = fit.near;
		site->forward = fit.forward;
	}
	return true;
}

/* rows: by size. */
static void find_stride(struct stride_site *site, const struct memlat_rec_stride *const *rows,
			size_t nr)
{
	__u64 sample[SAMPLE], candidates[SAMPLE * (SAMPLE + 1) / 2];
	size_t i, taken, tried;

	taken = take_sample(sample, rows, nr, site->pairs - site->same);
	tried = find_candidates(candidates, sample, taken);
	for (i = 0; i < tried; i++)
		if (may_explain(sample, taken, candidates[i]) &&
		    try_stride(site, rows, nr, candidates[i]))
			return;
}

__u64 stride_cost(const struct stride_site *site)
{
	return site->site ? site->site->cost : 0;
}

void stride_missed(const struct stride_site *site, __u64 *missed, __u64 *loads)
{
	*missed = site->stlb_miss;
	*loads = site->pairs;
	if (!site->site)
		return;
	*missed = site->site->stlb_miss;
	*loads = site->site->samples - site->site->stores;
}

static enum stride_reading reading(const struct stride_site *site, bool tlb)
{
	__u64 missed, loads;

	if (site->pairs >= STRIDE_PAIRS_LEAST && at_least(site->same, site->pairs, STRIDE_FITTING))
		return STRIDE_SAME;
	if (site->pairs - site->same < STRIDE_PAIRS_LEAST)
		return STRIDE_FEW;
	if (!site->stride)
		return STRIDE_IRREGULAR;
	if (site->stride < STRIDE_LARGE_BYTES)
		return STRIDE_SMALL;
	stride_missed(site, &missed, &loads);
	return tlb && loads && at_least(missed, loads, STRIDE_MISSES) ? STRIDE_INEFFICIENT :
									STRIDE_LARGE;
}

COMPARE_POINTERS(compare_known, struct memlat_rec_site,
	order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->ip, b->ip))

/* The table of sites, sorted by process and address. */
static const struct memlat_rec_site **sites_known(const struct snapshot *snap)
{
	const struct memlat_rec_site **known = xcalloc(snap->nr_sites, sizeof(*known));
	size_t i;

	for (i = 0; i < snap->nr_sites; i++)
		known[i] = &snap->sites[i];
	qsort(known, snap->nr_sites, sizeof(*known), compare_known);
	return known;
}

static const struct memlat_rec_site *site_find(const struct memlat_rec_site **known, size_t nr,
					       const struct stride_site *site)
{
	const struct memlat_rec_site wanted = {
		.ip = site->ip, .space = site->space, .gen = site->gen,
	}, *key = &wanted, *const *found;

	found = bsearch(&key, known, nr, sizeof(*known), compare_known);
	return found ? *found : NULL;
}

COMPARE(compare_cost, struct stride_site,
	order(stride_cost(b), stride_cost(a)) ?: order(b->pairs, a->pairs) ?:
	order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->ip, b->ip))

void strides_find(struct strides *strides, const struct snapshot *snap)
{
	const struct memlat_rec_stride **rows = xcalloc(snap->nr_strides, sizeof(*rows));
	const struct memlat_rec_site **known = sites_known(snap);
	bool tlb = trait_here(&snap->head.status, MEMLAT_TRAIT_TLB);
	size_t i, begin;

	strides->nr = 0;
	strides->sites = xcalloc(snap->nr_strides, sizeof(*strides->sites));
	for (i = 0; i < snap->nr_strides; i++)
		rows[i] = &snap->strides[i];
	qsort(rows, snap->nr_strides, sizeof(*rows), compare_row);
	for (begin = 0; begin < snap->nr_strides; begin = i) {
		struct stride_site *site = &strides->sites[strides->nr++];

		site->ip = rows[begin]->ip;
		site->space = rows[begin]->space;
		site->gen = rows[begin]->gen;
		site->site = site_find(known, snap->nr_sites, site);
		for (i = begin; i < snap->nr_strides && !compare_site(rows[i], rows[begin]); i++)
			sum_row(site, rows[i]);
		find_stride(site, rows + begin, i - begin);
		site->reading = reading(site, tlb);
	}
	qsort(strides->sites, strides->nr, sizeof(*strides->sites), compare_cost);
	free(rows);
	free(known);
}

void strides_free(struct strides *strides)
{
	free(strides->sites);
	strides->sites = NULL;
	strides->nr = 0;
}

const char *stride_reading_name(enum stride_reading is)
{
	static const char *const names[STRIDE_READINGS] = {
		[STRIDE_FEW]		= "few_pairs",
		[STRIDE_IRREGULAR]	= "irregular",
		[STRIDE_SAME]		= "same_address",
		[STRIDE_SMALL]		= "small",
		[STRIDE_LARGE]		= "large",
		[STRIDE_INEFFICIENT]	= "inefficient",
	};

	return names[is];
}

__u64 stride_element(const char *type, __u64 size)
{
	size_t length = type ? strlen(type) : 0;
	__u64 elements = 1;

	if (!length || type[length - 1] != ']')
		return 0;
	/* From the last dimension to the first: what it begins with may have brackets too. */
	while (length && type[length - 1] == ']') {
		__u64 nr = 0, place = 1;
		size_t digits = 0;

		for (length--; length && type[length - 1] >= '0' && type[length - 1] <= '9';
		     length--, digits++) {
			/* More than any array has. */
			if (digits == 18)
				return 0;
			nr += (__u64)(type[length - 1] - '0') * place;
			place *= 10;
		}
		if (!digits || !length || type[--length] != '[' || !nr ||
		    __builtin_mul_overflow(elements, nr, &elements))
			return 0;
	}
	return size % elements ? 0 : size / elements;
}
