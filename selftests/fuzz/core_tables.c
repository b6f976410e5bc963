// SPDX-License-Identifier: GPL-2.0
/*
 * Add cells to all tables of a store, and compare with sums by key that forget nothing. If a table
 * has forgotten nothing for a key, both are equal. Otherwise they differ by at most the error that
 * the table reports.
 */
#include "core.h"
#include "tables.h"

#define TRUTHS		4096
#define NUMBERS		8

/* The sums of one key of one table. Fields that have no meaning in that table are 0. */
struct truth {
	u64 key[NUMBERS];
	u64 samples, weight, cost, latency_sum, latency_max, stores, hitm, cpus, nodes;
	u64 store_latency, addr_min, addr_max;
	bool seen;
};

static struct truth truths[MEMLAT_TABLES][TRUTHS];
static unsigned int nr_truths[MEMLAT_TABLES];
static u64 all_samples, all_with_stack, all_pairs;

static struct truth *truth_of(unsigned int table, const u64 key[NUMBERS])
{
	struct truth *truth;
	unsigned int i;

	for (i = 0; i < nr_truths[table]; i++)
		if (!memcmp(truths[table][i].key, key, sizeof(truth->key)))
			return &truths[table][i];
	return NULL;
}

static void count(unsigned int table, const u64 key[NUMBERS], const struct memlat_cell *cell,
		  unsigned int cpu, unsigned int node)
{
	struct truth *truth = truth_of(table, key);

	if (!truth) {
		fuzz_check(nr_truths[table] < TRUTHS);
		truth = &truths[table][nr_truths[table]++];
		*truth = (struct truth){ .addr_min = ~0ULL };
		memcpy(truth->key, key, sizeof(truth->key));
	}
	truth->samples += cell->samples;
	truth->weight += cell->weight;
	/* The latency of stores is neither a cost nor a latency of loads. */
	if (cell->flags & MEMLAT_CELL_STORE && table != MEMLAT_STRIDES) {
		truth->store_latency += cell->latency_sum;
	} else {
		/* These numbers are small enough not to overflow in simple arithmetic. */
		truth->cost += cell->latency_sum * cell->weight / cell->samples;
		truth->latency_sum += cell->latency_sum;
		if (cell->latency_max > truth->latency_max)
			truth->latency_max = cell->latency_max;
	}
	if (cell->flags & MEMLAT_CELL_STORE)
		truth->stores += cell->samples;
	else if (cell->kind >> 4 == MEMLAT_SRC_L3_HITM || cell->kind >> 4 == MEMLAT_SRC_RHITM)
		truth->hitm += cell->samples;
	if (cell->addr < truth->addr_min)
		truth->addr_min = cell->addr;
	if (cell->addr > truth->addr_max)
		truth->addr_max = cell->addr;
	truth->cpus |= 1ULL << cpu;
	truth->nodes |= 1ULL << node;
}

static void keys_of(const struct memlat_cell *cell, u64 keys[MEMLAT_TABLES][NUMBERS])
{
	bool kernel_data = cell->addr >> 63, kernel_code = cell->ip >> 63;

	memset(keys, 0, sizeof(u64) * MEMLAT_TABLES * NUMBERS);
	if (cell->phys) {
		keys[MEMLAT_LINES][0] = cell->phys & ~63ULL;
		keys[MEMLAT_LINES][1] = 1;
	} else {
		keys[MEMLAT_LINES][0] = cell->addr & ~63ULL;
		keys[MEMLAT_LINES][2] = kernel_data ? 0 : cell->tgid;
		keys[MEMLAT_LINES][3] = kernel_data ? 0 : cell->gen;
	}
	keys[MEMLAT_SITES][0] = cell->ip;
	keys[MEMLAT_SITES][2] = kernel_code ? 0 : cell->tgid;
	keys[MEMLAT_SITES][3] = kernel_code ? 0 : cell->gen;
	keys[MEMLAT_THREADS][0] = cell->tid;
	keys[MEMLAT_THREADS][2] = cell->tgid;
	keys[MEMLAT_THREADS][3] = cell->gen;
	keys[MEMLAT_ACCESSES][0] = cell->addr;
	keys[MEMLAT_ACCESSES][1] = cell->ip;
	keys[MEMLAT_ACCESSES][2] = cell->tgid;
	keys[MEMLAT_ACCESSES][3] = cell->gen;
	keys[MEMLAT_ACCESSES][4] = cell->tid;
	keys[MEMLAT_ACCESSES][5] = cell->phys;
	keys[MEMLAT_ACCESSES][6] = cell->stack;
	/* step_from() computes the stride in the same way. */
	keys[MEMLAT_STRIDES][0] = cell->ip;
	keys[MEMLAT_STRIDES][1] = cell->addr;
	keys[MEMLAT_STRIDES][2] = kernel_code ? 0 : cell->tgid;
	keys[MEMLAT_STRIDES][3] = kernel_code ? 0 : cell->gen;
}

static struct memlat_step step_from(const struct memlat_cell *cell)
{
	return (struct memlat_step) {
		.ip = cell->ip, .step = cell->addr, .tgid = cell->tgid, .gen = cell->gen,
		.pairs = cell->samples, .stlb_miss = cell->weight,
		.new_page = cell->flags & MEMLAT_CELL_STORE ? cell->samples : 0,
		.latency_sum = cell->latency_sum,
	};
}

/*
 * A record's figures, to be compared with the truth. Figures that are not compared have the truth's
 * values.
 */
struct said {
	u64 samples, error, weight, cost, latency_sum, latency_max, stores, hitm, cpus, nodes;
};

static void hold(unsigned int table, const u64 key[NUMBERS], const struct said *said)
{
	struct truth *truth = truth_of(table, key);

	fuzz_check(truth && said->samples && !truth->seen);
	truth->seen = true;
	fuzz_check(said->samples <= truth->samples);
	fuzz_check(truth->samples <= said->samples + said->error);
	if (said->samples != truth->samples)
		return;
	fuzz_equal(said->weight, truth->weight);
	fuzz_equal(said->cost, truth->cost);
	fuzz_equal(said->latency_sum, truth->latency_sum);
	fuzz_equal(said->latency_max, truth->latency_max);
	fuzz_equal(said->stores, truth->stores);
	fuzz_equal(said->hitm, truth->hitm);
	fuzz_equal(said->cpus, truth->cpus);
	fuzz_equal(said->nodes, truth->nodes);
}

static u64 sum(const u64 *numbers, unsigned int nr)
{
	u64 all = 0;

	while (nr--)
		all += numbers[nr];
	return all;
}

#define SAID(rec, hitms, most) {						\
	.samples = (rec)->samples, .error = (rec)->error, .weight = (rec)->weight, \
	.cost = (rec)->cost, .latency_sum = (rec)->latency_sum, .latency_max = most, \
	.stores = (rec)->stores, .hitm = hitms, .cpus = (rec)->cpus, .nodes = (rec)->nodes }

static void hold_line(const struct memlat_rec_line *line)
{
	const struct said said = SAID(line, line->source[MEMLAT_SRC_L3_HITM] +
				      line->source[MEMLAT_SRC_RHITM], line->latency_max);
	const u64 key[NUMBERS] = {
		line->phys ? line->phys : line->addr, line->phys != 0,
		line->phys ? 0 : line->space, line->phys ? 0 : line->gen,
	};

	hold(MEMLAT_LINES, key, &said);
	fuzz_equal(sum(line->source, MEMLAT_SRC_NR) + line->stores, line->samples);
	fuzz_equal(sum(line->slot, 8), line->samples - line->stores);
	fuzz_equal(sum(line->slot_store, 8), line->stores);
	fuzz_equal(sum(line->slot_hitm, 8), said.hitm);
	if (line->samples == truth_of(MEMLAT_LINES, key)->samples)
		fuzz_equal(line->store_latency_sum, truth_of(MEMLAT_LINES, key)->store_latency);
	fuzz_check(line->store_hitm <= line->stores);
}

static void hold_site(const struct memlat_rec_site *site)
{
	const struct said said = SAID(site, site->source[MEMLAT_SRC_L3_HITM] +
				      site->source[MEMLAT_SRC_RHITM], site->latency_max);
	const u64 key[NUMBERS] = { site->ip, 0, site->space, site->gen };

	const struct truth *truth = truth_of(MEMLAT_SITES, key);

	hold(MEMLAT_SITES, key, &said);
	fuzz_check(site->addr_min >= truth->addr_min && site->addr_max <= truth->addr_max);
	if (site->samples == truth->samples)
		fuzz_equal(site->store_latency_sum, truth->store_latency);
	if (site->samples == truth->samples)
		fuzz_check(site->addr_min == truth->addr_min &&
			   site->addr_max == truth->addr_max);
	fuzz_equal(sum(site->bucket, MEMLAT_BUCKETS) + site->stores, site->samples);
}

static void hold_access(const struct memlat_rec_access *access)
{
	const struct said said = SAID(access, access->hitm_local + access->hitm_remote,
				      access->latency_max);
	const u64 key[NUMBERS] = {
		access->addr, access->ip, access->tgid, access->gen, access->tid,
		access->phys, access->stack,
	};

	hold(MEMLAT_ACCESSES, key, &said);
}

static void hold_thread(const struct memlat_rec_thread *thread)
{
	const u64 key[NUMBERS] = { thread->tid, 0, thread->tgid, thread->gen };
	const struct truth *truth = truth_of(MEMLAT_THREADS, key);
	const struct said said = SAID(thread, thread->hitm, truth ? truth->latency_max : 0);

	hold(MEMLAT_THREADS, key, &said);
}

static void hold_stride(const struct memlat_rec_stride *stride)
{
	const u64 key[NUMBERS] = { stride->ip, (u64)stride->step, stride->space, stride->gen };
	const struct truth *truth = truth_of(MEMLAT_STRIDES, key);
	struct said said = {
		.samples = stride->pairs, .error = stride->error, .weight = stride->stlb_miss,
		.stores = stride->new_page, .latency_sum = stride->latency_sum,
	};

	fuzz_check(truth);
	said.cost = truth->cost;
	said.latency_max = truth->latency_max;
	said.hitm = truth->hitm;
	said.cpus = truth->cpus;
	said.nodes = truth->nodes;
	hold(MEMLAT_STRIDES, key, &said);
}

static u64 hitm_of(const struct memlat_line *line)
{
	struct memlat_rec_line row;

	memlat_table_read(&memlat_lines_kind, line, &row);
	return row.source[MEMLAT_SRC_L3_HITM] + row.source[MEMLAT_SRC_RHITM];
}

static void check(const struct memlat_tables *tables)
{
	const u64 all[MEMLAT_TABLES] = {
		[MEMLAT_LINES] = all_samples, [MEMLAT_SITES] = all_samples,
		[MEMLAT_ACCESSES] = all_samples, [MEMLAT_THREADS] = all_samples,
		[MEMLAT_STACKS] = all_with_stack, [MEMLAT_STRIDES] = all_pairs,
	};
	const struct memlat_table *table;
	unsigned int i, k;

	for (i = 0; i < MEMLAT_TABLES; i++) {
		u64 held = 0;

		table = &tables->table[i];
		for (k = 0; k < table->now.used; k++) {
			const void *record = row_read(table, k);

			held += *(const u64 *)(memlat_table_at(table, k) + table->kind->samples);
			if (i == MEMLAT_LINES)
				hold_line(record);
			else if (i == MEMLAT_SITES)
				hold_site(record);
			else if (i == MEMLAT_ACCESSES)
				hold_access(record);
			else if (i == MEMLAT_THREADS)
				hold_thread(record);
			else if (i == MEMLAT_STRIDES)
				hold_stride(record);
		}
		fuzz_equal(held + table->now.evicted, all[i]);
		/*
		 * A key that is not in the table had no more samples than the error that the table
		 * reports.
		 */
		for (k = 0; k < nr_truths[i]; k++)
			fuzz_check(truths[i][k].seen ||
				   truths[i][k].samples <= table->now.error);
	}
	for (i = 0; i + 1 < tables->top.lines; i++) {
		const struct memlat_line *a = tables->top.line[i];
		const struct memlat_line *b = tables->top.line[i + 1];
		const u64 one = hitm_of(a), other = hitm_of(b);

		fuzz_check(one > other || (one == other && a->cost >= b->cost));
	}
}

/* Make a cell of a shard with one call chain and two names. */
static struct memlat_cell cell_from(struct fuzz_input *input)
{
	u8 what = fuzz_take(input, 1), low = fuzz_take(input, 1), who = fuzz_take(input, 1);
	struct memlat_cell cell = {
		.addr = fuzz_take(input, 1) * 64 + (low & 63), .ip = 0x400 + (low >> 6),
		.tgid = who & 3, .tid = who >> 2 & 7, .gen = who >> 5 & 1,
		.kind = what << 4, .samples = 1 + fuzz_take(input, 1),
		.weight = 1 + fuzz_take(input, 1),
	};

	if (who & 64)
		cell.addr |= 1ULL << 63;
	if (who & 128)
		cell.ip |= 1ULL << 63;
	if (what & 16) {
		cell.flags = MEMLAT_CELL_STORE | (what & 1 ? MEMLAT_CELL_L1_HIT : 0);
		/* Some types of cores report the same about a store as about a load. */
		cell.kind = what & 32 ? cell.kind : 0;
		cell.latency_max = what & 32 ? 200 : 0;
		cell.latency_sum = (u64)cell.latency_max * cell.samples;
	} else {
		cell.latency_max = 1 + fuzz_take(input, 1) * 16;
		cell.latency_sum = (u64)cell.latency_max * (cell.samples + 1) / 2;
		cell.kind |= memlat_bucket_of(cell.latency_max);
		cell.flags = what & 32 ? MEMLAT_CELL_LOCKED | MEMLAT_CELL_STLB_MISS : 0;
	}
	cell.weight *= cell.samples;
	if (what & 64)
		cell.phys = (cell.addr & 0x3ff) + (1ULL << 30);
	return cell;
}

static struct memlat_shard *shard;

void core_tables(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	const u64 bytes = fuzz_take(&input, 1) * 4096;
	const u8 how = fuzz_take(&input, 1);
	const u64 frames[2] = { 1, 2 };
	const struct memlat_cell *batch[MEMLAT_TABLES_BATCH];
	struct memlat_line *lines[MEMLAT_TABLES_BATCH];
	struct memlat_cell cells[MEMLAT_TABLES_BATCH];
	/* Call chains or strides, never both. */
	const bool strides = (how & 3) == 2;
	struct memlat_tables *tables = tables_new_with(bytes, how & 1, strides);
	struct memlat_step step;
	u64 keys[MEMLAT_TABLES][NUMBERS];
	unsigned int i, k, nr, cpu = 0;
	u16 stack;

	if (!shard)
		shard = shard_new(true);
	memset(nr_truths, 0, sizeof(nr_truths));
	all_samples = all_with_stack = all_pairs = 0;
	stack = memlat_shard_stack(shard, 1, 1, frames, 2, 1);
	memlat_shard_note_thread(shard, 1, 1, 1, "thread........." , "process........");
	while (input.left && all_samples < 200000) {
		nr = 1 + fuzz_take(&input, 1) % MEMLAT_TABLES_BATCH;
		for (i = 0; i < nr; i++) {
			cells[i] = cell_from(&input);
			/*
			 * If the store has the chain at all, its number in the store is the first
			 * one.
			 */
			if (how & 1 && tables->table[MEMLAT_STACKS].sets && cells[i].ip & 1)
				cells[i].stack = stack;
			batch[i] = &cells[i];
			all_samples += cells[i].samples;
			all_with_stack += cells[i].stack ? cells[i].samples : 0;
			keys_of(&cells[i], keys);
			keys[MEMLAT_ACCESSES][6] = cells[i].stack ? 1 : 0;
			for (k = 0; k < MEMLAT_STACKS; k++)
				count(k, keys[k], &cells[i], cpu % 4, cpu % 2);
			if (!strides)
				continue;
			step = step_from(&cells[i]);
			memlat_strides_add(&tables->table[MEMLAT_STRIDES], &step);
			count(MEMLAT_STRIDES, keys[MEMLAT_STRIDES], &cells[i], cpu % 4, cpu % 2);
			all_pairs += step.pairs;
		}
		memlat_tables_add(tables, shard, batch, nr, cpu % 4, cpu % 2, lines);
		cpu++;
	}
	check(tables);
	memlat_shard_clear(shard);
	tables_delete(tables);
}
