// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: from the records in this CPU's buffer to its active shard.
 */
#include <linux/irq_work.h>
#include <linux/sched.h>

#include "pebs.h"

/**
 * memlat_pebs_drain - take all records out of this CPU's buffer
 * @c: this CPU's state; its counters are stopped
 * @model: its row
 *
 * In NMI, or with interrupts off; the buffer holds records of current alone,
 * because it is drained whenever a task leaves.
 *
 * Return: whether there was anything.
 */
bool memlat_pebs_drain(struct memlat_cpu *c, const struct memlat_cpu_model *model)
{
	const unsigned int size = model->layout->size;
	struct memlat_shard *shard = c->active;
	u64 at = c->base, end = READ_ONCE(c->ds->pebs_index);
	const bool wanted = c->wanted;
	const u32 space = current->tgid;
	const char *comm = current->group_leader->comm;

	if (end == at)
		return false;
	/* Whatever else happens, the next record starts at the base. */
	WRITE_ONCE(c->ds->pebs_index, at);

	if (unlikely(end < at || end > c->max || (end - at) % size)) {
		/* How many there were can't be known any more. */
		shard->count[MEMLAT_COUNT_RECORDS]++;
		shard->count[MEMLAT_COUNT_MALFORMED]++;
		return true;
	}
	shard->count[MEMLAT_COUNT_RECORDS] += (u32)(end - at) / size;
	shard->count[MEMLAT_COUNT_FULL_PMIS] += end == c->max;

	if (unlikely(!wanted)) {
		shard->count[MEMLAT_COUNT_FILTERED] += (u32)(end - at) / size;
		return true;
	}

	for (; at < end; at += size) {
		struct memlat_sample s;

		switch (memlat_record_decode(model->layout, model->sources,
					     BIT_ULL(model->load_counter),
					     (const void *)at, &s)) {
		case MEMLAT_VERDICT_SAMPLE:
			/* Kernel addresses are one space, whoever touches them. */
			s.space = (s64)s.addr < 0 ? 0 : space;
			s.comm = comm;
			memlat_shard_add(shard, &s);
			break;
		case MEMLAT_VERDICT_COLLISION:
			shard->count[MEMLAT_COUNT_COLLISION]++;
			break;
		case MEMLAT_VERDICT_MALFORMED:
			shard->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
	}
	if (memlat_shard_is_crowded(shard))
		irq_work_queue(&c->kick);
	return true;
}
