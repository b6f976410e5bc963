// SPDX-License-Identifier: GPL-2.0
#include "c2c_pareto.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "row.h"
#include "stacks.h"

#define SYMBOL_SHORT	16	/* a name that is no longer keeps its parameters */
#define SYMBOL_WIDTH	30	/* width of perf's Symbol column without --display symbols */
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
#define SUM	(ROW->sum)
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
PART(remote_share, SUM.hitm_remote, REC->source[MEMLAT_SRC_RHITM])
PART(local_share, sums_local(&SUM), REC->source[MEMLAT_SRC_L3_HITM])
PART(fwd_share, SUM.fwd, REC->xsnp_fwd)
PART(l1_hit_share, SUM.store_l1_hit, REC->store_l1_hit)
PART(l1_miss_share, SUM.stores - SUM.store_l1_hit, REC->stores - REC->store_l1_hit)
CELL(loads, cell_count(sums_loads(&SUM)), cell_count(line_loads(REC)))
CELL(stores, cell_count(SUM.stores), cell_count(REC->stores))
CELL(store_na, cell_none(), cell_none())
CELL(cost, cell_ratio(CELL_SHARE, SUM.cost, REC->cost),
     cell_ratio(CELL_SHARE, REC->cost, of->c2c->cost))
CELL(offset, cell_number(CELL_OFFSET, ROW->offset), address_of(of, LINE))
CELL(home, cell_known(REC->home != MEMLAT_NODE_UNKNOWN, REC->home), blank())
CELL(pages, cell_known(ROW->pages, ROW->pages), blank())
CELL(data, cell_text(ROW->data), cell_text(LINE->data))
CELL(pid, cell_count(ROW->access->tgid), blank())
CELL(tid, cell_count(ROW->access->tid), blank())
CELL(ip, cell_number(CELL_HEX, ROW->access->ip), blank())
CELL(remote_average, cell_ratio(CELL_AVERAGE, ROW->latency_remote,
				imported_timed(STATUS, SUM.hitm_remote)), blank())
CELL(local_average, cell_ratio(CELL_AVERAGE, ROW->latency_local,
			       imported_timed(STATUS, sums_local(&SUM))), blank())
CELL(other_average, cell_ratio(CELL_AVERAGE, c2c_row_plain_latency(ROW),
			       imported_timed(STATUS, c2c_row_plain_loads(ROW))), blank())
CELL(samples, cell_count(SUM.samples), cell_count(REC->samples))
CELL(cpu_count, cell_cpu_count(SUM.cpus), cell_cpu_count(REC->cpus))
CELL(nodes, cell_text(ROW->node), cell_number(CELL_BITS, REC->nodes))
CELL(fwd, cell_known(trait_here(STATUS, MEMLAT_TRAIT_XSNP_FWD), SUM.fwd), blank())
CELL(local, cell_count(sums_local(&SUM)), blank())
CELL(symbol, symbol_of(of, ROW), blank())
CELL(module, cell_text(CODE->module), blank())
CELL(source_line, source_line_of(CODE), blank())
CELL(path, cell_text(CODE->path), blank())
/* The function that was inlined there; none if the code is the symbol's own. */
CELL(inlined, cell_text(CODE->nr_frames > 1 ? CODE->function : NULL), blank())
CELL(file, cell_text(CODE->file), blank())
CELL(file_line, cell_known(CODE->line, CODE->line), blank())

#define FIGURE(kind, member)	REPORT_NUMBER_AT(CELL_ ## kind, struct pareto_entry, row, member)

/*
 * perf's columns are in perf's order. by: C2C_* that bring the column; 0: it is always there. of: the
 * HITM loads or forwards that it is about, see c2c_tells().
 */
static const struct pareto_column {
	struct report_column column;
	unsigned int by, of;
} all[] = {
	{ .column = { .figure = F_LINE_RANK, .title = "Num", .keep = 3, .get = index_cell } },
	{ .column = { .figure = F_LINE | ONLY_DATA, .get = address } },
	{ .column = { "hitm_remote_share", "RmtHitm", false, 3, "HITM", .get = remote_share }, .of = F_HITM_REMOTE },
	{ .column = { "hitm_local_share", "LclHitm", false, 3, "HITM", .get = local_share }, .of = F_HITM_LOCAL },
	{ .column = { NULL, "or Hitm", false, 3, "LclFwd", .get = fwd_share }, .of = F_FWD },
	{ .column = { .figure = F_LOADS, .title = "Loads", .keep = 3, .get = loads } },
	{ .column = { .figure = F_STORES, .title = "Stores", .keep = 3, .get = stores } },
	{ .column = { "store_l1_hit_share", "L1 Hit", .group = "Store Refs", .get = l1_hit_share } },
	{ .column = { "store_l1_miss_share", "L1 Miss", .group = "Store Refs", .get = l1_miss_share } },
	{ .column = { "store_na_share", "N/A", .group = "Store Refs", .get = store_na } },
	{ .column = { "line_share", "Cost", false, 2, .get = cost } },
	{ .column = { "line_offset", "Offset", false, 3, "Data address", .get = offset } },
	{ .column = { .figure = F_HOME, .title = "Node", .group = "Data address", .get = home } },
	{ .column = { .figure = F_PAGES, .title = "PA cnt", .group = "Data address", .get = pages } },
	{ .column = { .figure = F_DATA_NAME, .title = "Data", .left = true, .keep = true, .get = data } },
	{ .column = { .figure = F_DATA_HOW, REPORT_WORDS_AT(struct pareto_entry, row, how) } },
	{ .column = { .figure = F_PID, .title = "Pid", .get = pid }, C2C_PID | C2C_TID },
	{ .column = { .figure = F_TID, .title = "Tid", .get = tid }, .by = C2C_TID },
	{ .column = { .figure = F_IP, .title = "Code address", .get = ip }, .by = C2C_IADDR },
	{ .column = { "hitm_remote_latency_avg", "rmt hitm", .group = "cycles", .get = remote_average }, .of = F_HITM_REMOTE },
	{ .column = { "hitm_local_latency_avg", "lcl hitm", .group = "cycles", .get = local_average }, .of = F_HITM_LOCAL },
	{ .column = { "other_latency_avg", "load", .group = "cycles", .get = other_average } },
	{ .column = { .figure = F_SAMPLES, .title = "records", .group = "Total", .get = samples } },
	{ .column = { .figure = F_CPU_COUNT, .title = "cnt", .group = "cpu", .get = cpu_count } },
	{ .column = { .figure = F_SYMBOL, .title = "Symbol", .left = true, .keep = 3, .get = symbol }, .by = C2C_IADDR },
	{ .column = { .figure = F_MODULE, .title = "Shared Object", .get = module }, C2C_IADDR | C2C_DSO },
	{ .column = { NULL, "Source:Line", true, 3, .get = source_line }, .by = C2C_IADDR },
	{ .column = { "node_use", "Node", true, .get = nodes } },
	{ .column = { .figure = F_PATH, .get = path }, C2C_IADDR | C2C_DSO },
	{ .column = { "inlined", .get = inlined }, .by = C2C_IADDR },
	{ .column = { .figure = F_FILE, .get = file }, .by = C2C_IADDR },
	{ .column = { .figure = F_FILE_LINE, .get = file_line }, .by = C2C_IADDR },
	{ .column = { .figure = F_HITM_REMOTE | ONLY_DATA, FIGURE(COUNT, sum.hitm_remote) } },
	{ .column = { .figure = F_HITM_LOCAL | ONLY_DATA, .get = local } },
	{ .column = { .figure = F_FWD | ONLY_DATA, .get = fwd } },
	{ .column = { .figure = F_STORE_L1_HIT, FIGURE(COUNT, sum.store_l1_hit) } },
	{ .column = { .figure = F_COST_CYCLES, FIGURE(COUNT, sum.cost) } },
	{ .column = { .figure = F_CPUS, FIGURE(BITS, sum.cpus) } },
	{ .column = { .figure = F_NODES | ONLY_DATA, FIGURE(BITS, sum.nodes) } },
};

static void choose_columns(struct pareto *pareto)
{
	const struct c2c_options *options = &pareto->c2c->options;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct report_column *added;

		if (all[i].by && !(all[i].by & options->coalesce))
			continue;
		if (options->no_source && all[i].column.get == source_line)
			continue;
		added = report_table_add(&pareto->table, all[i].column);
		if (!c2c_tells(pareto->c2c, all[i].of))
			added->title = NULL;
	}
}

void pareto_take(struct pareto *pareto, const struct c2c *c2c, bool text)
{
	size_t i, j, nr = 0;

	memset(pareto, 0, sizeof(*pareto));
	pareto->c2c = c2c;
	pareto->text = text;
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
	report_table_begin(&pareto->table, pareto, "rows", NULL, pareto->nr_entries, pareto->nr_entries);
	pareto->table.report.rows = pareto->entries;
	choose_columns(pareto);
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
		text_remark(out, out_width(), "(%s row%s with less than 0.1%% of the line's cost, HITM and stores left out; -d all shows all)",
			    text_count(part, left_out), left_out == 1 ? "" : "s");
	if (known < samples)
		text_remark(out, out_width(), "(rows show %s of these lines' %s samples: the others were evicted; raise --max-memory)",
			    text_count(part, known), text_count(whole, samples));
}

/* The chains of a row, the costliest first; *nr may become 0. */
static struct stack_use *uses_of(const struct c2c_rows *rows, const struct c2c_row *row, size_t *nr)
{
	struct pivot chains = PIVOT(struct stack_use);
	struct stack_use *uses;
	size_t i;

	for (i = 0; i < row->sum.nr; i++)
		chains_add(&chains, rows->accesses[row->first + i]);
	uses = chains_end(&chains, nr);
	*nr = report_limit(CHAINS_SHOWN, *nr);
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
			row->offset, text_count(samples, uses[i].sum.samples),
			text_share(share, uses[i].sum.cost, row->sum.cost, 1));
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
