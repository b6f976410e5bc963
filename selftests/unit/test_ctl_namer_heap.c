// SPDX-License-Identifier: GPL-2.0
/* Heap objects are named by where they were allocated. */
#include "ctl_named.h"

#include <sys/mman.h>

#include "profile/heap_internal.h"

static struct named c;

/* One object of 128 bytes on the program's heap, allocated by this chain of places. */
static void start(const char *program, __u64 object, const char *const *chain)
{
	struct heap_log *log = calloc(1, sizeof(*log));

	named_run(&c, named_file(program), false);
	assert_non_null(log);
	log->processes = calloc(1, sizeof(*log->processes));
	log->objects = calloc(1, sizeof(*log->objects));
	log->sites = calloc(1, sizeof(*log->sites));
	assert_non_null(log->processes);
	assert_non_null(log->objects);
	assert_non_null(log->sites);
	log->nr_processes = log->nr_objects = log->nr_sites = 1;
	log->processes[0] = (struct heap_process){
		.pid = (__u32)c.pid, .until = ~0ULL, .parent = HEAP_NO_PARENT, .nr = 1,
	};
	log->objects[0] = (struct heap_object){
		.pid = (__u32)c.pid, .start = object, .size = 128, .from = 1, .until = ~0ULL,
	};
	log->sites[0] = (struct heap_site){ .pid = (__u32)c.pid, .objects = 7, .bytes = 896 };
	for (; *chain; chain++)
		/* Return addresses, which are behind the call. */
		log->sites[0].frame[log->sites[0].frames++] =
			named_place(&c, *chain)->address + 1;
	heap_settle(log);
	c.profile.heap = log;
	c.namer = namer_new(&c.profile, NULL);
	assert_non_null(c.namer);
}

static int end(void **state)
{
	named_end(&c);
	return 0;
}

TEST_WITH(by_site, NULL, end)
{
	static const char *const chain[] = { "xmalloc", "make_object", "main", NULL };
	const struct data_name *data;
	char name[128];

	start("sample", 0x5000, chain);
	data = namer_data(c.namer, (__u32)c.pid, 0, 0x5040, 0);
	assert_int_equal(data->kind, DATA_HEAP);
	assert_int_equal(data->start, 0x5000);
	assert_int_equal(data->size, 128);
	assert_int_equal(data->offset, 0x40);
	assert_int_equal(data->objects, 7);
	assert_int_equal(data->nr_frames, 3);
	assert_string_equal(data->frames[0]->function, "xmalloc");
	assert_string_equal(data->frames[2]->function, "main");
	/* A function that allocates for its callers is not the one that is named. */
	assert_non_null(data->site);
	assert_string_equal(data->site->function, "make_object");
	snprintf(name, sizeof(name), "heap, sample.c:%u make_object()",
		 named_place(&c, "make_object")->line);
	assert_string_equal(data->name, name);
	/* There is no object behind it, and no other process has it. */
	assert_int_equal(namer_data(c.namer, (__u32)c.pid, 0, 0x5080, 0)->kind, DATA_UNKNOWN);
	assert_int_equal(namer_data(c.namer, SAMPLE_GONE_PID, 0, 0x5040, 0)->kind, DATA_UNKNOWN);
}

/* If several functions are inlined at one address, the user's function is the outer one. */
TEST_WITH(inlined_library, NULL, end)
{
	static const char *const chain[] = { "hash", "count", NULL };
	const struct data_name *data;

	start("sample-cc", 0x5000, chain);
	data = namer_data(c.namer, (__u32)c.pid, 0, 0x5000, 0);
	assert_non_null(data->site);
	assert_string_equal(data->frames[0]->function, "look(shop::Till const&)");
	assert_string_equal(data->frames[0]->frames[0].function,
			    "std::hash<shop::Till>::operator()(shop::Till const&) const");
	assert_string_equal(data->site->function, "look(shop::Till const&)");
	assert_non_null(strstr(data->name, " look(shop::Till const&)"));
}

static void map(const char *path, __u64 time)
{
	const struct history_map made = {
		.start = 0x4000, .end = 0x8000, .time = time, .prot = PROT_READ | PROT_WRITE,
		.flags = MAP_PRIVATE | MAP_ANONYMOUS, .path = path,
	};

	history_map(c.profile.history, (__u32)c.pid, 0, &made);
	history_settle(c.profile.history, NULL);
}

/*
 * malloc() itself maps and unmaps a large block. What the program maps there later is not the
 * block.
 */
TEST_WITH(mapped_when_it_was_free, NULL, end)
{
	static const char *const chain[] = { "make_object", NULL };
	const struct data_name *data;

	start("sample", 0x5000, chain);
	c.profile.heap->objects[0].until = 50;
	map("//anon", 60);
	data = namer_data(c.namer, (__u32)c.pid, 0, 0x5040, 0);
	assert_int_equal(data->kind, DATA_ANON);
	assert_null(data->site);
}

static void assert_still_noted(const char *path, __u64 time)
{
	map(path, time);
	assert_non_null(namer_data(c.namer, (__u32)c.pid, 0, 0x5040, 0)->site);
}

/*
 * It is the block in the mapping that malloc() made for it, and in the heap, whose growth is
 * reported each time.
 */
TEST_WITH(mapped_for_it, NULL, end)
{
	static const char *const chain[] = { "make_object", NULL };

	start("sample", 0x5000, chain);
	c.profile.heap->objects[0].until = 50;
	assert_still_noted("//anon", 50);
}

TEST_WITH(heap_that_grew, NULL, end)
{
	static const char *const chain[] = { "make_object", NULL };

	start("sample", 0x5000, chain);
	c.profile.heap->objects[0].until = 50;
	assert_still_noted("[heap]", 60);
}

/* It is not forgotten either if another block of the heap was allocated at that place. */
TEST_WITH(mapped_for_another, NULL, end)
{
	static const char *const chain[] = { "make_object", NULL };
	struct heap_log *log;

	start("sample", 0x5000, chain);
	log = c.profile.heap;
	log->objects = realloc(log->objects, 2 * sizeof(*log->objects));
	assert_non_null(log->objects);
	log->objects[1] = log->objects[0];
	log->objects[0].until = 50;
	log->objects[1].from = 61;
	log->objects[1].until = 70;
	log->processes[0].nr = log->nr_objects = 2;
	heap_settle(log);
	assert_still_noted("//anon", 60);
}
