// SPDX-License-Identifier: GPL-2.0
/* The stream that read() of /dev/memlat gives, taken apart and checked. */
#include "snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take(void *to, size_t size, const char *record,
		const struct memlat_rec_header *header)
{
	/* A newer module may append members: the part known here is enough. */
	if (header->size < size)
		return -EPROTO;
	memcpy(to, record, size);
	return 0;
}

static int take_line(struct snapshot *snapshot, const char *record,
		     const struct memlat_rec_header *header)
{
	struct memlat_rec_line *lines;

	/* Room grows at each power of two. */
	if (!(snapshot->nr_lines & (snapshot->nr_lines - 1))) {
		lines = realloc(snapshot->lines, (snapshot->nr_lines ? 2 *
				snapshot->nr_lines : 1) * sizeof(*lines));
		if (!lines)
			return -ENOMEM;
		snapshot->lines = lines;
	}
	return take(&snapshot->lines[snapshot->nr_lines++],
		    sizeof(*snapshot->lines), record, header);
}

int snapshot_parse(struct snapshot *snapshot, const void *stream, size_t size)
{
	__u64 records = 0, seen[MEMLAT_REC_END + 1] = { 0 };
	struct memlat_rec_header header;
	const char *at = stream;
	int error = 0;

	memset(snapshot, 0, sizeof(*snapshot));
	while (size && !error) {
		if (size < sizeof(header) || seen[MEMLAT_REC_END])
			goto broken;
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8 ||
		    header.size > MEMLAT_REC_MAX || header.size > size)
			goto broken;
		if (!records && header.type != MEMLAT_REC_STATUS)
			goto broken;
		records++;
		if (header.type <= MEMLAT_REC_END)
			seen[header.type]++;

		switch (header.type) {
		case MEMLAT_REC_STATUS:
			error = take(&snapshot->status, sizeof(snapshot->status),
				     at, &header);
			break;
		case MEMLAT_REC_BUCKETS:
			error = take(&snapshot->buckets, sizeof(snapshot->buckets),
				     at, &header);
			break;
		case MEMLAT_REC_RAW:
			error = take(&snapshot->raw, sizeof(snapshot->raw), at,
				     &header);
			break;
		case MEMLAT_REC_LINE:
			error = take_line(snapshot, at, &header);
			break;
		case MEMLAT_REC_END:
			error = take(&snapshot->end, sizeof(snapshot->end), at,
				     &header);
			break;
		}
		at += header.size;
		size -= header.size;
	}
	if (!error && seen[MEMLAT_REC_STATUS] == 1 &&
	    seen[MEMLAT_REC_BUCKETS] == 1 && seen[MEMLAT_REC_RAW] == 1 &&
	    seen[MEMLAT_REC_END] == 1 && snapshot->end.records == records &&
	    snapshot->end.lines == snapshot->nr_lines)
		return 0;
	if (error == -ENOMEM) {
		snapshot_free(snapshot);
		return error;
	}
broken:
	snapshot_free(snapshot);
	return -EPROTO;
}

void snapshot_free(struct snapshot *snapshot)
{
	free(snapshot->lines);
	snapshot->lines = NULL;
	snapshot->nr_lines = 0;
}

__u64 snapshot_line_hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_L3_HITM] + line->source[MEMLAT_SRC_RHITM];
}

static const char *line_accounts(const struct memlat_rec_line *line)
{
	__u64 sources = 0, slots = 0, slot_hitm = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		sources += line->source[i];
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		slots += line->slot[i];
		slot_hitm += line->slot_hitm[i];
		if (line->slot_hitm[i] > line->slot[i])
			return "HITM loads of a slot exceed its loads";
	}
	if (line->addr % MEMLAT_LINE_BYTES)
		return "address is not that of a line";
	if (!line->samples)
		return "no samples";
	if (sources != line->samples)
		return "sources do not add up to samples";
	if (slots != line->samples)
		return "slots do not add up to samples";
	if (slot_hitm != snapshot_line_hitm(line))
		return "HITM loads by slot do not add up to those by source";
	if (line->latency_max > line->latency_sum)
		return "largest latency exceeds their sum";
	if (line->hitm_nodes & ~line->nodes)
		return "a node with HITM loads is not among its nodes";
	return NULL;
}

const char *snapshot_accounts(const struct snapshot *snapshot)
{
	const struct memlat_status *status = &snapshot->status.status;
	__u64 buckets = 0, raw = 0, lines = 0, latency = 0;
	static char text[200];
	const char *wrong;
	size_t i, j;

#define EQUAL(left, right, what)					\
	do {								\
		if ((left) != (right)) {				\
			snprintf(text, sizeof(text), "%s: %llu and %llu", \
				 what, (unsigned long long)(left),	\
				 (unsigned long long)(right));		\
			return text;					\
		}							\
	} while (0)

	for (i = 0; i < MEMLAT_BUCKETS; i++)
		for (j = 0; j < MEMLAT_SRC_NR; j++)
			buckets += snapshot->buckets.count[i][j];
	for (i = 0; i < 256; i++)
		raw += snapshot->raw.count[i];
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		latency += snapshot->buckets.latency[i];
	for (i = 0; i < snapshot->nr_lines; i++) {
		lines += snapshot->lines[i].samples;
		wrong = line_accounts(&snapshot->lines[i]);
		if (wrong) {
			snprintf(text, sizeof(text), "line 0x%llx of %u: %s",
				 (unsigned long long)snapshot->lines[i].addr,
				 snapshot->lines[i].space, wrong);
			return text;
		}
	}

	EQUAL(status->records, status->samples + status->filtered +
	      status->malformed + status->collision,
	      "records, samples + filtered + malformed + collision");
	EQUAL(status->samples, buckets, "samples, sum of the buckets");
	EQUAL(status->samples, raw, "samples, sum of the raw source counts");
	EQUAL(status->samples, lines + status->lines_evicted,
	      "samples, sum of the lines + lines_evicted");
	EQUAL(status->lines, snapshot->nr_lines, "lines of the status, lines");
	EQUAL(status->latency_sum, latency,
	      "latency_sum of the status, of the buckets");
#undef EQUAL
	return NULL;
}

const struct memlat_rec_line *snapshot_top_hitm(const struct snapshot *snapshot)
{
	const struct memlat_rec_line *top = NULL;
	size_t i;

	for (i = 0; i < snapshot->nr_lines; i++)
		if (snapshot_line_hitm(&snapshot->lines[i]) >
		    (top ? snapshot_line_hitm(top) : 0))
			top = &snapshot->lines[i];
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
