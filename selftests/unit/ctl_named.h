/* SPDX-License-Identifier: GPL-2.0 */
/* Sample programs that run, and what the namer says of places in them. */
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

/* Path of a file that the Makefile made beside the tests. */
const char *named_file(const char *name);
/* All of it, for the caller to free(): 64 KiB at most. */
unsigned char *named_bytes(const char *name, size_t *size);

/*
 * Run a program and note its places and mappings; no namer yet. ids: mappings are known
 * by build id, as the kernel's events tell, not by inode as /proc does.
 */
void named_run(struct named *named, const char *path, bool ids);
/* The same with a namer. debug: as namer_new() takes it. */
void named_start(struct named *named, const char *path, const char *debug);
void named_end(struct named *named);

const struct place *named_place(const struct named *named, const char *label);
const struct code_name *named_code(struct named *named, const char *label);
const struct data_name *named_data(struct named *named, const char *label);

/* Of whole answers: "variable stats .per_cpu[3].hits struct stats+112" and the like. */
void assert_data(struct named *named, const char *label, const char *wanted);
/* "deepest<middle<outer": functions, innermost first. */
void assert_chain(struct named *named, const char *label, const char *wanted);

#endif
