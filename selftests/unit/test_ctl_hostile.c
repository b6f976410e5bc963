// SPDX-License-Identifier: GPL-2.0
/*
 * Malicious names: the stored profiles and their programs, with every name in them replaced by
 * control bytes, escape sequences, and bytes that are not UTF-8. The output of every view and of
 * every export, in every form, must be harmless for a terminal. The same with the names that a
 * profile keeps.
 */
#define _GNU_SOURCE
#include "ctl_output.h"
#include "ctl_profile.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <unistd.h>

#include "names/namer.h"
#include "profile/file_format.h"
#include "profile/known.h"
#include "util/out.h"

#define GOLDEN		"golden/"
#define SAID_MAX	(4 << 20)

/* What is replaced, by as many other bytes. */
static const struct {
	const char *name;
	const char *bytes;
} names[] = {
	{ "field_sharing", "\033[2J\x9b\n\xc2\x9b\x7f\xff\"'g" },
	{ "count_hit", "\033[2J\r\xc2\x85\a!" },
	{ "per_cpu", "\033[2J\xe2\x82\t" },
	{ "stats", "\033[2J\b" },
	{ "hits", "\033[2J" },
	{ "golden", "\033[2J\xff\x01" },
	{ "walk_columns", "\033[2J\xc2\x85\n\xff'\"wc" },
	{ "matrix", "\033[2J\r\b" },
};

/* In the tables these are all names, in fields of a fixed size. */
static const char *const models[][2] = {
	{ "skx", "\033[J" }, { "adl-p", "\033[2J\x9b" }, { "adl-e", "\033[2J\x7f" },
	{ "Skylake-SP", "\033[2J\n\xc2\x9b\xff\xe2\"" }, { "Gracemont", "\033[2J\n\xff\xe2\"\x9b" },
};

static char *said;
static char scratch[256];

static void replace(unsigned char *at, size_t size, const char *name, const char *bytes)
{
	size_t length = strlen(name);
	unsigned char *end = at + size;

	assert_int_equal(length, strlen(bytes));
	while ((at = memmem(at, (size_t)(end - at), name, length))) {
		memcpy(at, bytes, length);
		at += length;
	}
}

static void replace_names(unsigned char *at, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		replace(at, size, names[i].name, names[i].bytes);
}

static void replace_text(char **text, const char *bytes)
{
	free(*text);
	*text = strdup(bytes);
	assert_non_null(*text);
}

/* JSON has its own form of such bytes, so use the writer. */
static void make_machine_hostile(const char *from, const char *to)
{
	struct profile profile;

	profile_get(&profile, from, 0);
	replace_text(&profile.machine.host, "host\033[2J\x9b\n");
	replace_text(&profile.machine.kernel, "7.2\033[2J\xff/../..");
	replace_text(&profile.machine.cpu, "cpu\033[2J\xc2\x9b\r");
	replace_text(&profile.command, "./\033[2J\xff\n\xc2\x9b\x7f");
	memcpy(profile.machine.query.model_name, "\033[2J", 4);
	memcpy(profile.machine.query.model_title, "\033[2J\xff\n", 6);
	/* Counts have no names, and are read for their meaning, not to be written again. */
	if (profile.counts)
		snapshot_free(profile.counts);
	free(profile.counts);
	profile.counts = NULL;
	/* Names are to be those of the hostile programs. */
	known_free(profile.known);
	profile.known = NULL;
	profile_put(&profile, to);
	profile_free(&profile);
}

static void make_profile(const char *name)
{
	static const __u32 named[] = { SECTION_HISTORY, SECTION_HEAP, SECTION_KERNEL };
	char from[512], to[512];
	struct profile_section section;
	struct bytes file;
	unsigned char *at;
	size_t i;

	snprintf(from, sizeof(from), GOLDEN "%s", name);
	snprintf(to, sizeof(to), "%s/%s", scratch, name);
	make_machine_hostile(from, to);
	file = file_bytes(to);
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		at = section_at(&file, named[i]);
		if (!at)
			continue;
		memcpy(&section, at, sizeof(section));
		replace_names(at + sizeof(section), section.length);
		seal_section(at);
	}
	at = section_at(&file, SECTION_SNAPSHOT);
	assert_non_null(at);
	memcpy(&section, at, sizeof(section));
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		replace(at + sizeof(section), section.length, models[i][0], models[i][1]);
	seal_section(at);
	file_put(to, file.at, file.size);
	free(file.at);
}

static void shell(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		fail_msg("%s", command);
}

/* The programs, whose build ids stay the same whatever is in them. */
static void make_programs(void)
{
	char path[600];
	struct bytes file;
	unsigned int programs = 0;
	FILE *listing;

	shell("cp -r " GOLDEN ".build-id %s/ && cd %s && for f in .build-id/*/*; do objcopy --decompress-debug-sections $f; done",
	      scratch, scratch);
	snprintf(path, sizeof(path), "ls %s/.build-id/*/*", scratch);
	listing = popen(path, "r");
	assert_non_null(listing);
	while (fgets(path, sizeof(path), listing)) {
		path[strcspn(path, "\n")] = '\0';
		file = file_bytes(path);
		replace_names(file.at, file.size);
		file_put(path, file.at, file.size);
		free(file.at);
		programs++;
	}
	pclose(listing);
	assert_int_equal(programs, 2);
}

/* The length of a character that only stands where it is; 0: it is another one. */
static size_t harmless(const unsigned char *at)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 :
			*at >> 3 == 30 ? 4 : 0, i;
	unsigned int code = length > 1 ? *at & (0x7fU >> length) : *at;

	for (i = 1; i < length; i++) {
		if (at[i] >> 6 != 2)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (!length || code < least[length] || code > 0x10ffff || code >> 11 == 27)
		return 0;
	return code < ' ' || (code >= 0x7f && code < 0xa0) ? 0 : length;
}

/* ends: how a line may end. */
static void assert_harmless(const char *text, const char *ends, const char *what)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t end = strlen(ends), length;

	while (*at) {
		length = *at == '\n' || *at == '\r' ?
			 (strncmp((const char *)at, ends, end) ? 0 : end) : harmless(at);
		if (!length)
			fail_msg("byte 0x%02x at %zu of: %s", *at,
				 (size_t)(at - (const unsigned char *)text), what);
		at += length;
	}
}

/* If the expected output has the harmless name, its substitute must be there. */
static bool expects_name(const char *name, const char *form)
{
	char path[512];
	struct bytes file;
	bool found;

	/* Names of threads are in their rows, which are not changed. */
	if (!strncmp(name, "threads", 7))
		return false;
	snprintf(path, sizeof(path), GOLDEN "expected/%s.%s", name, form);
	file = file_bytes(path);
	found = memmem(file.at, file.size, "field_sharing", 13) ||
		memmem(file.at, file.size, "count_hit", 9) ||
		memmem(file.at, file.size, "walk_columns", 12);
	free(file.at);
	return found;
}

/* What the program prints of what is in scratch. The words are a shell's, as in golden/common.sh. */
static void prints(const char *words)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	int status;

	assert_int_equal(chdir(scratch), 0);
	status = program(said, SAID_MAX, "%s", words);
	assert_int_equal(fchdir(here), 0);
	close(here);
	if (status)
		fail_msg("%s: fails:\n%s", words, said);
}

static void show(const char *name, const char *words, const char *form, const char *locale)
{
	bool json = !strcmp(form, "json"), csv = !strcmp(form, "csv");
	char what[1024];

	snprintf(what, sizeof(what), "%s%s%s", words, json || csv ? " --" : "", json || csv ? form : "");
	setenv("LC_ALL", locale, 1);
	prints(what);
	assert_harmless(said, csv ? "\r\n" : "\n", what);
	if (json) {
		struct json_object *document = json_tokener_parse(said);

		if (!document)
			fail_msg("%s: no JSON", what);
		json_object_put(document);
	}
	if (expects_name(name, form) && !strstr(said, json ? "\\u001b[2J" : "\\033[2J"))
		fail_msg("%s: the name is not there:\n%.2000s", what, said);
}

/* Leave an option with one value out. */
static void take_out(char *words, const char *option)
{
	char *at = strstr(words, option);

	if (at)
		memmove(at, at + strlen(option), strlen(at + strlen(option)) + 1);
}

/* kept: names come from the profile alone. */
static void show_all(bool kept)
{
	char line[1024], *name, *columns, *schema, *words, *rest;
	FILE *cases = fopen(GOLDEN "cases", "r");
	unsigned int shown = 0;

	assert_non_null(cases);
	while (fgets(line, sizeof(line), cases)) {
		rest = line;
		name = strsep(&rest, "|");
		columns = strsep(&rest, "|");
		schema = strsep(&rest, "|");
		words = strsep(&rest, "\n");
		/* Packed profiles have no part in this. */
		if (*line == '#' || !schema || strcmp(columns, "132") || !strncmp(name, "busy_", 5) ||
		    !strncmp(name, "plain_", 6))
			continue;
		assert_non_null(words);
		take_out(words, "count_hit ");	/* no function here has it: the costliest is shown */
		if (kept)
			take_out(words, " --debug-path .");
		show(name, words, "txt", shown++ % 2 ? "C.UTF-8" : "C");
		show(name, words, "json", "C.UTF-8");
		show(name, words, "csv", "C.UTF-8");
	}
	fclose(cases);
	assert_true(shown > 15);
}

/* What other programs read as text, and a page whose own text has no byte of the names. */
static void export_all(void)
{
	static const char *const forms[] = {
		"export --format folded", "export --format callgrind", "export --format openmetrics",
		"export --format prometheus", "report --html",
	};
	char words[256];
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(words, sizeof(words), "%s -i before.memlat", forms[i]);
		prints(words);
		assert_harmless(said, "\n", words);
		if (!strstr(said, "[2J"))
			fail_msg("%s: the name is not there:\n%.2000s", words, said);
	}
}

TEST(every_view)
{
	show_all(false);
}

/* The programs are gone, and each profile has the names that were found in them. */
TEST(every_view_of_kept_names)
{
	static const char *const profiles[] = {
		"before.memlat", "after.memlat", "hybrid.memlat", "counted.memlat", "stride.memlat",
	};
	char path[512];
	size_t i;

	for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		struct profile profile;
		struct namer *namer;

		snprintf(path, sizeof(path), "%s/%s", scratch, profiles[i]);
		profile_get(&profile, path, 0);
		namer = namer_new(&profile, scratch);
		profile.known = namer_keep(namer);
		namer_free(namer);
		assert_true(profile.known->code.nr && profile.known->data.nr);
		profile_put(&profile, path);
		profile_free(&profile);
	}
	shell("rm -r %s/.build-id", scratch);
	show_all(true);
	export_all();
}

/* What a user may be led to type or paste, and the message about it. */
TEST(every_complaint)
{
#define BAD "\"$(printf 'x\\033[2J\\233\\n\\302\\233\\177')\""
	static const char *const lines[] = {
		BAD, "help " BAD, "lines " BAD, "lines --" BAD, "lines -i " BAD, "lines --sort " BAD,
		"lines -n " BAD, "c2c -d " BAD, "c2c -c " BAD, "dcache --by " BAD,
		"diff " BAD " " BAD, "diff --by " BAD " a b", "fleet -o " BAD " " BAD,
		"fleet -o x " BAD " " BAD, "record -o /" BAD "/" BAD " -- true", "record -- " BAD,
		"record --duration " BAD " -a", "record -p " BAD, "start --pid " BAD,
		"start --cgroup " BAD, "start --ldlat " BAD, "start --cpu " BAD, "start --type " BAD,
		"start --max-memory " BAD, "start --max-overhead " BAD, "status -i " BAD,
		"buckets -i " BAD, "doctor " BAD, "stop " BAD, "status --reset " BAD,
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!program(said, SAID_MAX, "%s", lines[i]))
			fail_msg("%s: taken", lines[i]);
		assert_true(strlen(said) > 10);
		assert_harmless(said, "\n", lines[i]);
	}
}

/* Also if the code that prints a message does not escape what it prints. */
TEST(forgotten)
{
	struct caught caught;

	output_catch(&caught, STDERR_FILENO);
	out_complain("%s: no\n  such \303\244", "a\033[2J\302\233\177\r");
	output_end(&caught, said, SAID_MAX);
	assert_string_equal(said, "memlat-ctl: a?[2J???: no\n  such \303\244\n");
}

static int make_all(void **state)
{
	struct folder folder;

	folder_make(&folder);
	snprintf(scratch, sizeof(scratch), "%s", folder.path);
	setenv("COLUMNS", "132", 1);
	/* golden/check looks for those of the same views. */
	setenv("MEMLAT_LEAKS", "0", 1);
	said = malloc(SAID_MAX);
	assert_non_null(said);
	make_profile("before.memlat");
	make_profile("after.memlat");
	make_profile("hybrid.memlat");
	make_profile("counted.memlat");
	make_profile("stride.memlat");
	make_programs();
	return 0;
}

static int remove_all(void **state)
{
	free(said);
	shell("rm -r -- %s", scratch);
	return 0;
}

TEST_GROUP(make_all, remove_all)
