// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl: its subcommands, and what it answers to other words. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "util/command.h"
#include "util/text.h"
#include "util/version.h"
#include "util/xalloc.h"
#include "cmd.h"

/* Grouped by purpose, in the order in which people need them. */
static const struct {
	const char *purpose;
	const struct cmd *commands[16];
} groups[] = {
	{ "collect", { &cmd_record, &cmd_start, &cmd_stop, &cmd_status, &cmd_import } },
	{ "look", { &cmd_report, &cmd_top, &cmd_advise, &cmd_c2c, &cmd_lines, &cmd_dcache,
		    &cmd_annotate, &cmd_stride, &cmd_buckets } },
	{ "compare, hand on", { &cmd_diff, &cmd_fleet, &cmd_try, &cmd_export } },
	{ "the machine", { &cmd_doctor, &cmd_bus, &cmd_prefetch } },
};

/* Names of the release before, and what they do now. The next release has them no more. */
static const struct {
	const char *old;
	const char *now[3];
	const char *and;	/* what the user gives, too */
} moved[] = {
	{ "sites", { "dcache", "--by", "site" }, "" },
	{ "data", { "dcache", "--by", "data" }, "" },
	{ "threads", { "dcache", "--by", "thread" }, "" },
	{ "merge", { "fleet" }, " -o FILE" },
	{ "reset", { "status", "--reset" }, "" },
	{ "selftest", { "doctor", "--selftest" }, "" },
	{ "calibrate", { "doctor", "--calibrate", "levels" }, "" },
};

#define MOVED	(sizeof(moved) / sizeof(moved[0]))

/* The words behind the program, with a name of today. */
static char **words_now(int *argc, char **argv)
{
	size_t i, at, nr = 1;
	static char **words;	/* until the program ends, as argv */

	for (i = 0; *argc > 1 && i < MOVED && strcmp(moved[i].old, argv[1]); i++)
		continue;
	if (*argc < 2 || i == MOVED)
		return argv;
	words = xcalloc((size_t)*argc + 3, sizeof(*words));
	words[0] = argv[0];
	fprintf(stderr, "memlat-ctl %s is now memlat-ctl", argv[1]);
	for (at = 0; at < 3 && moved[i].now[at]; at++) {
		words[nr++] = (char *)moved[i].now[at];
		fprintf(stderr, " %s", moved[i].now[at]);
	}
	fprintf(stderr, "%s\n", moved[i].and);
	for (at = 2; at < (size_t)*argc; at++) {
		const bool all = !strcmp(argv[at], "all") && !strcmp(argv[at - 1], "--by");

		/* All tables of data, which dcache calls data. */
		if (strcmp(argv[at], "--by=all"))
			words[nr++] = all && moved[i].now[2] ? (char *)moved[i].now[2] : argv[at];
	}
	*argc = (int)nr;
	return words;
}

#define for_each_command(group, at)						\
	for ((group) = 0; (group) < sizeof(groups) / sizeof(groups[0]); (group)++)	\
		for ((at) = 0; groups[group].commands[at]; (at)++)

static const struct cmd *command_find(const char *name)
{
	size_t group, at;

	for_each_command(group, at)
		if (!strcmp(groups[group].commands[at]->name, name))
			return groups[group].commands[at];
	return NULL;
}

static void overview_print(FILE *out)
{
	size_t group, at;

	fputs("memlat-ctl: which loads wait for memory, and which cache lines do CPUs fight over\n\n"
	      "usage: memlat-ctl COMMAND [OPTIONS]\n", out);
	for_each_command(group, at) {
		const struct cmd *cmd = groups[group].commands[at];

		if (!at)
			fprintf(out, "\n%s:\n", groups[group].purpose);
		fprintf(out, "  %-9s  %s\n", cmd->name, cmd->summary);
	}
	fputs("\n  help       [COMMAND [OPTION]]: this text, that of a command, or what its option takes\n\n"
	      "  every view takes -i FILE, --json and --csv; every command --help; also --version\n", out);
	command_say(out, "  one program: memlat-ctl record -- ./program      then: memlat-ctl report -i memlat.out\n"
			 "  the whole machine: memlat-ctl start --ldlat 30      then: memlat-ctl report\n");
}

/* For the commands that are printed. */
static bool takes(const char *name, const char *option)
{
	const struct cmd *cmd = command_find(name);

	/* It refuses a part of a run. */
	if (cmd == &cmd_advise && option && !strcmp(option, "time"))
		return false;
	return cmd ? !option || cmd_takes(cmd, option) : !option && !strcmp(name, "help");
}

static enum exit_status no_such_command(const char *name)
{
	struct nearest near = { .typed = name };
	const char *perf = perf_command(name);
	char escaped[120];
	const char *shown = text_typed(escaped, sizeof(escaped), name);
	size_t group, at;

	/* This is only of help; to run such a command, words_now() has given it its name of today. */
	for (at = 0; at < MOVED; at++)
		if (!strcmp(moved[at].old, name)) {
			out_complain("%s: it is one with another command now\n  memlat-ctl help %s",
				     name, moved[at].now[0]);
			return MISUSED;
		}
	for_each_command(group, at)
		nearest_offer(&near, groups[group].commands[at]->name);
	if (perf) {
		out_complain("%s: no such command: %s", shown, perf);
		return MISUSED;
	}
	if (near.word) {
		out_complain("%s: no such command; did you mean %s?", shown, near.word);
		return MISUSED;
	}
	out_complain("%s: no such command; give one of", shown);
	fputc(' ', stderr);
	for_each_command(group, at)
		fprintf(stderr, " %s", groups[group].commands[at]->name);
	fputs(" help\n", stderr);
	return MISUSED;
}

static enum exit_status help(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc > 3) {
		out_complain("help: give at most one command, and one of its options\n  memlat-ctl help");
		return MISUSED;
	}
	if (argc < 2) {
		overview_print(stdout);
		return DONE;
	}
	cmd = command_find(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	if (argc < 3) {
		cmd_print_help(stdout, cmd);
		return DONE;
	}
	if (cmd_print_value(stdout, cmd, argv[2]))
		return DONE;
	out_complain("help: %s has no option of this name that takes a value\n  memlat-ctl help %s",
		     cmd->name, cmd->name);
	return MISUSED;
}

static enum exit_status run(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc < 2) {
		overview_print(stderr);
		return MISUSED;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("memlat-ctl %s, ABI version %d\n", MEMLAT_VERSION,
		       MEMLAT_ABI_VERSION);
		return DONE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help"))
		return help(argc - 1, argv + 1);
	cmd = command_find(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	return cmd_run(cmd, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	out_init();
	argv = words_now(&argc, argv);
	command_typed(argc, argv, takes);
	/* Show characters as the user's terminal does; keep numbers plain. */
	setlocale(LC_CTYPE, "");
	return out_finish(run(argc, argv));
}
