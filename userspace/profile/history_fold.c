// SPDX-License-Identifier: GPL-2.0
/* Keep a history bounded while it is listened to for months, and extract parts of it. */
#include "history_internal.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"

static void drop_life(struct life **at)
{
	struct life *life = *at;

	*at = life->next;
	free(life->maps);
	free(life->threads);
	free(life);
}

void history_forget_lives(struct history *history)
{
	size_t chain;

	for (chain = 0; history->replay && chain < LIFE_CHAINS; chain++)
		while (history->replay->lives[chain])
			drop_life(&history->replay->lives[chain]);
	free(history->replay);
	history->replay = NULL;
}

static size_t size_of_image(const struct history_image *image)
{
	return sizeof(*image) + image->nr_maps * sizeof(*image->maps) +
	       image->nr_threads * sizeof(*image->threads);
}

static size_t size_of_life(const struct life *life)
{
	return sizeof(*life) + life->room_maps * sizeof(*life->maps) +
	       life->room_threads * sizeof(*life->threads);
}

size_t history_size(const struct history *history)
{
	const struct kernel_names *loaded = &history->loaded;
	size_t size = history->room_events * sizeof(*history->events) + history->text_bytes +
		      loaded->room * sizeof(*loaded->rows) + loaded->pool.bytes, i;
	const struct life *life;

	for (i = 0; i < history->nr_images; i++)
		size += size_of_image(&history->images[i]);
	for_each_life(history->replay, i, life)
		size += size_of_life(life);
	return size;
}

bool history_among(const __u32 *numbers, size_t nr, __u32 number)
{
	size_t at = FIRST_WHERE(i, nr, numbers[i] >= number);

	return at < nr && numbers[at] == number;
}

static void trim_images(struct history *history, const __u32 *numbers, size_t nr, __u64 before)
{
	size_t i, kept = 0;

	for (i = 0; i < history->nr_images; i++) {
		struct history_image *image = &history->images[i];

		if (image->until < before && !history_among(numbers, nr, image->pid))
			history_image_clear(image);
		else
			history->images[kept++] = *image;
	}
	history->nr_images = kept;
}

/* Drop the threads of a live process that have ended. */
static void trim_threads(struct life *life, const __u32 *numbers, size_t nr)
{
	size_t i, kept = 0;

	for (i = 0; i < life->nr_threads; i++)
		if (life->threads[i].alive || history_among(numbers, nr, life->threads[i].name.tid))
			life->threads[kept++] = life->threads[i];
	life->nr_threads = kept;
}

static void trim_lives(struct replay *replay, const __u32 *numbers, size_t nr, __u64 before)
{
	struct life **at;
	size_t chain;

	for (chain = 0; replay && chain < LIFE_CHAINS; chain++) {
		for (at = &replay->lives[chain]; *at; ) {
			if ((*at)->ended && (*at)->image.until < before &&
			    !history_among(numbers, nr, (*at)->image.pid)) {
				drop_life(at);
				continue;
			}
			trim_threads(*at, numbers, nr);
			at = &(*at)->next;
		}
	}
}

/* An image or a life that may be dropped. */
struct candidate {
	__u64 until;
	bool alive;		/* which is the pid of a life; otherwise, the index of an image */
	size_t which;
};

ORDER_BY(by_end, struct candidate, until)

/* Drop what ended first until size is at most most. Live processes have no end and come last. */
static size_t squeeze(struct history *history, size_t size, size_t most)
{
	struct candidate *all = NULL;
	size_t nr = 0, room = 0, i, chain, dropped = 0, kept = 0;
	struct life *life;

	for (i = 0; i < history->nr_images; i++) {
		ARRAY_GROW(all, nr + 1, room);
		all[nr++] = (struct candidate){ .until = history->images[i].until, .which = i };
	}
	for_each_life(history->replay, chain, life) {
		ARRAY_GROW(all, nr + 1, room);
		all[nr++] = (struct candidate){
			.until = life->image.until, .alive = true, .which = life->image.pid,
		};
	}
	SORT(all, nr, by_end);
	for (i = 0; i < nr && size > most; i++, dropped++) {
		struct life **at;

		if (!all[i].alive) {
			size -= size_of_image(&history->images[all[i].which]);
			history_image_clear(&history->images[all[i].which]);
			history->images[all[i].which].pid = 0;
			continue;
		}
		at = &history->replay->lives[all[i].which % LIFE_CHAINS];
		while ((*at)->image.pid != all[i].which)
			at = &(*at)->next;
		size -= size_of_life(*at);
		drop_life(at);
	}
	free(all);
	for (i = 0; i < history->nr_images; i++)
		if (history->images[i].pid)
			history->images[kept++] = history->images[i];
	history->nr_images = kept;
	return dropped;
}

/* Free the texts that nothing refers to, by copying all others. */
static void renew_texts(struct history *history)
{
	void *old = history->texts;
	struct life *life;
	size_t i, k;

	history->texts = NULL;
	history->text_bytes = 0;
	for (i = 0; i < history->nr_images; i++)
		history_keep_texts(history, &history->images[i]);
	for_each_life(history->replay, i, life) {
		life->image.comm = history_keep(history, life->image.comm);
		for (k = 0; k < life->nr_maps; k++)
			life->maps[k].path = history_keep(history, life->maps[k].path);
		for (k = 0; k < life->nr_threads; k++)
			life->threads[k].name.comm =
				history_keep(history, life->threads[k].name.comm);
	}
	for (i = 0; i < history->nr_events; i++) {
		struct history_event *event = &history->events[i];

		if (event->comm)
			event->comm = history_keep(history, event->comm);
		if (event->map.path)
			event->map.path = history_keep(history, event->map.path);
	}
	history_free_texts(old);
}

size_t history_trim(struct history *history, const __u32 *numbers, size_t nr, __u64 before,
		    size_t most)
{
	size_t dropped = 0, size;

	trim_images(history, numbers, nr, before);
	trim_lives(history->replay, numbers, nr, before);
	renew_texts(history);
	size = history_size(history);
	if (size > most) {
		dropped = squeeze(history, size, most);
		renew_texts(history);
	}
	return dropped;
}

/* Copy all but generated code. */
static void copy(struct history *into, const struct history_image *from)
{
	struct history_image image = *from;

	image.nr_codes = 0;
	history_add_copy(into, image);
}

static void copy_life(struct history *into, const struct life *life)
{
	struct history_image image = life->image;
	struct history_thread *threads = history_life_image(life, &image);

	copy(into, &image);
	free(threads);
}

struct history *history_extract(const struct history *history, const __u32 *pids, size_t nr)
{
	struct history *into = history_new();
	const struct life *life;
	size_t i;

	into->lost = history->lost;
	for (i = 0; i < history->nr_images; i++)
		if (!pids || history_among(pids, nr, history->images[i].pid))
			copy(into, &history->images[i]);
	for_each_life(history->replay, i, life)
		if ((life->nr_maps || life->nr_threads) &&
		    (!pids || history_among(pids, nr, life->image.pid)))
			copy_life(into, life);
	return into;
}
