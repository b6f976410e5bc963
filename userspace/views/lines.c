// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

#include <string.h>

#include "filter.h"
#include "quality.h"
#include "row.h"
#include "table.h"
#include "text.h"

#define OFFSETS_MAX	(MEMLAT_LINE_SLOTS * 16)
#define HOT_PERCENT	20	/* of a line's loads: at most five slots have that */

/* In the order of their worth: a narrow terminal loses the last ones. */
enum column {
	C_RANK, C_COST, C_LINE, C_RHITM, C_LHITM, C_LOADS, C_STORES, C_AVG,
	C_NODES, C_PROCESS, C_OFFSETS, C_STORED, C_HOME, C_CPUS, C_MAX,
	C_WEIGHT, C_PHYS, C_NR
};

static const struct table_column columns[C_NR] = {
	[C_RANK]	= { "#", true },
	[C_COST]	= { "cost", true },
	[C_LINE]	= { "line", true },
	[C_RHITM]	= { "HITM rmt", true },
	[C_LHITM]	= { "HITM lcl", true },
	[C_LOADS]	= { "loads", true },
	[C_STORES]	= { "stores", true },
	[C_AVG]		= { "avg cyc", true },
	[C_NODES]	= { "nodes", false },
	[C_PROCESS]	= { "process", false },
	[C_OFFSETS]	= { "offsets (of loads)", false },
	[C_STORED]	= { "stored at", false },
	[C_HOME]	= { "home", true },
	[C_CPUS]	= { "CPUs", true },
	[C_MAX]		= { "max cyc", true },
	[C_WEIGHT]	= { "est. accesses", true },
	[C_PHYS]	= { "phys", true },
};

/* The columns that this session has something for. */
struct choice {
	const struct lines_view *view;
	__u64 cost;		/* of everything */
	size_t nr;
	size_t nr_keep;
	enum column column[C_NR];
	struct table_column title[C_NR];
};

static bool wanted(const struct lines_view *view, enum column column)
{
	__u32 flags = view->snap->head.status.flags;

	switch (column) {
	case C_COST:
	case C_RHITM:
	case C_LHITM:
	case C_LOADS:
	case C_AVG:
	case C_OFFSETS:
	case C_MAX:
		return filter_loads(flags);
	case C_STORES:
	case C_STORED:
		return filter_stores(flags);
	case C_HOME:
	case C_PHYS:
		return flags & MEMLAT_F_PHYS;
	default:
		return true;
	}
}

static void choose(struct choice *choice, const struct lines_view *view)
{
	enum column column;

	memset(choice, 0, sizeof(*choice));
	choice->view = view;
	choice->cost = snapshot_cost(view->snap);
	for (column = 0; column < C_NR; column++) {
		if (!wanted(view, column))
			continue;
		choice->column[choice->nr] = column;
		choice->title[choice->nr++] = columns[column];
		if (column <= C_STORES)
			choice->nr_keep = choice->nr;
	}
}

size_t lines_shown(const struct lines_view *view)
{
	size_t nr = view->snap->nr_lines;

	return view->show && view->show < nr ? view->show : nr;
}

/* "+0x00 52% +0x08 48%": slots with at least so many parts in a hundred. */
static char *offsets_text(char buffer[OFFSETS_MAX],
			  const __u64 slot[MEMLAT_LINE_SLOTS], double least)
{
	double total = 0;	/* of which no share can be above 100% */
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		total += (double)slot[i];
	buffer[0] = '\0';
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		double percent;

		if (!slot[i])
			continue;
		percent = 100.0 * (double)slot[i] / total;
		if (percent < least)
			continue;
		used += (size_t)snprintf(buffer + used, OFFSETS_MAX - used,
					 "%s+0x%02x %.0f%%", used ? " " : "",
					 i * 8, percent);
	}
	if (!used && total > 0)
		snprintf(buffer, OFFSETS_MAX, "spread");
	return buffer;
}

static char *cell(const void *context, size_t row, size_t at)
{
	const struct choice *choice = context;
	const struct memlat_rec_line *line = &choice->view->snap->lines[row];
	char list[TEXT_LIST_MAX], offsets[OFFSETS_MAX];

	switch (choice->column[at]) {
	case C_RANK:
		return row_number(row + 1);
	case C_COST:
		return row_share(line->cost, choice->cost);
	case C_LINE:
		return row_hex(line->addr);
	case C_RHITM:
		return row_number(line->source[MEMLAT_SRC_RHITM]);
	case C_LHITM:
		return row_number(line->source[MEMLAT_SRC_L3_HITM]);
	case C_LOADS:
		return row_number(line_loads(line));
	case C_STORES:
		return row_number(line->stores);
	case C_AVG:
		return row_average(line->latency_sum, line_loads(line));
	case C_NODES:
		return row_text(text_bits(list, line->nodes));
	case C_PROCESS:
		return row_process(line->comm, line->space, line->shared);
	case C_OFFSETS:
		return row_text(offsets_text(offsets, line->slot, HOT_PERCENT));
	case C_STORED:
		return row_text(offsets_text(offsets, line->slot_store,
					     HOT_PERCENT));
	case C_HOME:
		return line->home == MEMLAT_NODE_UNKNOWN ? row_text("-") :
							   row_number(line->home);
	case C_CPUS:
		return row_number((__u64)__builtin_popcountll(line->cpus));
	case C_MAX:
		return row_number(line->latency_max);
	case C_WEIGHT:
		return row_number(line->weight);
	default:
		return line->phys ? row_hex(line->phys) : row_text("-");
	}
}

static const char *plural(__u64 mask)
{
	return mask & (mask - 1) ? "s" : "";
}

/* The first line in words, when its samples leave little to doubt. */
static void print_reading(FILE *out, const struct snapshot *snap)
{
	const struct memlat_rec_line *line = &snap->lines[0];
	enum line_reading reading;
	struct line_slots slots;
	char hitm[TEXT_NUMBER_MAX], loads[TEXT_NUMBER_MAX];
	char nodes[TEXT_LIST_MAX], offsets[OFFSETS_MAX];

	slots_of_line(snap, line, &slots);
	reading = line_read(line, &slots);
	if (reading == LINE_PLAIN)
		return;
	fprintf(out, "\nLine 1: %s of %s loads came out of another core's modified copy (HITM), on node%s %s,\n"
		"at %s (of the HITM loads)",
		text_count(hitm, line_hitm(line)),
		text_count(loads, line_loads(line)), plural(line->hitm_nodes),
		text_bits(nodes, line->hitm_nodes),
		offsets_text(offsets, slots.hitm, 1));
	if (line->stores >= LINE_STORES_LEAST)
		fprintf(out, "; stores, on node%s %s, go to\n%s",
			plural(line->store_nodes),
			text_bits(nodes, line->store_nodes),
			offsets_text(offsets, slots.store, 1));
	fprintf(out, ": likely %s sharing.\n",
		reading == LINE_FALSE_SHARING ? "false" : "true");
	if (reading == LINE_TRUE_SHARING)
		fputs("All within 8 bytes: CPUs take turns at one variable, such as a lock or a shared counter.\n",
		      out);
	else if (line_written_elsewhere(line, &slots))
		fputs("What is read is not what is written: if these are different variables, pad them or move them apart.\n",
		      out);
	else
		fputs("If these are different variables, they share only the line: pad them or move them apart.\n",
		      out);
}

struct quality_table lines_quality(const struct lines_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;

	return (struct quality_table){
		.what = "lines",
		.order = line_order_name(view->order),
		.shown = lines_shown(view),
		.total = view->snap->nr_lines,
		.evicted = status->lines_evicted,
		.error = status->lines_error,
	};
}

int lines_print(FILE *out, const struct lines_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;
	const struct quality_table quality = lines_quality(view);
	struct choice choice;
	int ret;

	/* Before the first start the quality line would be all zeros. */
	if (status->started_ns)
		quality_print(out, status);
	if (!status->samples) {
		quality_print_hint(out, status);
		return 0;
	}
	fputc('\n', out);
	if (view->snap->nr_lines) {
		struct table_source source = {
			.nr_rows = lines_shown(view),
			.cell = cell,
			.context = &choice,
		};

		choose(&choice, view);
		source.columns = choice.title;
		source.nr_columns = choice.nr;
		source.nr_keep = choice.nr_keep;
		ret = table_print_from(out, &source, view->width);
		if (ret)
			return ret;
	}
	quality_print_table(out, status, &quality);
	if (view->snap->nr_lines)
		print_reading(out, view->snap);
	return 0;
}
