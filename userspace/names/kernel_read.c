// SPDX-License-Identifier: GPL-2.0
/* Names of those kernel addresses that the tables have, at the time they are recorded. */
#define _GNU_SOURCE
#include "kernel_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "btf.h"
#include "kallsyms.h"
#include "kernel_object.h"

/* The row has its kind, code or data, so no variable is named after the function before it. */
static void put(struct kernel_names *names, const struct ksym *row, __u32 cpu, __u64 shift)
{
	const struct kernel_row copy = {
		.start = row->start + shift,
		.end = row->end + shift,
		.kind = cpu == KERNEL_NO_CPU && row->code ? KERNEL_CODE : KERNEL_DATA,
		.cpu = cpu,
		.name = pool_text(&names->pool, row->name),
		.module = *row->module ? pool_text(&names->pool, row->module) : "",
	};

	kernel_row_add(names, &copy);
}

struct choice {
	struct kallsyms *all;
	struct kernel_names *names;
	const struct btf *btf;	/* NULL: none */
	__u64 last;		/* start of the last per-CPU copy that was put */
};

/* Ask for the symbol of an address. Returns the address where the next symbol may begin. */
static __u64 want(struct choice *choice, __u64 address)
{
	const __u64 next = (address | 7) + 1;
	struct kallsyms *all = choice->all;
	struct ksym *row;
	__u64 shift;
	size_t cpu;

	if (!kernel_address(address))
		return next;
	row = kallsyms_at(all, address);
	if (row && !kallsyms_in_percpu(all, address)) {
		row->wanted = true;
		return row->end;
	}
	row = kallsyms_copy_at(all, address, &cpu);
	if (!row)
		return next;
	shift = all->cpu[cpu];
	if (row->start + shift != choice->last) {
		choice->last = row->start + shift;
		put(choice->names, row, (__u32)cpu, shift);
	}
	return row->end + shift;
}

/* Add the member at an address, which BTF knows only for per-CPU variables. */
static void want_field(struct choice *choice, __u64 address)
{
	struct kernel_row field = {
		.kind = KERNEL_FIELD, .cpu = KERNEL_NO_CPU, .start = address, .end = address + 1,
	};
	struct pool *pool = &choice->names->pool;
	const struct kallsyms *all = choice->all;
	const struct ksym *row;
	const struct btf *btf;
	__u64 pointer;
	size_t cpu;

	if (!choice->btf || !kernel_address(address))
		return;
	row = kallsyms_copy_at(all, address, &cpu);
	btf = row ? btf_module(choice->btf, row->module) : NULL;
	if (!btf)
		return;
	pointer = address - all->cpu[cpu];
	if (*row->module)
		btf_percpu(btf, row->name, BTF_ANYWHERE, pointer - row->start, pool, &field.module,
			   &field.name);
	else
		btf_percpu(btf, row->name, row->start - all->percpu, pointer - all->percpu, pool,
			   &field.module, &field.name);
	if (!field.name)
		field.name = "";
	if (field.module)
		kernel_row_add(choice->names, &field);
}

static void want_of(struct choice *choice, const struct snapshot *snap)
{
	size_t i;
	__u32 frame;

	for (i = 0; i < snap->nr_sites; i++)
		want(choice, snap->sites[i].ip);
	for (i = 0; i < snap->nr_lines; i++) {
		__u64 at = snap->lines[i].addr, line = at;

		/* A line may hold several small variables. */
		want(choice, snap->lines[i].ip);
		while (kernel_address(line) && at - line < MEMLAT_LINE_BYTES)
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

/* Drop rows that several addresses asked for, and all but one of overlapping objects. */
static void drop_doubles(struct kernel_names *names)
{
	size_t i, kept = 0;

	for (i = 0; i < names->nr; i++) {
		const struct kernel_row *last = kept ? &names->rows[kept - 1] : NULL;
		const struct kernel_row *row = &names->rows[i];

		if (last && last->kind == row->kind &&
		    (last->start == row->start ||
		     (row->kind == KERNEL_OBJECT && row->start < last->end)))
			continue;
		names->rows[kept++] = *row;
	}
	names->nr = kept;
}

/* The sources of names. */
struct sources {
	struct kernel_core *core;	/* NULL: it may not be read */
	struct btf *btf;		/* NULL: none */
	struct kallsyms all;
};

static void collect(struct kernel_names *names, struct sources *sources,
		    const struct snapshot *snap, struct bpf_maps *maps, bool now)
{
	struct kallsyms *all = &sources->all;
	struct choice choice = {
		.all = all, .names = names, .btf = all->nr_cpus ? sources->btf : NULL,
	};
	size_t i;

	want_of(&choice, snap);
	kernel_objects_note(names, sources->core, all, choice.btf, snap, maps, now);
	for (i = 0; i < all->nr; i++)
		if (all->rows[i].wanted)
			put(names, &all->rows[i], KERNEL_NO_CPU, 0);
	kernel_rows_sort(names);
	drop_doubles(names);
}

#define NOTES	"/sys/kernel/notes"
#define MODULE	"/sys/module/%s/notes/.note.gnu.build-id"

static void note_build(struct kernel_names *names, const char *path)
{
	unsigned char notes[4096];
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	kernel_note_build_id(names, notes, fread(notes, 1, sizeof(notes), file));
	fclose(file);
}

/* Is there a row of this module from @first on? */
static bool has_build(const struct kernel_names *names, size_t first, const char *module)
{
	for (; first < names->nr; first++)
		if (!strcmp(names->rows[first].module, module))
			return true;
	return false;
}

/* Add the build ids of the modules that have a row. */
static void note_modules(struct kernel_names *names)
{
	struct kernel_row row = { .kind = KERNEL_BUILD, .cpu = KERNEL_NO_CPU };
	const size_t nr = names->nr;
	const char *last = "";
	size_t i, k;

	for (i = 0; i < nr; i++) {
		struct kernel_names found = { 0 };
		char path[KERNEL_NAME_MAX + sizeof(MODULE)];
		char text[2 * HISTORY_BUILD_ID_MAX + 1];

		row.module = names->rows[i].module;
		if ((names->rows[i].kind != KERNEL_CODE && names->rows[i].kind != KERNEL_DATA) ||
		    !*row.module || strchr(row.module, '/') || !strcmp(row.module, last) ||
		    has_build(names, nr, row.module))
			continue;
		/*
		 * Neighbours are mostly of one module, so a module without a build id is tried
		 * once.
		 */
		last = row.module;
		snprintf(path, sizeof(path), MODULE, row.module);
		note_build(&found, path);
		for (k = 0; k < found.build_id_size; k++)
			snprintf(text + 2 * k, 3, "%02x", found.build_id[k]);
		if (!k)
			continue;
		row.name = pool_text(&names->pool, text);
		kernel_row_add(names, &row);
	}
	kernel_rows_sort(names);
}

static bool is_missed(const struct kallsyms *all, __u64 ip)
{
	return kernel_address(ip) && !(all && kallsyms_at(all, ip));
}

/*
 * Does a sample have code without a symbol in these tables: of BPF, or of the tracer? all NULL: any
 * code of the kernel.
 */
static bool misses_code(const struct kallsyms *all, const struct snapshot *snap)
{
	bool missed = false;
	__u32 frame;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++)
		missed |= is_missed(all, snap->sites[i].ip);
	for (i = 0; i < snap->nr_accesses; i++)
		missed |= is_missed(all, snap->accesses[i].ip);
	for (i = 0; i < snap->nr_stacks; i++)
		for (frame = 0; frame < snap->stacks[i].frames && frame < MEMLAT_STACK_FRAMES;
		     frame++)
			missed |= is_missed(all, snap->stacks[i].frame[frame]);
	return missed;
}

static int read_symbols(struct sources *sources, const struct snapshot *snap)
{
	struct kallsyms *all = &sources->all;
	int ret = kallsyms_read(all, sources->core, sources->btf);

	if (ret || !all->from_core || !misses_code(all, snap))
		return ret;
	kallsyms_free(all);
	*all = (struct kallsyms){ 0 };
	return kallsyms_read(all, sources->core, NULL);
}

int kernel_names_read(struct kernel_names **result, const struct snapshot *snap,
		      struct bpf_maps *maps, bool now)
{
	struct sources sources = { .core = kernel_core_open(), .btf = btf_read() };
	int ret = read_symbols(&sources, snap);

	if (!ret) {
		*result = xcalloc(1, sizeof(**result));
		kernel_core_areas(sources.core, *result);
		collect(*result, &sources, snap, maps, now);
		note_modules(*result);
		(*result)->text = sources.all.text;
		note_build(*result, NOTES);
	}
	kallsyms_free(&sources.all);
	btf_free(sources.btf);
	kernel_core_close(sources.core);
	return ret;
}

bool kernel_names_wanted(const struct snapshot *snap)
{
	__u64 all = 0;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++)
		all |= snap->lines[i].ip | snap->lines[i].addr;
	for (i = 0; i < snap->nr_accesses; i++)
		all |= snap->accesses[i].addr;
	return all >> 63 || misses_code(NULL, snap);
}
