/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own type information: types and fields of its per-CPU variables. */
#ifndef MEMLAT_BTF_H
#define MEMLAT_BTF_H

#include <stddef.h>

#include <linux/types.h>

#include "../util/pool.h"

struct btf;

/*
 * Of the running kernel (module NULL) or of one of its modules, or from bytes that are
 * copied. A module's goes on where base ends, which has to live as long. NULL: none, or
 * not understood.
 */
struct btf *btf_read(const struct btf *base, const char *module);
struct btf *btf_from(const struct btf *base, const void *bytes, size_t size);
void btf_free(struct btf *btf);

/*
 * What is at an offset of the per-CPU section, in the variable of this name which begins
 * at start: its type, and the path of the field as type_field() has it, NULL where there
 * is none. Both NULL: not known.
 */
/*
 * start BTF_ANYWHERE: the only one of that name, with the offset counted from its own
 * start, for it is not known where the kernel put a module's section.
 */
#define BTF_ANYWHERE	(~0ULL)
void btf_percpu(const struct btf *btf, const char *name, __u64 start, __u64 offset,
		struct pool *pool, const char **type, const char **field);

/*
 * All types, for who makes something else of them: ids below btf_end(), but for that of void, 0. A
 * type's name is the text at its name_off.
 */
struct btf_type;

/* Not those of linux/btf.h, which knows fewer bits where it is older than the kernel. */
#define BTF_KIND_OF(type)	((type)->info >> 24 & 0x7f)
#define BTF_NUMBER_IN(type)	((type)->info & 0xffffff)

__u32 btf_end(const struct btf *btf);
/* What it goes on from; NULL: it begins. */
const struct btf *btf_base(const struct btf *btf);
/* The first one that is not the base's. */
__u32 btf_first(const struct btf *btf);
const struct btf_type *btf_type(const struct btf *btf, __u32 id);	/* NULL: void, or none */
/* What has a layout, behind names and qualifiers; its size in bytes, 0 where it is not known. */
const struct btf_type *btf_bare(const struct btf *btf, __u32 id);
__u64 btf_size(const struct btf *btf, __u32 id);
const char *btf_text(const struct btf *btf, __u32 offset);
/* All texts of its own, which begin where those of the base end. */
const char *btf_texts(const struct btf *btf, size_t *size);

/*
 * The only structure (BTF_KIND_STRUCT) or function (BTF_KIND_FUNC) of a name; NULL: there is none,
 * or there are several.
 */
const struct btf_type *btf_named(const struct btf *btf, unsigned int kind, const char *name);

/* What per-CPU variable is at an offset of the kernel's section: its type; 0: not known. */
__u32 btf_percpu_at(const struct btf *btf, __u64 offset, __u64 *within);

#endif
