// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/memlat as uapi/linux/memlat.h describes it: read(), poll(), which records a descriptor reads
 * and in which form, and their accounts.
 */
#include "abi_fixture.h"
#include "command.h"
#include "rig.h"
#include "snapshot.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Read the rest of the snapshot in reads of this size. *size: its bytes. */
static char *read_in_pieces(int fd, size_t piece, size_t *size)
{
	char *stream = NULL, *more;
	ssize_t got;

	for (*size = 0;; *size += got) {
		more = realloc(stream, *size + piece);
		if (!more)
			break;
		stream = more;
		got = read(fd, stream + *size, piece);
		if (!got)
			return stream;
		if (got < 0)
			break;
	}
	free(stream);
	return NULL;
}

TEST_F(abi, read)
{
	struct memlat_rec_header header;
	char *whole, *pieces, *hole, small[8];
	size_t size, pieces_size, more;
	struct snapshot snapshot;

	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(command_run(NULL, WORK), 0);
	ASSERT_EQ(device_stop(self->fd), 0);

	/* The first read of a descriptor takes a snapshot. */
	whole = read_in_pieces(self->fd, 1 << 20, &size);
	ASSERT_NE(whole, NULL);
	ASSERT_EQ(snapshot_parse(&snapshot, whole, size), 0);
	EXPECT_GT(snapshot.status.status.samples, 0);
	EXPECT_GT(snapshot.nr_lines, 0);
	snapshot_free(&snapshot);
	EXPECT_EQ(read(self->fd, small, sizeof(small)), 0);

	/* After a rewind it is the same. A buffer that is too small is refused … */
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
	errno = 0;
	EXPECT_EQ(read(self->fd, small, sizeof(small)), -1);
	EXPECT_EQ(errno, EINVAL);
	/* … as is a bad address, and neither read takes any record. */
	errno = 0;
	hole = mmap(NULL, MEMLAT_REC_MAX, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(hole, MAP_FAILED);
	EXPECT_EQ(read(self->fd, hole, MEMLAT_REC_MAX), -1);
	EXPECT_EQ(errno, EFAULT);
	pieces = read_in_pieces(self->fd, MEMLAT_REC_MAX, &pieces_size);
	ASSERT_NE(pieces, NULL);
	ASSERT_EQ(pieces_size, size);
	EXPECT_EQ(memcmp(pieces, whole, size), 0);

	/* Reads give whole records: with room for one, and for one and a half, they give one. */
	memcpy(&header, whole, sizeof(header));
	for (more = 0; more <= sizeof(header); more += sizeof(header)) {
		ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
		EXPECT_EQ(read(self->fd, pieces, header.size + more), header.size);
	}
	free(pieces);
	free(whole);
}

/* A read into memory that ends too early takes nothing that it has not delivered. */
TEST_F(abi, read_into_a_hole)
{
	const size_t page = 4096;
	size_t size, rest_size, valid, room;
	char *whole, *buffer, *rest;
	unsigned int parts = 0;
	ssize_t got;

	/* Blocks have a megabyte. */
	self->config.period = 37;
	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(command_run(NULL, WORKLOADS "walker --size 4194304 --rounds 3"), 0);
	ASSERT_EQ(device_stop(self->fd), 0);
	whole = read_in_pieces(self->fd, 1 << 20, &size);
	ASSERT_NE(whole, NULL);
	room = (size + page - 1) / page * page;
	buffer = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(buffer, MAP_FAILED);
	for (valid = page; valid < room; valid += room / 8 / page * page) {
		ASSERT_EQ(mprotect(buffer, valid, PROT_READ | PROT_WRITE), 0);
		ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
		errno = 0;
		got = read(self->fd, buffer, room);
		EXPECT_TRUE(got > 0 ? (size_t)got <= valid : got == -1 && errno == EFAULT);
		if (got < 0)
			got = 0;
		parts += got > 0;
		EXPECT_EQ(memcmp(buffer, whole, got), 0);
		rest = read_in_pieces(self->fd, 1 << 20, &rest_size);
		ASSERT_NE(rest, NULL);
		ASSERT_EQ(got + rest_size, size);
		EXPECT_EQ(memcmp(rest, whole + got, rest_size), 0);
		free(rest);
	}
	EXPECT_GT(parts, 0)
		TH_LOG("a snapshot of %zu bytes has one block only", size);
	/* Leave little. */
	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(device_stop(self->fd), 0);
	munmap(buffer, room);
	free(whole);
}

/* The number of snapshots that the kernel keeps; -1: not known. */
static int kept(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[256];
	int n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		n += !!strstr(line, "copy_block");
	fclose(file);
	return n;
}

/* A snapshot is not kept once it was read to its end, even if the descriptor stays open. */
TEST_F(abi, snapshot_is_given_back)
{
	const int before = kept();
	char *stream, small[8];
	int fd[4];
	size_t size, i;

	ASSERT_GE(before, 0);
	for (i = 0; i < 4; i++) {
		fd[i] = open("/dev/memlat", O_RDWR | O_CLOEXEC);
		ASSERT_GE(fd[i], 0);
		ASSERT_EQ(ioctl(fd[i], MEMLAT_IOC_SNAPSHOT), 0);
	}
	EXPECT_EQ(kept(), before + 4);
	EXPECT_EQ(read(fd[0], small, 0), 0);
	for (i = 0; i < 4; i++) {
		stream = read_in_pieces(fd[i], 1 << 20, &size);
		ASSERT_NE(stream, NULL);
		EXPECT_GT(size, 0);
		free(stream);
		EXPECT_EQ(kept(), before + 3 - (int)i);
		EXPECT_EQ(read(fd[i], small, sizeof(small)), 0);
	}
	/* After a rewind it is there again. */
	ASSERT_EQ(ioctl(fd[0], MEMLAT_IOC_SNAPSHOT), 0);
	EXPECT_EQ(kept(), before + 1);
	for (i = 0; i < 4; i++)
		close(fd[i]);
	EXPECT_EQ(kept(), before);
}

TEST_F(abi, snapshot_belongs_to_descriptor)
{
	int other = device_open();
	struct snapshot snapshot;
	char *stream;
	size_t size;

	ASSERT_GE(other, 0);
	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(command_run(NULL, WORK), 0);
	ASSERT_EQ(device_stop(self->fd), 0);

	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
	ASSERT_EQ(device_reset(other), 0);
	ASSERT_EQ(device_snapshot(other, &snapshot), 0);
	EXPECT_EQ(snapshot.status.status.records, 0);
	EXPECT_EQ(snapshot.nr_lines, 0);
	EXPECT_EQ(snapshot_accounts(&snapshot), NULL);
	snapshot_free(&snapshot);

	stream = read_in_pieces(self->fd, 1 << 16, &size);
	ASSERT_NE(stream, NULL);
	ASSERT_EQ(snapshot_parse(&snapshot, stream, size), 0);
	EXPECT_GT(snapshot.status.status.samples, 0);
	snapshot_free(&snapshot);
	free(stream);
	close(other);
}

/* The types of records in a new snapshot. */
static unsigned int types_read(int fd, __u32 tables)
{
	struct memlat_reader reader = { .size = sizeof(reader), .tables = tables };
	struct snapshot snapshot;
	unsigned int types;

	if (ioctl(fd, MEMLAT_IOC_READER, &reader) || device_snapshot(fd, &snapshot))
		return 0;
	types = snapshot.types;
	snapshot_free(&snapshot);
	return types;
}

TEST_F(abi, reader)
{
	const unsigned int always = 1u << MEMLAT_REC_STATUS | 1u << MEMLAT_REC_END;
	struct memlat_reader reader = { .size = sizeof(reader) };
	unsigned int type, all;

	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(command_run(NULL, WORK), 0);
	ASSERT_EQ(device_stop(self->fd), 0);

	all = types_read(self->fd, 0);
	EXPECT_EQ(all, SNAPSHOT_ALL & ~(1u << MEMLAT_REC_STACK | 1u << MEMLAT_REC_STRIDE));
	for (type = MEMLAT_REC_BUCKETS; type <= MEMLAT_REC_STORES; type++) {
		if (type == MEMLAT_REC_END)
			continue;
		EXPECT_EQ(types_read(self->fd, 1u << type), always | (all & 1u << type))
			TH_LOG("record type %u", type);
	}

	/* This is refused, and the earlier choice stays. */
	ASSERT_EQ(types_read(self->fd, 1u << MEMLAT_REC_SITE),
		  always | 1u << MEMLAT_REC_SITE);
	reader.tables = 1;
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_READER, &reader);
	reader.tables = 1u << (MEMLAT_REC_STORES + 1);
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_READER, &reader);
	reader.tables = 0;
	reader.interval_ms = 9;
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_READER, &reader);
	reader.interval_ms = 3600001;
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_READER, &reader);
	reader.interval_ms = 0;
	reader.flags = MEMLAT_READER_PACKED << 1;
	EXPECT_REFUSED(EINVAL, self->fd, MEMLAT_IOC_READER, &reader);
	reader.flags = 0;
	reader.interval_ms = 10;
	EXPECT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
	reader.interval_ms = 3600000;
	EXPECT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
}

/* Enough lines for several of the blocks that a snapshot consists of (module/copies.c). */
#define MANY		WORKLOADS "many_lines --lines 65536 --passes 2"
#define MANY_BYTES	(2 << 20)

TEST_F(abi, packed)
{
	struct memlat_reader reader = { .size = sizeof(reader), .flags = MEMLAT_READER_PACKED };
	struct memlat_rec_header header;
	char *plain, *packed, *unpacked, *to;
	size_t size, packed_size;
	const char *at;

	self->config.period = device_period(self->fd, 17);
	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	ASSERT_EQ(command_run(NULL, MANY), 0);
	ASSERT_EQ(device_stop(self->fd), 0);
	plain = read_in_pieces(self->fd, 1 << 20, &size);
	ASSERT_NE(plain, NULL);

	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
	packed = read_in_pieces(self->fd, MEMLAT_REC_MAX, &packed_size);
	ASSERT_NE(packed, NULL);
	TH_LOG("%zu bytes, packed %zu", size, packed_size);
	EXPECT_LT(packed_size, size / 2);
	EXPECT_GT(packed_size, MANY_BYTES);

	/* The most: a record of a header and an empty map may be unpacked to 64 words. */
	unpacked = malloc(packed_size * 64);
	ASSERT_NE(unpacked, NULL);
	to = unpacked;
	for (at = packed; at < packed + packed_size; at += header.size) {
		memcpy(&header, at, sizeof(header));
		ASSERT_EQ(snapshot_unpack(to, at), 0);
		to += ((struct memlat_rec_header *)to)->size;
	}
	ASSERT_EQ((size_t)(to - unpacked), size);
	EXPECT_EQ(memcmp(unpacked, plain, size), 0);

	/* Snapshots are packed until the reader changes that. */
	reader.flags = 0;
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
	free(packed);
	packed = read_in_pieces(self->fd, size, &packed_size);
	ASSERT_NE(packed, NULL);
	ASSERT_EQ(packed_size, size);
	EXPECT_EQ(memcmp(packed, plain, size), 0);
	free(unpacked);
	free(packed);
	free(plain);
}

/* The result of poll() with this timeout in ms: POLLIN, POLLPRI, both, or 0. */
static int poll_says(int fd, int timeout)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN | POLLPRI };

	return poll(&wait, 1, timeout) < 0 ? -errno : wait.revents;
}

TEST_F(abi, poll_state)
{
	struct memlat_status status;
	int other = device_open();
	pid_t child;
	int end;

	ASSERT_GE(other, 0);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(poll_says(self->fd, 100), 0);

	/* poll() reports a change until the status is read. */
	ASSERT_EQ(device_start(other, &self->config), 0);
	EXPECT_EQ(poll_says(self->fd, 0), POLLPRI);
	EXPECT_EQ(poll_says(self->fd, 0), POLLPRI);
	ASSERT_EQ(device_status(self->fd, &status), 0);
	EXPECT_EQ(poll_says(self->fd, 100), 0);

	/* A change wakes a process that waits. */
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(poll_says(self->fd, 30000) == POLLPRI ? 0 : 1);
	usleep(300000);
	ASSERT_EQ(device_stop(other), 0);
	ASSERT_EQ(waitpid(child, &end, 0), child);
	EXPECT_EQ(end, 0);

	/* A snapshot has the state too. Part of it stays unread here. */
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_SNAPSHOT), 0);
	EXPECT_EQ(poll_says(self->fd, 0), POLLIN);
	free(read_in_pieces(self->fd, 1 << 16, &(size_t){ 0 }));
	EXPECT_EQ(poll_says(self->fd, 100), 0);
	close(other);
}

TEST_F(abi, poll_interval)
{
	struct memlat_reader reader = {
		.size = sizeof(reader), .interval_ms = 2000
	};
	struct timespec before, after;
	struct snapshot snapshot;
	long ms;

	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
	/* The interval begins with the snapshot, so not before this. */
	clock_gettime(CLOCK_MONOTONIC, &before);
	ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
	snapshot_free(&snapshot);
	EXPECT_EQ(poll_says(self->fd, 100), 0);
	EXPECT_EQ(poll_says(self->fd, 30000), POLLIN);
	clock_gettime(CLOCK_MONOTONIC, &after);
	ms = (after.tv_sec - before.tv_sec) * 1000 +
	     (after.tv_nsec - before.tv_nsec) / 1000000;
	/* Jiffies are coarse. */
	EXPECT_GE(ms, 1900);
	EXPECT_LE(ms, 20000);
	/* Until the next snapshot. */
	EXPECT_EQ(poll_says(self->fd, 0), POLLIN);
	ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
	snapshot_free(&snapshot);
	EXPECT_EQ(poll_says(self->fd, 0), 0);

	reader.interval_ms = 0;
	ASSERT_EQ(ioctl(self->fd, MEMLAT_IOC_READER, &reader), 0);
	EXPECT_EQ(poll_says(self->fd, 800), 0);
}

TEST_F(abi, seek)
{
	char buffer[MEMLAT_REC_MAX];

	errno = 0;
	EXPECT_EQ(lseek(self->fd, 0, SEEK_SET), -1);
	EXPECT_EQ(errno, ESPIPE);
	errno = 0;
	EXPECT_EQ(pread(self->fd, buffer, sizeof(buffer), 0), -1);
	EXPECT_EQ(errno, ESPIPE);
}

TEST_F(abi, accounts)
{
	struct snapshot snapshot;
	const char *wrong;
	__u64 records = 0;
	pid_t worker;
	int i;

	/* All loads, for so many samples that the tables fill and lines are evicted. */
	self->config.ldlat = MEMLAT_LDLAT_MIN;
	self->config.period = device_period(self->fd, MEMLAT_PERIOD_DEFAULT);
	ASSERT_EQ(device_start(self->fd, &self->config), 0);
	worker = fork();
	ASSERT_GE(worker, 0);
	if (!worker)
		_exit(command_run(NULL, WORK) ? 1 : 0);
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
		wrong = snapshot_accounts(&snapshot);
		EXPECT_EQ(wrong, NULL)
			TH_LOG("while running: %s", wrong);
		EXPECT_GE(snapshot.status.status.records, records);
		records = snapshot.status.status.records;
		snapshot_free(&snapshot);
	}
	ASSERT_EQ(waitpid(worker, &i, 0), worker);
	EXPECT_EQ(i, 0);

	/* A reset empties the tables, and the session continues. */
	ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
	records = snapshot.status.status.records;
	EXPECT_GT(records, 0);
	snapshot_free(&snapshot);
	ASSERT_EQ(device_reset(self->fd), 0);
	ASSERT_EQ(command_run(NULL, WORK), 0);
	ASSERT_EQ(device_stop(self->fd), 0);
	ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
	EXPECT_GT(snapshot.status.status.records, 0);
	wrong = snapshot_accounts(&snapshot);
	EXPECT_EQ(wrong, NULL)
		TH_LOG("after stop: %s", wrong);
	snapshot_free(&snapshot);

	/* Also without a session. */
	ASSERT_EQ(device_reset(self->fd), 0);
	ASSERT_EQ(device_snapshot(self->fd, &snapshot), 0);
	EXPECT_EQ(snapshot.status.status.records, 0);
	EXPECT_EQ(snapshot.status.status.latency_sum, 0);
	EXPECT_EQ(snapshot.nr_lines, 0);
	EXPECT_EQ(snapshot_accounts(&snapshot), NULL);
	snapshot_free(&snapshot);
}

ABI_UNLOAD

TEST_HARNESS_MAIN
