// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing that could happen, but does not: two threads each use a member of an object from
 * malloc(). The members are 24 bytes apart. This object begins 48 bytes into a line, so they are on
 * two lines.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES	64

struct link {
	volatile uint64_t sent;
	uint64_t id, kind;
	volatile uint64_t received;
	char peer[104];
};

static struct link *shared;

__attribute__((noinline)) struct link *make_link(void)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		/* Use different sizes, so that objects begin at different offsets in a line. */
		struct link *made = malloc(sizeof(*made) + 16 * (i % 3));

		if (made && (uintptr_t)made % WORKLOAD_LINE == 48)
			return made;
	}
	workload_fail("malloc() gives no object 48 bytes into a line");
}

__attribute__((noinline)) void count(int index, uint64_t iterations)
{
	while (iterations--) {
		if (index)
			shared->received++;
		else
			shared->sent++;
	}
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = 2 };

	workload_name = "latent";
	team_options(&team, argc, argv, TEAM_PAIR);
	shared = make_link();
	printf("{\"object\":\"0x%" PRIxPTR "\",\"fields\":[\".sent\",\".received\"],\"shares\":3,\"of\":4,",
	       (uintptr_t)shared);
	team_print_rest(&team);
	team_run(&team, count);
	return 0;
}
