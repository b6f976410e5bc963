/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that was measured: the facts that a view needs later, or on another machine. */
#ifndef MEMLAT_MACHINE_H
#define MEMLAT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

struct json_object;

#define MACHINE_BOOT_ID	40	/* a UUID and its terminating zero */

struct machine {
	char *host;		/* any bytes; NULL: not known */
	char *kernel;		/* release */
	char *cpu;		/* as /proc/cpuinfo names it */
	/*
	 * The id of the kernel's run; "": not known. Addresses, generations of processes and
	 * CLOCK_MONOTONIC are comparable only within one run.
	 */
	char boot_id[MACHINE_BOOT_ID];
	struct memlat_query query;	/* the module and the CPU's model */
	size_t nr_cpus;		/* entries of cpu_node and cpu_core */
	__s32 *cpu_node;	/* NUMA node of each CPU, -1: none */
	__s32 *cpu_socket;	/* physical package of each CPU, -1: not known */
	size_t nr_nodes;
	__u64 *node_bytes;	/* memory of each node, 0: no such node */
	/*
	 * Upper edges of latency in cycles by enum memlat_source (machine_edges.h); 0: not known.
	 */
	__u32 latency_edge[MEMLAT_SRC_NR];
	bool edges_measured;	/* by calibrate on this machine, not from a table */
};

void machine_init(struct machine *machine);
void machine_free(struct machine *machine);
/* Read this machine's facts. What cannot be found out stays unknown. */
void machine_read(struct machine *machine, const struct memlat_query *query);

/* For the file. */
struct json_object *machine_to_json(const struct machine *machine);
/* 0, or -EBADMSG with *why saying what is wrong (static text). */
int machine_from_json(struct machine *machine, struct json_object *json, const char **why);

/* NUMA node of a CPU, -1: none, or not known. */
int machine_node(const struct machine *machine, unsigned int cpu);

/*
 * How long a load takes that is served from each level, at most, by what is plausible
 * for the CPU: for headings of reports, not for any figure.
 */

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
