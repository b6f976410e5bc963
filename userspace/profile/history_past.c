// SPDX-License-Identifier: GPL-2.0
/* What was mapped where something else is mapped now: see HISTORY_PAST. */
#include "history_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

/* A process with more mappings than that keeps no past ones. */
#define MAPS_OF_PAST	(1U << 16)

bool history_same_file(const struct history_map *a, const struct history_map *b)
{
	if (strcmp(a->path, b->path))
		return false;
	if (a->build_id_size && b->build_id_size)
		return a->build_id_size == b->build_id_size &&
		       !memcmp(a->build_id, b->build_id, a->build_id_size);
	return a->inode == b->inode || !a->inode || !b->inode;
}

/*
 * Does a new mapping give addresses another meaning? Anonymous memory joins its neighbours, and the
 * kernel reports all of it again, so one of the two has to be a file. A loader lays anonymous
 * memory over the end of a file that it has just mapped, which is the file's .bss; and it maps the
 * file's data at another offset than the rest.
 */
static bool replaces(const struct history_map *maps, const struct history_map *old,
		     const struct history_map *map)
{
	const bool was_file = history_path_is_file(old->path);
	const bool file = history_path_is_file(map->path);
	const bool brief = map->time - old->time < HISTORY_BRIEF_NS;
	const struct history_map *below = old > maps ? old - 1 : NULL;

	if ((!was_file && !file) || history_is_past(old))
		return false;
	if (history_same_file(old, map))
		return !brief && old->start - old->offset != map->start - map->offset;
	if (file || !brief)
		return true;
	/* What is left of the file in front of the new mapping. */
	return old->start >= map->start &&
	       !(below && below->end == map->start && history_same_file(below, old));
}

/* The highest number under which something is kept. */
static unsigned int pasts_of(const struct history_map *maps, size_t nr)
{
	const size_t user = FIRST_WHERE(i, nr, kernel_address(maps[i].start));

	return user ? (unsigned int)(maps[user - 1].start / HISTORY_PAST) : 0;
}

/* The number behind all that are in use at these addresses. So they are in order of time. */
static unsigned int next_past(const struct history_map *maps, size_t nr,
			      const struct history_map *map)
{
	unsigned int past;

	for (past = pasts_of(maps, nr); past; past--) {
		const __u64 start = map->start + past * HISTORY_PAST;
		const size_t at = FIRST_WHERE(i, nr, maps[i].end > start);

		if (at < nr && maps[at].start < map->end + past * HISTORY_PAST)
			break;
	}
	return past + 1;
}

/* All that is kept under the last number: not known, since the first of it was mapped. */
static void take_for_too_often(const struct history_map *maps, size_t nr, struct history_map *map)
{
	const __u64 start = map->start + HISTORY_PASTS * HISTORY_PAST;
	const __u64 end = map->end + HISTORY_PASTS * HISTORY_PAST;
	size_t i;

	for (i = FIRST_WHERE(k, nr, maps[k].end > start); i < nr && maps[i].start < end; i++)
		if (maps[i].time < map->time)
			map->time = maps[i].time;
	map->path = HISTORY_TOO_OFTEN;
	map->build_id_size = 0;
	map->inode = 0;
}

/* The part of a mapping that lies within another one. */
static struct history_map cut(struct history_map map, const struct history_map *within)
{
	if (map.start < within->start) {
		map.offset += within->start - map.start;
		map.start = within->start;
	}
	if (map.end > within->end)
		map.end = within->end;
	return map;
}

void history_keep_past(struct history_map **maps, size_t *nr, size_t *room,
		       const struct history_map *map)
{
	const size_t first = FIRST_WHERE(k, *nr, (*maps)[k].end > map->start);
	size_t i, last = first, kept = 0;
	struct history_map *pasts;

	while (last < *nr && (*maps)[last].start < map->end)
		last++;
	if (first == last)
		return;
	pasts = xmallocarray(last - first, sizeof(*pasts));
	for (i = first; i < last; i++)
		if (replaces(*maps, &(*maps)[i], map))
			pasts[kept++] = cut((*maps)[i], map);
	for (i = 0; i < kept && *nr < MAPS_OF_PAST; i++) {
		unsigned int past = next_past(*maps, *nr, &pasts[i]);

		if (past >= HISTORY_PASTS) {
			past = HISTORY_PASTS;
			take_for_too_often(*maps, *nr, &pasts[i]);
		}
		pasts[i].start += past * HISTORY_PAST;
		pasts[i].end += past * HISTORY_PAST;
		history_lay_over(maps, nr, room, &pasts[i]);
	}
	free(pasts);
}

/* What was mapped at an address after that; NULL: nothing else. */
static const struct history_map *mapped_next(const struct history_image *image, __u64 address,
					     unsigned int past)
{
	const unsigned int pasts = pasts_of(image->maps, image->nr_maps);
	const struct history_map *next = NULL;

	while (!next && ++past <= pasts)
		next = history_map_at(image, address + past * HISTORY_PAST);
	return next ? next : history_map_at(image, address);
}

/*
 * What a loader maps for a moment is not sampled: its cache, and tables of a locale. But a library
 * may be there for a moment, and be all that a short program does.
 */
static bool was_brief(const struct history_map *map, const struct history_map *next)
{
	return next->time - map->time < HISTORY_BRIEF_NS && !history_string_of(map->path)->code;
}

/* Is an address of the past the same place of the same file as today's? */
static bool is_back(const struct history_map *past, __u64 then, const struct history_map *map,
		    __u64 address)
{
	return map && history_same_file(past, map) &&
	       past->offset + (then - past->start) == map->offset + (address - map->start);
}

const struct history_map *history_before(const struct history_image *image, __u64 address)
{
	const unsigned int pasts = image && address < HISTORY_PAST ?
		pasts_of(image->maps, image->nr_maps) : 0;
	unsigned int past;

	for (past = 1; past <= pasts; past++) {
		const __u64 then = address + past * HISTORY_PAST;
		const struct history_map *map = history_map_at(image, then), *next;

		next = map ? mapped_next(image, address, past) : NULL;
		if (next && !was_brief(map, next) &&
		    !is_back(map, then, history_map_at(image, address), address))
			return map;
	}
	return NULL;
}

__u64 history_address_at(const struct history *history, __u32 pid, __u64 time, __u64 address)
{
	const struct history_image *image = history_image_at(history, pid, time);
	const unsigned int pasts = image && address < HISTORY_PAST ?
		pasts_of(image->maps, image->nr_maps) : 0;
	unsigned int past;

	for (past = 1; past <= pasts; past++) {
		const struct history_map *next;

		if (!history_map_at(image, address + past * HISTORY_PAST))
			continue;
		next = mapped_next(image, address, past);
		if (next && time < next->time)
			return address + past * HISTORY_PAST;
	}
	return address;
}
