/* SPDX-License-Identifier: GPL-2.0 */
/* Who is behind the numbers of a snapshot that was just taken. */
#ifndef MEMLAT_PROFILE_LIVE_H
#define MEMLAT_PROFILE_LIVE_H

#include "profile.h"

/*
 * Ask the keeper for each process that the tables name, and /proc for those that it does
 * not know and that live, into a new profile->history, and settle it.
 */
void profile_find_processes(struct profile *profile);

/*
 * The same of these processes alone (sorted). A history that the profile had stays the
 * caller's: names may point into it.
 */
void profile_find_some(struct profile *profile, const __u32 *pids, size_t nr);

#endif
