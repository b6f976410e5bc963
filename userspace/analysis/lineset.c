// SPDX-License-Identifier: GPL-2.0
#include "lineset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../profile/history.h"
#include "../profile/snapshot_rows.h"
#include "../util/order.h"
#include "../util/xalloc.h"

#define WIDEST		32	/* bytes of an operand: a vector of AVX */

/* The identity of a line. Rows with the same place are one line. */
struct place {
	__u64 where;	/* offset in the shared file, or linear address */
	__u32 space;	/* number of the shared file's object, or the process; 0: the kernel */
	__u32 gen;	/* GEN_SHARED, or the process's generation */
};

/* The gen of a place in a shared file. The generation of a process is never so high. */
#define GEN_SHARED	(~0U)

struct entry {
	struct place place;
	size_t row;
};

/* A file that is mapped shared, or shared memory, which the kernel treats as a file. */
struct object {
	__u64 inode;
	__u32 major, minor;
};

/* The physical address of a line, as the module recorded it, and the line's place. */
struct page_line {
	__u64 phys;
	struct place place;
};

/* An access that is split between two lines: its part in the second one. */
struct split {
	struct memlat_rec_access access;	/* at that line's start */
	size_t line;				/* number of that line */
	unsigned int width;
};

struct lineset {
	const struct snapshot *snap;
	const struct history *history;
	unsigned int bytes;
	struct object *objects;
	size_t nr_objects, room_objects;
	struct page_line *phys;		/* rows with a physical address, sorted by it */
	size_t nr_phys;
	struct entry *accesses;		/* row: of the snapshot, and behind these of @splits */
	size_t nr_accesses;
	lineset_width_fn width;		/* NULL: widths are not known */
	void *context;			/* for width */
	struct split *splits;
	size_t nr_splits, room_splits;
	struct lineset_line *lines;
	struct place *places;	/* the place of each line, sorted */
	size_t nr_lines;
	struct memlat_rec_line *sums;	/* the sums of lines that have several rows */
	size_t nr_sums;
};

static int compare_place(const struct place *a, const struct place *b)
{
	return order(a->where, b->where) ?: order(a->space, b->space) ?: order(a->gen, b->gen);
}

/* The number of a mapping's object. A session has few objects, so search them one by one. */
static __u32 object_number(struct lineset *set, const struct history_map *map)
{
	size_t i;

	for (i = 0; i < set->nr_objects; i++) {
		const struct object *object = &set->objects[i];

		if (object->inode == map->inode && object->major == map->major &&
		    object->minor == map->minor)
			return (__u32)i;
	}
	ARRAY_GROW(set->objects, set->nr_objects + 1, set->room_objects);
	set->objects[set->nr_objects] = (struct object){
		.inode = map->inode, .major = map->major, .minor = map->minor,
	};
	return (__u32)set->nr_objects++;
}

/* The shared mapping at an address; NULL: none. */
static const struct history_map *shared_map(const struct lineset *set, __u32 space,
					    __u32 gen, __u64 addr)
{
	const struct history_image *image;
	const struct history_map *map;

	if (!set->history || !space || kernel_address(addr))
		return NULL;
	image = history_find(set->history, space, gen);
	map = image ? history_map_at(image, addr) : NULL;
	return map && map->flags & MAP_SHARED && map->inode ? map : NULL;
}

static struct place place_at(struct lineset *set, __u64 addr, __u32 space, __u32 gen)
{
	const __u64 mask = ~(__u64)(set->bytes - 1);
	const struct history_map *map;

	map = shared_map(set, space, gen, addr);
	if (map)
		return (struct place){ (map->offset + (addr - map->start)) & mask,
				       object_number(set, map), GEN_SHARED };
	if (kernel_address(addr))
		return (struct place){ addr & mask, 0, 0 };
	return (struct place){ addr & mask, space, gen };
}

ORDER_BY(compare_phys, struct page_line, phys)

static void take_phys(struct lineset *set)
{
	const struct snapshot *snap = set->snap;
	size_t i;

	if (!(snap->head.status.flags & MEMLAT_F_PHYS))
		return;
	set->phys = xcalloc(snap->nr_lines, sizeof(*set->phys));
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];

		if (line->phys)
			set->phys[set->nr_phys++] = (struct page_line){
				line->phys,
				place_at(set, line->addr, line->space, line->gen),
			};
	}
	qsort(set->phys, set->nr_phys, sizeof(*set->phys), compare_phys);
}

/*
 * The place of an access. Its physical address leads to the line's row, because another process may
 * have the line at another linear address.
 */
static struct place line_place(struct lineset *set, const struct memlat_rec_access *access)
{
	const struct page_line wanted = { .phys = access->phys }, *found = NULL;

	if (access->phys && set->nr_phys)
		found = bsearch(&wanted, set->phys, set->nr_phys, sizeof(*set->phys),
				compare_phys);
	return found ? found->place :
	       place_at(set, access->addr, access->tgid, access->gen);
}

static const struct memlat_rec_access *access_of(const struct lineset *set,
						 const struct entry *entry)
{
	const size_t nr = set->snap->nr_accesses;

	return entry->row < nr ? &set->snap->accesses[entry->row] :
				 &set->splits[entry->row - nr].access;
}

/*
 * Sort entries by place, and accesses of one place by thread, so that the accesses of a party
 * follow each other. Entries that are equal in all of that stay in the order of their rows. @set:
 * NULL if they are no accesses.
 */
static void sort_entries(struct entry *entries, size_t nr, const struct lineset *set)
{
	struct radix_row *rows = xmallocarray(nr, sizeof(*rows));
	struct radix_row *spare = xmallocarray(nr, sizeof(*spare));
	struct entry *unsorted = xmallocarray(nr, sizeof(*unsorted));
	size_t i;

	for (i = 0; i < nr; i++)
		rows[i].row = i;
	if (set) {
		for (i = 0; i < nr; i++) {
			const struct memlat_rec_access *access = access_of(set, &entries[i]);

			rows[i].key = access->tid;
			if (!kernel_address(entries[i].place.where))
				rows[i].key |= (__u64)access->gen << 32;
		}
		radix_sort(rows, spare, nr);
		for (i = 0; i < nr; i++)
			rows[i].key = access_of(set, &entries[rows[i].row])->tgid;
		radix_sort(rows, spare, nr);
	}
	for (i = 0; i < nr; i++) {
		const struct place *place = &entries[rows[i].row].place;

		rows[i].key = (__u64)place->space << 32 | place->gen;
	}
	radix_sort(rows, spare, nr);
	for (i = 0; i < nr; i++)
		rows[i].key = entries[rows[i].row].place.where;
	radix_sort(rows, spare, nr);
	memcpy(unsorted, entries, nr * sizeof(*entries));
	for (i = 0; i < nr; i++)
		entries[i] = unsorted[rows[i].row];
	free(rows);
	free(spare);
	free(unsorted);
}

static void take_accesses(struct lineset *set)
{
	const struct snapshot *snap = set->snap;
	size_t i;

	if (!snap->nr_accesses)
		return;
	set->accesses = xcalloc(snap->nr_accesses, sizeof(*set->accesses));
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];

		/* A row without samples is kept for its error bound only. */
		if (!access->samples)
			continue;
		set->accesses[set->nr_accesses++] = (struct entry){
			.place = line_place(set, access),
			.row = i,
		};
	}
	sort_entries(set->accesses, set->nr_accesses, set);
}

void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from)
{
	const __u32 shared = to->shared;

	row_join(TABLE_LINES, to, from, false);
	to->error += from->error;
	to->shared = to->space != from->space || to->gen != from->gen ? 1 : shared;
}

/* The only row of a line, or the sum of its rows, with the address of the row with most samples. */
static const struct memlat_rec_line *sum_rows(struct lineset *set, const struct entry *rows,
					      size_t nr)
{
	const struct memlat_rec_line *lines = set->snap->lines, *heaviest;
	struct memlat_rec_line *sum;
	size_t i;

	heaviest = &lines[rows[0].row];
	if (nr == 1)
		return heaviest;
	for (i = 1; i < nr; i++)
		if (lines[rows[i].row].samples > heaviest->samples)
			heaviest = &lines[rows[i].row];
	sum = &set->sums[set->nr_sums++];
	*sum = *heaviest;
	for (i = 0; i < nr; i++)
		if (&lines[rows[i].row] != heaviest)
			line_add(sum, &lines[rows[i].row]);
	return sum;
}

static size_t same(const struct entry *rows, size_t from, size_t nr)
{
	size_t to = from + 1;

	while (to < nr && !compare_place(&rows[to].place, &rows[from].place))
		to++;
	return to;
}

/* Skip what is before @from: accesses of lines that were evicted. Rows are sorted like accesses. */
static void find_accesses(const struct lineset *set, struct lineset_line *line,
			  const struct place *place, size_t from)
{
	while (from < set->nr_accesses && compare_place(&set->accesses[from].place, place) < 0)
		from++;
	line->first = from;
	while (from < set->nr_accesses && !compare_place(&set->accesses[from].place, place))
		from++;
	line->nr = from - line->first;
}

/* The rows by place. *sums: how many places have several. */
static struct entry *sort_rows(struct lineset *set, size_t *sums)
{
	const struct snapshot *snap = set->snap;
	struct entry *rows = xcalloc(snap->nr_lines, sizeof(*rows));
	size_t i, to;

	*sums = 0;
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];

		rows[i].row = i;
		rows[i].place = place_at(set, line->addr, line->space, line->gen);
	}
	sort_entries(rows, snap->nr_lines, NULL);
	for (i = 0; i < snap->nr_lines; i = to) {
		to = same(rows, i, snap->nr_lines);
		*sums += to - i > 1;
		set->nr_lines++;
	}
	return rows;
}

static void take_lines(struct lineset *set, const struct entry *rows, size_t sums)
{
	const struct snapshot *snap = set->snap;
	size_t i, to, at = 0;

	set->lines = xcalloc(set->nr_lines, sizeof(*set->lines));
	set->places = xcalloc(set->nr_lines, sizeof(*set->places));
	set->sums = xcalloc(sums, sizeof(*set->sums));
	set->nr_lines = 0;
	for (i = 0; i < snap->nr_lines; i = to) {
		struct lineset_line *line = &set->lines[set->nr_lines];

		to = same(rows, i, snap->nr_lines);
		line->rec = sum_rows(set, rows + i, to - i);
		line->nr_rows = to - i;
		line->mapping = rows[i].place.gen == GEN_SHARED;
		/* A place in a file is at an address of the row's, and that is far away in memory. */
		line->start = line->mapping ? line->rec->addr & ~(__u64)(set->bytes - 1) :
					      rows[i].place.where;
		find_accesses(set, line, &rows[i].place, at);
		at = line->first + line->nr;
		set->places[set->nr_lines++] = rows[i].place;
	}
}

static struct lineset *new_empty(const struct snapshot *snap, const struct history *history,
				 unsigned int bytes)
{
	struct lineset *set = xcalloc(1, sizeof(*set));

	set->snap = snap;
	set->history = history;
	set->bytes = bytes;
	return set;
}

struct lineset *lineset_new(const struct snapshot *snap, const struct history *history,
			    unsigned int bytes)
{
	struct lineset *set = new_empty(snap, history, bytes);
	struct entry *rows;
	size_t sums;

	take_phys(set);
	take_accesses(set);
	rows = sort_rows(set, &sums);
	take_lines(set, rows, sums);
	free(rows);
	return set;
}

void lineset_free(struct lineset *set)
{
	if (!set)
		return;
	free(set->objects);
	free(set->phys);
	free(set->accesses);
	free(set->splits);
	free(set->lines);
	free(set->places);
	free(set->sums);
	free(set);
}

static void unite_rows(struct snapshot *snap, const struct lineset *set)
{
	struct memlat_rec_line *united = xcalloc(set->nr_lines, sizeof(*united));
	size_t i;

	for (i = 0; i < set->nr_lines; i++)
		united[i] = *set->lines[i].rec;
	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *row = &snap->lines[i];
		struct memlat_rec_line *line = &united[lineset_find(set, row) - set->lines];

		if (row->phys != line->phys)
			line->phys = 0;
		if (row->home != line->home)
			line->home = MEMLAT_NODE_UNKNOWN;
	}
	memcpy(snap->lines, united, set->nr_lines * sizeof(*united));
	snap->nr_lines = set->nr_lines;
	free(united);
}

void lineset_unite(struct snapshot *snap, const struct history *history)
{
	struct lineset *set = new_empty(snap, history, MEMLAT_LINE_BYTES);
	size_t sums;
	struct entry *rows = sort_rows(set, &sums);

	/* The copy of all lines is as large as the profile, so it is made only where it is needed. */
	if (sums) {
		take_lines(set, rows, sums);
		unite_rows(snap, set);
	}
	free(rows);
	lineset_free(set);
}

const struct snapshot *lineset_snapshot(const struct lineset *set)
{
	return set->snap;
}

unsigned int lineset_bytes(const struct lineset *set)
{
	return set->bytes;
}

size_t lineset_lines(const struct lineset *set)
{
	return set->nr_lines;
}

const struct lineset_line *lineset_line(const struct lineset *set, size_t index)
{
	return &set->lines[index];
}

const struct memlat_rec_access *lineset_access(const struct lineset *set, size_t index)
{
	return access_of(set, &set->accesses[index]);
}

/* The linear address will do: a page is aligned at each of its addresses, and so are its lines. */
unsigned int lineset_offset(const struct lineset *set, const struct memlat_rec_access *access)
{
	return (unsigned int)(access->addr & (set->bytes - 1));
}

static const struct lineset_line *at_place(const struct lineset *set,
					   const struct place *place)
{
	size_t at = FIRST_WHERE(i, set->nr_lines, compare_place(&set->places[i], place) >= 0);

	return at < set->nr_lines && !compare_place(&set->places[at], place) ? &set->lines[at] :
									       NULL;
}

const struct lineset_line *lineset_find(const struct lineset *set,
					const struct memlat_rec_line *row)
{
	/* The cast is safe: all rows' objects are known by now, so place_at() adds none. */
	struct place place = place_at((struct lineset *)set, row->addr, row->space, row->gen);

	return at_place(set, &place);
}

const struct lineset_line *lineset_partner(const struct lineset *set,
					   const struct lineset_line *line)
{
	struct place place = set->places[line - set->lines];

	if (set->bytes != MEMLAT_LINE_BYTES)
		return NULL;
	place.where ^= MEMLAT_LINE_BYTES;
	return at_place(set, &place);
}

bool lineset_same_thread(const struct lineset_line *line, const struct memlat_rec_access *a,
			 const struct memlat_rec_access *b)
{
	return a->tid == b->tid && a->tgid == b->tgid &&
	       (a->gen == b->gen || kernel_address(line->start));
}

static const struct split *split_of(const struct lineset *set, const struct memlat_rec_access *access)
{
	const uintptr_t at = (uintptr_t)access - (uintptr_t)set->splits;

	return at < set->nr_splits * sizeof(*set->splits) ? (const struct split *)(const void *)access :
							  NULL;
}

bool lineset_is_rest(const struct lineset *set, const struct memlat_rec_access *access)
{
	return split_of(set, access);
}

unsigned int lineset_width(const struct lineset *set, const struct memlat_rec_access *access)
{
	const struct split *split = split_of(set, access);

	if (split)
		return split->width;
	return set->width ? set->width(set->context, access) : 0;
}

/* Does another thread than @access's have one of these accesses? They are sorted by thread. */
static bool others_use(const struct lineset *set, const struct lineset_line *line,
		       const struct memlat_rec_access *access)
{
	return line->nr &&
	       (!lineset_same_thread(line, lineset_access(set, line->first), access) ||
		!lineset_same_thread(line, lineset_access(set, line->first + line->nr - 1), access));
}

/* How many bytes of an access are behind its line, if @next is used by others; else 0. */
static unsigned int bytes_behind(const struct lineset *set, const struct lineset_line *next,
				 const struct memlat_rec_access *access)
{
	unsigned int end;

	if (lineset_offset(set, access) <= MEMLAT_LINE_BYTES - WIDEST ||
	    !others_use(set, next, access))
		return 0;
	end = lineset_offset(set, access) + lineset_width(set, access);
	return end > MEMLAT_LINE_BYTES ? end - MEMLAT_LINE_BYTES : 0;
}

static struct place place_behind(const struct place *place)
{
	return (struct place){ place->where + MEMLAT_LINE_BYTES, place->space, place->gen };
}

bool lineset_crosses(const struct lineset *set, const struct lineset_line *line,
		     const struct memlat_rec_access *access)
{
	const struct place place = place_behind(&set->places[line - set->lines]);
	const struct lineset_line *next = at_place(set, &place);

	return next && bytes_behind(set, next, access);
}

static void take_rests(struct lineset *set, const struct lineset_line *line,
		       const struct lineset_line *next)
{
	size_t i;

	for (i = line->first; i < line->first + line->nr; i++) {
		const struct memlat_rec_access *access = lineset_access(set, i);
		unsigned int width = bytes_behind(set, next, access);
		struct split *split;

		if (!width)
			continue;
		ARRAY_GROW(set->splits, set->nr_splits + 1, set->room_splits);
		split = &set->splits[set->nr_splits++];
		*split = (struct split){ *access, (size_t)(next - set->lines), width };
		split->access.addr += MEMLAT_LINE_BYTES - lineset_offset(set, access);
		split->access.phys = 0;
	}
}

static void place_rests(struct lineset *set)
{
	size_t i, at = 0;

	set->accesses = xreallocarray(set->accesses, set->nr_accesses + set->nr_splits,
				      sizeof(*set->accesses));
	for (i = 0; i < set->nr_splits; i++)
		set->accesses[set->nr_accesses + i] = (struct entry){
			.place = set->places[set->splits[i].line],
			.row = set->snap->nr_accesses + i,
		};
	set->nr_accesses += set->nr_splits;
	sort_entries(set->accesses, set->nr_accesses, set);
	for (i = 0; i < set->nr_lines; i++) {
		find_accesses(set, &set->lines[i], &set->places[i], at);
		at = set->lines[i].first + set->lines[i].nr;
	}
}

void lineset_know_widths(struct lineset *set, lineset_width_fn width, void *context)
{
	size_t i, next = 0;

	set->width = width;
	set->context = context;
	for (i = 0; i < set->nr_lines; i++) {
		const struct place place = place_behind(&set->places[i]);

		while (next < set->nr_lines && compare_place(&set->places[next], &place) < 0)
			next++;
		if (next < set->nr_lines && !compare_place(&set->places[next], &place))
			take_rests(set, &set->lines[i], &set->lines[next]);
	}
	if (set->nr_splits)
		place_rests(set);
}
