// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/open.h"
#include "host/prefetch.h"
#include "util/cpulist.h"
#include "views/views.h"

struct options {
	struct memlat_prefetch ask;	/* op, kinds, cpus */
	enum report_format format;
	const char *listed;		/* CPUs, as typed; NULL: none were */
};

static bool take_word(struct options *options, char **words, int nr)
{
	static const char *const ops[] = {
		[MEMLAT_PREFETCH_SHOW] = "show",
		[MEMLAT_PREFETCH_OFF] = "off",
		[MEMLAT_PREFETCH_ON] = "on",
	};
	__u32 op;

	if (!nr) {
		out_complain("prefetch: give show, off or on\n  memlat-ctl prefetch --help");
		return false;
	}
	for (op = 0; op < sizeof(ops) / sizeof(ops[0]); op++)
		if (!strcmp(words[0], ops[op]))
			break;
	if (op == sizeof(ops) / sizeof(ops[0]) || nr > 2 || (op == MEMLAT_PREFETCH_SHOW && nr > 1))
		return cmd_refuse("prefetch:", words[nr - 1],
				  "give show, off or on; behind off or on which, and nothing else but options\n"
				  "  memlat-ctl prefetch --help");
	options->ask.op = op;
	if (nr > 1 && !prefetch_parse(words[1], &options->ask.kinds))
		return cmd_refuse("prefetch:", words[1],
				  "not a list of prefetchers; give some of " PREFETCH_NAMES ", such as l2,adjacent");
	if (op != MEMLAT_PREFETCH_SHOW && options->format == REPORT_CSV) {
		out_complain("prefetch %s: it has no output in CSV; leave out --csv", ops[op]);
		return false;
	}
	return true;
}

static bool read_option(void *context, int option)
{
	struct options *options = context;

	options->listed = optarg;
	return cmd_take_cpus("--cpu", optarg, options->ask.cpus);
}

static bool options_read(struct cmd_args *args, struct options *options)
{
	const struct cmd_sets sets[] = { SETS_FORMS(options->format), { 0 } };

	*options = (struct options) { .format = REPORT_TEXT };
	return cmd_options(args, sets, read_option, options) &&
	       take_word(options, args->argv + optind, args->argc - optind) &&
	       (!options->listed ||
		cmd_cpus_possible("--cpu", options->listed, options->ask.cpus));
}

/* Print the state of every CPU in the list, or of all possible CPUs. */
static bool read_state(int fd, const struct memlat_query *query, const struct options *options,
		       struct prefetch_state *state)
{
	__u64 cpus[MEMLAT_CPU_WORDS];
	unsigned int cpu;

	if (options->listed) {
		memcpy(cpus, options->ask.cpus, sizeof(cpus));
	} else if (!cpulist_possible(cpus)) {
		out_complain("sysfs does not say which CPUs there are; give them with --cpu");
		return false;
	}
	for (cpu = 0; cpu < CPULIST_CPUS; cpu++) {
		struct memlat_prefetch p = { .op = MEMLAT_PREFETCH_SHOW, .cpu = cpu };

		if (!(cpus[cpu / 64] >> cpu % 64 & 1))
			continue;
		if (!prefetch_ask(fd, query, &p))
			return false;
		prefetch_add(state, cpu, &p);
	}
	return true;
}

static enum exit_status print_state(int fd, const struct memlat_query *query,
				    const struct options *options)
{
	struct prefetch_state state = { 0 };
	enum exit_status status = FAILED;

	if (!read_state(fd, query, options, &state)) {
		prefetch_free(&state);
		return FAILED;
	}
	/* Text does not show a table without known prefetchers. */
	if (state.known || options->format != REPORT_TEXT)
		prefetch_print(stdout, options->format, &state);
	if (state.known)
		status = DONE;
	else
		out_complain("Intel does not document which prefetchers are on, on a CPU of this machine (%s)",
			     query->model_title);
	prefetch_free(&state);
	return status;
}

static enum exit_status show_or_change(int fd, const struct memlat_query *query, void *context)
{
	const struct options *options = context;
	struct memlat_prefetch p = options->ask;

	if (p.op == MEMLAT_PREFETCH_SHOW)
		return print_state(fd, query, options);
	if (!prefetch_ask(fd, query, &p))
		return FAILED;
	if (p.changed)
		out_complain("warning: on %u CPU%s someone else turned on prefetchers that memlat had turned off; they stay on",
			     p.changed, p.changed == 1 ? "" : "s");
	return print_state(fd, query, options);
}

static enum exit_status prefetch_run(struct cmd_args *args)
{
	struct options options;

	return options_read(args, &options) ? cmd_with_device(show_or_change, &options) :
					      args->status;
}

const struct cmd cmd_prefetch = {
	.name = "prefetch",
	.summary = "show the hardware prefetchers, turn them off, put them back",
	.usage =
"usage: memlat-ctl prefetch show [--cpu LIST] [--json | --csv]\n"
"       memlat-ctl prefetch off | on [KINDS] [--cpu LIST] [--json]\n"
"\n"
"Show the prefetchers of each CPU, turn them off, or restore them as they were found:\n"
"what was off before stays off. They stay off until anyone runs on, or until the module\n"
"is unloaded, also on CPUs that go offline and return, and across a suspend. The threads\n"
"of a core share its prefetchers, and so do the E-cores of a module. They are those of\n"
"MSR 0x1a4 that Intel documents for the CPU. No session is needed; off and on require\n"
"root or CAP_SYS_RAWIO.\n"
"\n"
"KINDS, with commas between them: l2 (streams to L2), adjacent (the other line of 128\n"
"bytes, to L2), dcu (the next line, to L1), ip (an instruction's next stride, to L1),\n"
"page (the next page, to L1), amp (patterns seen before, to L2), llcpage (the next page,\n"
"to L3), aop (what an array of pointers points to); without it all.\n",
	.takes = (const struct cmd_takes[]){
		TAKES(CPU), CMD_FORMS, { 0 }
	},
	.rest = true,
	.run = prefetch_run,
};
