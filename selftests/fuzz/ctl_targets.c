// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <locale.h>
#include <stdlib.h>

#include "ctl.h"

const struct fuzz_target fuzz_targets[] = {
	{ .name = "words", .max = 256, .run = ctl_words },
	{ .name = "kallsyms", .max = 4096, .run = ctl_kallsyms },
	{ .name = "btf", .max = 4096, .run = ctl_btf },
	{ .name = "maps", .max = 2048, .run = ctl_maps },
	{ .name = "perfmap", .max = 1024, .run = ctl_perfmap },
	{ .name = "heap", .max = 2048, .run = ctl_heap },
	{ .name = "history", .max = 1024, .run = ctl_history },
	{ .name = "profile", .max = 8192, .run = ctl_profile, .mutate = profile_mutate },
	{ .name = "views", .max = 8192, .run = ctl_views, .mutate = profile_mutate },
	{ .name = "import", .max = 8192, .run = ctl_import },
	{ .name = "operand", .max = 8192, .run = ctl_operand },
	{ .name = NULL }
};

void fuzz_prepare(void)
{
	/* The character set of today's terminals. */
	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("COLUMNS", "132", 1);
	/* Used only if the output is a terminal. */
	setenv("PAGER", "cat", 1);
	unsetenv("POSIXLY_CORRECT");
}
