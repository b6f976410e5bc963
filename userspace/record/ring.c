// SPDX-License-Identifier: GPL-2.0
#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../import/perf_record.h"
#include "../util/xalloc.h"

#define PAGES_LEAST	8

/* no record is larger: the size has 16 bits */
#define RECORD_MAX	65536

struct perf_event_attr ring_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.mmap_data = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = 1,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
	};
}

int ring_event(const struct perf_event_attr *attr, pid_t pid, unsigned int cpu, int leader)
{
	const bool cgroup = pid < -1;
	long fd = syscall(SYS_perf_event_open, attr, cgroup ? RING_CGROUP(pid) : pid, cpu, leader,
			  PERF_FLAG_FD_CLOEXEC | (cgroup ? PERF_FLAG_PID_CGROUP : 0));

	return fd < 0 ? -errno : (int)fd;
}

static int event_open(const struct perf_event_attr *attr, pid_t pid, unsigned int cpu,
		      size_t bytes)
{
	struct perf_event_attr sized = *attr;
	int fd;

	sized.wakeup_watermark = (__u32)(bytes / 4);
	fd = ring_event(&sized, pid, cpu, -1);
	/* Kernels before 5.12 do not report build ids. They can be read from the files. */
	if (fd == -EINVAL) {
		sized.build_id = 0;
		fd = ring_event(&sized, pid, cpu, -1);
	}
	return fd;
}

int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most,
	      const struct perf_event_attr *attr, pid_t pid)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t pages;

	*ring = (struct ring){ .cpu = cpu, .fd = -1 };
	for (pages = pages_most; ; pages /= 2) {
		int fd = event_open(attr, pid, cpu, pages * page), error;
		void *map;

		if (fd < 0)
			return fd;
		map = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0);
		if (map != MAP_FAILED) {
			ring->fd = fd;
			ring->page = map;
			ring->bytes = pages * page;
			return 0;
		}
		error = errno;
		close(fd);
		if ((error != EPERM && error != ENOMEM) || pages == PAGES_LEAST)
			return -error;
	}
}

int ring_add(struct ring *ring, int fd, int what)
{
	int error;

	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
		error = errno;
		close(fd);
		return -error;
	}
	ARRAY_GROW(ring->others, ring->nr_others + 1, ring->room_others);
	ring->others[ring->nr_others++] = (struct ring_other){ fd, what };
	return 0;
}

void ring_close(struct ring *ring)
{
	size_t i;

	for (i = 0; i < ring->nr_others; i++)
		close(ring->others[i].fd);
	free(ring->others);
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	close(ring->fd);
}

void ring_look(struct ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static const char *place(const struct ring *ring, __u64 at)
{
	return (const char *)ring->page + sysconf(_SC_PAGESIZE) + (at & (ring->bytes - 1));
}

__u64 ring_word(const struct ring *ring, size_t offset)
{
	const __u64 tail = ring->page->data_tail;
	__u64 word = 0;

	/* Records are multiples of 8 bytes, so a word does not wrap around. */
	if (ring->head - tail >= offset + sizeof(word))
		memcpy(&word, place(ring, tail + offset), sizeof(word));
	return word;
}

const struct perf_event_header *ring_next(struct ring *ring, bool *bad)
{
	static char whole[RECORD_MAX] __attribute__((aligned(8)));
	const __u64 tail = ring->page->data_tail, left = ring->head - tail;
	const struct perf_event_header *record = (const void *)place(ring, tail);
	size_t behind = ring->bytes - (tail & (ring->bytes - 1));

	*bad = left && (left < sizeof(*record) || record->size < sizeof(*record) ||
			record->size % 8 || record->size > left);
	if (*bad)
		__atomic_store_n(&ring->page->data_tail, ring->head, __ATOMIC_RELEASE);
	if (*bad || !left)
		return NULL;
	if (record->size <= behind)
		return record;
	memcpy(whole, record, behind);
	memcpy(whole + behind, place(ring, 0), record->size - behind);
	return (const void *)whole;
}

void ring_done(struct ring *ring, const struct perf_event_header *record)
{
	/* Free the space as soon as possible. */
	__atomic_store_n(&ring->page->data_tail, ring->page->data_tail + record->size,
			 __ATOMIC_RELEASE);
}

void ring_read(struct ring *ring, struct history *history)
{
	/* PERF_SAMPLE_TID and PERF_SAMPLE_TIME. */
	static const struct perf_trailer trailer = { .size = 16, .time = 8 };
	const struct perf_event_header *record;
	bool bad;

	ring_look(ring);
	while ((record = ring_next(ring, &bad))) {
		perf_record_take(history, record, &trailer);
		ring_done(ring, record);
	}
	if (bad)
		history_lost(history, 1);
}

void ring_sums_add(struct ring_sums *sums, const struct ring_sums *more, int sign)
{
	unsigned int i;

	sums->life_lost += (__u64)sign * more->life_lost;
	sums->lost += (__u64)sign * more->lost;
	sums->running += (__u64)sign * more->running;
	for (i = 0; i < MEMLAT_EVENT_NR; i++)
		sums->counting[i] += (__u64)sign * more->counting[i];
}

static void add_sum(struct ring_sums *sums, int fd, int what)
{
	/* The value, the times enabled and running, and what was lost. */
	__u64 words[4] = { 0 };

	if (read(fd, words, sizeof(words)) < (ssize_t)sizeof(words) - (ssize_t)sizeof(*words))
		return;
	if (what == RING_LIFE) {
		sums->life_lost += words[3];
	} else if (what == RING_CLOCK) {
		sums->running += words[2];
	} else if (what == RING_SAMPLES || what <= RING_BURSTS) {
		sums->lost += words[3];
	} else {
		sums->counting[what] += words[2];
	}
}

struct ring_sums ring_sums(const struct ring *ring)
{
	struct ring_sums sums = { 0 };
	size_t i;

	add_sum(&sums, ring->fd, RING_LIFE);
	for (i = 0; i < ring->nr_others; i++)
		add_sum(&sums, ring->others[i].fd, ring->others[i].what);
	return sums;
}
