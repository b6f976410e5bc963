// SPDX-License-Identifier: GPL-2.0
#include "line_sum.h"

void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from)
{
	unsigned int i;

	to->samples += from->samples;
	to->error += from->error;
	to->latency_sum += from->latency_sum;
	if (from->latency_max > to->latency_max)
		to->latency_max = from->latency_max;
	to->locked += from->locked;
	to->stlb_miss += from->stlb_miss;
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		to->source[i] += from->source[i];
		to->latency[i] += from->latency[i];
	}
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		to->slot[i] += from->slot[i];
		to->slot_hitm[i] += from->slot_hitm[i];
		to->slot_store[i] += from->slot_store[i];
		to->slot_xsnp_fwd[i] += from->slot_xsnp_fwd[i];
	}
	to->cpus |= from->cpus;
	to->nodes |= from->nodes;
	to->hitm_nodes |= from->hitm_nodes;
	if (to->space != from->space || to->gen != from->gen)
		to->shared = 1;
	if (to->home == MEMLAT_NODE_UNKNOWN)
		to->home = from->home;
	to->stores += from->stores;
	to->store_l1_hit += from->store_l1_hit;
	to->weight += from->weight;
	to->cost += from->cost;
	to->bytes_loaded |= from->bytes_loaded;
	to->bytes_stored |= from->bytes_stored;
	to->store_cpus |= from->store_cpus;
	to->store_nodes |= from->store_nodes;
	to->blocked_data += from->blocked_data;
	to->blocked_addr += from->blocked_addr;
	to->xsnp_fwd += from->xsnp_fwd;
	to->xsnp_fwd_latency += from->xsnp_fwd_latency;
	to->not_memory += from->not_memory;
	to->store_hitm += from->store_hitm;
	to->store_xsnp_fwd += from->store_xsnp_fwd;
	to->store_latency_sum += from->store_latency_sum;
}
