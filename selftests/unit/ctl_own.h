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
 * Make a profile without sites and accesses, but with room for so many. The machine is a skx with
 * plausible edges.
 */
void own_open(struct own *own, size_t sites, size_t accesses);
/* After the rows were filled in: make the namer. */
void own_name(struct own *own);
void own_close(struct own *own);

/* Make a profile that borrows these rows, with the names of this process. */
struct namer *own_namer(struct profile *profile, const struct snapshot *snap);

#endif
