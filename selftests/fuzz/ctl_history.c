// SPDX-License-Identifier: GPL-2.0
/* Events in any order, sessions one after the other, and files that contain them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ctl.h"
#include "profile/history_internal.h"

#define THREADS	16
#define BOUNDARY	128	/* of two sessions, ns */

static void event(struct history *history, struct fuzz_input *input, __u64 after)
{
	static const char *const names[] = { "", "a", "[heap]", "/bin/x", "[stack]", "//anon",
					     "\033[2J", "/bin/y" };
	uint8_t what = fuzz_take(input, 1);
	__u32 pid = 1 + (fuzz_take(input, 1) & 7), tid = pid + (what >> 6);
	__u64 time = after + (fuzz_take(input, 1) & 127);
	struct history_map map = { .time = time };
	struct history_event *stack;

	switch (what & 7) {
	case 0:
		history_fork(history, time, pid, tid, fuzz_take(input, 1) & 7, 1);
		break;
	case 1:
		history_comm(history, time, pid, tid, names[fuzz_take(input, 1) & 7],
			     what & 8);
		break;
	case 2:
		history_exit(history, time, pid, tid);
		break;
	case 3:
		stack = history_event(history, HISTORY_STACK, time, pid, tid);
		stack->map.start = fuzz_take(input, 1);
		stack->map.end = stack->map.start + fuzz_take(input, 1);
		break;
	case 4:
		history_lost(history, fuzz_take(input, 1));
		break;
	default:
		map.start = fuzz_take(input, 1) << 12;
		map.end = map.start + (1 + (fuzz_take(input, 1) & 15)) * 4096;
		map.offset = fuzz_take(input, 1) << 12;
		map.path = names[fuzz_take(input, 1) & 7];
		map.prot = what & 8 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC;
		map.flags = MAP_PRIVATE | (what & 16 ? MAP_ANONYMOUS : 0);
		map.inode = fuzz_take(input, 1);
		history_map(history, pid, what & 32 ? tid : 0, &map);
	}
}

static void add_threads(struct snapshot *snap, struct fuzz_input *input)
{
	unsigned int i;

	snapshot_init(snap);
	snap->threads = calloc(THREADS, sizeof(*snap->threads));
	fuzz_check(snap->threads);
	snap->nr_threads = fuzz_take(input, 1) % (THREADS + 1);
	for (i = 0; i < snap->nr_threads; i++) {
		uint8_t who = fuzz_take(input, 1);

		snap->threads[i].tgid = 1 + (who & 7);
		snap->threads[i].tid = snap->threads[i].tgid + (who >> 6);
		snap->threads[i].gen = 1 + (who >> 3 & 3);
		snap->threads[i].first_ns = fuzz_take(input, 1);
	}
}

/*
 * Check what comes from the kernel, in any order. A file may contain anything, so this is not for
 * files.
 */
static void check_lives(const struct history *history)
{
	size_t i;

	history_check(history);
	for (i = 0; i < history->nr_images; i++)
		fuzz_check(history->images[i].from < history->images[i].until);
}

static void check_bound(const struct history *history, const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];
		const struct history_image *image = history_find(history, thread->tgid,
								 thread->gen);

		fuzz_check(!image || image->pid == thread->tgid);
	}
}

static void decode_raw(const uint8_t *data, size_t size)
{
	struct history *history = NULL;
	const char *why = NULL;

	if (history_decode(&history, data, size, &why)) {
		fuzz_check(why && *why);
		return;
	}
	history_settle(history, NULL);
	history_check(history);
	history_free(history);
}

void ctl_history(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	struct history *history, *later;
	struct snapshot snap;
	bool all;

	if (fuzz_take(&input, 1) & 1) {
		decode_raw(input.at, input.left);
		return;
	}
	history = history_new();
	later = history_new();
	fuzz_check(history && later);
	add_threads(&snap, &input);
	all = fuzz_take(&input, 1) & 1;
	while (input.left) {
		uint8_t turn = fuzz_take(&input, 1);

		if (turn < 16)
			history_settle(history, all ? NULL : &snap);
		else
			event(turn & 1 ? later : history, &input, turn & 1 ? BOUNDARY + 1 : 0);
	}
	history_settle(history, all ? NULL : &snap);
	check_lives(history);
	check_bound(history, &snap);
	history_settle(later, NULL);
	check_lives(later);
	history_merge(history, later, BOUNDARY);
	history_settle(history, &snap);
	check_lives(history);
	check_bound(history, &snap);
	snapshot_free(&snap);
	history_free(later);
	history_free(history);
}
