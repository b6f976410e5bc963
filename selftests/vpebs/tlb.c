// SPDX-License-Identifier: GPL-2.0
/* Data TLBs of one core. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tlb.h"

static int array_init(struct vp_tlb_array *array, const struct vp_geometry *geometry)
{
	array->mask = geometry->sets - 1;
	array->ways = geometry->ways;
	array->tag = calloc((size_t)geometry->sets * geometry->ways, sizeof(*array->tag));
	return array->tag ? 0 : -ENOMEM;
}

int vp_tlb_init(struct vp_tlb *tlb, const struct vp_geometry *dtlb,
		const struct vp_geometry *stlb)
{
	memset(tlb, 0, sizeof(*tlb));
	if (array_init(&tlb->dtlb, dtlb) || array_init(&tlb->stlb, stlb)) {
		vp_tlb_destroy(tlb);
		return -ENOMEM;
	}
	vp_tlb_flush(tlb);
	return 0;
}

void vp_tlb_destroy(struct vp_tlb *tlb)
{
	free(tlb->dtlb.tag);
	free(tlb->stlb.tag);
	memset(tlb, 0, sizeof(*tlb));
}

static void array_flush(struct vp_tlb_array *array)
{
	memset(array->tag, 0,
	       ((size_t)array->mask + 1) * array->ways * sizeof(*array->tag));
}

void vp_tlb_flush(struct vp_tlb *tlb)
{
	array_flush(&tlb->dtlb);
	array_flush(&tlb->stlb);
	tlb->last_vpn = ~0ULL;
	tlb->last_ppn = ~0ULL;
}

/*
 * Look for a tag in its set, which is kept in order of use. In any case the tag is put first, as
 * the most recently used.
 */
static bool array_touch(struct vp_tlb_array *array, uint64_t vpn, uint64_t tag)
{
	uint64_t *set = array->tag + (vpn & array->mask) * array->ways;
	unsigned int way;

	if (set[0] == tag)
		return true;
	for (way = 1; way < array->ways - 1; way++)
		if (set[way] == tag)
			break;
	bool found = way < array->ways && set[way] == tag;

	if (way < array->ways)
		memmove(set + 1, set, way * sizeof(*set));
	set[0] = tag;
	return found;
}

enum vp_tlb_result vp_tlb_lookup_slow(struct vp_tlb *tlb, uint64_t vpn, uint64_t ppn)
{
	/*
	 * A linear address has a page number of 36 bits. This leaves 28 bits for the frame, which
	 * are enough for 1 TiB. With five levels of page tables the page number has 45 bits, so two
	 * mappings of one frame that are 2^48 bytes apart share an entry. 0 means empty, so the
	 * bits are inverted: no canonical page is ~0 together with such a frame.
	 */
	uint64_t tag = ~((vpn << 28) | (ppn & 0xfffffff));

	tlb->last_vpn = vpn;
	tlb->last_ppn = ppn;
	if (array_touch(&tlb->dtlb, vpn, tag))
		return VP_TLB_HIT;
	if (array_touch(&tlb->stlb, vpn, tag))
		return VP_TLB_STLB_HIT;
	return VP_TLB_MISS;
}
