/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a view's profile comes from: -i FILE, or the running kernel. And the options
 * that every view has: -i FILE, --json, --csv, -n N, --no-pager, --self,
 * --debug-path FOLDERS.
 */
#ifndef MEMLAT_CMD_INPUT_H
#define MEMLAT_CMD_INPUT_H

#include "cmd.h"
#include "names/namer.h"
#include "profile/profile.h"
#include "views/report.h"

struct view_options {
	const char *file;		/* NULL: live */
	const char *debug;
	enum report_format format;
	size_t show;			/* rows; 0: all */
	bool no_pager;
	bool self;			/* rows of memlat-ctl itself too */
};

#define VIEW_SHOWN	20
#define VIEW_OPTIONS_DEFAULT	{ .show = VIEW_SHOWN }

#define VIEW_LETTERS	"hi:n:"
#define VIEW_OPTIONS \
	{ "input", required_argument, NULL, 'i' }, \
	{ "csv", no_argument, NULL, OPT_CSV }, \
	{ "no-pager", no_argument, NULL, OPT_NO_PAGER }, \
	{ "self", no_argument, NULL, OPT_SELF }, \
	{ "debug-path", required_argument, NULL, OPT_DEBUG_PATH }, \
	CMD_JSON_OPTION, CMD_HELP_OPTION

/* The lines of a help text that tell of them. */
#define VIEW_HELP_INPUT \
"  -i, --input FILE   a profile that 'memlat-ctl record' wrote; else what the\n" \
"                     module holds now\n"
#define VIEW_HELP_FORM \
"  --json, --csv      for programs: the same figures\n" \
"  --no-pager         never through a pager\n" \
"  --self             live: rows of memlat-ctl itself too\n" \
"  --debug-path DIRS  where separate debug files are, colon-separated\n" \
"  -h, --help         this text\n"
#define VIEW_HELP \
VIEW_HELP_INPUT \
"  -n N               show N rows (20); 0: all\n" \
VIEW_HELP_FORM

/*
 * Read all options of a view: those that every view has to *options, the others through
 * take(), which returns false after saying what is wrong with optarg; NULL: there are no
 * others. False: leave with args->status.
 */
bool view_options_read(struct cmd_args *args, struct view_options *options,
		       bool (*take)(void *context, int option), void *context);

/*
 * Open it: tables as in struct snapshot; those of the threads come always. False after saying what is in the way; else
 * view_close() ends it.
 */
bool view_open(struct profile *profile, const struct view_options *options, __u32 tables);
void view_close(struct profile *profile);

/* Below a view of a live session: what memlat-ctl's own rows had, which it leaves out. */
void view_print_own(const struct profile *profile, const struct view_options *options);

/* How a command shows what was opened, in the form that options ask for. */
typedef void view_shown(struct profile *profile, struct namer *namer,
		       const struct view_options *options, const void *context);

/* All that comes after the options: open, show, close. */
enum exit_status view_run(const struct view_options *options, __u32 tables, view_shown *show,
			  const void *context);

/*
 * --by: one of nr tables as its bit, or "all" of them. False after saying which there are.
 */
bool view_take_by(unsigned int *by, const char *text, const char *const *names,
		  unsigned int nr);

/*
 * Long text on a terminal goes through $PAGER (less -FRX). Between these two,
 * standard output is the pager's input, where one is used.
 */
void view_pager_begin(const struct view_options *options);
void view_pager_end(void);

#endif
