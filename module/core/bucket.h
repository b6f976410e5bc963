/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency buckets. Upper edges, inclusive, in core cycles: half an octave
 * apart where the levels of a server part lie close together (L3 about 70,
 * HITM about 110, memory 200 to 600), an octave beyond.
 */
#ifndef MEMLAT_CORE_BUCKET_H
#define MEMLAT_CORE_BUCKET_H

#include <uapi/linux/memlat.h>

#include "types.h"

/* The octave that ends at 32 cycles; from there on up to the last of 32 bits. */
#define MEMLAT_OCTAVE_FIRST	5
#define MEMLAT_OCTAVES		(32 - MEMLAT_OCTAVE_FIRST + 1)

/**
 * struct memlat_octave - rows of one octave
 * @row: the first
 * @half: where the next one begins
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
 * For each sample, in NMI: so it neither looks through the edges nor branches on
 * the latency, which no predictor would know.
 *
 * Return: 0 … MEMLAT_BUCKETS - 1.
 */
static inline unsigned int memlat_bucket_of(u32 latency)
{
	/* Edges are inclusive: 64 is still of the octave that begins behind 32. */
	const u32 below = (latency - 1) | ((1U << MEMLAT_OCTAVE_FIRST) - 1);
	const struct memlat_octave *octave;

	octave = &memlat_octave[32 - __builtin_clz(below) - MEMLAT_OCTAVE_FIRST];
	return octave->row + (latency > octave->half);
}

#endif /* MEMLAT_CORE_BUCKET_H */
