/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own type information: types and fields of its per-CPU variables. */
#ifndef MEMLAT_BTF_H
#define MEMLAT_BTF_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>
#include <linux/types.h>

#include "../util/xalloc.h"
#include "kernel_core.h"

struct btf;

/*
 * btf_read() reads the BTF of the running kernel. btf_from() parses a copy of the bytes. A module's
 * BTF continues the ids of base, so base has to live as long. NULL: there is no BTF, or it can't be
 * parsed.
 */
struct btf *btf_read(void);
struct btf *btf_from(const struct btf *base, const void *bytes, size_t size);
void btf_free(struct btf *btf);
/* The BTF of a module, read once and freed with kernel; NULL: none. "" is the kernel itself. */
const struct btf *btf_module(const struct btf *kernel, const char *name);

/*
 * As start of btf_percpu(): take the only variable of that name, and count offset from the
 * variable's own start. For modules, as it is not known where the kernel put their section.
 */
#define BTF_ANYWHERE	(~0ULL)
/*
 * btf_percpu - name what lies at an offset of the per-CPU section
 *
 * The variable is the one called @name that begins at @start. @type becomes the variable's type,
 * and @field the path of the field as type_field() writes it, or NULL where there is no field.
 * Both become NULL if the variable is not known.
 */
void btf_percpu(const struct btf *btf, const char *name, __u64 start, __u64 offset,
		struct pool *pool, const char **type, const char **field);

/*
 * All types, for callers that convert them: the ids from 1 to below btf_end(). Id 0 is void. A
 * type's name is the text at its name_off.
 */
struct btf_type;

/* The macros of an older linux/btf.h know fewer bits than a newer kernel uses. */
#define BTF_KIND_OF(type)	((type)->info >> 24 & 0x7f)
#define BTF_NUMBER_IN(type)	((type)->info & 0xffffff)

__u32 btf_end(const struct btf *btf);
/* The BTF that a module's continues; NULL: btf is the kernel's own. */
const struct btf *btf_base(const struct btf *btf);
/* The first id of btf itself; lower ids are types of the base. */
__u32 btf_first(const struct btf *btf);
const struct btf_type *btf_type(const struct btf *btf, __u32 id);	/* NULL: void, or none */
/* The type itself, without typedefs and qualifiers; NULL: void, or none. */
const struct btf_type *btf_bare(const struct btf *btf, __u32 id);
/* A type's size in bytes; 0: not known. */
__u64 btf_size(const struct btf *btf, __u32 id);
const char *btf_text(const struct btf *btf, __u32 offset);
/* The strings of btf itself. Their offsets begin where those of the base end. */
const char *btf_texts(const struct btf *btf, size_t *size);

/*
 * The only structure (BTF_KIND_STRUCT) or function (BTF_KIND_FUNC) of a name; NULL: there is none,
 * or there are several.
 */
const struct btf_type *btf_named(const struct btf *btf, unsigned int kind, const char *name);

/*
 * The type of the per-CPU variable at an offset of the kernel's section, and the offset within
 * that variable; 0: not known, or two names of the place have different types.
 */
__u32 btf_percpu_at(const struct btf *btf, __u64 offset, __u64 *within);

/* The DWARF of a type, made of the BTF and freed with it; false: it is void or has none. */
bool btf_die(const struct btf *btf, __u32 id, Dwarf_Die *die);

/*
 * Convert the kernel's BTF to DWARF, so that the code that reads types of programs can read those
 * of the kernel. Only types are converted; there is no code, no variables and no lines.
 */

struct btf_dwarf;

/*
 * base is the DWARF made from btf_base(btf), and has to live as long as the result; NULL for the
 * kernel's own BTF. btf itself may be freed afterwards. Returns NULL if libdw rejects the result.
 */
struct btf_dwarf *btf_dwarf_new(const struct btf *btf, const struct btf_dwarf *base);
void btf_dwarf_free(struct btf_dwarf *dwarf);

/* The DIE of the type with this id; false: it is void or has no DIE. */
bool btf_dwarf_type(const struct btf_dwarf *dwarf, __u32 id, Dwarf_Die *die);

/* Members of the running kernel's structures: their places, from BTF, and what is there. */

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
