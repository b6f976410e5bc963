// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <stdlib.h>

#include "stream.h"

#define LINE	64
#define SITES	64

/* The same numbers in every run. */
static u64 random_next(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 32;
}

/*
 * The sources of loads, in 16ths, each with the latency that most of its loads have. The codes are
 * those of Skylake-SP, which Nehalem and Golden Cove read as other levels.
 */
static const struct {
	u16 code;
	u16 latency;
} level[16] = {
	{ 0x1, 6 }, { 0x1, 6 }, { 0x1, 6 }, { 0x2, 40 }, { 0x2, 40 }, { 0x3, 16 },
	{ 0x4, 70 }, { 0x4, 70 }, { 0x4, 70 }, { 0x7, 110 }, { 0x7, 110 }, { 0xa, 300 },
	{ 0xa, 300 }, { 0xa, 300 }, { 0xb, 500 }, { 0xd, 400 },
};

/*
 * Each line has one place in it, one instruction, one level and one answer of the TLB. One load in
 * 16 has another level, and latencies vary over an octave. So each line has about ten cells, of
 * which three have most samples.
 */
static struct load load_of(unsigned int line, u64 *seed)
{
	u64 own = (line + 1) * 0x9e3779b97f4a7c15ULL;
	unsigned int at = own >> 60;
	u64 chance = random_next(seed);
	struct load load = {
		.ip = 0x401000 + (own >> 40) % SITES * 37,
		.addr = 0x7f0000000000 + (u64)line * LINE + (own >> 50) % 8 * 8,
	};

	if (chance % 16 == 0)
		at = chance % 32 ? 6 : 11;
	load.source = level[at].code | (own >> 20 & 1) << 4;
	load.latency = level[at].latency + (chance >> 8) % level[at].latency;
	return load;
}

/* Cumulative shares of lines whose frequency is proportional to 1 / rank. */
static double *shares(unsigned int lines)
{
	double *share = malloc(lines * sizeof(*share)), sum = 0;
	unsigned int i;

	if (!share)
		err(1, "memory");
	for (i = 0; i < lines; i++)
		share[i] = sum += 1.0 / (i + 1);
	for (i = 0; i < lines; i++)
		share[i] /= sum;
	return share;
}

static unsigned int rank_of(const double *share, unsigned int lines, double at)
{
	unsigned int low = 0, high = lines - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (share[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * stream_init - generate loads
 * @stream: filled in
 * @loads: number of loads
 * @lines: number of distinct cache lines
 * @zipf: line i is loaded in proportion to 1 / i; otherwise all lines are equally frequent
 */
void stream_init(struct stream *stream, unsigned int loads, unsigned int lines, bool zipf)
{
	double *share = zipf ? shares(lines) : NULL;
	u64 seed = 1;
	unsigned int i;

	*stream = (struct stream) { .load = malloc(loads * sizeof(struct load)), .loads = loads };
	if (!stream->load)
		err(1, "memory");
	for (i = 0; i < loads; i++) {
		u64 chance = random_next(&seed);

		stream->load[i] = load_of(zipf ? rank_of(share, lines, chance * 0x1p-32) :
					  chance % lines, &seed);
	}
	free(share);
}

void stream_free(struct stream *stream)
{
	free(stream->load);
}

static void put(u8 *record, unsigned int offset, u64 value)
{
	memcpy(record + offset, &value, sizeof(value));
}

/**
 * stream_fill - write a buffer as hardware does
 * @stream: the loads
 * @layout: of the records
 * @buffer: written
 * @records: number of records to write, if there is room
 *
 * Return: the number of records written.
 */
unsigned int stream_fill(struct stream *stream, const struct memlat_record_layout *layout,
			 u8 *buffer, unsigned int records)
{
	const unsigned int room = BUFFER_BYTES / layout->size;
	unsigned int i;

	if (records > room)
		records = room;
	for (i = 0; i < records; i++, buffer += layout->size) {
		const struct load *load = &stream->load[stream->next];

		if (++stream->next == stream->loads)
			stream->next = 0;
		memset(buffer, 0x5a, layout->size);
		if (layout->adaptive)
			put(buffer, 0, (u64)layout->size << 48 | 1);
		put(buffer, layout->status, 1);
		put(buffer, layout->ip, load->ip);
		put(buffer, layout->addr, load->addr);
		put(buffer, layout->source, load->source);
		put(buffer, layout->latency, load->latency);
	}
	return records;
}
