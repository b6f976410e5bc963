// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/refusal.h"
#include "selftest/judge.h"
#include "views/views.h"

struct options {
	enum report_format format;
	__u32 flags;
};

/* Only on a terminal, where the line is erased before the report. */
static void progress(const char *name)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s%s", name, *name ? " ..." : "");
}

static bool take(void *context, int option)
{
	struct options *options = context;

	if (option != OPT_NO_GUESTS)
		return report_format_take(&options->format,
					  option == OPT_CSV ? REPORT_CSV : REPORT_JSON);
	options->flags |= MEMLAT_F_NO_GUESTS;
	return true;
}

static const struct option known[] = {
	{ "no-guests", no_argument, NULL, OPT_NO_GUESTS },
	CMD_FORM_OPTIONS, { 0 }
};

static enum exit_status report(const struct selftest *test, enum report_format format)
{
	struct selftest_check checks[SELFTEST_CHECKS];
	size_t nr = selftest_judge(test, checks);

	selftest_print(stdout, format, test, checks, nr);
	return selftest_plausible(checks, nr) ? DONE : FAILED;
}

static enum exit_status run(int fd, const struct memlat_query *query, void *context)
{
	const struct options *options = context;
	const struct sample *refused;
	enum exit_status status = FAILED;
	struct selftest test;
	int ret = selftest_run(&test, fd, query, options->flags, progress, &refused);

	progress("");
	if (ret)
		out_complain("selftest: cannot find out what this machine is: %s", strerror(-ret));
	else if (refused)
		refusal_explain(fd, refused->refused, &refused->config, query);
	else
		status = report(&test, options->format);
	selftest_free(&test);
	return status;
}

static enum exit_status selftest_cmd_run(struct cmd_args *args)
{
	struct options options = { .format = REPORT_TEXT };

	return cmd_options(args, take, &options) ? cmd_with_device(run, &options) : args->status;
}

const struct cmd cmd_selftest = {
	.name = "selftest",
	.summary = "is what memlat measures on this machine plausible? half a minute",
	.help =
"usage: memlat-ctl selftest [--json | --csv]\n"
"\n"
"Check whether the figures that memlat measures on this machine can be true. selftest\n"
"runs programs with a known answer, each under a session of its own: pointer chases in\n"
"each cache and in memory (where loads are served from, and how long they take, also by\n"
"the clock), and two cores that write to one line (HITM) and to lines of their own\n"
"(none). It also checks every equation of the accounts, and the PMU afterwards. Run it\n"
"first on a new machine, while the machine is idle. The report has no names of hosts or\n"
"processes and no addresses, so you can send it to others.\n"
"\n"
"  --json, --csv      for programs; JSON has the figures of every session\n"
"  --no-guests        you state that no hypervisor but KVM runs a guest\n"
"  -h, --help         this text\n"
"\n"
"The exit status is 0 if all is plausible, and 1 if anything is not, or nothing could be\n"
"measured. Checks that this machine cannot do are skipped, with the reason. The tables\n"
"of the last session are lost.\n",
	.options = known,
	.run = selftest_cmd_run,
};
