// SPDX-License-Identifier: GPL-2.0
/* Turn events, in order of time, into images of processes. */
#include "history_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../util/order.h"
#include "../util/xalloc.h"

/*
 * Where the first thread's stack can be. Some kernels report it before they move it to its random
 * place. That is below 2^47 by never more than 16 GiB (22 bits of pages) and the stack's own size,
 * which are kept free of anything else.
 */
#define STACK_END	0x7ffffffff000ULL
#define STACK_RANDOM	(1ULL << 34)
#define STACK_SIZE	(8ULL << 20)

void history_lay_over(struct history_map **maps, size_t *nr, size_t *room,
		      const struct history_map *map)
{
	size_t at, over;
	struct history_map *list;

	if (map->start >= map->end)
		return;
	ARRAY_GROW(*maps, *nr + 2, *room);
	list = *maps;
	at = FIRST_WHERE(i, *nr, list[i].end > map->start);
	if (at < *nr && list[at].start < map->start) {
		if (list[at].end > map->end) {
			/* The new range lies within one mapping and splits it in two. */
			memmove(&list[at + 1], &list[at], (*nr - at) * sizeof(*list));
			++*nr;
			list[at + 1].offset += map->end - list[at + 1].start;
			list[at + 1].start = map->end;
		}
		list[at++].end = map->start;
	}
	for (over = at; over < *nr && list[over].end <= map->end; over++)
		continue;
	if (over < *nr && list[over].start < map->end) {
		list[over].offset += map->end - list[over].start;
		list[over].start = map->end;
	}
	memmove(&list[at + 1], &list[over], (*nr - over) * sizeof(*list));
	*nr = *nr - (over - at) + 1;
	list[at] = *map;
}

static struct life *life_find(const struct replay *replay, __u32 pid)
{
	struct life *life;

	for (life = replay->lives[pid % LIFE_CHAINS]; life; life = life->next)
		if (life->image.pid == pid)
			return life;
	return NULL;
}

/* The index of a thread, or the one where it belongs. */
static size_t thread_place(const struct life *life, __u32 tid)
{
	return FIRST_WHERE(i, life->nr_threads, life->threads[i].name.tid >= tid);
}

static struct life_thread *thread_find(struct life *life, __u32 tid)
{
	const size_t at = thread_place(life, tid);

	return at < life->nr_threads && life->threads[at].name.tid == tid ? &life->threads[at] :
									    NULL;
}

static struct life_thread *thread_add(struct life *life, __u32 tid, const char *comm)
{
	struct life_thread *thread = thread_find(life, tid);

	if (!thread) {
		const size_t at = thread_place(life, tid);

		ARRAY_GROW(life->threads, life->nr_threads + 1, life->room_threads);
		thread = &life->threads[at];
		memmove(thread + 1, thread, (life->nr_threads - at) * sizeof(*thread));
		life->nr_threads++;
		memset(thread, 0, sizeof(*thread));
		thread->name.tid = tid;
		thread->name.comm = comm;
	}
	if (!thread->alive) {
		thread->alive = true;
		life->alive++;
	}
	life->ended = false;
	life->image.until = ~0ULL;
	return thread;
}

/* The life of a process whose begin was not reported: it began before recording. */
static struct life *life_of(struct replay *replay, __u32 pid)
{
	struct life *life = life_find(replay, pid);

	if (life)
		return life;
	life = xcalloc(1, sizeof(*life));
	life->image.pid = pid;
	life->image.until = ~0ULL;
	life->image.comm = "";
	life->next = replay->lives[pid % LIFE_CHAINS];
	replay->lives[pid % LIFE_CHAINS] = life;
	return life;
}

struct history_thread *history_life_image(const struct life *life, struct history_image *image)
{
	struct history_thread *threads = xcalloc(life->nr_threads, sizeof(*threads));
	size_t i;

	for (i = 0; i < life->nr_threads; i++)
		threads[i] = life->threads[i].name;
	image->maps = life->maps;
	image->nr_maps = life->nr_maps;
	image->threads = threads;
	image->nr_threads = life->nr_threads;
	return threads;
}

/* Turn the life so far into an image. The life goes on empty. */
static void life_turn(struct replay *replay, struct life *life, __u64 until)
{
	struct history_image image = life->image;

	if (until < image.until)
		image.until = until;
	/* Skip an image that had no time to do anything. */
	if ((!replay->pids || history_among(replay->pids, replay->nr_pids, image.pid)) &&
	    image.from < image.until) {
		history_life_image(life, &image);
		history_add_image(replay->history, &image);
	} else {
		free(life->maps);
	}
	life->maps = NULL;
	life->nr_maps = life->room_maps = 0;
	life->nr_threads = life->alive = 0;
	life->ended = false;
}

static void take_stack(struct life *life, struct life_thread *thread, __u64 start, __u64 end)
{
	struct history_map map = {
		.start = start, .end = end, .prot = PROT_READ | PROT_WRITE,
		.flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, .path = "[stack]",
	};

	thread->name.stack_start = start;
	thread->name.stack_end = end;
	if (thread->name.tid == life->image.pid)
		history_lay_over(&life->maps, &life->nr_maps, &life->room_maps, &map);
}

static void take_new_process(struct replay *replay, struct life *life,
			     const struct history_event *event)
{
	struct life_thread *thread, *forked;
	struct life *parent;
	size_t i;

	/*
	 * The previous process of this number has ended. What was not reported began with this
	 * event.
	 */
	if (life->nr_maps || life->nr_threads)
		life_turn(replay, life, event->time);
	life->image.from = event->time;
	life->image.until = ~0ULL;
	life->image.parent = event->parent_pid;
	life->image.comm = "";
	parent = life_find(replay, event->parent_pid);
	ARRAY_GROW(life->maps, parent ? parent->nr_maps : 0, life->room_maps);
	/* What is past already, the new process never had. */
	for (i = 0; parent && i < parent->nr_maps; i++)
		if (!history_is_past(&parent->maps[i]))
			life->maps[life->nr_maps++] = parent->maps[i];
	if (parent)
		life->image.comm = parent->image.comm;
	thread = thread_add(life, event->tid, life->image.comm);
	forked = parent ? thread_find(parent, event->parent_tid) : NULL;
	if (forked) {
		thread->name.comm = life->image.comm = forked->name.comm;
		thread->name.stack_start = forked->name.stack_start;
		thread->name.stack_end = forked->name.stack_end;
	}
}

static void take_new_thread(struct life *life, const struct history_event *event)
{
	struct life_thread *thread, *maker;
	__u64 start = 0, end = 0;
	const char *comm;

	maker = thread_find(life, event->parent_tid);
	comm = maker ? maker->name.comm : life->image.comm;
	/*
	 * The mapping that the creating thread made just before is the new thread's stack. A stack
	 * that is used again has no such event.
	 */
	if (maker) {
		start = maker->mapped_start;
		end = maker->mapped_end;
		maker->mapped_start = maker->mapped_end = 0;
	}
	thread = thread_add(life, event->tid, comm);
	thread->name.comm = comm;
	thread->name.stack_start = start;
	thread->name.stack_end = end;
}

static void take_exec(struct replay *replay, struct life *life,
		      const struct history_event *event)
{
	struct history_image before = life->image;

	life_turn(replay, life, event->time);
	life->image.pid = before.pid;
	life->image.parent = before.parent;
	life->image.from = event->time;
	life->image.until = ~0ULL;
	life->image.comm = event->comm;
	thread_add(life, event->pid, event->comm);
}

static void take_comm(struct life *life, const struct history_event *event)
{
	thread_add(life, event->tid, event->comm)->name.comm = event->comm;
	if (event->tid == event->pid)
		life->image.comm = event->comm;
}

/* Is it the same file to the kernel? /proc appends a word if it was deleted since. */
static bool same_path(const char *told, const char *seen)
{
	size_t length = strlen(told);

	return !strncmp(told, seen, length) &&
	       (!seen[length] || !strcmp(seen + length, HISTORY_DELETED));
}

/* Prefer what the event of the mapping told: its time and build id, which /proc does not show. */
static void keep_told(const struct life *life, struct history_map *seen)
{
	const struct history_image image = { .maps = life->maps, .nr_maps = life->nr_maps };
	const struct history_map *told = history_map_at(&image, seen->start);

	if (!told || !told->time || seen->end > told->end || !same_path(told->path, seen->path) ||
	    (history_path_is_file(told->path) &&
	     told->offset + (seen->start - told->start) != seen->offset))
		return;
	seen->path = told->path;
	seen->time = told->time;
	if (!told->build_id_size)
		return;
	seen->build_id_size = told->build_id_size;
	memcpy(seen->build_id, told->build_id, sizeof(seen->build_id));
}

static void take_map(struct life *life, const struct history_event *event)
{
	struct history_map map = event->map;
	struct life_thread *thread = event->tid ? thread_find(life, event->tid) : NULL;

	map.time = event->time;
	if (thread) {
		bool stack = !strcmp(map.path, "//anon") && map.prot & PROT_WRITE;

		thread->mapped_start = stack ? map.start : 0;
		thread->mapped_end = stack ? map.end : 0;
	}
	if (!strcmp(map.path, "[stack]")) {
		thread = thread_add(life, event->pid, life->image.comm);
		/* The stack is not yet in its final place: see STACK_END. */
		if (map.end >= STACK_END)
			take_stack(life, thread, STACK_END - STACK_RANDOM - STACK_SIZE,
				   STACK_END);
		else
			take_stack(life, thread, map.start, map.end);
		return;
	}
	if (event->seen)
		keep_told(life, &map);
	else if (map.end <= HISTORY_PAST)
		history_keep_past(&life->maps, &life->nr_maps, &life->room_maps, &map);
	history_lay_over(&life->maps, &life->nr_maps, &life->room_maps, &map);
}

/* The stack's true place is known, so the wide range is not needed. */
static void take_seen_stack(struct life *life, const struct history_event *event)
{
	struct life_thread *thread = thread_find(life, event->tid);
	size_t i, kept = 0;

	if (!thread)
		thread = thread_add(life, event->tid, life->image.comm);
	for (i = 0; i < life->nr_maps; i++)
		if (event->tid != event->pid || strcmp(life->maps[i].path, "[stack]"))
			life->maps[kept++] = life->maps[i];
	life->nr_maps = kept;
	take_stack(life, thread, event->map.start, event->map.end);
}

static void take_exit(struct life *life, const struct history_event *event)
{
	struct life_thread *thread = thread_find(life, event->tid);

	if (thread && thread->alive) {
		thread->alive = false;
		life->alive--;
	}
	if (life->alive)
		return;
	life->ended = true;
	life->image.until = event->time;
}

static void apply_event(struct replay *replay, const struct history_event *event)
{
	struct life *life = life_of(replay, event->pid);

	switch (event->kind) {
	case HISTORY_FORK:
		if (event->pid == event->parent_pid)
			take_new_thread(life, event);
		else
			take_new_process(replay, life, event);
		break;
	case HISTORY_EXEC:
		take_exec(replay, life, event);
		break;
	case HISTORY_COMM:
		take_comm(life, event);
		break;
	case HISTORY_MAP:
		take_map(life, event);
		break;
	case HISTORY_STACK:
		take_seen_stack(life, event);
		break;
	default:
		take_exit(life, event);
	}
}

ORDER_BY_2(by_time, struct history_event, time, order)

COMPARE_POINTERS(by_pid_and_begin, struct history_event, order(a->pid, b->pid) ?: by_time(a, b))

/*
 * Date what was found in /proc. It existed when /proc was read, and may have existed from the
 * beginning. Assume the beginning, unless a fork or exec of the process was reported before.
 */
static void date_seen(struct history *history)
{
	struct history_event **sorted;
	bool begun = false;
	size_t i;

	sorted = xmallocarray(history->nr_events, sizeof(*sorted));
	for (i = 0; i < history->nr_events; i++)
		sorted[i] = &history->events[i];
	SORT(sorted, history->nr_events, by_pid_and_begin);
	for (i = 0; i < history->nr_events; i++) {
		struct history_event *event = sorted[i];

		if (!i || sorted[i - 1]->pid != event->pid)
			/*
			 * A life that is known already goes on, so nothing may be dated before it.
			 */
			begun = life_find(history->replay, event->pid) != NULL;
		if (event->kind == HISTORY_EXEC ||
		    (event->kind == HISTORY_FORK && event->pid != event->parent_pid))
			begun = true;
		if (event->seen && !begun)
			event->time = 0;
	}
	free(sorted);
}

static struct replay *replay_of(struct history *history)
{
	if (!history->replay) {
		history->replay = xcalloc(1, sizeof(*history->replay));
		history->replay->history = history;
	}
	return history->replay;
}

static void tell_end(const struct history_watch *watch, const struct replay *replay,
		     const struct history_event *event)
{
	const struct life *life;

	if (event->kind != HISTORY_EXIT)
		return;
	life = life_find(replay, event->pid);
	if (life && life->ended)
		watch->ended(watch->arg, event->pid);
}

void history_fold(struct history *history, __u64 until, const struct history_watch *watch)
{
	struct replay *replay = replay_of(history);
	size_t i;

	if (!history->nr_events)
		return;
	date_seen(history);
	SORT(history->events, history->nr_events, by_time);
	for (i = 0; i < history->nr_events && history->events[i].time <= until; i++) {
		struct history_event *event = &history->events[i];

		if (watch && event->kind == HISTORY_EXEC)
			watch->ended(watch->arg, event->pid);
		if (watch && event->kind == HISTORY_MAP && !event->seen)
			watch->mapped(watch->arg, event->pid, &event->map);
		apply_event(replay, event);
		if (watch)
			tell_end(watch, replay, event);
	}
	history->nr_events -= i;
	memmove(history->events, history->events + i,
		history->nr_events * sizeof(*history->events));
}

void history_replay(struct history *history, const __u32 *pids, size_t nr_pids)
{
	struct replay *replay = replay_of(history);
	struct life *life;
	size_t i;

	replay->pids = pids;
	replay->nr_pids = nr_pids;
	history_fold(history, ~0ULL, NULL);
	for_each_life(replay, i, life)
		if (life->nr_maps || life->nr_threads)
			life_turn(replay, life, ~0ULL);
	history_forget_lives(history);
}
