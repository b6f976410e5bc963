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

#define SYMBOL_SHORT	16	/* a name that is no longer keeps its parameters */
#define SYMBOL_WIDTH	30	/* width of perf's Symbol column without --full-symbols */
#define CHAINS_SHOWN	3	/* most chains shown for a row */

/* An empty cell, in a line's own row of a column that is about bytes. */
static struct cell blank(void)
{
	return cell_text("");
}

/* As perf's, without parameters. Those of a short name would take no column's room. */
static struct cell symbol_of(const struct pareto *pareto, const struct c2c_row *row)
{
	static char cut[SYMBOL_WIDTH + sizeof("...")];
	const char *name = c2c_symbol(row->code);
	size_t length;
	char *bare;

	if (!name || !pareto->text || pareto->c2c->options.full_symbols)
		return cell_text(name);
	bare = text_function(name, SYMBOL_SHORT);
	length = strnlen(bare, SYMBOL_WIDTH);
	/* Do not cut a multi-byte character. */
	while (length && (bare[length] & 0xc0) == 0x80)
		length--;
	snprintf(cut, sizeof(cut), "%.*s%s", (int)length, bare, bare[length] ? "..." : "");
	free(bare);
	return cell_text(cut);
}

static struct cell source_line_of(const struct code_name *code)
{
	static char text[512];

	if (!code->file || !code->line)
		return cell_none();
	snprintf(text, sizeof(text), "%s:%u", text_last_part(code->file), code->line);
	return cell_text(text);
}

#define ROW	(of->entries[at].row)
#define CODE	(ROW->code)
#define LINE	(of->lines[of->entries[at].line].line)
#define REC	(LINE->line->rec)
#define STATUS	(&of->c2c->profile->snap.head.status)
/*
 * The cell of a row, and that of a line's own row, which is only in text: its counts, where other
 * rows have their shares of these.
 */
#define CELL(name, of_row, of_line) \
	REPORT_CELL(name, struct pareto, ROW ? (of_row) : (of_line))
#define PART(name, part, whole) \
	CELL(name, cell_ratio(CELL_SHARE, part, whole), cell_count(whole))

static struct cell address_of(const struct pareto *of, const struct c2c_line *line)
{
	return of->narrow ? blank() : cell_number(CELL_HEX, line->line->start);
}

static struct cell index_of(const struct pareto *of, size_t at)
{
	return cell_count(of->c2c->first + of->entries[at].line + 1);
}

CELL(index_cell, of->text ? blank() : index_of(of, at), index_of(of, at))
CELL(address, address_of(of, LINE), address_of(of, LINE))
PART(rhitm_share, ROW->hitm_remote, REC->source[MEMLAT_SRC_RHITM])
PART(lhitm_share, ROW->hitm_local, REC->source[MEMLAT_SRC_L3_HITM])
PART(fwd_share, ROW->xsnp_fwd, REC->xsnp_fwd)
PART(l1_hit_share, ROW->store_l1_hit, REC->store_l1_hit)
PART(l1_miss_share, ROW->stores - ROW->store_l1_hit, REC->stores - REC->store_l1_hit)
CELL(loads, cell_count(ROW->samples - ROW->stores), cell_count(line_loads(REC)))
CELL(stores, cell_count(ROW->stores), cell_count(REC->stores))
CELL(store_na, cell_none(), cell_none())
CELL(cost, cell_ratio(CELL_SHARE, ROW->cost, REC->cost),
     cell_ratio(CELL_SHARE, REC->cost, of->c2c->cost))
CELL(offset, cell_number(CELL_OFFSET, ROW->offset), address_of(of, LINE))
CELL(home, cell_known(REC->home != MEMLAT_NODE_UNKNOWN, REC->home), blank())
CELL(pages, cell_known(ROW->pages, ROW->pages), blank())
CELL(data, cell_text(ROW->data), cell_text(LINE->data))
CELL(pid, cell_count(ROW->access->tgid), blank())
CELL(tid, cell_count(ROW->access->tid), blank())
CELL(code_address, cell_number(CELL_HEX, ROW->access->ip), blank())
CELL(cycles_rhitm, cell_ratio(CELL_AVERAGE, ROW->latency_hitm_remote, imported_timed(STATUS, ROW->hitm_remote)),
     blank())
CELL(cycles_lhitm, cell_ratio(CELL_AVERAGE, ROW->latency_hitm_local, imported_timed(STATUS, ROW->hitm_local)),
     blank())
CELL(cycles_load, cell_ratio(CELL_AVERAGE, c2c_row_plain_latency(ROW),
			     imported_timed(STATUS, c2c_row_plain_loads(ROW))), blank())
CELL(records, cell_count(ROW->samples), cell_count(REC->samples))
CELL(cpu_count, cell_cpu_count(ROW->cpus), cell_cpu_count(REC->cpus))
CELL(nodes, cell_text(ROW->node), cell_number(CELL_BITS, REC->nodes))
CELL(fwd, cell_known(trait_here(STATUS, MEMLAT_TRAIT_XSNP_FWD), ROW->xsnp_fwd), blank())
CELL(symbol, symbol_of(of, ROW), blank())
CELL(module, cell_text(CODE->module), blank())
CELL(source_line, source_line_of(CODE), blank())
CELL(path, cell_text(CODE->path), blank())
/* The function that was inlined there; none if the code is the symbol's own. */
CELL(inlined, cell_text(CODE->nr_frames > 1 ? CODE->function : NULL), blank())
CELL(file, cell_text(CODE->file), blank())
CELL(file_line, cell_known(CODE->line, CODE->line), blank())

#define FIGURE(kind, member)	REPORT_NUMBER_AT(CELL_ ## kind, struct pareto_entry, row, member)
#define COUNT(name, member)	{ .key = (name), FIGURE(COUNT, member) }

/* perf's columns are in perf's order. by: C2C_* that bring the column; 0: it is always there. */
static const struct pareto_column {
	struct report_column column;
	unsigned int by;
} all[] = {
	{ { "index", "Num", false, 3, .get = index_cell }, 0 },
	{ { "address", .get = address }, 0 },
	{ { "remote_hitm_share", "RmtHitm", false, 3, "HITM", .get = rhitm_share }, 0 },
	{ { "local_hitm_share", "LclHitm", false, 3, "HITM", .get = lhitm_share }, 0 },
	{ { NULL, "or Hitm", false, 3, "LclFwd", .get = fwd_share }, 0 },
	{ { NULL, "Loads", false, 3, .get = loads }, 0 },
	{ { NULL, "Stores", false, 3, .get = stores }, 0 },
	{ { "store_l1_hit_share", "L1 Hit", .group = "Store Refs", .get = l1_hit_share }, 0 },
	{ { "store_l1_miss_share", "L1 Miss", .group = "Store Refs",
	    .get = l1_miss_share }, 0 },
	{ { "store_na_share", "N/A", .group = "Store Refs", .get = store_na }, 0 },
	{ { "cost", "Cost", false, 2, .get = cost }, 0 },
	{ { "offset", "Offset", false, 3, "Data address", .get = offset }, 0 },
	{ { "node", "Node", .group = "Data address", .get = home }, 0 },
	{ { "pages", "PA cnt", .group = "Data address", .get = pages }, 0 },
	{ { "data", "Data", true, true, .get = data }, 0 },
	{ { .key = "data_how", REPORT_WORDS_AT(struct pareto_entry, row, how) }, 0 },
	{ { "pid", "Pid", .get = pid }, C2C_PID | C2C_TID },
	{ { "tid", "Tid", .get = tid }, C2C_TID },
	{ { "code_address", "Code address", .get = code_address }, C2C_IADDR },
	{ { "cycles_remote_hitm", "rmt hitm", .group = "cycles", .get = cycles_rhitm }, 0 },
	{ { "cycles_local_hitm", "lcl hitm", .group = "cycles", .get = cycles_lhitm }, 0 },
	{ { "cycles_load", "load", .group = "cycles", .get = cycles_load }, 0 },
	{ { "records", "records", .group = "Total", .get = records }, 0 },
	{ { "cpu_count", "cnt", .group = "cpu", .get = cpu_count }, 0 },
	{ { "symbol", "Symbol", true, 3, .get = symbol }, C2C_IADDR },
	{ { "module", "Shared Object", true, .get = module }, C2C_IADDR | C2C_DSO },
	{ { NULL, "Source:Line", true, 3, .get = source_line }, C2C_IADDR },
	{ { "node_use", "Node", true, .get = nodes }, 0 },
	{ { "path", .get = path }, C2C_IADDR | C2C_DSO },
	{ { "inlined", .get = inlined }, C2C_IADDR },
	{ { "file", .get = file }, C2C_IADDR },
	{ { "line", .get = file_line }, C2C_IADDR },
	{ COUNT("remote_hitm", hitm_remote), 0 },
	{ COUNT("local_hitm", hitm_local), 0 },
	{ { "xsnp_fwd", .get = fwd }, 0 },
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
		const char *key = all[i].column.get == fwd_share ? "xsnp_fwd" : all[i].column.key;

		if (all[i].by && !(all[i].by & options->coalesce))
			continue;
		if (options->no_source && all[i].column.get == source_line)
			continue;
		pareto->columns[pareto->nr_columns] = all[i].column;
		/* What is not told of a source is not told of its cycles either. */
		if (key && !c2c_tells(pareto->c2c, strncmp(key, "cycles_", 7) ? key : key + 7))
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
