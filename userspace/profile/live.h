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

#endif
