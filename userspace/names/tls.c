// SPDX-License-Identifier: GPL-2.0
/*
 * Thread-local variables of the program. The psABI puts its block right below the
 * thread pointer, which the tables have of each thread; blocks of libraries lie
 * where the loader found room, which nothing records.
 */
#include "demangle.h"
#include "naming.h"
#include "symbols.h"
#include "variables.h"

/* The program itself, and where it was loaded: the first of its mappings tells. */
static struct elf_file *program_of(struct namer *namer, const struct history_image *image)
{
	const char *last = NULL;
	size_t i;

	for (i = 0; i < image->nr_maps; i++) {
		const struct history_map *map = &image->maps[i];
		struct elf_file *file;

		/* A file's mappings are neighbours, and its first one holds its headers. */
		if (map->path == last || map->offset || !elf_path_is_file(map->path))
			continue;
		last = map->path;
		file = elf_file_of(&namer->files, image->pid, map);
		if (file && file->program)
			return file;
	}
	return NULL;
}

/* Threads that had one stack after the other had one block: whoever asks, if it is one of them. */
static bool block_of(const struct snapshot *snap, __u32 space, __u32 gen, __u32 tid,
		     __u64 address, __u64 below, __u64 size, __u64 *block, __u32 *owner)
{
	bool found = false, several = false;
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];
		__u64 start = thread->tls_base - below;

		if (thread->tgid != space || (gen && thread->gen != gen) || !thread->tls_base ||
		    thread->tls_base < below || address - start >= size)
			continue;
		several |= found;
		found = true;
		*block = start;
		*owner = thread->tid;
		if (thread->tid == tid)
			return true;
	}
	if (several)
		*owner = 0;
	return found;
}

bool tls_name_data(struct namer *namer, const struct history_image *image, __u32 space,
		   __u32 gen, __u64 address, __u32 tid, struct data_name *data)
{
	const struct symbol *symbol;
	struct elf_file *file;
	__u64 below, block = 0, offset;
	__u32 owner = 0;

	if (!image || !namer->profile->snap.nr_threads)
		return false;
	file = program_of(namer, image);
	if (!file || !file->tls.size)
		return false;
	/* The block ends at the thread pointer but for what its alignment asks for. */
	below = file->tls.address + file->tls.size + file->tls_align - 1;
	below = below - below % file->tls_align - file->tls.address;
	if (!block_of(&namer->profile->snap, space, gen, tid, address, below, file->tls.size,
		      &block, &owner))
		return false;
	offset = address - block;
	if (!variables_name_data(&namer->files, file, true, offset, data)) {
		symbol = symbol_at(&namer->files, file, SYMBOL_TLS, offset);
		if (symbol) {
			data->name = demangle(&namer->pool, symbol->name);
			data->start = symbol->start;
			data->size = symbol->size;
			data->offset = offset - symbol->start;
			file->missed_dwarf++;
		} else {
			data->name = pool_format(&namer->pool, "[thread-local data of %s]",
						 file->name);
			data->size = file->tls.size;
			data->offset = offset;
			file->missed_symbols += !symbols_complete(&namer->files, file);
		}
	}
	data->kind = DATA_TLS;
	data->start += block;
	data->tid = owner;
	data->section = data->offset + data->start - block < file->tls.file_size ? ".tdata" :
										   ".tbss";
	data->module = file->name;
	data->path = file->path;
	return true;
}
