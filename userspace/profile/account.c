// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <stdarg.h>
#include <stdio.h>

#include "../util/source.h"
#include "snapshot_rows.h"

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
	return status->records == explained(status) &&
	       status->samples == status->loads + status->stores;
}

/* What does not hold, in words. */
__attribute__((format(printf, 1, 2)))
static const char *broken(const char *format, ...)
{
	static char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

/* Check each kind of core, and their sum. Returns NULL, or what is wrong. */
static const char *cores_broken(const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	__u64 loads = 0, stores = 0;
	size_t i, j;

	for (i = 0; i < snap->nr_cores; i++) {
		const struct memlat_rec_core *core = &snap->cores[i];
		__u64 words = 0;

		loads += core->loads;
		stores += core->stores;
		for (j = 0; j < snap->nr_sources; j++)
			if (snap->sources[j].core == core->core)
				words += snap->sources[j].samples;
		if (snapshot_has(snap, TABLE_SOURCES) && words != core->loads)
			return broken("%llu loads on cores %s, but %llu by source word",
				      core->loads, core->model_name, words);
	}
	if (loads == status->loads && stores == status->stores)
		return NULL;
	return broken("%llu loads and %llu stores, but %llu and %llu by kind of core",
		      status->loads, status->stores, loads, stores);
}

const char *account_snapshot_broken(const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	__u64 rows = 0, raw = 0;
	size_t i;

	for (i = 0; i < MEMLAT_BUCKETS; i++)
		rows += source_total(snap->buckets.count[i]);
	for (i = 0; i < sizeof(snap->raw.count) / sizeof(snap->raw.count[0]); i++)
		raw += snap->raw.count[i];

	if (status->records != explained(status))
		return broken("%llu records, but %llu are samples, filtered, malformed or collisions",
			      status->records, explained(status));
	if (!account_status_holds(status))
		return broken("%llu samples, but %llu are loads or stores",
			      status->samples, status->loads + status->stores);
	if (snap->have_buckets && rows != status->loads)
		return broken("%llu loads, but %llu in the buckets", status->loads, rows);
	if (snap->have_raw && raw != status->loads)
		return broken("%llu loads, but %llu by raw source word", status->loads, raw);
	for (i = TABLE_LINES; i <= TABLE_THREADS; i++) {
		const struct row_kind *kind = &row_kinds[i];
		/* A table holds all samples but those that it evicted. */
		__u64 all = snap->sum[i].samples + row_figure(status, kind->status_evicted);

		if (snapshot_has(snap, i) && all != status->samples)
			return broken("%llu samples, but %llu in %s and evicted %s", status->samples,
				      all, kind->names, kind->names);
	}
	/* An older module reports neither cores nor source words. */
	if (status->cores && snapshot_has(snap, TABLE_SOURCES) &&
	    snap->sum[TABLE_SOURCES].samples != status->loads)
		return broken("%llu loads, but %llu by source word", status->loads,
			      snap->sum[TABLE_SOURCES].samples);
	/* A message of its own, because this table holds pairs of samples. */
	if (snapshot_has(snap, TABLE_STRIDES) &&
	    snap->sum[TABLE_STRIDES].samples + status->strides_evicted != status->pairs)
		return broken("%llu pairs, but %llu in strides and evicted strides", status->pairs,
			      snap->sum[TABLE_STRIDES].samples + status->strides_evicted);
	return snap->nr_cores ? cores_broken(snap) : NULL;
}
