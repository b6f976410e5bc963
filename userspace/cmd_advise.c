// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <numa.h>
#include <stdio.h>
#include <unistd.h>

#include "util/out.h"
#include "views/advise.h"

#define TABLES	(1U << MEMLAT_REC_BUCKETS | 1U << MEMLAT_REC_RAW | \
		 1U << MEMLAT_REC_LINE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_CORE | \
		 1U << MEMLAT_REC_SOURCE | 1U << MEMLAT_REC_COUNT | \
		 1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_STRIDE)

/* for running processes, 20 s each unless --duration is given */
#define HALVES_NS	40000000000ULL

struct options {
	struct sampled_options sampled;
	bool program;
};

static enum exit_status print_advise(struct profile *profile, struct namer *namer,
				     const struct view_options *options, const void *context)
{
	const struct options *own = context;
	const struct advise_shown shown = { .all = !options->show, .width = out_width() };
	struct advise advise;

	advise_take(&advise, profile, namer, own->program);
	REPORT_SHOW(options->format, stdout, advise_print(stdout, &advise, &shown),
		    advise_csv(stdout, &advise), advise_json(&advise));
	if (options->format == REPORT_TEXT)
		namer_print_notes(namer, stdout);
	advise_free(&advise);
	return DONE;
}

static bool options_read(struct options *all, struct cmd_args *args)
{
	struct sampled_options *options = &all->sampled;
	struct record_options *record = &options->record;
	const struct cmd_sets sets[] = { SETS(SELECT_PROGRAM, on, all->program), { 0 } };

	if (!sampled_read(args, options, sets))
		return false;
	if (options->view.show && options->view.show != VIEW_SHOWN) {
		out_complain("advise: -n: give 0, for what saves less than 1 %% too, or leave it out");
		return false;
	}
	if (options->view.time) {
		out_complain("advise: --time: cycles were counted for the whole run, not for a part of it\n"
			     "  memlat-ctl report      shows what loads waited for then");
		return false;
	}
	if (!options->sampled) {
		if (options->view.file)
			return true;
		out_complain("advise: give a command to run, -p PID or -a; or -i and a profile with counts\n"
			     "  memlat-ctl advise -- COMMAND\n"
			     "  memlat-ctl record --counts -- COMMAND      writes memlat.out");
		return false;
	}
	record->counts = true;
	/* Note the node of memory if there are several. Only root may ask for it. */
	if (!geteuid() && numa_available() >= 0 && numa_max_node() > 0)
		record->start.config.flags |= MEMLAT_F_PHYS;
	if (!record->command && !record->duration)
		record->duration_ns = HALVES_NS;
	return sampled_check(options, args);
}

static enum exit_status advise_run(struct cmd_args *args)
{
	struct options options = { .sampled.view = VIEW_OPTIONS_DEFAULT };

	if (!options_read(&options, args))
		return args->status;
	return sampled_run(&options.sampled, TABLES, print_advise, &options);
}

const struct cmd cmd_advise = {
	.name = "advise",
	.summary = "what to change, and how many cycles that would save",
	.usage =
"usage: memlat-ctl advise [OPTIONS] -- COMMAND [ARGUMENT]... | -p PID | -a\n"
"       memlat-ctl advise -i FILE [-n 0] [--json | --csv]\n"
"\n"
"Say what to change against false sharing, and which share of the CPU cycles that would\n"
"save, as an interval; the most certain gain comes first. A command runs twice: it is\n"
"counted, then sampled. A running process is counted for half of the time and sampled\n"
"for the other half. With -i, 'memlat-ctl record --counts' has done that before.\n"
"A share of latency is not a share of time, because a core does other work meanwhile. So\n"
"the interval comes from the cycles in which the CPUs were stalled, and from the samples,\n"
"which say for which loads. If misses overlap others, it is wide, and advise says so.\n"
"\n"
"If the type of a structure, class or variable is known, advise prints the declaration\n"
"that ends the fight, with each member's offset before and after.\n"
"\n"
"With --stride it samples only loads, and finds walks whose lines push each other out of\n"
"L1 because they fall into few of its sets.\n",
	.notes =
"and all other options of record except -o, --counts, --delay and --interval:\n"
"memlat-ctl record --help. The exit status is the command's.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(ROWS_N, .text = "0: also what saves less than 1 %, and all members of long structures"),
		TAKES(SELECT_PROGRAM, .text = "no lines of the kernel's own memory; the gains stay what they are"),
		TAKES(ALL_CPUS), TAKES(DURATION, .text = "with -p and -a: S seconds in all (40)"),
		VIEW_INPUT, VIEW_FORM,
		TAKES(UNPRINTED), TAKES(COMMAND), START_WHOM, START_WHAT, START_AND, TAKES(HEAP), { 0 }
	},
	.command = true,
	.run = advise_run,
};
