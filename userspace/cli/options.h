/* SPDX-License-Identifier: GPL-2.0 */
/* The description of a command, and the parser of its options. */
#ifndef MEMLAT_OPTIONS_H
#define MEMLAT_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

#include "../util/number.h"
#include "../util/out.h"
#include "../views/report.h"

struct cmd_args;

/* The words that an option takes. */
struct cmd_words {
	const char *what;	/* is wrong with any other word: "no such table" */
	unsigned int nr;
	const char *(*name)(unsigned int word);	/* NULL: in the list */
	const char *const *list;
};

/* Options, as take() gets them. Their texts are in option_list.h. */
enum cmd_option {
	OPT_END		= -1,
	OPT_STOP	= -2,	/* leave: cmd_next() has printed why, or the help */
	OPT_TEXT	= -3,	/* no option: a line between those of --help */
	OPT_UNPRINTED	= -4,	/* those that follow are not in --help */
	OPT_FIRST	= 255,	/* smaller values are letters */
#define OPTION(id, name, letter, value, text) OPT_ ## id,
#include "option_list.h"
#undef OPTION
	OPT_END_OF_LIST
};

/* An option of a command. */
struct cmd_takes {
	int option;
	const char *text;		/* what it does here; NULL: as everywhere */
	const struct cmd_words *words;	/* NULL: it takes none of a few */
	char letter;			/* that it has only here */
};

/* TAKES(BY, .text = "...", .words = &...) is an element of such a list, which ends with { 0 }. */
#define TAKES(id, ...)	{ .option = OPT_ ## id, __VA_ARGS__ }

struct cmd {
	const char *name;
	const char *summary;	/* one line in "memlat-ctl help" */
	const char *usage;	/* "memlat-ctl NAME --help" begins with it, */
	const char *notes;	/* and ends with it; NULL: with the options */
	const struct cmd_takes *takes;
	bool rest;		/* words may follow the options, from optind on */
	bool command;		/* such words are a command, whose options are its own */
	enum exit_status (*run)(struct cmd_args *args);
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

#define CMD_FORMS	TAKES(JSON), TAKES(CSV), TAKES(HELP)

/* What an option of this name ("--by", "-d") takes, for a completion: its words, or "FILE". */
bool cmd_print_value(FILE *out, const struct cmd *cmd, const char *option);
void cmd_print_help(FILE *out, const struct cmd *cmd);

/*
 * Return the next option, OPT_END, or OPT_STOP. Prints the answer to --help, and complains about
 * unknown options, missing values and surplus arguments. A file without an option is that of -i.
 */
int cmd_next(struct cmd_args *args);

/*
 * What an option sets, if it does no more than that. Such a list ends with { 0 }. An option may be in
 * it several times: a number, and the text that it was typed as.
 */
struct cmd_sets {
	int option;
	/* what the one of these pointers that is given points to */
	const char **text;		/* optarg */
	bool *on;
	unsigned int *word, *words;	/* as cmd_take_word() and cmd_take_words() */
	__u64 *number, *ns;		/* ns: seconds, as cmd_take_seconds() */
	enum report_format *format;
	__u64 least, most;		/* of a number, and of seconds; most 0: any */
	const char *right;		/* what to give instead of another */
};

/* SETS(OUTPUT, text, options->file) is an element of such a list. */
#define SETS(id, kind, member)	{ .option = OPT_ ## id, .kind = &(member) }
#define SETS_WITHIN(id, kind, member, from, to, instead) \
	{ .option = OPT_ ## id, .kind = &(member), .least = from, .most = to, .right = instead }
#define SETS_FORMS(member)	SETS(JSON, format, member), SETS(CSV, format, member)

/* Sets what the list has of the option: *known. False after printing what is wrong with optarg. */
bool cmd_set(const struct cmd *cmd, const struct cmd_sets *sets, int option, bool *known);

/*
 * Read all options: what is not in the list goes to take(), which returns false after printing what is
 * wrong with a value; either may be NULL. Returns true with args->status MISUSED, in case the caller
 * finds that options do not go together; false: leave with args->status.
 */
bool cmd_options(struct cmd_args *args, const struct cmd_sets *sets,
		 bool (*take)(void *context, int option), void *context);

/* The command that follows the options, or NULL. */
char **cmd_command(const struct cmd_args *args);
/* Complain about what is wrong, if anything is (else NULL): "wrong\n  memlat-ctl NAME --help". */
bool cmd_fits(const struct cmd_args *args, const char *wrong);

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
 * Find the word in optarg among those of an option of the command, and take its number. False after
 * printing them: "--by x: no such table; give thread, process or cpu", where what is "no such table".
 */
bool cmd_take_word(const struct cmd *cmd, int option, unsigned int *number);
/* The same of words with commas between them, as bits. */
bool cmd_take_words(const struct cmd *cmd, int option, unsigned int *bits);

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

/* Words that perf's users may type, and what does the same here. */

/* "perf's annotate is ..." for a command that only perf has; otherwise NULL. */
const char *perf_command(const char *name);

/* The same for a word behind a command, as in perf's "c2c report". */
const char *perf_argument(const char *command, const char *word);

/*
 * The same for an option, of perf or of memlat-ctl before, as it was typed, with dashes and perhaps "=VALUE". samples: the command
 * samples, so it has other counterparts of perf's options than a view.
 */
const char *perf_option(const char *typed, bool samples);

/* Find the word that a mistyped one was meant to be. */

struct nearest {
	const char *typed;
	const char *word;	/* the nearest so far; NULL: none is near enough */
	unsigned int distance;
};

/*
 * Set up struct nearest near = { .typed = TEXT }, then nearest_offer() each word, which must stay
 * valid. At most a third of the letters may differ. Of equally near words, the first one wins.
 */
void nearest_offer(struct nearest *near, const char *word);

#endif
