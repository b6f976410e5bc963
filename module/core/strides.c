// SPDX-License-Identifier: GPL-2.0
/* Strides: the steps that an instruction's loads take. */
#include "hash.h"
#include "origin.h"
#include "strides.h"

static_assert(sizeof(struct memlat_rec_stride) <= MEMLAT_REC_MAX);
static_assert(sizeof(struct memlat_rec_stride) % 8 == 0);
static_assert(offsetof(struct memlat_rec_stride, error) ==
	      offsetof(struct memlat_rec_stride, pairs) + sizeof(u64));

struct key {
	u64 ip;
	u64 step;
	u32 space;
	u32 gen;
};

static bool same(const void *record, const void *k)
{
	const struct memlat_rec_stride *stride = record;
	const struct key *key = k;

	return stride->ip == key->ip && (u64)stride->step == key->step &&
	       stride->space == key->space && stride->gen == key->gen;
}

static void start(void *record)
{
	*(struct memlat_rec_stride *)record = (struct memlat_rec_stride) {
		.hdr = { MEMLAT_REC_STRIDE, sizeof(struct memlat_rec_stride) },
	};
}

const struct memlat_table_kind memlat_strides_kind = {
	.type = MEMLAT_REC_STRIDE,
	.size = sizeof(struct memlat_rec_stride),
	.samples = offsetof(struct memlat_rec_stride, pairs),
	.same = same,
	.start = start,
};

/**
 * memlat_strides_add - add a CPU's pairs to their stride
 * @strides: the table
 * @step: the pairs
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
