// SPDX-License-Identifier: GPL-2.0
/* Name heap objects that --heap noted by the place where they were allocated. */
#include <string.h>

#include "../util/text.h"
#include "naming.h"

/* Does this function allocate for others? Then its caller is the one that wanted the memory. */
static bool is_allocator(const char *raw)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc",
		"posix_memalign", "valloc", "pvalloc", "strdup", "strndup", "asprintf",
		"vasprintf", "xmalloc", "xcalloc", "xrealloc", "xstrdup", "g_malloc",
		"g_malloc0", "g_realloc", "g_malloc_n", "g_malloc0_n", "g_strdup",
	};
	size_t i;

	/* operator new and new[], in all their forms. */
	if (!strncmp(raw, "_Znw", 4) || !strncmp(raw, "_Zna", 4))
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(raw, names[i]) ||
		    (!strncmp(raw, "__", 2) && !strcmp(raw + 2, names[i])))
			return true;
	return false;
}

/* Where the name itself begins. A template's function has its return type before the name. */
static const char *own_name(const char *function)
{
	const char *name = function, *at;
	int depth = 0;

	for (at = function; *at && (depth || *at != '('); at++) {
		depth += (*at == '<') - (*at == '>');
		if (*at == ' ' && !depth)
			name = at + 1;
	}
	return name;
}

bool of_standard_library(const char *function)
{
	static const char *const spaces[] = { "std::", "__gnu_cxx::", "core::", "alloc::" };
	const char *name = own_name(function);
	size_t i;

	/* Rust writes a type with arguments, or as what it implements, in brackets. */
	name += *name == '<';
	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (!strncmp(name, spaces[i], strlen(spaces[i])))
			return true;
	return false;
}

/* Containers of the standard library allocate for the code that uses them. */
static bool is_library(const char *function)
{
	return is_allocator(function) || of_standard_library(function);
}

/*
 * The function that asked for the memory in this frame, which may be inlined; NULL: there are only
 * allocators.
 */
static const struct code_name *asker(struct namer *namer, const struct code_name *code)
{
	struct code_name *outer;
	size_t i = 0;

	if (code->raw && is_allocator(code->raw))
		return NULL;
	if (!code->function || (!code->nr_frames && is_library(code->function)))
		return NULL;
	while (i < code->nr_frames &&
	       (!code->frames[i].function || is_library(code->frames[i].function)))
		i++;
	if (!i)
		return code;
	if (i == code->nr_frames)
		return NULL;
	outer = pool_take(&namer->pool, sizeof(*outer));
	*outer = *code;
	outer->function = code->frames[i].function;
	outer->file = code->frames[i].file;
	outer->line = code->frames[i].line;
	outer->frames += i;
	outer->nr_frames -= i;
	return outer;
}

/* "heap, chase.c:41 build()" */
static const char *site_name(struct namer *namer, const struct code_name *site)
{
	const char *call = strchr(site->function, '(') ? "" : "()";

	if (!site->file || !site->line)
		return pool_format(&namer->pool, "heap, %s%s", site->function, call);
	return pool_format(&namer->pool, "heap, %s:%u %s%s", text_last_part(site->file), site->line,
			   site->function, call);
}

/*
 * Was the object's memory mapped anew after the object had been freed, without an allocation noted
 * since? Then it is not known whether the object or the new mapping was accessed. "[heap]" does not
 * count, because the kernel reports the whole mapping whenever it grows.
 */
static bool was_mapped_anew(const struct namer *namer, const struct place *place,
			    const struct heap_object *object)
{
	const struct history_image *image = place->image;
	const struct history_map *map = image ? history_map_at(image, place->address) : NULL;

	if (!map || object->until >= map->time || !strcmp(map->path, "[heap]"))
		return false;
	object = heap_find(namer->profile->heap, place->space, place->address, map->time, image->until);
	return !object || object->until < map->time;
}

const struct heap_object *heap_noted(const struct namer *namer, const struct place *place)
{
	const struct history_image *image = place->image;
	const struct heap_object *object;

	if (!namer->profile->heap)
		return NULL;
	object = heap_find(namer->profile->heap, place->space, place->address, image ? image->from : 0,
			   image ? image->until : ~0ULL);
	return object && !was_mapped_anew(namer, place, object) ? object : NULL;
}

void heap_name_data(struct namer *namer, const struct place *place, struct data_name *data)
{
	const struct heap_object *object = place->noted;
	const struct code_name **frames;
	const struct heap_site *site;
	size_t i, nr;

	data->kind = DATA_HEAP;
	data->name = "[heap]";
	data->start = object->start;
	data->size = object->size;
	data->offset = place->address - object->start;
	site = heap_site(namer->profile->heap, object->site);
	if (!site)
		return;
	data->objects = site->objects;
	nr = site->frames < HEAP_FRAMES ? site->frames : HEAP_FRAMES;
	frames = pool_take(&namer->pool, nr * sizeof(*frames));
	for (i = 0; i < nr; i++) {
		/* A frame is a return address; the call is right before it. */
		frames[i] = namer_code(namer, place->space, place->gen, site->frame[i] - 1);
		if (!data->site)
			data->site = asker(namer, frames[i]);
	}
	data->frames = frames;
	data->nr_frames = nr;
	if (!data->site && nr)
		data->site = frames[0];
	if (data->site && data->site->function)
		data->name = site_name(namer, data->site);
}
