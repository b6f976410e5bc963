/* SPDX-License-Identifier: GPL-2.0 */
/* perf.data files for tests, written according to linux/perf_event.h and perf's description. */
#ifndef CTL_PERF_H
#define CTL_PERF_H

#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

/* The fields that perf mem record samples, and an identifier of the event. */
#define PERF_FIELDS	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

struct perf_made {
	unsigned char *bytes;
	size_t used;
	size_t events;
	uint64_t features;	/* their bits */
	struct perf_feature {
		unsigned char *bytes;
		size_t size;
	} feature[64];
};

/* Intel's loads with this threshold, and stores. Each sample stands for so many accesses. */
struct perf_event_attr perf_loads(uint64_t ldlat, uint64_t period);
struct perf_event_attr perf_stores(uint64_t period);

/*
 * Open an event of this process that counts nothing. If that is not permitted, the test is skipped.
 */
int perf_event_held(void);

/* Begin a file with these events, whose ids are 1, 2 and so on. */
void perf_begin(struct perf_made *made, const struct perf_event_attr *events, size_t nr);
/* Add a record. size: the bytes after its header. */
void perf_add(struct perf_made *made, uint32_t type, uint16_t misc, const void *body, size_t size);
void perf_feature(struct perf_made *made, unsigned int feature, const void *bytes, size_t size);
/* Add a feature with a text, or with two numbers. */
void perf_feature_text(struct perf_made *made, unsigned int feature, const char *text);
/* Write the file and free it. */
void perf_end(struct perf_made *made, const char *path);

/* Records of a file whose events have PERF_FIELDS. */
struct perf_access {
	uint64_t event, ip, time, addr, weight, data_src;
	uint32_t pid, tid, cpu;
};

void perf_add_access(struct perf_made *made, const struct perf_access *access);
void perf_add_comm(struct perf_made *made, uint64_t time, uint32_t pid, uint32_t tid,
		   const char *comm, int exec);
void perf_add_fork(struct perf_made *made, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t parent);
void perf_add_map(struct perf_made *made, uint64_t time, uint32_t pid, uint64_t start,
		  uint64_t size, const char *path);

/*
 * Two threads of a process fight over the line 0x10040, on two CPUs of two nodes: each loads its
 * own word with remote HITM and stores to it, loads / 2 times. Then the file has an event of another type
 * and the description of the machine, a skx.
 */
void perf_fight(struct perf_made *made, unsigned int loads);

#endif
