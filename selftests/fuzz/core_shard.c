// SPDX-License-Identifier: GPL-2.0
/*
 * A shard compared with a list: equal samples are always in the same row. The same for names and
 * call chains.
 */
#include "core.h"

#define ROWS		8192
#define CHAINED		4096	/* lists of rows: one alone is too slow to look through */
#define NAMES		4096
#define CHAINS		2048

struct row {
	struct memlat_sample like;
	unsigned int bucket;
	u64 samples, weight, latency_sum, latency_max;
	u64 found, found_weight, found_latency;
	bool stands;		/* in the table, not in the spill */
	struct row *next;
};

struct name {
	u32 tgid, gen, tid;
	u64 first_ns;
	char comm[MEMLAT_COMM_BYTES];
};

struct chain {
	u32 tgid, gen;
	unsigned int frames, kernel_frames;
	u64 frame[MEMLAT_STACK_FRAMES];
	u16 number;
};

struct model {
	struct row rows[ROWS];
	unsigned int nr_rows;
	struct row *first[CHAINED];
	struct name names[NAMES];
	unsigned int nr_names;
	struct chain chains[CHAINS];
	unsigned int nr_chains;
	u64 samples;
};

static struct model model;
static struct memlat_shard *shard;
static struct memlat_counts counts;

static bool alike(const struct row *row, const struct memlat_sample *s, unsigned int bucket)
{
	const struct memlat_sample *like = &row->like;

	return row->bucket == bucket && like->addr == s->addr && like->ip == s->ip &&
	       like->phys == s->phys && like->tgid == s->tgid && like->tid == s->tid &&
	       like->gen == s->gen && like->stack == s->stack && like->source == s->source &&
	       like->flags == s->flags;
}

static struct row **list_of(const struct memlat_sample *s)
{
	return &model.first[(s->addr ^ s->addr >> 7 ^ s->ip) % CHAINED];
}

static struct row *row_of(const struct memlat_sample *s, unsigned int bucket)
{
	struct row *row = *list_of(s);

	while (row && !alike(row, s, bucket))
		row = row->next;
	return row;
}

static void add(const struct memlat_sample *s)
{
	unsigned int bucket = s->store ? 0 : edges_bucket(s->latency);
	struct row *row = row_of(s, bucket);

	fuzz_equal(s->store ? 0 : memlat_bucket_of(s->latency), bucket);
	if (!row) {
		if (model.nr_rows == ROWS)
			return;
		row = &model.rows[model.nr_rows++];
		*row = (struct row){ .like = *s, .bucket = bucket, .next = *list_of(s) };
		*list_of(s) = row;
	}
	row->samples++;
	row->weight += s->weight;
	row->latency_sum += s->latency;
	if (s->latency > row->latency_max)
		row->latency_max = s->latency;
	model.samples++;
	memlat_shard_add(shard, &counts, s, s->store ? 0 : memlat_bucket_of(s->latency));
}

/* Add several samples whose addresses have a stride, so that they fill sets. */
static void add_some(struct fuzz_input *input)
{
	unsigned int times = fuzz_take(input, 1) + 1, i;
	u64 stride = fuzz_take(input, 2);
	struct memlat_sample s = {
		.addr = fuzz_take(input, 2) << 4, .ip = 0x1000 + fuzz_take(input, 1),
		.weight = fuzz_take(input, 2) + 1, .tgid = fuzz_take(input, 1), .gen = 1,
	};
	u8 flags = fuzz_take(input, 1);

	s.tid = s.tgid + (flags >> 6);
	s.source = flags & 15;
	s.latency = 1 + fuzz_take(input, 2);
	/*
	 * Latencies near an edge are the most difficult ones: just below it, on it, and just above
	 * it.
	 */
	if (s.latency > 0x8000)
		s.latency = memlat_bucket_edge[s.latency % (MEMLAT_BUCKETS - 1)] - 1 +
			    s.latency / 16 % 3;
	if (flags & 16) {
		s.flags = MEMLAT_CELL_STORE | MEMLAT_CELL_L1_HIT;
		s.latency = 0;
	}
	if (flags & 32)
		s.phys = s.addr | 1ULL << 40;
	for (i = 0; i < times; i++) {
		add(&s);
		s.addr += stride;
		if (!s.store && flags & 1)
			s.latency += 1 + (s.latency >> 3);
	}
}

static void note(struct fuzz_input *input)
{
	unsigned int times = fuzz_take(input, 1) + 1, i, k;
	struct name name = { .tgid = fuzz_take(input, 1), .gen = fuzz_take(input, 1) };
	char comm[MEMLAT_COMM_BYTES] = { 'a' }, process[MEMLAT_COMM_BYTES] = "leader";
	struct memlat_shard_thread *thread;

	name.tid = fuzz_take(input, 1);
	comm[0] = (char)fuzz_take(input, 1);
	/* A task's name that has the maximum length is not terminated. */
	memset(comm + 1, 'x', sizeof(comm) - 1);
	for (i = 0; i < times; i++, name.tid++) {
		for (k = 0; k < model.nr_names; k++)
			if (model.names[k].tid == name.tid && model.names[k].tgid == name.tgid &&
			    model.names[k].gen == name.gen)
				break;
		thread = memlat_shard_note_thread(shard, name.tgid, name.gen, name.tid, comm,
						  process);
		if (!thread) {
			/* A name that was noted keeps its place. */
			fuzz_check(k == model.nr_names);
			continue;
		}
		if (k == model.nr_names) {
			fuzz_equal(thread->first_ns, 0);
			fuzz_check(model.nr_names < NAMES);
			model.names[model.nr_names++] = name;
			thread->first_ns = model.names[k].first_ns = k + 1;
		}
		fuzz_equal(thread->first_ns, model.names[k].first_ns);
		memcpy(model.names[k].comm, comm, sizeof(comm) - 1);
	}
}

static bool chain_is(const struct chain *one, const struct chain *other)
{
	return one->tgid == other->tgid && one->gen == other->gen &&
	       one->frames == other->frames && one->kernel_frames == other->kernel_frames &&
	       !memcmp(one->frame, other->frame, one->frames * sizeof(one->frame[0]));
}

static void chain(struct fuzz_input *input)
{
	unsigned int times = fuzz_take(input, 1) + 1, i, k;
	struct chain wanted = { .tgid = fuzz_take(input, 1), .gen = 1 };
	u16 number;

	wanted.frames = fuzz_take(input, 1) % (MEMLAT_STACK_FRAMES + 3);
	wanted.kernel_frames = fuzz_take(input, 1) % (wanted.frames + 1);
	for (i = 0; i < wanted.frames && i < MEMLAT_STACK_FRAMES; i++)
		wanted.frame[i] = i < 4 ? fuzz_take(input, 1) : i;
	for (i = 0; i < times; i++, wanted.frame[0]++) {
		number = memlat_shard_stack(shard, wanted.tgid, wanted.gen, wanted.frame,
					    wanted.frames, wanted.kernel_frames);
		if (!wanted.frames || wanted.frames > MEMLAT_STACK_FRAMES) {
			fuzz_equal(number, 0);
			continue;
		}
		for (k = 0; k < model.nr_chains && !chain_is(&model.chains[k], &wanted); k++)
			;
		if (k < model.nr_chains) {
			fuzz_equal(number, model.chains[k].number);
		} else if (number) {
			fuzz_check(model.nr_chains < CHAINS && number <= MEMLAT_SHARD_STACKS);
			wanted.number = number;
			model.chains[model.nr_chains++] = wanted;
		}
	}
}

static void find_cell(const struct memlat_cell *cell, bool stands)
{
	struct memlat_sample s = {
		.addr = cell->addr, .ip = cell->ip, .phys = cell->phys, .tgid = cell->tgid,
		.tid = cell->tid, .gen = cell->gen, .stack = cell->stack,
		.source = cell->kind >> 4, .flags = cell->flags,
	};
	struct row *row = row_of(&s, cell->kind & 15);

	fuzz_check(row && cell->samples);
	fuzz_check(!stands || !row->stands);
	row->stands |= stands;
	row->found += cell->samples;
	row->found_weight += cell->weight;
	row->found_latency += cell->latency_sum;
	fuzz_check(cell->latency_max <= row->latency_max);
}

static void check(void)
{
	u64 lost = counts.count[MEMLAT_COUNT_CELLS_LOST], missing = 0;
	unsigned int i, taken = 0;

	fuzz_check(shard->spilled <= MEMLAT_SHARD_SPILL && shard->used <= MEMLAT_SHARD_CELLS);
	for (i = 0; i < MEMLAT_SHARD_CELLS; i++)
		taken += shard->tag[i] != 0;
	fuzz_equal(taken, shard->used);
	for (i = 0; i < shard->used; i++)
		find_cell(&shard->cell[shard->place[i]], true);
	for (i = 0; i < shard->spilled; i++)
		find_cell(&shard->spill[i], false);
	for (i = 0; i < model.nr_rows; i++) {
		const struct row *row = &model.rows[i];

		fuzz_check(row->found <= row->samples && row->found_weight <= row->weight);
		missing += row->samples - row->found;
		if (row->found != row->samples)
			continue;
		fuzz_equal(row->found_weight, row->weight);
		fuzz_equal(row->found_latency, row->latency_sum);
	}
	fuzz_equal(missing, lost);
	fuzz_check(!lost || shard->spilled == MEMLAT_SHARD_SPILL);
	fuzz_equal(shard->threads, model.nr_names);
	fuzz_equal(shard->stacks, model.nr_chains);
	for (i = 0; i < model.nr_names; i++) {
		const struct name *name = &model.names[i];
		const struct memlat_shard_thread *thread =
			memlat_shard_find_thread(shard, name->tgid, name->gen, name->tid);

		fuzz_check(thread);
		fuzz_check(!strcmp(thread->comm, name->comm));
		fuzz_check(!strcmp(thread->process, "leader"));
	}
	for (i = 0; i < model.nr_chains; i++) {
		const struct chain *known = &model.chains[i];
		const struct memlat_shard_stack *stack = &shard->stack[known->number - 1];

		fuzz_equal(stack->frames, known->frames);
		fuzz_equal(stack->kernel_frames, known->kernel_frames);
		fuzz_check(!memcmp(stack->frame, known->frame,
				   known->frames * sizeof(known->frame[0])));
	}
}

static void clear(void)
{
	unsigned int i;

	check();
	memlat_shard_clear(shard);
	for (i = 0; i < MEMLAT_SHARD_CELLS; i++)
		fuzz_equal(shard->tag[i], 0);
	fuzz_check(!memlat_shard_is_crowded(shard));
	model.nr_rows = model.nr_names = model.nr_chains = 0;
	memset(model.first, 0, sizeof(model.first));
	model.samples = 0;
	memset(&counts, 0, sizeof(counts));
}

void core_shard(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };

	if (!shard)
		shard = shard_new(true);
	/* The state after four billion merges. */
	if (fuzz_take(&input, 1) & 1)
		shard->emptied = ~0U - 1;
	while (input.left) {
		switch (fuzz_take(&input, 1) % 8) {
		case 0:
			clear();
			break;
		case 1:
			note(&input);
			break;
		case 2:
			chain(&input);
			break;
		default:
			add_some(&input);
		}
	}
	clear();
	fuzz_check(!memlat_shard_find_thread(shard, 0, 0, 0));
	memset(shard->thread, 0, sizeof(shard->thread));
	shard->emptied = 0;
}
