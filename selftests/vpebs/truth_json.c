// SPDX-License-Identifier: GPL-2.0
/* The truth as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lives.h"
#include "truth_internal.h"
#include "truth_out.h"

/* The first code that has the same source, since several codes can have one. */
static unsigned int source_of(unsigned int code)
{
	unsigned int first = 0;

	while (strcmp(vp_source_name(first), vp_source_name(code)))
		first++;
	return first;
}

static void put_sources(struct json *out, const char *key, const uint64_t *by_code, bool zeros)
{
	uint64_t sum[VP_CODES] = { 0 };
	unsigned int code;

	for (code = 0; code < VP_CODES; code++)
		sum[source_of(code)] += by_code[code];
	json_open(out, key, '{');
	for (code = 0; code < VP_CODES; code++)
		if (source_of(code) == code && (sum[code] || zeros))
			json_number(out, vp_source_name(code), sum[code]);
	json_close(out, '}');
}

/* Figures of a place are short. */
static void widen(uint64_t *wide, const uint32_t *value, unsigned int n)
{
	while (n--)
		wide[n] = value[n];
}

static void put_small_sources(struct json *out, const char *key, const uint32_t *by_code)
{
	uint64_t wide[VP_CODES];

	widen(wide, by_code, VP_CODES);
	put_sources(out, key, wide, false);
}

/* Loads by source and bucket. Only sources that were seen have a row. */
static void put_cells(struct json *out, const struct account *account)
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
	json_open(out, "by_source_bucket", '{');
	for (code = 0; code < VP_CODES; code++)
		if (seen[code])
			json_array(out, vp_source_name(code), sum[code], TRUTH_BUCKETS);
	json_close(out, '}');
}

static void put_raws(struct json *out, const char *name, const uint64_t *count)
{
	unsigned int raw;
	char key[8];

	json_open(out, name, '{');
	for (raw = 0; raw < TRUTH_RAWS; raw++) {
		if (!count[raw])
			continue;
		snprintf(key, sizeof(key), "0x%02x", raw);
		json_number(out, key, count[raw]);
	}
	json_close(out, '}');
}

static void put_counted(struct json *out, const struct account *account)
{
	uint64_t by_code[VP_CODES] = { 0 }, by_bucket[TRUTH_BUCKETS] = { 0 };
	uint64_t latency_sum = 0, memory_sum = 0;
	unsigned int code, row;

	for (code = 0; code < VP_CODES; code++) {
		latency_sum += account->latency[code];
		memory_sum += account->memory[code];
		for (row = 0; row < TRUTH_BUCKETS; row++) {
			by_bucket[row] += account->cell[code][row];
			by_code[code] += account->cell[code][row];
		}
	}

	json_open(out, "counted", '{');
	json_number(out, "total", account_counted(account));
	put_raws(out, "by_raw", account->by_raw);
	put_sources(out, "by_source", by_code, true);
	json_number(out, "latency_sum", latency_sum);
	put_sources(out, "latency_by_source", account->latency, true);
	json_array(out, "by_bucket", by_bucket, TRUTH_BUCKETS);
	json_number(out, "memory_sum", memory_sum);
	put_sources(out, "memory_by_source", account->memory, true);
	json_array(out, "memory_by_bucket", account->by_memory, TRUTH_BUCKETS);
	put_cells(out, account);
	json_close(out, '}');
}

static void put_prefetches(struct json *out, const struct tally_copy *now,
			   const struct tally_copy *before)
{
	static const char *const names[VP_PREFETCHERS] = {
		[VP_PREFETCH_L2] = "l2",
		[VP_PREFETCH_ADJACENT] = "adjacent",
		[VP_PREFETCH_DCU] = "dcu",
		[VP_PREFETCH_IP] = "ip",
	};
	unsigned int i;

	json_open(out, "prefetches", '{');
	for (i = 0; i < VP_PREFETCHERS; i++)
		json_number(out, names[i], now->prefetches[i] - before->prefetches[i]);
	json_close(out, '}');
}

static void put_all(struct json *out, const struct tally_copy *now,
		    const struct tally_copy *before)
{
	uint64_t by_code[VP_CODES], loads = 0;
	unsigned int code;

	for (code = 0; code < VP_CODES; code++) {
		by_code[code] = now->loads[code] - before->loads[code];
		loads += by_code[code];
	}
	json_open(out, "all", '{');
	json_number(out, "loads", loads);
	json_number(out, "stores", now->stores - before->stores);
	json_number(out, "user_loads", now->user_loads - before->user_loads);
	json_number(out, "user_stores", now->user_stores - before->user_stores);
	json_number(out, "locked", now->locked - before->locked);
	put_prefetches(out, now, before);
	put_sources(out, "by_source", by_code, true);
	json_close(out, '}');
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

static void put_records(struct json *out, const struct account *sum, const struct cpu_row *row,
			unsigned int cpus)
{
	unsigned int i;

	json_open(out, "records", '{');
	json_number(out, "written", sum->fate[VP_WRITTEN]);
	json_number(out, "written_loads", sum->load_records);
	json_open(out, "lost", '{');
	for (i = VP_WRITTEN + 1; i < VP_FATES; i++)
		json_number(out, vp_fate_name((enum vp_fate)i), sum->fate[i]);
	json_close(out, '}');
	json_open(out, "per_cpu", '[');
	for (i = 0; i < cpus; i++) {
		json_open(out, NULL, '{');
		json_number(out, "cpu", i);
		json_number(out, "counted", row[i].counted);
		json_number(out, "written", row[i].written);
		json_number(out, "lost", row[i].lost);
		json_number(out, "pmis", row[i].sent);
		json_number(out, "pmis_masked", row[i].masked);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_close(out, '}');

	json_open(out, "pmis", '{');
	json_number(out, "sent", sum->pmis_sent);
	json_number(out, "masked", sum->pmis_masked);
	json_close(out, '}');
}

/* Records of a kind of core: of loads and of stores, by their source word. */
struct core_row {
	uint64_t by_raw[TRUTH_RAWS];
	uint64_t stores_by_raw[TRUTH_RAWS];
	uint64_t stores;
};

static void put_cores(struct json *out, const struct vp_model *model, const struct core_row *row)
{
	unsigned int i, raw;

	json_open(out, "cores", '[');
	for (i = 0; i < vp_model_kinds(model); i++) {
		uint64_t written = 0;

		for (raw = 0; raw < TRUTH_RAWS; raw++)
			written += row[i].by_raw[raw];
		json_open(out, NULL, '{');
		json_text(out, "core", model->core[i]->name);
		put_raws(out, "by_raw", row[i].by_raw);
		put_raws(out, "stores_by_raw", row[i].stores_by_raw);
		json_number(out, "written", written);
		json_number(out, "written_stores", row[i].stores);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void put_stores(struct json *out, const struct account *sum)
{
	json_open(out, "stores", '{');
	json_number(out, "counted", sum->store_counted);
	json_number(out, "written", sum->store_records);
	json_number(out, "l1_hit", sum->store_l1_hit);
	put_sources(out, "by_source", sum->store_by_code, false);
	put_sources(out, "memory_by_source", sum->store_memory, false);
	json_close(out, '}');
}

static void put_by_cpu(struct json *out, const struct cpu_row *row, unsigned int cpus)
{
	unsigned int i;

	json_open(out, "by_cpu", '[');
	for (i = 0; i < cpus; i++) {
		json_open(out, NULL, '{');
		json_number(out, "cpu", i);
		json_number(out, "qualified_user", row[i].qualified_by[1]);
		json_number(out, "qualified_kernel", row[i].qualified_by[0]);
		json_number(out, "counted_user", row[i].counted_by[1]);
		json_number(out, "counted_kernel", row[i].counted_by[0]);
		json_number(out, "store_counted", row[i].store_counted);
		json_number(out, "written", row[i].written);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void put_cost_row(struct json *out, const struct vp_cost_figures *f)
{
	json_number(out, "instructions", f->instructions);
	json_number(out, "pmi", f->pmi);
	json_number(out, "pmi_count", f->pmi_count);
	json_number(out, "longest_pmi", f->longest_pmi);
	json_number(out, "hook", f->hook);
	json_number(out, "hook_count", f->hook_count);
	json_number(out, "longest_hook", f->longest_hook);
}

/* The mutex is held. */
static void put_cost(struct json *out, const struct vp_truth *truth)
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
		sum.hook_count += f->hook_count;
		if (f->longest_pmi > sum.longest_pmi)
			sum.longest_pmi = f->longest_pmi;
		if (f->longest_hook > sum.longest_hook)
			sum.longest_hook = f->longest_hook;
	}
	snprintf(share, sizeof(share), "%.4f", sum.instructions ?
		 100.0 * (double)(sum.pmi + sum.hook) / (double)sum.instructions : 0.0);
	json_open(out, "cost", '{');
	put_cost_row(out, &sum);
	json_item(out, "share_percent");
	json_raw(out, share);
	json_number(out, "lost", truth->cost_lost);
	json_open(out, "per_cpu", '[');
	for (i = 0; i < truth->topology.cpus; i++) {
		json_open(out, NULL, '{');
		json_number(out, "cpu", i);
		put_cost_row(out, &truth->cost[i]);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_close(out, '}');
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

static void put_place_stores(struct json *out, const struct place *place)
{
	json_number(out, "records", place->records);
	json_number(out, "qualified", place->qualified);
	json_number(out, "stores", place->stores);
	json_number(out, "store_counted", place->store_counted);
	json_number(out, "store_l1_hit", place->store_l1_hit);
	json_number(out, "store_records", place->store_records);
}

static void put_slots(struct json *out, const char *key, const uint32_t *slots)
{
	uint64_t wide[TRUTH_SLOTS];

	widen(wide, slots, TRUTH_SLOTS);
	json_array(out, key, wide, TRUTH_SLOTS);
}

static void put_line_counts(struct json *out, const struct line_place *line)
{
	const struct place *place = &line->place;

	json_number(out, "counted", place->counted);
	put_small_sources(out, "by_source", place->by_code);
	put_slots(out, "slots", line->slots);
	put_slots(out, "slot_hitm", line->slot_hitm);
	json_number(out, "modified", line->modified);
	put_slots(out, "store_slots", line->store_slots);
	json_number(out, "store_modified", line->store_modified);
	put_small_sources(out, "stores_by_source", line->store_by_code);
	json_number(out, "hitm_nodes", line->hitm_nodes);
	put_place_stores(out, place);
}

static void put_line(struct json *out, const struct place *place)
{
	json_address(out, "vaddr", place->key[0]);
	json_address(out, "paddr", place->key[1]);
	put_line_counts(out, (const struct line_place *)place);
}

static void put_ip(struct json *out, const struct place *place)
{
	json_address(out, "ip", place->key[0]);
	json_number(out, "counted", place->counted);
	put_small_sources(out, "by_source", place->by_code);
	put_place_stores(out, place);
}

/* The lines to list: those in a range of addresses, or the top ones. */
struct range {
	uint64_t start;
	uint64_t bytes;
	bool sum;		/* only their sum */
};

/* Unsigned: a line that begins before the range may reach into it. */
static bool in_range(const struct range *range, const struct place *line)
{
	return line->key[0] - range->start < range->bytes ||
	       range->start - line->key[0] < VP_LINE_BYTES;
}

/*
 * The places with the highest counts. total: the number of known places; truncated: counted events
 * of all places that are not listed.
 */
static void put_places(struct json *out, const char *key, const struct place_table *table,
		       const struct place **list, uint32_t top, const struct range *range,
		       uint64_t counted, void (*put)(struct json *, const struct place *))
{
	char name[32];
	uint32_t i;

	json_open(out, key, '[');
	for (i = 0; i < table->used && (i < top || range); i++) {
		if (range && !in_range(range, list[i]))
			continue;
		json_open(out, NULL, '{');
		put(out, list[i]);
		json_close(out, '}');
		counted -= list[i]->counted;
	}
	json_close(out, ']');
	snprintf(name, sizeof(name), "%s_total", key);
	json_number(out, name, table->used);
	snprintf(name, sizeof(name), "%s_truncated", key);
	json_number(out, name, counted);
}

static void put_lines_sum(struct json *out, const struct place_table *table,
			  const struct range *range)
{
	struct line_place sum = { 0 };
	uint32_t i, lines = 0;

	for (i = 0; i < table->used; i++) {
		const struct place *line = place_table_at(table, i);

		if (!in_range(range, line))
			continue;
		line_add(&sum, (const struct line_place *)line);
		lines++;
	}
	json_open(out, "lines_sum", '{');
	json_number(out, "lines", lines);
	put_line_counts(out, &sum);
	json_close(out, '}');
}

/* List the lines and the instructions in order. False: out of memory. */
static bool put_lists(struct json *out, const struct account *sum, const struct range *range)
{
	const uint64_t counted = account_counted(sum);
	const struct place **lines = sorted(&sum->lines), **ips = sorted(&sum->ips);
	const bool room = lines && ips;

	if (room) {
		put_places(out, "lines", &sum->lines, lines, TRUTH_TOP_LINES, range, counted,
			   put_line);
		json_number(out, "lines_unkept", sum->unkept);
		put_places(out, "ips", &sum->ips, ips, TRUTH_TOP_IPS, NULL, counted, put_ip);
	}
	free(lines);
	free(ips);
	return room;
}

static void put_violations(struct json *out, const struct vp_truth *truth)
{
	unsigned int i;

	json_open(out, "violations", '[');
	for (i = 0; i < truth->violations; i++) {
		const struct violation *violation = &truth->violation[i];

		json_open(out, NULL, '{');
		json_text(out, "kind", violation->kind);
		json_number(out, "cpu", violation->cpu);
		json_address(out, "ip", violation->ip);
		json_number(out, "count", violation->count);
		json_text(out, "detail", violation->detail);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_number(out, "violations_more", truth->violations_more);
}

/* Merge the accounts of all CPUs. The mutex is held. */
static void gather(struct vp_truth *truth, bool run, struct account *sum, struct cpu_row *row,
		   struct core_row *core)
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
			core[shard->kind].stores += part[parts]->store_records;
			for (i = 0; i < TRUTH_RAWS; i++) {
				core[shard->kind].by_raw[i] += part[parts]->written_raw[i];
				core[shard->kind].stores_by_raw[i] +=
					part[parts]->written_store_raw[i];
			}
		}
		vp_unlock(&shard->lock);
	}
}

static size_t json(struct vp_truth *truth, bool run, const struct range *range, char *buf,
		   size_t size)
{
	struct json out = { .buf = buf, .size = size };
	struct cpu_row row[VP_MAX_CPUS] = { 0 };
	struct core_row core[VP_CORE_KINDS] = { 0 };
	struct tally_copy before = { 0 }, now;
	struct account sum;
	bool whole = true;

	account_init(&sum, UINT32_MAX / 4, UINT32_MAX / 4);
	pthread_mutex_lock(&truth->mutex);
	gather(truth, run, &sum, row, core);
	truth_tally(truth, &now);
	if (!run) {
		before = truth->before;
		if (!truth->open)
			now = truth->after;
	}
	json_open(&out, NULL, '{');
	json_text(&out, "machine", truth->model->name);
	json_number(&out, "cpus", truth->topology.cpus);
	json_number(&out, "nodes", truth->topology.nodes);
	json_text(&out, "scope", run ? "run" : "bracket");
	if (run)
		json_number(&out, "instructions", truth->instructions);
	json_number(&out, "bracket", truth->bracket);
	json_item(&out, "open");
	json_raw(&out, truth->open ? "true" : "false");
	json_number(&out, "qualify", atomic_load_explicit(&truth->qualify, memory_order_relaxed));
	put_counted(&out, &sum);
	put_all(&out, &now, &before);
	put_records(&out, &sum, row, truth->topology.cpus);
	put_cores(&out, truth->model, core);
	put_stores(&out, &sum);
	put_by_cpu(&out, row, truth->topology.cpus);
	truth_counts_put(&out, truth, run);
	if (truth->lives && !run)
		vp_lives_json(truth->lives, &out);
	if (truth->has_cost)
		put_cost(&out, truth);
	if (range && range->sum)
		put_lines_sum(&out, &sum.lines, range);
	else
		whole = put_lists(&out, &sum, range);
	put_violations(&out, truth);
	json_close(&out, '}');
	pthread_mutex_unlock(&truth->mutex);
	account_destroy(&sum);
	if (!whole)
		out.length = 0;
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

size_t vp_truth_json_sum(struct vp_truth *truth, uint64_t start, uint64_t bytes, char *buf,
			 size_t size)
{
	const struct range range = { .start = start, .bytes = bytes, .sum = true };

	return json(truth, false, &range, buf, size);
}

size_t vp_truth_json_run(struct vp_truth *truth, char *buf, size_t size)
{
	return json(truth, true, NULL, buf, size);
}
