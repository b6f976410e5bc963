// SPDX-License-Identifier: GPL-2.0
/*
 * The session's table of lines. One writer at a time, in process context; the
 * owner (module/store.c) provides the memory, so that this stays free of it.
 *
 * When there is no room, the lightest line of the set leaves and the newcomer
 * takes over its weight as an error: it may itself have been evicted before with
 * at most that many samples. So no hot line stays out for long, and samples <=
 * truth <= samples + error. This is the space-saving sketch of Metwally, Agrawal
 * and El Abbadi (ICDT 2005), per set.
 */
#include "lines.h"

static void add(struct memlat_rec_line *to, const struct memlat_shard_line *from,
		unsigned int cpu, unsigned int node)
{
	u64 hitm = from->source[MEMLAT_SRC_L3_HITM] + from->source[MEMLAT_SRC_RHITM];
	unsigned int i;

	to->samples += from->samples;
	to->latency_sum += from->latency_sum;
	if (from->latency_max > to->latency_max)
		to->latency_max = from->latency_max;
	to->locked += from->locked;
	to->stlb_miss += from->stlb_miss;
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		to->source[i] += from->source[i];
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		to->slot[i] += from->slot[i];
		to->slot_hitm[i] += from->slot_hitm[i];
	}
	to->cpus |= 1ULL << cpu % 64;
	to->nodes |= 1ULL << node % 64;
	if (hitm)
		to->hitm_nodes |= 1ULL << node % 64;
	to->ip = from->ip;
	memcpy(to->comm, from->comm, sizeof(to->comm));
}

static void start(struct memlat_rec_line *line, const struct memlat_shard_line *from, u64 error)
{
	memset(line, 0, sizeof(*line));
	line->hdr.type = MEMLAT_REC_LINE;
	line->hdr.size = sizeof(*line);
	line->addr = from->addr;
	line->space = from->space;
	line->error = error;
}

/* What a line may have had at most, with what was lost before it came back. */
static u64 weight(const struct memlat_rec_line *line)
{
	return line->samples + line->error;
}

/**
 * memlat_lines_merge - add what a shard counted for one line
 * @lines: the table
 * @from: the shard's line
 * @cpu: the shard's CPU
 * @node: that CPU's node
 */
void memlat_lines_merge(struct memlat_lines *lines, const struct memlat_shard_line *from,
			unsigned int cpu, unsigned int node)
{
	u32 *set = lines->index + (u64)(memlat_line_hash(from->addr, from->space) &
					(lines->sets - 1)) * MEMLAT_LINES_WAYS;
	struct memlat_rec_line *line, *lightest = NULL;
	unsigned int way;

	for (way = 0; way < MEMLAT_LINES_WAYS && set[way]; way++) {
		line = memlat_lines_at(lines, set[way] - 1);
		if (line->addr == from->addr && line->space == from->space) {
			add(line, from, cpu, node);
			return;
		}
		if (!lightest || weight(line) < weight(lightest))
			lightest = line;
	}

	if (way < MEMLAT_LINES_WAYS && memlat_lines_free(lines)) {
		set[way] = ++lines->used;
		line = memlat_lines_at(lines, set[way] - 1);
		start(line, from, 0);
	} else if (lightest) {
		u64 error = weight(lightest);

		lines->evicted += lightest->samples;
		line = lightest;
		start(line, from, error);
	} else {
		/* An empty set, and every line of the table in use elsewhere. */
		lines->evicted += from->samples;
		return;
	}
	add(line, from, cpu, node);
}

/**
 * memlat_lines_clear - make the table empty, keep its memory
 * @lines: the table
 */
void memlat_lines_clear(struct memlat_lines *lines)
{
	memset(lines->index, 0, (size_t)lines->sets * MEMLAT_LINES_WAYS * sizeof(*lines->index));
	lines->used = 0;
	lines->evicted = 0;
}
