/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a profile file (Documentation/memlat-profile.5). Little-endian, as
 * all machines with PEBS are.
 */
#ifndef MEMLAT_FILE_FORMAT_H
#define MEMLAT_FILE_FORMAT_H

#include <errno.h>

#include <linux/types.h>

#define PROFILE_HEADER_MAX	4096

/*
 * All versions keep the members up to header_size, and keep the checksum in the last 8 bytes of the
 * header. So a reader can tell a newer file from a damaged one.
 */
struct profile_header {
	char magic[8];
	__u32 version;
	__u32 header_size;	/* bytes; the first section follows */
	__u32 sections;
	__u32 reserved;		/* 0 */
	__u64 length;		/* of the file, bytes */
	__u64 checksum;		/* XXH3-64 of the header before it */
};

enum profile_section_type {
	SECTION_MACHINE		= 1,	/* JSON */
	SECTION_SNAPSHOT	= 2,	/* records as the device gave them */
	SECTION_HISTORY		= 3,
	SECTION_HEAP		= 4,
	SECTION_KERNEL		= 5,
	SECTION_SESSION		= 6,	/* JSON */
	SECTION_COUNTS		= 7,	/* records of a session that counted */
	SECTION_INTERVALS	= 8,	/* the intervals of record --interval (intervals.c) */
	SECTION_KNOWN		= 9,	/* names that were found when it was written */
	SECTION_TYPES
};

#define SECTION_NEEDED	(1U << 0)	/* a reader that does not know it must refuse */

/* A section's header. length bytes of content follow it, and then the next section. */
struct profile_section {
	__u32 type;
	__u32 flags;
	__u64 length;
	__u64 checksum;		/* XXH3-64 of the content, followed by this header up to here */
};

#define SECTION_HASHED	(sizeof(struct profile_section) - sizeof(__u64))

struct profile;
struct json_object;

/* Text of any bytes, which is read back unchanged. */

/* Put a string if it is valid UTF-8, otherwise { "hex": "..." }; NULL: null. */
void text_json_put(struct json_object *object, const char *key, const char *bytes);

/*
 * Read a text back: *bytes is newly allocated, or NULL if the member is null or missing. Returns 0
 * or -EBADMSG.
 */
int text_json_get(struct json_object *object, const char *key, char **bytes);

/* Note what is wrong with a section's content (static text), and return -EBADMSG. */
static inline int section_refuse(const char **why, const char *text)
{
	*why = text;
	return -EBADMSG;
}

/* The session's facts, for SECTION_SESSION. */
struct json_object *session_to_json(const struct profile *profile);
/* 0, or -EBADMSG with *why saying what is wrong (static text). */
int session_from_json(struct profile *profile, struct json_object *json, const char **why);

#endif
