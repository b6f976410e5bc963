// SPDX-License-Identifier: GPL-2.0
#include "data.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "data_table.h"
#include "quality.h"

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
			fputs("Heap objects are in no table: allocations were not recorded.\n"
			      "  memlat-ctl record --heap -- COMMAND      records them\n",
			      out);
		else
			report_print(out, &table->table.report, view->width);
		if (table->rows.nr + table->rows.few.rows <= table->rows.total)
			quality_print_fold(out, "row", "samples", &table->rows.few, table->whole);
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
			data_table_init(&made->tables[made->nr++], view, &made->names, by);
	return made;
}

static void unmake(struct made *made)
{
	while (made->nr)
		data_table_free(&made->tables[--made->nr]);
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
