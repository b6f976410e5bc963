// SPDX-License-Identifier: GPL-2.0
#include "perf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../util/io.h"
#include "../util/xalloc.h"

#define MAGIC		"PERFILE2"
#define MAGIC_OTHER	"2ELIFREP"	/* of a machine with the other byte order */
#define MAGIC_OLD	"PERFFILE"
#define AGAIN		"; record it anew, or fetch the file again"
#define BUFFER_BYTES	(256 * 1024)	/* several of the largest records, of 65,535 bytes */
#define PART_MAX	(64ULL << 20)	/* most bytes of a part that is held as a whole */
#define EVENTS_MAX	4096
#define PIPE_HEADER	16

/* perf's own records with contents that are not read. */
#define RECORD_AUXTRACE		71
#define RECORD_COMPRESSED	81
#define RECORD_COMPRESSED2	83

struct file_header {
	char magic[8];
	__u64 size;
	__u64 attr_size;
	struct perf_file_part attrs, data, event_types;
	__u64 flags[4];
};

int perf_file_refuse(struct perf_file *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(file->why, PERF_FILE_ERROR_MAX, format, args);
	va_end(args);
	return -EBADMSG;
}

static bool inside(const struct perf_file *file, const struct perf_file_part *part)
{
	return part->offset <= file->size && part->size <= file->size - part->offset;
}

int perf_file_part(struct perf_file *file, const struct perf_file_part *part, const char *name,
		   unsigned char **bytes)
{
	ssize_t got;

	*bytes = NULL;
	if (!inside(file, part))
		return perf_file_refuse(file, "it is cut off: its %s should end at byte %llu, and %llu are there" AGAIN,
					name, part->offset + part->size, file->size);
	if (part->size > PART_MAX)
		return perf_file_refuse(file, "it is damaged (%s: %llu bytes)" AGAIN, name, part->size);
	*bytes = xmalloc(part->size + 1);
	got = io_read_at(file->fd, *bytes, part->size, part->offset);
	if (got == (ssize_t)part->size) {
		(*bytes)[part->size] = '\0';
		return 0;
	}
	free(*bytes);
	*bytes = NULL;
	return got < 0 ? (int)got :
		perf_file_refuse(file, "it is cut off inside its %s" AGAIN, name);
}

static int take_ids(struct perf_file *file, const struct perf_file_part *part, size_t event)
{
	struct perf_events *events = &file->events;
	const size_t nr = part->size / sizeof(__u64);
	unsigned char *bytes;
	size_t i;
	int ret = perf_file_part(file, part, "list of event numbers", &bytes);

	if (ret)
		return ret;
	/* Each list may be the whole file, but not all of them. */
	if (nr > file->size / sizeof(__u64) - events->nr_ids) {
		free(bytes);
		return perf_file_refuse(file, "it is damaged (lists of event numbers)" AGAIN);
	}
	ARRAY_GROW(events->ids, events->nr_ids + nr, events->room_ids);
	for (i = 0; i < nr; i++) {
		struct perf_event_id *id = &events->ids[events->nr_ids++];

		memcpy(&id->id, bytes + i * sizeof(id->id), sizeof(id->id));
		id->event = event;
	}
	free(bytes);
	return 0;
}

/* Refuse samples with unknown fields, because all fields behind them would be misread. */
static int check_event(struct perf_file *file, const struct perf_event_attr *attr)
{
	const __u64 known = (PERF_SAMPLE_WEIGHT_STRUCT << 1) - 1;

	if (attr->sample_type & ~known)
		return perf_file_refuse(file, "its samples have fields that this memlat-ctl does not know (%#llx); look for a newer memlat",
					attr->sample_type & ~known);
	return 0;
}

static int take_events(struct perf_file *file, const struct file_header *header)
{
	const __u64 wanted = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
			     PERF_SAMPLE_DATA_SRC;
	const size_t behind = sizeof(struct perf_file_part);
	size_t i, held, size = header->attr_size;
	struct perf_file_part part;
	unsigned char *bytes;
	int ret;

	if (size < PERF_ATTR_SIZE_VER0 + behind || size > 65536 || header->attrs.size % size ||
	    header->attrs.size / size > EVENTS_MAX)
		return perf_file_refuse(file, "it is damaged (list of events)" AGAIN);
	ret = perf_file_part(file, &header->attrs, "list of events", &bytes);
	if (ret)
		return ret;
	file->events.nr = header->attrs.size / size;
	file->events.event = xcalloc(file->events.nr, sizeof(*file->events.event));
	held = size - behind < sizeof(struct perf_event_attr) ? size - behind :
								sizeof(struct perf_event_attr);
	for (i = 0; i < file->events.nr && !ret; i++) {
		struct perf_event *event = &file->events.event[i];

		memcpy(&event->attr, bytes + i * size, held);
		memcpy(&part, bytes + (i + 1) * size - behind, behind);
		event->memory = (event->attr.sample_type & wanted) == wanted;
		ret = check_event(file, &event->attr);
		if (!ret)
			ret = take_ids(file, &part, i);
	}
	free(bytes);
	perf_events_sort(&file->events);
	return ret;
}

static int check_magic(struct perf_file *file, const char *magic, size_t got)
{
	if (!got)
		return perf_file_refuse(file, "it is empty; give a file that 'perf mem record' or 'perf c2c record' wrote");
	if (!memcmp(magic, MAGIC_OTHER, got < 8 ? got : 8))
		return perf_file_refuse(file, "it is from a big-endian machine, whose files memlat-ctl does not read");
	if (!memcmp(magic, MAGIC_OLD, got < 8 ? got : 8) && got >= 5)
		return perf_file_refuse(file, "a perf older than Linux 3.4 wrote it, whose files memlat-ctl does not read");
	if (memcmp(magic, MAGIC, got < 8 ? got : 8))
		return perf_file_refuse(file, "it is not a perf.data file; give a file that 'perf mem record' or 'perf c2c record' wrote");
	return 0;
}

static int read_header(struct perf_file *file, struct file_header *header)
{
	ssize_t got = io_read_at(file->fd, header, sizeof(*header), 0);
	int ret;

	if (got < 0)
		return (int)got;
	ret = check_magic(file, header->magic, (size_t)got);
	if (ret)
		return ret;
	if ((size_t)got >= PIPE_HEADER && header->size == PIPE_HEADER)
		return perf_file_refuse(file, "it was written to a pipe (perf record -o -), and that format is not read; let perf record write to a file");
	if ((size_t)got < sizeof(*header))
		return perf_file_refuse(file, "it is cut off inside its header" AGAIN);
	if (header->size < sizeof(*header))
		return perf_file_refuse(file, "it is damaged (header)" AGAIN);
	if (!header->data.size)
		return perf_file_refuse(file, "it was not finished: perf record had no time to end it; record it anew, and end perf with Ctrl-C");
	if (!inside(file, &header->data))
		return perf_file_refuse(file, "it is cut off: its records should end at byte %llu, and %llu are there" AGAIN,
					header->data.offset + header->data.size, file->size);
	file->data = header->data.offset;
	file->data_end = header->data.offset + header->data.size;
	return 0;
}

static int read_all(struct perf_file *file)
{
	struct file_header header;
	struct stat is;
	int ret;

	if (fstat(file->fd, &is))
		return -errno;
	if (S_ISDIR(is.st_mode))
		return perf_file_refuse(file, "it is a folder (perf record --threads), which is not read; record without --threads");
	if (!S_ISREG(is.st_mode))
		return perf_file_refuse(file, "it is not a regular file, but has to be read twice; copy it into a file first");
	file->size = (__u64)is.st_size;
	file->modified = is.st_mtime > 0 ? (__u64)is.st_mtime : 0;
	ret = read_header(file, &header);
	if (!ret)
		ret = take_events(file, &header);
	if (!ret)
		ret = perf_features_read(file, header.flags);
	perf_file_rewind(file);
	return ret;
}

int perf_file_open(struct perf_file *file, const char *path, char why[PERF_FILE_ERROR_MAX])
{
	memset(file, 0, sizeof(*file));
	file->why = why;
	*why = '\0';
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	file->buffer = xmalloc(BUFFER_BYTES);
	return read_all(file);
}

void perf_file_close(struct perf_file *file)
{
	char **texts[] = {
		&file->host, &file->release, &file->version, &file->arch, &file->cpu,
		&file->cpuid, &file->command,
	};
	size_t i;

	if (file->fd >= 0)
		close(file->fd);
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(*texts[i]);
	for (i = 0; i < file->nr_nodes; i++)
		free(file->nodes[i].cpus);
	for (i = 0; i < file->nr_builds; i++)
		free(file->builds[i].path);
	perf_events_free(&file->events);
	free(file->nodes);
	free(file->builds);
	free(file->cpu_socket);
	free(file->buffer);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

void perf_file_rewind(struct perf_file *file)
{
	file->at = file->data;
	file->held = file->used = 0;
}

/* Read until so many bytes of the next record are in the buffer: 1; 0: the records end before. */
static int fill(struct perf_file *file, size_t size)
{
	__u64 left = file->data_end - file->at;
	size_t rest = file->held - file->used, room;
	ssize_t got;

	if (rest >= size)
		return 1;
	if (left < size)
		return 0;
	memmove(file->buffer, file->buffer + file->used, rest);
	file->used = 0;
	room = BUFFER_BYTES - rest;
	if (left - rest < room)
		room = left - rest;
	got = io_read_at(file->fd, file->buffer + rest, room, file->at + rest);
	if (got < 0)
		return (int)got;
	file->held = rest + (size_t)got;
	return file->held >= size;
}

/* Check the type before the length, because compressed records have any length. */
static int check_type(struct perf_file *file, __u32 type)
{
	switch (type) {
	case RECORD_AUXTRACE:
		return perf_file_refuse(file, "it holds a trace (Arm SPE, Intel PT) that perf has to decode first: perf inject --itrace=M -i FILE -o DECODED, and import that");
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return perf_file_refuse(file, "it is compressed (perf record -z), which is not read; record without -z");
	}
	return 0;
}

int perf_file_next(struct perf_file *file, const struct perf_event_header **record)
{
	struct perf_event_header header;
	int ret;

	if (file->at == file->data_end)
		return 0;
	ret = fill(file, sizeof(header));
	if (ret > 0) {
		memcpy(&header, file->buffer + file->used, sizeof(header));
		ret = check_type(file, header.type);
		if (ret)
			return ret;
		if (header.size < sizeof(header) || header.size % 8)
			return perf_file_refuse(file, "it is damaged (byte %llu: a record of %u bytes)" AGAIN,
						file->at, header.size);
		ret = fill(file, header.size);
	}
	if (ret < 0)
		return ret;
	if (!ret)
		return perf_file_refuse(file, "it is cut off inside the record at byte %llu" AGAIN,
					file->at);
	/* Records are multiples of 8 bytes, so each is aligned in the buffer. */
	*record = (const void *)(file->buffer + file->used);
	file->used += header.size;
	file->at += header.size;
	return 1;
}
