/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_FILTER_H
#define MEMLAT_FILTER_H

#include <linux/types.h>

struct memlat_config;
struct task_struct;

extern bool memlat_filter_on;

int memlat_filter_set(struct memlat_config *config, pid_t *nr);
void memlat_filter_clear(void);
u64 memlat_filter_forks_lost(void);
void memlat_filter_reset(void);

bool memlat_filter_is_gone(void);
bool memlat_filter_passes(const struct task_struct *task);
void memlat_filter_fork(const struct task_struct *parent, const struct task_struct *child);
void memlat_filter_free(const struct task_struct *task);

#endif /* MEMLAT_FILTER_H */
