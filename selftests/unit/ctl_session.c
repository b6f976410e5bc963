// SPDX-License-Identifier: GPL-2.0
#include "ctl_session.h"

#include <stdbool.h>

void session_init(struct session *session)
{
	memset(session, 0, sizeof(*session));
	session->snap.lines = session->lines;
	session->snap.accesses = session->accesses;
	session->snap.have_head = session->snap.have_buckets = true;
	session->snap.head.status = (struct memlat_status){
		.size = sizeof(struct memlat_status), .ldlat = 30,
		.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS |
			 MEMLAT_F_STORES,
		.started_ns = 5000000000, .duration_ns = 2000000000, .nodes = 2, .cores = 1,
		.traits = MEMLAT_TRAIT_TLB,
	};
	session->period = 1000;
}

struct memlat_rec_line *session_line(struct session *session, __u64 addr, __u32 pid, __u64 phys)
{
	struct memlat_rec_line *line;
	__u64 start = addr & ~63ULL;
	size_t i;

	for (i = 0; i < session->snap.nr_lines; i++) {
		line = &session->lines[i];
		if (phys ? line->phys == phys :
			   line->addr == start && line->space == (addr >> 63 ? 0 : pid))
			return line;
	}
	assert_true(session->snap.nr_lines < ROWS_MAX);
	line = &session->lines[session->snap.nr_lines++];
	line->addr = start;
	line->space = addr >> 63 ? 0 : pid;
	line->phys = phys;
	line->home = MEMLAT_NODE_UNKNOWN;
	return line;
}

static __u64 from_l3(const struct use *use)
{
	return use->loads - use->hitm - use->rhitm - use->snoop - use->lfb - use->dram - use->fwd;
}

/* Add them to the session's totals as well. */
static void session_count(struct session *session, const struct use *use,
			  const struct memlat_rec_access *access)
{
	struct memlat_status *status = &session->snap.head.status;
	__u64 *count = session->snap.buckets.count[4];
	unsigned int table;

	status->samples += access->samples;
	status->records += access->samples;
	status->loads += use->loads;
	status->stores += use->stores;
	status->weight_loads += access->weight / access->samples * use->loads;
	status->weight_stores += access->weight / access->samples * use->stores;
	status->latency_sum += access->latency_sum;
	count[MEMLAT_SRC_L3_HITM] += use->hitm;
	count[MEMLAT_SRC_RHITM] += use->rhitm;
	count[MEMLAT_SRC_L3_SNOOP] += use->snoop + use->fwd;
	count[MEMLAT_SRC_LFB] += use->lfb;
	count[MEMLAT_SRC_DRAM] += use->dram;
	count[MEMLAT_SRC_L3] += from_l3(use);
	session->snap.parts.part[MEMLAT_PART_XSNP_FWD].count[4] += use->fwd;
	session->snap.have_parts = true;
	if (use->fwd || use->store_fwd)
		status->traits |= MEMLAT_TRAIT_XSNP_FWD;
	if (use->store_hitm || use->store_fwd)
		status->traits |= MEMLAT_TRAIT_STORE_SOURCE;
	for (table = TABLE_LINES; table <= TABLE_THREADS; table++) {
		session->snap.sum[table].samples += access->samples;
		session->snap.sum[table].weight += access->weight;
		session->snap.sum[table].cost += access->cost;
	}
}

void session_use(struct session *session, struct use use)
{
	struct memlat_rec_access *access = &session->accesses[session->snap.nr_accesses++];
	struct memlat_rec_line *line;
	__u64 period = use.period ? use.period : session->period;
	__u64 store_period = use.store_period ? use.store_period : period;
	unsigned int slot = use.addr % 64 / 8;

	assert_true(session->snap.nr_accesses <= ROWS_MAX);
	if (!use.pid)
		use.pid = PID;
	line = session_line(session, use.addr, use.pid, use.phys);
	*access = (struct memlat_rec_access){
		.addr = use.addr, .ip = use.ip ? use.ip : 0x401000 + use.tid * 16, .tgid = use.pid,
		.tid = use.tid, .samples = use.loads + use.stores, .stores = use.stores,
		.store_l1_hit = use.stores - use.store_misses, .hitm_local = use.hitm,
		.hitm_remote = use.rhitm, .xsnp_fwd = use.fwd, .store_hitm = use.store_hitm,
		.store_xsnp_fwd = use.store_fwd,
		.latency_sum = use.loads * 50 + (use.hitm + use.fwd) * 250 + use.rhitm * 450,
		.latency_hitm_local = use.hitm * 300, .latency_hitm_remote = use.rhitm * 500,
		.weight = use.loads * period + use.stores * store_period,
		.latency_xsnp_fwd = use.fwd * 300,
		.cost = (use.loads * 50 + (use.hitm + use.fwd) * 250 + use.rhitm * 450) * period,
		.cpus = 1ULL << use.tid, .nodes = 1ULL << use.tid % 2, .phys = use.phys,
		.stack = use.stack,
	};
	line->samples += access->samples;
	line->stores += use.stores;
	line->store_l1_hit += access->store_l1_hit;
	line->store_hitm += use.store_hitm;
	line->store_xsnp_fwd += use.store_fwd;
	line->source[MEMLAT_SRC_L3_HITM] += use.hitm;
	line->source[MEMLAT_SRC_RHITM] += use.rhitm;
	line->source[MEMLAT_SRC_L3_SNOOP] += use.snoop + use.fwd;
	line->xsnp_fwd += use.fwd;
	line->xsnp_fwd_latency += access->latency_xsnp_fwd;
	line->source[MEMLAT_SRC_LFB] += use.lfb;
	line->source[MEMLAT_SRC_DRAM] += use.dram;
	line->source[MEMLAT_SRC_L3] += from_l3(&use);
	line->latency_sum += access->latency_sum;
	line->latency[MEMLAT_SRC_L3_HITM] += access->latency_hitm_local;
	line->latency[MEMLAT_SRC_RHITM] += access->latency_hitm_remote;
	line->latency[MEMLAT_SRC_L3] += 50 * from_l3(&use);
	line->latency[MEMLAT_SRC_DRAM] += 50 * use.dram;
	line->latency[MEMLAT_SRC_L3_SNOOP] += use.snoop * 50 + access->latency_xsnp_fwd;
	line->latency[MEMLAT_SRC_LFB] += use.lfb * 50;
	line->slot[slot] += use.loads;
	line->slot_hitm[slot] += use.hitm + use.rhitm;
	line->slot_xsnp_fwd[slot] += use.fwd;
	line->slot_store[slot] += use.stores;
	if (use.loads)
		line->bytes_loaded |= 1ULL << use.addr % 64;
	if (use.stores) {
		line->bytes_stored |= 1ULL << use.addr % 64;
		line->store_cpus |= access->cpus;
		line->store_nodes |= access->nodes;
	}
	line->cpus |= access->cpus;
	line->nodes |= access->nodes;
	line->weight += access->weight;
	line->cost += access->cost;
	session_count(session, &use, access);
}

void session_of(struct session *session, const struct use *uses)
{
	session_init(session);
	for (; uses->addr; uses++)
		session_use(session, *uses);
}
