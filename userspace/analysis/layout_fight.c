// SPDX-License-Identifier: GPL-2.0
#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "line.h"

#define BYTES	LINESET_BYTES_MAX

/* One thread at each byte of a line, by weight. */
struct bytes {
	double load[BYTES], store[BYTES];
	double fetched[BYTES], missed[BYTES];	/* of the loads, of the stores: these show a fight */
};

void layout_fight_init(struct layout_fight *fight, size_t nr)
{
	memset(fight, 0, sizeof(*fight));
	fight->nr = nr;
	fight->use = xcalloc(nr + 1, sizeof(*fight->use));
	fight->between = xcalloc(nr * nr + 1, sizeof(*fight->between));
}

void layout_fight_free(struct layout_fight *fight)
{
	free(fight->use);
	free(fight->between);
}

static size_t thread_number(struct layout_fight *fight, const struct memlat_rec_access *access)
{
	const __u64 thread = (__u64)access->tgid << 32 | access->tid;
	size_t i;

	for (i = 0; i < fight->threads; i++)
		if (fight->thread[i] == thread)
			return i;
	if (fight->threads == LAYOUT_THREADS)
		return LAYOUT_THREADS - 1;
	fight->thread[fight->threads] = thread;
	return fight->threads++;
}

static void take_access(struct bytes *bytes, const struct lineset_line *line, unsigned int at,
			const struct memlat_rec_access *access)
{
	const double load = access_load_weight(access), store = access_store_weight(access);
	const __u64 stores = access_stores(access);

	bytes->load[at] += load * (double)(access->samples - stores);
	bytes->store[at] += store * (double)stores;
	bytes->fetched[at] += load * (double)access_fetched(access, line->rec);
	bytes->missed[at] += store * (double)access_store_misses(access);
}

/*
 * Share out a fight at a byte among the members that other threads use, by how often they use each.
 */
static void share_out(struct layout_fight *fight, const int member[BYTES], unsigned int at,
		      double weight, const double others[BYTES], double whole)
{
	unsigned int i;
	double part;

	if (member[at] < 0 || !(weight > 0) || !(whole > 0))
		return;
	for (i = 0; i < BYTES; i++) {
		part = weight * others[i] / whole;
		if (!(part > 0))
			continue;
		if (i == at)
			fight->same += part;
		else if (member[i] < 0)
			fight->elsewhere += part;
		else
			fight->between[(size_t)member[at] * fight->nr + (size_t)member[i]] += part;
	}
}

static void take_fights(struct layout_fight *fight, const int member[BYTES],
			const struct bytes *own, const struct bytes *all)
{
	double stored[BYTES], used[BYTES], whole_stored = 0, whole_used = 0;
	unsigned int i;

	for (i = 0; i < BYTES; i++) {
		stored[i] = all->store[i] - own->store[i];
		used[i] = stored[i] + all->load[i] - own->load[i];
		whole_stored += stored[i];
		whole_used += used[i];
	}
	for (i = 0; i < BYTES; i++) {
		share_out(fight, member, i, own->fetched[i], stored, whole_stored);
		share_out(fight, member, i, own->missed[i], used, whole_used);
	}
}

static void take_uses(struct layout_fight *fight, const int member[BYTES], size_t thread,
		      const struct bytes *own)
{
	unsigned int i;

	for (i = 0; i < BYTES; i++) {
		struct layout_use *use;

		if (member[i] < 0)
			continue;
		use = &fight->use[member[i]];
		use->loads += own->load[i];
		use->stores += own->store[i];
		use->by_thread[thread] += own->load[i] + own->store[i];
		if (own->store[i] > 0)
			use->storing |= 1ULL << thread;
		if (own->load[i] > 0)
			use->loading |= 1ULL << thread;
	}
}

void layout_fight_add(struct layout_fight *fight, const struct lineset *set,
		      const struct lineset_line *line, const int member[BYTES])
{
	struct bytes *by_thread = xcalloc(LAYOUT_THREADS, sizeof(*by_thread));
	struct bytes *all = xcalloc(1, sizeof(*all));
	size_t i, thread;
	bool seen[LAYOUT_THREADS] = { false };

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		const unsigned int at = lineset_offset(set, access) % BYTES;

		thread = thread_number(fight, access);
		seen[thread] = true;
		take_access(&by_thread[thread], line, at, access);
		take_access(all, line, at, access);
	}
	for (thread = 0; thread < fight->threads; thread++) {
		if (!seen[thread])
			continue;
		take_fights(fight, member, &by_thread[thread], all);
		take_uses(fight, member, thread, &by_thread[thread]);
	}
	free(by_thread);
	free(all);
}

double layout_fight_apart(const struct layout_fight *fight)
{
	double apart = fight->elsewhere;
	size_t i;

	for (i = 0; i < fight->nr * fight->nr; i++)
		apart += fight->between[i];
	return apart;
}

size_t layout_fight_within(const struct layout_fight *fight, double *part)
{
	const double apart = layout_fight_apart(fight);
	size_t i, most = 0;

	for (i = 1; i < fight->nr; i++)
		if (fight->between[i * fight->nr + i] > fight->between[most * fight->nr + most])
			most = i;
	*part = fight->nr && apart > 0 ? fight->between[most * fight->nr + most] / apart : 0;
	return most;
}
