/* SPDX-License-Identifier: GPL-2.0 */
/* Place the members of a structure by the rules of C, as in the System V ABI for x86-64. */
#ifndef MEMLAT_RECORD_PLACE_H
#define MEMLAT_RECORD_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct record_part {
	/*
	 * Bytes; for a bit-field, of the type that it is declared with. For a member without a
	 * name, said is the alignment of its type, and rounds this size up.
	 */
	__u64 size;
	bool nameless;
	__u32 align;		/* alignment of its type, in bytes */
	__u32 said;		/* alignment that the source asks for, in bytes; 0: none */
	__u32 bits;		/* width of a bit-field; 0: no bit-field */
	__u64 bit;		/* filled in by record_place(): where it begins, in bits */
};

/*
 * Place the parts in their order, or, in a union, all at its start. least is the alignment that the
 * source asks for the whole; 0: none. No part may be larger than an exabyte. Returns the size of
 * the whole.
 */
__u64 record_place(struct record_part *parts, size_t nr, bool is_union, __u32 least);

/* The first byte behind a part, after record_place(). */
__u64 record_end(const struct record_part *part);

#endif
