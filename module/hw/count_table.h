/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events that each generation of cores can count, for the rows of cpu_model.c.
 */
#ifndef MEMLAT_HW_COUNT_TABLE_H
#define MEMLAT_HW_COUNT_TABLE_H

#include "../core/types.h"

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

#endif /* MEMLAT_HW_COUNT_TABLE_H */
