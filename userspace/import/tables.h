/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's own tables (module/core), filled with another tool's samples. So a row means the
 * same as in a session, and memory is bounded.
 */
#ifndef MEMLAT_IMPORT_TABLES_H
#define MEMLAT_IMPORT_TABLES_H

#include <stdbool.h>

#include "../../module/core/shard.h"
#include "../../module/core/tables.h"
#include "../profile/snapshot.h"

struct import_tables {
	struct snapshot *snap;		/* receives the totals of all samples at once */
	struct memlat_tables rows;
	struct memlat_rec_core core;
};

/* snap: empty. bytes: limit of the memory of all tables. flags: MEMLAT_F_*, which tables there are. */
void import_tables_begin(struct import_tables *tables, struct snapshot *snap, __u64 bytes,
			 __u32 flags);

/* Facts about a sample that its cell does not have. */
struct import_more {
	const struct memlat_shard_thread *who;
	const struct memlat_shard_stack *stack;	/* NULL: none */
	__u64 cpu, node;	/* bits of both; 0: not known */
	__u32 use_latency;	/* if there are two latencies; otherwise 0 */
	__u32 word;		/* the source word */
	__u16 flags;		/* MEMLAT_WORD_* */
	__u8 snoop;
};

/* cell: made from one sample. */
void import_tables_add(struct import_tables *tables, struct memlat_cell *cell,
		       const struct import_more *more);

/*
 * The cell was a load of this burst, and last has MEMLAT_STEP_IPS loads of its CPU: add the step from the
 * load before.
 */
void import_tables_neighbour(struct import_tables *tables, struct memlat_step_ip *last, __u64 burst,
			     const struct memlat_cell *cell);

/* All samples were added: move the rows and their sums to the snapshot. */
void import_tables_end(struct import_tables *tables);

#endif
