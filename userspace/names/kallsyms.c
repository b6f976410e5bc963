// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/io.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "kernel_core.h"

#define PAGE	4096ULL
/*
 * The kernel tells no sizes of symbols. Behind a variable there may be a megabyte that has none, as
 * the tables of kallsyms itself. Few variables are larger than this: most of them are smaller than
 * a page.
 */
#define DATA_MOST	(256ULL << 10)

/* Room to read into; a read of a proc file gives a page at most. */
#define READ_BYTES	(4 * PAGE)

static const char *root_of(const struct kallsyms *all)
{
	return all->root ? all->root : "";
}

/* Faster than strtoull(), as there are 200,000 addresses to read. */
static __u64 hex(const char *text, char **end)
{
	__u64 value = 0;
	int digit;

	for (; (digit = text_digit(*text)) >= 0; text++)
		value = value << 4 | (__u64)digit;
	*end = (char *)text;
	return value;
}

/* Read "ffffffffc0401000 t name\t[module]". The row's names point into the line, which is kept. */
static void take_line(struct kallsyms *all, char *line)
{
	struct ksym row = { .module = "" };
	char *module, *at;

	row.start = hex(line, &at);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ')
		return;
	row.type = at[1];
	row.name = at + 3;
	module = strchr(row.name, '\t');
	if (module && module[1] == '[') {
		*module = '\0';
		module += 2;
		module[strcspn(module, "]")] = '\0';
		/* Share the text with the row before, which mostly is of the same module. */
		row.module = all->nr && !strcmp(all->rows[all->nr - 1].module, module) ?
			     all->rows[all->nr - 1].module : module;
	}
	ARRAY_GROW(all->rows, all->nr + 1, all->room);
	all->rows[all->nr++] = row;
}

static int rank(const struct ksym *row)
{
	return (isupper((unsigned char)row->type) != 0) * 2 + (row->name[0] != '_') * 4;
}

ORDER_BY(by_start, struct ksym, start)

/*
 * The kernel's own symbols come in order, and those of modules follow in none. So sort the rest,
 * and then only the rows that it overlaps.
 */
static void sort_rows(struct ksym *rows, size_t nr)
{
	size_t sorted = 1, low;

	while (sorted < nr && rows[sorted - 1].start <= rows[sorted].start)
		sorted++;
	if (sorted >= nr)
		return;
	qsort(rows + sorted, nr - sorted, sizeof(*rows), by_start);
	low = FIRST_WHERE(i, sorted, rows[i].start > rows[sorted].start);
	qsort(rows + low, nr - low, sizeof(*rows), by_start);
}

static int by_name(const void *name, const void *entry)
{
	return strcmp(name, *(const char *const *)entry);
}

/* Symbols that mark an end, where nothing begins. */
static bool is_bound(const char *name)
{
	static const char *const bounds[] = {	/* in strcmp()'s order */
		"__brk_limit", "__bss_stop", "__end_of_kernel_reserve", "__end_rodata",
		"__end_rodata_aligned", "__end_rodata_hpage_align", "__init_end",
		"__per_cpu_end", "_edata", "_einittext", "_end", "_etext",
	};

	/* Go by further letters first: tens of thousands of names begin with "__". */
	if (name[0] != '_' || (name[1] != 'e' && name[1] != '_') ||
	    (name[1] == '_' && (!strchr("beip", name[2]) || (name[2] == 'p' && name[3] != 'e'))))
		return false;
	return bsearch(name, bounds, sizeof(bounds) / sizeof(bounds[0]),
				       sizeof(bounds[0]), by_name);
}

/* Choose between two names of one address. A bound loses: it marks the end of what lies before. */
static bool is_better(const struct ksym *row, const struct ksym *than)
{
	if (is_bound(row->name) || is_bound(than->name))
		return !is_bound(row->name);
	if (rank(row) != rank(than))
		return rank(row) > rank(than);
	return strcmp(row->name, than->name) < 0;
}

/* Symbols that mark where a section is. They are found in one walk over the 200,000 symbols. */
enum marker {
	TEXT, TEXT_END, INIT, INIT_END, PERCPU, PERCPU_END, PERCPU_OFFSETS, MARKERS
};

struct markers {
	__u64 at[MARKERS];
	bool known[MARKERS];
};

static void find_markers(const struct kallsyms *all, struct markers *markers)
{
	static const char *const names[MARKERS] = {
		"_text", "_etext", "_sinittext", "_einittext", "__per_cpu_start", "__per_cpu_end",
		"__per_cpu_offset",
	};
	unsigned int k;
	size_t i;

	memset(markers, 0, sizeof(*markers));
	for (i = 0; i < all->nr; i++) {
		const struct ksym *row = &all->rows[i];

		if (row->name[0] != '_' || *row->module ||
		    (row->name[1] == '_' && (row->name[2] != 'p' || row->name[3] != 'e')))
			continue;
		for (k = 0; k < MARKERS; k++)
			if (!markers->known[k] && row->name[1] == names[k][1] &&
			    !strcmp(row->name, names[k])) {
				markers->at[k] = row->start;
				markers->known[k] = true;
			}
	}
}

static __u64 section_of(const struct kallsyms *all, const char *module, const char *name)
{
	char path[PATH_MAX], text[64];

	if (strchr(module, '/') ||
	    snprintf(path, sizeof(path), "%s/sys/module/%s/sections/%s", root_of(all), module,
		     name) >= PATH_MAX || !io_text(path, text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 16);
}

/*
 * ftrace goes on listing the functions that started a module after their memory was given back, and
 * other modules are loaded there. That memory is apart from the module's other code.
 */
static void drop_freed(struct kallsyms *all)
{
	const char *module = "";
	__u64 init = 0, text = 0;
	size_t i, kept = 0;

	for (i = 0; i < all->nr; i++) {
		const struct ksym *row = &all->rows[i];

		if (strcmp(row->module, module)) {
			module = row->module;
			init = section_of(all, module, ".init.text");
			text = init ? section_of(all, module, ".text") : 0;
		}
		if (*module && init && strchr("tTwW", row->type) && row->start >= init &&
		    (text < init || row->start < text))
			continue;
		all->rows[kept++] = *row;
	}
	all->nr = kept;
}

/*
 * Decide which symbols are code. The letters of the kernel's own symbols do not tell, because all
 * symbols of a section that was linked writable and executable, as .data may be, have one letter.
 */
static void find_code(struct kallsyms *all, const struct markers *markers)
{
	const bool text = markers->known[TEXT] && markers->known[TEXT_END];
	const bool init = markers->known[INIT] && markers->known[INIT_END];
	const __u64 *at = markers->at;
	size_t i;

	all->text = text ? at[TEXT] : 0;
	for (i = 0; i < all->nr; i++) {
		struct ksym *row = &all->rows[i];

		row->freed = init && row->start - at[INIT] < at[INIT_END] - at[INIT];
		if (*row->module || !text)
			row->code = strchr("tTwW", row->type);
		else
			row->code = row->freed || row->start - at[TEXT] < at[TEXT_END] - at[TEXT];
	}
}

/* An array of the kernel tells where each CPU's copies are. It can only be read from memory. */
static void read_percpu(struct kallsyms *all, const struct markers *markers,
			const struct kernel_core *core)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	__u64 at = markers->at[PERCPU_OFFSETS];

	if (!markers->known[PERCPU] || !markers->known[PERCPU_END] ||
	    !markers->known[PERCPU_OFFSETS] || cpus <= 0 ||
	    markers->at[PERCPU_END] <= markers->at[PERCPU])
		return;
	all->percpu = markers->at[PERCPU];
	all->percpu_end = markers->at[PERCPU_END];
	all->cpu = xcalloc((size_t)cpus, sizeof(*all->cpu));
	all->nr_cpus = core && kernel_core_get(core, at, all->cpu,
					       (size_t)cpus * sizeof(*all->cpu)) ? (size_t)cpus : 0;
}

/*
 * Move modules' per-CPU variables to all->local; they have the letter 'a'. Their value is a pointer
 * for the kernel's per-CPU arithmetic and no address, so another symbol may have the same number.
 */
static void part_local(struct kallsyms *all)
{
	size_t i, kept = 0;

	for (i = 0; i < all->nr; i++)
		all->nr_local += all->rows[i].type == 'a' && *all->rows[i].module;
	all->local = xcalloc(all->nr_local, sizeof(*all->local));
	all->nr_local = 0;
	for (i = 0; i < all->nr; i++) {
		if (all->rows[i].type == 'a' && *all->rows[i].module)
			all->local[all->nr_local++] = all->rows[i];
		else
			all->rows[kept++] = all->rows[i];
	}
	all->nr = kept;
}

static bool same_module(const struct ksym *a, const struct ksym *b)
{
	/* Neighbours of one module mostly share the text. */
	return a->module == b->module || !strcmp(a->module, b->module);
}

/* Keep one row for each address, and work out where each ends, as kallsyms tells no sizes. */
static size_t set_ends(struct ksym *rows, size_t nr)
{
	size_t i, kept = 0;

	sort_rows(rows, nr);
	for (i = 0; i < nr; i++) {
		if (!kept || rows[kept - 1].start != rows[i].start)
			rows[kept++] = rows[i];
		else if (is_better(&rows[i], &rows[kept - 1]))
			rows[kept - 1] = rows[i];
	}
	for (i = 0; i < kept; i++) {
		struct ksym *row = &rows[i];
		__u64 last = row->start | (PAGE - 1);
		/* The end of the topmost page would overflow, so stop one byte short. */
		__u64 page = last + (last != ~0ULL);
		__u64 next = i + 1 < kept ? rows[i + 1].start : page;
		bool same = i + 1 < kept && same_module(&rows[i + 1], row);
		__u64 most;

		/* The last symbol of a module ends at its page's end at the latest. */
		row->end = same || next < page ? next : page;
		if (is_bound(row->name) || row->freed)
			row->end = row->start;
		/* struct module is smaller than a page. */
		most = *row->module && !strcmp(row->name, "__this_module") ? PAGE : DATA_MOST;
		if (!row->code && row->end - row->start > most)
			row->end = row->start + most;
	}
	return kept;
}

/* Read more of the file, all of it or what one read() gives, and put a 0 behind. */
static int read_more(int fd, char **text, size_t *used, bool whole)
{
	size_t room = *text ? *used + 1 : 0;
	ssize_t got;

	do {
		ARRAY_GROW(*text, *used + READ_BYTES, room);
		got = read(fd, *text + *used, READ_BYTES - 1);
		if (got > 0)
			*used += (size_t)got;
		else if (got < 0 && errno != EINTR)
			return -errno;
	} while (got < 0 || (got && whole));
	(*text)[*used] = '\0';
	return 0;
}

/* Are all these addresses 0? The kernel prints them so to users that may not see them. */
static bool is_hidden(const char *text)
{
	while (*text) {
		if (text[strspn(text, "0")] != ' ')
			return false;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return true;
}

static void take_text(struct kallsyms *all)
{
	char *line = all->text_read, *end;

	while (*line) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		take_line(all, line);
		line = end;
	}
}

static int read_rows(struct kallsyms *all, int fd, const struct kernel_core *core,
		     const struct btf *btf)
{
	char *text = NULL;
	size_t used = 0;
	int ret = read_more(fd, &text, &used, false);

	if (!ret && core && btf && !is_hidden(text))
		all->from_core = kallsyms_from_core(all, core, btf, text);
	if (!ret && !all->from_core)
		ret = read_more(fd, &text, &used, true);
	if (ret || all->from_core) {
		free(text);
		return ret;
	}
	all->text_read = text;
	take_text(all);
	return 0;
}

int kallsyms_read(struct kallsyms *all, const struct kernel_core *core, const struct btf *btf)
{
	char path[PATH_MAX];
	struct markers markers;
	size_t i;
	int fd, ret;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root_of(all));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = read_rows(all, fd, core, btf);
	close(fd);
	if (ret)
		return ret;
	/* Without any kernel address, they are hidden from this user. */
	for (i = 0; i < all->nr && !(all->rows[i].start >> 63); i++)
		continue;
	if (i == all->nr)
		return -EACCES;
	part_local(all);
	drop_freed(all);
	find_markers(all, &markers);
	find_code(all, &markers);
	read_percpu(all, &markers, core);
	all->nr = set_ends(all->rows, all->nr);
	all->nr_local = set_ends(all->local, all->nr_local);
	return 0;
}

static struct ksym *row_at_address(struct ksym *rows, size_t nr, __u64 address)
{
	size_t after;

	if (!nr || address < rows[0].start || address >= rows[nr - 1].end)
		return NULL;
	after = FIRST_WHERE(i, nr, rows[i].start > address);
	return after && address < rows[after - 1].end ? &rows[after - 1] : NULL;
}

struct ksym *kallsyms_at(const struct kallsyms *all, __u64 address)
{
	return row_at_address(all->rows, all->nr, address);
}

bool kallsyms_named(const struct kallsyms *all, const char *name, __u64 *address)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (!*all->rows[i].module && !strcmp(all->rows[i].name, name)) {
			*address = all->rows[i].start;
			return true;
		}
	return false;
}

struct ksym *kallsyms_local_at(const struct kallsyms *all, __u64 pointer)
{
	return row_at_address(all->local, all->nr_local, pointer);
}

struct ksym *kallsyms_copy_at(const struct kallsyms *all, __u64 address, size_t *cpu)
{
	struct ksym *row = NULL;

	for (*cpu = 0; *cpu < all->nr_cpus; ++*cpu) {
		const __u64 pointer = address - all->cpu[*cpu];

		if (all->cpu[*cpu])
			row = kallsyms_in_percpu(all, pointer) ? kallsyms_at(all, pointer) :
								 kallsyms_local_at(all, pointer);
		if (row)
			break;
	}
	return row;
}

void kallsyms_free(struct kallsyms *all)
{
	free(all->rows);
	free(all->local);
	free(all->cpu);
	free(all->text_read);
	pool_free(&all->pool);
}
