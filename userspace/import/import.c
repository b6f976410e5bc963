// SPDX-License-Identifier: GPL-2.0
/*
 * A perf.data file is read twice. The first pass collects processes and mappings, which are not in
 * order of time. The second pass finds the process of each sample, and adds the sample to the
 * tables.
 */
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "../names/kernel_core.h"
#include "../profile/imported.h"
#include "../profile/kernel_names.h"
#include "../util/xalloc.h"
#include "intake.h"
#include "perf_file.h"

#define KERNEL_TEXT	"[kernel.kallsyms]_text"
#define KERNEL_BUILD_OF	"[kernel.kallsyms]"
#define NOBODY		(~0U)		/* perf's pid for mappings of the kernel */

struct import {
	struct perf_file *file;
	struct profile *profile;
	struct intake in;
	struct history_map kernel;	/* offset: the begin of the kernel's code, 0: not known */
};

/* perf tells the build id with the mapping, or at the end of the file for each path. */
static void take_build(const struct import *import, struct history_map *map, const char *path)
{
	const struct perf_file_build *build = perf_file_build(import->file, path);

	if (map->build_id_size || !build)
		return;
	map->build_id_size = build->size;
	memcpy(map->build_id, build->id, build->size);
}

static void take_map(struct import *import, const struct perf_event_header *record)
{
	struct perf_record_map map;

	if (!perf_record_map(&map, record, &import->in.trailer)) {
		history_lost(import->profile->history, 1);
		return;
	}
	if (map.pid == NOBODY) {
		if (strcmp(map.map.path, KERNEL_TEXT))
			return;
		take_build(import, &map.map, KERNEL_BUILD_OF);
		import->kernel = map.map;
		return;
	}
	take_build(import, &map.map, map.map.path);
	history_map(import->profile->history, map.pid, map.tid, &map.map);
}

static int each_record(struct import *import, bool samples)
{
	const struct perf_event_header *record;
	int ret;

	perf_file_rewind(import->file);
	while ((ret = perf_file_next(import->file, &record)) > 0) {
		if ((record->type == PERF_RECORD_SAMPLE) != samples)
			continue;
		if (samples)
			intake_sample(&import->in, record);
		else if (record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2)
			take_map(import, record);
		else
			intake_life(&import->in, record);
	}
	return ret;
}

/*
 * Choose the events whose samples are taken. For an Arm SPE trace, perf may make several events, of
 * which "memory" has each access once.
 */
static int choose_events(struct import *import)
{
	struct perf_events *events = &import->file->events;
	bool any = false, memory = false;
	struct perf_event *event;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		event = &events->event[i];
		any |= event->memory;
		memory |= event->memory && event->name && !strcmp(event->name, "memory");
	}
	if (!any)
		return perf_file_refuse(import->file, "none of its %zu events has addresses of data and where they were found; record with perf mem record or perf c2c record",
					events->nr);
	for (i = 0; i < events->nr && memory; i++) {
		event = &events->event[i];
		event->memory = event->name && !strcmp(event->name, "memory");
	}
	return 0;
}

static void finish_status(struct import *import)
{
	struct memlat_status *status = &import->profile->snap.head.status;

	status->started_ns = import->in.first_ns ? import->in.first_ns : 1;
	status->duration_ns = import->in.last_ns - import->in.first_ns;
	status->cpus_online = import->file->cpus_online;
	if (status->loads || !status->stores)
		status->flags |= MEMLAT_F_LOADS;
	/* IBS and SPE sample loads and stores together. */
	if (status->stores || !import->in.cpu.intel)
		status->flags |= MEMLAT_F_STORES;
}

/*
 * Read the running kernel's names if it is the one that was recorded and was not rebooted since.
 * Otherwise note what identifies its debug file.
 */
static void name_kernel(struct import *import)
{
	const struct history_map *kernel = &import->kernel;
	struct kernel_names *names = NULL;

	if (!kernel->build_id_size || !kernel->offset ||
	    !(import->profile->snap.head.status.flags & MEMLAT_F_KERNEL))
		return;
	if (kernel_names_read(&names, &import->profile->snap, NULL, false) ||
	    names->text != kernel->offset || names->build_id_size != kernel->build_id_size ||
	    memcmp(names->build_id, kernel->build_id, kernel->build_id_size)) {
		kernel_names_free(names);
		names = xcalloc(1, sizeof(*names));
		names->text = kernel->offset;
		names->build_id_size = kernel->build_id_size;
		memcpy(names->build_id, kernel->build_id, kernel->build_id_size);
	}
	import->profile->kernel = names;
}

static void finish(struct import *import)
{
	struct profile *profile = import->profile;

	/* The two kinds of records count in part the same losses. */
	if (import->in.lost < import->in.lost_samples)
		import->in.lost = import->in.lost_samples;
	intake_end(&import->in);
	finish_status(import);
	history_keep_sampled(profile->history, &profile->snap);
	history_settle(profile->history, &profile->snap);
	name_kernel(import);
	history_name_kernel(profile->history, &profile->kernel);
	if (import->file->command)
		profile->command = xstrdup(import->file->command);
	profile->recorded_at = import->file->modified;
}

static int import_file(struct import *import, __u64 memory)
{
	struct intake *in = &import->in;
	int ret;

	if (!perf_samples_differ(in->events))
		return perf_file_refuse(import->file, "its samples do not say to which of %zu events they belong; record with a newer perf",
					in->events->nr);
	ret = choose_events(import);
	if (ret)
		return ret;
	in->trailer = perf_trailer_of(in->events);
	in->cpu = perf_machine_cpu(import->file);
	perf_machine_read(&import->profile->machine, import->file);
	intake_config(in);
	in->unknown |= IMPORTED;
	if (!perf_machine_has_hitm(import->file))
		in->unknown |= IMPORTED_NO_HITM;
	ret = each_record(import, false);
	if (ret)
		return ret;
	perf_tasks_settle(&in->people);
	history_settle(in->history, NULL);
	intake_begin(in, memory);
	ret = each_record(import, true);
	finish(import);
	return ret;
}

int import_perf(struct profile *profile, const char *path, __u64 memory,
		char why[PERF_FILE_ERROR_MAX])
{
	struct perf_file file;
	struct import import = {
		.file = &file, .profile = profile,
		.in = {
			.events = &file.events, .snap = &profile->snap,
			.status = &profile->snap.head.status, .machine = &profile->machine,
		},
	};
	int ret;

	profile_init(profile);
	profile->history = import.in.history = history_new();
	ret = perf_file_open(&file, path, why);
	if (!ret)
		ret = import_file(&import, memory);
	if (ret)
		profile_free(profile);
	perf_tasks_free(&import.in.people);
	perf_file_close(&file);
	return ret;
}
