/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names for addresses: code by function, inlined frames and source line, data by
 * variable and field, heap object, stack, mapping. Built on elfutils. Answers are cached
 * and stay valid until namer_free(). Text in them is as the files have it (any bytes), so
 * a view has to escape it. Unknown members are NULL or 0.
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
	const char *file;	/* source file, as DWARF has it, completed with its folder */
	unsigned int line;	/* 0: not known */
};

struct code_name {
	const char *function;	/* innermost frame's, demangled; NULL: not known */
	const char *raw;	/* enclosing symbol, as the symbol table has it */
	__u64 offset;		/* of the address from that symbol's start */
	__u64 size;		/* of that symbol; 0: not known */
	const char *file;
	unsigned int line;
	size_t nr_frames;	/* 0: no DWARF; 1: nothing inlined; else innermost first */
	const struct code_frame *frames;
	const char *module;	/* last part of the path: "libc.so.6", "[kernel]", "[ext4]", "[vdso]" */
	const char *path;	/* of the file, or what the kernel calls the mapping */
	__u64 module_offset;	/* the address as the file's own symbols count it */
	bool deleted;		/* the file was removed or replaced */
	bool stripped;		/* the file has no symbols for this address */
};

/*
 * Name the code at @ip. Never returns NULL; unknown members are NULL or 0. For a return address,
 * pass one less, which is within the call. The kernel's code and data are of no process, whatever
 * space and gen are.
 */
const struct code_name *namer_code(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

/*
 * Name the instruction whose record has this address: on some CPUs it is that of the next one
 * (MEMLAT_TRAIT_IP_AFTER), and the name is that of the byte before.
 */
const struct code_name *namer_sampled(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

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

/* Where the name of data comes from. */
enum data_how {
	DATA_NO_NAME,		/* nowhere: the name is that of the memory around */
	DATA_SYMBOL,		/* a variable's symbol */
	DATA_NOTED,		/* --heap noted its allocation */
	DATA_BY_OPERAND,	/* the type that the accessing instruction shows */
	DATA_JOINED,		/* the type that another instruction shows for the same object */
	DATA_SLAB,		/* kernel: the object's slab cache; its type is not known */
	DATA_VMALLOC,		/* kernel: who called vmalloc(); the type is not known */
	DATA_HOWS
};

/* "variable", "noted", "operand", "joined", "slab", "vmalloc": for JSON and CSV; NULL: it is not known */
const char *data_how_name(enum data_how how);

struct data_name {
	enum data_kind kind;
	enum data_how how;
	const char *name;	/* "stats", "[stack] of chase:71", "[heap]", "/dev/shm/x" */
	const char *text;	/* name and field: "stats.per_cpu[3].hits"; NULL: no name */
	const char *field;	/* path inside it: ".per_cpu[3].hits", "[5]"; NULL: none or not known */
	const char *type;	/* of the variable or object: "struct stats"; NULL: not known */
	__u64 start, size;	/* of the variable, object or mapping; size 0: not known */
	__u64 offset;		/* of the address in it */
	__u32 tid;		/* stack and TLS: whose; 0: not known */
	const char *section;	/* ".bss", ".data", ...; NULL: not of a file */
	const char *cache;	/* the kernel's slab cache of the object; NULL: none */
	const char *module;	/* whose variable; NULL: none */
	const char *path;
	const char *file;	/* where the variable is declared */
	unsigned int line;
	/* For heap objects noted by --heap: where this one was allocated. */
	const struct code_name *site;	/* first frame that is no allocator; NULL: not known */
	const struct code_name *const *frames;	/* the whole chain, innermost first */
	size_t nr_frames;
	__u64 objects;		/* number of objects of that site, or else known ones of that type */
};

/*
 * Name the data at an address. @tid is the accessing thread, which decides whose TLS it is; 0: not
 * known. Never returns NULL.
 */
const struct data_name *namer_data(struct namer *namer, __u32 space, __u32 gen,
				   __u64 address, __u32 tid);

/*
 * Name the data of an access. The instruction may know more than the address alone, because freed
 * memory and stacks are used again for something else.
 */
const struct data_name *namer_access(struct namer *namer, const struct memlat_rec_access *access);

/*
 * A profile's names. debug: folders with separate debug files, colon-separated; NULL: the
 * usual ones (/usr/lib/debug, debuginfod's cache).
 */
struct namer *namer_new(const struct profile *profile, const char *debug);
void namer_free(struct namer *namer);
/* The memory that its answers take, about. */
size_t namer_bytes(const struct namer *namer);

/*
 * Copy at most @size bytes of machine code from @ip on, for disassembly. Returns the number of
 * bytes copied; 0: the code cannot be read.
 */
size_t namer_text(struct namer *namer, __u32 space, __u32 gen, __u64 ip, void *bytes,
		  size_t size);

/* How many bytes of memory an instruction reads or writes; 0: not known. */
unsigned int namer_width(struct namer *namer, __u32 space, __u32 gen, __u64 ip);

/* Print notes below a view: which names are missing, and how to get them. At most one note each. */
void namer_print_notes(struct namer *namer, void *out);

#endif
