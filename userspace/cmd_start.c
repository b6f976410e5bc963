// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/device.h"
#include "names/process.h"
#include "views/quality.h"
#include "views/text.h"
#include "why.h"

/* What was typed, checked as far as that goes without the device. */
struct start_options {
	struct memlat_config config;
	const char *period_text;	/* NULL: not given */
	const char *memory_text;
};

#define RIGHT_MAX	160

static bool take_ldlat(struct start_options *options, const char *text)
{
	enum number_result result;
	char right[RIGHT_MAX];
	uint64_t value;

	result = number_parse(text, MEMLAT_LDLAT_MIN, MEMLAT_LDLAT_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.ldlat = (__u32)value;
		return true;
	}
	snprintf(right, sizeof(right),
		 "%d to %d (core cycles; a load longer than this is sampled)",
		 MEMLAT_LDLAT_MIN, MEMLAT_LDLAT_MAX);
	cmd_complain_value("--ldlat", text, result, right);
	return false;
}

static bool take_period(struct start_options *options, const char *text)
{
	enum number_result result;
	char right[RIGHT_MAX];
	uint64_t value;

	result = number_parse(text, 1, UINT64_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.period = value;
		options->period_text = text;
		return true;
	}
	snprintf(right, sizeof(right),
		 "1 or more (every how many loads one is sampled; %d when not given)",
		 MEMLAT_PERIOD_DEFAULT);
	cmd_complain_value("--period", text, result, right);
	return false;
}

static bool take_pid(struct start_options *options, const char *text)
{
	enum number_result result;
	uint64_t value;

	result = number_parse(text, 1, INT_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.pid = (__s32)value;
		return true;
	}
	cmd_complain_value("-p", text, result,
			   "the pid of a process that runs (ps -e)");
	return false;
}

static bool take_memory(struct start_options *options, const char *text)
{
	enum number_result result;
	uint64_t value;

	result = number_parse_size(text, 1, UINT64_MAX, &value);
	if (result == NUMBER_OK) {
		options->config.max_memory = value;
		options->memory_text = text;
		return true;
	}
	cmd_complain_value("--max-memory", text,
			   result, "bytes, or a number with K, M or G, such as 64M");
	return false;
}

static bool options_read(struct start_options *options, int argc, char **argv,
			 enum exit_status *status)
{
	static const struct option known[] = {
		{ "ldlat", required_argument, NULL, OPT_LDLAT },
		{ "period", required_argument, NULL, OPT_PERIOD },
		{ "user", no_argument, NULL, OPT_USER },
		{ "kernel", no_argument, NULL, OPT_KERNEL },
		{ "no-guests", no_argument, NULL, OPT_NO_GUESTS },
		{ "max-memory", required_argument, NULL, OPT_MAX_MEMORY },
		CMD_HELP_OPTION, { 0 }
	};
	struct cmd_args args = {
		.cmd = &cmd_start, .argc = argc, .argv = argv,
		.letters = ":hp:", .options = known,
	};
	bool good = true;

	while (good) {
		switch (cmd_next(&args)) {
		case OPT_END:
			return true;
		case OPT_STOP:
			*status = args.status;
			return false;
		case OPT_LDLAT:
			good = take_ldlat(options, optarg);
			break;
		case OPT_PERIOD:
			good = take_period(options, optarg);
			break;
		case 'p':
			good = take_pid(options, optarg);
			break;
		case OPT_USER:
			options->config.flags |= MEMLAT_F_USER;
			break;
		case OPT_KERNEL:
			options->config.flags |= MEMLAT_F_KERNEL;
			break;
		case OPT_NO_GUESTS:
			options->config.flags |= MEMLAT_F_NO_GUESTS;
			break;
		case OPT_MAX_MEMORY:
			good = take_memory(options, optarg);
			break;
		}
	}
	*status = MISUSED;
	return false;
}

/* Ranges that only the module knows, and what was not given. */
static bool options_fit(struct start_options *options,
			const struct memlat_query *query)
{
	struct memlat_config *config = &options->config;
	char low[TEXT_NUMBER_MAX], high[TEXT_NUMBER_MAX], right[RIGHT_MAX];

	if (!(config->flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)))
		config->flags |= MEMLAT_F_USER | MEMLAT_F_KERNEL;
	if (!options->period_text)
		config->period = query->period_default;
	if (config->period < query->period_min ||
	    config->period > query->period_max) {
		snprintf(right, sizeof(right),
			 "%llu to %llu (every how many loads one is sampled)",
			 query->period_min, query->period_max);
		cmd_complain_value("--period", options->period_text,
				   NUMBER_RANGE, right);
		return false;
	}
	if (options->memory_text &&
	    (config->max_memory < query->memory_min ||
	     config->max_memory > query->memory_max)) {
		snprintf(right, sizeof(right), "%s to %s (the session's tables)",
			 text_bytes(low, query->memory_min),
			 text_bytes(high, query->memory_max));
		cmd_complain_value("--max-memory", options->memory_text,
				   NUMBER_RANGE, right);
		return false;
	}
	return true;
}

static void say_started(int fd, const struct memlat_config *config,
			const struct memlat_query *query)
{
	char name[PROCESS_NAME_MAX], shown[4 * PROCESS_NAME_MAX];
	struct memlat_status status;

	printf("sampling loads longer than %u cycles", config->ldlat);
	if (!memlat_device_status(fd, &status))
		printf(" on %u CPUs", status.cpus_armed);
	printf(" (%s, PEBS format %u, period %llu), %s", query->model_title,
	       query->pebs_format, config->period,
	       quality_privilege(config->flags));
	if (!config->pid)
		fputs(", all processes\n", stdout);
	else if (process_name((__u32)config->pid, name))
		printf(", process %d (%s)\n", config->pid,
		       text_escape(shown, sizeof(shown), name));
	else
		printf(", process %d\n", config->pid);
	fputs("see: memlat-ctl lines | memlat-ctl buckets | cat /sys/kernel/memlat/buckets      stop: memlat-ctl stop\n",
	      stdout);
}

static enum exit_status start_run(int argc, char **argv)
{
	struct start_options options = {
		.config.ldlat = MEMLAT_LDLAT_DEFAULT,
	};
	struct memlat_query query;
	enum exit_status status;
	int fd, ret;

	if (!options_read(&options, argc, argv, &status))
		return status;
	if (options.config.pid &&
	    !process_may_exist((__u64)options.config.pid)) {
		out_complain("-p %d: no such process; give the pid of one that runs (ps -e)",
			     options.config.pid);
		return FAILED;
	}
	fd = cmd_open(&query);
	if (fd < 0)
		return FAILED;
	status = MISUSED;
	if (options_fit(&options, &query)) {
		status = DONE;
		ret = memlat_device_start(fd, &options.config);
		if (ret)
			status = why_explain(fd, -ret, &options.config, &query);
		else
			say_started(fd, &options.config, &query);
	}
	close(fd);
	return status;
}

const struct cmd cmd_start = {
	.name = "start",
	.summary = "sample loads on all CPUs, until stop",
	.help =
"usage: memlat-ctl start [OPTIONS]\n"
"\n"
"Own the PMU, arm every CPU and count from zero. The session goes on after\n"
"this command, until memlat-ctl stop.\n"
"\n"
"  --ldlat N          sample loads longer than N core cycles: 3 to 65535 (30)\n"
"  --period N         sample one of N such loads (1009)\n"
"  -p PID             only this process, with all its threads (all processes)\n"
"  --user             only loads made in user mode\n"
"  --kernel           only loads made in kernel mode; with --user: both,\n"
"                     as when neither is given\n"
"  --no-guests        you state that no VM guest runs until stop\n"
"  --max-memory SIZE  bound of the session's tables, such as 64M\n"
"  -h, --help         this text\n",
	.run = start_run,
};
