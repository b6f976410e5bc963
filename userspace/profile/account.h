/* SPDX-License-Identifier: GPL-2.0 */
/* The equations that every status and snapshot must satisfy. */
#ifndef MEMLAT_ACCOUNT_H
#define MEMLAT_ACCOUNT_H

#include <stdbool.h>

#include "snapshot.h"

/* Records that arrived and could not be used. Samples that tables evicted are counted elsewhere. */
__u64 account_lost(const struct memlat_status *status);

/* records = samples + filtered + malformed + collision; samples = loads + stores */
bool account_status_holds(const struct memlat_status *status);

/*
 * Check all equations of a snapshot, as far as it has their tables. Returns NULL if they hold,
 * otherwise the first one that does not, in words (in a static buffer).
 */
const char *account_snapshot_broken(const struct snapshot *snap);

#endif
