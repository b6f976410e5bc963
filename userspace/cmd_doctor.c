// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "analysis/doctor.h"
#include "host/device.h"
#include "record/preload.h"
#include "util/text.h"
#include "util/xalloc.h"
#include "views/views.h"

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

static void look(struct doctor_facts *facts)
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

static bool take(void *format, int option)
{
	return report_format_take(format, option == OPT_CSV ? REPORT_CSV : REPORT_JSON);
}

static const struct option known[] = {
	CMD_FORM_OPTIONS, { 0 }
};

static enum exit_status doctor_run(struct cmd_args *args)
{
	struct doctor_check checks[DOCTOR_CHECKS];
	struct doctor_facts facts;
	enum report_format format = REPORT_TEXT;
	size_t nr;

	if (!cmd_options(args, take, &format))
		return args->status;
	look(&facts);
	nr = doctor_judge(&facts, checks);
	doctor_print(stdout, format, checks, nr);
	return doctor_verdict(checks, nr) == DOCTOR_OK ? DONE : FAILED;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "is this machine ready for memlat, and what to type if not",
	.help =
"usage: memlat-ctl doctor [--json | --csv]\n"
"\n"
"Check whether this machine is ready for memlat, and print one line per condition: ok,\n"
"fix (the next line says what to type), or no. The last line is the verdict, which is\n"
"also the exit status: 0 ready, 1 not ready. doctor needs neither the module nor root,\n"
"sees more as root, and changes nothing.\n"
"\n"
"  --json, --csv      for programs: the same\n"
"  -h, --help         this text\n",
	.options = known,
	.run = doctor_run,
};
