// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics in the format of https://openmetrics.io, or in Prometheus' older text format, which
 * node_exporter reads from files: counters of the session, histograms by source, and the costliest
 * lines.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/waits.h"
#include "../host/session_end.h"
#include "../profile/history.h"
#include "../profile/snapshot.h"
#include "../util/clock.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "c2c.h"

#define LINES		5	/* most lines exported: each is a time series of its own */
#define LABEL_MAX	80	/* bytes of a name */
#define LABELS_MAX	1200	/* room for three names, each byte of which may be escaped */

struct metrics {
	FILE *out;
	bool openmetrics;
	double created;		/* when the session began, seconds since 1970; 0: not known */
	const char *ended;	/* the folder of what start --keep counted; NULL: not of a profile */
};

/*
 * The difference of the two clocks. If this process has to wait between reading the one and the
 * other, the difference is wrong by as much, so take it where the two are closest.
 */
static __u64 clocks_apart(void)
{
	__u64 least = ~0ULL, apart = 0;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		const __u64 before = clock_now(), now = clock_ns(CLOCK_REALTIME);
		const __u64 taken = clock_now() - before;

		if (taken >= least)
			continue;
		least = taken;
		apart = now - (before + taken / 2);
	}
	return apart;
}

/*
 * A live session may have ended long ago. A profile was taken at its end. Time in suspend is not
 * counted. Whole seconds, because the difference of the two clocks varies a little from call to
 * call.
 */
static double created_at(const struct profile *profile)
{
	const struct memlat_status *status = &profile->snap.head.status;

	if (!status->started_ns)
		return 0;
	if (profile->live)
		return (double)(clocks_apart() + status->started_ns) / 1e9;
	return profile->recorded_at ?
	       (double)profile->recorded_at - (double)status->duration_ns / 1e9 : 0;
}

/* Begin a family. In the older format, its name includes the suffix of its counters. */
static void family(const struct metrics *metrics, const char *name, const char *type,
		   const char *help)
{
	const char *end = !metrics->openmetrics && !strcmp(type, "counter") ? "_total" : "";

	fprintf(metrics->out, "# HELP memlat_%s%s %s\n# TYPE memlat_%s%s %s\n", name, end, help,
		name, end, type);
}

static void put_created(const struct metrics *metrics, const char *name, const char *labels)
{
	if (metrics->openmetrics && metrics->created > 0)
		fprintf(metrics->out, "memlat_%s_created%s %.0f\n", name, labels,
			metrics->created);
}

static void counter(const struct metrics *metrics, const char *name, const char *labels,
		    __u64 value)
{
	fprintf(metrics->out, "memlat_%s_total%s %llu\n", name, labels, value);
	put_created(metrics, name, labels);
}

static void lone_counter(const struct metrics *metrics, const char *name, const char *help,
			 __u64 value)
{
	family(metrics, name, "counter", help);
	counter(metrics, name, "", value);
}

/* Print a histogram. count: by row and source; sum: of the latencies of each source. */
static void put_histogram(const struct metrics *metrics, const char *name,
			  const struct memlat_rec_buckets *buckets,
			  const __u64 count[MEMLAT_BUCKETS][MEMLAT_SRC_NR], unsigned int source,
			  __u64 latency)
{
	const char *of = source_name((enum memlat_source)source);
	char labels[64];
	unsigned int row;
	__u64 sum = 0;

	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		sum += count[row][source];
		fprintf(metrics->out, "memlat_%s_bucket{source=\"%s\",le=\"", name, of);
		if (row < MEMLAT_BUCKETS - 1)
			fprintf(metrics->out, "%llu.0\"} %llu\n", buckets->edge[row], sum);
		else
			fprintf(metrics->out, "+Inf\"} %llu\n", sum);
	}
	snprintf(labels, sizeof(labels), "{source=\"%s\"}", of);
	fprintf(metrics->out, "memlat_%s_count%s %llu\nmemlat_%s_sum%s %llu\n", name, labels, sum,
		name, labels, latency);
	put_created(metrics, name, labels);
}

/*
 * Estimate a sum of latencies by the middle of each row. Average latency times weight could fall
 * when later samples of another period are faster, and a counter must not fall.
 */
static __u64 estimated_sum(const struct memlat_rec_buckets *buckets, unsigned int source)
{
	unsigned int row;
	__u64 sum = 0;

	for (row = 0; row < MEMLAT_BUCKETS; row++) {
		const __u64 low = row ? buckets->edge[row - 1] : 0;
		const __u64 high = row < MEMLAT_BUCKETS - 1 ? buckets->edge[row] : low;

		sum += buckets->weight[row][source] * ((low + high) / 2);
	}
	return sum;
}

static void put_histograms(const struct metrics *metrics, const struct snapshot *snap)
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	unsigned int source;

	family(metrics, "load_latency_cycles", "histogram",
	       "Latency of sampled loads in core cycles.");
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		put_histogram(metrics, "load_latency_cycles", buckets, buckets->count, source,
			      buckets->latency[source]);
	family(metrics, "estimated_load_latency_cycles", "histogram",
	       "Latency of the loads that the samples stand for, in core cycles; the sum is by the middle of each bucket.");
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		put_histogram(metrics, "estimated_load_latency_cycles", buckets, buckets->weight,
			      source, estimated_sum(buckets, source));
}

/* How long no session ran. It ended when one began that "start --keep" does not know. */
static __u64 away(const struct session_end_counts *counts, const struct memlat_status *status)
{
	bool back = status->state == MEMLAT_STATE_RUNNING && status->started_ns > counts->since_ns;

	if (!counts->since_ns)
		return counts->away_ns;
	return counts->away_ns + (back ? status->started_ns : clock_now()) - counts->since_ns;
}

/* These count since the machine was booted, and have no _created. */
static void put_ended(const struct metrics *metrics, const struct memlat_status *status)
{
	struct session_end_counts counts;
	unsigned int end;

	if (!metrics->ended || !session_end_read(metrics->ended, &counts))
		return;
	family(metrics, "session_ended", "counter", "Sessions of start --keep that ended.");
	for (end = MEMLAT_END_STOPPED; end < ENDED_NR; end++)
		fprintf(metrics->out, "memlat_session_ended_total{reason=\"%s\"} %llu\n",
			session_end_name(end), counts.ended[end]);
	family(metrics, "start_refused", "counter", "Starts of start --keep that were refused.");
	fprintf(metrics->out, "memlat_start_refused_total %llu\n", counts.refused);
	family(metrics, "keeper_lost", "counter",
	       "Processes that keep names and ended before their session.");
	fprintf(metrics->out, "memlat_keeper_lost_total %llu\n", counts.keepers);
	family(metrics, "session_away_seconds", "counter",
	       "How long start --keep had no session, because it ended by itself or was refused.");
	fprintf(metrics->out, "memlat_session_away_seconds_total %.3f\n",
		(double)away(&counts, status) / 1e9);
}

/* The share of busy cycles in which loads wait, as the first line of report has it. */
static void put_waits(const struct metrics *metrics, const struct profile *profile)
{
	struct waits waits;

	family(metrics, "waiting_ratio", "gauge",
	       "Share of busy cycles in which loads wait for memory, as an interval.");
	waits_compute(&waits, &profile->snap, profile->counts);
	if (waits_known(&waits))
		fprintf(metrics->out, "memlat_waiting_ratio{bound=\"low\"} %.4f\n"
			"memlat_waiting_ratio{bound=\"high\"} %.4f\n", waits.low, waits.high);
}

static void put_session(const struct metrics *metrics, const struct profile *profile)
{
	const struct snapshot *snap = &profile->snap;
	const struct memlat_status *status = &snap->head.status;

	family(metrics, "samples", "counter", "Loads and stores that were sampled.");
	counter(metrics, "samples", "{type=\"load\"}", status->loads);
	counter(metrics, "samples", "{type=\"store\"}", status->stores);
	family(metrics, "events", "counter",
	       "What the samples stand for: loads above the threshold, and stores.");
	counter(metrics, "events", "{type=\"load\"}", status->weight_loads);
	counter(metrics, "events", "{type=\"store\"}", status->weight_stores);
	lone_counter(metrics, "waited_cycles",
		     "Core cycles that loads waited for memory, estimated.", snapshot_cost(snap));
	lone_counter(metrics, "busy_cycles",
		     "Core cycles during which the sampled CPUs were not idle; 0 with fixed periods.",
		     status->busy_cycles);
	put_waits(metrics, profile);
	lone_counter(metrics, "own_cycles", "Of the busy cycles, memlat's own.",
		     status->own_cycles);
	lone_counter(metrics, "lost", "Records that could not be used.",
		     account_lost(status));
	lone_counter(metrics, "buffer_full",
		     "Drains that found the buffer full: later records may be missing.",
		     status->full_pmis);
	family(metrics, "evicted_samples", "counter",
	       "Samples whose table row was evicted; the histograms still include them.");
	counter(metrics, "evicted_samples", "{table=\"lines\"}", status->lines_evicted);
	counter(metrics, "evicted_samples", "{table=\"sites\"}", status->sites_evicted);
	counter(metrics, "evicted_samples", "{table=\"accesses\"}", status->accesses_evicted);
	counter(metrics, "evicted_samples", "{table=\"threads\"}", status->threads_evicted);
	family(metrics, "running", "gauge", "Whether a session runs.");
	fprintf(metrics->out, "memlat_running %d\n", status->state == MEMLAT_STATE_RUNNING);
	put_ended(metrics, status);
	family(metrics, "ldlat_cycles", "gauge", "Faster loads are not sampled.");
	fprintf(metrics->out, "memlat_ldlat_cycles %u\n", status->ldlat);
	if (metrics->created <= 0)
		return;
	family(metrics, "session_start_time_seconds", "gauge",
	       "When the session began, from which on all counters count.");
	fprintf(metrics->out, "memlat_session_start_time_seconds %.0f\n", metrics->created);
}

/* The first bytes of a name, escaped as the value of a label. */
static char *label(const char *bytes)
{
	char *cut = xasprintf("%.*s", LABEL_MAX, bytes), *text, *out;
	char *escaped = xmalloc(8 * strlen(cut) + 1);
	const char *at;

	text = text_escape_csv(xmalloc(4 * strlen(cut) + 1), 4 * strlen(cut) + 1, cut);
	for (at = text, out = escaped; *at; at++) {
		if (*at == '\\' || *at == '"')
			*out++ = '\\';
		*out++ = *at;
	}
	*out = '\0';
	free(text);
	free(cut);
	return escaped;
}

/* A costly line, or several lines of one name. */
struct worst {
	char labels[LABELS_MAX];
	__u64 cost;
};

static void name_worst(struct worst *worst, const struct c2c *c2c, const struct c2c_line *line)
{
	const struct memlat_rec_line *rec = line->line->rec;
	const struct verdict_line *verdict = verdict_of(c2c->verdicts, line->half);
	const struct history_image *image;
	char *process, *data;

	image = history_find(c2c->profile->history, rec->space, rec->gen);
	process = label(!rec->space ? "[kernel]" : image && image->comm ? image->comm : "");
	data = label(line->label ? line->label : "");
	snprintf(worst->labels, sizeof(worst->labels),
		 "{verdict=\"%s\",process=\"%s\",data=\"%s\"}", verdict_key(verdict->verdict),
		 process, data);
	worst->cost = rec->cost;
	free(process);
	free(data);
}

/* Join lines of one name, because each series needs different labels. */
static size_t add_worst(struct worst *worst, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(worst[i].labels, worst[nr].labels)) {
			worst[i].cost += worst[nr].cost;
			return nr;
		}
	return nr + 1;
}

static void put_worst(const struct metrics *metrics, const struct profile *profile,
		      struct namer *namer)
{
	/* Names take most of the time, and few of the lines looked at are contended. */
	const struct c2c_options options = {
		.display = C2C_COST, .show = 4 * LINES, .unnamed = true,
	};
	struct worst worst[LINES];
	struct c2c c2c;
	size_t i, nr = 0;

	family(metrics, "contended_latency_ratio", "gauge",
	       "Share of sampled latency of the lines that cost most of those that are fought over.");
	if (c2c_take(&c2c, profile, namer, &options))
		return;
	for (i = 0; i < c2c.nr_shown && nr < LINES; i++) {
		const struct c2c_line *line = &c2c.lines[i];

		if (line->housekeeping || !c2c.cost ||
		    !verdict_may_be_fight(c2c.verdicts, line->half) ||
		    !c2c_is_fight(verdict_of(c2c.verdicts, line->half)->verdict))
			continue;
		c2c_name(&c2c, i);
		name_worst(&worst[nr], &c2c, line);
		nr = add_worst(worst, nr);
	}
	for (i = 0; i < nr; i++)
		fprintf(metrics->out, "memlat_contended_latency_ratio%s %.6g\n", worst[i].labels,
			(double)worst[i].cost / (double)c2c.cost);
	c2c_free(&c2c);
}

void export_metrics(FILE *out, const struct profile *profile, struct namer *namer,
		    bool openmetrics, const char *ended_folder)
{
	const struct metrics metrics = {
		.out = out, .openmetrics = openmetrics, .created = created_at(profile),
		.ended = profile->live ? ended_folder : NULL,
	};

	put_session(&metrics, profile);
	put_histograms(&metrics, &profile->snap);
	put_worst(&metrics, profile, namer);
	if (openmetrics)
		fputs("# EOF\n", out);
}
