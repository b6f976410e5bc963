// SPDX-License-Identifier: GPL-2.0
/* Find the thread whose stack holds an address. */
#include <string.h>

#include "naming.h"

#define WIDEST	(1ULL << 32)

static void set(struct namer *namer, const char *comm, __u32 tid, __u64 start, __u64 end,
		__u64 address, struct data_name *data)
{
	data->kind = DATA_STACK;
	data->tid = tid;
	data->name = comm && *comm ?
		pool_format(&namer->pool, "[stack] of %s:%u", comm, tid) :
		pool_format(&namer->pool, "[stack] of thread %u", tid);
	/* Such a wide range was reported before the stack had its place, so it says nothing. */
	if (end - start > WIDEST)
		return;
	data->start = start;
	data->size = end - start;
	data->offset = address - start;
}

/*
 * glibc keeps its data on a thread at the top of the mapping of the thread's stack, and the thread
 * pointer points there. It is sizeof(struct pthread) before the end, 0x700 to 0xa00 bytes in all
 * versions. If mappings were recorded as they were made, that of a stack may end with the guard
 * page of the stack above.
 */
#define TCB_LEAST	0x700
#define TCB_MOST	0xa00
#define GUARD		4096

static bool is_top(__u64 pointer, __u64 end)
{
	__u64 left = end - pointer;

	if (left >= GUARD)
		left -= GUARD;
	return pointer < end && left >= TCB_LEAST && left <= TCB_MOST;
}

/* Find the thread by the thread pointers that the tables have. */
static bool name_by_pointer(struct namer *namer, const struct place *place, struct data_name *data)
{
	const struct history_map *map = place->map;
	const struct snapshot *snap = &namer->profile->snap;
	const struct memlat_rec_thread *owner = NULL;
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tgid != place->space || (place->gen && thread->gen != place->gen) ||
		    thread->tid == thread->tgid || place->address >= thread->tls_base ||
		    thread->tls_base < map->start || !is_top(thread->tls_base, map->end))
			continue;
		/* Several threads had this stack one after the other, so it has no owner. */
		if (owner)
			return false;
		owner = thread;
	}
	if (!owner)
		return false;
	set(namer, history_thread_name(place->image, owner->tid), owner->tid, map->start, map->end,
	    place->address, data);
	return true;
}

/* The range was reported before the stack had its place, so it has other mappings in it. */
static bool is_wide(const struct history_thread *thread)
{
	return thread->stack_end - thread->stack_start > WIDEST;
}

/*
 * libc gives the stack of a thread that has ended to a new one, which the kernel does not report.
 * Did another thread have this one's stack, before it or after it?
 */
static bool was_shared(const struct namer *namer, const struct place *place,
		       const struct history_thread *owner)
{
	const struct history_image *image = place->image;
	const struct snapshot *snap = &namer->profile->snap;
	size_t i;

	if (is_wide(owner))
		return false;
	for (i = 0; i < image->nr_threads; i++) {
		const struct history_thread *other = &image->threads[i];

		if (other != owner && !is_wide(other) && other->stack_start < owner->stack_end &&
		    other->stack_end > owner->stack_start)
			return true;
	}
	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *other = &snap->threads[i];

		if (other->tgid == place->space && (!place->gen || other->gen == place->gen) &&
		    other->tid != owner->tid && other->tls_base >= owner->stack_start &&
		    is_top(other->tls_base, owner->stack_end))
			return true;
	}
	return false;
}

bool stack_name_data(struct namer *namer, const struct place *place, struct data_name *data)
{
	const struct history_image *image = place->image;
	const struct history_map *map = place->map;
	bool shared;
	size_t i;

	if (!strcmp(map->path, "[stack]")) {
		set(namer, image->comm, image->pid, map->start, map->end, place->address, data);
		return true;
	}
	for (i = 0; i < image->nr_threads; i++) {
		const struct history_thread *thread = &image->threads[i];

		if (place->address < thread->stack_start || place->address >= thread->stack_end)
			continue;
		shared = was_shared(namer, place, thread);
		if (shared && name_by_pointer(namer, place, data))
			return true;
		set(namer, thread->comm, thread->tid, thread->stack_start, thread->stack_end,
		    place->address, data);
		/* It stays a stack: objects on it replace each other. */
		if (shared) {
			data->tid = 0;
			data->name = "[stack] of several threads";
		}
		return true;
	}
	return (!*map->path || !strcmp(map->path, "//anon")) && name_by_pointer(namer, place, data);
}
