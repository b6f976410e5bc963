/* SPDX-License-Identifier: GPL-2.0 */
/* Where the rules of C, as the System V ABI for x86-64 has them, place the members of a structure. */
#ifndef MEMLAT_RECORD_PLACE_H
#define MEMLAT_RECORD_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct record_part {
	/*
	 * Bytes; of a bit-field, those of the type that it is declared with. An alignment that is
	 * asked for rounds it up where the member has no name: then it is its type's.
	 */
	__u64 size;
	bool nameless;
	__u32 align;		/* bytes, of its type */
	__u32 said;		/* bytes that the source asks for besides; 0: it does not */
	__u32 bits;		/* of a bit-field; 0: it is none */
	__u64 bit;		/* answer: where it begins, in bits */
};

struct record_whole {
	__u64 size;
	__u32 align;
};

/*
 * Place parts in this order; of a union, all at its start. least: an alignment that the source
 * asks for the whole; 0: none. No part is larger than an exabyte.
 */
void record_place(struct record_part *parts, size_t nr, bool is_union, __u32 least,
		  struct record_whole *whole);

/* The first byte behind a part that has its place. */
__u64 record_end(const struct record_part *part);

#endif
