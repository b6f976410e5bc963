/* SPDX-License-Identifier: GPL-2.0 */
/* The targets of memlat-ctl, and the simulated file system that they see. */
#ifndef FUZZ_CTL_H
#define FUZZ_CTL_H

#include "fuzz.h"

#include "profile/heap.h"
#include "profile/history.h"
#include "profile/snapshot.h"

fuzz_run ctl_words, ctl_kallsyms, ctl_btf, ctl_maps, ctl_perfmap, ctl_heap, ctl_history;
fuzz_run ctl_profile, ctl_views, ctl_import, ctl_operand;
/* Return the file that an input stands for. Make another input. */
uint8_t *profile_unpack(const uint8_t *data, size_t size, size_t *whole);
size_t profile_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed);

/*
 * Make these the only files that exist, for whoever opens their paths with fopen(), open() or
 * openat2(). File 0 replaces all others, file 1 stands beside it. NULL: no file exists.
 */
void world_file(unsigned int number, const char *path, const void *bytes, size_t size);
/* Let all files of this folder exist, with their real contents. */
const char *world_folder(void);
/* Let all calls through again, for what the target itself does. */
void world_open(void);

/* Capture what is written to stdout or stderr until said_end(). */
struct said {
	char *out, *complaint;
	size_t out_size, complaint_size;
};

void said_begin(struct said *said);
/* Also checks that no output contains characters that control a terminal. */
void said_end(struct said *said);
/* Check output for a terminal. Its width is not checked. */
void said_check(const char *text, size_t size);

/*
 * Write the profile, read it again, and check that both are equal. The caller frees the second one,
 * too.
 */
struct profile;
void profile_again(const struct profile *profile, struct profile *again);

/* Read these bytes as a profile. False: they are refused. */
bool profile_open(struct profile *profile, const uint8_t *data, size_t size);
/* Make another profile of it that the same machine may have measured later, and return its file. */
uint8_t *profile_later(struct profile *later, size_t *size);

/* Check that the history is sorted, has no overlaps, and is the same after it was in a file. */
void history_check(const struct history *history);

#endif
