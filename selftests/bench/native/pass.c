// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "pass.h"
#include "shard.h"
#include "stream.h"

#define PERIOD	1009
#define PAGE	4096
#define LARGE_PAGE	(2UL << 20)
#define ROOM	MEMLAT_TABLES_BATCH	/* records that a table has room for, before a batch */

static void *get_aligned(size_t bytes, size_t page)
{
	void *memory = aligned_alloc(page, (bytes + page - 1) / page * page);

	if (!memory)
		err(1, "memory");
	return memory;
}

static void *get(size_t bytes)
{
	return memset(get_aligned(bytes, PAGE), 0, bytes);
}

/* Records of the kernel are in its direct map, which has large pages. */
static void *get_large(size_t bytes)
{
	void *memory = get_aligned(bytes, LARGE_PAGE);

	madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

/**
 * cpu_init - initialize a CPU that was just armed
 * @cpu: filled in
 * @format: the format of its records
 * @memory: bound of the store
 */
void cpu_init(struct cpu *cpu, unsigned int format, u64 memory)
{
	unsigned int i;

	*cpu = (struct cpu) {
		.layout = memlat_record_layout_of(format, true),
		.sources = format == 1 ? &memlat_source_nhm : &memlat_source_skx,
		.counts = get(sizeof(*cpu->counts)),
		.shard = get(sizeof(*cpu->shard)),
		.tables = get(sizeof(*cpu->tables)),
		.tgid = 100,
		.tid = 100,
	};
	memlat_tables_plan(cpu->tables, memory, false, false, PAGE);
	for (i = 0; i < MEMLAT_TABLES; i++) {
		struct memlat_table *table = &cpu->tables->table[i];

		table->set = get(table->sets * MEMLAT_TABLE_SET_BYTES);
		table->chunk = get((table->max_chunks + 1) * sizeof(*table->chunk));
		table->chunk[0] = get_large(table->max_chunks * (size_t)MEMLAT_TABLE_CHUNK);
	}
}

void cpu_free(struct cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_TABLES; i++) {
		struct memlat_table *table = &cpu->tables->table[i];

		free(table->chunk[0]);
		free(table->chunk);
		free(table->set);
	}
	free(cpu->tables);
	free(cpu->shard);
	free(cpu->counts);
}

/* The samples in the tables and in the shard. None may be lost. */
u64 cpu_samples(const struct cpu *cpu)
{
	const struct memlat_table *lines = &cpu->tables->table[MEMLAT_LINES];
	u64 sum = lines->now.evicted + cpu->counts->count[MEMLAT_COUNT_CELLS_LOST];
	u32 i;

	for (i = 0; i < lines->now.used; i++)
		sum += ((struct memlat_line *)memlat_table_at(lines, i))->samples;
	for (i = 0; i < cpu->shard->used; i++)
		sum += cpu->shard->cell[cpu->shard->place[i]].samples;
	for (i = 0; i < cpu->shard->spilled; i++)
		sum += cpu->shard->spill[i].samples;
	return sum;
}

/* As module/store.c computes it. */
u64 cpu_bytes(const struct cpu *cpu)
{
	u64 bytes = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_TABLES; i++)
		if (cpu->tables->table[i].sets)
			bytes += memlat_table_bytes(&cpu->tables->table[i], PAGE);
	return bytes;
}

#define ALWAYS_INLINE	static inline __attribute__((always_inline))

/* Load the field into a register, and do nothing else. */
ALWAYS_INLINE void load(const u8 *record, unsigned int offset)
{
	u64 v;

	memcpy(&v, record + offset, sizeof(v));
	__asm__ volatile("" : : "r"(v));
}

ALWAYS_INLINE void bare(const u8 *record, unsigned int records, unsigned int size, bool adaptive,
			unsigned int status, unsigned int ip, unsigned int addr)
{
	for (; records--; record += size) {
		if (adaptive)
			load(record, 0);
		load(record, status);
		load(record, ip);
		load(record, addr);
		load(record, addr + 8);
		load(record, addr + 16);
	}
}

/**
 * pass_bare - load the fields that memlat uses, and do nothing with them
 * @cpu: the CPU
 * @buffer: the records
 * @records: how many
 *
 * Sizes and offsets are constants, as in a loop that is written for one format.
 */
void pass_bare(struct cpu *cpu, const u8 *buffer, unsigned int records)
{
	switch (cpu->layout->format) {
	case 1:
		return bare(buffer, records, 176, false, 0x90, 0x08, 0x98);
	case 3:
		return bare(buffer, records, 200, false, 0x90, 0xb0, 0x98);
	case 4:
		return bare(buffer, records, 64, true, 0x10, 0x08, 0x20);
	}
	errx(1, "no bare pass for format %u", cpu->layout->format);
}

void pass_drain(struct cpu *cpu, const u8 *buffer, unsigned int records)
{
	const struct memlat_record_counters counters = { .loads = 1 };
	char name[MEMLAT_COMM_BYTES] = "worker";
	struct memlat_walk walk = {
		.layout = cpu->layout,
		.sources = cpu->sources,
		.counters = &counters,
		.counts = cpu->counts,
		.shard = cpu->shard,
		.loads = { .period = PERIOD },
		.tgid = cpu->tgid,
		.gen = 0x12345678,
		.tid = cpu->tid,
	};

	if (memlat_record_walk(&walk, buffer, (u64)records * cpu->layout->size) != records)
		errx(1, "records were lost");
	memlat_shard_note_thread(cpu->shard, cpu->tgid, 0x12345678, cpu->tid, name, name);
}

/* As module/store.c does before each batch. */
static void grow(struct memlat_tables *tables)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_TABLES; i++) {
		struct memlat_table *table = &tables->table[i];

		for (; table->chunks < table->max_chunks && memlat_table_room(table) < ROOM;
		     table->chunks++)
			table->chunk[table->chunks] = table->chunk[0] +
						      table->chunks * (size_t)MEMLAT_TABLE_CHUNK;
	}
}

/**
 * pass_merge - module/store.c's merge of a shard
 * @cpu: the CPU whose shard it is; empty afterwards
 */
void pass_merge(struct cpu *cpu)
{
	struct memlat_shard *shard = cpu->shard;
	const unsigned int end = shard->spilled + shard->used;
	const struct memlat_cell *cell[MEMLAT_TABLES_BATCH];
	struct memlat_line *line[MEMLAT_TABLES_BATCH];
	unsigned int at = 0, i;

	while (at < end) {
		grow(cpu->tables);
		for (i = 0; at < end && i < MEMLAT_TABLES_BATCH; at++, i++)
			cell[i] = at < shard->spilled ? &shard->spill[at] :
				  &shard->cell[shard->place[at - shard->spilled]];
		memlat_tables_add(cpu->tables, shard, cell, i, cpu->number, cpu->node, line);
	}
	memlat_shard_clear(shard);
}
