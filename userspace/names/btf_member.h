/* SPDX-License-Identifier: GPL-2.0 */
/* Where the running kernel's structures have their members, by BTF. */
#ifndef MEMLAT_BTF_MEMBER_H
#define MEMLAT_BTF_MEMBER_H

#include <stdbool.h>

#include "btf.h"

struct btf_place {
	__u64 offset, size;	/* of bytes that hold it */
	__u32 shift, bits;	/* of a bit-field in them; bits 0: it is none */
};

/* The structure's size; 0: there is none of that name, or several. */
__u64 btf_struct_size(const struct btf *btf, const char *name);

/* A member, also one of a structure or union without a name in it; false: there is none. */
bool btf_member(const struct btf *btf, const char *structure, const char *member,
		struct btf_place *place);

/* A constant of any enumeration; false: there is none. */
bool btf_constant(const struct btf *btf, const char *name, __u32 *value);

#endif
