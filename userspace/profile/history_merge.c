// SPDX-License-Identifier: GPL-2.0
/* Two sessions of one run of the kernel, one after the other, as one history. */
#include "history_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

/*
 * The lowest mapping of a file. Its random address tells programs apart. The path is compared too,
 * because the kernel does not report the inode of a file with a build id.
 */
static const struct history_map *first_file(const struct history_image *image)
{
	size_t i;

	for (i = 0; i < image->nr_maps; i++)
		if (image->maps[i].path[0] == '/' && image->maps[i].path[1] != '/')
			return &image->maps[i];
	return NULL;
}

/* Did the first image live on as the second? Both have the same pid. */
static bool same_program(const struct history_image *before, const struct history_image *after)
{
	const struct history_map *one = first_file(before), *other = first_file(after);

	return one && other && one->start == other->start && history_same_file(one, other);
}

/* The image with which a process lived on. The first nr images are settled. */
static struct history_image *last_alive(struct history *history, size_t nr, __u32 pid)
{
	size_t i = FIRST_WHERE(k, nr, history->images[k].pid > pid);

	while (i-- > 0 && history->images[i].pid == pid)
		if (history->images[i].until == ~0ULL)
			return &history->images[i];
	return NULL;
}

static bool has_thread(const struct history_thread *threads, size_t nr, __u32 tid)
{
	while (nr--)
		if (threads[nr].tid == tid)
			return true;
	return false;
}

/* Nothing tells in which session the code was sampled. */
static const char *both_names(struct history *into, const char *first, const char *later)
{
	const char *kept;
	char *text;

	/* A name of two functions says so already. */
	if (!strcmp(first, later) || strstr(first, HISTORY_EARLIER))
		return first;
	if (strstr(later, HISTORY_EARLIER))
		return history_keep(into, later);
	text = xasprintf("%s" HISTORY_EARLIER "%s", later, first);
	kept = history_keep(into, text);
	free(text);
	return kept;
}

/* Join the code of both sessions. If memory was used again between them, it has both names. */
static void add_codes(struct history *into, struct history_image *image,
		      const struct history_image *later)
{
	struct history_code *codes = xcalloc(image->nr_codes + later->nr_codes,
					     sizeof(*codes));
	size_t nr = 0, a = 0, b = 0;

	while (a < image->nr_codes || b < later->nr_codes) {
		bool first = b == later->nr_codes || (a < image->nr_codes &&
			     image->codes[a].start <= later->codes[b].start);
		struct history_code code = first ? image->codes[a++] : later->codes[b++];

		if (nr && code.start < codes[nr - 1].end) {
			struct history_code *there = &codes[nr - 1];

			/* Those of one session do not overlap. */
			there->name = first ? both_names(into, code.name, there->name) :
					      both_names(into, there->name, code.name);
			continue;
		}
		codes[nr++] = code;
	}
	free((void *)(uintptr_t)image->codes);
	image->codes = codes;
	image->nr_codes = nr;
}

/* Lay a mapping of the second session over those of the first one, which become past ones. */
static void add_map(struct history_image *image, struct history_map **maps, size_t *room,
		    struct history_map map)
{
	/* Its own past becomes a part of the image's. */
	if (history_is_past(&map)) {
		map.end -= map.start / HISTORY_PAST * HISTORY_PAST;
		map.start %= HISTORY_PAST;
	}
	if (map.end <= HISTORY_PAST)
		history_keep_past(maps, &image->nr_maps, room, &map);
	history_lay_over(maps, &image->nr_maps, room, &map);
}

/* Lay what the second session knew over what the first one knew. */
static void go_on(struct history *into, struct history_image *image,
		  const struct history_image *later)
{
	struct history_map *maps = (struct history_map *)(uintptr_t)image->maps;
	struct history_thread *threads;
	size_t i, room = image->nr_maps, nr = 0;

	for (i = 0; i < later->nr_maps; i++)
		if (history_is_past(&later->maps[i]))
			add_map(image, &maps, &room, later->maps[i]);
	for (i = 0; i < later->nr_maps; i++)
		if (!history_is_past(&later->maps[i]))
			add_map(image, &maps, &room, later->maps[i]);
	image->maps = maps;
	add_codes(into, image, later);
	threads = xcalloc(image->nr_threads + later->nr_threads, sizeof(*threads));
	for (i = 0; i < later->nr_threads; i++)
		threads[nr++] = later->threads[i];
	for (i = 0; i < image->nr_threads; i++)
		if (!has_thread(threads, nr, image->threads[i].tid))
			threads[nr++] = image->threads[i];
	free((void *)(uintptr_t)image->threads);
	image->threads = threads;
	image->nr_threads = nr;
	image->until = later->until;
	image->comm = later->comm;
	history_keep_texts(into, image);
}

void history_merge(struct history *into, const struct history *later, __u64 boundary)
{
	const size_t known = into->nr_images;
	size_t i;

	/* Only an image that began before recording can continue an image of the first session. */
	for (i = 0; i < later->nr_images; i++) {
		struct history_image image = later->images[i];
		struct history_image *before = last_alive(into, known, image.pid);

		if (before && !image.from && same_program(before, &image)) {
			go_on(into, before, &image);
			continue;
		}
		if (before && !image.from)
			image.from = boundary;
		if (before)
			before->until = image.from;
		history_add_copy(into, image);
	}
	into->lost += later->lost;
}
