// SPDX-License-Identifier: GPL-2.0
/*
 * Strides: a matrix is added up by columns, by rows, and by two threads in opposite
 * directions. How far apart its loads are is known; and whatever bursts do to the
 * period, each load that counted is in the weight.
 */
#include "rig.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define PERIOD		10007
#define KERNEL_PERIOD	30011
#define BURST		64
#define SKID		8	/* records until a burst's PMI is taken */
#define INTERRUPT	2048	/* loads on the way into a PMI and out of it, at most */

static struct measured m;

static const struct memlat_status *status(void)
{
	return &m.snapshot.status.status;
}

/* The pairs of a stretch of code: all, by step, and what was new. */
struct steps {
	uint64_t pairs, forward, backward, stlb_miss, new_page;
	int64_t top;		/* its most frequent step … */
	uint64_t top_pairs;	/* … and how often */
};

static struct steps steps_of(struct json_object *answer)
{
	uint64_t code = truth_address(answer, "/code"), bytes = truth_u64(answer, "/code_bytes");
	int64_t step = truth_u64(answer, "/step");
	uint32_t pid = truth_u64(answer, "/pid");
	const struct memlat_rec_stride *row, *rows = m.snapshot.strides;
	struct steps steps = { 0 };

	for (row = rows; row < rows + m.snapshot.nr_strides; row++) {
		if (row->space != pid || row->ip - code >= bytes)
			continue;
		steps.pairs += row->pairs;
		steps.stlb_miss += row->stlb_miss;
		steps.new_page += row->new_page;
		steps.forward += row->step == step ? row->pairs : 0;
		steps.backward += row->step == -step ? row->pairs : 0;
		if (row->pairs <= steps.top_pairs)
			continue;
		steps.top_pairs = row->pairs;
		steps.top = row->step;
	}
	note("%" PRIu64 " pairs: %" PRIu64 " of them by %+" PRId64 ", %" PRIu64 " in a new page, %"
	     PRIu64 " missed the STLB\n", steps.pairs, steps.top_pairs, steps.top,
	     steps.new_page, steps.stlb_miss);
	return steps;
}

static struct memlat_config config_of(unsigned int flags)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_MIN,
						    device_period(rig_fd(), PERIOD));

	config.flags = MEMLAT_F_USER | flags;
	return config;
}

static struct json_object *measure(struct memlat_config *config, const char *options)
{
	struct json_object *answer;

	measure_begin(config);
	answer = work(WORKLOADS "matrix %s", options);
	measure_end(&m);
	return answer;
}

/*
 * Each load is in a record's weight, but those since each CPU's last record: a period,
 * or parts of several where it moves. Where a buffer was full it was a burst's.
 */
static bool weight_is_whole(unsigned int periods)
{
	uint64_t loads = truth_u64(m.truth, "/counted/total");
	uint64_t slack = status()->cpus_online * (periods * status()->period_high + INTERRUPT) +
			 truth_sum(m.truth, "/records/lost");

	note("weight %llu, counted %" PRIu64 ", may be short by %" PRIu64 "\n",
	     status()->weight_loads, loads, slack);
	return status()->weight_loads <= loads && status()->weight_loads + slack >= loads;
}

/* Not more than a burst to a period. */
static bool bursts_are_bounded(void)
{
	uint64_t gaps = status()->weight_loads / status()->period_low + status()->cpus_online;

	note("%llu samples in %" PRIu64 " periods at most\n", status()->samples, gaps);
	return status()->samples <= gaps * (1 + BURST + SKID);
}

/* The instruction that loads most, of a stretch of code. */
static const struct memlat_rec_site *site_of(struct json_object *answer)
{
	uint64_t code = truth_address(answer, "/code"), bytes = truth_u64(answer, "/code_bytes");
	static const struct memlat_rec_site none;
	const struct memlat_rec_site *site, *top = &none;

	for (site = m.snapshot.sites; site < m.snapshot.sites + m.snapshot.nr_sites; site++)
		if (site->ip - code < bytes && site->samples > top->samples)
			top = site;
	need(top->samples, "the matrix has no site");
	note("ip 0x%llx: %llu samples, %llu missed the STLB\n", top->ip, top->samples,
	     top->stlb_miss);
	return top;
}

/* What the machine wrote into records with words that say so. */
static bool words_are_true(void)
{
	const struct memlat_rec_source *word;
	uint64_t sum = 0, sites = 0;
	char pointer[64];
	size_t i;

	for (i = 0; i < m.snapshot.nr_sources; i++) {
		word = &m.snapshot.sources[i];
		if (!(word->flags & MEMLAT_WORD_STLB_MISS))
			continue;
		snprintf(pointer, sizeof(pointer), "/cores/%u/by_raw/0x%02x", word->core,
			 word->word);
		if (truth_u64(m.truth, pointer) != word->samples)
			return false;
		sum += word->samples;
	}
	for (i = 0; i < m.snapshot.nr_sites; i++)
		sites += m.snapshot.sites[i].stlb_miss;
	note("%" PRIu64 " loads missed the STLB, %" PRIu64 " of them at a site\n", sum, sites);
	return sites <= sum && sum <= sites + status()->sites_evicted;
}

static void test_columns(void)
{
	struct memlat_config config = config_of(MEMLAT_F_STRIDE);
	struct json_object *answer = measure(&config, "--by columns");
	const struct memlat_rec_site *site = site_of(answer);
	struct steps steps = steps_of(answer);
	bool tlb = status()->traits & MEMLAT_TRAIT_TLB;

	check_conserved(&m, "by columns");
	result(weight_is_whole(1), "by columns: the weight is the loads that counted\n");
	result(bursts_are_bounded(), "by columns: a burst in a period\n");
	/* Switches cut bursts; the first of each has no pair, nor has what others load. */
	result(steps.pairs >= 100 && steps.pairs * 4 >= site->samples * 3,
	       "by columns: three loads of four have a neighbour\n");
	result(steps.top == (int64_t)truth_u64(answer, "/row_bytes") &&
	       steps.top_pairs * 100 >= steps.pairs * 99,
	       "by columns: they step a row\n");
	result(steps.new_page * 100 >= steps.pairs * 99, "by columns: each is in a new page\n");
	/* Its pages are far more than a TLB has entries. */
	result(!tlb || (site->stlb_miss * 100 >= site->samples * 97 &&
			steps.stlb_miss * 100 >= steps.pairs * 97),
	       "by columns: they miss the STLB\n");
	result(words_are_true(), "by columns: as often as the machine wrote it\n");
	json_object_put(answer);
	measured_free(&m);
}

static void test_rows(void)
{
	struct memlat_config config = config_of(MEMLAT_F_STRIDE | MEMLAT_F_PHYS);
	struct json_object *answer = measure(&config, "--by rows");
	const struct memlat_rec_site *site = site_of(answer);
	struct steps steps = steps_of(answer);

	check_conserved(&m, "by rows");
	result(weight_is_whole(1), "by rows: the weight is the loads that counted\n");
	result(steps.pairs >= 100 && steps.top == (int64_t)truth_u64(answer, "/step") &&
	       steps.top_pairs * 100 >= steps.pairs * 99, "by rows: they step a double\n");
	/* One load of 512. */
	result(steps.new_page * 100 <= steps.pairs, "by rows: a new page is rare\n");
	result(site->stlb_miss * 100 <= site->samples, "by rows: they hit the TLB\n");
	json_object_put(answer);
	measured_free(&m);
}

static void test_directions(void)
{
	struct memlat_config config = config_of(MEMLAT_F_STRIDE);
	struct json_object *answer = measure(&config, "--by columns --threads 2");
	struct steps steps = steps_of(answer);

	check_conserved(&m, "two directions");
	result(weight_is_whole(1), "two directions: the weight is the loads that counted\n");
	note("%" PRIu64 " forward, %" PRIu64 " backward\n", steps.forward, steps.backward);
	/* Each thread adds up the whole; loads of one are no neighbours of the other's. */
	result(steps.pairs >= 100 && steps.forward * 10 >= steps.pairs * 3 &&
	       steps.backward * 10 >= steps.pairs * 3 &&
	       (steps.forward + steps.backward) * 100 >= steps.pairs * 99,
	       "two directions: both, and no step between the threads\n");
	json_object_put(answer);
	measured_free(&m);
}

/* Periods move, and what a burst costs is paid for. */
static void test_budget(void)
{
	struct memlat_config config = config_of(MEMLAT_F_STRIDE);
	struct json_object *answer;

	config.max_overhead = 1000;
	config.period = device_period(rig_fd(), 503);
	answer = measure(&config, "--by rows --passes 8");
	check_conserved(&m, "with a budget");
	note("periods %llu to %llu\n", status()->period_low, status()->period_high);
	result(status()->period_high > config.period && weight_is_whole(2),
	       "with a budget: the period grows, and the weight is the loads that counted\n");
	json_object_put(answer);
	measured_free(&m);
}

/* The kernel's loads too: of those between two interrupts, not of the way there. */
static void test_kernel(void)
{
	struct memlat_config config = config_of(MEMLAT_F_KERNEL | MEMLAT_F_STRIDE);
	const struct memlat_rec_stride *row, *rows;
	struct json_object *answer;
	uint64_t kernel = 0;

	config.period = KERNEL_PERIOD;
	answer = measure(&config, "--by columns");
	check_conserved(&m, "the kernel too");
	rows = m.snapshot.strides;
	for (row = rows; row < rows + m.snapshot.nr_strides; row++)
		kernel += snapshot_is_kernel(row->ip) ? row->pairs : 0;
	note("%" PRIu64 " pairs of the kernel, %llu in all\n", kernel, status()->pairs);
	result(weight_is_whole(1), "the kernel too: the weight is the loads that counted\n");
	result(kernel && status()->pairs > kernel && steps_of(answer).forward,
	       "the kernel too: it has strides, and the matrix has\n");
	json_object_put(answer);
	measured_free(&m);
}

static void test_without(void)
{
	struct memlat_config config = config_of(0);
	struct json_object *answer;

	config.period = device_period(rig_fd(), 1009);
	answer = measure(&config, "--by rows --passes 1");

	result(status()->samples && !status()->pairs && !m.snapshot.nr_strides &&
	       status()->pmis * 10 < status()->samples,
	       "without being asked for there are none, and no PMI for each period\n");
	json_object_put(answer);
	measured_free(&m);
}

int main(void)
{
	rig_open(5 * CONSERVED_RESULTS + 7 + 4 + 2 + 1 + 2 + 1);
	test_columns();
	test_rows();
	test_directions();
	test_budget();
	test_kernel();
	test_without();
	rig_close();
}
