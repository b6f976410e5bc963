/* SPDX-License-Identifier: GPL-2.0 */
/* A profile of the test's own process, so that a view has names to show. */
#ifndef CTL_OWN_H
#define CTL_OWN_H

#include "ctl_view.h"

struct own {
	struct profile profile;		/* sample_snapshot(), with rows to be filled in */
	struct namer *namer;
};

/*
 * Sites and accesses of it are emptied; room is made for as many as asked for. A
 * machine of skx, with edges of a plausible kind.
 */
void own_open(struct own *own, size_t sites, size_t accesses);
/* The rows are in: who may be asked for names. */
void own_name(struct own *own);
void own_close(struct own *own);

/* A profile of these rows, which it borrows, with the names of this process. */
struct namer *own_namer(struct profile *profile, const struct snapshot *snap);

#endif
