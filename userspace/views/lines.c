// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/account.h"
#include "quality.h"
#include "table.h"
#include "text.h"

#define OFFSETS_MAX	(MEMLAT_LINE_SLOTS * 16)
#define HOT_PERCENT	20	/* of a line's loads: at most five slots have that */

/* In the order of their worth: a narrow terminal loses the last ones. */
enum column {
	C_RANK, C_COST, C_LINE, C_RHITM, C_LHITM, C_LOADS, C_AVG, C_NODES,
	C_PROCESS, C_OFFSETS, C_CPUS, C_MAX, C_NR
};

static const struct table_column columns[C_NR] = {
	[C_RANK]	= { "#", true },
	[C_COST]	= { "cost", true },
	[C_LINE]	= { "line", true },
	[C_RHITM]	= { "HITM rmt", true },
	[C_LHITM]	= { "HITM lcl", true },
	[C_LOADS]	= { "loads", true },
	[C_AVG]		= { "avg cyc", true },
	[C_NODES]	= { "nodes", false },
	[C_PROCESS]	= { "process", false },
	[C_OFFSETS]	= { "offsets (of loads)", false },
	[C_CPUS]	= { "CPUs", true },
	[C_MAX]		= { "max cyc", true },
};

static size_t shown(const struct lines_view *view)
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

/* With a zero byte at its end, whatever the stream held. */
static const char *comm_of(const struct memlat_rec_line *line,
			   char name[MEMLAT_COMM_BYTES + 1])
{
	memcpy(name, line->comm, MEMLAT_COMM_BYTES);
	name[MEMLAT_COMM_BYTES] = '\0';
	return name;
}

static char *process_text(const struct memlat_rec_line *line)
{
	char name[MEMLAT_COMM_BYTES + 1], safe[4 * sizeof(name)];
	char *text;
	int ret;

	if (!line->space)
		ret = asprintf(&text, "kernel");
	else
		ret = asprintf(&text, "%s:%u",
			       text_escape(safe, sizeof(safe), comm_of(line, name)),
			       line->space);
	return ret < 0 ? NULL : text;
}

/* One cell as newly allocated text; NULL when there is no memory. */
static char *cell_text(const struct lines_view *view, size_t row,
		       enum column column)
{
	const struct memlat_rec_line *line = &view->snap->lines[row];
	char number[TEXT_NUMBER_MAX], list[TEXT_LIST_MAX];
	char offsets[OFFSETS_MAX], *text;
	int ret;

	switch (column) {
	case C_RANK:
		ret = asprintf(&text, "%zu", row + 1);
		break;
	case C_COST:
		ret = asprintf(&text, "%s",
			       text_share(number, line->latency_sum,
					  view->snap->head.status.latency_sum, 1));
		break;
	case C_LINE:
		ret = asprintf(&text, "0x%llx", line->addr);
		break;
	case C_RHITM:
		ret = asprintf(&text, "%s",
			       text_count(number, line->source[MEMLAT_SRC_RHITM]));
		break;
	case C_LHITM:
		ret = asprintf(&text, "%s",
			       text_count(number, line->source[MEMLAT_SRC_L3_HITM]));
		break;
	case C_LOADS:
		ret = asprintf(&text, "%s", text_count(number, line->samples));
		break;
	case C_AVG:
		ret = asprintf(&text, "%s", line->samples ?
			       text_count(number, line->latency_sum / line->samples) :
			       "-");
		break;
	case C_MAX:
		ret = asprintf(&text, "%s", text_count(number, line->latency_max));
		break;
	case C_CPUS:
		ret = asprintf(&text, "%d", __builtin_popcountll(line->cpus));
		break;
	case C_NODES:
		ret = asprintf(&text, "%s", text_bits(list, line->nodes));
		break;
	case C_PROCESS:
		return process_text(line);
	default:
		ret = asprintf(&text, "%s",
			       offsets_text(offsets, line->slot, HOT_PERCENT));
		break;
	}
	return ret < 0 ? NULL : text;
}

static int table_of(FILE *out, const struct lines_view *view)
{
	struct table table = {
		.columns = columns,
		.nr_columns = C_NR,
		.nr_keep = C_LOADS + 1,
		.nr_rows = shown(view),
	};
	size_t nr_cells = table.nr_rows * C_NR, i;
	int ret = 0;

	table.cells = calloc(nr_cells, sizeof(*table.cells));
	if (!table.cells)
		return -ENOMEM;
	for (i = 0; i < nr_cells && !ret; i++) {
		table.cells[i] = cell_text(view, i / C_NR,
					   (enum column)(i % C_NR));
		if (!table.cells[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = table_print(out, &table, view->width);
	for (i = 0; i < nr_cells; i++)
		free(table.cells[i]);
	free(table.cells);
	return ret;
}

/* The first line in words, when its loads leave little to doubt. */
static void print_reading(FILE *out, const struct memlat_rec_line *line)
{
	enum line_reading reading = line_read(line);
	char hitm[TEXT_NUMBER_MAX], loads[TEXT_NUMBER_MAX];
	char nodes[TEXT_LIST_MAX], offsets[OFFSETS_MAX];

	if (reading == LINE_PLAIN)
		return;
	fprintf(out, "\nLine 1: %s of %s loads came out of another core's modified copy (HITM), on node%s %s,\n"
		"at %s (of the HITM loads): likely %s sharing.\n",
		text_count(hitm, line_hitm(line)),
		text_count(loads, line->samples),
		line->hitm_nodes & (line->hitm_nodes - 1) ? "s" : "",
		text_bits(nodes, line->hitm_nodes),
		offsets_text(offsets, line->slot_hitm, 1),
		reading == LINE_FALSE_SHARING ? "false" : "true");
	if (reading == LINE_FALSE_SHARING)
		fputs("If these are different variables, they share only the line: pad them or move them apart.\n",
		      out);
	else
		fputs("All within 8 bytes: CPUs take turns at one variable, such as a lock or a shared counter.\n",
		      out);
}

static void print_notes(FILE *out, const struct lines_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];
	size_t nr = view->snap->nr_lines;

	if (shown(view) < nr)
		fprintf(out, "(%s of %s lines, by %s; -n 0 shows all)\n",
			text_count(a, shown(view)), text_count(b, nr),
			line_order_name(view->order));
	if (status->lines_evicted)
		fprintf(out, "(the table was full: %s of %s samples are of lines that had to leave it; --max-memory gives it more)\n",
			text_count(a, status->lines_evicted),
			text_count(b, status->samples));
}

int lines_print(FILE *out, const struct lines_view *view)
{
	const struct memlat_status *status = &view->snap->head.status;
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
		ret = table_of(out, view);
		if (ret)
			return ret;
	}
	print_notes(out, view);
	if (view->snap->nr_lines)
		print_reading(out, &view->snap->lines[0]);
	return 0;
}

static struct json_object *line_json(const struct lines_view *view, size_t row)
{
	const struct memlat_rec_line *line = &view->snap->lines[row];
	__u64 whole = view->snap->head.status.latency_sum;
	struct json_object *object = json_new(), *hitm = json_new();
	char name[MEMLAT_COMM_BYTES + 1];

	json_put_count(object, "rank", row + 1);
	json_put_hex(object, "addr", line->addr);
	json_put_count(object, "pid", line->space);
	json_put_text(object, "comm", comm_of(line, name));
	json_put_bool(object, "kernel", !line->space);
	json_put_count(object, "loads", line->samples);
	json_put_count(object, "error", line->error);
	if (whole)
		json_put_real(object, "cost", (double)line->latency_sum / (double)whole);
	else
		json_put_null(object, "cost");
	json_put_count(object, "latency_sum", line->latency_sum);
	if (line->samples)
		json_put_real(object, "latency_avg",
			      (double)line->latency_sum / (double)line->samples);
	else
		json_put_null(object, "latency_avg");
	json_put_count(object, "latency_max", line->latency_max);
	json_put_count(hitm, "remote", line->source[MEMLAT_SRC_RHITM]);
	json_put_count(hitm, "local", line->source[MEMLAT_SRC_L3_HITM]);
	json_put(object, "hitm", hitm);
	json_put_count(object, "locked", line->locked);
	json_put_count(object, "stlb_miss", line->stlb_miss);
	json_put_sources(object, "sources", line->source);
	json_put_counts(object, "slots", line->slot, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm", line->slot_hitm, MEMLAT_LINE_SLOTS);
	json_put_bits(object, "cpus", line->cpus);
	json_put_bits(object, "nodes", line->nodes);
	json_put_bits(object, "hitm_nodes", line->hitm_nodes);
	json_put_hex(object, "ip", line->ip);
	switch (line_read(line)) {
	case LINE_FALSE_SHARING:
		json_put_text(object, "reading", "false_sharing");
		break;
	case LINE_TRUE_SHARING:
		json_put_text(object, "reading", "true_sharing");
		break;
	default:
		json_put_null(object, "reading");
	}
	return object;
}

struct json_object *lines_json(const struct lines_view *view)
{
	const struct snapshot *snap = view->snap;
	struct json_object *document = json_new(), *list = json_list();
	size_t row, nr = shown(view);

	json_put_count(document, "abi_version", snap->head.abi_version);
	json_put_text(document, "model", snap->head.model_name);
	quality_put(document, &snap->head.status);
	json_put_bool(document, "accounts_hold", !account_snapshot_broken(snap));
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", line_order_name(view->order));
	json_put_count(document, "latency_sum", snap->head.status.latency_sum);
	json_put_count(document, "lines_total", snap->nr_lines);
	json_put_count(document, "lines_shown", nr);
	for (row = 0; row < nr; row++)
		json_append(list, line_json(view, row));
	json_put(document, "lines", list);
	return document;
}
