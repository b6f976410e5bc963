// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <string.h>

#include <linux/memlat.h>

#include "snapshot_rows.h"

#define WORD		sizeof(__u64)
#define MAP_BITS	64

/* Words of the map of a record of so many words, with its header. */
static size_t map_words(size_t words)
{
	return (words - 1 + MAP_BITS - 1) / MAP_BITS;
}

static __u64 word_at(const void *words, size_t n)
{
	__u64 word;

	memcpy(&word, (const char *)words + n * WORD, WORD);
	return word;
}

static void put_word(void *words, size_t n, __u64 word)
{
	memcpy((char *)words + n * WORD, &word, WORD);
}

size_t snapshot_pack(void *to, const void *record, size_t size)
{
	const size_t words = size / WORD;
	struct memlat_rec_header header;
	size_t at = 1 + map_words(words), n;

	memset(to, 0, at * WORD);
	for (n = 1; n < words; n++) {
		const __u64 word = word_at(record, n);
		const size_t bit = n - 1;

		if (!word)
			continue;
		put_word(to, 1 + bit / MAP_BITS,
			 word_at(to, 1 + bit / MAP_BITS) | 1ULL << bit % MAP_BITS);
		put_word(to, at++, word);
	}
	memcpy(&header, record, sizeof(header));
	header.type |= (__u32)words << MEMLAT_REC_WORDS_SHIFT;
	header.size = (__u32)(at * WORD);
	memcpy(to, &header, sizeof(header));
	return at * WORD;
}

size_t snapshot_unpack(void *to, const void *packed, size_t size)
{
	struct memlat_rec_header header;
	size_t words, at, map;

	memcpy(&header, packed, sizeof(header));
	words = header.type >> MEMLAT_REC_WORDS_SHIFT;
	if (!words || words * WORD > MEMLAT_REC_MAX)
		return 0;
	at = 1 + map_words(words);
	if (size < at * WORD)
		return 0;
	memset(to, 0, words * WORD);
	for (map = 0; map < map_words(words); map++) {
		__u64 bits = word_at(packed, 1 + map);

		for (; bits; bits &= bits - 1) {
			const size_t n = 1 + map * MAP_BITS + (size_t)__builtin_ctzll(bits);

			if (n >= words || (at + 1) * WORD > size)
				return 0;
			put_word(to, n, word_at(packed, at++));
		}
	}
	/* Words that the map does not tell of. */
	if (at * WORD != size)
		return 0;
	header.type &= MEMLAT_REC_TYPE_MASK;
	header.size = (__u32)(words * WORD);
	memcpy(to, &header, sizeof(header));
	return words * WORD;
}

struct emitter {
	snapshot_put *put;
	void *arg;
	__u64 records;
};

/*
 * Write one record. A row may come from a module whose structure is shorter. The row in memory has
 * the size known here, and that size is written. packed: as the module gives rows of tables to who
 * asks for less.
 */
static int emit(struct emitter *emitter, __u32 type, const void *record, size_t size, bool packed)
{
	unsigned char bytes[MEMLAT_REC_MAX], less[SNAPSHOT_PACKED(MEMLAT_REC_MAX)];
	struct memlat_rec_header header = { .type = type, .size = (__u32)size };

	memcpy(bytes, record, size);
	memcpy(bytes, &header, sizeof(header));
	emitter->records++;
	return packed ? emitter->put(emitter->arg, less, snapshot_pack(less, bytes, size)) :
			emitter->put(emitter->arg, bytes, size);
}

static int emit_table(struct emitter *emitter, const struct snapshot *snap,
		      enum snapshot_table table)
{
	const struct row_kind *kind = &row_kinds[table];
	size_t row;
	int ret = 0;

	for (row = 0; row < snap->rows[table].nr && !ret; row++)
		ret = emit(emitter, kind->type, row_at(snap, table, row), kind->size, true);
	return ret;
}

static int emit_end(struct emitter *emitter, const struct snapshot *snap)
{
	struct memlat_rec_end end = { .records = emitter->records + 1 };
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		if (row_kinds[table].end_rows)
			row_put_figure(&end, row_kinds[table].end_rows, snap->rows[table].nr);
	return emit(emitter, MEMLAT_REC_END, &end, sizeof(end), false);
}

int snapshot_emit(const struct snapshot *snap, snapshot_put *put, void *arg)
{
	struct emitter emitter = { .put = put, .arg = arg };
	const struct {
		__u32 type;
		bool there;
		const void *record;
		size_t size;
	} totals[] = {
		{ MEMLAT_REC_STATUS, true, &snap->head, sizeof(snap->head) },
		{ MEMLAT_REC_BUCKETS, snap->have_buckets, &snap->buckets, sizeof(snap->buckets) },
		{ MEMLAT_REC_PARTS, snap->have_parts, &snap->parts, sizeof(snap->parts) },
		{ MEMLAT_REC_STORES, snap->have_stores, &snap->stores, sizeof(snap->stores) },
		{ MEMLAT_REC_RAW, snap->have_raw, &snap->raw, sizeof(snap->raw) },
	};
	unsigned int table;
	size_t i;
	int ret = 0;

	if (snap->stream)
		return put(arg, snap->stream, snap->stream_bytes);
	for (i = 0; i < sizeof(totals) / sizeof(totals[0]) && !ret; i++)
		if (totals[i].there)
			ret = emit(&emitter, totals[i].type, totals[i].record, totals[i].size, false);
	for (table = 0; table < TABLE_NR && !ret; table++)
		ret = emit_table(&emitter, snap, table);
	return ret ? ret : emit_end(&emitter, snap);
}
