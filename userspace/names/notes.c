// SPDX-License-Identifier: GPL-2.0
/* Tell the user which names are missing, and what would help. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/process.h"
#include "../profile/known.h"
#include "../util/command.h"
#include "../util/order.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "naming.h"

#define NAMES_SHOWN	3
#define NAME_MAX_SHOWN	128

/* Programs come first, as people look for their names; then files that lack the most names. */
static int by_weight(const void *left, const void *right)
{
	const struct elf_file *a = *(const struct elf_file *const *)left;
	const struct elf_file *b = *(const struct elf_file *const *)right;
	size_t misses_a = a->missed_symbols + a->missed_dwarf;
	size_t misses_b = b->missed_symbols + b->missed_dwarf;

	if (a->program != b->program)
		return a->program ? -1 : 1;
	return order(misses_b, misses_a) ?: strcmp(a->name, b->name);
}

/* Is a file of this name listed already? Two entries that differ by build id or inode are one. */
static bool is_listed(const struct elf_file *const *files, size_t nr, const char *name)
{
	while (nr--)
		if (!strcmp(files[nr]->name, name))
			return true;
	return false;
}

enum lack { GONE, CHANGED, CLOSED, WITHOUT_SYMBOLS, WITHOUT_DWARF, WITHOUT_SPLIT };

static bool lacks(const struct elf_file *file, enum lack lack)
{
	switch (lack) {
	case GONE:
		return file->state == ELF_GONE && file->missed_symbols;
	case CHANGED:
		return file->state == ELF_CHANGED && file->missed_symbols;
	case CLOSED:
		return file->state == ELF_CLOSED && file->missed_symbols && file->path[0] == '/';
	case WITHOUT_SYMBOLS:
		return file->elf && file->missed_symbols && file->path[0] == '/';
	case WITHOUT_DWARF:
		return file->elf && file->missed_dwarf && !file->missed_symbols && !file->dwarf &&
		       file->path[0] == '/';
	default:
		return file->split_missed && file->missed_dwarf;
	}
}

/* Write the files that lack something, between two texts: "a, b, c and 4 others". */
static void note(FILE *out, const struct namer *namer, enum lack lack, const char *before,
		 const char *after)
{
	const struct elf_file **files, *file;
	size_t nr = 0, kept = 0, i;

	for (file = namer->files.first; file; file = file->next)
		nr += lacks(file, lack);
	if (!nr)
		return;
	files = xcalloc(nr, sizeof(*files));
	for (file = namer->files.first, i = 0; file; file = file->next)
		if (lacks(file, lack))
			files[i++] = file;
	SORT(files, nr, by_weight);
	for (i = 0; i < nr; i++)
		if (!is_listed(files, kept, files[i]->name))
			files[kept++] = files[i];
	fputs(before, out);
	for (i = 0; i < kept && i < NAMES_SHOWN; i++) {
		char name[NAME_MAX_SHOWN];

		fprintf(out, "%s%s", i ? ", " : "",
			text_escape(name, sizeof(name), files[i]->name));
	}
	if (kept > i)
		fprintf(out, " and %zu other%s", kept - i, kept - i == 1 ? "" : "s");
	fputs(after, out);
	free(files);
}

static void kernel_note(FILE *out, const struct namer *namer)
{
	if (namer->core_missed)
		fputs("(the kernel's objects have no names: memlat-ctl could not read /proc/kcore when it recorded names; it needs CAP_SYS_RAWIO, and a kernel that is not locked down)\n",
		      out);
	if (!namer->kernel_missed || namer->profile->kernel || namer->own_kernel)
		return;
	if (namer->kernel_error == -EACCES)
		fputs("(kernel addresses have no names: the kernel hides them from this user; as root: sysctl kernel.kptr_restrict=1)\n",
		      out);
	else
		fputs("(kernel addresses have no names: none were recorded; record as root, with sysctl kernel.kptr_restrict=1 or 0)\n",
		      out);
}

/* Say why processes have no names, and what to type. */
static void image_note(FILE *out, const struct profile *profile)
{
	if (!profile->live)
		fputs("(some processes have no names: their mappings were not recorded)\n",
		      out);
	else if (!process_sees_all())
		fputs("(no names: this container has its own PID namespace; run it with --pid=host (Kubernetes: hostPID: true), or start memlat-ctl outside)\n",
		      out);
	else if (profile->keeper.state == KEEPER_DIED)
		command_say(out, "(some processes ended before they could be named: the process that keeps names for a session was killed; 'memlat-ctl stop' and 'memlat-ctl start' begin anew)\n");
	else if (profile->keeper.state == KEEPER_CLOSED)
		fputs("(some processes ended before they could be named: only root and the user who started the session may read the names that were kept)\n",
		      out);
	else if (profile->keeper.state == KEEPER_NONE)
		command_say(out, "(some processes ended before they could be named: 'memlat-ctl start' and 'memlat-ctl record -- COMMAND' keep names)\n");
	else
		fputs("(some processes have no names: nobody recorded their mappings)\n",
		      out);
}

/* Report what was dropped while names were kept, so that nothing is lost silently. */
static void kept_note(FILE *out, const struct keeper_told *keeper)
{
	char count[TEXT_NUMBER_MAX];

	if (keeper->dropped)
		fprintf(out, "(the mappings of %s process%s were dropped to save memory: some names may be missing)\n",
			text_count(count, keeper->dropped), keeper->dropped == 1 ? "" : "es");
	if (keeper->files_lost)
		fprintf(out, "(%s program file%s that nobody can open any more were not kept, to save memory)\n",
			text_count(count, keeper->files_lost),
			keeper->files_lost == 1 ? "" : "s");
}

static void print_notes(FILE *out, struct namer *namer)
{
	__u64 lost = history_lost_events(namer->profile->history);
	char count[TEXT_NUMBER_MAX];

	note(out, namer, GONE, "(no names from ",
	     ": deleted since; --debug-path takes a folder with the very file)\n");
	note(out, namer, CHANGED, "(no names from ",
	     ": another file has that name now; --debug-path takes a folder with the one that was measured)\n");
	note(out, namer, CLOSED, "(no names from ", ": it cannot be read by this user)\n");
	note(out, namer, WITHOUT_SYMBOLS, "(",
	     ": stripped; install its debug file, or build with -g)\n");
	note(out, namer, WITHOUT_DWARF, "(no lines, inlined functions or fields from ",
	     ": no debug information; build with -g, or install its debug package)\n");
	note(out, namer, WITHOUT_SPLIT, "(no inlined functions or fields from some code of ",
	     ": its debug information is split, and the compiler's .dwo files are no longer there; keep them, or put the .dwp file that dwp makes of them beside the program (needs elfutils 0.191))\n");
	kernel_note(out, namer);
	if (namer->made_missed)
		fputs("(code that programs made while they ran has no names: they wrote no /tmp/perf-PID.map; run node with --perf-basic-prof, or java with -XX:+DumpPerfMapAtExit)\n",
		      out);
	if (namer->image_missed)
		image_note(out, namer->profile);
	kept_note(out, &namer->profile->keeper);
	if (namer->profile->known && namer->profile->known->left_out)
		fprintf(out, "(%s names were not kept in this profile, for want of room: they come from the programs, if those are here)\n",
			text_count(count, namer->profile->known->left_out));
	if (lost)
		fprintf(out, "(%llu events of processes and mappings were lost: some names may be missing)\n",
			lost);
}

/* Each note begins a line, and is wrapped to the width of the terminal. */
void namer_print_notes(struct namer *namer, void *stream)
{
	char *text = XPRINTED(out, print_notes(out, namer)), *line, *rest;

	for (rest = text; *rest; ) {
		line = strsep(&rest, "\n");
		text_remark(stream, out_width(), "%s", line);
		if (!rest)
			break;
	}
	free(text);
}
