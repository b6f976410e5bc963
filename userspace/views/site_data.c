// SPDX-License-Identifier: GPL-2.0
#include "site_data.h"

#include <stdlib.h>
#include <sys/types.h>

#include "../util/order.h"
#include "../util/xalloc.h"

/* An access of an instruction that is shown. */
struct walked {
	size_t site;
	const struct memlat_rec_access *access;
};

static int compare_sites(const struct site_key *a, const struct site_key *b)
{
	return order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->ip, b->ip);
}

static int compare_key(const void *pa, const void *pb)
{
	return compare_sites(*(const struct site_key *const *)pa,
			     *(const struct site_key *const *)pb);
}

static int compare_walked(const void *pa, const void *pb)
{
	const struct walked *a = pa, *b = pb;

	/* A tie-break, so that of equally frequent variables the same one is named each time. */
	return order(a->site, b->site) ?: order(a->access->addr, b->access->addr);
}

/*
 * An access of kernel code belongs to the process that ran it, while the kernel's sites belong to
 * none.
 */
static ssize_t site_of(const struct site_key *keys, const struct site_key **sorted, size_t nr,
		       const struct memlat_rec_access *access)
{
	const bool kernel = kernel_address(access->ip);
	const struct site_key wanted = {
		.ip = access->ip,
		.space = kernel ? 0 : access->tgid,
		.gen = kernel ? 0 : access->gen,
	}, *key = &wanted, *const *found;

	found = bsearch(&key, sorted, nr, sizeof(*sorted), compare_key);
	return found ? *found - keys : -1;
}

static __u64 samples_of(const struct memlat_rec_access *access)
{
	return access->samples;
}

/* Find what most samples of one site access. walked: the accesses of the site. */
static void find_one(struct site_data *data, struct namer *namer, const struct walked *walked,
		     size_t nr, enum data_by by)
{
	struct data_named *named = xcalloc(nr, sizeof(*named));
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct memlat_rec_access *access = walked[i].access;

		named[i].access = access;
		named[i].name = namer_access(namer, access);
		data->all += access->samples;
	}
	data->name = data_most(named, nr, by, samples_of, &data->samples);
	free(named);
}

static void find_all(struct site_data *data, struct namer *namer, const struct walked *walked,
		     size_t nr, enum data_by by)
{
	size_t begin, end;

	for (begin = 0; begin < nr; begin = end) {
		for (end = begin; end < nr && walked[end].site == walked[begin].site;)
			end++;
		find_one(&data[walked[begin].site], namer, walked + begin, end - begin, by);
	}
}

struct site_data *site_data_find(const struct profile *profile, struct namer *namer,
				 struct site_key (*key_of)(const void *context, size_t row),
				 const void *context, size_t nr, enum data_by by)
{
	const struct snapshot *snap = &profile->snap;
	const struct site_key **sorted = xcalloc(nr + 1, sizeof(*sorted));
	struct site_key *keys = xcalloc(nr + 1, sizeof(*keys));
	struct walked *walked = xcalloc(snap->nr_accesses + 1, sizeof(*walked));
	struct site_data *data = xcalloc(nr + 1, sizeof(*data));
	size_t i, used = 0;

	for (i = 0; i < nr; i++) {
		keys[i] = key_of(context, i);
		sorted[i] = &keys[i];
	}
	qsort(sorted, nr, sizeof(*sorted), compare_key);
	for (i = 0; i < snap->nr_accesses; i++) {
		ssize_t site = site_of(keys, sorted, nr, &snap->accesses[i]);

		if (site >= 0)
			walked[used++] = (struct walked){ (size_t)site, &snap->accesses[i] };
	}
	qsort(walked, used, sizeof(*walked), compare_walked);
	find_all(data, namer, walked, used, by);
	free(keys);
	free(sorted);
	free(walked);
	return data;
}
