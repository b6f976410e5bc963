/* SPDX-License-Identifier: GPL-2.0 */
/* Why a session ended, and what to do about it. */
#ifndef MEMLAT_SESSION_END_H
#define MEMLAT_SESSION_END_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

/* Did the session end without anybody asking for it? */
bool session_end_by_itself(const struct memlat_status *status);

/* For machines: "stopped", "takeover", ...; NULL for reasons not known here. */
const char *session_end_name(__u32 ended);
/* For people: "someone else programmed the PMU" */
const char *session_end_text(__u32 ended);
/* In two or three words: "PMU taken over". */
const char *session_end_short(__u32 ended);
/* Print what to do, in indented lines; nothing if there is nothing to do. */
void session_end_print_way_out(FILE *out, __u32 ended);

#define ENDED_FOLDER	"/run/memlat"
#define ENDED_NR	(MEMLAT_END_GONE + 1)

/* What "memlat-ctl start --keep" has counted since the machine was booted. */
struct session_end_counts {
	__u64 ended[ENDED_NR];	/* sessions, by enum memlat_end */
	__u64 refused;		/* starts */
	__u64 keepers;		/* processes that keep names and ended before their session */
	__u64 away_ns;		/* how long no session ran, until since_ns */
	__u64 since_ns;		/* since when none runs, CLOCK_MONOTONIC; 0: one does */
};

/* All 0 and false if nothing was counted, or what is there cannot be read. */
bool session_end_read(const char *folder, struct session_end_counts *counts);
/* 0 or -errno. */
int session_end_write(const char *folder, const struct session_end_counts *counts);

#endif
