// SPDX-License-Identifier: GPL-2.0
#include "bucket.h"

const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1] = {
	32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096,
};

const struct memlat_octave memlat_octave[MEMLAT_OCTAVES] = {
	{ 0, 32 }, { 1, 45 }, { 3, 90 }, { 5, 180 }, { 7, 360 }, { 9, 724 },
	{ 11, 2048 }, { 12, 4096 },
	[8 ... MEMLAT_OCTAVES - 1] = { MEMLAT_BUCKETS - 1, ~0U },
};
