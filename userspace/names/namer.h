/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for addresses: code by function, inlined frames and source line, data by
 * variable and field, heap object, stack, mapping. On elfutils. Answers are cached
 * and stay valid until namer_free(); all text in them is as the files have it (any
 * bytes), and a view escapes it. What is not known is NULL or 0.
 */
#ifndef MEMLAT_NAMER_H
#define MEMLAT_NAMER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../profile/profile.h"

struct namer;

/* A frame of a function that was inlined, outermost last. */
struct code_frame {
	const char *function;	/* demangled */
	const char *file;	/* of the line within it; as DWARF has it, made whole with its folder */
	unsigned int line;	/* 0: not known */
};

struct code_name {
	const char *function;	/* innermost frame's, demangled; NULL: not known */
	const char *raw;	/* of the symbol that encloses it, as the symbol table has it */
	__u64 offset;		/* of the address from that symbol's start */
	__u64 size;		/* of that symbol; 0: not known */
	const char *file;
	unsigned int line;
	size_t nr_frames;	/* 0: no DWARF; 1: nothing inlined; else innermost first */
	const struct code_frame *frames;
	const char *module;	/* last part of the path: "libc.so.6", "[kernel]", "[ext4]", "[vdso]" */
	const char *path;	/* of the file, or what the kernel calls the mapping */
	__u64 module_offset;	/* the address as the file's own symbols count it */
	bool deleted;		/* the file is not there any more, or is another one now */
	bool stripped;		/* it has no symbols for this address */
};

/*
 * Never NULL: what is not known is so in the answer. ip: of an instruction; of a return
 * address one less, which is within the call.
 */
const struct code_name *namer_code(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

enum data_kind {
	DATA_UNKNOWN,		/* no mapping known there */
	DATA_VARIABLE,		/* global or static */
	DATA_TLS,		/* thread-local variable */
	DATA_STACK,
	DATA_HEAP,		/* brk heap, or an object that --heap noted anywhere */
	DATA_ANON,		/* anonymous mapping */
	DATA_FILE,		/* private mapping of a file, not in a symbol */
	DATA_SHARED,		/* shared mapping: file, shm, memfd */
	DATA_KERNEL,		/* kernel: variable, per-CPU, or an area of the map */
	DATA_KINDS
};

/* "variable", "tls", ...: for JSON and CSV */
const char *data_kind_name(enum data_kind kind);

/* How it is known what the data are. */
enum data_how {
	DATA_NO_NAME,		/* it is not: name is that of the memory around */
	DATA_SYMBOL,		/* a variable's place */
	DATA_NOTED,		/* its allocation was noted */
	DATA_BY_OPERAND,	/* an instruction that accesses it tells its type */
	DATA_JOINED,		/* another instruction tells that of the object that it is in */
	DATA_SLAB,		/* kernel: the cache that the object is of is known, its type is not */
	DATA_VMALLOC,		/* kernel: so is who allocated the memory that it is in by vmalloc() */
	DATA_HOWS
};

/* "variable", "noted", "operand", "joined", "slab", "vmalloc": for JSON and CSV; NULL: it is not known */
const char *data_how_name(enum data_how how);

struct data_name {
	enum data_kind kind;
	enum data_how how;
	const char *name;	/* "stats", "[stack] of chase:71", "[heap]", "/dev/shm/x": what a person calls it */
	const char *text;	/* both and what else tells it: "stats.per_cpu[3].hits"; NULL: no name */
	const char *field;	/* path inside it: ".per_cpu[3].hits", "[5]"; NULL: none or not known */
	const char *type;	/* of the variable or object: "struct stats"; NULL: not known */
	__u64 start, size;	/* of the variable, object or mapping; size 0: not known */
	__u64 offset;		/* of the address in it */
	__u32 tid;		/* stack and TLS: whose; 0: not known */
	const char *section;	/* ".bss", ".data", ...; NULL: not of a file */
	const char *cache;	/* the kernel's slab cache that the object is of; NULL: of none */
	const char *module;	/* whose variable; NULL: none */
	const char *path;
	const char *file;	/* where the variable is declared */
	unsigned int line;
	/* Heap objects noted by --heap: where this one was allocated. */
	const struct code_name *site;	/* first frame that is no allocator; NULL: not known */
	const struct code_name *const *frames;	/* the whole chain, innermost first */
	size_t nr_frames;
	__u64 objects;		/* objects of that site; of a type that was not noted, those known */
};

/*
 * tid: whose access it was, which tells whose TLS; 0: not known. Never NULL.
 */
const struct data_name *namer_data(struct namer *namer, __u32 space, __u32 gen,
				   __u64 address, __u32 tid);

/*
 * The same of an access, of which the instruction may say more: memory that is freed, and stacks,
 * are used again for something else.
 */
const struct data_name *namer_access(struct namer *namer, const struct memlat_rec_access *access);

/*
 * A profile's names. debug: folders with separate debug files, colon-separated; NULL: the
 * usual ones (/usr/lib/debug, debuginfod's cache).
 */
struct namer *namer_new(const struct profile *profile, const char *debug);
void namer_free(struct namer *namer);

/*
 * The machine code of an instruction and its neighbours, for disassembly: at most
 * size bytes of the file from ip on. Bytes copied, 0: not to be had.
 */
size_t namer_text(struct namer *namer, __u32 space, __u32 gen, __u64 ip, void *bytes,
		  size_t size);

/* How many bytes of memory an instruction reads or writes; 0: not known. */
unsigned int namer_width(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

/* What names could not be had and how to get them: notes below a view; at most one each. */
void namer_print_notes(struct namer *namer, void *out);

#endif
