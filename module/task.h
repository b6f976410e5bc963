/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_TASK_H
#define MEMLAT_TASK_H

#include <linux/types.h>

struct task_struct;

bool memlat_task_wanted(struct task_struct *task);
void memlat_task_hide(void);
void memlat_task_unhide(void);
int memlat_task_watch(bool forks);
void memlat_task_unwatch(void);

#endif /* MEMLAT_TASK_H */
