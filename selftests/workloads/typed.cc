// SPDX-License-Identifier: GPL-2.0
//
// Objects without a symbol: a list on the heap, an array in a mapping, a class, and memory
// that is used as one type and then as another one.

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

extern "C" {
#include "workload.h"
}

#define KEEP	__attribute__((noinline))

struct node {
	node *next;
	long value;
	long rest[6];
};

struct cell {
	long id;
	long weight;
	long rest[14];
};

struct before {
	long first, second;
	long rest[6];
};

struct after {
	long one, two, three;
	long rest[3];
};

class Table {
public:
	Table() : slots(), lookups(0) {}
	KEEP long look(long key)
	{
		lookups++;
		return slots[key % 512];
	}
	static size_t lookups_at() { return offsetof(Table, lookups); }
private:
	long slots[512];
	long lookups;
};

static const long nr_nodes = 20000, nr_cells = 8192, reused_bytes = 1L << 16;
static volatile long sink;

static KEEP long walk_list(const node *at)
{
	long sum = 0;

	for (; at; at = at->next)
		sum += at->value;
	return sum;
}

static KEEP long walk_array(const cell *cells, long nr)
{
	long sum = 0, i;

	for (i = 0; i < nr; i++)
		sum += cells[i].weight;
	return sum;
}

static KEEP long walk_before(const before *at, long nr)
{
	long sum = 0;

	while (nr--)
		sum += at++->second;
	return sum;
}

static KEEP long walk_after(const after *at, long nr)
{
	long sum = 0;

	while (nr--)
		sum += at++->three;
	return sum;
}

static void *map(size_t bytes)
{
	void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		workload_fail("no memory");
	return memory;
}

// The next element of the list is not the next one in memory.
static node *make_list(void)
{
	node **all = new node *[nr_nodes], *first = nullptr;
	long i;

	for (i = 0; i < nr_nodes; i++)
		all[i] = new node();
	for (i = 0; i < nr_nodes; i++) {
		node *one = all[i * 7919 % nr_nodes];

		one->value = i;
		one->next = first;
		first = one;
	}
	delete[] all;
	return first;
}

static void print_place(const char *type, const void *at, size_t bytes)
{
	printf("place\t%s\t0x%" PRIxPTR "\t%zu\n", type, reinterpret_cast<uintptr_t>(at), bytes);
}

static void print_member(const char *type, const char *member, size_t offset)
{
	printf("member\t%s\t%s\t+0x%02zx\n", type, member, offset);
}

// Print all objects with a type of their own, except those in reused memory, and where their members
// are. With that, names of them can be checked without debug information.
static void print_places(const node *list, const cell *cells, const Table *table, const Table *other)
{
	long i;

	for (; list; list = list->next)
		print_place("node", list, sizeof(*list));
	for (i = 0; i < nr_cells; i++)
		print_place("cell", &cells[i], sizeof(cells[i]));
	print_place("Table", table, sizeof(*table));
	print_place("Table", other, sizeof(*other));
	print_member("node", ".next", offsetof(node, next));
	print_member("node", ".value", offsetof(node, value));
	print_member("cell", ".weight", offsetof(cell, weight));
	print_member("Table", ".lookups", Table::lookups_at());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	bool places = argc > 1 && !strcmp(argv[argc - 1], "--places");
	long rounds = 20, i;

	workload_name = "typed";
	argc -= places;
	if (argc > 1)
		rounds = static_cast<long>(workload_number("ROUNDS", argv[1], 1, 1000000));
	node *list = make_list();
	cell *cells = static_cast<cell *>(map(nr_cells * sizeof(cell)));
	char *reused = static_cast<char *>(map(reused_bytes));
	Table table, *other = new Table();
	uintptr_t region = reinterpret_cast<uintptr_t>(reused);

	printf("{\"fields\":[\"node.next\",\"node.value\",\"cell.weight\"],\"reused\":\"0x%" PRIxPTR
	       "\",\"reused_end\":\"0x%" PRIxPTR "\"}\n", region, region + reused_bytes);
	fflush(stdout);
	if (places)
		print_places(list, cells, &table, other);
	for (i = 0; i < rounds; i++) {
		sink = walk_list(list) + walk_array(cells, nr_cells);
		sink = table.look(i) + other->look(i);
		sink = walk_before(reinterpret_cast<before *>(reused), reused_bytes / sizeof(before));
		sink = walk_after(reinterpret_cast<after *>(reused), reused_bytes / sizeof(after));
	}
	delete other;
	return 0;
}
