/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data TLBs of one core, a DTLB and an STLB after it. Only the thread that runs the core
 * accesses them, so there is no lock.
 *
 * An entry is identified by virtual and physical page together. So the same address in two address
 * spaces makes two entries, CR3 need not be known, and a page that got another frame misses without
 * a flush.
 */
#ifndef VPEBS_TLB_H
#define VPEBS_TLB_H

#include "config.h"

enum vp_tlb_result {
	VP_TLB_HIT,
	VP_TLB_STLB_HIT,
	VP_TLB_MISS
};

struct vp_tlb_array {
	unsigned int mask;	/* sets - 1 */
	unsigned int ways;
	uint64_t *tag;		/* by set, then most recently used first; 0: empty */
};

struct vp_tlb {
	uint64_t last_vpn;	/* of the latest access, ~0: none */
	uint64_t last_ppn;
	struct vp_tlb_array dtlb;
	struct vp_tlb_array stlb;
};

int vp_tlb_init(struct vp_tlb *tlb, const struct vp_geometry *dtlb,
		const struct vp_geometry *stlb);	/* 0 or -ENOMEM */
void vp_tlb_destroy(struct vp_tlb *tlb);
void vp_tlb_flush(struct vp_tlb *tlb);
enum vp_tlb_result vp_tlb_lookup_slow(struct vp_tlb *tlb, uint64_t vpn, uint64_t ppn);

static inline enum vp_tlb_result vp_tlb_lookup(struct vp_tlb *tlb, uint64_t vaddr,
					       uint64_t paddr)
{
	uint64_t vpn = vaddr >> VP_PAGE_SHIFT;
	uint64_t ppn = paddr >> VP_PAGE_SHIFT;

	if (tlb->last_vpn == vpn && tlb->last_ppn == ppn)
		return VP_TLB_HIT;
	return vp_tlb_lookup_slow(tlb, vpn, ppn);
}

#endif
