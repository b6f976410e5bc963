/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile of a view: -i FILE, or the running kernel. And the options that every view has: -i
 * FILE, --json, --csv, -n N, --no-pager, --self, --debug-path FOLDERS.
 */
#ifndef MEMLAT_CMD_INPUT_H
#define MEMLAT_CMD_INPUT_H

#include "analysis/selection.h"
#include "cmd.h"
#include "names/namer.h"
#include "profile/profile.h"
#include "record/recording.h"
#include "views/report.h"
#include "views/row.h"

/* The words that an option such as --by takes. */
struct view_words {
	const char *what;	/* is wrong with any other word: "no such table" */
	const char *(*name)(unsigned int word);
	unsigned int nr;
};

struct view_options {
	const char *file;		/* NULL: live */
	const char *debug;
	enum report_format format;
	size_t show;			/* rows; 0: all */
	bool no_pager;
	bool self;			/* show rows of memlat-ctl itself */
	bool writes;			/* the command writes a file after it has read everything */
	const char *time;		/* as typed; NULL: the whole session */
	__u64 from_ns, to_ns;		/* range in sampled time */
	/* The keys by which rows can be selected, and the table whose rows say what was left out. */
	unsigned int selectable;
	enum snapshot_table table;
	bool needs_rows;		/* the view itself complains if no row matches */
	unsigned int also;		/* more tables to select in: bits by enum snapshot_table */
	struct selection selection;
	/* does the view have call chains, and were they asked for */
	bool has_chains, call_graph;
	/* The words of --by or --sort, if the view has that, and the number of the one to use. */
	const struct view_words *words;
	unsigned int word;
};

#define VIEW_SHOWN	20
#define VIEW_OPTIONS_DEFAULT	{ .show = VIEW_SHOWN }
/* The options of a view of one table: LINES, ACCESSES, ...; and other members, if it needs any. */
#define VIEW_OPTIONS_OF(name, ...) \
	{ .show = VIEW_SHOWN, .selectable = SELECT_OF_ ## name, .table = TABLE_ ## name, \
	  .has_chains = TABLE_ ## name <= TABLE_ACCESSES, __VA_ARGS__ }

#define VIEW_LETTERS	"n:"
#define VIEW_INPUT_OPTIONS \
	{ "input", required_argument, NULL, OPT_LETTER + 'i' }, \
	{ "time", required_argument, NULL, OPT_TIME }
#define VIEW_FORM_OPTIONS \
	{ "no-pager", no_argument, NULL, OPT_NO_PAGER }, \
	{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH }, CMD_FORM_OPTIONS
#define VIEW_OPTIONS \
	VIEW_INPUT_OPTIONS, { "self", no_argument, NULL, OPT_SELF }, VIEW_FORM_OPTIONS, \
	VIEW_SELECT_CODE

/*
 * Options that select rows. Those for tasks are missing where a command that samples has the same
 * options for its session.
 */
#define VIEW_SELECT_CODE \
	{ "comm", required_argument, NULL, OPT_SELECT + SELECT_COMM }, \
	{ "function", required_argument, NULL, OPT_SELECT + SELECT_FUNCTION }, \
	{ "module", required_argument, NULL, OPT_SELECT + SELECT_MODULE }, \
	{ "data", required_argument, NULL, OPT_SELECT + SELECT_DATA }, \
	{ "node", required_argument, NULL, OPT_SELECT + SELECT_NODE }, \
	{ "program", no_argument, NULL, OPT_SELECT + SELECT_PROGRAM }
#define VIEW_CHAINS	{ "call-graph", no_argument, NULL, OPT_LETTER + 'g' }
#define VIEW_HELP_CHAINS \
"  -g, --call-graph   the call chains of what is shown, where they were recorded\n"
#define VIEW_SELECT_TASKS \
	{ "pid", required_argument, NULL, OPT_SELECT + SELECT_PID }, \
	{ "tid", required_argument, NULL, OPT_SELECT + SELECT_TID }, \
	{ "cgroup", required_argument, NULL, OPT_SELECT + SELECT_CGROUP }

/* The lines of a help text about these options. */
#define VIEW_HELP_INPUT \
"  -i, --input FILE   a profile that 'memlat-ctl record' wrote (default: what the\n" \
"                     module holds now); FILE alone will do\n" \
"  --time FROM,TO     only these seconds of a profile that 'record --interval' wrote;\n" \
"                     one of the two may be missing\n"
#define VIEW_HELP_FORM \
"  --json, --csv      for programs: the same figures\n" \
"  --no-pager         do not use a pager\n" \
"  --self             in a live view: show rows of memlat-ctl itself too\n" \
"  --debug-path DIRS  folders with separate debug files or programs, colon-separated\n" \
"  -h, --help         this text\n"
#define VIEW_HELP_PROGRAM \
"  --program          only rows of programs and their libraries, without the kernel's\n" \
"                     and the loader's (ld.so)\n"
#define VIEW_HELP_SELECT_CODE \
"  --comm NAME        only rows of processes of that name. All NAMEs may contain *\n" \
"                     and ?; rows have to match all of these options\n" \
"  --function NAME    only rows of this function\n" \
"  --module NAME      only rows of code of this program, library or kernel module\n" \
VIEW_HELP_PROGRAM
#define VIEW_HELP_SELECT_TASKS \
"  --pid PID          only rows of this process\n" \
"  --cgroup PATH      only rows of processes in this cgroup or below it\n"
#define VIEW_HELP_SELECT_NODE \
"  --node N           only rows sampled on this node and on no other\n"
/* For rows that are, or are made of, accesses of threads to data. */
#define VIEW_HELP_SELECT_ALL \
VIEW_HELP_SELECT_CODE VIEW_HELP_SELECT_TASKS \
"  --tid TID          only rows of this thread\n" \
"  --data NAME        only rows of this variable, object or member: 'stats.*'\n" \
VIEW_HELP_SELECT_NODE
#define VIEW_HELP_SELECT_SITES \
VIEW_HELP_SELECT_CODE VIEW_HELP_SELECT_TASKS VIEW_HELP_SELECT_NODE

#define VIEW_HELP \
VIEW_HELP_INPUT \
"  -n N               show N rows (20); 0: all\n" \
VIEW_HELP_FORM

/*
 * Read all options of a view. Those of every view go to *options, the others to take(), which
 * returns false after printing what is wrong with optarg; NULL: there are no others. As
 * cmd_options().
 */
bool view_options_read(struct cmd_args *args, struct view_options *options,
		       bool (*take)(void *context, int option), void *context);

/*
 * Open the profile; tables as in struct snapshot, and that of threads always. False after printing
 * what is in the way; otherwise profile_free() is needed.
 */
bool view_open(struct profile *profile, const struct view_options *options, __u32 tables);
/*
 * The same for a view that names nothing and has no rows of processes, so that it needs neither
 * processes nor threads. Privileges are kept if it is live.
 */
bool view_open_unnamed(struct profile *profile, const struct view_options *options, __u32 tables);

/*
 * Parse --time: "12,30", "12," or ",30", in seconds with up to three decimals. False after printing
 * what is wrong with it.
 */
bool view_take_time(struct view_options *options);

/*
 * Shows an open profile in the form that the options ask for. Not DONE: it has printed why there is
 * nothing to show.
 */
typedef enum exit_status view_shown(struct profile *profile, struct namer *namer,
				    const struct view_options *options, const void *context);

struct rows_view view_rows(const struct profile *profile, struct namer *namer,
			   const struct view_options *options);

/* Do everything after reading the options: open, select, show with the pager, close. */
enum exit_status view_run(const struct view_options *options, __u32 tables, view_shown *show,
			  const void *context);

/* Puts what a program reads of an open profile. */
typedef void view_put(FILE *out, const struct profile *profile, struct namer *namer,
		      const void *context);

/*
 * Open, and put everything into a file, completely or not at all; path NULL: to standard output.
 * shared: as file_new_bytes().
 */
enum exit_status view_write(const struct view_options *options, __u32 tables, const char *path,
			    bool shared, view_put *put, const void *context);

/* The table that --by names, as a bit, or all of them, which is its last word. */
unsigned int view_tables(const struct view_options *options);

/* pager_begin() for the view's text, if it is text. */
void view_pager_begin(const struct view_options *options);

/* Commands that either sample and show the result in one call, or show a profile. */

struct sampled_options {
	struct view_options view;
	struct record_options record;
	bool sampled;		/* an option about what to sample, or how, was typed */
};

/* Take an option of the recording. */
bool sampled_take(struct sampled_options *options, int option);
/* The command to run, if words follow the options. */
void sampled_command(struct sampled_options *options, const struct cmd_args *args);
/* Do the options go together? False: leave with args->status, the reason was printed. */
bool sampled_check(struct sampled_options *options, struct cmd_args *args);

/* Sample, if asked to, and show. The status is the command's, or the view's if showing fails. */
enum exit_status sampled_run(struct sampled_options *options, __u32 tables, view_shown *show,
			     const void *context);

#endif
