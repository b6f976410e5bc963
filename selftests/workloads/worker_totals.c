// SPDX-License-Identifier: GPL-2.0
/*
 * The totals of a server's workers, in an array with an entry of 24 bytes for each: some entries
 * share a line, and some are on two lines. Each worker reads a request from a buffer of its own,
 * and adds to its entry. With APART, each entry has a line of its own.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS		4
#define REQUESTS	1024

#ifdef APART
#define OWN_LINE	__attribute__((aligned(WORKLOAD_LINE)))
#define NAME		"worker_totals_apart"
#define VERDICT		"one_thread"
#else
#define OWN_LINE
#define NAME		"worker_totals"
#define VERDICT		"false_sharing"
#endif

typedef struct WorkerTotals {
	uint64_t requests;
	uint64_t bytes;
	uint32_t errors;
	uint32_t longest;
} OWN_LINE WorkerTotals;

struct request {
	uint32_t length, status;
};

static WorkerTotals totals[WORKERS] __attribute__((aligned(WORKLOAD_LINE)));
static struct request *queue[WORKERS];

static void account(WorkerTotals *t, const struct request *r)
{
	t->requests++;
	t->bytes += r->length;
	if (r->status >= 500)
		t->errors++;
	if (r->length > t->longest)
		t->longest = r->length;
}

/* The real work of a worker. */
static uint32_t serve(const struct request *r)
{
	uint32_t sum = r->length, i;

	for (i = 0; i < 40; i++)
		sum = (sum << 5) ^ (sum >> 3) ^ i;
	return sum;
}

static void worker(int index, uint64_t n)
{
	volatile uint32_t answer;
	uint64_t i;

	for (i = 0; i < n; i++) {
		const struct request *r = &queue[index][i % REQUESTS];

		answer = serve(r);
		account(&totals[index], r);
	}
	(void)answer;
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = WORKERS };
	int i, k;

	workload_name = NAME;
	team_options(&team, argc, argv, TEAM_ALL);
	for (i = 0; i < team.nr; i++) {
		queue[i] = calloc(REQUESTS, sizeof(**queue));
		if (!queue[i])
			workload_fail("no memory");
		for (k = 0; k < REQUESTS; k++)
			queue[i][k] = (struct request){ .length = 100 + k % 37, .status = k % 50 ? 200 : 503 };
	}
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"totals\",\"verdict\":\"" VERDICT "\",",
	       (uintptr_t)totals);
	team_print_rest(&team);
	team_run(&team, worker);
	for (i = 0; i < team.nr; i++)
		if (totals[i].requests != team.iterations)
			workload_fail("served %" PRIu64 ", not %" PRIu64, totals[i].requests, team.iterations);
	return 0;
}
