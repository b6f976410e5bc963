// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"

struct word {
	const char *perf;
	const char *here;
};

/* Options of the release before, and perf's where a letter or a word does the same. */
static const struct word gone[] = {
	{ "--user", "it is -U (--all-user)" },
	{ "--kernel", "it is -K (--all-kernel)" },
	{ "--cpus", "it is --cpu (-C)" },
	{ "--all", "it is -n 0" },
	{ "--no-pager", "'| cat' or PAGER=cat keeps text out of a pager" },
	{ "--source-path", "it is --debug-path, which takes folders with source files too" },
	{ "--weighted", "it is --by weight" },
	{ "--raw", "it is --by word" },
	{ "--batch", "it is -b" },
	{ "--pairs", "it is -n" },
	{ "--syntax", "it is -M: att or intel" },
	{ "--disassembler-style", "it is -M: att or intel" },
	{ "--node-info", "it is -N" },
	{ "--coalesce", "it is -c (--by)" },
	{ "--stats", "it is --display stats (-d)" },
	{ "--show-all", "it is --display all (-d)" },
	{ "--full-symbols", "it is --display symbols (-d)" },
	{ "--no-source", "it is --display no-source (-d)" },
	{ "--double-cl", "it is --display pairs (-d)" },
	{ "--value", "it is in the format: --format folded:loads, folded:hitm or folded:stores" },
	{ "--kind", "the kinds come behind off or on: 'memlat-ctl prefetch off l2,adjacent'" },
	{ "--compare", "it is --prefetch compare" },
	{ "--hitm", "it is --calibrate hitm" },
	{ "--size", "it is a word of --calibrate: 'memlat-ctl doctor --calibrate 64M'" },
	{ "--dry-run", "-o /dev/null stores nothing" },
};

static const struct word commands[] = {
	{ "mem", "perf's mem record is record here, and mem report is lines and dcache; import reads its file" },
	{ "stat", "perf's stat is status here (how much was sampled) and bus (how busy memory is)" },
	{ "script", "each view has its rows for programs: --json or --csv" },
	{ "list", "there is nothing to choose from: --type load,store. What this CPU reports: doctor" },
};

/* Words that perf has behind commands of the same name. */
static const struct word arguments[] = {
	{ "c2c record", "perf's c2c record is record here; then c2c shows what it wrote" },
	{ "c2c report", "perf's c2c report is c2c here: 'memlat-ctl c2c -i FILE'" },
};

/* Options of perf record, for commands that sample. */
static const struct word sampling[] = {
	{ "-F", "perf's -F is --max-overhead here: a share of the CPU's time, not a rate" },
	{ "--freq", "perf's --freq is --max-overhead here: a share of the CPU's time, not a rate" },
	{ "-c", "perf's -c is --period here" },
	{ "--count", "perf's --count is --period here" },
	{ "-e", "perf's -e is --type here: load, store or load,store; and --ldlat for how slow" },
	{ "--event", "perf's --event is --type here: load, store or load,store; and --ldlat for how slow" },
	{ "-u", "perf's -u is -U here (--all-user)" },
	{ "-k", "perf's -k is -K here (--all-kernel)" },
	{ "-l", "perf's -l is --ldlat here" },
	{ "-a", "all CPUs are sampled unless -p, --tid, --cgroup or --cpu says otherwise" },
	{ "--all-cpus", "all CPUs are sampled unless -p, --tid, --cgroup or --cpu says otherwise" },
};

/* Options of perf report, for views. */
static const struct word looking[] = {
	{ "--stdio", "output is text already; '| cat' keeps it out of a pager" },
	{ "-s", "perf's -s is --sort or --by here, see the command's help" },
	{ "--comms", "perf's --comms is --comm here" },
	{ "--dsos", "perf's --dsos is --module here" },
	{ "--dso", "perf's --dso is --module here" },
	{ "--symbols", "perf's --symbols is --function here" },
	{ "-v", "a wide terminal or --json shows every figure that there is" },
	{ "--verbose", "a wide terminal or --json shows every figure that there is" },
	{ "-f", "a profile may be anybody's, so nothing has to be forced; leave it out" },
	{ "--force", "a profile may be anybody's, so nothing has to be forced; leave it out" },
	{ "-l", "the threshold is chosen when recording: 'memlat-ctl record --ldlat 60 -- COMMAND'" },
	{ "--stitch-lbr", "call chains are of frame pointers here, so there is nothing to stitch: 'memlat-ctl record -g -- COMMAND'" },
	{ "--vmlinux", "names of the kernel come from the running one and its debug files: --debug-path" },
	{ "-F", "the rate is chosen when recording: 'memlat-ctl record --max-overhead 1 -- COMMAND', or --period" },
	{ "-e", "what to sample is chosen when recording: 'memlat-ctl record --type load,store -- COMMAND'" },
	{ "-u", "what to sample is chosen when recording: 'memlat-ctl record -U -- COMMAND'; --program shows only programs' rows" },
	{ "-k", "what to sample is chosen when recording: 'memlat-ctl record -K -- COMMAND'" },
	{ "-a", "this shows all that was sampled; the CPUs are chosen when recording: 'memlat-ctl record -a --duration 10'" },
	{ "--all-cpus", "this shows all that was sampled; the CPUs are chosen when recording: 'memlat-ctl record -a --duration 10'" },
};

#define NR(words)	(sizeof(words) / sizeof((words)[0]))

static const char *known_word(const struct word *words, size_t nr, const char *typed, size_t length)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strlen(words[i].perf) == length && !memcmp(words[i].perf, typed, length))
			return words[i].here;
	return NULL;
}

const char *perf_command(const char *name)
{
	return known_word(commands, NR(commands), name, strlen(name));
}

const char *perf_argument(const char *command, const char *word)
{
	char *both = xasprintf("%s %s", command, word);
	const char *here = known_word(arguments, NR(arguments), both, strlen(both));

	free(both);
	return here;
}

const char *perf_option(const char *typed, bool samples)
{
	size_t length = strcspn(typed, "=");
	const char *here = known_word(gone, NR(gone), typed, length);

	if (here)
		return here;
	return samples ? known_word(sampling, NR(sampling), typed, length) :
			 known_word(looking, NR(looking), typed, length);
}

#define LETTERS_MAX	32	/* longer words are not compared */
#define LETTERS_EACH	3	/* one mistake is allowed for each of these */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * The number of letters that are missing, added, replaced or swapped (the optimal string alignment
 * distance, row by row).
 */
static unsigned int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[3][LETTERS_MAX + 1];
	unsigned int *last = row[0], *now = row[1], *before = row[2], *spare;
	size_t i, j;

	for (j = 0; j <= b_len; j++)
		now[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		spare = before;
		before = last;
		last = now;
		now = spare;
		now[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]),
				       least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return now[b_len];
}

void nearest_offer(struct nearest *near, const char *word)
{
	size_t typed = strlen(near->typed), length = strlen(word);
	unsigned int found;

	if (typed > LETTERS_MAX || length > LETTERS_MAX)
		return;
	found = distance(near->typed, typed, word, length);
	if (found * LETTERS_EACH > length || (near->word && found >= near->distance))
		return;
	near->word = word;
	near->distance = found;
}
