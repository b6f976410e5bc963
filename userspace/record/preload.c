// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../heap/format.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "keeper.h"

#define SHOWN_MAX	(4 * 256)

bool heap_library_find(char path[PATH_MAX])
{
	static const struct {
		bool beside;	/* the folder is relative to that of memlat-ctl */
		const char *folder;
	} places[] = {
		{ true, "" }, { true, "/../lib/memlat" },
		{ false, "/usr/local/lib/memlat" }, { false, "/usr/lib/memlat" },
	};
	char self[PATH_MAX] = "/";
	ssize_t got = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	self[got > 0 ? got : 1] = '\0';
	*strrchr(self, '/') = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (snprintf(path, PATH_MAX, "%s%s/" HEAP_LIBRARY, places[i].beside ? self : "",
			     places[i].folder) < PATH_MAX && !access(path, R_OK))
			return true;
	return false;
}

static void make_environment(struct preload *preload, const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char **text = preload->environment;

	text[0] = xasprintf("LD_PRELOAD=%s%s%s", library, others && *others ? ":" : "",
			    others ? others : "");
	text[1] = xasprintf(HEAP_ENV "=%s", preload->folder);
}

bool preload_begin(struct preload *preload)
{
	const char *temporary = getenv("TMPDIR");
	char library[PATH_MAX], shown[SHOWN_MAX];

	memset(preload, 0, sizeof(*preload));
	if (!heap_library_find(library)) {
		out_complain("--heap: there is no " HEAP_LIBRARY " beside memlat-ctl, or in ../lib/memlat\n"
			     "  make -C userspace install      puts it there");
		return false;
	}
	/* The dynamic loader separates the names in LD_PRELOAD by these. */
	if (strpbrk(library, " :")) {
		out_complain("--heap: %s cannot be preloaded: no blank or colon may be in its path",
			     text_escape(shown, sizeof(shown), library));
		return false;
	}
	if (!temporary || *temporary != '/' || strlen(temporary) > PATH_MAX - 64)
		temporary = "/tmp";
	snprintf(preload->folder, sizeof(preload->folder), "%s/memlat-heap.XXXXXX",
		 temporary);
	/* The folder gets mode 0700. */
	if (!mkdtemp(preload->folder)) {
		out_complain("--heap: cannot make a folder in %s: %s\n"
			     "  TMPDIR=/another/folder memlat-ctl ...",
			     text_escape(shown, sizeof(shown), temporary),
			     strerror(errno));
		preload->folder[0] = '\0';
		return false;
	}
	make_environment(preload, library);
	return true;
}

void preload_end(struct preload *preload)
{
	free(preload->environment[0]);
	free(preload->environment[1]);
	if (preload->folder[0])
		kept_files_remove(preload->folder);
	memset(preload, 0, sizeof(*preload));
}
