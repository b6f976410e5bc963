// SPDX-License-Identifier: GPL-2.0
/*
 * Large programs have millions of accesses and few names. So the accesses of a row are found by a
 * hash of the row's key, not by sorting. Rows of one hash are one row: of a million rows, two have
 * the same one by chance once in forty million tables.
 */
#include <stdint.h>
#include <string.h>

#include <xxhash.h>

#include "../names/memo.h"
#include "data.h"

/* The hash of a row's key, which its accesses have in common: numbers, and texts or NULL. */
static void put(__u64 *key, __u64 number)
{
	*key = XXH3_64bits_withSeed(&number, sizeof(number), *key);
}

static void put_text(__u64 *key, const char *text)
{
	*key = text ? XXH3_64bits_withSeed(text, strlen(text), *key) : *key + 1;
}

static void put_process(__u64 *key, const struct data_named *named)
{
	put(key, named->access->tgid);
	put(key, named->access->gen);
}

/* A variable of one file is the same in all processes that run the file. */
static void put_variable(__u64 *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	put(key, name->kind);
	put_text(key, name->path);
	put_text(key, name->name);
	/* Two static variables may have the same name. */
	put_text(key, name->file);
	put(key, name->line);
}

static void put_site(__u64 *key, const struct data_named *named)
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

static void put_type(__u64 *key, const struct data_named *named)
{
	put_text(key, named->name->type);
}

static void put_field(__u64 *key, const struct data_named *named)
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

static void put_object(__u64 *key, const struct data_named *named)
{
	put_process(key, named);
	put(key, named->name->start);
	put_type(key, named);
}

/* Mappings are separate for each process. All variables of a section form one region. */
static void put_region(__u64 *key, const struct data_named *named)
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

static __u64 key_of(const struct data_named *named, enum data_by by)
{
	static void (*const put_all[DATA_TABLES])(__u64 *, const struct data_named *) = {
		[DATA_BY_VARIABLE]	= put_variable,
		[DATA_BY_FIELD]		= put_field,
		[DATA_BY_SITE]		= put_site,
		[DATA_BY_TYPE]		= put_type,
		[DATA_BY_OBJECT]	= put_object,
		[DATA_BY_REGION]	= put_region,
	};
	__u64 key = 0;

	put_all[by](&key, named);
	return key;
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

size_t data_group(const struct data_named *named, size_t nr, enum data_by by, __u32 *group)
{
	struct memo groups = { 0 };	/* an answer is the group's number, from 1 */
	size_t i, used;

	for (i = 0; i < nr; i++) {
		const struct memo_key key = { .address = key_of(&named[i], by) };
		uintptr_t number = (uintptr_t)memo_find(&groups, key);

		if (!number) {
			number = groups.used + 1;
			memo_keep(&groups, key, (const void *)number);
		}
		group[i] = (__u32)(number - 1);
	}
	used = groups.used;
	memo_free(&groups);
	return used;
}
