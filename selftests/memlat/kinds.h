/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests expect of each kind of core that memlat knows. */
#ifndef MEMLAT_TEST_KINDS_H
#define MEMLAT_TEST_KINDS_H

#define KIND_STORES	1	/* has an event that samples stores */
#define KIND_WIDE	2	/* source codes of 8 bits, flags in bits 13:10 */
#define KIND_BURSTS	4	/* no minimum period that is too long for strides */
#define KIND_PDIST	8	/* stores are precisely distributed, with a period of 128 or more */
#define KIND_NINE	16	/* source codes of 9 bits, flags in bits 14:11 */

struct kind {
	const char *name;
	unsigned int format, record_size, traits;	/* as in struct memlat_rec_core */
	unsigned int can;				/* KIND_* */
};

/* NULL: the tests do not know this kind. */
const struct kind *kind_of(const char *name);

/* The truth's index of a source word: the word's meaningful bits. kind may be NULL. */
unsigned int kind_packed(const struct kind *kind, unsigned int word);

#endif
