// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/device.h"
#include "profile/history.h"
#include "util/clock.h"
#include "util/command.h"
#include "util/json.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/status.h"

/* A module without kinds of cores is asked for the buckets, with which the status comes. */
static bool status_open(struct profile *profile, const struct view_options *options)
{
	if (!view_open_unnamed(profile, options, 1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_BUCKETS))
		return false;
	/* Ask for the keeper's state, and for no names. */
	if (profile->live)
		history_free(keeper_ask(keeper_folder(), profile->snap.head.status.started_ns, NULL, 0,
					false, &profile->keeper));
	return true;
}

/* CLOCK_MONOTONIC now; for a file, the time when the session was last read. */
static __u64 now_of(const struct profile *profile)
{
	const struct memlat_status *status = &profile->snap.head.status;

	return profile->live ? clock_now() : status->started_ns + status->duration_ns;
}

static void print(FILE *out, const struct profile *profile)
{
	if (!profile->live)
		status_print_recorded(out, profile);
	status_print(out, &profile->machine.query, &profile->snap, now_of(profile));
	status_print_names(out, profile);
}

static void print_status(const struct profile *profile, enum report_format format)
{
	struct json_object *document;
	char *text;

	if (format == REPORT_CSV) {
		counters_csv(stdout, &profile->snap.head.status);
	} else if (format == REPORT_JSON) {
		document = status_json(&profile->machine.query, &profile->snap);
		status_put_recorded(document, profile);
		json_print(stdout, document);
	} else {
		text = XPRINTED(out, print(out, profile));
		text_fit(stdout, text, out_width());
		free(text);
	}
}

static enum exit_status reset(int fd, const struct memlat_query *query, void *context)
{
	struct memlat_status session;
	int ret = memlat_device_reset(fd);

	if (ret)
		cmd_complain_device("reset", -ret);
	else if (memlat_device_status(fd, &session))
		puts("all tables are empty");
	else if (session.state == MEMLAT_STATE_RUNNING)
		puts("all tables are empty; the session goes on and counts from zero");
	else
		command_say(stdout, "all tables are empty; no session runs: memlat-ctl start --ldlat 30\n");
	return ret ? FAILED : DONE;
}

static enum exit_status status_run(struct cmd_args *args)
{
	struct view_options options = VIEW_OPTIONS_DEFAULT;
	struct profile profile;
	bool resets = false;
	const struct cmd_sets sets[] = { SETS(RESET, on, resets), { 0 } };

	if (!view_options_read(args, &options, sets, NULL, NULL) ||
	    !cmd_fits(args, resets && (options.file || options.time || options.format) ?
		      "--reset: it empties the tables of the session and shows none; leave out the others" : NULL))
		return args->status;
	if (resets)
		return cmd_with_session(reset, NULL);
	if (!status_open(&profile, &options))
		return FAILED;
	print_status(&profile, options.format);
	profile_free(&profile);
	return DONE;
}

const struct cmd cmd_status = {
	.name = "status",
	.summary = "state, configuration and every counter with its meaning",
	.usage =
"usage: memlat-ctl status [-i FILE [--time FROM,TO]] [--json | --csv]\n"
"       memlat-ctl status --reset\n"
"\n"
"Print state, configuration, quality and every counter with its meaning, and\n"
"for each kind of core its CPUs, its samples, and what is special about it.\n",
	.takes = (const struct cmd_takes[]){
		VIEW_INPUT, TAKES(RESET), CMD_FORMS,
		TAKES(UNPRINTED), VIEW_ROWS, { 0 }
	},
	.run = status_run,
};
