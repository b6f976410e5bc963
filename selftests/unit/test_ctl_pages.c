// SPDX-License-Identifier: GPL-2.0
/* Memory with many page walks: which is named, and the upper bound of the gain. */
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_profile.h"
#include "ctl_session.h"
#include "ctl_view.h"

#include "profile/history.h"
#include "views/advise.h"

#define BYTES	(64ULL << 20)

static struct session session;
static struct profile profile;
static struct namer *namer;
static struct advise advise;
static struct snapshot counted;
static struct memlat_rec_count counts[8];
static char *memory;
static uint64_t large[(8 << 20) / 8], small[64];

static void count(__u16 event, __u64 value)
{
	counts[counted.nr_counts++] = (struct memlat_rec_count){
		.event = event, .value = value, .enabled = 1000000, .running = 1000000,
	};
}

static int begin(void **state)
{
	(void)state;
	session_init(&session);
	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	snapshot_init(&counted);
	counted.counts = counts;
	count(MEMLAT_EVENT_CYCLES, 1000000);
	count(MEMLAT_EVENT_INSTRUCTIONS, 500000);
	count(MEMLAT_EVENT_LOAD_STALLS, 500000);
	count(MEMLAT_EVENT_L1D_PENDING, 600000);
	count(MEMLAT_EVENT_DEMAND_OUTSTANDING, 600000);
	count(MEMLAT_EVENT_DEMAND_CYCLES, 600000);
	count(MEMLAT_EVENT_WALK_PENDING, 200000);
	return 0;
}

static int end(void **state)
{
	(void)state;
	advise_free(&advise);
	namer_free(namer);
	profile.counts = NULL;
	snapshot_init(&profile.snap);
	profile_free(&profile);
	munmap(memory, BYTES);
	return 0;
}

#define TEST_PAGES(name) TEST_WITH(name, begin, end)

static void loads(const void *at, __u64 loads, __u64 missed)
{
	USE(&session, .addr = (__u64)(uintptr_t)at, .pid = (__u32)getpid(), .tid = 1, .loads = loads);
	session_line(&session, (__u64)(uintptr_t)at, (__u32)getpid(), 0)->stlb_miss = missed;
}

static void advise_now(void)
{
	profile_init(&profile);
	profile.snap = session.snap;
	profile.history = history_new();
	profile.counts = &counted;
	assert_int_equal(history_read_proc(profile.history, (__u32)getpid()), 0);
	history_settle(profile.history, &profile.snap);
	namer = namer_new(&profile, NULL);
	advise_take(&advise, &profile, namer, false);
}

TEST_PAGES(upper_end_alone)
{
	const struct advise_item *item = &advise.items[0];

	loads(memory + 64 * 4096, 300, 200);
	loads(memory + 99 * 4096, 300, 100);
	loads(small, 500, 300);
	advise_now();
	assert_int_equal(advise.nr_of[ADVISE_PAGES], 1);
	item = &advise.items[0];
	assert_true(item->bytes >= BYTES);
	assert_true(fabs(item->walks - 0.5) < 1e-9);
	assert_true(fabs(item->missed - 0.5) < 1e-9);
	/* Half of 20 % of the cycles, plus the error of 300 samples. */
	assert_true(item->gain.lo == 0 && item->gain.hi > 0.1 && item->gain.hi < 0.12);
	SAYS(PRINTED(advise_print(out, &advise, &(struct advise_shown){ .width = 80 })),
	     "1. saves up to 11 % of the CPU cycles; there is no lower bound",
	     "50 % of its sampled loads miss the STLB.");
	/* 600 of 1,100 loads, which all take the same time. */
	TELLS(advise_json(&advise), FITS "advise", "/items/0/kind pages",
	      "/items/0/remedy huge_pages", "/items/0/cost 0.545455");
}

/* Also a variable of 8 MiB. Nothing that fits into an STLB, and nothing with too few samples. */
TEST_PAGES(which)
{
	loads(large + 5000, 100, 100);
	loads(small, 100, 100);
	loads(memory, 100, GAIN_LEAST - 1);
	advise_now();
	assert_int_equal(advise.nr_of[ADVISE_PAGES], 1);
	assert_string_equal(advise.items[0].object, "large");
}

/* A CPU whose records do not report STLB misses. */
TEST_PAGES(unknown)
{
	session.snap.head.status.traits = 0;
	loads(memory, 300, 200);
	advise_now();
	assert_int_equal(advise.nr_of[ADVISE_PAGES], 0);
}

/* Not more than the stalls, and nothing if walks are not counted. */
TEST(bounds)
{
	struct gain_counts bound = {
		.cycles = 1000, .load_stalls = 50, .walk_pending = 400, .has_load_stalls = true,
		.has_pending = true,
	};
	struct gain gain;

	gain_of_walks(&gain, &bound, 1, 100);
	assert_int_equal(gain.known, GAIN_KNOWN);
	assert_true(fabs(gain.hi - 0.05) < 1e-9 && gain.lo == 0);
	gain_of_walks(&gain, &bound, 1, GAIN_LEAST - 1);
	assert_int_equal(gain.known, GAIN_TOO_FEW);
	bound.has_pending = false;
	gain_of_walks(&gain, &bound, 1, 100);
	assert_int_equal(gain.known, GAIN_NOT_COUNTED);
}
