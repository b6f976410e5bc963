/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SESSION_H
#define MEMLAT_SESSION_H

#include <linux/wait.h>
#include <uapi/linux/memlat.h>

#include "store.h"

int memlat_session_init(void);
void memlat_session_exit(void);

int memlat_session_start(struct memlat_config *config, const void *file);
int memlat_session_stop(void);
void memlat_session_closed(const void *file);
void memlat_session_reset(void);

/* Called when the machine is suspended or shut down, or when the session cannot go on. */
void memlat_session_suspend(void);
void memlat_session_resume(void);
void memlat_session_shut_down(void);
void memlat_session_end_troubled(void);
void memlat_session_end_for_guests(void);

/* A number that changes with the session's state, and a queue to wait for a change. */
u32 memlat_session_generation(void);
extern wait_queue_head_t memlat_session_changed;

void memlat_session_status(struct memlat_status *status, struct memlat_totals *totals);
int memlat_session_top(struct memlat_rec_line *line, unsigned int max, u64 *age_ns);
struct memlat_copy *memlat_session_snapshot(struct memlat_status *status,
					    struct memlat_totals *totals,
					    struct memlat_core_counts *core, u32 tables, u32 head,
					    u32 tail, u64 *counted);

#endif /* MEMLAT_SESSION_H */
