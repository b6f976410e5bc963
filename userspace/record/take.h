/* SPDX-License-Identifier: GPL-2.0 */
/* Read a session with everything that names it, and write it to a file. */
#ifndef MEMLAT_TAKE_H
#define MEMLAT_TAKE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>
#include <linux/types.h>

#include "../names/debug_file.h"
#include "../util/out.h"

struct cgroups;
struct engine;
struct history;
struct interval_run;
struct bpf_maps;
struct kept_files;
struct modules;
struct snapshot;

struct take {
	int device;
	struct engine *engine;	/* has the tables in place of the device; NULL: none */
	__u64 started_ns;	/* identifies the session */
	const struct memlat_query *query;
	struct history *history;	/* freed in any case */
	struct cgroups *cgroups;	/* taken over */
	char **command;		/* NULL: none */
	const char *heap_folder;	/* NULL: none */
	const struct kept_files *files;	/* programs that were kept readable; NULL: none */
	struct bpf_maps *maps;	/* those of BPF that were noted meanwhile; NULL: none */
	const struct modules *modules;	/* those that came and went; NULL: not known */
	const char *file;
	struct snapshot *counts;	/* of the counting run before; taken over; NULL: none */
	struct interval_run *intervals;	/* its intervals are taken over; NULL: none */
	bool unseen;		/* as in struct record_options */
	struct debug_fetch fetch;	/* the result of fetching debug files */
};

/* Read the session, write the file, and print what was written and what to do next. */
enum exit_status take_profile(struct take *take);

/* Print why the session ended or is no longer ours, and what to do. */
void take_explain_end(int device, __u64 started_ns);

/* Keep the names of a session that memlat-ctl start began, beside what its keeper has left. */

/*
 * Find the names of all that was sampled, and write them. So they stay when programs are built anew
 * afterwards. For root, after the session's end and after the keeper has left its file. It drops
 * privileges, so it is the last thing that a process does.
 */
void names_leave(__u64 started_ns);

/*
 * Modules of the kernel that come and go during a recording. The kernel may put a module where
 * another one was, and its symbols are read at the end, so they would name what was sampled of the
 * one that is gone.
 */

struct kernel_names;
struct modules;

/* Listen to the kernel. */
struct modules *modules_watch(void);
void modules_free(struct modules *modules);
/* Take what the kernel has told since the last call. */
void modules_read(struct modules *modules);
/* One message, of this many bytes. */
void modules_take(struct modules *modules, const char *message, size_t size);
/* Add rows (KERNEL_BEFORE) where a module has the names that came when another one had gone. */
void modules_doubt(const struct modules *modules, struct kernel_names *names);

#endif
