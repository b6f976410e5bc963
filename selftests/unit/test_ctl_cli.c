// SPDX-License-Identifier: GPL-2.0
/*
 * The program as a user runs it. Only commands that are refused before the device is opened, so
 * that a session that may run here is not disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <capstone/capstone.h>

#include "ctl_output.h"
#include "ctl_profile.h"
#include "ctl_serve.h"
#include "ctl_test.h"

#include "cli/options.h"
#include "cmd.h"

#define WORDS_MAX	8

struct result {
	int status;
	char out[8192];
	char err[8192];
};

/* Run memlat-ctl; out_fd is its standard output, or -1 to collect it. */
static void run_to(struct result *result, int out_fd, const char *const *words)
{
	const char *argv[WORDS_MAX + 2] = { "memlat-ctl" };
	struct caught out, err;
	unsigned int i;
	pid_t pid;

	for (i = 0; words[i]; i++) {
		assert_true(i < WORDS_MAX);
		argv[i + 1] = words[i];
	}
	output_catch(&out, STDOUT_FILENO);
	output_catch(&err, STDERR_FILENO);
	if (out_fd < 0 && !getenv("LD_LIBRARY_PATH")) {
		result->status = served(STDOUT_FILENO, STDERR_FILENO, argv);
	} else if (!(pid = fork())) {
		if (out_fd >= 0)
			dup2(out_fd, STDOUT_FILENO);
		execv(getenv("MEMLAT_CTL"), (char *const *)argv);
		_exit(99);
	} else {
		result->status = exit_status_of(pid);
	}
	output_end(&err, result->err, sizeof(result->err));
	output_end(&out, result->out, sizeof(result->out));
}

#define RUN(result, ...) \
	run_to(result, -1, (const char *const[]){ __VA_ARGS__, NULL })

static void exits(const struct result *result, int status)
{
	if (result->status != status)
		fail_msg("status %d, not %d; it said: %s", result->status, status, result->err);
}

/* Wrong use: status 2, one sentence on stderr, nothing on stdout. */
static void refused(const char *says, const char *const *words)
{
	struct result result;

	run_to(&result, -1, words);
	exits(&result, 2);
	assert_string_equal(result.out, "");
	if (strncmp(result.err, "memlat-ctl: ", 12) || !strstr(result.err, says))
		fail_msg("\"%s\" is not in: %s", says, result.err);
}

#define REFUSED(says, ...) refused(says, (const char *const[]){ __VA_ARGS__, NULL })

/* An old name is told, and then the new command refuses what was typed. */
static void refused_by_new(const char *says, const char *const *words)
{
	struct result result;

	run_to(&result, -1, words);
	exits(&result, 2);
	assert_memory_equal(result.err, says, strlen(says));
}

#define REFUSED_BY_NEW(says, ...) \
	refused_by_new(says, (const char *const[]){ __VA_ARGS__, NULL })

TEST(ldlat)
{
	static const struct {
		const char *value, *words;
	} cases[] = {
		{ "abc", "--ldlat abc: not a whole decimal number; give 3 to 65535" },
		{ "-1", "--ldlat -1: out of range; give 3 to 65535" },
		{ "0", "--ldlat 0: out of range; give 3 to 65535" },
		{ "2", "--ldlat 2: out of range; give 3 to 65535" },
		{ "70000", "--ldlat 70000: out of range; give 3 to 65535 (core cycles; a load longer than this is sampled)\n" },
		{ "65536", "--ldlat 65536: out of range" },
		{ "", "--ldlat \"\": not a whole decimal number; give 3 to 65535" },
		{ "30x", "--ldlat 30x: not a whole decimal number" },
		{ " 30", "--ldlat  30: not a whole decimal number" },
		{ "4294967326", "--ldlat 4294967326: out of range" },
		{ "\033[2J", "--ldlat \\033[2J: not a whole" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		REFUSED(cases[i].words, "start", "--ldlat", cases[i].value);
	REFUSED("--ldlat 2: out of range", "start", "--ldlat=2");
	REFUSED("start: --ldlat needs a value", "start", "--ldlat");
}

TEST(period_and_memory)
{
	REFUSED("--period 0: out of range; give 1 or more", "start", "--period", "0");
	REFUSED("--period -1009: out of range", "start", "--period", "-1009");
	REFUSED("--period 18446744073709551616: out of range",
		"start", "--period", "18446744073709551616");
	REFUSED("--period 1e3: not a whole", "start", "--period", "1e3");
	REFUSED("--max-memory 0: out of range", "start", "--max-memory", "0");
	REFUSED("--max-memory 64MB: not a whole decimal number; give bytes, or a number with K, M or G",
		"start", "--max-memory", "64MB");
}

TEST(pids)
{
	struct result result;

	REFUSED("-p 0: out of range; give the pid of a process", "start", "-p", "0");
	REFUSED("-p -5: out of range", "start", "-p", "-5");
	REFUSED("-p abc: not a whole", "start", "-p", "abc");
	REFUSED("-p 2147483648: out of range", "start", "-p", "2147483648");
	/* Correctly written, but there is no such process: status 1. */
	RUN(&result, "start", "-p", "2147483646");
	exits(&result, 1);
	assert_string_equal(result.err, "memlat-ctl: -p 2147483646: no such process; give the pid of one that runs (ps -e)\n");
}

/* Errors of one option, or of two together. */
TEST(start_refuses)
{
	static const struct {
		const char *words[5];
		const char *says;
	} cases[] = {
		{ { "--type", "both" },
		  "--type both: no such type; give load, store or load,store\n" },
		{ { "-t", "" }, "--type \"\": no such type" },
		{ { "--type", "load,load" }, "--type load,load: no such type" },
		{ { "--store-period", "0" },
		  "--store-period 0: out of range; give 1 or more (stores per sample; 10007 is usual)\n" },
		{ { "--max-overhead", "51" },
		  "--max-overhead 51: out of range; give 0 to 50% of each CPU's busy time, such as 1 or 0.5; 0: fixed periods\n" },
		{ { "--max-overhead", "-1" }, "--max-overhead -1: out of range" },
		{ { "--max-overhead", "0.125" },
		  "--max-overhead 0.125: not a percentage with at most two decimals; give 0 to 50%" },
		{ { "--max-overhead", "\033[m" }, "--max-overhead \\033[m: not a percentage" },
		{ { "--tid", "0" }, "--tid 0: out of range; give the tid of a thread" },
		{ { "--tid", "x" }, "--tid x: not a whole" },
		{ { "--pid", "x" }, "-p x: not a whole" },
		{ { "-C", "0-" },
		  "--cpu 0-: not a list of CPUs; give numbers and ranges, such as 0-3,8\n" },
		{ { "--cpu", "3-0" }, "--cpu 3-0: a range in it ends before it begins; give" },
		{ { "--cpu", "8192" }, "--cpu 8192: no CPU has so high a number; give" },
		{ { "--cpu", "0,8191" }, "--cpu 0,8191: there is no CPU 8191 in this machine; give some of 0" },
		{ { "--cpu" }, "start: --cpu needs a value" },
		{ { "-C" }, "start: -C needs a value" },
		{ { "--cgroup" }, "start: --cgroup needs a value" },
		{ { "--all-user=1" }, "start: --all-user=1: this option takes no value" },
		{ { "-Ux" }, "start: -x: no such option" },
		{ { "--period", "101", "--max-overhead", "1" },
		  "--period and --max-overhead: a period is fixed, or it moves to hold an overhead; give one of them\n  memlat-ctl start --help\n" },
		{ { "--max-overhead", "2", "--store-period", "101" },
		  "--store-period and --max-overhead: " },
		{ { "-p", "1", "--tid", "1" }, "-p and --tid: a process, or one of its threads" },
		{ { "--tid", "1", "--children" }, "--children and --tid: " },
		{ { "--children" }, "--children: of which process? give it with -p\n" },
		{ { "--type", "store", "--ldlat", "30" }, "--ldlat and --type store: " },
		{ { "--type", "store", "--period", "5" },
		  "--period and --type store: that is the period of loads; give --store-period\n" },
		{ { "-t", "load", "--store-period", "5" }, "--store-period and --type load: " },
	};
	struct result result;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *w = cases[i].words;

		REFUSED(cases[i].says, "start", w[0], w[1], w[2], w[3]);
	}
	RUN(&result, "start", "--tid", "2147483646");
	exits(&result, 1);
	assert_string_equal(result.err, "memlat-ctl: --tid 2147483646: no such thread; give the tid of one that runs (ps -eL)\n");
	RUN(&result, "start", "--cgroup", "no such\033group");
	exits(&result, 1);
	assert_string_equal(result.err, "memlat-ctl: --cgroup no such\\033group: no such cgroup; give a folder under /sys/fs/cgroup, or what /proc/PID/cgroup has after 0::\n"
			    "  systemd-cgls      shows them\n");
	RUN(&result, "start", "--cgroup", "/tmp");
	exits(&result, 1);
	assert_non_null(strstr(result.err, "--cgroup /tmp: not a cgroup of version 2; give a folder under /sys/fs/cgroup\n"));
}

TEST(options_and_words)
{
	REFUSED("start: --frob: no such option\n  memlat-ctl start --help", "start", "--frob");
	REFUSED("start: --all-user=yes: this option takes no value", "start", "--all-user=yes");
	REFUSED("lines: --help=yes: this option takes no value", "lines", "--help=yes");
	REFUSED("lines: -x: no such option", "lines", "--json", "-xh");
	REFUSED("lines: -n needs a value", "lines", "-n");
	REFUSED("lines: --input needs a value", "lines", "--input");
	REFUSED("start: -p needs a value", "start", "-p");
	REFUSED("c2c: --call-graph=1: this option takes no value", "c2c", "--call-graph=1");
	REFUSED("-n -1: out of range; give how many rows", "lines", "-n", "-1");
	REFUSED("--sort size: no such order; give hitm, cost, loads or stores",
		"lines", "--sort", "size");
	REFUSED("--sort loads: no such order; give cost, hitm, samples or stores",
		"dcache", "--by", "site", "--sort", "loads");
	REFUSED("-n x: not a whole decimal number; give how many rows to show, 0 for all",
		"dcache", "-n", "x");
	REFUSED("--rows: the screen shows as many rows as it has room for; give it with -b",
		"top", "--rows", "5");
	REFUSED("-o: only the key w writes a file, and -b reads no keys", "top", "-b", "-o", "x");
	REFUSED("buckets: --json and --by weight: ", "buckets", "--json", "--by", "weight");
	REFUSED("--by raw: no such table; give samples, weight or word", "buckets", "--by", "raw");
	REFUSED("buckets: -n: no such option", "buckets", "-n", "3");
	REFUSED("start: 30: no argument is expected here", "start", "30");
	REFUSED("stop: --json: no such option", "stop", "--json");
	REFUSED("status: now: no such file", "status", "--json", "now");
	REFUSED("sta\\033rt: no such command; did you mean start?", "sta\033rt");
	REFUSED("nonsense: no such command; give one of\n  record start stop status import report top advise c2c lines dcache annotate stride buckets diff fleet try export doctor bus prefetch help",
		"nonsense");
	REFUSED("me: no such command", "help", "me");
	REFUSED("help: lines has no option of this name that takes a value", "help", "lines", "--json");
	REFUSED("help: give at most one command", "help", "start", "--ldlat", "stop");
}

static const char *long_word(unsigned int word)
{
	static const char *const words[] = {
		"a-word-of-an-option-that-is-longer-than-any-that-memlat-ctl-has-today",
		"another-word-of-the-same-option-that-is-just-as-long-as-the-one-before",
		"a-third-word-with-which-all-of-them-together-have-no-room-in-a-short-line",
		"a-fourth",
	};

	return words[word];
}

/* However long the words of an option are, the message has all of them, complete. */
TEST(all_words_are_told)
{
	static const struct cmd_words words = { "no such table", 4, .name = long_word };
	static const struct cmd_takes takes[] = { TAKES(BY, .words = &words), { 0 } };
	static const struct cmd cmd = { .name = "x", .takes = takes };
	char text[1024], right[1024];
	unsigned int number = 7;
	struct caught caught;
	bool taken;

	optarg = "x";
	output_catch(&caught, STDERR_FILENO);
	taken = cmd_take_word(&cmd, OPT_BY, &number);
	output_end(&caught, text, sizeof(text));
	assert_false(taken);
	assert_int_equal(number, 7);
	snprintf(right, sizeof(right), "memlat-ctl: --by x: no such table; give %s, %s, %s or %s\n",
		 long_word(0), long_word(1), long_word(2), long_word(3));
	assert_string_equal(text, right);

	optarg = (char *)long_word(3);
	assert_true(cmd_take_word(&cmd, OPT_BY, &number));
	assert_int_equal(number, 3);
}

TEST(what_was_meant)
{
	REFUSED("recxrd: no such command; did you mean record?", "recxrd", "--", "true");
	REFUSED("dcahce: no such command; did you mean dcache?", "dcahce");
	REFUSED("line: no such command; did you mean lines?", "help", "line");
	/* A word that is far from all of them gets no suggestion. */
	REFUSED("stupor: no such command; give one of", "stupor");
	REFUSED("x: no such command; give one of", "x");
	REFUSED("start: --ldalt: no such option; did you mean --ldlat?\n  memlat-ctl start --help",
		"start", "--ldalt", "30");
	REFUSED("lines: --jsno: no such option; did you mean --json?", "lines", "--jsno");
	REFUSED("start: --x: no such option\n  memlat-ctl start --help", "start", "--x");

	/* For perf's options, the message names the option that does the same here. */
	REFUSED("record: -F: no such option: perf's -F is --max-overhead here",
		"record", "-F", "99", "--", "true");
	REFUSED("perf's --event is --type here: load, store or load,store",
		"start", "--event=cpu/mem-loads/");
	REFUSED("start: -u: no such option: perf's -u is -U here (--all-user)", "start", "-u");
	/* For a view, the message names what helps there: all is already in the view. */
	REFUSED("lines: -a: no such option: this shows all that was sampled", "lines", "-a");
	REFUSED("dcache: -F: no such option: the rate is chosen when recording: 'memlat-ctl record",
		"dcache", "-F", "99");
	REFUSED("c2c: record: perf's c2c record is record here", "c2c", "record", "--", "true");
	REFUSED("c2c: report: perf's c2c report is c2c here: 'memlat-ctl c2c -i FILE'", "c2c", "report");
	REFUSED("record: -l: no such option: perf's -l is --ldlat here", "record", "-l", "30", "--", "true");
	REFUSED("c2c: --stitch-lbr: no such option: call chains are of frame", "c2c", "--stitch-lbr");
	REFUSED("c2c: -v: no such option: a wide terminal or --json shows", "c2c", "-v");
	REFUSED("c2c: -f: no such option: a profile may be anybody's", "c2c", "-f");
	REFUSED("dcache: --dsos: no such option: perf's --dsos is --module here",
		"dcache", "--dsos", "x");
	REFUSED("start: -a: no such option: all CPUs are sampled unless -p, --tid, --cgroup or --cpu says otherwise",
		"start", "-a");
}

/* A file without an option is that of -i. */
TEST(file_alone)
{
	static const char *const file = "golden/before.memlat", *const counted = "golden/counted.memlat";
	struct result with, alone;

	RUN(&with, "lines", "-i", file, "-n", "3");
	RUN(&alone, "lines", file, "-n", "3");
	exits(&alone, 0);
	assert_string_equal(alone.out, with.out);
	RUN(&alone, "lines", "-n", "3", file);
	assert_string_equal(alone.out, with.out);
	REFUSED("lines: golden/before.memlat: no argument is expected here", "lines", file, file);
	REFUSED("lines: golden/after.memlat: no argument is expected here", "lines", "-i", file, "golden/after.memlat");
	REFUSED("report: nofile: no such file; give a profile", "report", "nofile");
	REFUSED("start: golden/before.memlat: no argument is expected here", "start", file);
	/* Other words are a function's name here, or a command. */
	RUN(&with, "annotate", "-i", counted, "count_hit");
	RUN(&alone, "annotate", counted, "count_hit");
	exits(&alone, 0);
	assert_string_equal(alone.out, with.out);
	RUN(&with, "advise", "-i", file, "-n", "0");
	RUN(&alone, "advise", file, "-n", "0");
	exits(&alone, 0);
	assert_string_equal(alone.out, with.out);
	RUN(&alone, "annotate", counted, "test_ctl_cli.c");
	exits(&alone, 1);
	assert_non_null(strstr(alone.err, "annotate test_ctl_cli.c: no function of that name"));
}

TEST(help_is_given)
{
	static const char *const commands[] = {
		"start", "stop", "record", "status", "buckets", "lines", "c2c", "dcache", "doctor",
		"diff", "fleet", "bus", "prefetch", "stride", "try", "advise", "report", "import",
		"export", "annotate", "top",
	};
	struct result overview, result, same;
	char usage[64];
	unsigned int i;

	RUN(&overview, "--help");
	exits(&overview, 0);
	assert_string_equal(overview.err, "");
	RUN(&result, "help");
	assert_string_equal(result.out, overview.out);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		assert_non_null(strstr(overview.out, commands[i]));
		RUN(&result, commands[i], "--help");
		exits(&result, 0);
		assert_string_equal(result.err, "");
		snprintf(usage, sizeof(usage), "usage: memlat-ctl %s", commands[i]);
		assert_memory_equal(result.out, usage, strlen(usage));
		RUN(&same, "help", commands[i]);
		exits(&same, 0);
		assert_string_equal(result.out, same.out);
	}
	RUN(&result, "--version");
	exits(&result, 0);
	assert_non_null(strstr(result.out, "memlat-ctl "));
	/* No command at all is wrong use, and prints the text of --help. */
	RUN(&result, NULL);
	exits(&result, 2);
	assert_string_equal(result.err, overview.out);
	assert_string_equal(result.out, "");
}

/* "All other options of record except" is followed by all that the command does not know. */
TEST(options_of_record)
{
	static const struct cmd *const commands[] = { &cmd_advise, &cmd_stride };
	static const char *const alone[] = { "output", "heap", "counts", "delay", "interval" };
	const struct cmd_takes *takes;
	unsigned int i, j, known;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *except = strstr(commands[i]->notes, "except");

		assert_non_null(except);
		for (j = 0; j < sizeof(alone) / sizeof(alone[0]); j++) {
			char name[64];

			snprintf(name, sizeof(name), j ? "--%s" : "-o", alone[j]);
			assert_int_equal(!strstr(except, name), cmd_takes(commands[i], alone[j]));
		}
		for (takes = cmd_record.takes, known = 0; takes->option; takes++) {
			const struct cmd_takes *other = commands[i]->takes;

			while (other->option && other->option != takes->option)
				other++;
			known += takes->option > OPT_FIRST && !other->option;
		}
		assert_int_equal(known, i ? 5 : 4);
	}
}

/* Names of the release before run the command of today, and say which it is. */
TEST(old_names_work)
{
	static const struct {
		const char *old[4], *now[5], *says;
	} cases[] = {
		{ { "sites" }, { "dcache", "--by", "site" }, "memlat-ctl sites is now memlat-ctl dcache --by site\n" },
		{ { "data" }, { "dcache", "--by", "data" }, "memlat-ctl data is now memlat-ctl dcache --by data\n" },
		{ { "data", "--by", "all" }, { "dcache", "--by", "data" }, "memlat-ctl data is now" },
		{ { "data", "--by=all" }, { "dcache", "--by", "data" }, "memlat-ctl data is now" },
		{ { "data", "--by", "type" }, { "dcache", "--by", "type" }, "memlat-ctl data is now" },
		{ { "threads", "--by", "cpu" }, { "dcache", "--by", "cpu" },
		  "memlat-ctl threads is now memlat-ctl dcache --by thread\n" },
	};
	struct result old, now;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		RUN(&old, cases[i].old[0], "-i", "golden/before.memlat",
		    cases[i].old[1] ? cases[i].old[1] : "--json", cases[i].old[2]);
		RUN(&now, "dcache", "-i", "golden/before.memlat", cases[i].now[1], cases[i].now[2],
		    cases[i].old[1] ? NULL : "--json");
		exits(&old, 0);
		exits(&now, 0);
		assert_true(*now.out);
		assert_string_equal(old.out, now.out);
		assert_memory_equal(old.err, cases[i].says, strlen(cases[i].says));
	}
	REFUSED_BY_NEW("memlat-ctl merge is now memlat-ctl fleet -o FILE\n", "merge", "a", "-o", "b");
	REFUSED_BY_NEW("memlat-ctl reset is now memlat-ctl status --reset\n", "reset", "-i", "x");
	REFUSED_BY_NEW("memlat-ctl selftest is now memlat-ctl doctor --selftest\n", "selftest", "x");
	REFUSED_BY_NEW("memlat-ctl calibrate is now memlat-ctl doctor --calibrate levels\n",
		       "calibrate", "--hitm");
	REFUSED("sites: it is one with another command now\n  memlat-ctl help dcache", "help", "sites");
}

/* Options of the release before are refused, and the answer says what to type. */
TEST(old_options_are_answered)
{
	static const char *const cases[][3] = {
		{ "start", "--user", "it is -U" }, { "record", "--kernel", "it is -K" },
		{ "prefetch", "--cpus", "it is --cpu" }, { "advise", "--all", "it is -n 0" },
		{ "lines", "--no-pager", "PAGER=cat" }, { "report", "--source-path", "it is --debug-path" },
		{ "buckets", "--weighted", "--by weight" }, { "buckets", "--raw", "--by word" },
		{ "top", "--batch", "it is -b" }, { "try", "--pairs", "it is -n" },
		{ "annotate", "--syntax=intel", "it is -M" }, { "c2c", "--node-info", "it is -N" },
		{ "c2c", "--coalesce", "it is -c" }, { "c2c", "--stats", "--display stats" },
		{ "c2c", "--show-all", "--display all" }, { "c2c", "--full-symbols", "--display symbols" },
		{ "c2c", "--no-source", "--display no-source" }, { "c2c", "--double-cl", "--display pairs" },
		{ "export", "--value", "folded:hitm" }, { "prefetch", "--kind", "prefetch off l2,adjacent" },
		{ "bus", "--compare", "--prefetch compare" }, { "doctor", "--hitm", "--calibrate hitm" },
		{ "doctor", "--size", "--calibrate 64M" }, { "doctor", "--dry-run", "/dev/null" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		REFUSED(cases[i][2], cases[i][0], cases[i][1]);
}

TEST(no_module)
{
	static const char *const commands[] = {
		"start", "stop", "status", "buckets", "lines", "dcache", "report",
	};
	struct result result;
	unsigned int i;

	if (!access("/dev/memlat", F_OK)) {
		print_message("# the module is loaded here: not to be tested\n");
		skip();
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		RUN(&result, commands[i]);
		exits(&result, 1);
		assert_string_equal(result.out, "");
		assert_non_null(strstr(result.err, "memlat-ctl: the memlat module is not loaded"));
		assert_non_null(strstr(result.err, "insmod memlat.ko"));
		assert_non_null(strstr(result.err, "memlat-ctl doctor"));
	}
}

/* The stream has nothing left to write when it is closed, but an earlier write has failed. */
TEST(output_that_failed_earlier)
{
	static const char block[65536];
	struct caught err;
	char said[256];
	FILE *full;
	int status;
	pid_t pid;

	output_catch(&err, STDERR_FILENO);
	pid = fork();
	if (!pid) {
		dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
		fwrite(block, sizeof(block), 1, stdout);
		_exit(out_finish(DONE));
	}
	waitpid(pid, &status, 0);
	full = out_open("/dev/full");
	assert_non_null(full);
	fwrite(block, sizeof(block), 1, full);
	errno = ENOENT;
	assert_false(out_close(full, "/dev/full"));
	output_end(&err, said, sizeof(said));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == FAILED);
	assert_string_equal(said,
			    "memlat-ctl: cannot write to standard output: No space left on device\n"
			    "memlat-ctl: -o /dev/full: No space left on device\n");
}

/* If the output cannot be written, the command fails. */
TEST(output_that_fails)
{
	static const char *const words[] = { "help", "start", NULL };
	struct result result;
	int ends[2], fd;

	fd = open("/dev/full", O_WRONLY);
	assert_true(fd >= 0);
	run_to(&result, fd, words);
	close(fd);
	exits(&result, 1);
	assert_string_equal(result.err, "memlat-ctl: cannot write to standard output: No space left on device\n");

	/* If the reader ends, the status says so, without a signal. */
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	run_to(&result, ends[1], words);
	close(ends[1]);
	exits(&result, 1);
	assert_string_equal(result.err, "");

	/* Standard output cannot be written at all. */
	fd = open("/dev/null", O_RDONLY);
	assert_true(fd >= 0);
	run_to(&result, fd, words);
	close(fd);
	exits(&result, 1);
	assert_non_null(strstr(result.err, "cannot write to standard output"));
}

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)
#define CAPSTONE	"libcapstone.so." TEXT(CS_API_MAJOR)

/* Only commands that decode code load capstone, because loading it takes half of a start. Few need it. */
TEST_WITH(capstone_when_it_is_needed, own_folder_make, own_folder_remove)
{
	struct result result;

	/* A library that cannot be loaded, and is found first. */
	file_put(in(CAPSTONE), "no ELF", 6);
	assert_int_equal(setenv("LD_LIBRARY_PATH", in("."), 1), 0);
	RUN(&result, "lines", "-i", "golden/before.memlat");
	exits(&result, 0);
	assert_string_equal(result.err, "");
	/* What else decodes code does without, and says so once. */
	RUN(&result, "c2c", "-i", "golden/before.memlat", "--debug-path", "golden");
	exits(&result, 0);
	assert_non_null(strstr(result.err, "memlat-ctl: code cannot be decoded: "));
	assert_null(strstr(strstr(result.err, "decoded") + 1, "decoded"));
	RUN(&result, "dcache", "-i", "golden/before.memlat", "--by", "instruction");
	unsetenv("LD_LIBRARY_PATH");
	exits(&result, 1);
	assert_non_null(strstr(result.err, "memlat-ctl: code cannot be decoded: "));
	assert_non_null(strstr(result.err, "install the package that has " CAPSTONE "\n"));
	/* With the library that this machine has. */
	RUN(&result, "dcache", "-i", "golden/before.memlat", "--by", "instruction");
	exits(&result, 0);
}
