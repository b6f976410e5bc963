// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_core.h"

#define PAGE	4096ULL

static bool add(struct kallsyms *all, const struct ksym *row)
{
	if (all->nr == all->room) {
		size_t room = all->room ? 2 * all->room : 1 << 16;
		struct ksym *rows = realloc(all->rows, room * sizeof(*rows));

		if (!rows)
			return false;
		all->rows = rows;
		all->room = room;
	}
	all->rows[all->nr++] = *row;
	return true;
}

/* "ffffffffc0401000 t name\t[module]" */
static int take_line(struct kallsyms *all, char *line)
{
	char *name, *module, *at;
	struct ksym row = { .module = "" };

	row.start = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return 0;
	row.type = at[1];
	name = at + 3;
	name[strcspn(name, "\n")] = '\0';
	module = strstr(name, "\t[");
	if (module) {
		*module = '\0';
		module += 2;
		module[strcspn(module, "]")] = '\0';
		/* Neighbours are mostly of one module. */
		row.module = all->nr && !strcmp(all->rows[all->nr - 1].module, module) ?
			     all->rows[all->nr - 1].module : pool_text(&all->pool, module);
	}
	row.name = pool_text(&all->pool, name);
	return row.name && row.module && add(all, &row) ? 0 : -ENOMEM;
}

static int rank(const struct ksym *row)
{
	return (isupper((unsigned char)row->type) != 0) * 2 + (row->name[0] != '_') * 4;
}

static int by_start(const void *left, const void *right)
{
	const struct ksym *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (rank(a) != rank(b))
		return rank(a) > rank(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Where something ends and nothing begins. */
static bool is_bound(const char *name)
{
	static const char *const bounds[] = {
		"_etext", "_edata", "_end", "_einittext", "__bss_stop", "__init_end",
		"__brk_limit", "__per_cpu_end", "__end_rodata", "__end_rodata_aligned",
		"__end_rodata_hpage_align", "__end_of_kernel_reserve",
	};
	size_t i;

	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (!strcmp(name, bounds[i]))
			return true;
	return false;
}

static bool address_of(const struct kallsyms *all, const char *name, __u64 *address)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (strcmp(all->rows[i].name, name) || *all->rows[i].module)
			continue;
		*address = all->rows[i].start;
		return true;
	}
	return false;
}

/*
 * Which symbols are code. The kernel's letters do not tell: those of a section that
 * was linked writable and executable, as .data may be, are all of one kind.
 */
static void find_code(struct kallsyms *all)
{
	size_t i;

	if (!address_of(all, "_text", &all->text) || !address_of(all, "_etext", &all->text_end))
		all->text = all->text_end = 0;
	if (!address_of(all, "_sinittext", &all->init) ||
	    !address_of(all, "_einittext", &all->init_end))
		all->init = all->init_end = 0;
	for (i = 0; i < all->nr; i++) {
		struct ksym *row = &all->rows[i];

		if (*row->module || !all->text_end)
			row->code = strchr("tTwW", row->type);
		else
			row->code = row->start - all->text < all->text_end - all->text ||
				    row->start - all->init < all->init_end - all->init;
	}
}

/* The kernel says where each CPU's copies are in an array, which can only be read from memory. */
static bool read_percpu(struct kallsyms *all)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	__u64 at;

	if (!address_of(all, "__per_cpu_start", &all->percpu) ||
	    !address_of(all, "__per_cpu_end", &all->percpu_end) ||
	    !address_of(all, "__per_cpu_offset", &at) ||
	    all->percpu_end <= all->percpu || cpus <= 0) {
		all->percpu = all->percpu_end = 0;
		return true;
	}
	all->cpu = calloc((size_t)cpus, sizeof(*all->cpu));
	if (!all->cpu)
		return false;
	all->nr_cpus = kernel_core_read(at, all->cpu, (size_t)cpus * sizeof(*all->cpu)) /
		       sizeof(*all->cpu);
	return true;
}

/*
 * Modules' per-CPU variables, which have a letter of their own. What stands there as an
 * address is that of no byte: another symbol may well be there.
 */
static bool part_local(struct kallsyms *all)
{
	size_t i, kept = 0;

	for (i = 0; i < all->nr; i++)
		all->nr_local += all->rows[i].type == 'a' && *all->rows[i].module;
	all->local = calloc(all->nr_local + 1, sizeof(*all->local));
	if (!all->local)
		return false;
	all->nr_local = 0;
	for (i = 0; i < all->nr; i++) {
		if (all->rows[i].type == 'a' && *all->rows[i].module)
			all->local[all->nr_local++] = all->rows[i];
		else
			all->rows[kept++] = all->rows[i];
	}
	all->nr = kept;
	return true;
}

/* One row an address, and where each ends: kallsyms tells no sizes. */
static size_t settle(struct ksym *rows, size_t nr)
{
	size_t i, kept = 0;

	if (nr)
		qsort(rows, nr, sizeof(*rows), by_start);
	for (i = 0; i < nr; i++) {
		if (kept && rows[kept - 1].start == rows[i].start) {
			/* "_etext" and what begins there: the bound is no name. */
			if (is_bound(rows[kept - 1].name))
				rows[kept - 1] = rows[i];
			continue;
		}
		rows[kept++] = rows[i];
	}
	for (i = 0; i < kept; i++) {
		struct ksym *row = &rows[i];
		__u64 last = row->start | (PAGE - 1);
		/* The last page of all ends where no number is left. */
		__u64 page = last + (last != ~0ULL);
		__u64 next = i + 1 < kept ? rows[i + 1].start : page;
		bool same = i + 1 < kept && !strcmp(rows[i + 1].module, row->module);

		/* The last one of a module ends somewhere in its page. */
		row->end = same || next < page ? next : page;
		if (is_bound(row->name))
			row->end = row->start;
	}
	return kept;
}

int kallsyms_read(struct kallsyms *all)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t room = 0, i;
	char *line = NULL;
	int ret = 0;

	if (!file)
		return -errno;
	while (!ret && getline(&line, &room, file) > 0)
		ret = take_line(all, line);
	free(line);
	fclose(file);
	if (ret)
		return ret;
	all->hidden = true;
	for (i = 0; all->hidden && i < all->nr; i++)
		all->hidden = !(all->rows[i].start >> 63);
	if (all->hidden)
		return -EACCES;
	if (!part_local(all))
		return -ENOMEM;
	find_code(all);
	if (!read_percpu(all))
		return -ENOMEM;
	all->nr = settle(all->rows, all->nr);
	all->nr_local = settle(all->local, all->nr_local);
	return 0;
}

static struct ksym *find(struct ksym *rows, size_t nr, __u64 address)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < rows[low - 1].end ? &rows[low - 1] : NULL;
}

struct ksym *kallsyms_at(const struct kallsyms *all, __u64 address)
{
	return find(all->rows, all->nr, address);
}

struct ksym *kallsyms_local_at(const struct kallsyms *all, __u64 pointer)
{
	return find(all->local, all->nr_local, pointer);
}

void kallsyms_free(struct kallsyms *all)
{
	free(all->rows);
	free(all->local);
	free(all->cpu);
	pool_free(&all->pool);
}
