// SPDX-License-Identifier: GPL-2.0
#include "self.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "snapshot_rows.h"

#define OWN_COMM	"memlat-ctl"

static bool is_own(const struct self_known *known, __u32 pid, __u32 gen)
{
	size_t i;

	for (i = 0; pid && i < known->nr; i++)
		if (known->process[i].pid == pid && known->process[i].gen == gen)
			return true;
	return false;
}

static bool is_own_thread(const struct memlat_rec_thread *thread)
{
	return !strncmp(thread->comm, OWN_COMM, sizeof(thread->comm));
}

void self_find(struct self_known *known, const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (!is_own_thread(thread) || is_own(known, thread->tgid, thread->gen))
			continue;
		ARRAY_GROW(known->process, known->nr + 1, known->room);
		known->process[known->nr++] = (struct self_process){ thread->tgid, thread->gen };
	}
}

void self_free(struct self_known *known)
{
	free(known->process);
	memset(known, 0, sizeof(*known));
}

bool self_has(const struct self_known *known, enum snapshot_table table, const void *row)
{
	const struct memlat_rec_line *line = row;
	const struct memlat_rec_site *site = row;
	const struct memlat_rec_access *access = row;
	const struct memlat_rec_stride *stride = row;
	const struct memlat_rec_stack *stack = row;

	if (!known->nr)
		return false;
	switch (table) {
	case TABLE_LINES:
		/* A line that others use too is theirs as well. */
		return !line->shared && is_own(known, line->space, line->gen);
	case TABLE_SITES:
		return is_own(known, site->space, site->gen);
	case TABLE_ACCESSES:
		/* Lines of the kernel's data belong to everybody, and stay. */
		return !kernel_address(access->addr) && is_own(known, access->tgid, access->gen);
	case TABLE_STRIDES:
		return is_own(known, stride->space, stride->gen);
	case TABLE_STACKS:
		return is_own(known, stack->tgid, stack->gen);
	default:
		return false;
	}
}

void self_count(const struct snapshot *snap, struct own_left_out *own)
{
	size_t i;

	memset(own, 0, sizeof(*own));
	for (i = 0; i < snap->nr_threads; i++)
		if (is_own_thread(&snap->threads[i])) {
			own->samples += snap->threads[i].samples;
			own->cost += snap->threads[i].cost;
		}
}

static void leave_out(struct snapshot *snap, enum snapshot_table table,
		      const struct self_known *known)
{
	const size_t size = row_kinds[table].size;
	struct snapshot_rows *rows = &snap->rows[table];
	size_t i, kept = 0;

	for (i = 0; i < rows->nr; i++) {
		const void *row = row_at(snap, table, i);

		if (table == TABLE_THREADS ? is_own_thread(row) : self_has(known, table, row))
			continue;
		/* Most rows keep their place, and need not be copied. */
		if (kept != i)
			memcpy(row_at(snap, table, kept), row, size);
		kept++;
	}
	rows->nr = kept;
}

void self_leave_out(struct snapshot *snap, struct own_left_out *left_out)
{
	struct self_known known = { 0 };

	self_count(snap, left_out);
	self_find(&known, snap);
	if (known.nr) {
		leave_out(snap, TABLE_LINES, &known);
		leave_out(snap, TABLE_SITES, &known);
		leave_out(snap, TABLE_ACCESSES, &known);
		leave_out(snap, TABLE_STRIDES, &known);
		leave_out(snap, TABLE_THREADS, &known);
	}
	self_free(&known);
}
