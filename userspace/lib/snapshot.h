/* SPDX-License-Identifier: GPL-2.0 */
/* The snapshot stream: reading it, checking it, holding it. */
#ifndef MEMLAT_SNAPSHOT_H
#define MEMLAT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

struct snapshot {
	struct memlat_rec_status head;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_raw raw;
	struct memlat_rec_line *lines;
	size_t nr_lines;
	size_t room;		/* lines allocated */
	__u64 records;		/* records seen, of any type */
	__u64 skipped;		/* of these, of a type not known here */
	bool have_head;
	bool have_buckets;
	bool have_raw;
	bool have_end;
	char error[160];	/* what is wrong with the stream, in words */
};

void snapshot_init(struct snapshot *snap);
void snapshot_free(struct snapshot *snap);

/*
 * Take in what one read() returned: whole records. 0, -ENOMEM, or -EBADMSG
 * with snap->error saying what is wrong.
 */
int snapshot_feed(struct snapshot *snap, const void *data, size_t bytes);

/* The stream has ended: is it whole? 0 or -EBADMSG. */
int snapshot_finish(struct snapshot *snap);

/* Take a snapshot of the device and read all of it. 0 or -errno. */
int snapshot_read(struct snapshot *snap, int fd);

#endif
