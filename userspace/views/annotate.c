// SPDX-License-Identifier: GPL-2.0
#include "annotate.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../util/order.h"
#include "../util/pattern.h"
#include "../util/xalloc.h"
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

const char *annotate_inlined(const struct annotate *annotate, const struct annotate_function *function)
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
