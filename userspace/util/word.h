/* SPDX-License-Identifier: GPL-2.0 */
/* Source words as the hardware wrote them, by kind of core. */
#ifndef MEMLAT_WORD_H
#define MEMLAT_WORD_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

/* Sort by kind of core, then by frequency, highest first, then by word. */
void word_sort(struct memlat_rec_source *words, size_t nr);

/* Enumerates the flags of a word; false if there is none at that place. */
struct word_flag {
	__u16 flag;
	const char *name;	/* for JSON: "stlb_miss" */
	const char *text;	/* for people: "TLB miss" */
};

bool word_flag_at(unsigned int place, struct word_flag *flag);

#endif
