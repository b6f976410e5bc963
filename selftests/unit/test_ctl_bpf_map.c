// SPDX-License-Identifier: GPL-2.0
/* Maps of BPF: each kind that is known, those that are freed meanwhile, and damaged memory. */
#define _GNU_SOURCE
#include <elf.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_test.h"

#include "names/btf.h"
#include "names/kallsyms.h"
#include "names/kernel_core.h"
#include "util/bytes.h"

#define BASE		0xffff888000000000ULL
#define ROOM		4096
#define POINTER		0x1000			/* of per-CPU variables */
#define DAMAGED		3000

/* Places in memory. */
enum place {
	TREE = 0, ROOT = 0x40, NODE = 0x80, ARRAY = 0x100, HASH = 0x200, PERCPU = 0x300,
	PERCPU_HASH = 0x380, OTHER = 0x400, BUCKETS = 0x500, ELEMS = 0x600, PERCPU_ELEMS = 0x800,
	LATER = 0x140, USED = 0xa00
};

/* Types of members; structures follow. */
enum { WORD = 1, NUMBER, BYTE, NAME, SLOTS, NOTHING, IDR, XARRAY, NODES, MAP };

static const struct structure {
	const char *name;
	__u32 size;
	struct { const char *name; __u32 type, at; } members[8];
} structures[] = {
	{ "idr", 24, { { "idr_rt", XARRAY, 0 } } },
	{ "xarray", 16, { { "xa_head", WORD, 8 } } },
	{ "xa_node", 48, { { "shift", BYTE, 0 }, { "slots", SLOTS, 8 } } },
	{ "bpf_map", 48, { { "map_type", NUMBER, 8 }, { "key_size", NUMBER, 12 },
			   { "value_size", NUMBER, 16 }, { "max_entries", NUMBER, 20 },
			   { "id", NUMBER, 24 }, { "name", NAME, 28 } } },
	{ "bpf_array", 56, { { "map", MAP, 0 }, { "elem_size", NUMBER, 48 },
			     { "pptrs", NOTHING, 56 } } },
	{ "bpf_htab", 80, { { "map", MAP, 0 }, { "buckets", WORD, 48 }, { "elems", WORD, 56 },
			    { "n_buckets", NUMBER, 64 }, { "elem_size", NUMBER, 68 } } },
	{ "htab_elem", 24, { { "hash", NUMBER, 16 } } },
	{ "bucket", 16, { { "head", WORD, 0 } } },
};

static unsigned char memory[ROOM];

static void put(unsigned int at, __u64 value, unsigned int size)
{
	assert_in_range(at, 0, ROOM - size);
	memcpy(memory + at, &value, size);
}

static void put_map(unsigned int at, __u32 type, __u32 id, const char *name)
{
	put(at + 8, type, 4);
	put(at + 12, 4, 4);
	put(at + 16, 8, 4);
	put(at + 20, 3, 4);
	put(at + 24, id, 4);
	memcpy(memory + at + 28, name, strlen(name));
}

static void put_hash(unsigned int at, unsigned int elems)
{
	put(at + 48, BASE + BUCKETS, 8);
	put(at + 56, BASE + elems, 8);
	put(at + 64, 4, 4);
	put(at + 68, 40, 4);
}

static void put_all(void)
{
	unsigned int i;

	memset(memory, 0, sizeof(memory));
	put(TREE + 8, BASE + ROOT + 2, 8);
	put(ROOT, 2, 1);
	put(ROOT + 8, BASE + NODE + 2, 8);
	put(ROOT + 16, BASE + OTHER, 8);
	put(NODE + 8, BASE + ARRAY, 8);
	put(NODE + 16, BASE + HASH, 8);
	put(NODE + 24, BASE + PERCPU, 8);
	put(NODE + 32, BASE + PERCPU_HASH, 8);
	put_map(ARRAY, BPF_MAP_TYPE_ARRAY, 0, "cells");
	put(ARRAY + 48, 16, 4);
	put_map(HASH, BPF_MAP_TYPE_HASH, 1, "flows");
	put_hash(HASH, ELEMS);
	put_map(PERCPU, BPF_MAP_TYPE_PERCPU_ARRAY, 2, "");
	put(PERCPU + 48, 8, 4);
	put_map(PERCPU_HASH, BPF_MAP_TYPE_LRU_PERCPU_HASH, 3, "sixteen_letters_");
	put_hash(PERCPU_HASH, PERCPU_ELEMS);
	/* Buckets of its own are elsewhere. */
	put(PERCPU_HASH + 48, BASE + BUCKETS + 0x40, 8);
	put_map(OTHER, BPF_MAP_TYPE_RINGBUF, 4, "events");
	for (i = 0; i < 3; i++) {
		put(PERCPU + 56 + 8 * i, POINTER + 0x10 * (3 - i), 8);
		put(PERCPU_ELEMS + 40 * i + 24 + 8, POINTER + 0x100 + 8 * i, 8);
	}
}

static struct btf *types(size_t with)
{
	static const struct { struct btf_type type; __u32 bits; } numbers[] = {
		{ { .info = BTF_KIND_INT << 24, .size = 8 }, 64 },
		{ { .info = BTF_KIND_INT << 24, .size = 4 }, 32 },
		{ { .info = BTF_KIND_INT << 24, .size = 1 }, 8 },
	};
	static const struct btf_array lengths[] = {
		{ BYTE, NUMBER, 16 }, { WORD, NUMBER, 4 }, { WORD, NUMBER, 0 },
	};
	struct btf_header head = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(head) };
	const struct btf_type array = { .info = BTF_KIND_ARRAY << 24 };
	struct bytes types = { 0 }, texts = { 0 }, all = { 0 };
	struct btf *btf;
	size_t i, k, size;
	void *data;

	bytes_put(&texts, 0, 1);
	bytes_put_raw(&types, numbers, sizeof(numbers));
	for (i = 0; i < 3; i++) {
		bytes_put_raw(&types, &array, sizeof(array));
		bytes_put_raw(&types, &lengths[i], sizeof(lengths[i]));
	}
	for (i = 0; i < with; i++) {
		const struct structure *in = &structures[i];

		for (k = 0; k < 8 && in->members[k].name; k++)
			;
		bytes_put(&types, texts.used, 4);
		bytes_put(&types, BTF_KIND_STRUCT << 24 | k, 4);
		bytes_put(&types, in->size, 4);
		bytes_put_raw(&texts, in->name, strlen(in->name) + 1);
		for (k = 0; k < 8 && in->members[k].name; k++) {
			bytes_put(&types, texts.used, 4);
			bytes_put(&types, in->members[k].type, 4);
			bytes_put(&types, 8ULL * in->members[k].at, 4);
			bytes_put_raw(&texts, in->members[k].name, strlen(in->members[k].name) + 1);
		}
	}
	head.type_len = (__u32)types.used;
	head.str_off = head.type_len;
	head.str_len = (__u32)texts.used;
	bytes_put_raw(&all, &head, sizeof(head));
	bytes_take(&types, &data, &size);
	bytes_put_raw(&all, data, size);
	free(data);
	bytes_take(&texts, &data, &size);
	bytes_put_raw(&all, data, size);
	free(data);
	bytes_take(&all, &data, &size);
	btf = btf_from(NULL, data, size);
	free(data);
	return btf;
}

/* A file like /proc/kcore, which goes on to be the memory. */
static int make_core(struct kernel_core **core)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} head = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.segment = {
			.p_type = PT_LOAD, .p_offset = sizeof(head), .p_vaddr = BASE,
			.p_filesz = ROOM, .p_memsz = ROOM,
		},
	};
	int fd = memfd_create("core", 0);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, memory, ROOM), ROOM);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*core = kernel_core_open_at(path);
	assert_non_null(*core);
	return fd;
}

static __u64 cpus[] = { 0xffffe8ffffc00000, 0, 0xffffe8ffffe00000 };
static struct ksym symbols[] = {
	{ .start = BASE + TREE, .end = BASE + TREE + 24, .name = "map_idr", .module = "" },
};
static const struct kallsyms all = { .rows = symbols, .nr = 1, .cpu = cpus, .nr_cpus = 3 };

struct kernel {
	struct kernel_core *core;
	struct bpf_maps *maps;
	struct pool pool;
	int fd;
};

static void begin(struct kernel *kernel, size_t with)
{
	struct btf *btf = types(with);

	assert_non_null(btf);
	memset(kernel, 0, sizeof(*kernel));
	kernel->fd = make_core(&kernel->core);
	kernel->maps = bpf_maps_new(kernel->core, btf, &all);
	btf_free(btf);
	bpf_maps_note(kernel->maps);
}

static void end(struct kernel *kernel)
{
	bpf_maps_free(kernel->maps);
	kernel_core_close(kernel->core);
	pool_free(&kernel->pool);
	close(kernel->fd);
}

/* name NULL: the address is in no map. */
static void assert_map(struct kernel *kernel, __u64 address, const char *name, const char *element,
		       __u32 cpu, bool wanted)
{
	struct kernel_row row;
	const char *found;
	bool live;

	if (!name) {
		assert_false(bpf_maps_at(kernel->maps, address, &kernel->pool, &row, &live));
		return;
	}
	if (!bpf_maps_at(kernel->maps, address, &kernel->pool, &row, &live))
		fail_msg("0x%llx is not in %s", address, name);
	assert_string_equal(row.name, name);
	assert_int_equal(row.cpu, cpu);
	assert_int_equal(live, wanted);
	assert_true(address >= row.start && address < row.end);
	found = kernel_element(&kernel->pool, row.module, address - row.start);
	if (!element)
		assert_null(found);
	else
		assert_string_equal(found, element);
}

TEST(each_kind)
{
	static const struct { __u64 at; const char *name, *element; __u32 cpu; } wanted[] = {
		{ BASE + ARRAY + 8, "cells", NULL, ~0U },
		{ BASE + ARRAY + 56, "cells", "[0]", ~0U },
		{ BASE + ARRAY + 56 + 40, "cells", "[2]+0x08", ~0U },
		{ BASE + ARRAY + 56 + 48, NULL, NULL, 0 },
		{ BASE + HASH, "flows", NULL, ~0U }, { BASE + HASH + 79, "flows", NULL, ~0U },
		{ BASE + BUCKETS + 16 * 3 + 8, "flows", ".buckets[3]+0x08", ~0U },
		/* Each CPU has one element more, and the array ends with the last CPU's. */
		{ BASE + ELEMS + 40 * 5 + 39, "flows", ".elems[5]+0x27", ~0U },
		{ BASE + ELEMS + 240, NULL, NULL, 0 },
		{ BASE + PERCPU + 55, "2", NULL, ~0U }, { BASE + OTHER + 47, "events", NULL, ~0U },
		{ BASE + OTHER + 48, NULL, NULL, 0 }, { BASE + NODE, NULL, NULL, 0 },
		{ 0xffffe8ffffc01030, "2", "[0]", 0 }, { 0xffffe8ffffe01014, "2", "[2]+0x04", 2 },
		{ 0xffffe8ffffe01018, NULL, NULL, 0 }, { POINTER + 0x30, NULL, NULL, 0 },
		{ BASE + PERCPU_ELEMS + 119, "sixteen_letters_", ".elems[2]+0x27", ~0U },
		{ 0xffffe8ffffe01108, "sixteen_letters_", ".elems[1]", 2 },
	};
	struct kernel kernel;
	size_t i;

	put_all();
	begin(&kernel, sizeof(structures) / sizeof(structures[0]));
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_map(&kernel, wanted[i].at, wanted[i].name, wanted[i].element, wanted[i].cpu,
			   true);
	end(&kernel);
	for (i = 0; i < sizeof(structures) / sizeof(structures[0]) - 1; i++) {
		begin(&kernel, i);
		assert_null(kernel.maps);
		end(&kernel);
	}
}

/* Before a key was rounded up, its value's pointer was right behind it. */
TEST(behind_a_key_of_four_bytes)
{
	const __u64 pointer = 0x60800001100;
	struct kernel kernel;
	unsigned int i;

	put_all();
	for (i = 0; i < 3; i++) {
		put(PERCPU_ELEMS + 40 * i + 24 + 8, 0, 8);
		put(PERCPU_ELEMS + 40 * i + 24 + 4, pointer + 8 * i, 8);
	}
	begin(&kernel, sizeof(structures) / sizeof(structures[0]));
	for (i = 0; i < 3; i++)
		assert_map(&kernel, cpus[2] + pointer + 8 * i, "sixteen_letters_",
			   (const char *const []){ ".elems[0]", ".elems[1]", ".elems[2]" }[i], 2, true);
	end(&kernel);
}

static void change(struct kernel *kernel)
{
	const off_t at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);

	assert_int_equal(pwrite(kernel->fd, memory, ROOM, at), ROOM);
	bpf_maps_note(kernel->maps);
}

/* A map that is gone keeps its memory until another one has it. */
TEST(freed_meanwhile)
{
	struct kernel kernel;

	put_all();
	begin(&kernel, sizeof(structures) / sizeof(structures[0]));
	put(NODE + 8, 0, 8);
	change(&kernel);
	assert_map(&kernel, BASE + ARRAY + 56, "cells", "[0]", ~0U, false);
	assert_map(&kernel, BASE + HASH, "flows", NULL, ~0U, true);
	put(ROOT + 24, BASE + LATER, 8);
	put_map(LATER, BPF_MAP_TYPE_QUEUE, 8, "later");
	change(&kernel);
	assert_map(&kernel, BASE + LATER, "later", NULL, ~0U, true);
	assert_map(&kernel, BASE + ARRAY + 56, NULL, NULL, 0, false);
	end(&kernel);
}

/* Some bits changed, the same ones in each run. */
TEST(damaged)
{
	static unsigned char good[ROOM];
	struct kernel_row row;
	struct kernel kernel;
	__u64 random = 7, at;
	unsigned int i, k;
	bool live;

	put_all();
	memcpy(good, memory, sizeof(good));
	for (i = 0; i < DAMAGED; i++) {
		memcpy(memory, good, sizeof(good));
		for (k = 0; k < 3; k++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			memory[(random >> 33) % USED] ^= 1U << (random >> 29 & 7);
		}
		begin(&kernel, sizeof(structures) / sizeof(structures[0]));
		bpf_maps_note(kernel.maps);
		for (at = BASE; at < BASE + ROOM; at += 24) {
			if (!bpf_maps_at(kernel.maps, at, &kernel.pool, &row, &live))
				continue;
			assert_true(at >= row.start && at < row.end);
			kernel_element(&kernel.pool, row.module, at - row.start);
		}
		end(&kernel);
	}
}
