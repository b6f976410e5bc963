/* SPDX-License-Identifier: GPL-2.0 */
/* Which nodes' CPUs use the memory of which nodes, for programs. html_latency.c draws it. */
#ifndef MEMLAT_VIEW_NODES_H
#define MEMLAT_VIEW_NODES_H

#include "../profile/profile.h"
#include "../util/json.h"

/* A list of pairs of nodes that have samples; a node that is not known is null. */
struct json_object *nodes_json(const struct profile *profile);

#endif
