// SPDX-License-Identifier: GPL-2.0
/* A history in a profile: names once, then the images. Numbers are little-endian. */
#include "history_internal.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../util/bytes.h"
#include "../util/xalloc.h"

#define LAYOUT		2
#define LAYOUT_WITHOUT_CODE	1	/* the layout before there was generated code */
#define IMAGE_LEAST	(4 * 5 + 8 * 2)
#define MAP_LEAST	(8 * 5 + 4 * 5 + 1)
#define THREAD_LEAST	(4 * 2 + 8 * 2)
#define CODE_LEAST	(8 * 3 + 4)

static void put_images(struct bytes *bytes, const struct history *history)
{
	size_t i, k;

	bytes_put(bytes, history->nr_images, 4);
	for (i = 0; i < history->nr_images; i++) {
		const struct history_image *image = &history->images[i];

		bytes_put(bytes, image->pid, 4);
		bytes_put(bytes, image->parent, 4);
		bytes_put(bytes, image->from, 8);
		bytes_put(bytes, image->until, 8);
		bytes_put(bytes, history_string_of(image->comm)->index, 4);
		bytes_put(bytes, image->nr_maps, 4);
		bytes_put(bytes, image->nr_threads, 4);
		for (k = 0; k < image->nr_maps; k++) {
			const struct history_map *map = &image->maps[k];

			bytes_put(bytes, map->start, 8);
			bytes_put(bytes, map->end, 8);
			bytes_put(bytes, map->offset, 8);
			bytes_put(bytes, map->time, 8);
			bytes_put(bytes, map->inode, 8);
			bytes_put(bytes, map->major, 4);
			bytes_put(bytes, map->minor, 4);
			bytes_put(bytes, map->prot, 4);
			bytes_put(bytes, map->flags, 4);
			bytes_put(bytes, history_string_of(map->path)->index, 4);
			bytes_put(bytes, map->build_id_size, 1);
			bytes_put_raw(bytes, map->build_id, map->build_id_size);
		}
		for (k = 0; k < image->nr_threads; k++) {
			const struct history_thread *thread = &image->threads[k];

			bytes_put(bytes, thread->tid, 4);
			bytes_put(bytes, history_string_of(thread->comm)->index, 4);
			bytes_put(bytes, thread->stack_start, 8);
			bytes_put(bytes, thread->stack_end, 8);
		}
		bytes_put(bytes, image->nr_codes, 4);
		for (k = 0; k < image->nr_codes; k++) {
			const struct history_code *code = &image->codes[k];

			bytes_put(bytes, code->start, 8);
			bytes_put(bytes, code->end, 8);
			bytes_put(bytes, code->function, 8);
			bytes_put(bytes, history_string_of(code->name)->index, 4);
		}
	}
}

static void put_string(struct bytes *bytes, const char *text, __u32 *used)
{
	struct history_string *string = history_string_of(text);

	if (string->index)
		return;
	string->index = ++*used;
	bytes_put(bytes, strlen(text), 4);
	bytes_put_raw(bytes, text, strlen(text));
}

static void forget_index(const void *node, VISIT visit, int depth)
{
	(void)visit;
	(void)depth;
	history_string_of(*(const char *const *)node)->index = 0;
}

/* The names that the images use, numbered in the order in which they are written. */
static __u32 put_strings(struct bytes *bytes, const struct history *history)
{
	__u32 used = 0;
	size_t i, k;

	twalk(history->texts, forget_index);
	for (i = 0; i < history->nr_images; i++) {
		const struct history_image *image = &history->images[i];

		put_string(bytes, image->comm, &used);
		for (k = 0; k < image->nr_maps; k++)
			put_string(bytes, image->maps[k].path, &used);
		for (k = 0; k < image->nr_threads; k++)
			put_string(bytes, image->threads[k].comm, &used);
		for (k = 0; k < image->nr_codes; k++)
			put_string(bytes, image->codes[k].name, &used);
	}
	return used;
}

void history_encode(const struct history *history, void **to, size_t *size)
{
	struct bytes bytes = { 0 }, strings = { 0 };

	bytes_put(&bytes, LAYOUT, 4);
	bytes_put(&bytes, put_strings(&strings, history), 4);
	bytes_put(&bytes, history->lost, 8);
	bytes_put_raw(&bytes, strings.data, strings.used);
	free(strings.data);
	put_images(&bytes, history);
	bytes_take(&bytes, to, size);
}

/* A history that is being read. */
struct reading {
	struct bytes_reader in;
	struct history *history;
	const char **strings;
	__u32 nr_strings;
	bool with_code;
	const char *why;
};

static int damaged(struct reading *reading, const char *why)
{
	reading->why = why;
	return -EBADMSG;
}

static int take_strings(struct reading *reading)
{
	struct bytes_reader *in = &reading->in;
	__u32 i;

	if (reading->nr_strings > bytes_left(in) / 4)
		return damaged(reading, "the processes have more names than there is room for");
	reading->strings = xcalloc(reading->nr_strings, sizeof(*reading->strings));
	for (i = 0; i < reading->nr_strings; i++) {
		size_t length = bytes_get(in, 4);
		const char *raw = bytes_get_raw(in, length);
		char *text;

		if (!raw || memchr(raw, '\0', length))
			return damaged(reading, "a name of a process or file is not whole");
		text = xneed(strndup(raw, length));
		reading->strings[i] = history_keep(reading->history, text);
		free(text);
	}
	return 0;
}

/* NULL: the string does not exist. */
static const char *take_string(struct reading *reading)
{
	__u32 index = (__u32)bytes_get(&reading->in, 4);

	return index && index <= reading->nr_strings ? reading->strings[index - 1] : NULL;
}

static int take_maps(struct reading *reading, struct history_map *maps, size_t nr)
{
	struct bytes_reader *in = &reading->in;
	const void *build_id;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct history_map *map = &maps[i];

		map->start = bytes_get(in, 8);
		map->end = bytes_get(in, 8);
		map->offset = bytes_get(in, 8);
		map->time = bytes_get(in, 8);
		map->inode = bytes_get(in, 8);
		map->major = (__u32)bytes_get(in, 4);
		map->minor = (__u32)bytes_get(in, 4);
		map->prot = (__u32)bytes_get(in, 4);
		map->flags = (__u32)bytes_get(in, 4);
		map->path = take_string(reading);
		map->build_id_size = (__u8)bytes_get(in, 1);
		if (!map->path || map->build_id_size > HISTORY_BUILD_ID_MAX)
			return damaged(reading, "a mapping has no proper name");
		build_id = bytes_get_raw(in, map->build_id_size);
		if (!build_id)
			return damaged(reading, "the mappings are not whole");
		memcpy(map->build_id, build_id, map->build_id_size);
		/* Lookups are binary searches, so the maps have to be in order. */
		if (map->start >= map->end || (i && map->start < maps[i - 1].end))
			return damaged(reading, "mappings are out of order");
	}
	return 0;
}

static int take_threads(struct reading *reading, struct history_thread *threads, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		threads[i].tid = (__u32)bytes_get(&reading->in, 4);
		threads[i].comm = take_string(reading);
		threads[i].stack_start = bytes_get(&reading->in, 8);
		threads[i].stack_end = bytes_get(&reading->in, 8);
		if (!threads[i].comm)
			return damaged(reading, "a thread has no proper name");
	}
	return 0;
}

/* The code comes last. Its number is known only when the rest was read. */
static int take_codes(struct reading *reading, struct history_image *image)
{
	struct bytes_reader *in = &reading->in;
	size_t nr = reading->with_code ? (size_t)bytes_get(in, 4) : 0, i;
	struct history_code *codes;

	if (nr > bytes_left(in) / CODE_LEAST)
		return damaged(reading, "there is more code than there is room for");
	codes = xcalloc(nr, sizeof(*codes));
	image->codes = codes;
	image->nr_codes = nr;
	for (i = 0; i < nr; i++) {
		codes[i].start = bytes_get(in, 8);
		codes[i].end = bytes_get(in, 8);
		codes[i].function = bytes_get(in, 8);
		codes[i].name = take_string(reading);
		if (!codes[i].name)
			return damaged(reading, "code has no proper name");
		if (codes[i].start >= codes[i].end || codes[i].function > codes[i].start ||
		    (i && codes[i].start < codes[i - 1].end))
			return damaged(reading, "code is out of order");
	}
	return 0;
}

static int take_image(struct reading *reading)
{
	struct bytes_reader *in = &reading->in;
	struct history_thread *threads;
	struct history_image image = { 0 };
	struct history_map *maps;
	int ret;

	image.pid = (__u32)bytes_get(in, 4);
	image.parent = (__u32)bytes_get(in, 4);
	image.from = bytes_get(in, 8);
	image.until = bytes_get(in, 8);
	image.comm = take_string(reading);
	image.nr_maps = (size_t)bytes_get(in, 4);
	image.nr_threads = (size_t)bytes_get(in, 4);
	if (!image.comm)
		return damaged(reading, "a process has no proper name");
	if (image.nr_maps > bytes_left(in) / MAP_LEAST ||
	    image.nr_threads > bytes_left(in) / THREAD_LEAST)
		return damaged(reading, "a process is not whole");
	maps = xcalloc(image.nr_maps, sizeof(*maps));
	threads = xcalloc(image.nr_threads, sizeof(*threads));
	image.maps = maps;
	image.threads = threads;
	ret = take_maps(reading, maps, image.nr_maps);
	if (!ret)
		ret = take_threads(reading, threads, image.nr_threads);
	if (!ret)
		ret = take_codes(reading, &image);
	if (ret)
		history_image_clear(&image);
	else
		history_add_own(reading->history, &image);
	return ret;
}

static int take_all(struct reading *reading)
{
	struct bytes_reader *in = &reading->in;
	size_t images;
	__u64 layout;
	int ret;

	layout = bytes_get(in, 4);
	reading->with_code = layout == LAYOUT;
	if (layout != LAYOUT && layout != LAYOUT_WITHOUT_CODE)
		return damaged(reading, "the processes are written in a way not known here");
	reading->nr_strings = (__u32)bytes_get(in, 4);
	reading->history->lost = bytes_get(in, 8);
	ret = take_strings(reading);
	if (ret)
		return ret;
	images = (size_t)bytes_get(in, 4);
	if (images > bytes_left(in) / IMAGE_LEAST)
		return damaged(reading, "there are more processes than there is room for");
	while (!ret && images--)
		ret = take_image(reading);
	if (!ret && (in->failed || bytes_left(in)))
		ret = damaged(reading, "the processes do not end where they should");
	return ret;
}

int history_decode(struct history **history, const void *bytes, size_t size,
		   const char **why)
{
	struct reading reading = { .in = { .at = bytes, .left = size } };
	int ret;

	*history = NULL;
	*why = NULL;
	reading.history = history_new();
	ret = take_all(&reading);
	free(reading.strings);
	if (!ret) {
		*history = reading.history;
		return 0;
	}
	history_free(reading.history);
	*why = reading.why;
	return ret;
}
