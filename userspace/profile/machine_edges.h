/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a load takes that is served from each level, at most, by what is plausible
 * for the CPU: for headings of reports, not for any figure.
 */
#ifndef MEMLAT_MACHINE_EDGES_H
#define MEMLAT_MACHINE_EDGES_H

#include "machine.h"

/*
 * Fill in machine->latency_edge. In this order, the first that is there and of this
 * machine's model (query.model_name):
 *	$XDG_CONFIG_HOME/memlat/latencies.json, without that variable
 *	$HOME/.config/memlat/latencies.json
 *	/etc/memlat/latencies.json
 *	the table in machine_edges.c
 * The file: { "model": "skx", "latency_edge": { "l1": 8, "l2": 20, ... } } with the
 * sources' names and core cycles. What is not in it stays not known.
 */
void machine_edges_find(struct machine *machine);

#define MACHINE_EDGES_PATH	4096

/* The path of the user's file, or of the machine's. False: there is no such place. */
bool machine_edges_path(char path[MACHINE_EDGES_PATH], bool of_machine);

/* From the object under "latency_edge"; false: a member is no number of cycles. */
bool machine_edges_take(struct machine *machine, struct json_object *edges);

#endif
