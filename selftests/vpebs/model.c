// SPDX-License-Identifier: GPL-2.0
/*
 * The machines that can be emulated. Numbers of counters, formats and versions are those that
 * kernels print on such machines ("PEBS fmt4+-baseline", "version: 5"). Events and their counters
 * are from github.com/intel/perfmon and Linux' arch/x86/events/intel/ds.c, whichever allows more.
 * Fill buffers: 10 to Broadwell, 12 since Skylake (Optimization Reference Manual), 16 since Golden
 * Cove; 16 for E-cores, where Intel gives no number.
 *
 * Bits that turn prefetchers off are from "Disclosure of Hardware Prefetcher Control on Some Intel
 * Processors" up to Broadwell, and from CoreFreq's MISC_FEATURE_CONTROL (x86_64/intel_reg.h of
 * github.com/cyring/CoreFreq) since then: next page, AMP "12th, 13th Gen; Xeon 4th", LLC page and
 * AOP "06_AA". CoreFreq says that E-cores have the register (its issue 470), which for Gracemont
 * and Crestmont is in Intel's white paper 357930.
 */
#include <string.h>

#include "model.h"

/* All of them save registers, trap, and can freeze in SMM. */
#define CAPS(format, lbr)	((uint64_t)(lbr) | 1 << 6 | 1 << 7 | (format) << 8 | 1 << 12)
#define FULL		VP_CAP_FULL_WIDTH
#define BASELINE	VP_CAP_BASELINE
#define METRICS		VP_CAP_METRICS
#define TIMING		VP_CAP_TIMING

/* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD. */
#define NEHALEM								\
	.version = 3, .gp = 4, .fixed = 3, .perf_caps = CAPS(1, 3),	\
	.load_event = 0x100b, .load_counters = 0xf,			\
	.ack = VP_ACK_EARLY, .nhm_enable = true, .alone = true, .prefetch = 0xf, \
	.fill_buffers = 10, .offcore_bits = 0xffff

/* MEM_TRANS_RETIRED.LOAD_LATENCY and PRECISE_STORE, both only on counter 3. */
#define SANDY_BRIDGE							\
	.version = 3, .gp = 4, .fixed = 3,				\
	.load_event = 0x01cd, .load_counters = 0x8,			\
	.store_event = 0x02cd, .store_counters = 0x8,			\
	.ack = VP_ACK_EARLY, .precise_store = true, .alone = true, .prefetch = 0xf, \
	.encoding = &vp_encoding_snb, .fill_buffers = 10,		\
	.offcore = 2, .offcore_bits = 0x3fffffffff

/* MEM_UOPS_RETIRED.ALL_STORES, called MEM_INST_RETIRED.ALL_STORES since Skylake. */
#define HASWELL								\
	.load_event = 0x01cd, .load_counters = 0xf,			\
	.store_event = 0x82d0, .store_counters = 0xf,			\
	.ack = VP_ACK_LATE, .tsx = true,				\
	.offcore = 2, .offcore_bits = 0x3fffffffff

#define SKYLAKE								\
	.version = 4, .gp = 4, .fixed = 3, .perf_caps = CAPS(3, 5) | FULL, \
	HASWELL, .frontend = true, .encoding = &vp_encoding_skl, .prefetch = 0x1f, \
	.events = vp_events_skl, .fill_buffers = 12

#define ICE_LAKE							\
	.version = 5, .gp = 8, .fixed = 4,				\
	.perf_caps = CAPS(4, 5) | FULL | BASELINE | METRICS,		\
	.load_event = 0x01cd, .load_counters = 0xff,			\
	.store_event = 0x82d0, .store_counters = 0xf, .prefetch = 0x1f,	\
	.ack = VP_ACK_LATE, .metrics = true, .tsx = true, .frontend = true, \
	.encoding = &vp_encoding_icl,					\
	.events = vp_events_icl, .fill_buffers = 12,			\
	.offcore = 2, .offcore_bits = 0x3fffffffff

/*
 * Intel's lists say that MEM_TRANS_RETIRED.STORE_SAMPLE "is the precisely-distributed (PDist)
 * trigger", since Lion Cove on either of two counters, of which "available PDIST counters: 0"
 * (Panther Lake's). In Linux 7.3, glc_limit_period() raises its period to at least 128, since the
 * distribution would be lost below. intel_pmu_init_lnc() and _pnc() call intel_pmu_init_glc(),
 * which sets that.
 */
#define PDIST_STORES	.pdist_stores = 128

/* That event on counter 0, load latency on all others. */
#define GOLDEN_COVE							\
	PDIST_STORES,							\
	.version = 5, .gp = 8, .fixed = 4,				\
	.load_event = 0x01cd, .load_counters = 0xfe,			\
	.store_event = 0x02cd, .store_counters = 0x1,			\
	.ack = VP_ACK_LATE, .cache_latency = true, .encoding = &vp_encoding_glc, \
	.metrics = true, .frontend = true,				\
	.events = vp_events_glc, .fill_buffers = 16,			\
	.offcore = 2, .offcore_bits = 0x3fffffffff

/* LD_BLOCKS.STORE_FORWARD has to count together with load latency. */
#define AUX	.aux_event = 0x8203, .aux_counters = 0xf

#define LION_COVE							\
	PDIST_STORES,							\
	.gp = 10, .fixed = 4,						\
	.load_event = 0x01cd, .load_counters = 0x3fc,			\
	.store_event = 0x02cd, .store_counters = 0x3,			\
	.ack = VP_ACK_LATE, .cache_latency = true, .encoding = &vp_encoding_lnc, \
	.metrics = true, .frontend = true, .prefetch = 0x1f,		\
	.events = vp_events_lnc, .fill_buffers = 16,			\
	.offcore = 2, .offcore_bits = 0xfffffffffff

/* MEM_UOPS_RETIRED.LOAD_LATENCY and STORE_LATENCY. */
#define E_CORE								\
	.fixed = 3, .load_event = 0x05d0,				\
	.store_event = 0x06d0, .ack = VP_ACK_MID, .cache_latency = true, \
	.fill_buffers = 16,						\
	.offcore = 2, .offcore_bits = 0x800ff3ffffffffff

#define GRACEMONT	E_CORE, .load_counters = 0x3

#define SINCE_CRESTMONT							\
	E_CORE, .gp = 8, .store_counters = 0xff,			\
	.encoding = &vp_encoding_cmt, .snoop_rsp = true,			\
	.prefetch = 0xff

#define CRESTMONT	SINCE_CRESTMONT, .events = vp_events_cmt, .load_counters = 0x3

/*
 * Architectural PEBS, with the groups of memory and registers (CPUID.23H.4). All general counters
 * and fixed counter 0 can do it, according to "PEBScounters" in Intel's lists.
 */
#define ARCH_CAPS	(CAPS(15, 0x3f) | FULL | TIMING)
#define ARCH_PEBS	.version = 6, .leaf23 = true, .pebs_caps = 3ULL << 61, \
			.pebs_fixed = 1, .pebs_fixed_pdist = 1

/* Load latency on any counter; PDist on 0 and 1 (pantherlake and clearwaterforest). */
#define DARKMONT							\
	ARCH_PEBS, SINCE_CRESTMONT, .events = vp_events_dkm,		\
	.load_counters = 0xff,						\
	.pebs_gp = 0xff, .pebs_gp_pdist = 0x3

/*
 * Coyote Cove (novalake, the list of 2026-07-10) has eight counters, and no event for requests that
 * are outstanding beyond L2. Panther Cove has no list; Linux treats it the same
 * (INTEL_DIAMONDRAPIDS_X). Arctic Wolf's list has neither load nor store latency; Linux uses
 * Darkmont's.
 */
#define PANTHER_COVE							\
	ARCH_PEBS, PDIST_STORES, .gp = 8, .fixed = 4,			\
	.load_event = 0x01cd, .load_counters = 0xfc,			\
	.store_event = 0x02cd, .store_counters = 0x3,			\
	.ack = VP_ACK_LATE, .cache_latency = true, .encoding = &vp_encoding_pnc, \
	.metrics = true, .frontend = true, .prefetch = 0x1f,		\
	.events = vp_events_pnc, .fill_buffers = 16,			\
	.pebs_gp = 0xff, .pebs_gp_pdist = 0x3

#define ARCTIC_WOLF							\
	ARCH_PEBS, E_CORE, .gp = 8, .load_counters = 0xff, .store_counters = 0xff, \
	.encoding = &vp_encoding_arw, .snoop_rsp = true, .prefetch = 0xff, \
	.pebs_gp = 0xff, .pebs_gp_pdist = 0x3

#define CLIENT_CAPS	(CAPS(4, 0x3f) | FULL | BASELINE)
#define V6_CAPS		(CAPS(6, 0x3f) | FULL | BASELINE | TIMING)

/*
 * Arrow Lake-H is not Arrow Lake-S: a Core Ultra 9 285H (06_C5) prints "PEBS fmt5+-baseline,
 * ArrowLake-H Hybrid events" and "version: 5", a Core Ultra 7 265K (06_C6) fmt6 and 6.
 */
#define ARLH_CAPS	(CAPS(5, 0x3f) | FULL | BASELINE | TIMING)

static const struct vp_core core_nhm = {
	.name = "nhm", NEHALEM, .events = vp_events_nhm, .encoding = &vp_encoding_nhm, .offcore = 1,
};
static const struct vp_core core_wsm = {
	.name = "wsm", NEHALEM, .events = vp_events_wsm, .encoding = &vp_encoding_wsm, .offcore = 2,
};
static const struct vp_core core_snb = {
	.name = "snb", .perf_caps = CAPS(1, 3), SANDY_BRIDGE, .events = vp_events_snb,
};
/* The first with full-width counter writes. */
static const struct vp_core core_ivb = {
	.name = "ivb", .perf_caps = CAPS(1, 3) | FULL, SANDY_BRIDGE,
	.events = vp_events_ivb,
};
static const struct vp_core core_hsw = {
	.name = "hsw", .version = 3, .gp = 4, .fixed = 3, .perf_caps = CAPS(2, 4) | FULL,
	HASWELL, .alone = true, .encoding = &vp_encoding_hsw, .prefetch = 0xf,
	.events = vp_events_hsw, .fill_buffers = 10,
};
static const struct vp_core core_bdw = {
	.name = "bdw", .version = 3, .gp = 4, .fixed = 3, .perf_caps = CAPS(2, 4) | FULL,
	HASWELL, .alone = true, .encoding = &vp_encoding_hsw, .prefetch = 0xf,
	.events = vp_events_hsw, .fill_buffers = 10,
};
static const struct vp_core core_skl = { .name = "skl", SKYLAKE };
static const struct vp_core core_skx = { .name = "skx", SKYLAKE };
static const struct vp_core core_clx = { .name = "clx", SKYLAKE };
static const struct vp_core core_icl = { .name = "icl", ICE_LAKE };
static const struct vp_core core_tgl = { .name = "tgl", ICE_LAKE };
static const struct vp_core core_icx = { .name = "icx", ICE_LAKE };
/* What a guest of KVM sees: format 4, but only the basic group. */
static const struct vp_core core_guest_icx = {
	.name = "icx", .version = 2, .gp = 8, .fixed = 3, .perf_caps = CAPS(4, 5) | FULL,
	.load_event = 0x01cd, .load_counters = 0xff,
	.store_event = 0x82d0, .store_counters = 0xf,
	.ack = VP_ACK_LATE, .tsx = true, .frontend = true, .encoding = &vp_encoding_icl,
	.events = vp_events_icl, .fill_buffers = 12,
	.offcore = 2, .offcore_bits = 0x3fffffffff,
};
static const struct vp_core core_adl_p = {
	.name = "adl-p", .type = 0x40000001, .perf_caps = CLIENT_CAPS, GOLDEN_COVE, AUX,
	.prefetch = 0x3f,
};
/* Raptor Cove without E-cores (intel-family.h); Linux' driver, 7.3, does not know it. */
static const struct vp_core core_btl = {
	.name = "adl-p", .perf_caps = CLIENT_CAPS, GOLDEN_COVE, AUX, .prefetch = 0x3f,
};
static const struct vp_core core_adl_e = {
	.name = "adl-e", .type = 0x20000001, .version = 5, .gp = 6, .perf_caps = CLIENT_CAPS,
	GRACEMONT, .store_counters = 0x3f, .encoding = &vp_encoding_grt,
	.events = vp_events_grt, .prefetch = 0x2d,
};
static const struct vp_core core_spr = {
	.name = "spr", .perf_caps = CLIENT_CAPS | METRICS, GOLDEN_COVE, AUX, .tsx = true,
	.prefetch = 0x3f,
};
static const struct vp_core core_emr = {
	.name = "emr", .perf_caps = CLIENT_CAPS | METRICS, GOLDEN_COVE, AUX, .tsx = true,
	.prefetch = 0x3f,
};
static const struct vp_core core_gnr = {
	.name = "gnr", .perf_caps = CLIENT_CAPS | METRICS | TIMING, GOLDEN_COVE, .tsx = true,
	.prefetch = 0xff,
};
/* Meteor Lake's P-cores have metrics, but report that they have none. */
static const struct vp_core core_mtl_p = {
	.name = "mtl-p", .type = 0x40000002, .perf_caps = CLIENT_CAPS | TIMING, GOLDEN_COVE,
	.leaf23 = true, .prefetch = 0xff,
};
static const struct vp_core core_mtl_e = {
	.name = "mtl-e", .type = 0x20000002, .version = 5, .perf_caps = CLIENT_CAPS | TIMING,
	CRESTMONT, .leaf23 = true,
};
static const struct vp_core core_lnl_p = {
	.name = "lnl-p", .type = 0x40000003, .version = 6, .perf_caps = V6_CAPS | METRICS,
	LION_COVE, .leaf23 = true,
};
static const struct vp_core core_lnl_e = {
	.name = "lnl-e", .type = 0x20000003, .version = 6, .perf_caps = V6_CAPS,
	CRESTMONT, .leaf23 = true,
};
static const struct vp_core core_arl_p = {
	.name = "arl-p", .type = 0x40000003, .version = 6, .perf_caps = V6_CAPS | METRICS,
	LION_COVE, .leaf23 = true,
};
static const struct vp_core core_arl_e = {
	.name = "arl-e", .type = 0x20000003, .version = 6, .perf_caps = V6_CAPS,
	CRESTMONT, .leaf23 = true,
};
static const struct vp_core core_arlh_p = {
	.name = "arl-p", .type = 0x40000003, .version = 5, .perf_caps = ARLH_CAPS | METRICS,
	LION_COVE, .leaf23 = true,
};
static const struct vp_core core_arlh_e = {
	.name = "arl-e", .type = 0x20000003, .version = 5, .perf_caps = ARLH_CAPS,
	CRESTMONT, .leaf23 = true,
};
static const struct vp_core core_arlh_lp = {
	.name = "arl-lp", .type = 0x20000002, .version = 5, .perf_caps = ARLH_CAPS,
	CRESTMONT, .leaf23 = true,
};
static const struct vp_core core_srf = {
	.name = "srf", .version = 5, .perf_caps = CLIENT_CAPS | TIMING, CRESTMONT,
};
static const struct vp_core core_grr = {
	.name = "grr", .version = 5, .perf_caps = CLIENT_CAPS | TIMING, CRESTMONT,
};
static const struct vp_core core_cwf = { .name = "cwf", .perf_caps = ARCH_CAPS, DARKMONT };
/* Cougar Cove: what Lion Cove has (pantherlake). */
static const struct vp_core core_ptl_p = {
	.name = "ptl-p", .type = 0x40000004, .perf_caps = ARCH_CAPS | METRICS,
	LION_COVE, ARCH_PEBS, .pebs_gp = 0x3ff, .pebs_gp_pdist = 0x1,
};
static const struct vp_core core_ptl_e = {
	.name = "ptl-e", .type = 0x20000004, .perf_caps = ARCH_CAPS, DARKMONT,
};
static const struct vp_core core_nvl_p = {
	.name = "nvl-p", .type = 0x40000005, .perf_caps = ARCH_CAPS | METRICS, PANTHER_COVE,
};
static const struct vp_core core_nvl_e = {
	.name = "nvl-e", .type = 0x20000005, .perf_caps = ARCH_CAPS, ARCTIC_WOLF,
};
static const struct vp_core core_dmr = {
	.name = "dmr", .perf_caps = ARCH_CAPS | METRICS, PANTHER_COVE,
};
/* No load latency. */
static const struct vp_core core_knl = {
	.name = "knl", .version = 3, .gp = 2, .fixed = 3, .perf_caps = CAPS(2, 3) | FULL,
	.ack = VP_ACK_EARLY, .encoding = &vp_encoding_snb, .fill_buffers = 12,
	.offcore = 2, .offcore_bits = 0x7fffffffff,
};

static const struct vp_model models[] = {
	{
		.name = "nhm",
		.title = "Nehalem-EP",
		.family = 6, .model = 0x1a, .stepping = 5, .microcode = 0x1d,
		.nodes = 2,
		.core = { &core_nhm },
	},
	{
		.name = "wsm",
		.title = "Westmere-EP",
		.family = 6, .model = 0x2c, .stepping = 2, .microcode = 0x1f,
		.nodes = 2,
		.core = { &core_wsm },
	},
	{
		.name = "snb",
		.title = "Sandy Bridge-EP",
		.family = 6, .model = 0x2d, .stepping = 7, .microcode = 0x71a,
		.nodes = 2,
		.core = { &core_snb },
	},
	{
		.name = "ivb",
		.title = "Ivy Bridge-EP",
		.family = 6, .model = 0x3e, .stepping = 4, .microcode = 0x42e,
		.nodes = 2,
		.core = { &core_ivb },
	},
	{
		.name = "hsw",
		.title = "Haswell-EP",
		.family = 6, .model = 0x3f, .stepping = 2, .microcode = 0x49,
		.nodes = 2,
		.core = { &core_hsw },
	},
	{
		.name = "bdw",
		.title = "Broadwell-EP",
		.family = 6, .model = 0x4f, .stepping = 1, .microcode = 0xb000040,
		.nodes = 2,
		.core = { &core_bdw },
	},
	{
		.name = "skl",
		.title = "Skylake (client)",
		.family = 6, .model = 0x5e, .stepping = 3, .microcode = 0xf0,
		.nodes = 1,
		.core = { &core_skl },
	},
	{
		.name = "skx",
		.title = "Skylake-SP",
		.family = 6, .model = 0x55, .stepping = 4, .microcode = 0x2007006,
		.nodes = VP_MAX_NODES,
		.core = { &core_skx },
	},
	{
		.name = "clx",
		.title = "Cascade Lake-SP",
		.family = 6, .model = 0x55, .stepping = 7, .microcode = 0x5003605,
		.nodes = VP_MAX_NODES,
		.rdcl_no = true,
		.core = { &core_clx },
	},
	{
		.name = "icl",
		.title = "Ice Lake (client)",
		.family = 6, .model = 0x7e, .stepping = 5, .microcode = 0xc2,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_icl },
	},
	{
		.name = "tgl",
		.title = "Tiger Lake",
		.family = 6, .model = 0x8c, .stepping = 1, .microcode = 0xb4,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_tgl },
	},
	{
		.name = "icx",
		.title = "Ice Lake-SP",
		.family = 6, .model = 0x6a, .stepping = 6, .microcode = 0xd0003d1,
		.nodes = VP_MAX_NODES,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_icx },
	},
	{
		.name = "adl",
		.title = "Alder Lake (P and E cores)",
		.family = 6, .model = 0x97, .stepping = 2, .microcode = 0x35,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_adl_p, &core_adl_e },
	},
	{
		.name = "btl",
		.title = "Bartlett Lake-S (P cores alone)",
		.family = 6, .model = 0xd7, .stepping = 0, .microcode = 0x111,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_btl },
	},
	{
		.name = "spr",
		.title = "Sapphire Rapids",
		.family = 6, .model = 0x8f, .stepping = 8, .microcode = 0x2b000590,
		.nodes = VP_MAX_NODES,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_spr },
	},
	{
		.name = "emr",
		.title = "Emerald Rapids",
		.family = 6, .model = 0xcf, .stepping = 2, .microcode = 0x21000240,
		.nodes = 2,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_emr },
	},
	{
		.name = "gnr",
		.title = "Granite Rapids",
		.family = 6, .model = 0xad, .stepping = 1, .microcode = 0x1000360,
		.nodes = VP_MAX_NODES,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_gnr },
	},
	{
		.name = "mtl",
		.title = "Meteor Lake (P and E cores)",
		.family = 6, .model = 0xaa, .stepping = 4, .microcode = 0x1f,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_mtl_p, &core_mtl_e },
	},
	{
		.name = "lnl",
		.title = "Lunar Lake (P and E cores)",
		.family = 6, .model = 0xbd, .stepping = 1, .microcode = 0x11f,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_lnl_p, &core_lnl_e },
	},
	{
		.name = "arl",
		.title = "Arrow Lake-S (P and E cores)",
		.family = 6, .model = 0xc6, .stepping = 2, .microcode = 0x117,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_arl_p, &core_arl_e },
	},
	{
		.name = "arlh",
		.title = "Arrow Lake-H (P, E and low-power E cores)",
		.family = 6, .model = 0xc5, .stepping = 2, .microcode = 0x118,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_arlh_p, &core_arlh_e, &core_arlh_lp },
	},
	{
		.name = "srf",
		.title = "Sierra Forest",
		.family = 6, .model = 0xaf, .stepping = 3, .microcode = 0x3000330,
		.nodes = 2,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_srf },
	},
	{
		.name = "grr",
		.title = "Grand Ridge",
		.family = 6, .model = 0xb6, .stepping = 0, .microcode = 0x1000010,
		.nodes = 1,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_grr },
	},
	{
		.name = "ptl",
		.title = "Panther Lake (P and E cores)",
		.family = 6, .model = 0xcc, .stepping = 1, .microcode = 0x111,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_ptl_p, &core_ptl_e },
	},
	{
		.name = "cwf",
		.title = "Clearwater Forest",
		.family = 6, .model = 0xdd, .stepping = 1, .microcode = 0x1000010,
		.nodes = 2,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_cwf },
	},
	{
		.name = "nvl",
		.title = "Nova Lake (P and E cores)",
		.family = 18, .model = 0x01, .stepping = 1, .microcode = 0x111,
		.nodes = 1,
		.rdcl_no = true,
		.core = { &core_nvl_p, &core_nvl_e },
	},
	{
		.name = "dmr",
		.title = "Diamond Rapids",
		.family = 19, .model = 0x01, .stepping = 1, .microcode = 0x111,
		.nodes = 2,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_dmr },
	},
	/* Machines that memlat has to refuse: */
	{
		.name = "knl",
		.title = "Knights Landing (no load latency)",
		.family = 6, .model = 0x57, .stepping = 1, .microcode = 0x1b8,
		.nodes = 1,
		.core = { &core_knl },
	},
	{
		.name = "guest-icx",
		.title = "Ice Lake-SP as KVM shows it (no baseline PEBS)",
		.family = 6, .model = 0x6a, .stepping = 6, .microcode = 1,
		.nodes = 2,
		.rdcl_no = true,
		.la57 = true,
		.core = { &core_guest_icx },
	},
	{
		.name = "cnl",
		.title = "Cannon Lake (nobody has published its events)",
		.family = 6, .model = 0x66, .stepping = 3, .microcode = 0x2a,
		.nodes = 1,
		.core = { &core_skl },
	},
	{
		.name = "fw-off",
		.title = "Skylake-SP, PEBS switched off by firmware",
		.family = 6, .model = 0x55, .stepping = 4, .microcode = 0x2007006,
		.nodes = 2,
		.misc_pebs_off = true,
		.core = { &core_skx },
	},
	{
		.name = "snb-old",
		.title = "Sandy Bridge-EP, microcode that breaks PEBS",
		.family = 6, .model = 0x2d, .stepping = 7, .microcode = 0x70b,
		.nodes = 2,
		.core = { &core_snb },
	},
};

const struct vp_model *vp_model_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (!strcmp(models[i].name, name))
			return &models[i];
	return NULL;
}

const struct vp_model *vp_model_at(unsigned int i)
{
	return i < sizeof(models) / sizeof(*models) ? &models[i] : NULL;
}
