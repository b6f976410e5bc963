// SPDX-License-Identifier: GPL-2.0
#include "prefetch.h"

#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"

static const char *const names[PREFETCH_KINDS] = {
	"l2", "adjacent", "dcu", "ip", "page", "amp", "llcpage", "aop",
};

const char *prefetch_name(unsigned int kind)
{
	return names[kind];
}

static __u32 bit_of(const char *word, size_t length)
{
	unsigned int i;

	for (i = 0; i < PREFETCH_KINDS; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], word, length))
			return 1U << i;
	return 0;
}

bool prefetch_parse(const char *text, __u32 *kinds)
{
	__u32 found = 0, bit;

	for (;;) {
		size_t length = strcspn(text, ",");

		bit = bit_of(text, length);
		if (!bit)
			return false;
		found |= bit;
		if (!text[length])
			break;
		text += length + 1;
	}
	*kinds = found;
	return true;
}

char *prefetch_text(char out[PREFETCH_TEXT_MAX], __u32 kinds)
{
	unsigned int i;

	*out = '\0';
	for (i = 0; i < PREFETCH_KINDS; i++) {
		if (!(kinds >> i & 1))
			continue;
		if (*out)
			strcat(out, ",");
		strcat(out, names[i]);
	}
	return out;
}

static struct prefetch_group *group_of(struct prefetch_state *state,
				       const struct memlat_prefetch *told)
{
	struct prefetch_group *group;
	size_t i;

	for (i = 0; i < state->nr; i++) {
		group = &state->groups[i];
		if (group->online == !!told->online && group->known == told->known &&
		    group->off == told->off && group->held == told->held)
			return group;
	}
	state->groups = xreallocarray(state->groups, state->nr + 1, sizeof(*group));
	group = &state->groups[state->nr++];
	*group = (struct prefetch_group) {
		.online = told->online, .known = told->known, .off = told->off,
		.held = told->held,
	};
	return group;
}

void prefetch_add(struct prefetch_state *state, unsigned int cpu,
		  const struct memlat_prefetch *told)
{
	struct prefetch_group *group = group_of(state, told);

	group->cpus[cpu / 64] |= 1ULL << cpu % 64;
	state->known |= told->known;
	state->owner = told->owner;
}

void prefetch_free(struct prefetch_state *state)
{
	free(state->groups);
	*state = (struct prefetch_state) { 0 };
}
