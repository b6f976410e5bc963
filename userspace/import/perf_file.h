/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file: its header, its events, what it tells of the machine, and its records one
 * after the other. The format: tools/perf/Documentation/perf.data-file-format.txt in the
 * kernel's source, and linux/perf_event.h. The file may be of any bytes: whatever it claims is
 * bounded by what is there.
 */
#ifndef MEMLAT_PERF_FILE_H
#define MEMLAT_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include "../profile/history.h"

#define PERF_FILE_ERROR_MAX	320

/* What was sampled: an event with its options. */
struct perf_file_event {
	struct perf_event_attr attr;	/* zero behind what the file has of it */
	char *name;			/* as perf calls it; NULL: it does not tell */
	bool memory;			/* its samples tell an address and a data source */
};

struct perf_file_id {
	__u64 id;
	size_t event;
};

struct perf_file_build {
	char *path;
	__u8 size;
	__u8 id[HISTORY_BUILD_ID_MAX];
};

struct perf_file_node {
	__u32 number;
	__u64 bytes;
	char *cpus;			/* a list in the kernel's form */
};

struct perf_file {
	int fd;
	__u64 size;			/* bytes of it */
	__u64 modified;			/* seconds since 1970, when it was last written; 0: not known */
	__u64 data, data_end;		/* where its records are */
	struct perf_file_event *events;
	size_t nr_events;
	struct perf_file_id *ids;	/* by id */
	size_t nr_ids, room_ids;
	/* What it tells besides; NULL or 0: it does not. */
	char *host, *release, *version, *arch, *cpu, *cpuid, *command;
	__u32 cpus_online, cpus_available;
	__s32 *cpu_socket;
	size_t nr_sockets;		/* entries of cpu_socket */
	struct perf_file_node *nodes;
	size_t nr_nodes;
	struct perf_file_build *builds;
	size_t nr_builds, room_builds;
	/* Reading the records. */
	__u64 at;			/* where the next one begins */
	unsigned char *buffer;
	size_t held, used;		/* bytes in it, and of these taken */
	char *why;			/* PERF_FILE_ERROR_MAX: what is wrong with it */
};

/*
 * Read all but the records. 0 or -errno (-EBADMSG: with why saying what is wrong with the
 * file, or what it is that is not read, and what to do); perf_file_close() in both cases.
 */
int perf_file_open(struct perf_file *file, const char *path, char why[PERF_FILE_ERROR_MAX]);
void perf_file_close(struct perf_file *file);

/* From the first record on. */
void perf_file_rewind(struct perf_file *file);
/*
 * The next record, whole, valid until the next call. 1; 0: there is none any more; -errno with
 * why, as above.
 */
int perf_file_next(struct perf_file *file, const struct perf_event_header **record);

/* The event with this id; NULL: none has it. */
const struct perf_file_event *perf_file_event(const struct perf_file *file, __u64 id);
/* The build of a path; NULL: not told. */
const struct perf_file_build *perf_file_build(const struct perf_file *file, const char *path);

/* Note what is wrong: -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int perf_file_refuse(struct perf_file *file, const char *format, ...);

/* The parts of perf_file_open() that come after the header (perf_features.c). */
struct perf_file_part {
	__u64 offset, size;
};

/* As many bytes from there, with a zero byte behind them; free() them. 0 or -errno. */
int perf_file_part(struct perf_file *file, const struct perf_file_part *part, const char *name,
		   unsigned char **bytes);
int perf_features_read(struct perf_file *file, const __u64 flags[4]);

#endif
