// SPDX-License-Identifier: GPL-2.0
#include "c2c_pareto.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/trait.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "where.h"

#define SYMBOL_WIDTH	30	/* width of perf's Symbol column without --full-symbols */

static const struct pareto_entry *entry_at(const void *context, size_t row)
{
	const struct pareto *pareto = context;

	return &pareto->entries[row];
}

static const struct memlat_rec_line *rec_at(const void *context, size_t row)
{
	const struct pareto *pareto = context;

	return pareto->lines[entry_at(context, row)->line].line->line->rec;
}

/* An empty cell, in a line's own row of a column that is about bytes. */
static struct cell blank(void)
{
	return cell_text("");
}

static struct cell num(const void *context, size_t row)
{
	const struct pareto *pareto = context;

	if (pareto->text && entry_at(context, row)->row)
		return blank();
	return cell_count(pareto->c2c->first + entry_at(context, row)->line + 1);
}

static struct cell address(const void *context, size_t row)
{
	const struct pareto *pareto = context;

	return cell_number(CELL_HEX,
			   pareto->lines[entry_at(context, row)->line].line->line->start);
}

/* A share of the line's count. In the line's own row it is that count. */
static struct cell share(const void *context, size_t at, __u64 part, __u64 whole)
{
	return entry_at(context, at)->row ? cell_ratio(CELL_SHARE, part, whole) : cell_count(whole);
}

#define ROW_OR(member, nothing) \
	(entry_at(context, at)->row ? entry_at(context, at)->row->member : (nothing))

static struct cell cost(const void *context, size_t at)
{
	const struct pareto *pareto = context;

	if (!entry_at(context, at)->row)
		return cell_ratio(CELL_SHARE, rec_at(context, at)->cost, pareto->c2c->cost);
	return share(context, at, ROW_OR(cost, 0), rec_at(context, at)->cost);
}

static struct cell remote_hitm_share(const void *context, size_t at)
{
	return share(context, at, ROW_OR(rhitm, 0),
		     rec_at(context, at)->source[MEMLAT_SRC_RHITM]);
}

static struct cell local_hitm_share(const void *context, size_t at)
{
	return share(context, at, ROW_OR(hitm, 0),
		     rec_at(context, at)->source[MEMLAT_SRC_L3_HITM]);
}

static struct cell l1_hit_share(const void *context, size_t at)
{
	return share(context, at, ROW_OR(store_l1_hit, 0), rec_at(context, at)->store_l1_hit);
}

static struct cell l1_miss_share(const void *context, size_t at)
{
	const struct memlat_rec_line *rec = rec_at(context, at);

	return share(context, at, ROW_OR(stores, 0) - ROW_OR(store_l1_hit, 0),
		     rec->stores - rec->store_l1_hit);
}

static struct cell no_level(const void *context, size_t at)
{
	(void)context;
	(void)at;
	return cell_none();
}

static struct cell offset(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return row ? cell_number(CELL_OFFSET, row->offset) : address(context, at);
}

static struct cell home(const void *context, size_t at)
{
	const struct memlat_rec_line *rec = rec_at(context, at);

	if (!entry_at(context, at)->row)
		return blank();
	return rec->home == MEMLAT_NODE_UNKNOWN ? cell_none() : cell_count(rec->home);
}

static struct cell count_or_blank(const void *context, size_t at, __u64 count)
{
	return entry_at(context, at)->row ? cell_count(count) : blank();
}

static struct cell pages(const void *context, size_t at)
{
	__u64 count = ROW_OR(pages, 1);

	return count ? count_or_blank(context, at, count) : cell_none();
}

static struct cell pid(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return count_or_blank(context, at, row ? row->access->tgid : 0);
}

static struct cell tid(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return count_or_blank(context, at, row ? row->access->tid : 0);
}

static struct cell code_address(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return row ? cell_number(CELL_HEX, row->access->ip) : blank();
}

static struct cell average(const void *context, size_t at, __u64 sum, __u64 nr)
{
	return entry_at(context, at)->row ? cell_ratio(CELL_AVERAGE, sum, nr) : blank();
}

static struct cell cycles_remote(const void *context, size_t at)
{
	return average(context, at, ROW_OR(latency_rhitm, 0), ROW_OR(rhitm, 0));
}

static struct cell cycles_local(const void *context, size_t at)
{
	return average(context, at, ROW_OR(latency_hitm, 0), ROW_OR(hitm, 0));
}

static struct cell cycles_load(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return row ? average(context, at, c2c_row_plain_latency(row), c2c_row_plain_loads(row)) :
		     blank();
}

static struct cell records(const void *context, size_t at)
{
	return cell_count(ROW_OR(samples, rec_at(context, at)->samples));
}

static struct cell cpus(const void *context, size_t at)
{
	return cell_count((__u64)__builtin_popcountll(ROW_OR(cpus, rec_at(context, at)->cpus)));
}

static struct cell symbol(const void *context, size_t at)
{
	static char cut[SYMBOL_WIDTH + sizeof("...")];
	const struct pareto *pareto = context;
	const struct c2c_row *row = entry_at(context, at)->row;
	const char *name;
	size_t length = SYMBOL_WIDTH;

	if (!row)
		return blank();
	name = c2c_symbol(row->code);
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

static struct cell shared_object(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return row ? cell_text(row->code->module) : blank();
}

static struct cell source_line(const void *context, size_t at)
{
	static char text[512];
	const struct c2c_row *row = entry_at(context, at)->row;

	if (!row)
		return blank();
	if (!row->code->file || !row->code->line)
		return cell_none();
	snprintf(text, sizeof(text), "%s:%u", where_last_part(row->code->file), row->code->line);
	return cell_text(text);
}

static struct cell node(const void *context, size_t at)
{
	const struct c2c_row *row = entry_at(context, at)->row;

	return row ? cell_text(row->node) : cell_number(CELL_BITS, rec_at(context, at)->nodes);
}

static struct cell data(const void *context, size_t at)
{
	const struct pareto *pareto = context;
	const struct pareto_entry *entry = entry_at(context, at);

	return cell_text(entry->row ? entry->row->data :
				      pareto->lines[entry->line].line->data);
}

static struct cell path(const void *context, size_t at)
{
	return cell_text(entry_at(context, at)->row->code->path);
}

/* The function that was inlined there; none if the code is the symbol's own. */
static struct cell inlined(const void *context, size_t at)
{
	const struct code_name *code = entry_at(context, at)->row->code;

	return code->nr_frames > 1 ? cell_text(code->function) : cell_none();
}

static struct cell file(const void *context, size_t at)
{
	return cell_text(entry_at(context, at)->row->code->file);
}

static struct cell line_number(const void *context, size_t at)
{
	unsigned int line = entry_at(context, at)->row->code->line;

	return line ? cell_count(line) : cell_none();
}

static struct cell forwarded(const void *context, size_t at)
{
	const struct pareto *pareto = context;

	return trait_here(&pareto->c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD) ?
	       cell_count(entry_at(context, at)->row->xsnp_fwd) : cell_none();
}

#define COLUMN(name, above, heading, cell) \
	{ .key = (name), .group = (above), .title = (heading), .get = (cell) }
#define KEPT(name, above, heading, words, cell) \
	{ .key = (name), .group = (above), .title = (heading), .left = (words), \
	  .keep = true, .get = (cell) }
#define WORDS(name, heading, cell) \
	{ .key = (name), .title = (heading), .left = true, .get = (cell) }
#define HIDDEN(name, cell) { .key = (name), .get = (cell) }	/* not in text */
#define FIGURE(kind, member)	REPORT_NUMBER_AT(CELL_ ## kind, struct pareto_entry, row, member)
#define COUNT(name, member)	{ .key = (name), FIGURE(COUNT, member) }

/* perf's columns are in perf's order. by: C2C_* that bring the column; 0: it is always there. */
static const struct pareto_column {
	struct report_column column;
	unsigned int by;
} all[] = {
	{ KEPT("index", NULL, "Num", false, num), 0 },
	{ HIDDEN("address", address), 0 },
	{ KEPT("remote_hitm_share", "HITM", "RmtHitm", false, remote_hitm_share), 0 },
	{ KEPT("local_hitm_share", "HITM", "LclHitm", false, local_hitm_share), 0 },
	{ COLUMN("store_l1_hit_share", "Store Refs", "L1 Hit", l1_hit_share), 0 },
	{ COLUMN("store_l1_miss_share", "Store Refs", "L1 Miss", l1_miss_share), 0 },
	{ COLUMN("store_na_share", "Store Refs", "N/A", no_level), 0 },
	{ KEPT("cost", NULL, "Cost", false, cost), 0 },
	{ KEPT("offset", "Data address", "Offset", false, offset), 0 },
	{ COLUMN("node", "Data address", "Node", home), 0 },
	{ COLUMN("pages", "Data address", "PA cnt", pages), 0 },
	{ KEPT("data", NULL, "Data", true, data), 0 },
	{ { .key = "data_how", REPORT_WORDS_AT(struct pareto_entry, row, how) }, 0 },
	{ COLUMN("pid", NULL, "Pid", pid), C2C_PID | C2C_TID },
	{ COLUMN("tid", NULL, "Tid", tid), C2C_TID },
	{ COLUMN("code_address", NULL, "Code address", code_address), C2C_IADDR },
	{ COLUMN("cycles_remote_hitm", "cycles", "rmt hitm", cycles_remote), 0 },
	{ COLUMN("cycles_local_hitm", "cycles", "lcl hitm", cycles_local), 0 },
	{ COLUMN("cycles_load", "cycles", "load", cycles_load), 0 },
	{ COLUMN("records", "Total", "records", records), 0 },
	{ COLUMN("cpu_count", "cpu", "cnt", cpus), 0 },
	{ KEPT("symbol", NULL, "Symbol", true, symbol), C2C_IADDR },
	{ WORDS("module", "Shared Object", shared_object), C2C_IADDR | C2C_DSO },
	{ WORDS(NULL, "Source:Line", source_line), C2C_IADDR },
	{ WORDS("node_use", "Node", node), 0 },
	{ HIDDEN("path", path), C2C_IADDR | C2C_DSO },
	{ HIDDEN("inlined", inlined), C2C_IADDR },
	{ HIDDEN("file", file), C2C_IADDR },
	{ HIDDEN("line", line_number), C2C_IADDR },
	{ COUNT("remote_hitm", rhitm), 0 },
	{ COUNT("local_hitm", hitm), 0 },
	{ HIDDEN("xsnp_fwd", forwarded), 0 },
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
		if (options->no_source && all[i].column.get == source_line)
			continue;
		pareto->columns[pareto->nr_columns++] = all[i].column;
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
		fprintf(out, "(%s row%s with less than 0.1%% of the line's cost, HITM and stores left out; --show-all shows all)\n",
			text_count(part, left_out), left_out == 1 ? "" : "s");
	if (known < samples)
		fprintf(out, "(rows show %s of these lines' %s samples: the others were evicted; raise --max-memory)\n",
			text_count(part, known), text_count(whole, samples));
}
