// SPDX-License-Identifier: GPL-2.0
#include "ctl_perf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

#define HEADER_BYTES	104
#define BOUND		(1 << 20)

/* The end of each record that is no sample: process, time, CPU and event. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, unused;
	uint64_t id;
};

struct perf_event_attr perf_loads(uint64_t ldlat, uint64_t period)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr), .config = 0x1cd,
		.config1 = ldlat, .sample_period = period, .sample_type = PERF_FIELDS,
		.sample_id_all = 1, .precise_ip = 3,
	};
}

struct perf_event_attr perf_stores(uint64_t period)
{
	struct perf_event_attr attr = perf_loads(0, period);

	attr.config = 0x82d0;
	return attr;
}

static void put(struct perf_made *made, const void *bytes, size_t size)
{
	assert_true(made->used + size <= BOUND);
	memcpy(made->bytes + made->used, bytes, size);
	made->used += size;
}

static void put_number(struct perf_made *made, uint64_t number)
{
	put(made, &number, sizeof(number));
}

void perf_begin(struct perf_made *made, const struct perf_event_attr *events, size_t nr)
{
	const size_t size = sizeof(*events) + 16, ids = HEADER_BYTES + nr * size;
	size_t i;

	memset(made, 0, sizeof(*made));
	made->bytes = calloc(1, BOUND);
	assert_non_null(made->bytes);
	made->used = HEADER_BYTES;
	made->events = nr;
	for (i = 0; i < nr; i++) {
		put(made, &events[i], sizeof(events[i]));
		put_number(made, ids + i * 8);
		put_number(made, 8);
	}
	for (i = 0; i < nr; i++)
		put_number(made, i + 1);
}

void perf_add(struct perf_made *made, uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const size_t whole = (sizeof(struct perf_event_header) + size + 7) & ~(size_t)7;
	struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)whole,
	};

	put(made, &header, sizeof(header));
	put(made, body, size);
	made->used += whole - sizeof(header) - size;
}

void perf_feature(struct perf_made *made, unsigned int feature, const void *bytes, size_t size)
{
	struct perf_feature *to = &made->feature[feature];

	to->bytes = malloc(size ? size : 1);
	assert_non_null(to->bytes);
	memcpy(to->bytes, bytes, size);
	to->size = size;
	made->features |= 1ULL << feature;
}

void perf_feature_text(struct perf_made *made, unsigned int feature, const char *text)
{
	unsigned char bytes[68] = { 64 };

	strncpy((char *)bytes + 4, text, 63);
	perf_feature(made, feature, bytes, sizeof(bytes));
}

static void place(struct perf_made *made, size_t at, uint64_t number)
{
	memcpy(made->bytes + at, &number, sizeof(number));
}

void perf_end(struct perf_made *made, const char *path)
{
	const size_t attrs = made->events * (sizeof(struct perf_event_attr) + 16);
	const size_t data = HEADER_BYTES + attrs + made->events * 8, end = made->used;
	size_t at = end + 16 * (size_t)__builtin_popcountll(made->features), i;
	FILE *file;

	memcpy(made->bytes, "PERFILE2", 8);
	place(made, 8, HEADER_BYTES);
	place(made, 16, sizeof(struct perf_event_attr) + 16);
	place(made, 24, HEADER_BYTES);
	place(made, 32, attrs);
	place(made, 40, data);
	place(made, 48, end - data);
	place(made, 72, made->features);
	for (i = 0; i < 64; i++) {
		if (!made->feature[i].bytes)
			continue;
		put_number(made, at);
		put_number(made, made->feature[i].size);
		at += made->feature[i].size;
	}
	for (i = 0; i < 64; i++) {
		if (made->feature[i].bytes)
			put(made, made->feature[i].bytes, made->feature[i].size);
		free(made->feature[i].bytes);
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(made->bytes, 1, made->used, file), made->used);
	assert_int_equal(fclose(file), 0);
	free(made->bytes);
}

void perf_add_access(struct perf_made *made, const struct perf_access *access)
{
	const struct {
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time, addr;
		uint32_t cpu, unused;
		uint64_t weight, data_src;
	} body = {
		access->event, access->ip, access->pid, access->tid, access->time, access->addr,
		access->cpu, 0, access->weight, access->data_src,
	};

	perf_add(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP,
		 &body, sizeof(body));
}

/* Append a text, padded, and the trailer. */
static size_t end_with(unsigned char *body, size_t used, const char *text,
		       const struct trailer *trailer)
{
	size_t size = (strlen(text) + 8) & ~(size_t)7;

	memset(body + used, 0, size);
	memcpy(body + used, text, strlen(text));
	memcpy(body + used + size, trailer, sizeof(*trailer));
	return used + size + sizeof(*trailer);
}

void perf_add_comm(struct perf_made *made, uint64_t time, uint32_t pid, uint32_t tid,
		   const char *comm, int exec)
{
	const struct trailer trailer = { .pid = pid, .tid = tid, .time = time, .id = 1 };
	const uint32_t who[2] = { pid, tid };
	unsigned char body[128];

	memcpy(body, who, sizeof(who));
	perf_add(made, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, body,
		 end_with(body, sizeof(who), comm, &trailer));
}

void perf_add_fork(struct perf_made *made, uint64_t time, uint32_t pid, uint32_t tid,
		   uint32_t parent)
{
	const struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
		struct trailer trailer;
	} body = {
		pid, parent, tid, parent, time,
		{ .pid = pid, .tid = tid, .time = time, .id = 1 },
	};

	perf_add(made, PERF_RECORD_FORK, 0, &body, sizeof(body));
}

void perf_add_map(struct perf_made *made, uint64_t time, uint32_t pid, uint64_t start,
		  uint64_t size, const char *path)
{
	const struct trailer trailer = { .pid = pid, .tid = pid, .time = time, .id = 1 };
	const struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
	} map = { pid, pid, start, size, 0, 8, 1, 77, 0, 5, 2 };
	unsigned char body[512];

	memcpy(body, &map, sizeof(map));
	perf_add(made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, body,
		 end_with(body, sizeof(map), path, &trailer));
}

static void add_nodes(struct perf_made *made)
{
	unsigned char bytes[4 + 2 * (20 + 4 + 8)] = { 2 };
	size_t at = 4;
	uint32_t node;

	for (node = 0; node < 2; node++) {
		const uint64_t kilobytes = 1024;
		const uint32_t length = 8;

		memcpy(bytes + at, &node, 4);
		memcpy(bytes + at + 4, &kilobytes, 8);
		memcpy(bytes + at + 20, &length, 4);
		bytes[at + 24] = (unsigned char)('0' + node);
		at += 32;
	}
	perf_feature(made, 14, bytes, sizeof(bytes));
}

void perf_fight(struct perf_made *made, unsigned int loads)
{
	const struct perf_event_attr events[] = { perf_loads(30, 1009), perf_stores(10007) };
	const uint32_t cpus[2] = { 2, 2 };
	unsigned int i;

	perf_begin(made, events, 2);
	perf_add_comm(made, 0, 70, 70, "bash", 0);
	perf_add_fork(made, 100, 71, 71, 70);
	perf_add_comm(made, 110, 71, 71, "fight", 1);
	perf_add_map(made, 120, 71, 0x10000, 0x1000, "/bin/fight");
	perf_add_fork(made, 130, 71, 72, 71);
	perf_add_comm(made, 140, 71, 72, "second", 0);
	for (i = 0; i < loads; i++) {
		struct perf_access access = {
			.event = 1, .ip = 0x10100 + 16 * (i % 2), .time = 1000 + i,
			.addr = 0x10040 + 8 * (i % 2), .weight = 400, .pid = 71,
			.tid = 71 + i % 2, .cpu = i % 2,
			.data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, ANY_CACHE) |
				    PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(SNOOP, HITM) |
				    PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1),
		};

		perf_add_access(made, &access);
		access.event = 2;
		access.ip += 8;
		access.weight = 0;
		access.data_src = PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) |
				  (i < loads / 2 ? PERF_MEM_S(LVL, HIT) : PERF_MEM_S(LVL, MISS));
		perf_add_access(made, &access);
	}
	perf_feature_text(made, 3, "somewhere");
	perf_feature(made, 7, cpus, sizeof(cpus));
	perf_feature_text(made, 9, "GenuineIntel,6,85,4");
	add_nodes(made);
}

int perf_event_held(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0) {
		print_message("# no perf events for this user: %m\n");
		skip();
	}
	return (int)fd;
}
