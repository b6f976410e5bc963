/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CONFIG_H
#define MEMLAT_CONFIG_H

#include <linux/cpumask.h>
#include <uapi/linux/memlat.h>

bool memlat_config_only_counts(const struct memlat_config *config);
int memlat_config_check(struct memlat_config *config);
int memlat_config_permit(struct memlat_config *config);
int memlat_config_refuse(struct memlat_config *config, u32 why, int error);
bool memlat_config_cpus(const __u64 *list, struct cpumask *cpus);
void memlat_config_query(struct memlat_query *q);

#endif /* MEMLAT_CONFIG_H */
