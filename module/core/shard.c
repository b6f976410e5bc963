// SPDX-License-Identifier: GPL-2.0
#include "bucket.h"
#include "shard.h"

static void line_start(struct memlat_shard_line *line, u64 addr, const struct memlat_sample *s)
{
	memset(line, 0, sizeof(*line));
	line->addr = addr;
	line->space = s->space;
	memcpy(line->comm, s->comm, sizeof(line->comm));
}

static void line_add(struct memlat_shard_line *line, const struct memlat_sample *s)
{
	unsigned int slot = s->addr % MEMLAT_LINE_BYTES / 8;

	line->ip = s->ip;
	line->samples++;
	line->latency_sum += s->latency;
	if (s->latency > line->latency_max)
		line->latency_max = s->latency;
	line->locked += s->locked;
	line->stlb_miss += s->stlb_miss;
	line->source[s->source]++;
	line->slot[slot]++;
	line->slot_hitm[slot] += memlat_source_is_hitm(s->source);
}

/*
 * A set is full: its lightest line makes room. It waits in the spill for the
 * merge, and only when that is full too are its samples gone from the table of
 * lines, and counted (the buckets have them all the same).
 */
static unsigned int evict(struct memlat_shard *shard, unsigned int set)
{
	unsigned int way = set, i;

	for (i = set + 1; i < set + MEMLAT_SHARD_WAYS; i++)
		if (shard->line[i].samples < shard->line[way].samples)
			way = i;

	if (shard->spilled < MEMLAT_SHARD_SPILL)
		shard->spill[shard->spilled++] = shard->line[way];
	else
		shard->count[MEMLAT_COUNT_LINES_EVICTED] += shard->line[way].samples;
	return way;
}

static struct memlat_shard_line *line_get(struct memlat_shard *shard, u64 addr,
					  const struct memlat_sample *s)
{
	unsigned int set = memlat_line_hash(addr, s->space) % MEMLAT_SHARD_SETS *
			   MEMLAT_SHARD_WAYS;
	u64 tag = addr | 1;
	unsigned int i;

	for (i = set; i < set + MEMLAT_SHARD_WAYS; i++) {
		if (shard->tag[i] == tag && shard->line[i].space == s->space)
			return &shard->line[i];
		if (!shard->tag[i]) {
			shard->used++;
			goto start;
		}
	}
	i = evict(shard, set);
start:
	shard->tag[i] = tag;
	line_start(&shard->line[i], addr, s);
	return &shard->line[i];
}

/**
 * memlat_shard_add - count one sample in every table of the shard
 * @shard: this CPU's active shard
 * @s: the sample, whole
 *
 * Runs in NMI: no allocation, no lock, at most MEMLAT_SHARD_WAYS steps.
 */
void memlat_shard_add(struct memlat_shard *shard, const struct memlat_sample *s)
{
	u64 addr = s->addr & ~(u64)(MEMLAT_LINE_BYTES - 1);

	shard->count[MEMLAT_COUNT_SAMPLES]++;
	shard->count[MEMLAT_COUNT_LATENCY_SUM] += s->latency;
	if (s->latency > shard->latency_max)
		shard->latency_max = s->latency;
	shard->latency[s->source] += s->latency;
	shard->bucket[memlat_bucket_of(s->latency)][s->source]++;
	shard->raw[s->raw]++;
	line_add(line_get(shard, addr, s), s);
}

/**
 * memlat_shard_clear - make a shard empty
 * @shard: a shard that no CPU writes
 *
 * The lines need no clearing: a line starts over when its tag is set.
 */
void memlat_shard_clear(struct memlat_shard *shard)
{
	memset(shard->tag, 0, sizeof(shard->tag));
	memset(shard->count, 0, sizeof(shard->count));
	memset(shard->latency, 0, sizeof(shard->latency));
	memset(shard->bucket, 0, sizeof(shard->bucket));
	memset(shard->raw, 0, sizeof(shard->raw));
	shard->latency_max = 0;
	shard->used = 0;
	shard->spilled = 0;
}
