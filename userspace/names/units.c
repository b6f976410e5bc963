// SPDX-License-Identifier: GPL-2.0
#include "units.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../util/xalloc.h"
#include "debug_file.h"
#include "name_cache.h"
#include "symbols.h"
#include "type_text.h"

#define DEPTH		64	/* scopes within scopes; no compiler nests them deeper */
#define FRAMES		64

struct unit {
	Dwarf_Die die;		/* the unit that has the line table */
	Dwarf_Die content;	/* the unit that has the functions: die, or that of a .dwo file */
	bool listed;
	Dwarf_Die *function;
	size_t nr_functions, room_functions;
	struct ranges functions;
};

struct units {
	struct unit *rows;
	size_t nr, room;
	struct ranges ranges;
	struct name_cache names;	/* names of functions, by the address in memory of their DIE */
};

/*
 * Debug information names other files, and libdw opens them whatever they are. It would wait for
 * the writer of a pipe, and the opening of a device may have an effect. Is there such a file where
 * libdw looks for this name? elf is the path of the file that names it, if known.
 */
static bool is_trap(const char *elf, const char *folder, const char *name)
{
	const char *slash = strrchr(elf, '/');
	struct stat st;
	bool trap;
	char *path;

	if (*name == '/')
		path = xstrdup(name);
	else if (folder && *folder == '/')
		path = xasprintf("%s/%s", folder, name);
	else
		path = xasprintf("%.*s%s%s%s", slash ? (int)(slash - elf) + 1 : 0, elf,
				 folder ? folder : "", folder ? "/" : "", name);
	trap = !stat(path, &st) && !S_ISREG(st.st_mode);
	free(path);
	return trap;
}

/* The path of an open file; "": it has none any more. */
static const char *path_of(int fd, char path[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return realpath(link, path) ? path : "";
}

static Dwarf *open_dwarf(Elf *elf, int fd)
{
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	char path[PATH_MAX];
	const char *name;
	const void *id;
	Dwarf_Off next;
	size_t header;

	/* libdw also opens a file that has unwind tables only. Such a file has no unit. */
	if (dwarf && (dwarf_nextcu(dwarf, 0, &next, &header, NULL, NULL, NULL) ||
		      (dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 &&
		       is_trap(path_of(fd, path), NULL, name)))) {
		dwarf_end(dwarf);
		return NULL;
	}
	return dwarf;
}

Dwarf *units_dwarf(struct elf_files *files, struct elf_file *file)
{
	if (!file->dwarf_looked) {
		file->dwarf_looked = true;
		file->dwarf = open_dwarf(file->elf, file->fd);
		if (!file->dwarf) {
			debug_file_look(files, file);
			file->dwarf = open_dwarf(file->debug_elf, file->debug_fd);
		}
	}
	return file->dwarf;
}

/* Add the address ranges of a DIE, without those of code that the linker discarded. */
static void add_ranges(struct ranges *ranges, const struct elf_file *file, Dwarf_Die *die,
		       size_t what)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		const struct elf_segment *segment = elf_segment_at(file, start);

		/* The linker may leave such ranges at 0, where a library has its headers. */
		if (segment && segment->flags & PF_X)
			ranges_add(ranges, start, end, what);
	}
}

/*
 * Find what a unit has: its own DIEs, or those of the .dwo file that it names. False: nothing may
 * be asked of the unit, because libdw would open a trap for an attribute that it lacks.
 */
static bool find_content(struct elf_file *file, struct unit *unit)
{
	const int fd = dwarf_getelf(file->dwarf) == file->elf ? file->fd : file->debug_fd;
	const char *name, *folder = NULL, *elf;
	Dwarf_Die split = { 0 };
	Dwarf_Attribute attribute;
	char path[PATH_MAX], *packed;
	bool trap;

	unit->content = unit->die;
	if (!dwarf_attr(&unit->die, DW_AT_dwo_name, &attribute) &&
	    !dwarf_attr(&unit->die, DW_AT_GNU_dwo_name, &attribute))
		return true;
	name = dwarf_formstring(&attribute);
	if (dwarf_attr(&unit->die, DW_AT_comp_dir, &attribute))
		folder = dwarf_formstring(&attribute);
	elf = path_of(fd, path);
	packed = xasprintf("%s.dwp", elf);
	trap = name && (is_trap(elf, NULL, name) || is_trap(elf, folder, name) ||
			is_trap("", NULL, packed));
	free(packed);
	if (!trap)
		dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
	if (split.addr)
		unit->content = split;
	file->split_missed |= !split.addr;
	return !trap;
}

static void read_units(struct units *units, struct elf_file *file)
{
	Dwarf_CU *cu = NULL;
	struct unit unit;
	uint8_t type;
	Dwarf_Half version;

	for (;;) {
		unit = (struct unit){ 0 };
		if (dwarf_get_units(file->dwarf, cu, &cu, &version, &type, &unit.die, NULL))
			return;
		if (type == DW_UT_type || type == DW_UT_split_type || !find_content(file, &unit))
			continue;
		ARRAY_GROW(units->rows, units->nr + 1, units->room);
		units->rows[units->nr] = unit;
		add_ranges(&units->ranges, file, &unit.die, units->nr++);
	}
}

static struct units *units_of(struct elf_files *files, struct elf_file *file)
{
	if (file->units || !units_dwarf(files, file))
		return file->units;
	file->units = xcalloc(1, sizeof(*file->units));
	read_units(file->units, file);
	ranges_settle(&file->units->ranges);
	return file->units;
}

static void add_function(struct unit *unit, const struct elf_file *file, Dwarf_Die *die)
{
	ARRAY_GROW(unit->function, unit->nr_functions + 1, unit->room_functions);
	unit->function[unit->nr_functions] = *die;
	add_ranges(&unit->functions, file, die, unit->nr_functions++);
}

/* List the functions at the top of a unit and those within namespaces, modules and classes. */
static void list_functions(struct unit *unit, const struct elf_file *file, Dwarf_Die *parent,
			   unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH)
		return;
	DIE_EACH(die, parent)
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			if (dwarf_hasattr(&die, DW_AT_low_pc) ||
			    dwarf_hasattr(&die, DW_AT_ranges))
				add_function(unit, file, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			list_functions(unit, file, &die, depth + 1);
			break;
		default:
			break;
		}
}

/*
 * Find the outermost inlined (or nested) function that holds the address, among the children of
 * parent and in its blocks.
 */
static bool next_inner(Dwarf_Die *parent, __u64 address, Dwarf_Die *inner, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH)
		return false;
	DIE_EACH(die, parent)
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_subprogram:
			if (dwarf_haspc(&die, address) > 0) {
				*inner = die;
				return true;
			}
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			/* A block without variables of its own has no range, so look into it. */
			if ((dwarf_haspc(&die, address) > 0 ||
			     (!dwarf_hasattr(&die, DW_AT_low_pc) &&
			      !dwarf_hasattr(&die, DW_AT_ranges))) &&
			    next_inner(&die, address, inner, depth + 1))
				return true;
			break;
		default:
			break;
		}
	return false;
}

/*
 * A function's name, from its linkage name if that is mangled ("_Z"). Static functions have no
 * linkage name, so their names are put together from the scopes around them.
 */
static const char *make_name(struct pool *pool, Dwarf_Die *die)
{
	struct type_text text = { 0 };
	Dwarf_Attribute attribute;
	const char *name = NULL;
	Dwarf_Die origin;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	/* C has linkage names too where a library renames its own ("__GI_puts"). */
	if (name && !strncmp(name, "_Z", 2))
		return demangle(pool, name);
	name = dwarf_diename(die);
	if (!name)
		return NULL;
	origin = type_origin(die);
	if (type_has_scopes(&origin))
		type_scope(&text, &origin);
	type_text_add(&text, "%s", name);
	return pool_text(pool, text.text);
}

/* A function's name. It is kept, because many addresses are in few functions. */
static const char *function_name(struct pool *pool, struct units *units, Dwarf_Die *die)
{
	const struct name_cache_key key = { .address = (__u64)(uintptr_t)die->addr };
	const char *name = name_cache_find(&units->names, key);

	if (!name) {
		name = make_name(pool, die);
		if (name)
			name_cache_keep(&units->names, key, name);
	}
	return name;
}

/* A path in DWARF may be relative to the folder that its unit was compiled in. */
static const char *units_path(struct pool *pool, Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attribute;
	const char *folder;

	if (!path || path[0] == '/')
		return path;
	folder = dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) :
								NULL;
	while (!strncmp(path, "./", 2))
		path += 2;
	return folder && *folder ? pool_format(pool, "%s/%s", folder, path) : path;
}

/*
 * The number counts in the list of the DIE's own unit; a unit in a .dwo file has another list than
 * its skeleton. dwarf_decl_file() is not used, as it aborts the program where there is no list.
 */
const char *units_file(struct pool *pool, Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;
	Dwarf_Files *names;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t nr;

	if (!dwarf_attr(die, attribute, &found) || dwarf_formudata(&found, &number) ||
	    !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &names, &nr) ||
	    number >= nr)
		return NULL;
	return units_path(pool, &unit, dwarf_filesrc(names, number, NULL, NULL));
}

/* The place in the surrounding function where an inlined function was called. */
static void call_place(struct pool *pool, Dwarf_Die *inlined, struct code_frame *frame)
{
	__u64 number;

	if (die_number(inlined, DW_AT_call_line, &number))
		frame->line = (unsigned int)number;
	frame->file = units_file(pool, inlined, DW_AT_call_file);
}

static void name_frames(struct pool *pool, struct units *units, Dwarf_Die *function,
		        __u64 address, struct code_name *code)
{
	Dwarf_Die chain[FRAMES];
	struct code_frame *frames;
	size_t nr = 1, i;

	chain[0] = *function;
	while (nr < FRAMES && next_inner(&chain[nr - 1], address, &chain[nr], 0))
		nr++;
	frames = pool_take(pool, nr * sizeof(*frames));
	for (i = 0; i < nr; i++) {
		frames[i].function = function_name(pool, units, &chain[nr - 1 - i]);
		if (i)
			call_place(pool, &chain[nr - i], &frames[i]);
	}
	frames[0].file = code->file;
	frames[0].line = code->line;
	code->frames = frames;
	code->nr_frames = nr;
	if (frames[0].function)
		code->function = frames[0].function;
}

static const struct range *function_at(struct unit *unit, struct elf_file *file,
				       __u64 address)
{
	if (!unit->listed) {
		unit->listed = true;
		list_functions(unit, file, &unit->content, 0);
		ranges_settle(&unit->functions);
	}
	return ranges_find(&unit->functions, address);
}

bool units_function(struct elf_files *files, struct elf_file *file, __u64 address,
		    Dwarf_Die *function)
{
	struct units *units = units_of(files, file);
	const struct range *range = units ? ranges_find(&units->ranges, address) : NULL;
	struct unit *unit = range ? &units->rows[range->what] : NULL;

	range = unit ? function_at(unit, file, address) : NULL;
	if (range)
		*function = unit->function[range->what];
	return range;
}

bool units_content(struct elf_files *files, struct elf_file *file, size_t nr, Dwarf_Die *content)
{
	const struct units *units = units_of(files, file);

	if (!units || nr >= units->nr)
		return false;
	*content = units->rows[nr].content;
	return true;
}

void units_name_code(struct elf_files *files, struct elf_file *file, __u64 address,
		     struct code_name *code)
{
	struct units *units = units_of(files, file);
	const struct range *range = units ? ranges_find(&units->ranges, address) : NULL;
	struct unit *unit;
	Dwarf_Line *line;
	int number;

	if (!range)
		return;
	unit = &units->rows[range->what];
	line = dwarf_getsrc_die(&unit->die, address);
	if (line && !dwarf_lineno(line, &number) && number > 0) {
		code->file = units_path(files->pool, &unit->die,
					dwarf_linesrc(line, NULL, NULL));
		code->line = (unsigned int)number;
	}
	range = function_at(unit, file, address);
	if (range)
		name_frames(files->pool, units, &unit->function[range->what], address, code);
}

void units_free(struct elf_file *file)
{
	size_t i;

	if (!file->units)
		return;
	for (i = 0; i < file->units->nr; i++) {
		free(file->units->rows[i].function);
		ranges_free(&file->units->rows[i].functions);
	}
	free(file->units->rows);
	ranges_free(&file->units->ranges);
	name_cache_free(&file->units->names);
	free(file->units);
	file->units = NULL;
}
