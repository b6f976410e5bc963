/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is on another node than the CPUs that load it, by object. */
#ifndef MEMLAT_ADVISE_PLACE_H
#define MEMLAT_ADVISE_PLACE_H

#include <json-c/json.h>
#include <stdio.h>

#include "../analysis/placement.h"
#include "../names/namer.h"
#include "../profile/profile.h"

struct advise_object {
	char *name;		/* "table", "heap, grid.c:52 init()", "[anon]" */
	char *where;		/* its declaration or allocation; NULL: not known */
	__u64 start;
	__u32 space;
};

struct advise_places {
	struct placements placements;
	struct advise_object *objects;	/* indexed by the number in a placement */
	size_t nr, room;
};

enum advise_move {
	ADVISE_MOVE_NONE,	/* no advice */
	/* one node uses it: run the threads there, or put the memory here */
	ADVISE_MOVE_THERE,
	/* each node uses a part: let each thread write its part first */
	ADVISE_MOVE_FIRST_TOUCH,
	ADVISE_MOVE_COPY,	/* several nodes read the same memory: one copy for each */
	/* several nodes use and change the same memory: no placement helps */
	ADVISE_MOVE_NOTHING
};

void advise_places_take(struct advise_places *places, const struct profile *profile,
			struct namer *namer);
void advise_places_free(struct advise_places *places);

/* The instruction that stores to it most, which probably wrote it first; NULL: none was sampled. */
const struct memlat_rec_access *advise_place_writer(const struct advise_places *places,
						     const struct placement *placement,
						     const struct snapshot *snap, struct namer *namer);

/* What to do about an object. */
enum advise_move advise_place_move(const struct advise_places *places,
				   const struct placement *placement);
/* "run_there": for JSON */
const char *advise_move_key(enum advise_move move);
/* Print "lies on node 1, and the CPUs of node 0 alone load it from there", and what to do. */
void advise_place_print(FILE *out, const struct advise_object *object,
			const struct placement *placement, enum advise_move move);
void advise_place_evidence(FILE *out, const struct placement *placement);
struct json_object *advise_place_json(const struct placement *placement);

#endif
