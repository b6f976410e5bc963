// SPDX-License-Identifier: GPL-2.0
/*
 * One session of loads and stores over several workloads, whose four tables are compared with the
 * truth. Every instruction and every line has exactly the records that the machine wrote, stores
 * are not taken for loads, weights are the events, and processes are identified by more than their
 * PID.
 */
#include "rig.h"
#include "stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PERIOD		499
#define STORE_PERIOD	4001
#define WRITES		300000
#define THREADS		6
/* Larger than the L2 cache; walked in user mode only. */
#define ARRAY		"--size 1310720 --rounds 5"
#define OTHER_AT	0x230000000000ull

static struct measured m;
static uint64_t began, ended;	/* CLOCK_MONOTONIC, ns, around the session */

static const struct memlat_status *status(void)
{
	return &m.snapshot.status.status;
}

/* The records of an address in the tables: lines of all processes, or sites. */
static struct truth_row sampled_at(uint64_t at, bool lines)
{
	struct truth_row row = { .address = at };
	const struct memlat_rec_site *site;
	struct share share;
	size_t i;

	if (lines) {
		share = lines_in(&m.snapshot, at, 1);
		row.stores = share.stores;
		row.loads = share.samples - share.stores;
		return row;
	}
	for (i = 0; i < m.snapshot.nr_sites; i++) {
		site = &m.snapshot.sites[i];
		if (site->ip != at)
			continue;
		row.stores += site->stores;
		row.loads += site->samples - site->stores;
	}
	return row;
}

/* Does a table have the records of each row of the truth's /lines or /ips? */
static bool rows_agree(const char *table, const char *address, bool lines)
{
	unsigned int compared = 0, wrong = 0;
	struct truth_row *rows, got;
	size_t count, i;

	rows = truth_rows(m.truth, table, address, &count);
	need(rows, "no memory");
	for (i = 0; i < count; i++) {
		if (!rows[i].loads && !rows[i].stores)
			continue;
		got = sampled_at(rows[i].address, lines);
		compared++;
		if (got.loads == rows[i].loads && got.stores == rows[i].stores)
			continue;
		if (wrong++ < 5)
			note("%s 0x%" PRIx64 ": %" PRIu64 " loads and %" PRIu64
			     " stores sampled, %" PRIu64 " and %" PRIu64
			     " written\n", table, rows[i].address, got.loads,
			     got.stores, rows[i].loads, rows[i].stores);
	}
	free(rows);
	note("%s: %u compared, %u differ\n", table, compared, wrong);
	/*
	 * A record of both counters at once is taken for neither. Few rows have such a record,
	 * however many there are.
	 */
	return compared > 20 && wrong <= status()->collision && wrong <= compared / 10;
}

static void check_weights(void)
{
	uint64_t loads = truth_u64(m.truth, "/counted/total");
	uint64_t stores = truth_u64(m.truth, "/stores/counted");
	double lost = truth_sum(m.truth, "/records/lost");

	note("weight of loads %llu, counted %" PRIu64
		       "; of stores %llu, counted %" PRIu64 "; %.0f lost\n",
		       status()->weight_loads, loads, status()->weight_stores,
		       stores, lost);
	/* Each CPU may end within a period, and the load that is recorded skids by one. */
	result(fabs((double)status()->weight_loads - (double)loads) <=
	       (lost + status()->cpus_online) * PERIOD + 0.01 * loads,
	       "the weight of all loads is the loads that counted\n");
	result(fabs((double)status()->weight_stores - (double)stores) <=
	       (lost + status()->cpus_online) * STORE_PERIOD + 0.01 * stores,
	       "the weight of all stores is the stores that counted\n");
}

static void check_stores(struct json_object *sharing)
{
	uint64_t address = truth_address(sharing, "/line");
	const struct memlat_rec_line *line;
	struct json_object *real;
	uint64_t slots[2], hits, counted, records;

	line = snapshot_line(&m.snapshot, truth_u64(sharing, "/pid"), address);
	need(line, "the planted line is not in the snapshot");
	real = truth_totals(address, MEMLAT_LINE_BYTES);
	records = truth_u64(real, "/lines_sum/store_records");
	counted = truth_u64(real, "/lines_sum/store_counted");
	hits = truth_u64(real, "/lines_sum/store_l1_hit");
	slots[0] = truth_u64(real, "/lines_sum/store_slots/0");
	slots[1] = truth_u64(real, "/lines_sum/store_slots/1");
	note("planted line: %llu stores, %llu of them hit L1; true: %" PRIu64
		       " records of %" PRIu64 " counted, %" PRIu64 " hit L1\n",
		       line->stores, line->store_l1_hit, records, counted, hits);
	result(line->stores && line->stores <= records &&
	       line->stores + status()->collision >= records,
	       "the planted line's stores are the records written for it\n");
	result(stats_agree(line->store_l1_hit, line->stores,
				     counted ? (double)hits / counted : 0,
				     STATS_TABLE, 0),
	       "as many of its stores hit L1 as the truth says\n");
	note("slots: %llu and %llu; true: %" PRIu64 " and %" PRIu64 "\n",
		       line->slot_store[0], line->slot_store[1], slots[0], slots[1]);
	result(stores_of_two_slots(line) &&
	       stats_agree(line->slot_store[0], line->stores,
				     (double)slots[0] / (slots[0] + slots[1]),
				     STATS_TABLE, 0),
	       "its stores are in its two slots, as often as the truth says\n");
	result(line->bytes_stored == 0x101 && line->bytes_loaded == 0x101 &&
	       line->store_cpus == 3 && line->store_nodes == 3,
	       "bytes 0 and 8 are touched, by both CPUs and nodes\n");
	json_object_put(real);
}

/* The accesses at the planted line: two threads, two addresses. */
static void check_accesses(struct json_object *sharing)
{
	uint64_t line = truth_address(sharing, "/line"), samples = 0;
	uint32_t pid = truth_u64(sharing, "/pid"), tid[2] = { 0 };
	const struct memlat_rec_line *row = snapshot_line(&m.snapshot, pid, line);
	const struct memlat_rec_access *access;
	bool good = true;
	size_t i;

	for (i = 0; i < m.snapshot.nr_accesses; i++) {
		access = &m.snapshot.accesses[i];
		if (access->tgid != pid || access->addr - line >= MEMLAT_LINE_BYTES ||
		    snapshot_is_kernel(access->ip))
			continue;
		samples += access->samples;
		if (access->addr != line && access->addr != line + 8) {
			good = false;
			continue;
		}
		if (!tid[(access->addr - line) / 8])
			tid[(access->addr - line) / 8] = access->tid;
		good &= tid[(access->addr - line) / 8] == access->tid;
	}
	note("threads %u and %u, %" PRIu64 " of %llu samples\n", tid[0],
	     tid[1], samples, row ? row->samples : 0);
	/* Except for what main() did before and after. */
	result(good && tid[0] && tid[1] && tid[0] != tid[1] && row &&
	       samples <= row->samples && samples + 5 >= row->samples,
	       "each of its two words is one thread's own\n");
}

static void check_threads(struct json_object *walkers)
{
	const struct memlat_rec_thread *thread;
	char pointer[40], name[16];
	bool good = true;
	int pointers = 0;
	uint32_t tid;
	int i;

	for (i = 0; i < THREADS; i++) {
		snprintf(pointer, sizeof(pointer), "/arrays/%d/tid", i);
		tid = truth_u64(walkers, pointer);
		thread = snapshot_thread(&m.snapshot, tid);
		snprintf(name, sizeof(name), "named%d", i);
		if (thread && thread->tgid == truth_u64(walkers, "/pid") &&
		    !strcmp(thread->comm, name)) {
			snprintf(pointer, sizeof(pointer), "/arrays/%d/tls", i);
			pointers += thread->tls_base == truth_address(walkers, pointer);
			continue;
		}
		note("thread %u should be %s of %" PRIu64 ", is %s of %u\n",
		     tid, name, truth_u64(walkers, "/pid"),
		     thread ? thread->comm : "nobody",
		     thread ? thread->tgid : 0);
		good = false;
	}
	result(good, "each thread has its name\n");
	result(pointers == THREADS, "each thread has its thread pointer\n");
}

/*
 * The space and generation of all lines of an array. False if they are not all the same, or if
 * there are no lines.
 */
static bool owner_of(uint64_t start, uint64_t bytes, uint32_t *space,
		     uint32_t *gen)
{
	const struct memlat_rec_line *line;
	uint64_t found = 0;
	size_t i;

	for (i = 0; i < m.snapshot.nr_lines; i++) {
		line = &m.snapshot.lines[i];
		if (line->addr - start >= bytes)
			continue;
		if (found && (line->space != *space || line->gen != *gen)) {
			note("line 0x%llx is of %u.%u, others of %u.%u\n",
			     line->addr, line->space, line->gen, *space,
			     *gen);
			return false;
		}
		*space = line->space;
		*gen = line->gen;
		found += line->samples;
	}
	note("array 0x%" PRIx64 ": %" PRIu64 " samples of process %u.%u\n",
	     start, found, *space, *gen);
	return found > 50;
}

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* When a generation was first sampled; UINT64_MAX: no thread has it. */
static uint64_t first_of(uint32_t pid, uint32_t gen)
{
	const struct memlat_rec_thread *thread;
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; i < m.snapshot.nr_threads; i++) {
		thread = &m.snapshot.threads[i];
		if (thread->tgid == pid && thread->gen == gen && thread->first_ns &&
		    thread->first_ns < first)
			first = thread->first_ns;
	}
	return first;
}

/* Two arrays belong to one PID, but to two successive generations. */
static void check_generations(uint64_t first, uint64_t second, uint64_t bytes,
			      uint32_t pid, const char *what)
{
	uint32_t space[2] = { 0 }, gen[2] = { 0 };
	bool whole = owner_of(first, bytes, &space[0], &gen[0]);

	whole &= owner_of(second, bytes, &space[1], &gen[1]);
	result(whole && space[0] == pid && space[1] == pid &&
	       gen[0] && gen[1] && gen[0] != gen[1], "%s\n", what);
	note("first sampled %" PRIu64 " and %" PRIu64 " ns after the start\n",
	     first_of(pid, gen[0]) - began, first_of(pid, gen[1]) - began);
	result(began < first_of(pid, gen[0]) && first_of(pid, gen[0]) < first_of(pid, gen[1]) &&
	       first_of(pid, gen[1]) < ended, "%s: first sampled in their order\n", what);
}

int main(void)
{
	struct json_object *sharing, *walkers, *exec, *reused;
	struct memlat_config config;

	rig_open(CONSERVED_RESULTS + 17);
	config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES;
	config.store_period = STORE_PERIOD;
	began = monotonic_ns();
	measure_begin(&config);
	sharing = work(WORKLOADS "false_sharing --iterations %d", WRITES);
	walkers = work(WORKLOADS "walker --threads %d --name named " ARRAY, THREADS);
	exec = work(WORKLOADS "walker " ARRAY " --at %llu --then 'exec "
		    WORKLOADS "walker " ARRAY " --at %llu'", OTHER_AT,
		    2 * OTHER_AT);
	reused = work(WORKLOADS "same_pid --rounds 4");
	measure_end_lists(&m);
	ended = monotonic_ns();

	check_conserved(&m, "loads and stores");
	result(!status()->lines_evicted && !status()->sites_evicted &&
	       !status()->accesses_evicted && !status()->threads_evicted,
	       "no row was evicted from a table\n");
	result(status()->stores &&
	       status()->stores + status()->collision >=
	       truth_u64(m.truth, "/stores/written") &&
	       status()->stores <= truth_u64(m.truth, "/stores/written"),
	       "stores sampled are the stores written, but for collisions\n");
	check_weights();
	note("%llu collisions\n", status()->collision);
	result(rows_agree("/ips", "/ip", false),
	       "each site's loads and stores are those of the truth\n");
	result(rows_agree("/lines", "/vaddr", true),
	       "each line's loads and stores are those of the truth\n");
	check_stores(sharing);
	check_accesses(sharing);
	check_threads(walkers);
	check_generations(OTHER_AT, 2 * OTHER_AT, truth_u64(exec, "/bytes"),
			  truth_u64(exec, "/pid"),
			  "two programs of one process are two generations");
	check_generations(truth_address(reused, "/arrays/0"),
			  truth_address(reused, "/arrays/1"),
			  truth_u64(reused, "/bytes"), truth_u64(reused, "/pid"),
			  "two processes of one number are two generations");
	measured_free(&m);
	rig_close();
}
