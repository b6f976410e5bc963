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

static void put_small(struct out *out, const char *key, const uint32_t *value, unsigned int n)
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

static void put_small_sources(struct out *out, const char *key, const uint32_t *by_code)
{
	uint64_t wide[VP_CODES];
	unsigned int code;

	for (code = 0; code < VP_CODES; code++)
		wide[code] = by_code[code];
	put_sources(out, key, wide, false);
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
	uint64_t counted_by[2];	/* kernel, user */
	uint64_t qualified_by[2];
	uint64_t store_counted;
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

static void put_stores(struct out *out, const struct account *sum)
{
	open(out, "stores", '{');
	put_number(out, "counted", sum->store_counted);
	put_number(out, "written", sum->store_records);
	put_number(out, "l1_hit", sum->store_l1_hit);
	close(out, '}');
}

static void put_by_cpu(struct out *out, const struct cpu_row *row, unsigned int cpus)
{
	unsigned int i;

	open(out, "by_cpu", '[');
	for (i = 0; i < cpus; i++) {
		open(out, NULL, '{');
		put_number(out, "cpu", i);
		put_number(out, "qualified_user", row[i].qualified_by[1]);
		put_number(out, "qualified_kernel", row[i].qualified_by[0]);
		put_number(out, "counted_user", row[i].counted_by[1]);
		put_number(out, "counted_kernel", row[i].counted_by[0]);
		put_number(out, "store_counted", row[i].store_counted);
		put_number(out, "written", row[i].written);
		close(out, '}');
	}
	close(out, ']');
}

static void put_cost_row(struct out *out, const struct vp_cost_figures *f)
{
	put_number(out, "instructions", f->instructions);
	put_number(out, "pmi", f->pmi);
	put_number(out, "pmi_count", f->pmi_count);
	put_number(out, "longest_pmi", f->longest_pmi);
	put_number(out, "hook", f->hook);
}

/* The mutex is held. */
static void put_cost(struct out *out, const struct vp_truth *truth)
{
	struct vp_cost_figures sum = { 0 };
	char share[32];
	unsigned int i;

	for (i = 0; i < truth->topology.cpus; i++) {
		const struct vp_cost_figures *f = &truth->cost[i];

		sum.instructions += f->instructions;
		sum.pmi += f->pmi;
		sum.pmi_count += f->pmi_count;
		sum.hook += f->hook;
		if (f->longest_pmi > sum.longest_pmi)
			sum.longest_pmi = f->longest_pmi;
	}
	snprintf(share, sizeof(share), "%.4f", sum.instructions ?
		 100.0 * (double)(sum.pmi + sum.hook) / (double)sum.instructions : 0.0);
	open(out, "cost", '{');
	put_cost_row(out, &sum);
	item(out, "share_percent");
	put_raw(out, share);
	put_number(out, "lost", truth->cost_lost);
	open(out, "per_cpu", '[');
	for (i = 0; i < truth->topology.cpus; i++) {
		open(out, NULL, '{');
		put_number(out, "cpu", i);
		put_cost_row(out, &truth->cost[i]);
		close(out, '}');
	}
	close(out, ']');
	close(out, '}');
}

static int by_counted(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a;
	const struct place *y = *(const struct place *const *)b;
	unsigned int i;

	if (x->counted != y->counted)
		return x->counted > y->counted ? -1 : 1;
	if (x->qualified != y->qualified)
		return x->qualified > y->qualified ? -1 : 1;
	if (x->stores + x->store_counted != y->stores + y->store_counted)
		return x->stores + x->store_counted > y->stores + y->store_counted ? -1 : 1;
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

static void put_place_stores(struct out *out, const struct place *place)
{
	put_number(out, "records", place->records);
	put_number(out, "qualified", place->qualified);
	put_number(out, "stores", place->stores);
	put_number(out, "store_counted", place->store_counted);
	put_number(out, "store_l1_hit", place->store_l1_hit);
	put_number(out, "store_records", place->store_records);
}

static void put_line(struct out *out, const struct place *place)
{
	const struct line_place *line = (const struct line_place *)place;

	put_address(out, "vaddr", place->key[0]);
	put_address(out, "paddr", place->key[1]);
	put_number(out, "counted", place->counted);
	put_small_sources(out, "by_source", place->by_code);
	put_small(out, "slots", line->slots, TRUTH_SLOTS);
	put_small(out, "slot_hitm", line->slot_hitm, TRUTH_SLOTS);
	put_small(out, "store_slots", line->store_slots, TRUTH_SLOTS);
	put_number(out, "hitm_nodes", line->hitm_nodes);
	put_place_stores(out, place);
}

static void put_ip(struct out *out, const struct place *place)
{
	put_address(out, "ip", place->key[0]);
	put_number(out, "counted", place->counted);
	put_small_sources(out, "by_source", place->by_code);
	put_place_stores(out, place);
}

/* Which lines are listed: those in a range of addresses, or the top ones. */
struct range {
	uint64_t start;
	uint64_t bytes;
};

/*
 * The places with the highest counts. total: distinct ones known;
 * truncated: counted events of all that aren't listed.
 */
static void put_places(struct out *out, const char *key, const struct place_table *table,
		       const struct place **list, uint32_t top, const struct range *range,
		       uint64_t counted, void (*put)(struct out *, const struct place *))
{
	char name[32];
	uint32_t i;

	open(out, key, '[');
	for (i = 0; i < table->used && (i < top || range); i++) {
		/* Unsigned: a line that begins before the range may reach into it. */
		if (range && list[i]->key[0] - range->start >= range->bytes &&
		    range->start - list[i]->key[0] >= VP_LINE_BYTES)
			continue;
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
			for (i = 0; i < 2; i++) {
				row[cpu].counted_by[i] += part[parts]->counted_by[i];
				row[cpu].qualified_by[i] += part[parts]->qualified_by[i];
			}
			row[cpu].store_counted += part[parts]->store_counted;
			row[cpu].sent += part[parts]->pmis_sent;
			row[cpu].masked += part[parts]->pmis_masked;
			row[cpu].written += part[parts]->fate[VP_WRITTEN];
			for (i = VP_WRITTEN + 1; i < VP_FATES; i++)
				row[cpu].lost += part[parts]->fate[i];
		}
		vp_unlock(&shard->lock);
	}
}

static size_t json(struct vp_truth *truth, bool run, const struct range *range, char *buf,
		   size_t size)
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
		put_number(&out, "qualify", atomic_load_explicit(&truth->qualify,
								 memory_order_relaxed));
		put_counted(&out, &sum);
		put_all(&out, &now, &before);
		put_records(&out, &sum, row, truth->topology.cpus);
		put_stores(&out, &sum);
		put_by_cpu(&out, row, truth->topology.cpus);
		if (truth->has_cost)
			put_cost(&out, truth);
		put_places(&out, "lines", &sum.lines, lines, TRUTH_TOP_LINES, range, counted,
			   put_line);
		put_number(&out, "lines_unkept", sum.unkept);
		put_places(&out, "ips", &sum.ips, ips, TRUTH_TOP_IPS, NULL, counted, put_ip);
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
	return json(truth, false, NULL, buf, size);
}

size_t vp_truth_json_lines(struct vp_truth *truth, uint64_t start, uint64_t bytes, char *buf,
			   size_t size)
{
	const struct range range = { .start = start, .bytes = bytes };

	return json(truth, false, &range, buf, size);
}

size_t vp_truth_json_run(struct vp_truth *truth, char *buf, size_t size)
{
	return json(truth, true, NULL, buf, size);
}
