/* SPDX-License-Identifier: GPL-2.0 */
/* Options of the machine, most of which make it harder for a driver (selftests/vm/run --vpebs). */
#ifndef VPEBS_OPTIONS_H
#define VPEBS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vp_options {
	uint64_t seed;			/* of all that is random */
	uint64_t tag;			/* load latency sees one load in so many; 1: all */
	bool after;			/* a record is of the event after the overflow */
	bool wait;			/* use latency is more than memory's (config.h) */
	bool freeze;			/* firmware left FREEZE_PERFMON_ON_PMI set */
	bool firmware;			/* and fixed counters 1 and 2 running */
	bool swallow;			/* a hypervisor lets nothing reach PEBS_ENABLE */
	bool hold;			/* and has fixed counter 1, of cycles, for itself: it stands still */
	bool split;			/* architectural PEBS: records come in two fragments */
	bool stuck;			/* GLOBAL_STATUS keeps its bit of PEBS once that is set */
	bool clear;			/* drained records must be cleared (page table isolation) */
};

/* The defaults, which are like silicon. */
extern const struct vp_options vp_options_default;

enum vp_option {
	VP_OPTION_TAKEN,
	VP_OPTION_UNKNOWN,		/* there is none of this name */
	VP_OPTION_BAD,			/* why says what it wants */
};

enum vp_option vp_option(struct vp_options *o, const char *name, const char *value, char *why,
			 size_t size);

/* Names of all, for a message. */
const char *vp_option_names(void);

#endif
