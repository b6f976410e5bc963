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

/**
 * memlat_bucket_of - row of a latency
 * @latency: core cycles
 *
 * Without a branch that depends on the latency: sums compile to set-on-compare,
 * and a mispredicted branch per sample costs more than 13 compares.
 *
 * Return: 0 … MEMLAT_BUCKETS - 1.
 */
unsigned int memlat_bucket_of(u32 latency)
{
	unsigned int row = 0, i;

	for (i = 0; i < MEMLAT_BUCKETS - 1; i++)
		row += latency > memlat_bucket_edge[i];
	return row;
}
