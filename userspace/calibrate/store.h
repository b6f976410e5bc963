/* SPDX-License-Identifier: GPL-2.0 */
/* The file that machine_edges_find() reads. */
#ifndef MEMLAT_CALIBRATE_STORE_H
#define MEMLAT_CALIBRATE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/file_new.h"

struct json_object;

/* Why the path cannot be written (static text); NULL: it can. */
const char *store_wrong(const char *path);

/*
 * Write the document and free it. folders: make the folders above it. The old file stays until the
 * new one is complete. Returns 0 or -errno; why says what could not be done.
 */
int store_write(const char *path, bool folders, struct json_object *document,
		char why[FILE_NEW_WHY_MAX]);

#endif
