/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_LINES_H
#define MEMLAT_CORE_LINES_H

#include <uapi/linux/memlat.h>

#include "shard.h"

#define MEMLAT_LINES_WAYS	16
#define MEMLAT_LINES_PER_CHUNK	170

/**
 * struct memlat_lines_chunk - lines that were allocated together
 * @line: the lines, in the form in which read() gives them
 */
struct memlat_lines_chunk {
	struct memlat_rec_line line[MEMLAT_LINES_PER_CHUNK];
};

/**
 * struct memlat_lines - the session's table of lines, bounded
 * @index: MEMLAT_LINES_WAYS * @sets numbers of lines + 1, 0: free
 * @sets: a power of two
 * @chunk: where the lines are; grows up to @max_chunks, by its owner
 * @chunks: how many there are
 * @max_chunks: how many there may be
 * @used: lines in the table
 * @evicted: samples of lines that had to leave
 */
struct memlat_lines {
	u32 *index;
	u32 sets;
	struct memlat_lines_chunk **chunk;
	u32 chunks;
	u32 max_chunks;
	u32 used;
	u64 evicted;
};

void memlat_lines_merge(struct memlat_lines *lines, const struct memlat_shard_line *from,
			unsigned int cpu, unsigned int node);
void memlat_lines_clear(struct memlat_lines *lines);

static inline struct memlat_rec_line *memlat_lines_at(const struct memlat_lines *lines, u32 nr)
{
	return &lines->chunk[nr / MEMLAT_LINES_PER_CHUNK]->line[nr % MEMLAT_LINES_PER_CHUNK];
}

/**
 * memlat_lines_free - lines that can still be added without evicting
 * @lines: the table
 */
static inline u32 memlat_lines_free(const struct memlat_lines *lines)
{
	return lines->chunks * MEMLAT_LINES_PER_CHUNK - lines->used;
}

#endif /* MEMLAT_CORE_LINES_H */
