// SPDX-License-Identifier: GPL-2.0
/*
 * Large programs have millions of accesses and few names. So the accesses of a row are found by a
 * hash of the row's key, not by sorting.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <xxhash.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "data_groups.h"

#define PARTS	12

/* The key of a row, which its accesses have in common: numbers, and texts or NULL. */
struct key {
	size_t nr_numbers, nr_texts;
	__u64 number[PARTS];
	const char *text[PARTS];
};

static void put(struct key *key, __u64 number)
{
	key->number[key->nr_numbers++] = number;
}

static void put_text(struct key *key, const char *text)
{
	key->text[key->nr_texts++] = text;
}

static void put_process(struct key *key, const struct data_named *named)
{
	put(key, named->access->tgid);
	put(key, named->access->gen);
}

/* A variable of one file is the same in all processes that run the file. */
static void put_variable(struct key *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	put(key, name->kind);
	put_text(key, name->path);
	put_text(key, name->name);
	/* Two static variables may have the same name. */
	put_text(key, name->file);
	put(key, name->line);
}

static void put_site(struct key *key, const struct data_named *named)
{
	const struct code_name *site = named->name->site;

	put(key, site != NULL);
	if (!site)
		return;
	put_text(key, site->path);
	put(key, site->module_offset);
	put_text(key, site->function);
}

static bool has_type(const struct data_name *name)
{
	return name->how >= DATA_NOTED && name->type;
}

static void put_type(struct key *key, const struct data_named *named)
{
	put_text(key, named->name->type);
}

static void put_field(struct key *key, const struct data_named *named)
{
	put_variable(key, named);
	put_site(key, named);
	put_text(key, named->name->field);
	if (has_type(named->name))
		put_type(key, named);
	/*
	 * Without a path, the offset identifies the field. In memory without a name it means
	 * nothing.
	 */
	if (!named->name->field && named->name->how != DATA_NO_NAME)
		put(key, named->name->offset);
}

static void put_object(struct key *key, const struct data_named *named)
{
	put_process(key, named);
	put(key, named->name->start);
	put_type(key, named);
}

/* Mappings are separate for each process. All variables of a section form one region. */
static void put_region(struct key *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	put(key, name->kind);
	put_text(key, name->path);
	switch (name->kind) {
	case DATA_KERNEL:
		put_text(key, data_kernel_area(name));
		return;
	case DATA_VARIABLE:
	case DATA_TLS:
		put_text(key, name->section);
		return;
	case DATA_SHARED:
		/* It is the same region wherever it is seen. */
		put_text(key, name->name);
		return;
	case DATA_HEAP:
		put_process(key, named);
		return;
	default:
		put_text(key, name->name);
		put_process(key, named);
		if (name->kind == DATA_ANON || name->kind == DATA_FILE)
			put(key, name->start);
	}
}

static void key_of(struct key *key, const struct data_named *named, enum data_by by)
{
	static void (*const put_all[DATA_TABLES])(struct key *, const struct data_named *) = {
		[DATA_BY_VARIABLE]	= put_variable,
		[DATA_BY_FIELD]		= put_field,
		[DATA_BY_SITE]		= put_site,
		[DATA_BY_TYPE]		= put_type,
		[DATA_BY_OBJECT]	= put_object,
		[DATA_BY_REGION]	= put_region,
	};

	key->nr_numbers = key->nr_texts = 0;
	put_all[by](key, named);
}

static __u64 hash_of(const struct key *key)
{
	__u64 hash = XXH3_64bits(key->number, key->nr_numbers * sizeof(key->number[0]));
	size_t i;

	for (i = 0; i < key->nr_texts; i++)
		if (key->text[i])
			hash = XXH3_64bits_withSeed(key->text[i], strlen(key->text[i]), hash);
	return hash;
}

static bool same(const struct key *a, const struct key *b)
{
	size_t i;

	if (a->nr_numbers != b->nr_numbers || a->nr_texts != b->nr_texts ||
	    memcmp(a->number, b->number, a->nr_numbers * sizeof(a->number[0])))
		return false;
	for (i = 0; i < a->nr_texts; i++)
		if (order_text(a->text[i], b->text[i]))
			return false;
	return true;
}

static bool has_symbol(const struct data_name *name)
{
	return name->kind == DATA_VARIABLE || name->kind == DATA_TLS ||
	       (name->kind == DATA_KERNEL && !data_kernel_area(name));
}

bool data_belongs(const struct data_named *named, enum data_by by)
{
	switch (by) {
	case DATA_BY_VARIABLE:
		return has_symbol(named->name);
	case DATA_BY_FIELD:
		return has_symbol(named->name) || named->name->how == DATA_SLAB ||
		       named->name->how == DATA_VMALLOC ||
		       (has_type(named->name) && named->name->field);
	case DATA_BY_SITE:
		return named->name->site;
	case DATA_BY_TYPE:
	case DATA_BY_OBJECT:
		return has_type(named->name);
	default:
		return true;
	}
}

struct group {
	__u64 hash;
	const struct data_named *first;	/* NULL: free */
	__u32 number;
};

struct groups {
	struct group *at;
	size_t room, used;
};

static void grow(struct groups *groups)
{
	struct groups bigger = { .room = groups->room ? 2 * groups->room : 256 };
	size_t i, k;

	bigger.at = xcalloc(bigger.room, sizeof(*bigger.at));
	for (i = 0; i < groups->room; i++) {
		if (!groups->at[i].first)
			continue;
		k = groups->at[i].hash & (bigger.room - 1);
		while (bigger.at[k].first)
			k = (k + 1) & (bigger.room - 1);
		bigger.at[k] = groups->at[i];
	}
	bigger.used = groups->used;
	free(groups->at);
	*groups = bigger;
}

/* The group with the same key, or a new one. */
static struct group *group_of(struct groups *groups, const struct data_named *named,
			      enum data_by by)
{
	struct key key, other;
	struct group *group;
	__u64 hash;
	size_t k;

	if (2 * groups->used >= groups->room)
		grow(groups);
	key_of(&key, named, by);
	hash = hash_of(&key);
	for (k = hash & (groups->room - 1);; k = (k + 1) & (groups->room - 1)) {
		group = &groups->at[k];
		if (!group->first)
			break;
		if (group->hash != hash)
			continue;
		key_of(&other, group->first, by);
		if (same(&key, &other))
			return group;
	}
	*group = (struct group){ hash, named, (__u32)groups->used++ };
	return group;
}

size_t data_group(const struct data_named *named, size_t nr, enum data_by by, __u32 *group)
{
	struct groups groups = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		group[i] = group_of(&groups, &named[i], by)->number;
	free(groups.at);
	return groups.used;
}
