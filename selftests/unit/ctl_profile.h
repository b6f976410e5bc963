/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of profile files share. */
#ifndef CTL_PROFILE_H
#define CTL_PROFILE_H

#include "ctl_test.h"

#include "profile/file.h"
#include "profile/heap_internal.h"
#include "profile/kernel_names.h"

/* A folder of the test's own, removed with what is in it by folder_remove(). */
struct folder {
	char path[256];
};

void folder_make(struct folder *folder);
void folder_remove(const struct folder *folder);
/* The path of a file in it, in a static buffer of which there are four. */
const char *folder_file(const struct folder *folder, const char *name);

/* A fixture, for tests that need one alone: own_folder, and the path of a file in it. */
extern struct folder own_folder;

int own_folder_make(void **state);
int own_folder_remove(void **state);
const char *in(const char *name);

struct bytes {
	unsigned char *at;
	size_t size;
};

struct bytes file_bytes(const char *path);
void file_put(const char *path, const void *bytes, size_t size);
void file_is(const char *path, const struct bytes *bytes);

/* A process with one object of one place; the log lost three. */
struct heap_log *sample_heap(__u32 pid, __u64 start, __u64 frame);
void sample_kernel_row(struct kernel_names *names, enum kernel_kind kind, __u64 start,
		       __u64 end, const char *text, const char *module);

/*
 * sample_snapshot() on a machine of two nodes, with a process of two threads and a
 * heap object, and names of the kernel's line and site.
 */
void sample_profile(struct profile *profile);

/* Write or read it, which must work. */
void profile_put(const struct profile *profile, const char *path);
void profile_get(struct profile *profile, const char *path, __u32 tables);
/* Reading must be refused, with these words. */
void profile_refused(const char *path, const char *words);

/* Write a profile of the sample and give its bytes. */
struct bytes written(const char *path);
/* Put the checksum of the header, or of the section here, right after a change. */
void seal_header(struct bytes *file);
void seal_section(unsigned char *at);
/* Where the section of a type begins; NULL: there is none. */
unsigned char *section_at(const struct bytes *file, __u32 type);

/*
 * Run memlat-ctl with these words (a shell's) and what it says, on both outputs; the
 * exit status, or -1.
 */
__attribute__((format(printf, 3, 4)))
int program(char *said, size_t room, const char *format, ...);
/* It must end with that status, and say these words. */
void program_refuses(const char *arguments, int status, const char *words);

#endif
