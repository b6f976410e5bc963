// SPDX-License-Identifier: GPL-2.0
/* The plugin: its arguments, its start and end, and changes of level. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glue.h"
#include "options.h"

/* QEMU's accel/tcg/icount-common.c: instructions since the machine was switched on. */
int64_t icount_get_raw(void);

QP_EXPORT int qemu_plugin_version = QP_VERSION;

struct glue glue;
static struct vp_options options;

const struct vp_core *glue_core(unsigned int vcpu)
{
	return vp_model_core(glue.model, vcpu, glue.topology.cpus);
}

static void vcpu_init(unsigned int vcpu, void *unused)
{
	(void)unused;
	if (vcpu >= glue.topology.cpus)
		g_error("vpebs: vCPU %u, but QEMU announced %u of them", vcpu, glue.topology.cpus);
	glue_turn_init(vcpu);
	glue_learn_registers(vcpu);
	glue_count_budget(vcpu);
	glue.cpu[vcpu].alive = true;
}

static char *run_json(size_t *size)
{
	size_t room = 8 << 20, need;
	char *json;

	for (;;) {
		json = malloc(room + 1);
		if (!json)
			return NULL;
		need = vp_truth_json_run(glue.truth, json, room + 1);
		if (need && need <= room)
			break;
		free(json);
		if (!need)
			return NULL;
		room = need + need / 8;
	}
	*size = need;
	return json;
}

static void at_exit(void *unused)
{
	size_t size = 0;
	char *json;

	(void)unused;
	vp_pmu_power_off(glue.pmu);
	if (!glue.out)
		return;
	if (!glue.over)
		vp_truth_instructions(glue.truth, (uint64_t)icount_get_raw());
	json = run_json(&size);
	if (!json)
		fprintf(stderr, "vpebs: no memory for the truth\n");
	else if (fwrite(json, 1, size, glue.out) != size || fclose(glue.out))
		fprintf(stderr, "vpebs: out=%s: %s\n", glue.out_name, strerror(errno));
	free(json);
	glue.out = NULL;
}

static void plant(void)
{
	qemu_plugin_register_vcpu_init_cb(glue.id, vcpu_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(glue.id, glue_translate, NULL);
	qemu_plugin_register_flush_cb(glue.id, glue_flushed, NULL);
	qemu_plugin_register_atexit_cb(glue.id, at_exit, NULL);
	qemu_plugin_register_vcpu_discon_cb(glue.id, QP_DISCON_EXCEPTION | QP_DISCON_INTERRUPT,
					    glue_count_discon, NULL);
}

/* The level is lowered when a lower one has been enough for this many instructions of all vCPUs. */
#define CALM		8000000u

/* A change of level has been queued. */
static bool switching;

static int needed(void)
{
	int level = __atomic_load_n(&glue.bracket, __ATOMIC_RELAXED);
	unsigned int i;

	for (i = 0; i < glue.topology.cpus; i++)
		level = MAX(level, (int)vp_pmu_watch(glue.pmu, i));
	return level;
}

/*
 * All vCPUs are between two blocks. The level that is needed is determined again, because it may
 * have risen since a vCPU requested a lower one.
 */
static void take_level(void)
{
	int level = needed();

	if (level == VP_WATCH_MEMORY && glue.level != VP_WATCH_MEMORY) {
		vp_cache_flush(glue.cache);
		glue_count_shorten_turns();
	}
	__atomic_store_n(&glue.level, level, __ATOMIC_RELAXED);
	__atomic_store_n(&glue.needed_at, glue_count_all(), __ATOMIC_RELAXED);
	glue_cost_planted(level >= VP_WATCH_TIME && glue_cost_on());
	glue_turn_level(level);
}

static void note_over(void)
{
	vp_truth_instructions(glue.truth, (uint64_t)icount_get_raw());
}

/*
 * The guest's run ends here. The guest continues after it has requested power-off, until QEMU's
 * main loop gets the lock; how far it comes depends on the host's scheduler. The instructions are
 * read between two blocks, since QEMU does not know their number while a block runs.
 */
void glue_over(void)
{
	glue.over = true;
	glue_turn_between(note_over);
}

/* QEMU has dropped all translations and callbacks. */
static void replant(void *unused)
{
	(void)unused;
	take_level();
	plant();
}

/* Plant callbacks anew, because others are needed, even if the level is the same. */
void glue_replant(void)
{
	qemu_plugin_reset(glue.id, replant, NULL);
}

/* Forget which blocks have begun, because blocks of the new level may not report that. */
static void change_level(void)
{
	switching = false;
	glue_timing_forget_blocks();
	glue_count_forget_blocks();
	take_level();
}

/* Called where a vCPU may have changed the level that is needed, and from time to time. */
void glue_adjust(void)
{
	int need = needed(), level = __atomic_load_n(&glue.level, __ATOMIC_RELAXED);

	if (need == VP_WATCH_NOTHING && level == VP_WATCH_NOTHING)
		return;
	if (need == level)
		__atomic_store_n(&glue.needed_at, glue_count_all(), __ATOMIC_RELAXED);
	else if (!switching &&
		 (need > level ||
		  glue_count_all() - __atomic_load_n(&glue.needed_at, __ATOMIC_RELAXED) > CALM)) {
		switching = true;
		glue_turn_between(change_level);
	}
}

static int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int complain(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "vpebs: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	return -1;
}

static int parse_count(const char *name, const char *s, unsigned int max, unsigned int *out)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(s, &end, 10);
	if (errno || *s < '0' || *s > '9' || *end || !v || v > max)
		return complain("%s=%s: must be a number from 1 to %u", name, s, max);
	*out = (unsigned int)v;
	return 0;
}

static int parse_switch(const char *name, const char *s, bool *on)
{
	*on = !strcmp(s, "on");
	if (!*on && strcmp(s, "off"))
		return complain("%s=%s: must be on or off", name, s);
	return 0;
}

static int parse_node_mem(const char *s, struct vp_topology *t, unsigned int *nodes)
{
	const char *at = s;
	char *end;

	for (*nodes = 0;; at = end + 1) {
		unsigned long long v;

		if (*nodes == VP_MAX_NODES)
			return complain("node_mem=%s: more than %d nodes", s, VP_MAX_NODES);
		errno = 0;
		v = strtoull(at, &end, 10);
		if (errno || *at < '0' || *at > '9' || !v || (*end && *end != ':'))
			return complain("node_mem=%s: must be bytes of each node, as in 536870912:536870912",
					s);
		t->node_mem[(*nodes)++] = v;
		if (!*end)
			return 0;
	}
}

static int parse_option(const char *name, const char *value)
{
	char why[96];

	switch (vp_option(&options, name, value, why, sizeof(why))) {
	case VP_OPTION_TAKEN:
		return 0;
	case VP_OPTION_BAD:
		return complain("%s=%s: %s", name, value, why);
	default:
		return complain("argument %s: known are machine, sockets, nodes, node_mem, out, prefetch, threads, timing, turns, kernel, stir, trace, %s",
				name, vp_option_names());
	}
}

static int parse(int argc, char **argv, struct vp_topology *t)
{
	const char *name = NULL;
	unsigned int sockets = 0, mem = 0;
	bool kernel = true;
	int i;

	for (i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		int rc = 0;

		if (!value)
			return complain("argument %s: must be NAME=VALUE", argv[i]);
		*value++ = '\0';
		if (!strcmp(argv[i], "machine"))
			name = value;
		else if (!strcmp(argv[i], "sockets"))
			rc = parse_count("sockets", value, VP_MAX_NODES, &sockets);
		else if (!strcmp(argv[i], "nodes"))
			rc = parse_count("nodes", value, VP_MAX_NODES, &t->nodes);
		else if (!strcmp(argv[i], "node_mem"))
			rc = parse_node_mem(value, t, &mem);
		else if (!strcmp(argv[i], "out"))
			glue.out_name = value;
		else if (!strcmp(argv[i], "prefetch"))
			rc = parse_switch("prefetch", value, &glue.config.prefetch);
		else if (!strcmp(argv[i], "threads"))
			rc = parse_count("threads", value, 2, &glue.threads);
		else if (!strcmp(argv[i], "turns"))
			rc = parse_count("turns", value, 1u << 20, &glue.turns);
		else if (!strcmp(argv[i], "timing"))
			rc = parse_switch("timing", value, &glue.timing);
		else if (!strcmp(argv[i], "kernel"))
			rc = parse_switch("kernel", value, &kernel);
		else if (!strcmp(argv[i], "stir"))
			rc = parse_switch("stir", value, &glue.stir);
		else if (!strcmp(argv[i], "trace"))
			rc = glue_lives_trace(value) ? 0 :
			     complain("trace=%s: %s", value, strerror(errno));
		else
			rc = parse_option(argv[i], value);
		if (rc)
			return rc;
	}
	glue.kernel_off = !kernel;
	if (glue.kernel_off && glue.timing)
		return complain("kernel=off with timing=on: a clock needs all accesses; leave one of them out");
	if (!name)
		return complain("machine= is missing");
	glue.model = vp_model_find(name);
	if (!glue.model)
		return complain("machine=%s: no such machine in model.c", name);
	if (!t->nodes)
		return complain("nodes= is missing");
	if (sockets && sockets != t->nodes)
		return complain("sockets=%u, nodes=%u: each socket is one node here", sockets,
				t->nodes);
	if (mem != t->nodes)
		return complain("node_mem has %u sizes for nodes=%u", mem, t->nodes);
	if (t->nodes > t->cpus)
		return complain("nodes=%u, but QEMU has only %u CPUs", t->nodes, t->cpus);
	if (t->nodes > glue.model->nodes)
		return complain("nodes=%u: %s has %u at most", t->nodes, name, glue.model->nodes);
	if (vp_model_kinds(glue.model) > t->cpus)
		return complain("%s has %u kinds of cores, but QEMU only %u CPUs", name,
				vp_model_kinds(glue.model), t->cpus);
	return 0;
}

QP_EXPORT int qemu_plugin_install(qp_id id, const struct qp_info *info, int argc, char **argv);
QP_EXPORT int qemu_plugin_install(qp_id id, const struct qp_info *info, int argc, char **argv)
{
	if (info->version.min > QP_VERSION || info->version.cur < QP_VERSION)
		return complain("needs plugin interface %d (QEMU 11.1); this QEMU has %d to %d",
				QP_VERSION, info->version.min, info->version.cur);
	if (!info->system_emulation || strcmp(info->target_name, "x86_64"))
		return complain("needs qemu-system-x86_64, not %s", info->target_name);
	if (info->system.max_vcpus > VP_MAX_CPUS)
		return complain("%d CPUs are too many: %d at most", info->system.max_vcpus,
				VP_MAX_CPUS);
	glue.id = id;
	glue.topology.cpus = (unsigned int)info->system.max_vcpus;
	glue.config = vp_config_skx;
	options = vp_options_default;
	glue.threads = 1;
	glue.turns = TURN;
	if (parse(argc, argv, &glue.topology))
		return -1;
	if (glue.out_name) {
		glue.out = fopen(glue.out_name, "we");
		if (!glue.out)
			return complain("out=%s: %s", glue.out_name, strerror(errno));
	}
	if (options.wait)
		glue.config.waits = vp_model_two_latencies(glue.model, glue.topology.cpus);
	glue.config.seed = options.seed;
	glue.cache = vp_cache_new_config(&glue.topology, &glue.config);
	glue.truth = vp_truth_new(&glue.topology, glue.model);
	glue.cost = vp_cost_new(glue.topology.cpus);
	glue.pmu = vp_pmu_new(glue.topology.cpus, glue.model, &glue_ops, NULL);
	if (!glue.cache || !glue.truth || !glue.cost || !glue.pmu || !glue_lives_init() ||
	    (glue.timing && !glue_timing_init()))
		return complain("cannot make the machine: %s", strerror(errno));
	vp_pmu_configure(glue.pmu, &options);
	vp_truth_end(glue.truth);
	if (glue.stir && !glue_turn_stir())
		return complain("cannot replace replay_mutex_lock() of QEMU: %s", strerror(errno));
	if (!glue_budget_init())
		return complain("cannot replace icount_percpu_budget() of QEMU: %s", strerror(errno));
	if (!glue_idle_init())
		return complain("cannot replace all_cpu_threads_idle() and thread_pool_submit_aio() of QEMU: %s", strerror(errno));
	if (!glue_apic_init())
		return complain("cannot replace cpus_get_virtual_clock() of QEMU: %s", strerror(errno));
	if (!glue_clock_init())
		return complain("cannot redirect QEMU's calls of gettimeofday(): this is not the QEMU that the lab makes");
	glue_count_init();
	plant();
	return 0;
}
