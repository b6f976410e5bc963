// SPDX-License-Identifier: GPL-2.0
/*
 * Logs of heap objects. A log has blocks of 64 KiB that are mostly zeroes, so an input has the
 * beginning of each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "heap/format.h"
#include "profile/heap_internal.h"

#define FILES_MOST	4
#define BLOCKS_MOST	4

enum piece {
	PIECE_FILE,	/* one more file, with this header */
	PIECE_TABLE,
	PIECE_LOG,
	PIECE_BLOCK,	/* of any kind; from 24 on: to the end of this one, but for some words */
	PIECE_OBJECT,	/* a record that is well-formed, with small numbers */
	PIECE_FREE,
	PIECE_SITE,
	PIECE_WORDS
};

static uint8_t bytes[(1 + BLOCKS_MOST) * HEAP_BLOCK];
static size_t used, at;		/* of the file that is made; where its next record goes */
static unsigned int files;

static void put(__u64 word)
{
	if (at + sizeof(word) <= used) {
		memcpy(bytes + at, &word, sizeof(word));
		at += sizeof(word);
	}
}

static void file_end(size_t cut)
{
	char path[512];
	FILE *file;

	if (!used || files == FILES_MOST)
		return;
	snprintf(path, sizeof(path), "%s/%u", world_folder(), files++);
	file = fopen(path, "w");
	fuzz_check(file && cut <= used && fwrite(bytes, 1, used - cut, file) == used - cut);
	fclose(file);
	used = 0;
}

static void file_begin(struct fuzz_input *input)
{
	struct heap_file head = {
		.magic = HEAP_MAGIC, .pid = fuzz_take(input, 1) & 3,
		.parent = fuzz_take(input, 1) & 3, .parent_file = fuzz_take(input, 1) & 3,
		.file = fuzz_take(input, 1) & 3, .from = fuzz_take(input, 1),
		.lost = fuzz_take(input, 1), .blocks = fuzz_take(input, 1),
	};

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, &head, sizeof(head));
	used = at = HEAP_BLOCK;
}

static void block(__u64 kind)
{
	if (!used || used == sizeof(bytes))
		return;
	at = used;
	used += HEAP_BLOCK;
	put(kind);
}

static void object(struct fuzz_input *input, unsigned int length)
{
	__u64 from;

	put(HEAP_TAG(HEAP_OBJECT, length, fuzz_take(input, 1) & 3));
	put(0x1000 + fuzz_take(input, 1) * 16);
	put(fuzz_take(input, 1));
	from = fuzz_take(input, 1);
	put(from);
	put(from + fuzz_take(input, 1));
	put(fuzz_take(input, 1));
	put(fuzz_take(input, 1));
}

/* Fill with small records, up to so many bytes before the end. */
static void fill(size_t left)
{
	while (at + HEAP_WORDS(heap_record_free) * sizeof(__u64) + left <= used) {
		put(HEAP_TAG(HEAP_FREE, HEAP_WORDS(heap_record_free), 0));
		put(1);
		put(1);
	}
	while (at + left < used)
		put(HEAP_TAG(HEAP_SITE, 1, 9));
}

static void piece(struct fuzz_input *input)
{
	uint8_t what = fuzz_take(input, 1);
	unsigned int nr = what >> 3, i;

	switch ((enum piece)(what & 7)) {
	case PIECE_FILE:
		file_end(nr == 31 ? 100 : 0);
		file_begin(input);
		break;
	case PIECE_TABLE:
		block(HEAP_BLOCK_TABLE);
		break;
	case PIECE_LOG:
		block(HEAP_BLOCK_LOG);
		break;
	case PIECE_BLOCK:
		if (nr < 24)
			block(nr);
		else
			fill((nr - 23) * sizeof(__u64));
		break;
	case PIECE_OBJECT:
		object(input, HEAP_WORDS(heap_record_object));
		break;
	case PIECE_FREE:
		put(HEAP_TAG(HEAP_FREE, HEAP_WORDS(heap_record_free), 0));
		put(0x1000 + fuzz_take(input, 1) * 16);
		put(fuzz_take(input, 1));
		break;
	case PIECE_SITE:
		nr &= 7;
		put(HEAP_TAG(HEAP_SITE, nr + 1, fuzz_take(input, 1) & 3));
		for (i = 0; i < nr; i++)
			put(fuzz_take(input, 1));
		break;
	case PIECE_WORDS:
		for (i = 0; i <= nr; i++)
			put(fuzz_take(input, 8));
	}
}

static void check(struct heap_log *log)
{
	void *first = NULL, *second = NULL;
	size_t first_size, second_size, i, k;
	struct heap_log *again = NULL;
	const char *why = NULL;

	for (i = 0; i < log->nr_processes; i++) {
		const struct heap_process *process = &log->processes[i];

		fuzz_check(process->first + process->nr <= log->nr_objects);
		fuzz_check(process->parent == HEAP_NO_PARENT ||
			   process->parent < log->nr_processes);
		for (k = process->first; k < process->first + process->nr; k++) {
			const struct heap_object *object = &log->objects[k];

			fuzz_equal(object->pid, process->pid);
			fuzz_check(object->site < log->nr_sites);
			heap_find(log, object->pid, object->start, object->from,
				  object->until);
			heap_find(log, object->pid, object->start + object->size - 1, 0, ~0ULL);
		}
	}
	for (i = 0; i < log->nr_sites; i++)
		fuzz_check(heap_site(log, (__u32)i)->frames <= HEAP_FRAMES);
	heap_encode(log, &first, &first_size);
	if (heap_decode(&again, first, first_size, &why))
		fuzz_wrong("a heap log is not read again: %s", why);
	heap_encode(again, &second, &second_size);
	fuzz_check(first_size == second_size && !memcmp(first, second, first_size));
	heap_log_free(again);
	free(first);
	free(second);
}

/* Some of the noted objects were sampled. */
static void keep(struct heap_log *log)
{
	struct memlat_rec_access accesses[8];
	struct snapshot snap;
	unsigned int i;

	snapshot_init(&snap);
	memset(accesses, 0, sizeof(accesses));
	for (i = 0; i < 8; i++) {
		accesses[i].tgid = i & 3;
		accesses[i].addr = 0x1000 + i * 528;
	}
	snap.accesses = accesses;
	snap.nr_accesses = 8;
	heap_keep(log, &snap);
}

void ctl_heap(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct heap_log *log = NULL, *both = NULL;
	unsigned int i;

	used = files = 0;
	file_begin(&input);
	while (input.left)
		piece(&input);
	file_end(0);
	fuzz_equal(heap_log_read(&log, world_folder()), 0);
	for (i = 0; i < files; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%u", world_folder(), i);
		unlink(path);
	}
	check(log);
	heap_merge(&both, log);
	keep(log);
	check(log);
	heap_merge(&both, log);
	check(both);
	heap_log_free(both);
	heap_log_free(log);
}
