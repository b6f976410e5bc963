// SPDX-License-Identifier: GPL-2.0
#include "core_traits.h"

#include <string.h>

const struct trait_words all_traits[] = {
	{ MEMLAT_TRAIT_IP_AFTER, "ip_after",
	  "instruction addresses are of the instruction after the access", NULL },
	{ MEMLAT_TRAIT_TURNS, "turns",
	  "loads and stores take turns, when both are sampled", NULL },
	{ MEMLAT_TRAIT_TLB, "tlb", "TLB misses and locked accesses are known",
	  "TLB misses and locked accesses are not known" },
	{ MEMLAT_TRAIT_BLOCKED, "blocked",
	  "loads that waited for an earlier store are known", NULL },
	{ MEMLAT_TRAIT_CACHE_LATENCY, "cache_latency",
	  "a load's wait for memory is recorded apart from its other waits", NULL },
	{ MEMLAT_TRAIT_XSNP_FWD, "xsnp_fwd",
	  "a line that a sibling core forwarded may have been modified or clean: no local HITM",
	  NULL },
	{ MEMLAT_TRAIT_STORE_SOURCE, "store_source",
	  "stores tell where their line was, and how long they took", NULL },
	{ MEMLAT_TRAIT_UNRESERVED, "unreserved",
	  "during a session perf opens events, but counts none of them", NULL },
};

const size_t nr_traits = sizeof(all_traits) / sizeof(all_traits[0]);

bool trait_here(const struct memlat_status *status, __u32 trait)
{
	return (status->cores ? status->traits : MEMLAT_TRAIT_TLB) & trait;
}

bool trait_everywhere(const struct snapshot *snap, __u32 trait)
{
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		if (!(snap->cores[i].traits & trait))
			return false;
	return trait_here(&snap->head.status, trait);
}

bool trait_memory(const struct snapshot *snap)
{
	return snap->have_parts &&
	       trait_here(&snap->head.status, MEMLAT_TRAIT_CACHE_LATENCY);
}

__u64 trait_loads(const struct snapshot *snap, __u32 trait)
{
	__u64 loads = 0;
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		if (snap->cores[i].traits & trait)
			loads += snap->cores[i].loads;
	return loads;
}

void trait_sources(const struct snapshot *snap, __u32 trait,
		   __u64 count[MEMLAT_SRC_NR])
{
	size_t i;

	memset(count, 0, MEMLAT_SRC_NR * sizeof(*count));
	for (i = 0; i < snap->nr_sources; i++) {
		const struct memlat_rec_core *core = snapshot_core(snap, snap->sources[i].core);

		if (core && core->traits & trait)
			count[snap->sources[i].source] += snap->sources[i].samples;
	}
}
