// SPDX-License-Identifier: GPL-2.0
/* The lives of a bracket as JSON. */
#include <stdlib.h>

#include "lives_internal.h"
#include "truth_out.h"

static const char *const class_name[LIVES_CLASSES] = {
	[LIVES_ESSENTIAL] = "essential", [LIVES_OVERWRITTEN] = "overwritten", [LIVES_USELESS] = "useless",
};

static const char *const began_name[BEGAN_SHARING] = {
	[BEGAN_COLD] = "cold", [BEGAN_EVICTED] = "evicted", [BEGAN_HELD] = "held",
};

struct rank {
	const struct lives_line *line;
	uint64_t waited, transfers;
};

static void put_classes(struct json *out, const uint64_t n[LIVES_CLASSES][3])
{
	unsigned int class;

	for (class = 0; class < LIVES_CLASSES; class++)
		json_array(out, class_name[class], n[class], 3);
}

static void put_upgrades(struct json *out, const uint64_t n[LIVES_CLASSES][3])
{
	json_open(out, "upgrades", '{');
	put_classes(out, n);
	json_close(out, '}');
}

static void put_began(struct json *out, const uint64_t n[BEGAN_SHARING][3])
{
	unsigned int began;

	for (began = 0; began < BEGAN_SHARING; began++)
		json_array(out, began_name[began], n[began], 3);
}

static void put_thread(struct json *out, const char *key, uint32_t thread)
{
	if (thread == LIVES_NOBODY) {
		json_item(out, key);
		json_raw(out, "null");
	} else {
		json_number(out, key, thread);
	}
}

static void put_time(struct json *out, const char *key, const struct vp_thread_time *time)
{
	json_open(out, key, '{');
	json_number(out, "cycles", time->cycles);
	json_number(out, "head", time->head);
	json_number(out, "latency", time->latency);
	json_close(out, '}');
}

static void put_threads(struct json *out, const struct vp_lives *lives)
{
	uint32_t i;

	json_open(out, "threads", '[');
	for (i = 0; i < lives->threads; i++) {
		json_open(out, NULL, '{');
		json_number(out, "thread", i);
		json_address(out, "space", lives->thread[i].who.space);
		json_address(out, "fs", lives->thread[i].who.fs);
		put_time(out, "user", &lives->thread[i].time[1]);
		put_time(out, "kernel", &lives->thread[i].time[0]);
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void put_line(struct json *out, const struct lives_line *line)
{
	const struct lives_pair *pair;
	const struct lives_use *use;

	json_open(out, NULL, '{');
	json_address(out, "vaddr", line->vline);
	json_address(out, "paddr", line->line << VP_LINE_SHIFT);
	put_began(out, line->began);
	json_open(out, "pairs", '[');
	for (pair = line->pairs; pair; pair = pair->next) {
		json_open(out, NULL, '{');
		put_thread(out, "reader", pair->reader);
		put_thread(out, "writer", pair->writer);
		put_classes(out, pair->life);
		put_upgrades(out, pair->upgrade);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_open(out, "bytes", '[');
	for (use = line->uses; use; use = use->next) {
		json_open(out, NULL, '{');
		put_thread(out, "thread", use->thread);
		json_address(out, "vaddr", use->vline);
		json_address(out, "loaded", use->loaded);
		json_address(out, "stored", use->stored);
		json_address(out, "essential", use->essential);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_close(out, '}');
}

static int by_waited(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->waited != y->waited)
		return x->waited > y->waited ? -1 : 1;
	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	return x->line->line < y->line->line ? -1 : 1;
}

static struct rank rank_of(const struct lives_line *line)
{
	struct rank rank = { .line = line };
	const struct lives_pair *pair;
	unsigned int class;

	for (pair = line->pairs; pair; pair = pair->next) {
		for (class = 0; class < LIVES_CLASSES; class++) {
			rank.transfers += pair->life[class][0] + pair->upgrade[class][0];
			rank.waited += pair->life[class][2] + pair->upgrade[class][2];
		}
	}
	return rank;
}

/* Only lines that cores took from each other. */
static void put_lines(struct json *out, const struct vp_lives *lives)
{
	struct rank *ranks = malloc((lives->used + 1) * sizeof(*ranks));
	size_t i, n = 0;

	for (i = 0; ranks && lives->index && i <= lives->mask; i++)
		if (lives->index[i] && lives->index[i]->pairs)
			ranks[n++] = rank_of(lives->index[i]);
	if (n)
		qsort(ranks, n, sizeof(*ranks), by_waited);
	json_open(out, "lines", '[');
	for (i = 0; i < n && i < LIVES_TOP_LINES; i++)
		put_line(out, ranks[i].line);
	json_close(out, ']');
	json_number(out, "lines_total", n);
	free(ranks);
}

void vp_lives_json(const struct vp_lives *lives, struct json *out)
{
	json_open(out, "lives", '{');
	json_number(out, "unkept", lives->unkept);
	put_threads(out, lives);
	put_began(out, lives->began);
	put_classes(out, lives->sharing);
	put_upgrades(out, lives->upgrade);
	put_lines(out, lives);
	json_close(out, '}');
}
