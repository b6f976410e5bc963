// SPDX-License-Identifier: GPL-2.0
/* The truth by type of core, in the words of each type. */
#include "truth_test.h"

static int setup_arlh(void **state)
{
	static const struct vp_topology three = {
		.cpus = 3, .nodes = 1, .node_mem = { 512ULL << 20 },
	};

	*state = vp_truth_new(&three, vp_model_find("arlh"));
	return *state ? 0 : -1;
}

static int setup_nhm(void **state)
{
	*state = vp_truth_new(&topology, vp_model_find("nhm"));
	return *state ? 0 : -1;
}

static int setup_icx(void **state)
{
	*state = vp_truth_new(&topology, vp_model_find("icx"));
	return *state ? 0 : -1;
}

static int setup_spr(void **state)
{
	*state = vp_truth_new(&topology, vp_model_find("spr"));
	return *state ? 0 : -1;
}

static void record(struct vp_truth *truth, unsigned int cpu, bool store, enum vp_fate fate,
		   uint32_t word)
{
	const struct vp_access access = {
		.cpu = cpu, .store = store, .vaddr = 0x1000, .paddr = 0x1000, .ip = 7,
	};

	vp_truth_record(truth, &access, fate, word);
}

TEST_WITH(words_of_each_kind, setup_arlh, teardown)
{
	json_object *json, *cores, *p, *e, *lp;

	record(*state, 0, false, VP_WRITTEN, 0xc0d);
	record(*state, 0, false, VP_WRITTEN, 0xc0d);
	record(*state, 0, false, VP_WRITTEN, 0x11);
	record(*state, 0, false, VP_LOST_BUFFER_FULL, 0x11);
	record(*state, 0, false, VP_WRITTEN, VP_NO_WORD);	/* of another event */
	record(*state, 1, false, VP_WRITTEN, 0x48);
	record(*state, 1, true, VP_WRITTEN, VP_NO_WORD);
	record(*state, 2, true, VP_WRITTEN, VP_NO_WORD);
	record(*state, 2, true, VP_WRITTEN, VP_NO_WORD);

	json = bracket(*state);
	cores = get(json, "cores");
	assert_int_equal(json_object_array_length(cores), 3);
	p = at(cores, 0);
	e = at(cores, 1);
	lp = at(cores, 2);
	assert_string_equal(str(p, "core"), "arl-p");
	assert_string_equal(str(e, "core"), "arl-e");
	assert_string_equal(str(lp, "core"), "arl-lp");
	assert_int_equal(num(get(p, "by_raw"), "0x6d"), 2);	/* 0xd, flags 3 */
	assert_int_equal(num(get(p, "by_raw"), "0x11"), 1);
	assert_int_equal(sum(get(p, "by_raw")), 3);
	HAS(p, "/written 3", "/written_stores 0");
	HAS(e, "/by_raw/0x48 1", "/written 1", "/written_stores 1");
	assert_int_equal(sum(get(lp, "by_raw")), 0);
	assert_int_equal(num(lp, "written_stores"), 2);
	assert_int_equal(num(get(json, "records"), "written"), 8);

	/* The next bracket begins at 0. The figures of the whole run have everything. */
	vp_truth_begin(*state);
	record(*state, 1, false, VP_WRITTEN, 0x48);
	HAS(bracket(*state), "/cores/1/written 1", "/cores/0/written 0");
	HAS(parse(*state, vp_truth_json_run), "/cores/1/written 2", "/cores/0/by_raw/0x6d 2");
}

TEST_WITH(counted_in_each_kind, setup_arlh, teardown)
{
	counted(*state, 0, 0x1000, 7, VP_L3_HITM, 100);
	counted(*state, 1, 0x1000, 7, VP_L3_HITM, 100);
	counted(*state, 2, 0x1000, 7, VP_RDRAM, 100);
	HAS(bracket(*state), "/counted/by_raw/0x0d 1", "/counted/by_raw/0x08 1",
	    "/counted/by_raw/0x0b 1", "/counted/by_source/l3_hitm 2", "/counted/by_source/rdram 1",
	    "/counted/total 3", "/machine arlh");
}

/* The truth does not claim that a core's word reports what it cannot report. */
TEST_WITH(as_the_word_tells, setup_nhm, teardown)
{
	struct vp_access access = { .vaddr = 0x1000, .paddr = 0x1000, .ip = 7, .locked = true };
	struct vp_outcome o = { .code = VP_L3_MISS, .stlb_miss = true, .latency = 70 };

	vp_truth_access(*state, &access, &o);
	vp_truth_counted(*state, &access, &o);
	o.code = VP_PMEM;
	vp_truth_access(*state, &access, &o);
	vp_truth_counted(*state, &access, &o);
	HAS(bracket(*state), "/counted/by_source/l3 1", "/counted/by_source/l3_snoop 0",
	    "/counted/by_source/unknown 1", "/all/by_source/l3 1", "/lines/0/by_source/l3 1",
	    /* No flags: Nehalem has none. */
	    "/counted/by_raw/0x04 1", "/counted/by_raw/0x00 1");
}

/*
 * For the core's word a forward is a forward, clean or modified. The truth of a line distinguishes
 * them.
 */
TEST_WITH(forwarded, setup_icx, teardown)
{
	counted(*state, 0, 0x1000, 7, VP_L3_CLEAN, 76);
	counted(*state, 0, 0x1000, 7, VP_L3_CLEAN, 76);
	counted(*state, 0, 0x1000, 7, VP_L3_HITM, 110);
	HAS(bracket(*state), "/counted/by_raw/0x07 3", "/counted/by_source/l3_hitm 3",
	    "/lines/0/by_source/l3_hitm 3", "/lines/0/slot_hitm/0 3", "/lines/0/modified 1");
}

/* Two latencies: each has buckets and a sum. */
TEST_WITH(memorys_part, setup_spr, teardown)
{
	struct vp_access access = { .vaddr = 0x1000, .paddr = 0x1000, .ip = 7 };
	struct vp_outcome o = { .code = VP_L1, .latency = 5, .wait = 213 };
	json_object *json, *c;

	vp_truth_qualify(*state, 30);
	vp_truth_access(*state, &access, &o);
	vp_truth_counted(*state, &access, &o);
	o = (struct vp_outcome) { .code = VP_L3, .latency = 96, .wait = 24 };
	vp_truth_counted(*state, &access, &o);
	json = bracket(*state);
	c = get(json, "counted");
	assert_int_equal(num(c, "latency_sum"), 218 + 120);
	assert_int_equal(num(get(c, "latency_by_source"), "l1"), 218);
	assert_int_equal(num(c, "memory_sum"), 5 + 96);
	HAS(c, "/memory_by_source/l1 5", "/memory_by_source/l3 96");
	assert_int_equal(sum(get(c, "memory_by_bucket")), 2);
	HAS(c, "/memory_by_bucket/0 1", "/by_bucket/0 0");
	assert_int_equal(num(at(get(json, "by_cpu"), 0), "qualified_kernel"), 1);
}

static void store(struct vp_truth *truth, uint8_t code, uint32_t latency, uint32_t word)
{
	const struct vp_access access = {
		.store = true, .vaddr = 0x1000, .paddr = 0x1000, .ip = 7, .size = 8,
	};
	const struct vp_outcome o = { .code = code, .latency = latency, .wait = 3 };

	vp_truth_stored(truth, &access, &o);
	vp_truth_record(truth, &access, VP_WRITTEN, word);
}

/* Two writers that never read: only their stores show that they share. */
TEST_WITH(stores_tell, setup_spr, teardown)
{
	json_object *json, *stores, *line, *core;

	store(*state, VP_L3_HITM, 110, 0x07);
	store(*state, VP_L3_CLEAN, 76, 0x07);
	store(*state, VP_RHITM, 345, 0x0d);
	json = bracket(*state);
	stores = get(json, "stores");
	HAS(stores, "/counted 3", "/by_source/l3_hitm 2", "/by_source/rhitm 1");
	assert_int_equal(num(get(stores, "memory_by_source"), "l3_hitm"), 110 + 76);
	core = at(get(json, "cores"), 0);
	HAS(core, "/stores_by_raw/0x07 2", "/stores_by_raw/0x0d 1");
	assert_int_equal(sum(get(core, "by_raw")), 0);
	HAS(core, "/written 0", "/written_stores 3");
	line = at(get(json, "lines"), 0);
	HAS(line, "/store_modified 2", "/stores_by_source/l3_hitm 2");
}

/* On other cores a store's record only says whether it hit L1, and so does the truth. */
TEST_WITH(stores_silent, setup_icx, teardown)
{
	json_object *json, *stores, *line;

	store(*state, VP_L3_HITM, 110, VP_NO_WORD);
	json = bracket(*state);
	stores = get(json, "stores");
	assert_int_equal(num(stores, "counted"), 1);
	assert_int_equal(json_object_object_length(get(stores, "by_source")), 0);
	assert_int_equal(json_object_object_length(get(stores, "memory_by_source")), 0);
	line = at(get(json, "lines"), 0);
	assert_int_equal(num(line, "store_modified"), 1);
	assert_int_equal(json_object_object_length(get(line, "stores_by_source")), 0);
}

TEST(no_model)
{
	errno = 0;
	assert_null(vp_truth_new(&topology, NULL));
	assert_int_equal(errno, EINVAL);
}
