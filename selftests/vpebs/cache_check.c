// SPDX-License-Identifier: GPL-2.0
/* For tests: find where a line is, and check that tags and directory agree. */
#include <stdio.h>

#include "cache_internal.h"

void vp_cache_probe(struct vp_cache *cache, uint64_t paddr, struct vp_cache_line *result)
{
	uint64_t line = paddr >> VP_LINE_SHIFT;
	struct stripe *stripe = stripe_of(cache, line);
	const struct dir_entry *entry;

	*result = (struct vp_cache_line){ .state = 'I' };
	vp_lock(&stripe->lock);
	entry = dir_find(&stripe->dir, line);
	if (entry) {
		if (entry->holders)
			result->state = "SEM"[entry->state];
		result->holders = entry->holders;
		result->l3 = entry->l3;
		result->l3_dirty = entry->l3_dirty;
	}
	vp_unlock(&stripe->lock);
}

struct check {
	struct vp_cache *cache;
	unsigned int faults;
	char *why;
	size_t size;
};

static void fault(struct check *check, const char *what, uint64_t line, int who)
{
	if (!check->faults++)
		snprintf(check->why, check->size, "%s: line 0x%llx, cpu or node %d", what,
			 (unsigned long long)line, who);
}

static bool set_has(const uint64_t *set, unsigned int ways, uint64_t key)
{
	unsigned int way;

	for (way = 0; way < ways; way++)
		if (set[way] == key)
			return true;
	return false;
}

static void check_entry(struct check *check, const struct dir_entry *entry)
{
	struct vp_cache *cache = check->cache;
	const struct vp_config *config = &cache->config;
	uint64_t line = entry->key - 1;
	unsigned int i;

	if (!entry->holders && !entry->l3)
		fault(check, "an entry for a line that nobody has", line, -1);
	if (entry->state != DIR_SHARED &&
	    (entry->owner >= cache->topology.cpus || entry->holders != 1ULL << entry->owner ||
	     entry->l3))
		fault(check, "an owner who is not alone", line, entry->owner);
	if (entry->l3_dirty & ~entry->l3 || entry->l3_dirty & (entry->l3_dirty - 1))
		fault(check, "more dirty L3 copies than copies, or two", line, entry->l3_dirty);
	for (i = 0; i < cache->topology.cpus; i++)
		if ((entry->holders >> i & 1) !=
		    set_has(cache->core[i].l2_tag + l2_set(cache, line), config->l2.ways,
			    line + 1))
			fault(check, "directory and L2 differ", line, (int)i);
	for (i = 0; i < cache->topology.nodes; i++) {
		const struct socket *socket = &cache->socket[i];

		if (socket->l3_sets && (entry->l3 >> i & 1) !=
		    set_has(socket->l3_tag + l3_set(cache, socket, line), config->l3.ways,
			    line + 1))
			fault(check, "directory and L3 differ", line, (int)i);
	}
	if (entry->forwarder != DIR_NOBODY && !(entry->l3 >> entry->forwarder & 1) &&
	    !(entry->holders & cache->socket[entry->forwarder].cpus))
		fault(check, "a forwarder without a copy", line, entry->forwarder);
}

static void check_core(struct check *check, const struct core *core)
{
	struct vp_cache *cache = check->cache;
	size_t i, l1 = (size_t)cache->config.l1.sets * cache->config.l1.ways;
	size_t l2 = (size_t)cache->config.l2.sets * cache->config.l2.ways;

	for (i = 0; i < l1; i++) {
		uint64_t tag = atomic_load_explicit(&core->l1_tag[i], memory_order_relaxed);
		uint64_t line = tag >> 2;
		const struct dir_entry *entry;

		if (!tag)
			continue;
		entry = dir_find(&stripe_of(cache, line)->dir, line);
		if (!entry || !(entry->holders >> core->cpu & 1))
			fault(check, "in L1 but not in L2", line, core->cpu);
		else if (!!(tag & L1_WRITABLE) != (entry->state == DIR_MODIFIED))
			fault(check, "L1's permission to write is wrong", line, core->cpu);
	}
	for (i = 0; i < l2; i++) {
		uint64_t line = core->l2_tag[i] - 1;

		if (core->l2_tag[i] && !dir_find(&stripe_of(cache, line)->dir, line))
			fault(check, "in L2 but not in the directory", line, core->cpu);
	}
}

unsigned int vp_cache_check(struct vp_cache *cache, char *why, size_t size)
{
	struct check check = { .cache = cache, .why = why, .size = size };
	unsigned int i;
	size_t n;

	for (i = 0; i < VP_STRIPES; i++) {
		const struct dir *dir = &cache->stripe[i].dir;
		uint32_t used = 0;

		for (n = 0; n <= dir->mask; n++) {
			if (!dir->entry[n].key)
				continue;
			used++;
			check_entry(&check, &dir->entry[n]);
			if (dir_find((struct dir *)dir, dir->entry[n].key - 1) != &dir->entry[n])
				fault(&check, "an entry that can't be found",
				      dir->entry[n].key - 1, -1);
		}
		if (used != dir->used)
			fault(&check, "a directory that miscounts itself", i, (int)used);
	}
	for (i = 0; i < cache->topology.cpus; i++)
		check_core(&check, &cache->core[i]);
	for (i = 0; i < cache->topology.nodes; i++) {
		const struct socket *socket = &cache->socket[i];

		for (n = 0; n < (size_t)socket->l3_sets * cache->config.l3.ways; n++) {
			uint64_t line = socket->l3_tag[n] - 1;

			if (socket->l3_tag[n] && !dir_find(&stripe_of(cache, line)->dir, line))
				fault(&check, "in L3 but not in the directory", line, (int)i);
		}
	}
	return check.faults;
}
