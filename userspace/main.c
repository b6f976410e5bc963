// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl: the table of subcommands. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "util/text.h"
#include "util/version.h"

static const struct cmd *const commands[] = {
	&cmd_start, &cmd_stop, &cmd_record, &cmd_status, &cmd_reset, &cmd_buckets,
	&cmd_lines, &cmd_sites, &cmd_c2c, &cmd_dcache, &cmd_data, &cmd_doctor,
	&cmd_merge, &cmd_diff, &cmd_selftest, &cmd_calibrate, &cmd_bus,
	&cmd_prefetch, &cmd_stride,
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cmd *command_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void overview_print(FILE *out)
{
	unsigned int i;

	fputs("memlat-ctl: which loads wait for memory, and which cache lines do CPUs fight over\n\n"
	      "usage: memlat-ctl COMMAND [OPTIONS]\n\n", out);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-9s  %s\n", commands[i]->name,
			commands[i]->summary);
	fputs("  help       [COMMAND]: this text, or that of one command\n\n"
	      "  -i FILE, --json and --csv on every view; --help on each; --version\n"
	      "  begin with: memlat-ctl start --ldlat 30\n", out);
}

static enum exit_status no_such_command(const char *name)
{
	char shown[120];
	unsigned int i;

	text_escape(shown, sizeof(shown), name);
	out_complain("%s: no such command; give one of", *shown ? shown : "\"\"");
	fputc(' ', stderr);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(stderr, " %s", commands[i]->name);
	fputs(" help\n", stderr);
	return MISUSED;
}

static enum exit_status help(int argc, char **argv)
{
	const struct cmd *cmd;

	if (argc > 2) {
		out_complain("help: give at most one command\n  memlat-ctl help");
		return MISUSED;
	}
	if (argc < 2) {
		overview_print(stdout);
		return DONE;
	}
	cmd = command_find(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	fputs(cmd->help, stdout);
	return DONE;
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
	return cmd->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	out_init();
	/* Characters as the user's terminal shows them; numbers stay plain. */
	setlocale(LC_CTYPE, "");
	return out_finish(run(argc, argv));
}
