/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A progress line on the terminal, for work that takes longer than a second. It is not printed
 * while a screen is drawn.
 */
#ifndef MEMLAT_WAITING_H
#define MEMLAT_WAITING_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct waiting {
	const char *what;	/* "reading types of instructions" */
	size_t all;
	bool wanted;		/* standard error is a terminal */
	bool shown;
	__u64 due;		/* CLOCK_MONOTONIC, ns */
};

void waiting_begin(struct waiting *waiting, const char *what, size_t all);
/*
 * done: how many are finished. Prints once a second: "reading types of instructions: 3,120 of
 * 10,000".
 */
void waiting_step(struct waiting *waiting, size_t done);
/* Erase the line. */
void waiting_end(struct waiting *waiting);

#endif
