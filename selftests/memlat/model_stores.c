// SPDX-License-Identifier: GPL-2.0
/* What must hold of stores on every CPU model: the second half of test_model. */
#include "kinds.h"
#include "model.h"
#include "stats.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STORE_PERIOD	499
#define TURN_WRITES	3000000		/* where loads and stores take turns, which are long */

static double fraction(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0.0;
}

/*
 * With turns, loads and stores are only counted in their own. How long these were shows in the
 * share of all events of the planted line that each counter saw, because the line is used during
 * all of the session and at no other time.
 */
static void check_turns(struct json_object *line)
{
	double loads = fraction(truth_u64(line, "/lines_sum/counted"),
				truth_u64(line, "/lines_sum/qualified"));
	double stores = fraction(truth_u64(line, "/lines_sum/store_counted"),
				 truth_u64(line, "/lines_sum/stores"));
	uint64_t turns = status()->load_turn + status()->store_turn;
	double mine = fraction(status()->load_turn, turns);

	note("counted %.1f %% of the line's loads, %.1f %% of its stores\n", 100 * loads,
	     100 * stores);
	if (!(status()->traits & MEMLAT_TRAIT_TURNS)) {
		result(!turns && loads > 0.97 && stores > 0.97,
		       "loads and stores are counted at the same time\n");
		return;
	}
	note("the loads' turns: %.1f %% of the time\n", 100 * mine);
	/* Loads come in bursts, when the line moves between caches; stores do not. */
	result(mine > 0.2 && mine < 0.8 && fabs(stores - (1 - mine)) < 0.1 &&
	       fabs(loads - mine) < 0.25,
	       "loads and stores take turns, as long as the status says\n");
}

static void check_weights(void)
{
	double loads = truth_u64(model.m.truth, "/counted/total");
	double stores = truth_u64(model.m.truth, "/stores/counted");
	double slack = lost() + status()->cpus_online;

	note("weight of loads %llu, counted %.0f; of stores %llu, counted %.0f\n",
	     status()->weight_loads, loads, status()->weight_stores, stores);
	/* Each CPU may end within a period, and the access that is recorded skids by one. */
	result(fabs(status()->weight_loads - loads) <= slack * model.period + 0.02 * loads &&
	       fabs(status()->weight_stores - stores) <=
	       slack * STORE_PERIOD + 0.02 * stores,
	       "weights are the loads and the stores that counted\n");
}

/*
 * Where stores that missed L1 were served from. A thread of the planted workload loads the line
 * before it stores, so the other one can only modify it in between. Therefore few stores find it
 * modified; the truth has their number. No store counts in a latency of loads.
 */
static void check_store_sources(const struct memlat_rec_line *line, struct json_object *real)
{
	uint64_t missed = line->stores - line->store_l1_hit;
	uint64_t taken = line->store_hitm + line->store_xsnp_fwd;
	uint64_t counted = truth_u64(real, "/lines_sum/store_counted");
	uint64_t modified = truth_u64_or_0(real, "/lines_sum/stores_by_source/l3_hitm") +
			    truth_u64_or_0(real, "/lines_sum/stores_by_source/rhitm");

	note("planted line: of %" PRIu64 " stores that missed L1 %llu HITM, %llu forwarded; %llu cycles; true: %" PRIu64
	     " of %" PRIu64 "\n", missed, line->store_hitm, line->store_xsnp_fwd,
	     line->store_latency_sum, modified, counted);
	if (!(status()->traits & MEMLAT_TRAIT_STORE_SOURCE))
		result(!taken && !line->store_latency_sum,
		       "stores have no source and no latency on CPUs that do not report these\n");
	else
		result(stats_agree(taken, line->stores, fraction(modified, counted), STATS_TABLE, 0) &&
		       line->store_latency_sum >= missed * 20 &&
		       (!line->store_hitm || line->nodes & (line->nodes - 1) ||
			some_tell_hitm()),
		       "as many stores as the truth says found it in the other core, and misses took long\n");
}

/* Compare all stores by source with the truth. */
static void check_store_table(void)
{
	uint64_t sampled[MEMLAT_SRC_NR], counted[MEMLAT_SRC_NR];
	char pointer[64];
	unsigned int j;

	if (!(status()->traits & MEMLAT_TRAIT_STORE_SOURCE)) {
		result(!model.m.snapshot.stores.latency[MEMLAT_SRC_L1] &&
		       model.m.snapshot.stores.count[MEMLAT_SRC_L1] +
		       model.m.snapshot.stores.count[MEMLAT_SRC_UNKNOWN] == status()->stores,
		       "stores only tell whether they hit L1\n");
		return;
	}
	for (j = 0; j < MEMLAT_SRC_NR; j++) {
		snprintf(pointer, sizeof(pointer), "/stores/by_source/%s", source_names[j]);
		counted[j] = truth_u64_or_0(model.m.truth, pointer);
		sampled[j] = model.m.snapshot.stores.count[j];
		if (sampled[j] || counted[j])
			note("%s: %" PRIu64 " samples of %" PRIu64 " stores\n", source_names[j],
			     sampled[j], counted[j]);
	}
	if (status()->traits & MEMLAT_TRAIT_XSNP_FWD) {
		sampled[MEMLAT_SRC_L3_SNOOP] += sampled[MEMLAT_SRC_L3_HITM];
		counted[MEMLAT_SRC_L3_SNOOP] += counted[MEMLAT_SRC_L3_HITM];
		sampled[MEMLAT_SRC_L3_HITM] = counted[MEMLAT_SRC_L3_HITM] = 0;
	}
	report_table("the table of stores by source",
		     stats_table(sampled, counted, MEMLAT_SRC_NR, lost()));
}

static void check_stored_line(void)
{
	uint64_t address = truth_address(model.sharing, "/line");
	const struct memlat_rec_line *line;
	uint64_t records, hits, counted;
	struct json_object *real;

	line = snapshot_line(&model.m.snapshot, truth_u64(model.sharing, "/pid"), address);
	need(line, "the planted line is not in the snapshot");
	real = truth_totals(address, MEMLAT_LINE_BYTES);
	records = truth_u64(real, "/lines_sum/store_records");
	counted = truth_u64(real, "/lines_sum/store_counted");
	hits = truth_u64(real, "/lines_sum/store_l1_hit");
	note("planted line: %llu loads; %llu stores, %llu of them hit L1; true: %" PRIu64
	     " records of %" PRIu64 " counted, %" PRIu64 " hit L1\n",
	     line->samples - line->stores, line->stores, line->store_l1_hit, records,
	     counted, hits);
	result(line->samples > line->stores && line->stores > 50 &&
	       line->stores <= records && line->stores + status()->collision >= records,
	       "the planted line has loads, and the stores written for it\n");
	result(stores_of_two_slots(line) &&
	       stats_agree(line->store_l1_hit, line->stores, fraction(hits, counted),
			   STATS_TABLE, 0),
	       "its stores are in its two slots, and as many hit L1 as the truth says\n");
	check_turns(real);
	check_store_sources(line, real);
	check_store_table();
	json_object_put(real);
}

static void check_no_stores(struct memlat_config *config)
{
	int error = device_start(rig_fd(), config);

	note("start: %s, reason %u\n", strerror(-error), config->reason);
	result(error == -EOPNOTSUPP && config->reason == MEMLAT_WHY_STORES,
	       "start is refused on this CPU, which can't sample stores\n");
}

#define PDIST_PERIOD	128	/* with a shorter one, stores are not precisely distributed */

/* Before any store is sampled. */
static void check_store_period(struct memlat_config config)
{
	struct memlat_query query;
	unsigned long least = 16;
	unsigned int i;

	for (i = 0; i < model.m.snapshot.nr_cores; i++)
		if (kind_of(model.m.snapshot.cores[i].model_name)->can & KIND_PDIST)
			least = PDIST_PERIOD;
	need(!device_query(rig_fd(), &query), "the device does not answer");
	if (least < query.period_min)
		least = query.period_min;
	config.store_period = least - 1;
	note("the shortest period of stores is %llu\n", query.store_period_min);
	result(query.store_period_min == least &&
	       device_start(rig_fd(), &config) == -EINVAL &&
	       config.reason == MEMLAT_WHY_STORE_PERIOD,
	       "a shorter period of stores than %lu is refused\n", least);
}

void check_stores(bool stores, bool turns)
{
	struct memlat_config config;

	config = device_config(MEMLAT_LDLAT_DEFAULT, model.period);
	config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES;
	config.store_period = STORE_PERIOD;
	if (!stores) {
		check_no_stores(&config);
		return;
	}
	measure_begin(&config);
	model.sharing = share_a_line(turns ? TURN_WRITES : WRITES);
	measure_end(&model.m);
	check_conserved(&model.m, "loads and stores");
	check_words("loads and stores", 0);
	check_stored_line();
	check_weights();
	check_store_period(config);
	forget();
}
