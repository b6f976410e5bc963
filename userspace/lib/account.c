// SPDX-License-Identifier: GPL-2.0
#include "account.h"

#include <stdio.h>

#include "source.h"

__u64 account_lost(const struct memlat_status *status)
{
	return status->malformed + status->collision;
}

static __u64 explained(const struct memlat_status *status)
{
	return status->samples + status->filtered + status->malformed +
	       status->collision;
}

bool account_status_holds(const struct memlat_status *status)
{
	return status->records == explained(status);
}

const char *account_snapshot_broken(const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	__u64 rows = 0, raw = 0, lines = status->lines_evicted;
	static char text[160];
	size_t i;

	for (i = 0; i < MEMLAT_BUCKETS; i++)
		rows += source_total(snap->buckets.count[i]);
	for (i = 0; i < sizeof(snap->raw.count) / sizeof(snap->raw.count[0]); i++)
		raw += snap->raw.count[i];
	for (i = 0; i < snap->nr_lines; i++)
		lines += snap->lines[i].samples;

	if (!account_status_holds(status))
		snprintf(text, sizeof(text),
			 "%llu records, but %llu are samples, filtered, malformed or collisions",
			 status->records, explained(status));
	else if (rows != status->samples)
		snprintf(text, sizeof(text), "%llu samples, but %llu in the buckets",
			 status->samples, rows);
	else if (raw != status->samples)
		snprintf(text, sizeof(text),
			 "%llu samples, but %llu by raw source word",
			 status->samples, raw);
	else if (lines != status->samples)
		snprintf(text, sizeof(text),
			 "%llu samples, but %llu in lines and evicted lines",
			 status->samples, lines);
	else
		return NULL;
	return text;
}
