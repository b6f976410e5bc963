// SPDX-License-Identifier: GPL-2.0
#include "perf_record.h"

#include <string.h>
#include <sys/mman.h>

struct task_bytes {
	struct perf_event_header header;
	__u32 pid, parent_pid;
	__u32 tid, parent_tid;
	__u64 time;
};

struct comm_bytes {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[];
};

struct place_bytes {
	__u32 pid, tid;
	__u64 start, length, offset;
};

struct mmap_bytes {
	struct perf_event_header header;
	struct place_bytes place;
	char path[];
};

struct mmap2_bytes {
	struct perf_event_header header;
	struct place_bytes place;
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

struct lost_bytes {
	struct perf_event_header header;
	__u64 id, lost;
};

/* A program of BPF or a trampoline: its place, its kind, and bit 0 of flags: it was unloaded. */
struct ksymbol_bytes {
	struct perf_event_header header;
	__u64 start;
	__u32 length;
	__u16 kind, flags;
	char name[];
};

/* The text that begins here, if it ends before the record's trailer; NULL: it does not. */
static const char *text_of(const struct perf_event_header *record, const char *text,
			   const struct perf_trailer *trailer)
{
	const char *end = (const char *)record + record->size - trailer->size;

	return text < end && memchr(text, '\0', (size_t)(end - text)) ? text : NULL;
}

static bool has(const struct perf_event_header *record, size_t bytes,
		const struct perf_trailer *trailer)
{
	return record->size >= bytes + trailer->size;
}

static __u64 time_of(const struct perf_event_header *record, const struct perf_trailer *trailer)
{
	__u64 time = 0;

	if (trailer->time + sizeof(time) <= trailer->size)
		memcpy(&time, (const char *)record + record->size - trailer->size +
		       trailer->time, sizeof(time));
	return time;
}

static struct perf_record_map decode_map(const struct place_bytes *place)
{
	return (struct perf_record_map){
		.pid = place->pid, .tid = place->tid,
		.map = {
			.start = place->start, .end = place->start + place->length,
			.offset = place->offset,
		},
	};
}

/* PERF_RECORD_MMAP, the older form, tells only the path of a file. */
static bool old_map(struct perf_record_map *map, const struct perf_event_header *header,
		    const struct perf_trailer *trailer)
{
	const struct mmap_bytes *record = (const void *)header;

	if (!has(header, sizeof(*record), trailer))
		return false;
	*map = decode_map(&record->place);
	map->map.flags = MAP_PRIVATE;
	map->map.prot = header->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ :
								    PROT_READ | PROT_EXEC;
	map->map.path = text_of(header, record->path, trailer);
	return true;
}

static bool new_map(struct perf_record_map *map, const struct perf_event_header *header,
		    const struct perf_trailer *trailer)
{
	const struct mmap2_bytes *record = (const void *)header;

	if (!has(header, sizeof(*record), trailer))
		return false;
	*map = decode_map(&record->place);
	map->map.flags = record->flags;
	map->map.prot = record->prot;
	map->map.path = text_of(header, record->path, trailer);
	if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		map->map.build_id_size = record->build_id_size;
		if (map->map.build_id_size > sizeof(record->build_id))
			map->map.build_id_size = 0;
		memcpy(map->map.build_id, record->build_id, map->map.build_id_size);
	} else {
		map->map.major = record->major;
		map->map.minor = record->minor;
		map->map.inode = record->inode;
	}
	return true;
}

bool perf_record_map(struct perf_record_map *map, const struct perf_event_header *record,
		     const struct perf_trailer *trailer)
{
	if (!(record->type == PERF_RECORD_MMAP ? old_map(map, record, trailer) :
						 new_map(map, record, trailer)))
		return false;
	map->map.time = time_of(record, trailer);
	return map->map.path && map->map.end >= map->map.start;
}

bool perf_record_task(struct perf_record_task *task, const struct perf_event_header *header,
		      const struct perf_trailer *trailer)
{
	const struct task_bytes *record = (const void *)header;

	if (!has(header, sizeof(*record), trailer))
		return false;
	*task = (struct perf_record_task){
		record->pid, record->parent_pid, record->tid, record->parent_tid, record->time,
	};
	return true;
}

bool perf_record_comm(struct perf_record_comm *comm, const struct perf_event_header *header,
		      const struct perf_trailer *trailer)
{
	const struct comm_bytes *record = (const void *)header;

	if (!has(header, sizeof(*record), trailer))
		return false;
	*comm = (struct perf_record_comm){
		.pid = record->pid, .tid = record->tid,
		.time = time_of(header, trailer),
		.comm = text_of(header, record->comm, trailer),
		.exec = header->misc & PERF_RECORD_MISC_COMM_EXEC,
	};
	return comm->comm;
}

static bool take_ksymbol(struct history *history, const struct perf_event_header *header,
			 const struct perf_trailer *trailer)
{
	const struct ksymbol_bytes *record = (const void *)header;
	const char *name;

	if (!has(header, sizeof(*record), trailer))
		return false;
	name = text_of(header, record->name, trailer);
	if (name && !(record->flags & 1))
		history_ksymbol(history, record->start, record->length, name);
	return name;
}

void perf_record_take(struct history *history, const struct perf_event_header *record,
		      const struct perf_trailer *trailer)
{
	struct perf_record_task task;
	struct perf_record_comm comm;
	struct perf_record_map map;
	bool good = true;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		good = perf_record_map(&map, record, trailer);
		if (good)
			history_map(history, map.pid, map.tid, &map.map);
		break;
	case PERF_RECORD_COMM:
		good = perf_record_comm(&comm, record, trailer);
		if (good)
			history_comm(history, comm.time, comm.pid, comm.tid, comm.comm,
				     comm.exec);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		good = perf_record_task(&task, record, trailer);
		if (good && record->type == PERF_RECORD_FORK)
			history_fork(history, task.time, task.pid, task.tid, task.parent_pid,
				     task.parent_tid);
		else if (good)
			history_exit(history, task.time, task.pid, task.tid);
		break;
	case PERF_RECORD_KSYMBOL:
		good = take_ksymbol(history, record, trailer);
		break;
	case PERF_RECORD_LOST:
		good = has(record, sizeof(struct lost_bytes), trailer);
		if (good)
			history_lost(history, ((const struct lost_bytes *)record)->lost);
		break;
	}
	if (!good)
		history_lost(history, 1);
}
