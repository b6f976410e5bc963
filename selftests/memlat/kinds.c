// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests expect of each kind of core. It is from the SDM and Intel's event lists, not from
 * memlat's own table. A new model is one row here.
 */
#include "kinds.h"

#include <cpuid.h>
#include <linux/memlat.h>
#include <stddef.h>
#include <string.h>

#define IP_AFTER	MEMLAT_TRAIT_IP_AFTER
#define TURNS		MEMLAT_TRAIT_TURNS
#define TLB		MEMLAT_TRAIT_TLB
#define UNRESERVED	MEMLAT_TRAIT_UNRESERVED
#define FWD		MEMLAT_TRAIT_XSNP_FWD
#define ATOM		(TLB | MEMLAT_TRAIT_STORE_SOURCE | MEMLAT_TRAIT_BLOCKED | MEMLAT_TRAIT_CACHE_LATENCY)
#define GLC		(ATOM | FWD)
#define LNC		(ATOM | UNRESERVED)
/* Linux' minimum period of Nehalem and Haswell is 32 (nhm_limit_period(), hsw_limit_period()). */
#define LONG_STORES	KIND_STORES
#define STORES		(KIND_STORES | KIND_BURSTS)
/* glc_limit_period(): 128 for what it calls precise_ip 3. */
#define PDIST		(STORES | KIND_PDIST)
#define WIDE		KIND_WIDE
#define NINE		KIND_NINE

static const struct kind kinds[] = {
	{ "nhm", 1, 176, IP_AFTER, 0 },
	{ "wsm", 1, 176, IP_AFTER | TLB, 0 },
	{ "snb", 1, 176, IP_AFTER | TURNS | TLB, STORES },
	{ "ivb", 1, 176, IP_AFTER | TURNS | TLB, STORES },
	{ "hsw", 2, 192, TURNS | TLB, LONG_STORES },
	{ "bdw", 2, 192, TURNS | TLB, STORES },
	{ "skl", 3, 200, TLB, STORES },
	{ "skx", 3, 200, TLB, STORES },
	{ "clx", 3, 200, TLB, STORES },
	{ "icl", 4, 64, TLB | FWD, STORES },
	{ "tgl", 4, 64, TLB | FWD, STORES },
	{ "icx", 4, 64, TLB | FWD, STORES },
	{ "adl-p", 4, 64, GLC, PDIST },
	{ "adl-e", 4, 64, ATOM, STORES },
	{ "spr", 4, 64, GLC, PDIST },
	{ "emr", 4, 64, GLC, PDIST },
	{ "gnr", 4, 64, GLC, PDIST },
	{ "mtl-p", 4, 64, GLC, PDIST },
	{ "mtl-e", 4, 64, ATOM, STORES },
	{ "lnl-p", 6, 64, LNC, PDIST | WIDE },
	{ "lnl-e", 6, 64, LNC, STORES },
	{ "arl-p", 6, 64, LNC, PDIST | WIDE },
	{ "arl-e", 6, 64, LNC, STORES },
	/* Only Arrow Lake-H has these; its P and E-cores are below. */
	{ "arl-lp", 5, 64, ATOM, STORES },
	{ "srf", 4, 64, ATOM, STORES },
	{ "grr", 4, 64, ATOM, STORES },
	/* Architectural PEBS: header, basic and auxiliary group (asm/perf_event.h: 16, 48, 64 bytes). */
	{ "cwf", 15, 128, LNC, STORES },
	{ "ptl-p", 15, 128, LNC, PDIST | WIDE },
	{ "ptl-e", 15, 128, LNC, STORES },
	{ "nvl-p", 15, 128, LNC, PDIST | NINE },
	{ "nvl-e", 15, 128, LNC, STORES | NINE },
	{ "dmr", 15, 128, LNC, PDIST | NINE },
};

/* A Core Ultra 9 285H prints "PEBS fmt5" and "version: 5", where Arrow Lake-S prints 6 and 6. */
#define ARROW_LAKE_H	0xc5
static const struct kind arrow_lake_h[] = {
	{ "arl-p", 5, 64, ATOM, PDIST | WIDE },
	{ "arl-e", 5, 64, ATOM, STORES },
};

/* CPUID.1: the model's number, of family 6. */
static unsigned int model(void)
{
	unsigned int eax = 0, ebx, ecx, edx;

	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	return (eax >> 12 & 0xf0) | (eax >> 4 & 0xf);
}

const struct kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; model() == ARROW_LAKE_H && i < sizeof(arrow_lake_h) / sizeof(arrow_lake_h[0]);
	     i++)
		if (!strcmp(arrow_lake_h[i].name, name))
			return &arrow_lake_h[i];
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

unsigned int kind_packed(const struct kind *kind, unsigned int word)
{
	if (kind && kind->can & KIND_WIDE)
		return (word & 0x1f) | (word >> 10 & 0xf) << 5;
	if (kind && kind->can & KIND_NINE)
		return (word & 0x1ff) | (word >> 11 & 0xf) << 9;
	return word & 0xff;
}
