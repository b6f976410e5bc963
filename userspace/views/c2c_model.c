// SPDX-License-Identifier: GPL-2.0
#include "c2c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/share.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "c2c_story.h"
#include "filter.h"

/* As in perf, a line with a smaller share of what is displayed gets no row. */
#define SHOWN_PER_MILLE	1

const char *const c2c_display_names[C2C_DISPLAYS] = {
	[C2C_COST] = "cost", [C2C_TOT] = "tot", [C2C_LCL] = "lcl", [C2C_RMT] = "rmt",
};

__u64 c2c_figure(enum c2c_display display, __u64 cost, const struct sums *sums)
{
	switch (display) {
	case C2C_TOT:
		return sums->hitm;
	case C2C_LCL:
		return sums_local(sums);
	case C2C_RMT:
		return sums->hitm_remote;
	default:
		return cost;
	}
}

static bool one_bit(__u64 mask)
{
	return !(mask & (mask - 1));
}

/*
 * Do several threads use the line? Its accesses are sorted by thread. If all accesses were evicted,
 * several CPUs stand for several threads.
 */
static bool several_threads(const struct lineset *set, const struct lineset_line *line)
{
	const struct memlat_rec_access *first, *last;

	if (!line->nr)
		return !one_bit(line->rec->cpus);
	first = lineset_access(set, line->first);
	last = lineset_access(set, line->first + line->nr - 1);
	return !lineset_same_thread(line, first, last);
}

/*
 * Is the line shared? perf asks for a HITM load. Here one thread's stores together with another
 * thread's loads will do as well.
 */
static bool is_shared(const struct lineset *set, const struct lineset_line *line)
{
	return line_hitm(line->rec) || (line->rec->stores && several_threads(set, line));
}

static void sum_line(struct c2c_totals *totals, const struct memlat_rec_line *rec)
{
	const struct sums sums = sums_of_line(rec);
	unsigned int i;

	sums_add(&totals->sum, &sums);
	totals->locked += rec->locked;
	totals->blocked += rec->blocked_data + rec->blocked_addr;
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		totals->source[i] += rec->source[i];
}

/*
 * A line with the figures that it is sorted by. The rows of a large table are far apart in memory.
 */
struct order {
	__u64 figure, cost;
	const struct lineset_line *line;
};

static int compare(const void *pa, const void *pb)
{
	const struct order *first = pa, *second = pb;
	const struct memlat_rec_line *a = first->line->rec, *b = second->line->rec;

	return order(second->figure, first->figure) ?: order(second->cost, first->cost) ?: order(b->samples, a->samples) ?:
	       order(a->space, b->space) ?: order(a->gen, b->gen) ?:
	       order(first->line->start, second->line->start);
}

/*
 * Did stores of several CPUs miss L1, while no load was sampled that tells the cost? The cost is
 * then unknown, and not 0: the CPU tags few loads, so a short program may have none in the samples.
 */
static bool only_stores_tell(const struct memlat_rec_line *rec)
{
	return !line_loads(rec) && !one_bit(rec->store_cpus) && line_waits_count(rec);
}

/*
 * Does the line have enough of what is displayed to get a row? That figure counts loads. A line
 * that threads only write has none of it, and gets a row if its stores tell that it is fought over.
 */
static bool passes(const struct c2c *c2c, const struct order *order)
{
	const struct sums *shared = &c2c->shared.sum;
	const __u64 whole = c2c_figure(c2c->options.display, shared->cost, shared);

	if (c2c->options.show_all || c2c->options.index || c2c->options.addr)
		return true;
	if (line_stores_taken(order->line->rec) || only_stores_tell(order->line->rec))
		return true;
	return whole && (double)order->figure >= (double)whole / 1000 * SHOWN_PER_MILLE;
}

static bool is_little(const struct c2c *c2c, const struct c2c_line *line)
{
	return row_line_is_little(&c2c->whole, line->line->rec);
}

/*
 * Move lines that hardly anything was sampled of behind all others, and, in the report of a process
 * or a cgroup, lines of the kernel's own work before these. Only lines of the kernel are looked up by
 * name.
 */
static void put_back(struct c2c *c2c)
{
	const bool of_tasks = filter_of_tasks(&c2c->profile->snap.head.status);
	struct c2c_line *behind = xcalloc(2 * c2c->nr_lines, sizeof(*behind));
	struct c2c_line *little = behind + c2c->nr_lines;
	size_t i, kept = 0, back = 0, last = 0;

	for (i = 0; i < c2c->nr_lines; i++) {
		struct c2c_line *line = &c2c->lines[i];

		if (is_little(c2c, line)) {
			little[last++] = *line;
			continue;
		}
		line->housekeeping = of_tasks && housekeeping_line(c2c->namer, line->line->rec);
		if (line->housekeeping)
			behind[back++] = *line;
		else
			c2c->lines[kept++] = *line;
	}
	memcpy(&c2c->lines[kept], behind, back * sizeof(*behind));
	memcpy(&c2c->lines[kept + back], little, last * sizeof(*little));
	free(behind);
}

/* Such lines are all at the end. */
static void leave_out_little(struct c2c *c2c)
{
	size_t i = c2c->nr_lines;

	while (i && is_little(c2c, &c2c->lines[i - 1])) {
		c2c->fold.rows++;
		c2c->fold.cost += c2c->lines[--i].line->rec->cost;
	}
	if (c2c->nr_shown > i)
		c2c->nr_shown = i;
}

/* The half of a pair that costs more, because a verdict is about 64 bytes. */
static const struct memlat_rec_line *half_of(const struct c2c *c2c,
					     const struct lineset_line *line)
{
	struct memlat_rec_line other = *line->rec;
	const struct lineset_line *a, *b;

	if (c2c->set == c2c->halves)
		return line->rec;
	other.addr ^= MEMLAT_LINE_BYTES;
	a = lineset_find(c2c->halves, line->rec);
	b = lineset_find(c2c->halves, &other);
	if (!a || (b && b->rec->cost > a->rec->cost))
		a = b;
	return a ? a->rec : line->rec;
}

static void add_line(struct c2c *c2c, const struct lineset_line *line)
{
	c2c->lines[c2c->nr_lines++] = (struct c2c_line){
		.line = line, .rec = line->rec, .half = line->rec,
	};
}

/* What the line costs at least: one sample of a long period may be a great part by chance. */
static __u64 least(const struct memlat_rec_line *rec)
{
	return number_whole(share_least((double)rec->cost, line_loads(rec)));
}

static void rank(struct c2c *c2c)
{
	size_t i, nr = lineset_lines(c2c->set), shared = 0, shown = 0;
	struct order *order = xcalloc(nr, sizeof(*order));

	for (i = 0; i < nr; i++) {
		const struct lineset_line *line = lineset_line(c2c->set, i);
		const struct memlat_rec_line *rec = line->rec;
		const struct sums sums = sums_of_line(rec);

		if (!is_shared(c2c->set, line))
			continue;
		sum_line(&c2c->shared, rec);
		order[shared++] = (struct order){
			c2c_figure(c2c->options.display, least(rec), &sums), rec->cost, line,
		};
	}
	/* Now that the total is known, few of up to a million lines pass the limit. */
	for (i = 0; i < shared; i++)
		if (passes(c2c, &order[i]))
			order[shown++] = order[i];
	qsort(order, shown, sizeof(*order), compare);
	/* Room for one more: see add_unshared(). */
	c2c->lines = xcalloc(shown + 1, sizeof(*c2c->lines));
	while (c2c->nr_lines < shown)
		add_line(c2c, order[c2c->nr_lines].line);
	free(order);
	put_back(c2c);
}

static bool has_address(const struct c2c *c2c, const struct lineset_line *line, __u64 addr)
{
	return line->start == (addr & ~(__u64)(lineset_bytes(c2c->set) - 1));
}

/* Add a line that is not shared. It has no rank, but a story. */
static bool add_unshared(struct c2c *c2c, __u64 addr)
{
	size_t i;

	for (i = 0; i < lineset_lines(c2c->set); i++) {
		const struct lineset_line *line = lineset_line(c2c->set, i);

		if (has_address(c2c, line, addr)) {
			add_line(c2c, line);
			return true;
		}
	}
	return false;
}

/* Choose the lines to show: one line, or as many as the options ask for. */
static int choose(struct c2c *c2c)
{
	const struct c2c_options *options = &c2c->options;

	if (options->addr) {
		while (c2c->first < c2c->nr_lines &&
		       !has_address(c2c, c2c->lines[c2c->first].line, options->addr))
			c2c->first++;
		if (c2c->first == c2c->nr_lines && !add_unshared(c2c, options->addr))
			return -ENOENT;
		c2c->nr_shown = 1;
	} else if (options->index) {
		if (options->index > c2c->nr_lines)
			return -ENOENT;
		c2c->first = options->index - 1;
		c2c->nr_shown = 1;
	} else {
		c2c->nr_shown = report_limit(options->show, c2c->nr_lines);
		if (options->fold && options->show && !options->show_all)
			leave_out_little(c2c);
	}
	return 0;
}

static void count_pages(const struct c2c *c2c, struct c2c_line *line)
{
	const struct lineset_line *of = line->line;
	const struct memlat_rec_access **accesses = xcalloc(of->nr, sizeof(*accesses));
	size_t i;

	for (i = 0; i < of->nr; i++)
		accesses[i] = lineset_access(c2c->set, of->first + i);
	line->pages = c2c_pages(accesses, of->nr);
	if (!line->pages && of->rec->phys)
		line->pages = 1;
	free(accesses);
}

void c2c_name(const struct c2c *c2c, size_t row)
{
	struct c2c_line *line = &c2c->lines[row];
	const struct story story = c2c_story(c2c, row);

	line->data = story_data(&story, false);
	line->label = story_data(&story, true);
	line->how = story_how(&story);
}

static void tell_lines(struct c2c *c2c)
{
	size_t i;

	for (i = c2c->first; i < c2c->first + c2c->nr_shown; i++) {
		struct c2c_line *line = &c2c->lines[i];

		/* Not of all ranked lines: of pairs there may be a million. */
		line->half = half_of(c2c, line->line);
		count_pages(c2c, line);
		if (!c2c->options.unnamed)
			c2c_name(c2c, i);
	}
}

int c2c_take(struct c2c *c2c, const struct profile *profile, struct namer *namer,
	     const struct c2c_options *options)
{
	int ret;

	memset(c2c, 0, sizeof(*c2c));
	c2c->profile = profile;
	c2c->namer = namer;
	c2c->options = *options;
	c2c->cost = snapshot_cost(&profile->snap);
	row_whole_take(&c2c->whole, &profile->snap);
	c2c->halves = lineset_new(&profile->snap, profile->history, MEMLAT_LINE_BYTES);
	c2c->set = options->double_cl ?
		   lineset_new(&profile->snap, profile->history, LINESET_BYTES_MAX) :
		   c2c->halves;
	c2c->verdicts = verdicts_of_set(c2c->halves);
	if (namer) {
		verdicts_know_locks(c2c->verdicts, locks_is_lock, namer);
		lineset_know_widths(c2c->halves, locks_width, namer);
	}
	rank(c2c);
	ret = choose(c2c);
	if (ret)
		c2c_free(c2c);
	else
		tell_lines(c2c);
	return ret;
}

void c2c_free(struct c2c *c2c)
{
	size_t i;

	for (i = 0; c2c->lines && i < c2c->nr_lines; i++) {
		free(c2c->lines[i].data);
		free(c2c->lines[i].label);
	}
	free(c2c->lines);
	verdicts_free(c2c->verdicts);
	if (c2c->set != c2c->halves)
		lineset_free(c2c->set);
	lineset_free(c2c->halves);
	memset(c2c, 0, sizeof(*c2c));
}

struct story c2c_story(const struct c2c *c2c, size_t row)
{
	return (struct story){
		.profile = c2c->profile,
		.namer = c2c->namer,
		.verdicts = c2c->verdicts,
		.line = c2c->lines[row].half,
		.number = row + 1,
		.cost = c2c->cost,
	};
}
