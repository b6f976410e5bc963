// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/device.h"
#include "host/privilege.h"
#include "profile/file.h"
#include "profile/intervals.h"
#include "profile/self.h"
#include "profile/snapshot.h"
#include "record/recording.h"
#include "util/clock.h"
#include "util/command.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/filter.h"
#include "views/quality.h"
#include "views/report.h"
#include "views/stacks.h"

/* Why the rows of a view cannot be selected by this key; "": the view is of the whole session. */
static const char *untold(const struct view_options *options, enum selection_key key)
{
	if (!options->selectable)
		return "this view shows sums of the whole session; c2c, lines and dcache can select";
	switch (options->table) {
	case TABLE_THREADS:
		return "rows of threads have no code and no data; use c2c, lines or dcache --by data";
	case TABLE_STRIDES:
		return "rows of strides have only code; use dcache";
	default:
		return key == SELECT_TID ?
		       "a row of instructions sums up all threads; use c2c, lines or dcache --by data" :
		       "rows of instructions have no data; use c2c, lines or dcache --by data";
	}
}

static bool take_selection(struct view_options *options, enum selection_key key)
{
	const bool node = key == SELECT_NODE;
	char option[32];
	uint64_t value;

	snprintf(option, sizeof(option), "--%s", selection_name(key));
	options->selection.text[key] = "";
	if (key == SELECT_PROGRAM)
		return true;
	options->selection.text[key] = optarg;
	/* A view that cannot select says so in the end, when it is known what it shows. */
	if (!(options->selectable >> key & 1) && !options->grouped)
		return true;
	if (!*optarg) {
		out_complain("%s \"\": not a name; give one, which may contain * and ?", option);
		return false;
	}
	if (key != SELECT_PID && key != SELECT_TID && !node)
		return true;
	if (!cmd_take_number(option, optarg, !node, node ? 63 : INT_MAX,
			     node ? "the number of a node, 0 to 63" :
				    "the number of a process or thread", &value))
		return false;
	options->selection.number[key] = (__u32)value;
	return true;
}

/* Does the view have what was asked of it? */
static bool can_show(const struct cmd *cmd, const struct view_options *options)
{
	enum selection_key key;

	for (key = 0; key < SELECT_KEYS; key++) {
		if (!options->selection.text[key] || options->selectable >> key & 1)
			continue;
		out_complain("%s: this view cannot select by --%s: %s\n  memlat-ctl %s --help",
			     cmd->name, selection_name(key), untold(options, key), cmd->name);
		return false;
	}
	if (!options->call_graph || options->has_chains)
		return true;
	out_complain("%s: -g: these rows have no call chains; use c2c, lines or dcache --by data\n  memlat-ctl %s --help",
		     cmd->name, cmd->name);
	return false;
}

/* Parse "12,30", "12," or ",30", in seconds with up to nine decimals. */
static bool take_time(struct view_options *options)
{
	const char *comma = strchr(optarg, ',');
	char from[32];

	if (!comma || !(comma != optarg || comma[1]) || (size_t)(comma - optarg) >= sizeof(from))
		return cmd_refuse("--time", optarg,
				  "not a time; give two, in seconds since the session began: 12,30");
	memcpy(from, optarg, (size_t)(comma - optarg));
	from[comma - optarg] = '\0';
	options->time = optarg;
	options->from_ns = 0;
	options->to_ns = ~0ULL;
	if (*from && !cmd_take_moment("--time", from, &options->from_ns))
		return false;
	if (comma[1] && !cmd_take_moment("--time", comma + 1, &options->to_ns))
		return false;
	return options->from_ns < options->to_ns ||
	       cmd_refuse("--time", optarg,
			  "it ends before it begins; give the earlier time first");
}

/* What is not set alone. *known: it is one of these options. */
static bool view_option(struct view_options *options, int option, bool *known)
{
	*known = true;
	if (option >= OPT_SELECT && option < OPT_SELECT + SELECT_KEYS)
		return take_selection(options, (enum selection_key)(option - OPT_SELECT));
	if (option == OPT_TIME)
		return take_time(options);
	*known = option == OPT_CALL_GRAPH && options->has_chains;
	options->call_graph |= *known;
	return true;
}

bool view_options_read(struct cmd_args *args, struct view_options *options,
		       const struct cmd_sets *sets, bool (*take)(void *context, int option),
		       void *context)
{
	const struct cmd_sets all[] = {
		SETS(INPUT, text, options->file), SETS(DEBUG_PATH, text, options->debug),
		SETS_FORMS(options->format), SETS(SELF, on, options->self),
		SETS(BY, word, options->by), SETS(SORT, on, options->sorted), SETS(SORT, word, options->sort),
		SETS_WITHIN(ROWS_N, number, options->show, 0, INT_MAX, "how many rows to show, 0 for all"),
		{ 0 }
	};
	bool known;
	int option;

	while ((option = cmd_next(args)) != OPT_END) {
		if (option == OPT_STOP)
			return false;
		args->status = MISUSED;
		if (!cmd_set(args->cmd, sets, option, &known) ||
		    (!known && !cmd_set(args->cmd, all, option, &known)) ||
		    (!known && !view_option(options, option, &known)) ||
		    (!known && !(take && take(context, option))))
			return false;
	}
	if (options->grouped)
		options->grouped(options);
	args->status = MISUSED;
	if (!can_show(args->cmd, options))
		return false;
	if (options->file)
		command_reads("input", options->file);
	if (options->time)
		command_reads("time", options->time);
	if (options->debug)
		command_reads("debug-path", options->debug);
	if (options->selection.text[SELECT_PROGRAM])
		command_reads("program", NULL);
	return true;
}

static double seconds(__u64 ns)
{
	return (double)ns / 1e9;
}

/* Leave only the intervals that overlap the time asked for, and the tables that they add up to. */
static bool take_part(struct profile *profile, const struct view_options *options)
{
	__u64 from = options->from_ns, to = options->to_ns;
	struct snapshot sum;
	size_t nr;

	if (!profile->intervals) {
		out_complain("--time: this profile does not say when anything happened\n"
			     "  memlat-ctl record --interval 1 -- COMMAND      records that, second by second");
		return false;
	}
	nr = intervals_between(profile->intervals, &from, &to, &sum);
	if (!nr) {
		const struct interval *last = profile->intervals->nr ?
			&profile->intervals->at[profile->intervals->nr - 1] : NULL;

		out_complain("--time %s: nothing was recorded then; give a time from 0 to %.1f",
			     options->time, last ? seconds(last->to_ns) : 0);
		return false;
	}
	/* How the session ended is known only for the whole. */
	sum.head.status.state = profile->snap.head.status.state;
	sum.head.status.ended = profile->snap.head.status.ended;
	snapshot_free(&profile->snap);
	profile->snap = sum;
	intervals_keep(profile->intervals, options->from_ns, options->to_ns);
	fprintf(stderr, "(%.1f to %.1f s: %zu interval%s)\n", seconds(from), seconds(to), nr,
		nr == 1 ? "" : "s");
	return true;
}

static bool open_file(struct profile *profile, const struct view_options *options, __u32 tables)
{
	const char *path = options->file;
	char why[PROFILE_ERROR_MAX];
	const char *broken;

	privilege_drop(options->writes ? NEED_TO_WRITE : NEED_FILES);
	if (profile_read(profile, path, tables, options->time, why))
		return cmd_refuse("cannot read the profile", path, "%s", why);
	filter_of_the_past();
	broken = account_snapshot_broken(&profile->snap);
	if (broken)
		out_complain("warning: the figures of this profile contradict each other: %s\n"
			     "  this is a defect of the memlat that wrote it; please report it",
			     broken);
	if (!options->time || take_part(profile, options))
		return true;
	profile_free(profile);
	return false;
}

/*
 * The profile that the last session of perf's engine has left, if none runs and the module has had no
 * later one. NULL: there is none.
 */
static const char *profile_left(void)
{
	static char left[KEEPER_PATH_MAX];
	struct memlat_status module = { 0 };
	struct stat st;
	int fd = keeper_session(left);

	if (fd != -ENOENT || !*left || stat(left, &st)) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	fd = memlat_device_open();
	if (fd >= 0) {
		memlat_device_status(fd, &module);
		close(fd);
	}
	/* How long ago both were. */
	return module.started_ns && (time(NULL) - st.st_mtime) * (__s64)CLOCK_SECOND >
	       (__s64)(clock_now() - module.started_ns) ? NULL : left;
}

static bool open_live(struct profile *profile, __u32 tables, bool writes)
{
	struct memlat_query query;
	int fd = cmd_open_session(&query);
	bool read;

	profile_init(profile);
	if (fd < 0)
		return false;
	profile->live = true;
	profile->recorded_at = (__u64)time(NULL);
	read = cmd_snapshot_of(&profile->snap, fd, &query,
			       tables ? tables | 1U << MEMLAT_REC_THREAD : 0);
	if (read) {
		machine_read(&profile->machine, &query);
		profile_find_processes(profile);
	}
	close(fd);
	privilege_drop(writes ? NEED_TO_WRITE : NEED_PROCESSES);
	if (!read)
		profile_free(profile);
	return read;
}

/* Programs get all rows, since each row has the name of its process. */
static bool leaves_out(const struct view_options *options)
{
	return !options->file && !options->self && options->format == REPORT_TEXT;
}

bool view_open(struct profile *profile, const struct view_options *options, __u32 tables)
{
	struct view_options of_left = *options;

	if (!options->file)
		of_left.file = profile_left();
	if (of_left.file)
		return open_file(profile, &of_left, tables);
	if (options->time) {
		out_complain("--time needs a profile; give one with -i");
		return false;
	}
	if (!open_live(profile, tables, options->writes))
		return false;
	if (leaves_out(options))
		self_leave_out(&profile->snap, &profile->own);
	return true;
}

bool view_open_unnamed(struct profile *profile, const struct view_options *options, __u32 tables)
{
	struct memlat_query *query = &profile->machine.query;
	bool read;
	int fd;

	/* A live session has no part of the time, as view_open() then says. */
	if (options->file || options->time || profile_left())
		return view_open(profile, options, tables);
	profile_init(profile);
	profile->live = true;
	fd = cmd_open_session(query);
	if (fd < 0)
		return false;
	read = cmd_snapshot_of(&profile->snap, fd, query, tables);
	close(fd);
	return read;
}

static void print_own(const struct profile *profile)
{
	char *own = selected_own(profile);

	if (own)
		text_remark(stdout, out_width(), "(left out: %s)", own);
	free(own);
}

/* Remove the rows that were not selected, and let the view say so, as long as *left stays. */
static void select_rows(struct profile *profile, struct namer *namer,
			const struct view_options *options, struct selection_left *left)
{
	struct selection_left others;
	unsigned int also = options->also, table;

	if (!selection_any(&options->selection))
		return;
	/* Only the chains of accesses that pass the selection by themselves are shown. */
	if (options->call_graph && options->table == TABLE_SITES)
		also |= 1U << TABLE_ACCESSES;
	selection_apply(&options->selection, profile, namer, options->table, left);
	selected_set(&options->selection, left, options->table);
	/* Lines before accesses, as the order of the tables is: accesses decide about lines. */
	for (table = 0; table < TABLE_NR; table++)
		if (also >> table & 1)
			selection_apply(&options->selection, profile, namer,
					(enum snapshot_table)table, &others);
}

/* Print, below the text of a view, its call chains and what it leaves out. */
static void print_below(const struct profile *profile, const struct view_options *options)
{
	if (options->format != REPORT_TEXT)
		return;
	chains_print_all(stdout);
	selected_print(stdout, snapshot_cost(&profile->snap));
	print_own(profile);
}

/* If no row matches, figures of the whole session would look like an answer. */
static bool none_matches(const struct profile *profile, const struct view_options *options,
			 const struct selection_left *left)
{
	if (options->needs_rows || options->format != REPORT_TEXT || !selection_any(&options->selection) ||
	    left->kept.rows || !(left->left_out.rows || left->untold.rows))
		return false;
	quality_print(stdout, &profile->snap.head.status);
	selected_print_none(stdout);
	return true;
}

void view_pager_begin(const struct view_options *options)
{
	pager_begin(options->format == REPORT_TEXT);
}

struct rows_view view_rows(const struct profile *profile, struct namer *namer,
			   const struct view_options *options)
{
	return (struct rows_view){
		.profile = profile, .namer = namer, .word = options->by, .show = options->show,
		.width = out_width(),
	};
}

enum exit_status view_run(const struct view_options *options, __u32 tables, view_shown *show,
			  const void *context)
{
	struct selection_left left;
	enum exit_status status;
	struct profile profile;
	struct namer *namer;

	/* Only accesses may have what lines are selected by. */
	if (selection_any(&options->selection) && options->table == TABLE_LINES)
		tables |= 1U << MEMLAT_REC_ACCESS;
	if (options->call_graph)
		tables |= 1U << MEMLAT_REC_ACCESS | 1U << MEMLAT_REC_STACK;
	if (!view_open(&profile, options, tables))
		return FAILED;
	namer = namer_new(&profile, options->debug);
	select_rows(&profile, namer, options, &left);
	if (options->call_graph)
		chains_set(&profile, namer, options->table == TABLE_LINES, options->show);
	view_pager_begin(options);
	status = none_matches(&profile, options, &left) ? DONE :
		 show(&profile, namer, options, context);
	if (status == DONE)
		print_below(&profile, options);
	chains_set(NULL, NULL, false, 0);
	selected_set(NULL, NULL, 0);
	pager_end();
	namer_free(namer);
	profile_free(&profile);
	return status;
}

/* Who reads the file sees the complete old one until the new one is complete. */
static bool write_file(const char *path, bool shared, const char *bytes, size_t size)
{
	char why[FILE_NEW_WHY_MAX];

	return !file_new_bytes(path, bytes, size, shared, why) ||
	       cmd_refuse("cannot write", path, "%s", why);
}

enum exit_status view_write(const struct view_options *options, __u32 tables, const char *path,
			    bool shared, view_put *put, const void *context)
{
	struct view_options view = *options;
	struct selection_left left;
	struct profile profile;
	struct namer *namer;
	char *bytes = NULL;
	size_t size = 0;
	FILE *out;
	bool good;

	view.writes = path;
	if (!view_open(&profile, &view, tables))
		return FAILED;
	namer = namer_new(&profile, view.debug);
	select_rows(&profile, namer, &view, &left);
	out = path ? xmemstream(&bytes, &size) : stdout;
	put(out, &profile, namer, context);
	if (path)
		xmemstream_end(out);
	good = !path || write_file(path, shared, bytes, size);
	selected_set(NULL, NULL, 0);
	free(bytes);
	namer_free(namer);
	profile_free(&profile);
	return good ? DONE : FAILED;
}

static bool take_recording(void *context, int option)
{
	struct sampled_options *options = context;
	const struct cmd_sets sets[] = { RECORD_SETS(&options->record), { 0 } };
	bool known;

	options->sampled = true;
	return cmd_set(options->cmd, sets, option, &known) &&
	       (known || start_options_take(&options->record.start, option));
}

bool sampled_read(struct cmd_args *args, struct sampled_options *options,
		  const struct cmd_sets *sets)
{
	options->cmd = args->cmd;
	if (!view_options_read(args, &options->view, sets, take_recording, options))
		return false;
	options->record.command = cmd_command(args);
	options->record.start.at_once = options->record.command;
	options->sampled |= options->record.command != NULL;
	return true;
}

bool sampled_check(struct sampled_options *options, struct cmd_args *args)
{
	const char *wrong = options->view.file ?
		"-i and what is to be sampled: a profile was sampled already; give one of them" :
		recording_clash(&options->record);

	args->status = MISUSED;
	return cmd_fits(args, wrong) && start_options_check(&options->record.start, args);
}

enum exit_status sampled_run(struct sampled_options *options, __u32 tables, view_shown *show,
			     const void *context)
{
	enum exit_status status, shown;
	char path[32];
	int file = -1;

	if (!options->sampled)
		return view_run(&options->view, tables, show, context);
	status = recording_aside(&options->record, &file);
	if (file < 0)
		return status;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	options->view.file = path;
	shown = view_run(&options->view, tables, show, context);
	close(file);
	return shown == DONE ? status : shown;
}
