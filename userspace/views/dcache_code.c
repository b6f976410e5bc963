// SPDX-License-Identifier: GPL-2.0
#include "dcache.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/trait.h"
#include "../util/text.h"
#include "row.h"

#define HOTTEST		5	/* number of instructions whose neighbours are shown */
#define BEFORE		4
#define AFTER		3
#define LINES		(BEFORE + 1 + AFTER)

/* A hot instruction with its neighbours. */
struct code {
	const struct dcache_table *table;
	const struct dcache_row *row;
	size_t nr, hot;
	struct disasm_line line[LINES];
	__u64 cost[LINES];		/* of each line, if it was sampled too */
	struct report_table shown;
};

/* The cost at an address as records have it, which may be that after the access. */
static __u64 cost_at(const struct code *code, __u64 ip)
{
	const struct memlat_rec_site *hot = code->row->site;
	const struct snapshot *snap = &code->table->view->profile->snap;
	__u64 cost = 0;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];

		if (site->ip == ip && site->space == hot->space && site->gen == hot->gen)
			cost += site->cost;
	}
	return cost;
}

enum which { W_MARK, W_SHARE, W_IP, W_TEXT, W_LINE };

static struct cell line_cell(const struct code *code, __u64 ip)
{
	const struct memlat_rec_site *site = code->row->site;
	const struct code_name *name = namer_code(code->table->view->namer, site->space, site->gen,
						  ip);

	return where_line(report_table_room(&code->shown), name->file, name->line);
}

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct code *code = context;

	switch ((enum which)which) {
	case W_MARK:
		return cell_text(row == code->hot ? ">" : " ");
	case W_SHARE:
		return cell_ratio(CELL_SHARE, code->cost[row],
				  code->cost[row] ? snapshot_cost(&code->table->view->profile->snap) : 0);
	case W_IP:
		return cell_number(CELL_HEX, code->line[row].ip);
	case W_TEXT:
		return cell_text(code->line[row].text);
	default:
		return line_cell(code, code->line[row].ip);
	}
}

static const struct report_column columns[] = {
	[W_MARK]	= { NULL, " ", true, true },
	[W_SHARE]	= { "share", "% latency" },
	[W_IP]		= { "ip", "address" },
	[W_TEXT]	= { "instruction", "instruction", true, true },
	[W_LINE]	= { "source_line", "source line", true },
};

/* false: the row has no cost, or its code is not known. */
static bool code_find(struct code *code, const struct dcache_table *table, size_t at)
{
	const struct dcache_row *row = &table->rows.rows[at];
	bool after = trait_here(&table->view->profile->snap.head.status,
				MEMLAT_TRAIT_IP_AFTER);
	size_t i;

	if (!row->sum.cost)
		return false;
	memset(code, 0, sizeof(*code));
	code->table = table;
	code->row = row;
	code->nr = disasm_around(table->disasm, row->site->space, row->site->gen,
				 row->site->ip, row->name->raw ? row->name->offset + after : 0,
				 BEFORE, AFTER, code->line, &code->hot);
	/* The access is the instruction before, so nothing is shown if that is not known. */
	if (after && !code->hot)
		return false;
	code->hot -= after;
	for (i = 0; i < code->nr; i++)
		code->cost[i] = cost_at(code, code->line[i].ip +
					      (after ? code->line[i].size : 0));
	/* The same file may run in several processes: add up all of them. */
	if (code->nr)
		code->cost[code->hot] = row->sum.cost;
	report_table_begin(&code->shown, code, "code", NULL, code->nr, code->nr);
	report_table_take(&code->shown, columns, sizeof(columns) / sizeof(columns[0]), cell);
	return code->nr != 0;
}

static void print_heading(FILE *out, const struct code *code, size_t at)
{
	const struct code_name *name = code->row->name;
	const char *function = name->function ? name->function : name->module;
	char share[TEXT_NUMBER_MAX];

	fprintf(out, "\nInstruction %zu, %s of the latency", at + 1,
		text_share(share, code->row->sum.cost, snapshot_cost(&code->table->view->profile->snap), 1));
	if (function)
		text_say(out, ", in %s", function);
	fputc('\n', out);
}

void dcache_code_print(FILE *out, const struct dcache_table *table)
{
	size_t at, shown = 0;

	for (at = 0; at < table->grid.shown && at < HOTTEST; at++) {
		struct code code;

		if (!code_find(&code, table, at))
			continue;
		print_heading(out, &code, at);
		report_print(out, &code.shown.report, table->view->width);
		shown++;
	}
	if (!shown && table->grid.shown)
		fputs("\n(no machine code: the files of these instructions are not available on this machine)\n",
		      out);
}

struct json_object *dcache_code_json(const struct dcache_table *table)
{
	struct json_object *list = json_list();
	size_t at;

	for (at = 0; at < table->grid.shown && at < HOTTEST; at++) {
		struct json_object *object;
		struct code code;

		if (!code_find(&code, table, at))
			continue;
		object = json_new();
		json_put_count(object, "rank", at + 1);
		json_put_count(object, "hot", code.hot);
		json_put(object, "code", report_json(&code.shown.report));
		json_append(list, object);
	}
	return list;
}
