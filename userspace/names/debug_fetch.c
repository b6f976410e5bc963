// SPDX-License-Identifier: GPL-2.0
#include "debug_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "naming.h"
#include "units.h"

#define LIBRARY		"libdebuginfod.so.1"
#define FILES_MOST	32	/* files to fetch for, those that cost the most */

/* Functions of <elfutils/debuginfod.h>. The library is loaded at run time, if it is installed. */
struct client {
	void *library, *handle;
	void *(*begin)(void);
	void (*end)(void *handle);
	void (*set_progress)(void *handle, int (*progress)(void *handle, long a, long b));
	int (*find)(void *handle, const unsigned char *id, int size, char **path);
};

/* A file with samples, and what these cost. */
struct wanted {
	struct elf_file *file;
	__u64 cost;
};

struct wanted_files {
	struct wanted *list;
	size_t nr, room;
};

static void add_wanted(struct wanted_files *wishes, struct elf_file *file, __u64 cost)
{
	size_t i;

	if (!file || !file->build_id_size)
		return;
	for (i = 0; i < wishes->nr && wishes->list[i].file != file; i++)
		continue;
	if (i == wishes->nr) {
		ARRAY_GROW(wishes->list, wishes->nr + 1, wishes->room);
		wishes->list[wishes->nr++] = (struct wanted){ .file = file };
	}
	wishes->list[i].cost += cost;
}

static void wish_for(struct wanted_files *wishes, struct namer *namer, __u32 space, __u32 gen,
		     __u64 address, __u64 cost)
{
	add_wanted(wishes, code_place(namer, space, gen, address).file, cost);
}

static void collect(struct wanted_files *wishes, struct namer *namer)
{
	const struct snapshot *snap = &namer->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++)
		wish_for(wishes, namer, snap->sites[i].space, snap->sites[i].gen,
			 snap->sites[i].ip, snap->sites[i].cost);
	/* Files with variables are wanted as well, for the variables' types. */
	for (i = 0; i < snap->nr_accesses; i++)
		wish_for(wishes, namer, snap->accesses[i].tgid, snap->accesses[i].gen,
			 snap->accesses[i].addr, snap->accesses[i].cost);
}

COMPARE(by_cost, struct wanted, order(b->cost, a->cost))

/* Is the file's debug information on this machine already? */
static bool here(struct namer *namer, struct elf_file *file)
{
	char path[PATH_MAX];

	return file->elf ? units_dwarf(&namer->files, file) != NULL :
	       debug_file_by_id(namer->debug, file->build_id, file->build_id_size, path,
				sizeof(path));
}

/* Has the user asked to stop? Recording blocks these signals, so they are pending. */
static bool called_off(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM));
}

static int progress(void *handle, long a, long b)
{
	return called_off();
}

static bool client_begin(struct client *client)
{
	client->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!client->library)
		return false;
	*(void **)&client->begin = dlsym(client->library, "debuginfod_begin");
	*(void **)&client->end = dlsym(client->library, "debuginfod_end");
	*(void **)&client->set_progress = dlsym(client->library, "debuginfod_set_progressfn");
	*(void **)&client->find = dlsym(client->library, "debuginfod_find_debuginfo");
	if (client->begin && client->end && client->set_progress && client->find)
		client->handle = client->begin();
	if (!client->handle) {
		dlclose(client->library);
		return false;
	}
	client->set_progress(client->handle, progress);
	return true;
}

static bool fetch_one(const struct client *client, const struct elf_file *file)
{
	char *path = NULL, name[128];
	int fd;

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "asking debuginfod for %s ...\n",
			text_escape(name, sizeof(name), file->name));
	fd = client->find(client->handle, file->build_id, file->build_id_size, &path);
	free(path);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void fetch_all(struct namer *namer, const struct wanted_files *wishes,
		      struct debug_fetch *done)
{
	struct client client = { 0 };
	size_t i, asked = 0;

	for (i = 0; i < wishes->nr && asked < FILES_MOST; i++) {
		if (here(namer, wishes->list[i].file))
			continue;
		if (!client.handle && !client_begin(&client)) {
			done->no_library = true;
			return;
		}
		asked++;
		if (fetch_one(&client, wishes->list[i].file))
			done->fetched++;
		else
			done->failed++;
		done->cancelled = called_off();
		if (done->cancelled)
			break;
	}
	/* The library stays: what it links with does not always unload well. */
	if (client.handle)
		client.end(client.handle);
}

void debug_fetch(const struct profile *profile, struct debug_fetch *done)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct wanted_files wishes = { 0 };
	struct namer *namer;

	memset(done, 0, sizeof(*done));
	if (!urls || !*urls)
		return;
	namer = namer_new(profile, NULL);
	collect(&wishes, namer);
	SORT(wishes.list, wishes.nr, by_cost);
	fetch_all(namer, &wishes, done);
	free(wishes.list);
	namer_free(namer);
}
