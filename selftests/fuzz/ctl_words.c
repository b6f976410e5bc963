// SPDX-License-Identifier: GPL-2.0
/* What users type: numbers, sizes, percentages, lists of CPUs, options. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/start_options.h"
#include "cmd.h"
#include "ctl.h"
#include "util/cpulist.h"
#include "util/number.h"
#include "util/text.h"

#define WORDS_MOST	24

/* A number as the C library reads it, if it is one. */
static void numbers(const char *text)
{
	uint64_t value = 0, should;
	enum number_result is = number_parse(text, 3, 65535, &value);
	char *end;

	errno = 0;
	should = strtoull(text, &end, 10);
	if (!*text || strspn(text, "0123456789") != strlen(text))
		fuzz_check(is != NUMBER_OK);
	else if (errno || should < 3 || should > 65535)
		fuzz_equal(is, NUMBER_RANGE);
	else
		fuzz_check(is == NUMBER_OK && value == should);
}

static void sizes(const char *text)
{
	uint64_t value = 0, should;
	enum number_result is = number_parse_size(text, 0, UINT64_MAX, &value);
	unsigned int shift = 0;
	char *end;

	errno = 0;
	should = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9') {
		fuzz_check(is != NUMBER_OK);
		return;
	}
	if (*end && !strchr("KkMmGg", *end)) {
		fuzz_equal(is, NUMBER_NOT);
		return;
	}
	if (*end)
		shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : 30;
	if (*end && end[1] && strcmp(end + 1, "iB"))
		fuzz_equal(is, NUMBER_NOT);
	else if (is == NUMBER_OK)
		fuzz_check(!errno && value == should << shift && value >> shift == should);
	else if (is == NUMBER_RANGE)
		fuzz_check(errno || should << shift >> shift != should);
}

static void percentages(const char *text)
{
	char back[TEXT_NUMBER_MAX];
	uint64_t value = 0, again = 0;
	double should;

	if (number_parse_percent(text, 5000, &value) != NUMBER_OK)
		return;
	should = strtod(text, NULL);
	fuzz_equal(value, (uint64_t)(100 * should + 0.5));
	fuzz_equal(number_parse_percent(text_hundredths(back, value), 5000, &again), NUMBER_OK);
	fuzz_equal(again, value);
}

static void cpulists(const char *text)
{
	__u64 cpus[MEMLAT_CPU_WORDS] = { 1ULL << 63 }, again[MEMLAT_CPU_WORDS] = { 0 };
	size_t room = 8 * CPULIST_CPUS;
	char *back, little[16];
	unsigned int i;

	if (cpulist_parse(text, cpus) != CPULIST_OK) {
		fuzz_equal(cpus[0], 1ULL << 63);
		for (i = 1; i < MEMLAT_CPU_WORDS; i++)
			fuzz_equal(cpus[i], 0);
		return;
	}
	back = fuzz_alloc(room);
	cpulist_text(back, room, cpus);
	fuzz_equal(cpulist_parse(back, again), CPULIST_OK);
	fuzz_check(!memcmp(cpus, again, sizeof(cpus)));
	fuzz_check(strlen(cpulist_text(little, sizeof(little), cpus)) < sizeof(little));
}

static void escapes(const char *text)
{
	char out[64];
	struct said said = { NULL };
	char *shortened;

	text_escape(out, sizeof(out), text);
	said_check(out, strlen(out));
	/* text_shorten() accepts text that was made printable. */
	shortened = text_shorten(out, 20);
	fuzz_check(shortened && text_width(shortened) <= 20);
	said_check(shortened, strlen(shortened));
	free(shortened);
	free(said.out);
}

/* Commands that parse their options, and then find no device, no process and no file. */
static void options(char *text)
{
	static const struct cmd *const cmds[] = {
		&cmd_start, &cmd_status, &cmd_buckets, &cmd_lines, &cmd_annotate, &cmd_c2c,
		&cmd_dcache, &cmd_fleet, &cmd_diff, &cmd_stop, &cmd_export,
	};
	const struct cmd *cmd = cmds[*text ? (unsigned char)*text % 11 : 0];
	static const struct memlat_query query = {
		.flags = MEMLAT_F_ALL & ~MEMLAT_F_STORES, .period_min = 16,
		.period_max = 1 << 20, .memory_min = 1 << 20, .memory_max = 1 << 30,
		.model_title = "A model", .period_default = 1009,
	};
	struct start_options start = { .config = { .size = sizeof(struct memlat_config) } };
	char *argv[WORDS_MOST + 2], *word, *rest = *text ? text + 1 : text;
	struct cmd_args args = { .cmd = cmd, .argv = argv };
	enum exit_status status;
	struct said said;
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t)cmd->name;
	while (argc <= WORDS_MOST && (word = strsep(&rest, "\n")))
		argv[argc++] = word;
	argv[argc] = NULL;
	world_file(0, NULL, NULL, 0);
	optind = 0;
	said_begin(&said);
	args.argc = argc;
	if (cmd != &cmd_start)
		status = cmd_run(cmd, argc, argv);
	else if (cmd_options(&args, NULL, start_options_take, &start) && start_options_check(&start, &args))
		status = start_options_fit(&start, &query) ? DONE : MISUSED;
	else
		status = args.status;
	said_end(&said);
	world_open();
	fuzz_check(status == DONE || said.complaint_size);
	said_check(said.out, said.out_size);
	free(said.out);
	free(said.complaint);
}

void ctl_words(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return;
	text = fuzz_text(data + 1, size - 1);
	switch (*data % 8) {
	case 0:
		numbers(text);
		break;
	case 1:
		sizes(text);
		break;
	case 2:
		percentages(text);
		break;
	case 3:
		cpulists(text);
		break;
	case 4:
		escapes(text);
		break;
	default:
		options(text);
	}
}
