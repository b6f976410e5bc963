/* SPDX-License-Identifier: GPL-2.0 */
/* What a command is, and how its options are read. */
#ifndef MEMLAT_OPTIONS_H
#define MEMLAT_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <linux/memlat.h>

#include "../util/number.h"
#include "../util/out.h"

struct cmd {
	const char *name;
	const char *summary;	/* one line of "memlat-ctl help" */
	const char *help;	/* all of "memlat-ctl NAME --help" */
	enum exit_status (*run)(int argc, char **argv);
};

/* Values of long options. */
enum cmd_option {
	OPT_END		= -1,
	OPT_STOP	= -2,	/* leave at once: cmd_next() has said why */
	OPT_JSON	= 256,	/* a smaller one is a letter */
	OPT_LDLAT,
	OPT_PERIOD,
	OPT_STORE_PERIOD,
	OPT_MAX_OVERHEAD,
	OPT_FORMAT,
	OPT_TID,
	OPT_CHILDREN,
	OPT_CGROUP,
	OPT_PHYS_DATA,
	OPT_NO_GUESTS,
	OPT_MAX_MEMORY,
	OPT_SORT,
	OPT_WEIGHTED,
	OPT_RAW,
	OPT_CSV,
	OPT_NO_PAGER,
	OPT_DEBUG_PATH,
	OPT_HEAP,
	OPT_DURATION,
	OPT_STATS,
	OPT_SHOW_ALL,
	OPT_FULL_SYMBOLS,
	OPT_NO_SOURCE,
	OPT_DOUBLE_CL,
	OPT_LINE,
	OPT_BY,
	OPT_LATENCY_BUCKETS,
	OPT_STRIDE,
	OPT_SELF,
	OPT_TIME,
	OPT_SELECT,		/* and its enum selection_key: what rows are of */
	OPT_SELECT_LAST = OPT_SELECT + 15,
	OPT_OWN,		/* from here on a command's own */
	/*
	 * OPT_LETTER + 'i': an option that has the letter i, too. Both are 'i' to who takes options.
	 * getopt has to tell them apart, for what is said of a long one that is misused.
	 */
	OPT_LETTER	= 512
};

struct cmd_args {
	const struct cmd *cmd;
	int argc;
	char **argv;
	const struct option *options;
	const char *letters;	/* without a long option, as for getopt; NULL: none */
	bool rest;		/* words may follow the options: from optind on */
	bool command;		/* they may, and are a command, whose options are its own */
	enum exit_status status;	/* to leave with on OPT_STOP */
};

#define CMD_HELP_OPTION	{ "help", no_argument, NULL, OPT_LETTER + 'h' }
#define CMD_JSON_OPTION	{ "json", no_argument, NULL, OPT_JSON }

/*
 * The next option, OPT_END, or OPT_STOP. It answers --help itself, and
 * refuses unknown options, missing values and arguments that are no option.
 */
int cmd_next(struct cmd_args *args);

/*
 * Have all options taken. take: false after saying what is wrong with the value of one. True: *status
 * is MISUSED, for the caller to find them wrong together; false: what to leave with.
 */
bool cmd_options(struct cmd_args *args, bool (*take)(void *context, int option), void *context,
		 enum exit_status *status);
/* The same of a command that has words and -o, --output alone. */
bool cmd_output_option(const struct cmd *cmd, int argc, char **argv, const char **output,
		       enum exit_status *status);

/* For commands without any option. */
bool cmd_no_options(const struct cmd *cmd, int argc, char **argv,
		    enum exit_status *status);

/*
 * Say why a number was refused and what would do:
 * "--ldlat 70000: out of range; give <right>".
 */
void cmd_complain_value(const char *option, const char *text,
			enum number_result why, const char *right);

/*
 * optarg: the number of one of nr words. False after saying which there are:
 * "--by x: no such table; give thread, process or cpu", of what "no such table".
 */
bool cmd_take_word(const char *option, const char *what, const char *(*name)(unsigned int),
		   unsigned int nr, unsigned int *number);

/* A list of CPUs, such as 0-3,8. False after saying why it is none. */
bool cmd_take_cpus(const char *option, const char *text, __u64 cpus[MEMLAT_CPU_WORDS]);
/* Can this machine have them all? Those that it cannot would be left out without a word. */
bool cmd_cpus_possible(const char *option, const char *text, const __u64 cpus[MEMLAT_CPU_WORDS]);

/*
 * "10", "0.5": seconds with at most three decimals, in nanoseconds. False after saying
 * why the option was refused.
 */
bool cmd_take_seconds(const char *option, const char *text, __u64 *ns);

#endif
