// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cpulist.h"
#include "../util/xalloc.h"

static int add_ring(struct collect *collect, unsigned int cpu)
{
	const struct perf_event_attr attr = ring_attr();
	struct ring *ring;
	int ret;

	ARRAY_GROW(collect->rings, collect->nr_rings + 1, collect->room_rings);
	ring = &collect->rings[collect->nr_rings];
	ret = collect->engine ? engine_ring(collect->engine, ring, cpu, collect->ring_pages) :
				ring_open(ring, cpu, collect->ring_pages, &attr, -1);
	if (!ret)
		collect->nr_rings++;
	return ret;
}

/* Read the rest of an offline CPU's ring, and close the ring, which gets no more records. */
static void drop_ring(struct collect *collect, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++) {
		if (collect->rings[i].cpu != cpu)
			continue;
		collect_read(collect);
		if (collect->engine)
			engine_ring_ends(collect->engine, &collect->rings[i]);
		ring_close(&collect->rings[i]);
		collect->rings[i] = collect->rings[--collect->nr_rings];
		return;
	}
}

/*
 * Close the rings of CPUs that went offline and came back between two looks: their events are dead.
 */
static void forget_hung(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++) {
		unsigned int cpu = collect->rings[i].cpu;

		if (collect->rings[i].hung)
			collect->online[cpu / 64] &= ~(1ULL << cpu % 64);
	}
}

int collect_look(struct collect *collect, bool *changed)
{
	__u64 online[MEMLAT_CPU_WORDS];
	unsigned int cpu;
	int ret = 0;

	*changed = false;
	if (!cpulist_online(online))
		return -ENODATA;
	for (cpu = 0; cpu < MEMLAT_CPU_WORDS; cpu++) {
		online[cpu] &= collect->only ? collect->only[cpu] : ~0ULL;
		online[cpu] |= collect->of_tasks ? collect->online[cpu] : 0;
	}
	if (!collect->of_tasks)
		forget_hung(collect);
	if (!memcmp(online, collect->online, sizeof(online)))
		return 0;
	for (cpu = 0; !ret && cpu < CPULIST_CPUS; cpu++) {
		if (cpulist_has(online, cpu) == cpulist_has(collect->online, cpu))
			continue;
		drop_ring(collect, cpu);
		if (!cpulist_has(online, cpu))
			continue;
		ret = add_ring(collect, cpu);
		if (!ret) {
			*changed = true;
		} else if (ret == -ENODEV || (ret == -ESRCH && collect->of_tasks)) {
			/*
			 * The CPU went offline again in between, or the task has ended. The next
			 * look tries anew.
			 */
			online[cpu / 64] &= ~(1ULL << cpu % 64);
			ret = 0;
		}
	}
	memcpy(collect->online, online, sizeof(online));
	return ret;
}

int collect_begin(struct collect *collect, struct history *history, size_t ring_pages)
{
	static const __u64 none[MEMLAT_CPU_WORDS];
	struct engine *engine = collect->engine;
	bool unused;

	*collect = (struct collect){
		.engine = engine, .history = history, .ring_pages = ring_pages,
		.of_tasks = engine && engine_config(engine)->pid,
		.only = engine && memcmp(engine_config(engine)->cpus, none, sizeof(none)) ?
			engine_config(engine)->cpus : NULL,
	};
	return collect_look(collect, &unused);
}

void collect_read(struct collect *collect)
{
	size_t i;

	if (collect->engine)
		engine_read(collect->engine, collect);
	for (i = 0; !collect->engine && i < collect->nr_rings; i++)
		ring_read(&collect->rings[i], collect->history);
}

void collect_end(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nr_rings; i++)
		ring_close(&collect->rings[i]);
	free(collect->rings);
	memset(collect, 0, sizeof(*collect));
}
