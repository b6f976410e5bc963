/* SPDX-License-Identifier: GPL-2.0 */
/* The passes over a buffer of records that are compared with each other. */
#ifndef NATIVE_PASS_H
#define NATIVE_PASS_H

#include "shard.h"
#include "tables.h"

/**
 * struct cpu - what one CPU of the module has, and the store's tables
 * @layout: of its records
 * @sources: its source words
 * @counts: exact counts
 * @shard: its cells
 * @tables: of the store
 * @tgid: the process that runs
 * @tid: its thread
 * @number: of the CPU
 * @node: of the CPU
 */
struct cpu {
	const struct memlat_record_layout *layout;
	const struct memlat_source_table *sources;
	struct memlat_counts *counts;
	struct memlat_shard *shard;
	struct memlat_tables *tables;
	u32 tgid;
	u32 tid;
	unsigned int number;
	unsigned int node;
};

void cpu_init(struct cpu *cpu, unsigned int format, u64 memory);
void cpu_free(struct cpu *cpu);
u64 cpu_samples(const struct cpu *cpu);
u64 cpu_bytes(const struct cpu *cpu);

/* Each processes @records records of @buffer. */
void pass_bare(struct cpu *cpu, const u8 *buffer, unsigned int records);
void pass_drain(struct cpu *cpu, const u8 *buffer, unsigned int records);

/* What the store's worker does when a shard asks for it. */
void pass_merge(struct cpu *cpu);

#endif /* NATIVE_PASS_H */
