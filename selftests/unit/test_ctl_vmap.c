// SPDX-License-Identifier: GPL-2.0
/* Who allocated memory of vmalloc(): trees of areas as kernels have them, and damaged ones. */
#define _GNU_SOURCE
#include <elf.h>
#include <linux/btf.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctl_test.h"

#include "names/btf.h"
#include "names/kallsyms.h"
#include "names/kernel_core.h"
#include "names/kernel_object.h"
#include "profile/kernel_names.h"

#define BASE		0xffff888000000000ULL	/* of the map of all memory */
#define AREA		0xffffc90000000000ULL	/* of vmalloc() */
#define TEXT		0xffffffff81000000ULL
#define ROOM		4096
#define MAPPED		0x20000			/* bytes of vmalloc()'s that can be read */
#define NODES		4
#define NODE_BYTES	64
#define ZONE		0x10000			/* bytes */
#define DAMAGED		3000

/* The places of things in memory. */
enum place {
	ROOT = 0, TREES = 8, NR = 16, ZONES = 24, NODE = 64, AREAS = 512, STRUCTS = 2048
};

/* Members, in bytes. */
enum offset {
	VA_START = 0, VA_END = 8, RB_NODE = 16, VM = 56, VA_BYTES = 72,
	RB_RIGHT = 8, RB_LEFT = 16,
	ADDR = 8, SIZE = 16, CALLER = 56, VM_BYTES = 72,
	BUSY = 16
};

/* By address, as they are arranged: a guard page follows each. */
static const struct {
	__u64 start, size, caller;
} areas[] = {
	{ AREA, 0x5000, TEXT + 0x110 },			/* a stack */
	{ AREA + 0x6000, 0x3000, TEXT + 0x210 },	/* of alloc_table() */
	{ AREA + 0x9000, 0x41000, TEXT + 0x310 },	/* of a module's init(); through several zones */
	{ AREA + 0x4a000, 0x2000, TEXT + 0x400 },	/* of pcpu_get_vm_areas() */
	{ AREA + 0x60000, 0x2000, 0 },			/* of vm_map_ram() */
};

#define NR_AREAS	(sizeof(areas) / sizeof(areas[0]))

static unsigned char memory[ROOM], mapped[MAPPED];

static void put(unsigned int at, __u64 value)
{
	assert_in_range(at, 0, ROOM - sizeof(value));
	memcpy(memory + at, &value, sizeof(value));
}

static unsigned int area_at(size_t i)
{
	return AREAS + (unsigned int)i * VA_BYTES;
}

static void put_area(size_t i)
{
	const unsigned int at = area_at(i), vm = STRUCTS + (unsigned int)i * VM_BYTES;

	put(at + VA_START, areas[i].start);
	put(at + VA_END, areas[i].start + areas[i].size);
	if (!areas[i].caller)
		return;
	put(at + VM, BASE + vm);
	put(vm + ADDR, areas[i].start);
	put(vm + SIZE, areas[i].size);
	put(vm + CALLER, areas[i].caller);
}

/* Write a tree of some areas, by address. Returns its root. */
static __u64 put_tree(const size_t *which, size_t nr)
{
	size_t middle = nr / 2;
	unsigned int node;

	if (!nr)
		return 0;
	node = area_at(which[middle]) + RB_NODE;
	put(node + RB_LEFT, put_tree(which, middle));
	put(node + RB_RIGHT, put_tree(which + middle + 1, nr - middle - 1));
	return BASE + node;
}

/* trees: one for each zone in turn, as since Linux 6.9. Otherwise a single one. */
static void put_kernel(bool trees)
{
	size_t which[NR_AREAS], i, k, nr;

	memset(memory, 0, sizeof(memory));
	memset(mapped, 0, sizeof(mapped));
	*(__u64 *)mapped = STACK_END_MAGIC;
	for (i = 0; i < NR_AREAS; i++)
		put_area(i);
	put(TREES, BASE + NODE);
	put(NR, NODES);
	put(ZONES, ZONE);
	for (k = 0; k < (trees ? NODES : 1); k++) {
		for (i = nr = 0; i < NR_AREAS; i++)
			if (!trees || areas[i].start / ZONE % NODES == k)
				which[nr++] = i;
		put(trees ? NODE + (unsigned int)k * NODE_BYTES + BUSY : ROOT, put_tree(which, nr));
	}
}

/* with: the number of structures, from the first one on, that BTF has. */
static struct btf *types(unsigned int with)
{
	static const char texts[] =
		"\0rb_node\0rb_left\0rb_right\0vmap_area\0va_start\0va_end\0vm\0vm_struct\0addr\0size\0caller\0rb_list\0root\0vmap_node\0busy";
#define AT(name)	((__u32)((const char *)memmem(texts, sizeof(texts), "\0" name, sizeof(name) + 1) + 1 - texts))
#define STRUCT(name, members, bytes) \
	{ .name_off = AT(name), .info = BTF_KIND_STRUCT << 24 | (members), .size = (bytes) }
	struct {
		struct btf_header header;
		struct { struct btf_type type; __u32 bits; } number;
		struct { struct btf_type type; struct btf_member member[2]; } rb_node;
		struct { struct btf_type type; struct btf_member member[1]; } either;
		struct { struct btf_type type; struct btf_member member[4]; } area;
		struct { struct btf_type type; struct btf_member member[3]; } vm;
		struct { struct btf_type type; struct btf_member member[1]; } list;
		struct { struct btf_type type; struct btf_member member[1]; } node;
		char texts[sizeof(texts)];
	} all = {
		.header = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(all.header) },
		.number = { { .info = BTF_KIND_INT << 24, .size = 8 }, 64 },
		.rb_node = { STRUCT("rb_node", 2, 24),
			{ { AT("rb_right"), 1, 8 * RB_RIGHT }, { AT("rb_left"), 1, 8 * RB_LEFT } } },
		.either = { { .info = (__u32)BTF_KIND_UNION << 24 | 1, .size = 8 }, { { AT("vm"), 1, 0 } } },
		.area = { STRUCT("vmap_area", 4, VA_BYTES),
			{ { AT("va_start"), 1, 8 * VA_START }, { AT("va_end"), 1, 8 * VA_END },
			  { AT("rb_node"), 2, 8 * RB_NODE }, { 0, 3, 8 * VM } } },
		.vm = { STRUCT("vm_struct", 3, VM_BYTES),
			{ { AT("addr"), 1, 8 * ADDR }, { AT("size"), 1, 8 * SIZE },
			  { AT("caller"), 1, 8 * CALLER } } },
		.list = { STRUCT("rb_list", 1, 32), { { AT("root"), 1, 0 } } },
		.node = { STRUCT("vmap_node", 1, NODE_BYTES), { { AT("busy"), 6, 8 * BUSY } } },
	};
	const size_t ends[] = {
		offsetof(typeof(all), either), offsetof(typeof(all), vm),
		offsetof(typeof(all), list), offsetof(typeof(all), texts),
	};

	assert_in_range(with, 0, sizeof(ends) / sizeof(ends[0]) - 1);
	all.header.type_len = (__u32)(ends[with] - sizeof(all.header));
	all.header.str_off = offsetof(typeof(all), texts) - sizeof(all.header);
	all.header.str_len = sizeof(texts);
	memcpy(all.texts, texts, sizeof(texts));
	return btf_from(NULL, &all, sizeof(all));
}

#define ALL_TYPES	3

/*
 * Like /proc/kcore: the map of memory, and vmalloc()'s area, of which less can be read than it
 * says.
 */
static struct kernel_core *make_core(size_t bytes)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment[2];
	} head = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
			.e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 2,
		},
		.segment = {
			{ .p_type = PT_LOAD, .p_offset = sizeof(head), .p_vaddr = BASE,
			  .p_filesz = bytes, .p_memsz = bytes },
			{ .p_type = PT_LOAD, .p_offset = sizeof(head) + bytes, .p_vaddr = AREA,
			  .p_paddr = ~0ULL, .p_filesz = MAPPED, .p_memsz = 1ULL << 45 },
		},
	};
	struct kernel_core *core;
	int fd = memfd_create("core", 0);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, memory, bytes), bytes);
	assert_int_equal(write(fd, mapped, sizeof(mapped)), sizeof(mapped));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	core = kernel_core_open_at(path);
	close(fd);
	assert_non_null(core);
	return core;
}

static struct ksym symbols[] = {
	{ .start = BASE + ROOT, .end = BASE + ROOT + 8, .name = "vmap_area_root", .module = "" },
	{ .start = BASE + TREES, .end = BASE + TREES + 8, .name = "vmap_nodes", .module = "" },
	{ .start = BASE + NR, .end = BASE + NR + 4, .name = "nr_vmap_nodes", .module = "" },
	{ .start = BASE + ZONES, .end = BASE + ZONES + 4, .name = "vmap_zone_size", .module = "" },
	{ .start = TEXT + 0x100, .end = TEXT + 0x200, .name = "kernel_clone", .module = "", .code = true },
	{ .start = TEXT + 0x200, .end = TEXT + 0x300, .name = "alloc_table", .module = "", .code = true },
	{ .start = TEXT + 0x300, .end = TEXT + 0x400, .name = "init", .module = "mine", .code = true },
	{ .start = TEXT + 0x400, .end = TEXT + 0x500, .name = "pcpu_get_vm_areas", .module = "", .code = true },
};

static struct kallsyms all_symbols(bool trees)
{
	const size_t skip = trees ? 1 : 0;

	return (struct kallsyms){
		.rows = symbols + skip, .nr = sizeof(symbols) / sizeof(symbols[0]) - skip,
	};
}

struct kernel {
	struct kernel_core *core;
	struct btf *btf;
	struct kallsyms all;
	struct vmaps *vmaps;
};

static void begin(struct kernel *kernel, bool trees, unsigned int with, size_t bytes)
{
	kernel->core = make_core(bytes);
	kernel->btf = types(with);
	assert_non_null(kernel->btf);
	kernel->all = all_symbols(trees);
	kernel->vmaps = vmaps_read(kernel->core, kernel->btf, &kernel->all);
}

static void end(struct kernel *kernel)
{
	vmaps_free(kernel->vmaps);
	btf_free(kernel->btf);
	kernel_core_close(kernel->core);
}

static void assert_area(struct kernel *kernel, __u64 address, size_t i, const char *caller,
			const char *what)
{
	struct vmap vmap;

	assert_true(vmaps_at(kernel->vmaps, address, &vmap));
	assert_int_equal(vmap.start, areas[i].start);
	assert_int_equal(vmap.size, areas[i].size);
	assert_string_equal(vmap.caller->name, caller);
	if (what)
		assert_string_equal(vmap.what, what);
	else
		assert_null(vmap.what);
}

static bool is_known(struct kernel *kernel, __u64 address)
{
	struct vmap vmap;

	return vmaps_at(kernel->vmaps, address, &vmap);
}

TEST(each_form)
{
	struct kernel kernel;
	struct vmap vmap;
	int trees;

	for (trees = 0; trees < 2; trees++) {
		put_kernel(trees);
		begin(&kernel, trees, ALL_TYPES, ROOM);
		assert_non_null(kernel.vmaps);
		assert_area(&kernel, AREA, 0, "kernel_clone", "stack");
		assert_area(&kernel, AREA + 0x4fff, 0, "kernel_clone", "stack");
		assert_area(&kernel, AREA + 0x6000, 1, "alloc_table", NULL);
		assert_area(&kernel, AREA + 0x8fff, 1, "alloc_table", NULL);
		assert_area(&kernel, AREA + 0x9000, 2, "init", NULL);
		assert_area(&kernel, AREA + 0x49fff, 2, "init", NULL);
		assert_area(&kernel, AREA + 0x4a008, 3, "pcpu_get_vm_areas", "per-CPU memory");
		assert_true(vmaps_at(kernel.vmaps, AREA + 0x23456, &vmap));
		assert_string_equal(vmap.caller->module, "mine");
		/* Between two areas, behind the last one, an unknown one, and elsewhere. */
		assert_false(is_known(&kernel, AREA + 0x5000));
		assert_false(is_known(&kernel, AREA + 0x4c000));
		assert_false(is_known(&kernel, AREA + 0x60000));
		assert_false(is_known(&kernel, AREA + 0x62000));
		assert_false(is_known(&kernel, BASE + 64));
		assert_false(is_known(&kernel, 0));
		end(&kernel);
	}
}

TEST(kernels_that_have_others)
{
	struct kernel kernel;
	unsigned int with;

	put_kernel(true);
	for (with = 0; with <= ALL_TYPES; with++) {
		begin(&kernel, true, with, ROOM);
		assert_int_equal(!kernel.vmaps, with < ALL_TYPES);
		end(&kernel);
	}
	/* The single tree needs fewer. */
	begin(&kernel, false, ALL_TYPES - 1, ROOM);
	assert_non_null(kernel.vmaps);
	end(&kernel);
	put(NR, 0);
	begin(&kernel, true, ALL_TYPES, ROOM);
	assert_null(kernel.vmaps);
	end(&kernel);
	put(NR, 0x7fffffff);
	begin(&kernel, true, ALL_TYPES, ROOM);
	assert_null(kernel.vmaps);
	end(&kernel);
	put(NR, NODES);
	put(ZONES, 0);
	begin(&kernel, true, ALL_TYPES, ROOM);
	assert_null(kernel.vmaps);
	end(&kernel);
}

static void assert_in(const struct kernel_names *names, __u64 address, const char *wanted)
{
	const struct kernel_row *row = kernel_row_at(names, KERNEL_AREA, address);

	assert_non_null(row);
	assert_string_equal(row->name, wanted);
}

/* Addresses of the map of all memory without RAM are devices'. */
TEST(areas_of_the_map)
{
	struct kernel_names names = { .nr = 0 };
	struct kernel_core *core;

	put_kernel(true);
	core = make_core(ROOM);
	kernel_core_areas(core, &names);
	kernel_rows_sort(&names);
	assert_in(&names, BASE, "direct map of memory");
	assert_in(&names, BASE + ROOM - 1, "direct map of memory");
	assert_in(&names, BASE + ROOM, "direct map of device memory");
	assert_in(&names, AREA - 1, "direct map of device memory");
	assert_in(&names, AREA, "vmalloc");
	assert_null(kernel_row_at(&names, KERNEL_AREA, BASE - 1));
	assert_null(kernel_row_at(&names, KERNEL_AREA, AREA + (1ULL << 45)));
	assert_true(kernel_core_in_vmalloc(core, AREA));
	assert_true(kernel_core_in_vmalloc(core, AREA + (1ULL << 45) - 1));
	assert_false(kernel_core_in_vmalloc(core, AREA - 1));
	assert_false(kernel_core_in_vmalloc(core, TEXT));
	free(names.rows);
	kernel_core_close(core);
}

/* An inconsistent structure has no name, and an endless one is given up. */
TEST(what_does_not_fit)
{
	const unsigned int table = area_at(1), vm = STRUCTS + VM_BYTES, node = table + RB_NODE;
	struct kernel kernel;

	put_kernel(false);
	put(vm + ADDR, areas[1].start + 0x1000);
	begin(&kernel, false, ALL_TYPES, ROOM);
	assert_false(is_known(&kernel, AREA + 0x6000));
	assert_area(&kernel, AREA, 0, "kernel_clone", "stack");
	end(&kernel);

	put_kernel(false);
	put(vm + CALLER, BASE + ROOT);
	begin(&kernel, false, ALL_TYPES, ROOM);
	assert_false(is_known(&kernel, AREA + 0x6000));
	end(&kernel);

	put_kernel(false);
	put(vm + SIZE, 0x1000);
	begin(&kernel, false, ALL_TYPES, ROOM);
	assert_true(is_known(&kernel, AREA + 0x6000));
	assert_false(is_known(&kernel, AREA + 0x7000));
	end(&kernel);

	put_kernel(false);
	put(node + RB_LEFT, BASE + node);
	put(node + RB_RIGHT, BASE + node);
	put(ROOT, BASE + node);
	begin(&kernel, false, ALL_TYPES, ROOM);
	assert_false(is_known(&kernel, AREA));
	assert_false(is_known(&kernel, AREA + 0x4a000));
	assert_true(is_known(&kernel, AREA + 0x6000));
	end(&kernel);

	/* No stack has lost its end. */
	put_kernel(false);
	memset(mapped, 0, sizeof(mapped));
	begin(&kernel, false, ALL_TYPES, ROOM);
	assert_area(&kernel, AREA, 0, "kernel_clone", NULL);
	end(&kernel);
}

/* Some bits changed, the same ones in each run, and memory that ends early. */
TEST(damaged)
{
	static unsigned char good[ROOM];
	__u64 random = 7, address;
	struct kernel kernel;
	unsigned int i, k;
	struct vmap vmap;

	put_kernel(true);
	memcpy(good, memory, sizeof(good));
	for (i = 0; i < DAMAGED; i++) {
		memcpy(memory, good, sizeof(good));
		for (k = 0; k < 3; k++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			memory[(random >> 33) % (STRUCTS + NR_AREAS * VM_BYTES)] ^= 1U << (random >> 29 & 7);
		}
		begin(&kernel, true, ALL_TYPES, i % 8 ? ROOM : (random >> 40) % ROOM);
		for (address = AREA; kernel.vmaps && address < AREA + 0x64000; address += 0x3f00)
			if (vmaps_at(kernel.vmaps, address, &vmap)) {
				assert_in_range(address, vmap.start, vmap.start + vmap.size - 1);
				assert_true(vmap.caller->code);
			}
		end(&kernel);
	}
}
