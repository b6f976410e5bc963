/* SPDX-License-Identifier: GPL-2.0 */
/* Find the processes of a snapshot that was just taken. */
#ifndef MEMLAT_PROFILE_LIVE_H
#define MEMLAT_PROFILE_LIVE_H

#include "profile.h"

/*
 * For each process in the tables ask the keeper, and /proc for a live process that the keeper does
 * not know. The answers become a new profile->history, which is settled.
 */
void profile_find_processes(struct profile *profile);

/*
 * As profile_find_processes(), for these processes only (sorted). The caller keeps the profile's
 * previous history, because names may point into it.
 */
void profile_find_some(struct profile *profile, const __u32 *pids, size_t nr);

#endif
