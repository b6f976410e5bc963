// SPDX-License-Identifier: GPL-2.0
#include "kernel_object.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "btf.h"

#define CACHES_MOST	4096
#define NAME_MOST	64
#define PAGE		4096ULL
#define HEADS_APART	(1ULL << 20)	/* bytes of page structs that one allocation has at most */
#define TYPE_SHIFT	24		/* of a page's type in its word */
#define TYPES		0xf0		/* first type; lower values count mappings */
#define NO_TYPE		0xff
#define MAPPING_BITS	3		/* PAGE_MAPPING_FLAGS */
#define MAPPING_ANON	1

struct cache {
	__u64 at;
	__u32 size, object_size, pad;
	bool single;
	char name[NAME_MOST];
};

/* The page that was asked for last, because neighbouring addresses are mostly in one page. */
struct page {
	__u64 at;		/* 0: none */
	const struct cache *cache;	/* NULL: the page is in no cache */
	__u64 memory, objects;
	const char *what;	/* use of the page; NULL: a cache, or not known */
};

/* The uses of pages. */
enum { PAGES_TABLES, PAGES_LARGE, PAGES_KINDS };

struct slabs {
	const struct kernel_core *core;
	__u64 pages, memory;	/* start of the page structs, and of the direct map */
	__u64 page_size;	/* size of a page struct */
	__u32 slab_type;
	struct btf_place type, head, cache, objects, mapping;
	__u32 kind[PAGES_KINDS];	/* values of the page type; 0: not in this kernel */
	struct cache *caches;
	size_t nr, room;
	struct page page;
};

/* Places of the members of struct kmem_cache that are read. */
struct layout {
	struct btf_place name, list, size, object_size, pad, users;
};

static bool read_layout(const struct btf *btf, struct layout *layout)
{
	static const char *const names[] = {
		"name", "list", "size", "object_size", "red_left_pad", "refcount",
	};
	struct btf_place *places[] = {
		&layout->name, &layout->list, &layout->size, &layout->object_size, &layout->pad,
		&layout->users,
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!btf_member(btf, "kmem_cache", names[i], places[i]))
			return false;
	return true;
}

static bool is_name(const char *text)
{
	size_t i;

	for (i = 0; i < NAME_MOST && text[i]; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return i && i < NAME_MOST;
}

static bool read_name(const struct kernel_core *core, __u64 at, char name[NAME_MOST])
{
	unsigned int i;

	if (kernel_core_get(core, at, name, NAME_MOST))
		return memchr(name, '\0', NAME_MOST) && is_name(name);
	/* The name may end right before memory that cannot be read. */
	for (i = 0; i < NAME_MOST; i++)
		if (!kernel_core_get(core, at + i, &name[i], 1) || !name[i])
			break;
	return i < NAME_MOST && !name[i] && is_name(name);
}

static bool read_cache(struct slabs *slabs, const struct layout *layout, __u64 at)
{
	const struct kernel_core *core = slabs->core;
	__u64 name, size, object_size, pad, users;
	struct cache cache = { .at = at };

	if (!kernel_number(core, at, layout->name, &name) ||
	    !kernel_number(core, at, layout->size, &size) ||
	    !kernel_number(core, at, layout->object_size, &object_size) ||
	    !kernel_number(core, at, layout->pad, &pad) ||
	    !kernel_number(core, at, layout->users, &users) ||
	    !read_name(core, name, cache.name))
		return false;
	if (!size || size > 1U << 24 || !object_size || pad > size || object_size > size - pad)
		return false;
	cache.size = (__u32)size;
	cache.object_size = (__u32)object_size;
	cache.pad = (__u32)pad;
	/* A general cache has objects of all kinds, as a merged one does. */
	cache.single = users == 1 && !strstr(cache.name, "kmalloc");
	ARRAY_GROW(slabs->caches, slabs->nr + 1, slabs->room);
	slabs->caches[slabs->nr++] = cache;
	return true;
}

ORDER_BY(by_place, struct cache, at)

/* Read the kernel's list of all caches, which has to lead back to its head. */
static bool read_caches(struct slabs *slabs, const struct btf *btf, const struct kallsyms *all)
{
	struct layout layout;
	__u64 list, at;

	if (!read_layout(btf, &layout) || !kallsyms_named(all, "slab_caches", &list) ||
	    !kernel_word(slabs->core, list, &at))
		return false;
	while (at != list && slabs->nr < CACHES_MOST)
		if (!read_cache(slabs, &layout, at - layout.list.offset) ||
		    !kernel_word(slabs->core, at, &at))
			return false;
	if (at != list || !slabs->nr)
		return false;
	SORT(slabs->caches, slabs->nr, by_place);
	return true;
}

/* Read the values of the page types; types that this kernel lacks are not reported. */
static void read_kinds(struct slabs *slabs, const struct btf *btf)
{
	static const char *const names[PAGES_KINDS] = {
		[PAGES_TABLES]	= "PGTY_table",
		[PAGES_LARGE]	= "PGTY_large_kmalloc",
	};
	unsigned int i;

	for (i = 0; i < PAGES_KINDS && slabs->type.size == 4; i++)
		if (!btf_constant(btf, names[i], &slabs->kind[i]))
			slabs->kind[i] = 0;
	if (!btf_member(btf, "page", "mapping", &slabs->mapping) || slabs->mapping.size != 8)
		slabs->mapping.size = 0;
}

static bool read_pages(struct slabs *slabs, const struct btf *btf, const struct kallsyms *all)
{
	__u64 at;

	slabs->page_size = btf_struct_size(btf, "page");
	if (!slabs->page_size || !btf_member(btf, "slab", "slab_cache", &slabs->cache) ||
	    !btf_member(btf, "slab", "objects", &slabs->objects) || slabs->objects.bits > 32)
		return false;
	if (!btf_member(btf, "page", "compound_head", &slabs->head) &&
	    !btf_member(btf, "page", "compound_info", &slabs->head))
		return false;
	/* Before 6.12 a bit of the page's flags marks a slab. */
	if (btf_constant(btf, "PGTY_slab", &slabs->slab_type)) {
		if (!btf_member(btf, "page", "page_type", &slabs->type) || slabs->type.size != 4)
			return false;
	} else if (!btf_constant(btf, "PG_slab", &slabs->slab_type) || slabs->slab_type > 63 ||
		   !btf_member(btf, "page", "flags", &slabs->type) || slabs->type.size != 8) {
		return false;
	}
	read_kinds(slabs, btf);
	return kallsyms_named(all, "vmemmap_base", &at) &&
	       kernel_word(slabs->core, at, &slabs->pages) &&
	       kallsyms_named(all, "page_offset_base", &at) &&
	       kernel_word(slabs->core, at, &slabs->memory) &&
	       slabs->pages >> 63 && slabs->memory >> 63;
}

struct slabs *slabs_read(const struct kernel_core *core, const struct btf *btf,
			 const struct kallsyms *all)
{
	struct slabs *slabs = xcalloc(1, sizeof(*slabs));

	slabs->core = core;
	if (read_pages(slabs, btf, all) && read_caches(slabs, btf, all))
		return slabs;
	slabs_free(slabs);
	return NULL;
}

void slabs_free(struct slabs *slabs)
{
	if (!slabs)
		return;
	free(slabs->caches);
	free(slabs);
}

static bool is_head_of(__u64 head, __u64 page)
{
	return head <= page && page - head < HEADS_APART;
}

/*
 * Find the head page of an allocation. The other pages hold its address plus 1, or, in later
 * kernels, a mask (plus 1) for their own address.
 */
static bool head_of(const struct slabs *slabs, __u64 *page)
{
	__u64 told;

	if (!kernel_number(slabs->core, *page, slabs->head, &told))
		return false;
	if (!(told & 1))
		return true;
	told--;
	if (!is_head_of(told, *page))
		told &= *page;
	if (!is_head_of(told, *page) || (told - slabs->pages) % slabs->page_size)
		return false;
	*page = told;
	return true;
}

static bool is_slab(const struct slabs *slabs, __u64 page)
{
	__u64 type;

	if (!kernel_number(slabs->core, page, slabs->type, &type))
		return false;
	if (slabs->type.size == 8)
		return type >> slabs->slab_type & 1;
	return type >> TYPE_SHIFT == slabs->slab_type;
}

/*
 * The use of a page. A page has a type, or, if it is mapped by programs or holds a file's
 * contents, a pointer, two bits of which say which of the two.
 */
static const char *what_of(const struct slabs *slabs, __u64 page)
{
	__u64 type, mapping;

	if (slabs->type.size == 4) {
		if (!kernel_number(slabs->core, page, slabs->type, &type))
			return NULL;
		type >>= TYPE_SHIFT;
		if (type && type == slabs->kind[PAGES_TABLES])
			return "page tables";
		if (type && type == slabs->kind[PAGES_LARGE])
			return "large kmalloc()";
		if (type >= TYPES && type != NO_TYPE)
			return NULL;
	}
	if (!slabs->mapping.size ||
	    !kernel_number(slabs->core, page, slabs->mapping, &mapping) || !(mapping >> 63))
		return NULL;
	switch (mapping & MAPPING_BITS) {
	case 0:
		return "direct map of the page cache";
	case MAPPING_ANON:
		return "direct map of anonymous memory";
	default:
		return NULL;
	}
}

static void read_page(const struct slabs *slabs, __u64 at, struct page *page)
{
	struct cache wanted = { .at = 0 };

	*page = (struct page){ .at = at };
	if (!head_of(slabs, &at))
		return;
	if (!is_slab(slabs, at)) {
		page->what = what_of(slabs, at);
		return;
	}
	if (!kernel_number(slabs->core, at, slabs->cache, &wanted.at) ||
	    !kernel_number(slabs->core, at, slabs->objects, &page->objects))
		return;
	page->cache = bsearch(&wanted, slabs->caches, slabs->nr, sizeof(*page->cache), by_place);
	page->memory = slabs->memory + (at - slabs->pages) / slabs->page_size * PAGE;
}

/* The page of an address in the direct map; NULL: the address is elsewhere. */
static const struct page *page_at(struct slabs *slabs, __u64 address)
{
	__u64 at;

	if (address < slabs->memory || address >= slabs->pages)
		return NULL;
	at = slabs->pages + (address - slabs->memory) / PAGE * slabs->page_size;
	if (at != slabs->page.at)
		read_page(slabs, at, &slabs->page);
	return &slabs->page;
}

const char *slabs_page_at(struct slabs *slabs, __u64 address)
{
	const struct page *page = page_at(slabs, address);

	return page ? page->what : NULL;
}

bool slabs_at(struct slabs *slabs, __u64 address, struct slab_object *object)
{
	const struct page *page = page_at(slabs, address);
	const struct cache *cache = page ? page->cache : NULL;
	__u64 skip;

	if (!cache)
		return false;
	skip = (address - page->memory) % cache->size;
	/* Between two objects, and behind the last one, the kernel keeps data of its own. */
	if ((address - page->memory) / cache->size >= page->objects || skip < cache->pad ||
	    skip - cache->pad >= cache->object_size)
		return false;
	*object = (struct slab_object){
		.cache = cache->name, .size = cache->object_size, .single = cache->single,
		.start = address - skip + cache->pad,
	};
	return true;
}
