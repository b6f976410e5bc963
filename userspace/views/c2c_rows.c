// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "c2c_pareto.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define PAGE_SHIFT	12
/* A row with a smaller share is left out, unless --display all is given. */
#define SHOWN_PER_MILLE	1

#define NODES_MAX	64	/* as in masks */

/* The use of an offset, by node. */
struct node_use {
	__u64 nodes, cpus;		/* masks */
	__u64 hitm[NODES_MAX];		/* samples that were HITM loads */
	__u64 stores[NODES_MAX];
	__u64 whole_hitm, whole_stores;	/* totals of the row */
};

struct item {
	const struct memlat_rec_access *access;
	const struct code_name *code;
	const struct c2c *c2c;
	unsigned int offset;
};

const char *c2c_symbol(const struct code_name *code)
{
	if (code->nr_frames && code->frames[code->nr_frames - 1].function)
		return code->frames[code->nr_frames - 1].function;
	return code->function ? code->function : code->raw;
}

static int compare_process(const struct item *a, const struct item *b)
{
	return order(a->access->tgid, b->access->tgid) ?: order(a->access->gen, b->access->gen);
}

/* Code of one file compares equal in all processes, wherever each has mapped it. */
static int compare_code(const struct item *a, const struct item *b)
{
	int ret = order_text(a->code->path, b->code->path);

	if (ret)
		return ret;
	if (a->code->path)
		return order(a->code->module_offset, b->code->module_offset);
	ret = order(a->access->ip, b->access->ip);
	return ret || kernel_address(a->access->ip) ? ret : compare_process(a, b);
}

static int compare_item(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;
	unsigned int by = a->c2c->options.coalesce;

	return order(a->offset, b->offset) ?:
	       (by & (C2C_PID | C2C_TID) ? compare_process(a, b) : 0) ?:
	       (by & C2C_TID ? order(a->access->tid, b->access->tid) : 0) ?:
	       (by & C2C_IADDR ? compare_code(a, b) : 0) ?:
	       (by & C2C_DSO ? order_text(a->code->path, b->code->path) : 0);
}

static void row_add(struct c2c_row *row, const struct item *item)
{
	const struct memlat_rec_access *access = item->access;
	const struct sums sum = sums_of_access(access);

	if (!row->access || access->cost > row->access->cost) {
		row->access = access;
		row->code = item->code;
	}
	row->offset = item->offset;
	sums_add(&row->sum, &sum);
	row->latency_local += access->latency_hitm_local;
	row->latency_remote += access->latency_hitm_remote;
}

__u64 c2c_row_plain_loads(const struct c2c_row *row)
{
	const __u64 loads = sums_loads(&row->sum);

	return loads > row->sum.hitm ? loads - row->sum.hitm : 0;
}

__u64 c2c_row_plain_latency(const struct c2c_row *row)
{
	__u64 other = row->latency_local + row->latency_remote;

	return row->sum.latency_sum > other ? row->sum.latency_sum - other : 0;
}

static bool enough(__u64 part, __u64 whole)
{
	return part && (double)part >= (double)whole / 1000 * SHOWN_PER_MILLE;
}

static bool wanted(const struct c2c_rows *rows, const struct c2c_row *row)
{
	const struct memlat_rec_line *rec = rows->line->line->rec;

	return rows->c2c->options.show_all || enough(row->sum.cost, rec->cost) ||
	       enough(row->sum.stores, rec->stores) ||
	       enough(row->sum.hitm + row->sum.fwd, line_hitm(rec) + rec->xsnp_fwd);
}

static __u64 figure_of(const struct c2c *c2c, const struct c2c_row *row)
{
	return c2c_figure(c2c->options.display, row->sum.cost, &row->sum);
}

static int compare_row(const void *pa, const void *pb, void *context)
{
	const struct c2c_row *a = pa, *b = pb;
	const struct c2c *c2c = context;

	return order(a->offset, b->offset) ?:
	       order(figure_of(c2c, b), figure_of(c2c, a)) ?:
	       order(b->sum.samples, a->sum.samples) ?: order(a->first, b->first);
}

__u64 c2c_pages(const struct memlat_rec_access *const *accesses, size_t nr)
{
	__u64 *pages = xcalloc(nr, sizeof(*pages)), different = 0;
	size_t i, known = 0;

	for (i = 0; i < nr; i++)
		if (accesses[i]->phys)
			pages[known++] = accesses[i]->phys >> PAGE_SHIFT;
	qsort(pages, known, sizeof(*pages), order_u64);
	for (i = 0; i < known; i++)
		different += !i || pages[i] != pages[i - 1];
	free(pages);
	return different;
}

/* The CPUs of a node that are in the mask. Masks contain CPU numbers mod 64. */
static __u64 cpus_on(const struct machine *machine, __u64 cpus, unsigned int node)
{
	__u64 here = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < machine->nr_cpus; cpu++)
		if (machine_node(machine, cpu) == (int)node)
			here |= 1ULL << cpu % 64;
	return cpus & here;
}

static void put_node(FILE *out, const struct node_use *use, const struct machine *machine,
		     unsigned int form, unsigned int node)
{
	char hitm[TEXT_NUMBER_MAX], stores[TEXT_NUMBER_MAX], list[TEXT_LIST_MAX];
	__u64 cpus = cpus_on(machine, use->cpus, node);

	if (form == 1)
		fprintf(out, "{%d %s %s}", __builtin_popcountll(cpus),
			text_share(hitm, use->hitm[node], use->whole_hitm, 1),
			text_share(stores, use->stores[node], use->whole_stores, 1));
	else
		fprintf(out, "{%s}", text_bits(list, cpus));
}

/*
 * The Node column. Form 0: "0,1"; 1: "0{2 61.3% 50.0%} 1{..}", that is, the number of CPUs, and the
 * node's shares of the row's HITM loads and stores, "-" for none; 2: "0{0-3} 1{4-7}". Newly
 * allocated.
 */
static char *node_text(const struct node_use *use, const struct machine *machine,
		       unsigned int form)
{
	char list[TEXT_LIST_MAX], *text;
	const char *gap = "";
	unsigned int node;
	size_t size;
	FILE *out;

	if (!form)
		return xstrdup(text_bits(list, use->nodes));
	out = xmemstream(&text, &size);
	for (node = 0; node < NODES_MAX; node++) {
		if (!(use->nodes >> node & 1))
			continue;
		fprintf(out, "%s%u", gap, node);
		put_node(out, use, machine, form, node);
		gap = " ";
	}
	xmemstream_end(out);
	return text;
}

/*
 * An access row of several nodes does not tell how much came from each, so it counts for none of
 * them.
 */
static void tell_nodes(const struct c2c_rows *rows, struct c2c_row *row)
{
	const struct c2c *c2c = rows->c2c;
	struct node_use use = {
		.nodes = row->sum.nodes, .cpus = row->sum.cpus, .whole_stores = row->sum.stores,
	};
	enum c2c_display display = c2c->options.display;
	size_t i;

	for (i = row->first; i < row->first + row->sum.nr; i++) {
		const struct memlat_rec_access *access = rows->accesses[i];
		/* If cost is displayed, these are all HITM loads too. */
		const struct sums sum = sums_of_access(access);
		const __u64 hitm = c2c_figure(display, sum.hitm, &sum);
		int node = __builtin_ffsll((long long)access->nodes) - 1;

		use.whole_hitm += hitm;
		if (node < 0 || access->nodes & (access->nodes - 1))
			continue;
		use.hitm[node] += hitm;
		use.stores[node] += access->stores;
	}
	row->node = node_text(&use, &c2c->profile->machine, c2c->options.node_info);
}

static void finish(struct c2c_rows *rows)
{
	size_t i, kept = 0;

	for (i = 0; i < rows->nr_rows; i++)
		if (wanted(rows, &rows->rows[i]))
			rows->rows[kept++] = rows->rows[i];
	rows->left_out = rows->nr_rows - kept;
	rows->nr_rows = kept;
	for (i = 0; i < kept; i++) {
		struct c2c_row *row = &rows->rows[i];
		const struct data_name *name = namer_access(rows->c2c->namer, row->access);

		row->pages = c2c_pages(rows->accesses + row->first, row->sum.nr);
		tell_nodes(rows, row);
		row->data = name->text;
		row->how = data_how_name(name->how);
	}
	qsort_r(rows->rows, kept, sizeof(*rows->rows), compare_row,
		(void *)(uintptr_t)rows->c2c);
}

void c2c_rows_take(struct c2c_rows *rows, const struct c2c *c2c, size_t line)
{
	const struct lineset_line *of = c2c->lines[line].line;
	struct item *items = xcalloc(of->nr, sizeof(*items));
	struct c2c_row *row = NULL;
	size_t i;

	memset(rows, 0, sizeof(*rows));
	rows->c2c = c2c;
	rows->line = &c2c->lines[line];
	rows->rows = xcalloc(of->nr, sizeof(*rows->rows));
	rows->accesses = xcalloc(of->nr, sizeof(*rows->accesses));
	for (i = 0; i < of->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(c2c->set, of->first + i);

		items[i] = (struct item){
			.access = access,
			.code = namer_sampled(c2c->namer, access->tgid, access->gen, access->ip),
			.c2c = c2c,
			.offset = lineset_offset(c2c->set, access),
		};
	}
	qsort(items, of->nr, sizeof(*items), compare_item);
	for (i = 0; i < of->nr; i++) {
		if (!i || compare_item(&items[i - 1], &items[i])) {
			row = &rows->rows[rows->nr_rows++];
			row->first = i;
		}
		row_add(row, &items[i]);
		rows->samples += items[i].access->samples;
		rows->accesses[i] = items[i].access;
	}
	free(items);
	finish(rows);
}

void c2c_rows_free(struct c2c_rows *rows)
{
	size_t i;

	for (i = 0; rows->rows && i < rows->nr_rows; i++)
		free(rows->rows[i].node);
	free(rows->rows);
	free(rows->accesses);
	memset(rows, 0, sizeof(*rows));
}
