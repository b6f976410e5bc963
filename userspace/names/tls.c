// SPDX-License-Identifier: GPL-2.0
/*
 * Name thread-local variables. The blocks of the program and of the libraries loaded with it lie
 * right below the thread pointer. The tables have the pointer of each thread, and tls_layout.c
 * computes how far below it each block is.
 */
#include "naming.h"
#include "symbols.h"
#include "tls_layout.h"

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
static __u64 pointer_of(const struct snapshot *snap, const struct history_map *map, __u32 space,
			__u32 gen, __u32 tid, __u64 address, __u64 reach, __u32 *owner)
{
	bool agreed = true;
	__u64 pointer = 0;
	size_t i;

	*owner = 0;
	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tgid != space || (gen && thread->gen != gen) ||
		    thread->tls_base <= address || thread->tls_base - address > reach)
			continue;
		if (thread->tid == tid) {
			*owner = tid;
			return thread->tls_base;
		}
		if (is_newer(map, thread))
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

bool tls_name_data(struct namer *namer, const struct history_image *image,
		   const struct history_map *map, __u32 space, __u32 gen, __u64 address, __u32 tid,
		   struct data_name *data)
{
	const struct tls_layout *layout;
	const struct tls_block *block;
	__u64 pointer;
	__u32 owner;

	if (!image || !namer->profile->snap.nr_threads)
		return false;
	layout = tls_layout_of(namer, image);
	if (!layout)
		return false;
	pointer = pointer_of(&namer->profile->snap, map, space, gen, tid, address, layout->reach,
			     &owner);
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
