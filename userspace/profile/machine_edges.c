// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../util/source.h"
#include "../util/text.h"

#define EDGE_MAX	1000000		/* cycles; no load takes so long */

enum family {
	RING_OLD,	/* Nehalem, Westmere */
	RING,		/* Sandy Bridge to Broadwell, servers too */
	CLIENT,		/* one socket, ring */
	MESH,		/* Skylake-SP to Cooper Lake */
	MESH_NEW,	/* Ice Lake-SP and later */
	SMALL,		/* E-cores */
	FAMILIES
};

/*
 * Core cycles of use latency, rounded up generously. A level's edge has to hold the level's usual
 * answers under load, and the next level's usual answers must not fall below the edge.
 */
static const __u32 table[FAMILIES][MEMLAT_SRC_NR] = {
	[RING_OLD] = {
		[MEMLAT_SRC_L1] = 7, [MEMLAT_SRC_L2] = 16, [MEMLAT_SRC_L3] = 60,
		[MEMLAT_SRC_L3_SNOOP] = 80, [MEMLAT_SRC_L3_HITM] = 100,
		[MEMLAT_SRC_RCACHE] = 250, [MEMLAT_SRC_DRAM] = 280,
		[MEMLAT_SRC_RHITM] = 320, [MEMLAT_SRC_RDRAM] = 420,
	},
	[RING] = {
		[MEMLAT_SRC_L1] = 7, [MEMLAT_SRC_L2] = 16, [MEMLAT_SRC_L3] = 65,
		[MEMLAT_SRC_L3_SNOOP] = 85, [MEMLAT_SRC_L3_HITM] = 115,
		[MEMLAT_SRC_RCACHE] = 290, [MEMLAT_SRC_DRAM] = 310,
		[MEMLAT_SRC_RHITM] = 370, [MEMLAT_SRC_RDRAM] = 470,
	},
	[CLIENT] = {
		[MEMLAT_SRC_L1] = 8, [MEMLAT_SRC_L2] = 18, [MEMLAT_SRC_L3] = 80,
		[MEMLAT_SRC_L3_SNOOP] = 100, [MEMLAT_SRC_L3_HITM] = 130,
		[MEMLAT_SRC_L4] = 180, [MEMLAT_SRC_DRAM] = 380,
	},
	[MESH] = {
		[MEMLAT_SRC_L1] = 8, [MEMLAT_SRC_L2] = 20, [MEMLAT_SRC_L3] = 100,
		[MEMLAT_SRC_L3_SNOOP] = 130, [MEMLAT_SRC_L3_HITM] = 170,
		[MEMLAT_SRC_RCACHE] = 350, [MEMLAT_SRC_DRAM] = 400,
		[MEMLAT_SRC_RHITM] = 450, [MEMLAT_SRC_RDRAM] = 600,
		[MEMLAT_SRC_PMEM] = 1000, [MEMLAT_SRC_RPMEM] = 1400,
	},
	[MESH_NEW] = {
		[MEMLAT_SRC_L1] = 8, [MEMLAT_SRC_L2] = 22, [MEMLAT_SRC_L3] = 140,
		[MEMLAT_SRC_L3_SNOOP] = 180, [MEMLAT_SRC_L3_HITM] = 230,
		[MEMLAT_SRC_RCACHE] = 430, [MEMLAT_SRC_DRAM] = 460,
		[MEMLAT_SRC_RHITM] = 550, [MEMLAT_SRC_RDRAM] = 720,
		[MEMLAT_SRC_PMEM] = 1100, [MEMLAT_SRC_RPMEM] = 1500,
	},
	[SMALL] = {
		[MEMLAT_SRC_L1] = 7, [MEMLAT_SRC_L2] = 26, [MEMLAT_SRC_L3] = 110,
		[MEMLAT_SRC_L3_SNOOP] = 140, [MEMLAT_SRC_L3_HITM] = 180,
		[MEMLAT_SRC_DRAM] = 420,
	},
};

static const struct {
	const char *name;	/* as the module names it; a '*' matches anything */
	enum family family;
} models[] = {
	{ "nhm", RING_OLD }, { "wsm", RING_OLD },
	{ "snb", RING }, { "ivb", RING }, { "hsw", RING }, { "bdw", RING },
	{ "skl", CLIENT }, { "icl", CLIENT }, { "tgl", CLIENT }, { "rkl", CLIENT },
	{ "skx", MESH }, { "clx", MESH }, { "cpx", MESH },
	{ "icx", MESH_NEW }, { "icl-d", MESH_NEW }, { "spr", MESH_NEW },
	{ "emr", MESH_NEW }, { "gnr", MESH_NEW }, { "dmr", MESH_NEW },
	{ "srf", SMALL }, { "grr", SMALL }, { "adl-n", SMALL }, { "cwf", SMALL },
	{ "adl-*", CLIENT }, { "mtl-*", CLIENT }, { "arl-*", CLIENT },
	{ "lnl-*", CLIENT }, { "ptl-*", CLIENT }, { "nvl-*", CLIENT },
};

bool machine_edges_take(struct machine *machine, struct json_object *edges)
{
	__u32 edge[MEMLAT_SRC_NR] = { 0 };
	struct json_object *value;
	unsigned int i;

	if (!json_object_is_type(edges, json_type_object))
		return false;
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		int64_t cycles;

		if (!json_object_object_get_ex(edges, source_name(i), &value))
			continue;
		if (!json_object_is_type(value, json_type_int))
			return false;
		cycles = json_object_get_int64(value);
		if (cycles < 0 || cycles > EDGE_MAX)
			return false;
		edge[i] = (__u32)cycles;
	}
	memcpy(machine->latency_edge, edge, sizeof(edge));
	return true;
}

static bool from_file(struct machine *machine, const char *path)
{
	struct json_object *root = json_object_from_file(path), *model, *edges;
	bool taken = false;

	if (json_object_is_type(root, json_type_object) &&
	    json_object_object_get_ex(root, "model", &model) &&
	    json_object_is_type(model, json_type_string) &&
	    !strcmp(json_object_get_string(model), machine->query.model_name) &&
	    json_object_object_get_ex(root, "latency_edge", &edges))
		taken = machine_edges_take(machine, edges);
	json_object_put(root);
	return taken;
}

bool machine_edges_path(char path[MACHINE_EDGES_PATH], bool of_machine)
{
	const char *folder = of_machine ? "/etc" : getenv("XDG_CONFIG_HOME"), *below = "";
	int length;

	if (!folder || !*folder) {
		folder = getenv("HOME");
		below = "/.config";
	}
	/* The XDG base directory specification requires an absolute path. */
	if (!folder || *folder != '/')
		return false;
	length = snprintf(path, MACHINE_EDGES_PATH, "%s%s/memlat/latencies.json", folder, below);
	return length > 0 && length < MACHINE_EDGES_PATH;
}

void machine_edges_find(struct machine *machine)
{
	char path[MACHINE_EDGES_PATH];
	size_t i;

	if ((machine_edges_path(path, false) && from_file(machine, path)) ||
	    (machine_edges_path(path, true) && from_file(machine, path))) {
		machine->edges_measured = true;
		return;
	}
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (pattern_matches(models[i].name, machine->query.model_name)) {
			memcpy(machine->latency_edge, table[models[i].family],
			       sizeof(machine->latency_edge));
			return;
		}
}
