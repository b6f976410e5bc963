/* SPDX-License-Identifier: GPL-2.0 */
/* Who had a number, and by which name, when a sample was taken: of a perf.data's records. */
#ifndef MEMLAT_IMPORT_PEOPLE_H
#define MEMLAT_IMPORT_PEOPLE_H

#include <stddef.h>

#include "../record/perf_record.h"

#define PEOPLE_MAX	(1U << 21)	/* of either that are held; what comes later is left out */

/* A thread's name from then on. */
struct person_name {
	__u32 tid;
	__u64 time;
	size_t order;
	char comm[16];
};

/* A process begins, or another program in it. */
struct person_begin {
	__u32 pid;
	__u64 time;
};

struct people {
	struct person_name *names;	/* by tid, then by time, once settled */
	size_t nr_names, room_names;
	struct person_begin *begins;	/* by pid, then by time, once settled */
	size_t nr_begins, room_begins;
};

/* Of PERF_RECORD_COMM and _FORK. */
void people_take(struct people *people, const struct perf_event_header *record,
		 const struct perf_trailer *trailer);
/* All are in. */
void people_settle(struct people *people);
void people_free(struct people *people);

/* The name that a thread had; "": not known. */
const char *people_name(const struct people *people, __u32 tid, __u64 time);
/* Tells apart what had this number, and what it executed; never 0. */
__u32 people_generation(const struct people *people, __u32 pid, __u64 time);

#endif
