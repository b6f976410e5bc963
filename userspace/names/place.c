// SPDX-License-Identifier: GPL-2.0
/* Find the mapping and the file that an address belongs to, and where the loader put that file. */
#include <string.h>
#include <sys/mman.h>

#include "../profile/imported.h"
#include "../util/text.h"
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
static void place_vdso(struct namer *namer, struct place *place)
{
	struct elf_file *file = elf_file_vdso(&namer->files);

	if (!file || !file->nr_segments ||
	    !(namer->profile->live || namer->files.recording))
		return;
	place->file = file;
	place->bias = place->map->start - page_of(file->segments[0].address);
	place->placed = elf_segment_at(file, place->address - place->bias) != NULL;
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

/* Set the file of a place whose mapping is known. */
static void find_file(struct namer *namer, struct place *place)
{
	const struct history_map *map = place->map, *below;
	const struct history_image *image = place->image;
	struct elf_file *file;
	unsigned int steps;

	/* Shared memory has no variables of the file, but code in it may have symbols. */
	if (!map || (map->flags & MAP_SHARED && !(map->prot & PROT_EXEC)))
		return;
	if (!strcmp(map->path, "[vdso]")) {
		place_vdso(namer, place);
		return;
	}
	/*
	 * The rest of .bss is anonymous memory behind the mappings of the file: right behind them,
	 * unless a variable is aligned to more than a page. A gap is then less than a large page.
	 */
	for (steps = 0; steps < WALK && !history_path_is_file(map->path); steps++) {
		if (map->path[0] == '[' || map->flags & MAP_SHARED || !map->start)
			return;
		below = history_map_below(image, map);
		if (!below || map->start - below->end >= LARGE_PAGE)
			return;
		map = below;
	}
	file = elf_file_of(&namer->files, image->pid, map);
	if (!file)
		return;
	if (file->elf && bias_from(image, file, map, &place->bias))
		place->placed = elf_segment_at(file, place->address - place->bias) != NULL;
	/* Memory behind the mappings of a file belongs to it only if the file's headers say so. */
	if (place->placed || map == place->map)
		place->file = file;
}

static struct place place_of(struct namer *namer, __u32 space, __u32 gen, __u64 address, bool data)
{
	struct place place = { .address = address, .space = space, .gen = gen };

	if (kernel_address(address))
		return place;
	place.image = history_find(namer->profile->history, space, gen);
	place.noted = data ? heap_noted(namer, &place) : NULL;
	if (place.noted || !place.image)
		return place;
	place.map = history_map_at(place.image, address);
	find_file(namer, &place);
	return place;
}

struct place code_place(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	return place_of(namer, space, gen, ip, false);
}

struct place data_place(struct namer *namer, __u32 space, __u32 gen, __u64 address)
{
	return place_of(namer, space, gen, address, true);
}

bool place_has_variables(const struct place *place)
{
	return place->placed && !(place->map->flags & MAP_SHARED);
}

const char *place_before(const struct namer *namer, const struct place *place)
{
	const __u32 flags = namer->profile->snap.head.status.flags;
	const struct kernel_names *names = namer->profile->kernel;
	const struct kernel_row *row =
		names ? kernel_row_at(names, KERNEL_BEFORE, place->address) : NULL;
	const struct history_map *map = NULL;

	if (row)
		return row->name;
	/* Samples of perf's have times, and addresses of the past are others. */
	if (!kernel_address(place->address) && (!(flags & IMPORTED) || flags & IMPORTED_NO_TIME))
		map = history_before(place->image, place->address);
	if (!map)
		return NULL;
	return history_path_is_file(map->path) ? text_last_part(map->path) : "memory of no file";
}
