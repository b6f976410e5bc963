// SPDX-License-Identifier: GPL-2.0
#include "../util/number.h"
#include "slots.h"

#include <string.h>

#include "access_weight.h"

#define COVERED_PERCENT	50	/* of a line's samples must be in its accesses, to use these */

static bool is_of(const struct lineset_line *found, const struct memlat_rec_access *access,
		  const struct memlat_rec_line *line)
{
	if (line->phys)
		return access->phys == line->phys;
	/* The line has no physical address: it had several, or none was recorded. */
	if (found->nr_rows == 1)
		return true;
	if (access->phys)
		return false;
	return !line->space || (access->tgid == line->space &&
				access->gen == line->gen);
}

void slots_of_line(const struct lineset *set, const struct memlat_rec_line *line,
		   struct line_slots *slots)
{
	const struct lineset_line *found = lineset_find(set, line);
	__u64 covered = 0;
	size_t i;

	memset(slots, 0, sizeof(*slots));
	for (i = 0; found && i < found->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, found->first + i);
		unsigned int slot = access->addr % MEMLAT_LINE_BYTES / 8;

		if (!is_of(found, access, line))
			continue;
		covered += access->samples;
		slots->hitm[slot] += number_whole(access_load_weight(access) *
						  (double)(access->hitm + access->rhitm));
		slots->store[slot] += number_whole(access_store_weight(access) *
						   (double)access->stores);
	}
	if ((double)covered >= (double)line->samples / 100 * COVERED_PERCENT)
		return;
	memcpy(slots->hitm, line->slot_hitm, sizeof(slots->hitm));
	memcpy(slots->store, line->slot_store, sizeof(slots->store));
}
