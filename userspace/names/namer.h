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

#include "../profile/name.h"
#include "../profile/profile.h"

struct known;
struct namer;

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

/* "variable", "tls", ...: for JSON and CSV */
const char *data_kind_name(enum data_kind kind);

/* "variable", "noted", "operand", "joined", "slab", "vmalloc", "bpf_map": for JSON and CSV; NULL: not known */
const char *data_how_name(enum data_how how);

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
 * What was mapped at an address before what it is named by, while samples do not tell when they
 * were taken: "liba.so". Then the name is only that of the last mapping. NULL: nothing else, as far
 * as it is known.
 */
const char *namer_before(struct namer *namer, __u32 space, __u32 gen, __u64 address);

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

/*
 * The names of all that is in the profile's tables, for the profile to keep (../profile/known.h).
 * Also the machine code of the functions that cost most.
 */
struct known *namer_keep(struct namer *namer);

/*
 * The profile is being made: processes may still live, so their files are read through them; and
 * files that nobody can open any more are in this folder (../record/keeper.h; NULL: none).
 */
void namer_is_recording(struct namer *namer, const char *kept);

/* Print notes below a view: which names are missing, and how to get them. At most one note each. */
void namer_print_notes(struct namer *namer, void *out);

#endif
