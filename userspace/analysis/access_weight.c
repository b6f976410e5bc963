// SPDX-License-Identifier: GPL-2.0
#include "access_weight.h"

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
	return access->hitm + access->rhitm + (line->stores ? access->xsnp_fwd : 0);
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
