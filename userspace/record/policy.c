// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "policy.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "../cli/open.h"
#include "../heap/format.h"
#include "../util/number.h"
#include "../util/out.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "follow.h"

#define SHOWN_MAX	(4 * 256)

struct policy_kind {
	const char *name;
	const char *values;		/* shown if another value is given */
	/* Does the value fit this machine? Prints why not. */
	bool (*fits)(struct policy *remedy);
	bool (*apply)(struct policy *remedy);
	void (*undo)(struct policy *remedy);
};

static bool refuse(const struct policy *remedy, const char *why)
{
	char shown[SHOWN_MAX];

	out_complain("%s: %s", text_escape(shown, sizeof(shown), remedy->text), why);
	return false;
}

/* ---------------------------------------------------------------- variables */

static bool set(struct policy *remedy, const char *name, const char *value)
{
	const char *old = getenv(name);

	remedy->name = xstrdup(name);
	remedy->old = old ? xstrdup(old) : NULL;
	if (!setenv(name, value, 1))
		return true;
	return refuse(remedy, strerror(errno));
}

static void unset(struct policy *remedy)
{
	if (remedy->name && remedy->old)
		setenv(remedy->name, remedy->old, 1);
	else if (remedy->name)
		unsetenv(remedy->name);
	free(remedy->name);
	free(remedy->old);
	remedy->name = remedy->old = NULL;
}

/* Append an item to a list in a variable, and keep what is there. */
static bool add_to(struct policy *remedy, const char *name, const char *item)
{
	const char *old = getenv(name);
	char *whole = xasprintf("%s%s%s", old && *old ? old : "", old && *old ? ":" : "", item);
	bool good = set(remedy, name, whole);

	free(whole);
	return good;
}

static bool env_fits(struct policy *remedy)
{
	const char *equals = strchr(remedy->value, '=');

	return (equals && equals > remedy->value) ||
	       refuse(remedy, "no variable; give env:NAME=VALUE");
}

static bool env_apply(struct policy *remedy)
{
	char *name = xstrdup(remedy->value), *equals = strchr(name, '=');
	bool good;

	*equals = '\0';
	good = set(remedy, name, equals + 1);
	free(name);
	return good;
}

/* ------------------------------------------------------------------- memory */

static bool numa_fits(struct policy *remedy)
{
	uint64_t node;

	if (numa_available() < 0 || numa_num_configured_nodes() < 2)
		return refuse(remedy, "this machine has one node, whose memory all use already");
	if (!strcmp(remedy->value, "interleave") || !strcmp(remedy->value, "local"))
		return true;
	if (strncmp(remedy->value, "bind:", 5) ||
	    number_parse(remedy->value + 5, 0, NUMA_NUM_NODES - 1, &node) != NUMBER_OK)
		return refuse(remedy, "give numa=bind:N, numa=interleave or numa=local");
	return numa_bitmask_isbitset(numa_get_mems_allowed(), (unsigned int)node) ||
	       refuse(remedy, "there is no such node with memory\n  numactl --hardware      lists them");
}

/* numactl may have set one, which the runs without the remedy have to keep. */
static void policy_keep(struct policy *remedy)
{
	remedy->nodes = numa_allocate_nodemask();
	if (get_mempolicy(&remedy->policy, remedy->nodes->maskp, remedy->nodes->size + 1, NULL, 0))
		remedy->policy = MPOL_DEFAULT;
}

static bool numa_apply(struct policy *remedy)
{
	struct bitmask *nodes = numa_allocate_nodemask();
	int mode = MPOL_LOCAL;
	long ret;

	policy_keep(remedy);
	if (!strcmp(remedy->value, "interleave")) {
		mode = MPOL_INTERLEAVE;
		copy_bitmask_to_bitmask(numa_all_nodes_ptr, nodes);
	} else if (strcmp(remedy->value, "local")) {
		mode = MPOL_BIND;
		numa_bitmask_setbit(nodes, (unsigned int)atoi(remedy->value + 5));
	}
	/* Children inherit the policy, and execve() keeps it. */
	ret = set_mempolicy(mode, mode == MPOL_LOCAL ? NULL : nodes->maskp,
			    mode == MPOL_LOCAL ? 0 : nodes->size + 1);
	numa_free_nodemask(nodes);
	return !ret || refuse(remedy, strerror(errno));
}

static void numa_undo(struct policy *remedy)
{
	set_mempolicy(remedy->policy, remedy->nodes->maskp, remedy->nodes->size + 1);
	numa_free_nodemask(remedy->nodes);
	remedy->nodes = NULL;
}

static bool thp_fits(struct policy *remedy)
{
	return !strcmp(remedy->value, "always") || !strcmp(remedy->value, "never") ||
	       refuse(remedy, "give thp=always or thp=never");
}

static bool thp_apply(struct policy *remedy)
{
	if (!strcmp(remedy->value, "always"))
		return add_to(remedy, "GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
	remedy->thp_disable = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
	return !prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) || refuse(remedy, strerror(errno));
}

static void thp_undo(struct policy *remedy)
{
	/* Bits above the lowest are flags, which newer kernels know. */
	if (!strcmp(remedy->value, "never") && remedy->thp_disable >= 0)
		prctl(PR_SET_THP_DISABLE, remedy->thp_disable & 1UL,
		      (unsigned long)remedy->thp_disable & ~1UL, 0, 0);
	unset(remedy);
}

static bool align_fits(struct policy *remedy)
{
	char path[PATH_MAX];

	if (strcmp(remedy->value, "64") && strcmp(remedy->value, "128"))
		return refuse(remedy, "give heap-align=64, or 128 for pairs of lines");
	if (!heap_library_find(path))
		return refuse(remedy, "there is no " HEAP_LIBRARY " beside memlat-ctl, or in ../lib/memlat\n"
			      "  make -C userspace install      puts it there");
	return !strpbrk(path, " :") ||
	       refuse(remedy, HEAP_LIBRARY " cannot be preloaded: no blank or colon may be in its path");
}

/* The first library in the list is called. It calls the next one, which may be an allocator. */
static bool align_apply(struct policy *remedy)
{
	const char *old = getenv("LD_PRELOAD");
	char path[PATH_MAX], *whole;
	bool good;

	if (!heap_library_find(path) || setenv(HEAP_ALIGN_ENV, remedy->value, 1))
		return false;
	whole = xasprintf("%s%s%s", path, old && *old ? ":" : "", old && *old ? old : "");
	good = set(remedy, "LD_PRELOAD", whole);
	free(whole);
	return good;
}

static void align_undo(struct policy *remedy)
{
	unsetenv(HEAP_ALIGN_ENV);
	unset(remedy);
}

/* -------------------------------------------------------------- prefetchers */

static bool prefetch_fits(struct policy *remedy)
{
	return !strcmp(remedy->value, "off") ||
	       refuse(remedy, "give prefetch=off; without it the prefetchers stay as they are");
}

static bool prefetch_apply(struct policy *remedy)
{
	return prefetch_hold(remedy->device, remedy->query, 0, NULL);
}

static void prefetch_undo(struct policy *remedy)
{
	prefetch_release(remedy->device, remedy->query);
}

static const struct policy_kind kinds[] = {
	{ "numa=", "numa=bind:N, numa=interleave, numa=local", numa_fits, numa_apply, numa_undo },
	{ "thp=", "thp=always, thp=never", thp_fits, thp_apply, thp_undo },
	{ "heap-align=", "heap-align=64, heap-align=128", align_fits, align_apply, align_undo },
	{ "prefetch=", "prefetch=off", prefetch_fits, prefetch_apply, prefetch_undo },
	{ "env:", "env:NAME=VALUE", env_fits, env_apply, unset },
};
#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

bool policy_parse(struct policy *remedy, const char *text)
{
	char shown[SHOWN_MAX];
	size_t i;

	*remedy = (struct policy){ .text = text };
	for (i = 0; i < KINDS; i++) {
		const size_t length = strlen(kinds[i].name);

		if (strncmp(text, kinds[i].name, length))
			continue;
		remedy->kind = &kinds[i];
		remedy->value = text + length;
		return kinds[i].fits(remedy);
	}
	out_complain("%s: no such remedy; give one of\n  %s\n  %s\n  %s\n  %s\n  %s",
		     text_typed(shown, sizeof(shown), text), kinds[0].values, kinds[1].values,
		     kinds[2].values, kinds[3].values, kinds[4].values);
	return false;
}

bool policy_needs_module(const struct policy *remedy)
{
	return remedy->kind && remedy->kind->apply == prefetch_apply;
}

bool policy_apply(struct policy *remedy, int device, const struct memlat_query *query)
{
	remedy->device = device;
	remedy->query = query;
	return remedy->kind->apply(remedy);
}

void policy_undo(struct policy *remedy)
{
	remedy->kind->undo(remedy);
}
