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

#define SHOWN_MAX	120
#define DAYS_MAX	366
#define COLUMN		25	/* where the texts of a help begin, */
#define COLUMNS		88	/* and where its lines end */

/* One option, as every command has it. */
static const struct {
	const char *name;		/* NULL: it has only a letter */
	char letter;
	const char *value, *text;
} options[] = {
#define OPTION(id, name, letter, value, text) { name, letter, value, text },
#include "option_list.h"
#undef OPTION
};

/* What getopt wants to know of a command. */
struct forms {
	struct option options[OPT_END_OF_LIST - OPT_FIRST];
	char letters[2 * (OPT_END_OF_LIST - OPT_FIRST) + 2];
};

static bool is_option(const struct cmd_takes *takes)
{
	return takes->option > OPT_FIRST;
}

/* The end of a command's list. */
static bool is_last(const struct cmd_takes *takes)
{
	return !takes->option;
}

static const char *name_of(const struct cmd_takes *takes)
{
	return options[takes->option - OPT_FIRST - 1].name;
}

static const char *value_of(const struct cmd_takes *takes)
{
	return options[takes->option - OPT_FIRST - 1].value;
}

static char letter_of(const struct cmd_takes *takes)
{
	return takes->letter ? takes->letter : options[takes->option - OPT_FIRST - 1].letter;
}

static const char *text_of(const struct cmd_takes *takes)
{
	return takes->text ? takes->text : options[takes->option - OPT_FIRST - 1].text;
}

static const struct cmd_takes *takes_option(const struct cmd *cmd, int option)
{
	const struct cmd_takes *takes;

	for (takes = cmd->takes; !is_last(takes); takes++)
		if (takes->option == option)
			return takes;
	return NULL;
}

/* An option in a message: its long form, if it has one, and no letter only here. */
static const char *shown_of(const struct cmd_takes *takes, char shown[32])
{
	if (name_of(takes) && !takes->letter)
		snprintf(shown, 32, "--%s", name_of(takes));
	else
		snprintf(shown, 32, "-%c", letter_of(takes));
	return shown;
}

/* Print "  -i, --input FILE   a profile ...", and the next lines below its text. */
static void print_option(FILE *out, const struct cmd_takes *takes)
{
	const char *name = name_of(takes), *value = value_of(takes), *word = text_of(takes);
	const char letter = letter_of(takes);
	char head[64];
	size_t at = COLUMN - 1;
	int used = 0;

	if (letter)
		used = snprintf(head, sizeof(head), "-%c%s", letter, name ? ", " : "");
	snprintf(head + used, sizeof(head) - (size_t)used, "%s%s%s%s", name ? "--" : "",
		 name ? name : "", value && (name || letter) ? " " : "", value ? value : "");
	fprintf(out, "  %-*s", COLUMN - 3, head);
	for (; *word; word += strspn(word, " ")) {
		const size_t length = strcspn(word, " ");

		if (at + 1 + length > COLUMNS) {
			fprintf(out, "\n%*s", COLUMN - 1, "");
			at = COLUMN - 1;
		}
		fprintf(out, " %.*s", (int)length, word);
		at += 1 + length;
		word += length;
	}
	fputc('\n', out);
}

void cmd_print_help(FILE *out, const struct cmd *cmd)
{
	const struct cmd_takes *takes;

	fprintf(out, "%s\n", cmd->usage);
	for (takes = cmd->takes; !is_last(takes) && takes->option != OPT_UNPRINTED; takes++) {
		if (is_option(takes))
			print_option(out, takes);
		else
			fprintf(out, "%s\n", takes->text);
	}
	if (cmd->notes)
		fprintf(out, "\n%s", cmd->notes);
}

static const char *word_of(const struct cmd_words *words, unsigned int word)
{
	return words->name ? words->name(word) : words->list[word];
}

bool cmd_print_value(FILE *out, const struct cmd *cmd, const char *option)
{
	const struct cmd_takes *takes;
	unsigned int i;
	char shown[32];

	for (takes = cmd->takes; !is_last(takes); takes++)
		if (is_option(takes) && (!strcmp(shown_of(takes, shown), option) ||
					 (option[0] == '-' && option[1] == letter_of(takes) && !option[2])))
			break;
	if (is_last(takes) || !value_of(takes))
		return false;
	if (!takes->words)
		fputs(value_of(takes), out);
	for (i = 0; takes->words && i < takes->words->nr; i++)
		fprintf(out, "%s%s", i ? " " : "", word_of(takes->words, i));
	fputc('\n', out);
	return true;
}

/* Complain about a letter in a cluster, or about a misspelled long option. */
static void no_such_option(const struct cmd_args *args, const char *word, const char *shown)
{
	const char *name = args->cmd->name, *perf;
	struct nearest near = { .typed = word + 2 };
	const struct cmd_takes *takes;

	perf = perf_option(word, cmd_takes(args->cmd, "all-user"));
	if (perf) {
		out_complain("%s: %s: no such option: %s\n  memlat-ctl %s --help", name, shown, perf,
			     name);
		return;
	}
	if (!strncmp(word, "--", 2))
		for (takes = args->cmd->takes; !is_last(takes); takes++)
			if (is_option(takes) && name_of(takes))
				nearest_offer(&near, name_of(takes));
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
	if (optopt && optopt <= OPT_FIRST)
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

static void forms_of(const struct cmd *cmd, struct forms *forms)
{
	struct option *option = forms->options;
	const struct cmd_takes *takes;
	char *end = forms->letters;

	/* Options end at the first other word, which is the command. */
	if (cmd->command)
		*end++ = '+';
	*end++ = ':';
	for (takes = cmd->takes; !is_last(takes); takes++) {
		if (!is_option(takes))
			continue;
		if (letter_of(takes)) {
			*end++ = letter_of(takes);
			if (value_of(takes))
				*end++ = ':';
		}
		if (name_of(takes))
			*option++ = (struct option){
				name_of(takes), value_of(takes) ? required_argument : no_argument,
				NULL, takes->option,
			};
	}
}

/* The option that has this letter. */
static int by_letter(const struct cmd *cmd, int letter)
{
	const struct cmd_takes *takes;

	for (takes = cmd->takes; !is_last(takes); takes++)
		if (is_option(takes) && letter_of(takes) == letter)
			return takes->option;
	return letter;
}

bool cmd_takes(const struct cmd *cmd, const char *name)
{
	const struct cmd_takes *takes;

	for (takes = cmd->takes; !is_last(takes); takes++)
		if (is_option(takes) && name_of(takes) && !strcmp(name_of(takes), name))
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
	return OPT_INPUT;
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
	struct forms forms = { 0 };
	int option;

	opterr = 0;
	forms_of(args->cmd, &forms);
	option = getopt_long(args->argc, args->argv, forms.letters, forms.options, NULL);
	if (option > 0 && option <= OPT_FIRST && option != '?' && option != ':')
		option = by_letter(args->cmd, option);
	switch (option) {
	case -1:
		break;
	case OPT_HELP:
		cmd_print_help(stdout, args->cmd);
		args->status = DONE;
		return OPT_STOP;
	case '?':
	case ':':
		return refuse(args, option);
	default:
		args->filed |= option == OPT_INPUT;
		return option;
	}
	optind += args->alone && optind == args->alone;
	if (optind == args->argc)
		return OPT_END;
	if (names_profile(args))
		return take_profile(args);
	return args->cmd->rest || args->cmd->command ? OPT_END : refuse_argument(args);
}

bool cmd_options(struct cmd_args *args, const struct cmd_sets *sets,
		 bool (*take)(void *context, int option), void *context)
{
	bool known;
	int option;

	while ((option = cmd_next(args)) != OPT_END) {
		if (option == OPT_STOP)
			return false;
		args->status = MISUSED;
		if (!cmd_set(args->cmd, sets, option, &known) || (!known && !take(context, option)))
			return false;
	}
	args->status = MISUSED;
	return true;
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

/* The word of so many letters among these; nr: it is none of them. */
static unsigned int word_find(const struct cmd_words *words, const char *text, size_t length)
{
	unsigned int i;

	for (i = 0; i < words->nr; i++)
		if (strlen(word_of(words, i)) == length && !memcmp(word_of(words, i), text, length))
			break;
	return i;
}

static bool refuse_word(const struct cmd_takes *takes, const char *some)
{
	const struct cmd_words *words = takes->words;
	char *known, shown[32];
	unsigned int i;
	size_t size;
	FILE *list = xmemstream(&known, &size);

	for (i = 0; i < words->nr; i++)
		fprintf(list, "%s%s", !i ? some : i + 1 < words->nr ? ", " : " or ", word_of(words, i));
	xmemstream_end(list);
	cmd_refuse(shown_of(takes, shown), optarg, "%s; give %s", words->what, known);
	free(known);
	return false;
}

bool cmd_take_word(const struct cmd *cmd, int option, unsigned int *number)
{
	const struct cmd_takes *takes = takes_option(cmd, option);
	const unsigned int word = word_find(takes->words, optarg, strlen(optarg));

	if (word == takes->words->nr)
		return refuse_word(takes, "");
	*number = word;
	return true;
}

bool cmd_take_words(const struct cmd *cmd, int option, unsigned int *bits)
{
	const struct cmd_takes *takes = takes_option(cmd, option);
	const char *at = optarg;
	unsigned int word;
	size_t length;

	for (*bits = 0;; at += length + 1) {
		length = strcspn(at, ",");
		word = word_find(takes->words, at, length);
		if (word == takes->words->nr)
			return refuse_word(takes, "some of ");
		*bits |= 1U << word;
		if (!at[length])
			return true;
	}
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

static bool set(const struct cmd *cmd, const struct cmd_sets *sets)
{
	const int option = sets->option;
	uint64_t number;
	char shown[32];

	shown_of(takes_option(cmd, option), shown);
	if (sets->text)
		*sets->text = optarg;
	else if (sets->on)
		*sets->on = true;
	else if (sets->word)
		return cmd_take_word(cmd, option, sets->word);
	else if (sets->words)
		return cmd_take_words(cmd, option, sets->words);
	else if (sets->format)
		return report_format_take(sets->format, option == OPT_CSV ? REPORT_CSV : REPORT_JSON);
	else if (!sets->number)
		return cmd_take_seconds(shown, optarg, sets->ns) && (!sets->most ||
		       (*sets->ns >= sets->least && *sets->ns <= sets->most) ||
		       cmd_refuse_number(shown, optarg, NUMBER_RANGE, sets->right));
	else if (!cmd_take_number(shown, optarg, sets->least, sets->most, sets->right, &number))
		return false;
	else
		*sets->number = number;
	return true;
}

bool cmd_set(const struct cmd *cmd, const struct cmd_sets *sets, int option, bool *known)
{
	for (*known = false; sets && sets->option; sets++) {
		if (sets->option != option)
			continue;
		*known = true;
		if (!set(cmd, sets))
			return false;
	}
	return true;
}
