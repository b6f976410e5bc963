// SPDX-License-Identifier: GPL-2.0
#include "start_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../host/cgroup.h"
#include "../host/device.h"
#include "../host/process.h"
#include "../util/text.h"

#define RIGHT_MAX	200

/* Options that are flags, and their names if a module or a CPU may not support them. */
static const struct {
	int option;		/* 0: it has a value, too */
	__u32 flag;
	const char *name;
} switches[] = {
	{ 0, MEMLAT_F_THREAD, "--tid" },
	{ OPT_CHILDREN, MEMLAT_F_CHILDREN, "--children" },
	{ OPT_CALL_GRAPH, MEMLAT_F_CALL_GRAPH, "--call-graph" },
	{ OPT_PHYS_DATA, MEMLAT_F_PHYS, "--phys-data" },
	{ OPT_STRIDE, MEMLAT_F_STRIDE, "--stride" },
	{ OPT_NO_GUESTS, MEMLAT_F_NO_GUESTS, "--no-guests" },
	{ OPT_ALL_USER, MEMLAT_F_USER, NULL },
	{ OPT_ALL_KERNEL, MEMLAT_F_KERNEL, NULL },
};

static const char *const types[] = { "load", "store", "load,store", "store,load" };
static const char *const engines[] = { "module", "perf" };

const struct cmd_words start_types = { "no such type", 3, .list = types };
const struct cmd_words start_engines = { "no such engine", 2, .list = engines };

#define SWITCHES	(sizeof(switches) / sizeof(switches[0]))

static bool take_ldlat(struct start_options *options, const char *text)
{
	char right[RIGHT_MAX];
	uint64_t value;

	snprintf(right, sizeof(right),
		 "%d to %d (core cycles; a load longer than this is sampled)",
		 MEMLAT_LDLAT_MIN, MEMLAT_LDLAT_MAX);
	if (!cmd_take_number("--ldlat", text, MEMLAT_LDLAT_MIN, MEMLAT_LDLAT_MAX, right, &value))
		return false;
	options->config.ldlat = (__u32)value;
	options->ldlat = text;
	return true;
}

static bool take_type(struct start_options *options, const char *text)
{
	static const __u32 flags[] = {
		MEMLAT_F_LOADS, MEMLAT_F_STORES,
		MEMLAT_F_LOADS | MEMLAT_F_STORES, MEMLAT_F_LOADS | MEMLAT_F_STORES,
	};
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(text, types[i]))
			continue;
		options->config.flags &= ~(MEMLAT_F_LOADS | MEMLAT_F_STORES);
		options->config.flags |= flags[i];
		options->type = text;
		return true;
	}
	return cmd_refuse("--type", text, "no such type; give load, store or load,store");
}

static bool take_period(const char *option, const char *what, int usual,
			const char *text, __u64 *period)
{
	char right[RIGHT_MAX];
	uint64_t value;

	snprintf(right, sizeof(right), "1 or more (%s per sample; %d is usual)", what, usual);
	if (!cmd_take_number(option, text, 1, UINT64_MAX, right, &value))
		return false;
	*period = value;
	return true;
}

static bool take_overhead(struct start_options *options, const char *text)
{
	char right[RIGHT_MAX], high[TEXT_NUMBER_MAX];
	enum number_result result;
	uint64_t value;

	result = number_parse_percent(text, MEMLAT_OVERHEAD_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.max_overhead = (__u32)value;
		options->overhead = text;
		return true;
	}
	snprintf(right, sizeof(right),
		 "0 to %s of each CPU's busy time, such as 1 or 0.5; 0: fixed periods",
		 text_hundredths(high, MEMLAT_OVERHEAD_MAX));
	if (result == NUMBER_RANGE)
		return cmd_refuse_number("--max-overhead", text, result, right);
	return cmd_refuse("--max-overhead", text,
			  "not a percentage with at most two decimals; give %s", right);
}

static bool take_task(struct start_options *options, const char *option,
		      const char *text)
{
	uint64_t value;

	if (!cmd_take_number(option, text, 1, INT_MAX, !strcmp(option, "-p") ?
			     "the pid of a process that runs (ps -e)" :
			     "the tid of a thread that runs (ps -eL)", &value))
		return false;
	options->config.pid = (__s32)value;
	return true;
}

static bool take_memory(struct start_options *options, const char *text)
{
	enum number_result result;
	uint64_t value;

	result = number_parse_size(text, 1, UINT64_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.max_memory = value;
		options->memory = text;
		return true;
	}
	return cmd_refuse_number("--max-memory", text, result,
				 "bytes, or a number with K, M or G, such as 64M");
}

static bool take_cpus(struct start_options *options, const char *text)
{
	options->cpus = text;
	return cmd_take_cpus("--cpu", text, options->config.cpus);
}

static bool take_engine(struct start_options *options, const char *text)
{
	options->engine = !strcmp(text, "perf") ? ENGINE_PERF : ENGINE_MODULE;
	return options->engine == ENGINE_PERF || !strcmp(text, "module") ||
	       cmd_refuse("--engine", text, "no such engine; give module or perf");
}

bool start_options_take(void *start_options, int option)
{
	struct start_options *options = start_options;
	struct memlat_config *config = &options->config;
	unsigned int i;

	for (i = 0; i < SWITCHES; i++)
		if (switches[i].option == option) {
			config->flags |= switches[i].flag;
			return true;
		}
	switch (option) {
	case OPT_LDLAT:
		return take_ldlat(options, optarg);
	case OPT_TYPE:
		return take_type(options, optarg);
	case OPT_PERIOD:
		options->period = optarg;
		return take_period("--period", "loads", MEMLAT_PERIOD_DEFAULT,
				   optarg, &config->period);
	case OPT_STORE_PERIOD:
		options->store_period = optarg;
		return take_period("--store-period", "stores",
				   MEMLAT_STORE_PERIOD_DEFAULT, optarg,
				   &config->store_period);
	case OPT_MAX_OVERHEAD:
		return take_overhead(options, optarg);
	case OPT_PID:
		options->pid = optarg;
		return take_task(options, "-p", optarg);
	case OPT_TID:
		options->tid = optarg;
		config->flags |= MEMLAT_F_THREAD;
		return take_task(options, "--tid", optarg);
	case OPT_ALL_CPUS:
		options->everything = true;
		return true;
	case OPT_CGROUP:
		options->cgroup = optarg;
		return true;
	case OPT_CPU:
		return take_cpus(options, optarg);
	case OPT_ENGINE:
		return take_engine(options, optarg);
	default:
		return take_memory(options, optarg);
	}
}

/* Options that do not go together, and which to leave out. NULL: they do. */
static const char *option_conflict(const struct start_options *options)
{
	const __u32 flags = options->config.flags;
	bool moves = options->overhead && options->config.max_overhead;

	if (options->period && moves)
		return "--period and --max-overhead: a period is fixed, or it moves to hold an overhead; give one of them";
	if (options->store_period && moves)
		return "--store-period and --max-overhead: a period is fixed, or it moves to hold an overhead; give one of them";
	if (options->pid && options->tid)
		return "-p and --tid: a process, or one of its threads; give one of them";
	if (flags & MEMLAT_F_CHILDREN && options->tid)
		return "--children and --tid: the children are those of a process; give -p in place of --tid";
	if (flags & MEMLAT_F_CHILDREN && !options->pid)
		return "--children: of which process? give it with -p";
	if (flags & MEMLAT_F_STRIDE && flags & MEMLAT_F_STORES)
		return "--stride and --type store: steps are those between loads; give --type load, or leave it out";
	if (flags & MEMLAT_F_STRIDE && options->store_period)
		return "--store-period and --stride: no stores are sampled then; leave out one of them";
	if (flags & MEMLAT_F_STRIDE && flags & MEMLAT_F_CALL_GRAPH)
		return "--stride and -g: a burst of loads has no call chains; leave out one of them";
	if (!options->type)
		return NULL;
	if (!(flags & MEMLAT_F_LOADS) && options->ldlat)
		return "--ldlat and --type store: a threshold is for loads; leave out one of them";
	if (!(flags & MEMLAT_F_LOADS) && options->period)
		return "--period and --type store: that is the period of loads; give --store-period";
	if (!(flags & MEMLAT_F_STORES) && options->store_period)
		return "--store-period and --type load: no stores are sampled then; leave out one of them";
	return NULL;
}

bool start_needs_module(const struct start_options *options, bool command)
{
	const __u32 flags = options->config.flags;

	return (flags & MEMLAT_F_STRIDE && flags & MEMLAT_F_KERNEL && !(flags & MEMLAT_F_USER)) ||
	       (options->cgroup && (command || options->config.pid));
}

const char *start_whom_clash(struct start_options *options, char **command, const char *does,
			     const char *done)
{
	bool task = options->pid || options->tid, everything = options->everything;
	static char wrong[160];

	if (command && task)
		snprintf(wrong, sizeof(wrong), "a command and -p: %s what is started here, or what runs already; give one of them",
			 does);
	else if (command && everything)
		snprintf(wrong, sizeof(wrong), "a command and -a: with -a everything is %s; give one of them (-a --duration S)",
			 done);
	else if (everything && task)
		return "-p and -a: one process, or everything; give one of them";
	else if (!command && !everything && !task && !options->cgroup)
		snprintf(wrong, sizeof(wrong), "what is to be %s? give a command (-- COMMAND), -p PID, or -a",
			 done);
	else
		*wrong = '\0';
	/* A command's children are always followed. */
	if (command)
		options->config.flags &= ~MEMLAT_F_CHILDREN;
	return *wrong ? wrong : NULL;
}

static bool cgroup_exists(struct start_options *options)
{
	if (!options->cgroup)
		return true;
	switch (cgroup_id(options->cgroup, &options->config.cgroup, NULL)) {
	case CGROUP_OK:
		return true;
	case CGROUP_NONE:
		return cmd_refuse("--cgroup", options->cgroup,
				  "no such cgroup; give a folder under /sys/fs/cgroup, or what /proc/PID/cgroup has after 0::\n"
				  "  systemd-cgls      shows them");
	case CGROUP_NOT:
		return cmd_refuse("--cgroup", options->cgroup,
				  "not a cgroup of version 2; give a folder under /sys/fs/cgroup\n"
				  "  findmnt -t cgroup2      shows where they are");
	default:
		return cmd_refuse("--cgroup", options->cgroup, "cannot read it: %s",
				  strerror(errno));
	}
}

int start_options_folder(const struct start_options *options)
{
	int folder = -1;
	__u64 unused;

	if (options->cgroup)
		cgroup_id(options->cgroup, &unused, &folder);
	return folder;
}

void start_complain_task(const struct memlat_config *config)
{
	if (config->flags & MEMLAT_F_THREAD)
		out_complain("--tid %d: no such thread; give the tid of one that runs (ps -eL)",
			     config->pid);
	else
		out_complain("-p %d: no such process; give the pid of one that runs (ps -e)",
			     config->pid);
}

static bool task_exists(const struct memlat_config *config)
{
	if (!config->pid || process_may_exist((__u64)config->pid))
		return true;
	start_complain_task(config);
	return false;
}

bool start_options_check(struct start_options *options, struct cmd_args *args)
{
	args->status = MISUSED;
	if (!cmd_fits(args, option_conflict(options)))
		return false;
	if (options->cpus && !cmd_cpus_possible("--cpu", options->cpus, options->config.cpus))
		return false;
	args->status = FAILED;
	return task_exists(&options->config) && cgroup_exists(options);
}

/* Check the options that this module or this CPU may not support, by their flags. */
static bool flags_known(const struct start_options *options,
			const struct memlat_query *query)
{
	__u32 unknown = options->config.flags & ~query->flags;
	unsigned int i;

	if (unknown & MEMLAT_F_STORES) {
		out_complain("--type %s: this CPU (%s) cannot sample stores; give --type load",
			     options->type, query->model_title);
		return false;
	}
	for (i = 0; i < SWITCHES; i++) {
		if (!switches[i].name || !(unknown & switches[i].flag))
			continue;
		out_complain("%s: not possible with this module on this CPU (%s); leave it out",
			     switches[i].name, query->model_title);
		return false;
	}
	return true;
}

static bool period_fits(const char *option, const char *what, const char *text,
			__u64 period, __u64 least, __u64 most)
{
	char right[RIGHT_MAX];

	if (!text || (period >= least && period <= most))
		return true;
	snprintf(right, sizeof(right), "%llu to %llu (%s per sample)", least,
		 most, what);
	return cmd_refuse_number(option, text, NUMBER_RANGE, right);
}

static bool ranges_fit(const struct start_options *options,
		       const struct memlat_query *query)
{
	const struct memlat_config *config = &options->config;
	char low[TEXT_NUMBER_MAX], high[TEXT_NUMBER_MAX], right[RIGHT_MAX];

	if (options->ldlat && (config->ldlat < query->ldlat_min ||
			       config->ldlat > query->ldlat_max)) {
		snprintf(right, sizeof(right), "%u to %u (core cycles)",
			 query->ldlat_min, query->ldlat_max);
		return cmd_refuse_number("--ldlat", options->ldlat, NUMBER_RANGE, right);
	}
	if (options->overhead && config->max_overhead > query->overhead_max) {
		snprintf(right, sizeof(right), "0 to %s",
			 text_hundredths(high, query->overhead_max));
		return cmd_refuse_number("--max-overhead", options->overhead, NUMBER_RANGE, right);
	}
	if (options->memory && (config->max_memory < query->memory_min ||
				config->max_memory > query->memory_max)) {
		snprintf(right, sizeof(right), "%s to %s (the session's tables)",
			 text_bytes(low, query->memory_min),
			 text_bytes(high, query->memory_max));
		return cmd_refuse_number("--max-memory", options->memory, NUMBER_RANGE, right);
	}
	return period_fits("--period", "loads", options->period,
			   config->period, query->period_min, query->period_max) &&
	       period_fits("--store-period", "stores", options->store_period,
			   config->store_period, device_store_period_min(query),
			   query->period_max);
}

bool start_options_fit(struct start_options *options,
		       const struct memlat_query *query)
{
	struct memlat_config *config = &options->config;
	const bool strides = config->flags & MEMLAT_F_STRIDE;
	__u64 loads = query->period_default, stores = query->store_period_default;

	if (!flags_known(options, query) || !ranges_fit(options, query))
		return false;
	if (!(config->flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)))
		config->flags |= MEMLAT_F_USER | MEMLAT_F_KERNEL;
	if (!options->type)
		config->flags |= MEMLAT_F_LOADS |
				 (strides ? 0 : query->flags & MEMLAT_F_STORES);
	if (options->store_period && !(config->flags & MEMLAT_F_STORES)) {
		out_complain("--store-period %s: this CPU (%s) cannot sample stores; leave it out",
			     options->store_period, query->model_title);
		return false;
	}
	/* Neighbours have to be all loads, not only the slow ones. */
	if (!options->ldlat)
		config->ldlat = options->ldlat_default ? options->ldlat_default :
				strides ? MEMLAT_LDLAT_MIN : MEMLAT_LDLAT_DEFAULT;
	/* A period that was typed must not change. */
	if (!options->overhead && !options->period && !options->store_period)
		config->max_overhead = MEMLAT_OVERHEAD_DEFAULT;
	if (config->max_overhead && !options->at_once) {
		loads = MEMLAT_PERIOD_BEGIN;
		stores = MEMLAT_STORE_PERIOD_BEGIN;
	} else if (config->max_overhead && !strides && !(config->flags & MEMLAT_F_CALL_GRAPH)) {
		/* Neither a burst nor a stack makes records dearer. */
		loads = MEMLAT_PERIOD_COMMAND;
		stores = MEMLAT_STORE_PERIOD_COMMAND;
	}
	if (!options->period)
		config->period = loads;
	if (!options->store_period && config->flags & MEMLAT_F_STORES)
		config->store_period = stores;
	return true;
}

bool start_options_fit_count(struct start_options *options,
			     const struct memlat_query *query)
{
	struct memlat_config *config = &options->config;

	if (!(query->flags & MEMLAT_F_COUNT)) {
		out_complain("this module does not count events on this CPU (%s)\n"
			     "  memlat-ctl --version      shows its release, which has to be the module's",
			     query->model_title);
		return false;
	}
	if (!flags_known(options, query))
		return false;
	config->flags |= MEMLAT_F_COUNT;
	if (!(config->flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)))
		config->flags |= MEMLAT_F_USER | MEMLAT_F_KERNEL;
	return true;
}
