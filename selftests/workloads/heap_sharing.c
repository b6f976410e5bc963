// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing in one of several objects of the heap. make_session() allocates all of them, and
 * two threads count in the second one. With -DPADDED, each counter has a line of its own.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define SESSIONS	3
#define BUSY		1	/* of them */

#ifdef PADDED
#define ALONE	__attribute__((aligned(WORKLOAD_LINE)))
#define VERDICT	"null"
#else
#define ALONE
#define VERDICT	"\"false_sharing\""
#endif

/* malloc() aligns to 16 bytes, so both counters lie in one line. */
struct session {
	volatile uint64_t sent ALONE;
	volatile uint64_t received ALONE;
	char peer[240];
};

static struct session *sessions[SESSIONS];

__attribute__((noinline)) struct session *make_session(int number)
{
#ifdef PADDED
	struct session *session = aligned_alloc(WORKLOAD_LINE, sizeof(*session));
#else
	struct session *session = malloc(sizeof(*session));
#endif

	if (!session)
		workload_fail("no memory");
	session->sent = 0;
	session->received = 0;
	snprintf(session->peer, sizeof(session->peer), "peer %d", number);
	return session;
}

__attribute__((noinline)) void count_sent(struct session *session, uint64_t iterations)
{
	while (iterations--)
		session->sent = session->sent + 1;
}

__attribute__((noinline)) void count_received(struct session *session, uint64_t iterations)
{
	while (iterations--)
		session->received = session->received + 1;
}

static void work(int index, uint64_t iterations)
{
	if (index)
		count_received(sessions[BUSY], iterations);
	else
		count_sent(sessions[BUSY], iterations);
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 500000, .least = 2, .most = 2 };
	uintptr_t object;
	int i, slot;

	workload_name = "heap_sharing";
	team_options(&team, argc, argv, TEAM_PAIR);
	for (i = 0; i < SESSIONS; i++)
		sessions[i] = make_session(i);
	object = (uintptr_t)sessions[BUSY];
	slot = object % WORKLOAD_LINE / sizeof(uint64_t);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"object\":\"0x%" PRIxPTR
	       "\",\"bytes\":%zu,\"objects\":%d,\"site\":\"make_session\",\"slots\":[%d,%d],"
	       "\"offsets\":[0,%zu],\"functions\":[\"count_sent\",\"count_received\"],"
	       "\"verdict\":" VERDICT ",",
	       object - object % WORKLOAD_LINE, object, sizeof(struct session),
	       SESSIONS, slot, slot + (int)(offsetof(struct session, received) / sizeof(uint64_t)),
	       offsetof(struct session, received));
	team_print_rest(&team);
	team_run(&team, work);
	if (sessions[BUSY]->sent != team.iterations ||
	    sessions[BUSY]->received != team.iterations)
		workload_fail("the counts are wrong");
	return 0;
}
