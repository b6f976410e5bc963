/* SPDX-License-Identifier: GPL-2.0 */
/* Several profiles of any machines, added up by name. */
#ifndef MEMLAT_VIEW_FLEET_H
#define MEMLAT_VIEW_FLEET_H

#include <stddef.h>
#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/xalloc.h"
#include "report.h"
#include "row.h"

#define FLEET_NOTES	3	/* at most so many are shown */

enum fleet_by {
	FLEET_BY_TYPE,		/* of the variable or object */
	FLEET_BY_VARIABLE,
	FLEET_BY_FIELD,		/* of a variable or a type */
	FLEET_BY_FUNCTION,
	FLEET_BYS
};

/* What has one name in all profiles, whatever build of a program it is of. */
struct fleet_row {
	struct sums sum;
	const char *name;	/* any bytes; NULL: not known */
	const char *field;	/* NULL: none, or not asked for */
	const char *module;	/* NULL: not known */
	size_t nr_profiles, nr_builds;	/* builds: 0 for the kernel, and code of no file */
	struct share waited;	/* of loads */
	double share, most;	/* shares of each profile's latency: their sum, and the highest */
	size_t last;		/* number of the profile that was added last, from 1, */
	__u64 last_cost;	/* and what the row costs in it */
};

struct fleet {
	enum fleet_by by;
	struct pool pool;
	size_t nr_profiles;
	size_t nr_measured;	/* profiles with any latency */
	__u64 samples, hitm, cost;	/* sums over everything */
	struct share waited;
	__u64 evicted;		/* cost that is in no row */
	struct pivot pivot;
	struct name_cache builds;	/* those of each row that were counted */
	struct cell_room shown;	/* used while the table is printed */
	struct fleet_row *rows;	/* after fleet_end_adding(): by cost, the highest first */
	size_t nr;
	const char *notes[FLEET_NOTES];	/* what profiles say of names that they lack */
	size_t nr_notes;	/* of how many profiles they differ, which may be more */
};

/* "type": a word for --by */
extern const char *const fleet_by_names[FLEET_BYS];

void fleet_begin(struct fleet *fleet, enum fleet_by by);
void fleet_add(struct fleet *fleet, const struct profile *profile, struct namer *namer);
void fleet_end_adding(struct fleet *fleet);
void fleet_free(struct fleet *fleet);

void fleet_print(FILE *out, const struct fleet *fleet, size_t show, size_t width);
void fleet_csv(FILE *out, const struct fleet *fleet, size_t show);
struct json_object *fleet_json(const struct fleet *fleet, size_t show);

#endif
