// SPDX-License-Identifier: GPL-2.0
/* The truth as JSON. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth_internal.h"

/* Counts all characters, keeps those that fit. */
struct out {
	char *buf;
	size_t size;
	size_t length;
	bool comma;		/* the next item needs one before it */
};

static void put_char(struct out *out, char c)
{
	if (out->length + 1 < out->size)
		out->buf[out->length] = c;
	out->length++;
}

static void put_raw(struct out *out, const char *text)
{
	while (*text)
		put_char(out, *text++);
}

static void put_string(struct out *out, const char *text)
{
	put_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		char escape[8];

		if (c == '"' || c == '\\') {
			put_char(out, '\\');
			put_char(out, (char)c);
		} else if (c < 0x20 || c >= 0x7f) {
			/* Not ASCII: taken as Latin-1, so that any byte gives valid JSON. */
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			put_raw(out, escape);
		} else {
			put_char(out, (char)c);
		}
	}
	put_char(out, '"');
}

/* Begin an item: the comma, and the key unless it is in an array. */
static void item(struct out *out, const char *key)
{
	if (out->comma)
		put_char(out, ',');
	if (key) {
		put_string(out, key);
		put_char(out, ':');
	}
	out->comma = true;
}

static void open(struct out *out, const char *key, char bracket)
{
	item(out, key);
	put_char(out, bracket);
	out->comma = false;
}

static void close(struct out *out, char bracket)
{
	put_char(out, bracket);
	out->comma = true;
}

static void put_number(struct out *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	item(out, key);
	put_raw(out, text);
}

static void put_address(struct out *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", value);
	item(out, key);
	put_raw(out, text);
}

static void put_text(struct out *out, const char *key, const char *value)
{
	item(out, key);
	put_string(out, value);
}

static void put_array(struct out *out, const char *key, const uint64_t *value, unsigned int n)
{
	unsigned int i;

	open(out, key, '[');
	for (i = 0; i < n; i++)
		put_number(out, NULL, value[i]);
	close(out, ']');
}

/* The first code that has the same source: several codes can be one. */
static unsigned int source_of(unsigned int code)
{
	unsigned int first = 0;

	while (strcmp(vp_source_name(first), vp_source_name(code)))
		first++;
	return first;
}

static void put_sources(struct out *out, const char *key, const uint64_t *by_code, bool zeros)
{
	uint64_t sum[VP_CODES] = { 0 };
	unsigned int code;

	for (code = 0; code < VP_CODES; code++)
		sum[source_of(code)] += by_code[code];
	open(out, key, '{');
	for (code = 0; code < VP_CODES; code++)
		if (source_of(code) == code && (sum[code] || zeros))
			put_number(out, vp_source_name(code), sum[code]);
	close(out, '}');
}

/* By source and bucket: rows of sources that were seen. */
static void put_cells(struct out *out, const struct account *account)
{
	uint64_t sum[VP_CODES][TRUTH_BUCKETS] = { 0 };
	bool seen[VP_CODES] = { false };
	unsigned int code, row;

	for (code = 0; code < VP_CODES; code++) {
		for (row = 0; row < TRUTH_BUCKETS; row++) {
			sum[source_of(code)][row] += account->cell[code][row];
			if (account->cell[code][row])
				seen[source_of(code)] = true;
		}
	}
	open(out, "by_source_bucket", '{');
	for (code = 0; code < VP_CODES; code++)
		if (seen[code])
			put_array(out, vp_source_name(code), sum[code], TRUTH_BUCKETS);
	close(out, '}');
}

static void put_counted(struct out *out, const struct account *account)
{
	uint64_t by_code[VP_CODES] = { 0 }, by_bucket[TRUTH_BUCKETS] = { 0 };
	uint64_t latency_sum = 0;
	unsigned int raw, code, row;
	char key[8];

	for (code = 0; code < VP_CODES; code++) {
		latency_sum += account->latency[code];
		for (row = 0; row < TRUTH_BUCKETS; row++)
			by_bucket[row] += account->cell[code][row];
	}

	open(out, "counted", '{');
	put_number(out, "total", account_counted(account));
	open(out, "by_raw", '{');
	for (raw = 0; raw < TRUTH_RAWS; raw++) {
		by_code[raw & 15] += account->by_raw[raw];
		if (!account->by_raw[raw])
			continue;
		snprintf(key, sizeof(key), "0x%02x", raw);
		put_number(out, key, account->by_raw[raw]);
	}
	close(out, '}');
	put_sources(out, "by_source", by_code, true);
	put_number(out, "latency_sum", latency_sum);
	put_sources(out, "latency_by_source", account->latency, true);
	put_array(out, "by_bucket", by_bucket, TRUTH_BUCKETS);
	put_cells(out, account);
	close(out, '}');
}

static void put_all(struct out *out, const struct tally_copy *now,
		    const struct tally_copy *before)
{
	uint64_t by_code[VP_CODES], loads = 0;
	unsigned int code;

	for (code = 0; code < VP_CODES; code++) {
		by_code[code] = now->loads[code] - before->loads[code];
		loads += by_code[code];
	}
	open(out, "all", '{');
	put_number(out, "loads", loads);
	put_number(out, "stores", now->stores - before->stores);
	put_number(out, "user_loads", now->user_loads - before->user_loads);
	put_number(out, "user_stores", now->user_stores - before->user_stores);
	put_number(out, "locked", now->locked - before->locked);
	put_sources(out, "by_source", by_code, true);
	close(out, '}');
}

/* What the per-CPU rows need after the accounts are merged. */
struct cpu_row {
	uint64_t counted;
	uint64_t written;
	uint64_t lost;
	uint64_t sent;
	uint64_t masked;
};

static void put_records(struct out *out, const struct account *sum, const struct cpu_row *row,
			unsigned int cpus)
{
	unsigned int i;

	open(out, "records", '{');
	put_number(out, "written", sum->fate[VP_WRITTEN]);
	put_number(out, "written_loads", sum->load_records);
	open(out, "lost", '{');
	for (i = VP_WRITTEN + 1; i < VP_FATES; i++)
		put_number(out, vp_fate_name((enum vp_fate)i), sum->fate[i]);
	close(out, '}');
	open(out, "per_cpu", '[');
	for (i = 0; i < cpus; i++) {
		open(out, NULL, '{');
		put_number(out, "cpu", i);
		put_number(out, "counted", row[i].counted);
		put_number(out, "written", row[i].written);
		put_number(out, "lost", row[i].lost);
		put_number(out, "pmis", row[i].sent);
		put_number(out, "pmis_masked", row[i].masked);
		close(out, '}');
	}
	close(out, ']');
	close(out, '}');

	open(out, "pmis", '{');
	put_number(out, "sent", sum->pmis_sent);
	put_number(out, "masked", sum->pmis_masked);
	close(out, '}');
}

static int by_counted(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a;
	const struct place *y = *(const struct place *const *)b;
	unsigned int i;

	if (x->counted != y->counted)
		return x->counted > y->counted ? -1 : 1;
	for (i = 0; i < 2; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

static const struct place **sorted(const struct place_table *table)
{
	const struct place **list = malloc((table->used + 1UL) * sizeof(*list));
	uint32_t i;

	if (!list)
		return NULL;
	for (i = 0; i < table->used; i++)
		list[i] = place_table_at(table, i);
	qsort(list, table->used, sizeof(*list), by_counted);
	return list;
}

static void put_line(struct out *out, const struct place *place)
{
	const struct line_place *line = (const struct line_place *)place;

	put_address(out, "vaddr", place->key[0]);
	put_address(out, "paddr", place->key[1]);
	put_number(out, "counted", place->counted);
	put_sources(out, "by_source", place->by_code, false);
	put_array(out, "slots", line->slots, TRUTH_SLOTS);
	put_array(out, "slot_hitm", line->slot_hitm, TRUTH_SLOTS);
	put_number(out, "hitm_nodes", line->hitm_nodes);
	put_number(out, "records", place->records);
}

static void put_ip(struct out *out, const struct place *place)
{
	put_address(out, "ip", place->key[0]);
	put_number(out, "counted", place->counted);
	put_sources(out, "by_source", place->by_code, false);
	put_number(out, "records", place->records);
}

/*
 * The places with the highest counts. total: distinct ones known;
 * truncated: counted events of all that aren't listed.
 */
static void put_places(struct out *out, const char *key, const struct place_table *table,
		       const struct place **list, uint32_t top, uint64_t counted,
		       void (*put)(struct out *, const struct place *))
{
	char name[32];
	uint32_t i;

	open(out, key, '[');
	for (i = 0; i < table->used && i < top; i++) {
		open(out, NULL, '{');
		put(out, list[i]);
		close(out, '}');
		counted -= list[i]->counted;
	}
	close(out, ']');
	snprintf(name, sizeof(name), "%s_total", key);
	put_number(out, name, table->used);
	snprintf(name, sizeof(name), "%s_truncated", key);
	put_number(out, name, counted);
}

static void put_violations(struct out *out, const struct vp_truth *truth)
{
	unsigned int i;

	open(out, "violations", '[');
	for (i = 0; i < truth->violations; i++) {
		const struct violation *violation = &truth->violation[i];

		open(out, NULL, '{');
		put_text(out, "kind", violation->kind);
		put_number(out, "cpu", violation->cpu);
		put_address(out, "ip", violation->ip);
		put_number(out, "count", violation->count);
		put_text(out, "detail", violation->detail);
		close(out, '}');
	}
	close(out, ']');
	put_number(out, "violations_more", truth->violations_more);
}

/* All CPUs' accounts in one. The mutex is held. */
static void gather(struct vp_truth *truth, bool run, struct account *sum, struct cpu_row *row)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < truth->topology.cpus; cpu++) {
		struct shard *shard = &truth->shard[cpu];
		struct account *part[2] = { &shard->bracket, &shard->outside };
		unsigned int parts = run ? 2 : 1;

		vp_lock(&shard->lock);
		while (parts--) {
			account_add(sum, part[parts]);
			row[cpu].counted += account_counted(part[parts]);
			row[cpu].sent += part[parts]->pmis_sent;
			row[cpu].masked += part[parts]->pmis_masked;
			row[cpu].written += part[parts]->fate[VP_WRITTEN];
			for (i = VP_WRITTEN + 1; i < VP_FATES; i++)
				row[cpu].lost += part[parts]->fate[i];
		}
		vp_unlock(&shard->lock);
	}
}

static size_t json(struct vp_truth *truth, bool run, char *buf, size_t size)
{
	struct out out = { .buf = buf, .size = size };
	struct cpu_row row[VP_MAX_CPUS] = { 0 };
	const struct place **lines, **ips;
	struct tally_copy before = { 0 }, now;
	struct account sum;

	account_init(&sum, UINT32_MAX / 4, UINT32_MAX / 4);
	pthread_mutex_lock(&truth->mutex);
	gather(truth, run, &sum, row);
	truth_tally(truth, &now);
	if (!run) {
		before = truth->before;
		if (!truth->open)
			now = truth->after;
	}
	lines = sorted(&sum.lines);
	ips = sorted(&sum.ips);
	if (lines && ips) {
		uint64_t counted = account_counted(&sum);

		open(&out, NULL, '{');
		put_text(&out, "machine", truth->machine);
		put_number(&out, "cpus", truth->topology.cpus);
		put_number(&out, "nodes", truth->topology.nodes);
		put_text(&out, "scope", run ? "run" : "bracket");
		put_number(&out, "bracket", truth->bracket);
		item(&out, "open");
		put_raw(&out, truth->open ? "true" : "false");
		put_counted(&out, &sum);
		put_all(&out, &now, &before);
		put_records(&out, &sum, row, truth->topology.cpus);
		put_places(&out, "lines", &sum.lines, lines, TRUTH_TOP_LINES, counted, put_line);
		put_places(&out, "ips", &sum.ips, ips, TRUTH_TOP_IPS, counted, put_ip);
		put_violations(&out, truth);
		close(&out, '}');
	}
	pthread_mutex_unlock(&truth->mutex);

	free(lines);
	free(ips);
	account_destroy(&sum);
	if (size)
		buf[out.length < size ? out.length : size - 1] = '\0';
	return out.length;
}

size_t vp_truth_json(struct vp_truth *truth, char *buf, size_t size)
{
	return json(truth, false, buf, size);
}

size_t vp_truth_json_run(struct vp_truth *truth, char *buf, size_t size)
{
	return json(truth, true, buf, size);
}
