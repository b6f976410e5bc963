/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters and samples of the same work: there are not enough counters for both at once, so it
 * is done twice, or what runs is counted for half of the time and sampled for the other half.
 */
#ifndef MEMLAT_TWO_PASSES_H
#define MEMLAT_TWO_PASSES_H

#include "recording.h"

/* As recording_run(); with options->counts the run that is counted comes first. */
enum exit_status two_passes_run(struct record_options *options);

#endif
