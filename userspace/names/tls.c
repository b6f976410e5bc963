// SPDX-License-Identifier: GPL-2.0
/*
 * Name thread-local variables. The blocks of the program and of the libraries loaded with it lie
 * right below the thread pointer. The tables have the pointer of each thread, and how far
 * below it each block is follows from how the loader places them.
 */
#include "naming.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "symbols.h"

struct tls_block {
	struct elf_file *file;
	__u64 below;		/* distance of its start from the thread pointer */
};

struct tls_layout {
	struct elf_file *program;
	size_t nr;
	struct tls_block *blocks;	/* blocks whose place is certain, the program's first */
	__u64 sure;		/* down to this distance there are no blocks but these */
	__u64 reach;		/* down to this distance all is thread-local data of some file */
};

/*
 * The loader lays out the TLS blocks of the files that it loads at the start, from the thread
 * pointer down, in the order in which it loads them: the program, preloaded files, the files that
 * these need, level by level. The times of the mappings show that order. For a process that
 * existed before recording, the needs of its files show it, unless something may have been
 * preloaded.
 */

#define LARGEST	(1ULL << 40)	/* above any block's size and alignment */

/* A file that the process runs code of. */
struct tls_file {
	struct elf_file *file;
	__u64 start;		/* lowest mapping */
	__u64 time;		/* of its first mapping; 0: before recording */
	__u64 code;		/* offset of its code */
	unsigned int copies;	/* how often the code is mapped */
	unsigned int level;	/* 1: the program needs it, 2: level 1 does; 0: none does */
};

struct tls_process {
	struct tls_file *rows;
	size_t nr, room;
	struct tls_file **queue;	/* by need: the program, level 1, level 2, ... */
	size_t nr_queue;
};

/* A file that cannot be read may have a block. */
static bool may_have_tls(const struct tls_file *row)
{
	return !row->file->elf || row->file->tls.size;
}

static bool same_mapped(const struct history_map *a, const struct history_map *b)
{
	return a->path == b->path || !strcmp(a->path, b->path);
}

/* The row of a file, which is added with its first mapping and that of its code. */
static struct tls_file *row_of(struct tls_process *process, struct elf_file *file,
			     const struct history_map *map, const struct history_map *code)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (process->rows[i].file == file)
			return &process->rows[i];
	ARRAY_GROW(process->rows, process->nr + 1, process->room);
	process->rows[process->nr] = (struct tls_file){
		.file = file, .start = map->start, .time = map->time, .code = code->offset,
	};
	return &process->rows[process->nr++];
}

/* The first mapping of code among some; NULL: it is data. */
static const struct history_map *code_of(const struct history_image *image, size_t first,
					 size_t end)
{
	for (; first < end; first++)
		if (image->maps[first].prot & PROT_EXEC)
			return &image->maps[first];
	return NULL;
}

/* A library's mappings are neighbours, but for its .bss. */
static void collect(struct namer *namer, const struct history_image *image,
		    struct tls_process *process)
{
	size_t i, end;

	/* A file that was unloaded has no block any more. */
	for (i = 0; i < image->nr_maps && image->maps[i].start < HISTORY_PAST; i = end) {
		const struct history_map *map = &image->maps[i], *code;
		struct elf_file *file;
		struct tls_file *row;

		for (end = i + 1; end < image->nr_maps &&
				  same_mapped(&image->maps[end], map); end++)
			continue;
		code = history_path_is_file(map->path) ? code_of(image, i, end) : NULL;
		if (!code)
			continue;
		file = elf_file_of(&namer->files, image->pid, map);
		if (!file || file->state == ELF_NOTHING)
			continue;
		row = row_of(process, file, map, code);
		for (; i < end; i++) {
			row->copies += image->maps[i].prot & PROT_EXEC &&
				       image->maps[i].offset == row->code;
			if (image->maps[i].time < row->time)
				row->time = image->maps[i].time;
		}
	}
}

static struct tls_file *needed_by(struct tls_process *process, const char *name)
{
	size_t i;

	for (i = 0; i < process->nr; i++) {
		const struct elf_file *file = process->rows[i].file;

		if ((file->soname && !strcmp(file->soname, name)) ||
		    !strcmp(file->name, text_last_part(name)))
			return &process->rows[i];
	}
	return NULL;
}

static void follow_needs(struct tls_process *process)
{
	size_t i, at;

	process->queue = xcalloc(process->nr, sizeof(struct tls_file *));
	for (i = 0; i < process->nr && !process->nr_queue; i++)
		if (process->rows[i].file->program)
			process->queue[process->nr_queue++] = &process->rows[i];
	for (at = 0; at < process->nr_queue; at++) {
		const struct tls_file *user = process->queue[at];

		for (i = 0; i < user->file->nr_needed; i++) {
			struct tls_file *row = needed_by(process, user->file->needed[i]);

			if (!row || row->level || row == process->queue[0])
				continue;
			row->level = user->level + 1;
			process->queue[process->nr_queue++] = row;
		}
	}
}

/* The time when the last needed file was mapped; 0: all were mapped before recording. */
static __u64 start_done(const struct tls_process *process)
{
	__u64 done = 0;
	size_t i;

	for (i = 1; i < process->nr_queue; i++)
		if (process->queue[i]->time > done)
			done = process->queue[i]->time;
	return done;
}

COMPARE_POINTERS(by_time, struct tls_file, order(a->time, b->time))

/*
 * List the files loaded at the start in @order, by time. Returns their number, or 0 if the times
 * do not show the order: they are from before recording, or were all seen at once in /proc.
 */
static size_t order_by_time(struct tls_process *process, struct tls_file **order)
{
	const __u64 done = start_done(process);
	const struct tls_file *last = NULL;
	size_t i, nr = 0;

	for (i = 0; i < process->nr; i++) {
		struct tls_file *row = &process->rows[i];

		if (row == process->queue[0] || row->time > done)
			continue;
		if (!row->time)
			return 0;
		order[nr++] = row;
	}
	qsort(order, nr, sizeof(struct tls_file *), by_time);
	for (i = 0; i < nr; i++) {
		if (!may_have_tls(order[i]))
			continue;
		if (last && last->time == order[i]->time)
			return 0;
		last = order[i];
	}
	return nr;
}

/* The loader, whose name begins so; NULL: it is another one. */
static const struct tls_file *loader_of(const struct tls_process *process, const char *begin)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (!strncmp(process->rows[i].file->name, begin, strlen(begin)))
			return &process->rows[i];
	return NULL;
}

/* The kernel assigns addresses in one direction, beginning with the loader. */
static bool is_downward(const struct tls_process *process, const struct tls_file *row)
{
	const struct tls_file *loader = loader_of(process, "ld-");

	return !loader || row->start < loader->start;
}

/*
 * List them by need instead. Returns 0 if a file with a block is there that no file needs, because
 * it may have been preloaded. A needed library that was preloaded is recognized by its address.
 */
static size_t order_by_need(struct tls_process *process, struct tls_file **order, bool *whole)
{
	const __u64 done = start_done(process);
	const struct tls_file *last = NULL;
	size_t i, nr = 0;

	*whole = false;
	for (i = 0; i < process->nr; i++) {
		const struct tls_file *row = &process->rows[i];

		if (!row->level && row != process->queue[0] && row->time <= done &&
		    may_have_tls(row))
			return 0;
	}
	for (i = 1; i < process->nr_queue; i++) {
		struct tls_file *row = process->queue[i];

		if (!may_have_tls(row))
			continue;
		if (last && (row->start < last->start) != is_downward(process, row))
			return 0;
		last = row;
		order[nr++] = row;
	}
	*whole = true;
	return nr;
}

/* Where the next block may be put, by the rules of glibc and musl. */
struct room {
	__u64 used;		/* below the thread pointer */
	__u64 gap, gap_end;	/* the last gap that alignment left, which glibc fills */
	bool fill;
};

/* The least distance of a block below @from at which it is aligned; 0: none. */
static __u64 put_below(const struct elf_file *file, __u64 from)
{
	const __u64 size = file->tls.size, align = file->tls_align;
	const __u64 least = from + size;

	if (size > LARGEST || align > LARGEST || align & (align - 1) || from > LARGEST)
		return 0;
	return least + ((-file->tls.address - least) & (align - 1));
}

static __u64 place(struct room *room, const struct elf_file *file)
{
	const __u64 size = file->tls.size;
	__u64 below;

	if (room->fill && room->gap_end - room->gap >= size) {
		below = put_below(file, room->gap);
		if (below && below <= room->gap_end) {
			room->gap = below;
			return below;
		}
	}
	below = put_below(file, room->used);
	if (!below)
		return 0;
	if (below > room->used + size + (room->gap_end - room->gap)) {
		room->gap = room->used;
		room->gap_end = below - size;
	}
	room->used = below;
	return below;
}

static bool put(struct tls_layout *layout, struct room *room, const struct tls_file *row)
{
	__u64 below;

	if (!row->file->elf || row->copies > 1)
		return false;
	if (!row->file->tls.size)
		return true;
	below = place(room, row->file);
	if (!below)
		return false;
	layout->blocks[layout->nr++] = (struct tls_block){ row->file, below };
	return true;
}

/* The least room that the blocks of all needed files take, in whatever order. */
static __u64 least_reach(const struct tls_process *process)
{
	__u64 reach = 0;
	size_t i;

	for (i = 0; i < process->nr_queue && reach <= LARGEST; i++)
		if (process->queue[i]->file->tls.size <= LARGEST)
			reach += process->queue[i]->file->tls.size;
	return reach;
}

static void arrange(struct tls_process *process, struct tls_layout *layout, struct tls_file **order)
{
	struct room room = { .fill = !loader_of(process, "ld-musl-") };
	struct tls_file *program = process->queue[0];
	bool whole = true, put_all;
	size_t nr, i;

	layout->program = program->file;
	nr = order_by_time(process, order);
	if (!nr)
		nr = order_by_need(process, order, &whole);
	put_all = put(layout, &room, program);
	for (i = 0; put_all && i < nr; i++)
		put_all = put(layout, &room, order[i]);
	layout->sure = room.used;
	layout->reach = whole && put_all ? room.used : least_reach(process);
	if (layout->reach < room.used)
		layout->reach = room.used;
}

/*
 * The layout covers the program and the libraries that were loaded with it. Blocks of libraries
 * that were loaded later are wherever the loader found room. NULL: the program is not known.
 */
static const struct tls_layout *tls_layout_of(struct namer *namer,
					      const struct history_image *image)
{
	const struct name_cache_key key = { .address = (__u64)(uintptr_t)image };
	const struct tls_layout *known = name_cache_find(&namer->tls, key);
	struct tls_process process = { 0 };
	struct tls_layout *layout;
	struct tls_file **order;

	if (known)
		return known->program ? known : NULL;
	collect(namer, image, &process);
	follow_needs(&process);
	order = xcalloc(process.nr, sizeof(struct tls_file *));
	layout = pool_take(&namer->pool, sizeof(*layout));
	layout->blocks = pool_take(&namer->pool, (process.nr + 1) * sizeof(*layout->blocks));
	if (process.nr_queue)
		arrange(&process, layout, order);
	name_cache_keep(&namer->tls, key, layout);
	free(order);
	free(process.queue);
	free(process.rows);
	return layout->program ? layout : NULL;
}

/*
 * May a mapping have got the place of the stack of a thread that had ended? A stack is mapped before
 * its thread is sampled. The first thread is not meant, because the loader maps its block.
 */
static bool is_newer(const struct history_map *map, const struct memlat_rec_thread *thread)
{
	return thread->tid != thread->tgid && thread->first_ns && map->time > thread->first_ns;
}

/*
 * Find the thread pointer that is at most reach above an address, and the thread that owns it. If
 * several threads have the same pointer, because one got another's stack after it ended, the owner
 * is @tid if it is one of them, else nobody (0). Returns 0 if there is no such pointer, or several
 * that differ and none is @tid's.
 */
static __u64 pointer_of(const struct snapshot *snap, const struct place *place, __u32 tid, __u64 reach,
			__u32 *owner)
{
	const __u64 address = place->address;
	bool agreed = true;
	__u64 pointer = 0;
	size_t i;

	*owner = 0;
	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tgid != place->space || (place->gen && thread->gen != place->gen) ||
		    thread->tls_base <= address || thread->tls_base - address > reach)
			continue;
		if (thread->tid == tid) {
			*owner = tid;
			return thread->tls_base;
		}
		if (is_newer(place->map, thread))
			continue;
		agreed = agreed && (!pointer || pointer == thread->tls_base);
		*owner = pointer ? 0 : thread->tid;
		pointer = thread->tls_base;
	}
	return agreed ? pointer : 0;
}

static const struct tls_block *block_at(const struct tls_layout *layout, __u64 distance)
{
	size_t i;

	for (i = 0; i < layout->nr; i++)
		if (layout->blocks[i].below - distance < layout->blocks[i].file->tls.size)
			return &layout->blocks[i];
	return NULL;
}

static void name_variable(struct namer *namer, struct elf_file *file, __u64 offset,
			  struct data_name *data)
{
	if (!file_name_data(namer, file, true, offset, data)) {
		data->name = pool_format(&namer->pool, "[thread-local data of %s]", file->name);
		data->size = file->tls.size;
		data->offset = offset;
		file->missed_symbols += !symbols_complete(&namer->files, file);
	}
	data->section = offset < file->tls.file_size ? ".tdata" : ".tbss";
	data->module = file->name;
	data->path = file->path;
}

bool tls_name_data(struct namer *namer, const struct place *place, __u32 tid, struct data_name *data)
{
	const __u64 address = place->address;
	const struct tls_layout *layout;
	const struct tls_block *block;
	__u64 pointer;
	__u32 owner;

	if (!namer->profile->snap.nr_threads)
		return false;
	layout = tls_layout_of(namer, place->image);
	if (!layout)
		return false;
	pointer = pointer_of(&namer->profile->snap, place, tid, layout->reach, &owner);
	if (!pointer)
		return false;
	block = block_at(layout, pointer - address);
	if (block) {
		name_variable(namer, block->file, address - (pointer - block->below), data);
		data->start += pointer - block->below;
	} else if (pointer - address <= layout->sure) {
		/* The address is in the gap that alignment leaves between two blocks. */
		return false;
	} else {
		/* It is a variable of one of the libraries, but of which one is not certain. */
		data->name = pool_format(&namer->pool, "[thread-local data of libraries of %s]",
					 layout->program->name);
		data->start = pointer - layout->reach;
		data->size = layout->reach;
		data->offset = address - data->start;
	}
	data->kind = DATA_TLS;
	data->tid = owner;
	return true;
}
