/* SPDX-License-Identifier: GPL-2.0 */
/* The file that machine_edges_find() reads. */
#ifndef MEMLAT_CALIBRATE_STORE_H
#define MEMLAT_CALIBRATE_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

#define STORE_PATH	4096

/*
 * Where this user's goes: root's is the machine's, in /etc; others' in $XDG_CONFIG_HOME,
 * or $HOME/.config. False: there is no such place.
 */
bool store_path(char path[STORE_PATH], bool root);

/* Why no file can have this name (static text); NULL: it may be written. */
const char *store_wrong(const char *path);

/*
 * Write it and let the document go, with the folders above it if asked to. What was there stays until all of it is written. 0 or -errno
 */
int store_write(const char *path, bool folders, struct json_object *document);

#endif
