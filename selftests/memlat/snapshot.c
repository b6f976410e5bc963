// SPDX-License-Identifier: GPL-2.0
/* Parse the stream that read() of /dev/memlat gives. */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take(void *to, size_t size, const char *record,
		const struct memlat_rec_header *header)
{
	/* A newer module may have appended members, which are ignored. */
	if (header->size < size)
		return -EPROTO;
	memcpy(to, record, size);
	return 0;
}

/* Append a record to a table. */
static int append(void *table, size_t *count, size_t size, const char *record,
		  const struct memlat_rec_header *header)
{
	char **rows = table, *more;

	/* The array grows at each power of two. */
	if (!(*count & (*count - 1))) {
		more = realloc(*rows, (*count ? 2 * *count : 1) * size);
		if (!more)
			return -ENOMEM;
		*rows = more;
	}
	return take(*rows + (*count)++ * size, size, record, header);
}

static int take_record(struct snapshot *s, const char *at,
		       const struct memlat_rec_header *header)
{
#define TAKE(member)	take(&s->member, sizeof(s->member), at, header)
#define APPEND(table)	append(&s->table, &s->nr_##table, sizeof(*s->table), at, header)
	switch (header->type) {
	case MEMLAT_REC_STATUS:		return TAKE(status);
	case MEMLAT_REC_BUCKETS:	return TAKE(buckets);
	case MEMLAT_REC_PARTS:		return TAKE(parts);
	case MEMLAT_REC_STORES:		return TAKE(stores);
	case MEMLAT_REC_RAW:		return TAKE(raw);
	case MEMLAT_REC_END:		return TAKE(end);
	case MEMLAT_REC_LINE:		return APPEND(lines);
	case MEMLAT_REC_SITE:		return APPEND(sites);
	case MEMLAT_REC_ACCESS:		return APPEND(accesses);
	case MEMLAT_REC_THREAD:		return APPEND(threads);
	case MEMLAT_REC_STACK:		return APPEND(stacks);
	case MEMLAT_REC_CORE:		return APPEND(cores);
	case MEMLAT_REC_SOURCE:		return APPEND(sources);
	case MEMLAT_REC_COUNT:		return APPEND(counts);
	case MEMLAT_REC_STRIDE:		return APPEND(strides);
	default:			return 0;
	}
#undef TAKE
#undef APPEND
}

static bool whole(const struct snapshot *s, __u64 records)
{
	return s->end.records == records && s->end.lines == s->nr_lines &&
	       s->end.sites == s->nr_sites && s->end.accesses == s->nr_accesses &&
	       s->end.threads == s->nr_threads && s->end.stacks == s->nr_stacks &&
	       s->end.sources == s->nr_sources && s->end.strides == s->nr_strides;
}

/* May a record of this type be at this place, according to the documentation? */
static bool in_order(const struct snapshot *s, __u32 type, __u64 records)
{
	if (!records != (type == MEMLAT_REC_STATUS))
		return false;
	if (s->types & 1u << MEMLAT_REC_END)
		return false;
	/* One each of these. */
	return (type != MEMLAT_REC_BUCKETS && type != MEMLAT_REC_PARTS &&
		type != MEMLAT_REC_STORES && type != MEMLAT_REC_RAW) ||
	       !(s->types & 1u << type);
}

int snapshot_unpack(char *to, const char *from)
{
	struct memlat_rec_header header;
	unsigned int words, n;
	__u64 word, map = 0;
	const char *at, *end;

	memcpy(&header, from, sizeof(header));
	words = header.type >> MEMLAT_REC_WORDS_SHIFT;
	if (!words) {
		memcpy(to, from, header.size);
		return 0;
	}
	end = from + header.size;
	at = from + 8 + (words - 1 + 63) / 64 * 8;
	if (words > MEMLAT_REC_MAX / 8 || at > end)
		return -EPROTO;
	for (n = 0; n < (words - 1 + 63) / 64 * 64; n++) {
		if (n % 64 == 0)
			memcpy(&map, from + 8 + n / 64 * 8, sizeof(map));
		word = 0;
		if (map >> n % 64 & 1) {
			if (n >= words - 1 || at == end)
				return -EPROTO;
			memcpy(&word, at, sizeof(word));
			at += 8;
			/* A word without samples has no record. */
			if (!word)
				return -EPROTO;
		}
		if (n < words - 1)
			memcpy(to + 8 + n * 8, &word, sizeof(word));
	}
	header.type &= MEMLAT_REC_TYPE_MASK;
	header.size = words * 8;
	memcpy(to, &header, sizeof(header));
	return at == end ? 0 : -EPROTO;
}

int snapshot_parse(struct snapshot *snapshot, const void *stream, size_t size)
{
	struct memlat_rec_header header;
	char record[MEMLAT_REC_MAX];
	const char *at = stream;
	__u64 records = 0;
	size_t bytes;
	int error = 0;

	memset(snapshot, 0, sizeof(*snapshot));
	while (size && !error) {
		error = -EPROTO;
		if (size < sizeof(header))
			break;
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > MEMLAT_REC_MAX || header.size > size ||
		    snapshot_unpack(record, at))
			break;
		bytes = header.size;
		memcpy(&header, record, sizeof(header));
		if (!in_order(snapshot, header.type, records))
			break;
		records++;
		if (header.type < 32)
			snapshot->types |= 1u << header.type;
		error = take_record(snapshot, record, &header);
		at += bytes;
		size -= bytes;
	}
	if (!error && snapshot->types & 1u << MEMLAT_REC_END &&
	    whole(snapshot, records))
		return 0;
	snapshot_free(snapshot);
	return error ? error : -EPROTO;
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->lines);
	free(snapshot->sites);
	free(snapshot->accesses);
	free(snapshot->threads);
	free(snapshot->stacks);
	free(snapshot->cores);
	free(snapshot->sources);
	free(snapshot->counts);
	free(snapshot->strides);
	memset(snapshot, 0, sizeof(*snapshot));
}

__u64 snapshot_line_hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_L3_HITM] + line->source[MEMLAT_SRC_RHITM];
}

const struct memlat_rec_line *snapshot_top_hitm(const struct snapshot *snapshot)
{
	const struct memlat_rec_line *line, *top = NULL;
	__u64 most = 0, hitm;
	size_t i;

	for (i = 0; i < snapshot->nr_lines; i++) {
		line = &snapshot->lines[i];
		hitm = snapshot_line_hitm(line) + line->xsnp_fwd;
		if (!line->space || hitm <= most)
			continue;
		most = hitm;
		top = line;
	}
	return top;
}

const struct memlat_rec_line *snapshot_line(const struct snapshot *snapshot,
					    __u32 space, __u64 address)
{
	__u64 line = address - address % MEMLAT_LINE_BYTES;
	size_t i;

	for (i = 0; i < snapshot->nr_lines; i++)
		if (snapshot->lines[i].addr == line &&
		    snapshot->lines[i].space == space)
			return &snapshot->lines[i];
	return NULL;
}

const struct memlat_rec_thread *snapshot_thread(const struct snapshot *snapshot,
						__u32 tid)
{
	size_t i;

	for (i = 0; i < snapshot->nr_threads; i++)
		if (snapshot->threads[i].tid == tid)
			return &snapshot->threads[i];
	return NULL;
}

const struct memlat_rec_stack *snapshot_stack(const struct snapshot *snapshot,
					      __u32 id)
{
	size_t i;

	for (i = 0; i < snapshot->nr_stacks; i++)
		if (snapshot->stacks[i].id == id)
			return &snapshot->stacks[i];
	return NULL;
}

const struct memlat_rec_core *snapshot_core(const struct snapshot *snapshot,
					    __u32 core)
{
	size_t i;

	for (i = 0; i < snapshot->nr_cores; i++)
		if (snapshot->cores[i].core == core)
			return &snapshot->cores[i];
	return NULL;
}

bool snapshot_is_kernel(__u64 address)
{
	return address >> 63;
}

bool snapshot_had_turns(const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->nr_counts; i++)
		if (snapshot->counts[i].running < snapshot->counts[i].enabled / 10)
			return false;
	return true;
}
