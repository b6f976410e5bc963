/* SPDX-License-Identifier: GPL-2.0 */
/* The names of a recorded kernel's addresses, as rows by address. */
#ifndef MEMLAT_KERNEL_NAMES_H
#define MEMLAT_KERNEL_NAMES_H

#include <stddef.h>

#include <linux/types.h>

#include "../util/xalloc.h"
#include "history.h"

#define KERNEL_NO_CPU	(~0U)
#define KERNEL_NAME_MAX	512	/* the kernel's own limit */

enum kernel_kind {
	KERNEL_CODE,
	KERNEL_DATA,
	KERNEL_AREA,		/* of the kernel's map: "vmalloc", ... */
	KERNEL_FIELD,		/* of one address: name is the path, or "", module is the type */
	KERNEL_BUILD,		/* of a module: name is its build id in hexadecimal digits */
	/*
	 * Memory without a symbol. An object of a slab cache: name is the cache's, module "" or, if
	 * its objects are of several kinds, "...". An object whose type the instructions reveal:
	 * name is the type, cpu the number of such objects that are known. One address in such an
	 * object: name is the path or "", module the type, cpu whether an instruction that accesses
	 * it reveals the type itself.
	 */
	KERNEL_SLAB,
	KERNEL_OBJECT,
	KERNEL_MEMBER,
	/*
	 * Memory that is no object. An area of vmalloc(): name is the function that called it,
	 * module that function's module. Memory whose use by the kernel is known: "stack", ...
	 */
	KERNEL_VMALLOC,
	KERNEL_MEMORY,
	/*
	 * Memory of a map of BPF: name is the map's, module what kernel_elements_text() made, or ""
	 * for the map's own structure, cpu whose copy it is.
	 */
	KERNEL_BPF_MAP,
	/* A module's code or data, where something else may have been before: name says what. */
	KERNEL_BEFORE,
	KERNEL_KINDS
};

struct kernel_row {
	__u64 start, end;
	enum kernel_kind kind;
	/* whose copy of a per-CPU variable it is; otherwise KERNEL_NO_CPU */
	__u32 cpu;
	const char *name;
	const char *module;	/* "": the kernel itself */
};

struct kernel_names {
	struct pool pool;
	struct kernel_row *rows;	/* by kind, then by start; none overlaps its neighbour */
	size_t nr, room;
	/* For finding a debug file of this very kernel on the machine that reads the profile. */
	__u64 text;		/* where its code begins, 0: not known */
	__u8 build_id[HISTORY_BUILD_ID_MAX];
	__u8 build_id_size;
};

void kernel_names_free(struct kernel_names *names);

/* Add what another session of the same run of the kernel noted; *into may be NULL. */
void kernel_names_merge(struct kernel_names **into, const struct kernel_names *other);

/* For the file; as history_encode() and history_decode(). */
void kernel_names_encode(const struct kernel_names *names, void **bytes, size_t *size);
int kernel_names_decode(struct kernel_names **names, const void *bytes, size_t size,
			const char **why);

/* NULL: not known. */
const struct kernel_row *kernel_row_at(const struct kernel_names *names, enum kernel_kind kind,
				       __u64 address);

/* Find the build id in the notes of an ELF file, in the form of /sys/kernel/notes. */
void kernel_note_build_id(struct kernel_names *names, const unsigned char *notes, size_t size);

/* A module's build id; 0: not known. */
size_t kernel_module_id(const struct kernel_names *names, const char *module,
			__u8 id[HISTORY_BUILD_ID_MAX]);

/*
 * How elements of @bytes each are called, of which the first one has the number @first: ".elems[3]".
 * kernel_element() makes the name of the one at an offset; NULL: the text is of something else.
 */
const char *kernel_elements_text(struct pool *pool, const char *part, __u64 first, __u64 bytes);
const char *kernel_element(struct pool *pool, const char *elements, __u64 offset);

/* For code that reads names: add a row. */
void kernel_row_add(struct kernel_names *names, const struct kernel_row *row);
void kernel_rows_sort(struct kernel_names *names);

#endif
