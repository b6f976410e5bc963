/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions around what this process does. A failure ends the test. */
#ifndef SESSION_H
#define SESSION_H

#include <linux/memlat.h>
#include <stdint.h>

#include "snapshot.h"

void session_begin(struct memlat_config config);
void session_take(struct snapshot *snapshot);

/* snapshot: filled with the session's last snapshot; may be NULL. */
void session_end(struct snapshot *snapshot);

void on_cpu(int cpu);

/* Each round has two loads, a store and six instructions. */
void work_loop(uint64_t rounds);

#endif /* SESSION_H */
