// SPDX-License-Identifier: GPL-2.0
/* Memory on another node than its users: which is named, what is advised, and what it saves. */
#include <math.h>

#include "ctl_session.h"
#include "ctl_view.h"

#include "analysis/placement.h"
#include "views/advise.h"

#define PAGE	4096ULL
#define HERE	200	/* cycles of a local load, and of a remote one */
#define AWAY	400
#define FIGHT	900	/* of what another node's core had modified */

static struct session session;
static struct shown shown;
static struct advise advise;
static struct snapshot counted;
static struct memlat_rec_count counts[16], beside;

SESSION_BEGIN(session)

static int end(void **state)
{
	(void)state;
	if (!shown.namer)
		return 0;
	advise_free(&advise);
	shown.profile.counts = NULL;
	shown_close(&shown);
	shown.namer = NULL;
	return 0;
}

#define TEST_PLACE(name) TEST_WITH(name, begin, end)

/* Loads by CPUs of these nodes from a page on the node `home`. One sample is one access. */
static struct memlat_rec_line *loads(unsigned int page, unsigned int home, __u64 nodes, __u64 local,
				     __u64 remote)
{
	/* Pages from 9 on are another object, of another process. */
	struct memlat_rec_line *line = session_line(&session, LINE + PAGE * page,
						    page < 9 ? PID : PID + 1, 0);

	line->home = home;
	line->nodes |= nodes;
	line->samples += local + remote;
	line->source[MEMLAT_SRC_DRAM] += local;
	line->source[MEMLAT_SRC_RDRAM] += remote;
	line->latency[MEMLAT_SRC_DRAM] += local * HERE;
	line->latency[MEMLAT_SRC_RDRAM] += remote * AWAY;
	line->latency_sum += local * HERE + remote * AWAY;
	line->weight += local + remote;
	line->cost = line->latency_sum;
	return line;
}

static void count(__u16 event, __u64 value)
{
	counts[counted.nr_counts++] = (struct memlat_rec_count) {
		.event = event, .value = value, .enabled = 1000, .running = 1000,
	};
}

/* One miss at a time: 900,000 of 1,000,000 cycles are stalls. */
static const struct advise_item *found(void)
{
	snapshot_init(&counted);
	counted.counts = counts;
	count(MEMLAT_EVENT_CYCLES, 1000000);
	count(MEMLAT_EVENT_INSTRUCTIONS, 500000);
	count(MEMLAT_EVENT_LOAD_STALLS, 900000);
	count(MEMLAT_EVENT_STORE_STALLS, 0);
	count(MEMLAT_EVENT_L1D_PENDING, 900000);
	count(MEMLAT_EVENT_DEMAND_OUTSTANDING, 900000);
	count(MEMLAT_EVENT_DEMAND_CYCLES, 900000);
	count(MEMLAT_EVENT_WALK_PENDING, 0);
	beside = (struct memlat_rec_count) {
		.event = MEMLAT_EVENT_INSTRUCTIONS, .value = 500000, .enabled = 1, .running = 1,
	};
	session.snap.counts = &beside;
	session.snap.nr_counts = 1;
	shown_open(&shown, &session.snap);
	shown.profile.counts = &counted;
	advise_take(&advise, &shown.profile, shown.namer, false);
	TELLS(advise_json(&advise), FITS "advise");
	assert_true(advise.nr_items <= 1);
	return advise.nr_items ? &advise.items[0] : NULL;
}

static char *printed(void)
{
	const struct advise_shown all = { .all = true, .width = 200 };

	return PRINTED(advise_print(out, &advise, &all));
}

/*
 * Only node 0 uses memory of node 1. A hundred local loads show the latency of one. All latency is
 * 300 * 400 + 100 * 200 = 140,000. 300 * 200 of that go away: 3/7 of 0.9 of the cycles.
 */
TEST_PLACE(misplaced)
{
	const struct advise_item *item;

	loads(1, 1, 1, 0, 150);
	loads(2, 1, 1, 0, 150);
	loads(9, 0, 1, 100, 0);
	item = found();
	assert_non_null(item);
	assert_int_equal(item->move, ADVISE_MOVE_THERE);
	assert_int_equal(item->placement->users, 1);
	assert_int_equal(item->placement->homes, 2);
	assert_true(fabs(item->placement->local_latency - HERE) < 1);
	assert_true(fabs(item->placement->part.saved / item->placement->part.waited - 0.5) < 0.001);
	assert_true(item->gain.lo <= 0.9 * 3 / 7 && item->gain.hi >= 0.9 * 3 / 7);
	assert_true(item->gain.hi - item->gain.lo < 0.1);
	SAYS(printed(), "lies on node 1, and only CPUs of node", "numactl --cpunodebind=1",
	     "400 cycles each, 200 from its own; 2 pages seen, 2");
}

/* Most of the latency is due to sharing, which no other place of the memory ends. */
TEST_PLACE(sharing_is_no_place)
{
	struct memlat_rec_line *line = loads(1, 1, 1, 95, 5);

	line->nodes |= 2;
	line->source[MEMLAT_SRC_RHITM] += 3000;
	line->latency[MEMLAT_SRC_RHITM] += 3000 * FIGHT;
	line->samples += 3000;
	line->latency_sum += 3000 * FIGHT;
	line->cost = line->latency_sum;
	loads(9, 0, 1, 100, 0);
	assert_null(found());
}

/* Beside the fight, loads from memory count as usual: the gain is that of these alone. */
TEST_PLACE(sharing_is_not_counted)
{
	const struct advise_item *item;
	struct memlat_rec_line *line;

	loads(9, 0, 1, 100, 0);
	line = loads(1, 1, 1, 0, 100);
	line->source[MEMLAT_SRC_RHITM] += 3000;
	line->latency[MEMLAT_SRC_RHITM] += 3000 * FIGHT;
	line->samples += 3000;
	line->latency_sum += 3000 * FIGHT;
	line->cost = line->latency_sum;
	item = found();
	assert_non_null(item);
	assert_true(fabs(item->placement->part.samples - 100) < 0.5);
	assert_true(fabs(item->placement->part.waited - 100 * AWAY) < 1);
	assert_true(item->gain.hi < 0.05);
}

/* Each page has one user, which is on the other node. */
TEST_PLACE(first_touch)
{
	loads(1, 0, 2, 0, 200);
	loads(2, 1, 1, 0, 200);
	loads(3, 0, 1, 50, 0);
	assert_int_equal(found()->move, ADVISE_MOVE_FIRST_TOUCH);
}

/* The thread that filled all of it uses one half, which is on the right node. */
TEST_PLACE(half_of_it)
{
	loads(1, 0, 1, 200, 0);
	loads(2, 0, 2, 0, 200);
	assert_int_equal(found()->move, ADVISE_MOVE_FIRST_TOUCH);
	assert_int_equal(advise.items[0].placement->misplaced, 1);
}

/* Each page has one user, on its own node. */
TEST_PLACE(local)
{
	loads(1, 0, 1, 200, 0);
	loads(2, 1, 2, 200, 0);
	assert_null(found());
}

TEST_PLACE(read_by_both)
{
	loads(1, 0, 3, 100, 100);
	loads(2, 1, 3, 100, 100);
	assert_int_equal(found()->move, ADVISE_MOVE_COPY);
	assert_false(advise_has_gain(&advise.items[0]));
	SAYS(printed(), "Keep a copy on each node", NOT "predicted");
}

TEST_PLACE(changed_by_both)
{
	struct memlat_rec_line *line = loads(1, 0, 3, 100, 100);

	line->stores = 20;
	line->samples += 20;
	assert_int_equal(found()->move, ADVISE_MOVE_NOTHING);
}

/* The stores may be to pages that nobody loads from memory. */
TEST_PLACE(changed_elsewhere)
{
	struct memlat_rec_line *line = loads(2, 0, 1, 0, 0);

	line->stores = 20;
	line->samples += 20;
	loads(1, 0, 3, 100, 100);
	assert_int_equal(found()->move, ADVISE_MOVE_NOTHING);
}

/*
 * With users on several nodes, each local load would take its own time: 300 loads 300, 100 loads
 * 200.
 */
TEST_PLACE(two_users)
{
	const struct advise_item *item;
	struct memlat_rec_line *line;

	loads(9, 0, 1, 100, 0);
	line = loads(10, 1, 2, 100, 0);
	line->latency[MEMLAT_SRC_DRAM] = 100 * 300;
	loads(1, 0, 2, 0, 300);
	loads(2, 1, 1, 0, 100);
	item = found();
	assert_non_null(item);
	assert_int_equal(item->placement->misplaced, 2);
	assert_true(fabs(item->placement->local_latency - 275) < 1);
}

/*
 * Nobody loads from a near node, so the time of a local load is not known, and no gain is reported.
 */
TEST_PLACE(no_local_loads)
{
	loads(1, 1, 1, 0, 300);
	assert_int_equal(found()->move, ADVISE_MOVE_THERE);
	assert_false(advise_has_gain(&advise.items[0]));
	SAYS(printed(), "what it saves is not known: ");
}

/* Six loads show no share. */
TEST_PLACE(homes_unknown_of_few)
{
	loads(1, MEMLAT_NODE_UNKNOWN, 1, 0, 4);
	loads(9, MEMLAT_NODE_UNKNOWN, 1, 2, 0);
	assert_null(found());
	SAYS(printed(), NOT "are from another node's");
}

/* Without physical addresses the nodes are not known. That is said if it matters. */
TEST_PLACE(homes_unknown)
{
	loads(1, MEMLAT_NODE_UNKNOWN, 1, 0, 300);
	loads(9, MEMLAT_NODE_UNKNOWN, 1, 100, 0);
	assert_null(found());
	SAYS(printed(),
	     "75 % of the loads from memory are from another node's:\n  memlat-ctl record --phys-data -- COMMAND");
}
