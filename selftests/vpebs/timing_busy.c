// SPDX-License-Identifier: GPL-2.0
/* The length of a union of intervals that arrive almost in the order of their beginnings. */
#include <string.h>

#include "timing.h"

static void remove_parts(struct vp_busy *busy, unsigned int at, unsigned int n)
{
	memmove(&busy->part[at], &busy->part[at + n],
		(busy->n - at - n) * sizeof(busy->part[0]));
	busy->n -= n;
}

void vp_busy_add(struct vp_busy *busy, uint64_t from, uint64_t to)
{
	unsigned int at = busy->n, first;

	if (from < busy->settled)
		from = busy->settled;
	if (to <= from)
		return;
	/* The parts from `first` to before `at` touch the new interval. */
	while (at && busy->part[at - 1].from > to)
		at--;
	for (first = at; first && busy->part[first - 1].to >= from; first--) {
		if (busy->part[first - 1].from < from)
			from = busy->part[first - 1].from;
		if (busy->part[first - 1].to > to)
			to = busy->part[first - 1].to;
	}
	if (first < at) {
		busy->part[first].from = from;
		busy->part[first].to = to;
		remove_parts(busy, first + 1, at - first - 1);
		return;
	}
	if (busy->n == VP_BUSY_MAX) {
		/* A core cannot have so many under way, so the oldest is finished. */
		busy->total += busy->part[0].to - busy->part[0].from;
		remove_parts(busy, 0, 1);
		at -= at > 0;
	}
	memmove(&busy->part[at + 1], &busy->part[at], (busy->n - at) * sizeof(busy->part[0]));
	busy->part[at].from = from;
	busy->part[at].to = to;
	busy->n++;
}

uint64_t vp_busy_settle(struct vp_busy *busy, uint64_t before)
{
	uint64_t sum = busy->total;
	unsigned int done = 0;

	busy->total = 0;
	busy->settled = before;
	while (done < busy->n && busy->part[done].to <= before) {
		sum += busy->part[done].to - busy->part[done].from;
		done++;
	}
	if (done)
		remove_parts(busy, 0, done);
	if (busy->n && busy->part[0].from < before) {
		sum += before - busy->part[0].from;
		busy->part[0].from = before;
	}
	return sum;
}
