// SPDX-License-Identifier: GPL-2.0
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "../util/json.h"
#include "../util/io.h"
#include "../util/xalloc.h"
#include "file_format.h"
#include "heap.h"
#include "history.h"
#include "intervals.h"
#include "kernel_names.h"
#include "known.h"

#define BUFFER_BYTES	(64 * 1024)
#define JSON_MAX	(64 << 20)	/* bytes; topologies and command lines are small */
#define AGAIN		"; record it anew, or fetch the file again"

struct reader {
	struct profile *profile;
	int fd;
	XXH3_state_t *hash;
	unsigned char *buffer;		/* for the snapshot, which is parsed piece by piece */
	__u64 left;			/* unread bytes of the file */
	__u64 offset;
	__u32 seen;			/* bits by section type */
	__u32 interval_tables;		/* tables that the intervals keep, as bits */
	struct profile_section section;
	char *why;
};

static const char *const names[SECTION_TYPES] = {
	[SECTION_MACHINE] = "machine", [SECTION_SNAPSHOT] = "tables",
	[SECTION_HISTORY] = "processes", [SECTION_HEAP] = "heap objects",
	[SECTION_KERNEL] = "names of the kernel", [SECTION_SESSION] = "session",
	[SECTION_COUNTS] = "counts", [SECTION_INTERVALS] = "intervals",
	[SECTION_KNOWN] = "names",
};

__attribute__((format(printf, 2, 3)))
static int refuse(struct reader *reader, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reader->why, PROFILE_ERROR_MAX, format, args);
	va_end(args);
	return -EBADMSG;
}

static int read_bytes(struct reader *reader, void *bytes, size_t size)
{
	ssize_t got = io_read(reader->fd, bytes, size);

	if (got < 0)
		return (int)got;
	reader->offset += (__u64)got;
	if ((size_t)got < size)
		return refuse(reader, "it is cut off after %llu bytes" AGAIN,
			      reader->offset);
	reader->left -= size;
	return 0;
}

static const char *section_name(const struct reader *reader)
{
	const char *name = reader->section.type < SECTION_TYPES ?
			   names[reader->section.type] : NULL;

	return name ? name : "a part not known here";
}

/* The content was read: does its checksum match? */
static int section_check(struct reader *reader)
{
	XXH3_64bits_update(reader->hash, &reader->section, SECTION_HASHED);
	if (XXH3_64bits_digest(reader->hash) == reader->section.checksum)
		return 0;
	return refuse(reader, "it is damaged (%s: the checksum differs)" AGAIN,
		      section_name(reader));
}

/*
 * Read and check all of the content; a zero byte follows it. Memory grows with the bytes that are
 * there, not with what the header claims.
 */
static int section_bytes(struct reader *reader, unsigned char **bytes)
{
	__u64 left = reader->section.length;
	size_t used = 0;
	int ret = 0;

	*bytes = NULL;
	do {
		size_t now = left < BUFFER_BYTES + used ? left : BUFFER_BYTES + used;

		*bytes = xreallocarray(*bytes, used + now + 1, 1);
		ret = read_bytes(reader, *bytes + used, now);
		if (ret)
			break;
		XXH3_64bits_update(reader->hash, *bytes + used, now);
		used += now;
		left -= now;
	} while (left);
	if (!ret)
		ret = section_check(reader);
	if (ret) {
		free(*bytes);
		*bytes = NULL;
		return ret;
	}
	(*bytes)[used] = '\0';
	return 0;
}

/* Turn a decoder's result on intact content into an error message. */
static int decoded(struct reader *reader, int ret, const char *why)
{
	if (ret != -EBADMSG)
		return ret;
	return refuse(reader, "it does not make sense (%s: %s)" AGAIN,
		      section_name(reader), why ? why : "not well-formed");
}

static int section_json(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct json_tokener *parser;
	struct json_object *json;
	const char *why = "no JSON";
	unsigned char *bytes;
	int ret;

	if (reader->section.length > JSON_MAX)
		return refuse(reader, "it does not make sense (%s: larger than %d bytes)" AGAIN,
			      section_name(reader), JSON_MAX);
	ret = section_bytes(reader, &bytes);
	if (ret)
		return ret;
	parser = xneed(json_tokener_new());
	json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* The length includes the zero byte, which ends a number at the end of the text. */
	json = json_tokener_parse_ex(parser, (char *)bytes,
				     (int)reader->section.length + 1);
	if (json_tokener_get_error(parser) != json_tokener_success)
		ret = -EBADMSG;
	else if (reader->section.type == SECTION_MACHINE)
		ret = machine_from_json(&profile->machine, json, &why);
	else
		ret = session_from_json(profile, json, &why);
	json_object_put(json);
	json_tokener_free(parser);
	free(bytes);
	return decoded(reader, ret, why);
}

/*
 * The length of the whole records at the beginning. If a record is malformed, it is everything, and
 * the parser reports the error.
 */
static size_t whole_records(const unsigned char *bytes, size_t size)
{
	struct memlat_rec_header header;
	size_t at = 0;

	while (size - at >= sizeof(header)) {
		memcpy(&header, bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > MEMLAT_REC_MAX)
			return size;
		if (header.size > size - at)
			break;
		at += header.size;
	}
	return at;
}

static int section_snapshot(struct reader *reader, struct snapshot *snap)
{
	__u64 left = reader->section.length;
	size_t held = 0;
	int parsed = 0, ret;

	while (left) {
		size_t now = BUFFER_BYTES - held, whole;

		now = left < now ? left : now;
		ret = read_bytes(reader, reader->buffer + held, now);
		if (ret)
			return ret;
		XXH3_64bits_update(reader->hash, reader->buffer + held, now);
		left -= now;
		held += now;
		if (parsed) {
			/* Read on, to find out whether it was written so or damaged later. */
			held = 0;
			continue;
		}
		whole = left ? whole_records(reader->buffer, held) : held;
		parsed = snapshot_feed(snap, reader->buffer, whole);
		held -= whole;
		memmove(reader->buffer, reader->buffer + whole, held);
	}
	ret = section_check(reader);
	if (ret)
		return ret;
	return decoded(reader, parsed ? parsed : snapshot_finish(snap), snap->error);
}

static int section_counts(struct reader *reader)
{
	struct snapshot *counts = xmalloc(sizeof(*counts));

	snapshot_init(counts);
	/* A session that counts has no other tables. */
	counts->tables = 1U << MEMLAT_REC_COUNT;
	reader->profile->counts = counts;
	return section_snapshot(reader, counts);
}

static int section_names(struct reader *reader)
{
	struct profile *profile = reader->profile;
	size_t size = reader->section.length;
	const char *why = NULL;
	unsigned char *bytes;
	int ret = section_bytes(reader, &bytes);

	if (ret)
		return ret;
	if (reader->section.type == SECTION_HISTORY)
		ret = history_decode(&profile->history, bytes, size, &why);
	else if (reader->section.type == SECTION_INTERVALS)
		ret = intervals_decode(&profile->intervals, bytes, size, reader->interval_tables,
				       &why);
	else if (reader->section.type == SECTION_HEAP)
		ret = heap_decode(&profile->heap, bytes, size, &why);
	else if (reader->section.type == SECTION_KNOWN)
		ret = known_decode(&profile->known, bytes, size, &why);
	else
		ret = kernel_names_decode(&profile->kernel, bytes, size, &why);
	free(bytes);
	return decoded(reader, ret, why);
}

/* Skip a section of a later version that is not needed to understand the rest. */
static int section_skip(struct reader *reader)
{
	__u64 left = reader->section.length;
	int ret = 0;

	if (reader->section.flags & SECTION_NEEDED)
		return refuse(reader, "it has a part of type %u that this memlat-ctl does not know and must not skip; use the memlat-ctl that wrote it",
			      reader->section.type);
	while (left && !ret) {
		size_t now = left < BUFFER_BYTES ? left : BUFFER_BYTES;

		ret = read_bytes(reader, reader->buffer, now);
		if (!ret)
			XXH3_64bits_update(reader->hash, reader->buffer, now);
		left -= now;
	}
	return ret ? ret : section_check(reader);
}

static int read_section(struct reader *reader)
{
	struct profile_section *section = &reader->section;
	int ret;

	if (reader->left < sizeof(*section))
		return refuse(reader, "it is damaged (its header counts more parts than fit)" AGAIN);
	ret = read_bytes(reader, section, sizeof(*section));
	if (ret)
		return ret;
	if (section->length > reader->left)
		return refuse(reader, "it is damaged (%s: %llu bytes are claimed, %llu are left)" AGAIN,
			      section_name(reader), section->length, reader->left);
	XXH3_64bits_reset(reader->hash);
	if (!section->type || section->type >= SECTION_TYPES)
		return section_skip(reader);
	if (reader->seen >> section->type & 1)
		return refuse(reader, "it is damaged (a second part: %s)" AGAIN,
			      section_name(reader));
	reader->seen |= 1U << section->type;
	switch (section->type) {
	case SECTION_MACHINE:
	case SECTION_SESSION:
		return section_json(reader);
	case SECTION_SNAPSHOT:
		return section_snapshot(reader, &reader->profile->snap);
	case SECTION_COUNTS:
		return section_counts(reader);
	default:
		return section_names(reader);
	}
}

/* A file's size is known beforehand, a pipe's is not. */
static int check_size(struct reader *reader, __u64 length)
{
	struct stat is;

	if (fstat(reader->fd, &is))
		return -errno;
	if (!S_ISREG(is.st_mode))
		return 0;
	if ((__u64)is.st_size < length)
		return refuse(reader, "it is cut off: %lld of %llu bytes are there" AGAIN,
			      (long long)is.st_size, length);
	if ((__u64)is.st_size > length)
		return refuse(reader, "it is damaged (%llu bytes follow its end)" AGAIN,
			      (__u64)is.st_size - length);
	return 0;
}

static int read_header(struct reader *reader, __u32 *sections)
{
	unsigned char bytes[PROFILE_HEADER_MAX];
	struct profile_header header;
	ssize_t got = io_read(reader->fd, bytes, sizeof(header));
	__u64 checksum;
	size_t rest;

	if (got < 0)
		return (int)got;
	if (!got)
		return refuse(reader, "it is empty; give a file that 'memlat-ctl record' wrote");
	if (got >= 8 && !memcmp(bytes, "PERFILE2", 8))
		return refuse(reader, "it is a perf.data; memlat-ctl import FILE -o NEW makes a profile of it");
	if (memcmp(bytes, PROFILE_MAGIC, (size_t)got < 8 ? (size_t)got : 8))
		return refuse(reader, "it is not a profile of memlat; give a file that 'memlat-ctl record' wrote");
	if ((size_t)got < sizeof(header))
		return refuse(reader, "it is cut off inside its header" AGAIN);
	memcpy(&header, bytes, sizeof(header));
	if (header.header_size < sizeof(header) || header.header_size > sizeof(bytes))
		return refuse(reader, "it is damaged (header)" AGAIN);
	rest = header.header_size - sizeof(header);
	got = io_read(reader->fd, bytes + sizeof(header), rest);
	if (got < 0)
		return (int)got;
	if ((size_t)got < rest)
		return refuse(reader, "it is cut off inside its header" AGAIN);
	rest = header.header_size - sizeof(checksum);
	memcpy(&checksum, bytes + rest, sizeof(checksum));
	if (XXH3_64bits(bytes, rest) != checksum)
		return refuse(reader, "it is damaged (header: the checksum differs)" AGAIN);
	if (header.version > PROFILE_VERSION)
		return refuse(reader, "it was written by a newer memlat-ctl (version %u; this one knows %u); use that one",
			      header.version, PROFILE_VERSION);
	if (!header.version || header.header_size != sizeof(header) ||
	    header.reserved || header.length < sizeof(header))
		return refuse(reader, "it does not make sense (header)" AGAIN);
	reader->offset = sizeof(header);
	reader->left = header.length - sizeof(header);
	*sections = header.sections;
	return check_size(reader, header.length);
}

static int read_all(struct reader *reader)
{
	static const enum profile_section_type needed[] = {
		SECTION_MACHINE, SECTION_SNAPSHOT, SECTION_SESSION,
	};
	__u32 sections = 0;
	char after;
	size_t i;
	int ret = read_header(reader, &sections);

	for (; !ret && sections; sections--)
		ret = read_section(reader);
	if (ret)
		return ret;
	if (reader->left || io_read(reader->fd, &after, 1))
		return refuse(reader, "it is damaged (bytes follow its last part)" AGAIN);
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!(reader->seen >> needed[i] & 1))
			return refuse(reader, "it is not whole (no part: %s)" AGAIN,
				      names[needed[i]]);
	if (!reader->profile->history)
		reader->profile->history = history_new();
	history_settle(reader->profile->history, &reader->profile->snap);
	return 0;
}

static int read_from(int fd, struct profile *profile, bool timed, char *why)
{
	struct reader reader = {
		.profile = profile,
		.fd = fd,
		.hash = xneed(XXH3_createState()),
		.buffer = xmalloc(BUFFER_BYTES),
		.why = why,
		/* Otherwise the rows of intervals are only checked and added up. */
		.interval_tables = timed || !profile->snap.tables ? profile->snap.tables :
				   1U << MEMLAT_REC_CORE,
	};
	int ret = read_all(&reader);

	XXH3_freeState(reader.hash);
	free(reader.buffer);
	return ret;
}

int profile_read(struct profile *profile, const char *path, __u32 tables, bool timed,
		 char why[PROFILE_ERROR_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	profile_init(profile);
	/* The threads say which program a generation was: history_settle(). */
	profile->snap.tables = tables ? tables | 1U << MEMLAT_REC_THREAD : 0;
	*why = '\0';
	if (fd < 0) {
		ret = -errno;
	} else {
		ret = read_from(fd, profile, timed, why);
		close(fd);
	}
	if (!ret)
		return 0;
	profile_free(profile);
	if (!*why)
		snprintf(why, PROFILE_ERROR_MAX, "%s", strerror(-ret));
	return ret;
}
