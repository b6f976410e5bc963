/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency buckets. The upper edges are inclusive, in core cycles. They are half an octave apart up
 * to 1024, where the levels of a server part are close together (L3 about 70, HITM about 110,
 * memory 200 to 600), and an octave apart beyond.
 */
#ifndef MEMLAT_CORE_BUCKET_H
#define MEMLAT_CORE_BUCKET_H

#include <uapi/linux/memlat.h>

#include "types.h"

/* The first octave ends at 32 cycles; the last one ends at the largest number of 32 bits. */
#define MEMLAT_OCTAVE_FIRST	5
#define MEMLAT_OCTAVES		(32 - MEMLAT_OCTAVE_FIRST + 1)

/**
 * struct memlat_octave - the one or two rows of an octave
 * @row: the first row
 * @half: upper edge of the first row
 */
struct memlat_octave {
	u32 row;
	u32 half;
};

extern const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1];
extern const struct memlat_octave memlat_octave[MEMLAT_OCTAVES];

/**
 * memlat_bucket_of - row of a latency
 * @latency: core cycles, at least one
 *
 * Runs in NMI for each sample. So it does not search the edges, and has no branch on the latency,
 * which a branch predictor could not predict.
 *
 * Return: 0 … MEMLAT_BUCKETS - 1.
 */
static inline unsigned int memlat_bucket_of(u32 latency)
{
	/* Edges are inclusive: 64 still belongs to the octave of 33 to 64. */
	const u32 below = (latency - 1) | ((1U << MEMLAT_OCTAVE_FIRST) - 1);
	const struct memlat_octave *octave;

	octave = &memlat_octave[32 - __builtin_clz(below) - MEMLAT_OCTAVE_FIRST];
	return octave->row + (latency > octave->half);
}

#endif /* MEMLAT_CORE_BUCKET_H */
