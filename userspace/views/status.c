// SPDX-License-Identifier: GPL-2.0
#include "status.h"

#include <stddef.h>
#include <string.h>

#include "../analysis/core_traits.h"
#include "../host/device.h"
#include "../host/session_end.h"
#include "../profile/imported.h"
#include "../profile/session_counters.h"
#include "../profile/snapshot.h"
#include "../profile/snapshot_rows.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "filter.h"
#include "quality.h"

/* The kinds of cores of the machine, and the traits of each. */

#define CPUS_SHOWN	48	/* room for a list of CPUs in text; JSON has all CPUs */
#define INDENT		"          "

static void print_samples(FILE *out, const struct memlat_rec_core *core,
			  const struct memlat_status *status)
{
	char number[TEXT_NUMBER_MAX];

	if (filter_loads(status->flags))
		fprintf(out, "%s loads%s", text_count(number, core->loads),
			filter_stores(status->flags) ? ", " : "");
	if (filter_stores(status->flags))
		fprintf(out, "%s stores", text_count(number, core->stores));
}

static void print_cpus(FILE *out, const struct memlat_rec_core *core,
		       const struct memlat_status *status)
{
	char list[CPUS_SHOWN];

	if (*cpulist_text(list, sizeof(list), core->cpus))
		fprintf(out, INDENT "CPU%s %s", strpbrk(list, ",-") ? "s" : "", list);
	else
		fputs(INDENT "no CPU now", out);
	/* A session that only counts events has no samples. */
	if (status->started_ns && !filter_only_counts(status->flags)) {
		fputs(": ", out);
		print_samples(out, core, status);
	}
	fputc('\n', out);
}

/* begin: the beginning of the first line, as wide as the indent of the others. */
static void print_traits(FILE *out, const char *begin, __u32 has)
{
	size_t i;

	for (i = 0; i < nr_traits; i++) {
		const struct trait_words *words = &all_traits[i];
		const char *text = has & words->trait ? words->text : words->without;

		if (!text)
			continue;
		fprintf(out, "%s%s\n", begin, text);
		begin = INDENT;
	}
}

/* Do all kinds of cores have the same traits? */
static bool alike(const struct snapshot *snap)
{
	size_t i;

	for (i = 1; i < snap->nr_cores; i++)
		if (snap->cores[i].traits != snap->cores[0].traits)
			return false;
	return true;
}

/*
 * Rows of the status below the machine's row, which names the kind if there is only one. Each kind
 * has a few lines, which begin with a word of 10 columns.
 */
static void cores_print(FILE *out, const struct snapshot *snap)
{
	bool same = snap->nr_cores > 1 && alike(snap);
	size_t i;

	for (i = 0; i < snap->nr_cores; i++) {
		const struct memlat_rec_core *core = &snap->cores[i];

		/* If there is only one kind, the line above names it. */
		if (snap->nr_cores > 1)
			fprintf(out, "core      %s: %s, PEBS format %u\n",
				core->model_name, core->model_title,
				core->pebs_format);
		print_cpus(out, core, &snap->head.status);
		if (!same)
			print_traits(out, INDENT, core->traits);
		errata_print(out, INDENT, errata_of(core), ~0U);
	}
	if (same)
		print_traits(out, "all       ", snap->cores[0].traits);
}

static struct json_object *core_json(const struct memlat_rec_core *core)
{
	struct json_object *object = json_new(), *list = json_list();
	size_t i;

	json_put_count(object, "core", core->core);
	json_put_text(object, "name", core->model_name);
	json_put_text(object, "title", core->model_title);
	json_put_count(object, "pebs_format", core->pebs_format);
	json_put_count(object, "record_size", core->record_size);
	json_put_wide_bits(object, "cpus", core->cpus, MEMLAT_CPU_WORDS);
	json_put_count(object, "samples", core->loads + core->stores);
	json_put_count(object, "loads", core->loads);
	json_put_count(object, "stores", core->stores);
	for (i = 0; i < nr_traits; i++)
		if (core->traits & all_traits[i].trait)
			json_append_text(list, all_traits[i].name);
	json_put(object, "traits", list);
	json_put(object, "errata", errata_json(errata_of(core), ~0U));
	return object;
}

struct json_object *cores_json(const struct snapshot *snap)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < snap->nr_cores; i++)
		json_append(list, core_json(&snap->cores[i]));
	return list;
}

static void counters_print(FILE *out, const struct memlat_status *status)
{
	char number[TEXT_NUMBER_MAX];
	size_t i;

	for (i = 0; i < nr_counters; i++)
		fprintf(out, "%-17s %17s %-6s  %s\n", counters[i].name,
			text_count(number, counter_of(status, &counters[i])),
			counters[i].unit, counters[i].meaning);
}

REPORT_CELL(value_cell, struct memlat_status, cell_count(counter_of(of, &counters[at])))
REPORT_CELL(unit_cell, struct memlat_status, *counters[at].unit ? cell_text(counters[at].unit) : cell_none())

#define WORDS(member)	REPORT_WORDS(struct counter, member)

struct report counters_report(const struct memlat_status *status)
{
	static const struct report_column columns[] = {
		{ .key = "counter", .title = "counter", .left = true, WORDS(name) },
		{ .key = "value", .title = "value", .get = value_cell },
		{ .key = "unit", .title = "unit", .left = true, .get = unit_cell },
		{ .key = "meaning", .title = "meaning", .left = true, WORDS(meaning) },
	};

	return (struct report){
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = nr_counters,
		.context = status,
		.rows = counters,
	};
}

void counters_csv(FILE *out, const struct memlat_status *status)
{
	const struct report report = counters_report(status);

	report_csv(out, &report);
}

/* Put the object "counters", with each counter under its name in struct memlat_status. */
static void counters_put(struct json_object *document, const struct memlat_status *status)
{
	struct json_object *object = json_new();
	size_t i;

	for (i = 0; i < nr_counters; i++)
		json_put_count(object, counters[i].name, counter_of(status, &counters[i]));
	json_put(document, "counters", object);
}

static void print_state(FILE *out, const struct memlat_status *status,
			__u64 now_ns)
{
	char time[TEXT_NUMBER_MAX];

	if (status->state == MEMLAT_STATE_RUNNING) {
		fprintf(out, "state     running, since %s",
			text_duration(time, now_ns - status->started_ns));
		if (status->suspends)
			fprintf(out, "; the machine slept %s times meanwhile",
				text_count(time, status->suspends));
		if (status->flags & SAMPLED_BY_PERF)
			fputs("; by perf's engine, without the module", out);
		if (status->flags & MEMLAT_F_TIED)
			fputs("; it ends with the process that started it", out);
		fputc('\n', out);
		if (status->cpus_still)
			fprintf(out, "warning   on %s CPUs nothing is counted, although sampled code runs there: their counters are frozen, or no load there takes %u cycles\n"
				"  dmesg | tail                      says what the registers hold\n",
				text_count(time, status->cpus_still), status->ldlat);
	} else if (status->flags & SAMPLED_BY_PERF) {
		fputs("state     recorded by perf's engine, without the module\n", out);
	} else if (imported(status)) {
		fputs("state     imported: perf took these samples, and its file was read\n", out);
	} else if (!status->started_ns) {
		fputs("state     idle; no session was started since the module was loaded\n",
		      out);
	} else if (session_end_by_itself(status)) {
		fprintf(out, "state     idle; the session ended: %s; its figures stay\n",
			session_end_text(status->ended));
		session_end_print_way_out(out, status->ended);
	} else {
		fputs("state     idle; figures are of the last session\n", out);
	}
}

static void print_config(FILE *out, const struct memlat_status *status)
{
	const __u32 flags = status->flags;
	char text[FILTER_MAX], period[QUALITY_PERIOD_MAX];
	char number[TEXT_NUMBER_MAX];

	fprintf(out, "samples   %s, %s mode",
		filter_events(text, flags, status->ldlat),
		filter_privilege(flags));
	filter_put_extras(out, flags);
	fprintf(out, "\nfilters   %s",
		filter_whom(text, status));
	if (status->state == MEMLAT_STATE_RUNNING)
		fprintf(out, ", on %u of %u CPUs", status->cpus_armed,
			status->cpus_online);
	if (filter_only_counts(flags)) {
		fputc('\n', out);
		return;
	}
	fprintf(out, "\nrate      %s", quality_period(period, status));
	if (status->max_overhead)
		fprintf(out, ", adjusted to stay within %s overhead",
			text_hundredths(number, status->max_overhead));
	else if (!imported_by_perf(status))
		fputs(", fixed", out);
	fputs("; stands for ", out);
	if (filter_loads(flags))
		fprintf(out, "%s loads%s",
			text_count(number, status->weight_loads),
			filter_stores(flags) ? " and " : "");
	if (filter_stores(flags))
		fprintf(out, "%s stores",
			text_count(number, status->weight_stores));
	fputc('\n', out);
}

static void print_overhead(FILE *out, const struct memlat_status *status)
{
	char share[TEXT_NUMBER_MAX], busy[TEXT_NUMBER_MAX];
	char bound[TEXT_NUMBER_MAX];

	if (filter_only_counts(status->flags))
		return;
	if (imported_by_perf(status)) {
		fputs("overhead  not known: perf took the samples\n", out);
		return;
	}
	if (!status->max_overhead) {
		fputs("overhead  not measured: the period is fixed\n", out);
		return;
	}
	fprintf(out, "overhead  %s of %s busy cycles (bound %s)\n",
		text_share(share, status->own_cycles, status->busy_cycles, 2),
		text_count(busy, status->busy_cycles),
		text_hundredths(bound, status->max_overhead));
}

static void print_guests(FILE *out, const struct memlat_status *status)
{
	const __u64 all = status->duration_ns * status->cpus_armed;
	char entries[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];

	if (!status->guest_entries)
		return;
	fprintf(out, "guests    entered %s times", text_count(entries, status->guest_entries));
	/* After the session the number of its CPUs is not known any more. */
	if (all)
		fprintf(out, "; they had %s of the time of the sampled CPUs",
			text_share(share, status->guest_ns, all, 1));
	fputs(", in which nothing is sampled", out);
	if (status->guest_cpus)
		fprintf(out, "; more than half of it on %s", text_count(share, status->guest_cpus));
	fputc('\n', out);
}

/* Print facts about loads that only some CPUs report. */
static void print_told(FILE *out, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	__u64 loads = trait_loads(snap, MEMLAT_TRAIT_CACHE_LATENCY);
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];
	char c[TEXT_NUMBER_MAX], d[TEXT_NUMBER_MAX];

	/* An older module reports use latency as the latency. A damaged profile has no loads. */
	if (!status->use_latency_sum || !status->loads)
		loads = 0;
	/* Latencies are of all cores. Show both only if all loads have both. */
	if (loads && loads == status->loads)
		fprintf(out, "latency   %s cycles of memory on average; use latency, with other waits, %s\n",
			text_count(a, status->latency_sum / loads),
			text_count(b, status->use_latency_sum / loads));
	else if (loads)
		fprintf(out, "latency   %s cycles on average; on cores that report both, of %s loads: memory %s, use latency %s\n",
			text_count(a, status->latency_sum / status->loads),
			text_count(b, loads),
			text_count(c, status->cache_latency_sum / loads),
			text_count(d, status->use_latency_sum / loads));
	loads = trait_loads(snap, MEMLAT_TRAIT_BLOCKED);
	if (!loads)
		return;
	fprintf(out, "blocked   %s loads (%s) waited for a store's data, %s (%s) for its address",
		text_count(a, status->blocked_data),
		text_share(b, status->blocked_data, loads, 1),
		text_count(c, status->blocked_addr),
		text_share(d, status->blocked_addr, loads, 1));
	if (loads != status->loads)
		fprintf(out, ", of the %s on cores that report it",
			text_count(a, loads));
	fputc('\n', out);
}

static void print_machine(FILE *out, const struct memlat_query *query,
			  const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;

	if (snap->nr_cores > 1)
		fprintf(out, "machine   %zu kinds of cores", snap->nr_cores);
	else
		fprintf(out, "machine   %s (%s)", query->model_title, query->model_name);
	if (snap->nr_cores <= 1 && !imported_by_perf(status))
		fprintf(out, ", PEBS format %u", query->pebs_format);
	if (!imported_by_perf(status))
		fprintf(out, ", %u of %u CPUs sampling", status->cpus_armed,
			status->cpus_online);
	fprintf(out, ", %u node%s\n", status->nodes, status->nodes == 1 ? "" : "s");
	cores_print(out, snap);
}

/* With two sizes behind it, the heading fits 80 columns. */
#define TABLE	"%-10s %13s %17s %13s"

static void print_tables(FILE *out, const struct memlat_status *status)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];
	unsigned int i;

	fprintf(out, "\n" TABLE "  %s of %s\n", "table", "rows",
		"evicted samples", "error bound",
		text_bytes(a, status->store_bytes),
		text_bytes(b, status->max_memory));
	for (i = TABLE_LINES; i <= TABLE_THREADS; i++) {
		const struct row_kind *kind = &row_kinds[i];

		fprintf(out, TABLE "\n", kind->names,
			text_count(a, row_figure(status, kind->status_rows)),
			text_count(b, row_figure(status, kind->status_evicted)),
			text_count(c, row_figure(status, kind->status_error) + status->cells_lost));
	}
	if (status->flags & MEMLAT_F_CALL_GRAPH)
		fprintf(out, TABLE "\n", "stacks",
			text_count(a, status->stacks),
			text_count(b, status->stacks_lost), "-");
}

void status_print(FILE *out, const struct memlat_query *query,
		  const struct snapshot *snap, __u64 now_ns)
{
	const struct memlat_status *status = &snap->head.status;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];
	char d[TEXT_NUMBER_MAX], e[TEXT_NUMBER_MAX];
	char turns[QUALITY_TURNS_MAX];

	print_state(out, status, now_ns);
	/* Before the first start all figures are zero. */
	if (status->started_ns) {
		print_config(out, status);
		print_overhead(out, status);
	print_guests(out, status);
		print_told(out, snap);
		if (quality_turns(turns, status))
			fprintf(out, "turns     %s\n", turns);
	}
	print_machine(out, query, snap);
	fputs("quality   ", out);
	quality_print_line(out, status);
	fprintf(out, "\naccount   %s records = %s samples + %s filtered + %s malformed + %s collision",
		text_count(a, status->records), text_count(b, status->samples),
		text_count(c, status->filtered), text_count(d, status->malformed),
		text_count(e, status->collision));
	fprintf(out, ", samples = %s loads + %s stores: %s\n",
		text_count(a, status->loads), text_count(b, status->stores),
		account_status_holds(status) ? "holds" : "DOES NOT HOLD");
	if (status->started_ns)
		print_tables(out, status);
	fputc('\n', out);
	counters_print(out, status);
}

static struct json_object *model_json(const struct memlat_query *query)
{
	struct json_object *model = json_new();

	json_put_text(model, "name", query->model_name);
	json_put_text(model, "title", query->model_title);
	json_put_count(model, "family", query->cpu_family);
	json_put_count(model, "model", query->cpu_model);
	json_put_count(model, "stepping", query->cpu_stepping);
	json_put_count(model, "pebs_format", query->pebs_format);
	json_put_count(model, "record_size", query->record_size);
	json_put_count(model, "buffer_records", query->buffer_records);
	json_put_bool(model, "stores", !!(query->flags & MEMLAT_F_STORES));
	return model;
}

static struct json_object *limits_json(const struct memlat_query *query)
{
	struct json_object *limits = json_new();

	json_put_count(limits, "ldlat_min", query->ldlat_min);
	json_put_count(limits, "ldlat_max", query->ldlat_max);
	json_put_count(limits, "period_min", query->period_min);
	json_put_count(limits, "period_max", query->period_max);
	json_put_count(limits, "period_default", query->period_default);
	json_put_count(limits, "store_period_min", device_store_period_min(query));
	json_put_count(limits, "store_period_default",
		       query->store_period_default);
	json_put_real(limits, "overhead_max", (double)query->overhead_max / 10000);
	json_put_count(limits, "memory_min", query->memory_min);
	json_put_count(limits, "memory_max", query->memory_max);
	json_put_count(limits, "memory_default", query->memory_default);
	json_put_count(limits, "cpu_memory", query->cpu_memory);
	return limits;
}

/* The budget in percent, as typed. What was not measured is null. */
static struct json_object *overhead_json(const struct memlat_status *status)
{
	struct json_object *overhead = json_new();

	json_put_real(overhead, "max", (double)status->max_overhead / 10000);
	json_put_known_real(overhead, "used", status->busy_cycles,
			    (double)status->own_cycles / (double)status->busy_cycles);
	return overhead;
}

struct json_object *status_json(const struct memlat_query *query,
				const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	struct json_object *document = json_view("status");

	json_put_count(document, "abi_version", query->abi_version);
	quality_put(document, snap);
	json_put_bool(document, "no_guests",
		      !!(status->flags & MEMLAT_F_NO_GUESTS));
	json_put_bool(document, "tied", !!(status->flags & MEMLAT_F_TIED));
	json_put_bool(document, "stride", !!(status->flags & MEMLAT_F_STRIDE));
	json_put_count(document, "started_ns", status->started_ns);
	json_put_count(document, "duration_ns", status->duration_ns);
	json_put_count(document, "nodes", status->nodes);
	json_put(document, "overhead", overhead_json(status));
	counters_put(document, status);
	json_put(document, "cpu", model_json(query));
	json_put(document, "limits", limits_json(query));
	json_put(document, "cores", cores_json(snap));
	return document;
}
