/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that a view shows at once: its file is gone when it is shown. */
#ifndef MEMLAT_ASIDE_H
#define MEMLAT_ASIDE_H

#include "recording.h"

/*
 * As two_passes_run(). view: the command that it is for. *file: open, of the profile; -1: there is
 * none, and it was said why. The status is the command's, or why it failed.
 */
enum exit_status recording_aside(struct record_options *record, const char *view, int *file);

#endif
