/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count and sample the same work. There are not enough counters for both at once, so a command runs
 * twice, and a running process is counted for half of the time and sampled for the other half.
 */
#ifndef MEMLAT_TWO_PASSES_H
#define MEMLAT_TWO_PASSES_H

#include "recording.h"

/* As recording_run(). With options->counts, the counting run comes first. */
enum exit_status two_passes_run(struct record_options *options);

/*
 * The same for a profile that a view shows at once: its file has no name, and disappears after the
 * view. *file: an open descriptor of the profile; -1:
 * there is none, and the reason was printed. Returns the command's status, or why it failed.
 */
enum exit_status recording_aside(struct record_options *record, int *file);

#endif
