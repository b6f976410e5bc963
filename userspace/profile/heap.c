// SPDX-License-Identifier: GPL-2.0
#include "heap_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "../util/bytes.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "file_format.h"

#define LAYOUT		1
#define PROCESS_BYTES	(4 * 4 + 8 * 2)
#define SITE_LEAST	(4 * 2 + 8 * 2)
#define OBJECT_BYTES	(8 * 4 + 4)
#define PARENT_NONE	0xffffffffU

#define LINE		((__u64)MEMLAT_LINE_BYTES)

void heap_log_free(struct heap_log *log)
{
	if (!log)
		return;
	free(log->processes);
	free(log->objects);
	free(log->reach);
	free(log->sites);
	free(log);
}

void heap_settle(struct heap_log *log)
{
	size_t i, k;

	free(log->reach);
	log->reach = xmallocarray(log->nr_objects, sizeof(*log->reach));
	for (i = 0; i < log->nr_processes; i++) {
		struct heap_process *process = &log->processes[i];
		__u64 reach = 0;

		if (i + 1 < log->nr_processes && process[1].pid == process->pid &&
		    process->until > process[1].from)
			process->until = process[1].from;
		for (k = process->first; k < process->first + process->nr; k++) {
			struct heap_object *object = &log->objects[k];
			const __u64 end = object->start + object->size;

			if (object->until > process->until)
				object->until = process->until;
			if (end > reach)
				reach = end;
			log->reach[k] = reach;
		}
	}
}

static __u64 together(const struct heap_object *object, __u64 from, __u64 until)
{
	__u64 begin = object->from > from ? object->from : from;
	__u64 end = object->until < until ? object->until : until;

	return end > begin ? end - begin : 0;
}

static const struct heap_object *find_in(const struct heap_log *log,
					 const struct heap_process *process,
					 __u64 address, __u64 from, __u64 until)
{
	const struct heap_object *objects = log->objects + process->first;
	size_t low = process->first + FIRST_WHERE(i, process->nr, objects[i].start > address);
	const struct heap_object *best = NULL;
	__u64 longest = 0;

	while (low-- > process->first && log->reach[low] > address) {
		const struct heap_object *object = &log->objects[low];
		__u64 time;

		if (address - object->start >= object->size)
			continue;
		time = together(object, from, until);
		if (!best || time > longest) {
			best = object;
			longest = time;
		}
	}
	return best;
}

/* A child also has the objects that were alive at the fork. */
static const struct heap_object *find_inherited(const struct heap_log *log,
						const struct heap_process *process,
						__u64 address)
{
	const struct heap_object *object;
	size_t steps;

	for (steps = 0; process->parent != HEAP_NO_PARENT && steps < log->nr_processes;
	     steps++) {
		__u64 forked = process->from;

		process = &log->processes[process->parent];
		object = find_in(log, process, address, forked, forked + 1);
		if (object && object->from <= forked && object->until > forked)
			return object;
	}
	return NULL;
}

const struct heap_object *heap_find(const struct heap_log *log, __u32 pid, __u64 address,
				    __u64 from, __u64 until)
{
	const struct heap_object *best = NULL, *object;
	size_t i = FIRST_WHERE(at, log->nr_processes, log->processes[at].pid >= pid);
	__u64 longest = 0;

	for (; i < log->nr_processes && log->processes[i].pid == pid; i++) {
		const struct heap_process *process = &log->processes[i];

		if (process->from >= until || process->until <= from)
			continue;
		object = find_in(log, process, address, from, until);
		if (!object)
			object = find_inherited(log, process, address);
		if (!object || (best && together(object, from, until) <= longest))
			continue;
		best = object;
		longest = together(object, from, until);
	}
	return best;
}

const struct heap_site *heap_site(const struct heap_log *log, __u32 site)
{
	return site < log->nr_sites ? &log->sites[site] : NULL;
}

__u64 heap_lost(const struct heap_log *log)
{
	return log->lost;
}

__u64 heap_cut(const struct heap_log *log)
{
	return log->cut;
}

__u64 heap_objects(const struct heap_log *log)
{
	__u64 objects = 0;
	size_t i;

	for (i = 0; i < log->nr_sites; i++)
		objects += log->sites[i].objects;
	return objects;
}

size_t heap_processes(const struct heap_log *log)
{
	return log->nr_processes;
}

/* Is any of these lines between start and end? */
static bool any_between(const __u64 *lines, size_t nr, __u64 start, __u64 end)
{
	size_t at = FIRST_WHERE(i, nr, lines[i] >= start);

	return at < nr && lines[at] < end;
}

void heap_keep(struct heap_log *log, const struct snapshot *snap)
{
	size_t i, k, nr = 0, kept = 0;
	__u64 *lines;

	lines = xmallocarray(snap->nr_lines + snap->nr_accesses, sizeof(*lines));
	for (i = 0; i < snap->nr_lines; i++)
		lines[nr++] = snap->lines[i].addr & ~(LINE - 1);
	for (i = 0; i < snap->nr_accesses; i++)
		lines[nr++] = snap->accesses[i].addr & ~(LINE - 1);
	SORT(lines, nr, order_u64);
	/* Keep whatever shares a line with what was sampled: false sharing needs the neighbours. */
	for (i = 0; i < log->nr_processes; i++) {
		struct heap_process *process = &log->processes[i];
		size_t first = process->first;

		process->first = kept;
		for (k = first; k < first + process->nr; k++) {
			const struct heap_object *object = &log->objects[k];

			if (any_between(lines, nr, object->start & ~(LINE - 1),
					object->start + object->size))
				log->objects[kept++] = *object;
		}
		process->nr = kept - process->first;
	}
	log->nr_objects = kept;
	free(lines);
	heap_settle(log);
}

void heap_encode(const struct heap_log *log, void **to, size_t *size)
{
	struct bytes bytes = { 0 };
	size_t i, k;

	bytes_put(&bytes, LAYOUT, 4);
	bytes_put(&bytes, log->nr_processes, 4);
	bytes_put(&bytes, log->nr_sites, 4);
	bytes_put(&bytes, log->nr_objects, 8);
	bytes_put(&bytes, log->lost, 8);
	bytes_put(&bytes, log->cut, 8);
	for (i = 0; i < log->nr_processes; i++) {
		const struct heap_process *process = &log->processes[i];

		bytes_put(&bytes, process->pid, 4);
		bytes_put(&bytes, process->file, 4);
		bytes_put(&bytes, process->from, 8);
		bytes_put(&bytes, process->until, 8);
		bytes_put(&bytes, process->parent == HEAP_NO_PARENT ? PARENT_NONE :
			  process->parent, 4);
		bytes_put(&bytes, process->nr, 4);
	}
	for (i = 0; i < log->nr_sites; i++) {
		const struct heap_site *site = &log->sites[i];

		bytes_put(&bytes, site->pid, 4);
		bytes_put(&bytes, site->frames, 4);
		bytes_put(&bytes, site->objects, 8);
		bytes_put(&bytes, site->bytes, 8);
		for (k = 0; k < site->frames; k++)
			bytes_put(&bytes, site->frame[k], 8);
	}
	for (i = 0; i < log->nr_objects; i++) {
		const struct heap_object *object = &log->objects[i];

		bytes_put(&bytes, object->start, 8);
		bytes_put(&bytes, object->size, 8);
		bytes_put(&bytes, object->from, 8);
		bytes_put(&bytes, object->until, 8);
		bytes_put(&bytes, object->site, 4);
	}
	bytes_take(&bytes, to, size);
}

static const char *take_processes(struct heap_log *log, struct bytes_reader *in)
{
	size_t i, objects = 0;

	for (i = 0; i < log->nr_processes; i++) {
		struct heap_process *process = &log->processes[i];
		__u32 parent;

		process->pid = (__u32)bytes_get(in, 4);
		process->file = (__u32)bytes_get(in, 4);
		process->from = bytes_get(in, 8);
		process->until = bytes_get(in, 8);
		parent = (__u32)bytes_get(in, 4);
		process->parent = parent == PARENT_NONE ? HEAP_NO_PARENT : parent;
		process->first = objects;
		process->nr = (size_t)bytes_get(in, 4);
		if (process->parent != HEAP_NO_PARENT && parent >= log->nr_processes)
			return "a process with heap objects has a parent that is not there";
		if (process->nr > log->nr_objects - objects)
			return "a process has more heap objects than there are";
		if (i && process->pid < process[-1].pid)
			return "processes with heap objects are out of order";
		objects += process->nr;
	}
	return objects == log->nr_objects ? NULL : "heap objects are of no process";
}

static const char *take_sites(struct heap_log *log, struct bytes_reader *in)
{
	size_t i, k;

	for (i = 0; i < log->nr_sites; i++) {
		struct heap_site *site = &log->sites[i];

		site->pid = (__u32)bytes_get(in, 4);
		site->frames = (__u32)bytes_get(in, 4);
		site->objects = bytes_get(in, 8);
		site->bytes = bytes_get(in, 8);
		if (site->frames > HEAP_FRAMES)
			return "a place of allocation has more frames than can be";
		for (k = 0; k < site->frames; k++)
			site->frame[k] = bytes_get(in, 8);
	}
	return NULL;
}

static const char *take_objects(struct heap_log *log, struct bytes_reader *in)
{
	size_t i, k;

	for (i = 0; i < log->nr_processes; i++) {
		const struct heap_process *process = &log->processes[i];

		for (k = process->first; k < process->first + process->nr; k++) {
			struct heap_object *object = &log->objects[k];

			object->pid = process->pid;
			object->start = bytes_get(in, 8);
			object->size = bytes_get(in, 8);
			object->from = bytes_get(in, 8);
			object->until = bytes_get(in, 8);
			object->site = (__u32)bytes_get(in, 4);
			if (object->site >= log->nr_sites)
				return "a heap object is of a place that is not there";
			if (object->start + object->size < object->start)
				return "a heap object is larger than memory";
			if (k > process->first && object->start < object[-1].start)
				return "heap objects are out of order";
		}
	}
	return NULL;
}

static int take_all(struct heap_log *log, struct bytes_reader *in, const char **why)
{
	if (bytes_get(in, 4) != LAYOUT)
		return section_refuse(why, "the heap objects are written in a way not known here");
	log->nr_processes = (size_t)bytes_get(in, 4);
	log->nr_sites = (size_t)bytes_get(in, 4);
	log->nr_objects = (size_t)bytes_get(in, 8);
	log->lost = bytes_get(in, 8);
	log->cut = bytes_get(in, 8);
	/* Refuse counts that these bytes could not hold, before allocating anything. */
	if (log->nr_processes > bytes_left(in) / PROCESS_BYTES ||
	    log->nr_sites > bytes_left(in) / SITE_LEAST ||
	    log->nr_objects > bytes_left(in) / OBJECT_BYTES)
		return section_refuse(why, "there are more heap objects than there is room for");
	log->processes = xcalloc(log->nr_processes, sizeof(*log->processes));
	log->sites = xcalloc(log->nr_sites, sizeof(*log->sites));
	log->objects = xcalloc(log->nr_objects, sizeof(*log->objects));
	*why = take_processes(log, in);
	if (!*why)
		*why = take_sites(log, in);
	if (!*why)
		*why = take_objects(log, in);
	if (!*why && (in->failed || bytes_left(in)))
		*why = "the heap objects do not end where they should";
	if (*why)
		return -EBADMSG;
	heap_settle(log);
	return 0;
}

int heap_decode(struct heap_log **to, const void *bytes, size_t size, const char **why)
{
	struct bytes_reader in = { .at = bytes, .left = size };
	struct heap_log *log = xcalloc(1, sizeof(*log));
	int ret = take_all(log, &in, why);

	*to = ret ? NULL : log;
	if (ret)
		heap_log_free(log);
	return ret;
}
