// SPDX-License-Identifier: GPL-2.0
#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../import/perf_record.h"

#define PAGES_LEAST	8

/* no record is larger: the size has 16 bits */
#define RECORD_MAX	65536

static int event_open(unsigned int cpu, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
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
		.wakeup_watermark = (__u32)(bytes / 4),
	};
	long fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	/* Kernels before 5.12 do not report build ids. They can be read from the files. */
	if (fd < 0 && errno == EINVAL) {
		attr.build_id = 0;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			     PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t pages;

	ring->cpu = cpu;
	ring->hung = false;
	for (pages = pages_most; ; pages /= 2) {
		int fd = event_open(cpu, pages * page), error;
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

void ring_close(struct ring *ring)
{
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	close(ring->fd);
}

void ring_read(struct ring *ring, struct history *history)
{
	/* PERF_SAMPLE_TID and PERF_SAMPLE_TIME. */
	static const struct perf_trailer trailer = { .size = 16, .time = 8 };
	static char whole[RECORD_MAX] __attribute__((aligned(8)));
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	__u64 head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = ring->page->data_tail;

	while (head - tail >= sizeof(struct perf_event_header)) {
		size_t at = tail & (ring->bytes - 1), left = ring->bytes - at;
		/* Records are multiples of 8 bytes, so a header does not wrap around. */
		const struct perf_event_header *record = (const void *)(data + at);
		size_t size = record->size;

		if (size < sizeof(*record) || size > head - tail)
			break;
		if (size > left) {
			memcpy(whole, record, left);
			memcpy(whole + left, data, size - left);
			record = (const void *)whole;
		}
		perf_record_take(history, record, &trailer);
		tail += size;
		/* Free the space as soon as possible. */
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	}
}
