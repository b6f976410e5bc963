// SPDX-License-Identifier: GPL-2.0
#include "cmd_input.h"

#include <stdio.h>

#include "views/stride.h"

#define TABLES	(1U << MEMLAT_REC_SITE | 1U << MEMLAT_REC_ACCESS | \
		 1U << MEMLAT_REC_THREAD | 1U << MEMLAT_REC_STRIDE)

/* Steps are noted only where they were asked for. */
static bool has_strides(const struct profile *profile, const struct view_options *options)
{
	if (profile->snap.head.status.flags & MEMLAT_F_STRIDE)
		return true;
	if (options->file)
		out_complain("stride: no steps between loads were noted in this profile\n"
			     "  memlat-ctl record --stride -- COMMAND      notes them");
	else
		out_complain("stride: no session here has noted steps between loads\n"
			     "  memlat-ctl start --stride      notes them; or: memlat-ctl record --stride -- COMMAND");
	return false;
}

static int show(struct profile *profile, struct namer *namer,
		const struct view_options *options, const void *context)
{
	const struct stride_view view = {
		.profile = profile, .namer = namer, .show = options->show, .width = out_width(),
	};
	bool *none = *(bool *const *)context;

	*none = !has_strides(profile, options);
	if (*none)
		return 0;
	if (options->format == REPORT_TEXT)
		return stride_print(stdout, &view);
	if (options->format == REPORT_CSV)
		return stride_csv(stdout, &view);
	return view_put(stride_json(&view));
}

static enum exit_status stride_run(int argc, char **argv)
{
	static const struct option known[] = { VIEW_OPTIONS, { 0 } };
	struct cmd_args args = {
		.cmd = &cmd_stride, .argc = argc, .argv = argv,
		.letters = ":" VIEW_LETTERS, .options = known,
	};
	struct view_options options = VIEW_OPTIONS_DEFAULT;
	bool none = false, *context = &none;
	enum exit_status status;

	if (!view_options_read(&args, &options, NULL, NULL))
		return args.status;
	status = view_run(&options, TABLES, "the strides", show, &context);
	return none ? FAILED : status;
}

const struct cmd cmd_stride = {
	.name = "stride",
	.summary = "which instructions walk memory in large strides, and what they walk",
	.help =
"usage: memlat-ctl stride [-i FILE] [-n N] [--json | --csv]\n"
"\n"
"Instructions by the steps between the addresses of their neighbouring loads, of a\n"
"session with --stride (memlat-ctl record --stride, memlat-ctl start --stride). One that\n"
"walks in large strides touches a page for each load or few of them, and pays for\n"
"translations beside cache misses (Intel's optimization manual: large stride\n"
"inefficiency).\n"
"\n"
VIEW_HELP
"\n"
"A pair are two loads of one instruction in one thread with none of its loads between\n"
"them that the CPU recorded. stride is the largest step with at least 5% of the pairs\n"
"that at least 80% of them are multiples of, those of step 0 left out: where a CPU\n"
"records only some of the loads, what is between two is 1, 2, 3, ... times the true\n"
"step. fit is how many are; - means downwards. TLB miss is the share of the site's\n"
"samples that missed the second-level TLB, pages/load how many loads were in another\n"
"page than the one before, data what most of them read, cost the site's share of all\n"
"cycles that loads took. With less than 20 pairs nothing is said.\n"
"\n"
"LARGE STRIDE: 1024 bytes or more, and at least 10% of the samples missed the STLB;\n"
"these are named in a sentence. large stride: the TLB holds what it walks, or does not\n"
"tell. Others: small stride; one address: 80% of the pairs have step 0; irregular: no\n"
"such step; too few pairs.\n",
	.run = stride_run,
};
