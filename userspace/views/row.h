/* SPDX-License-Identifier: GPL-2.0 */
/* What rows of several views show alike. */
#ifndef MEMLAT_ROW_H
#define MEMLAT_ROW_H

#include <linux/memlat.h>

#include "json.h"
#include "text.h"

/* Cells: newly allocated text; NULL when there is no memory. */
char *row_text(const char *text);
char *row_number(__u64 number);
char *row_hex(__u64 number);
char *row_share(__u64 part, __u64 whole);
/* The part of each; "-" of none. */
char *row_average(__u64 sum, __u64 nr);
/* "chase:71", "kernel" for space 0, "chase:71 and others" */
char *row_process(const char comm[MEMLAT_COMM_BYTES], __u32 space, __u32 others);
/* "rhitm 93% l3 4%": where loads came from, the most first; "-" for none. */
char *row_sources(const __u64 source[MEMLAT_SRC_NR]);

/* JSON members; a share or an average of nothing is null. */
void row_put_ratio(struct json_object *object, const char *key, __u64 part,
		   __u64 whole);
void row_put_comm(struct json_object *object, const char *key,
		  const char comm[MEMLAT_COMM_BYTES]);
void row_put_hitm(struct json_object *object, const __u64 source[MEMLAT_SRC_NR]);

#endif
