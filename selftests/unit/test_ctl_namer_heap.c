// SPDX-License-Identifier: GPL-2.0
/* Heap objects by where they were allocated. */
#include "ctl_named.h"

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
		/* Return addresses: behind the call. */
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
	/* What allocates for others is not who wanted it. */
	assert_non_null(data->site);
	assert_string_equal(data->site->function, "make_object");
	snprintf(name, sizeof(name), "heap, sample.c:%u make_object()",
		 named_place(&c, "make_object")->line);
	assert_string_equal(data->name, name);
	/* Behind it there is none, and nobody else has it. */
	assert_int_equal(namer_data(c.namer, (__u32)c.pid, 0, 0x5080, 0)->kind, DATA_UNKNOWN);
	assert_int_equal(namer_data(c.namer, SAMPLE_GONE_PID, 0, 0x5040, 0)->kind, DATA_UNKNOWN);
}

/* The user's function is the outer one of those at one address. */
TEST_WITH(inlined_library, NULL, end)
{
	static const char *const chain[] = { "hash", "count", NULL };
	const struct data_name *data;

	start("sample-cc", 0x5000, chain);
	data = namer_data(c.namer, (__u32)c.pid, 0, 0x5000, 0);
	assert_non_null(data->site);
	assert_string_equal(data->frames[0]->function,
			    "std::hash<shop::Till>::operator()(shop::Till const&) const");
	assert_string_equal(data->site->function, "look(shop::Till const&)");
	assert_non_null(strstr(data->name, " look(shop::Till const&)"));
}
