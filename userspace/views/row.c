// SPDX-License-Identifier: GPL-2.0
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../profile/snapshot_rows.h"
#include "../util/out.h"
#include "../util/source.h"
#include "../util/xalloc.h"

#define SOURCES_SHOWN	3
#define MASK_CPUS	64	/* bits of a mask of CPUs, of which each stands for n, n + 64, ... */
#define SOURCE_PERCENT	3	/* of the loads; smaller shares are not shown */

struct cell row_process_cell(struct cell_room *room, const char comm[MEMLAT_COMM_BYTES],
			     __u32 space, __u32 others)
{
	if (!space)
		return cell_text("kernel");
	/* The stream may hold a name that is not terminated. */
	return cell_say(room, "%.*s:%u%s", MEMLAT_COMM_BYTES, comm, space,
			others ? " and others" : "");
}

char *row_sources(const __u64 source[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR])
{
	__u64 total = source_total(source), column[COLUMN_NR];
	char text[SOURCES_SHOWN * 24] = "";
	size_t used = 0;
	unsigned int i, j;

	source_fold(source, part, column);
	for (i = 0; i < SOURCES_SHOWN; i++) {
		unsigned int most = 0;

		for (j = 1; j < COLUMN_NR; j++)
			if (column[j] > column[most])
				most = j;
		if (!column[most] || (double)column[most] <
				     (double)total / 100 * SOURCE_PERCENT)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s %.0f%%", used ? " " : "",
					 source_column_name(most),
					 100.0 * (double)column[most] / (double)total);
		column[most] = 0;
	}
	return xstrdup(used ? text : "-");
}

struct floor_fold row_fold(struct rows_view *view, enum snapshot_table table, bool last)
{
	const struct snapshot *snap = rows_snap(view);
	const struct row_kind *kind = &row_kinds[table];
	const size_t nr = snap->rows[table].nr;
	struct floor_fold fold = { 0 };
	size_t i;

	for (i = 0; last && i < nr; i++) {
		const void *row = row_at(snap, table, i);

		floor_count(&fold, row_figure(row, kind->samples), row_figure(row, kind->cost));
	}
	view->show = floor_show(view->show, nr, &fold);
	return fold;
}

char *row_cpus_remark(const struct profile *profile)
{
	const unsigned int online = profile->snap.head.status.cpus_online;
	size_t i, last = 0;	/* the highest number; an offline CPU has no socket */

	for (i = 0; i < profile->machine.nr_cpus; i++)
		if (profile->machine.cpu_socket[i] >= 0)
			last = i;
	if (online > MASK_CPUS)
		return xasprintf("(of %u CPUs the numbers are known modulo %d only: CPU 3 may also be %d)",
				 online, MASK_CPUS, MASK_CPUS + 3);
	if (last < MASK_CPUS)
		return NULL;
	return xasprintf("(numbers of CPUs are known modulo %d only: CPU %zu is called %zu here)",
			 MASK_CPUS, last, last % MASK_CPUS);
}

void row_print_cpus(FILE *out, const struct profile *profile)
{
	char *remark = row_cpus_remark(profile);

	if (remark)
		text_remark(out, out_width(), "%s", remark);
	free(remark);
}

void row_put_owner(struct json_object *object, __u32 space, __u32 gen,
		   const char comm[MEMLAT_COMM_BYTES])
{
	char name[MEMLAT_COMM_BYTES + 1];

	json_put_count(object, "pid", space);
	json_put_count(object, "gen", gen);
	snprintf(name, sizeof(name), "%.*s", MEMLAT_COMM_BYTES, comm);
	json_put_text(object, "comm", name);
	json_put_bool(object, "kernel", !space);
}

void row_put_hitm(struct json_object *object, const __u64 source[MEMLAT_SRC_NR])
{
	struct json_object *hitm = json_new();

	json_put_count(hitm, "remote", source[MEMLAT_SRC_RHITM]);
	json_put_count(hitm, "local", source[MEMLAT_SRC_L3_HITM]);
	json_put(object, "hitm", hitm);
}
