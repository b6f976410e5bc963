/* SPDX-License-Identifier: GPL-2.0 */
/* Why a session ended, and what to do about it. */
#ifndef MEMLAT_ENDED_H
#define MEMLAT_ENDED_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

/* Did it end otherwise than because somebody asked for it? */
bool ended_by_itself(const struct memlat_status *status);

/* For machines: "stopped", "takeover", ...; NULL for reasons not known here. */
const char *ended_name(__u32 ended);
/* For people: "someone else programmed the PMU" */
const char *ended_text(__u32 ended);
/* The same in two or three words: "PMU taken over" */
const char *ended_short(__u32 ended);
/* The way out, in indented lines; nothing where there is none. */
void ended_print_way_out(FILE *out, __u32 ended);

#endif
