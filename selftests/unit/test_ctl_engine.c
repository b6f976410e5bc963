// SPDX-License-Identifier: GPL-2.0
/* Rings of perf's engine, without a kernel that writes into them. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "ctl_perf.h"
#include "ctl_profile.h"

#include "host/device.h"
#include "profile/intervals.h"
#include "profile/snapshot.h"
#include "record/engine.c"
#include "record/session.h"

#define PAGE	4096
#define RINGS	2

static struct engine *engine;
static struct collect collect;
static struct ring rings[RINGS];
static struct history *history;

/* An engine of a CPU whose events are loads (id 1) and stores (id 2), and its rings. */
static int begin(void **state)
{
	size_t i;

	engine = xcalloc(1, sizeof(*engine));
	engine->folder = -1;
	engine->of.nr_pmus = 1;
	engine->of.lacks = 0;
	engine->of.pmus[0].loads.there = engine->of.pmus[0].stores.there = true;
	engine->of.config = (struct memlat_config){
		.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STORES, .pid = 70,
		.max_memory = 1 << 22,
	};
	engine_events_set(&engine->of);
	for (i = 0; i < ENGINE_KINDS; i++) {
		ARRAY_GROW(engine->of.set.ids, i + 1, engine->of.set.room_ids);
		engine->of.set.ids[i] = (struct perf_event_id){ i + 1, i };
		engine->of.set.nr_ids++;
	}
	engine->in.events = &engine->of.set;
	engine->in.trailer = perf_trailer_of(&engine->of.set);
	engine->in.machine = &engine->machine;
	engine->in.live = engine->in.people.live = true;
	begin_tables(engine);
	history = history_new();
	memset(rings, 0, sizeof(rings));
	for (i = 0; i < RINGS; i++) {
		rings[i].fd = -1;
		rings[i].cpu = (unsigned int)i;
		rings[i].bytes = PAGE;
		rings[i].page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (rings[i].page == MAP_FAILED)
			return -1;
	}
	collect = (struct collect){
		.history = history, .engine = engine, .rings = rings, .nr_rings = RINGS,
	};
	engine_start(engine, &collect, history);
	return 0;
}

static int end(void **state)
{
	size_t i;

	engine_free(engine);
	history_free(history);
	for (i = 0; i < RINGS; i++)
		munmap(rings[i].page, 2 * PAGE);
	return 0;
}

static void write_bytes(struct ring *ring, const void *bytes, size_t size)
{
	char *data = (char *)ring->page + PAGE;
	size_t i;

	for (i = 0; i < size; i++)
		data[ring->page->data_head++ % PAGE] = ((const char *)bytes)[i];
}

static void write_record(struct ring *ring, __u32 type, __u16 misc, const void *body, size_t size)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (__u16)(sizeof(header) + size),
	};

	write_bytes(ring, &header, sizeof(header));
	write_bytes(ring, body, size);
}

static void write_load_by(struct ring *ring, __u64 time, __u32 pid, __u64 number, __u64 id)
{
	const struct {
		__u64 id, ip;
		__u32 pid, tid;
		__u64 time, addr;
		__u32 cpu, unused;
		__u64 period, weight, data_src;
	} body = {
		id, 0x1000 + number % 5003, pid, pid + (__u32)(number % 64), time,
		0x10040 + number * MEMLAT_LINE_BYTES, ring->cpu, 0, 1009, 300,
		PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, REM_CCE1) |
		PERF_MEM_S(SNOOP, HITM),
	};

	write_record(ring, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &body, sizeof(body));
}

static void write_load_of(struct ring *ring, __u64 time, __u32 pid, __u64 number)
{
	write_load_by(ring, time, pid, number, 1);
}

static void write_load(struct ring *ring, __u64 time, __u32 pid)
{
	write_load_of(ring, time, pid, 0);
}

/* Process, time, CPU and event, behind two words. */
static void write_words(struct ring *ring, __u32 type, __u64 first, __u64 second, __u64 time)
{
	const __u64 body[] = { first, second, 0, time, ring->cpu, 3 };

	write_record(ring, type, 0, body, sizeof(body));
}

static void write_comm(struct ring *ring, __u64 time, __u32 pid, const char *name, bool exec)
{
	__u64 body[7] = { (__u64)pid << 32 | pid, 0, 0, 0, time, ring->cpu, 3 };

	memcpy(&body[1], name, strlen(name));
	write_record(ring, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, body,
		     sizeof(body));
}

static void stopped(struct snapshot *snap)
{
	engine_stop(engine, &collect);
	engine_take(engine, snap);
	assert_null(account_snapshot_broken(snap));
}

/* The rate after a second in which the ring's tasks ran and so many samples came. */
static __u64 rate_after(int clock, __u64 samples)
{
	static __u64 words[4];

	words[2] += CLOCK_SECOND;
	assert_int_equal(write(clock, words, sizeof(words)), sizeof(words));
	engine->in.status->samples += samples;
	engine->next_cost = engine->next_cost > 0;
	engine_tick(engine, &collect);
	return engine->of.rate;
}

/*
 * The rate follows what samples were measured to take: 1 % of a second are 100 of 100 us, half of them
 * stores.
 */
TEST_WITH(budget, begin, end)
{
	struct ring_other clock = { .what = RING_CLOCK };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	clock.fd = ends[0];
	rings[0].others = &clock;
	rings[0].nr_others = 1;
	engine->of.config.max_overhead = 100;
	engine->of.sample_ns = 100000;
	engine->of.next_measure = ~0ULL;
	engine->of.rate_most = engine->of.rate = 100;	/* more than the kernel allows by now */
	perf_events_free(&engine->of.set);
	engine_events_set(&engine->of);
	assert_int_equal(rate_after(ends[1], 0), 50);
	/* The time of this process counts too. */
	assert_in_range(rate_after(ends[1], 200), 12, 25);
	assert_in_range(rate_after(ends[1], 20), 16, 32);
	assert_int_equal(engine->of.set.event[ENGINE_LOADS].attr.sample_freq, engine->of.rate);
	engine->of.sample_ns = 1000000;
	assert_int_equal(rate_after(ends[1], 1000), ENGINE_RATE_LEAST);
	/* It is measured again. */
	engine->of.next_measure = clock_now();
	rate_after(ends[1], 0);
	assert_true(engine->of.next_measure > clock_now());
}

/* Records that wrap around at any place of the ring, many times the ring. */
TEST_WITH(around_the_end, begin, end)
{
	struct snapshot snap;
	size_t i;

	for (i = 0; i < 1000; i++) {
		write_load(&rings[0], i + 1, 70);
		if (i % 3 == 0)
			write_words(&rings[0], PERF_RECORD_UNTHROTTLE, 0, 0, i + 1);
		engine_read(engine, &collect);
		assert_true(rings[0].page->data_tail == rings[0].page->data_head);
	}
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 1000);
	assert_int_equal(snap.head.status.loads, 1000);
	assert_int_equal(snap.head.status.weight_loads, 1000 * 1009);
	assert_int_equal(snap.head.status.malformed, 0);
	assert_int_equal(snap.nr_lines, 1);
	assert_int_equal(snap.lines[0].source[MEMLAT_SRC_RHITM], 1000);
	snapshot_free(&snap);
}

/* A process executes another program on one CPU, before and after samples on another. */
TEST_WITH(in_order_of_time, begin, end)
{
	struct snapshot snap;

	write_comm(&rings[0], 10, 70, "first", true);
	write_load(&rings[1], 20, 70);
	write_comm(&rings[0], 30, 70, "second", true);
	write_load(&rings[1], 40, 70);
	write_load(&rings[0], 50, 70);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 3);
	assert_int_equal(snap.nr_threads, 2);
	assert_string_equal(snap.threads[0].comm, "first");
	assert_int_equal(snap.threads[0].samples, 1);
	assert_string_equal(snap.threads[1].comm, "second");
	assert_int_equal(snap.threads[1].samples, 2);
	assert_true(snap.threads[0].gen != snap.threads[1].gen);
	snapshot_free(&snap);
}

/* What another CPU may still precede stays in its ring. */
TEST_WITH(the_last_moment_waits, begin, end)
{
	struct snapshot snap;

	write_load(&rings[0], clock_now() + CLOCK_SECOND, 70);
	write_load(&rings[1], 5, 70);
	engine_read(engine, &collect);
	assert_int_equal(engine_status(engine)->samples, 1);
	assert_true(rings[0].page->data_tail == 0);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 2);
	snapshot_free(&snap);
}

TEST_WITH(losses_are_in_the_account, begin, end)
{
	struct snapshot snap;

	/* Of an event, whose own count is what counts; of the hardware's; and a pause. */
	write_words(&rings[0], PERF_RECORD_LOST, 1, 7, 1);
	write_words(&rings[0], PERF_RECORD_LOST_SAMPLES, 5, 0, 2);
	write_words(&rings[0], PERF_RECORD_THROTTLE, 0, 0, 3);
	write_load(&rings[0], 4, 70);
	engine->past.lost = 11;
	stopped(&snap);
	assert_int_equal(snap.head.status.records, 1 + 5 + 11);
	assert_int_equal(snap.head.status.collision, 5);
	assert_int_equal(snap.head.status.malformed, 11);
	assert_int_equal(imported_throttled(&snap.head.status), 1);
	assert_true(snap.head.status.flags & IMPORTED_THROTTLED);
	assert_int_equal(history_lost_events(history), 0);
	snapshot_free(&snap);
}

/*
 * Bursts of two events: only neighbours of one burst, thread and instruction make a pair, and they
 * stand for nothing more.
 */
TEST_WITH(bursts, begin, end)
{
	struct snapshot snap;
	size_t i;

	engine->of.config.flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STRIDE;
	perf_events_free(&engine->of.set);
	engine_events_set(&engine->of);
	for (i = 0; i < ENGINE_KINDS; i++) {
		ARRAY_GROW(engine->of.set.ids, i + 1, engine->of.set.room_ids);
		engine->of.set.ids[engine->of.set.nr_ids++] = (struct perf_event_id){ i + 1, i };
	}
	engine_reset(engine, &collect);
	write_load(&rings[0], 1, 70);
	/* Lines 5003 * 64 apart have one instruction and one thread of 64. */
	for (i = 0; i < 6; i++) {
		write_load_by(&rings[0], 10 + i, 70, i * 5003 * 64, 3);
		write_load_by(&rings[1], 10 + i, 70, i * 5003 * 64, 3 + i / 3);
	}
	write_load_by(&rings[0], 20, 71, 7 * 5003 * 64, 3);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 14);
	assert_int_equal(snap.head.status.weight_loads, 1009);
	assert_int_equal(snap.head.status.pairs, 5 + 2 + 2);
	assert_int_equal(snap.nr_strides, 1);
	assert_int_equal(snap.strides[0].step, 5003 * 64 * MEMLAT_LINE_BYTES);
	assert_int_equal(snap.strides[0].pairs, 9);
	/* All but the first one of each burst. */
	assert_int_equal(snap.strides[0].onward, 4 + 1 + 1);
	assert_int_equal(snap.strides[0].new_page, 9);
	snapshot_free(&snap);
}

/* Intervals of a recording, whose end has what the last one has not. */
TEST_WITH(intervals_of_a_recording, begin, end)
{
	struct interval_run run = { .kept = intervals_new(1000) };
	struct snapshot snap;
	pid_t writer;

	run.started_ns = engine_status(engine)->started_ns;
	write_load(&rings[0], 1, 70);
	engine_read(engine, &collect);
	run.device = session_view(engine, &collect, &writer);
	assert_true(run.device >= 0);
	assert_int_equal(interval_take(&run), 0);
	close(run.device);
	assert_int_equal(waitpid(writer, NULL, 0), writer);
	write_load(&rings[0], 2, 70);
	write_load(&rings[0], 3, 70);
	stopped(&snap);
	interval_finish(&run, &snap);
	assert_int_equal(run.kept->nr, 2);
	assert_int_equal(run.kept->at[0].came.head.status.samples, 1);
	assert_int_equal(run.kept->at[1].came.head.status.samples, 2);
	interval_free(&run);
	snapshot_free(&snap);
}

/* A kernel before 6.0 only writes what was lost into the ring. */
TEST_WITH(losses_that_no_event_counts, begin, end)
{
	struct snapshot snap;

	engine->of.lacks = ENGINE_NO_LOST;
	write_words(&rings[0], PERF_RECORD_LOST, 1, 7, 1);
	stopped(&snap);
	assert_int_equal(snap.head.status.malformed, 7);
	snapshot_free(&snap);
}

/* A process that has no number in this PID namespace. */
TEST_WITH(a_stranger, begin, end)
{
	struct snapshot snap;

	write_load(&rings[0], 1, 0);
	write_load(&rings[0], 2, 70);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 1);
	assert_int_equal(snap.head.status.filtered, 1);
	snapshot_free(&snap);
}

/* A sample with fewer fields than its event has, and bytes that are no record. */
TEST_WITH(what_is_cut_off, begin, end)
{
	const __u64 garbage = 0xffff000000000009;
	const __u64 body[] = { 1, 0x1000, 70, 6 };
	struct snapshot snap;

	write_record(&rings[0], PERF_RECORD_SAMPLE, 0, body, sizeof(body));
	write_bytes(&rings[0], &garbage, sizeof(garbage));
	write_load(&rings[1], 9, 70);
	engine_read(engine, &collect);
	assert_true(rings[0].page->data_tail == rings[0].page->data_head);
	/* The ring goes on. */
	write_load(&rings[0], 10, 70);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, 2);
	assert_int_equal(snap.head.status.malformed, 2);
	snapshot_free(&snap);
}

static size_t resident(void)
{
	size_t all, pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%zu %zu", &all, &pages), 2);
	fclose(file);
	return pages * PAGE;
}

/*
 * Each sample is of a line of its own, which the tables forget: they keep to their memory, however
 * many samples come. MEMLAT_SAMPLES sets another number, for "make million". With sanitizers more is
 * resident than is used.
 */
TEST_WITH(many_samples, begin, end)
{
	const char *wanted = getenv("MEMLAT_SAMPLES");
	const size_t nr = wanted ? strtoul(wanted, NULL, 10) : 100000;
	struct snapshot snap;
	size_t i, before, half = 0, after;

	if (wanted)
		engine->of.config.max_memory = ENGINE_MEMORY;
	engine_reset(engine, &collect);
	before = resident();
	for (i = 0; i < nr; i++) {
		write_load_of(&rings[i % RINGS], i + 1, 70, i * 2654435761U % (1ULL << 32));
		if (i % 8 == 7)
			engine_read(engine, &collect);
		if (i == nr / 2)
			half = resident();
	}
	after = resident();
	print_message("%zu samples: %zu KiB more, %zu KiB of them at the half\n", nr,
		      (after - before) >> 10, (half - before) >> 10);
	if (wanted)
		assert_true(after - before <= ENGINE_MEMORY);
	stopped(&snap);
	assert_int_equal(snap.head.status.samples, nr);
	assert_int_equal(snap.head.status.records, nr);
	assert_int_equal(snap.head.status.weight_loads, nr * 1009);
	snapshot_free(&snap);
}

/* --delay: what was sampled and lost until then is forgotten. */
TEST_WITH(a_reset, begin, end)
{
	struct snapshot snap;

	write_load(&rings[0], 1, 70);
	write_words(&rings[0], PERF_RECORD_LOST_SAMPLES, 5, 0, 2);
	engine_reset(engine, &collect);
	write_load(&rings[0], 3, 70);
	stopped(&snap);
	assert_int_equal(snap.head.status.records, 1);
	assert_int_equal(snap.head.status.samples, 1);
	assert_int_equal(snap.head.status.pid, 70);
	snapshot_free(&snap);
}

static int stop_session(void *session)
{
	engine_stop(engine, &collect);
	session_ends(session);
	return 0;
}

/* The keeper's loop, for the test's one client. */
static void hold_session(const char *path, struct session *session)
{
	struct pollfd fds[SESSION_FDS];
	int ms;

	assert_int_equal(session_listen(session, path), 0);
	if (fork()) {
		close(session->socket);
		return;
	}
	alarm(60);
	while (!session->over || session->nr) {
		ms = 1000;
		session_fds(session, fds, &ms);
		if (poll(fds, SESSION_FDS, ms) >= 0)
			session_turn(session, fds);
	}
	_exit(0);
}

static int call_session(const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	assert_int_equal(connect(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	return fd;
}

/* What a view reads is complete, and has the tables that it asks for. */
static void look(int fd, __u32 tables, __u64 samples, __u32 state)
{
	struct snapshot snap;

	snapshot_init(&snap);
	snap.tables = tables;
	assert_int_equal(snapshot_read(&snap, fd), 0);
	assert_null(account_snapshot_broken(&snap));
	assert_int_equal(snap.head.status.samples, samples);
	assert_int_equal(snap.head.status.records, samples + 5);
	assert_int_equal(snap.head.status.state, state);
	assert_true(snap.head.status.flags & SAMPLED_BY_PERF);
	assert_int_equal(snap.nr_lines, tables ? 0 : 2);
	snapshot_free(&snap);
}

/* The keeper answers as the module does, again and again, and of a session that is over. */
TEST_WITH(a_session_is_asked, begin, end)
{
	struct session session = {
		.engine = engine, .collect = &collect, .query.abi_version = MEMLAT_ABI_VERSION,
		.written = -1, .stop = stop_session, .arg = &session,
	};
	char folder[] = "/tmp/memlat-unit.XXXXXX", path[64];
	struct memlat_query query;
	struct memlat_status status;
	struct pollfd woken = { .events = POLLIN };
	__u32 *numbers;
	size_t nr;
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/session", folder);
	write_load(&rings[0], 1, 70);
	write_words(&rings[1], PERF_RECORD_LOST_SAMPLES, 5, 0, 2);
	write_load(&rings[1], 3, 71);
	engine_read(engine, &collect);
	numbers = engine_numbers(engine, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(numbers[1], 71);
	free(numbers);
	hold_session(path, &session);
	fd = call_session(path);
	assert_int_equal(memlat_device_query(fd, &query), 0);
	assert_int_equal(query.abi_version, MEMLAT_ABI_VERSION);
	look(fd, 0, 2, MEMLAT_STATE_RUNNING);
	look(fd, 1U << MEMLAT_REC_THREAD, 2, MEMLAT_STATE_RUNNING);
	/* An interval's end wakes, and is no answer. */
	woken.fd = fd;
	assert_int_equal(memlat_device_reader(fd, 0, 1), 0);
	assert_int_equal(poll(&woken, 1, 0), 0);
	assert_int_equal(memlat_device_snapshot(fd), 0);
	while (recv(fd, path, sizeof(path), MSG_TRUNC) > 0)
		continue;
	assert_int_equal(poll(&woken, 1, 10000), 1);
	assert_int_equal(memlat_device_status(fd, &status), 0);
	assert_int_equal(status.pid, 70);
	assert_int_equal(memlat_device_prefetch(fd, &(struct memlat_prefetch){ 0 }), -ENOTTY);
	assert_int_equal(memlat_device_stop(fd), 0);
	assert_int_equal(memlat_device_stop(fd), -ENODATA);
	assert_int_equal(memlat_device_reset(fd), -ENODATA);
	look(fd, 0, 2, MEMLAT_STATE_IDLE);
	close(fd);
	wait(NULL);
	snprintf(path, sizeof(path), "%s/session", folder);
	unlink(path);
	rmdir(folder);
}
