// SPDX-License-Identifier: GPL-2.0
/* Find the file that an address belongs to, and where the loader put that file. */
#include <string.h>
#include <sys/mman.h>

#include "naming.h"

#define PAGE	4096ULL
#define LARGE_PAGE	(1ULL << 30)	/* the largest one of x86-64 */
#define WALK	64	/* mappings from the end of a file's .bss back to the file's last one */
#define PAIRS	(1U << 14)	/* of segments, over all mappings; real files have a dozen segments */

static bool same_file(const struct history_map *a, const struct history_map *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       !strcmp(a->path, b->path);
}

static __u64 page_of(__u64 address)
{
	return address & ~(PAGE - 1);
}

/* Count the segments of the file that are mapped where this bias puts them. */
static unsigned int agree(const struct history_image *image, const struct elf_file *file,
			  const struct history_map *map, __u64 bias)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < file->nr_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];
		__u64 at = page_of(segment->address) + bias;
		const struct history_map *there = history_map_at(image, at);

		count += there && same_file(there, map) &&
			 at - there->start + there->offset == page_of(segment->offset);
	}
	return count;
}

/*
 * A page of a file that belongs to two segments is mapped twice, so the offset alone does not tell
 * of which segment a mapping is. Take the one whose bias fits the other segments best.
 */
static bool module_bias(const struct history_image *image, const struct elf_file *file,
			const struct history_map *map, __u64 *bias)
{
	unsigned int best = 0;
	size_t i;

	for (i = 0; i < file->nr_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];
		__u64 first = page_of(segment->offset), guess;
		unsigned int count;

		if (map->offset < first ||
		    map->offset >= segment->offset + segment->file_size)
			continue;
		guess = map->start - (map->offset - first) - page_of(segment->address);
		count = agree(image, file, map, guess);
		/* Prefer an executable segment for an executable mapping, and only for one. */
		count = 2 * count + (!(map->prot & PROT_EXEC) == !(segment->flags & PF_X));
		if (count > best) {
			best = count;
			*bias = guess;
		}
	}
	return best;
}

/* All processes of one kernel have the same vdso, so read this process's if the data is live. */
static void place_vdso(struct namer *namer, struct module *module, __u64 address)
{
	struct elf_file *file = elf_file_vdso(&namer->files);

	if (!file || !file->nr_segments ||
	    !(namer->profile->live || namer->files.recording))
		return;
	module->file = file;
	module->bias = module->map->start - page_of(file->segments[0].address);
	module->placed = elf_segment_at(file, address - module->bias) != NULL;
}

/*
 * The same by a mapping of the file or those below it. The kernel maps a program's first segment as
 * long as all of them, and sends no event when it shortens it (elf_map() in fs/binfmt_elf.c). So
 * what is recorded for a gap between segments is a part of the file that is in no segment.
 */
static bool bias_from(const struct history_image *image, const struct elf_file *file,
		      const struct history_map *last, __u64 *bias)
{
	const size_t pairs = file->nr_segments * file->nr_segments;
	const struct history_map *map = last;
	unsigned int steps;

	for (steps = 0; steps < WALK && steps * pairs <= PAIRS && map && same_file(map, last);
	     steps++) {
		if (module_bias(image, file, map, bias))
			return true;
		map = history_map_below(image, map);
	}
	return false;
}

struct module module_at(struct namer *namer, const struct history_image *image, __u64 address)
{
	const struct history_map *map = image ? history_map_at(image, address) : NULL;
	const struct history_map *below;
	struct module module = { .map = map };
	struct elf_file *file;
	unsigned int steps;

	/* Shared memory has no variables of the file, but code in it may have symbols. */
	if (!map || (map->flags & MAP_SHARED && !(map->prot & PROT_EXEC)))
		return module;
	if (!strcmp(map->path, "[vdso]")) {
		place_vdso(namer, &module, address);
		return module;
	}
	/*
	 * The rest of .bss is anonymous memory behind the mappings of the file: right behind them,
	 * unless a variable is aligned to more than a page. A gap is then less than a large page.
	 */
	for (steps = 0; steps < WALK && !history_path_is_file(map->path); steps++) {
		if (map->path[0] == '[' || map->flags & MAP_SHARED || !map->start)
			return module;
		below = history_map_below(image, map);
		if (!below || map->start - below->end >= LARGE_PAGE)
			return module;
		map = below;
	}
	file = elf_file_of(&namer->files, image->pid, map);
	if (!file)
		return module;
	if (file->elf && bias_from(image, file, map, &module.bias))
		module.placed = elf_segment_at(file, address - module.bias) != NULL;
	/* Memory behind the mappings of a file belongs to it only if the file's headers say so. */
	if (module.placed || map == module.map)
		module.file = file;
	return module;
}
