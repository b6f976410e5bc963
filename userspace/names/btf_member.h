/* SPDX-License-Identifier: GPL-2.0 */
/* Members of the running kernel's structures: their places, from BTF, and what is there. */
#ifndef MEMLAT_BTF_MEMBER_H
#define MEMLAT_BTF_MEMBER_H

#include <stdbool.h>

#include "btf.h"
#include "kernel_core.h"

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

/* Read a member of a structure; false: it can't be read. */
bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value);
bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value);

#endif
