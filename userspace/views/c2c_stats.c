// SPDX-License-Identifier: GPL-2.0
#include "c2c_stats.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/trait.h"
#include "../profile/history.h"
#include "../util/source.h"
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

static void take(struct trace *trace, const struct profile *profile)
{
	unsigned int row;

	memset(trace, 0, sizeof(*trace));
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		trace->xsnp_fwd += profile->snap.parts.part[MEMLAT_PART_XSNP_FWD].count[row];
	source_sums(profile->snap.buckets.count, trace->source);
	take_words(trace, &profile->snap);
	take_lines(trace, profile);
}

struct list {
	struct c2c_fact *facts;
	size_t nr;
};

static void put(struct list *list, const char *key, const char *title, struct cell value)
{
	list->facts[list->nr++] = (struct c2c_fact){ key, title, value };
}

static void put_count(struct list *list, const char *key, const char *title, __u64 count)
{
	put(list, key, title, cell_count(count));
}

static void put_share(struct list *list, const char *key, const char *title, __u64 part,
		      __u64 whole)
{
	put(list, key, title, cell_ratio(CELL_SHARE, part, whole));
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

static void put_loads(struct list *list, const struct memlat_status *status,
		      const struct trace *trace)
{
	const __u64 *source = trace->source;
	__u64 memory = source[MEMLAT_SRC_DRAM] + source[MEMLAT_SRC_RDRAM];
	__u64 misses = memory + source[MEMLAT_SRC_RCACHE] + source[MEMLAT_SRC_RHITM] +
		       other_memory(source);
	const bool forwards = trait_here(status, MEMLAT_TRAIT_XSNP_FWD);

	put_count(list, "loads", "Load Operations", status->loads);
	put_count(list, "loads_uncacheable", "Loads - uncacheable", source[MEMLAT_SRC_UNC]);
	put_count(list, "loads_io", "Loads - IO", source[MEMLAT_SRC_IO]);
	put_count(list, "loads_miss", "Loads - Miss", source[MEMLAT_SRC_UNKNOWN]);
	put_count(list, "loads_no_mapping", "Loads - no mapping", trace->load_no_addr);
	put_count(list, "load_fb_hit", "Load Fill Buffer Hit", source[MEMLAT_SRC_LFB]);
	put_count(list, "load_l1_hit", "Load L1D hit", source[MEMLAT_SRC_L1]);
	put_count(list, "load_l2_hit", "Load L2D hit", source[MEMLAT_SRC_L2]);
	put_count(list, "load_llc_hit", "Load LLC hit", llc_hits(source));
	put_count(list, "load_local_hitm", "Load Local HITM", source[MEMLAT_SRC_L3_HITM]);
	/* If the CPU tells HITM from a clean forward, no load may be either. */
	put(list, "load_xsnp_fwd", "Load Local Forward or HITM",
	    cell_known(forwards, trace->xsnp_fwd));
	put_count(list, "load_remote_hitm", "Load Remote HITM", source[MEMLAT_SRC_RHITM]);
	put_count(list, "load_remote_hit", "Load Remote HIT", source[MEMLAT_SRC_RCACHE]);
	put_count(list, "load_local_dram", "Load Local DRAM", source[MEMLAT_SRC_DRAM]);
	put_count(list, "load_remote_dram", "Load Remote DRAM", source[MEMLAT_SRC_RDRAM]);
	put_count(list, "load_other_memory", "Load L4 and far memory", other_memory(source));
	/* An older module reports no source words, so neither is known. */
	put(list, "load_exclusive", "Load MESI State Exclusive",
	    cell_known(status->cores, memory - trace->shared_dram));
	put(list, "load_shared", "Load MESI State Shared",
	    cell_known(status->cores, trace->shared_dram));
	put_count(list, "load_llc_misses", "Load LLC Misses", misses);
	put_count(list, "load_blocked_data", "Load access blocked by data", trace->blocked_data);
	put_count(list, "load_blocked_addr", "Load access blocked by address", trace->blocked_addr);
	put_count(list, "load_local_peer", "Load HIT Local Peer",
		  source[MEMLAT_SRC_L3_SNOOP] - trace->xsnp_fwd);
	put_count(list, "load_remote_peer", "Load HIT Remote Peer", source[MEMLAT_SRC_RCACHE]);
	put_share(list, "llc_miss_local_dram", "LLC Misses to Local DRAM",
		  source[MEMLAT_SRC_DRAM], misses);
	put_share(list, "llc_miss_remote_dram", "LLC Misses to Remote DRAM",
		  source[MEMLAT_SRC_RDRAM], misses);
	put_share(list, "llc_miss_remote_hit", "LLC Misses to Remote cache (HIT)",
		  source[MEMLAT_SRC_RCACHE], misses);
	put_share(list, "llc_miss_remote_hitm", "LLC Misses to Remote cache (HITM)",
		  source[MEMLAT_SRC_RHITM], misses);
	put_share(list, "llc_miss_other", "LLC Misses to other memory",
		  other_memory(source), misses);
}

size_t c2c_trace_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX])
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	const bool tell = trait_here(status, MEMLAT_TRAIT_STORE_SOURCE);
	struct list list = { .facts = facts };
	struct trace trace;

	take(&trace, c2c->profile);
	put_count(&list, "records", "Total records", status->samples);
	put_count(&list, "locked", "Locked Load/Store Operations", trace.locked);
	put_loads(&list, status, &trace);
	put_count(&list, "stores", "Store Operations", status->stores);
	/* PEBS does not report the memory type of a store. */
	put(&list, "stores_uncacheable", "Store - uncacheable", cell_none());
	put_count(&list, "stores_no_mapping", "Store - no mapping", trace.store_no_addr);
	put_count(&list, "store_l1_hit", "Store L1D Hit", trace.store_l1_hit);
	put_count(&list, "store_l1_miss", "Store L1D Miss",
		  trace.known_stores - trace.store_l1_hit);
	put(&list, "store_hitm", "Store found it modified (HITM)", cell_known(tell, trace.store_hitm));
	put(&list, "store_xsnp_fwd", "Store found Forward or HITM",
	    cell_known(tell && trait_here(status, MEMLAT_TRAIT_XSNP_FWD), trace.store_xsnp_fwd));
	put_count(&list, "store_no_level", "Store No available memory level",
		  status->stores - trace.known_stores);
	put_count(&list, "no_page_map", "No Page Map Rejects", trace.unmapped);
	put_count(&list, "not_parsed", "Unable to parse data source",
		  status->loads - source_total(trace.source));
	return list.nr;
}

size_t c2c_shared_facts(const struct c2c *c2c, struct c2c_fact facts[C2C_FACTS_MAX])
{
	const struct c2c_totals *shared = &c2c->shared;
	const __u64 *source = shared->source;
	const bool forwards = trait_here(&c2c->profile->snap.head.status, MEMLAT_TRAIT_XSNP_FWD);
	struct list list = { .facts = facts };

	put_count(&list, "lines", "Total Shared Cache Lines", shared->lines);
	put_count(&list, "loads", "Load HITs on shared lines", shared->loads);
	put_count(&list, "load_fb_hit", "Fill Buffer Hits on shared lines", source[MEMLAT_SRC_LFB]);
	put_count(&list, "load_l1_hit", "L1D hits on shared lines", source[MEMLAT_SRC_L1]);
	put_count(&list, "load_l2_hit", "L2D hits on shared lines", source[MEMLAT_SRC_L2]);
	put_count(&list, "load_llc_hit", "LLC hits on shared lines", llc_hits(source));
	put_count(&list, "load_peer_hit", "Load hits on peer cache or nodes",
		  source[MEMLAT_SRC_L3_SNOOP] + source[MEMLAT_SRC_RCACHE] - shared->xsnp_fwd);
	put(&list, "load_xsnp_fwd", "Forwards or HITM on shared lines",
	    cell_known(forwards, shared->xsnp_fwd));
	put_count(&list, "locked", "Locked Access on shared lines", shared->locked);
	put_count(&list, "blocked", "Blocked Access on shared lines", shared->blocked);
	put_count(&list, "stores", "Store HITs on shared lines", shared->stores);
	put_count(&list, "store_l1_hit", "Store L1D hits on shared lines", shared->store_l1_hit);
	put_count(&list, "store_l1_miss", "Store L1D misses on shared lines",
		  shared->stores - shared->store_l1_hit);
	put_count(&list, "merged", "Total Merged records", shared->hitm + shared->stores);
	put_share(&list, "cost", "Cost of shared lines", shared->cost, c2c->cost);
	return list.nr;
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

/* Is the count 0, or not reported by the CPU? */
static bool is_nothing(const struct cell *value)
{
	return value->kind == CELL_NONE || !value->part;
}

/* all: print the facts that are zero too; otherwise print how many were left out. */
static void print_facts(FILE *out, const struct c2c_fact *facts, size_t nr, bool all)
{
	size_t i, folded = 0;
	char *figure;

	for (i = 0; i < nr; i++) {
		const struct cell *value = &facts[i].value;

		if (!all && is_nothing(value)) {
			folded++;
			continue;
		}
		figure = report_cell_text(value);
		fprintf(out, "  %-*s: %*s\n", TITLE_WIDTH, facts[i].title, VALUE_WIDTH, figure);
		free(figure);
	}
	if (folded)
		fprintf(out, "  (%zu more are zero or not known: --stats)\n", folded);
}

static const char *sorted_by(enum c2c_display display)
{
	static const char *const names[] = {
		[C2C_COST] = "Cost in cycles", [C2C_TOT] = "Total HITMs",
		[C2C_LCL] = "Local HITMs", [C2C_RMT] = "Remote HITMs",
	};

	return names[display];
}

void c2c_stats_print(FILE *out, const struct c2c *c2c)
{
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
		sorted_by(c2c->options.display));
	fprintf(out, "  %-*s: %s\n", TITLE_WIDTH, "Cacheline data grouping",
		grouping_text(grouping, c2c->options.coalesce));
}

static struct cell fact_value(const void *context, size_t row)
{
	return ((const struct c2c_fact *)context)[row].value;
}

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

static void put_facts(struct json_object *document, const char *key,
		      const struct c2c_fact *facts, size_t nr)
{
	struct json_object *object = json_new();
	size_t i;

	for (i = 0; i < nr; i++)
		report_put_cell(object, facts[i].key, &facts[i].value);
	json_put(document, key, object);
}

void c2c_stats_put(struct json_object *document, const struct c2c *c2c)
{
	const struct memlat_status *status = &c2c->profile->snap.head.status;
	struct c2c_fact facts[C2C_FACTS_MAX];
	char events[FILTER_MAX], grouping[GROUPING_MAX];

	json_put_text(document, "display", c2c_display_name(c2c->options.display));
	json_put_text(document, "grouping", grouping_text(grouping, c2c->options.coalesce));
	json_put_text(document, "events", filter_events(events, status->flags, status->ldlat));
	put_facts(document, "trace", facts, c2c_trace_facts(c2c, facts));
	put_facts(document, "shared", facts, c2c_shared_facts(c2c, facts));
}
