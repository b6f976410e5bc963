// SPDX-License-Identifier: GPL-2.0
#include "perf_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "../host/process.h"
#include "../util/order.h"
#include "../util/xalloc.h"

#define PARENTS_MAX	1000
#define TIDS_MAX	(1U << 22)	/* Linux' PID_MAX_LIMIT */
#define PAGE		1024		/* persons */

/* NULL: there can be no such thread. */
static struct perf_task *person_now(struct perf_tasks *people, __u32 tid)
{
	struct perf_task **page;

	if (tid >= TIDS_MAX)
		return NULL;
	if (!people->now)
		people->now = xcalloc(TIDS_MAX / PAGE, sizeof(*people->now));
	page = &people->now[tid / PAGE];
	if (!*page)
		*page = xcalloc(PAGE, sizeof(**page));
	return &(*page)[tid % PAGE];
}

static void begin_now(struct perf_tasks *people, __u32 pid)
{
	struct perf_task *person = person_now(people, pid);

	if (person)
		person->begins++;
}

static void name_now(struct perf_tasks *people, __u32 tid, const char *comm)
{
	struct perf_task *person = person_now(people, tid);

	if (!person)
		return;
	person->named = true;
	memset(person->comm, 0, sizeof(person->comm));
	memcpy(person->comm, comm, strnlen(comm, sizeof(person->comm) - 1));
}

/* What the kernel does not tell because it began before the recording. */
static const char *ask_name(struct perf_tasks *people, __u32 tid)
{
	struct perf_task *person = person_now(people, tid);
	char name[PROCESS_NAME_MAX];

	if (!person)
		return "";
	if (!person->named)
		name_now(people, tid, process_name(tid, name) ? name : "");
	return person->comm;
}

static void begin(struct perf_tasks *people, __u32 pid, __u64 time)
{
	if (people->live)
		begin_now(people, pid);
	if (people->live || people->nr_begins == HISTORY_EVENTS)
		return;
	ARRAY_GROW(people->begins, people->nr_begins + 1, people->room_begins);
	people->begins[people->nr_begins++] = (struct perf_task_begin){ pid, time };
}

static void name(struct perf_tasks *people, struct perf_task_name name)
{
	if (people->live)
		name_now(people, name.tid, name.forked ? ask_name(people, name.parent) : name.comm);
	if (people->live || people->nr_names == HISTORY_EVENTS)
		return;
	ARRAY_GROW(people->names, people->nr_names + 1, people->room_names);
	name.order = people->nr_names;
	people->names[people->nr_names++] = name;
}

static void rename_thread(struct perf_tasks *people, const struct perf_record_comm *comm)
{
	struct perf_task_name to = { .tid = comm->tid, .time = comm->time };

	memcpy(to.comm, comm->comm, strnlen(comm->comm, sizeof(to.comm) - 1));
	name(people, to);
}

/* A name comes with an exec only: until then, the kernel keeps the parent's. */
static void inherit(struct perf_tasks *people, const struct perf_record_task *task)
{
	name(people, (struct perf_task_name){
		.tid = task->tid, .time = task->time, .parent = task->parent_tid, .forked = true,
	});
}

void perf_tasks_take(struct perf_tasks *people, const struct perf_event_header *record,
		     const struct perf_trailer *trailer)
{
	struct perf_record_comm comm;
	struct perf_record_task task;

	if (record->type == PERF_RECORD_COMM && perf_record_comm(&comm, record, trailer)) {
		rename_thread(people, &comm);
		if (comm.exec)
			begin(people, comm.pid, comm.time);
	} else if (record->type == PERF_RECORD_FORK && perf_record_task(&task, record, trailer)) {
		inherit(people, &task);
		if (task.pid != task.parent_pid)
			begin(people, task.pid, task.time);
	}
}

/* At the beginning perf tells both, of each thread, at time 0. */
COMPARE(by_tid, struct perf_task_name,
	order(a->tid, b->tid) ?: order(a->time, b->time) ?: order(b->forked, a->forked) ?:
	order(a->order, b->order))

ORDER_BY_2(by_pid, struct perf_task_begin, pid, time)

void perf_tasks_settle(struct perf_tasks *people)
{
	SORT(people->names, people->nr_names, by_tid);
	SORT(people->begins, people->nr_begins, by_pid);
}

void perf_tasks_free(struct perf_tasks *people)
{
	size_t i;

	for (i = 0; people->now && i < TIDS_MAX / PAGE; i++)
		free(people->now[i]);
	free(people->now);
	free(people->names);
	free(people->begins);
	memset(people, 0, sizeof(*people));
}

static const struct perf_task_name *last_name(const struct perf_tasks *people, __u32 tid, __u64 time)
{
	const struct perf_task_name *names = people->names;
	/* The first name of a later thread, or a later name of this thread. */
	size_t after = FIRST_WHERE(i, people->nr_names, names[i].tid > tid ||
				   (names[i].tid == tid && names[i].time > time));

	return after && names[after - 1].tid == tid ? &names[after - 1] : NULL;
}

const char *perf_tasks_name(struct perf_tasks *people, __u32 tid, __u64 time)
{
	const struct perf_task_name *name;
	unsigned int parents;

	if (people->live)
		return ask_name(people, tid);
	name = last_name(people, tid, time);
	/* In a damaged file, a thread may be its own parent. */
	for (parents = 0; name && name->forked && parents < PARENTS_MAX; parents++)
		name = last_name(people, name->parent, name->time);
	return name ? name->comm : "";
}

/* The number of processes with a smaller pid, or with this pid and begun no later than time. */
static size_t begun(const struct perf_tasks *people, __u32 pid, __u64 time)
{
	const struct perf_task_begin *begins = people->begins;

	return FIRST_WHERE(i, people->nr_begins, begins[i].pid > pid ||
			   (begins[i].pid == pid && begins[i].time > time));
}

__u32 perf_tasks_generation(struct perf_tasks *people, __u32 pid, __u64 time)
{
	const struct perf_task *person = people->live ? person_now(people, pid) : NULL;
	size_t all, before;

	if (people->live)
		return person ? person->begins + 1 : 1;
	all = begun(people, pid, time);
	before = pid ? begun(people, pid - 1, ~0ULL) : 0;
	return (__u32)(all - before) + 1;
}
