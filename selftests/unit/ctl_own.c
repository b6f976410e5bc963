// SPDX-License-Identifier: GPL-2.0
#include "ctl_own.h"

#include <unistd.h>

#include "profile/history.h"

void own_open(struct own *own, size_t sites, size_t accesses)
{
	static const __u32 edges[MEMLAT_SRC_NR] = {
		[MEMLAT_SRC_L1] = 8, [MEMLAT_SRC_L2] = 20, [MEMLAT_SRC_L3] = 100,
		[MEMLAT_SRC_L3_HITM] = 170, [MEMLAT_SRC_DRAM] = 400,
		[MEMLAT_SRC_RHITM] = 450, [MEMLAT_SRC_RDRAM] = 600,
	};
	struct snapshot *snap = &own->profile.snap;

	profile_init(&own->profile);
	sample_snapshot(snap);
	free(snap->sites);
	free(snap->accesses);
	snap->sites = calloc(sites + 1, sizeof(*snap->sites));
	snap->accesses = calloc(accesses + 1, sizeof(*snap->accesses));
	assert_non_null(snap->sites);
	assert_non_null(snap->accesses);
	snap->nr_sites = snap->room_sites = sites;
	snap->nr_accesses = snap->room_accesses = accesses;
	strcpy(own->profile.machine.query.model_name, "skx");
	memcpy(own->profile.machine.latency_edge, edges, sizeof(edges));
	own->profile.history = history_new();
	assert_non_null(own->profile.history);
	assert_int_equal(history_read_proc(own->profile.history, (__u32)getpid()), 0);
	own->namer = NULL;
}

void own_name(struct own *own)
{
	history_settle(own->profile.history, &own->profile.snap);
	own->namer = namer_new(&own->profile, NULL);
	assert_non_null(own->namer);
}

void own_close(struct own *own)
{
	if (own->namer)
		namer_free(own->namer);
	profile_free(&own->profile);
}

struct namer *own_namer(struct profile *profile, const struct snapshot *snap)
{
	profile_init(profile);
	profile->snap = *snap;
	profile->history = history_new();
	assert_int_equal(history_read_proc(profile->history, (__u32)getpid()), 0);
	history_settle(profile->history, &profile->snap);
	return namer_new(profile, NULL);
}
