// SPDX-License-Identifier: GPL-2.0
/* bash's completion, used as bash uses it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_output.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "cli/options.h"
#include "cmd.h"

#define FILE_OF_IT	"../../userspace/completion/memlat-ctl.bash"
#define ANSWER_MAX	65536
#define WORDS_MAX	512

/* Return the output of a shell command, which must end with this status. */
static char *shell(const char *command, int status)
{
	static char text[ANSWER_MAX];
	FILE *out = popen(command, "r");
	size_t got;

	assert_non_null(out);
	got = fread(text, 1, sizeof(text) - 1, out);
	text[got] = '\0';
	assert_int_equal(WEXITSTATUS(pclose(out)), status);
	return text;
}

/* The program's absolute path, because bash is started in other folders, too. */
static const char *program_path(void)
{
	static char path[PATH_MAX];
	const char *name = getenv("MEMLAT_CTL");

	assert_non_null(name);
	assert_non_null(realpath(name, path));
	return path;
}

static FILE *ask, *answer;
static pid_t bash;

/* One shell answers all questions. In it memlat-ctl is a function, which does not start anew each time. */
static int shell_begin(void **state)
{
	static const char script[] =
		". golden/common.sh; serve; . " FILE_OF_IT "; LEAKS=0; "
		"memlat-ctl() { show_served json 132 \"$@\"; }; "
		"while IFS= read -r words; do eval \"COMP_WORDS=(memlat-ctl $words)\"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
		"_memlat_ctl; printf '\\n%s' \"${COMPREPLY[@]}\"; printf '\\n\\0'; done; served";
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -1;
	bash = fork();
	if (!bash) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execlp("bash", "bash", "--norc", "-c", script, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	ask = fdopen(to[1], "w");
	answer = fdopen(from[0], "r");
	return ask && answer ? 0 : -1;
}

static int shell_end(void **state)
{
	fclose(ask);
	fclose(answer);
	return waitpid(bash, NULL, 0) != bash;
}

/*
 * Complete the last of these words (in bash's quoting). Returns a completion per line, with a
 * newline before the first one.
 */
static const char *complete(const char *words)
{
	static char *text;
	static size_t room;
	ssize_t got;

	fprintf(ask, "%s\n", words);
	fflush(ask);
	got = getdelim(&text, &room, '\0', answer);
	assert_true(got > 0);
	return text;
}

static void has_word(const char *text, const char *wanted)
{
	char line[256];

	snprintf(line, sizeof(line), "\n%s\n", wanted);
	says(text, line);
}

static void offers(const char *words, const char *wanted)
{
	has_word(complete(words), wanted);
}

static void offers_not(const char *words, const char *unwanted)
{
	char line[256];

	snprintf(line, sizeof(line), "\n%s\n", unwanted);
	is_silent(complete(words), line);
}

static size_t split(char *text, char *words[WORDS_MAX])
{
	size_t nr = 0;
	char *word;

	for (word = strtok(text, " \n"); word && nr < WORDS_MAX; word = strtok(NULL, " \n"))
		words[nr++] = word;
	return nr;
}

/* All commands of the program: those that it lists after a wrong one. */
static size_t commands(char *words[WORDS_MAX])
{
	static char text[ANSWER_MAX];

	assert_int_equal(program(text, sizeof(text), "no-such-command"), 2);
	return split(strchr(text, '\n'), words);
}

TEST(commands_are_offered)
{
	static char offered[ANSWER_MAX];
	char *words[WORDS_MAX], typed[64];
	size_t nr = commands(words), i;

	assert_true(nr >= 10);
	/* The same question is asked once: a shell takes longer to start than to answer. */
	strcpy(offered, complete("''"));
	for (i = 0; i < nr; i++) {
		has_word(offered, words[i]);
		snprintf(typed, sizeof(typed), "%.3s", words[i]);
		offers(typed, words[i]);
	}
	offers("--v", "--version");
	offers("help dc", "dcache");
	assert_string_equal(complete("zz"), "\n\n");
}

static const struct cmd *const all[] = {
	&cmd_record, &cmd_start, &cmd_stop, &cmd_status, &cmd_import, &cmd_report, &cmd_top, &cmd_advise,
	&cmd_c2c, &cmd_lines, &cmd_dcache, &cmd_annotate, &cmd_stride, &cmd_buckets, &cmd_diff, &cmd_fleet,
	&cmd_try, &cmd_export, &cmd_doctor, &cmd_bus, &cmd_prefetch,
};

/* Every option of every help, and none that the command would refuse. */
TEST(options_are_offered)
{
	char *words[WORDS_MAX], *options[WORDS_MAX], typed[128];
	static char offered[ANSWER_MAX];
	size_t i, j, nr_options;

	assert_int_equal(commands(words), sizeof(all) / sizeof(all[0]) + 1);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(typed, sizeof(typed), "%s -", all[i]->name);
		strcpy(offered, complete(typed));
		has_word(offered, "--help");
		nr_options = split(offered, options);
		for (j = 0; j < nr_options; j++) {
			char *argv[] = { (char *)all[i]->name, options[j], (char *)"1", NULL };
			struct cmd_args args = { .cmd = all[i], .argc = 3, .argv = argv, .status = DONE };
			struct caught help;

			assert_int_equal(options[j][0], '-');
			optind = 0;
			output_catch(&help, STDOUT_FILENO);
			cmd_next(&args);
			output_end(&help, typed, sizeof(typed));
			if (args.status == MISUSED)
				fail_msg("%s %s is offered", all[i]->name, options[j]);
		}
	}
	offers("lines --s", "--sort");
	offers("dcache --b", "--by");
	offers("status -", "-i");
	offers("c2c -", "--display");
	offers_not("stop -", "--json");
}

/* The words that an option takes are those that the program takes. */
TEST(values_are_offered)
{
	static const struct {
		const char *command, *option;
	} options[] = {
		{ "lines", "--sort" }, { "dcache --by site", "--sort" }, { "dcache", "--by" },
		{ "diff", "--by" }, { "buckets", "--by" }, { "export", "--format" },
		{ "c2c", "-d" }, { "c2c", "--display" }, { "c2c", "-c" },
	};
	static char offered[ANSWER_MAX], said[ANSWER_MAX];
	char typed[128], *values[WORDS_MAX];
	size_t i, j, nr;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		snprintf(typed, sizeof(typed), "%s %s ''", options[i].command, options[i].option);
		strcpy(offered, complete(typed));
		nr = split(offered, values);
		assert_true(nr >= 2);
		for (j = 0; j < nr; j++) {
			/* Not wrong use (2), but a file that does not exist (1). */
			assert_int_equal(program(said, sizeof(said), "%s %s %s %s", options[i].command,
						 options[i].option, values[j], strcmp(options[i].command, "diff") ?
						 "-i /nonexistent/file" : "/nonexistent/a /nonexistent/b"), 1);
			says(said, "/nonexistent/");
		}
	}
	offers("lines --sort = h", "hitm");
	offers("lines --sort =", "hitm");
	assert_string_equal(complete("lines -n ''"), "\n\n");
}

TEST(files_are_offered)
{
	char folder[] = "/tmp/completion-XXXXXX", path[64], typed[128];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a file", folder);
	fclose(fopen(path, "w"));
	snprintf(typed, sizeof(typed), "lines -i %s/a", folder);
	offers(typed, path);
	snprintf(typed, sizeof(typed), "fleet %s/a", folder);
	offers(typed, path);
	snprintf(typed, sizeof(typed), "diff x %s/a", folder);
	offers(typed, path);
	snprintf(typed, sizeof(typed), "record -- cat %s/a", folder);
	offers(typed, path);
	offers("record -- bas", "bash");
	offers("bus -- bas", "bash");
	offers_not("lines bas", "bash");
	unlink(path);
	rmdir(folder);
}

/* Return what fish offers for these words, one per line. The last word is being typed. */
static const char *fish(const char *words)
{
	char command[3 * PATH_MAX], file[PATH_MAX];

	assert_non_null(realpath("../../userspace/completion/memlat-ctl.fish", file));
	/* It completes only a program that is called memlat-ctl. */
	snprintf(command, sizeof(command),
		 "echo; PATH=$(dirname %s):$PATH fish --no-config -c 'source %s; complete -C \"memlat-ctl %s\"' | cut -f 1",
		 program_path(), file, words);
	return shell(command, 0);
}

/*
 * Return what the file passes to zsh's own functions, without zsh's line editor. number: number of
 * the words.
 */
static const char *zsh(const char *words, int number)
{
	char command[3 * PATH_MAX], file[PATH_MAX];

	assert_non_null(realpath("../../userspace/completion/memlat-ctl.zsh", file));
	snprintf(command, sizeof(command),
		 "zsh -f -c '_describe() { print -l \"\" ${(P)2%%%%:*}; }; compadd() { print -l \"\" \"$@\"; }; "
		 "_files() { print -l \"\" files; }; words=(%s %s); CURRENT=%d; f() { source %s; }; f'",
		 program_path(), words, number, file);
	return shell(command, 0);
}

/* Commands and options as bash has them, of which the program's own help is the one source. */
TEST(other_shells_offer_the_same)
{
	static char offered[ANSWER_MAX], of_zsh[ANSWER_MAX], short_of_fish[ANSWER_MAX],
		    long_of_fish[ANSWER_MAX];
	char *words[WORDS_MAX], *options[WORDS_MAX];
	size_t nr = commands(words), nr_options, i;

	strcpy(of_zsh, zsh("\"\"", 2));
	strcpy(short_of_fish, fish(""));
	for (i = 0; i < nr; i++) {
		has_word(of_zsh, words[i]);
		has_word(short_of_fish, words[i]);
	}
	strcpy(offered, complete("c2c -"));
	strcpy(short_of_fish, fish("c2c -"));
	strcpy(long_of_fish, fish("c2c --"));
	nr_options = split(offered, options);
	assert_true(nr_options > 20);
	strcpy(of_zsh, zsh("c2c -", 3));
	for (i = 0; i < nr_options; i++) {
		has_word(of_zsh, options[i]);
		has_word(strncmp(options[i], "--", 2) ? short_of_fish : long_of_fish, options[i]);
	}
	has_word(zsh("c2c x", 3), "files");
	has_word(zsh("lines --sort \"\"", 4), "hitm");
	has_word(fish("lines --sort "), "hitm");
}

/* test_ctl_cli asks for every help, and looks for leaks then. */
static int begin(void **state)
{
	return setenv("MEMLAT_LEAKS", "0", 1) || shell_begin(state);
}

TEST_GROUP(begin, shell_end)
