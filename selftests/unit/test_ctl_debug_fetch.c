// SPDX-License-Identifier: GPL-2.0
/* Debug information from debuginfod's real client, with a folder as the server. */
#include <dlfcn.h>
#include <unistd.h>

#include "names/debug_file.h"
#include "ctl_named.h"
#include "ctl_profile.h"

static struct folder folder;
static struct named c;
static struct memlat_rec_site site;

/* A client looks for SERVER/buildid/ID/debuginfo. */
static void serve(void)
{
	char command[4096], debug[1024];

	snprintf(debug, sizeof(debug), "%s", named_file("debug"));
	snprintf(command, sizeof(command),
		 "id=$(readelf -n '%s' | sed -n 's/.*Build ID: //p') && rest=${id#??} && "
		 "mkdir -p '%s'/buildid/$id && "
		 "cp '%s'/.build-id/${id%%$rest}/$rest.debug '%s'/buildid/$id/debuginfo",
		 named_file("sample-known"), folder.path, debug, folder.path);
	assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
	char urls[300];

	folder_make(&folder);
	snprintf(urls, sizeof(urls), "file://%s/", folder.path);
	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", folder_file(&folder, "cache"), 1);
	named_run(&c, named_file("sample-known"), true);
	c.profile.live = false;
	site = (struct memlat_rec_site){
		.space = (__u32)c.pid, .ip = named_place(&c, "deepest")->address, .cost = 10,
	};
	c.profile.snap.sites = &site;
	c.profile.snap.nr_sites = 1;
	return 0;
}

static int end(void **state)
{
	char command[600];

	c.profile.snap.sites = NULL;
	c.profile.snap.nr_sites = 0;
	named_end(&c);
	unsetenv("DEBUGINFOD_URLS");
	snprintf(command, sizeof(command), "rm -rf '%s'/cache '%s'/buildid", folder.path,
		 folder.path);
	assert_int_equal(system(command), 0);
	folder_remove(&folder);
	return 0;
}

static void skip_without_library(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (library)
		return;
	print_message("# libdebuginfod.so.1 is not installed\n");
	skip();
}

static unsigned int line(void)
{
	unsigned int found;

	c.namer = namer_new(&c.profile, NULL);
	found = named_code(&c, "deepest")->line;
	namer_free(c.namer);
	c.namer = NULL;
	return found;
}

TEST_WITH(what_a_server_has_is_used, begin, end)
{
	struct debug_fetch done;

	skip_without_library();
	serve();
	assert_int_equal(line(), 0);
	debug_fetch(&c.profile, &done);
	assert_false(done.no_library || done.cancelled);
	assert_int_equal(done.fetched, 1);
	assert_int_equal(done.failed, 0);
	assert_int_equal(line(), named_place(&c, "deepest")->line);
	/* The file is here now, so no server is asked again. */
	debug_fetch(&c.profile, &done);
	assert_int_equal(done.fetched + done.failed, 0);
}

TEST_WITH(what_no_server_has_is_counted, begin, end)
{
	struct debug_fetch done;

	skip_without_library();
	debug_fetch(&c.profile, &done);
	assert_int_equal(done.fetched, 0);
	assert_int_equal(done.failed, 1);
	assert_int_equal(line(), 0);
}

TEST_WITH(nobody_is_asked_unless_told_to, begin, end)
{
	struct debug_fetch done;

	serve();
	setenv("DEBUGINFOD_URLS", "", 1);
	debug_fetch(&c.profile, &done);
	assert_int_equal(done.fetched + done.failed, 0);
	assert_int_equal(access(folder_file(&folder, "cache"), F_OK), -1);
}
