// SPDX-License-Identifier: GPL-2.0
/* Names of those kernel addresses that the tables have, at the time they are recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "kallsyms.h"
#include "kernel_core.h"
#include "kernel_names.h"

/* Code and data are told apart so that no variable is named for the function before it. */
static bool put(struct kernel_names *names, const struct ksym *row, __u32 cpu, __u64 shift)
{
	const struct kernel_row copy = {
		.start = row->start + shift,
		.end = row->end + shift,
		.kind = cpu == KERNEL_NO_CPU && row->code ? KERNEL_CODE : KERNEL_DATA,
		.cpu = cpu,
		.name = pool_text(&names->pool, row->name),
		.module = *row->module ? pool_text(&names->pool, row->module) : "",
	};

	return copy.name && copy.module && kernel_row_add(names, &copy);
}

struct choice {
	struct kallsyms *all;
	struct kernel_names *names;
	struct btf *btf;	/* NULL: none */
	bool failed;
	__u64 last;		/* start of the last per-CPU copy that was put */
};

/* An address that something must be called by. Returns where something else may begin. */
static __u64 want(struct choice *choice, __u64 address)
{
	const __u64 next = (address | 7) + 1;
	struct kallsyms *all = choice->all;
	struct ksym *row;
	size_t cpu;

	if (!(address >> 63))
		return next;
	row = kallsyms_at(all, address);
	if (row && !kallsyms_in_percpu(all, address)) {
		row->wanted = true;
		return row->end;
	}
	for (cpu = 0; cpu < all->nr_cpus; cpu++) {
		__u64 shift = all->cpu[cpu];

		if (!shift || !kallsyms_in_percpu(all, address - shift))
			continue;
		row = kallsyms_at(all, address - shift);
		if (row && row->start + shift != choice->last) {
			choice->last = row->start + shift;
			choice->failed |= !put(choice->names, row, (__u32)cpu, shift);
		}
		return row ? row->end + shift : next;
	}
	return next;
}

/* What BTF knows of an address, which is of per-CPU variables alone: kept by address. */
static void want_field(struct choice *choice, __u64 address)
{
	struct kernel_row copy = { .kind = KERNEL_FIELD, .cpu = KERNEL_NO_CPU };
	const struct kallsyms *all = choice->all;
	const char *type, *field;
	const struct ksym *row;
	size_t cpu;

	if (!choice->btf || !(address >> 63))
		return;
	for (cpu = 0; cpu < all->nr_cpus; cpu++) {
		__u64 at = address - all->cpu[cpu];

		if (!all->cpu[cpu] || !kallsyms_in_percpu(all, at))
			continue;
		row = kallsyms_at(all, at);
		if (!row)
			return;
		btf_percpu(choice->btf, row->name, row->start - all->percpu,
			   at - all->percpu, &choice->names->pool, &type, &field);
		copy.start = address;
		copy.end = address + 1;
		copy.name = field ? field : "";
		copy.module = type;
		choice->failed |= type && !kernel_row_add(choice->names, &copy);
		return;
	}
}

static void want_all(struct choice *choice)
{
	struct kallsyms *all = choice->all;
	size_t i, cpu;

	for (i = 0; i < all->nr; i++) {
		struct ksym *row = &all->rows[i];

		row->wanted = row->start >> 63 && !kallsyms_in_percpu(all, row->start);
		for (cpu = 0; kallsyms_in_percpu(all, row->start) && cpu < all->nr_cpus; cpu++)
			if (all->cpu[cpu] && !choice->failed)
				choice->failed = !put(choice->names, row, (__u32)cpu,
						      all->cpu[cpu]);
	}
}

static void want_of(struct choice *choice, const struct snapshot *snap)
{
	size_t i;
	__u32 frame;

	for (i = 0; i < snap->nr_sites; i++)
		want(choice, snap->sites[i].ip);
	for (i = 0; i < snap->nr_lines; i++) {
		__u64 at = snap->lines[i].addr, line = at;

		/* A line holds several small variables. */
		want(choice, snap->lines[i].ip);
		while (line >> 63 && at - line < MEMLAT_LINE_BYTES)
			at = want(choice, at);
		for (at = line; at - line < MEMLAT_LINE_BYTES; at += 8)
			want_field(choice, at);
	}
	for (i = 0; i < snap->nr_accesses; i++) {
		want(choice, snap->accesses[i].ip);
		want(choice, snap->accesses[i].addr);
		want_field(choice, snap->accesses[i].addr);
	}
	for (i = 0; i < snap->nr_stacks; i++)
		for (frame = 0; frame < snap->stacks[i].frames &&
		     frame < MEMLAT_STACK_FRAMES; frame++)
			want(choice, snap->stacks[i].frame[frame]);
}

/* Copies that several addresses asked for. */
static void drop_doubles(struct kernel_names *names)
{
	size_t i, kept = 0;

	for (i = 0; i < names->nr; i++)
		if (!kept || names->rows[kept - 1].kind != names->rows[i].kind ||
		    names->rows[kept - 1].start != names->rows[i].start)
			names->rows[kept++] = names->rows[i];
	names->nr = kept;
}

static int collect(struct kernel_names *names, struct kallsyms *all,
		   const struct snapshot *snap)
{
	struct choice choice = { .all = all, .names = names };
	size_t i;

	if (snap) {
		choice.btf = all->nr_cpus ? btf_read() : NULL;
		want_of(&choice, snap);
		btf_free(choice.btf);
	} else {
		want_all(&choice);
	}
	for (i = 0; !choice.failed && i < all->nr; i++)
		if (all->rows[i].wanted)
			choice.failed = !put(names, &all->rows[i], KERNEL_NO_CPU, 0);
	if (choice.failed)
		return -ENOMEM;
	kernel_rows_sort(names);
	drop_doubles(names);
	return 0;
}

#define NOTES	"/sys/kernel/notes"

static void note_build(struct kernel_names *names, const struct kallsyms *all)
{
	unsigned char notes[4096];
	FILE *file = fopen(NOTES, "re");

	names->text = all->text;
	if (!file)
		return;
	kernel_note_build_id(names, notes, fread(notes, 1, sizeof(notes), file));
	fclose(file);
}

/* With the kernel's addresses hidden there is nothing to read: -EACCES. */
int kernel_names_read(struct kernel_names **result, const struct snapshot *snap)
{
	struct kernel_names *names = calloc(1, sizeof(*names));
	struct kallsyms all = { 0 };
	int ret;

	if (!names)
		return -ENOMEM;
	ret = kernel_core_areas(names) ? kallsyms_read(&all) : -ENOMEM;
	if (!ret)
		ret = collect(names, &all, snap);
	note_build(names, &all);
	kallsyms_free(&all);
	if (ret) {
		kernel_names_free(names);
		return ret;
	}
	*result = names;
	return 0;
}
