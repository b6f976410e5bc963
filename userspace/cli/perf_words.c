// SPDX-License-Identifier: GPL-2.0
#include "perf_words.h"

#include <stddef.h>
#include <string.h>

struct word {
	const char *perf;
	const char *here;
};

static const struct word commands[] = {
	{ "annotate", "perf's annotate is dcache here: the costliest instructions with the code around them" },
	{ "top", "there is no live screen; this shows what costs most so far: watch memlat-ctl lines" },
	{ "mem", "perf's mem record is record here, and mem report is lines, sites and data; import reads its file" },
	{ "stat", "perf's stat is status here (how much was sampled) and bus (how busy memory is)" },
	{ "script", "each view has its rows for programs: --json or --csv" },
	{ "list", "there is nothing to choose from: --type load,store. What this CPU tells: doctor" },
};

static const struct word options[] = {
	{ "-F", "perf's -F is --max-overhead here: a share of the CPU's time, not a rate" },
	{ "--freq", "perf's --freq is --max-overhead here: a share of the CPU's time, not a rate" },
	{ "-c", "perf's -c is --period here" },
	{ "--count", "perf's --count is --period here" },
	{ "-e", "perf's -e is --type here: load, store or load,store; and --ldlat for how slow" },
	{ "--event", "perf's --event is --type here: load, store or load,store; and --ldlat for how slow" },
	{ "-u", "perf's -u is -U here (--all-user)" },
	{ "-k", "perf's -k is -K here (--all-kernel)" },
	{ "-a", "all CPUs are sampled where nothing else is said (-p, -t, --cgroup, --cpu)" },
	{ "--all-cpus", "all CPUs are sampled where nothing else is said (-p, -t, --cgroup, --cpu)" },
	{ "--stdio", "what is printed is text already; --no-pager keeps it out of a pager" },
	{ "-s", "perf's -s is --sort or --by here, see the command's help" },
};

static const char *find(const struct word *words, size_t nr, const char *typed, size_t length)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(words[i].perf) == length && !memcmp(words[i].perf, typed, length))
			return words[i].here;
	return NULL;
}

const char *perf_command(const char *name)
{
	return find(commands, sizeof(commands) / sizeof(commands[0]), name, strlen(name));
}

const char *perf_option(const char *typed)
{
	return find(options, sizeof(options) / sizeof(options[0]), typed, strcspn(typed, "="));
}
