/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that is emulated: topology, and what an access looks like. */
#ifndef VPEBS_MACHINE_H
#define VPEBS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define VP_MAX_CPUS	64
#define VP_MAX_NODES	8
#define VP_LINE_BYTES	64
#define VP_LINE_SHIFT	6
#define VP_PAGE_SHIFT	12

/* The topology that QEMU emulates. The socket of a CPU is its node. */
struct vp_topology {
	unsigned int cpus;
	unsigned int nodes;
	uint64_t node_mem[VP_MAX_NODES];	/* bytes, laid out node after node from 0 */
};

static inline unsigned int vp_node_of_cpu(const struct vp_topology *t, unsigned int cpu)
{
	return cpu * t->nodes / t->cpus;
}

/* One load or store, as the CPU makes it. */
struct vp_access {
	unsigned int cpu;
	bool store;
	bool user;
	bool locked;
	unsigned int size;		/* bytes */
	uint64_t ip;
	uint64_t vaddr;
	uint64_t paddr;
};

/*
 * Where the data came from, as this machine encodes it, which is bits 3:0 of a Skylake server's
 * source word. encoding.c has the encodings of other cores.
 */
enum vp_code {
	VP_UNKNOWN	= 0x0,
	VP_L1		= 0x1,
	VP_LFB		= 0x2,
	VP_L2		= 0x3,
	VP_L3		= 0x4,	/* L3 hit, no other core had to be asked */
	VP_L3_MISS	= 0x5,	/* L3 hit, a core was asked and had dropped it */
	VP_L3_CLEAN	= 0x6,	/* a core of this socket had it clean, and forwarded it */
	VP_L3_HITM	= 0x7,	/* a core of this socket had it modified */
	VP_PMEM		= 0x8,	/* this and the next: never made by this machine */
	VP_RPMEM	= 0x9,
	VP_DRAM		= 0xa,
	VP_RDRAM	= 0xb,
	VP_RCACHE	= 0xc,	/* another socket forwarded it clean */
	VP_RHITM	= 0xd,	/* another socket had it modified */
	VP_IO		= 0xe,
	VP_UNC		= 0xf,
	VP_CODES	= 16
};

/* The result of an access. */
struct vp_outcome {
	uint8_t code;			/* enum vp_code */
	bool l1_hit;			/* load: in L1 and filled; store: also writable there */
	bool stlb_miss;
	uint32_t latency;		/* core cycles that memory took; L1: 5 */
	uint32_t wait;			/* beside that, where the core tells both; 0: never waits */
	uint32_t prefetches;		/* lines that it made each prefetcher fetch (prefetch.h) */
	uint32_t walk;			/* of latency: the page walk */
};

/* From the load's dispatch until its data can be used; the threshold applies to this. */
static inline uint32_t vp_use_latency(const struct vp_outcome *outcome)
{
	return outcome->latency + outcome->wait;
}

#endif
