// SPDX-License-Identifier: GPL-2.0
#include "data.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "quality.h"
#include "report.h"
#include "threads.h"
#include "where.h"

/* Zeroed by whoever makes it. It must not move. */
struct data_table {
	const struct data_view *view;
	struct data_rows rows;
	struct row_whole whole;
	struct report_table table;
};

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
		return row_cost_cell(&table->whole, row->cost, row->samples - row->stores);
	case W_CUMULATIVE:
		return cell_ratio(CELL_SHARE, row->cost_before + row->cost,
				  number_whole(table->whole.cost.weight));
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

static void add_names(struct data_table *table)
{
	const bool fields = table->rows.by == DATA_BY_FIELD;

	switch (table->rows.by) {
	case DATA_BY_SITE:
		ADD(table, "site", "allocated at", true, true, .which = W_SITE);
		ADD(table, "who", "who", true, .which = W_WHO);
		ADD(table, "function", NULL, true, .which = W_FUNCTION);
		ADD(table, "objects", "objects", .which = W_OBJECTS);
		ADD(table, "size", "size", KNOWN(BYTES, size));
		return;
	case DATA_BY_TYPE:
	case DATA_BY_OBJECT:
		ADD(table, "type", "type", true, true, NAME(type));
		ADD(table, "who", "who", true, .which = W_WHO);
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
		ADD(table, "who", "who", true, .which = W_WHO);
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
	ADD(table, "who", "who", true, .which = W_WHO);
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

	ADD(table, "share", loads ? "% latency" : NULL, false, true, .which = W_SHARE, .bounded = true);
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

static void table_init(struct data_table *table, const struct data_view *view,
		       const struct data_names *names, enum data_by by)
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

	table->view = view;
	row_whole_take(&table->whole, &view->profile->snap);
	data_rows_find(&table->rows, names, by, view->show, view->fold ? &table->whole : NULL);
	report_table_begin(&table->table, table, keys[by], titles[by], table->rows.nr,
			   table->rows.total);
	table->table.report.rows = table->rows.rows;
	table->table.report.get_at = figure;
	add_columns(table);
}

/* How much of the sampled data has a name, and how the names are known. */
struct known {
	/* share of whole, in latency, or in samples if there is no latency */
	__u64 part[DATA_HOWS];
	__u64 whole;
	bool samples;
	size_t instructions;		/* number of instructions that access data without a name */
	const struct code_name *most;	/* the instruction that does it most; NULL: none */
};

/* An instruction that accesses data without a name. */
struct unknown {
	__u32 space, gen;
	__u64 ip, part;
};

COMPARE(by_instruction, struct unknown,
	order(a->ip, b->ip) ?: order(a->space, b->space) ?: order(a->gen, b->gen))

static void find_most(struct known *known, struct namer *namer, struct unknown *rows,
		      size_t nr)
{
	const struct unknown *most = NULL;
	size_t i, used = 0;

	qsort(rows, nr, sizeof(*rows), by_instruction);
	for (i = 0; i < nr; i++) {
		if (used && !by_instruction(&rows[used - 1], &rows[i]))
			rows[used - 1].part += rows[i].part;
		else
			rows[used++] = rows[i];
	}
	for (i = 0; i < used; i++)
		if (!most || rows[i].part > most->part)
			most = &rows[i];
	known->instructions = used;
	if (most)
		known->most = namer_sampled(namer, most->space, most->gen, most->ip);
}

static void known_find(struct known *known, struct namer *namer, const struct data_names *names)
{
	const struct data_named *named = names->named;
	struct unknown *rows = xcalloc(names->nr, sizeof(*rows));
	size_t i, used = 0;
	__u64 cost = 0;

	*known = (struct known){ 0 };
	for (i = 0; i < names->nr; i++)
		cost += named[i].access->cost;
	known->samples = !cost;
	for (i = 0; i < names->nr; i++) {
		const struct memlat_rec_access *access = named[i].access;
		__u64 part = cost ? access->cost : access->samples;

		known->whole += part;
		known->part[named[i].name->how] += part;
		if (named[i].name->how == DATA_NO_NAME && part)
			rows[used++] = (struct unknown){
				access->tgid, access->gen, access->ip, part,
			};
	}
	find_most(known, namer, rows, used);
	free(rows);
}

static const char *why(const struct code_name *code)
{
	if (code->module && !code->nr_frames)
		return "no debug information";
	return "its operand's type is not known";
}

static void put_known(FILE *out, const struct known *known)
{
	static const char *const words[DATA_HOWS] = {
		[DATA_SYMBOL]		= "by a symbol",
		[DATA_NOTED]		= "noted by --heap",
		[DATA_BY_OPERAND]	= "by the type that the instruction shows",
		[DATA_JOINED]		= "by the type that another instruction shows for the same object",
		[DATA_SLAB]		= "by the kernel's cache alone",
		[DATA_VMALLOC]		= "by who called vmalloc() alone",
		[DATA_BPF_MAP]		= "by the map of BPF",
	};
	const struct code_name *most = known->most;
	__u64 named = known->whole - known->part[DATA_NO_NAME];
	char share[TEXT_NUMBER_MAX];
	const char *between = " (";
	unsigned int how;

	fprintf(out, "named: %s of %s", text_share(share, named, known->whole, 0),
		known->samples ? "the samples" : "the latency");
	for (how = DATA_SYMBOL; how < DATA_HOWS; how++) {
		if (!known->part[how])
			continue;
		fprintf(out, "%s%s %s", between,
			text_share(share, known->part[how], known->whole, 0), words[how]);
		between = ", ";
	}
	fputs(named ? ")" : "", out);
	if (most) {
		text_say(out, "; not: %s, by %zu instruction%s, mostly %s",
			 text_share(share, known->part[DATA_NO_NAME], known->whole, 0),
			 known->instructions, known->instructions == 1 ? "" : "s",
			 most->function ? most->function : "unknown code");
		if (most->module)
			text_say(out, " of %s (%s)", most->module, why(most));
	}
	fputc('\n', out);
}

static void known_print(FILE *out, const struct known *known, size_t width)
{
	char *text;

	if (!known->whole)
		return;
	text = XPRINTED(line, put_known(line, known));
	fputc('\n', out);
	text_fit(out, text, width);
	free(text);
}

static struct json_object *known_json(const struct known *known)
{
	struct json_object *object = json_new();
	enum data_how how;

	for (how = DATA_SYMBOL; how < DATA_HOWS; how++)
		json_put_ratio(object, data_how_name(how), known->part[how], known->whole);
	json_put_ratio(object, "none", known->part[DATA_NO_NAME], known->whole);
	json_put_count(object, "unnamed_instructions", known->instructions);
	return object;
}

/* The tables' headings say how many rows they show. */
static const struct quality_table quality = { .what = "accesses", .table = TABLE_ACCESSES };

/* What text, JSON and CSV need: names, and the tables that are wanted. */
struct made {
	struct data_names names;
	struct known known;
	struct data_table tables[DATA_TABLES];
	size_t nr;
};

/* Heap objects have no names if allocations were not logged. */
static bool left_out(const struct data_view *view, const struct data_table *table)
{
	return table->rows.by == DATA_BY_SITE && !table->rows.nr && !view->profile->heap;
}

static bool is_typed(enum data_by by)
{
	return by == DATA_BY_TYPE || by == DATA_BY_OBJECT;
}

static void print_tables(FILE *out, const struct data_view *view, const struct made *made)
{
	size_t i;

	for (i = 0; i < made->nr; i++) {
		const struct data_table *table = &made->tables[i];

		/*
		 * Without type information these tables are empty. Say so only if one was asked
		 * for.
		 */
		if (made->nr > 1 && !table->rows.total && is_typed(table->rows.by))
			continue;
		fputc('\n', out);
		if (left_out(view, table))
			command_say(out, "Heap objects are in no table: allocations were not recorded.\n"
					 "  memlat-ctl record --heap -- COMMAND      records them\n");
		else
			report_print(out, &table->table.report, view->width);
		quality_print_fold(out, "row", &table->rows.fold, snapshot_cost(&view->profile->snap));
	}
	known_print(out, &made->known, view->width);
	quality_print_table(out, &view->profile->snap.head.status, &quality);
	namer_print_notes(view->namer, out);
}

static struct made *make(const struct data_view *view)
{
	struct made *made = xcalloc(1, sizeof(*made));
	enum data_by by;

	data_names_find(&made->names, view->profile, view->namer);
	known_find(&made->known, view->namer, &made->names);
	for (by = 0; by < DATA_TABLES; by++)
		if (view->by >> by & 1)
			table_init(&made->tables[made->nr++], view, &made->names, by);
	return made;
}

static void unmake(struct made *made)
{
	while (made->nr)
		data_rows_free(&made->tables[--made->nr].rows);
	data_names_free(&made->names);
	free(made);
}

void data_print(FILE *out, const struct data_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct data_view folded = *view;
	struct made *made;

	folded.fold = true;
	if (!quality_print_begin(out, status))
		return;
	made = make(&folded);
	print_tables(out, &folded, made);
	unmake(made);
}

void data_csv(FILE *out, const struct data_view *view)
{
	struct made *made = make(view);
	struct report reports[DATA_TABLES];
	size_t i;

	for (i = 0; i < made->nr; i++)
		reports[i] = made->tables[i].table.report;
	report_csv_tables(out, reports, made->nr);
	unmake(made);
}

struct json_object *data_json(const struct data_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	struct made *made = make(view);
	struct json_object *document = quality_document("data", snap);
	size_t i;

	quality_put_table(document, &snap->head.status, &quality);
	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	json_put_bool(document, "heap_noted", view->profile->heap != NULL);
	json_put(document, "named", known_json(&made->known));
	for (i = 0; i < made->nr; i++)
		json_put(document, made->tables[i].table.report.key,
			 report_json(&made->tables[i].table.report));
	unmake(made);
	return document;
}
