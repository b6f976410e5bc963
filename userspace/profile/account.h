/* SPDX-License-Identifier: GPL-2.0 */
/* The accounts that every status and snapshot must keep. */
#ifndef MEMLAT_ACCOUNT_H
#define MEMLAT_ACCOUNT_H

#include <stdbool.h>

#include "snapshot.h"

/* Records that came and could not be used; what the tables forgot apart. */
__u64 account_lost(const struct memlat_status *status);

/* records = samples + filtered + malformed + collision; samples = loads + stores */
bool account_status_holds(const struct memlat_status *status);

/*
 * All equations of a snapshot, as far as it has their tables. NULL when they
 * hold, else the first one that does not, in words (in a static buffer).
 */
const char *account_snapshot_broken(const struct snapshot *snap);

#endif
