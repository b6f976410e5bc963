/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SESSION_H
#define MEMLAT_SESSION_H

#include <uapi/linux/memlat.h>

#include "store.h"

int memlat_session_init(void);
void memlat_session_exit(void);

void memlat_session_query(struct memlat_query *q);
int memlat_session_start(struct memlat_config *config);
int memlat_session_stop(void);
void memlat_session_reset(void);
void memlat_session_status(struct memlat_status *status, struct memlat_totals *totals);
const char *memlat_session_model(void);

void *memlat_session_snapshot(struct memlat_status *status, struct memlat_totals *totals,
			      size_t head, size_t tail);

#endif /* MEMLAT_SESSION_H */
