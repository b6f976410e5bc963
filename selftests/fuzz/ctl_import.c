// SPDX-License-Identifier: GPL-2.0
/* perf.data files: refused with a reason, or a profile whose figures agree. */
#include "import/import.h"
#include "profile/snapshot.h"
#include "ctl.h"

#define PATH	"perf.data"
#define MEMORY	(1 << 18)	/* so small that tables are full soon */

void ctl_import(const uint8_t *data, size_t size)
{
	struct profile profile, again;
	char why[PERF_FILE_ERROR_MAX];
	size_t whole;
	const uint8_t *bytes = profile_unpack(data, size, &whole);

	world_file(0, PATH, bytes, whole);
	if (import_perf(&profile, PATH, MEMORY, why)) {
		fuzz_check(*why && !profile.history && !profile.snap.lines);
	} else {
		fuzz_check(!account_snapshot_broken(&profile.snap));
		profile_again(&profile, &again);
		profile_free(&again);
		profile_free(&profile);
	}
	world_open();
}
