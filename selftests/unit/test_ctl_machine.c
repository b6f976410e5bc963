// SPDX-License-Identifier: GPL-2.0
/* The machine of a profile: what is read about it, and the edges for headings. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <json-c/json.h>

#include "ctl_profile.h"

#include "host/cpu_models.h"
#include "profile/machine.h"

#include "../../module/hw/cpu_model.h"

static struct folder folder;
static char file[600], below[600];

static int make(void **state)
{
	folder_make(&folder);
	snprintf(below, sizeof(below), "%s/memlat", folder.path);
	snprintf(file, sizeof(file), "%s/memlat/latencies.json", folder.path);
	assert_int_equal(mkdir(below, 0700), 0);
	return setenv("XDG_CONFIG_HOME", folder.path, 1);
}

static int done(void **state)
{
	unlink(file);
	rmdir(below);
	folder_remove(&folder);
	return unsetenv("XDG_CONFIG_HOME");
}

static struct machine model(const char *name)
{
	struct machine machine;

	machine_init(&machine);
	snprintf(machine.query.model_name, sizeof(machine.query.model_name), "%s", name);
	machine_edges_find(&machine);
	return machine;
}

/* Every model that the module knows has edges, and they rise with the distance. */
TEST_WITH(tables, make, done)
{
	static const enum memlat_source levels[] = {
		MEMLAT_SRC_L1, MEMLAT_SRC_L2, MEMLAT_SRC_L3, MEMLAT_SRC_L3_SNOOP,
		MEMLAT_SRC_L3_HITM, MEMLAT_SRC_DRAM,
	};
	struct machine machine;
	size_t i, k;

	for (i = 0; i < memlat_cpu_models_nr; i++) {
		const char *name = memlat_cpu_models[i].name;
		__u32 before = 0;

		machine = model(name);
		assert_false(machine.edges_measured);
		for (k = 0; k < sizeof(levels) / sizeof(levels[0]); k++) {
			if (machine.latency_edge[levels[k]] <= before)
				fail_msg("%s: edges do not rise at level %zu", name, k);
			before = machine.latency_edge[levels[k]];
		}
		if (machine.latency_edge[MEMLAT_SRC_RDRAM])
			assert_true(machine.latency_edge[MEMLAT_SRC_RDRAM] >
				    machine.latency_edge[MEMLAT_SRC_RHITM]);
	}
	machine = model("future");
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		assert_int_equal(machine.latency_edge[i], 0);
}

static void put(const char *text)
{
	file_put(file, text, strlen(text));
}

TEST_WITH(from_file, make, done)
{
	static const char *const not_taken[] = {
		"", "{", "[]", "7", "{\"model\":\"skx\"}",
		"{\"model\":\"spr\",\"latency_edge\":{\"l2\":33}}",
		"{\"model\":\"skx\",\"latency_edge\":{\"l2\":-1}}",
		"{\"model\":\"skx\",\"latency_edge\":{\"l2\":\"33\"}}",
		"{\"model\":\"skx\",\"latency_edge\":{\"l2\":5000000000}}",
		"{\"model\":\"skx\",\"latency_edge\":[33]}",
		"{\"model\":5,\"latency_edge\":{\"l2\":33}}",
	};
	const struct machine table = model("skx");
	struct machine machine;
	size_t i;

	put("{\"model\":\"skx\",\"latency_edge\":{\"l2\":33,\"dram\":500}}");
	machine = model("skx");
	assert_true(machine.edges_measured);
	assert_int_equal(machine.latency_edge[MEMLAT_SRC_L2], 33);
	assert_int_equal(machine.latency_edge[MEMLAT_SRC_DRAM], 500);
	/* What the file does not have stays unknown. */
	assert_int_equal(machine.latency_edge[MEMLAT_SRC_L3], 0);
	for (i = 0; i < sizeof(not_taken) / sizeof(not_taken[0]); i++) {
		put(not_taken[i]);
		machine = model("skx");
		assert_false(machine.edges_measured);
		assert_memory_equal(machine.latency_edge, table.latency_edge,
				    sizeof(table.latency_edge));
	}
	/* "here" is not a valid path. */
	put("{\"model\":\"skx\",\"latency_edge\":{\"l2\":33}}");
	setenv("XDG_CONFIG_HOME", ".", 1);
	assert_false(model("skx").edges_measured);
}

/* What the kernel would list as CPUs; NULL: what it lists. */
static const char *listed;

int open(const char *path, int flags, ...)
{
	int fd;

	if (!listed || strcmp(path, "/sys/devices/system/cpu/present"))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
	fd = memfd_create("present", MFD_CLOEXEC);
	if (fd >= 0 && (write(fd, listed, strlen(listed)) < 0 || lseek(fd, 0, SEEK_SET)))
		return -1;
	return fd;
}

/* Numbers of CPUs may have holes. The last CPU has a place all the same. */
TEST_WITH(holes, make, done)
{
	const struct memlat_query query = { .model_name = "skx" };
	const size_t here = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	struct machine machine;

	listed = "0-1,4090\n";
	machine_read(&machine, &query);
	listed = NULL;
	assert_int_equal(machine.nr_cpus, 4091);
	assert_true(machine.cpu_node[0] >= 0);
	/* Nothing is known of a CPU that is not there. */
	assert_int_equal(machine.cpu_node[here + 1], -1);
	assert_int_equal(machine.cpu_socket[here + 1], -1);
	machine_free(&machine);
}

TEST_WITH(this_one, make, done)
{
	const struct memlat_query query = { .model_name = "skx", .ldlat_min = 3 };
	struct machine machine, again;
	struct json_object *json;
	const char *why;
	size_t i;

	machine_read(&machine, &query);
	assert_non_null(machine.host);
	assert_non_null(machine.kernel);
	assert_int_equal(machine.query.ldlat_min, 3);
	assert_int_equal(machine.nr_cpus, sysconf(_SC_NPROCESSORS_CONF));
	assert_true(machine.nr_nodes > 0);
	for (i = 0; i < machine.nr_cpus; i++)
		assert_true(machine.cpu_node[i] < (__s32)machine.nr_nodes);
	assert_int_equal(machine_node(&machine, 1U << 20), -1);

	json = machine_to_json(&machine);
	assert_int_equal(machine_from_json(&again, json, &why), 0);
	json_object_put(json);
	assert_string_equal(again.host, machine.host);
	assert_string_equal(again.boot_id, machine.boot_id);
	assert_int_equal(again.nr_cpus, machine.nr_cpus);
	assert_memory_equal(again.cpu_node, machine.cpu_node,
			    machine.nr_cpus * sizeof(*machine.cpu_node));
	assert_memory_equal(again.cpu_socket, machine.cpu_socket,
			    machine.nr_cpus * sizeof(*machine.cpu_socket));
	assert_memory_equal(again.node_bytes, machine.node_bytes,
			    machine.nr_nodes * sizeof(*machine.node_bytes));
	assert_memory_equal(again.latency_edge, machine.latency_edge, sizeof(machine.latency_edge));
	machine_free(&machine);
	machine_free(&again);
}

/* How models count what they count beside, as perf's raw events. */
TEST(how_cores_count)
{
	const struct cpu_identity icx = { .intel = true, .family = 6, .model = 0x6a, .stepping = 6 };

	assert_int_equal(cpu_models_count(&icx, 0x1cd, MEMLAT_EVENT_L2_MISSES), 0x10d1);
	assert_int_equal(cpu_models_count(&icx, 0x1cd, MEMLAT_EVENT_LOAD_STALLS), 0x0c000ca3);
	assert_int_equal(cpu_models_count(&icx, 0x5d0, MEMLAT_EVENT_L2_MISSES), 0);
	assert_int_equal(cpu_models_count(&icx, 0x1cd, MEMLAT_EVENT_CYCLES), 0);
}

/* From Golden Cove on stores are precisely distributed, but not with a period below 128. */
TEST(shortest_periods)
{
	const struct cpu_identity icx = { .intel = true, .family = 6, .model = 0x6a, .stepping = 6 };
	const struct cpu_identity lnl = { .intel = true, .family = 6, .model = 0xbd, .stepping = 1 };
	const struct cpu_identity other = { .amd = true };

	assert_int_equal(cpu_models_period(&icx, true), 2);
	assert_int_equal(cpu_models_period(&lnl, false), 2);
	assert_int_equal(cpu_models_period(&lnl, true), 128);
	assert_int_equal(cpu_models_period(&other, true), 1);
}
