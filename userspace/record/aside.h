/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that a view shows at once. Its file has no name and disappears after the view. */
#ifndef MEMLAT_ASIDE_H
#define MEMLAT_ASIDE_H

#include "recording.h"

/*
 * As two_passes_run(). view: the command that will show the profile. *file: an open descriptor of
 * the profile; -1: there is none, and the reason was printed. Returns the command's status, or why
 * it failed.
 */
enum exit_status recording_aside(struct record_options *record, const char *view, int *file);

#endif
