/* SPDX-License-Identifier: GPL-2.0 */
/* The options of memlat-ctl start: parse them, and check them against what the module supports. */
#ifndef MEMLAT_START_OPTIONS_H
#define MEMLAT_START_OPTIONS_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../host/device.h"
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
	enum engine_choice engine;
	bool everything;	/* -a, of a command that begins and ends its session itself */
	/*
	 * Begin a varying period where a fixed one would be: somebody who runs a command wants
	 * samples of its first second, and accepts the cost.
	 */
	bool at_once;
};

/*
 * The options for the processes of a session, in start, record and bus. A filter needs its text in
 * option_list.h, a line here, and code in start_options.c.
 */
#define START_WHOM \
	TAKES(PID), TAKES(CHILDREN), TAKES(TID), TAKES(CGROUP), TAKES(CPU)
/* Of a command that begins and ends its session itself. */
#define START_UNTIL	TAKES(COMMAND), TAKES(ALL_CPUS), TAKES(DURATION)
#define START_MODES	TAKES(ALL_USER), TAKES(ALL_KERNEL)
/* What is sampled, how often, and what is kept. */
#define START_WHAT \
	TAKES(TEXT, .text = "What is sampled:"), \
	TAKES(LDLAT), TAKES(TYPE, .words = &start_types), TAKES(STRIDE), START_MODES, \
	TAKES(TEXT, .text = "How often:"), \
	TAKES(MAX_OVERHEAD), TAKES(PERIOD), TAKES(STORE_PERIOD), \
	TAKES(TEXT, .text = "What is kept:"), \
	TAKES(CALL_GRAPH, .text = "the call chain of each sample, which then costs an interrupt of its own"), \
	TAKES(PHYS_DATA), TAKES(MAX_MEMORY)
#define START_AND	TAKES(TEXT, .text = "And:"), TAKES(ENGINE, .words = &start_engines), TAKES(NO_GUESTS)

extern const struct cmd_words start_types, start_engines;

/* Take an option from cmd_next(); false after printing what is wrong with its value. */
bool start_options_take(void *start_options, int option);
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
