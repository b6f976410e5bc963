/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of code and data, as the namer (../names/namer.h) finds them, views show them, and a
 * profile keeps them (known.h). Unknown members are NULL or 0.
 */
#ifndef MEMLAT_NAME_H
#define MEMLAT_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* A frame of a function that was inlined, outermost last. */
struct code_frame {
	const char *function;	/* demangled */
	const char *file;	/* source file, as DWARF has it, completed with its folder */
	unsigned int line;	/* 0: not known */
};

struct code_name {
	/*
	 * Demangled, with file and line: of the innermost frame that is not of the standard library
	 * of C++ or Rust, else of the innermost one. NULL: not known.
	 */
	const char *function;
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
	bool i386;		/* it is code of 32 bits */
};

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

/* Where the name of data comes from. */
enum data_how {
	DATA_NO_NAME,		/* nowhere: the name is that of the memory around */
	DATA_SYMBOL,		/* a variable's symbol */
	DATA_NOTED,		/* --heap noted its allocation */
	DATA_BY_OPERAND,	/* the type that the accessing instruction shows */
	DATA_JOINED,		/* the type that another instruction shows for the same object */
	DATA_SLAB,		/* kernel: the object's slab cache; its type is not known */
	DATA_VMALLOC,		/* kernel: who called vmalloc(); the type is not known */
	DATA_BPF_MAP,		/* kernel: the map of BPF; the type is not known */
	DATA_HOWS
};

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

#endif
