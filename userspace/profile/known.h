/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names that a profile keeps: of the code and the data that were sampled, and the machine code
 * of the functions that cost most. So a profile reads the same after its programs were built anew
 * or removed, and on another machine. ../names/keep.c finds the names.
 */
#ifndef MEMLAT_KNOWN_H
#define MEMLAT_KNOWN_H

#include "../util/xalloc.h"
#include "name.h"

/* Most rows of code, and of data; and most bytes of memory. */
#define KNOWN_ROWS_MOST		(1U << 18)
#define KNOWN_BYTES_MOST	(56U << 20)
#define KNOWN_FILE_MOST		(64 << 20)	/* bytes of the file */
#define KNOWN_FRAMES_MOST	4096	/* of a name */

/* Code of a process, and the name that its first byte has. */
struct known_code {
	__u64 start, length;
	__u64 offset, module_offset;	/* as in struct code_name; the name itself has none */
	__u32 space, gen;
	__u32 age;			/* the one that was added first stays */
	const struct code_name *name;
};

/* Data at an address, as this thread and this instruction use it; 0: any. */
struct known_data {
	__u64 address, ip;
	__u32 space, gen, tid;
	__u32 age;
	const struct data_name *name;
};

/* How many bytes of memory an instruction accesses. */
struct known_width {
	__u64 ip;
	__u32 space, gen;
	__u32 width;
	__u32 age;
};

/* Machine code of a file, or of the kernel: at module_offset of its path, see struct code_name. */
struct known_text {
	const char *path;
	__u64 start;
	size_t size;
	__u32 age;
	const unsigned char *bytes;
};

/* Rows, each of which stays where it is in memory. */
struct known_rows {
	void **row;
	size_t nr, room;
	void *tree;			/* of tsearch(), if each of them is there once */
};

struct known {
	struct pool pool;
	void *texts;			/* tree of all texts, each of which is there once */
	struct known_rows code_names, data_names;
	struct known_rows code, data, widths, text;
	__u64 left_out;			/* names for which there was no room */
	bool sorted;
	bool reading;			/* all texts and names of a new name are kept already */
};

struct known *known_new(void);
void known_free(struct known *known);

/* Add a name, which is copied. length: of the code that has it from start on. */
void known_add_code(struct known *known, __u32 space, __u32 gen, __u64 start, __u64 length,
		    const struct code_name *name);
void known_add_data(struct known *known, __u32 space, __u32 gen, __u64 address, __u32 tid, __u64 ip,
		    const struct data_name *name);
void known_add_width(struct known *known, __u32 space, __u32 gen, __u64 ip, __u32 width);
/* Add machine code. Nothing happens if it is there already, or if there is no room. */
void known_add_text(struct known *known, const char *path, __u64 start, const void *bytes,
		    size_t size);
/* Add what another profile keeps; *into may be NULL. What both have stays as it is. */
void known_merge(struct known **into, const struct known *other);

/* Find a name; known may be NULL. False or NULL: none is kept. */
bool known_find_code(struct known *known, __u32 space, __u32 gen, __u64 ip, struct code_name *name);
const struct data_name *known_find_data(struct known *known, __u32 space, __u32 gen, __u64 address,
					__u32 tid, __u64 ip);
__u32 known_find_width(struct known *known, __u32 space, __u32 gen, __u64 ip);
/* Copy machine code. Returns how many bytes are kept. */
size_t known_find_text(struct known *known, const char *path, __u64 start, void *bytes,
		       size_t size);

/* For the file, and the same as history_encode() and history_decode() (known_write.c, known_read.c). */
void known_encode(struct known *known, void **bytes, size_t *size);
int known_decode(struct known **known, const void *bytes, size_t size, const char **why);

/* For known_write.c and known_read.c. */
void known_sort(struct known *known);
const char *known_keep(struct known *known, const char *text);
/* The number that a kept text has in the file, and a name that known_keep_*() returned. */
__u32 *known_text_number(const char *text);
__u32 known_number(const void *name);
const struct code_name *known_keep_code(struct known *known, const struct code_name *name);
const struct data_name *known_keep_data(struct known *known, const struct data_name *name);
void *known_append(struct known *known, struct known_rows *rows, const void *row, size_t size);

#endif
