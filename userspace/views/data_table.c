// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "data_table.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/imported.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "thread_name.h"
#include "where.h"

enum which {
	W_SHARE, W_CUMULATIVE, W_LOADS, W_AVERAGE, W_NAME, W_FULL, W_KIND, W_HOW, W_WHERE,
	W_DECLARED, W_SITE, W_FUNCTION, W_OBJECTS, W_KNOWN, W_WHO, W_SPREAD
};

static struct cell_room *room_of(const struct data_table *table)
{
	return report_table_room(&table->table);
}

/* Where objects are allocated: "build() chase.c:41". */
static struct cell site_cell(const struct data_table *table, const struct code_name *site)
{
	if (!site)
		return cell_none();
	if (site->function && site->file && site->line)
		return cell_say(room_of(table), "%s%s %s:%u", site->function,
				where_call(site->function), text_last_part(site->file), site->line);
	if (site->function)
		return cell_say(room_of(table), "%s+0x%llx", site->function, site->offset);
	return site->module ? cell_say(room_of(table), "%s+0x%llx", site->module,
				       site->module_offset) : cell_none();
}

/* The name of a region; for variables, their section. */
static struct cell region_cell(const struct data_table *table, const struct data_row *row)
{
	const struct data_name *name = row->name;

	switch (name->kind) {
	case DATA_VARIABLE:
	case DATA_TLS:
		if (!name->module)
			return cell_text(name->section);
		return name->section ? cell_say(room_of(table), "%s of %s", name->section,
						name->module) : cell_text(name->module);
	case DATA_KERNEL:
		if (data_kernel_area(name))
			return cell_text(data_kernel_area(name));
		return cell_say(room_of(table), "variables of %s",
				name->module ? name->module : "the kernel");
	case DATA_HEAP:
		return cell_say(room_of(table), "heap of process %u", row->access->tgid);
	case DATA_UNKNOWN:
		return row->access->tgid ? cell_say(room_of(table), "of process %u",
						    row->access->tgid) : cell_none();
	default:
		return cell_text(name->name);
	}
}

static struct cell full_name(const struct data_table *table, const struct data_row *row)
{
	const struct data_name *name = row->name;

	if (!name->name)
		return cell_none();
	if (name->field)
		return cell_text(name->text);
	/* For a large object without a path, add which bytes. */
	if (name->size > 8 || name->offset)
		return cell_say(room_of(table), "%s+0x%llx", name->name, name->offset);
	return cell_text(name->name);
}

/* "writer:72 61% :73 39%" */
static struct cell who_cell(const struct data_table *table, const struct data_row *row)
{
	char *text;
	const struct profile *profile = table->view->profile;
	char before[THREAD_NAME_MAX] = "";
	size_t size, i;
	FILE *out = xmemstream(&text, &size);

	for (i = 0; i < DATA_WHO && row->who[i].samples; i++) {
		const struct data_who *who = &row->who[i];
		char share[TEXT_NUMBER_MAX];
		const char *comm;

		comm = thread_name(profile, who->tgid, who->gen, who->tid);
		if (!comm)
			comm = "";
		/* Print the name of several threads only once. */
		fprintf(out, "%s%s:%u", i ? " " : "",
			i && !strcmp(before, comm) ? "" : comm, who->tid);
		snprintf(before, sizeof(before), "%s", comm);
		if (row->nr_threads > 1)
			fprintf(out, " %s", row->cost ?
				text_share(share, who->cost, row->cost, 0) :
				text_share(share, who->samples, row->samples, 0));
	}
	if (row->nr_threads > DATA_WHO)
		fprintf(out, " and %zu more", row->nr_threads - DATA_WHO);
	xmemstream_end(out);
	return cell_keep(room_of(table), text);
}

static struct cell name_cell(const struct data_table *table, const struct data_row *row,
			     enum which which)
{
	const struct data_name *name = row->name;

	switch (which) {
	case W_NAME:
		return table->rows.by == DATA_BY_REGION ? region_cell(table, row) :
							  cell_text(name->name);
	case W_FULL:
		return full_name(table, row);
	case W_KIND:
		return cell_text(data_kind_name(name->kind));
	case W_HOW:
		return cell_text(data_how_name(name->how));
	case W_WHERE:
		return name->module && name->section ?
		       cell_say(room_of(table), "%s (%s)", name->module, name->section) :
		       cell_text(name->module);
	case W_DECLARED:
		return where_line(room_of(table), name->file, name->line);
	case W_KNOWN:
		return cell_known(name->how != DATA_NOTED && name->objects, name->objects);
	default:
		return cell_none();
	}
}

static struct cell figure(const void *context, size_t at, unsigned int which)
{
	const struct data_table *table = context;
	const struct data_row *row = &table->rows.rows[at];
	const struct code_name *site = row->name->site;

	switch ((enum which)which) {
	case W_SHARE:
		return cell_ratio(CELL_SHARE, row->cost, table->whole);
	case W_CUMULATIVE:
		return cell_ratio(CELL_SHARE, row->cost_before + row->cost, table->whole);
	case W_LOADS:
		return cell_count(row->samples - row->stores);
	case W_AVERAGE:
		return cell_ratio(CELL_AVERAGE, row->latency,
				  imported_timed(&table->view->profile->snap.head.status,
						 row->samples - row->stores));
	case W_WHO:
		return who_cell(table, row);
	case W_SPREAD:
		/* The address of a per-CPU variable of the kernel depends on the CPU. */
		if (row->name->kind == DATA_KERNEL)
			return cell_none();
		return cell_number(CELL_BYTES, row->highest - row->lowest);
	case W_SITE:
		return site_cell(table, site);
	case W_FUNCTION:
		return cell_text(site ? site->function : NULL);
	case W_OBJECTS:
		return cell_known(site, row->name->objects);
	default:
		return name_cell(table, row, which);
	}
}

#define ADD(of, ...)		REPORT_ADD(&(of)->table, __VA_ARGS__)
#define FIGURE(kind, member)	REPORT_NUMBER(CELL_ ## kind, struct data_row, member)
#define NAME(member)		REPORT_WORDS_AT(struct data_row, name, member)
#define KNOWN(kind, member) \
	REPORT_NUMBER_AT(CELL_ ## kind, struct data_row, name, member), .known = true

static void add_who(struct data_table *table)
{
	ADD(table, "who", "who", true, .which = W_WHO);
}

static void add_names(struct data_table *table)
{
	const bool fields = table->rows.by == DATA_BY_FIELD;

	switch (table->rows.by) {
	case DATA_BY_SITE:
		ADD(table, "site", "allocated at", true, true, .which = W_SITE);
		add_who(table);
		ADD(table, "function", NULL, true, .which = W_FUNCTION);
		ADD(table, "objects", "objects", .which = W_OBJECTS);
		ADD(table, "size", "size", KNOWN(BYTES, size));
		return;
	case DATA_BY_TYPE:
	case DATA_BY_OBJECT:
		ADD(table, "type", "type", true, true, NAME(type));
		add_who(table);
		ADD(table, "how", "known by", true, .which = W_HOW);
		if (table->rows.by == DATA_BY_OBJECT) {
			ADD(table, "start", "begins at", KNOWN(HEX, start));
			ADD(table, "cache", "slab cache", true, NAME(cache));
		} else {
			ADD(table, "objects", "objects", .which = W_KNOWN);
		}
		ADD(table, "kind", "kind", true, .which = W_KIND);
		ADD(table, "size", "size", KNOWN(BYTES, size));
		return;
	case DATA_BY_REGION:
		ADD(table, "kind", "kind", true, true, .which = W_KIND);
		ADD(table, "name", "region", true, true, .which = W_NAME);
		add_who(table);
		ADD(table, "path", NULL, true, NAME(path));
		ADD(table, NULL, "spread", .which = W_SPREAD);
		return;
	default:
		break;
	}
	/* For people, variable and field share a column. */
	if (fields)
		ADD(table, NULL, "field", true, true, .which = W_FULL);
	ADD(table, "name", fields ? NULL : "variable", true, !fields, .which = W_NAME);
	add_who(table);
	if (fields) {
		ADD(table, "field", NULL, true, NAME(field));
		ADD(table, "offset", "offset",
		    REPORT_NUMBER_AT(CELL_OFFSET, struct data_row, name, offset));
	}
	ADD(table, "kind", "kind", true, .which = W_KIND);
	ADD(table, "type", "type", true, NAME(type));
	ADD(table, "how", NULL, true, .which = W_HOW);
	ADD(table, "start", NULL, KNOWN(HEX, start));
	ADD(table, "size", "size", KNOWN(BYTES, size));
	ADD(table, NULL, "load module", true, .which = W_WHERE);
	ADD(table, "section", NULL, true, NAME(section));
	if (fields)
		ADD(table, "cache", NULL, true, NAME(cache));
	ADD(table, "module", NULL, true, NAME(module));
	ADD(table, "path", NULL, true, NAME(path));
	ADD(table, NULL, "declared", true, .which = W_DECLARED);
	ADD(table, "file", NULL, true, NAME(file));
	ADD(table, "line", NULL, KNOWN(COUNT, line));
}

static void add_columns(struct data_table *table)
{
	const struct memlat_status *status = &table->view->profile->snap.head.status;
	bool loads = filter_loads(status->flags), stores = filter_stores(status->flags);
	bool remote = status->nodes != 1;

	ADD(table, "share", loads ? "% latency" : NULL, false, true, .which = W_SHARE);
	ADD(table, "cumulative", loads ? "cum." : NULL, .which = W_CUMULATIVE);
	ADD(table, "loads", loads ? "loads" : NULL, false, loads, .which = W_LOADS);
	ADD(table, "stores", stores ? "stores" : NULL, false, !loads, FIGURE(COUNT, stores));
	ADD(table, "latency_avg", loads ? "avg cyc" : NULL, .which = W_AVERAGE);
	ADD(table, "rhitm", loads && remote ? "HITM rmt" : NULL, FIGURE(COUNT, rhitm));
	ADD(table, "lhitm", loads ? "HITM lcl" : NULL, FIGURE(COUNT, hitm));
	add_names(table);
	ADD(table, "threads", "threads", FIGURE(COUNT, nr_threads));
	ADD(table, "nodes", remote ? "nodes" : NULL, true, FIGURE(BITS, nodes));
	ADD(table, "latency_max", loads ? "max cyc" : NULL, FIGURE(COUNT, latency_max));
	ADD(table, "weight", "est. accesses", FIGURE(COUNT, weight));
	ADD(table, "cpus", NULL, true, FIGURE(BITS, cpus));
	ADD(table, "cost_cycles", NULL, FIGURE(COUNT, cost));
	ADD(table, "address", NULL, REPORT_NUMBER_AT(CELL_HEX, struct data_row, access, addr));
}

static void begin(struct data_table *table)
{
	static const char *const keys[DATA_TABLES] = {
		[DATA_BY_VARIABLE]	= "variables",
		[DATA_BY_FIELD]		= "fields",
		[DATA_BY_SITE]		= "heap_sites",
		[DATA_BY_TYPE]		= "types",
		[DATA_BY_OBJECT]	= "objects",
		[DATA_BY_REGION]	= "regions",
	};
	static const char *const titles[DATA_TABLES] = {
		[DATA_BY_VARIABLE]	= "Variables",
		[DATA_BY_FIELD]		= "Fields",
		[DATA_BY_SITE]		= "Heap objects, by where they were allocated",
		[DATA_BY_TYPE]		= "Objects without a symbol, by type",
		[DATA_BY_OBJECT]	= "Objects without a symbol, one by one",
		[DATA_BY_REGION]	= "Regions of memory: all that was accessed",
	};

	report_table_begin(&table->table, table, keys[table->rows.by], titles[table->rows.by],
			   table->rows.nr, table->rows.total);
}

void data_table_init(struct data_table *table, const struct data_view *view,
		     const struct data_names *names, enum data_by by)
{
	memset(table, 0, sizeof(*table));
	table->view = view;
	data_rows_find(&table->rows, names, by, view->show, view->fold);
	table->whole = snapshot_cost(&view->profile->snap);
	begin(table);
	table->table.report.rows = table->rows.rows;
	table->table.report.get_at = figure;
	add_columns(table);
}

void data_table_free(struct data_table *table)
{
	data_rows_free(&table->rows);
	memset(table, 0, sizeof(*table));
}
