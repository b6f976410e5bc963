// SPDX-License-Identifier: GPL-2.0
/*
 * With libbpf this reader would be some 130 lines shorter. But the libbpf of Debian 12 (1.1.2) and
 * 13 (1.5.0) knows 16 bits of a type's number of members, and refuses a file that uses the 24 bits
 * that Linux 7.3 has for it. memlat would need one more library, and lose every name of the
 * kernel's data there.
 */
#include "btf.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "../util/whole.h"
#include "../util/xalloc.h"
#include "memo.h"
#include "type_text.h"

#define BTF_FILE	"/sys/kernel/btf/%s"
#define BTF_MOST	(256UL << 20)
#define PERCPU		".data..percpu"
/* The members that every kernel's header has; later kernels append more. */
#define HEADER_LEAST	(offsetof(struct btf_header, str_len) + sizeof(__u32))
#define DEPTH		32
#define STEPS		4096	/* of one walk, whatever the types are made of */

struct btf {
	const struct btf *base;	/* NULL: none */
	unsigned char *bytes;
	size_t size;
	const char *strings;	/* ends with a zero byte */
	size_t strings_size;
	const struct btf_type **types;	/* [id - first]; id 0 is void, NULL */
	size_t nr_types, first;
	__u32 first_string;
	const struct btf_type *percpu;
	struct memo *named;	/* structures and functions by their names; empty: not built yet */
};

/* Bytes that follow struct btf_type; -1: the kind is not known here. */
static long tail_of(const struct btf_type *type)
{
	size_t nr = BTF_NUMBER_IN(type);

	switch (BTF_KIND_OF(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return (long)(nr * sizeof(struct btf_member));
	case BTF_KIND_ENUM:
		return (long)(nr * sizeof(struct btf_enum));
	case BTF_KIND_ENUM64:
		return (long)(nr * sizeof(struct btf_enum64));
	case BTF_KIND_FUNC_PROTO:
		return (long)(nr * sizeof(struct btf_param));
	case BTF_KIND_DATASEC:
		return (long)(nr * sizeof(struct btf_var_secinfo));
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

const char *btf_text(const struct btf *btf, __u32 offset)
{
	if (offset < btf->first_string)
		return btf_text(btf->base, offset);
	offset -= btf->first_string;
	return offset < btf->strings_size ? btf->strings + offset : "";
}

const struct btf_type *btf_type(const struct btf *btf, __u32 id)
{
	if (id < btf->first)
		return btf_type(btf->base, id);
	return id - btf->first < btf->nr_types ? btf->types[id - btf->first] : NULL;
}

static bool index_types(struct btf *btf, const unsigned char *at, size_t left)
{
	size_t room = 0;

	/* Id 0 is void, which has no entry in the file. */
	btf->nr_types = !btf->base;
	while (left >= sizeof(struct btf_type)) {
		const struct btf_type *type = (const void *)at;
		long tail = tail_of(type);
		size_t whole = sizeof(*type) + (size_t)tail;

		if (tail < 0 || whole > left)
			return false;
		ARRAY_GROW(btf->types, btf->nr_types + 1, room);
		btf->types[btf->nr_types++] = type;
		if (BTF_KIND_OF(type) == BTF_KIND_DATASEC &&
		    !strcmp(btf_text(btf, type->name_off), PERCPU))
			btf->percpu = type;
		at += whole;
		left -= whole;
	}
	if (btf->types && !btf->base)
		btf->types[0] = NULL;
	return btf->types;
}

static bool parse(struct btf *btf)
{
	const struct btf_header *header = (const void *)btf->bytes;
	size_t after;

	if (btf->size < HEADER_LEAST || header->magic != BTF_MAGIC ||
	    header->hdr_len < HEADER_LEAST || header->hdr_len > btf->size)
		return false;
	after = btf->size - header->hdr_len;
	if (header->type_off % 4 || header->hdr_len % 4 || header->type_off > after ||
	    header->type_len > after - header->type_off || header->str_off > after ||
	    header->str_len > after - header->str_off || !header->str_len)
		return false;
	btf->strings = (const char *)btf->bytes + header->hdr_len + header->str_off;
	btf->strings_size = header->str_len;
	return !btf->strings[btf->strings_size - 1] &&
	       index_types(btf, btf->bytes + header->hdr_len + header->type_off,
			   header->type_len);
}

struct btf *btf_from(const struct btf *base, const void *bytes, size_t size)
{
	struct btf *btf = xcalloc(1, sizeof(*btf));

	btf->base = base;
	btf->named = xcalloc(1, sizeof(*btf->named));
	if (base) {
		btf->first = base->first + base->nr_types;
		btf->first_string = base->first_string + (__u32)base->strings_size;
	}
	btf->bytes = xmalloc(size);
	btf->size = size;
	memcpy(btf->bytes, bytes, size);
	if (parse(btf))
		return btf;
	btf_free(btf);
	return NULL;
}

struct btf *btf_read(const struct btf *base, const char *module)
{
	struct btf *btf = NULL;
	char path[NAME_MAX];
	struct stat st;
	ssize_t got;
	char *bytes;
	int fd;

	if (module && (strchr(module, '/') ||
		       strlen(module) > sizeof(path) - sizeof(BTF_FILE)))
		return NULL;
	snprintf(path, sizeof(path), BTF_FILE, module ? module : "vmlinux");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	bytes = !fstat(fd, &st) && st.st_size > 0 && (size_t)st.st_size < BTF_MOST ?
		xmalloc((size_t)st.st_size) : NULL;
	got = bytes ? whole_read(fd, bytes, (size_t)st.st_size) : -1;
	close(fd);
	if (got >= 0)
		btf = btf_from(base, bytes, (size_t)got);
	free(bytes);
	return btf;
}

void btf_free(struct btf *btf)
{
	if (!btf)
		return;
	free(btf->types);
	free(btf->bytes);
	memo_free(btf->named);
	free(btf->named);
	free(btf);
}

const struct btf_type *btf_bare(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf_type(btf, id);
	unsigned int depth;

	for (depth = 0; type && depth < DEPTH; depth++) {
		switch (BTF_KIND_OF(type)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			type = btf_type(btf, type->type);
			break;
		default:
			return type;
		}
	}
	return NULL;
}

__u64 btf_size(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf_bare(btf, id);
	const struct btf_array *array;
	__u64 nr = 1, size = 0;
	unsigned int depth;

	for (depth = 0; type && BTF_KIND_OF(type) == BTF_KIND_ARRAY; depth++) {
		array = (const void *)(type + 1);
		if (depth > DEPTH || __builtin_mul_overflow(nr, (__u64)array->nelems, &nr))
			return 0;
		type = btf_bare(btf, array->type);
	}
	switch (type ? BTF_KIND_OF(type) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		size = 8;
		break;
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		size = type->size;
		break;
	}
	return __builtin_mul_overflow(nr, size, &size) ? 0 : size;
}

static enum found walk(const struct btf *btf, struct type_text *text, __u32 id, __u64 offset,
		       unsigned int depth, unsigned int *steps);

/* Does a member hold the offset? If so, rest becomes the offset within the member. */
static bool holds(const struct btf *btf, const struct btf_type *type,
		  const struct btf_member *member, __u64 offset, __u64 *rest)
{
	__u64 bit = member->offset, bits = 0, size;

	if (BTF_INFO_KFLAG(type->info)) {
		bit = BTF_MEMBER_BIT_OFFSET(member->offset);
		bits = BTF_MEMBER_BITFIELD_SIZE(member->offset);
	}
	if (bits) {
		*rest = 0;
		return bit / 8 <= offset && offset <= (bit + bits - 1) / 8;
	}
	size = btf_size(btf, member->type);
	*rest = offset - bit / 8;
	return offset >= bit / 8 && *rest < size;
}

/* Name all members that hold the offset, as fields.c does for DWARF. */
static enum found walk_struct(const struct btf *btf, struct type_text *text,
			      const struct btf_type *type, __u64 offset, unsigned int depth,
			      unsigned int *steps)
{
	const struct btf_member *member = (const void *)(type + 1);
	unsigned int nr = BTF_NUMBER_IN(type), i;
	struct type_offers offers;
	struct type_text next;
	__u64 rest;

	if (!nr)
		return FOUND_NONE;
	type_offers_begin(&offers);
	for (i = 0; i < nr; i++, member++) {
		const char *name = btf_text(btf, member->name_off);
		enum found found;

		if (!holds(btf, type, member, offset, &rest))
			continue;
		next = (struct type_text){ 0 };
		if (*name)
			type_text_add(&next, ".%s", name);
		found = walk(btf, &next, member->type, rest, depth + 1, steps);
		if (found == FOUND_NONE && *name)
			found = FOUND_PART;
		type_offers_take(&offers, found, &next);
	}
	if (!offers.nr) {
		type_text_add(text, ".(padding)");
		return FOUND_PADDING;
	}
	type_offers_add(text, &offers);
	return offers.best;
}

static enum found walk(const struct btf *btf, struct type_text *text, __u32 id, __u64 offset,
		       unsigned int depth, unsigned int *steps)
{
	const struct btf_type *type = btf_bare(btf, id);
	const struct btf_array *array;
	enum found found;
	__u64 size;

	if (!type || depth > DEPTH || ++*steps > STEPS)
		return FOUND_NONE;
	switch (BTF_KIND_OF(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return walk_struct(btf, text, type, offset, depth, steps);
	case BTF_KIND_ARRAY:
		array = (const void *)(type + 1);
		size = btf_size(btf, array->type);
		if (!size)
			return FOUND_NONE;
		type_text_add(text, "[%llu]", offset / size);
		found = walk(btf, text, array->type, offset % size, depth + 1, steps);
		return found == FOUND_NONE ? FOUND_PART : found;
	default:
		return FOUND_NONE;
	}
}

static void add_name(const struct btf *btf, struct type_text *text, __u32 id,
		     unsigned int depth)
{
	const struct btf_type *type = btf_type(btf, id);
	const struct btf_array *array;
	const char *name;

	if (!type || depth > DEPTH) {
		type_text_add(text, "void");
		return;
	}
	name = btf_text(btf, type->name_off);
	switch (BTF_KIND_OF(type)) {
	case BTF_KIND_STRUCT:
		type_text_add(text, "struct %s", *name ? name : "{...}");
		break;
	case BTF_KIND_UNION:
		type_text_add(text, "union %s", *name ? name : "{...}");
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		type_text_add(text, "enum %s", *name ? name : "{...}");
		break;
	case BTF_KIND_PTR:
		add_name(btf, text, type->type, depth + 1);
		type_text_add(text, "%s*", text->used && text->text[text->used - 1] == '*' ?
					   "" : " ");
		break;
	case BTF_KIND_ARRAY:
		array = (const void *)(type + 1);
		add_name(btf, text, array->type, depth + 1);
		type_text_add(text, "[%u]", array->nelems);
		break;
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
		type_text_add(text, BTF_KIND_OF(type) == BTF_KIND_CONST ? "const " :
										  "volatile ");
		add_name(btf, text, type->type, depth + 1);
		break;
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		add_name(btf, text, type->type, depth + 1);
		break;
	case BTF_KIND_FUNC_PROTO:
		type_text_add(text, "function");
		break;
	default:
		type_text_add(text, "%s", name);
		break;
	}
}

/* The rows of the per-CPU section, and their number. Most modules have none. */
static unsigned int percpu_rows(const struct btf *btf, const struct btf_var_secinfo **rows)
{
	if (!btf->percpu)
		return 0;
	*rows = (const void *)(btf->percpu + 1);
	return BTF_NUMBER_IN(btf->percpu);
}

/* The row of the variable; NULL: no variable fits, or several do. */
static const struct btf_var_secinfo *find(const struct btf *btf, const char *name, __u64 start)
{
	const struct btf_var_secinfo *row, *found = NULL;
	unsigned int nr = percpu_rows(btf, &row), i;

	for (i = 0; i < nr; i++, row++) {
		const struct btf_type *variable = btf_type(btf, row->type);

		if ((start != BTF_ANYWHERE && row->offset != start) || !variable ||
		    BTF_KIND_OF(variable) != BTF_KIND_VAR ||
		    strcmp(btf_text(btf, variable->name_off), name))
			continue;
		if (found)
			return NULL;
		found = row;
	}
	return found;
}

void btf_percpu(const struct btf *btf, const char *name, __u64 start, __u64 offset,
		struct pool *pool, const char **type, const char **field)
{
	const struct btf_var_secinfo *row = find(btf, name, start);
	struct type_text text = { 0 };
	unsigned int steps = 0;
	__u32 id;

	*type = *field = NULL;
	if (start != BTF_ANYWHERE)
		offset -= start;
	if (!row || offset >= row->size)
		return;
	id = btf_type(btf, row->type)->type;
	add_name(btf, &text, id, 0);
	*type = pool_text(pool, text.text);
	text = (struct type_text){ 0 };
	if (walk(btf, &text, id, offset, 0, &steps) != FOUND_NONE && text.used)
		*field = pool_text(pool, text.text);
}

__u32 btf_percpu_at(const struct btf *btf, __u64 offset, __u64 *within)
{
	const struct btf_var_secinfo *row;
	unsigned int nr = percpu_rows(btf, &row), i;
	__u32 found = 0;

	for (i = 0; i < nr; i++) {
		const struct btf_type *variable = btf_type(btf, row[i].type);

		if (offset < row[i].offset || offset - row[i].offset >= row[i].size ||
		    !variable || BTF_KIND_OF(variable) != BTF_KIND_VAR)
			continue;
		/* A place may have two names. If their types differ, neither is taken. */
		if (found && found != variable->type)
			return 0;
		found = variable->type;
		*within = offset - row[i].offset;
	}
	return found;
}

__u32 btf_end(const struct btf *btf)
{
	return (__u32)(btf->first + btf->nr_types);
}

const struct btf *btf_base(const struct btf *btf)
{
	return btf->base;
}

__u32 btf_first(const struct btf *btf)
{
	return (__u32)btf->first;
}

const char *btf_texts(const struct btf *btf, size_t *size)
{
	*size = btf->strings_size;
	return btf->strings;
}

static struct memo_key key_of(unsigned int kind, const char *name)
{
	return (struct memo_key){ .address = XXH3_64bits(name, strlen(name)), .space = kind };
}

/* Stands for all types of a name that several have. */
static const struct btf_type several;

static void build_named(const struct btf *btf)
{
	size_t i;

	for (i = 0; i < btf->nr_types; i++) {
		const struct btf_type *type = btf->types[i];
		const unsigned int kind = type ? BTF_KIND_OF(type) : BTF_KIND_UNKN;
		struct memo_key key;

		if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_FUNC)
			continue;
		key = key_of(kind, btf_text(btf, type->name_off));
		memo_keep(btf->named, key, memo_find(btf->named, key) ? &several : type);
	}
}

const struct btf_type *btf_named(const struct btf *btf, unsigned int kind, const char *name)
{
	const struct btf_type *found = NULL;

	for (; btf; btf = btf->base) {
		const struct btf_type *type;

		if (!btf->named->room)
			build_named(btf);
		type = memo_find(btf->named, key_of(kind, name));
		if (type == &several || (type && found))
			return NULL;
		if (type)
			found = type;
	}
	return found;
}
