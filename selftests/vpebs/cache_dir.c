// SPDX-License-Identifier: GPL-2.0
/*
 * The directory's hash tables, with linear probing and no tombstones. They never grow, because they
 * have room for every line that the caches can hold.
 */
#include <string.h>

#include "cache_internal.h"

static uint32_t dir_slot(const struct dir *dir, uint64_t line)
{
	return (uint32_t)(mix64(line / VP_STRIPES) >> 24) & dir->mask;
}

struct dir_entry *dir_find(struct dir *dir, uint64_t line)
{
	uint32_t i;

	for (i = dir_slot(dir, line); dir->entry[i].key; i = (i + 1) & dir->mask)
		if (dir->entry[i].key == line + 1)
			return &dir->entry[i];
	return NULL;
}

struct dir_entry *dir_add(struct dir *dir, uint64_t line)
{
	struct dir_entry *entry;
	uint32_t i = dir_slot(dir, line);

	while (dir->entry[i].key)
		i = (i + 1) & dir->mask;
	entry = &dir->entry[i];
	*entry = (struct dir_entry){
		.key = line + 1,
		.owner = DIR_NOBODY,
		.forwarder = DIR_NOBODY,
		.dropped_by = DIR_NOBODY,
	};
	dir->used++;
	return entry;
}

/* Close the gap, because a search stops at an empty slot. */
void dir_remove(struct dir *dir, struct dir_entry *entry)
{
	uint32_t gap = (uint32_t)(entry - dir->entry);
	uint32_t i = gap;

	for (;;) {
		uint32_t home;

		i = (i + 1) & dir->mask;
		if (!dir->entry[i].key)
			break;
		home = dir_slot(dir, dir->entry[i].key - 1);
		/* An entry may move to the gap unless the gap lies before its home. */
		if (((i - home) & dir->mask) >= ((i - gap) & dir->mask)) {
			dir->entry[gap] = dir->entry[i];
			gap = i;
		}
	}
	dir->entry[gap].key = 0;
	dir->used--;
}
