/* SPDX-License-Identifier: GPL-2.0 */
/* What rows of several views show alike. */
#ifndef MEMLAT_ROW_H
#define MEMLAT_ROW_H

#include <linux/memlat.h>

#include "../util/json.h"
#include "../util/text.h"
#include "report.h"

/* "chase:71", "kernel" for space 0, "chase:71 and others" */
struct cell row_process_cell(struct cell_room *room, const char comm[MEMLAT_COMM_BYTES],
			     __u32 space, __u32 others);
/*
 * "rhitm 93% l3 4%": where loads came from, the most first; "-" for none. part: of
 * these, by enum memlat_part. Newly allocated.
 */
char *row_sources(const __u64 source[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR]);

/* JSON members. */
void row_put_comm(struct json_object *object, const char *key,
		  const char comm[MEMLAT_COMM_BYTES]);
void row_put_hitm(struct json_object *object, const __u64 source[MEMLAT_SRC_NR]);

#endif
