// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/doctor.h"
#include "calibrate/calibrate.h"
#include "host/device.h"
#include "profile/machine_edges.h"
#include "util/text.h"
#include "views/views.h"

#define SHOWN_MAX	(4 * 256)
#define SIZE_LEAST	4096
#define SIZE_MOST	(1ULL << 34)

enum { OPT_SIZE = OPT_OWN, OPT_CACHES, OPT_HITM, OPT_DRY_RUN };

struct options {
	struct calibrate_options what;
	enum report_format format;
	const char *size;
	const char *file;
	bool dry;
};

static bool take_size(struct options *options, const char *text)
{
	uint64_t bytes;
	enum number_result result = number_parse_size(text, SIZE_LEAST, SIZE_MOST, &bytes);

	if (result == NUMBER_OK) {
		options->what.size = bytes;
		options->size = text;
		return true;
	}
	return cmd_refuse_number("--size", text, result,
				 "4K to 16G, bytes of lines that are walked, such as 512K or 64M");
}

/* Parse "32K,1M,22M": L1, L2 and, if there is one, L3. */
static bool take_caches(struct options *options, const char *text)
{
	char copy[128], *at = copy, *part;
	__u64 caches[PLAN_CACHES] = { 0 };
	unsigned int nr = 0;
	uint64_t bytes = 0;

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

static bool take_cpus(struct options *options, const char *text)
{
	options->what.some_cpus = true;
	return cmd_take_cpus("--cpus", text, options->what.cpus) &&
	       cmd_cpus_possible("--cpus", text, options->what.cpus);
}

static bool take(void *context, int option)
{
	struct options *options = context;

	switch (option) {
	case OPT_SIZE:
		return take_size(options, optarg);
	case OPT_CACHES:
		return take_caches(options, optarg);
	case 'C':
		return take_cpus(options, optarg);
	case OPT_HITM:
		options->what.hitm = true;
		return true;
	case 'o':
		options->file = optarg;
		return true;
	case OPT_DRY_RUN:
		options->dry = true;
		return true;
	case OPT_JSON:
		return report_format_take(&options->format, REPORT_JSON);
	default:
		return report_format_take(&options->format, REPORT_CSV);
	}
}

static const char *clash(const struct options *options)
{
	if (options->file && options->dry)
		return "calibrate: -o and --dry-run: one writes a file, the other none; leave out one of them";
	if (options->size && (options->file || options->what.hitm || options->what.caches[0]))
		return "calibrate: --size measures one size only: it stores nothing and finds no levels; leave out the others, or --size";
	return NULL;
}

static const struct option known[] = {
	{ "size", required_argument, NULL, OPT_SIZE },
	{ "caches", required_argument, NULL, OPT_CACHES },
	{ "cpus", required_argument, NULL, OPT_LETTER + 'C' },
	{ "hitm", no_argument, NULL, OPT_HITM },
	{ "output", required_argument, NULL, OPT_LETTER + 'o' },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	CMD_FORM_OPTIONS, { 0 }
};

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
	out_complain("calibrate: no folder for the result: neither XDG_CONFIG_HOME nor HOME is set\n"
		     "  -o FILE, or --dry-run");
	return NULL;
}

static void progress(const char *what)
{
	static bool shown;

	if (!isatty(STDERR_FILENO))
		return;
	if (*what)
		fprintf(stderr, "\r\033[Kcalibrate: %s", what);
	else if (shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	shown = *what;
}

static void show(const struct calibration *calibration, enum report_format format,
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

	ret = calibrate(&calibration, &options->what, query, progress, &what);
	if (ret) {
		out_complain("calibrate: cannot %s: %s", what, strerror(-ret));
		calibration_free(&calibration);
		return FAILED;
	}
	if (path && store_write(path, !options->file, calibrate_file_json(&calibration), why)) {
		out_complain("calibrate: cannot write %s: %s; give another place with -o FILE",
			     text_escape(shown, sizeof(shown), path), why);
		path = NULL;
		status = FAILED;
	}
	show(&calibration, options->format, path);
	calibration_free(&calibration);
	return status;
}

static enum exit_status calibrate_run(struct cmd_args *args)
{
	struct options options = { .format = REPORT_TEXT };
	struct memlat_query query;
	const char *path = NULL;
	char room[MACHINE_EDGES_PATH];
	bool stored;

	if (!cmd_options(args, take, &options) || !cmd_fits(args, clash(&options)))
		return args->status;
	stored = !options.dry && !options.size;
	if (!find_model(&query) && stored && !options.file) {
		/* Nothing would read a file for a CPU that memlat does not know. */
		fputs("memlat-ctl: calibrate: memlat does not sample on this CPU, so nothing is stored\n",
		      stderr);
		stored = false;
	}
	if (stored) {
		path = find_path(&options, room);
		if (!path)
			return FAILED;
	}
	return measure(&options, &query, path);
}

const struct cmd cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure this machine's latencies, for the views' headings",
	.help =
"usage: memlat-ctl calibrate [--hitm] [-C LIST] [--caches SIZES] [-o FILE | --dry-run]\n"
"                            [--json | --csv]\n"
"       memlat-ctl calibrate --size SIZE [-C LIST] [--json | --csv]\n"
"\n"
"Measure the latency of a load that is served from L1, L2, L3, the memory of this node\n"
"and of each other node, by chasing pointers in an order that no prefetcher can follow,\n"
"in several sizes. The figure is the median of all runs. calibrate takes seconds, and\n"
"needs neither the module nor a privilege. Run it while the machine is idle.\n"
"\n"
"  --hitm             also lines that another core has modified: one core of the same\n"
"                     socket, one of another; with -C each pair of these CPUs\n"
"  -C, --cpus LIST    on each of these CPUs, such as 0,8 (the first that may be used)\n"
"  --caches SIZES     sizes of L1, L2 and L3, such as 32K,1M,22M, if the machine does\n"
"                     not report them or (a virtual one) reports wrong ones\n"
"  --size SIZE        walk lines of this many bytes and nothing else; store nothing\n"
"  -o, --output FILE  store the results here\n"
"  --dry-run          store nothing\n"
"  --json, --csv      for programs, with stable keys\n"
"  -h, --help         this text\n"
"\n"
"The results of root go to /etc/memlat/latencies.json, those of other users to\n"
"$XDG_CONFIG_HOME/memlat or ~/.config/memlat, which takes precedence. From then on the\n"
"latency buckets of dcache and the verdicts of selftest use them. Without a file for\n"
"this CPU's model they use what is plausible for the model, and say so. A level's edge\n"
"lies between its own latency and that of the next slower one.\n"
"\n"
"Cycles are core cycles, which perf counts if it can. Otherwise they are ticks of the\n"
"TSC divided by the ticks of an addition, which takes one cycle.\n",
	.options = known,
	.run = calibrate_run,
};
