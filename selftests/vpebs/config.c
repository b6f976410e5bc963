// SPDX-License-Identifier: GPL-2.0
/* Sizes and latencies of the emulated machines. */
#include "config.h"

/*
 * Skylake-SP. The sizes are from Intel's documentation. The latencies are about those that
 * load-to-use measurements give on two-socket machines at about 2.5 GHz. What matters is that the
 * levels differ clearly, in the order and the proportions of silicon.
 *
 * The window is much smaller than the 72 entries of the load buffer: code that shares data mostly
 * depends on what it loads, so the core has nothing left to execute long before the buffer is full.
 */
const struct vp_config vp_config_skx = {
	.name		= "skx",
	.l1		= { .sets = 64, .ways = 8 },		/* 32 KiB */
	.l2		= { .sets = 1024, .ways = 16 },		/* 1 MiB */
	.l3		= { .sets = 2048, .ways = 11 },		/* 1.375 MiB per core */
	.dtlb		= { .sets = 16, .ways = 4 },		/* 64 pages */
	.stlb		= { .sets = 128, .ways = 12 },		/* 1536 pages */
	.fill_buffers	= 12,
	.window		= 24,
	.stlb_hit	= 9,
	.walk		= { 35, 5 },
	.latency	= {
		[VP_UNKNOWN]	= { 220, 0 },
		[VP_L1]		= { 5, 0 },
		[VP_LFB]	= { 5, 0 },	/* added to the remaining time of the fill */
		[VP_L2]		= { 14, 1 },
		[VP_L3]		= { 58, 8 },
		[VP_L3_MISS]	= { 70, 8 },
		[VP_L3_CLEAN]	= { 76, 8 },
		[VP_L3_HITM]	= { 110, 10 },
		[VP_PMEM]	= { 400, 20 },
		[VP_RPMEM]	= { 550, 20 },
		[VP_DRAM]	= { 220, 20 },
		[VP_RDRAM]	= { 380, 20 },
		[VP_RCACHE]	= { 300, 20 },
		[VP_RHITM]	= { 345, 20 },
		[VP_IO]		= { 800, 20 },
		[VP_UNC]	= { 600, 20 },
	},
};
