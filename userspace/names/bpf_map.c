// SPDX-License-Identifier: GPL-2.0
#include "kernel_core.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "btf.h"
#include "kallsyms.h"

#define MAPS_MOST	4096
#define HELD_MOST	256
#define RANGES_MOST	(1U << 17)
#define BYTES_MOST	(1ULL << 40)	/* of one map */
#define SLOTS_MOST	64		/* of a node of the tree of all maps */
#define DEPTH_MOST	6
#define POINTERS	512		/* that are read at a time */

/* Where the members that are read are. */
struct layout {
	struct btf_place head;					/* idr */
	struct btf_place root;					/* xarray */
	struct btf_place shift, slots;				/* xa_node */
	struct btf_place type, key_size, value_size, entries, id, name;	/* bpf_map */
	struct btf_place array, array_element, pointers;	/* bpf_array */
	struct btf_place hash, buckets, elements, nr_buckets, hash_element;	/* bpf_htab */
	__u64 map_bytes, array_bytes, hash_bytes, bucket_bytes;
	__u64 key;						/* offset in htab_elem */
};

/* Memory of a map, or what per-CPU pointers to a value count as such. */
struct range {
	__u64 start, end;
	__u64 bytes;		/* of an element; 0: it is the map's own structure */
	__u64 first;		/* number of the first element */
	const char *part;	/* whose elements, as the kernel calls them: "" or ".elems" */
	const char *name;
	size_t map;		/* its place among those that are known, in order of time */
};

struct ranges {
	struct range *rows;	/* by start; none overlaps its neighbour */
	size_t nr, room;
};

struct known_map {
	__u32 id, round;	/* round: in which it was noted last */
};

struct bpf_maps {
	const struct kernel_core *core;
	struct kernel_core *own;	/* to be closed; NULL: none */
	struct layout layout;
	__u64 tree;			/* map_idr */
	__u64 *cpu;			/* as in struct kallsyms */
	size_t nr_cpus;
	struct pool pool;		/* holds names */
	struct ranges memory, percpu;
	struct known_map *known;
	size_t nr_known, room_known;
	__u32 round;
};

static bool read_layout(const struct btf *btf, struct layout *layout)
{
	const struct {
		const char *structure, *member;
		struct btf_place *place;
	} wanted[] = {
		{ "idr", "idr_rt", &layout->head },
		{ "xarray", "xa_head", &layout->root },
		{ "xa_node", "shift", &layout->shift },
		{ "xa_node", "slots", &layout->slots },
		{ "bpf_map", "map_type", &layout->type },
		{ "bpf_map", "key_size", &layout->key_size },
		{ "bpf_map", "value_size", &layout->value_size },
		{ "bpf_map", "max_entries", &layout->entries },
		{ "bpf_map", "id", &layout->id },
		{ "bpf_map", "name", &layout->name },
		{ "bpf_array", "map", &layout->array },
		{ "bpf_array", "elem_size", &layout->array_element },
		{ "bpf_htab", "map", &layout->hash },
		{ "bpf_htab", "buckets", &layout->buckets },
		{ "bpf_htab", "elems", &layout->elements },
		{ "bpf_htab", "n_buckets", &layout->nr_buckets },
		{ "bpf_htab", "elem_size", &layout->hash_element },
	};
	struct btf_place hash;
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!btf_member(btf, wanted[i].structure, wanted[i].member, wanted[i].place))
			return false;
	layout->map_bytes = btf_struct_size(btf, "bpf_map");
	layout->array_bytes = btf_struct_size(btf, "bpf_array");
	layout->hash_bytes = btf_struct_size(btf, "bpf_htab");
	layout->bucket_bytes = btf_struct_size(btf, "bucket");
	/* These arrays have no length, so BTF has no size of them. The key follows the hash. */
	btf_member(btf, "bpf_array", "pptrs", &layout->pointers);
	if (!btf_member(btf, "htab_elem", "hash", &hash))
		return false;
	layout->key = (hash.offset + hash.size + 7) & ~7ULL;
	return layout->pointers.offset && layout->name.size <= BPF_OBJ_NAME_LEN &&
	       layout->slots.size <= 8 * SLOTS_MOST;
}

struct bpf_maps *bpf_maps_new(const struct kernel_core *core, const struct btf *btf,
			      const struct kallsyms *all)
{
	struct bpf_maps *maps = xcalloc(1, sizeof(*maps));

	maps->core = core;
	if (!read_layout(btf, &maps->layout) || !kallsyms_named(all, "map_idr", &maps->tree)) {
		free(maps);
		return NULL;
	}
	maps->nr_cpus = all->nr_cpus;
	maps->cpu = xcalloc(all->nr_cpus + 1, sizeof(*maps->cpu));
	if (all->nr_cpus)
		memcpy(maps->cpu, all->cpu, all->nr_cpus * sizeof(*maps->cpu));
	return maps;
}

/* All symbols take longer to read than a short program lives. */
static bool read_few(struct kallsyms *few, struct ksym *tree, const struct kernel_core *core)
{
	static const char *const names[] = { "map_idr", "__per_cpu_offset" };
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	__u64 at[2];

	if (cpus <= 0 || !kallsyms_core_find(core, names, 2, at))
		return false;
	*tree = (struct ksym){ .start = at[0], .name = names[0], .module = "" };
	*few = (struct kallsyms){ .rows = tree, .nr = 1, .nr_cpus = (size_t)cpus };
	few->cpu = xcalloc(few->nr_cpus, sizeof(*few->cpu));
	return kernel_core_get(core, at[1], few->cpu, few->nr_cpus * sizeof(*few->cpu));
}

/* Hold the newest maps. They may go with a short program before it is known how to read them. */
static size_t hold(int *fds)
{
	union bpf_attr attr = { 0 };
	size_t nr = 0;
	__u32 id;
	int fd;

	while (!syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr))) {
		id = attr.next_id;
		attr = (union bpf_attr){ .map_id = id };
		fd = (int)syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &attr, sizeof(attr));
		attr = (union bpf_attr){ .start_id = id };
		if (fd < 0)
			continue;
		if (nr >= HELD_MOST)
			close(fds[nr % HELD_MOST]);
		fds[nr++ % HELD_MOST] = fd;
	}
	return nr < HELD_MOST ? nr : HELD_MOST;
}

struct bpf_maps *bpf_maps_open(void)
{
	int fds[HELD_MOST];
	size_t nr = hold(fds);
	struct kernel_core *core = kernel_core_open();
	struct btf *btf = core ? btf_read() : NULL;
	struct bpf_maps *maps = NULL;
	struct kallsyms few = { 0 };
	struct ksym tree;

	if (btf && read_few(&few, &tree, core))
		maps = bpf_maps_new(core, btf, &few);
	bpf_maps_note(maps);
	while (nr)
		close(fds[--nr]);
	free(few.cpu);
	btf_free(btf);
	if (maps)
		maps->own = core;
	else
		kernel_core_close(core);
	return maps;
}

void bpf_maps_free(struct bpf_maps *maps)
{
	if (!maps)
		return;
	kernel_core_close(maps->own);
	pool_free(&maps->pool);
	free(maps->memory.rows);
	free(maps->percpu.rows);
	free(maps->known);
	free(maps->cpu);
	free(maps);
}

/* ------------------------------------------------------------- the maps that there are */

/* A map, as far as it is read. */
struct map {
	__u64 at, type, key_size, value_size, entries, id;
	const char *name;
};

static void add_range(struct bpf_maps *maps, struct ranges *ranges, const struct map *map,
		      struct range range)
{
	if (!(range.end > range.start) || range.end - range.start > BYTES_MOST ||
	    ranges->nr >= RANGES_MOST)
		return;
	range.name = map->name;
	range.map = maps->nr_known;
	ARRAY_GROW(ranges->rows, ranges->nr + 1, ranges->room);
	ranges->rows[ranges->nr++] = range;
}

static void add_elements(struct bpf_maps *maps, const struct map *map, const char *part,
			 __u64 start, __u64 nr, __u64 bytes)
{
	if (start >> 63 && bytes && nr <= BYTES_MOST / bytes)
		add_range(maps, &maps->memory, map, (struct range){
			.start = start, .end = start + nr * bytes, .bytes = bytes, .part = part,
		});
}

static void add_own(struct bpf_maps *maps, const struct map *map, __u64 bytes)
{
	add_range(maps, &maps->memory, map, (struct range){ .start = map->at, .end = map->at + bytes });
}

/* Values of which each CPU has a copy, by the pointers to them, which lie @apart bytes apart. */
static void add_percpu(struct bpf_maps *maps, const struct map *map, const char *part,
		       __u64 pointers, __u64 apart)
{
	const __u64 bytes = (map->value_size + 7) & ~7ULL;
	__u64 i, k, nr, some[POINTERS];

	for (i = 0; i < map->entries && maps->percpu.nr < RANGES_MOST; i += nr) {
		nr = apart == 8 && map->entries - i > POINTERS ? POINTERS :
		     apart == 8 ? map->entries - i : 1;
		if (!kernel_core_get(maps->core, pointers + i * apart, some, nr * 8))
			return;
		for (k = 0; k < nr; k++)
			if (some[k])
				add_range(maps, &maps->percpu, map, (struct range){
					.start = some[k], .end = some[k] + bytes, .bytes = bytes,
					.first = i + k, .part = part,
				});
	}
}

static void add_array(struct bpf_maps *maps, const struct map *map)
{
	const __u64 values = map->at + maps->layout.pointers.offset;
	__u64 bytes;

	if (!kernel_number(maps->core, map->at, maps->layout.array_element, &bytes))
		return;
	add_own(maps, map, maps->layout.pointers.offset);
	if (map->type == BPF_MAP_TYPE_ARRAY)
		add_elements(maps, map, "", values, map->entries, bytes);
	else
		add_percpu(maps, map, "", values, 8);
}

/*
 * Where the pointer to a value is behind the key: at a multiple of 8 or, as in Linux 6.1, at once.
 * Pointers are multiples of 8 themselves, and those of different elements differ.
 */
static __u64 behind_key(const struct bpf_maps *maps, const struct map *map, __u64 key, __u64 apart)
{
	const __u64 rounded = (map->key_size + 7) & ~7ULL, places[] = { rounded, map->key_size };
	__u64 first, next;
	size_t i;

	for (i = 0; i < 2; i++) {
		const __u64 at = key + places[i];

		next = 0;
		if (kernel_core_get(maps->core, at, &first, sizeof(first)) &&
		    (map->entries < 2 ||
		     kernel_core_get(maps->core, at + apart, &next, sizeof(next))) &&
		    first && !(first & 7) && first != next)
			return places[i];
	}
	return rounded;
}

static void add_hash(struct bpf_maps *maps, const struct map *map)
{
	const struct layout *layout = &maps->layout;
	/* Each CPU may have one more in its hands, but of the kinds below that are plain. */
	const __u64 spare = map->type == BPF_MAP_TYPE_HASH ? maps->nr_cpus : 0;
	__u64 buckets, nr, elements, bytes;

	add_own(maps, map, layout->hash_bytes);
	if (!kernel_number(maps->core, map->at, layout->buckets, &buckets) ||
	    !kernel_number(maps->core, map->at, layout->nr_buckets, &nr) ||
	    !kernel_number(maps->core, map->at, layout->elements, &elements) ||
	    !kernel_number(maps->core, map->at, layout->hash_element, &bytes))
		return;
	add_elements(maps, map, ".buckets", buckets, nr, layout->bucket_bytes);
	/* 0: it allocates elements one by one, and they have no name. */
	add_elements(maps, map, ".elems", elements, map->entries + spare, bytes);
	if (elements && (map->type == BPF_MAP_TYPE_PERCPU_HASH ||
			 map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH)) {
		elements += layout->key;
		elements += behind_key(maps, map, elements, bytes);
		add_percpu(maps, map, ".elems", elements, bytes);
	}
}

/* The name, or a map that has none by its number. */
static const char *name_of(struct bpf_maps *maps, const struct map *map)
{
	char name[BPF_OBJ_NAME_LEN + 1] = "";

	if (!kernel_core_get(maps->core, map->at + maps->layout.name.offset, name,
			     maps->layout.name.size) || !*name)
		return pool_format(&maps->pool, "%llu", map->id);
	return pool_text(&maps->pool, name);
}

static bool is_known(struct bpf_maps *maps, __u64 id)
{
	size_t i;

	for (i = 0; i < maps->nr_known && maps->known[i].id != id; i++)
		;
	if (i == maps->nr_known)
		return false;
	maps->known[i].round = maps->round;
	return true;
}

/* The kernel runs meanwhile, so what is read may be no map any more: its number tells. */
static void add_map(struct bpf_maps *maps, __u64 at, __u64 number)
{
	const struct kernel_core *core = maps->core;
	const struct layout *layout = &maps->layout;
	struct map map = { .at = at };

	if (is_known(maps, number) || maps->nr_known >= MAPS_MOST ||
	    !kernel_number(core, at, layout->id, &map.id) || map.id != number ||
	    !kernel_number(core, at, layout->type, &map.type) ||
	    !kernel_number(core, at, layout->key_size, &map.key_size) ||
	    !kernel_number(core, at, layout->value_size, &map.value_size) ||
	    !kernel_number(core, at, layout->entries, &map.entries))
		return;
	map.name = name_of(maps, &map);
	switch (map.type) {
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		add_array(maps, &map);
		break;
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		add_hash(maps, &map);
		break;
	default:
		add_own(maps, &map, layout->map_bytes);
	}
	ARRAY_GROW(maps->known, maps->nr_known + 1, maps->room_known);
	maps->known[maps->nr_known++] = (struct known_map){ (__u32)number, maps->round };
}

/* An entry of the xarray behind an idr: a map, or a node, which has bit 1 set. */
static void walk(struct bpf_maps *maps, __u64 entry, __u64 number, unsigned int depth)
{
	const struct layout *layout = &maps->layout;
	__u64 slots[SLOTS_MOST], shift;
	size_t i;

	if (!(entry >> 63) || entry & 1)
		return;
	if (!(entry & 2)) {
		add_map(maps, entry, number);
		return;
	}
	entry -= 2;
	if (depth >= DEPTH_MOST || !kernel_number(maps->core, entry, layout->shift, &shift) ||
	    shift >= 32 ||
	    !kernel_core_get(maps->core, entry + layout->slots.offset, slots, layout->slots.size))
		return;
	for (i = 0; i < layout->slots.size / 8; i++)
		if (slots[i])
			walk(maps, slots[i], number + (i << shift), depth + 1);
}

ORDER_BY(by_start, struct range, start)

/* Of two that overlap, the older one is of a map that was freed. */
static void drop_freed(struct ranges *ranges)
{
	size_t i, kept = 0;

	SORT(ranges->rows, ranges->nr, by_start);
	for (i = 0; i < ranges->nr; i++) {
		const struct range *row = &ranges->rows[i];

		while (kept && ranges->rows[kept - 1].end > row->start &&
		       ranges->rows[kept - 1].map < row->map)
			kept--;
		if (!kept || ranges->rows[kept - 1].end <= row->start)
			ranges->rows[kept++] = *row;
	}
	ranges->nr = kept;
}

void bpf_maps_note(struct bpf_maps *maps)
{
	__u64 root;

	if (!maps || !kernel_number(maps->core, maps->tree + maps->layout.head.offset,
				    maps->layout.root, &root))
		return;
	maps->round++;
	walk(maps, root, 0, 0);
	drop_freed(&maps->memory);
	drop_freed(&maps->percpu);
}

/* ------------------------------------------------------------- of an address */

static const struct range *range_at(const struct ranges *ranges, __u64 address)
{
	const size_t after = FIRST_WHERE(i, ranges->nr, ranges->rows[i].start > address);

	return after && address < ranges->rows[after - 1].end ? &ranges->rows[after - 1] : NULL;
}

bool bpf_maps_at(const struct bpf_maps *maps, __u64 address, struct pool *pool,
		 struct kernel_row *row, bool *live)
{
	const struct range *range = maps ? range_at(&maps->memory, address) : NULL;
	__u64 shift = 0;
	size_t cpu;

	if (!maps)
		return false;
	*row = (struct kernel_row){ .kind = KERNEL_BPF_MAP, .cpu = KERNEL_NO_CPU, .module = "" };
	for (cpu = 0; !range && maps->percpu.nr && cpu < maps->nr_cpus; cpu++) {
		shift = maps->cpu[cpu];
		range = shift ? range_at(&maps->percpu, address - shift) : NULL;
		row->cpu = range ? (__u32)cpu : KERNEL_NO_CPU;
	}
	if (!range)
		return false;
	*live = maps->known[range->map].round == maps->round;
	row->start = range->start + (row->cpu == KERNEL_NO_CPU ? 0 : shift);
	row->end = row->start + (range->end - range->start);
	row->name = pool_text(pool, range->name);
	if (range->bytes)
		row->module = kernel_elements_text(pool, range->part, range->first, range->bytes);
	return true;
}
