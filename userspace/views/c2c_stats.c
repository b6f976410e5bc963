// SPDX-License-Identifier: GPL-2.0
#include "c2c.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../profile/history.h"
#include "../util/source.h"
#include "figures.h"
#include "filter.h"

#define HEADING_WIDTH	49
#define TITLE_WIDTH	34
#define VALUE_WIDTH	14
#define GROUPING_MAX	40

/* All loads and stores, each counted in exactly one place. */
struct trace {
	__u64 source[MEMLAT_SRC_NR];	/* loads */
	__u64 xsnp_fwd;			/* loads that a sibling core forwarded */
	__u64 locked;
	__u64 blocked_data, blocked_addr;
	/* loads from memory for which a snoop found the line clean elsewhere */
	__u64 shared_dram;
	__u64 known_stores;		/* stores in the table of lines */
	__u64 store_l1_hit;
	__u64 store_hitm, store_xsnp_fwd;
	__u64 load_no_addr, store_no_addr;
	__u64 unmapped;			/* samples of addresses at which no mapping is known */
};

static void take_words(struct trace *trace, const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->nr_sources; i++) {
		const struct memlat_rec_source *word = &snap->sources[i];
		bool memory = word->source == MEMLAT_SRC_DRAM ||
			      word->source == MEMLAT_SRC_RDRAM;

		if (word->flags & MEMLAT_WORD_BLOCKED_DATA)
			trace->blocked_data += word->samples;
		if (word->flags & MEMLAT_WORD_BLOCKED_ADDR)
			trace->blocked_addr += word->samples;
		if (memory && (word->snoop == MEMLAT_SNOOP_HIT ||
			       word->snoop == MEMLAT_SNOOP_FWD))
			trace->shared_dram += word->samples;
	}
}

/* Is the mapping of a line known, or not needed? */
static bool is_mapped(const struct profile *profile, const struct memlat_rec_line *line)
{
	const struct history_image *image;

	if (!line->space)
		return true;
	image = profile->history ? history_find(profile->history, line->space, line->gen) : NULL;
	return image && history_map_at(image, line->addr);
}

static void take_lines(struct trace *trace, const struct profile *profile)
{
	const struct snapshot *snap = &profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];

		trace->locked += line->locked;
		trace->known_stores += line->stores;
		trace->store_l1_hit += line->store_l1_hit;
		trace->store_hitm += line->store_hitm;
		trace->store_xsnp_fwd += line->store_xsnp_fwd;
		if (!line->addr) {
			trace->load_no_addr += line_loads(line);
			trace->store_no_addr += line->stores;
		} else if (!is_mapped(profile, line)) {
			trace->unmapped += line->samples;
		}
	}
}

static struct trace trace_facts(const struct profile *profile)
{
	struct trace trace = { 0 };
	unsigned int row;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		trace.xsnp_fwd += profile->snap.parts.part[MEMLAT_PART_XSNP_FWD].count[row];
	source_sums(profile->snap.buckets.count, trace.source);
	take_words(&trace, &profile->snap);
	take_lines(&trace, profile);
	return trace;
}

/* Loads from L4 and from persistent memory, local and remote. */
static __u64 other_memory(const __u64 source[MEMLAT_SRC_NR])
{
	return source[MEMLAT_SRC_PMEM] + source[MEMLAT_SRC_RPMEM] + source[MEMLAT_SRC_L4];
}

static __u64 llc_hits(const __u64 source[MEMLAT_SRC_NR])
{
	return source[MEMLAT_SRC_L3] + source[MEMLAT_SRC_L3_SNOOP] +
	       source[MEMLAT_SRC_L3_HITM];
}

size_t c2c_trace_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX])
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	const bool tell = trait_here(status, MEMLAT_TRAIT_STORE_SOURCE);
	const bool forwards = trait_here(status, MEMLAT_TRAIT_XSNP_FWD);
	const struct trace trace = trace_facts(c2c->profile);
	const __u64 *source = trace.source;
	const __u64 memory = source[MEMLAT_SRC_DRAM] + source[MEMLAT_SRC_RDRAM];
	const __u64 misses = memory + source[MEMLAT_SRC_RCACHE] + source[MEMLAT_SRC_RHITM] +
			     other_memory(source);
	const struct c2c_fact all[] = {
		{ "samples", "Total records", cell_count(status->samples) },
		{ "locked", "Locked Load/Store Operations", cell_count(trace.locked) },
		{ "loads", "Load Operations", cell_count(status->loads) },
		{ "sources_unc", "Loads - uncacheable", cell_count(source[MEMLAT_SRC_UNC]) },
		{ "sources_io", "Loads - IO", cell_count(source[MEMLAT_SRC_IO]) },
		{ "sources_unknown", "Loads - Miss", cell_count(source[MEMLAT_SRC_UNKNOWN]) },
		{ "loads_no_mapping", "Loads - no mapping", cell_count(trace.load_no_addr) },
		{ "sources_lfb", "Load Fill Buffer Hit", cell_count(source[MEMLAT_SRC_LFB]) },
		{ "sources_l1", "Load L1D hit", cell_count(source[MEMLAT_SRC_L1]) },
		{ "sources_l2", "Load L2D hit", cell_count(source[MEMLAT_SRC_L2]) },
		{ "load_llc_hit", "Load LLC hit", cell_count(llc_hits(source)) },
		{ "hitm_local", "Load Local HITM", cell_count(source[MEMLAT_SRC_L3_HITM]) },
		/* If the CPU tells HITM from a clean forward, no load may be either. */
		{ "xsnp_fwd", "Load Local Forward or HITM",
		  cell_known(forwards, trace.xsnp_fwd) },
		{ "hitm_remote", "Load Remote HITM", cell_count(source[MEMLAT_SRC_RHITM]) },
		{ "sources_rcache", "Load Remote HIT", cell_count(source[MEMLAT_SRC_RCACHE]) },
		{ "sources_dram", "Load Local DRAM", cell_count(source[MEMLAT_SRC_DRAM]) },
		{ "sources_rdram", "Load Remote DRAM", cell_count(source[MEMLAT_SRC_RDRAM]) },
		{ "load_other_memory", "Load L4 and far memory", cell_count(other_memory(source)) },
		/* An older module reports no source words, so neither is known. */
		{ "load_exclusive", "Load MESI State Exclusive",
		  cell_known(status->cores, memory - trace.shared_dram) },
		{ "load_shared", "Load MESI State Shared",
		  cell_known(status->cores, trace.shared_dram) },
		{ "load_llc_misses", "Load LLC Misses", cell_count(misses) },
		{ "blocked_data", "Load access blocked by data",
		  cell_count(trace.blocked_data) },
		{ "blocked_addr", "Load access blocked by address",
		  cell_count(trace.blocked_addr) },
		{ "load_local_peer", "Load HIT Local Peer",
		  cell_count(source[MEMLAT_SRC_L3_SNOOP] - trace.xsnp_fwd) },
		{ "load_remote_peer", "Load HIT Remote Peer",
		  cell_count(source[MEMLAT_SRC_RCACHE]) },
		{ "llc_miss_local_dram", "LLC Misses to Local DRAM",
		  cell_ratio(CELL_SHARE, source[MEMLAT_SRC_DRAM], misses) },
		{ "llc_miss_remote_dram", "LLC Misses to Remote DRAM",
		  cell_ratio(CELL_SHARE, source[MEMLAT_SRC_RDRAM], misses) },
		{ "llc_miss_remote_hit", "LLC Misses to Remote cache (HIT)",
		  cell_ratio(CELL_SHARE, source[MEMLAT_SRC_RCACHE], misses) },
		{ "llc_miss_hitm_remote", "LLC Misses to Remote cache (HITM)",
		  cell_ratio(CELL_SHARE, source[MEMLAT_SRC_RHITM], misses) },
		{ "llc_miss_other", "LLC Misses to other memory",
		  cell_ratio(CELL_SHARE, other_memory(source), misses) },
		{ "stores", "Store Operations", cell_count(status->stores) },
		/* PEBS does not report the memory type of a store. */
		{ "stores_uncacheable", "Store - uncacheable", cell_none() },
		{ "stores_no_mapping", "Store - no mapping", cell_count(trace.store_no_addr) },
		{ "store_l1_hit", "Store L1D Hit", cell_count(trace.store_l1_hit) },
		{ "store_l1_miss", "Store L1D Miss",
		  cell_count(trace.known_stores - trace.store_l1_hit) },
		{ "store_hitm", "Store found it modified (HITM)",
		  cell_known(tell, trace.store_hitm) },
		{ "store_xsnp_fwd", "Store found Forward or HITM",
		  cell_known(tell && forwards, trace.store_xsnp_fwd) },
		{ "store_no_level", "Store No available memory level",
		  cell_count(status->stores - trace.known_stores) },
		{ "no_page_map", "No Page Map Rejects", cell_count(trace.unmapped) },
		{ "not_parsed", "Unable to parse data source",
		  cell_count(status->loads - source_total(trace.source)) },
	};

	memcpy(facts, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

size_t c2c_shared_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX])
{
	const struct sums *shared = &c2c->shared.sum;
	const __u64 *source = c2c->shared.source;
	const bool forwards = trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD);
	const struct c2c_fact all[] = {
		{ "lines", "Total Shared Cache Lines", cell_count(shared->nr) },
		{ "loads", "Load HITs on shared lines", cell_count(sums_loads(shared)) },
		{ "sources_lfb", "Fill Buffer Hits on shared lines",
		  cell_count(source[MEMLAT_SRC_LFB]) },
		{ "sources_l1", "L1D hits on shared lines", cell_count(source[MEMLAT_SRC_L1]) },
		{ "sources_l2", "L2D hits on shared lines", cell_count(source[MEMLAT_SRC_L2]) },
		{ "load_llc_hit", "LLC hits on shared lines", cell_count(llc_hits(source)) },
		{ "load_peer_hit", "Load hits on peer cache or nodes",
		  cell_count(source[MEMLAT_SRC_L3_SNOOP] + source[MEMLAT_SRC_RCACHE] -
			     shared->fwd) },
		{ "xsnp_fwd", "Forwards or HITM on shared lines",
		  cell_known(forwards, shared->fwd) },
		{ "locked", "Locked Access on shared lines", cell_count(c2c->shared.locked) },
		{ "blocked", "Blocked Access on shared lines", cell_count(c2c->shared.blocked) },
		{ "stores", "Store HITs on shared lines", cell_count(shared->stores) },
		{ "store_l1_hit", "Store L1D hits on shared lines",
		  cell_count(shared->store_l1_hit) },
		{ "store_l1_miss", "Store L1D misses on shared lines",
		  cell_count(shared->stores - shared->store_l1_hit) },
		{ "merged", "Total Merged records", cell_count(shared->hitm + shared->stores) },
		{ "cost", "Cost of shared lines", cell_ratio(CELL_SHARE, shared->cost, c2c->cost) },
	};

	memcpy(facts, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* "offset,iaddr" */
static char *grouping_text(char text[GROUPING_MAX], unsigned int coalesce)
{
	snprintf(text, GROUPING_MAX, "offset%s%s%s%s",
		 coalesce & C2C_PID ? ",pid" : "", coalesce & C2C_TID ? ",tid" : "",
		 coalesce & C2C_IADDR ? ",iaddr" : "", coalesce & C2C_DSO ? ",dso" : "");
	return text;
}

void c2c_heading(FILE *out, const char *title)
{
	static const char rule[] = "=================================================";
	int before = (HEADING_WIDTH - (int)strlen(title)) / 2;

	fprintf(out, "\n%s\n%*s%s\n%s\n", rule, before > 0 ? before : 0, "", title, rule);
}

/* all: print the facts that are zero too; otherwise print how many were left out. */
static void print_facts(FILE *out, const struct c2c_fact *facts, size_t nr, bool all)
{
	size_t i, folded = 0;
	char *figure;

	for (i = 0; i < nr; i++) {
		const struct cell *value = &facts[i].value;

		if (!all && (value->kind == CELL_NONE || !value->part)) {
			folded++;
			continue;
		}
		figure = report_cell_text(value);
		fprintf(out, "  %-*s: %*s\n", TITLE_WIDTH, facts[i].title, VALUE_WIDTH, figure);
		free(figure);
	}
	if (folded)
		fprintf(out, "  (%zu more are zero or not known: -d stats)\n", folded);
}

void c2c_stats_print(FILE *out, const struct c2c *c2c)
{
	static const char *const sorted[] = {
		[C2C_COST] = "Cost in cycles", [C2C_TOT] = "Total HITMs",
		[C2C_LCL] = "Local HITMs", [C2C_RMT] = "Remote HITMs",
	};
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	struct c2c_fact facts[C2C_FACTS_MAX];
	char events[FILTER_MAX], grouping[GROUPING_MAX];
	const bool all = c2c->options.stats || c2c->options.show_all;

	c2c_heading(out, "Trace Event Information");
	print_facts(out, facts, c2c_trace_facts(c2c, facts), all);
	c2c_heading(out, "Global Shared Cache Line Event Information");
	print_facts(out, facts, c2c_shared_facts(c2c, facts), all);
	c2c_heading(out, "c2c details");
	fprintf(out, "  %-*s: %s\n", TITLE_WIDTH, "Events",
		filter_events(events, status->flags, status->ldlat));
	fprintf(out, "  %-*s: %s\n", TITLE_WIDTH, "Cachelines sort on",
		sorted[c2c->options.display]);
	fprintf(out, "  %-*s: %s\n", TITLE_WIDTH, "Cacheline data grouping",
		grouping_text(grouping, c2c->options.coalesce));
}

REPORT_CELL(fact_value, struct c2c_fact, of[at].value)

struct report c2c_facts_report(const char *key, const struct c2c_fact *facts, size_t nr)
{
	static const struct report_column columns[] = {
		{ .key = "figure", .title = "figure", REPORT_WORDS(struct c2c_fact, key) },
		{ .key = "value", .title = "value", .get = fact_value },
	};

	return (struct report){
		.key = key, .columns = columns, .nr_columns = 2, .nr_rows = nr,
		.context = facts, .rows = facts,
	};
}

static void put_facts(struct json_object *document, const char *key, const struct c2c_fact *facts,
		      size_t nr, const __u64 source[MEMLAT_SRC_NR])
{
	struct json_object *object = json_new();
	size_t i;

	/* "sources_l1" of CSV is a member of an object, as in the other views. */
	for (i = 0; i < nr; i++)
		if (strncmp(facts[i].key, "sources_", 8))
			report_put_cell(object, facts[i].key, &facts[i].value);
	json_put_sources(object, figures_get(F_SOURCES)->key, source);
	json_put(document, key, object);
}

void c2c_stats_put(struct json_object *document, const struct c2c *c2c)
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	struct c2c_fact facts[C2C_FACTS_MAX];
	char events[FILTER_MAX], grouping[GROUPING_MAX];
	__u64 source[MEMLAT_SRC_NR];

	json_put_text(document, "display", c2c_display_names[c2c->options.display]);
	json_put_text(document, "grouping", grouping_text(grouping, c2c->options.coalesce));
	json_put_text(document, "events", filter_events(events, status->flags, status->ldlat));
	source_sums(c2c->profile->snap.buckets.count, source);
	put_facts(document, "trace", facts, c2c_trace_facts(c2c, facts), source);
	put_facts(document, "shared", facts, c2c_shared_facts(c2c, facts), c2c->shared.source);
}
