// SPDX-License-Identifier: GPL-2.0
/* What libmemlat-heap.so wrote (heap/format.h), of all processes of a folder. */
#include "heap_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../heap/format.h"
#include "../util/order.h"
#include "../util/io.h"
#include "../util/xalloc.h"

#define FOREVER		(~0ULL)

/* A site number of the file, and the same site's number in the log. */
struct number {
	__u32 in_file, in_log;
};

struct freed {
	__u64 start, time;
};

struct found {
	struct heap_object object;
	__u64 again;		/* the last time that an object was allocated there */
	__u64 count;
	bool latest;		/* of a thread's objects at that address, as its table has it */
	size_t at;		/* in the order of the file */
};

struct parent {
	__u32 pid, file;
};

/* The log that is being read, with what is needed only until it is complete. */
struct reading {
	struct heap_log *log;
	struct parent *parents;	/* one for each process */
	size_t room_parents;
	/* of the current file */
	struct number *numbers;
	size_t nr_numbers, room_numbers;
	struct found *found;
	size_t nr_found, room_found;
	struct freed *freed;
	size_t nr_freed, room_freed;
};

ORDER_BY(by_file_number, struct number, in_file)

/*
 * Within one clock tick a place may have had several objects. The one that did not end was the last,
 * and the others are logged in their order.
 */
COMPARE(by_start, struct found,
	order(a->object.start, b->object.start) ?: order(a->object.from, b->object.from) ?:
	order(a->object.until, b->object.until) ?: a->latest - b->latest ?: order(a->at, b->at))

ORDER_BY_2(by_time, struct freed, start, time)

static void take_site(struct reading *reading, __u32 pid, const __u64 *words,
		      unsigned int length)
{
	struct heap_log *log = reading->log;
	struct heap_site *site;

	ARRAY_GROW(log->sites, log->nr_sites + 1, log->room_sites);
	ARRAY_GROW(reading->numbers, reading->nr_numbers + 1, reading->room_numbers);
	site = &log->sites[log->nr_sites];
	memset(site, 0, sizeof(*site));
	site->pid = pid;
	site->frames = length - 1;
	memcpy(site->frame, words + 1, site->frames * sizeof(*site->frame));
	reading->numbers[reading->nr_numbers].in_file = HEAP_TAG_SITE(words[0]);
	reading->numbers[reading->nr_numbers++].in_log = (__u32)log->nr_sites++;
}

/* site is the file's number until all sites of the file are known. */
static void take_object(struct reading *reading, __u32 pid,
			const struct heap_record_object *record, bool latest)
{
	struct found *found;

	if (record->start + record->size < record->start || !record->count)
		return;
	ARRAY_GROW(reading->found, reading->nr_found + 1, reading->room_found);
	found = &reading->found[reading->nr_found];
	found->latest = latest;
	found->at = reading->nr_found++;
	found->object = (struct heap_object){
		.pid = pid, .start = record->start, .size = record->size,
		.from = record->from, .site = HEAP_TAG_SITE(record->tag),
		.until = record->until ? record->until : FOREVER,
	};
	found->again = record->again;
	found->count = record->count;
}

static void take_free(struct reading *reading, const struct heap_record_free *record)
{
	ARRAY_GROW(reading->freed, reading->nr_freed + 1, reading->room_freed);
	reading->freed[reading->nr_freed].start = record->start;
	reading->freed[reading->nr_freed++].time = record->time;
}

static void take_table(struct reading *reading, __u32 pid, const __u64 *words)
{
	const size_t length = HEAP_WORDS(heap_record_object);
	struct heap_record_object record;
	size_t i;

	for (i = 0; i < HEAP_ENTRIES; i++) {
		memcpy(&record, words + i * length, sizeof(record));
		if (HEAP_TAG_KIND(record.tag) == HEAP_OBJECT)
			take_object(reading, pid, &record, true);
	}
}

/* -EBADMSG: the file contains what the library does not write. */
static int take_log(struct reading *reading, __u32 pid, const __u64 *words, size_t left)
{
	struct heap_record_object object;
	struct heap_record_free freed;

	while (left && *words) {
		const unsigned int length = HEAP_TAG_WORDS(*words);

		if (!length || length > left)
			return -EBADMSG;
		switch (HEAP_TAG_KIND(*words)) {
		case HEAP_OBJECT:
			if (length != HEAP_WORDS(heap_record_object))
				return -EBADMSG;
			memcpy(&object, words, sizeof(object));
			take_object(reading, pid, &object, false);
			break;
		case HEAP_FREE:
			if (length != HEAP_WORDS(heap_record_free))
				return -EBADMSG;
			memcpy(&freed, words, sizeof(freed));
			take_free(reading, &freed);
			break;
		case HEAP_SITE:
			if (length > 1 + HEAP_SITE_FRAMES)
				return -EBADMSG;
			take_site(reading, pid, words, length);
			break;
		default:
			return -EBADMSG;
		}
		words += length;
		left -= length;
	}
	return 0;
}

/*
 * A thread other than the one that logged an object may have freed it. The object ends at the first
 * free of its address after its last allocation, or when another object takes its place. Since the
 * file is full, frees are missing. Then an older object may have ended, and must not give its name
 * to a newer one that has a part of its place.
 */
static void end_objects(struct reading *reading, __u64 full)
{
	size_t i, k = 0;

	SORT(reading->found, reading->nr_found, by_start);
	SORT(reading->freed, reading->nr_freed, by_time);
	for (i = 0; i < reading->nr_found; i++) {
		struct heap_object *object = &reading->found[i].object;
		const struct found *next = &reading->found[i + 1];

		if (object->until != FOREVER)
			continue;
		while (k < reading->nr_freed &&
		       (reading->freed[k].start < object->start ||
			(reading->freed[k].start == object->start &&
			 reading->freed[k].time < reading->found[i].again)))
			k++;
		if (k < reading->nr_freed && reading->freed[k].start == object->start)
			object->until = reading->freed[k++].time;
		if (i + 1 < reading->nr_found && next->object.start == object->start &&
		    next->object.from < object->until)
			object->until = next->object.from;
		if (object->until == FOREVER && reading->found[i].again < full)
			object->until = full;
	}
}

static void add_process(struct reading *reading, const struct heap_file *file)
{
	struct heap_log *log = reading->log;
	struct heap_process *process;
	size_t i;

	ARRAY_GROW(log->processes, log->nr_processes + 1, log->room_processes);
	ARRAY_GROW(reading->parents, log->nr_processes + 1, reading->room_parents);
	reading->parents[log->nr_processes] =
		(struct parent){ file->parent, file->parent_file };
	process = &log->processes[log->nr_processes++];
	*process = (struct heap_process){
		.pid = file->pid, .file = file->file, .from = file->from,
		.until = FOREVER, .parent = HEAP_NO_PARENT, .first = log->nr_objects,
	};
	SORT(reading->numbers, reading->nr_numbers, by_file_number);
	end_objects(reading, file->full);
	for (i = 0; i < reading->nr_found; i++) {
		struct found *found = &reading->found[i];
		struct number wanted = { .in_file = found->object.site }, *number;

		number = reading->nr_numbers ?
			 bsearch(&wanted, reading->numbers, reading->nr_numbers,
				 sizeof(wanted), by_file_number) : NULL;
		if (!number)
			continue;
		ARRAY_GROW(log->objects, log->nr_objects + 1, log->room_objects);
		found->object.site = number->in_log;
		log->sites[number->in_log].objects += found->count;
		log->sites[number->in_log].bytes += found->count * found->object.size;
		log->objects[log->nr_objects++] = found->object;
		process->nr++;
	}
}

static int take_block(struct reading *reading, __u32 pid, const __u64 *block)
{
	switch (block[0]) {
	case 0:
		return 0;
	case HEAP_BLOCK_TABLE:
		take_table(reading, pid, block + 1);
		return 0;
	case HEAP_BLOCK_LOG:
		return take_log(reading, pid, block + 1, HEAP_BLOCK / sizeof(*block) - 1);
	default:
		return -EBADMSG;
	}
}

/* The library may have counted the last block before it could make it. */
static int take_blocks(struct reading *reading, const struct heap_file *file, int fd)
{
	__u64 block[HEAP_BLOCK / sizeof(__u64)], i;
	int ret = 0;

	for (i = 1; !ret && i < file->blocks && i < HEAP_BLOCKS_MAX; i++) {
		ssize_t got = io_read_at(fd, block, HEAP_BLOCK, i * HEAP_BLOCK);

		if (got != HEAP_BLOCK)
			return got < 0 ? (int)got : 0;
		ret = take_block(reading, file->pid, block);
	}
	return ret;
}

/* A program that still runs may shorten its file, so the file is read and not mapped. */
static void take_file(struct reading *reading, int fd)
{
	struct heap_file file;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < HEAP_BLOCK ||
	    io_read_at(fd, &file, sizeof(file), 0) != (ssize_t)sizeof(file) ||
	    file.magic != HEAP_MAGIC) {
		reading->log->cut++;
		return;
	}
	reading->nr_numbers = reading->nr_found = reading->nr_freed = 0;
	/* What precedes invalid content is kept. */
	if (take_blocks(reading, &file, fd))
		reading->log->cut++;
	reading->log->lost += file.lost;
	add_process(reading, &file);
}

/* A file that cannot be read is one of the incomplete ones. The others have what they have. */
static void read_file(struct reading *reading, int folder, const char *name)
{
	/* The open of a pipe would wait for a writer. */
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		reading->log->cut++;
		return;
	}
	take_file(reading, fd);
	close(fd);
}

static size_t find_parent(const struct heap_log *log, const struct parent *parent)
{
	size_t i;

	for (i = 0; parent->pid && i < log->nr_processes; i++)
		if (log->processes[i].pid == parent->pid &&
		    log->processes[i].file == parent->file)
			return i;
	return HEAP_NO_PARENT;
}

/* Merged with none, the log is in order. */
static void arrange(struct reading *reading)
{
	struct heap_log *log = reading->log;
	size_t i;

	for (i = 0; i < log->nr_processes; i++)
		log->processes[i].parent = find_parent(log, &reading->parents[i]);
	reading->log = NULL;
	heap_merge(&reading->log, log);
	heap_log_free(log);
}

static int read_folder(struct reading *reading, const char *name)
{
	struct dirent *entry;
	DIR *folder;

	folder = opendir(name);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			read_file(reading, dirfd(folder), entry->d_name);
	closedir(folder);
	arrange(reading);
	return 0;
}

int heap_log_read(struct heap_log **log, const char *folder)
{
	struct reading reading = { .log = xcalloc(1, sizeof(**log)) };
	int ret = read_folder(&reading, folder);

	*log = NULL;
	free(reading.parents);
	free(reading.numbers);
	free(reading.found);
	free(reading.freed);
	if (ret)
		heap_log_free(reading.log);
	else
		*log = reading.log;
	return ret;
}
