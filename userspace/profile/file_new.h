/* SPDX-License-Identifier: GPL-2.0 */
/* A file that has its name only once it is whole, so that a death leaves nothing. */
#ifndef MEMLAT_FILE_NEW_H
#define MEMLAT_FILE_NEW_H

#include <stdbool.h>
#include <stddef.h>

struct file_new {
	int fd;			/* to write to */
	const char *target;	/* what it will be called */
	char *name;		/* what it is called until then; NULL: it has no name */
	bool unnamed;		/* it could not be given one: begin again with named */
};

/*
 * Make one for this name, which stays what it is until then; named: it has another
 * one meanwhile, so that a death would leave it. 0 or -errno.
 */
int file_new_begin(struct file_new *file, const char *target, bool named);
/* Give it its name if ret is 0, else let it be. ret, or -errno. */
int file_new_end(struct file_new *file, int ret);

#define FILE_NEW_WHY_MAX	256

/* All bytes of it to a descriptor, and to the disk: 0 or -errno. */
typedef int file_new_writer(int fd, const void *context);

/*
 * A whole file at once, for its owner alone; an older one of that name stays until then. What
 * a symbolic link names is replaced, and not the link. 0 or -errno, with why saying in words
 * what could not be done.
 */
int file_new_write(const char *path, file_new_writer *write, const void *context,
		   char why[FILE_NEW_WHY_MAX]);
/*
 * The same of bytes that are there; shared: for whom the user's umask lets read it, in place of
 * the owner alone.
 */
int file_new_bytes(const char *path, const void *bytes, size_t size, bool shared,
		   char why[FILE_NEW_WHY_MAX]);

#endif
