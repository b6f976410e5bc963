// SPDX-License-Identifier: GPL-2.0
#include "status.h"

#include <stddef.h>
#include <string.h>

#include "../lib/account.h"
#include "../names/process.h"
#include "quality.h"
#include "text.h"

/* JSON keys are the member names; the order is the order of the text. */
#define COUNTER(member, unit, meaning) \
	{ #member, offsetof(struct memlat_status, member), unit, meaning }

static const struct {
	const char *name;
	size_t offset;
	const char *unit;
	const char *meaning;
} counters[] = {
	COUNTER(records, "", "records that hardware wrote and memlat took out"),
	COUNTER(samples, "", "of these: aggregated"),
	COUNTER(filtered, "", "of these: left out by -p, not lost"),
	COUNTER(malformed, "", "of these, lost: no valid record"),
	COUNTER(collision, "", "of these, lost: not of memlat's counter"),
	COUNTER(full_pmis, "", "drains that found the buffer full: later records were never made"),
	COUNTER(lines, "", "cache lines in the store"),
	COUNTER(lines_evicted, "", "samples whose line left a full table (in the buckets, not in lines)"),
	COUNTER(pmis, "", "interrupts taken"),
	COUNTER(late_pmis, "", "interrupts that came after disarming"),
	COUNTER(switch_drains, "", "drains at a task switch that found records"),
	COUNTER(merges, "", "per-CPU tables merged into the store"),
	COUNTER(store_bytes, "bytes", "memory of the store"),
	COUNTER(max_memory, "bytes", "its bound"),
	COUNTER(latency_sum, "cycles", "sum of all samples' latencies"),
	COUNTER(latency_max, "cycles", "largest latency of a sample"),
};

#define NR_COUNTERS	(sizeof(counters) / sizeof(counters[0]))

static __u64 counter(const struct memlat_status *status, unsigned int i)
{
	__u64 value;

	memcpy(&value, (const char *)status + counters[i].offset, sizeof(value));
	return value;
}

static void print_state(FILE *out, const struct memlat_status *status,
			__u64 now_ns)
{
	char time[TEXT_NUMBER_MAX];

	if (status->state == MEMLAT_STATE_RUNNING)
		fprintf(out, "state     running, since %s\n",
			text_duration(time, now_ns - status->started_ns));
	else if (status->started_ns)
		fputs("state     idle; figures are of the last session\n", out);
	else
		fputs("state     idle; nothing was started since the module was loaded\n",
		      out);
}

static void print_config(FILE *out, const struct memlat_status *status)
{
	char period[TEXT_NUMBER_MAX];

	/* Before the first start there is nothing but zeros to show. */
	if (!status->started_ns)
		return;
	fprintf(out, "samples   loads longer than %u cycles, one in %s, %s mode",
		status->ldlat, text_count(period, status->period),
		quality_privilege(status->flags));
	if (status->pid) {
		char name[PROCESS_NAME_MAX], shown[4 * PROCESS_NAME_MAX];

		fprintf(out, ", process %d (%s)", status->pid,
			process_name((__u32)status->pid, name) ?
			text_escape(shown, sizeof(shown), name) : "gone");
	} else {
		fputs(", all processes", out);
	}
	if (status->flags & MEMLAT_F_NO_GUESTS)
		fputs(", no guests by your word", out);
	fputc('\n', out);
}

void status_print(FILE *out, const struct memlat_query *query,
		  const struct memlat_status *status, __u64 now_ns)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];
	char d[TEXT_NUMBER_MAX], e[TEXT_NUMBER_MAX];
	unsigned int i;

	print_state(out, status, now_ns);
	print_config(out, status);
	fprintf(out, "machine   %s (%s), PEBS format %u, %u of %u CPUs sampling, %u node%s\n",
		query->model_title, query->model_name, query->pebs_format,
		status->cpus_armed, status->cpus_online, status->nodes,
		status->nodes == 1 ? "" : "s");
	fputs("quality   ", out);
	quality_print(out, status);
	fprintf(out, "account   %s records = %s samples + %s filtered + %s malformed + %s collision: %s\n\n",
		text_count(a, status->records), text_count(b, status->samples),
		text_count(c, status->filtered), text_count(d, status->malformed),
		text_count(e, status->collision),
		account_status_holds(status) ? "holds" : "DOES NOT HOLD");
	for (i = 0; i < NR_COUNTERS; i++)
		fprintf(out, "%-14s %18s %-6s  %s\n", counters[i].name,
			text_count(a, counter(status, i)), counters[i].unit,
			counters[i].meaning);
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
	json_put_count(limits, "memory_min", query->memory_min);
	json_put_count(limits, "memory_max", query->memory_max);
	json_put_count(limits, "memory_default", query->memory_default);
	json_put_count(limits, "cpu_memory", query->cpu_memory);
	return limits;
}

struct json_object *status_json(const struct memlat_query *query,
				const struct memlat_status *status)
{
	struct json_object *document = json_new();
	unsigned int i;

	json_put_count(document, "abi_version", query->abi_version);
	quality_put(document, status);
	json_put_bool(document, "no_guests",
		      !!(status->flags & MEMLAT_F_NO_GUESTS));
	json_put_count(document, "started_ns", status->started_ns);
	json_put_count(document, "duration_ns", status->duration_ns);
	json_put_count(document, "nodes", status->nodes);
	for (i = 0; i < NR_COUNTERS; i++)
		json_put_count(document, counters[i].name, counter(status, i));
	json_put_bool(document, "accounts_hold", account_status_holds(status));
	json_put(document, "cpu", model_json(query));
	json_put(document, "limits", limits_json(query));
	return document;
}
