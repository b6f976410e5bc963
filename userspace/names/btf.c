// SPDX-License-Identifier: GPL-2.0
#include "btf.h"

#include <string.h>

#include <linux/btf.h>

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

#include "../util/io.h"
#include "../util/xalloc.h"
#include "name_cache.h"
#include "types.h"

#define BTF_FILE	"/sys/kernel/btf/%s"
#define BTF_MOST	(256UL << 20)
#define PERCPU		".data..percpu"
/* The members that every kernel's header has; later kernels append more. */
#define HEADER_LEAST	(offsetof(struct btf_header, str_len) + sizeof(__u32))
#define DEPTH		32

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
	struct btf_lookup *made;
};

struct module {
	struct module *next;
	char *name;
	struct btf *btf;	/* NULL: none */
};

/* What is made of the BTF when it is first needed. */
struct btf_lookup {
	struct name_cache named;	/* structures and functions by their names; empty: not built yet */
	bool converted;
	struct btf_dwarf *dwarf;	/* NULL: none */
	struct module *modules;	/* that were asked for */
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
	btf->made = xcalloc(1, sizeof(*btf->made));
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

static struct btf *read_file(const struct btf *base, const char *name)
{
	struct btf *btf = NULL;
	char path[NAME_MAX];
	struct stat st;
	ssize_t got;
	char *bytes;
	int fd;

	if (strchr(name, '/') || strlen(name) > sizeof(path) - sizeof(BTF_FILE))
		return NULL;
	snprintf(path, sizeof(path), BTF_FILE, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	bytes = !fstat(fd, &st) && st.st_size > 0 && (size_t)st.st_size < BTF_MOST ?
		xmalloc((size_t)st.st_size) : NULL;
	got = bytes ? io_read(fd, bytes, (size_t)st.st_size) : -1;
	close(fd);
	if (got >= 0)
		btf = btf_from(base, bytes, (size_t)got);
	free(bytes);
	return btf;
}

struct btf *btf_read(void)
{
	return read_file(NULL, "vmlinux");
}

const struct btf *btf_module(const struct btf *kernel, const char *name)
{
	struct btf_lookup *made = kernel->made;
	struct module *module;

	if (!*name)
		return kernel;
	for (module = made->modules; module; module = module->next)
		if (!strcmp(module->name, name))
			return module->btf;
	module = xcalloc(1, sizeof(*module));
	module->name = xstrdup(name);
	module->btf = read_file(kernel, name);
	module->next = made->modules;
	made->modules = module;
	return module->btf;
}

void btf_free(struct btf *btf)
{
	struct module *module;

	if (!btf)
		return;
	while ((module = btf->made->modules)) {
		btf->made->modules = module->next;
		btf_free(module->btf);
		free(module->name);
		free(module);
	}
	btf_dwarf_free(btf->made->dwarf);
	name_cache_free(&btf->made->named);
	free(btf->made);
	free(btf->types);
	free(btf->bytes);
	free(btf);
}

static const struct btf_dwarf *dwarf_of(const struct btf *btf)
{
	struct btf_lookup *made = btf->made;
	const struct btf_dwarf *base = btf->base ? dwarf_of(btf->base) : NULL;

	if (!made->converted && (base || !btf->base))
		made->dwarf = btf_dwarf_new(btf, base);
	made->converted = true;
	return made->dwarf;
}

bool btf_die(const struct btf *btf, __u32 id, Dwarf_Die *die)
{
	const struct btf_dwarf *dwarf = dwarf_of(btf);

	return dwarf && btf_dwarf_type(dwarf, id, die);
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

/* The rows of the per-CPU section, and their number. Most modules have none. */
static unsigned int percpu_rows(const struct btf *btf, const struct btf_var_secinfo **rows)
{
	if (!btf->percpu)
		return 0;
	*rows = (const void *)(btf->percpu + 1);
	return BTF_NUMBER_IN(btf->percpu);
}

/* The row of the variable; NULL: no variable fits, or several do. */
static const struct btf_var_secinfo *percpu_row(const struct btf *btf, const char *name, __u64 start)
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
	const struct btf_var_secinfo *row = percpu_row(btf, name, start);
	Dwarf_Die die;

	*type = *field = NULL;
	if (start != BTF_ANYWHERE)
		offset -= start;
	if (!row || offset >= row->size || !btf_die(btf, btf_type(btf, row->type)->type, &die))
		return;
	*type = type_name(pool, &die);
	*field = type_field(pool, &die, offset);
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

static struct name_cache_key key_of(unsigned int kind, const char *name)
{
	return (struct name_cache_key){ .address = XXH3_64bits(name, strlen(name)), .space = kind };
}

/* Stands for all types of a name that several have. */
static const struct btf_type several;

static bool is_findable(const struct btf_type *type)
{
	return type && (BTF_KIND_OF(type) == BTF_KIND_STRUCT || BTF_KIND_OF(type) == BTF_KIND_FUNC);
}

static void build_named(const struct btf *btf)
{
	struct name_cache *named = &btf->made->named;
	size_t i, nr = 0;

	for (i = 0; i < btf->nr_types; i++)
		nr += is_findable(btf->types[i]);
	name_cache_reserve(named, nr);
	for (i = 0; i < btf->nr_types; i++) {
		const struct btf_type *type = btf->types[i];
		struct name_cache_key key;

		if (!is_findable(type))
			continue;
		key = key_of(BTF_KIND_OF(type), btf_text(btf, type->name_off));
		name_cache_keep(named, key, name_cache_find(named, key) ? &several : type);
	}
}

const struct btf_type *btf_named(const struct btf *btf, unsigned int kind, const char *name)
{
	const struct btf_type *found = NULL;

	for (; btf; btf = btf->base) {
		const struct btf_type *type;

		if (!btf->made->named.room)
			build_named(btf);
		type = name_cache_find(&btf->made->named, key_of(kind, name));
		if (type == &several || (type && found))
			return NULL;
		if (type)
			found = type;
	}
	return found;
}

#define MEMBER_DEPTH	8

static bool is_compound(const struct btf_type *type)
{
	return BTF_KIND_OF(type) == BTF_KIND_STRUCT || BTF_KIND_OF(type) == BTF_KIND_UNION;
}

__u64 btf_struct_size(const struct btf *btf, const char *name)
{
	const struct btf_type *type = btf_named(btf, BTF_KIND_STRUCT, name);

	return type ? type->size : 0;
}

static bool find_member(const struct btf *btf, const struct btf_type *type, const char *wanted,
			__u64 before, unsigned int depth, struct btf_place *place)
{
	const struct btf_member *member = (const void *)(type + 1);
	__u32 i;

	for (i = 0; i < BTF_NUMBER_IN(type); i++, member++) {
		const char *name = btf_text(btf, member->name_off);
		const struct btf_type *inner = btf_type(btf, member->type);
		__u32 bit = member->offset, bits = 0;

		if (BTF_INFO_KFLAG(type->info)) {
			bit = BTF_MEMBER_BIT_OFFSET(member->offset);
			bits = BTF_MEMBER_BITFIELD_SIZE(member->offset);
		}
		if (!*name && inner && is_compound(inner) && depth < MEMBER_DEPTH &&
		    find_member(btf, inner, wanted, before + bit / 8, depth + 1, place))
			return true;
		if (strcmp(name, wanted))
			continue;
		*place = (struct btf_place){
			before + bit / 8,
			bits ? (bit % 8 + bits + 7) / 8 : btf_size(btf, member->type),
			bit % 8, bits,
		};
		return place->size;
	}
	return false;
}

bool btf_member(const struct btf *btf, const char *structure, const char *member,
		struct btf_place *place)
{
	const struct btf_type *type = btf_named(btf, BTF_KIND_STRUCT, structure);

	return type && find_member(btf, type, member, 0, 0, place);
}

bool btf_constant(const struct btf *btf, const char *name, __u32 *value)
{
	__u32 id, i;

	for (id = 1; id < btf_end(btf); id++) {
		const struct btf_type *type = btf_type(btf, id);
		const struct btf_enum *row;

		if (!type || BTF_KIND_OF(type) != BTF_KIND_ENUM)
			continue;
		row = (const void *)(type + 1);
		for (i = 0; i < BTF_NUMBER_IN(type); i++)
			if (!strcmp(btf_text(btf, row[i].name_off), name)) {
				*value = (__u32)row[i].val;
				return true;
			}
	}
	return false;
}

bool kernel_number(const struct kernel_core *core, __u64 structure, struct btf_place place,
		   __u64 *value)
{
	*value = 0;
	if (place.size > sizeof(*value) ||
	    !kernel_core_get(core, structure + place.offset, value, place.size))
		return false;
	if (place.bits && place.bits < 64)
		*value = *value >> place.shift & ((1ULL << place.bits) - 1);
	return true;
}

bool kernel_word(const struct kernel_core *core, __u64 address, __u64 *value)
{
	return kernel_number(core, address, (struct btf_place){ .size = 8 }, value);
}
