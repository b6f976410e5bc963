// SPDX-License-Identifier: GPL-2.0
/* Make and free the cache model. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache_internal.h"
#include "prefetch.h"
#include "random.h"

static bool power_of_two(unsigned int n)
{
	return n && !(n & (n - 1));
}

static bool geometry_fits(const struct vp_geometry *geometry, bool cache)
{
	return power_of_two(geometry->sets) && geometry->ways && geometry->ways <= 64 &&
	       (!cache || geometry->sets % VP_STRIPES == 0);
}

static bool config_fits(const struct vp_config *config)
{
	unsigned int code;

	for (code = 0; code < VP_CODES; code++)
		if (config->latency[code].base <= config->latency[code].spread)
			return false;
	return geometry_fits(&config->l1, true) && geometry_fits(&config->l2, true) &&
	       geometry_fits(&config->l3, true) && geometry_fits(&config->dtlb, false) &&
	       geometry_fits(&config->stlb, false) && config->walk.base >= config->walk.spread &&
	       config->fill_buffers && config->fill_buffers <= VP_MAX_FILL_BUFFERS &&
	       config->window;
}

static bool topology_fits(const struct vp_topology *topology)
{
	return topology->cpus && topology->cpus <= VP_MAX_CPUS && topology->nodes &&
	       topology->nodes <= VP_MAX_NODES;
}

static void *aligned_zero(size_t count, size_t size)
{
	void *p = aligned_alloc(128, (count * size + 127) / 128 * 128);

	if (p)
		memset(p, 0, count * size);
	return p;
}

static bool core_init(struct vp_cache *cache, unsigned int cpu)
{
	const struct vp_config *config = &cache->config;
	size_t l1 = (size_t)config->l1.sets * config->l1.ways;
	size_t l2 = (size_t)config->l2.sets * config->l2.ways;
	struct core *core = &cache->core[cpu];

	core->cpu = (uint8_t)cpu;
	core->node = (uint8_t)vp_node_of_cpu(&cache->topology, cpu);
	core->deadline = UINT64_MAX;
	if (config->waits >> cpu & 1)
		core->random = vp_random_start(config->seed, cpu);
	core->l1_ready = aligned_zero(l1, sizeof(*core->l1_ready));
	core->l1_stored = aligned_zero(l1, sizeof(*core->l1_stored));
	core->l1_used = aligned_zero(l1, sizeof(*core->l1_used));
	core->l1_latest = aligned_zero(config->l1.sets, sizeof(*core->l1_latest));
	core->l1_tag = aligned_zero(l1, sizeof(*core->l1_tag));
	core->l2_tag = aligned_zero(l2, sizeof(*core->l2_tag));
	core->l2_used = aligned_zero(l2, sizeof(*core->l2_used));
	core->prefetch = config->prefetch ? prefetch_new() : NULL;
	cache->socket[core->node].cpus |= 1ULL << cpu;
	cache->socket[core->node].l3_sets += config->l3.sets;
	return core->l1_ready && core->l1_stored && core->l1_used && core->l1_latest &&
	       core->l1_tag && core->l2_tag && core->l2_used &&
	       (core->prefetch || !config->prefetch) &&
	       !vp_tlb_init(&core->tlb, &config->dtlb, &config->stlb);
}

static bool socket_init(struct vp_cache *cache, struct socket *socket)
{
	size_t lines = (size_t)socket->l3_sets * cache->config.l3.ways;

	if (!lines)
		return true;
	socket->l3_tag = aligned_zero(lines, sizeof(*socket->l3_tag));
	socket->l3_used = aligned_zero(lines, sizeof(*socket->l3_used));
	return socket->l3_tag && socket->l3_used;
}

/* The table has at least 1.5 times as many slots as the stripe's sets can hold lines. */
static bool stripe_init(struct vp_cache *cache, struct stripe *stripe)
{
	const struct vp_config *config = &cache->config;
	size_t lines = ((size_t)config->l2.sets * config->l2.ways +
			(size_t)config->l3.sets * config->l3.ways) *
		       cache->topology.cpus / VP_STRIPES;
	size_t size = 16;

	while (size < lines + lines / 2)
		size *= 2;
	stripe->dir.mask = (uint32_t)(size - 1);
	stripe->dir.entry = aligned_zero(size, sizeof(*stripe->dir.entry));
	return stripe->dir.entry;
}

struct vp_cache *vp_cache_new_config(const struct vp_topology *topology,
				     const struct vp_config *config)
{
	struct vp_cache *cache;
	unsigned int i;
	uint64_t end = 0;
	bool ok = true;

	if (!topology_fits(topology) || !config_fits(config)) {
		errno = EINVAL;
		return NULL;
	}
	cache = calloc(1, sizeof(*cache));
	if (!cache)
		return NULL;
	cache->config = *config;
	cache->topology = *topology;
	cache->core = aligned_zero(topology->cpus, sizeof(*cache->core));
	cache->stripe = aligned_zero(VP_STRIPES, sizeof(*cache->stripe));
	if (!cache->core || !cache->stripe)
		goto no_memory;
	for (i = 0; i < topology->nodes; i++) {
		end += topology->node_mem[i];
		cache->node_end[i] = end;
	}
	for (i = 0; i < topology->cpus; i++)
		ok = core_init(cache, i) && ok;
	for (i = 0; i < topology->nodes; i++)
		ok = socket_init(cache, &cache->socket[i]) && ok;
	for (i = 0; i < VP_STRIPES; i++)
		ok = stripe_init(cache, &cache->stripe[i]) && ok;
	if (ok)
		return cache;
no_memory:
	vp_cache_free(cache);
	errno = ENOMEM;
	return NULL;
}

struct vp_cache *vp_cache_new(const struct vp_topology *topology)
{
	return vp_cache_new_config(topology, &vp_config_skx);
}

void vp_cache_free(struct vp_cache *cache)
{
	unsigned int i;

	if (!cache)
		return;
	for (i = 0; cache->core && i < cache->topology.cpus; i++) {
		struct core *core = &cache->core[i];

		vp_tlb_destroy(&core->tlb);
		free(core->prefetch);
		free(core->l1_ready);
		free(core->l1_stored);
		free(core->l1_used);
		free(core->l1_latest);
		free(core->l1_life);
		free(core->l1_tag);
		free(core->l2_tag);
		free(core->l2_used);
	}
	for (i = 0; i < cache->topology.nodes; i++) {
		free(cache->socket[i].l3_tag);
		free(cache->socket[i].l3_used);
	}
	for (i = 0; cache->stripe && i < VP_STRIPES; i++)
		free(cache->stripe[i].dir.entry);
	free(cache->stripe);
	free(cache->core);
	free(cache);
}
