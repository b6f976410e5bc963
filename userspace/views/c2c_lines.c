// SPDX-License-Identifier: GPL-2.0
#include "c2c.h"

#include <string.h>

#include "../analysis/line.h"
#include "../analysis/trait.h"

enum which {
	W_INDEX, W_HOME, W_COST, W_HITM_SHARE, W_HITM, W_FWD, W_VERDICT, W_LOADS, W_L1_MISS,
	W_STORE_NA, W_LLC_HIT, W_OTHER, W_SURE, W_VERDICT_KEY
};

/* perf's percentage is of what is displayed. If that is cost, it stays a percentage of all HITM. */
static struct cell hitm_share(const struct c2c *c2c, const struct memlat_rec_line *rec)
{
	const enum c2c_display display = c2c->options.display;
	const __u64 local = c2c->shared.hitm - c2c->shared.rhitm;

	return cell_ratio(CELL_SHARE,
			  c2c_figure(display, line_hitm(rec), rec->source[MEMLAT_SRC_L3_HITM],
				     rec->source[MEMLAT_SRC_RHITM]),
			  c2c_figure(display, c2c->shared.hitm, local, c2c->shared.rhitm));
}

static struct cell verdict_cell(const struct c2c *c2c, const struct memlat_rec_line *half,
				enum which which)
{
	const struct verdict_line *line = verdict_of(c2c->verdicts, half);

	if (which == W_SURE)
		return story_sure(c2c->namer, half, line);
	return cell_text(which == W_VERDICT ? verdict_words(line) :
					      verdict_key(line->verdict));
}

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct c2c *c2c = context;
	const struct c2c_line *line = &c2c->lines[c2c->first + row];
	const struct memlat_rec_line *rec = line->rec;
	const __u64 *source = rec->source;

	switch ((enum which)which) {
	case W_INDEX:
		return cell_count(c2c->first + row + 1);
	case W_HOME:
		return rec->home == MEMLAT_NODE_UNKNOWN ? cell_none() : cell_count(rec->home);
	case W_COST:
		return row_cost_cell(&c2c->whole, rec->cost, line_loads(rec));
	case W_HITM_SHARE:
		return hitm_share(c2c, rec);
	case W_HITM:
		return cell_count(line_hitm(rec));
	case W_FWD:
		/*
		 * The line may have been modified (HITM) or clean: the CPU does not tell, so both
		 * are in this column.
		 */
		return cell_known(trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD),
				  rec->xsnp_fwd);
	case W_LOADS:
		return cell_count(line_loads(rec));
	case W_L1_MISS:
		return cell_count(rec->stores - rec->store_l1_hit);
	case W_STORE_NA:
		/*
		 * perf's count of stores for which the CPU does not report a hit or a miss. memlat
		 * counts none so.
		 */
		return cell_none();
	case W_LLC_HIT:
		return cell_count(source[MEMLAT_SRC_L3] + source[MEMLAT_SRC_L3_SNOOP] -
				  rec->xsnp_fwd);
	case W_OTHER:
		/* The loads for which perf has no column, so that the loads of a row add up. */
		return cell_count(source[MEMLAT_SRC_UNKNOWN] + source[MEMLAT_SRC_PMEM] +
				  source[MEMLAT_SRC_RPMEM] + source[MEMLAT_SRC_L4] +
				  source[MEMLAT_SRC_IO] + source[MEMLAT_SRC_UNC]);
	default:
		return verdict_cell(c2c, line->half, which);
	}
}

/*
 * perf's columns are in perf's order. What c2c is for stays on narrow terminals: HITM loads, or
 * forwards where the CPU has those instead; loads, stores and the data. The address goes first.
 */
#define RECORD(member)	REPORT_NUMBER_AT(CELL_COUNT, struct c2c_line, rec, member)
#define COUNT(name, above, heading, member) \
	{ .key = (name), .group = (above), .title = (heading), RECORD(member) }
#define SOURCE(name, above, heading, from) \
	COUNT(name, above, heading, source[MEMLAT_SRC_ ## from])
#define KEPT_SOURCE(name, above, heading, from) \
	{ .key = (name), .group = (above), .title = (heading), .keep = 3, \
	  RECORD(source[MEMLAT_SRC_ ## from]) }

static const struct report_column columns[] = {
	{ "index", "Index", false, 3, .which = W_INDEX },
	{ .key = "address", .group = "Cacheline", .title = "Address", .keep = 1,
	  REPORT_NUMBER_AT(CELL_HEX, struct c2c_line, line, start) },
	{ "node", "Node", .group = "Cacheline", .which = W_HOME },
	{ .key = "pages", .group = "Cacheline", .title = "PA cnt",
	  REPORT_NUMBER(CELL_COUNT, struct c2c_line, pages), .known = true },
	{ "cost", "Cost", false, 2, .which = W_COST, .bounded = true },
	{ "hitm_share", "Tot Hitm", .which = W_HITM_SHARE },
	{ "hitm", "Total", .group = "Load Hitm", .which = W_HITM },
	KEPT_SOURCE("local_hitm", "Load Hitm", "LclHitm", L3_HITM),
	KEPT_SOURCE("remote_hitm", "Load Hitm", "RmtHitm", RHITM),
	{ "xsnp_fwd", "or Hitm", .keep = 3, .group = "LclFwd", .which = W_FWD },
	{ "verdict_text", "Verdict", true, 2, .which = W_VERDICT },
	{ .title = "Data", .left = true, .keep = 3, REPORT_WORDS(struct c2c_line, label) },
	{ .key = "data", REPORT_WORDS(struct c2c_line, data) },
	{ .key = "data_how", REPORT_WORDS(struct c2c_line, how) },
	COUNT("records", "Total", "records", samples),
	{ "loads", "Loads", .keep = 3, .group = "Total", .which = W_LOADS },
	{ .key = "stores", .group = "Total", .title = "Stores", .keep = 3, RECORD(stores) },
	COUNT("store_l1_hit", "Stores", "L1Hit", store_l1_hit),
	{ "store_l1_miss", "L1Miss", .group = "Stores", .which = W_L1_MISS },
	{ "store_na", "N/A", .group = "Stores", .which = W_STORE_NA },
	SOURCE("load_fb_hit", "Core Load Hit", "FB", LFB),
	SOURCE("load_l1_hit", "Core Load Hit", "L1", L1),
	SOURCE("load_l2_hit", "Core Load Hit", "L2", L2),
	{ "load_llc_hit", "LclHit", .group = "LLC Load Hit", .which = W_LLC_HIT },
	SOURCE("load_llc_hitm", "LLC Load Hit", "LclHitm", L3_HITM),
	SOURCE("load_remote_hit", "RMT Load Hit", "RmtHit", RCACHE),
	SOURCE("load_remote_hitm", "RMT Load Hit", "RmtHitm", RHITM),
	SOURCE("load_local_dram", "Load Dram", "Lcl", DRAM),
	SOURCE("load_remote_dram", "Load Dram", "Rmt", RDRAM),
	{ "load_other", "Load Other", .which = W_OTHER },
	{ "sure", "Sure", .which = W_SURE },
	{ .key = "verdict", .which = W_VERDICT_KEY },
	{ .key = "cost_cycles", RECORD(cost) },
	{ .key = "pid", RECORD(space), .known = true },
};

/* perf's words for the share of what is displayed. */
static const char *const share_title[C2C_DISPLAYS] = {
	[C2C_COST] = "Tot Hitm", [C2C_TOT] = "Tot Hitm",
	[C2C_LCL] = "Lcl Hitm", [C2C_RMT] = "Rmt Hitm",
};

bool c2c_tells(const struct c2c *c2c, const char *key)
{
	const __u64 local = c2c->shared.hitm - c2c->shared.rhitm, remote = c2c->shared.rhitm;
	const __u64 fwd = c2c->shared.xsnp_fwd;

	if (!strncmp(key, "local_hitm", 10))
		return local || (!remote && !fwd);
	if (!strncmp(key, "remote_hitm", 11))
		return remote || (!local && !fwd);
	if (!strcmp(key, "hitm") || !strcmp(key, "hitm_share"))
		return local || remote || !fwd;
	return strcmp(key, "xsnp_fwd") ||
	       trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD);
}

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

struct report c2c_lines_report(const struct c2c *c2c)
{
	static struct report_column titled[NR_COLUMNS];
	size_t i;

	for (i = 0; i < NR_COLUMNS; i++) {
		titled[i] = columns[i];
		if (columns[i].which == W_HITM_SHARE)
			titled[i].title = share_title[c2c->options.display];
		if (titled[i].key && !c2c_tells(c2c, titled[i].key))
			titled[i].title = NULL;
	}
	return (struct report){
		.key = "lines", .columns = titled, .nr_columns = NR_COLUMNS,
		.nr_rows = c2c->nr_shown, .context = c2c, .rows = c2c->lines + c2c->first,
		.get_at = cell,
	};
}
