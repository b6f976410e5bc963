// SPDX-License-Identifier: GPL-2.0
/* The equations that uapi/linux/memlat.h promises of every snapshot. */
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

static const char *line_accounts(const struct memlat_rec_line *line)
{
	__u64 loads = line->samples - line->stores;
	unsigned int i;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		if (line->slot_hitm[i] > line->slot[i])
			return "HITM loads of a slot exceed its loads";
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
	if (line->weight < line->samples)
		return "weight below samples";
	if (snapshot_is_kernel(line->addr) && !line->phys &&
	    (line->space || line->gen))
		return "a kernel address with a process";
	if (!snapshot_is_kernel(line->addr) && line->space && !line->gen)
		return "a process without a generation";
	if (memchr(line->comm, 0, sizeof(line->comm)) == NULL)
		return "a name without an end";
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
	if (site->addr_min > site->addr_max)
		return "lowest address above the highest";
	if (site->weight < site->samples)
		return "weight below samples";
	if (snapshot_is_kernel(site->ip) != !site->space)
		return "kernel code and no process go together";
	return NULL;
}

static const char *access_accounts(const struct memlat_rec_access *access)
{
	if (!access->samples)
		return "no samples";
	if (access->stores > access->samples ||
	    access->store_l1_hit > access->stores)
		return "more stores than there can be";
	if (access->hitm + access->rhitm > access->samples - access->stores)
		return "more HITM loads than loads";
	if (access->latency_hitm + access->latency_rhitm > access->latency_sum)
		return "latency of HITM loads exceeds that of all";
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
	if (memchr(thread->comm, 0, sizeof(thread->comm)) == NULL)
		return "a name without an end";
	return NULL;
}

static const char *stack_accounts(const struct snapshot *s,
				  const struct memlat_rec_stack *stack)
{
	unsigned int i;

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

/* Each record by itself. */
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
#undef EACH
	for (i = 0; i < s->nr_accesses; i++)
		if (s->accesses[i].stack && !s->status.status.stacks_lost &&
		    !snapshot_stack(s, s->accesses[i].stack))
			return "an access with a chain that is not there";
	return NULL;
}

/* What a member adds up to in each of the four tables. */
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
 * Where no sample has left a table, all that was sampled is in it, so that
 * the other sums are those of the status too.
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

const char *snapshot_totals(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	__u64 buckets = 0, weights = 0;
	size_t i, j;

	if (s->types & ~SNAPSHOT_ALL)
		return "a record of an unknown type";
	if (!(s->types & 1u << MEMLAT_REC_BUCKETS) ||
	    !(s->types & 1u << MEMLAT_REC_RAW))
		return "no buckets or no raw counts";
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
	return NULL;
}

const char *snapshot_accounts(const struct snapshot *s)
{
	const struct memlat_status *status = &s->status.status;
	const char *wrong = snapshot_totals(s);

	if (!wrong)
		wrong = rows(s);
	if (wrong)
		return wrong;
	EQUAL(status->stacks, s->nr_stacks, "stacks of the status, stacks");
	TABLE(lines);
	TABLE(sites);
	TABLE(accesses);
	TABLE(threads);
	return NULL;
}
