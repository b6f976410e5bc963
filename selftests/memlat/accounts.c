// SPDX-License-Identifier: GPL-2.0
/* The equations that uapi/linux/memlat_records.h promises of every snapshot. */
#include "snapshot.h"

#include <stdio.h>
#include <string.h>

static char text[200];

#define EQUAL(left, right, what)					\
	do {								\
		if ((left) != (right)) {				\
			snprintf(text, sizeof(text), "%s: %llu and %llu", \
				 what, (unsigned long long)(left),	\
				 (unsigned long long)(right));		\
			return text;					\
		}							\
	} while (0)

static __u64 sum(const __u64 *numbers, size_t count)
{
	__u64 total = 0;

	while (count--)
		total += *numbers++;
	return total;
}

/* A command's name ends, and after its end is nothing that the kernel may have left there. */
static bool is_name(const char comm[MEMLAT_COMM_BYTES])
{
	size_t i = strnlen(comm, MEMLAT_COMM_BYTES);

	if (i == MEMLAT_COMM_BYTES)
		return false;
	while (i < MEMLAT_COMM_BYTES && !comm[i])
		i++;
	return i == MEMLAT_COMM_BYTES;
}

static const char *line_accounts(const struct memlat_rec_line *line)
{
	__u64 loads = line->samples - line->stores;
	unsigned int i;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		if (line->slot_hitm[i] + line->slot_xsnp_fwd[i] > line->slot[i])
			return "HITM and forwarded loads of a slot exceed its loads";
	if (sum(line->slot_xsnp_fwd, MEMLAT_LINE_SLOTS) != line->xsnp_fwd)
		return "forwarded loads by slot do not add up";
	if (line->addr % MEMLAT_LINE_BYTES)
		return "address is not that of a line";
	if (!line->samples)
		return "no samples";
	if (line->stores > line->samples)
		return "more stores than samples";
	if (line->store_l1_hit > line->stores)
		return "more stores that hit L1 than stores";
	if (sum(line->source, MEMLAT_SRC_NR) != loads)
		return "sources do not add up to loads";
	if (sum(line->slot, MEMLAT_LINE_SLOTS) != loads)
		return "slots do not add up to loads";
	if (sum(line->slot_store, MEMLAT_LINE_SLOTS) != line->stores)
		return "slots of stores do not add up to stores";
	if (sum(line->slot_hitm, MEMLAT_LINE_SLOTS) != snapshot_line_hitm(line))
		return "HITM loads by slot do not add up to those by source";
	if (sum(line->latency, MEMLAT_SRC_NR) != line->latency_sum)
		return "latencies by source do not add up to their sum";
	if (line->latency_max > line->latency_sum)
		return "largest latency exceeds their sum";
	if (line->hitm_nodes & ~line->nodes || line->store_nodes & ~line->nodes)
		return "a node with HITM loads or stores is not among its nodes";
	if (line->store_cpus & ~line->cpus)
		return "a CPU that stored is not among its CPUs";
	if (!line->stores != !line->store_cpus || !line->stores != !line->store_nodes)
		return "CPUs and nodes that stored do not fit stores";
	if (!loads != !line->bytes_loaded || !line->stores != !line->bytes_stored)
		return "bytes touched do not fit loads and stores";
	if (line->blocked_data > loads || line->blocked_addr > loads)
		return "more blocked loads than loads";
	if (line->store_hitm + line->store_xsnp_fwd + line->store_l1_hit > line->stores ||
	    (!line->stores && line->store_latency_sum))
		return "more of stores than there can be";
	if (line->not_memory > line->source[MEMLAT_SRC_L1])
		return "more hits that waited for something else than hits";
	if (line->xsnp_fwd > line->source[MEMLAT_SRC_L3_SNOOP] ||
	    line->xsnp_fwd_latency > line->latency[MEMLAT_SRC_L3_SNOOP])
		return "more forwarded loads, or cycles of these, than of their source";
	if (line->weight < line->samples)
		return "weight below samples";
	if (snapshot_is_kernel(line->addr) && !line->phys &&
	    (line->space || line->gen))
		return "a kernel address with a process";
	if (!snapshot_is_kernel(line->addr) && line->space && !line->gen)
		return "a process without a generation";
	if (line->reserved2)
		return "reserved2 is not zero";
	if (!is_name(line->comm))
		return "a name without an end, or with something after it";
	return NULL;
}

static const char *site_accounts(const struct memlat_rec_site *site)
{
	__u64 loads = site->samples - site->stores;

	if (!site->samples)
		return "no samples";
	if (site->stores > site->samples || site->store_l1_hit > site->stores)
		return "more stores than there can be";
	if (sum(site->bucket, MEMLAT_BUCKETS) != loads)
		return "buckets do not add up to loads";
	if (sum(site->source, MEMLAT_SRC_NR) != loads)
		return "sources do not add up to loads";
	if (sum(site->latency, MEMLAT_SRC_NR) != site->latency_sum)
		return "latencies by source do not add up to their sum";
	if (site->latency_max > site->latency_sum)
		return "largest latency exceeds their sum";
	if (site->blocked_data > loads || site->blocked_addr > loads)
		return "more blocked loads than loads";
	if (site->store_hitm + site->store_xsnp_fwd + site->store_l1_hit > site->stores ||
	    (!site->stores && site->store_latency_sum))
		return "more of stores than there can be";
	if (site->not_memory > site->source[MEMLAT_SRC_L1])
		return "more hits that waited for something else than hits";
	if (site->xsnp_fwd > site->source[MEMLAT_SRC_L3_SNOOP])
		return "more forwarded loads than of their source";
	if (site->addr_min > site->addr_max)
		return "lowest address above the highest";
	if (site->weight < site->samples)
		return "weight below samples";
	if (snapshot_is_kernel(site->ip) != !site->space)
		return "kernel code and no process go together";
	if (!is_name(site->comm))
		return "a name without an end, or with something after it";
	return NULL;
}

static const char *access_accounts(const struct memlat_rec_access *access)
{
	if (!access->samples)
		return "no samples";
	if (access->stores > access->samples ||
	    access->store_l1_hit > access->stores)
		return "more stores than there can be";
	if (access->hitm_local + access->hitm_remote + access->xsnp_fwd > access->samples - access->stores)
		return "more HITM and forwarded loads than loads";
	if (access->latency_hitm_local + access->latency_hitm_remote + access->latency_xsnp_fwd >
	    access->latency_sum)
		return "latency of HITM and forwarded loads exceeds that of all";
	if (access->store_hitm + access->store_xsnp_fwd + access->store_l1_hit > access->stores)
		return "more of stores than there can be";
	if (access->latency_max > access->latency_sum)
		return "largest latency exceeds their sum";
	if (access->weight < access->samples)
		return "weight below samples";
	return NULL;
}

static const char *thread_accounts(const struct memlat_rec_thread *thread)
{
	if (!thread->samples)
		return "no samples";
	if (thread->hitm + thread->stores > thread->samples)
		return "more HITM loads and stores than samples";
	if (thread->reserved)
		return "reserved is not zero";
	if (!is_name(thread->comm))
		return "a name without an end, or with something after it";
	return NULL;
}

static const char *stack_accounts(const struct snapshot *s,
				  const struct memlat_rec_stack *stack)
{
	unsigned int i;

	if (stack->reserved)
		return "reserved is not zero";
	if (!stack->id)
		return "id 0 is that of no chain";
	if (snapshot_stack(s, stack->id) != stack)
		return "its id is another's too";
	if (!stack->frames || stack->frames > MEMLAT_STACK_FRAMES ||
	    stack->kernel_frames > stack->frames)
		return "a number of frames that can't be";
	for (i = 0; i < MEMLAT_STACK_FRAMES; i++) {
		if (i >= stack->frames && stack->frame[i])
			return "a frame beyond the last";
		if (i < stack->frames &&
		    snapshot_is_kernel(stack->frame[i]) != (i < stack->kernel_frames))
			return "kernel frames are not the first ones";
	}
	return NULL;
}

static const char *stride_accounts(const struct memlat_rec_stride *stride)
{
	if (!stride->pairs)
		return "no pairs";
	if (stride->stlb_miss > stride->pairs || stride->new_page > stride->pairs)
		return "more of a kind than pairs";
	if ((stride->step >= 4096 || stride->step <= -4096) && stride->new_page != stride->pairs)
		return "a page's step within a page";
	if (stride->onward + stride->turned > stride->pairs)
		return "goes on and turns more often than it has pairs";
	if (!stride->step && (stride->onward || stride->turned))
		return "a step of 0 goes some way";
	if (!stride->step && stride->new_page)
		return "a new page at the same address";
	if (stride->latency_sum < stride->pairs)
		return "a load without a latency";
	if (snapshot_is_kernel(stride->ip) != !stride->space)
		return "kernel code and no process go together";
	return NULL;
}

/* Check each record by itself. */
static const char *rows(const struct snapshot *s)
{
	const char *wrong;
	size_t i;

#define EACH(table, check, address)					\
	for (i = 0; i < s->nr_##table; i++) {				\
		wrong = check;						\
		if (wrong) {						\
			snprintf(text, sizeof(text), #table " 0x%llx: %s", \
				 (unsigned long long)s->table[i].address, wrong); \
			return text;					\
		}							\
	}
	EACH(lines, line_accounts(&s->lines[i]), addr)
	EACH(sites, site_accounts(&s->sites[i]), ip)
	EACH(accesses, access_accounts(&s->accesses[i]), addr)
	EACH(threads, thread_accounts(&s->threads[i]), tid)
	EACH(stacks, stack_accounts(s, &s->stacks[i]), id)
	EACH(strides, stride_accounts(&s->strides[i]), ip)
#undef EACH
	for (i = 0; i < s->nr_accesses; i++)
		if (s->accesses[i].stack && !s->status.status.stacks_lost &&
		    !snapshot_stack(s, s->accesses[i].stack))
			return "an access with a chain that is not there";
	return NULL;
}

/* The sum of a member over a table. */
#define TABLE_SUM(table, member)					\
	({								\
		__u64 total_ = 0;					\
		size_t i_;						\
									\
		for (i_ = 0; i_ < s->nr_##table; i_++)			\
			total_ += s->table[i_].member;			\
		total_;							\
	})

/*
 * If no sample has left a table, the table has all samples, so the other sums are those of the
 * status too.
 */
#define WHOLE_TABLE(table)						\
	do {								\
		if (status->table##_evicted)				\
			break;						\
		EQUAL(status->stores, TABLE_SUM(table, stores),		\
		      "stores, sum over " #table);			\
		EQUAL(status->weight_loads + status->weight_stores,	\
		      TABLE_SUM(table, weight), "weights, sum over " #table); \
		EQUAL(status->latency_sum, TABLE_SUM(table, latency_sum), \
		      "latency_sum, sum over " #table);			\
	} while (0)

#define TABLE(table)							\
	do {								\
		EQUAL(status->samples, TABLE_SUM(table, samples) +	\
		      status->table##_evicted,				\
		      "samples, sum of the " #table " + evicted");	\
		EQUAL(status->table, s->nr_##table,			\
		      #table " of the status, " #table);		\
		if (status->cells_lost > status->table##_evicted)	\
			return "cells_lost is not part of " #table "_evicted"; \
		WHOLE_TABLE(table);					\
	} while (0)

/* Only lines and sites have blocked loads. */
#define BLOCKED(table)							\
	do {								\
		if (status->table##_evicted)				\
			break;						\
		EQUAL(status->blocked_data, TABLE_SUM(table, blocked_data), \
		      "blocked_data, sum over " #table);		\
		EQUAL(status->blocked_addr, TABLE_SUM(table, blocked_addr), \
		      "blocked_addr, sum over " #table);		\
	} while (0)

#define WORD_FLAGS	(MEMLAT_WORD_STLB_MISS | MEMLAT_WORD_LOCKED | \
			 MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR)

static const char *core_accounts(const struct snapshot *s, size_t at)
{
	const struct memlat_rec_core *core = &s->cores[at];
	size_t i, word;

	if (core->core != at)
		return "its number is not its place";
	if (!core->model_name[0] || !memchr(core->model_name, 0, sizeof(core->model_name)))
		return "a short name that is none";
	if (!core->model_title[0] || !memchr(core->model_title, 0, sizeof(core->model_title)))
		return "a title that is none";
	if (!core->pebs_format || !core->record_size)
		return "records without a format or a size";
	if (core->traits & ~s->status.status.traits)
		return "a trait that the status does not have";
	for (i = 0; i < at; i++)
		for (word = 0; word < MEMLAT_CPU_WORDS; word++)
			if (core->cpus[word] & s->cores[i].cpus[word])
				return "a CPU of another kind too";
	return NULL;
}

static const char *source_accounts(const struct snapshot *s, size_t at)
{
	const struct memlat_rec_source *source = &s->sources[at];
	const struct memlat_rec_core *core = snapshot_core(s, source->core);
	size_t i;

	if (!core)
		return "of a kind of core that is not there";
	if (!source->samples)
		return "no samples";
	if (source->source >= MEMLAT_SRC_NR || source->snoop > MEMLAT_SNOOP_XSNP_FWD)
		return "a source or a snoop that does not exist";
	if (source->flags & ~WORD_FLAGS || source->reserved)
		return "unknown flags, or reserved is not zero";
	if (!(core->traits & MEMLAT_TRAIT_TLB) &&
	    source->flags & (MEMLAT_WORD_STLB_MISS | MEMLAT_WORD_LOCKED))
		return "TLB or lock known where it can't be";
	if (!(core->traits & MEMLAT_TRAIT_BLOCKED) &&
	    source->flags & (MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR))
		return "blocked where that can't be known";
	if ((source->snoop == MEMLAT_SNOOP_XSNP_FWD) >
	    (source->source == MEMLAT_SRC_L3_SNOOP && core->traits & MEMLAT_TRAIT_XSNP_FWD))
		return "forwarded, modified or clean, where that is told, or is not of L3";
	for (i = 0; i < at; i++)
		if (s->sources[i].core == source->core &&
		    s->sources[i].word == source->word)
			return "its word is there twice";
	return NULL;
}

/* The loads of source words, or of those with one of the flags if any are given. */
static __u64 words(const struct snapshot *s, unsigned int flags)
{
	__u64 total = 0;
	size_t i;

	for (i = 0; i < s->nr_sources; i++)
		if (!flags || s->sources[i].flags & flags)
			total += s->sources[i].samples;
	return total;
}

static const char *words_totals(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	__u64 source[MEMLAT_SRC_NR] = { 0 }, raw[256] = { 0 }, forwards = 0;
	const char *wrong;
	size_t i, j;

	for (i = 0; i < s->nr_sources; i++) {
		wrong = source_accounts(s, i);
		if (wrong) {
			snprintf(text, sizeof(text), "source word 0x%x of core %u: %s",
				 s->sources[i].word, s->sources[i].core, wrong);
			return text;
		}
		source[s->sources[i].source] += s->sources[i].samples;
		raw[s->sources[i].word & 0xff] += s->sources[i].samples;
		if (s->sources[i].snoop == MEMLAT_SNOOP_XSNP_FWD)
			forwards += s->sources[i].samples;
	}
	EQUAL(status->loads, words(s, 0), "loads, sum of the source words");
	EQUAL(status->blocked_data, words(s, MEMLAT_WORD_BLOCKED_DATA),
	      "blocked_data, source words that say so");
	EQUAL(status->blocked_addr, words(s, MEMLAT_WORD_BLOCKED_ADDR),
	      "blocked_addr, source words that say so");
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		for (j = 0; j < MEMLAT_BUCKETS; j++)
			source[i] -= s->buckets.count[j][i];
		EQUAL(source[i], 0ULL, "a source's words less its buckets, nothing");
	}
	EQUAL(sum(s->parts.part[MEMLAT_PART_XSNP_FWD].count, MEMLAT_BUCKETS), forwards,
	      "forwarded loads by bucket, source words that say so");
	for (i = 0; i < 256; i++)
		EQUAL(s->raw.count[i], raw[i], "a raw source count, source words like it");
	for (i = 0; i < s->nr_cores; i++) {
		__u64 loads = 0;

		for (j = 0; j < s->nr_sources; j++)
			if (s->sources[j].core == s->cores[i].core)
				loads += s->sources[j].samples;
		EQUAL(s->cores[i].loads, loads, "loads of a kind of core, its source words");
	}
	return NULL;
}

static const char *cores_totals(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	__u32 traits = 0;
	const char *wrong;
	size_t i;

	EQUAL(status->cores, s->nr_cores, "cores of the status, cores");
	EQUAL(status->loads, TABLE_SUM(cores, loads), "loads, sum over the cores");
	EQUAL(status->stores, TABLE_SUM(cores, stores), "stores, sum over the cores");
	for (i = 0; i < s->nr_cores; i++) {
		wrong = core_accounts(s, i);
		if (wrong) {
			snprintf(text, sizeof(text), "core %u: %s", s->cores[i].core, wrong);
			return text;
		}
		traits |= s->cores[i].traits;
	}
	EQUAL(status->traits, traits, "traits of the status, of the cores");
	if (!(traits & MEMLAT_TRAIT_TURNS) && (status->load_turn || status->store_turn))
		return "turns where none are taken";
	if (!(traits & MEMLAT_TRAIT_STORE_SOURCE) &&
	    (s->stores.count[MEMLAT_SRC_L1] + s->stores.count[MEMLAT_SRC_UNKNOWN] !=
	     status->stores || sum(s->stores.latency, MEMLAT_SRC_NR)))
		return "stores tell more than they can";
	if (!(traits & MEMLAT_TRAIT_CACHE_LATENCY) &&
	    (status->cache_latency_sum || status->use_latency_sum ||
	     sum(s->parts.part[MEMLAT_PART_NOT_MEMORY].count, MEMLAT_BUCKETS)))
		return "two latencies where there is one";
	if (status->sampled_cycles > status->busy_cycles)
		return "more cycles of sampled tasks than of all";
	return NULL;
}

const char *snapshot_totals(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	__u64 buckets = 0, weights = 0;
	size_t i, j;

	if (s->types & ~(SNAPSHOT_ALL | 1u << MEMLAT_REC_COUNT))
		return "a record of an unknown type";
	if ((s->types & 1u << MEMLAT_REC_COUNT) && !(status->flags & MEMLAT_F_COUNT))
		return "events are counted that nobody asked for";
	if (!(s->types & 1u << MEMLAT_REC_BUCKETS) || !(s->types & 1u << MEMLAT_REC_PARTS) ||
	    !(s->types & 1u << MEMLAT_REC_RAW))
		return "no buckets, no parts of them or no raw counts";
	for (i = 0; i < MEMLAT_BUCKETS; i++) {
		static const enum memlat_source of[MEMLAT_PART_NR] = {
			[MEMLAT_PART_XSNP_FWD] = MEMLAT_SRC_L3_SNOOP,
			[MEMLAT_PART_NOT_MEMORY] = MEMLAT_SRC_L1,
		};

		for (j = 0; j < MEMLAT_PART_NR; j++) {
			const struct memlat_part_figures *part = &s->parts.part[j];

			if (part->count[i] > s->buckets.count[i][of[j]] ||
			    part->weight[i] > s->buckets.weight[i][of[j]] ||
			    part->weight[i] < part->count[i])
				return "a part of a bucket does not fit its source";
		}
	}
	for (i = 0; i < MEMLAT_BUCKETS; i++) {
		for (j = 0; j < MEMLAT_SRC_NR; j++) {
			buckets += s->buckets.count[i][j];
			weights += s->buckets.weight[i][j];
			if (s->buckets.weight[i][j] < s->buckets.count[i][j])
				return "a bucket's weight is below its count";
		}
	}
	EQUAL(status->records, status->samples + status->filtered +
	      status->malformed + status->collision,
	      "records, samples + filtered + malformed + collision");
	EQUAL(status->samples, status->loads + status->stores,
	      "samples, loads + stores");
	EQUAL(status->loads, buckets, "loads, sum of the buckets");
	EQUAL(status->loads, sum(s->raw.count, 256),
	      "loads, sum of the raw source counts");
	EQUAL(status->weight_loads, weights,
	      "weight_loads, sum of the buckets' weights");
	EQUAL(status->latency_sum, sum(s->buckets.latency, MEMLAT_SRC_NR),
	      "latency_sum of the status, of the buckets");
	EQUAL(status->cache_latency_sum, sum(s->buckets.cache_latency, MEMLAT_SRC_NR),
	      "cache_latency_sum of the status, of the buckets");
	if (!(s->types & 1u << MEMLAT_REC_STORES))
		return "no stores by source";
	EQUAL(status->stores, sum(s->stores.count, MEMLAT_SRC_NR), "stores, sum by their source");
	EQUAL(status->weight_stores, sum(s->stores.weight, MEMLAT_SRC_NR),
	      "weight_stores, sum of the weights by source");
	if (s->stores.reserved || s->status.reserved)
		return "reserved is not zero";
	if (s->stores.xsnp_fwd > s->stores.count[MEMLAT_SRC_L3_SNOOP])
		return "more forwarded stores than of their source";
	EQUAL(status->use_latency_sum, sum(s->parts.use_latency, MEMLAT_SRC_NR),
	      "use_latency_sum of the status, of the parts");
	if (status->cache_latency_sum > status->latency_sum)
		return "more cycles of cache latency than of latency";
	if (s->types & 1u << MEMLAT_REC_CORE) {
		const char *wrong = cores_totals(s);

		if (wrong)
			return wrong;
	}
	return s->types & 1u << MEMLAT_REC_SOURCE ? words_totals(s) : NULL;
}

const char *snapshot_accounts(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	const char *wrong = snapshot_totals(s);

	if (!wrong && !s->nr_cores)
		return "no kind of core";
	/* Without loads there are no source words, and so no records of them. */
	if (!wrong && !s->nr_sources && status->loads)
		return "loads, and no source words";
	if (!wrong)
		wrong = rows(s);
	if (wrong)
		return wrong;
	EQUAL(status->stacks, s->nr_stacks, "stacks of the status, stacks");
	TABLE(lines);
	TABLE(sites);
	TABLE(accesses);
	TABLE(threads);
	BLOCKED(lines);
	BLOCKED(sites);
	EQUAL(status->pairs, TABLE_SUM(strides, pairs) + status->strides_evicted,
	      "pairs, sum of the strides + evicted");
	EQUAL(status->strides, s->nr_strides, "strides of the status, strides");
	if (!(status->flags & MEMLAT_F_STRIDE) && status->pairs)
		return "pairs that nobody asked for";
	return NULL;
}
