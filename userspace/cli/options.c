// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../profile/file.h"
#include "../util/cpulist.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "perf_words.h"

#define SHOWN_MAX	120
#define DAYS_MAX	366
#define LETTERS_MAX	160	/* each letter and digit once, and what getopt needs for them */

/* Complain about a letter in a cluster, or about a misspelled long option. */
static void no_such_option(const struct cmd_args *args, const char *word, const char *shown)
{
	const char *name = args->cmd->name, *perf;
	struct nearest near = { .typed = word + 2 };
	const struct option *option;

	perf = perf_option(word, cmd_takes(args->cmd, "all-user"));
	if (perf) {
		out_complain("%s: %s: no such option: %s\n  memlat-ctl %s --help", name, shown, perf,
			     name);
		return;
	}
	if (!strncmp(word, "--", 2))
		for (option = args->cmd->options; option->name; option++)
			nearest_offer(&near, option->name);
	if (near.word)
		out_complain("%s: %s: no such option; did you mean --%s?\n  memlat-ctl %s --help",
			     name, shown, near.word, name);
	else
		out_complain("%s: %s: no such option\n  memlat-ctl %s --help", name, shown, name);
}

static int refuse(struct cmd_args *args, int option)
{
	char shown[SHOWN_MAX], letter[3] = { '-', (char)optopt, '\0' };
	const char *word = args->argv[optind - 1];
	const char *name = args->cmd->name;

	/* Show the letter alone, because letters come in clusters and in other words. */
	if (optopt && optopt < OPT_JSON)
		word = letter;
	text_escape(shown, sizeof(shown), word);
	if (option == ':')
		out_complain("%s: %s needs a value\n  memlat-ctl %s --help",
			     name, shown, name);
	else if (optopt && word != letter)
		out_complain("%s: %s: this option takes no value\n  memlat-ctl %s --help",
			     name, shown, name);
	else
		no_such_option(args, word, shown);
	args->status = MISUSED;
	return OPT_STOP;
}

/* The letters in the form that getopt wants. */
static void letters_of(const struct cmd_args *args, char letters[LETTERS_MAX])
{
	const struct option *option;
	char *end = letters;

	/* Options end at the first other word, which is the command. */
	if (args->cmd->command)
		*end++ = '+';
	*end++ = ':';
	if (args->cmd->letters)
		end = stpcpy(end, args->cmd->letters);
	*end = '\0';
	for (option = args->cmd->options; option->name; option++) {
		if (option->val < OPT_LETTER || strchr(letters, option->val - OPT_LETTER))
			continue;
		*end++ = (char)(option->val - OPT_LETTER);
		if (option->has_arg == required_argument)
			*end++ = ':';
		*end = '\0';
	}
}

bool cmd_takes(const struct cmd *cmd, const char *name)
{
	const struct option *option;

	for (option = cmd->options; option->name; option++)
		if (!strcmp(option->name, name))
			return true;
	return false;
}

static bool is_profile(const char *path)
{
	char bytes[sizeof(PROFILE_MAGIC) - 1];
	FILE *file = fopen(path, "re");
	bool is;

	if (!file)
		return false;
	is = fread(bytes, sizeof(bytes), 1, file) == 1 &&
	     !memcmp(bytes, PROFILE_MAGIC, sizeof(bytes));
	fclose(file);
	return is;
}

/*
 * An argument without an option may be the profile. Where it may as well be a command or the name
 * of a function, look into the file.
 */
static bool names_profile(const struct cmd_args *args)
{
	const char *word = args->argv[optind];

	if (!cmd_takes(args->cmd, "input") || args->filed)
		return false;
	if (!args->cmd->command && !args->cmd->rest)
		return !access(word, F_OK);
	return strcmp(args->argv[optind - 1], "--") && is_profile(word);
}

static int take_profile(struct cmd_args *args)
{
	args->filed = true;
	optarg = args->argv[optind];
	/* getopt stands still at a command, and returns to the first of other arguments. */
	if (args->cmd->command)
		optind++;
	else
		args->alone = optind;
	return 'i';
}

/* An argument that is nothing that the command knows. */
static int refuse_argument(struct cmd_args *args)
{
	const char *name = args->cmd->name, *word = args->argv[optind], *perf;
	const bool reads = cmd_takes(args->cmd, "input") && !args->filed;
	char shown[SHOWN_MAX];

	perf = perf_argument(name, word);
	out_complain("%s: %s: %s\n  memlat-ctl %s --help", name,
		     text_escape(shown, sizeof(shown), word), perf ? perf :
		     reads ? "no such file; give a profile that record wrote" :
		     "no argument is expected here", name);
	args->status = MISUSED;
	return OPT_STOP;
}

int cmd_next(struct cmd_args *args)
{
	char letters[LETTERS_MAX] = "";
	int option;

	opterr = 0;
	letters_of(args, letters);
	option = getopt_long(args->argc, args->argv, letters, args->cmd->options, NULL);
	if (option >= OPT_LETTER)
		option -= OPT_LETTER;
	switch (option) {
	case -1:
		break;
	case 'h':
		fputs(args->cmd->help, stdout);
		args->status = DONE;
		return OPT_STOP;
	case '?':
	case ':':
		return refuse(args, option);
	default:
		args->filed |= option == 'i';
		return option;
	}
	optind += args->alone && optind == args->alone;
	if (optind == args->argc)
		return OPT_END;
	if (names_profile(args))
		return take_profile(args);
	return args->cmd->rest || args->cmd->command ? OPT_END : refuse_argument(args);
}

bool cmd_options(struct cmd_args *args, bool (*take)(void *context, int option), void *context)
{
	int option;

	while ((option = cmd_next(args)) != OPT_END) {
		if (option == OPT_STOP)
			return false;
		args->status = MISUSED;
		if (!take(context, option))
			return false;
	}
	args->status = MISUSED;
	return true;
}

static bool take_output(void *output, int option)
{
	*(const char **)output = optarg;
	return true;
}

const struct option cmd_output_only[] = {
	{ "output", required_argument, NULL, OPT_LETTER + 'o' }, CMD_HELP_OPTION, { 0 }
};

bool cmd_output_option(struct cmd_args *args, const char **output)
{
	return cmd_options(args, take_output, output);
}

char **cmd_command(const struct cmd_args *args)
{
	return optind < args->argc ? args->argv + optind : NULL;
}

bool cmd_fits(const struct cmd_args *args, const char *wrong)
{
	if (wrong)
		out_complain("%s\n  memlat-ctl %s --help", wrong, args->cmd->name);
	return !wrong;
}

const struct option cmd_help_only[] = { CMD_HELP_OPTION, { 0 } };

enum exit_status cmd_run(const struct cmd *cmd, int argc, char **argv)
{
	struct cmd_args args = { .cmd = cmd, .argc = argc, .argv = argv };

	return cmd->run(&args);
}

bool cmd_refuse(const char *option, const char *text, const char *why, ...)
{
	char shown[4 * 256], *told;	/* room for the name of a file, escaped */
	va_list args;

	va_start(args, why);
	told = xvasprintf(why, args);
	va_end(args);
	out_complain("%s %s: %s", option, text_typed(shown, sizeof(shown), text), told);
	free(told);
	return false;
}

bool cmd_refuse_number(const char *option, const char *text, enum number_result why,
		       const char *right)
{
	return cmd_refuse(option, text, "%s; give %s", why == NUMBER_RANGE ?
			  "out of range" : "not a whole decimal number", right);
}

bool cmd_take_number(const char *option, const char *text, uint64_t min, uint64_t max,
		     const char *right, uint64_t *value)
{
	enum number_result result = number_parse(text, min, max, value);

	return result == NUMBER_OK || cmd_refuse_number(option, text, result, right);
}

bool cmd_take_cpus(const char *option, const char *text, __u64 cpus[MEMLAT_CPU_WORDS])
{
	const char *wrong = "not a list of CPUs";

	switch (cpulist_parse(text, cpus)) {
	case CPULIST_OK:
		return true;
	case CPULIST_ORDER:
		wrong = "a range in it ends before it begins";
		break;
	case CPULIST_RANGE:
		return cmd_refuse(option, text,
				  "no CPU has so high a number; give a list such as 0-3,8");
	default:
		break;
	}
	return cmd_refuse(option, text, "%s; give numbers and ranges, such as 0-3,8", wrong);
}

bool cmd_cpus_possible(const char *option, const char *text, const __u64 cpus[MEMLAT_CPU_WORDS])
{
	__u64 possible[MEMLAT_CPU_WORDS], beyond[MEMLAT_CPU_WORDS];
	char wrong[64], right[SHOWN_MAX];
	bool any = false;
	unsigned int i;

	if (!cpulist_possible(possible))
		return true;
	for (i = 0; i < MEMLAT_CPU_WORDS; i++) {
		beyond[i] = cpus[i] & ~possible[i];
		any |= beyond[i] != 0;
	}
	return !any || cmd_refuse(option, text,
				  "there is no CPU %s in this machine; give some of %s",
				  cpulist_text(wrong, sizeof(wrong), beyond),
				  cpulist_text(right, sizeof(right), possible));
}

void cmd_complain_cpus(const char *option, const __u64 cpus[MEMLAT_CPU_WORDS])
{
	__u64 possible[MEMLAT_CPU_WORDS];
	char list[64], right[64];

	out_complain("%s %s: this machine cannot have any of them; give some of %s", option,
		     cpulist_text(list, sizeof(list), cpus), cpulist_possible(possible) ?
		     cpulist_text(right, sizeof(right), possible) : "its CPUs (lscpu)");
}

bool cmd_take_word(const char *option, const char *what, const char *(*name)(unsigned int),
		   unsigned int nr, unsigned int *number)
{
	unsigned int i;
	char *known;
	size_t size;
	FILE *list;

	for (i = 0; i < nr; i++)
		if (!strcmp(optarg, name(i))) {
			*number = i;
			return true;
		}
	list = xmemstream(&known, &size);
	for (i = 0; i < nr; i++)
		fprintf(list, "%s%s", !i ? "" : i + 1 < nr ? ", " : " or ", name(i));
	xmemstream_end(list);
	cmd_refuse(option, optarg, "%s; give %s", what, known);
	free(known);
	return false;
}

static enum number_result parse_seconds(const char *text, size_t decimals_max, __u64 *ns)
{
	const __u64 most = DAYS_MAX * 86400ULL;
	size_t whole = strspn(text, "0123456789"), decimals = 0, i;

	if (text[whole] == '.')
		decimals = strspn(text + whole + 1, "0123456789");
	if (!whole || (text[whole] == '.' && (!decimals || decimals > decimals_max)) ||
	    text[whole + (text[whole] == '.') + decimals])
		return NUMBER_NOT;
	*ns = 0;
	for (i = 0; i < whole && *ns <= most; i++)
		*ns = *ns * 10 + (__u64)(text[i] - '0');
	if (*ns > most)
		return NUMBER_RANGE;
	for (i = 0; i < 9; i++)
		*ns = *ns * 10 + (i < decimals ? (__u64)(text[whole + 1 + i] - '0') : 0);
	return NUMBER_OK;
}

static bool took_seconds(const char *option, const char *text, enum number_result result,
			 const char *right)
{
	if (result == NUMBER_NOT)
		return cmd_refuse(option, text,
				  "not a number of seconds; give one such as 10 or 0.5");
	return result == NUMBER_OK || cmd_refuse_number(option, text, result, right);
}

bool cmd_take_seconds(const char *option, const char *text, __u64 *ns)
{
	enum number_result result = parse_seconds(text, 3, ns);

	if (result == NUMBER_OK && !*ns)
		result = NUMBER_RANGE;
	return took_seconds(option, text, result, "0.001 to 31622400 (seconds)");
}

bool cmd_take_moment(const char *option, const char *text, __u64 *ns)
{
	return took_seconds(option, text, parse_seconds(text, 9, ns), "0 to 31622400 (seconds)");
}
