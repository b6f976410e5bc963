// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/open.h"
#include "host/privilege.h"
#include "import/import.h"
#include "names/namer.h"
#include "profile/file.h"
#include "profile/history.h"
#include "util/command.h"
#include "util/text.h"
#include "views/quality.h"

#define SHOWN_MAX	(4 * 256)

static void print_names(const struct profile *profile)
{
	const __u64 lost = history_lost_events(profile->history);
	char count[TEXT_NUMBER_MAX];

	if (lost)
		fprintf(stderr,
			"(perf lost, or has damaged, %s events of processes and mappings: names may be missing)\n",
			text_count(count, lost));
}

static enum exit_status import(const char *input, const char *output)
{
	char shown[SHOWN_MAX], why[PERF_FILE_ERROR_MAX];
	struct profile profile;
	struct namer *namer;
	int ret;

	/* Keep what reading the kernel's names takes, if this kernel was recorded. */
	privilege_drop(NEED_TO_WRITE);
	ret = import_perf(&profile, input, IMPORT_MEMORY, why);
	if (ret) {
		cmd_refuse("cannot import", input, "%s", *why ? why : strerror(-ret));
		return FAILED;
	}
	cmd_warn_account(&profile.snap);
	namer = namer_new(&profile, NULL);
	profile.known = namer_keep(namer);
	namer_free(namer);
	ret = profile_write(&profile, output, why);
	if (ret) {
		cmd_refuse("cannot write the profile", output, "%s", why);
	} else {
		quality_print(stderr, &profile.snap.head.status);
		print_names(&profile);
		if (!profile.snap.head.status.samples)
			quality_print_hint(stderr, &profile.snap.head.status);
		command_reads("input", output);
		fprintf(stderr, "wrote %s\n", text_typed(shown, sizeof(shown), output));
		command_say(stderr, "see: memlat-ctl report | memlat-ctl c2c | memlat-ctl dcache | memlat-ctl dcache --by data\n");
	}
	profile_free(&profile);
	return ret ? FAILED : DONE;
}

static enum exit_status import_run(struct cmd_args *args)
{
	const char *output = PROFILE_DEFAULT;
	const struct cmd_sets sets[] = { SETS(OUTPUT, text, output), { 0 } };

	if (!cmd_options(args, sets, NULL, NULL))
		return args->status;
	if (args->argc - optind == 1)
		return import(args->argv[optind], output);
	out_complain("import: give one file of perf's\n  memlat-ctl import perf.data -o " PROFILE_DEFAULT);
	return MISUSED;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "a profile from a perf.data, where no module may be loaded",
	.usage =
"usage: memlat-ctl import perf.data [-o FILE]\n"
"\n"
"Make a profile from a file that 'perf mem record' or 'perf c2c record' wrote, for every\n"
"view: memlat-ctl c2c -i FILE, and so on. It takes loads and stores that Intel's PEBS or\n"
"AMD's IBS sampled, and of Arm's SPE what 'perf inject --itrace=M' makes of its trace.\n",
	.notes =
"The second line of every view says what such a file does not contain. perf mem record\n"
"records CPUs only with -a or --sample-cpu; perf c2c record always does. Import the file\n"
"soon, and on the same machine, while its programs and its kernel are still there to\n"
"give names.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(OUTPUT, .text = "the profile (memlat.out); an older one stays until the new one is complete"), TAKES(HELP), { 0 }
	},
	.rest = true,
	.run = import_run,
};
