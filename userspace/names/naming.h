/* SPDX-License-Identifier: GPL-2.0 */
/* The rooms behind namer.h, and what they share. */
#ifndef MEMLAT_NAMING_H
#define MEMLAT_NAMING_H

#include "../profile/heap.h"
#include "../profile/history.h"
#include "../profile/kernel_names.h"
#include "../util/pool.h"
#include "elf_file.h"
#include "memo.h"
#include "namer.h"

struct decoder;
struct instance;
struct kernel_core;

struct namer {
	struct pool pool;
	const struct profile *profile;
	char *debug;			/* NULL: the usual folders */
	struct elf_files files;
	struct memo code, data;
	struct memo accesses;	/* data that is not what is told of its address, by the object */
	struct memo refused;	/* and what is told of none */
	struct memo tls;		/* layouts, by the image's address */
	struct memo operands;	/* by instruction */
	struct kernel_core *core;	/* of the running kernel's code; NULL: not yet needed, or not to be had */
	bool core_asked;
	struct decoder *decoder;	/* of code without debug information; NULL: not yet needed */
	struct instances *instances;	/* NULL: not looked for yet */
	struct kernel_names *own_kernel;	/* of the running kernel, read here */
	bool kernel_asked;
	int kernel_error;		/* why there are no names */
	bool kernel_missed;		/* a kernel address had no name */
	bool core_missed;		/* nor an area, though there are names: /proc/kcore was not read */
	bool image_missed;		/* a process was not known */
	bool jit_asked;			/* live: what programs tell of code that they made */
	bool made_missed;		/* such code had no name */
};

/* Where an address lies in a file. */
struct module {
	const struct history_map *map;	/* of the address; NULL: none */
	struct elf_file *file;		/* NULL: none that can be told */
	bool placed;			/* bias is known, and the address is within the file's memory */
	__u64 bias;			/* what was added to the file's addresses */
};

/* module.c: of user space. image may be NULL. */
struct module module_at(struct namer *namer, const struct history_image *image,
			__u64 address);
/* Where a file that the image runs is: false when it is not mapped. */
bool module_bias(const struct history_image *image, const struct elf_file *file,
		 const struct history_map *map, __u64 *bias);

/* For code of which no function is followed; opened once. */
struct decoder *namer_decoder(struct namer *namer);

/* kernel.c */
const struct kernel_names *kernel_of(struct namer *namer);
void kernel_name_code(struct namer *namer, __u64 ip, struct code_name *code);
void kernel_name_data(struct namer *namer, __u64 address, struct data_name *data);

/* code.c and data.c: answers in zeroed memory. */
void code_fill(struct namer *namer, __u32 space, __u32 gen, __u64 ip, struct code_name *code);
void data_fill(struct namer *namer, __u32 space, __u32 gen, __u64 address, __u32 tid,
	       struct data_name *data);
/* Of an access for which instance_of_access() said so. */
void data_fill_access(struct namer *namer, const struct memlat_rec_access *access,
		      const struct instance *in, struct data_name *data);

/* stack.c: is it a thread's stack? */
bool stack_name_data(struct namer *namer, const struct history_image *image,
		     const struct history_map *map, __u32 space, __u32 gen, __u64 address,
		     struct data_name *data);

/* tls.c: is it a thread-local variable of the program or of what was loaded with it? */
bool tls_name_data(struct namer *namer, const struct history_image *image, __u32 space,
		   __u32 gen, __u64 address, __u32 tid, struct data_name *data);

/* joined.c: is it in an object whose type an instruction tells? */
void instance_name_data(struct namer *namer, __u32 space, __u32 gen, __u64 address,
			struct data_name *data);
/* That object; NULL: none. */
const struct instance *instance_find(struct namer *namer, __u32 space, __u32 gen, __u64 address);
/* Is an access to another object than what is told of its address? NULL: to none that is known. */
bool instance_of_access(struct namer *namer, const struct memlat_rec_access *access,
			const struct instance **in);
void instance_name_access(struct namer *namer, const struct instance *in, __u64 address,
			  struct data_name *data);

/* heap_site.c: the object at an address that --heap noted; NULL: none, or nobody knows whether it still was one. */
const struct heap_object *heap_noted(const struct namer *namer, const struct history_image *image,
				     __u32 space, __u64 address);
/* What that is called, if there is one. */
bool heap_name_data(struct namer *namer, const struct history_image *image, __u32 space,
		    __u32 gen, __u64 address, struct data_name *data);

#endif
