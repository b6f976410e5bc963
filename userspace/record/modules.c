// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "take.h"

#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../profile/kernel_names.h"
#include "../util/xalloc.h"

#define BYTES_MOST	(1UL << 20)	/* of their names */
#define MESSAGE_MOST	8192
#define KERNEL_GROUP	1	/* of uevents: from the kernel itself, and not from udev */

/* A module that was loaded when another one had gone. */
struct late {
	const char *module, *before;
};

struct modules {
	int fd;			/* -1: the kernel tells nothing */
	struct pool pool;
	const char *gone;	/* what was unloaded last; NULL: nothing was */
	struct late *late;
	size_t nr, room;
};

struct modules *modules_watch(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	struct modules *modules = xcalloc(1, sizeof(*modules));

	modules->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			     NETLINK_KOBJECT_UEVENT);
	if (modules->fd >= 0 &&
	    bind(modules->fd, (const struct sockaddr *)&address, sizeof(address))) {
		close(modules->fd);
		modules->fd = -1;
	}
	return modules;
}

void modules_free(struct modules *modules)
{
	if (!modules)
		return;
	if (modules->fd >= 0)
		close(modules->fd);
	free(modules->late);
	pool_free(&modules->pool);
	free(modules);
}

static const char *before_of(const struct modules *modules, const char *module)
{
	size_t i;

	for (i = modules->nr; i; i--)
		if (!strcmp(modules->late[i - 1].module, module))
			return modules->late[i - 1].before;
	return NULL;
}

/* The module's name if the message is of this kind; NULL: it is of another one. */
static const char *told(const char *message, const char *kind)
{
	const size_t length = strlen(kind);

	return strncmp(message, kind, length) || strchr(message + length, '/') ? NULL :
	       message + length;
}

/* "add@/module/NAME" or "remove@/module/NAME", a zero byte, and the same in other words. */
void modules_take(struct modules *modules, const char *message, size_t size)
{
	const char *removed, *added;

	if (!memchr(message, '\0', size) || strlen(message) >= KERNEL_NAME_MAX / 2 ||
	    modules->pool.bytes > BYTES_MOST)
		return;
	removed = told(message, "remove@/module/");
	added = told(message, "add@/module/");
	if (removed)
		modules->gone = pool_format(&modules->pool, "the module %s", removed);
	if (!added || !modules->gone)
		return;
	ARRAY_GROW(modules->late, modules->nr + 1, modules->room);
	modules->late[modules->nr++] = (struct late){
		.module = pool_text(&modules->pool, added), .before = modules->gone,
	};
}

void modules_read(struct modules *modules)
{
	char message[MESSAGE_MOST];
	struct sockaddr_nl from;
	socklen_t length;
	ssize_t size;

	while (modules->fd >= 0) {
		length = sizeof(from);
		size = recvfrom(modules->fd, message, sizeof(message), 0,
				(struct sockaddr *)&from, &length);
		if (size < 0)
			return;
		/* Root may send to the group as well. */
		if (!from.nl_pid)
			modules_take(modules, message, (size_t)size);
	}
}

void modules_doubt(const struct modules *modules, struct kernel_names *names)
{
	const size_t nr = modules->nr && names ? names->nr : 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct kernel_row row = names->rows[i];
		const char *before = row.kind == KERNEL_CODE || row.kind == KERNEL_DATA ?
			before_of(modules, row.module) : NULL;

		if (!before)
			continue;
		row.kind = KERNEL_BEFORE;
		row.name = pool_text(&names->pool, before);
		kernel_row_add(names, &row);
	}
	if (nr)
		kernel_rows_sort(names);
}
