/* SPDX-License-Identifier: GPL-2.0 */
/* The options of memlat-ctl start: parse them, and check them against what the module supports. */
#ifndef MEMLAT_START_OPTIONS_H
#define MEMLAT_START_OPTIONS_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../util/out.h"
#include "options.h"

/* What was typed; texts are NULL if not given. */
struct start_options {
	struct memlat_config config;
	const char *ldlat;
	__u32 ldlat_default;	/* if none was typed; 0: by what is sampled */
	const char *type;
	const char *period;
	const char *store_period;
	const char *overhead;
	const char *pid;
	const char *tid;
	const char *cgroup;
	const char *cpus;
	const char *memory;
	bool everything;	/* -a, of a command that begins and ends its session itself */
	/*
	 * Begin a varying period where a fixed one would be: somebody who runs a command wants
	 * samples of its first second, and accepts the cost.
	 */
	bool at_once;
};

/*
 * The options for the processes of a session, in start, record and bus. A filter needs an option
 * here, its line in the help below, and code in start_options.c.
 */
#define START_WHOM_OPTIONS \
	{ "pid", required_argument, NULL, OPT_LETTER + 'p' }, \
	{ "tid", required_argument, NULL, OPT_TID }, \
	{ "children", no_argument, NULL, OPT_CHILDREN }, \
	{ "cgroup", required_argument, NULL, OPT_CGROUP }, \
	{ "cpu", required_argument, NULL, OPT_LETTER + 'C' }, \
	{ "all-user", no_argument, NULL, OPT_LETTER + 'U' }, \
	{ "user", no_argument, NULL, OPT_LETTER + 'U' }, \
	{ "all-kernel", no_argument, NULL, OPT_LETTER + 'K' }, \
	{ "kernel", no_argument, NULL, OPT_LETTER + 'K' }

/* Of a command that begins and ends its session itself. */
#define START_UNTIL_OPTIONS \
	{ "all-cpus", no_argument, NULL, OPT_LETTER + 'a' }, \
	{ "duration", required_argument, NULL, OPT_DURATION }

/* All options of start, which record has too. */
#define START_OPTIONS \
	START_WHOM_OPTIONS, \
	{ "ldlat", required_argument, NULL, OPT_LDLAT }, \
	{ "type", required_argument, NULL, OPT_LETTER + 't' }, \
	{ "period", required_argument, NULL, OPT_PERIOD }, \
	{ "store-period", required_argument, NULL, OPT_STORE_PERIOD }, \
	{ "max-overhead", required_argument, NULL, OPT_MAX_OVERHEAD }, \
	{ "call-graph", no_argument, NULL, OPT_LETTER + 'g' }, \
	{ "phys-data", no_argument, NULL, OPT_PHYS_DATA }, \
	{ "stride", no_argument, NULL, OPT_STRIDE }, \
	{ "no-guests", no_argument, NULL, OPT_NO_GUESTS }, \
	{ "max-memory", required_argument, NULL, OPT_MAX_MEMORY }

/* The lines of a help text about what is sampled, how often, and what is kept. */
#define START_HELP_WHAT \
"What is sampled:\n" \
"  --ldlat N              loads that take longer than N core cycles: 3 to 65535\n" \
"                         (30; 3 with --stride)\n" \
"  -t, --type TYPE        load, store or load,store (both, if the CPU can;\n" \
"                         on some CPUs they take turns)\n" \
"  --stride               bursts of loads, for the steps between neighbours: see\n" \
"                         memlat-ctl stride\n" \
"  -U, --all-user         only user mode\n" \
"  -K, --all-kernel       only kernel mode (without -U and -K: both)\n" \
"How often:\n" \
"  --max-overhead PERCENT adjust the periods so that memlat takes at most this\n" \
"                         share of each CPU's busy time (1); 0: fixed periods\n" \
"  --period N             one of N such loads; this period stays fixed (1009)\n" \
"  --store-period N       one of N stores; this period stays fixed (10007)\n"
#define START_HELP_WHOM \
"Which tasks and CPUs (all):\n" \
"  -p, --pid PID          only this process, with all its threads\n" \
"  --children             with -p: also what it forks from now on\n" \
"  --tid TID              only this thread\n" \
"  --cgroup PATH          only tasks in this cgroup (v2) or below it\n" \
"  -C, --cpu LIST         only these CPUs, such as 0-3,8\n"
/*
 * The lines about processes, for a session that ends with them or runs a command: record and bus.
 */
#define START_HELP_WHOM_UNTIL \
"  -- COMMAND             this command and all that it forks, until it ends\n" \
"  -p, --pid PID          this process, with all its threads, until it ends\n" \
"  --children             with -p: also what it forks from now on\n" \
"  --tid TID              this thread, until it ends\n" \
"  -a, --all-cpus         everything, until Ctrl-C\n" \
"  --cgroup PATH          only tasks in this cgroup (v2) or below it\n" \
"  -C, --cpu LIST         only on these CPUs, such as 0-3,8\n"
#define START_HELP_DURATION \
"  --duration S           stop after S seconds, such as 10 or 0.5; a command that\n" \
"                         still runs gets SIGTERM\n"
#define START_HELP_KEPT \
"What is kept:\n" \
"  -g, --call-graph       the call chain of each sample, which then costs an\n" \
"                         interrupt of its own\n" \
"  --phys-data            the physical address of each line and its page's node\n" \
"  --max-memory SIZE      limit of the session's tables (64M)\n"

/* Take an option from cmd_next(); false after printing what is wrong with its value. */
bool start_options_take(struct start_options *options, int option);
/* A descriptor of the folder that the option names, if it was checked; -1: it was not given. */
int start_options_folder(const struct start_options *options);
/* Is anything asked for that only the module does, and perf's engine does not? */
bool start_needs_module(const struct start_options *options, bool command);
#define START_ONLY_MODULE \
	"--engine perf: only the module has --stride of the kernel (-K), and samples a process only while it is in a --cgroup; leave out one of them"
/*
 * For a command that begins and ends its session itself, check that it has exactly one of: a
 * command, everything, or processes given by options. NULL, or what is wrong. does: "record"; done:
 * "recorded".
 */
const char *start_whom_clash(struct start_options *options, char **command, const char *does,
			     const char *done);
/* The process or thread of the session does not exist. */
void start_complain_task(const struct memlat_config *config);
/*
 * All options are taken: do they go together, and does what they name (is there such a process?)
 * exist? False: leave with args->status, the reason was printed.
 */
bool start_options_check(struct start_options *options, struct cmd_args *args);

/*
 * Fill in defaults, and check what depends on the module. False after printing what does not fit,
 * which is wrong use.
 */
bool start_options_fit(struct start_options *options,
		       const struct memlat_query *query);

/* The same for a session that counts events and samples nothing. */
bool start_options_fit_count(struct start_options *options,
			     const struct memlat_query *query);

#endif
