/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the machines that can be emulated. `selftests/vm/run --cpu list` reads the names
 * from model.c, so each row's .name has to be on a line of its own, before its .title. Kinds of
 * cores have no .title.
 */
#ifndef VPEBS_MODEL_H
#define VPEBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"

#define VP_CORE_KINDS	3
#define VP_PMU_GP_MAX	10
#define VP_PMU_FIXED_MAX 4

/* IA32_PERF_CAPABILITIES. */
#define VP_CAP_FORMAT(caps)	((unsigned int)((caps) >> 8 & 15))
#define VP_CAP_FULL_WIDTH	(1ULL << 13)
#define VP_CAP_BASELINE		(1ULL << 14)
#define VP_CAP_METRICS		(1ULL << 15)
#define VP_CAP_TIMING		(1ULL << 17)	/* retire latency in the basic group */

/* When a driver has to unmask LVTPC. */
enum vp_ack {
	VP_ACK_EARLY,	/* before the counters run again: before Haswell */
	VP_ACK_MID,	/* likewise: E-cores since Gracemont */
	VP_ACK_LATE,	/* after: Haswell and later */
};

/* How a source word is encoded; module/core/source_tables.c has the references. */
struct vp_encoding {
	uint16_t code[VP_CODES];	/* 0: there is none, it is "unknown" */
	uint16_t stlb_miss;		/* bits; 0: not told */
	uint16_t locked;
	uint16_t store_l1_hit;		/* 0: a store has a code, as a load */
	uint16_t store_stlb_miss;
	uint16_t store_locked;
	bool wide;			/* codes of 8 bits, flags above */
	bool omr;			/* or of 9 */
};

/* One kind of core. */
struct vp_core {
	const char *name;		/* as memlat's row */
	uint32_t type;			/* CPUID.1AH:EAX; 0: not hybrid */
	unsigned int version;		/* of architectural performance monitoring */
	unsigned int gp;		/* general counters, at most VP_PMU_GP_MAX */
	unsigned int fixed;
	uint64_t perf_caps;		/* IA32_PERF_CAPABILITIES; format and baseline in it */
	uint64_t pebs_caps;		/* architectural PEBS: bits that a CFG_C may have (pmu_arch.c) */
	uint32_t pebs_gp;		/* and counters that can do it, masks; CPUID.23H.5 */
	uint32_t pebs_gp_pdist;
	uint32_t pebs_fixed;
	uint32_t pebs_fixed_pdist;
	uint16_t load_event;
	uint32_t load_counters;		/* mask */
	uint16_t store_event;		/* 0: none */
	uint32_t store_counters;
	unsigned int pdist_stores;	/* least period of stores on counter 0; 0: any */
	uint16_t aux_event;		/* 0: none needed */
	uint32_t aux_counters;
	enum vp_ack ack;
	bool precise_store;		/* PEBS_ENABLE bit 63 */
	bool nhm_enable;		/* the enable sequence of errata AAK100, AAP53, BD53 */
	bool alone;			/* no other PEBS event beside load latency */
	bool cache_latency;		/* two latencies in the latency word */
	const struct vp_encoding *encoding;
	bool metrics;			/* PERF_METRICS; hybrid parts do not say so in perf_caps */
	bool leaf23;			/* CPUID.23H tells this kind's own counters */
	bool tsx;			/* IN_TX, IN_TXCP in an event select */
	bool frontend;			/* MSR_PEBS_FRONTEND */
	bool snoop_rsp;			/* MSR_SNOOP_RSP_0 and 1 */
	uint8_t prefetch;		/* bits that MSR_MISC_FEATURE_CONTROL has (prefetch.h) */
	const struct vp_event_row *events;	/* of the counting mode; NULL: none */
	unsigned int fill_buffers;	/* L1 misses on their way at once (timing.h) */
	unsigned int offcore;		/* MSR_OFFCORE_RSP_x: how many */
	uint64_t offcore_bits;
};

struct vp_model {
	const char *name;		/* of selftests/vm/run --cpu */
	const char *title;
	unsigned int family;
	unsigned int model;
	unsigned int stepping;
	uint32_t microcode;
	unsigned int nodes;		/* most sockets */
	bool rdcl_no;			/* no Meltdown: no page table isolation */
	bool la57;			/* page tables of five levels; QEMU's CPU has them */
	bool misc_pebs_off;		/* IA32_MISC_ENABLE bit 12: firmware switched PEBS off */
	/* CPUs are shared out evenly, first kind first. */
	const struct vp_core *core[VP_CORE_KINDS];
};

const struct vp_model *vp_model_find(const char *name);
const struct vp_model *vp_model_at(unsigned int i);	/* NULL: there are no more */
unsigned int vp_model_kinds(const struct vp_model *m);
unsigned int vp_model_kind(const struct vp_model *m, unsigned int cpu, unsigned int cpus);
const struct vp_core *vp_model_core(const struct vp_model *m, unsigned int cpu,
				    unsigned int cpus);

/* The CPUs whose records have two latencies, a bit for each CPU. */
uint64_t vp_model_two_latencies(const struct vp_model *m, unsigned int cpus);

/*
 * The latency of memory in a record, if the access also waited for something else (struct
 * vp_outcome). On a machine without such waits, all but the five cycles of a hit in L1.
 */
uint32_t vp_memory_latency(const struct vp_core *core, const struct vp_outcome *outcome);

/*
 * Golden Cove and later, and E-cores: a store's record has the codes and the latencies of a
 * load's. Linux decodes them with the same tables (arch/x86/events/intel/ds.c, v7.3,
 * store_latency_data); Intel's lists call it the "PEBS Store Latency Facility".
 */
static inline bool vp_stores_tell(const struct vp_core *core)
{
	return core->store_event && !core->encoding->store_l1_hit;
}

/* The number of counters that CPUID.0AH reports on every CPU: what all kinds of cores have. */
unsigned int vp_model_leaf_gp(const struct vp_model *m);
unsigned int vp_model_leaf_fixed(const struct vp_model *m);

static inline unsigned int vp_core_format(const struct vp_core *core)
{
	return VP_CAP_FORMAT(core->perf_caps);
}

/* Architectural PEBS: a physical buffer, registers in place of a DS area. */
static inline bool vp_core_arch(const struct vp_core *core)
{
	return vp_core_format(core) == 15;
}

/* Formats 4 and up with a baseline: the record's groups are the driver's choice. */
static inline bool vp_core_adaptive(const struct vp_core *core)
{
	return vp_core_format(core) >= 4 && !vp_core_arch(core) &&
	       core->perf_caps & VP_CAP_BASELINE;
}

/* encoding.c: source words. */
extern const struct vp_encoding vp_encoding_nhm, vp_encoding_wsm, vp_encoding_snb,
	vp_encoding_hsw, vp_encoding_skl, vp_encoding_icl, vp_encoding_glc, vp_encoding_grt,
	vp_encoding_cmt, vp_encoding_lnc, vp_encoding_pnc, vp_encoding_arw;

#define VP_NO_WORD	UINT32_MAX	/* of a record that is not one of load latency */
#define VP_RAWS		8192
#define VP_SWEEP_ADDR	0x7e0000000000ULL

uint32_t vp_encode_load(const struct vp_encoding *e, const struct vp_access *a,
			const struct vp_outcome *o);
uint32_t vp_encode_store(const struct vp_encoding *e, const struct vp_access *a,
			 const struct vp_outcome *o);
/* The n-th word of a sweep, which has vp_encoding_words() of them and starts over. */
unsigned int vp_encoding_words(const struct vp_encoding *e);
uint32_t vp_encoding_word(const struct vp_encoding *e, unsigned int n);
/* All meaningful bits of a word, without gaps. */
unsigned int vp_encoding_raw(const struct vp_encoding *e, uint32_t word);
/* The enum vp_code that a reader of the word will see for this code. */
unsigned int vp_encoding_seen(const struct vp_encoding *e, unsigned int code);

#endif
