// SPDX-License-Identifier: GPL-2.0
/* Strides: the steps between an instruction's loads. */
#include "hash.h"
#include "origin.h"
#include "strides.h"

struct key {
	u64 ip;
	u64 step;
	u32 space;
	u32 gen;
};

static bool memlat_strides_kind_same(const void *record, const void *k)
{
	const struct memlat_rec_stride *stride = record;
	const struct key *key = k;

	return stride->ip == key->ip && (u64)stride->step == key->step &&
	       stride->space == key->space && stride->gen == key->gen;
}

MEMLAT_TABLE_KIND(memlat_strides_kind, MEMLAT_REC_STRIDE, memlat_rec_stride, pairs);

/**
 * memlat_strides_add - add the pairs of a step to their stride
 * @strides: the table
 * @step: the pairs of one CPU
 */
void memlat_strides_add(struct memlat_table *strides, const struct memlat_step *step)
{
	const bool kernel = memlat_is_kernel(step->ip);
	const struct key key = {
		.ip = step->ip,
		.step = step->step,
		.space = kernel ? 0 : step->tgid,
		.gen = kernel ? 0 : step->gen,
	};
	const u64 hash = memlat_hash(memlat_hash(memlat_hash(0, key.ip), key.step),
				     (u64)key.space << 32 | key.gen);
	struct memlat_rec_stride *stride;

	stride = memlat_table_get(strides, &memlat_strides_kind, hash, &key, step->pairs);
	if (!stride)
		return;
	if (!stride->pairs) {
		stride->ip = key.ip;
		stride->step = key.step;
		stride->space = key.space;
		stride->gen = key.gen;
	}
	stride->pairs += step->pairs;
	stride->stlb_miss += step->stlb_miss;
	stride->new_page += step->new_page;
	stride->onward += step->onward;
	stride->turned += step->turned;
	stride->latency_sum += step->latency_sum;
}
