// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/views.h"

#define TABLES	(1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_STRIDE)

/* A session records strides only if asked to. */
static bool has_strides(const struct profile *profile, const struct view_options *options)
{
	if (profile->snap.head.status.flags & MEMLAT_F_STRIDE)
		return true;
	if (options->file)
		out_complain("stride: this profile has no steps between loads\n"
			     "  memlat-ctl record --stride -- COMMAND      records them");
	else if (profile->snap.head.status.state == MEMLAT_STATE_RUNNING)
		out_complain("stride: this session records no steps between loads\n"
			     "  memlat-ctl stop && memlat-ctl start --stride      records them");
	else
		out_complain("stride: no session here has recorded steps between loads\n"
			     "  memlat-ctl start --stride      records them, or:\n"
			     "  memlat-ctl record --stride -- COMMAND");
	return false;
}

static enum exit_status print_stride(struct profile *profile, struct namer *namer,
				     const struct view_options *options, const void *unused)
{
	const struct rows_view view = view_rows(profile, namer, options);
	struct json_object *document;

	if (!has_strides(profile, options))
		return FAILED;
	document = stride_show(stdout, options->format, &view);
	if (document)
		json_print(stdout, document);
	return DONE;
}

static bool options_read(struct sampled_options *options, struct cmd_args *args)
{
	struct memlat_config *config = &options->record.start.config;

	if (!sampled_read(args, options, NULL))
		return false;
	if (!options->sampled)
		return true;
	config->flags |= MEMLAT_F_STRIDE;
	/*
	 * The budget has few bursts, and each has to be where the answer may be: in the code that
	 * can be changed, and of loads that may have missed the STLB, which are slow.
	 */
	if (!(config->flags & (MEMLAT_F_USER | MEMLAT_F_KERNEL)) && !options->record.start.everything)
		config->flags |= MEMLAT_F_USER;
	if (!options->record.start.ldlat)
		options->record.start.ldlat_default = MEMLAT_LDLAT_DEFAULT;
	return sampled_check(options, args);
}

static enum exit_status stride_run(struct cmd_args *args)
{
	struct sampled_options options = { .view = VIEW_OPTIONS_OF(STRIDES) };

	if (!options_read(&options, args))
		return args->status;
	return sampled_run(&options, TABLES, print_stride, NULL);
}

const struct cmd cmd_stride = {
	.name = "stride",
	.summary = "which instructions walk memory in large strides, and what they walk",
	.usage =
"usage: memlat-ctl stride [-i FILE] [-n N] [--json | --csv]\n"
"       memlat-ctl stride [OPTIONS] -- COMMAND [ARGUMENT]... | -p PID | -a\n"
"\n"
"Show instructions by the steps between the addresses of their neighbouring loads. They\n"
"come from a session with --stride (memlat-ctl record --stride, memlat-ctl start\n"
"--stride), or are sampled now, as by record: of a command, a process or everything. An\n"
"instruction with a large stride touches another page with every load or every few loads,\n"
"and pays for address translation on top of cache misses (Intel's optimization manual:\n"
"large stride inefficiency).\n",
	.notes =
"All other options of record can be given too, except -o, --heap, --counts, --delay and\n"
"--interval: memlat-ctl record --help. Then --ldlat is 30, because a load that misses the STLB\n"
"is slow, and of a command or process only user mode is sampled; -K samples the kernel.\n"
"\n"
"A pair is two loads of one instruction that were recorded one after the other in one\n"
"burst. stride is the largest divisor that at least 80% of the pairs' steps have in\n"
"common, give or take a 64th (step 0 does not count), if the instruction walks: its steps\n"
"go one way, or go on as the step before. A CPU records only some of the loads, so the\n"
"distance of two is 1, 2, 3, ... times the true step. fit is the share of the steps that\n"
"fit; - means downwards. TLB miss is the share of the site's samples that missed the\n"
"second-level TLB, pages/load the share of loads in another page than the one before,\n"
"data what most of them read, cost the site's share of all cycles that loads took.\n"
"\n"
"LARGE STRIDE: 1024 bytes or more, and at least 10% of the samples missed the STLB; a\n"
"sentence names these. large stride: the TLB holds what it walks, or the CPU does not\n"
"report TLB misses. Others: small stride; one address: 80% of the pairs have step 0;\n"
"irregular: no such divisor, or no walk; too few pairs: fewer than 20 with a step.\n",
	.takes = (const struct cmd_takes[]){
		VIEW_CODE, VIEW_REST, TAKES(TEXT, .text = "\nTo sample now, and show the result when it ends (the exit status is the command's):"),
		START_UNTIL,
		TAKES(UNPRINTED), VIEW_DATA, START_WHOM, START_WHAT, START_AND, { 0 }
	},
	.command = true,
	.run = stride_run,
};
