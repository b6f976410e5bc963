// SPDX-License-Identifier: GPL-2.0
#include "annotate.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/core_traits.h"
#include "../analysis/line.h"
#include "../profile/imported.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "quality.h"
#include "row.h"

/* source lines without instructions that are shown between others */
#define BETWEEN		6
#define NO_SYMBOL_BYTES	32	/* bytes shown of code without a symbol */
/* bytes shown after the last sample if the function's size is not known */
#define TAIL_BYTES	16

/* A sampled instruction and its place in its function. */
struct annotate_site {
	const struct memlat_rec_site *site;
	const struct code_name *name;
	__u64 start;		/* of the function, in the file's own addresses */
	__u64 offset;		/* of the address in the record */
};

static bool matches(const char *pattern, const char *text)
{
	return text && pattern_matches(pattern, text);
}

/* Does the pattern match the function, or one that was inlined there? */
static bool wanted(const char *pattern, const struct code_name *name)
{
	size_t i;

	if (!pattern || matches(pattern, name->function) || matches(pattern, name->raw))
		return true;
	for (i = 0; i < name->nr_frames; i++)
		if (matches(pattern, name->frames[i].function))
			return true;
	return false;
}

COMPARE(by_function, struct annotate_site,
	order_text(a->name->path, b->name->path) ?: order_text(a->name->raw, b->name->raw) ?:
	order(a->start, b->start))

COMPARE(by_place, struct annotate_site,
	by_function(a, b) ?: order(a->offset, b->offset) ?: order(a->site->space, b->site->space) ?:
	order(a->site->gen, b->site->gen) ?: order(a->site->ip, b->site->ip))

COMPARE(by_cost, struct annotate_function,
	order(b->sum.cost, a->sum.cost) ?: order(b->sum.samples, a->sum.samples) ?:
	order(a->first, b->first))

static void take_sites(struct annotate *annotate, const char *pattern)
{
	const struct snapshot *snap = &annotate->profile->snap;
	size_t i;

	annotate->sites = xcalloc(snap->nr_sites, sizeof(*annotate->sites));
	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *rec = &snap->sites[i];
		struct annotate_site *site = &annotate->sites[annotate->nr_sites];

		site->site = rec;
		site->name = namer_sampled(annotate->namer, rec->space, rec->gen, rec->ip);
		if (!wanted(pattern, site->name))
			continue;
		/*
		 * If the record holds the next instruction's address, the name is that of the
		 * sampled instruction's last byte.
		 */
		site->offset = site->name->offset + (annotate->after && rec->ip);
		site->start = site->name->module_offset - site->name->offset;
		annotate->nr_sites++;
	}
	qsort(annotate->sites, annotate->nr_sites, sizeof(*annotate->sites), by_place);
}

static void add_site(struct annotate_function *function, const struct annotate_site *site)
{
	const struct sums sums = sums_of_site(site->site);

	if (!function->site || site->site->cost > function->site->cost) {
		function->site = site->site;
		function->name = site->name;
		function->address = site->site->ip - site->offset;
	}
	if (site->name->raw)
		function->size = site->name->size;
	function->nr_sites++;
	sums_add(&function->sum, &sums);
}

/* The inlined function that all its samples are of; NULL: some are the symbol's own, or another's. */
static const char *annotate_inlined(const struct annotate *annotate, const struct annotate_function *function)
{
	size_t i;

	for (i = 0; i < function->nr_sites; i++)
		if (order_text(annotate->sites[function->first + i].name->function, function->name->function))
			return NULL;
	return where_inlined(function->name) ? function->name->function : NULL;
}

void annotate_begin(struct annotate *annotate, const struct profile *profile,
		    struct namer *namer, const char *name, const char *sources)
{
	struct annotate_function *function = NULL;
	size_t i;

	memset(annotate, 0, sizeof(*annotate));
	annotate->profile = profile;
	annotate->namer = namer;
	annotate->texts = source_texts_new(sources, profile->recorded_at);
	annotate->disasm = disasm_new(namer);
	annotate->after = trait_here(&profile->snap.head.status, MEMLAT_TRAIT_IP_AFTER);
	row_whole_take(&annotate->whole, &profile->snap);
	take_sites(annotate, name);
	annotate->functions = xcalloc(annotate->nr_sites, sizeof(*annotate->functions));
	for (i = 0; i < annotate->nr_sites; i++) {
		if (!i || by_function(&annotate->sites[i - 1], &annotate->sites[i])) {
			function = &annotate->functions[annotate->nr_functions++];
			function->first = i;
		}
		add_site(function, &annotate->sites[i]);
	}
	qsort(annotate->functions, annotate->nr_functions, sizeof(*annotate->functions), by_cost);
}

void annotate_end(struct annotate *annotate)
{
	size_t i;

	for (i = 0; i < annotate->nr_functions; i++) {
		free(annotate->functions[i].code);
		free(annotate->functions[i].rows);
	}
	free(annotate->functions);
	free(annotate->sites);
	disasm_free(annotate->disasm);
	source_texts_free(annotate->texts);
}

struct filling {
	struct annotate *annotate;
	struct annotate_function *function;
	size_t room, at;		/* at: the next sampled site that has no instruction yet */
	const char *file;		/* of the previous row */
	unsigned int line;
};

static struct annotate_row *new_row(struct filling *filling)
{
	struct annotate_function *function = filling->function;
	struct annotate_row *row;

	ARRAY_GROW(function->rows, function->nr_rows + 1, filling->room);
	row = &function->rows[function->nr_rows++];
	memset(row, 0, sizeof(*row));
	return row;
}

static void put_source(struct filling *filling, unsigned int line)
{
	struct annotate_row *row = new_row(filling);

	row->file = filling->file;
	row->line = line;
	row->source = source_text(filling->annotate->texts, row->file, line);
}

/* Put the source line of an instruction, and the few lines that were skipped before it. */
static void put_line(struct filling *filling, const struct code_name *name)
{
	unsigned int from = name->line;

	if (!name->file || !name->line ||
	    (name->line == filling->line && !order_text(name->file, filling->file)))
		return;
	if (filling->file && !strcmp(name->file, filling->file) && name->line > filling->line &&
	    name->line - filling->line <= BETWEEN &&
	    source_text(filling->annotate->texts, name->file, name->line))
		from = filling->line + 1;
	filling->file = name->file;
	for (; from <= name->line; from++)
		put_source(filling, from);
	filling->line = name->line;
}

/* Is the operand only an address, of an instruction that leads there? */
static bool leads_to(const struct disasm_line *code, size_t *operand, __u64 *target)
{
	const char *space = strrchr(code->text, ' ');
	char *end;

	if (!space || strncmp(space, " 0x", 3) ||
	    (*code->text != 'j' && strncmp(code->text, "call", 4) && strncmp(code->text, "loop", 4)))
		return false;
	*target = strtoull(space + 1, &end, 16);
	*operand = (size_t)(space + 1 - code->text);
	return !*end;
}

/* Name the target of a jump or call: by its offset in this function, or by the other function. */
static void name_target(const struct filling *filling, struct disasm_line *code)
{
	const struct annotate_function *function = filling->function;
	const struct code_name *name;
	size_t operand, room;
	__u64 target;

	if (!leads_to(code, &operand, &target))
		return;
	room = sizeof(code->text) - operand;
	if (target - function->address < function->size) {
		snprintf(code->text + operand, room, "+0x%llx", target - function->address);
		return;
	}
	name = namer_code(filling->annotate->namer, function->site->space, function->site->gen,
			  target);
	if (!name->function || !name->raw)
		return;
	/* The offset counts from the symbol, not from the function that was inlined there. */
	if (name->offset)
		snprintf(code->text + operand, room, "%s+0x%llx", name->raw, name->offset);
	else
		snprintf(code->text + operand, room, "%s", name->function);
}

static void put_code(struct filling *filling, struct disasm_line *code)
{
	const struct annotate_function *function = filling->function;
	const struct memlat_rec_site *site = function->site;
	const struct annotate *annotate = filling->annotate;
	const struct code_name *name;
	struct annotate_row *row;
	__u64 told;

	name = namer_code(annotate->namer, site->space, site->gen, code->ip);
	put_line(filling, name);
	name_target(filling, code);
	row = new_row(filling);
	row->code = code;
	row->offset = code->ip - function->address;
	row->file = name->file;
	row->line = name->line;
	told = row->offset + (annotate->after ? code->size : 0);
	for (; filling->at < function->first + function->nr_sites; filling->at++) {
		const struct annotate_site *of = &annotate->sites[filling->at];
		const struct sums sums = sums_of_site(of->site);

		if (of->offset > told)
			break;
		if (of->offset == told)
			sums_add(&row->sum, &sums);
	}
}

static __u64 end_of(const struct annotate *annotate, const struct annotate_function *function)
{
	const struct annotate_site *last = &annotate->sites[function->first + function->nr_sites - 1];

	if (!function->name->raw)
		return last->offset + NO_SYMBOL_BYTES;
	return function->size > last->offset ? function->size : last->offset + TAIL_BYTES;
}

/* If the code is not available, show the sampled addresses. */
static void stand_in(const struct annotate *annotate, struct annotate_function *function)
{
	size_t i;

	function->code = xcalloc(function->nr_sites, sizeof(*function->code));
	for (i = function->first; i < function->first + function->nr_sites; i++) {
		const __u64 ip = function->address + annotate->sites[i].offset - annotate->after;

		if (function->nr_code && function->code[function->nr_code - 1].ip == ip)
			continue;
		function->code[function->nr_code++] = (struct disasm_line){ .ip = ip, .size = 1 };
	}
}

void annotate_decode(struct annotate *annotate, struct annotate_function *function)
{
	const struct memlat_rec_site *site = function->site;
	struct filling filling = {
		.annotate = annotate, .function = function, .at = function->first,
	};
	__u64 placed = 0;
	size_t i;

	function->nr_code = disasm_function(annotate->disasm, site->space, site->gen,
					    function->address, end_of(annotate, function),
					    &function->code);
	if (!function->nr_code) {
		free(function->code);
		stand_in(annotate, function);
	}
	for (i = 0; i < function->nr_code; i++) {
		const struct sums *sum;

		put_code(&filling, &function->code[i]);
		sum = &function->rows[function->nr_rows - 1].sum;
		placed += sum->cost;
		if (sum->cost > function->most)
			function->most = sum->cost;
	}
	function->unplaced = function->sum.cost > placed ? function->sum.cost - placed : 0;
}

#define TAB_COLUMNS	4	/* in source lines; wider tabs would leave no room for their text */
#define INDENT		"  "	/* of instructions below their source line */

/* One function as a table. */
struct shown {
	const struct annotate *annotate;
	const struct annotate_function *function;
	struct report_table table;
};

/* Expand tabs to blanks, which look the same on every terminal. */
static char *expanded(const char *source)
{
	char *text = xmalloc(strlen(source) * TAB_COLUMNS + 1), *out = text;

	for (; *source; source++)
		if (*source == '\t')
			do
				*out++ = ' ';
			while ((out - text) % TAB_COLUMNS);
		else
			*out++ = *source;
	*out = '\0';
	return text;
}

/* Does the row name a file, because it is not that of the source line above? */
static bool names_file(const struct shown *shown, const struct annotate_row *row)
{
	const struct annotate_row *before = row;

	while (before-- > shown->function->rows)
		if (!before->code)
			return order_text(before->file, row->file);
	return true;
}

static struct cell line_cell(const struct shown *shown, const struct annotate_row *row)
{
	struct cell_room *room = report_table_room(&shown->table);
	struct cell cell;
	char *source;

	if (row->code)
		return *row->code->text ? cell_say(room, INDENT "%s", row->code->text) :
					  cell_say(room, INDENT "-");
	source = row->source && *row->source ? expanded(row->source) : NULL;
	if (names_file(shown, row))
		cell = cell_say(room, "%s:%u%s%s", text_last_part(row->file), row->line,
				source ? ": " : "", source ? source : "");
	else
		cell = cell_say(room, "%u%s%s", row->line, source ? ": " : "",
				source ? source : "");
	free(source);
	return cell;
}

/* Whose instructions these are; NULL: not known. */
static const char *symbol_of(const struct annotate_function *function)
{
	const char *outer = where_inlined(function->name);

	return outer ? outer : function->name->function;
}

/* What is shown of it: all of it, or what was inlined there. */
static const char *shown_name(const struct annotate *annotate, const struct annotate_function *function)
{
	const char *inlined = annotate_inlined(annotate, function);

	return inlined ? inlined : symbol_of(function);
}

#define ROW	(&of->function->rows[at])
#define SUM	(ROW->sum)
#define CELL(name, ...)	REPORT_CELL(name, struct shown, __VA_ARGS__)
/* A figure of an instruction. Most instructions have no samples. */
#define FIGURE(name, ...) \
	REPORT_CELL(name, struct shown, ROW->code ? __VA_ARGS__ : cell_blank())

FIGURE(function_share, cell_ratio(CELL_SHARE, SUM.cost, of->function->sum.cost))
FIGURE(share, row_cost_cell(&of->annotate->whole, SUM.cost, sums_loads(&SUM)))
FIGURE(cost, cell_count(SUM.cost))
FIGURE(loads, cell_count(sums_loads(&SUM)))
FIGURE(average, cell_ratio(CELL_AVERAGE, SUM.latency_sum,
			   imported_timed(&of->annotate->profile->snap.head.status, sums_loads(&SUM))))
FIGURE(hitm, cell_count(SUM.hitm))
FIGURE(stores, cell_count(SUM.stores))
FIGURE(offset, cell_number(CELL_OFFSET, ROW->offset))
CELL(source, line_cell(of, ROW))
CELL(function, cell_text(shown_name(of->annotate, of->function)))
CELL(module, cell_text(of->function->name->module))
CELL(kind, cell_text(ROW->code ? "instruction" : "source"))
CELL(text, cell_text(!ROW->code ? ROW->source : *ROW->code->text ? ROW->code->text : NULL))

/* The columns for people come first, the most useful first. */
static const struct report_column columns[] = {
	{ .key = "function_share", .title = "% func", .keep = true, .quiet = true,
	  .get = function_share },
	{ .figure = F_COST, .quiet = true, .bounded = true, .get = share },
	{ .figure = F_COST_CYCLES, .get = cost },
	{ .figure = F_LOADS, .quiet = true, .get = loads },
	{ .figure = F_AVG, .quiet = true, .get = average },
	{ .figure = F_HITM, .quiet = true, .get = hitm },
	{ .figure = F_STORES, .quiet = true, .get = stores },
	{ .figure = F_OFFSET, .title = "offset", .get = offset },
	{ .title = "source line or instruction", .left = true, .keep = true, .get = source },
	{ .figure = F_FUNCTION_NAME, .get = function },
	{ .figure = F_MODULE | ONLY_DATA, .get = module },
	{ .key = "kind", .get = kind },
	{ .figure = F_IP | ONLY_DATA, REPORT_NUMBER_AT(CELL_HEX, struct annotate_row, code, ip) },
	{ .figure = F_FILE, REPORT_WORDS(struct annotate_row, file) },
	{ .figure = F_FILE_LINE, REPORT_NUMBER(CELL_COUNT, struct annotate_row, line), .known = true },
	{ .key = "text", .get = text },
};

static void shown_begin(struct shown *shown, struct annotate *annotate, size_t at)
{
	struct annotate_function *function = &annotate->functions[at];

	if (!function->rows)
		annotate_decode(annotate, function);
	shown->annotate = annotate;
	shown->function = function;
	report_table_begin(&shown->table, shown, "rows", NULL, function->nr_rows,
			   function->nr_rows);
	shown->table.report.rows = function->rows;
	report_table_take(&shown->table, columns, sizeof(columns) / sizeof(columns[0]));
}

static void print_heading(FILE *out, const struct annotate *annotate,
			  const struct annotate_function *function)
{
	char *share = row_cost_text(&annotate->whole, function->sum.cost, sums_loads(&function->sum));
	const char *inlined = annotate_inlined(annotate, function), *name = symbol_of(function);
	char loads[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX];

	if (inlined)
		text_say(out, "%s, inlined in ", inlined);
	if (name)
		text_put(out, name);
	else
		fprintf(out, "0x%llx (no symbol)", function->site->ip);
	if (function->name->module)
		text_say(out, " in %s", function->name->module);
	fprintf(out, ": %s of sampled latency, loads %s, stores %s\n", share,
		text_count(loads, sums_loads(&function->sum)), text_count(stores, function->sum.stores));
	free(share);
}

static void print_notes(FILE *out, const struct annotate_function *function, size_t width)
{
	char share[TEXT_NUMBER_MAX];

	if (!*function->code->text)
		text_remark(out, width,
			    "(the machine code cannot be read here: only what was sampled is listed, by address)");
	if (function->size > DISASM_FUNCTION_MAX)
		text_remark(out, width, "(only its first %u bytes are shown)", DISASM_FUNCTION_MAX);
	if (function->unplaced)
		text_remark(out, width, "(%s of its latency is at addresses where no instruction begins: this may be another build of the file)",
			    text_share(share, function->unplaced, function->sum.cost, 1));
}

static void print_function(FILE *out, struct annotate *annotate, size_t at, size_t width)
{
	struct shown shown;

	shown_begin(&shown, annotate, at);
	fputc('\n', out);
	print_heading(out, annotate, shown.function);
	report_print(out, &shown.table.report, width);
	print_notes(out, shown.function, width);
}

static void print_sources(FILE *out, const struct annotate *annotate, size_t width)
{
	const char *missing, *changed = source_texts_without(annotate->texts, &missing);
	char *name = text_escaped(changed ? changed : missing ? missing : "");

	if (changed)
		text_remark(out, width, "(no lines of %s: it is newer than the recording; --debug-path shows a file as it is)",
			    name);
	else if (missing)
		text_remark(out, width, "(no lines of %s: it is not on this machine; --debug-path takes the folder where it is)",
			    name);
	free(name);
}

void annotate_print(FILE *out, struct annotate *annotate, size_t show, size_t width)
{
	const size_t nr = report_limit(show, annotate->nr_functions);
	size_t i;

	quality_print(out, &annotate->profile->snap.head.status);
	if (annotate->after)
		fputs("This CPU's records hold the address after the instruction: figures are beside the instruction before it.\n",
		      out);
	for (i = 0; i < nr; i++)
		print_function(out, annotate, i, width);
	if (nr < annotate->nr_functions)
		text_remark(out, width, "(%zu more functions were sampled; -n 0 shows all)",
			    annotate->nr_functions - nr);
	print_sources(out, annotate, width);
	namer_print_notes(annotate->namer, out);
}

void annotate_csv(FILE *out, struct annotate *annotate, size_t show)
{
	const size_t nr = report_limit(show, annotate->nr_functions);
	struct shown *shown = xcalloc(nr, sizeof(*shown));
	struct report *reports = xcalloc(nr, sizeof(*reports));
	size_t i;

	for (i = 0; i < nr; i++) {
		shown_begin(&shown[i], annotate, i);
		reports[i] = shown[i].table.report;
	}
	report_csv_tables(out, reports, nr);
	free(reports);
	free(shown);
}

static struct json_object *function_json(struct annotate *annotate, size_t at)
{
	const struct annotate_function *function = &annotate->functions[at];
	struct json_object *object = json_new();
	struct shown shown;

	shown_begin(&shown, annotate, at);
	json_put_text(object, "function", shown_name(annotate, function));
	json_put_text(object, "symbol", function->name->raw);
	json_put_text(object, "module", function->name->module);
	json_put_text(object, "path", function->name->path);
	json_put_hex(object, "function_start", function->address);
	json_put_known(object, "function_size", function->size, function->size);
	json_put_bool(object, "has_code", *function->code->text);
	row_put_cost(object, &annotate->whole, function->sum.cost, sums_loads(&function->sum));
	json_put_count(object, "cost_cycles", function->sum.cost);
	json_put_count(object, "cost_cycles_unplaced", function->unplaced);
	json_put_count(object, "loads", sums_loads(&function->sum));
	json_put_count(object, "hitm", function->sum.hitm);
	json_put_count(object, "stores", function->sum.stores);
	json_put(object, "rows", report_json(&shown.table.report));
	return object;
}

struct json_object *annotate_json(struct annotate *annotate, size_t show)
{
	struct json_object *document = quality_document("annotate", &annotate->profile->snap);
	struct json_object *list = json_list();
	const size_t nr = report_limit(show, annotate->nr_functions);
	size_t i;

	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", snapshot_cost(&annotate->profile->snap));
	json_put_bool(document, "ip_after", annotate->after);
	json_put_count(document, "functions_found", annotate->nr_functions);
	for (i = 0; i < nr; i++)
		json_append(list, function_json(annotate, i));
	json_put(document, "functions", list);
	return document;
}
