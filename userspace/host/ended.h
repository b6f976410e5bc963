/* SPDX-License-Identifier: GPL-2.0 */
/* Why a session ended, and what to do about it. */
#ifndef MEMLAT_ENDED_H
#define MEMLAT_ENDED_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

/* Did the session end without anybody asking for it? */
bool ended_by_itself(const struct memlat_status *status);

/* For machines: "stopped", "takeover", ...; NULL for reasons not known here. */
const char *ended_name(__u32 ended);
/* For people: "someone else programmed the PMU" */
const char *ended_text(__u32 ended);
/* In two or three words: "PMU taken over". */
const char *ended_short(__u32 ended);
/* Print what to do, in indented lines; nothing if there is nothing to do. */
void ended_print_way_out(FILE *out, __u32 ended);

#endif
