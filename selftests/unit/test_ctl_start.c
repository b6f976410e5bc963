// SPDX-License-Identifier: GPL-2.0
/* From the options on the command line to the module's configuration, and the messages of start. */
#include <unistd.h>

#include "ctl_output.h"
#include "ctl_view.h"

#include "cli/start_options.h"
#include "cmd.h"
#include "host/device.h"
#include "views/filter.h"
#include "views/status.h"

#define WORDS_MAX	12

static const struct memlat_query usual = {
	.abi_version = MEMLAT_ABI_VERSION, .ldlat_min = 3, .ldlat_max = 65535, .period_min = 16,
	.period_max = 1 << 20, .period_default = 2003, .memory_min = 1 << 20, .memory_max = 1 << 30,
	.memory_default = 64 << 20, .cpu_memory = 800592, .pebs_format = 3,
	.model_title = "Skylake-SP", .flags = MEMLAT_F_ALL, .overhead_max = 5000,
	.store_period_default = 20011,
};

/* Parse the options and fit them. Messages go to standard error. */
static bool typed(struct start_options *options, const struct memlat_query *query,
		  const char *const *words)
{
	char *argv[WORDS_MAX + 2] = { (char *)(uintptr_t)"start" };
	struct cmd_args args = { .cmd = &cmd_start, .argv = argv };
	int argc;

	for (argc = 1; words[argc - 1]; argc++) {
		assert_true(argc <= WORDS_MAX);
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	}
	memset(options, 0, sizeof(*options));
	args.argc = argc;
	optind = 0;	/* getopt begins anew */
	return cmd_options(&args, NULL, start_options_take, options) && start_options_check(options, &args) &&
	       start_options_fit(options, query);
}

#define TYPED(options, query, ...) \
	typed(options, query, (const char *const[]){ __VA_ARGS__, NULL })

/* Who samples, with the device opening or not, and with an event of the kernel or without. */
TEST(engines)
{
	static const struct {
		enum engine_choice asked;
		bool needs_module, opens, perf_loads;
		enum engine_choice chosen;
	} of[] = {
		{ ENGINE_EITHER, false, true, true, ENGINE_MODULE },
		{ ENGINE_EITHER, false, true, false, ENGINE_MODULE },
		{ ENGINE_EITHER, false, false, true, ENGINE_PERF },
		{ ENGINE_EITHER, true, false, true, ENGINE_MODULE },
		/* The module's words say what is missing. */
		{ ENGINE_EITHER, false, false, false, ENGINE_MODULE },
		{ ENGINE_MODULE, false, false, true, ENGINE_MODULE },
		{ ENGINE_PERF, false, true, false, ENGINE_PERF },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		assert_int_equal(engine_choose(of[i].asked, of[i].needs_module, of[i].opens,
					       of[i].perf_loads), of[i].chosen);
}

/* A command may end within a second, so its periods begin near those that it will have. */
TEST(periods_of_a_command)
{
	static const struct {
		const char *option;
		__u64 period, store_period;
	} of[] = {
		{ NULL, MEMLAT_PERIOD_COMMAND, MEMLAT_STORE_PERIOD_COMMAND },
		/* Each record is dearer. */
		{ "--call-graph", 2003, 20011 },
		{ "--stride", 2003, 0 },
		/* Nothing corrects them. */
		{ "--max-overhead=0", 2003, 20011 },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct start_options options;

		assert_true(TYPED(&options, &usual, of[i].option));
		options.at_once = true;
		options.config.period = options.config.store_period = 0;
		assert_true(start_options_fit(&options, &usual));
		assert_int_equal(options.config.period, of[i].period);
		assert_int_equal(options.config.store_period, of[i].store_period);
	}
}

/* Nothing but the threshold, as from the first version on, and now with stores. */
TEST(defaults)
{
	struct memlat_query loads_only = usual;
	struct start_options options;
	const struct memlat_config *config = &options.config;

	assert_true(TYPED(&options, &usual, "--ldlat", "30"));
	assert_int_equal(config->ldlat, 30);
	assert_int_equal(config->flags, MEMLAT_F_USER | MEMLAT_F_KERNEL |
			 MEMLAT_F_LOADS | MEMLAT_F_STORES);
	assert_int_equal(config->period, MEMLAT_PERIOD_BEGIN);
	assert_int_equal(config->store_period, MEMLAT_STORE_PERIOD_BEGIN);
	assert_int_equal(config->max_overhead, MEMLAT_OVERHEAD_DEFAULT);
	assert_int_equal(config->max_memory, 0);
	assert_int_equal(config->pid, 0);
	assert_int_equal(config->cgroup, 0);
	assert_int_equal(config->cpus[0], 0);
	assert_int_equal(config->reason, 0);

	assert_true(TYPED(&options, &usual, NULL));
	assert_int_equal(config->ldlat, MEMLAT_LDLAT_DEFAULT);

	/* On a CPU that cannot sample stores, none are requested. */
	loads_only.flags &= ~MEMLAT_F_STORES;
	assert_true(TYPED(&options, &loads_only, NULL));
	assert_int_equal(config->flags, MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS);
	assert_int_equal(config->store_period, 0);
}

/* A given period is fixed. An overhead changes it. */
TEST(periods)
{
	struct start_options options;
	const struct memlat_config *config = &options.config;

	assert_true(TYPED(&options, &usual, "--period", "101"));
	assert_int_equal(config->period, 101);
	assert_int_equal(config->store_period, 20011);
	assert_int_equal(config->max_overhead, 0);

	assert_true(TYPED(&options, &usual, "--store-period", "103"));
	assert_int_equal(config->period, 2003);
	assert_int_equal(config->store_period, 103);
	assert_int_equal(config->max_overhead, 0);

	assert_true(TYPED(&options, &usual, "--max-overhead", "0.5"));
	assert_int_equal(config->max_overhead, 50);
	assert_true(TYPED(&options, &usual, "--max-overhead", "0"));
	assert_int_equal(config->max_overhead, 0);
	assert_int_equal(config->period, 2003);
	/* Saying both that it is fixed, and its value, is no contradiction. */
	assert_true(TYPED(&options, &usual, "--max-overhead", "0", "--period",
			  "101", "--store-period", "103"));
	assert_int_equal(config->period, 101);
}

TEST(filters)
{
	struct start_options options;
	const struct memlat_config *config = &options.config;
	char self[16];

	snprintf(self, sizeof(self), "%d", getpid());
	assert_true(TYPED(&options, &usual, "-p", self, "--children", "-U", "-t", "load"));
	assert_int_equal(config->pid, getpid());
	assert_int_equal(config->flags, MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_CHILDREN);
	assert_int_equal(config->store_period, 0);

	assert_true(TYPED(&options, &usual, "--tid", self, "--all-kernel", "--type=store"));
	assert_int_equal(config->pid, getpid());
	assert_int_equal(config->flags, MEMLAT_F_KERNEL | MEMLAT_F_STORES | MEMLAT_F_THREAD);

	/* The names of the first version still work. The last type counts. */
	assert_true(TYPED(&options, &usual, "--all-user", "--all-kernel", "-tstore",
			  "-t", "store,load", "-g", "--phys-data",
			  "--no-guests", "-C0", "--max-memory", "8M"));
	/* A session that outlives this command is not tied to it. */
	assert_int_equal(config->flags, MEMLAT_F_ALL & ~(MEMLAT_F_THREAD |
							 MEMLAT_F_CHILDREN |
							 MEMLAT_F_TIED |
							 MEMLAT_F_COUNT |
							 MEMLAT_F_STRIDE));
	assert_int_equal(config->cpus[0], 1);
	assert_int_equal(config->max_memory, 8 << 20);
}

/* Options that parse but do not fit the module: the message has its figures. */
TEST(unfit)
{
	static const struct {
		const char *words[5];
		const char *says;
	} cases[] = {
		{ { "--period", "15" },
		  "--period 15: out of range; give 16 to 1048576 (loads per sample)" },
		{ { "--period", "1048577" }, "--period 1048577: out of range" },
		{ { "--store-period", "15" },
		  "--store-period 15: out of range; give 16 to 1048576 (stores per sample)" },
		{ { "--max-memory", "1023K" },
		  "--max-memory 1023K: out of range; give 1.0 MiB to 1.0 GiB" },
		{ { "--max-memory", "2G" }, "--max-memory 2G: out of range" },
		{ { "--max-overhead", "20.01" },
		  "--max-overhead 20.01: out of range; give 0 to 20%" },
		{ { "--ldlat", "9" }, "--ldlat 9: out of range; give 10 to 20" },
		{ { "--type", "store" },
		  "--type store: this CPU (Skylake-SP) cannot sample stores; give --type load" },
		{ { "--store-period", "101" },
		  "--store-period 101: this CPU (Skylake-SP) cannot sample stores; leave it out" },
		{ { "--phys-data" },
		  "--phys-data: not possible with this module on this CPU (Skylake-SP); leave it out" },
		{ { "-g" }, "--call-graph: not possible" },
		{ { "--stride" }, "--stride: not possible with this module" },
		{ { "--stride", "-g" }, "--stride and -g: a burst of loads has no call chains" },
		{ { "--stride", "-t", "store" }, "--stride and --type store: steps are those" },
		{ { "--stride", "-t", "load,store" }, "--stride and --type store: steps are" },
		{ { "--stride", "--store-period", "101" },
		  "--store-period and --stride: no stores are sampled then" },
	};
	struct memlat_query narrow = usual;
	struct start_options options;
	unsigned int i;

	narrow.overhead_max = 2000;
	narrow.ldlat_min = 10;
	narrow.ldlat_max = 20;
	narrow.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *w = cases[i].words;
		struct caught caught;
		char text[512];
		bool good;

		output_catch(&caught, STDERR_FILENO);
		good = TYPED(&options, &narrow, w[0], w[1], w[2], w[3]);
		output_end(&caught, text, sizeof(text));
		assert_false(good);
		says(text, "memlat-ctl: ");
		says(text, cases[i].says);
	}
}

/* All loads and no stores: what is between two loads is to be found. */
TEST(strides)
{
	struct memlat_query query = usual;
	struct start_options options;
	const struct memlat_config *config = &options.config;

	query.flags |= MEMLAT_F_STRIDE;
	assert_true(TYPED(&options, &query, "--stride"));
	assert_int_equal(config->flags, MEMLAT_F_USER | MEMLAT_F_KERNEL |
			 MEMLAT_F_LOADS | MEMLAT_F_STRIDE);
	assert_int_equal(config->ldlat, MEMLAT_LDLAT_MIN);
	assert_int_equal(config->store_period, 0);
	assert_true(TYPED(&options, &query, "-U", "--ldlat", "40", "--stride", "-t", "load",
			  "--phys-data", "--period", "997"));
	assert_int_equal(config->flags, MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_PHYS |
			 MEMLAT_F_STRIDE);
	assert_int_equal(config->ldlat, 40);
	assert_int_equal(config->period, 997);
}

static char *started_on(const struct memlat_config *config,
			const struct memlat_query *query,
			const struct memlat_status *status)
{
	return PRINTED(started_print(out, config, query, status));
}

static char *started(const struct memlat_config *config, const struct memlat_status *status)
{
	return started_on(config, &usual, status);
}

TEST(what_start_says)
{
	const struct memlat_status status = { .cpus_armed = 4, .cpus_online = 4 };
	struct memlat_config config = {
		.ldlat = 30, .period = 1009, .store_period = 10007, .max_overhead = 100,
		.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS |
			 MEMLAT_F_STORES,
	};

	says_just(started(&config, &status),
"sampling loads longer than 30 cycles and stores, on 4 of 4 CPUs (Skylake-SP, PEBS format 3, period from 1,009, stores from 10,007, within 1% overhead), user and kernel, all processes\n"
"memory: at most 64.0 MiB for its tables, and 781.8 KiB on each CPU\n"
"see: memlat-ctl report | memlat-ctl top      stop: memlat-ctl stop\n");

	config.max_overhead = 0;
	config.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_CHILDREN |
		       MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS | MEMLAT_F_NO_GUESTS;
	config.pid = (__s32)SAMPLE_GONE_PID;
	config.cpus[0] = 0x3;
	SAYS(started(&config, &status),
	     "cycles, on 4 of 4 CPUs, only 0-1 (Skylake-SP, PEBS format 3, period 1,009), user, process 2147483646 (gone) and its children, with call chains, with physical addresses, --no-guests was given\n");

	config.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STRIDE;
	config.max_memory = 2 << 20;
	SAYS(started(&config, &status),
	     ", each with a burst of neighbours\nmemory: at most 2.0 MiB for its tables, and 781.8 KiB on each CPU\nsee: memlat-ctl stride | memlat-ctl report  ");

	config.flags = MEMLAT_F_KERNEL | MEMLAT_F_STORES | MEMLAT_F_THREAD;
	config.cgroup = 0x7ffffffffffffff0;
	SAYS(started(&config, NULL),
	     "sampling stores, on CPUs 0-1 (Skylake-SP, PEBS format 3, store period 10,007), kernel, thread 2147483646 (gone), in cgroup with id 9223372036854775792 (gone)\n");
}

/* Warnings about what a user should know before relying on the results. */
TEST(what_start_warns_of)
{
	struct memlat_query query = usual;
	struct memlat_config config = {
		.ldlat = 30, .period = 1009, .store_period = 10007,
		.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STORES,
	};

	query.cores = 1;
	query.traits = MEMLAT_TRAIT_TLB | MEMLAT_TRAIT_BLOCKED;
	SAYS(started_on(&config, &query, NULL), NOT "turns", NOT "perf");

	query.traits = MEMLAT_TRAIT_TURNS | MEMLAT_TRAIT_IP_AFTER;
	SAYS(started_on(&config, &query, NULL),
	     "on each CPU\nloads and stores take turns on this CPU: ",
	     "\n  memlat-ctl start --type load  ", "\nsee: memlat-ctl report", NOT "perf");

	/* With only one of them, it has all the time. */
	config.flags = MEMLAT_F_USER | MEMLAT_F_STORES;
	SAYS(started_on(&config, &query, NULL), NOT "turns");

	query.traits = MEMLAT_TRAIT_UNRESERVED;
	query.cores = 2;
	SAYS(started_on(&config, &query, NULL),
	     "sampling stores (2 kinds of cores, store period 10,007), user,",
	     "on each CPU\nuntil stop hardware events of perf can be opened on this CPU, but count nothing",
	     "the NMI watchdog detects nothing\nsee:", NOT "Skylake");
}

/* If neither is given, the kernel's loads are sampled. */
TEST(what_is_sampled)
{
	const struct memlat_config typed = {
		.flags = MEMLAT_F_THREAD, .pid = 7, .cgroup = 9,
	};
	const struct memlat_status everybody = { 0 }, thread = filter_status(&typed);
	char text[FILTER_MAX];

	assert_true(filter_loads(0));
	assert_true(filter_loads(MEMLAT_F_LOADS | MEMLAT_F_STORES));
	assert_false(filter_loads(MEMLAT_F_STORES));
	assert_false(filter_stores(MEMLAT_F_LOADS));
	assert_string_equal(filter_events(text, 0, 30), "loads longer than 30 cycles");
	/* What perf recorded on a CPU without a threshold. */
	assert_string_equal(filter_events(text, MEMLAT_F_LOADS | MEMLAT_F_STORES, 0),
			    "loads and stores");
	assert_string_equal(filter_privilege(MEMLAT_F_USER), "user");
	assert_string_equal(filter_privilege(MEMLAT_F_KERNEL), "kernel");
	assert_string_equal(filter_whom(text, &everybody), "all processes");
	assert_string_equal(filter_whom_short(text, &everybody), "");
	assert_string_equal(filter_whom_short(text, &thread), ", tid 7, cgroup 9");
}
