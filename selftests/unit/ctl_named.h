/* SPDX-License-Identifier: GPL-2.0 */
/* Sample programs that run, and what the namer says about places in them. */
#ifndef CTL_NAMED_H
#define CTL_NAMED_H

#include <stdbool.h>
#include <sys/types.h>

#include "ctl_test.h"

#include "names/namer.h"
#include "profile/history.h"
#include "profile/profile.h"

#define NAMED_PLACES	128

struct place {
	char label[64];
	__u64 address;
	unsigned int line;
};

struct named {
	pid_t pid;
	char path[4096];	/* of the program */
	struct place places[NAMED_PLACES];
	size_t nr_places;
	struct profile profile;
	struct namer *namer;
};

/* Return the path of a file that the Makefile built beside the tests. */
const char *named_file(const char *name);
/* Return the file's bytes, at most 64 KiB, to be freed. */
unsigned char *named_bytes(const char *name, size_t *size);

/*
 * Run a program and note its places and mappings, without a namer. ids: mappings are known by build
 * id, as from the kernel's events, and not by inode, as from /proc.
 */
void named_run(struct named *named, const char *path, bool ids);
/* The same with a namer. debug: as for namer_new(). */
void named_start(struct named *named, const char *path, const char *debug);
void named_end(struct named *named);

const struct place *named_place(const struct named *named, const char *label);
const struct code_name *named_code(struct named *named, const char *label);
const struct data_name *named_data(struct named *named, const char *label);

/* The whole answer is this text, such as "variable stats .per_cpu[3].hits struct stats+112". */
void assert_data(struct named *named, const char *label, const char *wanted);
/* The functions are these, innermost first: "deepest<middle<outer". */
void assert_chain(struct named *named, const char *label, const char *wanted);

#endif
