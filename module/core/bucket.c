// SPDX-License-Identifier: GPL-2.0
/*
 * Latency buckets. Upper edges, inclusive, in core cycles: half an octave
 * apart where the levels of a server part lie close together (L3 about 70,
 * HITM about 110, memory 200 to 600), an octave beyond.
 */
#include "bucket.h"

const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1] = {
	32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096,
};

/* The octave that ends at 32 cycles, and the one beyond 4096. */
#define FIRST_OCTAVE	5
#define LAST_OCTAVE	13

/* Of each octave its first row, and where the next row of it begins. */
static const struct {
	u16 row;
	u16 half;
} octave[LAST_OCTAVE - FIRST_OCTAVE] = {
	{ 0, 32 }, { 1, 45 }, { 3, 90 }, { 5, 180 }, { 7, 360 }, { 9, 724 },
	{ 11, 2048 }, { 12, 4096 },
};

/**
 * memlat_bucket_of - row of a latency
 * @latency: core cycles
 *
 * Twice for each sample, in NMI: so it neither looks through the edges nor
 * branches on the latency, which no predictor would know.
 *
 * Return: 0 … MEMLAT_BUCKETS - 1.
 */
unsigned int memlat_bucket_of(u32 latency)
{
	/* Edges are inclusive: 64 is still of the octave that begins behind 32. */
	const u32 below = (latency - !!latency) | ((1U << FIRST_OCTAVE) - 1);
	unsigned int i = 32 - __builtin_clz(below) - FIRST_OCTAVE;

	if (i >= LAST_OCTAVE - FIRST_OCTAVE)
		return MEMLAT_BUCKETS - 1;
	return octave[i].row + (latency > octave[i].half);
}
