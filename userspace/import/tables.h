/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's own tables (module/core), filled with samples that somebody else took: so a row
 * means what it means of a session, and memory is bounded.
 */
#ifndef MEMLAT_IMPORT_TABLES_H
#define MEMLAT_IMPORT_TABLES_H

#include <stdbool.h>

#include "../../module/core/accesses.h"
#include "../../module/core/lines.h"
#include "../../module/core/sites.h"
#include "../../module/core/stacks.h"
#include "../../module/core/threads.h"
#include "../profile/snapshot.h"

struct import_tables {
	struct snapshot *snap;		/* what is of all samples together goes there at once */
	struct memlat_table lines, sites, accesses, threads, stacks;
	struct memlat_rec_core core;
};

/* snap: empty. bytes: all that the tables may take. */
void import_tables_begin(struct import_tables *tables, struct snapshot *snap, __u64 bytes,
			 bool stacks);

/* A sample beside what a cell has of it. */
struct import_more {
	const struct memlat_shard_thread *who;
	const struct memlat_shard_stack *stack;	/* NULL: none */
	__u64 cpu, node;	/* their bits; 0: not known */
	__u32 use_latency;	/* where there are two; else 0 */
	__u32 word;		/* of its source */
	__u8 snoop;
};

/* cell: of one sample. */
void import_tables_add(struct import_tables *tables, struct memlat_cell *cell,
		       const struct import_more *more);

/* All samples are in: hand their rows to the snapshot, with what they add up to. */
void import_tables_end(struct import_tables *tables);

#endif
