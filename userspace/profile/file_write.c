// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "../util/io.h"
#include "../util/json.h"
#include "../util/xalloc.h"
#include "file_format.h"
#include "heap.h"
#include "history.h"
#include "intervals.h"
#include "kernel_names.h"
#include "known.h"

#define BUFFER_BYTES	(256 * 1024)

struct writer {
	int fd;
	XXH3_state_t *hash;
	unsigned char *buffer;
	size_t used;
	__u64 offset;		/* the buffer's offset in the file */
	__u32 sections;
};

static int flush(struct writer *writer)
{
	int ret = io_write_at(writer->fd, writer->buffer, writer->used, writer->offset);

	writer->offset += writer->used;
	writer->used = 0;
	return ret;
}

/* A snapshot_put: write to the section that is open. */
static int put(void *arg, const void *bytes, size_t size)
{
	struct writer *writer = arg;
	int ret;

	XXH3_64bits_update(writer->hash, bytes, size);
	if (size > BUFFER_BYTES - writer->used) {
		ret = flush(writer);
		if (ret)
			return ret;
	}
	if (size > BUFFER_BYTES) {
		ret = io_write_at(writer->fd, bytes, size, writer->offset);
		writer->offset += size;
		return ret;
	}
	memcpy(writer->buffer + writer->used, bytes, size);
	writer->used += size;
	return 0;
}

/* Reserve the section's header, which is written when its length is known. */
static int section_begin(struct writer *writer, __u64 *at)
{
	int ret = flush(writer);

	*at = writer->offset;
	writer->offset += sizeof(struct profile_section);
	XXH3_64bits_reset(writer->hash);
	return ret;
}

static int section_end(struct writer *writer, __u64 at, __u32 type, __u32 flags)
{
	struct profile_section section = { .type = type, .flags = flags };
	int ret = flush(writer);

	if (ret)
		return ret;
	section.length = writer->offset - at - sizeof(section);
	XXH3_64bits_update(writer->hash, &section, SECTION_HASHED);
	section.checksum = XXH3_64bits_digest(writer->hash);
	writer->sections++;
	return io_write_at(writer->fd, &section, sizeof(section), at);
}

/* Write a section from the snapshot, or from bytes if snap is NULL. */
static int section(struct writer *writer, __u32 type, __u32 flags, const struct snapshot *snap,
		   const void *bytes, size_t size)
{
	__u64 at;
	int ret = section_begin(writer, &at);

	if (!ret)
		ret = snap ? snapshot_emit(snap, put, writer) : put(writer, bytes, size);
	return ret ? ret : section_end(writer, at, type, flags);
}

static int section_json(struct writer *writer, __u32 type, struct json_object *json)
{
	const char *text = json_text(json, JSON_C_TO_STRING_PLAIN);
	int ret = section(writer, type, SECTION_NEEDED, NULL, text, strlen(text));

	json_object_put(json);
	return ret;
}

static int section_bytes(struct writer *writer, __u32 type, void *bytes, size_t size)
{
	int ret = section(writer, type, 0, NULL, bytes, size);

	free(bytes);
	return ret;
}

static int sections_names(struct writer *writer, const struct profile *profile)
{
	void *bytes;
	size_t size;
	int ret = 0;

	if (profile->history) {
		history_encode(profile->history, &bytes, &size);
		ret = section_bytes(writer, SECTION_HISTORY, bytes, size);
	}
	if (!ret && profile->heap) {
		heap_encode(profile->heap, &bytes, &size);
		ret = section_bytes(writer, SECTION_HEAP, bytes, size);
	}
	if (!ret && profile->intervals) {
		intervals_encode(profile->intervals, &bytes, &size);
		ret = section_bytes(writer, SECTION_INTERVALS, bytes, size);
	}
	if (!ret && profile->kernel) {
		kernel_names_encode(profile->kernel, &bytes, &size);
		ret = section_bytes(writer, SECTION_KERNEL, bytes, size);
	}
	if (!ret && profile->known) {
		known_encode(profile->known, &bytes, &size);
		ret = section_bytes(writer, SECTION_KNOWN, bytes, size);
	}
	return ret;
}

static int write_header(struct writer *writer)
{
	struct profile_header header = {
		.magic = PROFILE_MAGIC,
		.version = PROFILE_VERSION,
		.header_size = sizeof(header),
		.sections = writer->sections,
		.length = writer->offset,
	};

	header.checksum = XXH3_64bits(&header, sizeof(header) - sizeof(header.checksum));
	return io_write_at(writer->fd, &header, sizeof(header), 0);
}

static int write_sections(struct writer *writer, const struct profile *profile)
{
	int ret = section_json(writer, SECTION_MACHINE, machine_to_json(&profile->machine));

	if (!ret)
		ret = section_json(writer, SECTION_SESSION, session_to_json(profile));
	if (!ret)
		ret = section(writer, SECTION_SNAPSHOT, SECTION_NEEDED, &profile->snap, NULL, 0);
	if (!ret && profile->counts)
		ret = section(writer, SECTION_COUNTS, 0, profile->counts, NULL, 0);
	if (!ret)
		ret = sections_names(writer, profile);
	if (!ret)
		ret = write_header(writer);
	/* Sync the content before the file gets its name. */
	if (!ret && fsync(writer->fd))
		ret = -errno;
	return ret;
}

static int write_to(int fd, const void *context)
{
	const struct profile *profile = context;
	struct writer writer = {
		.fd = fd,
		.hash = xneed(XXH3_createState()),
		.buffer = xmalloc(BUFFER_BYTES),
		.offset = sizeof(struct profile_header),
	};
	int ret = write_sections(&writer, profile);

	XXH3_freeState(writer.hash);
	free(writer.buffer);
	return ret;
}

int profile_write(const struct profile *profile, const char *path,
		  char why[PROFILE_ERROR_MAX])
{
	if (!profile->snap.have_end || (profile->snap.tables && !profile->snap.stream)) {
		snprintf(why, PROFILE_ERROR_MAX, "there is no whole snapshot to write");
		return -EINVAL;
	}
	return file_new_write(path, write_to, profile, why);
}
