// SPDX-License-Identifier: GPL-2.0
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../profile/history.h"
#include "../util/cpulist.h"
#include "../util/xalloc.h"

/* At the end of each record: who, and when (PERF_SAMPLE_TID, PERF_SAMPLE_TIME). */
struct record_id {
	__u32 pid, tid;
	__u64 time;
};

struct record_task {
	struct perf_event_header header;
	__u32 pid, parent_pid;
	__u32 tid, parent_tid;
	__u64 time;
};

struct record_comm {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct record_mmap2 {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 start, length, offset;
	union {
		struct {
			__u32 major, minor;
			__u64 inode, generation;
		};
		struct {
			__u8 build_id_size;
			__u8 reserved[3];
			__u8 build_id[20];
		};
	};
	__u32 prot, flags;
	char path[];
};

struct record_lost {
	struct perf_event_header header;
	__u64 id, lost;
};

/* The text that begins here ends before the record's id does; NULL: it does not. */
static const char *text_of(const struct perf_event_header *record, const char *text)
{
	const char *end = (const char *)record + record->size - sizeof(struct record_id);

	return text < end && memchr(text, '\0', (size_t)(end - text)) ? text : NULL;
}

static __u64 time_of(const struct perf_event_header *record)
{
	struct record_id id;

	memcpy(&id, (const char *)record + record->size - sizeof(id), sizeof(id));
	return id.time;
}

static void take_map(struct history *history, const struct perf_event_header *header)
{
	const struct record_mmap2 *record = (const void *)header;
	struct history_map map = {
		.start = record->start, .end = record->start + record->length,
		.offset = record->offset, .prot = record->prot, .flags = record->flags,
		.time = time_of(header), .path = text_of(header, record->path),
	};

	if (!map.path || map.end < map.start) {
		history_lost(history, 1);
		return;
	}
	if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		map.build_id_size = record->build_id_size;
		if (map.build_id_size > sizeof(record->build_id))
			map.build_id_size = 0;
		memcpy(map.build_id, record->build_id, map.build_id_size);
	} else {
		map.major = record->major;
		map.minor = record->minor;
		map.inode = record->inode;
	}
	history_map_by(history, record->pid, record->tid, &map);
}

static void take_comm(struct history *history, const struct perf_event_header *header)
{
	const struct record_comm *record = (const void *)header;
	const char *comm = text_of(header, record->comm);

	if (comm)
		history_comm(history, time_of(header), record->pid, record->tid, comm,
			     header->misc & PERF_RECORD_MISC_COMM_EXEC);
	else
		history_lost(history, 1);
}

void collect_take(struct history *history, const struct perf_event_header *header)
{
	static const size_t least[] = {
		[PERF_RECORD_MMAP2] = sizeof(struct record_mmap2),
		[PERF_RECORD_COMM] = sizeof(struct record_comm),
		[PERF_RECORD_FORK] = sizeof(struct record_task),
		[PERF_RECORD_EXIT] = sizeof(struct record_task),
		[PERF_RECORD_LOST] = sizeof(struct record_lost),
	};
	const struct record_task *task = (const void *)header;

	if (header->type >= sizeof(least) / sizeof(least[0]) || !least[header->type])
		return;
	if (header->size < least[header->type] + sizeof(struct record_id)) {
		history_lost(history, 1);
		return;
	}
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		take_map(history, header);
		break;
	case PERF_RECORD_COMM:
		take_comm(history, header);
		break;
	case PERF_RECORD_FORK:
		history_fork(history, task->time, task->pid, task->tid, task->parent_pid,
			     task->parent_tid);
		break;
	case PERF_RECORD_EXIT:
		history_exit(history, task->time, task->pid, task->tid);
		break;
	default:
		history_lost(history, ((const struct record_lost *)header)->lost);
	}
}

static void take(void *arg, const struct perf_event_header *record)
{
	collect_take(arg, record);
}

static bool read_online(__u64 cpus[MEMLAT_CPU_WORDS])
{
	char text[4096];
	ssize_t got;
	int fd;

	fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	memset(cpus, 0, MEMLAT_CPU_WORDS * sizeof(*cpus));
	return cpulist_parse(text, cpus) == CPULIST_OK;
}

static bool cpu_in(const __u64 cpus[MEMLAT_CPU_WORDS], unsigned int cpu)
{
	return cpus[cpu / 64] >> cpu % 64 & 1;
}

static int add_ring(struct collect *collect, unsigned int cpu)
{
	struct ring *ring;
	int ret;

	ARRAY_GROW(collect->rings, collect->nr_rings + 1, collect->room_rings);
	ring = &collect->rings[collect->nr_rings];
	ret = ring_open(ring, cpu);
	/* It left again meanwhile. */
	if (ret == -ENODEV)
		return 0;
	if (!ret)
		collect->nr_rings++;
	return ret;
}

/* What a CPU that went away had to tell is taken out; it would tell nothing more. */
static void drop_ring(struct collect *collect, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++) {
		if (collect->rings[i].cpu != cpu)
			continue;
		ring_read(&collect->rings[i], take, collect->history);
		ring_close(&collect->rings[i]);
		collect->rings[i] = collect->rings[--collect->nr_rings];
		return;
	}
}

/* One that went and came back between two looks: its event did not come back. */
static void forget_hung(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++) {
		unsigned int cpu = collect->rings[i].cpu;

		if (collect->rings[i].hung)
			collect->online[cpu / 64] &= ~(1ULL << cpu % 64);
	}
}

int collect_look(struct collect *collect, bool *changed)
{
	__u64 online[MEMLAT_CPU_WORDS];
	unsigned int cpu;
	int ret = 0;

	*changed = false;
	if (!read_online(online))
		return -ENODATA;
	forget_hung(collect);
	if (!memcmp(online, collect->online, sizeof(online)))
		return 0;
	for (cpu = 0; !ret && cpu < CPULIST_CPUS; cpu++) {
		if (cpu_in(online, cpu) == cpu_in(collect->online, cpu))
			continue;
		drop_ring(collect, cpu);
		if (!cpu_in(online, cpu))
			continue;
		*changed = true;
		ret = add_ring(collect, cpu);
	}
	memcpy(collect->online, online, sizeof(online));
	return ret;
}

int collect_begin(struct collect *collect, struct history *history)
{
	bool unused;

	memset(collect, 0, sizeof(*collect));
	collect->history = history;
	return collect_look(collect, &unused);
}

void collect_read(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++)
		ring_read(&collect->rings[i], take, collect->history);
}

void collect_end(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++)
		ring_close(&collect->rings[i]);
	free(collect->rings);
	memset(collect, 0, sizeof(*collect));
}
