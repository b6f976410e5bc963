/* SPDX-License-Identifier: GPL-2.0 */
/* The targets of memlat-ctl, and the small world that they see. */
#ifndef FUZZ_CTL_H
#define FUZZ_CTL_H

#include "fuzz.h"

#include "profile/heap.h"
#include "profile/history.h"
#include "profile/snapshot.h"

void ctl_words(const uint8_t *data, size_t size);
void ctl_kallsyms(const uint8_t *data, size_t size);
void ctl_btf(const uint8_t *data, size_t size);
void ctl_maps(const uint8_t *data, size_t size);
void ctl_perfmap(const uint8_t *data, size_t size);
void ctl_heap(const uint8_t *data, size_t size);
void ctl_history(const uint8_t *data, size_t size);
void ctl_profile(const uint8_t *data, size_t size);
void ctl_views(const uint8_t *data, size_t size);
void ctl_import(const uint8_t *data, size_t size);
void ctl_operand(const uint8_t *data, size_t size);
/* The file that an input stands for; and another input. */
uint8_t *profile_unpack(const uint8_t *data, size_t size, size_t *whole);
size_t profile_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed);

/*
 * The only file that there is, for whoever asks for it by this path with fopen(), open()
 * or openat2(); all others are not there. NULL: none is.
 */
void world_file(const char *path, const void *bytes, size_t size);
/* The same for all files of this folder, which are what they are. */
const char *world_folder(void);
/* Let all calls through again: what the target itself does. */
void world_open(void);

/* What is written to stdout or stderr from now on, until said_end(). */
struct said {
	char *out, *complaint;
	size_t out_size, complaint_size;
};

void said_begin(struct said *said);
/* How they were written is checked: nothing that a terminal would obey. */
void said_end(struct said *said);
/* For a terminal; width is not looked at. */
void said_check(const char *text, size_t size);

/* What is written of a profile is read again, as the same; the caller frees that one too. */
struct profile;
void profile_again(const struct profile *profile, struct profile *again);

/* Sorted, not overlapping, and the same after it was in a file. */
void history_check(const struct history *history);

#endif
