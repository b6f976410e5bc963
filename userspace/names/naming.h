/* SPDX-License-Identifier: GPL-2.0 */
/* The rooms behind namer.h, and what they share. */
#ifndef MEMLAT_NAMING_H
#define MEMLAT_NAMING_H

#include "../profile/heap.h"
#include "../profile/history.h"
#include "../profile/kernel_names.h"
#include "../util/xalloc.h"
#include "elf_file.h"
#include "name_cache.h"
#include "namer.h"

struct decoder;
struct instance;
struct kernel_core;
struct objects;

struct namer {
	struct pool pool;
	const struct profile *profile;
	char *debug;			/* NULL: the usual folders */
	struct elf_files files;
	struct name_cache code, data;
	struct name_cache accesses;	/* data of accesses to another object than the address has */
	struct name_cache refused;	/* data whose access belongs to no known object */
	struct name_cache tls;		/* layouts, by the image's address */
	struct name_cache operands;	/* by instruction */
	struct kernel_core *core;	/* the running kernel's memory; NULL: not needed, or not readable */
	bool core_asked;
	struct decoder *decoder[2];	/* for single instructions; of i386; NULL: not needed yet */
	struct objects *objects;	/* that accesses show; NULL: not looked for yet */
	struct kernel_names *own_kernel;	/* of the running kernel, read here */
	bool kernel_asked;
	int kernel_error;		/* why there are no names */
	bool kernel_missed;		/* a kernel address had no name */
	bool core_missed;		/* an address had no area either: /proc/kcore was not read */
	bool image_missed;		/* a process was not known */
	bool named;			/* the profile keeps a name, which a file may complete */
	bool jit_asked;			/* live: /tmp/perf-PID.map files were looked for */
	bool made_missed;		/* code that a program generated had no name */
};

/* Where an address of a process is. It is asked once for each name, and then handed on. */
struct place {
	__u64 address;
	__u32 space, gen;
	const struct history_image *image;	/* NULL: the process is not known */
	const struct heap_object *noted;	/* what --heap noted there; NULL: none, or it may be freed */
	const struct history_map *map;	/* of the address; NULL: none, or an object is noted */
	struct elf_file *file;		/* NULL: none is known */
	bool placed;			/* bias is known, and the address is within the file's memory */
	__u64 bias;			/* what the loader added to the file's addresses */
};

/* place.c: for user addresses. Of a kernel's address nothing is known. */
struct place code_place(struct namer *namer, __u32 space, __u32 gen, __u64 ip);
struct place data_place(struct namer *namer, __u32 space, __u32 gen, __u64 address);
/* Is it where a file has its variables, which have names? */
bool place_has_variables(const struct place *place);
/* As namer_before(). */
const char *place_before(const struct namer *namer, const struct place *place);

/* A decoder for code that has this name, outside of followed functions; opened once. */
struct decoder *namer_decoder(struct namer *namer, const struct code_name *code);

/* kernel.c */
void kernel_name_code(struct namer *namer, __u64 ip, struct code_name *code);
void kernel_name_data(struct namer *namer, __u64 address, struct data_name *data);

/* code.c and data.c: fill in an answer whose memory is zeroed. */
void code_fill(struct namer *namer, const struct place *place, struct code_name *code);
void data_fill(struct namer *namer, const struct place *place, __u32 tid, struct data_name *data);
/* The same for an access for which instance_of_access() returned true. */
void data_fill_access(struct namer *namer, const struct place *place, __u32 tid,
		      const struct instance *in, struct data_name *data);
/*
 * data.c: as variables_name_data(), and if DWARF has no variable there, name it by its symbol.
 * False: it has none either.
 */
bool file_name_data(struct namer *namer, struct elf_file *file, bool tls, __u64 address,
		    struct data_name *data);

/* stack.c: name the address if it is on a thread's stack. */
bool stack_name_data(struct namer *namer, const struct place *place, struct data_name *data);

/* tls.c: name a thread-local variable of the program or of a library loaded with it. */
bool tls_name_data(struct namer *namer, const struct place *place, __u32 tid, struct data_name *data);

/* data_type.c: name the address if it is in an object whose type an instruction shows. */
void instance_name_data(struct namer *namer, const struct place *place, struct data_name *data);
/* That object, of this process; NULL: none. */
const struct instance *instance_find(struct namer *namer, const struct place *place);
/* True if the access is to another object than instance_find() finds: *in, NULL if not known. */
bool instance_of_access(struct namer *namer, const struct memlat_rec_access *access,
			const struct place *place, const struct instance **in);
void instance_name_access(struct namer *namer, const struct instance *in, __u64 address,
			  struct data_name *data);
void objects_free(struct objects *objects);

/* heap_site.c: is the function of the standard library of C++ or Rust? */
bool of_standard_library(const char *function);
/* heap_site.c: what --heap noted at a place whose image is known; NULL: none, or it may be freed. */
const struct heap_object *heap_noted(const struct namer *namer, const struct place *place);
/* Name that object. */
void heap_name_data(struct namer *namer, const struct place *place, struct data_name *data);

#endif
