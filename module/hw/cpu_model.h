/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of CPU models (cpu_model.c) and of the events that they can count (count_events.c),
 * for this folder and for memlat-ctl (userspace/host/cpu_models.c).
 */
#ifndef MEMLAT_HW_CPU_MODEL_H
#define MEMLAT_HW_CPU_MODEL_H

#include "../core/sample.h"

/*
 * The events that each generation of cores can count, for the rows of cpu_model.c.
 */

/**
 * struct memlat_count_event - how a general counter counts an event
 * @id: enum memlat_event_id
 * @cmask: counter mask: count cycles with at least so many events; 0: count events
 * @event: event select and unit mask
 * @counters: the general counters that can count it, a bit for each
 */
struct memlat_count_event {
	u8 id;
	u8 cmask;
	u16 event;
	u16 counters;
};

/**
 * struct memlat_count_table - the events that some kinds of cores can count
 * @event: the events
 * @events: number of events
 * @alone: BJ122, BV98, HSD29: memory events (0xd0 to 0xd3) may corrupt the counter
 *	of the same number on the core's other thread
 */
struct memlat_count_table {
	const struct memlat_count_event *event;
	u8 events;
	bool alone;
};

extern const struct memlat_count_table memlat_count_nhm;
extern const struct memlat_count_table memlat_count_wsm;
extern const struct memlat_count_table memlat_count_snb;
extern const struct memlat_count_table memlat_count_ivb;
extern const struct memlat_count_table memlat_count_hsw;
extern const struct memlat_count_table memlat_count_bdw;
extern const struct memlat_count_table memlat_count_skl;
extern const struct memlat_count_table memlat_count_icl;
extern const struct memlat_count_table memlat_count_icx;
extern const struct memlat_count_table memlat_count_glc;
extern const struct memlat_count_table memlat_count_rwc;
extern const struct memlat_count_table memlat_count_lnc;
extern const struct memlat_count_table memlat_count_pnc;
extern const struct memlat_count_table memlat_count_grt;
extern const struct memlat_count_table memlat_count_cmt;
extern const struct memlat_count_table memlat_count_dkm;
extern const struct memlat_count_table memlat_count_arw;

/**
 * enum memlat_ack - when the PMI handler unmasks LVTPC
 * @MEMLAT_ACK_EARLY: before anything else
 * @MEMLAT_ACK_MID: right before the counters run again
 * @MEMLAT_ACK_LATE: after the counters run again; otherwise Haswell raises a spurious PMI
 */
enum memlat_ack {
	MEMLAT_ACK_EARLY,
	MEMLAT_ACK_MID,
	MEMLAT_ACK_LATE,
};

/* memlat_cpu_model.quirks */
#define MEMLAT_QUIRK_NHM_ENABLE	0x01	/* errata AAK100, AAP53, BD53: the enable sequence */
#define MEMLAT_QUIRK_ALONE	0x02	/* SDM: no other PEBS event beside load latency */
#define MEMLAT_QUIRK_PRECISE_STORE 0x04	/* stores need bit 63 of IA32_PEBS_ENABLE */
#define MEMLAT_QUIRK_SIBLING	0x08	/* BJ122, BV98, HSD29: stores hurt the sibling */
#define MEMLAT_QUIRK_SHARED_LDLAT 0x10	/* siblings share the latency threshold */
#define MEMLAT_QUIRK_MODULE	0x20	/* cores that share an L2 may share prefetchers */

/*
 * memlat_cpu_model.errata: figures of this kind of core that are wrong, as Intel says. memlat-ctl
 * has the texts (userspace/analysis/errata.c).
 */
#define MEMLAT_ERRATUM_BT241	0x01	/* sources behind L2 */
#define MEMLAT_ERRATUM_HSD76	0x02	/* load latency: HSD76, HSD25, HSM26 */
#define MEMLAT_ERRATUM_BDM100	0x04	/* load latency: BDM100, BDM35; sources: BDE70 */
#define MEMLAT_ERRATUM_HSD61	0x08	/* requests outstanding: HSD61, 62, 78; HSM63, 80 */
#define MEMLAT_ERRATUM_BDM76	0x10	/* requests outstanding */
#define MEMLAT_ERRATUM_BDM69	0x20	/* page walks */
#define MEMLAT_ERRATUM_ADL038	0x40	/* data reads outstanding, except demand reads */

#define MEMLAT_MODELS_MAX	8

/**
 * struct memlat_cpu_model - what memlat knows about one kind of core
 * @name: short name, for tables and JSON
 * @title: name for messages
 * @family: CPUID display family
 * @models: CPUID display models, ending with 0
 * @stepping_min: first stepping that the row is for
 * @stepping_max: last stepping that the row is for
 * @core_type: CPUID.1AH:EAX[31:24] on hybrid parts: 0x20 Atom, 0x40 Core; 0: the
 *	part is not hybrid
 * @native_id: CPUID.1AH:EAX[23:0], 0: any
 * @microcode_min: older microcode breaks PEBS
 * @load_event: event select and unit mask of the load-latency event
 * @load_counter: the general counter that memlat uses for it
 * @store_event: event select and unit mask of the event that samples stores; 0: there is none
 * @store_counter: the general counter that memlat uses for it
 * @store_pdist: stores are precisely distributed: the store that overflows is recorded, not the one
 *	after it
 * @aux_event: event that has to count together with @load_event, or the data source is wrong; 0:
 *	none
 * @aux_counter: the general counter that memlat uses for it
 * @ack: enum memlat_ack
 * @quirks: MEMLAT_QUIRK_*
 * @prefetch: MEMLAT_PREFETCH_* that Intel documents how to turn off; 0: nothing
 * @errata: MEMLAT_ERRATUM_*
 * @period_min: shortest period; 0: any
 * @store_period_min: shortest period of stores; 0: @period_min
 * @pmi_cycles: cycles of a PMI outside its handler: delivery, entry, IRET
 * @guest_cycles: cycles of a VM entry and exit outside of what is measured: register writes
 * @hook_cycles: cycles of a task switch that reads memory and finds nothing to drain
 * @merge_cycles: cycles of a merge apart from its cells: two interrupts, a wake-up
 * @record_cycles: estimated cycles of a record, until they are measured
 * @sources: data source encoding
 * @counts: events that can be counted
 *
 * A kind of core is one row. The code in hw/ uses the row and never the model number. The layout of
 * records is not in the row, because IA32_PERF_CAPABILITIES reports it.
 */
struct memlat_cpu_model {
	const char *name;
	const char *title;
	u8 family;
	u8 models[MEMLAT_MODELS_MAX];
	u8 stepping_min;
	u8 stepping_max;
	u8 core_type;
	u8 native_id;
	u32 microcode_min;
	u16 load_event;
	u8 load_counter;
	u16 store_event;
	u8 store_counter;
	bool store_pdist;
	u16 aux_event;
	u8 aux_counter;
	u8 ack;
	u8 quirks;
	u8 prefetch;
	u8 errata;
	u32 period_min;
	u32 store_period_min;
	u32 pmi_cycles;
	u32 guest_cycles;
	u32 hook_cycles;
	u32 merge_cycles;
	u32 record_cycles;
	const struct memlat_source_table *sources;
	const struct memlat_count_table *counts;
};

/*
 * The table of cpu_model.c, for cpu_identify.c and for memlat-ctl (userspace/host/cpu_models.c).
 */

/**
 * struct memlat_cpu_without - CPUs that cannot sample the latency of loads
 * @title: their name
 * @models: CPUID display models of family 6, ending with 0
 */
struct memlat_cpu_without {
	const char *title;
	u8 models[MEMLAT_MODELS_MAX];
};

/**
 * struct memlat_cpu_not_yet - CPUs that can sample loads, but that memlat does not support yet
 * @title: their name
 * @missing: what memlat lacks
 * @family: CPUID display family
 * @models: CPUID display models, ending with 0
 */
struct memlat_cpu_not_yet {
	const char *title;
	const char *missing;
	u8 family;
	u8 models[MEMLAT_MODELS_MAX];
};

extern const struct memlat_cpu_model memlat_cpu_models[];
extern const unsigned int memlat_cpu_models_nr;
extern const struct memlat_cpu_without memlat_cpu_without[];
extern const unsigned int memlat_cpu_without_nr;
extern const struct memlat_cpu_not_yet memlat_cpu_not_yet[];
extern const unsigned int memlat_cpu_not_yet_nr;

#endif /* MEMLAT_HW_CPU_MODEL_H */
