// SPDX-License-Identifier: GPL-2.0
/* A program whose libraries have thread-local variables. The test knows which ones. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "here.h"

void *one_place(void);
void *two_place(void);
void *two_needs(void);

__thread char own[24] = "initial";

static void *(*late_place)(void);

static void tell_data(const char *who)
{
	const struct { const char *name; void *place; } places[] = {
		{ "own", &own[3] },
		{ "one", one_place() },
		{ "two", two_place() },
		{ "three", two_needs() },
		{ "errno", &errno },
		{ "late", late_place ? late_place() : NULL },
		{ "tp", __builtin_thread_pointer() },
	};
	char label[64];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(label, sizeof(label), "%s%s", who, places[i].name);
		if (places[i].place)
			tell(label, places[i].place, 0);
	}
}

TELLING_THREAD(tell_data)

/* In the order in which the loader loads them. */
static int tell_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
	const char *last = strrchr(info->dlpi_name, '/');
	char label[64];

	(void)size;
	snprintf(label, sizeof(label), "load.%.40s", last ? last + 1 : "");
	if (last)
		tell(label, (void *)info->dlpi_addr, ++*(int *)count);
	return 0;
}

int main(void)
{
	const char *late = getenv("NAMES_LATE");
	void *library = late ? dlopen(late, RTLD_NOW) : NULL;
	pthread_t id;
	int count = 0;

	if (library)
		late_place = (void *(*)(void))dlsym(library, "late_place");
	dl_iterate_phdr(tell_loaded, &count);
	tell_data("main.");
	if (pthread_create(&id, NULL, thread, NULL))
		return 1;
	pause();
	return 0;
}
