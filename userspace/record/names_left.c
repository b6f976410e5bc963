// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "take.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../host/device.h"
#include "../host/privilege.h"
#include "../names/namer.h"
#include "../profile/keeper.h"
#include "../profile/known.h"
#include "../util/io.h"

/* Write the file, which gets its name when it is complete. */
static void write_names(struct known *known, __u64 started_ns)
{
	char path[KEEPER_PATH_MAX], part[KEEPER_PATH_MAX];
	void *bytes;
	size_t size;
	bool done;
	int fd;

	if (!keeper_path(path, KEEPER_FOLDER, started_ns, KEEPER_NAMES) ||
	    !keeper_path(part, KEEPER_FOLDER, started_ns, KEEPER_NAMES "-part"))
		return;
	fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	known_encode(known, &bytes, &size);
	done = !io_write(fd, bytes, size);
	free(bytes);
	close(fd);
	if (!done || rename(part, path))
		unlink(part);
}

void names_leave(__u64 started_ns)
{
	struct profile profile;
	struct namer *namer;
	bool read;
	int fd = memlat_device_open();

	if (fd < 0)
		return;
	profile_init(&profile);
	profile.live = true;
	read = !snapshot_read(&profile.snap, fd);
	close(fd);
	/* From here on files of the sampled processes are read. */
	privilege_drop(NEED_TO_WRITE);
	if (read && profile.snap.head.status.started_ns == started_ns) {
		profile_find_processes(&profile);
		/* Without a keeper, there is nobody to whom the file would belong. */
		if (profile.keeper.state == KEEPER_OVER && !profile.known) {
			namer = namer_new(&profile, NULL);
			profile.known = namer_keep(namer);
			write_names(profile.known, started_ns);
			namer_free(namer);
		}
	}
	profile_free(&profile);
}
