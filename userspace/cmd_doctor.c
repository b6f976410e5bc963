// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/doctor.h"
#include "measure/calibrate.h"
#include "cli/open.h"
#include "host/device.h"
#include "profile/machine.h"
#include "record/follow.h"
#include "measure/judge.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/views.h"

#define SHOWN_MAX	(4 * 256)
#define SIZE_LEAST	4096
#define SIZE_MOST	(1ULL << 34)

struct options {
	bool test, no_guests, calibrate;
	enum report_format format;
	struct calibrate_options what;	/* of --calibrate */
	const char *caches, *size, *file;
};

#define DEBUG_FOLDERS	"/usr/lib/debug/.build-id"

/* The path of debuginfod's cache, found as its own client does. */
static char *debuginfod_cache(void)
{
	const char *named = getenv("DEBUGINFOD_CACHE_PATH");
	const char *caches = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (named && *named)
		return xstrdup(named);
	if (caches && *caches)
		return xasprintf("%s/debuginfod_client", caches);
	return xasprintf("%s/.cache/debuginfod_client", home ? home : "");
}

static void ask_device(struct doctor_facts *facts)
{
	struct memlat_status state;
	int fd = memlat_device_open();

	facts->device_error = fd < 0 ? -fd : 0;
	if (fd < 0)
		return;
	facts->device_error = -memlat_device_query(fd, &facts->query);
	facts->running = !memlat_device_status(fd, &state) &&
			 state.state == MEMLAT_STATE_RUNNING;
	facts->cpus_still = facts->running ? state.cpus_still : 0;
	text_plain(facts->query.model_title, sizeof(facts->query.model_title));
	close(fd);
}

static void look_for_heap_library(struct doctor_facts *facts)
{
	char path[PATH_MAX];

	if (heap_library_find(path))
		snprintf(facts->heap_library, sizeof(facts->heap_library), "%.*s",
			 (int)sizeof(facts->heap_library) - 1, path);
}

static void collect_facts(struct doctor_facts *facts)
{
	struct doctor_paths paths = {
		.proc = "/proc", .sys = "/sys", .log = "/dev/kmsg",
	};
	char *cache = debuginfod_cache(), *modules = NULL;
	char *debug = xasprintf("%s:%s", DEBUG_FOLDERS, cache);
	struct utsname kernel;

	if (!uname(&kernel))
		modules = xasprintf("/lib/modules/%s", kernel.release);
	paths.debug = debug;
	paths.modules = modules;
	doctor_look(facts, &paths);
	ask_device(facts);
	facts->nr_holders = holders_find(facts->holders, DOCTOR_HOLDERS, 0);
	look_for_heap_library(facts);
	free(cache);
	free(debug);
	free(modules);
}

static bool take_what(struct options *options, const char *text)
{
	enum number_result result;
	uint64_t bytes;

	options->calibrate = true;
	options->what.size = 0;
	options->size = NULL;
	options->what.hitm = !strcmp(text, "hitm");
	if (options->what.hitm || !strcmp(text, "levels"))
		return true;
	result = number_parse_size(text, SIZE_LEAST, SIZE_MOST, &bytes);
	if (result == NUMBER_OK) {
		options->what.size = bytes;
		options->size = text;
		return true;
	}
	return cmd_refuse_number("--calibrate", text, result,
				 "levels, hitm, or 4K to 16G, bytes of lines that are walked, such as 512K or 64M");
}

/* Parse "32K,1M,22M": L1, L2 and, if there is one, L3. */
static bool take_caches(struct options *options, const char *text)
{
	char copy[128], *at = copy, *part;
	__u64 caches[PLAN_CACHES] = { 0 };
	unsigned int nr = 0;
	uint64_t bytes = 0;

	options->caches = text;
	if (strlen(text) < sizeof(copy)) {
		strcpy(copy, text);
		while (nr <= PLAN_CACHES && (part = strsep(&at, ","))) {
			if (nr == PLAN_CACHES ||
			    number_parse_size(part, bytes + 1, SIZE_MOST, &bytes) != NUMBER_OK)
				nr = PLAN_CACHES + 1;
			else
				caches[nr++] = bytes;
		}
	}
	if (nr >= 1 && nr <= PLAN_CACHES && caches[0] >= SIZE_LEAST) {
		memcpy(options->what.caches, caches, sizeof(caches));
		return true;
	}
	return cmd_refuse("--caches", text,
			  "not sizes of caches, each larger than the one before; give those of L1, L2 and L3, such as 32K,1M,22M");
}

static bool read_option(void *context, int option)
{
	struct options *options = context;

	if (option == OPT_CALIBRATE)
		return take_what(options, optarg);
	if (option == OPT_CACHES)
		return take_caches(options, optarg);
	options->what.some_cpus = true;
	return cmd_take_cpus("--cpu", optarg, options->what.cpus) &&
	       cmd_cpus_possible("--cpu", optarg, options->what.cpus);
}

static const char *option_conflict(const struct options *options)
{
	if (options->test && options->calibrate)
		return "doctor: --selftest and --calibrate: give one of them";
	if (options->no_guests && !options->test)
		return "doctor: --no-guests is for --selftest; leave it out";
	if (!options->calibrate && (options->file || options->what.some_cpus || options->caches))
		return "doctor: -o, -C and --caches are for --calibrate; leave them out";
	if (options->size && (options->file || options->caches))
		return "doctor: a size alone is measured: it stores nothing and finds no levels; leave out -o and --caches, or give --calibrate levels";
	return NULL;
}

/* Only on a terminal, where the line is erased before the report. */
static void tell_progress(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s%s", what, *what ? " ..." : "");
}

static enum exit_status report(const struct selftest *test, enum report_format format)
{
	struct selftest_check checks[SELFTEST_CHECKS];
	size_t nr = selftest_judge(test, checks);

	selftest_print(stdout, format, test, checks, nr);
	return selftest_plausible(checks, nr) ? DONE : FAILED;
}

static enum exit_status selftest(int fd, const struct memlat_query *query, void *context)
{
	const struct options *options = context;
	const struct sample *refused;
	enum exit_status status = FAILED;
	struct selftest test;
	int ret = selftest_run(&test, fd, query,
			       options->no_guests ? MEMLAT_F_NO_GUESTS : 0, tell_progress, &refused);

	tell_progress("");
	if (ret)
		out_complain("doctor --selftest: cannot find out what this machine is: %s", strerror(-ret));
	else if (refused)
		refusal_explain(fd, refused->refused, &refused->config, query);
	else
		status = report(&test, options->format);
	selftest_free(&test);
	return status;
}

/* Find the model's name in the module's spelling, which is looked for in the file later. */
static bool find_model(struct memlat_query *query)
{
	static struct doctor_facts facts;
	const char *name;
	int fd = memlat_device_open();

	memset(query, 0, sizeof(*query));
	if (fd >= 0) {
		int ret = memlat_device_query(fd, query);

		close(fd);
		if (!ret && query->model_name[0])
			return true;
		memset(query, 0, sizeof(*query));
	}
	doctor_look(&facts, &(struct doctor_paths){ .proc = "/proc" });
	name = cpu_models_name(&facts.cpu);
	snprintf(query->model_name, sizeof(query->model_name), "%s", name ? name : "unknown");
	return name;
}

/* Find where the file goes, before minutes are spent on measuring; NULL: leave with *status. */
static const char *find_path(const struct options *options, char path[MACHINE_EDGES_PATH])
{
	const char *wrong = options->file ? store_wrong(options->file) : NULL;

	if (wrong) {
		cmd_refuse("-o", options->file, "%s; give the name of a file", wrong);
		return NULL;
	}
	if (options->file)
		return options->file;
	if (machine_edges_path(path, !geteuid()))
		return path;
	out_complain("doctor --calibrate: no folder for the result: neither XDG_CONFIG_HOME nor HOME is set\n"
		     "  -o FILE, or -o /dev/null to store nothing");
	return NULL;
}

static void calibration_show(const struct calibration *calibration, enum report_format format,
			     const char *stored)
{
	if (format == REPORT_TEXT)
		calibrate_print(stdout, calibration, stored);
	else if (format == REPORT_CSV)
		calibrate_csv(stdout, calibration);
	else
		json_print(stdout, calibrate_json(calibration, stored));
}

static enum exit_status measure(const struct options *options,
				const struct memlat_query *query, const char *path)
{
	struct calibration calibration;
	enum exit_status status = DONE;
	char shown[SHOWN_MAX], why[FILE_NEW_WHY_MAX];
	const char *what;
	int ret;

	ret = calibrate(&calibration, &options->what, query, tell_progress, &what);
	if (ret) {
		out_complain("doctor --calibrate: cannot %s: %s", what, strerror(-ret));
		calibration_free(&calibration);
		return FAILED;
	}
	if (path && store_write(path, !options->file, calibrate_file_json(&calibration), why)) {
		out_complain("doctor --calibrate: cannot write %s: %s; give another place with -o FILE",
			     text_escape(shown, sizeof(shown), path), why);
		path = NULL;
		status = FAILED;
	}
	calibration_show(&calibration, options->format, path);
	calibration_free(&calibration);
	return status;
}

/* Is the file one that stores nothing? */
static bool is_nothing(const char *file)
{
	return file && !strcmp(file, "/dev/null");
}

static enum exit_status calibrate_run(const struct options *options)
{
	struct memlat_query query;
	const char *path = NULL;
	char room[MACHINE_EDGES_PATH];
	bool stored = !is_nothing(options->file) && !options->size;

	if (!find_model(&query) && stored && !options->file) {
		/* Nothing would read a file for a CPU that memlat does not know. */
		fputs("memlat-ctl: doctor --calibrate: memlat does not sample on this CPU, so nothing is stored\n",
		      stderr);
		stored = false;
	}
	if (stored) {
		path = find_path(options, room);
		if (!path)
			return FAILED;
	}
	return measure(options, &query, path);
}

static enum exit_status doctor(enum report_format format)
{
	struct doctor_check checks[DOCTOR_CHECKS];
	struct doctor_facts facts;
	size_t nr;

	collect_facts(&facts);
	nr = doctor_judge(&facts, checks);
	doctor_print(stdout, format, checks, nr);
	return doctor_verdict(checks, nr) == DOCTOR_OK ? DONE : FAILED;
}

static enum exit_status doctor_run(struct cmd_args *args)
{
	struct options options = { .format = REPORT_TEXT };
	const struct cmd_sets sets[] = {
		SETS(SELFTEST, on, options.test), SETS(NO_GUESTS, on, options.no_guests),
		SETS(OUTPUT, text, options.file), SETS_FORMS(options.format), { 0 }
	};

	if (!cmd_options(args, sets, read_option, &options) || !cmd_fits(args, option_conflict(&options)))
		return args->status;
	return options.test ? cmd_with_device(selftest, &options) :
	       options.calibrate ? calibrate_run(&options) : doctor(options.format);
}

static const char *const calibrations[] = { "levels", "hitm" };
static const struct cmd_words calibrate_words = { "not to be measured", 2, .list = calibrations };

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "is this machine ready for memlat, and what to type if not",
	.usage =
"usage: memlat-ctl doctor [--json | --csv]\n"
"       memlat-ctl doctor --selftest [--no-guests] [--json | --csv]\n"
"       memlat-ctl doctor --calibrate WHAT [-C LIST] [--caches SIZES] [-o FILE] [--json | --csv]\n"
"\n"
"Check whether this machine is ready for memlat, and print one line per condition: ok,\n"
"fix (the next line says what to type), or no. The last line is the verdict, which is\n"
"also the exit status: 0 ready, 1 not ready. doctor needs neither the module nor root,\n"
"sees more as root, and changes nothing.\n",
	.notes =
"--selftest runs programs with a known answer, each under a session of its own: pointer\n"
"chases in each cache and in memory (where loads are served from, and how long they take,\n"
"also by the clock), and two cores that write to one line (HITM) and to lines of their own\n"
"(none). It also checks every equation of the accounts, and the PMU afterwards. Run it\n"
"first on a new machine, while the machine is idle. The report has no names of hosts or\n"
"processes and no addresses, so you can send it to others. The exit status is 0 if all is\n"
"plausible, and 1 if anything is not, or nothing could be measured. Checks that this machine\n"
"cannot do are skipped, with the reason. The tables of the last session are lost.\n"
"\n"
"--calibrate measures the latency of a load that is served from L1, L2, L3, the memory of\n"
"this node and of each other node, by chasing pointers in an order that no prefetcher can\n"
"follow, in several sizes. The figure is the median of all runs. It takes seconds, and needs\n"
"neither the module nor a privilege. Run it while the machine is idle. The results of root go\n"
"to /etc/memlat/latencies.json, those of other users to $XDG_CONFIG_HOME/memlat or\n"
"~/.config/memlat, which takes precedence. From then on the latency buckets of dcache and\n"
"the verdicts of --selftest use them. Without a file for this CPU's model they use what is\n"
"plausible for the model, and say so. A level's edge lies between its own latency and that\n"
"of the next slower one. Cycles are core cycles, which perf counts if it can. Otherwise they\n"
"are ticks of the TSC divided by the ticks of an addition, which takes one cycle.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(SELFTEST), TAKES(NO_GUESTS, .text = "with --selftest: you state that no hypervisor but KVM runs a guest"),
		TAKES(CALIBRATE, .words = &calibrate_words), TAKES(CACHES),
		TAKES(CPU, .text = "with --calibrate: on each of these CPUs, such as 0,8 (the first that may be used)"),
		TAKES(OUTPUT, .text = "with --calibrate: store the results here; /dev/null: store nothing"),
		CMD_FORMS, { 0 }
	},
	.run = doctor_run,
};
