/* SPDX-License-Identifier: GPL-2.0 */
/* A history in memory: events until they are settled, then images. */
#ifndef MEMLAT_HISTORY_INTERNAL_H
#define MEMLAT_HISTORY_INTERNAL_H

#include "history.h"
#include "kernel_names.h"

enum history_kind {
	HISTORY_FORK,
	HISTORY_COMM,
	HISTORY_EXEC,
	HISTORY_MAP,
	HISTORY_STACK,
	HISTORY_EXIT
};

struct history_event {
	__u64 time;
	__u64 order;		/* order of arrival, for events of the same time */
	enum history_kind kind;
	bool seen;		/* found in /proc at that time, not reported as it happened */
	__u32 pid, tid;
	__u32 parent_pid, parent_tid;	/* FORK */
	const char *comm;	/* COMM, EXEC; kept by the history */
	struct history_map map;	/* MAP; for STACK, only start and end */
};

/* A generation in the tables, and its image. */
struct history_bound {
	__u32 pid, gen;
	__u64 first_ns;		/* 0: not known */
	size_t image;
};

struct history_string {
	__u32 index;		/* index in the file, while it is written */
	bool code;		/* it is the path of a file that was mapped as code */
	char text[];
};

#define LIFE_CHAINS	4096

/* A process at the current point of the replay. Its image is still growing. */
struct life {
	struct life *next;
	struct history_image image;
	struct history_map *maps;
	size_t nr_maps, room_maps;
	struct life_thread *threads;	/* by tid */
	size_t nr_threads, room_threads, alive;
	bool ended;
};

struct life_thread {
	struct history_thread name;
	__u64 mapped_start, mapped_end;	/* its last mapping, if that may be a stack */
	bool alive;
};

struct replay {
	struct history *history;
	const __u32 *pids;	/* NULL: all */
	size_t nr_pids;
	struct life *lives[LIFE_CHAINS];
};

struct history {
	struct history_event *events;
	size_t nr_events, room_events;
	size_t told;		/* events that history_tell() has told of */
	__u64 order;		/* of the next event */
	struct history_event beyond;	/* receives an event for which there is no room */
	struct history_image *images;	/* by pid, then by from */
	size_t nr_images, room_images;
	struct history_bound *bounds;	/* by pid, then by gen */
	size_t nr_bounds;
	struct kernel_names loaded;	/* what the kernel told of programs of BPF and trampolines */
	size_t programs;		/* how many of them are programs */
	__u64 lost;
	struct replay *replay;	/* lives that go on after history_fold(); NULL: none */
	void *texts;		/* tsearch()'s tree of all of them */
	size_t text_bytes;	/* their size */
};

/* Return a copy of the text that lives as long as the history. */
const char *history_keep(struct history *history, const char *text);
/* The string that has this text, which history_keep() returned. */
struct history_string *history_string_of(const char *text);
void history_free_texts(void *texts);
/* Append an event. */
struct history_event *history_event(struct history *history, enum history_kind kind,
				    __u64 time, __u32 pid, __u32 tid);
/* Add an image. The history takes over its maps and threads. */
void history_add_image(struct history *history, const struct history_image *image);
/* The same of an image whose texts history_keep() returned, all of them. */
void history_add_own(struct history *history, const struct history_image *image);
/* The same with copies of these. */
void history_add_copy(struct history *history, struct history_image image);
/* Replace the image's texts, whatever their origin, by the history's own, which have numbers. */
void history_keep_texts(struct history *history, struct history_image *image);
void history_image_clear(struct history_image *image);
/* Lay a map over others. Where they overlap, the new one stays. */
void history_lay_over(struct history_map **maps, size_t *nr, size_t *room,
		      const struct history_map *map);
/* Is it kept as what was there before? [vsyscall] is above that, among the kernel's addresses. */
static inline bool history_is_past(const struct history_map *map)
{
	return map->start >= HISTORY_PAST && !kernel_address(map->start);
}

/* Under the number HISTORY_PASTS is all for which none is left, so it is not known what it was. */
#define HISTORY_TOO_OFTEN	"[mapped too often]"

/* Before history_lay_over(): keep what the new map replaces. */
void history_keep_past(struct history_map **maps, size_t *nr, size_t *room,
		       const struct history_map *map);
bool history_same_file(const struct history_map *a, const struct history_map *b);
/* The image that a process had at that time; NULL: none is known. */
const struct history_image *history_image_at(const struct history *history, __u32 pid, __u64 time);

/* Iterate over all lives. The body must not free the current one. */
#define for_each_life(replay, chain, life)					\
	for ((chain) = 0; (replay) && (chain) < LIFE_CHAINS; (chain)++)	\
		for ((life) = (replay)->lives[chain]; (life); (life) = (life)->next)
/* Fill image with the life's maps and a new array of its threads, which is also returned. */
struct history_thread *history_life_image(const struct life *life, struct history_image *image);
void history_forget_lives(struct history *history);
/* Is a number among these (sorted)? */
bool history_among(const __u32 *numbers, size_t nr, __u32 number);

/* Turn the events into images of these processes (sorted; NULL: all). */
void history_replay(struct history *history, const __u32 *pids, size_t nr_pids);

#endif
