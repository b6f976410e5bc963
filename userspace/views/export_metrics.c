// SPDX-License-Identifier: GPL-2.0
/* https://openmetrics.io: counters of the session, and a histogram for each source. */
#include "export.h"

#include "../profile/account.h"
#include "../util/source.h"

static void family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# TYPE memlat_%s %s\n# HELP memlat_%s %s\n", name, type, name, help);
}

static void put_source(FILE *out, const struct memlat_rec_buckets *buckets, unsigned int source)
{
	const char *name = source_name(source);
	unsigned int row;
	__u64 sum = 0;

	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		sum += buckets->count[row][source];
		fprintf(out, "memlat_load_latency_cycles_bucket{source=\"%s\",le=\"", name);
		if (row < MEMLAT_BUCKETS - 1)
			fprintf(out, "%llu.0\"} %llu\n", buckets->edge[row], sum);
		else
			fprintf(out, "+Inf\"} %llu\n", sum);
	}
	fprintf(out, "memlat_load_latency_cycles_count{source=\"%s\"} %llu\n"
		"memlat_load_latency_cycles_sum{source=\"%s\"} %llu\n", name, sum, name,
		buckets->latency[source]);
}

void export_openmetrics(FILE *out, const struct profile *profile)
{
	const struct snapshot *snap = &profile->snap;
	const struct memlat_status *status = &snap->head.status;
	unsigned int source;

	family(out, "samples", "counter", "Loads and stores that were sampled.");
	fprintf(out, "memlat_samples_total{type=\"load\"} %llu\n"
		"memlat_samples_total{type=\"store\"} %llu\n", status->loads, status->stores);
	family(out, "events", "counter", "What the samples stand for: loads above the threshold, and stores.");
	fprintf(out, "memlat_events_total{type=\"load\"} %llu\n"
		"memlat_events_total{type=\"store\"} %llu\n", status->weight_loads,
		status->weight_stores);
	family(out, "waited_cycles", "counter", "Core cycles that loads waited for memory, estimated.");
	fprintf(out, "memlat_waited_cycles_total %llu\n", snapshot_cost(snap));
	family(out, "lost", "counter", "Records that came and could not be used.");
	fprintf(out, "memlat_lost_total %llu\n", account_lost(status));
	family(out, "load_latency_cycles", "histogram", "Latency of sampled loads in core cycles.");
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		put_source(out, &snap->buckets, source);
	fputs("# EOF\n", out);
}
