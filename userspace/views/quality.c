// SPDX-License-Identifier: GPL-2.0
#include "quality.h"

#include <stdlib.h>

#include "../analysis/core_traits.h"
#include "../host/session_end.h"
#include "../profile/imported.h"
#include "../profile/snapshot.h"
#include "../profile/snapshot_rows.h"
#include "../util/command.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "row.h"
#include "stacks.h"

char *quality_period(char text[QUALITY_PERIOD_MAX],
		     const struct memlat_status *status)
{
	char loads[TEXT_RANGE_MAX], stores[TEXT_RANGE_MAX];
	/* If nothing was counted yet, show the period at which it will begin. */
	__u64 low = status->period_low ? status->period_low : status->period;
	__u64 high = status->period_high ? status->period_high : low;

	text_range(loads, low, high);
	text_range(stores, status->store_period_low, status->store_period_high);
	if (!filter_stores(status->flags) || !status->store_period_low)
		snprintf(text, QUALITY_PERIOD_MAX, "period %s", loads);
	else if (!filter_loads(status->flags))
		snprintf(text, QUALITY_PERIOD_MAX, "store period %s", stores);
	else
		snprintf(text, QUALITY_PERIOD_MAX, "period %s (stores %s)", loads,
			 stores);
	return text;
}

static const char *plural(__u64 number)
{
	return number == 1 ? "" : "s";
}

bool quality_turns(char text[QUALITY_TURNS_MAX],
		   const struct memlat_status *status)
{
	__u64 whole = status->load_turn + status->store_turn;
	char loads[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX];

	if (!whole)
		return false;
	snprintf(text, QUALITY_TURNS_MAX,
		 "loads had %s, stores %s of the time; weights cover only that time",
		 text_share(loads, status->load_turn, whole, 1),
		 text_share(stores, status->store_turn, whole, 1));
	return true;
}

static void print_samples(FILE *out, const struct memlat_status *status)
{
	char samples[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX], period[QUALITY_PERIOD_MAX];

	fprintf(out, "%s sample%s", text_count(samples, status->samples),
		plural(status->samples));
	if (status->stores)
		fprintf(out, " (%s store%s)", text_count(samples, status->stores),
			plural(status->stores));
	fprintf(out, ", %s, ", quality_period(period, status));
	if (status->max_overhead && status->busy_cycles)
		fprintf(out, "overhead %s, ",
			text_share(samples, status->own_cycles, status->busy_cycles, 2));
	fprintf(out, "%s lost", text_count(lost, account_lost(status)));
	/* The number of records lost that way is not known, only how often it happened. */
	if (imported_throttled(status))
		fprintf(out, ", throttled %s time%s", text_count(lost, status->full_pmis),
			plural(status->full_pmis));
	else if (status->full_pmis)
		fprintf(out, ", buffer full %s time%s", text_count(lost, status->full_pmis),
			plural(status->full_pmis));
}

void quality_print_line(FILE *out, const struct memlat_status *status)
{
	char time[TEXT_NUMBER_MAX], whom[FILTER_MAX];
	const char *dot = text_dot();

	fprintf(out, "%s %s ", text_duration(time, status->duration_ns), dot);
	if (filter_only_counts(status->flags))
		fputs("events are counted", out);
	else
		print_samples(out, status);
	if (status->flags & SAMPLED_BY_PERF)
		fprintf(out, " %s perf's engine", dot);
	else if (status->state == MEMLAT_STATE_RUNNING)
		fprintf(out, " %s %u of %u CPUs", dot, status->cpus_armed,
			status->cpus_online);
	else if (imported(status))
		fprintf(out, " %s imported from perf", dot);
	else if (session_end_by_itself(status))
		fprintf(out, " %s ended: %s", dot, session_end_short(status->ended));
	else
		fprintf(out, " %s stopped", dot);
	fprintf(out, " %s ", dot);
	if (filter_loads(status->flags) && status->ldlat)
		fprintf(out, "ldlat %u, ", status->ldlat);
	fprintf(out, "%s%s", filter_privilege(status->flags), filter_whom_short(whom, status));
}

/* What perf, or a file of its, does not tell: a key for JSON, and words for people. */
static const struct {
	__u32 flag;
	const char *name, *text;
} unknown[] = {
	{ IMPORTED | SAMPLED_BY_PERF, "unwritten", "samples that the hardware dropped" },
	{ IMPORTED_NO_LATENCY, "latency", "how long loads took" },
	{ IMPORTED_NO_CPU, "cpu", "CPUs and nodes" },
	{ IMPORTED_NO_NODE, "node", "nodes" },
	{ IMPORTED_NO_PERIOD, "period", "what a sample stands for" },
	{ IMPORTED_NO_TIME, "time", "when samples were taken" },
	{ IMPORTED_THROTTLED, "throttled", "what happened while perf was throttled" },
};

/* What narrows such a file: a line for each. */
static const struct {
	__u32 flag;
	const char *name, *text;
} narrowed[] = {
	{ IMPORTED_L3_MISSES, "l3_hits",
	  "only loads that missed L3 were sampled (IBS filter l3missonly): shares are of these" },
	{ IMPORTED_STREAMING, "other_stores",
	  "only streaming stores were sampled (IBS filter strmst), and no loads" },
	{ IMPORTED_NO_HITM, "hitm",
	  "these cores do not report HITM: whether another core had modified a line is not known" },
	{ IMPORTED_DEFERRED, "deferred_chains",
	  "call chains end in the kernel: perf wrote their part in user space apart (deferred)" },
};

#define NR_NARROWED	(sizeof(narrowed) / sizeof(narrowed[0]))

#define NR_UNKNOWN	(sizeof(unknown) / sizeof(unknown[0]))

static void print_unknown(FILE *out, const struct memlat_status *status)
{
	const char *before = imported(status) ? "not in the imported file: " : "perf's engine does not tell: ";
	size_t i;

	for (i = 0; i < NR_UNKNOWN; i++) {
		if (!(status->flags & unknown[i].flag))
			continue;
		fprintf(out, "%s%s", before, unknown[i].text);
		before = "; ";
	}
}

static void put_unknown(struct json_object *document, const struct memlat_status *status)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < NR_UNKNOWN; i++)
		if (status->flags & unknown[i].flag)
			json_append_text(list, unknown[i].name);
	for (i = 0; i < NR_NARROWED; i++)
		if (status->flags & narrowed[i].flag)
			json_append_text(list, narrowed[i].name);
	json_put(document, "unknown", list);
}

static const char *state_name(const struct memlat_status *status)
{
	if (status->state == MEMLAT_STATE_RUNNING)
		return "running";
	return imported(status) ? "imported" : "idle";
}

static void print_wrapped(FILE *out, void (*print)(FILE *line, const struct memlat_status *status),
			  const struct memlat_status *status)
{
	char *text = XPRINTED(line, print(line, status));

	text_remark(out, out_width(), "%s", text);
	free(text);
}

void quality_print_narrowed(FILE *out, const struct memlat_status *status, size_t width)
{
	size_t i;

	for (i = 0; i < NR_NARROWED && imported_by_perf(status); i++)
		if (status->flags & narrowed[i].flag)
			text_remark(out, width, "(%s)", narrowed[i].text);
}

/* On CPUs that mostly run guests, the samples are of the rest of their time. */
static void print_guests(FILE *out, const struct memlat_status *status)
{
	char cpus[TEXT_NUMBER_MAX];

	if (status->guest_cpus)
		text_remark(out, out_width(),
			    "guests ran more than half of the time on %s CPU%s; nothing is sampled in guests",
			    text_count(cpus, status->guest_cpus), plural(status->guest_cpus));
}

void quality_print(FILE *out, const struct memlat_status *status)
{
	char turns[QUALITY_TURNS_MAX];

	print_wrapped(out, quality_print_line, status);
	if (imported_by_perf(status))
		print_wrapped(out, print_unknown, status);
	quality_print_narrowed(out, status, out_width());
	if (quality_turns(turns, status))
		fprintf(out, "%s\n", turns);
	print_guests(out, status);
}

/* Put the traits of the kinds of cores, and the share of time of each kind of event. */
static void put_traits(struct json_object *document,
		       const struct memlat_status *status)
{
	__u64 whole = status->load_turn + status->store_turn;
	struct json_object *list = json_list(), *turns = NULL;
	size_t i;

	for (i = 0; i < nr_traits; i++)
		if (trait_here(status, all_traits[i].trait))
			json_append_text(list, all_traits[i].name);
	json_put(document, "traits", list);
	if (whole) {
		turns = json_new();
		json_put_ratio(turns, "loads", status->load_turn, whole);
		json_put_ratio(turns, "stores", status->store_turn, whole);
	}
	json_put(document, "turns", turns);
}

void quality_put(struct json_object *document, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	struct json_object *quality = json_new();
	const char *ended = session_end_name(status->ended);
	__u32 flags = status->flags;

	json_put_text(quality, "engine", imported_by_perf(status) ? "perf" : "module");
	json_put_text(quality, "state", state_name(status));
	json_put_text(quality, "ended", ended ? ended : "unknown");
	json_put_real(quality, "duration_s", (double)status->duration_ns / 1e9);
	json_put_count(quality, "ldlat", status->ldlat);
	json_put_count(quality, "period", status->period);
	json_put_count(quality, "period_low", status->period_low);
	json_put_count(quality, "period_high", status->period_high);
	json_put_count(quality, "store_period_low", status->store_period_low);
	json_put_count(quality, "store_period_high", status->store_period_high);
	json_put_count(quality, "pid", (__u64)status->pid);
	json_put_bool(quality, "thread", !!(flags & MEMLAT_F_THREAD));
	json_put_bool(quality, "children", !!(flags & MEMLAT_F_CHILDREN));
	json_put_count(quality, "cgroup", status->cgroup);
	json_put_bool(quality, "user", !!(flags & MEMLAT_F_USER));
	json_put_bool(quality, "kernel", !!(flags & MEMLAT_F_KERNEL));
	json_put_bool(quality, "sampling_loads", filter_loads(flags));
	json_put_bool(quality, "sampling_stores", filter_stores(flags));
	json_put_bool(quality, "call_graph", !!(flags & MEMLAT_F_CALL_GRAPH));
	json_put_bool(quality, "phys_data", !!(flags & MEMLAT_F_PHYS));
	json_put_count(quality, "cpus_armed", status->cpus_armed);
	json_put_count(quality, "cpus_online", status->cpus_online);
	json_put_count(quality, "samples", status->samples);
	json_put_count(quality, "loads", status->loads);
	json_put_count(quality, "stores", status->stores);
	json_put_count(quality, "weight_loads", status->weight_loads);
	json_put_count(quality, "weight_stores", status->weight_stores);
	json_put_count(quality, "lost", account_lost(status));
	json_put_count(quality, "full_pmis",
		       status->full_pmis - imported_throttled(status));
	json_put_count(quality, "throttled", imported_throttled(status));
	json_put_count(quality, "cells_lost", status->cells_lost);
	json_put_count(quality, "lines_evicted", status->lines_evicted);
	put_traits(quality, status);
	if (imported_by_perf(status))
		put_unknown(quality, status);
	json_put_bool(quality, "accounts_hold", !account_snapshot_broken(snap));
	json_put(document, "quality", quality);
}

struct json_object *quality_document(const char *view, const struct snapshot *snap)
{
	struct json_object *document = json_view(view);

	json_put_count(document, "abi_version", snap->head.abi_version);
	json_put_text(document, "model", snap->head.model_name);
	quality_put(document, snap);
	selected_put(document);
	chains_put(document);
	return document;
}

static const char *more_samples(const struct memlat_status *status)
{
	if (status->max_overhead)
		return "a higher --max-overhead";
	return filter_loads(status->flags) ? "a lower --ldlat or --period" :
					     "a lower --store-period";
}

void quality_print_hint(FILE *out, const struct memlat_status *status)
{
	char filtered[TEXT_NUMBER_MAX], events[FILTER_MAX], whom[FILTER_MAX];

	if (!status->started_ns) {
		command_say(out, "No samples: no session was started since the module was loaded.\n"
				 "  memlat-ctl start --ldlat 30\n");
		return;
	}
	if (filter_only_counts(status->flags)) {
		fputs("No samples: this session counts events, which the program that began it shows.\n", out);
		return;
	}
	if (imported(status)) {
		fputs("No samples: nothing in the file has the address of a load or store.\n"
		      "  perf c2c record -- ./program      and import that\n", out);
		return;
	}
	if (!filter_stores(status->flags))
		fprintf(out, "No samples: no load longer than %u cycles was sampled.\n",
			status->ldlat);
	else
		fprintf(out, "No samples: none was taken of %s.\n",
			filter_events(events, status->flags, status->ldlat));
	if (session_end_by_itself(status)) {
		fprintf(out, "  The session ended: %s.\n", session_end_text(status->ended));
		session_end_print_way_out(out, status->ended);
	} else if (status->state == MEMLAT_STATE_RUNNING) {
		fprintf(out, "  Let it run longer, or stop it and start with %s.\n",
			more_samples(status));
	} else {
		fprintf(out, "  Start again for longer, or with %s.\n",
			more_samples(status));
	}
	if (status->filtered)
		fprintf(out, "  %s records of other tasks were left out; the session samples only %s.\n",
			text_count(filtered, status->filtered),
			filter_whom(whom, status));
}

bool quality_print_begin(FILE *out, const struct memlat_status *status)
{
	/* Before the first start all figures would be zero. */
	if (status->started_ns)
		quality_print(out, status);
	if (!status->samples)
		quality_print_hint(out, status);
	return status->samples;
}

static __u64 evicted(const struct memlat_status *status, const struct quality_table *table)
{
	return row_figure(status, row_kinds[table->table].status_evicted);
}

/* The most samples that a missing row can have had. */
static __u64 error_bound(const struct memlat_status *status,
			 const struct quality_table *table)
{
	return row_figure(status, row_kinds[table->table].status_error) + status->cells_lost;
}

void quality_print_table(FILE *out, const struct memlat_status *status,
			 const struct quality_table *table)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];

	if (table->shown < table->total)
		text_remark(out, out_width(), "(%s of %s %s, by %s; -n 0 shows all)",
			text_count(a, table->shown), text_count(b, table->total),
			table->what, table->order);
	if (evicted(status, table))
		text_remark(out, out_width(), "(the table was full: %s of %s samples are of %s that were evicted, none of which had more than %s; raise --max-memory)",
			text_count(a, evicted(status, table)),
			text_count(b, status->samples), table->what,
			text_count(c, error_bound(status, table)));
}

void quality_print_fold(FILE *out, const char *what, const struct row_fold *fold, __u64 cost)
{
	char rows[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];

	if (!fold->rows)
		return;
	text_remark(out, out_width(), "(%s more %s%s, hardly sampled%s%s%s%s; -n 0 shows all)",
		    text_count(rows, fold->rows), what, fold->rows == 1 ? "" : "s",
		    cost ? ": " : "", cost ? text_share(share, fold->cost, cost, 1) : "",
		    cost ? " of sampled latency" : "", cost && fold->rows > 1 ? " together" : "");
}

void quality_print_elsewhere(FILE *out)
{
	text_remark(out, out_width(), "(no line here is fought over; the views dcache and data show where loads wait)");
}

void quality_put_table(struct json_object *document,
		       const struct memlat_status *status,
		       const struct quality_table *table)
{
	json_put_count(document, "evicted", evicted(status, table));
	json_put_count(document, "error_bound", error_bound(status, table));
}

static bool tells(const struct erratum *erratum, __u32 errata, __u32 figures)
{
	return errata & erratum->bit && figures & erratum->touches;
}

void errata_print(FILE *out, const char *begin, __u32 errata, __u32 figures)
{
	size_t i;
	char *text;

	for (i = 0; i < nr_errata; i++) {
		if (!tells(&all_errata[i], errata, figures))
			continue;
		text = xasprintf("%sdoubtful: %s (%s)", begin, all_errata[i].text,
				 all_errata[i].errata);
		text_fill(out, text, out_width(), *begin ? begin : " ");
		fputc('\n', out);
		free(text);
	}
}

struct json_object *errata_json(__u32 errata, __u32 figures)
{
	struct json_object *list = json_list(), *object;
	size_t i;

	for (i = 0; i < nr_errata; i++) {
		if (!tells(&all_errata[i], errata, figures))
			continue;
		object = json_new();
		json_put_text(object, "errata", all_errata[i].errata);
		json_put_text(object, "text", all_errata[i].text);
		json_append(list, object);
	}
	return list;
}
