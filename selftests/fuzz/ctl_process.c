// SPDX-License-Identifier: GPL-2.0
/* Input about processes: /proc's maps, and perf-PID.map of code that they generated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl.h"
#include "profile/history_internal.h"

#define PID	71

void history_check(const struct history *history)
{
	size_t i, k, size = 0, again_size = 0;
	void *bytes = NULL, *again_bytes = NULL;
	struct history *again = NULL;
	const char *why;

	for (i = 0; i < history->nr_images; i++) {
		const struct history_image *image = &history->images[i];

		for (k = 0; k < image->nr_maps; k++) {
			const struct history_map *map = &image->maps[k];

			fuzz_check(map->start < map->end && map->path);
			fuzz_check(k + 1 == image->nr_maps || map->end <= map[1].start);
			fuzz_check(history_map_at(image, map->start) == map);
			fuzz_check(history_map_at(image, map->end - 1) == map);
		}
		for (k = 0; k < image->nr_codes; k++) {
			const struct history_code *code = &image->codes[k];

			fuzz_check(code->start < code->end && code->name);
			fuzz_check(k + 1 == image->nr_codes || code->end <= code[1].start);
			fuzz_check(history_code_at(image, code->start) == code);
		}
	}
	history_encode(history, &bytes, &size);
	if (history_decode(&again, bytes, size, &why))
		fuzz_wrong("a history is not read again: %s", why);
	fuzz_equal(again->nr_images, history->nr_images);
	history_encode(again, &again_bytes, &again_size);
	fuzz_equal(again_size, size);
	fuzz_check(!memcmp(bytes, again_bytes, size));
	history_free(again);
	free(bytes);
	free(again_bytes);
}

void ctl_maps(const uint8_t *data, size_t size)
{
	struct history *history = history_new();

	fuzz_check(history);
	world_file(0, "/proc/71/maps", data, size);
	history_read_proc(history, PID);
	/* Read twice, as when the end of a recording reads again. */
	history_read_proc(history, PID);
	history_settle(history, NULL);
	world_open();
	history_check(history);
	history_free(history);
}

/* Sampled instructions in memory that belongs to no file. */
#define SITES	64
#define MEMORY	0x10000

static void add_process(struct history *history, struct snapshot *snap)
{
	const struct history_map map = {
		.start = MEMORY, .end = MEMORY + SITES * 16, .time = 1, .path = "//anon",
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE | MAP_ANONYMOUS,
	};
	unsigned int i;

	history_comm(history, 1, PID, PID, "java", false);
	history_map(history, PID, 0, &map);
	history_exit(history, 100, PID, PID);
	snapshot_init(snap);
	snap->sites = calloc(SITES, sizeof(*snap->sites));
	snap->stacks = calloc(1, sizeof(*snap->stacks));
	snap->threads = calloc(1, sizeof(*snap->threads));
	fuzz_check(snap->sites && snap->stacks && snap->threads);
	snap->nr_sites = SITES;
	snap->nr_stacks = snap->nr_threads = 1;
	for (i = 0; i < SITES; i++) {
		snap->sites[i].ip = MEMORY + i * i;
		snap->sites[i].space = PID;
		snap->sites[i].gen = 1;
	}
	snap->stacks[0].tgid = snap->threads[0].tgid = snap->threads[0].tid = PID;
	snap->threads[0].gen = snap->stacks[0].gen = 1;
	snap->threads[0].first_ns = 5;
	snap->stacks[0].frames = 2;
	snap->stacks[0].frame[1] = MEMORY + 3;
}

void ctl_perfmap(const uint8_t *data, size_t size)
{
	struct history *history = history_new();
	const struct history_image *image;
	struct snapshot snap;
	size_t i;

	fuzz_check(history);
	add_process(history, &snap);
	history_settle(history, &snap);
	world_file(0, "tmp/perf-71.map", data, size);
	history_read_jit(history, &snap);
	world_open();
	history_check(history);
	image = history_find(history, PID, 1);
	fuzz_check(image);
	for (i = 0; i < image->nr_codes; i++)
		fuzz_check(image->codes[i].function <= image->codes[i].start &&
			   strlen(image->codes[i].name) <= 1024);
	history_free(history);
	snapshot_free(&snap);
}
