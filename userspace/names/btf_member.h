/* SPDX-License-Identifier: GPL-2.0 */
/* The places of members in the running kernel's structures, from BTF. */
#ifndef MEMLAT_BTF_MEMBER_H
#define MEMLAT_BTF_MEMBER_H

#include <stdbool.h>

#include "btf.h"

struct btf_place {
	__u64 offset, size;	/* the bytes that hold the member */
	__u32 shift, bits;	/* a bit-field's place in those bytes; bits 0: no bit-field */
};

/* The structure's size; 0: no structure has that name, or several have. */
__u64 btf_struct_size(const struct btf *btf, const char *name);

/*
 * Find a member by its name, also within nameless structures and unions. False: the structure has
 * no such member, or its size is not known.
 */
bool btf_member(const struct btf *btf, const char *structure, const char *member,
		struct btf_place *place);

/* The value of the enumerator of this name, in any enumeration; false: there is none. */
bool btf_constant(const struct btf *btf, const char *name, __u32 *value);

#endif
