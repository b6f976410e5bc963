// SPDX-License-Identifier: GPL-2.0
/*
 * Count what really happened. Each CPU has its own shard, whose lock is only contended when a
 * bracket begins or ends or is read.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth_internal.h"

/* memlat's buckets, so that rows can be compared with memlat's. */
const uint32_t truth_bucket_edge[TRUTH_BUCKETS - 1] = {
	32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096
};

static const char *const fate_name[VP_FATES] = {
	[VP_WRITTEN]		= "written",
	[VP_LOST_BUFFER_FULL]	= "buffer_full",
	[VP_LOST_DS_UNMAPPED]	= "ds_unmapped",
	[VP_LOST_BAD_DS]	= "bad_ds",
	[VP_LOST_NO_PEBS]	= "no_pebs",
};

/* Several codes can have one source. */
static const char *const source_name[VP_CODES] = {
	[VP_UNKNOWN]	= "unknown",
	[VP_L1]		= "l1",
	[VP_LFB]	= "lfb",
	[VP_L2]		= "l2",
	[VP_L3]		= "l3",
	[VP_L3_MISS]	= "l3_snoop",
	[VP_L3_CLEAN]	= "l3_snoop",
	[VP_L3_HITM]	= "l3_hitm",
	[VP_PMEM]	= "pmem",
	[VP_RPMEM]	= "rpmem",
	[VP_DRAM]	= "dram",
	[VP_RDRAM]	= "rdram",
	[VP_RCACHE]	= "rcache",
	[VP_RHITM]	= "rhitm",
	[VP_IO]		= "io",
	[VP_UNC]	= "unc",
};

const char *vp_fate_name(enum vp_fate fate)
{
	return (unsigned int)fate < VP_FATES ? fate_name[fate] : "unknown";
}

const char *vp_source_name(unsigned int code)
{
	return code < VP_CODES ? source_name[code] : "unknown";
}

struct vp_truth *vp_truth_new(const struct vp_topology *topology, const struct vp_model *model)
{
	struct vp_truth *truth;
	unsigned int cpu, code;

	if (!model || !topology->cpus || topology->cpus > VP_MAX_CPUS || !topology->nodes ||
	    topology->nodes > VP_MAX_NODES) {
		errno = EINVAL;
		return NULL;
	}
	truth = calloc(1, sizeof(*truth));
	if (!truth)
		return NULL;
	truth->topology = *topology;
	truth->open = true;
	truth->model = model;
	pthread_mutex_init(&truth->mutex, NULL);
	truth->shard = aligned_alloc(128, topology->cpus * sizeof(*truth->shard));
	truth->violation = calloc(TRUTH_VIOLATIONS, sizeof(*truth->violation));
	if (!truth->shard || !truth->violation) {
		free(truth->shard);
		truth->shard = NULL;
		vp_truth_free(truth);
		errno = ENOMEM;
		return NULL;
	}
	memset(truth->shard, 0, topology->cpus * sizeof(*truth->shard));
	for (cpu = 0; cpu < topology->cpus; cpu++) {
		struct shard *shard = &truth->shard[cpu];

		account_init(&shard->bracket, TRUTH_MAX_LINES, TRUTH_MAX_IPS);
		shard->bracket.places = true;
		account_init(&shard->outside, TRUTH_MAX_LINES, TRUTH_MAX_IPS);
		shard->open = true;
		shard->core = vp_model_core(model, cpu, topology->cpus);
		shard->kind = vp_model_kind(model, cpu, topology->cpus);
		for (code = 0; code < VP_CODES; code++)
			shard->seen[code] =
				(uint8_t)vp_encoding_seen(shard->core->encoding, code);
	}
	return truth;
}

void vp_truth_free(struct vp_truth *truth)
{
	unsigned int cpu;

	if (!truth)
		return;
	for (cpu = 0; truth->shard && cpu < truth->topology.cpus; cpu++) {
		account_destroy(&truth->shard[cpu].bracket);
		account_destroy(&truth->shard[cpu].outside);
	}
	pthread_mutex_destroy(&truth->mutex);
	truth_counts_free(truth);
	free(truth->shard);
	free(truth->violation);
	free(truth);
}

static uint64_t peek(_Atomic uint64_t *count)
{
	return atomic_load_explicit(count, memory_order_relaxed);
}

/* Only the shard's own thread writes its counts, so no atomic addition is needed. */
static inline void bump(_Atomic uint64_t *count)
{
	atomic_store_explicit(count, peek(count) + 1, memory_order_relaxed);
}

void truth_tally(struct vp_truth *truth, struct tally_copy *sum)
{
	unsigned int cpu, code, i;

	memset(sum, 0, sizeof(*sum));
	for (cpu = 0; cpu < truth->topology.cpus; cpu++) {
		struct tally *tally = &truth->shard[cpu].tally;

		for (code = 0; code < VP_CODES; code++)
			sum->loads[code] += peek(&tally->loads[code]);
		sum->user_loads += peek(&tally->user_loads);
		sum->stores += peek(&tally->stores);
		sum->user_stores += peek(&tally->user_stores);
		sum->locked += peek(&tally->locked);
		for (i = 0; i < VP_PREFETCHERS; i++)
			sum->prefetches[i] += peek(&tally->prefetches[i]);
	}
}

/* Lock all shards, so that no CPU counts into the wrong bracket. */
static void lock_all(struct vp_truth *truth)
{
	unsigned int cpu;

	for (cpu = 0; cpu < truth->topology.cpus; cpu++)
		vp_lock(&truth->shard[cpu].lock);
}

static void unlock_all(struct vp_truth *truth)
{
	unsigned int cpu;

	for (cpu = 0; cpu < truth->topology.cpus; cpu++)
		vp_unlock(&truth->shard[cpu].lock);
}

void vp_truth_lives(struct vp_truth *truth, const struct vp_lives *lives)
{
	truth->lives = lives;
}

void vp_truth_begin(struct vp_truth *truth)
{
	unsigned int cpu;

	pthread_mutex_lock(&truth->mutex);
	lock_all(truth);
	for (cpu = 0; cpu < truth->topology.cpus; cpu++) {
		struct shard *shard = &truth->shard[cpu];

		account_add(&shard->outside, &shard->bracket);
		account_clear(&shard->bracket);
		shard->bracket.places = true;
		shard->open = true;
	}
	truth_tally(truth, &truth->before);
	truth_counts_note(truth, truth->counts_before);
	truth->bracket++;
	truth->open = true;
	unlock_all(truth);
	pthread_mutex_unlock(&truth->mutex);
}

void vp_truth_end(struct vp_truth *truth)
{
	unsigned int cpu;

	pthread_mutex_lock(&truth->mutex);
	if (truth->open) {
		lock_all(truth);
		for (cpu = 0; cpu < truth->topology.cpus; cpu++)
			truth->shard[cpu].open = false;
		truth_tally(truth, &truth->after);
		truth_counts_note(truth, truth->counts_after);
		truth->open = false;
		unlock_all(truth);
	}
	pthread_mutex_unlock(&truth->mutex);
}

void vp_truth_sums(struct vp_truth *truth)
{
	unsigned int cpu;

	lock_all(truth);
	for (cpu = 0; cpu < truth->topology.cpus; cpu++)
		truth->shard[cpu].bracket.places = false;
	unlock_all(truth);
}

static struct account *shard_enter(struct vp_truth *truth, unsigned int cpu)
{
	struct shard *shard = &truth->shard[cpu];

	vp_lock(&shard->lock);
	return shard->open ? &shard->bracket : &shard->outside;
}

static void shard_leave(struct vp_truth *truth, unsigned int cpu)
{
	vp_unlock(&truth->shard[cpu].lock);
}

static struct line_place *line_of(struct account *account, const struct vp_access *access)
{
	const uint64_t mask = ~(uint64_t)(VP_LINE_BYTES - 1);

	return (struct line_place *)place_table_get(&account->lines, access->vaddr & mask,
						    access->paddr & mask);
}

/*
 * Find an event's places. If there is no room for them, it is only counted in the totals. So it is
 * outside brackets, because a session that nobody asks about would keep millions of lines. With
 * this, and with fewer reads of RIP (see memory_unwatched()), which had been some 5 % of the time,
 * the group "always" of selftests/check took 517 CPU seconds in place of 684.
 */
static void places_of(struct account *account, const struct vp_access *access,
		      struct line_place **line, struct place **ip)
{
	*line = NULL;
	*ip = NULL;
	if (!account->places)
		return;
	*line = line_of(account, access);
	*ip = place_table_get(&account->ips, access->ip, 0);
	account->unkept += !*line || !*ip;
}

static unsigned int slot_of(const struct vp_access *access)
{
	return access->vaddr % VP_LINE_BYTES / 8;
}

void vp_truth_qualify(struct vp_truth *truth, uint32_t threshold)
{
	atomic_store_explicit(&truth->qualify, threshold, memory_order_relaxed);
}

/* Count what counters would have seen if they had been on everywhere. */
static __attribute__((noinline)) void qualify(struct vp_truth *truth,
					      const struct vp_access *access)
{
	struct account *account = shard_enter(truth, access->cpu);
	struct line_place *line;
	struct place *ip;

	if (account == &truth->shard[access->cpu].bracket) {
		places_of(account, access, &line, &ip);
		if (!access->store)
			account->qualified_by[access->user]++;
		if (line)
			(*(access->store ? &line->place.stores : &line->place.qualified))++;
		if (ip)
			(*(access->store ? &ip->stores : &ip->qualified))++;
	}
	shard_leave(truth, access->cpu);
}

static void add_prefetches(struct tally *tally, const struct vp_outcome *outcome)
{
	unsigned int i;

	for (i = 0; i < VP_PREFETCHERS; i++)
		atomic_store_explicit(&tally->prefetches[i], peek(&tally->prefetches[i]) +
				      vp_prefetched(outcome, i), memory_order_relaxed);
}

void vp_truth_access(struct vp_truth *truth, const struct vp_access *access,
		     const struct vp_outcome *outcome)
{
	uint32_t threshold = atomic_load_explicit(&truth->qualify, memory_order_relaxed);
	struct shard *shard = &truth->shard[access->cpu];
	struct tally *tally = &shard->tally;

	if (access->store) {
		bump(&tally->stores);
		if (access->user)
			bump(&tally->user_stores);
	} else {
		bump(&tally->loads[shard->seen[outcome->code & 15]]);
		if (access->user)
			bump(&tally->user_loads);
	}
	if (access->locked)
		bump(&tally->locked);
	if (__builtin_expect(outcome->prefetches, 0))
		add_prefetches(tally, outcome);
	if (__builtin_expect(threshold, 0) && (access->store || vp_use_latency(outcome) > threshold))
		qualify(truth, access);
}

static unsigned int bucket_of(uint32_t latency)
{
	unsigned int row = 0;

	while (row < TRUTH_BUCKETS - 1 && latency > truth_bucket_edge[row])
		row++;
	return row;
}

/* Had another core modified the line? This does not depend on what the source word shows. */
static bool was_modified(const struct vp_outcome *outcome)
{
	return outcome->code == VP_L3_HITM || outcome->code == VP_RHITM;
}

void vp_truth_counted(struct vp_truth *truth, const struct vp_access *access,
		      const struct vp_outcome *outcome)
{
	const struct shard *shard = &truth->shard[access->cpu];
	const struct vp_encoding *encoding = shard->core->encoding;
	struct account *account = shard_enter(truth, access->cpu);
	unsigned int slot = slot_of(access);
	unsigned int code = shard->seen[outcome->code & 15];
	uint32_t memory = vp_memory_latency(shard->core, outcome);
	struct line_place *line;
	struct place *ip;

	account->by_raw[vp_encoding_raw(encoding, vp_encode_load(encoding, access, outcome))]++;
	account->cell[code][bucket_of(vp_use_latency(outcome))]++;
	account->latency[code] += vp_use_latency(outcome);
	account->by_memory[bucket_of(memory)]++;
	account->memory[code] += memory;
	account->counted_by[access->user]++;

	places_of(account, access, &line, &ip);
	if (line) {
		line->place.counted++;
		add_small(&line->place.by_code[code], 1);
		add_small(&line->slots[slot], 1);
		if (was_modified(outcome))
			add_small(&line->modified, 1);
		if (code == VP_L3_HITM || code == VP_RHITM) {
			add_small(&line->slot_hitm[slot], 1);
			line->hitm_nodes |= 1ULL << vp_node_of_cpu(&truth->topology,
								   access->cpu);
		}
	}
	if (ip) {
		ip->counted++;
		add_small(&ip->by_code[code], 1);
	}
	shard_leave(truth, access->cpu);
}

void vp_truth_stored(struct vp_truth *truth, const struct vp_access *access,
		     const struct vp_outcome *outcome)
{
	const struct shard *shard = &truth->shard[access->cpu];
	const bool tells = vp_stores_tell(shard->core);
	const unsigned int code = shard->seen[outcome->code & 15];
	struct account *account = shard_enter(truth, access->cpu);
	struct line_place *line;
	struct place *ip;

	account->store_counted++;
	account->store_l1_hit += outcome->l1_hit;
	account->store_by_code[code] += tells;
	account->store_memory[code] += tells ? vp_memory_latency(shard->core, outcome) : 0;
	places_of(account, access, &line, &ip);
	if (line) {
		line->place.store_counted++;
		line->place.store_l1_hit += outcome->l1_hit;
		if (was_modified(outcome))
			add_small(&line->store_modified, 1);
		if (tells)
			add_small(&line->store_by_code[code], 1);
		add_small(&line->store_slots[slot_of(access)], 1);
	}
	if (ip) {
		ip->store_counted++;
		ip->store_l1_hit += outcome->l1_hit;
	}
	shard_leave(truth, access->cpu);
}

void vp_truth_record(struct vp_truth *truth, const struct vp_access *access,
		     enum vp_fate fate, uint32_t word)
{
	const struct vp_core *core = truth->shard[access->cpu].core;
	struct account *account = shard_enter(truth, access->cpu);

	account->fate[fate]++;
	if (fate == VP_WRITTEN && word != VP_NO_WORD)
		(access->store ? account->written_store_raw :
		 account->written_raw)[vp_encoding_raw(core->encoding, word)]++;
	if (fate == VP_WRITTEN && access->paddr) {
		struct line_place *line;
		struct place *ip;

		places_of(account, access, &line, &ip);
		(*(access->store ? &account->store_records : &account->load_records))++;
		if (line)
			(*(access->store ? &line->place.store_records : &line->place.records))++;
		if (ip)
			(*(access->store ? &ip->store_records : &ip->records))++;
	}
	shard_leave(truth, access->cpu);
}

void vp_truth_pmi(struct vp_truth *truth, unsigned int cpu, bool sent)
{
	struct account *account = shard_enter(truth, cpu);

	if (sent)
		account->pmis_sent++;
	else
		account->pmis_masked++;
	shard_leave(truth, cpu);
}

void vp_truth_violation(struct vp_truth *truth, unsigned int cpu, uint64_t ip,
			const char *kind, const char *fmt, ...)
{
	struct violation new = { .cpu = cpu, .ip = ip, .count = 1 };
	unsigned int i;
	va_list args;

	snprintf(new.kind, sizeof(new.kind), "%s", kind);
	va_start(args, fmt);
	vsnprintf(new.detail, sizeof(new.detail), fmt, args);
	va_end(args);

	pthread_mutex_lock(&truth->mutex);
	for (i = 0; i < truth->violations; i++) {
		struct violation *old = &truth->violation[i];

		if (old->cpu == cpu && old->ip == ip && !strcmp(old->kind, new.kind) &&
		    !strcmp(old->detail, new.detail)) {
			old->count++;
			goto out;
		}
	}
	if (truth->violations < TRUTH_VIOLATIONS)
		truth->violation[truth->violations++] = new;
	else
		truth->violations_more++;
out:
	pthread_mutex_unlock(&truth->mutex);
}

void vp_truth_cost(struct vp_truth *truth, const struct vp_cost_figures *row, unsigned int lost)
{
	pthread_mutex_lock(&truth->mutex);
	truth->has_cost = row;
	truth->cost_lost = lost;
	if (row)
		memcpy(truth->cost, row, truth->topology.cpus * sizeof(*row));
	pthread_mutex_unlock(&truth->mutex);
}

void vp_truth_instructions(struct vp_truth *truth, uint64_t instructions)
{
	truth->instructions = instructions;
}

void vp_truth_forgive(struct vp_truth *truth)
{
	pthread_mutex_lock(&truth->mutex);
	truth->violations = 0;
	truth->violations_more = 0;
	pthread_mutex_unlock(&truth->mutex);
}

unsigned int vp_truth_violations(struct vp_truth *truth)
{
	uint64_t sum;
	unsigned int i;

	pthread_mutex_lock(&truth->mutex);
	sum = truth->violations_more;
	for (i = 0; i < truth->violations; i++)
		sum += truth->violation[i].count;
	pthread_mutex_unlock(&truth->mutex);
	return sum > UINT32_MAX ? UINT32_MAX : (unsigned int)sum;
}
