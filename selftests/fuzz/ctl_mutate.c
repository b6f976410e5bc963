// SPDX-License-Identifier: GPL-2.0
/*
 * Inputs that are profiles. Their checksums are right, because otherwise nothing behind these would
 * be reached. Most bytes of a profile are zeroes, so an input has these packed: a zero, and how
 * many more follow.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "ctl.h"
#include "profile/file_format.h"

#define PROFILE_MOST	(64 * 1024)
#define PARTS_MOST	16
#define NAMES_HEAD	12	/* of SECTION_KNOWN: layout, and size when unpacked */

struct part {
	struct profile_section head;
	uint8_t *bytes;
};

struct parts {
	struct profile_header header;
	struct part part[PARTS_MOST];
	unsigned int nr;
};

uint8_t *profile_unpack(const uint8_t *data, size_t size, size_t *whole)
{
	uint8_t *bytes = fuzz_alloc(PROFILE_MOST);
	size_t at, zeroes;

	*whole = 0;
	for (at = 0; at < size && *whole < PROFILE_MOST; at++) {
		bytes[(*whole)++] = data[at];
		if (data[at] || ++at == size)
			continue;
		zeroes = PROFILE_MOST - *whole;
		*whole += data[at] < zeroes ? data[at] : zeroes;
	}
	/* The memory ends where the profile ends, so that reads beyond it are noticed. */
	return memcpy(fuzz_alloc(*whole), bytes, *whole);
}

/* Returns 0 if there is no room. */
static size_t pack(const uint8_t *bytes, size_t size, uint8_t *data, size_t max)
{
	size_t at = 0, used = 0;

	while (at < size) {
		uint8_t zeroes = 0;

		if (max - used < 2)
			return 0;
		data[used++] = bytes[at++];
		if (bytes[at - 1])
			continue;
		while (at < size && !bytes[at] && zeroes < 255) {
			zeroes++;
			at++;
		}
		data[used++] = zeroes;
	}
	return used;
}

/* Returns false if the input does not consist of parts. */
static bool take_apart(struct parts *parts, const uint8_t *data, size_t size)
{
	size_t at = sizeof(parts->header);

	memset(parts, 0, sizeof(*parts));
	if (size < at)
		return false;
	memcpy(&parts->header, data, at);
	while (at < size) {
		struct part *part = &parts->part[parts->nr++];

		if (parts->nr == PARTS_MOST || size - at < sizeof(part->head))
			return false;
		memcpy(&part->head, data + at, sizeof(part->head));
		at += sizeof(part->head);
		if (part->head.length > size - at)
			return false;
		part->bytes = fuzz_alloc(part->head.length);
		memcpy(part->bytes, data + at, part->head.length);
		at += part->head.length;
	}
	return parts->nr;
}

static void seal(struct part *part)
{
	XXH3_state_t *hash = XXH3_createState();

	fuzz_check(hash);
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, part->bytes, part->head.length);
	XXH3_64bits_update(hash, &part->head, SECTION_HASHED);
	part->head.checksum = XXH3_64bits_digest(hash);
	XXH3_freeState(hash);
}

/* Returns 0 if there is no room. */
static size_t put_together(struct parts *parts, uint8_t *data, size_t max)
{
	size_t size = sizeof(parts->header), at = size;
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		size += sizeof(parts->part[i].head) + parts->part[i].head.length;
	if (size > max)
		return 0;
	parts->header.sections = parts->nr;
	parts->header.length = size;
	parts->header.checksum = XXH3_64bits(&parts->header, sizeof(parts->header) - 8);
	memcpy(data, &parts->header, sizeof(parts->header));
	for (i = 0; i < parts->nr; i++) {
		struct part *part = &parts->part[i];

		seal(part);
		memcpy(data + at, &part->head, sizeof(part->head));
		at += sizeof(part->head);
		memcpy(data + at, part->bytes, part->head.length);
		at += part->head.length;
	}
	return size;
}

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*seed >> 32);
}

/* Find the nth record of a stream and its size. Returns false if there is none. */
static bool find_record(const struct part *part, unsigned int nth, size_t *at, size_t *size)
{
	struct memlat_rec_header head;

	for (*at = 0; part->head.length - *at >= sizeof(head); *at += head.size) {
		memcpy(&head, part->bytes + *at, sizeof(head));
		*size = head.size;
		if (head.size < sizeof(head) || head.size > part->head.length - *at)
			return false;
		if (!nth--)
			return true;
	}
	return false;
}

static unsigned int records_in(const struct part *part)
{
	unsigned int nr = 0;
	size_t at, size;

	while (find_record(part, nr, &at, &size))
		nr++;
	return nr;
}

static void grow(struct part *part, size_t size)
{
	uint8_t *bytes = fuzz_alloc(size);

	memcpy(bytes, part->bytes, part->head.length);
	part->bytes = bytes;
}

/*
 * Change the records of a stream but keep their form: change one, remove it, double it, or move it
 * to the end.
 */
static void change_stream(struct part *part, size_t room, uint64_t *seed)
{
	unsigned int nr = records_in(part);
	uint8_t *bytes;
	size_t at, size, head = sizeof(struct memlat_rec_header);

	if (!nr || !find_record(part, next(seed) % nr, &at, &size))
		return;
	switch (next(seed) % 8) {
	case 0:
		memmove(part->bytes + at, part->bytes + at + size,
			part->head.length - at - size);
		part->head.length -= size;
		break;
	case 1:
		if (size > room)
			break;
		grow(part, part->head.length + size);
		bytes = part->bytes + at;
		memmove(bytes + size, bytes, part->head.length - at);
		part->head.length += size;
		break;
	default:
		if (size == head)
			break;
		/* If it is shortened, zeroes follow, as most numbers of most records are zero. */
		bytes = part->bytes + at + head;
		size -= head;
		at = next(seed) % size & ~7UL;
		LLVMFuzzerMutate(bytes + at, size - at < 8 ? size - at : 8,
				 size - at < 8 ? size - at : 8);
	}
}

static void change_bytes(struct part *part, size_t room)
{
	size_t length = part->head.length;

	if (room > 256)
		room = 256;
	grow(part, length + room + 1);
	part->head.length = LLVMFuzzerMutate(part->bytes, length, length + room);
}

/*
 * Names that are not packed, as those of the corpus are: their size stands ahead of them. If it
 * were wrong, no name would be read.
 */
static void change_names(struct part *part, size_t room)
{
	struct part names = *part;
	uint64_t size;
	uint8_t *bytes;

	if (part->head.length < NAMES_HEAD) {
		change_bytes(part, room);
		return;
	}
	names.bytes += NAMES_HEAD;
	names.head.length -= NAMES_HEAD;
	change_bytes(&names, room);
	size = names.head.length;
	bytes = fuzz_alloc(NAMES_HEAD + size);
	memcpy(bytes, part->bytes, NAMES_HEAD - sizeof(size));
	memcpy(bytes + NAMES_HEAD - sizeof(size), &size, sizeof(size));
	memcpy(bytes + NAMES_HEAD, names.bytes, size);
	part->bytes = bytes;
	part->head.length = NAMES_HEAD + size;
}

static size_t mutate(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct parts parts;
	struct part *part;
	uint64_t state = seed;
	size_t made;
	unsigned int turn = next(&state) % 32;

	if (turn == 0 || !take_apart(&parts, data, size))
		return LLVMFuzzerMutate(data, size, max);
	part = &parts.part[next(&state) % parts.nr];
	if (turn == 1 && parts.nr > 1) {
		*part = parts.part[--parts.nr];
	} else if (turn == 2 && parts.nr < PARTS_MOST - 1) {
		parts.part[parts.nr] = *part;
		parts.part[parts.nr++].head.type = next(&state) % (SECTION_TYPES + 1);
	} else if (part->head.type == SECTION_SNAPSHOT && turn < 30) {
		change_stream(part, max - size, &state);
	} else if (part->head.type == SECTION_KNOWN && turn < 30) {
		change_names(part, max - size);
	} else {
		change_bytes(part, max - size);
	}
	made = put_together(&parts, data, max);
	return made ? made : size;
}


size_t profile_mutate(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint8_t *bytes = fuzz_alloc(PROFILE_MOST), *packed = fuzz_alloc(max);
	size_t whole;

	memcpy(bytes, profile_unpack(data, size, &whole), whole);
	whole = mutate(bytes, whole, PROFILE_MOST, seed);
	whole = pack(bytes, whole, packed, max);
	if (whole)
		memcpy(data, packed, whole);
	else
		whole = size;
	fuzz_free();
	return whole;
}
