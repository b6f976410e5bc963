/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of profile files share. */
#ifndef CTL_PROFILE_H
#define CTL_PROFILE_H

#include "ctl_test.h"

#include "profile/file.h"
#include "profile/heap_internal.h"
#include "profile/kernel_names.h"

/* A folder of the test. folder_remove() removes it with its contents. */
struct folder {
	char path[256];
};

void folder_make(struct folder *folder);
void folder_remove(const struct folder *folder);
/* Return the path of a file in it, in one of four static buffers. */
const char *folder_file(const struct folder *folder, const char *name);

/* A fixture for tests that need one folder: own_folder, and the path of a file in it. */
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

/* A process with one object, allocated at one place. Its log lost three records. */
struct heap_log *sample_heap(__u32 pid, __u64 start, __u64 frame);
void sample_kernel_row(struct kernel_names *names, enum kernel_kind kind, __u64 start,
		       __u64 end, const char *text, const char *module);

/*
 * sample_snapshot() on a machine of two nodes, with a process of two threads and a heap object, and
 * names of the kernel's line and site.
 */
void sample_profile(struct profile *profile);

/* Write it or read it, which must succeed. */
void profile_put(const struct profile *profile, const char *path);
void profile_get(struct profile *profile, const char *path, __u32 tables);
/* Reading must be refused with a message that contains these words. */
void profile_refused(const char *path, const char *words);

/* Write the sample's profile and return its bytes. */
struct bytes written(const char *path);
/* Correct the checksum of the header, or of this section, after a change. */
void seal_header(struct bytes *file);
void seal_section(unsigned char *at);
/* Return the beginning of the section of a type; NULL: there is none. */
unsigned char *section_at(const struct bytes *file, __u32 type);

/*
 * Run memlat-ctl with these arguments (a shell's). said: both outputs. Returns the exit status, or
 * -1.
 */
__attribute__((format(printf, 3, 4)))
int program(char *said, size_t room, const char *format, ...);
/* What it prints, for the caller to free. It must end with this status. */
__attribute__((format(printf, 2, 3)))
char *program_ends(int status, const char *format, ...);
/* It must end with this status and print these words. */
void program_refuses(const char *arguments, int status, const char *words);

#endif
