// SPDX-License-Identifier: GPL-2.0
/*
 * Source words: how each kind of core encodes where a load's data came from. SDM vol. 3B, "Data
 * Source Encoding for Load Latency Record", and Linux' arch/x86/events/intel/ds.c for all that the
 * SDM leaves out.
 *
 * If a core has no code for a source, it writes the next best code that is true, or 0.
 */
#include "model.h"

/* What all of them have in common, except Lion Cove. */
#define CORE								\
	[VP_L1] = 1, [VP_LFB] = 2, [VP_L2] = 3, [VP_L3] = 4,		\
	[VP_DRAM] = 0xa, [VP_RDRAM] = 0xb, [VP_IO] = 0xe, [VP_UNC] = 0xf

/* Snoop results of L3. At first a snoop that missed had the same code as no snoop. */
#define L3_OLD	[VP_L3_MISS] = 4, [VP_L3_CLEAN] = 5, [VP_L3_HITM] = 6
#define L3	[VP_L3_MISS] = 5, [VP_L3_CLEAN] = 6, [VP_L3_HITM] = 7

#define REMOTE	[VP_RCACHE] = 8, [VP_RHITM] = 9

/* The same codes as enum vp_code. */
#define OWN	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf

#define STLB_AND_LOCK	.stlb_miss = 1 << 4, .locked = 1 << 5

/* No TLB and lock bits. A snoop that missed has the same code as no snoop. */
const struct vp_encoding vp_encoding_nhm = {
	.code = { CORE, L3_OLD, REMOTE },
};

const struct vp_encoding vp_encoding_wsm = {
	.code = { CORE, L3_OLD, REMOTE },
	STLB_AND_LOCK,
};

/* Also Ivy Bridge. A precise store has three bits. */
const struct vp_encoding vp_encoding_snb = {
	.code = { CORE, L3, REMOTE },
	STLB_AND_LOCK,
	.store_l1_hit = 1 << 0,
	.store_stlb_miss = 1 << 4,
	.store_locked = 1 << 5,
};

/* Also Broadwell. A store only has whether it hit L1. */
const struct vp_encoding vp_encoding_hsw = {
	.code = { CORE, L3, REMOTE },
	STLB_AND_LOCK,
	.store_l1_hit = 1 << 0,
};

/* Skylake to Cooper Lake, clients and servers, have the codes of enum vp_code. */
const struct vp_encoding vp_encoding_skl = {
	.code = { OWN },
	STLB_AND_LOCK,
	.store_l1_hit = 1 << 0,
};

/*
 * Since Ice Lake, code 7 means that a core of this socket forwarded the line, which may be clean or
 * modified. Intel's event list of Tiger Lake says this about a retired load, "Snoop hit a
 * modified(HITM) or clean line(HIT_W_FWD) in another on-pkg core which forwarded the data back",
 * and Intel confirmed it for the source word (lore.kernel.org,
 * 05d29733-cfc4-42e1-bbb1-a496d9522d0e@linux.intel.com).
 */
#define FORWARDED_OR_MODIFIED	0, 1, 2, 3, 4, 5, 7, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf

/* Ice, Tiger and Rocket Lake, and Ice Lake's servers. */
const struct vp_encoding vp_encoding_icl = {
	.code = { FORWARDED_OR_MODIFIED },
	STLB_AND_LOCK,
	.store_l1_hit = 1 << 0,
};

/* Golden Cove to Granite Rapids and Meteor Lake: stores have codes too. */
const struct vp_encoding vp_encoding_glc = {
	.code = { FORWARDED_OR_MODIFIED },
	STLB_AND_LOCK,
};

/* Gracemont: the two bits are swapped, and 6 means what 7 means on others. */
const struct vp_encoding vp_encoding_grt = {
	.code = { CORE, L3_OLD, [VP_RHITM] = 9 },
	.stlb_miss = 1 << 5,
	.locked = 1 << 4,
};

/* Crestmont and Skymont. */
const struct vp_encoding vp_encoding_cmt = {
	.code = {
		CORE, [VP_L3_MISS] = 5, [VP_L3_CLEAN] = 6, [VP_L3_HITM] = 8,
		[VP_RCACHE] = 0xc, [VP_RHITM] = 0xd,
	},
	.stlb_miss = 1 << 6,
	.locked = 1 << 5,
};

/* Lion Cove: the code is a byte, and the only code of another socket is "modified". */
const struct vp_encoding vp_encoding_lnc = {
	.code = {
		[VP_L1] = 1, [VP_LFB] = 3, [VP_L2] = 5, [VP_L3] = 8, [VP_L3_MISS] = 8,
		[VP_L3_CLEAN] = 0xc, [VP_L3_HITM] = 0xd, [VP_RHITM] = 0xf, [VP_DRAM] = 0x11,
	},
	.stlb_miss = 1 << 10,
	.locked = 1 << 11,
	.wide = true,
};

/*
 * Panther Cove and Coyote Cove, Arctic Wolf. Bit 8 is a miss in L2; then bits 3:0 are the source of
 * an OMR (off-module response), 4 "remote", 5 "modified", 6 and 7 what the snoop found. Intel's
 * text (Instruction Set Extensions, 16.2) was not available. Intel's event list of
 * Coyote Cove has the sources as a mask at bit 32 of MSR_OMR: MEM_LOAD_L2_MISS_RETIRED.
 * L3_HIT_SAME_CBB sets 34, so it is 2; MEM_REGION_1 sets 41, so it is 9; L3_MISS sets 36 to 41, so
 * it is 4 and up. All else is from Intel's patch for Linux (lore.kernel.org,
 * 20260114011750.350569-3-dapeng1.mi@linux.intel.com) and the one after it.
 */
#define L2_MISS		0x100
#define OMR_REMOTE	0x10
#define OMR_MODIFIED	0x20
#define OMR_SNOOP_MISS	0x40
#define OMR_FORWARDED	0x40
#define OMR_NO_SNOOP	0xc0
#define OMR(source, how)	(L2_MISS | (source) | (how))

#define BEYOND_L2							\
	[VP_L3] = OMR(2, OMR_NO_SNOOP), [VP_L3_MISS] = OMR(2, OMR_SNOOP_MISS),	\
	[VP_L3_CLEAN] = OMR(3, OMR_FORWARDED), [VP_L3_HITM] = OMR(3, OMR_MODIFIED), \
	[VP_RCACHE] = OMR(6, OMR_REMOTE | OMR_FORWARDED),		\
	[VP_RHITM] = OMR(6, OMR_REMOTE | OMR_MODIFIED),			\
	[VP_DRAM] = OMR(8, 0), [VP_RDRAM] = OMR(8, OMR_REMOTE), [VP_IO] = OMR(4, 0)

#define STLB_AND_LOCK_OMR	.stlb_miss = 1 << 11, .locked = 1 << 12, .omr = true

const struct vp_encoding vp_encoding_pnc = {
	.code = { [VP_L1] = 2, [VP_LFB] = 3, [VP_L2] = 4, [VP_UNC] = 0xf, BEYOND_L2 },
	STLB_AND_LOCK_OMR,
};

const struct vp_encoding vp_encoding_arw = {
	.code = { [VP_L1] = 1, [VP_LFB] = 2, [VP_L2] = 3, [VP_UNC] = 6, BEYOND_L2 },
	STLB_AND_LOCK_OMR,
};

uint32_t vp_encode_load(const struct vp_encoding *e, const struct vp_access *a,
			const struct vp_outcome *o)
{
	return e->code[o->code & (VP_CODES - 1)] | (o->stlb_miss ? e->stlb_miss : 0u) |
	       (a->locked ? e->locked : 0u);
}

uint32_t vp_encode_store(const struct vp_encoding *e, const struct vp_access *a,
			 const struct vp_outcome *o)
{
	if (!e->store_l1_hit)
		return vp_encode_load(e, a, o);
	return (o->l1_hit ? e->store_l1_hit : 0u) | (o->stlb_miss ? e->store_stlb_miss : 0u) |
	       (a->locked ? e->store_locked : 0u);
}

unsigned int vp_encoding_words(const struct vp_encoding *e)
{
	return e->omr ? 0x200 * 4 : e->wide ? 0x40 * 16 : 0x100;
}

uint32_t vp_encoding_word(const struct vp_encoding *e, unsigned int n)
{
	n %= vp_encoding_words(e);
	/* Each code is combined with four of the 16 sets of flags, and other codes with others. */
	if (e->omr)
		return (n & 0x1ff) | ((n + 5 * (n >> 9)) & 15) << 11;
	return e->wide ? (n & 0x3f) | (n >> 6) << 10 : n;
}

unsigned int vp_encoding_raw(const struct vp_encoding *e, uint32_t word)
{
	unsigned int code = word & 0xff;

	if (e->omr)
		return (word & 0x1ff) | (word >> 11 & 15) << 9;
	if (!e->wide)
		return code;
	return (code > 0x1f ? 0x1f : code) | (word >> 10 & 15) << 5;
}

unsigned int vp_encoding_seen(const struct vp_encoding *e, unsigned int code)
{
	unsigned int first = 0;

	code &= VP_CODES - 1;
	/* Both have one word, so a reader cannot rule out that the line was modified. */
	if (code == VP_L3_CLEAN && e->code[code] == e->code[VP_L3_HITM])
		return VP_L3_HITM;
	if (code == VP_L3_HITM)
		return code;
	while (e->code[first] != e->code[code])
		first++;
	return first;
}
