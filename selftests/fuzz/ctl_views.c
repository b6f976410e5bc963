// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that show a profile from an untrusted source. Their text must be safe for a terminal,
 * and their JSON and CSV must be valid.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cmd.h"
#include "ctl.h"
#include "profile/profile.h"

#define PATH		"profile"
#define LATER		"later"
#define NEW		"new"		/* in a folder that exists */
#define WORDS_MOST	16

static const struct {
	const struct cmd *cmd;
	const char *words;
	bool text;		/* and nothing else */
} lines[] = {
	{ &cmd_buckets, "-i" }, { &cmd_buckets, "--by weight -i", true },
	{ &cmd_buckets, "--by word -i" }, { &cmd_lines, "-i" }, { &cmd_lines, "--sort hitm -i" },
	{ &cmd_report, "-i" }, { &cmd_report, "--html -i", true }, { &cmd_dcache, "--by cgroup -i" }, { &cmd_dcache, "--by thread -n 0 -i" },
	{ &cmd_lines, "--sort stores -n 2 -i" }, { &cmd_dcache, "--by site -i" },
	{ &cmd_dcache, "--by site --sort samples -n 1 -i" }, { &cmd_c2c, "-d all -i" },
	{ &cmd_c2c, "-N -N -g -d pairs -i" }, { &cmd_c2c, "-d tot -c tid,pid,dso -N -i" },
	{ &cmd_c2c, "-d stats -i" }, { &cmd_c2c, "--line 1 -d symbols -g -i" },
	{ &cmd_dcache, "--by data -i" }, { &cmd_dcache, "--by data -n 1 -i" }, { &cmd_dcache, "-i" },
	{ &cmd_dcache, "-n 1 -i" }, { &cmd_status, "-i" },
	{ &cmd_diff, LATER }, { &cmd_diff, "--by function " LATER },
	{ &cmd_fleet, "-n 0 " LATER }, { &cmd_fleet, "--by field " LATER },
	{ &cmd_diff, "--by line " LATER }, { &cmd_fleet, "-o " NEW " " LATER, true }, { &cmd_stride, "-i" }, { &cmd_stride, "-n 1 -i" },
	{ &cmd_advise, "-i" }, { &cmd_advise, "-n 0 -i" },
	{ &cmd_annotate, "-n 0 -i" }, { &cmd_annotate, "* -M intel -i" },
	{ &cmd_export, "--format folded -i", true }, { &cmd_export, "--format callgrind -i", true },
	{ &cmd_export, "--format openmetrics -i", true },
	{ &cmd_export, "--format prometheus -i", true },
	{ &cmd_export, "--format pprof -i", true },
};

#define LINES	(sizeof(lines) / sizeof(lines[0]))

static void check_json(const char *text, size_t size)
{
	struct json_tokener *parser = json_tokener_new();

	json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	json_object_put(json_tokener_parse_ex(parser, text, (int)size));
	if (json_tokener_get_error(parser) != json_tokener_success)
		fuzz_wrong("no JSON: %s at byte %zu",
			   json_tokener_error_desc(json_tokener_get_error(parser)),
			   json_tokener_get_parse_end(parser));
	json_tokener_free(parser);
	for (; size; text++, size--)
		fuzz_check((unsigned char)*text >= ' ' || *text == '\n');
}

/* RFC 4180: all rows have as many fields as the first. */
static void check_csv(const char *text)
{
	unsigned int wanted = 0, fields = 1;
	bool quoted = false;

	for (; *text; text++) {
		if (*text == '"') {
			quoted = !quoted;
		} else if (!quoted && *text == ',') {
			fields++;
		} else if (!quoted && *text == '\n') {
			if (!wanted)
				wanted = fields;
			fuzz_equal(fields, wanted);
			fields = 1;
		} else {
			fuzz_check((unsigned char)*text >= ' ' || *text == '\r');
		}
	}
	fuzz_check(!quoted && fields == 1);
}

static void check(const struct said *said, int format)
{
	if (format == 1)
		check_json(said->out, said->out_size);
	else if (format == 2)
		check_csv(said->out);
	else
		said_check(said->out, said->out_size);
}

/* Run one command, with its output in one of the three forms. */
static void show(size_t which, int format)
{
	static const char *const formats[] = { "", "--json", "--csv" };
	char words[128], made[512], *argv[WORDS_MOST] = { NULL }, *word, *rest;
	enum exit_status status;
	struct said said;
	int argc = 0;

	snprintf(words, sizeof(words), "%s %s %s %s", lines[which].cmd->name, formats[format],
		 lines[which].words, PATH);
	snprintf(made, sizeof(made), "%s/" NEW, world_folder());
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = strcmp(word, NEW) ? word : made;
	optind = 0;
	said_begin(&said);
	status = cmd_run(lines[which].cmd, argc, argv);
	said_end(&said);
	if (status == MISUSED)
		fuzz_wrong("%s: %s", words, said.complaint);
	/* pprof's format is not text. */
	if (status == DONE && !strstr(lines[which].words, "pprof"))
		check(&said, format);
	else if (status != DONE)
		fuzz_check(said.complaint_size);
	free(said.out);
	free(said.complaint);
}

void ctl_views(const uint8_t *data, size_t size)
{
	size_t which = 0, whole, i;
	const uint8_t *bytes = profile_unpack(data, size, &whole), *later = NULL;
	struct profile profile;
	size_t later_size = 0;
	int format;

	/* Any number would do. The input determines this one. */
	for (i = 0; i < size; i++)
		which += data[i];
	which %= LINES;
	if (strstr(lines[which].words, LATER) && profile_open(&profile, bytes, whole)) {
		later = profile_later(&profile, &later_size);
		profile_free(&profile);
	}
	world_file(0, PATH, bytes, whole);
	if (later)
		world_file(1, LATER, later, later_size);
	for (format = 0; format < (lines[which].text ? 1 : 3); format++)
		show(which, format);
	world_open();
}
