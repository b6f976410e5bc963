// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "../util/command.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "row.h"
#include "views.h"

/* It must not move. */
struct data_table {
	enum data_by by;
	struct data_row *rows;
	struct grid grid;
};

static const struct data_name *name_of(const struct figures *row)
{
	return row->data_row->name;
}

/* Where objects are allocated: "build() chase.c:41". */
static struct cell site(const struct grid *grid, const struct figures *row)
{
	const struct code_name *code = name_of(row)->site;

	if (!code)
		return cell_none();
	if (code->function && code->file && code->line)
		return cell_say(grid_room(grid), "%s%s %s:%u", code->function,
				where_call(code->function), text_last_part(code->file), code->line);
	if (code->function)
		return cell_say(grid_room(grid), "%s+0x%llx", code->function, code->offset);
	return code->module ? cell_say(grid_room(grid), "%s+0x%llx", code->module,
				       code->module_offset) : cell_none();
}

/* The name of a region; for variables, their section. */
static struct cell region(const struct grid *grid, const struct figures *row)
{
	const struct data_name *name = name_of(row);

	switch (name->kind) {
	case DATA_VARIABLE:
	case DATA_TLS:
		if (!name->module)
			return cell_text(name->section);
		return name->section ? cell_say(grid_room(grid), "%s of %s", name->section,
						name->module) : cell_text(name->module);
	case DATA_KERNEL:
		if (data_kernel_area(name))
			return cell_text(data_kernel_area(name));
		return cell_say(grid_room(grid), "variables of %s",
				name->module ? name->module : "the kernel");
	case DATA_HEAP:
		return cell_say(grid_room(grid), "heap of process %u", row->pid);
	case DATA_UNKNOWN:
		return row->pid ? cell_say(grid_room(grid), "of process %u", row->pid) : cell_none();
	default:
		return cell_text(name->name);
	}
}

static struct cell full_name(const struct grid *grid, const struct figures *row)
{
	const struct data_name *name = name_of(row);

	if (!name->name)
		return cell_none();
	if (name->field)
		return cell_text(name->text);
	/* For a large object without a path, add which bytes. */
	if (name->size > 8 || name->offset)
		return cell_say(grid_room(grid), "%s+0x%llx", name->name, name->offset);
	return cell_text(name->name);
}

/* "writer:72 61% :73 39%" */
static struct cell whose(const struct grid *grid, const struct figures *figures)
{
	const struct data_row *row = figures->data_row;
	char before[THREAD_NAME_MAX] = "";
	char *text;
	size_t size, i;
	FILE *out = xmemstream(&text, &size);

	for (i = 0; i < DATA_WHO && row->who[i].samples; i++) {
		const struct data_who *who = &row->who[i];
		char share[TEXT_NUMBER_MAX];
		const char *comm;

		comm = thread_name(grid->profile, who->tgid, who->gen, who->tid) ?: "";
		/* Print the name of several threads only once. */
		fprintf(out, "%s%s:%u", i ? " " : "",
			i && !strcmp(before, comm) ? "" : comm, who->tid);
		snprintf(before, sizeof(before), "%s", comm);
		if (row->nr_threads > 1)
			fprintf(out, " %s", row->sum.cost ?
				text_share(share, who->cost, row->sum.cost, 0) :
				text_share(share, who->samples, row->sum.samples, 0));
	}
	if (row->nr_threads > DATA_WHO)
		fprintf(out, " and %zu more", row->nr_threads - DATA_WHO);
	xmemstream_end(out);
	return cell_keep(grid_room(grid), text);
}

GRID_CELL(kind, cell_text(data_kind_name(name_of(row)->kind)))
GRID_CELL(how, cell_text(data_how_name(name_of(row)->how)))
GRID_CELL(section_of, name_of(row)->module && name_of(row)->section ?
		 cell_say(grid_room(grid), "%s (%s)", name_of(row)->module, name_of(row)->section) :
		 cell_text(name_of(row)->module))
GRID_CELL(declared, where_line(grid_room(grid), name_of(row)->file, name_of(row)->line))
GRID_CELL(objects_known, cell_known(name_of(row)->how != DATA_NOTED && name_of(row)->objects,
			       name_of(row)->objects))
GRID_CELL(objects, cell_known(name_of(row)->site, name_of(row)->objects))
GRID_CELL(function, cell_text(name_of(row)->site ? name_of(row)->site->function : NULL))
/* The address of a per-CPU variable of the kernel depends on the CPU. */
GRID_CELL(spread, name_of(row)->kind == DATA_KERNEL ? cell_none() :
	     cell_number(CELL_BYTES, row->data_row->highest - row->data_row->lowest))

enum {
	F_NR_THREADS = F_OWN, F_ADDRESS, F_WHO, F_KIND, F_HOW, F_TYPE, F_VARIABLE, F_FULL, F_FIELD,
	F_FIELD_OFFSET, F_START, F_SIZE, F_SECTION_TEXT, F_SECTION, F_SLAB, F_OF_MODULE, F_OF_PATH,
	F_DECLARED, F_OF_FILE, F_OF_LINE, F_SITE, F_SITE_FUNCTION, F_OBJECTS, F_OBJECTS_KNOWN,
	F_REGION, F_SPREAD
};

#define FIGURE(form, member)	REPORT_NUMBER_AT(CELL_ ## form, struct figures, data_row, member)
#define NAME(member)		REPORT_WORDS_AT(struct figures, name, member)
#define KNOWN(form, member) \
	REPORT_NUMBER_AT(CELL_ ## form, struct figures, name, member), .known = true

static const struct figure own[] = {
	OWN(NR_THREADS)	= { .as = F_THREADS, FIGURE(COUNT, nr_threads) },
	OWN(ADDRESS)	= { "access_addr", NULL, REPORT_NUMBER(CELL_HEX, struct figures, addr) },
	OWN(WHO)	= { "who", "who", true, .get = whose },
	OWN(KIND)	= { .as = F_DATA_KIND, .get = kind },
	OWN(HOW)	= { .as = F_DATA_HOW, .title = "known by", .left = true, .get = how },
	OWN(TYPE)	= { .as = F_DATA_TYPE, NAME(type) },
	OWN(VARIABLE)	= { .as = F_DATA_NAME, .title = "variable", .left = true, NAME(name) },
	OWN(FULL)	= { NULL, "field", true, .get = full_name },
	OWN(FIELD)	= { .as = F_DATA_FIELD, NAME(field) },
	OWN(FIELD_OFFSET) = { "data_offset", "offset",
			      REPORT_NUMBER_AT(CELL_OFFSET, struct figures, name, offset) },
	OWN(START)	= { "data_start", "begins at", KNOWN(HEX, start) },
	OWN(SIZE)	= { .as = F_DATA_SIZE, KNOWN(BYTES, size) },
	OWN(SECTION_TEXT) = { .as = F_MODULE, .get = section_of },
	OWN(SECTION)	= { .as = F_DATA_SECTION, NAME(section) },
	OWN(SLAB)	= { "data_cache", "slab cache", true, NAME(cache) },
	OWN(OF_MODULE)	= { .as = F_DATA_MODULE, NAME(module) },
	OWN(OF_PATH)	= { .as = F_DATA_PATH, NAME(path) },
	OWN(DECLARED)	= { NULL, "declared", true, .get = declared },
	OWN(OF_FILE)	= { "data_file", NULL, NAME(file) },
	OWN(OF_LINE)	= { "data_line", NULL, KNOWN(COUNT, line) },
	OWN(SITE)	= { "data_site", "allocated at", true, .get = site },
	OWN(SITE_FUNCTION) = { "data_function", .get = function },
	OWN(OBJECTS)	= { "objects", "objects", .get = objects },
	OWN(OBJECTS_KNOWN) = { "objects", "objects", .get = objects_known },
	OWN(REGION)	= { .as = F_DATA_NAME, .title = "region", .left = true, .get = region },
	OWN(SPREAD)	= { NULL, "spread", .get = spread },
};

static const unsigned short figures_first[] = {
	F_COST | KEEP, F_CUMULATIVE, F_LOADS | KEEP, F_END
};

static const unsigned short stores[] = { F_STORES, F_END };

static const unsigned short stores_alone[] = { F_STORES | KEEP, F_END };

static const unsigned short waits[] = { F_AVG, F_HITM_PARTS, F_HITM | ONLY_DATA, F_END };

#define SYMBOL \
	F_KIND, F_TYPE, F_HOW | ONLY_DATA, F_START | ONLY_DATA, F_SIZE, F_SECTION_TEXT | ONLY_TEXT, \
	F_SECTION
#define DECLARED \
	F_OF_MODULE, F_OF_PATH, F_DECLARED, F_OF_FILE, F_OF_LINE, F_END

static const unsigned short name_columns[DATA_TABLES][20] = {
	[DATA_BY_VARIABLE] = { F_VARIABLE | KEEP, F_WHO, SYMBOL, DECLARED },
	/* For people, variable and field share a column. */
	[DATA_BY_FIELD] = {
		F_FULL | KEEP, F_VARIABLE | ONLY_DATA, F_WHO, F_FIELD, F_FIELD_OFFSET, SYMBOL,
		F_SLAB | ONLY_DATA, DECLARED
	},
	[DATA_BY_SITE] = { F_SITE | KEEP, F_WHO, F_SITE_FUNCTION, F_OBJECTS, F_SIZE, F_END },
	[DATA_BY_TYPE] = {
		F_TYPE | KEEP, F_WHO, F_HOW, F_OBJECTS_KNOWN, F_KIND, F_SIZE, F_END
	},
	[DATA_BY_OBJECT] = {
		F_TYPE | KEEP, F_WHO, F_HOW, F_START, F_SLAB, F_KIND, F_SIZE, F_END
	},
	[DATA_BY_REGION] = { F_KIND | KEEP, F_REGION | KEEP, F_WHO, F_OF_PATH, F_SPREAD, F_END },
};

static const unsigned short figures_last[] = {
	F_NR_THREADS, F_NODES, F_MAX, F_WEIGHT, F_CPUS, F_COST_CYCLES, F_ADDRESS, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	const struct data_row *of = &((const struct data_table *)grid->of)->rows[row->index];

	*row = (struct figures){
		.of = of, .sum = of->sum, .name = of->name, .addr = of->access->addr,
		.pid = of->access->tgid,
	};
}

static void table_init(struct data_table *table, const struct rows_view *view, bool fold,
		       const struct data_names *accesses, enum data_by by)
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
	size_t nr;

	table->by = by;
	table->rows = data_rows(accesses, by, &nr);
	table->grid = (struct grid){
		.profile = view->profile, .namer = view->namer, .key = keys[by],
		.title = titles[by], .nr = nr, .fill = fill, .of = table, .own = own,
	};
	grid_show(&table->grid, view->show, fold);
	/* There may be millions of rows that are not shown. */
	table->rows = xreallocarray(table->rows, table->grid.shown, sizeof(*table->rows));
	grid_columns(&table->grid, figures_first);
	grid_columns(&table->grid, table->grid.lacks & NEEDS_LOADS ? stores_alone : stores);
	grid_columns(&table->grid, waits);
	grid_columns(&table->grid, name_columns[by]);
	grid_columns(&table->grid, figures_last);
}

/* How much of the sampled data has a name, and how the names are known. */
struct named_part {
	/* share of whole, in latency, or in samples if there is no latency */
	__u64 part[DATA_HOWS];
	__u64 whole;
	bool samples;
	size_t instructions;		/* number of instructions that access data without a name */
	const struct code_name *most;	/* the instruction that does it most; NULL: none */
};

/* An instruction that accesses data without a name, in cost or, if there is none, in samples. */
struct unknown {
	struct sums sum;
	const struct memlat_rec_access *access;
};

COMPARE(by_part, struct unknown,
	order(b->sum.cost, a->sum.cost) ?: order(a->access->ip, b->access->ip) ?:
	order(a->access->tgid, b->access->tgid) ?: order(a->access->gen, b->access->gen))

static void known_find(struct named_part *known, struct namer *namer, const struct data_names *names)
{
	const struct data_named *named = names->named;
	struct pivot pivot = PIVOT(struct unknown);
	struct unknown *rows;
	size_t i;
	__u64 cost = 0;

	*known = (struct named_part){ 0 };
	for (i = 0; i < names->nr; i++)
		cost += named[i].access->cost;
	known->samples = !cost;
	for (i = 0; i < names->nr; i++) {
		const struct memlat_rec_access *access = named[i].access;
		const __u64 part = cost ? access->cost : access->samples;
		struct unknown *row;
		__u64 key = 0;

		known->whole += part;
		known->part[named[i].name->how] += part;
		if (named[i].name->how != DATA_NO_NAME || !part)
			continue;
		key_number(&key, (__u64)access->tgid << 32 | access->gen);
		key_number(&key, access->ip);
		row = pivot_row(&pivot, key);
		row->access = access;
		row->sum.cost += part;
	}
	rows = pivot_end(&pivot, by_part, &known->instructions);
	if (rows)
		known->most = namer_sampled(namer, rows->access->tgid, rows->access->gen, rows->access->ip);
	free(rows);
}

static const char *why(const struct code_name *code)
{
	if (code->module && !code->nr_frames)
		return "no debug information";
	return "its operand's type is not known";
}

static void put_known(FILE *out, const struct named_part *known)
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

static void known_print(FILE *out, const struct named_part *known, size_t width)
{
	char *text;

	if (!known->whole)
		return;
	text = XPRINTED(line, put_known(line, known));
	fputc('\n', out);
	text_fit(out, text, width);
	free(text);
}

static struct json_object *known_json(const struct named_part *known)
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
struct data_tables {
	struct data_names names;
	struct named_part known;
	struct data_table tables[DATA_TABLES];
	size_t nr;
};

/* Heap objects have no names if allocations were not logged. */
static bool left_out(const struct rows_view *view, const struct data_table *table)
{
	return table->by == DATA_BY_SITE && !table->grid.nr && !view->profile->heap;
}

static bool is_typed(enum data_by by)
{
	return by == DATA_BY_TYPE || by == DATA_BY_OBJECT;
}

static void print_tables(FILE *out, const struct rows_view *view, const struct data_tables *made)
{
	char rows[TEXT_NUMBER_MAX];
	size_t i;

	for (i = 0; i < made->nr; i++) {
		const struct data_table *table = &made->tables[i];

		/*
		 * Without type information these tables are empty. Say so only if one was asked
		 * for.
		 */
		if (made->nr > 1 && !table->grid.nr && is_typed(table->by))
			continue;
		fputc('\n', out);
		if (left_out(view, table))
			command_say(out, "Heap objects are in no table: allocations were not recorded.\n"
					 "  memlat-ctl record --heap -- COMMAND      records them\n");
		else if (made->nr > 1 && table->grid.fold.all && table->by != DATA_BY_REGION)
			fprintf(out, "%s: %s row%s, each hardly sampled; -n 0 shows all\n",
				 table->grid.title, text_count(rows, table->grid.nr),
				 table->grid.nr == 1 ? "" : "s");
		else
			report_print(out, &table->grid.table.report, view->width);
		quality_print_fold(out, "row", &table->grid.fold, snapshot_cost(&view->profile->snap));
	}
	known_print(out, &made->known, view->width);
	quality_print_table(out, &view->profile->snap.head.status, &quality);
	namer_print_notes(view->namer, out);
}

static struct data_tables *make(const struct rows_view *view, bool fold)
{
	struct data_tables *made = xcalloc(1, sizeof(*made));
	enum data_by by;

	data_names_find(&made->names, view->profile, view->namer);
	known_find(&made->known, view->namer, &made->names);
	for (by = 0; by < DATA_TABLES; by++)
		if (view->word >> by & 1)
			table_init(&made->tables[made->nr++], view, fold, &made->names, by);
	return made;
}

static void free_tables(struct data_tables *made)
{
	while (made->nr)
		free(made->tables[--made->nr].rows);
	data_names_free(&made->names);
	free(made);
}

static struct json_object *json(const struct rows_view *view, const struct data_tables *made)
{
	const struct snapshot *snap = rows_snap(view);
	struct json_object *document = quality_document("data", snap);
	size_t i;

	quality_put_table(document, &snap->head.status, &quality);
	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	json_put_bool(document, "heap_noted", view->profile->heap != NULL);
	json_put(document, "named", known_json(&made->known));
	for (i = 0; i < made->nr; i++)
		json_put(document, made->tables[i].grid.key,
			 report_json(&made->tables[i].grid.table.report));
	return document;
}

static void csv(FILE *out, const struct data_tables *made)
{
	struct report reports[DATA_TABLES];
	size_t i;

	for (i = 0; i < made->nr; i++)
		reports[i] = made->tables[i].grid.table.report;
	report_csv_tables(out, reports, made->nr);
}

struct json_object *data_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	const bool text = format == REPORT_TEXT;
	struct json_object *document = NULL;
	struct data_tables *made;

	if (text && !quality_print_begin(out, &rows_snap(view)->head.status))
		return NULL;
	made = make(view, text);
	if (text)
		print_tables(out, view, made);
	else if (format == REPORT_CSV)
		csv(out, made);
	else
		document = json(view, made);
	free_tables(made);
	return document;
}
