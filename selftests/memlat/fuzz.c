// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls of /dev/memlat. Each call is of a known kind, with members that are right, nearly
 * right or noise, so that most calls pass the first check. Each kind has a short list of the errors
 * that it may return.
 */
#include "fuzz.h"

#include "device.h"
#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define ROOM		(4 * MEMLAT_REC_MAX)
#define IOCTLS		8
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Any call that sleeps may be interrupted, and any that allocates may get no memory. */
#define USUAL		EINTR, ENOMEM

static uint64_t below(struct fuzzer *f, uint64_t limit)
{
	return fuzz_below(&f->random, limit);
}

static bool one_in(struct fuzzer *f, uint64_t n)
{
	return !below(f, n);
}

static int any_file(struct fuzzer *f)
{
	return one_in(f, 3) ? f->shared : f->own;
}

/* May this call return this error? The list ends with 0. */
static bool may(struct fuzzer *f, const char *call, long got, const int *errors)
{
	const int error = errno;

	if (got >= 0) {
		f->succeeded = true;
		return true;
	}
	for (; *errors; errors++)
		if (*errors == error)
			return true;
	snprintf(f->wrong, sizeof(f->wrong), "%s gave: %s", call, strerror(error));
	return false;
}

#define MAY(f, call, got, ...)	may(f, call, got, (const int[]){ __VA_ARGS__, 0 })

static bool wrong(struct fuzzer *f, const char *what)
{
	snprintf(f->wrong, sizeof(f->wrong), "%s", what);
	return false;
}

/* No call with a bad pointer succeeds. */
static bool faults(struct fuzzer *f, const char *call, int got)
{
	if (got < 0)
		return MAY(f, call, got, EFAULT);
	snprintf(f->wrong, sizeof(f->wrong), "%s succeeds", call);
	return false;
}

bool fuzz_open(struct fuzzer *f, uint64_t seed, int shared)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, ROOM + 3 * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*f = (struct fuzzer){ .random = seed | 1, .shared = shared };
	f->own = device_open();
	if (f->own < 0 || memory == MAP_FAILED ||
	    device_query(f->own, &f->query))
		return wrong(f, "the device cannot be opened");
	f->read_room = memory;
	f->guard = memory + ROOM + 2 * page;
	if (mprotect(f->guard, page, PROT_NONE))
		return wrong(f, "mprotect() fails");
	return true;
}

/* An address at which no structure can be. */
static void *bad_address(struct fuzzer *f)
{
	static const uintptr_t bad[] = {
		0, 1, 0x8000000000000000ull, 0xffffffff81000000ull,
		0xffff888000000000ull, ~0ull, 0x7ffffffffffcull,
	};

	return one_in(f, 3) ? f->guard : (void *)bad[below(f, ARRAY_SIZE(bad))];
}

/*
 * Place a structure at the very end of accessible memory, so that an access beyond its size faults.
 * @known: the size that the module knows; @first: the smallest that it accepts. A size of up to a
 * page is the true one. What a larger structure has in addition is zero, or not.
 */
static char *place(struct fuzzer *f, const void *from, uint32_t first, uint32_t known)
{
	uint32_t size = known, room;
	char *at;

	switch (below(f, 8)) {
	case 0:
		size = first;
		break;
	case 1:
		size = first + below(f, known - first + 1);
		break;
	case 2:
		size = known + below(f, 4096 - known + 1);
		break;
	case 3:
		size = one_in(f, 2) ? below(f, 8192) : (uint32_t)fuzz_next(&f->random);
		break;
	}
	room = size < 4 ? 4 : size > 4096 ? 4096 : size;
	at = f->guard - room;
	memset(at, 0, room);
	memcpy(at, from, room < known ? room : known);
	memcpy(at, &size, sizeof(size));
	if (room > known && one_in(f, 3))
		at[known + below(f, room - known)] = 1;
	return at;
}

/* Check all equations within a status. */
static bool status_balances(struct fuzzer *f, const struct memlat_status *s)
{
	if (s->state > MEMLAT_STATE_RUNNING)
		return wrong(f, "status: no such state");
	if (s->records != s->samples + s->filtered + s->malformed + s->collision)
		return wrong(f, "status: records are not samples and losses");
	if (s->samples != s->loads + s->stores)
		return wrong(f, "status: samples are not loads and stores");
	return true;
}

static bool call_status(struct fuzzer *f)
{
	struct memlat_status status = { 0 };
	char *at;
	int got;

	if (one_in(f, 8)) {
		got = ioctl(any_file(f), MEMLAT_IOC_STATUS, bad_address(f));
		return faults(f, "STATUS of a bad pointer", got);
	}
	at = place(f, &status, MEMLAT_STATUS_SIZE_V1, sizeof(status));
	got = ioctl(any_file(f), MEMLAT_IOC_STATUS, at);
	if (!MAY(f, "STATUS", got, EINVAL, E2BIG, USUAL))
		return false;
	if (got || f->guard - at < (long)sizeof(status))
		return true;
	memcpy(&status, at, sizeof(status));
	return status_balances(f, &status);
}

static bool call_query(struct fuzzer *f)
{
	struct memlat_query query = { 0 };
	int got;

	if (one_in(f, 8)) {
		got = ioctl(any_file(f), MEMLAT_IOC_QUERY, bad_address(f));
		return faults(f, "QUERY of a bad pointer", got);
	}
	got = ioctl(any_file(f), MEMLAT_IOC_QUERY,
		    place(f, &query, MEMLAT_QUERY_SIZE_V1, sizeof(query)));
	return MAY(f, "QUERY", got, EINVAL, E2BIG);
}

static void scramble(struct fuzzer *f, struct memlat_config *config)
{
	switch (below(f, 12)) {
	case 0:
		config->ldlat = fuzz_next(&f->random);
		break;
	case 1:
		config->flags = fuzz_next(&f->random);
		break;
	case 2:
		config->flags = fuzz_next(&f->random) & MEMLAT_F_ALL;
		break;
	case 3:
		config->period = one_in(f, 2) ? fuzz_next(&f->random) : f->query.period_min;
		break;
	case 4:
		config->pid = one_in(f, 2) ? getpid() : (int)fuzz_next(&f->random);
		break;
	case 5:
		config->max_memory = one_in(f, 2) ? f->query.memory_min :
						    fuzz_next(&f->random) >> below(f, 64);
		break;
	case 6:
		config->store_period = fuzz_next(&f->random) >> below(f, 64);
		break;
	case 7:
		config->max_overhead = below(f, 2 * MEMLAT_OVERHEAD_MAX);
		break;
	case 8:
		config->cgroup = below(f, 4);
		break;
	case 9:
		config->cpus[below(f, MEMLAT_CPU_WORDS)] = fuzz_next(&f->random);
		break;
	case 10:
		config->cpus[0] = below(f, 4);
		break;
	case 11:
		config->reserved = fuzz_next(&f->random);
		break;
	}
}

/* Make one member such that START fails, at an early or a late check of the module. */
static void spoil(struct fuzzer *f, struct memlat_config *config)
{
	switch (below(f, 4)) {
	case 0:
		config->reserved = 1;
		break;
	case 1:
		config->flags |= ~MEMLAT_F_ALL;
		break;
	case 2:
		config->max_memory = f->query.memory_min - 1;
		break;
	case 3:
		/* No process can have such a large number. */
		config->pid = 1 << 23;
		break;
	}
}

static bool call_start(struct fuzzer *f)
{
	struct memlat_config config = device_config(MEMLAT_LDLAT_DEFAULT,
						    f->query.period_default);
	unsigned int changes;
	int got;

	if (one_in(f, 8)) {
		got = ioctl(any_file(f), MEMLAT_IOC_START, bad_address(f));
		return faults(f, "START of a bad pointer", got);
	}
	config.max_memory = f->query.memory_min;
	if (one_in(f, 2))
		config.flags |= MEMLAT_F_LOADS | MEMLAT_F_STORES;
	else if (one_in(f, 4))
		config.flags |= MEMLAT_F_COUNT;
	if (one_in(f, 4))
		config.flags |= MEMLAT_F_TIED;
	for (changes = below(f, 4); changes; changes--)
		scramble(f, &config);
	if (f->idle)
		spoil(f, &config);
	got = ioctl(any_file(f), MEMLAT_IOC_START,
		    place(f, &config, MEMLAT_CONFIG_SIZE_V1, sizeof(config)));
	if (!got && f->gentle)
		return wrong(f, "START succeeds while a session runs");
	if (!got && f->idle)
		return wrong(f, "START succeeds with a member that is wrong");
	return MAY(f, "START", got, EBUSY, EINVAL, E2BIG, ESRCH, ENOENT, EOPNOTSUPP, USUAL);
}

static bool call_reader(struct fuzzer *f)
{
	struct memlat_reader reader = {
		.interval_ms = one_in(f, 2) ? 10 + below(f, 100) : below(f, 4000000),
		.tables = one_in(f, 2) ? 0 : below(f, 1 << 12),
		.flags = one_in(f, 4) ? below(f, 4) : 0,
	};
	int got;

	if (one_in(f, 8)) {
		got = ioctl(any_file(f), MEMLAT_IOC_READER, bad_address(f));
		return faults(f, "READER of a bad pointer", got);
	}
	got = ioctl(any_file(f), MEMLAT_IOC_READER,
		    place(f, &reader, sizeof(reader), sizeof(reader)));
	return MAY(f, "READER", got, EINVAL, E2BIG, USUAL);
}

/* The module restores the prefetchers when the file is closed, or when it is unloaded. */
static bool call_prefetch(struct fuzzer *f)
{
	struct memlat_prefetch prefetch = {
		.op = below(f, 4),
		.kinds = one_in(f, 4) ? fuzz_next(&f->random) : below(f, 16),
		.flags = below(f, one_in(f, 8) ? 8 : 2),
		.reason = one_in(f, 16),
	};
	int got;

	if (one_in(f, 8)) {
		got = ioctl(any_file(f), MEMLAT_IOC_PREFETCH, bad_address(f));
		return faults(f, "PREFETCH of a bad pointer", got);
	}
	if (one_in(f, 2))
		prefetch.op = MEMLAT_PREFETCH_SHOW;
	if (prefetch.op == MEMLAT_PREFETCH_SHOW) {
		prefetch.cpu = below(f, 8);
		prefetch.kinds *= one_in(f, 8);
		prefetch.flags *= one_in(f, 8);
	}
	if (one_in(f, 4))
		prefetch.cpus[below(f, MEMLAT_CPU_WORDS)] = fuzz_next(&f->random);
	got = ioctl(any_file(f), MEMLAT_IOC_PREFETCH,
		    place(f, &prefetch, sizeof(prefetch), sizeof(prefetch)));
	return MAY(f, "PREFETCH", got, EBUSY, EINVAL, E2BIG, EOPNOTSUPP, ENODATA, EPERM, USUAL);
}

static bool call_snapshot(struct fuzzer *f)
{
	return MAY(f, "SNAPSHOT", ioctl(any_file(f), MEMLAT_IOC_SNAPSHOT, fuzz_next(&f->random)),
		   USUAL);
}

static bool call_stop(struct fuzzer *f)
{
	if (f->gentle)
		return call_status(f);
	return MAY(f, "STOP", ioctl(any_file(f), MEMLAT_IOC_STOP, fuzz_next(&f->random)), ENODATA,
		   USUAL);
}

static bool call_reset(struct fuzzer *f)
{
	if (f->gentle)
		return call_status(f);
	return MAY(f, "RESET", ioctl(any_file(f), MEMLAT_IOC_RESET, fuzz_next(&f->random)), USUAL);
}

/* Unknown requests: the magic with another number or direction, and other magics. */
static bool call_unknown(struct fuzzer *f)
{
	const unsigned int size = below(f, 1 << _IOC_SIZEBITS);
	const unsigned int nr = IOCTLS + below(f, 256 - IOCTLS);
	unsigned long request = _IOC(below(f, 4), MEMLAT_IOC_MAGIC, nr, size);
	int got;

	if (one_in(f, 2))
		request = _IOC(below(f, 4), 0xa0 + below(f, 0x40), below(f, 256), size);
	got = ioctl(any_file(f), request, one_in(f, 2) ? bad_address(f) : f->read_room);
	if (got >= 0)
		return wrong(f, "an unknown ioctl succeeds");
	return MAY(f, "an unknown ioctl", got, ENOTTY);
}

/* Are there only whole records, whose sizes add up? */
static bool whole(struct fuzzer *f, const char *at, size_t size)
{
	struct memlat_rec_header header;

	while (size) {
		if (size < sizeof(header))
			return wrong(f, "read: a piece of a record");
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > MEMLAT_REC_MAX ||
		    header.size > size || header.size % 8)
			return wrong(f, "read: a record of a wrong size");
		at += header.size;
		size -= header.size;
	}
	return true;
}

static bool call_read(struct fuzzer *f)
{
	size_t size = one_in(f, 2) ? ROOM : below(f, ROOM);
	struct iovec vector[2];
	ssize_t got;

	switch (below(f, 8)) {
	case 0:
		got = read(any_file(f), bad_address(f), size);
		return MAY(f, "read to a bad pointer", got, EFAULT, EINVAL, USUAL);
	case 1:
		/* The read may fault in the middle. */
		size = below(f, MEMLAT_REC_MAX);
		got = read(any_file(f), f->guard - below(f, MEMLAT_REC_MAX), size);
		return MAY(f, "read to the end of memory", got, EFAULT, EINVAL, USUAL);
	case 2:
		vector[0] = (struct iovec){ f->read_room, size / 2 };
		vector[1] = (struct iovec){ f->read_room + size / 2, size - size / 2 };
		got = readv(any_file(f), vector, 2);
		return MAY(f, "readv", got, EINVAL, USUAL);
	case 3:
		got = pread(any_file(f), f->read_room, size, below(f, 1 << 20));
		return MAY(f, "pread", got, ESPIPE);
	}
	got = read(any_file(f), f->read_room, size);
	if (!MAY(f, "read", got, EINVAL, USUAL))
		return false;
	return got < 0 || whole(f, f->read_room, got);
}

static bool call_poll(struct fuzzer *f)
{
	struct pollfd p[2] = {
		{ .fd = f->own, .events = fuzz_next(&f->random) },
		{ .fd = f->shared, .events = fuzz_next(&f->random) },
	};
	int got = poll(p, 2, below(f, 4));

	if ((p[0].revents | p[1].revents) & ~(POLLIN | POLLRDNORM | POLLPRI))
		return wrong(f, "poll: an event that is not documented");
	return MAY(f, "poll", got, USUAL);
}

/* Calls that the device does not support. */
static bool call_refused(struct fuzzer *f)
{
	const int fd = any_file(f);
	void *map;

	switch (below(f, 4)) {
	case 0:
		map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096 * below(f, 4));
		if (map != MAP_FAILED)
			return wrong(f, "mmap succeeds");
		return MAY(f, "mmap", -1, ENODEV, ENOMEM);
	case 1:
		if (write(fd, f->read_room, below(f, 4096)) >= 0)
			return wrong(f, "write succeeds");
		return MAY(f, "write", -1, EINVAL);
	case 2:
		if (lseek(fd, below(f, 4096), below(f, 3)) >= 0)
			return wrong(f, "lseek succeeds");
		return MAY(f, "lseek", -1, ESPIPE);
	default:
		if (!fsync(fd))
			return wrong(f, "fsync succeeds");
		return MAY(f, "fsync", -1, EINVAL);
	}
}

static bool call_open(struct fuzzer *f)
{
	int fd = device_open();

	if (fd < 0) {
		errno = -fd;
		return MAY(f, "open", -1, USUAL);
	}
	close(f->own);
	f->own = fd;
	f->succeeded = true;
	return true;
}

static bool call_sysfs(struct fuzzer *f)
{
	static const char * const file[] = {
		"/sys/kernel/memlat/status", "/sys/kernel/memlat/buckets",
		"/sys/kernel/memlat/lines",
	};
	int fd = open(file[below(f, ARRAY_SIZE(file))], O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return MAY(f, "open in sysfs", -1, USUAL);
	got = pread(fd, f->read_room, below(f, ROOM), one_in(f, 2) ? 0 : below(f, 8192));
	if (!MAY(f, "read of sysfs", got, USUAL)) {
		close(fd);
		return false;
	}
	close(fd);
	return true;
}

/* A snapshot of all tables is complete and its accounts balance, whatever others do. */
static bool call_whole_snapshot(struct fuzzer *f)
{
	int error, fd = device_open();
	struct snapshot snapshot;
	const char *bad;

	if (fd < 0) {
		errno = -fd;
		return MAY(f, "open", -1, USUAL);
	}
	error = device_snapshot(fd, &snapshot);
	close(fd);
	if (error) {
		errno = -error;
		return MAY(f, "a whole snapshot", -1, USUAL);
	}
	f->succeeded = true;
	bad = snapshot_accounts(&snapshot);
	snapshot_free(&snapshot);
	return bad ? wrong(f, bad) : true;
}

static const struct {
	const char *name;
	bool (*call)(struct fuzzer *f);
	unsigned int share;
	enum fuzz_success success;
} kind[FUZZ_KINDS] = {
	{ "STATUS", call_status, 12, FUZZ_ALWAYS },
	{ "QUERY", call_query, 6, FUZZ_ALWAYS },
	{ "START", call_start, 6, FUZZ_WITH_SESSIONS },
	{ "STOP", call_stop, 4, FUZZ_WITH_SESSIONS },
	{ "RESET", call_reset, 1, FUZZ_ALWAYS },
	{ "READER", call_reader, 8, FUZZ_ALWAYS },
	{ "SNAPSHOT", call_snapshot, 2, FUZZ_ALWAYS },
	/* Not each machine has prefetchers that can be turned off. */
	{ "PREFETCH", call_prefetch, 6, FUZZ_UNSURE },
	{ "unknown", call_unknown, 8, FUZZ_UNSURE },
	{ "read", call_read, 20, FUZZ_ALWAYS },
	{ "poll", call_poll, 10, FUZZ_ALWAYS },
	{ "refused", call_refused, 8, FUZZ_UNSURE },
	{ "open", call_open, 4, FUZZ_ALWAYS },
	{ "sysfs", call_sysfs, 4, FUZZ_ALWAYS },
	{ "whole snapshot", call_whole_snapshot, 1, FUZZ_ALWAYS },
};

bool fuzz_call(struct fuzzer *f)
{
	const double began = fuzz_seconds();
	uint64_t at = below(f, 100);
	unsigned int i;
	bool good;

	for (i = 0; at >= kind[i].share; i++)
		at -= kind[i].share;
	f->succeeded = false;
	good = kind[i].call(f);
	f->calls[i]++;
	f->good[i] += f->succeeded;
	f->seconds[i] += fuzz_seconds() - began;
	return good;
}

const char *fuzz_kind(unsigned int i)
{
	return kind[i].name;
}

enum fuzz_success fuzz_success(unsigned int i)
{
	return kind[i].success;
}

unsigned long fuzz_number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

uint64_t fuzz_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 1;
	return fuzz_number("MEMLAT_SEED", seed);
}

double fuzz_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
