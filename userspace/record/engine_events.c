// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "engine_events.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../profile/snapshot_rows.h"
#include "../util/clock.h"
#include "../util/cpulist.h"
#include "../util/xalloc.h"
#include "engine.h"
#include "ring.h"

#define FORMAT_LOST	(1U << 4)	/* PERF_FORMAT_LOST, which older headers lack */
/* Of every Intel CPU; they have fixed counters. SDM vol. 3B, "Architectural Performance Events". */
#define SELECT_CYCLES		0x003c
#define SELECT_INSTRUCTIONS	0x00c0
/* No L2 answers in fewer cycles: see module/hw/beside.c. */
#define L2_FASTEST	12
#define BUDGET_NS	1000000000ULL
/*
 * An event is throttled until the next tick when it has had as many samples as the kernel allows. If that
 * happens often, the kernel takes the few that came for all, and shortens the period again and again. So
 * keep away from that: the kernel lowers what it allows when it finds that samples take long.
 */
#define RATE_SPARE	4

/*
 * Loads of our own, whose samples are measured: so many turns without, and then until there were enough
 * samples so many times. Some cores take no shorter period than 128.
 */
#define OWN_PERIOD	131
#define OWN_LOADS	4096
#define OWN_FIRST	16
#define OWN_TIMES	8
#define OWN_ENOUGH	4
#define OWN_MOST	256
#define MEASURE_NS	(60 * CLOCK_SECOND)

/* Of the time in which sampled tasks ran, an event counted no less, in percent. */
#define COUNTED_LEAST	98

bool engine_events_only_count(const struct engine_events *of)
{
	return !(of->config.flags & (MEMLAT_F_LOADS | MEMLAT_F_STORES));
}

static __u64 rate_of(const struct engine_events *of)
{
	const struct memlat_config *config = &of->config;
	const unsigned int kinds = !!(config->flags & MEMLAT_F_LOADS) +
				   !!(config->flags & (MEMLAT_F_STORES | MEMLAT_F_STRIDE));
	__u64 rate = BUDGET_NS / 10000 * config->max_overhead / of->sample_ns / (kinds ? kinds : 1);
	const __u64 most = engine_most_rate() / RATE_SPARE;

	if (most && rate > most)
		rate = most;
	return config->max_overhead ? (rate > ENGINE_RATE_LEAST ? rate : ENGINE_RATE_LEAST) : 0;
}

static void set_attr(const struct engine_events *of, struct perf_event_attr *attr,
		     const struct pmu *pmu, const struct pmu_event *event, __u64 period)
{
	const struct memlat_config *config = &of->config;

	*attr = (struct perf_event_attr){
		.type = pmu->type, .size = sizeof(*attr),
		.config = event->config[0], .config1 = event->config[1],
		.config2 = event->config[2],
		.sample_type = ENGINE_FIELDS | (of->lacks & ENGINE_NO_PARTS ?
						PERF_SAMPLE_WEIGHT : PERF_SAMPLE_WEIGHT_STRUCT),
		.sample_id_all = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING |
			       (of->lacks & ENGINE_NO_LOST ? 0 : FORMAT_LOST),
		.precise_ip = pmu->precise & 3, .disabled = 1,
		.exclude_user = !(config->flags & MEMLAT_F_USER),
		.exclude_kernel = !(config->flags & MEMLAT_F_KERNEL), .exclude_hv = 1,
		.exclude_guest = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
	};
	if (of->rate) {
		attr->freq = 1;
		attr->sample_freq = of->rate;
	} else {
		attr->sample_period = period;
	}
	if (config->flags & MEMLAT_F_CALL_GRAPH)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	/* Who may not sample the kernel may not have its part of a chain either. */
	attr->exclude_callchain_kernel = attr->exclude_kernel;
	if (config->flags & MEMLAT_F_PHYS)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
}

/*
 * Two events take turns at bursts, because with one period half of a loop of two loads would never be
 * seen. The way out of an interrupt loads, too, so there are none in the kernel.
 */
static void set_burst(struct perf_event *event, const struct perf_event *loads, __u64 period)
{
	*event = *loads;
	event->burst = true;
	event->attr.freq = 0;
	event->attr.sample_period = period;
	event->attr.exclude_kernel = 1;
}

/* New threads inherit an event; other processes do if they are wanted. */
static void set_heirs(const struct engine_events *of, struct perf_event_attr *attr)
{
	const __u32 flags = of->config.flags;

	attr->inherit = of->config.pid && !(flags & MEMLAT_F_THREAD);
	attr->inherit_thread = attr->inherit && !(flags & MEMLAT_F_CHILDREN);
}

void engine_events_set(struct engine_events *of)
{
	const struct memlat_config *config = &of->config;
	struct perf_events *events = &of->set;
	size_t i;

	events->nr = of->nr_pmus * ENGINE_KINDS;
	events->event = xcalloc(events->nr, sizeof(*events->event));
	for (i = 0; i < of->nr_pmus; i++) {
		struct perf_event *kind = &events->event[i * ENGINE_KINDS];

		set_attr(of, &kind[ENGINE_LOADS].attr, &of->pmus[i],
			 &of->pmus[i].loads, config->period);
		/* The most precise events of E-cores all need counter 0, and would take turns with stores. */
		if (kind[ENGINE_LOADS].attr.precise_ip > 2)
			kind[ENGINE_LOADS].attr.precise_ip = 2;
		set_attr(of, &kind[ENGINE_STORES].attr, &of->pmus[i],
			 &of->pmus[i].stores, config->store_period);
		kind[ENGINE_LOADS].memory = config->flags & MEMLAT_F_LOADS;
		kind[ENGINE_STORES].memory = config->flags & MEMLAT_F_STORES &&
					 of->pmus[i].stores.there;
		if (!(config->flags & MEMLAT_F_STRIDE))
			continue;
		set_burst(&kind[ENGINE_BURSTS], &kind[ENGINE_LOADS], 2);
		set_burst(&kind[ENGINE_BURSTS + 1], &kind[ENGINE_LOADS], 3);
	}
	for (i = 0; i < events->nr; i++)
		set_heirs(of, &events->event[i].attr);
	of->life = ring_attr();
	of->life.sample_type = ENGINE_FIELDS;
	of->life.build_id = !(of->lacks & ENGINE_NO_PARTS);
	of->life.read_format = of->set.event[0].attr.read_format;
	of->life.exclude_kernel = !(config->flags & MEMLAT_F_KERNEL);
	of->life.exclude_hv = 1;
	/* Without the kernel's addresses, its code needs no names. */
	of->life.ksymbol = !of->life.exclude_kernel;
	set_heirs(of, &of->life);
}

int engine_events_open(const struct engine_events *of, size_t pmu, unsigned int kind, pid_t pid,
		      int cpu, bool at_once, int *leader)
{
	const struct pmu *on = &of->pmus[pmu];
	struct perf_event_attr attr = of->set.event[pmu * ENGINE_KINDS + kind].attr;
	struct perf_event_attr aux = attr;
	int fd;

	attr.disabled = !at_once || kind >= ENGINE_BURSTS;
	attr.enable_on_exec = of->command && !at_once && kind < ENGINE_BURSTS;
	*leader = -1;
	if (kind == ENGINE_STORES || !on->aux.there)
		return ring_event(&attr, pid, (unsigned int)cpu, -1);
	aux.config = on->aux.config[0];
	aux.config1 = on->aux.config[1];
	aux.config2 = on->aux.config[2];
	aux.disabled = attr.disabled;
	aux.enable_on_exec = attr.enable_on_exec;
	aux.precise_ip = aux.freq = 0;
	aux.sample_period = aux.sample_type = 0;
	aux.sample_type = PERF_SAMPLE_IDENTIFIER;
	*leader = ring_event(&aux, pid, (unsigned int)cpu, -1);
	if (*leader < 0)
		return *leader;
	attr.disabled = attr.enable_on_exec = 0;
	fd = ring_event(&attr, pid, (unsigned int)cpu, *leader);
	if (fd < 0)
		close(*leader);
	return fd;
}

int engine_events_count(const struct engine_events *of, size_t pmu, __u64 config, pid_t pid, int cpu,
			bool at_once, int leader)
{
	struct perf_event_attr attr = of->set.event[pmu * ENGINE_KINDS + ENGINE_LOADS].attr;

	attr.config = config;
	if (config == ENGINE_CLOCK) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
	}
	attr.config1 = attr.config2 = 0;
	attr.precise_ip = attr.freq = 0;
	attr.sample_period = 0;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER;
	attr.disabled = leader < 0 && !at_once;
	attr.enable_on_exec = of->command && attr.disabled;
	return ring_event(&attr, pid, (unsigned int)cpu, leader);
}

/* The group that counts have to fit into. The kernel leaves out members that are disabled. Returns how many. */
static int open_samples(const struct engine_events *of, size_t pmu, pid_t pid, int cpu, int *fd)
{
	const struct pmu_event *aux = &of->pmus[pmu].aux;
	unsigned int kind;
	int nr = 0;

	for (kind = 0; kind < ENGINE_KINDS; kind++) {
		const struct perf_event *event = &of->set.event[pmu * ENGINE_KINDS + kind];
		struct perf_event_attr attr = event->attr;

		if (!event->memory)
			continue;
		if (kind == ENGINE_LOADS && aux->there) {
			fd[nr] = engine_events_count(of, pmu, aux->config[0], pid, cpu, false, -1);
			nr++;
		}
		attr.disabled = !nr;
		fd[nr] = ring_event(&attr, pid, (unsigned int)cpu, nr ? fd[0] : -1);
		nr++;
	}
	return nr;
}

static void close_all(const int *fd, int nr)
{
	while (nr)
		if (fd[--nr] >= 0)
			close(fd[nr]);
}

/*
 * What the module counts beside (module/hw/beside.c), as far as it fits beside the samples: what does
 * not would take turns with them. The kernel refuses a group that never fits. Another user of perf's
 * is not in it; what takes turns is not told.
 *
 * If nothing is sampled, what gains are computed from (analysis/gain.c), in groups that take turns if
 * there are several. Those come first whose differences matter. Each group has cycles and instructions,
 * so that it is known how much of the work it has counted. The watchdog for lockups has a counter, too.
 *
 * 0, or -errno: not even cycles can be counted.
 */
static int choose_counts(struct engine_events *of, size_t pmu, pid_t pid, int cpu)
{
	static const __u8 counting[] = {
		MEMLAT_EVENT_CYCLES, MEMLAT_EVENT_INSTRUCTIONS, MEMLAT_EVENT_LOAD_STALLS,
		MEMLAT_EVENT_L1D_PENDING, MEMLAT_EVENT_DEMAND_OUTSTANDING, MEMLAT_EVENT_DEMAND_CYCLES,
		MEMLAT_EVENT_WALK_PENDING, MEMLAT_EVENT_RFO_OUTSTANDING, MEMLAT_EVENT_STORE_STALLS,
	};
	const __u8 beside[] = {
		MEMLAT_EVENT_CYCLES, MEMLAT_EVENT_INSTRUCTIONS,
		of->config.ldlat < L2_FASTEST ? MEMLAT_EVENT_L1_MISSES : MEMLAT_EVENT_L2_MISSES,
		MEMLAT_EVENT_LOAD_STALLS, MEMLAT_EVENT_LOADS,
	};
	const bool only = engine_events_only_count(of);
	const __u8 *wanted = only ? counting : beside;
	const int all = only ? sizeof(counting) : sizeof(beside);
	const unsigned int loads = of->pmus[pmu].loads.config[0] & 0xffff;
	int fd[2 * ENGINE_KINDS + ENGINE_COUNTS], nr, i, next = 2, least = 0;
	struct memlat_query query;
	const struct cpu_identity identity = engine_cpu(&query);

	/* As with the module, they rest while bursts run. */
	if (of->config.flags & MEMLAT_F_STRIDE)
		return 0;
	nr = open_samples(of, pmu, pid, cpu, fd);
	for (i = 0; i < all && (only || (nr && fd[0] >= 0)); i = i == 1 ? next : i + 1) {
		const __u64 config = wanted[i] == MEMLAT_EVENT_CYCLES ? SELECT_CYCLES :
				     wanted[i] == MEMLAT_EVENT_INSTRUCTIONS ? SELECT_INSTRUCTIONS :
				     cpu_models_count(&identity, loads, wanted[i]);

		if (!config || of->nr_counts[pmu] == ENGINE_COUNTS)
			continue;
		fd[nr] = engine_events_count(of, pmu, config, pid, cpu, false, nr ? fd[0] : -1);
		if (fd[nr] < 0 && only && !nr)
			return fd[nr];
		if (fd[nr] < 0 && only && nr > least) {
			close_all(fd, nr);
			nr = 0;
			next = i;
			i = -1;
			continue;
		}
		if (fd[nr] < 0)
			continue;
		nr++;
		of->count[pmu][of->nr_counts[pmu]++] = (struct engine_count){ wanted[i], config };
		if (only && i == 1 && engine_watchdog()) {
			fd[nr] = engine_events_count(of, pmu, SELECT_CYCLES, pid, cpu, false, fd[0]);
			nr++;
		}
		if (i <= 1)
			least = nr;
	}
	close_all(fd, nr);
	return 0;
}

/* Try an event on this thread (pid 0) or on everything (-1). 0 or -errno. */
static int probe(struct engine_events *of, size_t pmu, unsigned int kind, pid_t pid, int cpu)
{
	struct perf_event_attr *attr = &of->set.event[pmu * ENGINE_KINDS + kind].attr;
	int fd, leader;

	/* The CPU may sample with less precision than its kind of PMU can. */
	do {
		fd = engine_events_open(of, pmu, kind, pid, cpu, false, &leader);
	} while ((fd == -EOPNOTSUPP || fd == -EINVAL) && attr->precise_ip > 1 &&
		 attr->precise_ip--);
	if (fd < 0)
		return fd;
	close(fd);
	if (leader >= 0)
		close(leader);
	return 0;
}

static int probe_all(struct engine_events *of)
{
	const pid_t pid = of->config.pid ? 0 : of->all;
	unsigned int cpu, kind;
	size_t i;
	int ret = ring_event(&of->life, pid, pid ? (unsigned int)sched_getcpu() : ~0U, -1);

	if (ret >= 0) {
		close(ret);
		ret = 0;
	}
	for (i = 0; i < of->nr_pmus && !ret; i++) {
		/* A task's events may wait for a CPU of their kind; those of all tasks have one. */
		for (cpu = 0; pid && cpu < CPULIST_CPUS; cpu++)
			if (pmu_of(of->pmus, of->nr_pmus, cpu) == &of->pmus[i])
				break;
		for (kind = 0; kind < ENGINE_KINDS && !ret; kind++)
			if (of->set.event[i * ENGINE_KINDS + kind].memory)
				ret = probe(of, i, kind, pid, pid ? (int)cpu : -1);
		of->nr_counts[i] = 0;
		if (!ret)
			ret = choose_counts(of, i, pid, pid ? (int)cpu : -1);
	}
	return ret;
}

static int probe_again(struct engine_events *of)
{
	perf_events_free(&of->set);
	engine_events_set(of);
	return probe_all(of);
}

/*
 * Do without what needs privileges, unless it was asked for by name, and without what only newer
 * kernels have.
 */
static int probe_rights(struct engine_events *of)
{
	const __u32 both = MEMLAT_F_USER | MEMLAT_F_KERNEL;
	int ret = 0;

	if (of->config.flags & MEMLAT_F_STRIDE && of->config.flags & MEMLAT_F_KERNEL)
		of->remark = "steps between loads are those of user mode";
	/* Unknown attributes are refused before privileges are looked at. */
	for (of->lacks = 0; of->lacks <= ENGINE_LACKS_ALL; of->lacks++) {
		ret = probe_again(of);
		if (ret != -EINVAL)
			break;
	}
	if ((ret != -EACCES && ret != -EPERM) || (of->config.flags & both) != both)
		return ret;
	of->config.flags &= ~MEMLAT_F_KERNEL;
	ret = probe_again(of);
	if (!ret)
		of->remark = engine_why_no_kernel();
	return ret;
}

/* How long some loads of our own take, on our CPU. */
static __u64 time_loads(void)
{
	static volatile char bytes[OWN_LOADS];
	const __u64 begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	size_t i;

	for (i = 0; i < OWN_LOADS; i++)
		(void)bytes[i];
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static size_t samples_in(struct ring *ring)
{
	const struct perf_event_header *record;
	size_t nr = 0;
	bool bad;

	for (ring_look(ring); (record = ring_next(ring, &bad)); ring_done(ring, record))
		nr += record->type == PERF_RECORD_SAMPLE;
	return nr;
}

/*
 * What a sample of our own loads takes; 0: too few came. Of several times the least counts, because
 * whatever comes in between takes time, too. Turns without a sample tell nothing: a core may tag one load
 * in a hundred, and where samples are dear, the kernel soon throttles them.
 */
static __u64 compare(struct engine_events *own, size_t pmu)
{
	__u64 without = ~0ULL, least = ~0ULL, took, sum = 0;
	size_t i, samples, nr = 0, found = 0;
	struct ring ring;
	int fd, leader;

	for (i = 0; i < OWN_FIRST; i++) {
		took = time_loads();
		without = took < without ? took : without;
	}
	if (ring_open(&ring, ~0U, RING_PAGES_FEW, &own->life, 0))
		return 0;
	fd = engine_events_open(own, pmu, ENGINE_LOADS, 0, -1, true, &leader);
	if (fd >= 0)
		ring_add(&ring, fd, RING_SAMPLES);
	if (fd >= 0 && leader >= 0)
		ring_add(&ring, leader, RING_CLOCK);
	for (i = 0; fd >= 0 && i < OWN_MOST && found < OWN_TIMES; i++) {
		took = time_loads();
		samples = samples_in(&ring);
		if (!samples || took <= without)
			continue;
		sum += took - without;
		nr += samples;
		if (nr < OWN_ENOUGH)
			continue;
		least = sum / nr < least ? sum / nr : least;
		sum = nr = 0;
		found++;
	}
	ring_close(&ring);
	return found ? least : 0;
}

static void measure(struct engine_events *of)
{
	struct engine_events own = {
		.config = { .flags = MEMLAT_F_USER | MEMLAT_F_LOADS, .period = OWN_PERIOD },
		.lacks = of->lacks,
	};
	const struct pmu *on;
	__u64 took;
	size_t pmu;

	own.nr_pmus = pmu_find(own.pmus, "/sys", MEMLAT_LDLAT_MIN);
	on = pmu_of(own.pmus, own.nr_pmus, (unsigned int)sched_getcpu());
	if (!on)
		return;
	pmu = (size_t)(on - own.pmus);
	own.pmus[pmu].precise = of->set.event[pmu * ENGINE_KINDS + ENGINE_LOADS].attr.precise_ip;
	engine_events_set(&own);
	took = compare(&own, pmu);
	perf_events_free(&own.set);
	if (took)
		of->sample_ns = took;
}

void engine_events_bound(struct engine_events *of, __u64 now)
{
	if (!of->rate && !(of->config.flags & MEMLAT_F_STRIDE))
		return;
	if (now >= of->next_measure) {
		measure(of);
		of->next_measure = now + MEASURE_NS;
	}
	of->rate_most = rate_of(of);
}

/* A file for each event of each CPU. */
static void allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int engine_events_begin(struct engine_events *of)
{
	int ret;

	allow_files();
	of->sample_ns = ENGINE_SAMPLE_NS;
	of->rate = of->rate_most = rate_of(of);
	of->nr_pmus = pmu_find(of->pmus, "/sys", of->config.ldlat);
	ret = of->nr_pmus ? probe_rights(of) : -ENOENT;
	if (ret)
		return ret;
	engine_events_bound(of, clock_now());
	if (of->rate)
		engine_events_rate(of, of->rate_most);
	return 0;
}

bool engine_events_rate(struct engine_events *of, __u64 rate)
{
	const __u64 before = of->rate;
	size_t i;

	of->rate = rate < ENGINE_RATE_LEAST ? ENGINE_RATE_LEAST :
		   rate > of->rate_most ? of->rate_most : rate;
	for (i = 0; i < of->set.nr; i++)
		if (of->set.event[i].attr.freq)
			of->set.event[i].attr.sample_freq = of->rate;
	return of->rate != before;
}

/* cycles: of the event's group. */
static void add_count(struct snapshot *snap, unsigned int cpu, __u16 event, __u64 value, __u64 cycles)
{
	size_t i;

	for (i = 0; i < snap->nr_counts; i++)
		if (snap->counts[i].cpu == cpu && snap->counts[i].event == event)
			break;
	if (i == snap->nr_counts) {
		ARRAY_GROW(snap->counts, i + 1, snap->room_counts);
		snap->counts[snap->nr_counts++] = (struct memlat_rec_count){
			.hdr = { MEMLAT_REC_COUNT, sizeof(*snap->counts) },
			.cpu = cpu, .event = event,
		};
	}
	snap->counts[i].value += value;
	snap->counts[i].running += cycles;
}

void engine_events_counted(struct snapshot *snap, const struct ring *ring, int sign)
{
	const struct ring_other *other;
	__u64 words[4], cycles = 0;

	for (other = ring->others; other < ring->others + ring->nr_others; other++) {
		if (other->what < 0 || read(other->fd, words, sizeof(words)) <= 0)
			continue;
		if (other->what == MEMLAT_EVENT_CYCLES)
			cycles = words[0];
		add_count(snap, ring->cpu, (__u16)other->what, words[0] * (__u64)sign,
			  cycles * (__u64)sign);
	}
}

void engine_events_finish(const struct engine_events *of, struct snapshot *snap,
			  const struct ring_sums *sums)
{
	const bool grouped = engine_events_only_count(of);
	const __u64 least = sums->running / 100 * COUNTED_LEAST;
	const __u64 most = sums->running / COUNTED_LEAST * 100;
	const size_t all = snap->nr_counts;
	size_t i, k;

	for (i = snap->nr_counts = 0; i < all; i++) {
		const __u64 ran = sums->counting[grouped ? MEMLAT_EVENT_CYCLES : snap->counts[i].event];

		/* Two groups at once would count cycles twice. */
		if (ran >= least && (!grouped || ran <= most))
			snap->counts[snap->nr_counts++] = snap->counts[i];
	}
	for (i = 0; i < snap->nr_counts; i++) {
		struct memlat_rec_count *count = &snap->counts[i];

		for (k = 0; k < snap->nr_counts; k++)
			if (snap->counts[k].cpu == count->cpu &&
			    snap->counts[k].event == MEMLAT_EVENT_CYCLES)
				count->enabled = snap->counts[k].value;
		if (!count->enabled)
			count->running = 0;
		if (count->event == MEMLAT_EVENT_CYCLES)
			snap->head.status.sampled_cycles += count->value;
		row_sum(&snap->sum[TABLE_COUNTS], TABLE_COUNTS, count);
	}
	if (snap->nr_counts)
		snap->head.status.flags |= MEMLAT_F_COUNT;
}
