// SPDX-License-Identifier: GPL-2.0
/*
 * write_profile PROGRAM PROFILE OBJECTS <SITES: write a profile of a program whose sites are in
 * stdin, as name_sites writes them. Each site has so many objects of its own in memory that the
 * program mapped. Two threads access each object, in one line. Prints the bytes of the tables.
 *
 * write_profile PROGRAM PROFILE OBJECTS named <SITES: the same with the names that record finds when
 * it ends. Prints the milliseconds of a CPU that this takes, the bytes of the profile without and with
 * names, and those of the packed tables, which are what the module gives.
 */
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "names/namer.h"
#include "profile/file.h"
#include "profile/history.h"
#include "profile/profile.h"
#include "util/xalloc.h"

#define PID		4711U
#define BIAS		0x555555554000ULL
#define MEMORY		0x7f0000000000ULL
#define OBJECT_BYTES	256ULL
#define PERIOD		1009ULL
#define LATENCY		200ULL
#define SAMPLES		4ULL	/* of each object: loads, or stores */
#define PAGE		4096ULL

static void fail(const char *what)
{
	fprintf(stderr, "write_profile: %s\n", what);
	exit(1);
}

/* Map the program as the kernel does. */
static void map_program(struct history *history, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat file;
	GElf_Phdr segment;
	size_t i, nr;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 && !fstat(fd, &file) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (!elf || elf_getphdrnum(elf, &nr))
		fail("the program is not readable");
	for (i = 0; i < nr; i++) {
		struct history_map map = {
			.time = 2, .major = major(file.st_dev), .minor = minor(file.st_dev),
			.inode = file.st_ino, .flags = MAP_PRIVATE, .path = path,
		};

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		map.start = BIAS + (segment.p_vaddr & ~(PAGE - 1));
		map.end = (BIAS + segment.p_vaddr + segment.p_filesz + PAGE - 1) & ~(PAGE - 1);
		map.offset = segment.p_offset & ~(PAGE - 1);
		map.prot = (segment.p_flags & PF_R ? PROT_READ : 0U) |
			   (segment.p_flags & PF_W ? PROT_WRITE : 0U) |
			   (segment.p_flags & PF_X ? PROT_EXEC : 0U);
		history_map(history, PID, 0, &map);
	}
	elf_end(elf);
	close(fd);
}

static void add_line(struct snapshot *snap, __u64 address, __u64 ip, bool stores)
{
	const unsigned int byte = address % MEMLAT_LINE_BYTES;
	struct memlat_rec_line *line;

	ARRAY_GROW(snap->lines, snap->nr_lines + 1, snap->room_lines);
	line = &snap->lines[snap->nr_lines++];
	*line = (struct memlat_rec_line){
		.addr = address - byte, .space = PID, .samples = SAMPLES, .ip = ip,
		.weight = SAMPLES * PERIOD, .cpus = 3, .nodes = 1, .home = MEMLAT_NODE_UNKNOWN,
	};
	if (stores) {
		line->stores = line->store_l1_hit = line->slot_store[byte / 8] = SAMPLES;
		line->bytes_stored = 1ULL << byte;
		return;
	}
	line->latency_sum = line->latency[MEMLAT_SRC_DRAM] = SAMPLES * LATENCY;
	line->latency_max = LATENCY;
	line->cost = SAMPLES * LATENCY * PERIOD;
	line->source[MEMLAT_SRC_DRAM] = line->slot[byte / 8] = SAMPLES;
	line->bytes_loaded = 1ULL << byte;
}

static void add_site(struct snapshot *snap, __u64 address, __u64 objects, __u64 ip, bool stores)
{
	const __u64 samples = SAMPLES * objects;
	struct memlat_rec_site *site;

	ARRAY_GROW(snap->sites, snap->nr_sites + 1, snap->room_sites);
	site = &snap->sites[snap->nr_sites++];
	*site = (struct memlat_rec_site){
		.ip = ip, .space = PID, .samples = samples, .weight = samples * PERIOD,
		.addr_min = address, .addr_max = address + OBJECT_BYTES * (objects - 1), .cpus = 3, .nodes = 1,
	};
	if (stores) {
		site->stores = site->store_l1_hit = samples;
		return;
	}
	site->latency_sum = site->latency[MEMLAT_SRC_DRAM] = samples * LATENCY;
	site->latency_max = LATENCY;
	site->cost = samples * LATENCY * PERIOD;
	site->source[MEMLAT_SRC_DRAM] = site->bucket[7] = samples;
}

static void add_access(struct snapshot *snap, __u64 address, __u64 ip, bool stores, __u32 tid)
{
	struct memlat_rec_access *access;

	ARRAY_GROW(snap->accesses, snap->nr_accesses + 1, snap->room_accesses);
	access = &snap->accesses[snap->nr_accesses++];
	*access = (struct memlat_rec_access){
		.addr = address, .ip = ip, .tgid = PID, .tid = tid, .samples = SAMPLES / 2,
		.weight = SAMPLES / 2 * PERIOD, .cpus = 1 + (tid != PID), .nodes = 1,
	};
	if (stores) {
		access->stores = access->store_l1_hit = SAMPLES / 2;
		return;
	}
	access->latency_sum = SAMPLES / 2 * LATENCY;
	access->latency_max = LATENCY;
	access->cost = SAMPLES / 2 * LATENCY * PERIOD;
}

static void add_thread(struct snapshot *snap, __u32 tid)
{
	const struct memlat_status *status = &snap->head.status;
	struct memlat_rec_thread *thread;

	ARRAY_GROW(snap->threads, snap->nr_threads + 1, snap->room_threads);
	thread = &snap->threads[snap->nr_threads++];
	*thread = (struct memlat_rec_thread){
		.tid = tid, .tgid = PID, .samples = status->samples / 2,
		.stores = status->stores / 2, .weight = status->samples / 2 * PERIOD,
		.latency_sum = status->loads / 2 * LATENCY,
		.cost = status->loads / 2 * LATENCY * PERIOD,
		.cpus = 1 + (tid != PID), .nodes = 1, .comm = "large",
	};
}

static void read_sites(struct snapshot *snap, __u64 objects)
{
	struct memlat_status *status = &snap->head.status;
	int64_t offset;
	uint64_t ip;
	int writes;

	while (scanf("%" SCNx64 " %" SCNd64 " %d", &ip, &offset, &writes) == 3) {
		__u64 address = MEMORY + OBJECT_BYTES * snap->nr_lines + (__u64)offset, i;

		add_site(snap, address, objects, BIAS + ip, writes);
		for (i = 0; i < objects; i++, address += OBJECT_BYTES) {
			add_line(snap, address, BIAS + ip, writes);
			add_access(snap, address, BIAS + ip, writes, PID);
			add_access(snap, address, BIAS + ip, writes, PID + 1);
		}
		*(writes ? &status->stores : &status->loads) += SAMPLES * objects;
	}
	if (!snap->nr_sites)
		fail("no sites");
}

static void fill(struct profile *profile, const char *program, __u64 objects)
{
	const struct history_map memory = {
		.time = 2, .start = MEMORY, .end = MEMORY + OBJECT_BYTES * 1000000, .path = "//anon",
		.prot = PROT_READ | PROT_WRITE, .flags = MAP_PRIVATE | MAP_ANONYMOUS,
	};
	struct snapshot *snap = &profile->snap;
	struct memlat_status *status = &snap->head.status;
	unsigned int i;

	snap->head.abi_version = MEMLAT_ABI_VERSION;
	status->size = sizeof(*status);
	status->flags = MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_USER;
	status->ldlat = 30;
	status->period = status->period_low = status->period_high = PERIOD;
	status->cpus_online = status->nodes = 1;
	status->started_ns = 1;
	status->duration_ns = 1000000000;
	snap->have_head = snap->have_buckets = snap->have_raw = snap->have_end = true;
	read_sites(snap, objects);
	status->samples = status->records = status->loads + status->stores;
	status->weight_loads = status->loads * PERIOD;
	status->weight_stores = status->stores * PERIOD;
	snap->buckets.rows = MEMLAT_BUCKETS;
	snap->buckets.sources = MEMLAT_SRC_NR;
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		snap->buckets.edge[i] = i + 1 < MEMLAT_BUCKETS ? 30 * (i + 1) : 0;
	snap->buckets.count[7][MEMLAT_SRC_DRAM] = status->loads;
	snap->raw.count[0x0c] = status->loads;
	add_thread(snap, PID);
	add_thread(snap, PID + 1);
	profile->history = history_new();
	history_comm(profile->history, 1, PID, PID, "large", true);
	map_program(profile->history, program);
	history_map(profile->history, PID, 0, &memory);
	history_settle(profile->history, snap);
}

/* The least memory that memlat-ctl needs for the tables. */
static size_t table_bytes(const struct snapshot *snap)
{
	return snap->nr_lines * sizeof(*snap->lines) + snap->nr_sites * sizeof(*snap->sites) +
	       snap->nr_accesses * sizeof(*snap->accesses);
}

static long bytes_of(const char *path)
{
	struct stat file;

	return stat(path, &file) ? 0 : (long)file.st_size;
}

/* The words of a record that are not zero, its header and its map: see linux/memlat_records.h. */
static size_t packed_bytes(const void *rows, size_t nr, size_t size)
{
	const __u64 *words = rows;
	size_t i, bytes = nr * (8 + (size / 8 + 63) / 64 * 8);

	for (i = 0; i < nr * (size / 8); i++)
		bytes += words[i] ? 8 : 0;
	return bytes;
}

static void name(struct profile *profile, const char *path)
{
	const struct snapshot *snap = &profile->snap;
	const long before = bytes_of(path);
	char why[PROFILE_ERROR_MAX];
	struct rusage from, to;
	struct namer *namer;

	getrusage(RUSAGE_SELF, &from);
	namer = namer_new(profile, NULL);
	profile->known = namer_keep(namer);
	namer_free(namer);
	if (profile_write(profile, path, why))
		fail(why);
	getrusage(RUSAGE_SELF, &to);
	printf("%ld %ld %ld %zu\n",
	       (to.ru_utime.tv_sec - from.ru_utime.tv_sec + to.ru_stime.tv_sec - from.ru_stime.tv_sec) * 1000 +
	       (to.ru_utime.tv_usec - from.ru_utime.tv_usec + to.ru_stime.tv_usec - from.ru_stime.tv_usec) / 1000,
	       before, bytes_of(path),
	       packed_bytes(snap->lines, snap->nr_lines, sizeof(*snap->lines)) +
	       packed_bytes(snap->sites, snap->nr_sites, sizeof(*snap->sites)) +
	       packed_bytes(snap->accesses, snap->nr_accesses, sizeof(*snap->accesses)));
}

int main(int argc, char **argv)
{
	char why[PROFILE_ERROR_MAX];
	struct profile profile;

	if (argc < 4 || argc > 5 || atoi(argv[3]) < 1) {
		fprintf(stderr, "use: write_profile PROGRAM PROFILE OBJECTS [named] <SITES\n");
		return 2;
	}
	profile_init(&profile);
	fill(&profile, argv[1], (__u64)atoi(argv[3]));
	if (profile_write(&profile, argv[2], why))
		fail(why);
	if (argc > 4)
		name(&profile, argv[2]);
	else
		printf("%zu\n", table_bytes(&profile.snap));
	profile_free(&profile);
	return 0;
}
