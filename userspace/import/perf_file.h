/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf.data file: its header, its events, its facts about the machine, and its records one after
 * the other. The format: tools/perf/Documentation/perf.data-file-format.txt in the kernel's source,
 * and linux/perf_event.h. The file may contain any bytes. Whatever it claims is bounded by what is
 * there.
 */
#ifndef MEMLAT_PERF_FILE_H
#define MEMLAT_PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include "../host/cpu_models.h"
#include "../profile/history.h"
#include "../profile/machine.h"
#include "perf_sample.h"

#define PERF_FILE_ERROR_MAX	320

struct perf_file_build {
	char *path;
	__u8 size;
	__u8 id[HISTORY_BUILD_ID_MAX];
};

struct perf_file_node {
	__u32 number;
	__u64 bytes;
	char *cpus;			/* a list of CPUs in the kernel's form */
};

struct perf_file {
	int fd;
	__u64 size;			/* bytes of the file */
	__u64 modified;			/* last change, seconds since 1970; 0: not known */
	__u64 data, data_end;		/* begin and end of the records */
	struct perf_events events;
	/* Other facts in the file; NULL or 0: not known. */
	char *host, *release, *version, *arch, *cpu, *cpuid, *command;
	__u32 cpus_online, cpus_available;
	__s32 *cpu_socket;
	size_t nr_sockets;		/* number of entries of cpu_socket */
	struct perf_file_node *nodes;
	size_t nr_nodes;
	struct perf_file_build *builds;
	size_t nr_builds, room_builds;
	/* State of the reading of records. */
	__u64 at;			/* offset of the next record */
	unsigned char *buffer;
	size_t held, used;		/* bytes in the buffer, and how many of them were taken */
	char *why;			/* receives what is wrong, PERF_FILE_ERROR_MAX bytes */
};

/*
 * Read all but the records. Returns 0 or -errno. With -EBADMSG, why says what is wrong, or what is
 * not supported, and what to do. perf_file_close() is needed in both cases.
 */
int perf_file_open(struct perf_file *file, const char *path, char why[PERF_FILE_ERROR_MAX]);
void perf_file_close(struct perf_file *file);

/* Go back to the first record. */
void perf_file_rewind(struct perf_file *file);
/*
 * Read the next record, which is valid until the next call. Returns 1; 0: there are no more; -errno
 * with why, as above.
 */
int perf_file_next(struct perf_file *file, const struct perf_event_header **record);

/* The build id of a path; NULL: not known. */
const struct perf_file_build *perf_file_build(const struct perf_file *file, const char *path);

/* Note an error and return -EBADMSG. */
__attribute__((format(printf, 2, 3)))
int perf_file_refuse(struct perf_file *file, const char *format, ...);

/* The parts of the file behind the records, which perf_file_open() reads (perf_features.c). */
struct perf_file_part {
	__u64 offset, size;
};

/* Read a part, and put a zero byte behind it; free() it. Returns 0 or -errno. */
int perf_file_part(struct perf_file *file, const struct perf_file_part *part, const char *name,
		   unsigned char **bytes);
int perf_features_read(struct perf_file *file, const __u64 flags[4]);

/* The machine that is described in a perf.data. */

/* The CPU's identity, as far as the file has it. */
struct cpu_identity perf_machine_cpu(const struct perf_file *file);
/* Can these cores tell that a line was modified in another core? */
bool perf_machine_has_hitm(const struct perf_file *file);

/*
 * Fill in what the module would report about its CPU. If memlat does not know it, it has the other
 * name and title.
 */
void perf_machine_model(struct memlat_query *query, const struct cpu_identity *cpu,
			const char *other_name, const char *other_title);
/* What the file does not have stays unknown. */
void perf_machine_read(struct machine *machine, const struct perf_file *file);

#endif
