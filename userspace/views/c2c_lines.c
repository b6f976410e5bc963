// SPDX-License-Identifier: GPL-2.0
#include "c2c_lines.h"

#include "../analysis/line.h"
#include "../analysis/trait.h"

static const struct c2c_line *line_at(const void *context, size_t row)
{
	const struct c2c *c2c = context;

	return &c2c->lines[c2c->first + row];
}

static const struct memlat_rec_line *rec_at(const void *context, size_t row)
{
	return line_at(context, row)->rec;
}

static const struct verdict_line *verdict_at(const void *context, size_t row)
{
	const struct c2c *c2c = context;

	return verdict_of(c2c->verdicts, line_at(context, row)->half);
}

static struct cell index_cell(const void *context, size_t row)
{
	const struct c2c *c2c = context;

	return cell_count(c2c->first + row + 1);
}

static struct cell home(const void *context, size_t row)
{
	const struct memlat_rec_line *rec = rec_at(context, row);

	return rec->home == MEMLAT_NODE_UNKNOWN ? cell_none() : cell_count(rec->home);
}

static struct cell cost(const void *context, size_t row)
{
	const struct c2c *c2c = context;

	return cell_ratio(CELL_SHARE, rec_at(context, row)->cost, c2c->cost);
}

/* perf's percentage is of what is displayed. If that is cost, it stays a percentage of all HITM. */
static struct cell hitm_share(const void *context, size_t row)
{
	const struct c2c *c2c = context;
	enum c2c_display display = c2c->options.display;
	__u64 whole = display == C2C_RMT ? c2c->shared.rhitm :
		      display == C2C_LCL ? c2c->shared.hitm - c2c->shared.rhitm :
					   c2c->shared.hitm;

	if (display == C2C_COST)
		display = C2C_TOT;
	return cell_ratio(CELL_SHARE, c2c_figure(display, rec_at(context, row)), whole);
}

static struct cell hitm(const void *context, size_t row)
{
	return cell_count(line_hitm(rec_at(context, row)));
}

static struct cell loads(const void *context, size_t row)
{
	return cell_count(line_loads(rec_at(context, row)));
}

static struct cell store_l1_miss(const void *context, size_t row)
{
	const struct memlat_rec_line *rec = rec_at(context, row);

	return cell_count(rec->stores - rec->store_l1_hit);
}

/*
 * perf's count of stores for which the CPU does not report a hit or a miss. memlat counts none so.
 */
static struct cell store_na(const void *context, size_t row)
{
	(void)context;
	(void)row;
	return cell_none();
}

static struct cell llc_hit(const void *context, size_t row)
{
	const __u64 *source = rec_at(context, row)->source;

	return cell_count(source[MEMLAT_SRC_L3] + source[MEMLAT_SRC_L3_SNOOP] -
		      rec_at(context, row)->xsnp_fwd);
}

/*
 * The line may have been modified (HITM) or clean: the CPU does not tell, so both are in this
 * column.
 */
static struct cell forwarded(const void *context, size_t row)
{
	const struct c2c *c2c = context;

	return trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD) ?
	       cell_count(rec_at(context, row)->xsnp_fwd) : cell_none();
}

/* The loads for which perf has no column, so that the loads of a row add up. */
static struct cell other(const void *context, size_t row)
{
	const __u64 *source = rec_at(context, row)->source;

	return cell_count(source[MEMLAT_SRC_UNKNOWN] + source[MEMLAT_SRC_PMEM] +
		      source[MEMLAT_SRC_RPMEM] + source[MEMLAT_SRC_L4] +
		      source[MEMLAT_SRC_IO] + source[MEMLAT_SRC_UNC]);
}

static struct cell verdict(const void *context, size_t row)
{
	return cell_text(verdict_text(verdict_at(context, row)->verdict));
}

static struct cell verdict_name(const void *context, size_t row)
{
	return cell_text(verdict_key(verdict_at(context, row)->verdict));
}

static struct cell sure(const void *context, size_t row)
{
	const struct verdict_line *line = verdict_at(context, row);

	return line->verdict == VERDICT_TOO_FEW ? cell_none() :
	       cell_ratio(CELL_SHARE, line->sure, 100);
}

/* The most useful columns first, for narrow terminals. perf's columns are in perf's order. */
#define COLUMN(name, above, heading, cell) \
	{ .key = (name), .group = (above), .title = (heading), .get = (cell) }
#define KEPT(name, above, heading, words, cell) \
	{ .key = (name), .group = (above), .title = (heading), .left = (words), \
	  .keep = true, .get = (cell) }
#define RECORD(member)	REPORT_NUMBER_AT(CELL_COUNT, struct c2c_line, rec, member)
#define COUNT(name, above, heading, member) \
	{ .key = (name), .group = (above), .title = (heading), RECORD(member) }
#define SOURCE(name, above, heading, from) \
	COUNT(name, above, heading, source[MEMLAT_SRC_ ## from])
#define HIDDEN(name, cell) { .key = (name), .get = (cell) }	/* not in text */

static const struct report_column columns[] = {
	KEPT("index", NULL, "Index", false, index_cell),
	{ .key = "address", .group = "Cacheline", .title = "Address", .keep = true,
	  REPORT_NUMBER_AT(CELL_HEX, struct c2c_line, line, start) },
	COLUMN("node", "Cacheline", "Node", home),
	{ .key = "pages", .group = "Cacheline", .title = "PA cnt",
	  REPORT_NUMBER(CELL_COUNT, struct c2c_line, pages), .known = true },
	KEPT("cost", NULL, "Cost", false, cost),
	COLUMN("hitm_share", NULL, "Tot Hitm", hitm_share),
	COLUMN("hitm", "Load Hitm", "Total", hitm),
	SOURCE("local_hitm", "Load Hitm", "LclHitm", L3_HITM),
	SOURCE("remote_hitm", "Load Hitm", "RmtHitm", RHITM),
	COLUMN("xsnp_fwd", NULL, "LclFwd or Hitm", forwarded),
	KEPT("verdict_text", NULL, "Verdict", true, verdict),
	{ .title = "Data", .left = true, .keep = true, REPORT_WORDS(struct c2c_line, label) },
	{ .key = "data", REPORT_WORDS(struct c2c_line, data) },
	{ .key = "data_how", REPORT_WORDS(struct c2c_line, how) },
	COUNT("records", "Total", "records", samples),
	COLUMN("loads", "Total", "Loads", loads),
	COUNT("stores", "Total", "Stores", stores),
	COUNT("store_l1_hit", "Stores", "L1Hit", store_l1_hit),
	COLUMN("store_l1_miss", "Stores", "L1Miss", store_l1_miss),
	COLUMN("store_na", "Stores", "N/A", store_na),
	SOURCE("load_fb_hit", "Core Load Hit", "FB", LFB),
	SOURCE("load_l1_hit", "Core Load Hit", "L1", L1),
	SOURCE("load_l2_hit", "Core Load Hit", "L2", L2),
	COLUMN("load_llc_hit", "LLC Load Hit", "LclHit", llc_hit),
	SOURCE("load_llc_hitm", "LLC Load Hit", "LclHitm", L3_HITM),
	SOURCE("load_remote_hit", "RMT Load Hit", "RmtHit", RCACHE),
	SOURCE("load_remote_hitm", "RMT Load Hit", "RmtHitm", RHITM),
	SOURCE("load_local_dram", "Load Dram", "Lcl", DRAM),
	SOURCE("load_remote_dram", "Load Dram", "Rmt", RDRAM),
	COLUMN("load_other", NULL, "Load Other", other),
	COLUMN("sure", NULL, "Sure", sure),
	HIDDEN("verdict", verdict_name),
	{ .key = "cost_cycles", RECORD(cost) },
	{ .key = "pid", RECORD(space), .known = true },
};

/* perf's words for the share of what is displayed. */
static const char *const share_title[C2C_DISPLAYS] = {
	[C2C_COST] = "Tot Hitm", [C2C_TOT] = "Tot Hitm",
	[C2C_LCL] = "Lcl Hitm", [C2C_RMT] = "Rmt Hitm",
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

struct report c2c_lines_report(const struct c2c *c2c)
{
	static struct report_column titled[NR_COLUMNS];
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++) {
		titled[i] = columns[i];
		if (columns[i].get == hitm_share)
			titled[i].title = share_title[c2c->options.display];
		if (columns[i].get == forwarded &&
		    !trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD))
			titled[i].title = NULL;
	}
	return (struct report){
		.key = "lines", .columns = titled, .nr_columns = NR_COLUMNS,
		.nr_rows = c2c->nr_shown, .context = c2c, .rows = c2c->lines + c2c->first,
	};
}
