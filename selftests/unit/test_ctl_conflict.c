// SPDX-License-Identifier: GPL-2.0
/* Walks whose lines evict each other from L1: which are named, and what they would save. */
#include <math.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/conflict.h"
#include "views/advise.h"

#define IP	0x401500ULL
#define START	0x7f0000010000ULL

static struct session session;
static struct memlat_rec_stride stride;
static struct memlat_rec_site site;

/* So many lines with this step between them, and ten sampled loads of each. */
static void walk(__u64 step, unsigned int lines)
{
	static struct memlat_rec_access accesses[1024];
	unsigned int i;

	assert_true(lines <= 1024);
	session_init(&session);
	session.snap.head.status.ldlat = 3;
	for (i = 0; i < lines; i++)
		accesses[i] = (struct memlat_rec_access){
			.addr = START + i * step, .ip = IP, .tgid = PID, .tid = 1, .samples = 10,
			.weight = 10, .latency_sum = 140, .cost = 140,
		};
	session.snap.accesses = accesses;
	session.snap.nr_accesses = lines;
	stride = (struct memlat_rec_stride){
		.ip = IP, .step = (__s64)step, .space = PID, .pairs = 500, .onward = 450, .turned = 10,
	};
	session.snap.strides = &stride;
	session.snap.nr_strides = 1;
	site = (struct memlat_rec_site){
		.ip = IP, .space = PID, .samples = lines * 10, .weight = lines * 10,
		.latency_sum = lines * 140, .cost = lines * 140,
	};
	site.source[MEMLAT_SRC_L2] = lines * 10;
	site.latency[MEMLAT_SRC_L2] = lines * 140;
	session.snap.sites = &site;
	session.snap.nr_sites = 1;
}

static bool found(struct conflict *conflict, unsigned int ways)
{
	struct strides strides;
	bool is;

	strides_find(&strides, &session.snap);
	assert_int_equal(strides.nr, 1);
	is = conflict_find(conflict, &strides.sites[0], &session.snap, ways);
	conflict->site = NULL;
	strides_free(&strides);
	return is;
}

TEST(into_one_set)
{
	struct conflict conflict;

	walk(4096, 16);
	assert_true(found(&conflict, 8));
	assert_int_equal(conflict.lines, 16);
	assert_int_equal(conflict.sets, 1);
	assert_int_equal(conflict.ways, 8);
	assert_true(fabs(conflict.part.waited - 16 * 140) < 1e-9);
	assert_true(fabs(conflict.part.saved - 16 * 90) < 1e-9);
	/* 2,048 bytes: two sets. 1,024 bytes: four sets with twelve lines each. */
	walk(2048, 32);
	assert_true(found(&conflict, 8));
	assert_int_equal(conflict.sets, 2);
	walk(1024, 48);
	assert_true(found(&conflict, 8));
	assert_int_equal(conflict.sets, 4);
	assert_false(found(&conflict, 12));
}

/* Lines that fit, lines that nothing makes fit, and lines with too few samples. */
TEST(not_named)
{
	struct conflict conflict;

	walk(4096, 8);
	assert_false(found(&conflict, 8));
	walk(4096, 600);
	assert_false(found(&conflict, 8));
	walk(4096 + 64, 16);
	assert_false(found(&conflict, 8));
	walk(4096, 16);
	session.snap.head.status.ldlat = 30;
	assert_false(found(&conflict, 8));
	session.snap.head.status.ldlat = 3;
	session.snap.head.status.accesses_evicted = 1;
	assert_false(found(&conflict, 8));
	walk(4096, 16);
	session.accesses[0].samples = 0;
	site.ip++;
	assert_false(found(&conflict, 8));
}

TEST(ways)
{
	assert_int_equal(conflict_ways("skx"), 8);
	assert_int_equal(conflict_ways("spr"), 12);
	/* Crestmont, whatever the machine is called. */
	assert_int_equal(conflict_ways("mtl-e"), 8);
	assert_int_equal(conflict_ways("arl-u-e"), 8);
	assert_int_equal(conflict_ways("arl-lp"), 8);
	assert_int_equal(conflict_ways("what comes next"), 12);
}

/* L2 serves the lines, so what is beyond it does not matter. */
TEST(gain)
{
	const struct gain_counts counts = {
		.cycles = 1000, .load_stalls = 800, .l1d_pending = 900, .has_load_stalls = true,
		.has_pending = true,
	};
	const struct gain_samples samples = { .missed = 900, .all = 900 };
	const struct gain_part part = {
		.waited = 900, .saved = 900 * 9 / 14.0, .samples = 1000, .squares = 900,
	};
	struct gain gain;

	gain_of(&gain, &counts, &samples, &part);
	assert_true(gain.hi < 0.01);
	gain_of_l1(&gain, &counts, &samples, &part);
	assert_true(fabs(gain.hi - 0.9 * 9 / 14) < 1e-9);
	assert_true(fabs(gain.lo - 0.8 * 9 / 14) < 1e-9);
}

TEST(advice)
{
	static struct memlat_rec_count counts[4];
	struct snapshot counted;
	struct advise advise;
	struct shown shown;
	size_t i;

	snapshot_init(&counted);
	for (i = 0; i < 4; i++)
		counts[i] = (struct memlat_rec_count){ .enabled = 1000, .running = 1000 };
	counts[0].event = MEMLAT_EVENT_CYCLES;
	counts[1].event = MEMLAT_EVENT_INSTRUCTIONS;
	counts[2].event = MEMLAT_EVENT_LOAD_STALLS;
	counts[0].value = 3000;
	counts[1].value = 1000;
	counts[2].value = 1800;
	counted.counts = counts;
	counted.nr_counts = 3;
	walk(4096, 16);
	strcpy(session.snap.head.model_name, "skx");
	shown_open(&shown, &session.snap);
	shown.profile.counts = &counted;
	advise_take(&advise, &shown.profile, shown.namer, false);
	assert_int_equal(advise.nr_of[ADVISE_CONFLICT], 1);
	SAYS(PRINTED(advise_print(out, &advise, &(struct advise_shown){ .width = 200 })),
	     "walks 0x7f0000010000 by steps of 4,096 bytes, so that its 16 lines fall into 1 of L1's 64",
	     "sets, which hold 8 each, and push each other out. Make what it steps over one cache line longer: 4,160\n   bytes.",
	     "L2 serves 100 % of its loads");
	TELLS(advise_json(&advise), FITS "advise", "/items/0/kind conflict", "/items/0/lines 16",
	      "/items/0/conflict/step_after 4160");
	advise_free(&advise);
	shown.profile.counts = NULL;
	shown_close(&shown);
}
