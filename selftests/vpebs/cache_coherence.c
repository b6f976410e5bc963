// SPDX-License-Identifier: GPL-2.0
/*
 * Coherence: what happens to a line when a core requests it, under the lock of its stripe.
 *
 * The rules follow Skylake-SP as far as that is known:
 * - A line from memory goes to L2 and L1, not to L3. It is exclusive if no other cache has it.
 * - What L2 evicts goes to the socket's L3, clean or dirty.
 * - An L3 hit moves the line back to the requesting core, if no other cache has it (a dirty line is
 *   written to memory then); otherwise L3 keeps it.
 * - A core that evicts an unmodified exclusive line does not tell the snoop filter. So the first
 *   other core that finds it in L3 waits for a snoop that misses (L3_MISS).
 * - A load of a modified line makes both copies shared. Within a socket, L3 takes a dirty copy;
 *   between sockets, the line is written to memory.
 * - Between sockets, a clean line comes from the socket that got it last (the forwarder) as long as
 *   that has it, and from memory otherwise.
 * - A store invalidates all other copies, also those in L3.
 */
#include "cache_internal.h"

static uint64_t cpu_bit(unsigned int cpu)
{
	return 1ULL << cpu;
}

static uint8_t node_bit(unsigned int node)
{
	return (uint8_t)(1U << node);
}

static bool node_has(const struct vp_cache *cache, const struct dir_entry *entry,
		     unsigned int node)
{
	return (entry->l3 & node_bit(node)) || (entry->holders & cache->socket[node].cpus);
}

/* To be called when copies were removed. True: none is left, so the entry was removed too. */
static bool entry_settle(const struct vp_cache *cache, struct dir *dir,
			 struct dir_entry *entry)
{
	if (entry->forwarder != DIR_NOBODY && !node_has(cache, entry, entry->forwarder))
		entry->forwarder = DIR_NOBODY;
	if (entry->holders || entry->l3)
		return false;
	dir_remove(dir, entry);
	return true;
}

static int way_of(const uint64_t *set, unsigned int ways, uint64_t key)
{
	unsigned int way;

	for (way = 0; way < ways; way++)
		if (set[way] == key)
			return (int)way;
	return -1;
}

/* An empty way, or else the least recently used one. */
static unsigned int victim_of(const uint64_t *set, const uint32_t *used, unsigned int ways,
			      uint32_t now)
{
	unsigned int way, oldest = 0;

	for (way = 0; way < ways; way++) {
		if (!set[way])
			return way;
		if (now - used[way] > now - used[oldest])
			oldest = way;
	}
	return oldest;
}

/* Slot of a line in a core's L1, or -1. */
static long l1_find(const struct vp_cache *cache, const struct core *core, uint64_t line)
{
	size_t slot = l1_set(cache, line);
	size_t end = slot + cache->config.l1.ways;

	for (; slot < end; slot++)
		if ((atomic_load_explicit(&core->l1_tag[slot], memory_order_relaxed) |
		     L1_WRITABLE) == (line << 2 | L1_VALID | L1_WRITABLE))
			return (long)slot;
	return -1;
}

static void l1_write(struct core *core, size_t slot, uint64_t tag)
{
	atomic_store_explicit(&core->l1_tag[slot], tag, memory_order_relaxed);
}

static void l1_drop(const struct vp_cache *cache, struct core *core, uint64_t line)
{
	long slot = l1_find(cache, core, line);

	if (slot >= 0)
		l1_write(core, (size_t)slot, 0);
}

static void l2_drop(const struct vp_cache *cache, struct core *core, uint64_t line)
{
	uint64_t *set = core->l2_tag + l2_set(cache, line);
	int way = way_of(set, cache->config.l2.ways, line + 1);

	l1_drop(cache, core, line);
	if (way >= 0)
		set[way] = 0;
}

static void l3_drop(const struct vp_cache *cache, unsigned int node, struct dir_entry *entry)
{
	const struct socket *socket = &cache->socket[node];
	uint64_t *set = socket->l3_tag + l3_set(cache, socket, entry->key - 1);
	int way = way_of(set, cache->config.l3.ways, entry->key);

	if (way >= 0)
		set[way] = 0;
	entry->l3 &= (uint8_t)~node_bit(node);
	entry->l3_dirty &= (uint8_t)~node_bit(node);
}

/*
 * Put a line into a socket's L3 that does not have it. The line that it evicts may lose its entry,
 * and that may move others: do not use an entry pointer after this.
 */
static void l3_insert(struct vp_cache *cache, struct stripe *stripe, unsigned int node,
		      struct dir_entry *entry, bool dirty)
{
	struct socket *socket = &cache->socket[node];
	size_t base = l3_set(cache, socket, entry->key - 1);
	uint64_t *set = socket->l3_tag + base;
	unsigned int way = victim_of(set, socket->l3_used + base, cache->config.l3.ways,
				     stripe->clock);
	uint64_t victim = set[way];

	set[way] = entry->key;
	socket->l3_used[base + way] = stripe->clock;
	entry->l3 |= node_bit(node);
	if (dirty)
		entry->l3_dirty |= node_bit(node);

	if (victim) {
		struct dir_entry *left = dir_find(&stripe->dir, victim - 1);

		left->l3 &= (uint8_t)~node_bit(node);
		left->l3_dirty &= (uint8_t)~node_bit(node);
		entry_settle(cache, &stripe->dir, left);
	}
}

static void l3_touch(struct vp_cache *cache, struct stripe *stripe, unsigned int node,
		     uint64_t line)
{
	struct socket *socket = &cache->socket[node];
	size_t base = l3_set(cache, socket, line);
	int way = way_of(socket->l3_tag + base, cache->config.l3.ways, line + 1);

	if (way >= 0)
		socket->l3_used[base + (size_t)way] = stripe->clock;
}

/* Evict a line from a core's L2. */
static void l2_evict(struct vp_cache *cache, struct stripe *stripe, struct core *core,
		     uint64_t line)
{
	struct dir_entry *entry = dir_find(&stripe->dir, line);
	bool dirty = entry->state == DIR_MODIFIED;

	l1_drop(cache, core, line);
	if (cache->lives)
		vp_lives_evicted(cache->lives, core->cpu, line);
	entry->holders &= ~cpu_bit(core->cpu);
	entry->dropped_by = entry->state == DIR_EXCLUSIVE ? core->cpu : DIR_NOBODY;
	entry->state = DIR_SHARED;
	entry->owner = DIR_NOBODY;
	if (entry->l3 & node_bit(core->node))
		l3_touch(cache, stripe, core->node, line);
	else
		l3_insert(cache, stripe, core->node, entry, dirty);
}

/* Make room in L2 and put the line there. The directory has it already. */
static void l2_insert(struct vp_cache *cache, struct stripe *stripe, struct core *core,
		      uint64_t line)
{
	size_t base = l2_set(cache, line);
	uint64_t *set = core->l2_tag + base;
	unsigned int way = victim_of(set, core->l2_used + base, cache->config.l2.ways,
				     stripe->clock);
	uint64_t victim = set[way];

	set[way] = line + 1;
	core->l2_used[base + way] = stripe->clock;
	if (victim)
		l2_evict(cache, stripe, core, victim - 1);
}

static void l2_touch(struct vp_cache *cache, struct stripe *stripe, struct core *core,
		     uint64_t line)
{
	size_t base = l2_set(cache, line);
	int way = way_of(core->l2_tag + base, cache->config.l2.ways, line + 1);

	if (way >= 0)
		core->l2_used[base + (size_t)way] = stripe->clock;
}

/* Put the line into L1. The line that it replaces stays in L2. Returns the slot. */
static size_t l1_insert(struct vp_cache *cache, struct core *core, uint64_t line, bool writable)
{
	size_t base = l1_set(cache, line);
	size_t slot, oldest = base;

	for (slot = base; slot < base + cache->config.l1.ways; slot++) {
		if (!atomic_load_explicit(&core->l1_tag[slot], memory_order_relaxed)) {
			oldest = slot;
			break;
		}
		if (core->l1_used[slot] < core->l1_used[oldest])
			oldest = slot;
	}
	l1_write(core, oldest, line << 2 | L1_VALID | (writable ? L1_WRITABLE : 0));
	core->l1_latest[line & (cache->config.l1.sets - 1)] = (uint8_t)(oldest - base);
	return oldest;
}

/* Invalidate all copies but that of the core that will write the line. */
static void take_from_others(struct vp_cache *cache, struct core *core,
			     struct dir_entry *entry)
{
	uint64_t line = entry->key - 1;
	uint64_t others = entry->holders & ~cpu_bit(core->cpu);
	unsigned int node;

	while (others) {
		unsigned int cpu = (unsigned int)__builtin_ctzll(others);

		l2_drop(cache, &cache->core[cpu], line);
		if (cache->lives)
			vp_lives_lost(cache->lives, cpu, line);
		others &= others - 1;
	}
	for (node = 0; entry->l3; node++)
		if (entry->l3 & node_bit(node))
			l3_drop(cache, node, entry);
	entry->holders = cpu_bit(core->cpu);
	entry->state = DIR_MODIFIED;
	entry->owner = core->cpu;
	entry->forwarder = core->node;
	entry->dropped_by = DIR_NOBODY;
}

/* The code of a store to a line that the core has shared. It tells whose copies are invalidated. */
static uint8_t upgrade_code(const struct vp_cache *cache, const struct core *core,
			    const struct dir_entry *entry)
{
	uint64_t others = entry->holders & ~cpu_bit(core->cpu);

	if ((others & ~cache->socket[core->node].cpus) || (entry->l3 & ~node_bit(core->node)))
		return VP_RCACHE;
	return others ? VP_L3_CLEAN : VP_L3;
}

/* The code of a request for a line that the core doesn't have. */
static uint8_t miss_code(const struct vp_cache *cache, const struct core *core,
			 const struct dir_entry *entry, uint64_t line)
{
	if (entry) {
		bool here = entry->l3 & node_bit(core->node);

		if (entry->state == DIR_MODIFIED)
			return cache->core[entry->owner].node == core->node ? VP_L3_HITM :
									       VP_RHITM;
		if (here && entry->dropped_by != DIR_NOBODY && entry->dropped_by != core->cpu &&
		    cache->core[entry->dropped_by].node == core->node)
			return VP_L3_MISS;
		if (here)
			return VP_L3;
		if (entry->holders & cache->socket[core->node].cpus)
			return VP_L3_CLEAN;
		if (entry->l3_dirty)
			return VP_RHITM;
		if (entry->forwarder != DIR_NOBODY)
			return VP_RCACHE;
	}
	return vp_cache_home(cache, line << VP_LINE_SHIFT) == core->node ? VP_DRAM : VP_RDRAM;
}

/*
 * The core reads a line that it does not have. Changes the directory, and the tags of the caches
 * that have the line. True: L3 has to take a dirty copy as well.
 */
static bool share_with(struct vp_cache *cache, struct core *core, struct dir_entry *entry,
		       uint8_t code)
{
	bool to_l3 = code == VP_L3_HITM;

	if ((code == VP_L3 || code == VP_L3_MISS) && !entry->holders &&
	    entry->l3 == node_bit(core->node))
		l3_drop(cache, core->node, entry);
	if (code == VP_RHITM)
		entry->l3_dirty = 0;
	entry->dropped_by = DIR_NOBODY;

	if (!entry->holders && !entry->l3) {
		entry->state = DIR_EXCLUSIVE;
		entry->owner = core->cpu;
	} else {
		if (entry->state == DIR_MODIFIED) {
			struct core *owner = &cache->core[entry->owner];
			long slot = l1_find(cache, owner, entry->key - 1);

			if (slot >= 0)
				l1_write(owner, (size_t)slot, (entry->key - 1) << 2 | L1_VALID);
		}
		entry->state = DIR_SHARED;
		entry->owner = DIR_NOBODY;
	}
	entry->holders |= cpu_bit(core->cpu);
	entry->forwarder = core->node;
	return to_l3;
}

/* Make a line in L1 writable for a store. */
static void own_in_l1(struct vp_cache *cache, struct core *core, struct dir_entry *entry,
		      size_t slot, struct served *served)
{
	served->writable_hit = entry->state != DIR_SHARED;
	served->upgrade = !served->writable_hit;
	served->code = served->writable_hit ? VP_L1 : upgrade_code(cache, core, entry);
	take_from_others(cache, core, entry);
	if (cache->lives)
		vp_lives_owned(cache->lives, core->cpu, entry->key - 1);
	l1_write(core, slot, (entry->key - 1) << 2 | L1_VALID | L1_WRITABLE);
	served->l1_slot = slot;
}

/* Get a line for an L2 that does not have it; entry may be NULL. Returns its code. */
static uint8_t fetch(struct vp_cache *cache, struct stripe *stripe, struct core *core,
		     struct dir_entry *entry, uint64_t line, bool own, bool prefetch)
{
	uint8_t code = miss_code(cache, core, entry, line);
	bool to_l3 = false;

	if (!entry)
		entry = dir_add(&stripe->dir, line);
	if (own)
		take_from_others(cache, core, entry);
	else
		to_l3 = share_with(cache, core, entry, code);
	if (entry->l3 & node_bit(core->node))
		l3_touch(cache, stripe, core->node, line);
	if (to_l3)
		l3_insert(cache, stripe, core->node, entry, true);
	l2_insert(cache, stripe, core, line);
	if (cache->lives)
		vp_lives_fetched(cache->lives, core->cpu, line, own, prefetch);
	return code;
}

/*
 * A core requests a line that its L1 does not have, or that it does not have writable for a store.
 */
void cache_request(struct vp_cache *cache, struct core *core, uint64_t line, bool own,
		   bool prefetch, struct served *served)
{
	struct stripe *stripe = stripe_of(cache, line);
	struct dir_entry *entry;
	bool writable;
	long slot;

	vp_lock(&stripe->lock);
	stripe->clock++;
	served->writable_hit = false;
	served->upgrade = false;
	served->fetched = false;
	entry = dir_find(&stripe->dir, line);
	slot = own ? l1_find(cache, core, line) : -1;
	if (slot >= 0) {
		own_in_l1(cache, core, entry, (size_t)slot, served);
		goto out;
	}

	if (entry && (entry->holders & cpu_bit(core->cpu))) {
		served->code = own && entry->state == DIR_SHARED ?
			upgrade_code(cache, core, entry) : VP_L2;
		if (own && cache->lives && entry->state != DIR_MODIFIED)
			vp_lives_owned(cache->lives, core->cpu, line);
		if (own)
			take_from_others(cache, core, entry);
		l2_touch(cache, stripe, core, line);
		writable = entry->state == DIR_MODIFIED;
	} else {
		served->fetched = true;
		served->code = fetch(cache, stripe, core, entry, line, own, prefetch);
		writable = own;
	}
	served->l1_slot = l1_insert(cache, core, line, writable);
out:
	vp_unlock(&stripe->lock);
}

bool cache_in_l1(const struct vp_cache *cache, const struct core *core, uint64_t line)
{
	return l1_find(cache, core, line) >= 0;
}

bool cache_fetch_l2(struct vp_cache *cache, struct core *core, uint64_t line, uint8_t *code)
{
	struct stripe *stripe = stripe_of(cache, line);
	struct dir_entry *entry;
	bool absent;

	vp_lock(&stripe->lock);
	entry = dir_find(&stripe->dir, line);
	absent = !entry || !(entry->holders & cpu_bit(core->cpu));
	if (absent) {
		stripe->clock++;
		*code = fetch(cache, stripe, core, entry, line, false, true);
	}
	vp_unlock(&stripe->lock);
	return absent;
}

void cache_invalidate_all(struct vp_cache *cache)
{
	const struct vp_config *config = &cache->config;
	unsigned int i, cpu, node;
	size_t n;

	for (i = 0; i < VP_STRIPES; i++)
		vp_lock(&cache->stripe[i].lock);
	for (cpu = 0; cpu < cache->topology.cpus; cpu++) {
		struct core *core = &cache->core[cpu];

		for (n = 0; n < (size_t)config->l1.sets * config->l1.ways; n++)
			l1_write(core, n, 0);
		for (n = 0; n < (size_t)config->l2.sets * config->l2.ways; n++)
			core->l2_tag[n] = 0;
	}
	for (node = 0; node < cache->topology.nodes; node++)
		for (n = 0; n < (size_t)cache->socket[node].l3_sets * config->l3.ways; n++)
			cache->socket[node].l3_tag[n] = 0;
	for (i = 0; i < VP_STRIPES; i++) {
		struct dir *dir = &cache->stripe[i].dir;

		for (n = 0; n <= dir->mask; n++)
			dir->entry[n].key = 0;
		dir->used = 0;
		cache->stripe[i].clock = 0;
	}
	if (cache->lives)
		vp_lives_flushed(cache->lives);
	atomic_fetch_add_explicit(&cache->flushes, 1, memory_order_relaxed);
	for (i = 0; i < VP_STRIPES; i++)
		vp_unlock(&cache->stripe[i].lock);
}
