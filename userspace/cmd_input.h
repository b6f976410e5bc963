/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profile of a view: -i FILE, or the running kernel. And the options that every view has: -i
 * FILE, --json, --csv, -n N, --self, --debug-path FOLDERS.
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

struct view_options {
	const char *file;		/* NULL: live */
	const char *debug;
	enum report_format format;
	__u64 show;			/* rows; 0: all */
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
	/* The numbers of the words of --by and --sort, if the view has these. */
	unsigned int by, sort;
	bool sorted;			/* --sort was given */
	void (*grouped)(struct view_options *options);	/* sets what depends on --by; NULL: nothing */
};

#define VIEW_SHOWN	20
#define VIEW_OPTIONS_DEFAULT	{ .show = VIEW_SHOWN }
/* The options of a view of one table: LINES, ACCESSES, ...; and other members, if it needs any. */
#define VIEW_OPTIONS_OF(name, ...) \
	{ .show = VIEW_SHOWN, .selectable = SELECT_OF_ ## name, .table = TABLE_ ## name, \
	  .has_chains = TABLE_ ## name <= TABLE_ACCESSES, __VA_ARGS__ }

#define VIEW_INPUT	TAKES(INPUT), TAKES(TIME)
#define VIEW_FORM	TAKES(DEBUG_PATH), CMD_FORMS
/* Which rows. A command that samples has some of these for its session instead. */
#define VIEW_CODE \
	TAKES(SELECT), TAKES(SELECT_FUNCTION), TAKES(SELECT_MODULE), TAKES(SELECT_PROGRAM)
#define VIEW_TASKS	TAKES(SELECT_PID), TAKES(SELECT_TID), TAKES(SELECT_CGROUP)
#define VIEW_DATA	TAKES(SELECT_DATA), TAKES(SELECT_NODE)
#define VIEW_ROWS	VIEW_CODE, VIEW_TASKS, VIEW_DATA
#define VIEW_REST	VIEW_INPUT, TAKES(ROWS_N), TAKES(SELF), VIEW_FORM

/*
 * Read all options of a view. What the view's own list has not goes to *options if every view has it,
 * the others to take(). As cmd_options().
 */
bool view_options_read(struct cmd_args *args, struct view_options *options,
		       const struct cmd_sets *sets, bool (*take)(void *context, int option),
		       void *context);

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

/* pager_begin() for the view's text, if it is text. */
void view_pager_begin(const struct view_options *options);

/* Commands that either sample and show the result in one call, or show a profile. */

struct sampled_options {
	const struct cmd *cmd;
	struct view_options view;
	struct record_options record;
	bool sampled;		/* an option about what to sample, or how, was typed */
};

/*
 * Read all options: those of the view's own list, of every view, of the recording, and the command if
 * words follow them. As view_options_read().
 */
bool sampled_read(struct cmd_args *args, struct sampled_options *options,
		  const struct cmd_sets *sets);
/* Do the options go together? False: leave with args->status, the reason was printed. */
bool sampled_check(struct sampled_options *options, struct cmd_args *args);

/* Sample, if asked to, and show. The status is the command's, or the view's if showing fails. */
enum exit_status sampled_run(struct sampled_options *options, __u32 tables, view_shown *show,
			     const void *context);

#endif
