// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold on every CPU model, checked on the emulated machine of that model: it has the
 * expected kinds of cores, the planted workloads are found, records are conserved, counts agree
 * with the truth, every data source word is counted as hardware wrote it, there are loads and
 * stores (model_stores.c), and the PMU is restored.
 *
 * A new model is one row in kinds.c. stats.h has the bounds, and says how often a measurement is
 * repeated that is not within them.
 */
#include "kinds.h"
#include "model.h"
#include "stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD		101
#define CHASE_BYTES	(16 << 20)
#define CHASE_STEPS	100000
#define CHASE_CODE	64		/* chase() is shorter, bytes */
#define INSTRUCTION_MAX	15		/* bytes */
#define LOOP_LOADS	10		/* sampled; code outside of loops has fewer */

/* The names of the truth's by_source, by enum memlat_source. */
const char *const source_names[MEMLAT_SRC_NR] = {
	[MEMLAT_SRC_UNKNOWN] = "unknown", [MEMLAT_SRC_L1] = "l1",
	[MEMLAT_SRC_LFB] = "lfb", [MEMLAT_SRC_L2] = "l2",
	[MEMLAT_SRC_L3] = "l3", [MEMLAT_SRC_L3_SNOOP] = "l3_snoop",
	[MEMLAT_SRC_L3_HITM] = "l3_hitm", [MEMLAT_SRC_RCACHE] = "rcache",
	[MEMLAT_SRC_RHITM] = "rhitm", [MEMLAT_SRC_DRAM] = "dram",
	[MEMLAT_SRC_RDRAM] = "rdram", [MEMLAT_SRC_PMEM] = "pmem",
	[MEMLAT_SRC_RPMEM] = "rpmem", [MEMLAT_SRC_L4] = "l4",
	[MEMLAT_SRC_IO] = "io", [MEMLAT_SRC_UNC] = "unc",
};

struct model model;

static struct json_object *chase;

const struct memlat_status *status(void)
{
	return &model.m.snapshot.status.status;
}

double lost(void)
{
	return truth_sum(model.m.truth, "/records/lost");
}

struct json_object *share_a_line(int writes)
{
	return work(WORKLOADS "false_sharing --cpus 0,%d --iterations %d", model.last_cpu,
		    writes);
}

static void measure_loads(void)
{
	struct memlat_config config;

	model.period = device_period(rig_fd(), PERIOD);
	config = device_config(MEMLAT_LDLAT_DEFAULT, model.period);
	measure_begin(&config);
	model.sharing = share_a_line(WRITES);
	chase = work(WORKLOADS "chase --size %d --steps %d --cpu 1", CHASE_BYTES,
		     CHASE_STEPS);
	measure_end_lines(&model.m, truth_address(model.sharing, "/line"), MEMLAT_LINE_BYTES);
}

void forget(void)
{
	measured_free(&model.m);
	json_object_put(model.sharing);
	json_object_put(chase);
	chase = NULL;
}

static const char *truth_text(const char *pointer)
{
	struct json_object *text = NULL;

	if (json_pointer_get(model.m.truth, pointer, &text))
		return NULL;
	return json_object_get_string(text);
}

/* The truth's number of a kind of core, by name; -1: none. */
static int truth_core(const char *name)
{
	char pointer[40];
	const char *text;
	int i;

	for (i = 0;; i++) {
		snprintf(pointer, sizeof(pointer), "/cores/%d/core", i);
		text = truth_text(pointer);
		if (!text)
			return -1;
		if (!strcmp(text, name))
			return i;
	}
}

static void check_kinds(void)
{
	const struct memlat_rec_core *core;
	unsigned int seen = 0, i;
	bool known = true, same = true;
	const struct kind *kind;
	char pointer[40];

	for (i = 0; i < model.m.snapshot.nr_cores; i++) {
		core = &model.m.snapshot.cores[i];
		kind = kind_of(core->model_name);
		note("core %u: %s, %s, format %u, %u bytes, traits 0x%x, CPUs 0x%llx\n",
		     core->core, core->model_name, core->model_title,
		     core->pebs_format, core->record_size, core->traits,
		     core->cpus[0]);
		known &= kind && core->pebs_format == kind->format &&
			 core->record_size == kind->record_size &&
			 core->traits == kind->traits;
		same &= truth_core(core->model_name) >= 0 && core->cpus[0];
		seen |= core->cpus[0];
	}
	for (i = 0; snprintf(pointer, sizeof(pointer), "/cores/%u", i),
	     truth_has(model.m.truth, pointer); i++)
		;
	result(known && model.m.snapshot.nr_cores,
	       "the format, size and traits of each kind of core are the ones expected\n");
	result(same && i == model.m.snapshot.nr_cores && seen == (2u << model.last_cpu) - 1,
	       "the kinds of cores are those of this machine, and all its CPUs\n");
}

/* Do k of n samples agree with c of t loads, within STATS_ONE? */
static bool agree(const char *what, uint64_t k, uint64_t n, uint64_t c, uint64_t t)
{
	double p = t ? (double)c / t : 0.0;

	note("%s: %" PRIu64 " of %" PRIu64 " samples, expected %.1f (sigma %.1f)\n",
	     what, k, n, n * p, sqrt(n * p * (1.0 - p)));
	return n && stats_agree(k, n, p, STATS_ONE, lost() + status()->lines_evicted);
}

/* Whether each of the planted figures is within STATS_ONE of the truth. */
static struct figures {
	bool line, slots, hitm, chase;
} figures;

/* The planted line in memlat's tables, and in the truth. */
static const struct memlat_rec_line *planted(struct truth_line *real)
{
	uint64_t address = truth_address(model.sharing, "/line");
	const struct memlat_rec_line *line;

	truth_line(model.m.truth, address, real);
	line = snapshot_line(&model.m.snapshot, truth_u64(model.sharing, "/pid"), address);
	need(line, "the planted line is not in the snapshot");
	need(real->places, "the planted line is not in the truth");
	return line;
}

bool some_tell_hitm(void)
{
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_cores; i++)
		if (!(kind_of(model.m.snapshot.cores[i].model_name)->traits & MEMLAT_TRAIT_XSNP_FWD))
			return true;
	return false;
}

static bool figures_agree(void)
{
	uint64_t code = truth_address(chase, "/code"), total = 0, slot;
	uint64_t all = truth_u64(model.m.truth, "/counted/total");
	struct truth_line real;
	const struct memlat_rec_line *line = planted(&real);
	unsigned int i;

	figures = (struct figures) { .slots = true, .hitm = true };
	figures.line = agree("planted line", line->samples, status()->samples,
			     real.counted, all);
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		total += real.slot[i];
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		slot = line->slot[i];
		if (i >= 2) {
			figures.slots &= !slot && !real.slot[i];
			continue;
		}
		figures.slots &= slot && agree("slot", slot, line->samples,
					       real.slot[i], total);
		slot = line->slot_hitm[i] + line->slot_xsnp_fwd[i];
		figures.hitm &= slot && agree("HITM of slot", slot, line->samples,
					      real.slot_hitm[i], total);
	}
	figures.chase = agree("chase", lines_in(&model.m.snapshot,
						truth_address(chase, "/start"),
						truth_u64(chase, "/bytes")).samples,
			      status()->samples,
			      truth_range(model.m.truth, "/ips", "/ip", code, CHASE_CODE,
					  "/counted"), all);
	return figures.line && figures.slots && figures.hitm && figures.chase;
}

static void check_sharing(void)
{
	const struct memlat_rec_line *line, *top = snapshot_top_hitm(&model.m.snapshot);
	struct truth_line real;
	uint64_t nodes, cpus = 1ull | 1ull << model.last_cpu;

	line = planted(&real);
	nodes = 1ull << truth_u64(model.sharing, "/nodes/0") |
		1ull << truth_u64(model.sharing, "/nodes/1");
	if (top != line)
		note("first is 0x%llx of %u\n", top ? top->addr : 0,
		     top ? top->space : 0);
	result(top == line, "the planted line ranks first by HITM of programs' lines\n");
	note("HITM from nodes 0x%llx, CPUs 0x%llx; %llu samples, %" PRIu64 " written\n",
	     line->hitm_nodes, line->cpus, line->samples, real.records);
	/* A core that cannot tell HITM within a socket reports none there. */
	result(line->hitm_nodes == (nodes & (nodes - 1) || some_tell_hitm() ? nodes : 0) &&
	       real.hitm_nodes == nodes && (line->cpus & cpus) == cpus,
	       "its HITM loads come from both nodes, its loads from both CPUs\n");
	result(!line->source[MEMLAT_SRC_L3_HITM] || some_tell_hitm(),
	       "no local HITM on CPUs that do not distinguish it from a clean forward\n");
	result(line->samples == real.records,
	       "its samples are the records written for it, exactly\n");
	result(figures.line, "its share of all samples agrees\n");
	result(figures.slots, "its two slots, and no others, agree\n");
	result(figures.hitm, "HITM loads of its two slots agree\n");
}

static void check_chase(void)
{
	uint64_t start = truth_address(chase, "/start");
	uint64_t bytes = truth_u64(chase, "/bytes");
	bool remote = truth_u64(chase, "/node") != truth_u64(chase, "/cpu_node");
	enum memlat_source far = remote ? MEMLAT_SRC_RDRAM : MEMLAT_SRC_DRAM;
	uint64_t samples = 0, memory = 0, elsewhere = 0;
	const struct memlat_rec_line *line;
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_lines; i++) {
		line = &model.m.snapshot.lines[i];
		if (line->addr - start >= bytes)
			continue;
		samples += line->samples;
		memory += line->source[far];
		elsewhere += line->samples - line->slot[0];
	}
	note("chase: %" PRIu64 " samples, %" PRIu64 " from %s\n", samples, memory,
	     source_names[far]);
	result(samples && memory * 10 > samples * 9 && !elsewhere,
	       "over 9 of 10 loads of the chase are memory's, all at slot 0\n");
	result(figures.chase, "the chase's share of all samples agrees\n");
}

/* Was each source word of a kind of core counted as often as it was written? */
static bool words_equal(const struct memlat_rec_core *core)
{
	const struct kind *kind = kind_of(core->model_name);
	int number = truth_core(core->model_name);
	uint64_t written, stores, seen = 0;
	char pointer[60];
	bool equal;
	size_t i;

	snprintf(pointer, sizeof(pointer), "/cores/%d/written", number);
	written = truth_u64(model.m.truth, pointer);
	snprintf(pointer, sizeof(pointer), "/cores/%d/written_stores", number);
	stores = truth_u64(model.m.truth, pointer);
	equal = written == core->loads && stores == core->stores;
	note("%s: %llu loads, %llu stores; written %" PRIu64 " and %" PRIu64 "\n",
	     core->model_name, core->loads, core->stores, written, stores);
	for (i = 0; i < model.m.snapshot.nr_sources; i++) {
		const struct memlat_rec_source *source = &model.m.snapshot.sources[i];
		uint64_t real;

		if (source->core != core->core)
			continue;
		snprintf(pointer, sizeof(pointer), "/cores/%d/by_raw/0x%02x", number,
			 kind_packed(kind, source->word));
		real = truth_u64_or_0(model.m.truth, pointer);
		seen += source->samples;
		if (real == source->samples)
			continue;
		note("%s: word 0x%02x: %llu samples, %" PRIu64 " written\n",
		     core->model_name, source->word, source->samples, real);
		equal = false;
	}
	return equal && seen == written;
}

void check_words(const char *what, uint64_t min)
{
	bool equal = true, all = true;
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_cores; i++) {
		equal &= words_equal(&model.m.snapshot.cores[i]);
		all &= model.m.snapshot.cores[i].loads >= min;
	}
	result(equal && all, "%s: each kind of core's words are those written, exactly\n",
	       what);
}

/* For each table, the number of cells compared, or -1 - the first that is out of bounds. */
static struct tables {
	int latency, source;
} tables;

void report_table(const char *name, int compared)
{
	if (compared < 0)
		note("%s: cell %d is out of bounds\n", name, -1 - compared);
	else
		note("%s: %d cells compared\n", name, compared);
	result(compared > 1, "%s agrees, each cell within %.0f sigma\n", name,
	       STATS_TABLE);
}

static bool all_tell_memory(void)
{
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_cores; i++)
		if (!(model.m.snapshot.cores[i].traits & MEMLAT_TRAIT_CACHE_LATENCY))
			return false;
	return true;
}

static bool tables_agree(void)
{
	uint64_t sampled[MEMLAT_BUCKETS] = { 0 }, counted[MEMLAT_BUCKETS];
	uint64_t from[MEMLAT_SRC_NR] = { 0 }, real[MEMLAT_SRC_NR];
	char pointer[64];
	unsigned int i, j;

	/* memlat's rows are of memory's latency if the CPU records it, else of use latency. */
	for (i = 0; i < MEMLAT_BUCKETS; i++) {
		snprintf(pointer, sizeof(pointer), "/counted/%s/%u",
			 all_tell_memory() ? "memory_by_bucket" : "by_bucket", i);
		counted[i] = truth_u64(model.m.truth, pointer);
		for (j = 0; j < MEMLAT_SRC_NR; j++) {
			sampled[i] += model.m.snapshot.buckets.count[i][j];
			from[j] += model.m.snapshot.buckets.count[i][j];
		}
	}
	tables.latency = stats_table(sampled, counted, MEMLAT_BUCKETS, lost());
	for (j = 0; j < MEMLAT_SRC_NR; j++) {
		snprintf(pointer, sizeof(pointer), "/counted/by_source/%s",
			 source_names[j]);
		real[j] = truth_u64_or_0(model.m.truth, pointer);
		if (from[j] || real[j])
			note("%s: %" PRIu64 " samples of %" PRIu64 " loads\n",
			     source_names[j], from[j], real[j]);
	}
	/* The CPU does not report all that the machine did. */
	if (status()->traits & MEMLAT_TRAIT_XSNP_FWD) {
		from[MEMLAT_SRC_L3_SNOOP] += from[MEMLAT_SRC_L3_HITM];
		real[MEMLAT_SRC_L3_SNOOP] += real[MEMLAT_SRC_L3_HITM];
		from[MEMLAT_SRC_L3_HITM] = real[MEMLAT_SRC_L3_HITM] = 0;
	}
	tables.source = stats_table(from, real, MEMLAT_SRC_NR, lost());
	return tables.latency > 1 && tables.source > 1;
}

static bool all_agree(void)
{
	bool planted_agree = figures_agree();

	return tables_agree() && planted_agree;
}

static void check_tables(void)
{
	report_table("the latency table", tables.latency);
	report_table("the source table", tables.source);
}

static void check_latency(void)
{
	uint64_t use = status()->use_latency_sum, all = status()->latency_sum;

	note("latency %" PRIu64 " cycles, of cache latency %llu; use latency %" PRIu64 "\n", all,
	     status()->cache_latency_sum, use);
	if (all_tell_memory())
		result(status()->cache_latency_sum == all && use > all && all > use / 2,
		       "the latency is what memory took: most of the use latency, and not all\n");
	else
		result(!status()->cache_latency_sum && !use,
		       "no second latency where the CPU has one\n");
}

static const struct memlat_rec_core *core_of_cpu(unsigned int cpu)
{
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_cores; i++)
		if (model.m.snapshot.cores[i].cpus[0] >> cpu & 1)
			return &model.m.snapshot.cores[i];
	return NULL;
}

/* The most loads that were sampled at one instruction in this range of a process. */
static uint64_t site_loads(uint32_t space, uint64_t from, uint64_t to)
{
	const struct memlat_rec_site *site;
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < model.m.snapshot.nr_sites; i++) {
		site = &model.m.snapshot.sites[i];
		if (site->space == space && site->ip >= from && site->ip <= to &&
		    site->samples - site->stores > most)
			most = site->samples - site->stores;
	}
	return most;
}

/*
 * chase() has one load in its loop, which is in the truth with its own address. Shortly after it is
 * the RET, also a load, but executed once.
 */
static void check_instruction(void)
{
	const struct memlat_rec_core *core = core_of_cpu(truth_u64(chase, "/cpu"));
	bool after = core && core->traits & MEMLAT_TRAIT_IP_AFTER, good = true;
	uint64_t code = truth_address(chase, "/code"), at, behind;
	uint32_t pid = truth_u64(chase, "/pid");
	struct truth_row *rows;
	unsigned int seen = 0;
	size_t count, i;

	rows = truth_rows(model.m.truth, "/ips", "/ip", &count);
	need(rows, "no memory");
	for (i = 0; i < count; i++) {
		if (rows[i].address - code >= CHASE_CODE || rows[i].loads < LOOP_LOADS)
			continue;
		at = site_loads(pid, rows[i].address, rows[i].address);
		behind = site_loads(pid, rows[i].address + 1,
				    rows[i].address + INSTRUCTION_MAX);
		note("chase() + %" PRIu64 ": %" PRIu64 " written, %" PRIu64
		     " sampled there, %" PRIu64 " behind it\n",
		     rows[i].address - code, rows[i].loads, at, behind);
		good &= after ? !at && behind == rows[i].loads :
				behind < LOOP_LOADS && at == rows[i].loads;
		seen++;
	}
	free(rows);
	result(good && seen == 1, after ?
	       "instructions are those after the load, as this CPU reports them\n" :
	       "instructions are the loads themselves\n");
}

static void check_counting(void)
{
	uint64_t written = truth_u64(model.m.truth, "/records/written");
	uint64_t counted = truth_u64(model.m.truth, "/counted/total");
	double expected = (double)counted / model.period;

	need(truth_has(model.m.truth, "/records/lost/buffer_full"),
	     "the truth does not count lost records");
	result(!status()->malformed && !status()->collision && !status()->filtered &&
	       lost() == truth_u64(model.m.truth, "/records/lost/buffer_full"),
	       "nothing malformed, collided or filtered; hardware lost none but to a full buffer\n");
	result(!lost() || status()->full_pmis,
	       "a full buffer is not silent: full_pmis counts it\n");
	/* Each CPU may have an incomplete period, and skid costs one load. */
	note("%" PRIu64 " loads counted, period %lu: expected %.1f samples\n", counted, model.period,
	     expected);
	result(fabs(written + lost() - expected) <= 0.02 * expected + status()->cpus_online,
	       "loads counted / period = samples taken, within 2 %%\n");
}
#define COUNTING_RESULTS	3

/* Do this machine's loads and stores take turns? */
static bool check_loads(void)
{
	unsigned int again;
	bool turns;

	measure_loads();
	for (again = 1; !all_agree() && again < STATS_MEASUREMENTS; again++) {
		note("a figure is out of its bound: measured again\n");
		forget();
		measure_loads();
	}
	check_kinds();
	check_conserved(&model.m, "loads");
	check_counting();
	check_sharing();
	check_chase();
	check_words("loads", 100);
	check_tables();
	check_latency();
	check_instruction();
	turns = status()->traits & MEMLAT_TRAIT_TURNS;
	forget();
	result(!truth_call("compare"), "after stop every PMU register is as before insmod\n");
	return turns;
}
#define LOAD_RESULTS	(2 + CONSERVED_RESULTS + COUNTING_RESULTS + 7 + 2 + 1 + 2 + 1 + 1 + 1)

/* According to the machine, before the module is loaded. */
static bool samples_stores(void)
{
	const struct kind *kind;
	const char *name;
	bool stores;

	/* On other machines this test is skipped, so the result does not matter. */
	if (!truth_available())
		return false;
	model.m.truth = truth_totals(0, MEMLAT_LINE_BYTES);
	name = model.m.truth ? truth_text("/cores/0/core") : NULL;
	need(name, "the machine does not name its cores");
	kind = kind_of(name);
	need(kind, "%s is a kind of core that this test does not know", name);
	stores = kind->can & KIND_STORES;
	json_object_put(model.m.truth);
	return stores;
}

int main(void)
{
	bool stores = samples_stores();

	model.last_cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	rig_open(LOAD_RESULTS + (stores ? STORE_RESULTS : NO_STORE_RESULTS));
	need(model.last_cpu > 0 && model.last_cpu < 31, "this test wants 2 to 31 CPUs");
	need(!truth_call("qualify 30"), "the machine cannot count what qualifies");
	check_stores(stores, check_loads());
	rig_close();
}
