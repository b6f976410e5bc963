// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the kinds of cores that memlat knows. A new kind needs only a row
 * (Documentation/cpu-models.rst says how). A CPU has the first row that fits.
 *
 * Events and counters are from Intel's event lists (github.com/intel/perfmon), and from Linux'
 * arch/x86/events/intel/core.c and ds.c. If the lists allow fewer counters than Linux, memlat uses
 * one that both allow.
 */
#include <linux/kernel.h>
#include <uapi/linux/memlat.h>

#include "cpu_model.h"

/*
 * Costs that the handler cannot measure, estimated, and the same for all: entry to and IRET from an
 * NMI, walking its handlers, switching page tables.
 */
#define COSTS	.pmi_cycles = 800, .guest_cycles = 800, .hook_cycles = 50, .merge_cycles = 3500, \
		.record_cycles = 1000

/*
 * "Disclosure of Hardware Prefetcher Control on Some Intel Processors" (Intel, 2014)
 * names Nehalem, Westmere, Sandy Bridge, Ivy Bridge, Haswell and Broadwell.
 */
#define PREFETCH_FOUR	(MEMLAT_PREFETCH_L2 | MEMLAT_PREFETCH_ADJACENT | \
			 MEMLAT_PREFETCH_DCU | MEMLAT_PREFETCH_IP)
#define PREFETCH	.prefetch = PREFETCH_FOUR

/*
 * P-cores since Skylake: from Intel's PerfSpect, which writes the register
 * (internal/extract/prefetcher.go of github.com/intel/PerfSpect). All have five prefetchers.
 * Sapphire, Emerald and Granite Rapids have AMP, and so has Alder Lake, whose core is Sapphire
 * Rapids'. Granite Rapids has all eight, and so has Meteor Lake's core. E-cores: from Intel's
 * "Hardware Prefetch Tuning for E-Cores" (github.com/intel/optimization-zone), section 4.1. Its
 * tables contradict each other about the next-page prefetcher of Gracemont, so memlat leaves that
 * out.
 */
#define PREFETCH_SKL	.prefetch = PREFETCH_FOUR | MEMLAT_PREFETCH_PAGE
#define PREFETCH_GLC	.prefetch = PREFETCH_FOUR | MEMLAT_PREFETCH_PAGE | MEMLAT_PREFETCH_AMP
#define PREFETCH_RWC	.prefetch = MEMLAT_PREFETCH_ALL
#define PREFETCH_GRT	.prefetch = MEMLAT_PREFETCH_L2 | MEMLAT_PREFETCH_DCU | \
				    MEMLAT_PREFETCH_IP | MEMLAT_PREFETCH_AMP
#define PREFETCH_CMT	.prefetch = MEMLAT_PREFETCH_ALL

#define ANY_STEPPING	.stepping_min = 0, .stepping_max = 15

/* CPUID.1AH */
#define ATOM	.core_type = 0x20
#define CORE	.core_type = 0x40

/* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD; no event samples stores. */
#define NEHALEM							\
	.family = 6, .load_event = 0x100b, .load_counter = 3,	\
	.ack = MEMLAT_ACK_EARLY, .period_min = 32, COSTS, PREFETCH, \
	.quirks = MEMLAT_QUIRK_NHM_ENABLE | MEMLAT_QUIRK_ALONE | MEMLAT_QUIRK_SHARED_LDLAT

/*
 * MEM_TRANS_RETIRED.LOAD_LATENCY and .PRECISE_STORE: only counter 3 has both facilities, so it is
 * used for both.
 */
#define SANDY_BRIDGE							\
	.family = 6, .load_event = 0x01cd, .load_counter = 3,		\
	.store_event = 0x02cd, .store_counter = 3,			\
	.ack = MEMLAT_ACK_EARLY, .period_min = 2, COSTS, PREFETCH,	\
	.quirks = MEMLAT_QUIRK_ALONE | MEMLAT_QUIRK_PRECISE_STORE,	\
	.sources = &memlat_source_snb

/* MEM_UOPS_RETIRED.ALL_STORES, which has a data address since Haswell. */
#define HASWELL							\
	.family = 6, .load_event = 0x01cd, .load_counter = 3,	\
	.store_event = 0x82d0, .store_counter = 0,		\
	.ack = MEMLAT_ACK_LATE, COSTS, PREFETCH, .sources = &memlat_source_hsw

/*
 * MEM_INST_RETIRED.ALL_STORES. Load latency may use any of counters 0 to 3, but 3 is not free where
 * TSX_FORCE_ABORT is clear.
 */
#define SKYLAKE							\
	.family = 6, .load_event = 0x01cd, .load_counter = 0,	\
	.store_event = 0x82d0, .store_counter = 1,		\
	.ack = MEMLAT_ACK_LATE, .period_min = 2, COSTS

/*
 * MEM_TRANS_RETIRED.STORE_SAMPLE can use only counter 0, load latency any counter but 0; it leaves
 * 1 to 3 to events that can use no others. The former is precisely distributed (PDist), unless the
 * period is below 128 (Linux' glc_limit_period()).
 */
#define SINCE_GOLDEN_COVE					\
	.load_event = 0x01cd, .load_counter = 4,		\
	.store_event = 0x02cd, .store_counter = 0,		\
	.ack = MEMLAT_ACK_LATE, .period_min = 2, COSTS,			\
	.store_pdist = true, .store_period_min = 128
#define GOLDEN_COVE	.family = 6, SINCE_GOLDEN_COVE

/*
 * LD_BLOCKS.STORE_FORWARD has to count too, or the data source of loads is wrong (Linux'
 * PMU_FL_MEM_LOADS_AUX).
 */
#define AUX	.aux_event = 0x8203, .aux_counter = 1

/* Stores can use counters 0 and 1, load latency 2 to 9. */
#define LION_COVE	GOLDEN_COVE, .sources = &memlat_source_lnc

/* Stores can use counters 0 and 1, load latency 2 to 7. */
#define PANTHER_COVE						\
	SINCE_GOLDEN_COVE, .sources = &memlat_source_pnc,	\
	.counts = &memlat_count_pnc

/*
 * MEM_UOPS_RETIRED.LOAD_LATENCY can use counters 0 and 1, .STORE_LATENCY any. On E-cores LVTPC is
 * unmasked before the counters run (Linux' intel_pmu_init()).
 */
#define SINCE_GRACEMONT						\
	.load_event = 0x05d0, .load_counter = 0,		\
	.store_event = 0x06d0, .store_counter = 2,		\
	.ack = MEMLAT_ACK_MID, .period_min = 2, COSTS,		\
	.quirks = MEMLAT_QUIRK_MODULE
#define GRACEMONT	.family = 6, SINCE_GRACEMONT

const struct memlat_cpu_model memlat_cpu_models[] = {
	{
		.name = "nhm",
		.title = "Nehalem",
		.models = { 0x1a, 0x1e, 0x1f, 0x2e },
		ANY_STEPPING,
		.sources = &memlat_source_nhm,
		.counts = &memlat_count_nhm,
		NEHALEM,
	},
	{
		.name = "wsm",
		.title = "Westmere",
		.models = { 0x25, 0x2c, 0x2f },
		ANY_STEPPING,
		.sources = &memlat_source_wsm,
		.counts = &memlat_count_wsm,
		NEHALEM,
	},
	/* Earlier microcode breaks PEBS, and was not fixed for other steppings. */
	{
		.name = "snb",
		.title = "Sandy Bridge",
		.models = { 0x2a },
		.stepping_min = 7, .stepping_max = 7,
		.microcode_min = 0x28,
		.counts = &memlat_count_snb,
		SANDY_BRIDGE,
	},
	{
		.name = "snb",
		.title = "Sandy Bridge-EP",
		.models = { 0x2d },
		.stepping_min = 6, .stepping_max = 6,
		.microcode_min = 0x618,
		.counts = &memlat_count_snb,
		SANDY_BRIDGE,
		.errata = MEMLAT_ERRATUM_BT241,
	},
	{
		.name = "snb",
		.title = "Sandy Bridge-EP",
		.models = { 0x2d },
		.stepping_min = 7, .stepping_max = 7,
		.microcode_min = 0x70c,
		.counts = &memlat_count_snb,
		SANDY_BRIDGE,
		.errata = MEMLAT_ERRATUM_BT241,
	},
	{
		.name = "ivb",
		.title = "Ivy Bridge",
		.models = { 0x3a, 0x3e },
		ANY_STEPPING,
		.counts = &memlat_count_ivb,
		SANDY_BRIDGE,
	},
	{
		.name = "hsw",
		.title = "Haswell",
		.models = { 0x3c, 0x3f, 0x45, 0x46 },
		ANY_STEPPING,
		.period_min = 32,
		.quirks = MEMLAT_QUIRK_ALONE | MEMLAT_QUIRK_SIBLING,
		.counts = &memlat_count_hsw,
		HASWELL,
		.errata = MEMLAT_ERRATUM_HSD76 | MEMLAT_ERRATUM_HSD61,
	},
	{
		.name = "bdw",
		.title = "Broadwell",
		.models = { 0x3d, 0x47, 0x4f, 0x56 },
		ANY_STEPPING,
		.period_min = 2,
		.quirks = MEMLAT_QUIRK_ALONE,
		.counts = &memlat_count_bdw,
		HASWELL,
		.errata = MEMLAT_ERRATUM_BDM100 | MEMLAT_ERRATUM_BDM76 | MEMLAT_ERRATUM_BDM69,
	},
	{
		.name = "skl",
		.title = "Skylake, Kaby, Coffee, Comet Lake",
		.models = { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 },
		ANY_STEPPING,
		.sources = &memlat_source_skl,
		.counts = &memlat_count_skl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "skx",
		.title = "Skylake-SP",
		.models = { 0x55 },
		.stepping_min = 0, .stepping_max = 4,
		.sources = &memlat_source_skx,
		.counts = &memlat_count_skl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "clx",
		.title = "Cascade Lake",
		.models = { 0x55 },
		.stepping_min = 5, .stepping_max = 9,
		.sources = &memlat_source_skx,
		.counts = &memlat_count_skl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "cpx",
		.title = "Cooper Lake",
		.models = { 0x55 },
		.stepping_min = 10, .stepping_max = 15,
		.sources = &memlat_source_skx,
		.counts = &memlat_count_skl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "icl",
		.title = "Ice Lake",
		.models = { 0x7d, 0x7e },
		ANY_STEPPING,
		.sources = &memlat_source_icl,
		.counts = &memlat_count_icl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "tgl",
		.title = "Tiger Lake",
		.models = { 0x8c, 0x8d },
		ANY_STEPPING,
		.sources = &memlat_source_icl,
		.counts = &memlat_count_icl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "rkl",
		.title = "Rocket Lake",
		.models = { 0xa7 },
		ANY_STEPPING,
		.sources = &memlat_source_icl,
		.counts = &memlat_count_icl,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "icx",
		.title = "Ice Lake-SP",
		.models = { 0x6a },
		ANY_STEPPING,
		.sources = &memlat_source_icx,
		.counts = &memlat_count_icx,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "icl-d",
		.title = "Ice Lake-D",
		.models = { 0x6c },
		ANY_STEPPING,
		.sources = &memlat_source_icx,
		.counts = &memlat_count_icx,
		SKYLAKE,
		PREFETCH_SKL,
	},
	{
		.name = "adl-p",
		/* The last one, Bartlett Lake, has no E-cores. */
		.title = "Alder, Raptor, Bartlett Lake P-core (Golden Cove)",
		.models = { 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xd7 },
		ANY_STEPPING,
		CORE,
		AUX,
		.sources = &memlat_source_glc,
		.counts = &memlat_count_glc,
		GOLDEN_COVE,
		PREFETCH_GLC,
		.errata = MEMLAT_ERRATUM_ADL038,
	},
	{
		.name = "adl-e",
		.title = "Alder, Raptor Lake E-core (Gracemont)",
		.models = { 0x97, 0x9a, 0xb7, 0xba, 0xbf },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_grt,
		.counts = &memlat_count_grt,
		GRACEMONT,
		PREFETCH_GRT,
	},
	{
		.name = "adl-n",
		.title = "Alder Lake-N (Gracemont)",
		.models = { 0xbe },
		ANY_STEPPING,
		.sources = &memlat_source_grt,
		.counts = &memlat_count_grt,
		GRACEMONT,
		PREFETCH_GRT,
	},
	{
		.name = "spr",
		.title = "Sapphire Rapids",
		.models = { 0x8f },
		ANY_STEPPING,
		AUX,
		.sources = &memlat_source_spr,
		.counts = &memlat_count_glc,
		GOLDEN_COVE,
		PREFETCH_GLC,
	},
	{
		.name = "emr",
		.title = "Emerald Rapids",
		.models = { 0xcf },
		ANY_STEPPING,
		AUX,
		.sources = &memlat_source_spr,
		.counts = &memlat_count_glc,
		GOLDEN_COVE,
		PREFETCH_GLC,
	},
	{
		.name = "gnr",
		.title = "Granite Rapids",
		.models = { 0xad, 0xae },
		ANY_STEPPING,
		.sources = &memlat_source_spr,
		.counts = &memlat_count_rwc,
		GOLDEN_COVE,
		PREFETCH_RWC,
	},
	{
		.name = "mtl-p",
		.title = "Meteor Lake P-core (Redwood Cove)",
		.models = { 0xaa, 0xac },
		ANY_STEPPING,
		CORE,
		.sources = &memlat_source_glc,
		.counts = &memlat_count_rwc,
		GOLDEN_COVE,
		PREFETCH_RWC,
	},
	{
		.name = "mtl-e",
		.title = "Meteor Lake E-core (Crestmont)",
		.models = { 0xaa, 0xac },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "arl-u-p",
		.title = "Arrow Lake-U P-core (Redwood Cove)",
		.models = { 0xb5 },
		ANY_STEPPING,
		CORE,
		.sources = &memlat_source_glc,
		.counts = &memlat_count_rwc,
		GOLDEN_COVE,
		PREFETCH_RWC,
	},
	{
		.name = "arl-u-e",
		.title = "Arrow Lake-U E-core (Crestmont)",
		.models = { 0xb5 },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "lnl-p",
		.title = "Lunar Lake P-core (Lion Cove)",
		.models = { 0xbd },
		ANY_STEPPING,
		CORE,
		.counts = &memlat_count_lnc,
		LION_COVE,
		PREFETCH_SKL,
	},
	{
		.name = "lnl-e",
		.title = "Lunar Lake E-core (Skymont)",
		.models = { 0xbd },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "arl-p",
		.title = "Arrow Lake P-core (Lion Cove)",
		.models = { 0xc5, 0xc6 },
		ANY_STEPPING,
		CORE,
		.counts = &memlat_count_lnc,
		LION_COVE,
		PREFETCH_SKL,
	},
	{
		.name = "arl-lp",
		.title = "Arrow Lake-H LP E-core (Crestmont)",
		.models = { 0xc5 },
		ANY_STEPPING,
		ATOM,
		.native_id = 2,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "arl-e",
		.title = "Arrow Lake E-core (Skymont)",
		.models = { 0xc5, 0xc6 },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "srf",
		.title = "Sierra Forest",
		.models = { 0xaf },
		ANY_STEPPING,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	{
		.name = "grr",
		.title = "Grand Ridge",
		.models = { 0xb6 },
		ANY_STEPPING,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_cmt,
		GRACEMONT,
		PREFETCH_CMT,
	},
	/* Architectural PEBS from here on. Intel has not published how to turn prefetchers off. */
	{
		.name = "ptl-p",
		.title = "Panther, Wildcat Lake P-core (Cougar Cove)",
		.models = { 0xcc, 0xd5, 0xe5 },
		ANY_STEPPING,
		CORE,
		.counts = &memlat_count_lnc,
		LION_COVE,
	},
	{
		.name = "ptl-e",
		.title = "Panther, Wildcat Lake E-core (Darkmont)",
		.models = { 0xcc, 0xd5, 0xe5 },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_dkm,
		GRACEMONT,
	},
	{
		.name = "cwf",
		.title = "Clearwater Forest",
		.models = { 0xdd },
		ANY_STEPPING,
		.sources = &memlat_source_cmt,
		.counts = &memlat_count_dkm,
		GRACEMONT,
	},
	/* Intel's list of Arctic Wolf has neither event yet; Linux uses those of Darkmont. */
	{
		.name = "nvl-p",
		.title = "Nova Lake P-core (Coyote Cove)",
		.family = 18,
		.models = { 0x01, 0x03 },
		ANY_STEPPING,
		CORE,
		PANTHER_COVE,
	},
	{
		.name = "nvl-e",
		.title = "Nova Lake E-core (Arctic Wolf)",
		.family = 18,
		.models = { 0x01, 0x03 },
		ANY_STEPPING,
		ATOM,
		.sources = &memlat_source_arw,
		.counts = &memlat_count_arw,
		SINCE_GRACEMONT,
	},
	/* There is no list yet: events of sampling are from Linux, of counting from Coyote Cove. */
	{
		.name = "dmr",
		.title = "Diamond Rapids",
		.family = 19,
		.models = { 0x01 },
		ANY_STEPPING,
		PANTHER_COVE,
	},
};

const unsigned int memlat_cpu_models_nr = ARRAY_SIZE(memlat_cpu_models);

/* Models of family 6. They are looked up before the table above. */
const struct memlat_cpu_without memlat_cpu_without[] = {
	{ "Core", { 0x0e } },
	{ "Core 2", { 0x0f, 0x16, 0x17, 0x1d } },
	{ "Bonnell Atom", { 0x1c, 0x26, 0x27, 0x35, 0x36 } },
	{ "Silvermont Atom", { 0x37, 0x4a, 0x4d, 0x5a, 0x5d } },
	{ "Airmont Atom", { 0x4c, 0x75 } },
	{ "Goldmont Atom", { 0x5c, 0x5f } },
	{ "Goldmont Plus Atom", { 0x7a } },
	{ "Tremont Atom", { 0x86, 0x96, 0x9c } },
	{ "Knights Landing", { 0x57 } },
	{ "Knights Mill", { 0x85 } },
};

const unsigned int memlat_cpu_without_nr = ARRAY_SIZE(memlat_cpu_without);

/* Linux' driver does not know these models either. */
#define NO_EVENTS	"nobody has published which of its events sample loads"

const struct memlat_cpu_not_yet memlat_cpu_not_yet[] = {
	{ "Cannon Lake", NO_EVENTS, 6, { 0x66 } },
	{ "Lakefield", NO_EVENTS, 6, { 0x8a } },
	{ "Ice Lake NNPI", NO_EVENTS, 6, { 0x9d } },
};

const unsigned int memlat_cpu_not_yet_nr = ARRAY_SIZE(memlat_cpu_not_yet);
