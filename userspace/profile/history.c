// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE	/* tdestroy() */
#include "history_internal.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../util/order.h"
#include "../util/xalloc.h"

#define LOADED_MOST	(1U << 13)	/* programs of BPF: few machines load hundreds */

struct history *history_new(void)
{
	return xcalloc(1, sizeof(struct history));
}

void history_image_clear(struct history_image *image)
{
	free((void *)image->maps);
	free((void *)image->threads);
	free((void *)image->codes);
	image->maps = NULL;
	image->threads = NULL;
	image->codes = NULL;
	image->nr_codes = 0;
}

void history_free(struct history *history)
{
	size_t i;

	if (!history)
		return;
	for (i = 0; i < history->nr_images; i++)
		history_image_clear(&history->images[i]);
	history_free_texts(history->texts);
	history_forget_lives(history);
	free(history->events);
	free(history->images);
	free(history->bounds);
	free(history->loaded.rows);
	pool_free(&history->loaded.pool);
	free(history);
}

struct history_string *history_string_of(const char *text)
{
	return (struct history_string *)(text - offsetof(struct history_string, text));
}

static void free_text(void *text)
{
	free(history_string_of(text));
}

void history_free_texts(void *texts)
{
	tdestroy(texts, free_text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A file may hold millions of texts, chosen so that their hash values are the same: use a tree. */
const char *history_keep(struct history *history, const char *text)
{
	const char *const *found = tfind(text, &history->texts, by_text);
	const size_t size = strlen(text) + 1;
	struct history_string *string;

	if (found)
		return *found;
	string = xmalloc(sizeof(*string) + size);
	string->index = 0;
	string->code = false;
	memcpy(string->text, text, size);
	xneed(tsearch(string->text, &history->texts, by_text));
	/* A node of the tree has three pointers, and malloc() needs some room too. */
	history->text_bytes += 4 * sizeof(void *) + sizeof(*string) + size;
	return string->text;
}

struct history_event *history_event(struct history *history, enum history_kind kind,
				    __u64 time, __u32 pid, __u32 tid)
{
	struct history_event *event;

	if (history->nr_events == HISTORY_EVENTS) {
		history->lost++;
		return &history->beyond;
	}
	ARRAY_GROW(history->events, history->nr_events + 1, history->room_events);
	event = &history->events[history->nr_events++];
	memset(event, 0, sizeof(*event));
	event->kind = kind;
	event->time = time;
	event->order = history->order++;
	event->pid = pid;
	event->tid = tid;
	return event;
}

void history_fork(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  __u32 parent_pid, __u32 parent_tid)
{
	struct history_event *event = history_event(history, HISTORY_FORK, time, pid, tid);

	event->parent_pid = parent_pid;
	event->parent_tid = parent_tid;
}

void history_comm(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  const char *comm, bool exec)
{
	history_event(history, exec ? HISTORY_EXEC : HISTORY_COMM, time, pid, tid)->comm =
		history_keep(history, comm);
}

void history_map(struct history *history, __u32 pid, __u32 tid, const struct history_map *map)
{
	struct history_event *event = history_event(history, HISTORY_MAP, map->time, pid, tid);

	event->map = *map;
	event->map.path = history_keep(history, map->path ? map->path : "");
	if (event->map.build_id_size > HISTORY_BUILD_ID_MAX)
		event->map.build_id_size = 0;
}

void history_exit(struct history *history, __u64 time, __u32 pid, __u32 tid)
{
	history_event(history, HISTORY_EXIT, time, pid, tid);
}

void history_only(struct history *history, __u32 pid, __u32 as)
{
	size_t i, kept = 0;

	for (i = 0; i < history->nr_events; i++) {
		struct history_event *event = &history->events[i];

		if (!pid || event->pid != pid)
			continue;
		event->pid = as;
		/* The numbers of other threads are not known in this namespace. */
		if (event->tid == pid)
			event->tid = as;
		if (event->parent_pid == pid)
			event->parent_pid = as;
		if (event->parent_tid == pid)
			event->parent_tid = as;
		history->events[kept++] = *event;
	}
	history->nr_events = kept;
}

void history_tell(struct history *history, const struct history_watch *watch)
{
	for (; history->told < history->nr_events; history->told++) {
		struct history_event *event = &history->events[history->told];

		if (event->kind == HISTORY_MAP && !event->seen)
			watch->mapped(watch->arg, event->pid, &event->map);
		/* The other threads of a process nearly always end before its first one. */
		else if (event->kind == HISTORY_EXEC ||
			 (event->kind == HISTORY_EXIT && event->tid == event->pid))
			watch->ended(watch->arg, event->pid);
	}
}

void history_ksymbol(struct history *history, __u64 start, __u32 length, const char *name)
{
	struct kernel_names *loaded = &history->loaded;
	struct kernel_row row = {
		.start = start, .end = start + length, .kind = KERNEL_CODE, .cpu = KERNEL_NO_CPU,
		.module = "bpf",
	};

	if (!kernel_address(start) || row.end <= start || !*name ||
	    strlen(name) >= KERNEL_NAME_MAX || loaded->nr >= LOADED_MOST)
		return;
	row.name = pool_text(&loaded->pool, name);
	kernel_row_add(loaded, &row);
	history->programs += !strncmp(name, "bpf_prog_", 9);
}

size_t history_loads(const struct history *history)
{
	return history->programs;
}

void history_name_kernel(const struct history *history, struct kernel_names **names)
{
	struct kernel_names sorted = history->loaded;

	if (!sorted.nr)
		return;
	kernel_rows_sort(&sorted);
	kernel_names_merge(names, &sorted);
}

void history_lost(struct history *history, __u64 events)
{
	history->lost += events;
}

__u64 history_lost_events(const struct history *history)
{
	return history->lost;
}

void history_keep_texts(struct history *history, struct history_image *image)
{
	struct history_map *maps = (struct history_map *)(uintptr_t)image->maps;
	struct history_thread *threads = (struct history_thread *)(uintptr_t)image->threads;
	struct history_code *codes = (struct history_code *)(uintptr_t)image->codes;
	size_t i;

	image->comm = history_keep(history, image->comm ? image->comm : "");
	for (i = 0; i < image->nr_maps; i++)
		maps[i].path = history_keep(history, maps[i].path ? maps[i].path : "");
	for (i = 0; i < image->nr_threads; i++)
		threads[i].comm = history_keep(history, threads[i].comm ?
					       threads[i].comm : "");
	for (i = 0; i < image->nr_codes; i++)
		codes[i].name = history_keep(history, codes[i].name ? codes[i].name : "");
}

void history_add_own(struct history *history, const struct history_image *image)
{
	size_t i;

	ARRAY_GROW(history->images, history->nr_images + 1, history->room_images);
	history->images[history->nr_images++] = *image;
	for (i = 0; i < image->nr_maps; i++)
		if (image->maps[i].prot & PROT_EXEC && history_path_is_file(image->maps[i].path))
			history_string_of(image->maps[i].path)->code = true;
}

void history_add_image(struct history *history, const struct history_image *image)
{
	struct history_image kept = *image;

	history_keep_texts(history, &kept);
	history_add_own(history, &kept);
}

static void *copied(const void *array, size_t nr, size_t size)
{
	void *copy = xmallocarray(nr, size);

	return nr ? memcpy(copy, array, nr * size) : copy;
}

void history_add_copy(struct history *history, struct history_image image)
{
	image.maps = copied(image.maps, image.nr_maps, sizeof(*image.maps));
	image.threads = copied(image.threads, image.nr_threads, sizeof(*image.threads));
	image.codes = copied(image.codes, image.nr_codes, sizeof(*image.codes));
	history_add_image(history, &image);
}

const char *history_thread_name(const struct history_image *image, __u32 tid)
{
	size_t i;

	for (i = 0; i < image->nr_threads; i++)
		if (image->threads[i].tid == tid)
			return image->threads[i].comm;
	return NULL;
}

bool history_path_is_file(const char *path)
{
	static const char *const words[] = {
		"//", "/memfd:", "/SYSV", "/dev/zero", "/anon_hugepage", "/[aio]",
	};
	size_t i;

	if (!path || path[0] != '/')
		return false;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(path, words[i], strlen(words[i])))
			return false;
	return true;
}

const struct history_map *history_map_at(const struct history_image *image, __u64 address)
{
	size_t at = FIRST_WHERE(i, image->nr_maps, image->maps[i].end > address);

	if (at == image->nr_maps || image->maps[at].start > address)
		return NULL;
	return &image->maps[at];
}

const struct history_map *history_map_below(const struct history_image *image,
					    const struct history_map *map)
{
	return map > image->maps ? map - 1 : NULL;
}

const struct history_code *history_code_at(const struct history_image *image, __u64 address)
{
	size_t at = FIRST_WHERE(i, image->nr_codes, image->codes[i].end > address);

	if (at == image->nr_codes || image->codes[at].start > address)
		return NULL;
	return &image->codes[at];
}

ORDER_BY_2(by_pid_and_gen, struct history_bound, pid, gen)

/* The number of images with a smaller pid, or with this pid and begun no later than time. */
static size_t images_until(const struct history *history, __u32 pid, __u64 time)
{
	const struct history_image *images = history->images;

	return FIRST_WHERE(i, history->nr_images, images[i].pid > pid ||
			   (images[i].pid == pid && images[i].from > time));
}

const struct history_image *history_find(const struct history *history, __u32 pid,
					 __u32 gen)
{
	struct history_bound wanted = { .pid = pid, .gen = gen };
	const struct history_bound *bound = NULL;
	size_t last;

	if (gen && history->nr_bounds)
		bound = bsearch(&wanted, history->bounds, history->nr_bounds,
				sizeof(wanted), by_pid_and_gen);
	if (bound)
		return &history->images[bound->image];
	last = images_until(history, pid, ~0ULL);
	if (!last || history->images[last - 1].pid != pid)
		return NULL;
	return &history->images[last - 1];
}

COMPARE(by_pid_and_time, struct history_image,
	order(a->pid, b->pid) ?: order(a->from, b->from) ?: order(a->until, b->until))

/*
 * Bind to the image that began last before the thread was first sampled. Whether that image had
 * already ended does not matter: the last samples of a thread are taken out after the kernel has
 * reported its exit.
 */
static bool bind_one(const struct history *history, struct history_bound *bound)
{
	size_t until = images_until(history, bound->pid, bound->first_ns);

	if (!bound->first_ns || !until || history->images[until - 1].pid != bound->pid)
		return false;
	bound->image = until - 1;
	return true;
}

static void bind(struct history *history, const struct snapshot *snap)
{
	struct history_bound *bounds;
	size_t i, nr = 0, kept = 0;

	free(history->bounds);
	history->bounds = NULL;
	history->nr_bounds = 0;
	if (!snap || !snap->nr_threads)
		return;
	bounds = xcalloc(snap->nr_threads, sizeof(*bounds));
	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (!thread->gen)
			continue;
		bounds[nr].pid = thread->tgid;
		bounds[nr].gen = thread->gen;
		bounds[nr++].first_ns = thread->first_ns;
	}
	SORT(bounds, nr, by_pid_and_gen);
	for (i = 0; i < nr; i++) {
		if (kept && !by_pid_and_gen(&bounds[kept - 1], &bounds[i])) {
			/*
			 * Any thread of the process will do. The earliest is the least likely to be
			 * late.
			 */
			if (bounds[i].first_ns - 1 < bounds[kept - 1].first_ns - 1)
				bounds[kept - 1].first_ns = bounds[i].first_ns;
			continue;
		}
		bounds[kept++] = bounds[i];
	}
	nr = kept;
	for (i = kept = 0; i < nr; i++)
		if (bind_one(history, &bounds[i]))
			bounds[kept++] = bounds[i];
	history->bounds = bounds;
	history->nr_bounds = kept;
}

static __u32 *numbers_of(const struct snapshot *snap, bool threads, size_t *nr)
{
	size_t room = snap->nr_lines + snap->nr_sites + snap->nr_accesses +
		      2 * snap->nr_threads + snap->nr_stacks;
	__u32 *pids = xmallocarray(room, sizeof(*pids));
	size_t i, kept = 0, all = 0;

	for (i = 0; i < snap->nr_lines; i++)
		pids[all++] = snap->lines[i].space;
	for (i = 0; i < snap->nr_sites; i++)
		pids[all++] = snap->sites[i].space;
	for (i = 0; i < snap->nr_accesses; i++)
		pids[all++] = snap->accesses[i].tgid;
	for (i = 0; i < snap->nr_threads; i++)
		pids[all++] = snap->threads[i].tgid;
	for (i = 0; threads && i < snap->nr_threads; i++)
		pids[all++] = snap->threads[i].tid;
	for (i = 0; i < snap->nr_stacks; i++)
		pids[all++] = snap->stacks[i].tgid;
	SORT(pids, all, order_u32);
	for (i = 0; i < all; i++)
		if (pids[i] && (!kept || pids[kept - 1] != pids[i]))
			pids[kept++] = pids[i];
	*nr = kept;
	return pids;
}

__u32 *history_pids_of(const struct snapshot *snap, size_t *nr)
{
	return numbers_of(snap, false, nr);
}

__u32 *history_numbers_of(const struct snapshot *snap, size_t *nr)
{
	return numbers_of(snap, true, nr);
}

const struct history_image *history_image_at(const struct history *history, __u32 pid, __u64 time)
{
	const size_t until = images_until(history, pid, time);

	return until && history->images[until - 1].pid == pid ? &history->images[until - 1] : NULL;
}

void history_keep_sampled(struct history *history, const struct snapshot *snap)
{
	size_t nr, i, kept = 0;
	__u32 *pids = history_pids_of(snap, &nr);

	for (i = 0; i < history->nr_images; i++) {
		if (history_among(pids, nr, history->images[i].pid))
			history->images[kept++] = history->images[i];
		else
			history_image_clear(&history->images[i]);
	}
	history->nr_images = kept;
	free(pids);
}

void history_settle(struct history *history, const struct snapshot *snap)
{
	__u32 *pids = NULL;
	size_t nr = 0;

	if (history->nr_events || history->replay) {
		if (snap)
			pids = history_pids_of(snap, &nr);
		history_replay(history, pids, nr);
		free(pids);
		free(history->events);
		history->events = NULL;
		history->nr_events = history->room_events = 0;
	}
	SORT(history->images, history->nr_images, by_pid_and_time);
	bind(history, snap);
}
