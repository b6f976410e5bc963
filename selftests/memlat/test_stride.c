// SPDX-License-Identifier: GPL-2.0
/*
 * Strides. The elements of a matrix are added by columns, by rows, and by two threads in opposite
 * directions, so the distance of the loads is known. A burst samples every second or third load.
 * Bursts change the period, but each load that counted must be in the weight.
 */
#include "kinds.h"
#include "rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define PERIOD		10007
#define KERNEL_PERIOD	30011
#define BURST		64
#define SKID		8	/* records until a burst's PMI is taken */
#define CHECKS		30
#define INTERRUPT	2048	/* loads on the way into a PMI and out of it, at most */

static struct measured m;

static const struct memlat_status *status(void)
{
	return &m.snapshot.status.status;
}

/* The two distances of a burst's records, in loads. */
#define SHORT	2
#define LONG	3

/* The pairs of records of a range of code: all, by step, and with new pages. */
struct steps {
	uint64_t pairs, forward, backward, stlb_miss, new_page;
	uint64_t by_short, by_long;	/* by the two distances of bursts' records */
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
		if (row->step == SHORT * step || row->step == -SHORT * step)
			steps.by_short += row->pairs;
		else if (row->step == LONG * step || row->step == -LONG * step)
			steps.by_long += row->pairs;
		else
			continue;
		*(row->step * step > 0 ? &steps.forward : &steps.backward) += row->pairs;
	}
	note("%" PRIu64 " pairs: %" PRIu64 " two loads apart, %" PRIu64 " three, %" PRIu64
	     " in a new page, %" PRIu64 " missed the STLB\n", steps.pairs, steps.by_short,
	     steps.by_long, steps.new_page, steps.stlb_miss);
	return steps;
}

/* Does each distance have half of the bursts, and is there almost nothing else? */
static bool in_turns(const struct steps *steps)
{
	uint64_t both = steps->by_short + steps->by_long;

	return both * 100 >= steps->pairs * 99 && steps->by_short * 3 >= both &&
	       steps->by_long * 4 >= both;
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
 * Each load is in a record's weight, except those since each CPU's last record: a period, or parts
 * of several if the period changes. A record lost to a full buffer is a burst's.
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

/* There is at most one burst in each period. */
static bool bursts_are_bounded(void)
{
	uint64_t gaps = status()->weight_loads / status()->period_low + status()->cpus_online;

	note("%llu samples in %" PRIu64 " periods at most\n", status()->samples, gaps);
	return status()->samples <= gaps * (1 + BURST + SKID);
}

/* The instruction in a range of code that loads most. */
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

/* Do the figures agree with the words that the machine wrote into records? */
static bool words_are_true(void)
{
	const struct memlat_rec_source *word;
	const struct memlat_rec_core *core;
	uint64_t sum = 0, sites = 0;
	char pointer[64];
	size_t i;

	for (i = 0; i < m.snapshot.nr_sources; i++) {
		word = &m.snapshot.sources[i];
		core = snapshot_core(&m.snapshot, word->core);
		need(core, "a word is of no kind of core");
		snprintf(pointer, sizeof(pointer), "/cores/%u/by_raw/0x%02x", word->core,
			 kind_packed(kind_of(core->model_name), word->word));
		if (truth_u64_or_0(m.truth, pointer) != word->samples) {
			note("word 0x%02x: %llu samples, not as many written\n", word->word,
			     word->samples);
			return false;
		}
		if (word->flags & MEMLAT_WORD_STLB_MISS)
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
	/* Task switches cut bursts. The first record of each, and other loads, have no pair. */
	result(steps.pairs >= 100 && steps.pairs * 4 >= site->samples * 3,
	       "by columns: three of four loads have a neighbour\n");
	result(truth_u64(answer, "/step") == truth_u64(answer, "/row_bytes") && in_turns(&steps) &&
	       steps.forward * 100 >= steps.pairs * 99,
	       "by columns: the strides are two or three rows\n");
	result(steps.new_page * 100 >= steps.pairs * 99,
	       "by columns: each load is in a new page\n");
	/* The matrix has far more pages than a TLB has entries. */
	result(!tlb || (site->stlb_miss * 100 >= site->samples * 97 &&
			steps.stlb_miss * 100 >= steps.pairs * 97),
	       "by columns: the loads miss the STLB\n");
	result(words_are_true(), "by columns: as many loads miss as the machine wrote\n");
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
	result(steps.pairs >= 100 && in_turns(&steps) && steps.forward * 100 >= steps.pairs * 99,
	       "by rows: the strides are two or three doubles\n");
	/* At most three loads of 512 are in a new page. */
	result(steps.new_page * 100 <= steps.pairs, "by rows: a new page is rare\n");
	result(site->stlb_miss * 100 <= site->samples, "by rows: the loads hit the TLB\n");
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
	/* Each thread adds up the whole matrix. Loads of different threads make no pairs. */
	result(steps.pairs >= 100 && steps.forward * 10 >= steps.pairs * 3 &&
	       steps.backward * 10 >= steps.pairs * 3 &&
	       (steps.forward + steps.backward) * 100 >= steps.pairs * 99,
	       "two directions: both have strides, and none is between the threads\n");
	json_object_put(answer);
	measured_free(&m);
}

/* Periods change, and the budget includes the cost of bursts. */
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

/* With the kernel's loads: those between two PMIs, not those of the PMIs themselves. */
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
	       "the kernel too: both the kernel and the matrix have strides\n");
	json_object_put(answer);
	measured_free(&m);
}

/*
 * The end of a session checks the registers of each CPU. Some of these checks begin within a burst
 * of the kernel's loads, and must end. The kernel's work is that of the calls.
 */
static void test_checks(void)
{
	struct memlat_config config = config_of(MEMLAT_F_KERNEL | MEMLAT_F_STRIDE);
	uint64_t pmis = 0, stopped = 0;
	struct memlat_status now;
	unsigned int i, k;

	config.period = device_period(rig_fd(), 1);
	for (i = 0; i < CHECKS; i++) {
		need(!device_start(rig_fd(), &config), "start is refused");
		for (k = 0; k < i % 8; k++)
			need(!device_status(rig_fd(), &now), "STATUS fails");
		need(!device_stop(rig_fd()) && !device_status(rig_fd(), &now), "stop fails");
		pmis += now.pmis;
		stopped += now.ended == MEMLAT_END_STOPPED;
	}
	note("%" PRIu64 " PMIs in %u sessions\n", pmis, CHECKS);
	result(stopped == CHECKS && pmis > CHECKS,
	       "checks within bursts: they end, and find nothing of somebody else's\n");
}

static void test_without(void)
{
	struct memlat_config config = config_of(0);
	struct json_object *answer;

	config.period = device_period(rig_fd(), 1009);
	answer = measure(&config, "--by rows --passes 1");

	result(status()->samples && !status()->pairs && !m.snapshot.nr_strides &&
	       status()->pmis * 10 < status()->samples,
	       "without --stride there are no strides, and no PMI for each period\n");
	json_object_put(answer);
	measured_free(&m);
}

/* On cores whose minimum period leaves out most loads. */
static void test_refused(void)
{
	struct memlat_config config = config_of(MEMLAT_F_STRIDE);
	struct memlat_query query;

	need(!device_query(rig_fd(), &query), "the device does not answer");
	result(device_start(rig_fd(), &config) == -EOPNOTSUPP &&
	       config.reason == MEMLAT_WHY_STRIDE && !(query.flags & MEMLAT_F_STRIDE),
	       "a CPU with a shortest period of %llu: strides are refused\n", query.period_min);
}

/* According to the machine, before the module is loaded. */
static bool has_bursts(void)
{
	struct json_object *truth, *name;
	bool bursts = true;

	if (!truth_available())
		return true;
	truth = truth_totals(0, MEMLAT_LINE_BYTES);
	need(truth && !json_pointer_get(truth, "/cores/0/core", &name),
	     "the machine does not name its cores");
	bursts = kind_of(json_object_get_string(name))->can & KIND_BURSTS;
	json_object_put(truth);
	return bursts;
}

int main(void)
{
	if (!has_bursts()) {
		rig_open(1);
		test_refused();
		rig_close();
		return 0;
	}
	rig_open(5 * CONSERVED_RESULTS + 7 + 4 + 2 + 1 + 2 + 1 + 1);
	test_columns();
	test_rows();
	test_directions();
	test_budget();
	test_kernel();
	test_checks();
	test_without();
	rig_close();
}
