/* SPDX-License-Identifier: GPL-2.0 */
/* The description of a command, and the parser of its options. */
#ifndef MEMLAT_OPTIONS_H
#define MEMLAT_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include <linux/memlat.h>

#include "../util/number.h"
#include "../util/out.h"

struct cmd_args;

struct cmd {
	const char *name;
	const char *summary;	/* one line in "memlat-ctl help" */
	const char *help;	/* the output of "memlat-ctl NAME --help" */
	const struct option *options;
	const char *letters;	/* of options without a long form, as for getopt; NULL: none */
	bool rest;		/* words may follow the options, from optind on */
	bool command;		/* such words are a command, whose options are its own */
	enum exit_status (*run)(struct cmd_args *args);
	const struct rows_command *rows;	/* cmd_rows.c: what it shows; NULL: another command */
};

/* Values of long options. */
enum cmd_option {
	OPT_END		= -1,
	OPT_STOP	= -2,	/* leave: cmd_next() has printed why, or the help */
	OPT_JSON	= 256,	/* smaller values are letters */
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
	OPT_ENGINE,
	OPT_STATS,
	OPT_SHOW_ALL,
	OPT_FULL_SYMBOLS,
	OPT_NO_SOURCE,
	OPT_DOUBLE_CL,
	OPT_LINE,
	OPT_BY,
	OPT_STRIDE,
	OPT_SELF,
	OPT_TIME,
	OPT_SELECT,		/* plus enum selection_key: select rows */
	OPT_SELECT_LAST = OPT_SELECT + 15,
	OPT_OWN,		/* the first value for a command's own options */
	/*
	 * OPT_LETTER + 'i': the long form of an option that also has the letter i. A command gets
	 * 'i' for both. getopt needs to tell them apart, for messages about the long form.
	 */
	OPT_LETTER	= 512
};

/* What a command was called with. */
struct cmd_args {
	const struct cmd *cmd;
	int argc;
	char **argv;
	bool filed;			/* the profile was named, */
	int alone;			/* as the argument with this index; 0: behind -i */
	enum exit_status status;	/* if the options were not read: leave with this */
};

/* Has the command this long option? */
bool cmd_takes(const struct cmd *cmd, const char *name);
enum exit_status cmd_run(const struct cmd *cmd, int argc, char **argv);

#define CMD_HELP_OPTION	{ "help", no_argument, NULL, OPT_LETTER + 'h' }
#define CMD_JSON_OPTION	{ "json", no_argument, NULL, OPT_JSON }
#define CMD_FORM_OPTIONS \
	{ "csv", no_argument, NULL, OPT_CSV }, CMD_JSON_OPTION, CMD_HELP_OPTION

/*
 * Return the next option, OPT_END, or OPT_STOP. Prints the answer to --help, and complains about
 * unknown options, missing values and surplus arguments. A file without an option is that of -i.
 */
int cmd_next(struct cmd_args *args);

/*
 * Read all options. take() returns false after printing what is wrong with a value. Returns true
 * with args->status MISUSED, in case the caller finds that options do not go together; false: leave
 * with args->status.
 */
bool cmd_options(struct cmd_args *args, bool (*take)(void *context, int option), void *context);

/* The options of a command that takes only words and -o, --output; and how it reads them. */
extern const struct option cmd_output_only[];
bool cmd_output_option(struct cmd_args *args, const char **output);

/* The command that follows the options, or NULL. */
char **cmd_command(const struct cmd_args *args);
/* Complain about what is wrong, if anything is (else NULL): "wrong\n  memlat-ctl NAME --help". */
bool cmd_fits(const struct cmd_args *args, const char *wrong);

/* The options of a command that has none. */
extern const struct option cmd_help_only[];

/*
 * Print why what was typed is refused: "-d x: no such display; give ...", "cannot read the profile
 * x: it is cut off". option: the words before it. False.
 */
__attribute__((format(printf, 3, 4)))
bool cmd_refuse(const char *option, const char *text, const char *why, ...);
/* The same of a number, and what is right: "--ldlat 70000: out of range; give <right>". */
bool cmd_refuse_number(const char *option, const char *text, enum number_result why,
		       const char *right);
/* As number_parse(). False after printing why the number was refused. */
bool cmd_take_number(const char *option, const char *text, uint64_t min, uint64_t max,
		     const char *right, uint64_t *value);

/*
 * Find the word in optarg among nr words, and take its number. False after printing them: "--by x:
 * no such table; give thread, process or cpu", where what is "no such table".
 */
bool cmd_take_word(const char *option, const char *what, const char *(*name)(unsigned int),
		   unsigned int nr, unsigned int *number);

/* Parse a list of CPUs, such as 0-3,8. False after printing what is wrong with it. */
bool cmd_take_cpus(const char *option, const char *text, __u64 cpus[MEMLAT_CPU_WORDS]);
/* Can this machine have all of these CPUs? The module would silently leave out others. */
bool cmd_cpus_possible(const char *option, const char *text, const __u64 cpus[MEMLAT_CPU_WORDS]);

/* The module refused all of these CPUs. */
void cmd_complain_cpus(const char *option, const __u64 cpus[MEMLAT_CPU_WORDS]);
/*
 * Parse seconds with at most three decimals, such as "10" or "0.5", into nanoseconds. False after
 * printing why the option was refused.
 */
bool cmd_take_seconds(const char *option, const char *text, __u64 *ns);
/* The same of a moment, with nine decimals: perf prints six or nine. It may be 0. */
bool cmd_take_moment(const char *option, const char *text, __u64 *ns);

#endif
