// SPDX-License-Identifier: GPL-2.0
/* A program of 32 bits: its code, and what a profile keeps of it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_named.h"
#include "ctl_profile.h"
#include "ctl_view.h"

#include "names/elf_file.h"
#include "profile/known.h"
#include "views/disasm.h"

#define PID	7
#define TEXT	0x8049000	/* where ld puts the code of such a program */

static struct profile profile;

static void begin(void)
{
	const struct history_map map = {
		.start = TEXT, .end = TEXT + 0x1000, .offset = 0x1000,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE, .path = in("app"),
	};
	unsigned char *bytes;
	size_t size;

	bytes = named_bytes("operands32-gcc2", &size);
	file_put(map.path, bytes, size);
	free(bytes);
	elf_version(EV_CURRENT);
	profile_init(&profile);
	profile.live = true;
	profile.history = history_new();
	history_comm(profile.history, 0, PID, PID, "app", false);
	history_map(profile.history, PID, 0, &map);
	history_settle(profile.history, NULL);
}

/* The begin of a function. */
static __u64 start_of(struct namer *namer, const char *function)
{
	__u64 ip;

	for (ip = TEXT; ip < TEXT + 0x1000; ip++) {
		const char *name = namer_code(namer, PID, 0, ip)->function;

		if (name && !strcmp(name, function))
			return ip;
	}
	fail_msg("no %s()", function);
	return 0;
}

/* A function's instructions, one a line. */
static char *decoded(struct namer *namer, __u64 start)
{
	const struct code_name *name = namer_code(namer, PID, 0, start);
	struct disasm *disasm = disasm_new(namer);
	struct disasm_line *lines;
	size_t nr, i, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_true(name->i386);
	nr = disasm_function(disasm, PID, 0, start, name->size, &lines);
	for (i = 0; i < nr; i++)
		fprintf(out, "%s\n", lines[i].text);
	fclose(out);
	free(lines);
	disasm_free(disasm);
	return text;
}

/* In 64 bits there is no "push %ebx". */
TEST_WITH(code_that_is_kept, own_folder_make, own_folder_remove)
{
	struct memlat_rec_site *site;
	struct namer *namer;
	const char *why;
	char *before, *now;
	__u64 start;
	void *bytes;
	size_t size;

	begin();
	namer = namer_new(&profile, NULL);
	start = start_of(namer, "spilled");
	before = decoded(namer, start);
	SAYS(strdup(before), "pushl %ebx", "(%esp), %ebx", NOT "%r", NOT ".byte");
	site = calloc(1, sizeof(*site));
	assert_non_null(site);
	*site = (struct memlat_rec_site){ .ip = start, .space = PID, .samples = 1, .cost = 9 };
	profile.snap.sites = site;
	profile.snap.nr_sites = 1;
	profile.known = namer_keep(namer);
	namer_free(namer);
	known_encode(profile.known, &bytes, &size);
	known_free(profile.known);
	assert_int_equal(known_decode(&profile.known, bytes, size, &why), 0);
	free(bytes);
	assert_int_equal(unlink(in("app")), 0);
	profile.live = false;
	namer = namer_new(&profile, NULL);
	now = decoded(namer, start);
	assert_string_equal(before, now);
	free(before);
	free(now);
	namer_free(namer);
	profile_free(&profile);
}
