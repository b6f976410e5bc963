// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "data_table.h"

#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "thread_name.h"
#include "where.h"

enum which {
	W_SHARE, W_CUMULATIVE, W_LOADS, W_STORES, W_AVERAGE, W_MAX, W_RHITM, W_LHITM,
	W_ESTIMATE, W_COST, W_NAME, W_FULL, W_FIELD, W_KIND, W_TYPE, W_START, W_ADDRESS,
	W_OFFSET, W_SIZE, W_SIZE_BYTES, W_SECTION, W_HOW, W_WHERE, W_MODULE, W_PATH, W_DECLARED,
	W_FILE, W_LINE, W_SITE, W_FUNCTION, W_OBJECTS, W_KNOWN, W_THREADS, W_WHO, W_CPUS, W_NODES,
	W_SPREAD, W_CACHE
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
		return cell_say(room_of(table), "%s() %s:%u", site->function,
				where_last_part(site->file), site->line);
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
	char text[TEXT_NUMBER_MAX];

	switch (which) {
	case W_NAME:
		return table->rows.by == DATA_BY_REGION ? region_cell(table, row) :
							  cell_text(name->name);
	case W_FULL:
		return full_name(table, row);
	case W_FIELD:
		return cell_text(name->field);
	case W_KIND:
		return cell_text(data_kind_name(name->kind));
	case W_HOW:
		return cell_text(data_how_name(name->how));
	case W_TYPE:
		return cell_text(name->type);
	case W_START:
		return name->start ? cell_number(CELL_HEX, name->start) : cell_none();
	case W_ADDRESS:
		return cell_number(CELL_HEX, row->access->addr);
	case W_OFFSET:
		return cell_number(CELL_OFFSET, name->offset);
	case W_SIZE:
		return name->size ? cell_say(room_of(table), "%s",
					     text_bytes(text, name->size)) : cell_none();
	case W_SIZE_BYTES:
		return name->size ? cell_number(CELL_COUNT, name->size) : cell_none();
	case W_SECTION:
		return cell_text(name->section);
	case W_WHERE:
		return name->module && name->section ?
		       cell_say(room_of(table), "%s (%s)", name->module, name->section) :
		       cell_text(name->module);
	case W_CACHE:
		return cell_text(name->cache);
	case W_MODULE:
		return cell_text(name->module);
	case W_PATH:
		return cell_text(name->path);
	case W_DECLARED:
		return where_line(room_of(table), name->file, name->line);
	case W_FILE:
		return cell_text(name->file);
	case W_KNOWN:
		return name->how != DATA_NOTED && name->objects ?
		       cell_number(CELL_COUNT, name->objects) : cell_none();
	case W_LINE:
		return name->line ? cell_number(CELL_COUNT, name->line) : cell_none();
	default:
		return cell_none();
	}
}

/* A column about the allocation of heap objects. Its parts are those of code. */
static struct cell allocation_cell(const struct data_table *table,
				   const struct data_row *row, enum which which)
{
	const struct code_name *site = row->name->site;

	if (which == W_OBJECTS)
		return site ? cell_number(CELL_COUNT, row->name->objects) : cell_none();
	if (which == W_SITE)
		return site_cell(table, site);
	return cell_text(site ? site->function : NULL);
}

static struct cell figure(const void *context, size_t at, unsigned int which)
{
	const struct data_table *table = context;
	const struct data_row *row = &table->rows.rows[at];
	char text[TEXT_NUMBER_MAX];

	switch ((enum which)which) {
	case W_SHARE:
		return cell_ratio(CELL_SHARE, row->cost, table->whole);
	case W_CUMULATIVE:
		return cell_ratio(CELL_SHARE, row->cost_before + row->cost, table->whole);
	case W_LOADS:
		return cell_number(CELL_COUNT, row->samples - row->stores);
	case W_STORES:
		return cell_number(CELL_COUNT, row->stores);
	case W_AVERAGE:
		return cell_ratio(CELL_AVERAGE, row->latency, row->samples - row->stores);
	case W_MAX:
		return cell_number(CELL_COUNT, row->latency_max);
	case W_RHITM:
		return cell_number(CELL_COUNT, row->rhitm);
	case W_LHITM:
		return cell_number(CELL_COUNT, row->hitm);
	case W_ESTIMATE:
		return cell_number(CELL_COUNT, row->weight);
	case W_COST:
		return cell_number(CELL_COUNT, row->cost);
	case W_THREADS:
		return cell_number(CELL_COUNT, row->nr_threads);
	case W_WHO:
		return who_cell(table, row);
	case W_CPUS:
		return cell_number(CELL_BITS, row->cpus);
	case W_NODES:
		return cell_number(CELL_BITS, row->nodes);
	case W_SPREAD:
		/* The address of a per-CPU variable of the kernel depends on the CPU. */
		if (row->name->kind == DATA_KERNEL)
			return cell_none();
		return cell_say(room_of(table), "%s",
				text_bytes(text, row->highest - row->lowest));
	case W_SITE:
	case W_FUNCTION:
	case W_OBJECTS:
		return allocation_cell(table, row, which);
	default:
		return name_cell(table, row, which);
	}
}

static void add(struct data_table *table, const char *key, const char *title,
		enum which which, bool left, bool kept)
{
	struct report_column *column = report_table_add(&table->table, key, title, figure, which);

	column->left = left;
	column->keep = kept;
}

static void add_who(struct data_table *table)
{
	add(table, "who", "who", W_WHO, true, false);
}

static void add_names(struct data_table *table)
{
	const bool fields = table->rows.by == DATA_BY_FIELD;

	switch (table->rows.by) {
	case DATA_BY_SITE:
		add(table, "site", "allocated at", W_SITE, true, true);
		add_who(table);
		add(table, "function", NULL, W_FUNCTION, true, false);
		add(table, "objects", "objects", W_OBJECTS, false, false);
		add(table, "size", NULL, W_SIZE_BYTES, false, false);
		add(table, NULL, "size", W_SIZE, false, false);
		return;
	case DATA_BY_TYPE:
	case DATA_BY_OBJECT:
		add(table, "type", "type", W_TYPE, true, true);
		add_who(table);
		add(table, "how", "known by", W_HOW, true, false);
		if (table->rows.by == DATA_BY_OBJECT) {
			add(table, "start", "begins at", W_START, false, false);
			add(table, "cache", "slab cache", W_CACHE, true, false);
		} else {
			add(table, "objects", "objects", W_KNOWN, false, false);
		}
		add(table, "kind", "kind", W_KIND, true, false);
		add(table, "size", NULL, W_SIZE_BYTES, false, false);
		add(table, NULL, "size", W_SIZE, false, false);
		return;
	case DATA_BY_REGION:
		add(table, "kind", "kind", W_KIND, true, true);
		add(table, "name", "region", W_NAME, true, true);
		add_who(table);
		add(table, "path", NULL, W_PATH, true, false);
		add(table, NULL, "spread", W_SPREAD, false, false);
		return;
	default:
		break;
	}
	/* For people, variable and field share a column. */
	if (fields)
		add(table, NULL, "field", W_FULL, true, true);
	add(table, "name", fields ? NULL : "variable", W_NAME, true, !fields);
	add_who(table);
	if (fields) {
		add(table, "field", NULL, W_FIELD, true, false);
		add(table, "offset", "offset", W_OFFSET, false, false);
	}
	add(table, "kind", "kind", W_KIND, true, false);
	add(table, "type", "type", W_TYPE, true, false);
	add(table, "how", NULL, W_HOW, true, false);
	add(table, "start", NULL, W_START, false, false);
	add(table, "size", NULL, W_SIZE_BYTES, false, false);
	add(table, NULL, "size", W_SIZE, false, false);
	add(table, NULL, "load module", W_WHERE, true, false);
	add(table, "section", NULL, W_SECTION, true, false);
	if (fields)
		add(table, "cache", NULL, W_CACHE, true, false);
	add(table, "module", NULL, W_MODULE, true, false);
	add(table, "path", NULL, W_PATH, true, false);
	add(table, NULL, "declared", W_DECLARED, true, false);
	add(table, "file", NULL, W_FILE, true, false);
	add(table, "line", NULL, W_LINE, false, false);
}

static void add_columns(struct data_table *table)
{
	const struct memlat_status *status = &table->view->profile->snap.head.status;
	bool loads = filter_loads(status->flags), stores = filter_stores(status->flags);
	bool remote = status->nodes != 1;

	add(table, "share", loads ? "% latency" : NULL, W_SHARE, false, true);
	add(table, "cumulative", loads ? "cum." : NULL, W_CUMULATIVE, false, false);
	add(table, "loads", loads ? "loads" : NULL, W_LOADS, false, loads);
	add(table, "stores", stores ? "stores" : NULL, W_STORES, false, !loads);
	add(table, "latency_avg", loads ? "avg cyc" : NULL, W_AVERAGE, false, false);
	add(table, "rhitm", loads && remote ? "HITM rmt" : NULL, W_RHITM, false, false);
	add(table, "lhitm", loads ? "HITM lcl" : NULL, W_LHITM, false, false);
	add_names(table);
	add(table, "threads", "threads", W_THREADS, false, false);
	add(table, "nodes", remote ? "nodes" : NULL, W_NODES, true, false);
	add(table, "latency_max", loads ? "max cyc" : NULL, W_MAX, false, false);
	add(table, "weight", "est. accesses", W_ESTIMATE, false, false);
	add(table, "cpus", NULL, W_CPUS, true, false);
	add(table, "cost_cycles", NULL, W_COST, false, false);
	add(table, "address", NULL, W_ADDRESS, false, false);
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
		     struct data_names *names, enum data_by by)
{
	memset(table, 0, sizeof(*table));
	table->view = view;
	data_rows_find(&table->rows, names, by, view->show, view->fold);
	table->whole = snapshot_cost(&view->profile->snap);
	begin(table);
	add_columns(table);
}

void data_table_free(struct data_table *table)
{
	data_rows_free(&table->rows);
	free(table->table.room.text);
	memset(table, 0, sizeof(*table));
}
