// SPDX-License-Identifier: GPL-2.0
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "history.h"
#include "intervals.h"
#include "kernel_names.h"

void profile_init(struct profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	snapshot_init(&profile->snap);
	machine_init(&profile->machine);
}

void profile_free(struct profile *profile)
{
	snapshot_free(&profile->snap);
	machine_free(&profile->machine);
	history_free(profile->history);
	heap_log_free(profile->heap);
	kernel_names_free(profile->kernel);
	intervals_free(profile->intervals);
	if (profile->counts)
		snapshot_free(profile->counts);
	free(profile->counts);
	cgroups_free(&profile->cgroups);
	free(profile->command);
	free(profile->sessions);
	profile_init(profile);
}
