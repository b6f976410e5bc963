// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/layout.h"
#include "../analysis/line.h"
#include "../names/declare.h"
#include "../names/type_text.h"
#include "../names/types.h"
#include "../util/number.h"
#include "../util/xalloc.h"

#define BYTES		LINESET_BYTES_MAX
#define DEPTH		8	/* nested structures whose members are examined */
#define NEARLY_ALL	(1 - LAYOUT_LEFT)
#define VARIABLES_MAX	16
/* of a thread's stores, to the neighbours of the object that it stores to most */
#define SEVERAL		0.2
#define LONG		24	/* members: of a longer structure not all are shown */

/* Objects of one type, and the object that each byte of the lines belongs to. */
struct nesting {
	struct namer *namer;
	const struct lineset *set;
	const struct lineset_line *const *lines;
	size_t nr;
	unsigned int alignment;
	Dwarf_Die type;			/* without typedefs and qualifiers */
	Dwarf_Die element;		/* of an array: as it is declared */
	__u64 (*start)[BYTES];		/* by line; 0: in no object, or never used */
	Dwarf_Die variable[VARIABLES_MAX];	/* variables found in the lines */
	__u64 variable_start[VARIABLES_MAX];
	size_t variables;
	bool allocated, several_types, unknown;
	bool kernel;			/* its memory is the kernel's */
};

static void meet_variable(struct nesting *level, const struct typed *typed, __u64 start)
{
	size_t i;

	if (!typed->variable.addr) {
		level->allocated = true;
		return;
	}
	for (i = 0; i < level->variables; i++)
		if (level->variable[i].addr == typed->variable.addr)
			return;
	if (level->variables == VARIABLES_MAX) {
		level->several_types = true;
		return;
	}
	level->variable_start[level->variables] = start;
	level->variable[level->variables++] = typed->variable;
}

static void meet_type(struct nesting *level, Dwarf_Die *type)
{
	struct pool *pool = namer_pool(level->namer);

	if (!level->type.addr)
		level->type = *type;
	else if (level->type.addr != type->addr &&
		 (type_size(&level->type) != type_size(type) ||
		  strcmp(type_name(pool, &level->type), type_name(pool, type)) != 0))
		level->several_types = true;
}

/* Find the objects that the accesses go to. */
static void take_objects(struct nesting *level)
{
	size_t i, k;

	for (i = 0; i < level->nr; i++)
		for (k = level->lines[i]->first; k < level->lines[i]->first + level->lines[i]->nr; k++) {
			const struct memlat_rec_access *access = lineset_access(level->set, k);
			const unsigned int at = lineset_offset(level->set, access) % BYTES;
			struct typed typed;
			Dwarf_Die bare;

			if (level->start[i][at])
				continue;
			if (!namer_typed(level->namer, access->tgid, access->gen, access->addr, &typed) ||
			    !type_bare(&typed.type, &bare)) {
				level->unknown = true;
				continue;
			}
			/* Processes that share memory map it at different addresses. */
			level->start[i][at] = level->lines[i]->start + at - (access->addr - typed.start);
			meet_variable(level, &typed, level->start[i][at]);
			meet_type(level, &bare);
		}
}

/*
 * Does the member hold an offset that is not before it? Without a size it is an array of any length
 * at the end; elsewhere it only marks a place, as in the kernel.
 */
static bool holds(const struct members *members, size_t i, __u64 offset)
{
	const struct record_part *part = &members->member[i].part;

	return offset < record_end(part) || (!part->size && i + 1 == members->nr);
}

/* The index of the member at an offset; -1: none. */
typedef int (*member_fn)(const void *context, __u64 offset);

static int whole(const void *context, __u64 offset)
{
	return 0;
}

static int member_at(const void *context, __u64 offset)
{
	const struct members *members = context;
	size_t i, head = 0;

	for (i = 0; i < members->nr; i++) {
		const struct record_part *part = &members->member[i].part;

		/* Adjacent bit-fields form one word. */
		if (!i || !part->bits || !members->member[i - 1].part.bits)
			head = i;
		if (part->bit / 8 <= offset && holds(members, i, offset))
			return (int)head;
	}
	return -1;
}

static void take_fights(const struct nesting *level, struct layout_fight *fight, size_t nr,
			member_fn member_of, const void *context)
{
	int member[BYTES];
	size_t i, at, k;

	layout_fight_init(fight, nr);
	for (i = 0; i < level->nr; i++)
		for (at = 0; at < BYTES; at++) {
			const __u64 start = level->start[i][at];

			for (k = 0; k < at && level->start[i][k] != start; k++)
				;
			if (!start || k < at)	/* that object was dealt with before */
				continue;
			for (k = 0; k < BYTES; k++)
				member[k] = level->start[i][k] == start ?
					member_of(context, level->lines[i]->start + k - start) : -1;
			layout_fight_add(fight, level->set, level->lines[i], member);
		}
}

/* The share of the fight that is between objects. */
static double between_objects(const struct nesting *level, bool *any)
{
	struct layout_fight fight;
	double apart, part;

	take_fights(level, &fight, 1, whole, NULL);
	apart = layout_fight_apart(&fight);
	*any = apart > 0;
	part = *any ? fight.elsewhere / apart : 0;
	layout_fight_free(&fight);
	return part;
}

/* Descend into the elements of nested arrays; false: their size is not known. */
static bool into_elements(struct nesting *level)
{
	Dwarf_Die inner;
	__u64 size;
	size_t i, at;

	if (!type_of(&level->type, &level->element) || !type_bare(&level->element, &inner))
		return false;
	size = type_size(&inner);
	if (!size)
		return false;
	level->type = inner;
	for (i = 0; i < level->nr; i++)
		for (at = 0; at < BYTES; at++)
			if (level->start[i][at])
				level->start[i][at] += (level->lines[i]->start + at - level->start[i][at]) /
						       size * size;
	return true;
}

static bool into_member(struct nesting *level, const struct members *members, size_t number)
{
	const struct member *member = &members->member[number];
	const __u64 offset = member->part.bit / 8;
	Dwarf_Die type = member->type;
	size_t i, at;

	if (member->part.bits || !type_bare(&type, &level->type))
		return false;
	for (i = 0; i < level->nr; i++)
		for (at = 0; at < BYTES; at++) {
			__u64 *start = &level->start[i][at];
			const __u64 in = level->lines[i]->start + at - *start;

			if (!*start)
				continue;
			*start = in >= offset && holds(members, number, in) ? *start + offset : 0;
		}
	return true;
}

static bool is_foreign(const char *file)
{
	return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/lib/", 9) ||
	       !strncmp(file, "/usr/local/include/", 19) || strstr(file, "/include/uapi/");
}

/* Where the type is declared. Returns why the user cannot change it; NULL: the user can. */
static const char *take_place(struct advise_layout *layout, struct namer *namer, Dwarf_Die *die)
{
	layout->file = namer_declared(namer, die, &layout->line);
	if (!layout->file || !layout->line)
		return "where it is declared is not known";
	if (is_foreign(layout->file))
		return "a header of the system declares it, which you cannot change";
	return NULL;
}

/* The comments behind the members. */
struct comments {
	struct namer *namer;
	const struct advise_member *rows;	/* by member */
	bool brief;
};

static const char *comment_of(void *context, size_t member)
{
	const struct comments *comments = context;
	const struct advise_member *row = &comments->rows[member];
	struct pool *pool = namer_pool(comments->namer);

	if (!row->threads)
		return row->before == row->after ? NULL : pool_format(pool, "%llu -> %llu", row->before,
								      row->after);
	return pool_format(pool, "%llu -> %llu, %s%u thread%s", row->before, row->after,
			   row->stores > 0 ? "stores, " : "", row->threads,
			   row->threads == 1 ? "" : "s");
}

static bool is_brief(void *context, size_t member)
{
	const struct comments *comments = context;

	return comments->brief && !comments->rows[member].threads;
}

static void declare_both(struct advise_layout *layout, struct namer *namer,
			 const struct members *members, const struct advise_member *rows,
			 const struct declare_change *change)
{
	struct comments comments = { .namer = namer, .rows = rows };
	struct declare_change told = *change;

	told.comment = comment_of;
	told.left_out = is_brief;
	told.context = &comments;
	layout->declaration = declare_record(namer_pool(namer), members, &told);
	comments.brief = members->nr > LONG;
	layout->excerpt = declare_record(namer_pool(namer), members, &told);
	if (!layout->declaration)
		layout->why = "memlat cannot write the types of its members";
}

static void take_rows(struct advise_member *rows, const struct members *members,
		      const struct layout_fight *fight)
{
	size_t i;

	for (i = 0; i < members->nr; i++) {
		const struct member *member = &members->member[i];

		rows[i] = (struct advise_member){
			.name = member->name, .size = member->part.size,
			.before = member->part.bit / 8, .after = member->part.bit / 8,
			.loads = fight->use[i].loads, .stores = fight->use[i].stores,
			.threads = (unsigned int)__builtin_popcountll(fight->use[i].storing |
								      fight->use[i].loading),
		};
	}
}

/* An attribute on a number's type would not make it larger. */
static void own_line(struct advise_layout *layout, struct nesting *level)
{
	struct pool *pool = namer_pool(level->namer);
	struct declare *declare;
	const char *value;

	if (!members_of_c(&level->type)) {
		layout->why = MEMBERS_NOT_OF_C;
		return;
	}
	declare = declare_new(pool, NULL);
	value = declare_name(declare, level->element.addr ? &level->element : &level->type,
			     "value", 1);
	declare_free(declare);
	if (!value) {
		layout->why = "memlat cannot write its type";
		return;
	}
	layout->type = type_name(pool, &level->type);
	layout->declaration = declare_aligned(pool, pool_format(pool, "struct own_line {\n\t%s;\n}", value),
					      level->alignment, level->kernel);
	layout->excerpt = layout->declaration;
	layout->bytes_before = type_size(&level->type);
	layout->bytes_after = number_round_up(layout->bytes_before, level->alignment);
}

/* Sum up a thread's stores to a line: all, and those to the object that it stores to most. */
static void sum_stores(const struct nesting *level, size_t line, size_t first, size_t end,
		       double *most, double *all)
{
	double by_byte[BYTES] = { 0 }, of_object;
	unsigned int at, k;
	size_t i;

	*most = *all = 0;
	for (i = first; i < end; i++) {
		const struct memlat_rec_access *access = lineset_access(level->set, i);

		if (access->samples)
			by_byte[lineset_offset(level->set, access) % BYTES] +=
				access_store_weight(access) * (double)access_stores(access);
	}
	for (at = 0; at < BYTES; at++) {
		*all += by_byte[at];
		for (k = 0, of_object = 0; k < BYTES; k++)
			if (level->start[line][k] == level->start[line][at])
				of_object += by_byte[k];
		if (of_object > *most)
			*most = of_object;
	}
}

/* Does one thread store to several neighbours? Then not each of them has to be separated. */
static bool used_in_blocks(const struct nesting *level)
{
	double most, all;
	size_t i, from, to;

	for (i = 0; i < level->nr; i++) {
		const struct lineset_line *line = level->lines[i];
		const size_t end = line->first + line->nr;

		for (from = line->first; from < end; from = to) {
			for (to = from + 1; to < end; to++)
				if (!lineset_same_thread(line, lineset_access(level->set, from),
							 lineset_access(level->set, to)))
					break;
			sum_stores(level, i, from, to, &most, &all);
			if (all > 0 && most < (1 - SEVERAL) * all)
				return true;
		}
	}
	return false;
}

static void elements(struct advise_layout *layout, struct nesting *level)
{
	struct pool *pool = namer_pool(level->namer);
	struct declare_change change = { .whole = level->alignment, .kernel = level->kernel };
	struct layout_fight fight;
	struct members members;

	layout->elements = true;
	if (used_in_blocks(level)) {
		layout->why = "one thread uses several neighbours: give each thread a block of them that begins at a line of its own";
		return;
	}
	if (!members_take(pool, &members, &level->type)) {
		own_line(layout, level);
		return;
	}
	layout->type = type_name(pool, &level->type);
	layout->why = members.why ? members.why : take_place(layout, level->namer, &level->type);
	if (layout->why)
		return;
	take_fights(level, &fight, members.nr, member_at, &members);
	layout->members = pool_take(pool, (members.nr + 1) * sizeof(*layout->members));
	layout->nr_members = members.nr;
	take_rows(layout->members, &members, &fight);
	layout_fight_free(&fight);
	layout->bytes_before = members.size;
	layout->bytes_after = number_round_up(members.size, level->alignment);
	declare_both(layout, level->namer, &members, layout->members, &change);
}

static void variables(struct advise_layout *layout, struct nesting *level)
{
	struct pool *pool = namer_pool(level->namer);
	const char *text = "";
	size_t i;

	layout->members = pool_take(pool, level->variables * sizeof(*layout->members));
	for (i = 0; i < level->variables; i++) {
		Dwarf_Die *die = &level->variable[i], type;
		Dwarf_Die origin = type_origin(die);
		struct declare *declare;
		const char *one = NULL, *name = dwarf_diename(&origin);

		if (!members_of_c(die)) {
			layout->why = MEMBERS_NOT_OF_C;
			return;
		}
		if (name && type_of(die, &type)) {
			declare = declare_new(pool, NULL);
			one = declare_name(declare, &type, name, 0);
			declare_free(declare);
		}
		if (!one) {
			layout->why = "memlat cannot write a variable's type";
			return;
		}
		layout->why = take_place(layout, level->namer, die);
		if (layout->why)
			return;
		text = pool_format(pool, "%s%s%s%s", text, i ? ";\n" : "",
				   dwarf_hasattr_integrate(die, DW_AT_external) ? "" : "static ", one);
		text = declare_aligned(pool, text, level->alignment, level->kernel);
		layout->members[layout->nr_members++] = (struct advise_member){
			.name = name, .size = type_size(&type),
			.before = level->variable_start[i] % level->alignment,
		};
		layout->bytes_before += type_size(&type);
		layout->bytes_after += number_round_up(type_size(&type), level->alignment);
	}
	layout->declaration = layout->excerpt = text;
}

/* Find the members to be moved to lines of their own. */
static void take_search(struct advise_layout *layout, struct nesting *level,
			const struct members *members, const struct layout_fight *fight)
{
	struct pool *pool = namer_pool(level->namer);
	struct layout_member *units = xcalloc(members->nr + 1, sizeof(*units));
	struct advise_member *rows = pool_take(pool, (members->nr + 1) * sizeof(*rows));
	struct declare_change change = { .whole = level->alignment, .kernel = level->kernel };
	struct layout found;
	size_t i;

	for (i = 0; i < members->nr; i++) {
		units[i].part = members->member[i].part;
		units[i].follows = i && units[i].part.bits && units[i - 1].part.bits;
		units[i].last = !units[i].part.size && i + 1 == members->nr;
	}
	layout_search(&found, units, fight, members->said, level->alignment);
	take_rows(rows, members, fight);
	if (found.why == LAYOUT_GOOD) {
		for (i = 0; i < members->nr; i++)
			rows[i].after = found.after[i].bit / 8;
		change.order = found.order;
		change.aligned = found.aligned;
		layout->bytes_before = members->size;
		layout->bytes_after = found.size;
		declare_both(layout, level->namer, members, rows, &change);
		layout->members = pool_take(pool, (members->nr + 1) * sizeof(*rows));
		layout->nr_members = members->nr;
		for (i = 0; i < members->nr; i++)
			layout->members[i] = rows[found.order[i]];
	} else {
		layout->why = "its members are used by too many threads in too many ways: three moves do not part them";
	}
	layout_free(&found);
	free(units);
}

/* The share of the fight that is within members. */
static double within_members(const struct layout_fight *fight)
{
	const double apart = layout_fight_apart(fight);
	double within = 0;
	size_t i;

	for (i = 0; i < fight->nr; i++)
		within += fight->between[i * fight->nr + i];
	return apart > 0 ? within / apart : 0;
}

/*
 * Go down to the member with most of the fight; false: most of it is within a member, which is now
 * the level.
 */
static bool of_members(struct advise_layout *layout, struct nesting *level)
{
	struct pool *pool = namer_pool(level->namer);
	struct layout_fight fight;
	struct members members;
	bool done = true;
	double within;
	size_t most;

	if (!members_take(pool, &members, &level->type)) {
		layout->why = "it is within one number, whose bytes belong together";
		return true;
	}
	layout->type = type_name(pool, &level->type);
	if (members.is_union)
		layout->why = "it is a union, whose members share their bytes";
	else if (members.why)
		layout->why = members.why;
	if (layout->why)
		return true;
	take_fights(level, &fight, members.nr, member_at, &members);
	most = layout_fight_within(&fight, &within);
	if (within > NEARLY_ALL && !into_member(level, &members, most)) {
		layout->why = "it is within bit-fields that share a word";
	} else if (within > NEARLY_ALL) {
		layout->type = NULL;
		done = false;
	} else if (within_members(&fight) > LAYOUT_LEFT) {
		layout->why = "a part of the fight is within members and a part between them: no one structure's layout ends both";
	} else {
		layout->why = take_place(layout, level->namer, &level->type);
		if (!layout->why)
			take_search(layout, level, &members, &fight);
	}
	layout_fight_free(&fight);
	return done;
}

static void search_level(struct advise_layout *layout, struct nesting *level)
{
	unsigned int depth;
	bool any;
	double outside;

	take_objects(level);
	outside = between_objects(level, &any);
	layout->allocated = level->allocated;
	if (!level->type.addr || !any) {
		layout->why = "the types of the data there are not known: they are read from the program, if it is here and built with -g; --debug-path takes a folder with it";
		return;
	}
	if (level->several_types || outside > NEARLY_ALL) {
		if (!level->allocated && !level->unknown && level->variables > 1)
			variables(layout, level);
		else if (level->several_types || level->unknown)
			layout->why = "objects of several types share a line: align each allocation to its own line";
		else
			elements(layout, level);
		return;
	}
	for (depth = 0; depth < DEPTH; depth++) {
		if (dwarf_tag(&level->type) == DW_TAG_array_type) {
			if (!into_elements(level))
				break;
			if (between_objects(level, &any) > NEARLY_ALL) {
				elements(layout, level);
				return;
			}
		} else if (of_members(layout, level)) {
			return;
		}
	}
	layout->why = "its types are nested too deeply";
}

void advise_layout_find(struct advise_layout *layout, struct namer *namer,
			const struct lineset *set, const struct lineset_line *const *lines,
			size_t nr, unsigned int alignment)
{
	struct nesting level = {
		.namer = namer, .set = set, .lines = lines, .nr = nr, .alignment = alignment,
		.start = xcalloc(nr + 1, sizeof(*level.start)),
		.kernel = nr && kernel_address(lines[0]->rec->addr),
	};

	memset(layout, 0, sizeof(*layout));
	search_level(layout, &level);
	free(level.start);
}
