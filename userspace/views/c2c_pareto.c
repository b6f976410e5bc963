// SPDX-License-Identifier: GPL-2.0
#include "c2c_pareto.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/trait.h"
#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "row.h"
#include "stacks.h"

#define SYMBOL_WIDTH	30	/* width of perf's Symbol column without --full-symbols */
#define CHAINS_SHOWN	3	/* most chains shown for a row */

enum which {
	W_INDEX, W_ADDRESS, W_RHITM_SHARE, W_LHITM_SHARE, W_L1_HIT_SHARE, W_L1_MISS_SHARE,
	W_STORE_NA, W_COST, W_OFFSET, W_HOME, W_PAGES, W_DATA, W_PID, W_TID, W_CODE_ADDRESS,
	W_CYCLES_RHITM, W_CYCLES_LHITM, W_CYCLES_LOAD, W_RECORDS, W_CPU_COUNT, W_SYMBOL, W_MODULE,
	W_SOURCE_LINE, W_NODES, W_PATH, W_INLINED, W_FILE, W_LINE_NUMBER, W_FWD,
	W_FWD_SHARE, W_LOADS, W_STORES
};

/* An empty cell, in a line's own row of a column that is about bytes. */
static struct cell blank(void)
{
	return cell_text("");
}

static struct cell symbol(const struct pareto *pareto, const struct c2c_row *row)
{
	static char cut[SYMBOL_WIDTH + sizeof("...")];
	const char *name = c2c_symbol(row->code);
	size_t length = SYMBOL_WIDTH;

	if (!name || !pareto->text || pareto->c2c->options.full_symbols ||
	    strlen(name) <= SYMBOL_WIDTH)
		return cell_text(name);
	/* Do not cut a multi-byte character. */
	while (length && (name[length] & 0xc0) == 0x80)
		length--;
	memcpy(cut, name, length);
	strcpy(cut + length, "...");
	return cell_text(cut);
}

static struct cell source_line(const struct code_name *code)
{
	static char text[512];

	if (!code->file || !code->line)
		return cell_none();
	snprintf(text, sizeof(text), "%s:%u", text_last_part(code->file), code->line);
	return cell_text(text);
}

/* A line's own row, only in text: its counts, where other rows have their shares of these. */
static struct cell line_cell(const struct pareto *pareto, size_t index, enum which which)
{
	const struct c2c_line *line = pareto->lines[index].line;
	const struct memlat_rec_line *rec = line->line->rec;

	switch (which) {
	case W_INDEX:
		return cell_count(pareto->c2c->first + index + 1);
	case W_RHITM_SHARE:
		return cell_count(rec->source[MEMLAT_SRC_RHITM]);
	case W_LHITM_SHARE:
		return cell_count(rec->source[MEMLAT_SRC_L3_HITM]);
	case W_L1_HIT_SHARE:
		return cell_count(rec->store_l1_hit);
	case W_L1_MISS_SHARE:
		return cell_count(rec->stores - rec->store_l1_hit);
	case W_STORE_NA:
		return cell_none();
	case W_COST:
		return cell_ratio(CELL_SHARE, rec->cost, pareto->c2c->cost);
	case W_ADDRESS:
	case W_OFFSET:
		return pareto->narrow ? blank() : cell_number(CELL_HEX, line->line->start);
	case W_FWD_SHARE:
		return cell_count(rec->xsnp_fwd);
	case W_LOADS:
		return cell_count(line_loads(rec));
	case W_STORES:
		return cell_count(rec->stores);
	case W_DATA:
		return cell_text(line->data);
	case W_RECORDS:
		return cell_count(rec->samples);
	case W_CPU_COUNT:
		return cell_cpu_count(rec->cpus);
	case W_NODES:
		return cell_number(CELL_BITS, rec->nodes);
	default:
		return blank();
	}
}

static struct cell code_cell(const struct pareto *pareto, const struct c2c_row *row,
			     enum which which)
{
	const struct code_name *code = row->code;

	switch (which) {
	case W_CODE_ADDRESS:
		return cell_number(CELL_HEX, row->access->ip);
	case W_SYMBOL:
		return symbol(pareto, row);
	case W_MODULE:
		return cell_text(code->module);
	case W_SOURCE_LINE:
		return source_line(code);
	case W_PATH:
		return cell_text(code->path);
	case W_INLINED:
		/* The function that was inlined there; none if the code is the symbol's own. */
		return cell_text(code->nr_frames > 1 ? code->function : NULL);
	case W_FILE:
		return cell_text(code->file);
	default:
		return cell_known(code->line, code->line);
	}
}

static struct cell cell(const void *context, size_t at, unsigned int which)
{
	const struct pareto *pareto = context;
	const struct pareto_entry *entry = &pareto->entries[at];
	const struct memlat_status *status = &pareto->c2c->profile->snap.head.status;
	const struct memlat_rec_line *rec = pareto->lines[entry->line].line->line->rec;
	const struct c2c_row *row = entry->row;

	if (!row)
		return line_cell(pareto, entry->line, (enum which)which);
	switch ((enum which)which) {
	case W_INDEX:
		return pareto->text ? blank() : line_cell(pareto, entry->line, W_INDEX);
	case W_ADDRESS:
		return line_cell(pareto, entry->line, W_ADDRESS);
	case W_RHITM_SHARE:
		return cell_ratio(CELL_SHARE, row->rhitm, rec->source[MEMLAT_SRC_RHITM]);
	case W_LHITM_SHARE:
		return cell_ratio(CELL_SHARE, row->hitm, rec->source[MEMLAT_SRC_L3_HITM]);
	case W_L1_HIT_SHARE:
		return cell_ratio(CELL_SHARE, row->store_l1_hit, rec->store_l1_hit);
	case W_L1_MISS_SHARE:
		return cell_ratio(CELL_SHARE, row->stores - row->store_l1_hit,
				  rec->stores - rec->store_l1_hit);
	case W_STORE_NA:
		return cell_none();
	case W_COST:
		return cell_ratio(CELL_SHARE, row->cost, rec->cost);
	case W_OFFSET:
		return cell_number(CELL_OFFSET, row->offset);
	case W_HOME:
		return rec->home == MEMLAT_NODE_UNKNOWN ? cell_none() : cell_count(rec->home);
	case W_PAGES:
		return cell_known(row->pages, row->pages);
	case W_DATA:
		return cell_text(row->data);
	case W_PID:
		return cell_count(row->access->tgid);
	case W_TID:
		return cell_count(row->access->tid);
	case W_CYCLES_RHITM:
		return cell_ratio(CELL_AVERAGE, row->latency_rhitm,
				  imported_timed(status, row->rhitm));
	case W_CYCLES_LHITM:
		return cell_ratio(CELL_AVERAGE, row->latency_hitm,
				  imported_timed(status, row->hitm));
	case W_CYCLES_LOAD:
		return cell_ratio(CELL_AVERAGE, c2c_row_plain_latency(row),
				  imported_timed(status, c2c_row_plain_loads(row)));
	case W_FWD_SHARE:
		return cell_ratio(CELL_SHARE, row->xsnp_fwd, rec->xsnp_fwd);
	case W_LOADS:
		return cell_count(row->samples - row->stores);
	case W_STORES:
		return cell_count(row->stores);
	case W_RECORDS:
		return cell_count(row->samples);
	case W_CPU_COUNT:
		return cell_cpu_count(row->cpus);
	case W_NODES:
		return cell_text(row->node);
	case W_FWD:
		return cell_known(trait_here(status, MEMLAT_TRAIT_XSNP_FWD), row->xsnp_fwd);
	default:
		return code_cell(pareto, row, (enum which)which);
	}
}

#define FIGURE(kind, member)	REPORT_NUMBER_AT(CELL_ ## kind, struct pareto_entry, row, member)
#define COUNT(name, member)	{ .key = (name), FIGURE(COUNT, member) }

/* perf's columns are in perf's order. by: C2C_* that bring the column; 0: it is always there. */
static const struct pareto_column {
	struct report_column column;
	unsigned int by;
} all[] = {
	{ { "index", "Num", false, 3, .which = W_INDEX }, 0 },
	{ { "address", .which = W_ADDRESS }, 0 },
	{ { "remote_hitm_share", "RmtHitm", false, 3, "HITM", .which = W_RHITM_SHARE }, 0 },
	{ { "local_hitm_share", "LclHitm", false, 3, "HITM", .which = W_LHITM_SHARE }, 0 },
	{ { NULL, "or Hitm", false, 3, "LclFwd", .which = W_FWD_SHARE }, 0 },
	{ { NULL, "Loads", false, 3, .which = W_LOADS }, 0 },
	{ { NULL, "Stores", false, 3, .which = W_STORES }, 0 },
	{ { "store_l1_hit_share", "L1 Hit", .group = "Store Refs", .which = W_L1_HIT_SHARE }, 0 },
	{ { "store_l1_miss_share", "L1 Miss", .group = "Store Refs",
	    .which = W_L1_MISS_SHARE }, 0 },
	{ { "store_na_share", "N/A", .group = "Store Refs", .which = W_STORE_NA }, 0 },
	{ { "cost", "Cost", false, 2, .which = W_COST }, 0 },
	{ { "offset", "Offset", false, 3, "Data address", .which = W_OFFSET }, 0 },
	{ { "node", "Node", .group = "Data address", .which = W_HOME }, 0 },
	{ { "pages", "PA cnt", .group = "Data address", .which = W_PAGES }, 0 },
	{ { "data", "Data", true, true, .which = W_DATA }, 0 },
	{ { .key = "data_how", REPORT_WORDS_AT(struct pareto_entry, row, how) }, 0 },
	{ { "pid", "Pid", .which = W_PID }, C2C_PID | C2C_TID },
	{ { "tid", "Tid", .which = W_TID }, C2C_TID },
	{ { "code_address", "Code address", .which = W_CODE_ADDRESS }, C2C_IADDR },
	{ { "cycles_remote_hitm", "rmt hitm", .group = "cycles", .which = W_CYCLES_RHITM }, 0 },
	{ { "cycles_local_hitm", "lcl hitm", .group = "cycles", .which = W_CYCLES_LHITM }, 0 },
	{ { "cycles_load", "load", .group = "cycles", .which = W_CYCLES_LOAD }, 0 },
	{ { "records", "records", .group = "Total", .which = W_RECORDS }, 0 },
	{ { "cpu_count", "cnt", .group = "cpu", .which = W_CPU_COUNT }, 0 },
	{ { "symbol", "Symbol", true, 3, .which = W_SYMBOL }, C2C_IADDR },
	{ { "module", "Shared Object", true, .which = W_MODULE }, C2C_IADDR | C2C_DSO },
	{ { NULL, "Source:Line", true, 3, .which = W_SOURCE_LINE }, C2C_IADDR },
	{ { "node_use", "Node", true, .which = W_NODES }, 0 },
	{ { "path", .which = W_PATH }, C2C_IADDR | C2C_DSO },
	{ { "inlined", .which = W_INLINED }, C2C_IADDR },
	{ { "file", .which = W_FILE }, C2C_IADDR },
	{ { "line", .which = W_LINE_NUMBER }, C2C_IADDR },
	{ COUNT("remote_hitm", rhitm), 0 },
	{ COUNT("local_hitm", hitm), 0 },
	{ { "xsnp_fwd", .which = W_FWD }, 0 },
	{ COUNT("stores", stores), 0 },
	{ COUNT("store_l1_hit", store_l1_hit), 0 },
	{ COUNT("cost_cycles", cost), 0 },
	{ { .key = "cpus", FIGURE(BITS, cpus) }, 0 },
	{ { .key = "nodes", FIGURE(BITS, nodes) }, 0 },
};

#define NR_ALL	(sizeof(all) / sizeof(all[0]))

static void choose_columns(struct pareto *pareto)
{
	const struct c2c_options *options = &pareto->c2c->options;
	size_t i;

	for (i = 0; i < NR_ALL; i++) {
		if (all[i].by && !(all[i].by & options->coalesce))
			continue;
		if (options->no_source && all[i].column.which == W_SOURCE_LINE)
			continue;
		pareto->columns[pareto->nr_columns] = all[i].column;
		if (!c2c_tells(pareto->c2c, all[i].column.which == W_FWD_SHARE ? "xsnp_fwd" :
			       all[i].column.key ? all[i].column.key : ""))
			pareto->columns[pareto->nr_columns].title = NULL;
		pareto->nr_columns++;
	}
}

void pareto_take(struct pareto *pareto, const struct c2c *c2c, bool text)
{
	size_t i, j, nr = 0;

	memset(pareto, 0, sizeof(*pareto));
	pareto->c2c = c2c;
	pareto->text = text;
	choose_columns(pareto);
	pareto->lines = xcalloc(c2c->nr_shown, sizeof(*pareto->lines));
	for (i = 0; i < c2c->nr_shown; i++) {
		c2c_rows_take(&pareto->lines[i], c2c, c2c->first + i);
		nr += 1 + pareto->lines[i].nr_rows;
	}
	pareto->entries = xcalloc(nr, sizeof(*pareto->entries));
	for (i = 0; i < c2c->nr_shown; i++) {
		if (text)
			pareto->entries[pareto->nr_entries++].line = i;
		for (j = 0; j < pareto->lines[i].nr_rows; j++)
			pareto->entries[pareto->nr_entries++] = (struct pareto_entry){
				i, &pareto->lines[i].rows[j],
			};
	}
}

void pareto_free(struct pareto *pareto)
{
	size_t i;

	for (i = 0; pareto->lines && i < pareto->c2c->nr_shown; i++)
		c2c_rows_free(&pareto->lines[i]);
	free(pareto->lines);
	free(pareto->entries);
	pareto->lines = NULL;
	pareto->entries = NULL;
}

struct report pareto_report(const struct pareto *pareto)
{
	return (struct report){
		.key = "rows", .columns = pareto->columns, .nr_columns = pareto->nr_columns,
		.nr_rows = pareto->nr_entries, .context = pareto, .rows = pareto->entries,
		.get_at = cell,
	};
}

void pareto_print_notes(FILE *out, const struct pareto *pareto)
{
	char part[TEXT_NUMBER_MAX], whole[TEXT_NUMBER_MAX];
	__u64 left_out = 0, known = 0, samples = 0;
	size_t i;

	for (i = 0; i < pareto->c2c->nr_shown; i++) {
		const struct c2c_rows *rows = &pareto->lines[i];

		left_out += rows->left_out;
		known += rows->samples;
		samples += rows->line->line->rec->samples;
	}
	if (left_out)
		text_remark(out, out_width(), "(%s row%s with less than 0.1%% of the line's cost, HITM and stores left out; --show-all shows all)",
			    text_count(part, left_out), left_out == 1 ? "" : "s");
	if (known < samples)
		text_remark(out, out_width(), "(rows show %s of these lines' %s samples: the others were evicted; raise --max-memory)",
			    text_count(part, known), text_count(whole, samples));
}

/* The chains of a row, the costliest first; *nr may become 0. */
static struct stack_use *uses_of(const struct c2c_rows *rows, const struct c2c_row *row, size_t *nr)
{
	struct stack_use *uses = xcalloc(row->nr, sizeof(*uses)), none;
	size_t i;

	for (i = 0; i < row->nr; i++) {
		const struct memlat_rec_access *access = rows->accesses[row->first + i];

		uses[i] = (struct stack_use){ access->stack, access->samples, access->cost };
	}
	*nr = stacks_add_up(uses, row->nr, &none);
	if (*nr > CHAINS_SHOWN)
		*nr = CHAINS_SHOWN;
	return uses;
}

static void print_row(FILE *out, const struct stacks *stacks, const struct c2c_rows *rows,
		      const struct c2c_row *row, size_t number)
{
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	struct stack_use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++) {
		fprintf(out, "  %zu +0x%02x: %s samples, %s of the row's cost\n", number,
			row->offset, text_count(samples, uses[i].samples),
			text_share(share, uses[i].cost, row->cost, 1));
		stacks_print_one(out, stacks, uses[i].id);
	}
	free(uses);
}

void pareto_print_chains(FILE *out, const struct pareto *pareto)
{
	const struct c2c *c2c = pareto->c2c;
	struct stacks stacks;
	size_t i, j;

	if (!c2c->profile->snap.nr_stacks) {
		command_say(out, CHAINS_NONE);
		return;
	}
	stacks_take(&stacks, &c2c->profile->snap, c2c->namer);
	fputs("\nCall chains by line and offset\n", out);
	for (i = 0; i < c2c->nr_shown; i++)
		for (j = 0; j < pareto->lines[i].nr_rows; j++)
			print_row(out, &stacks, &pareto->lines[i], &pareto->lines[i].rows[j],
				  c2c->first + i + 1);
	stacks_free(&stacks);
}

struct json_object *c2c_chains_json(const struct stacks *stacks, const struct c2c_rows *rows,
				    const struct c2c_row *row)
{
	struct json_object *list = json_list();
	struct stack_use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++)
		json_append(list, stacks_json(stacks, &uses[i]));
	free(uses);
	return list;
}
