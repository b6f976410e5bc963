// SPDX-License-Identifier: GPL-2.0
/* The truth: what is counted, and in which bracket. */
#include "truth_test.h"

TEST_WITH(test_empty, setup, teardown)
{
	json_object *json = bracket(*state), *c = get(json, "counted");

	HAS(json, "/machine skx", "/cpus 4", "/bracket 0");
	assert_true(json_object_get_boolean(get(json, "open")));
	assert_int_equal(num(c, "total"), 0);
	assert_int_equal(json_object_object_length(get(c, "by_raw")), 0);
	assert_int_equal(json_object_array_length(get(c, "by_bucket")), 14);
	assert_int_equal(sum(get(c, "by_bucket")), 0);
	assert_int_equal(sum(get(c, "by_source")), 0);
	HAS(json, "/all/loads 0", "/records/written 0");
	assert_int_equal(json_object_array_length(get(get(json, "records"), "per_cpu")), 4);
	assert_int_equal(num(get(json, "pmis"), "sent"), 0);
	assert_int_equal(json_object_array_length(get(json, "lines")), 0);
	HAS(json, "/lines_total 0", "/lines_truncated 0");
	assert_int_equal(json_object_array_length(get(json, "violations")), 0);
}

/* One load for each code. The tests depend on these names. */
TEST_WITH(test_sources, setup, teardown)
{
	static const struct {
		const char *name;
		unsigned int count;
	} want[] = {
		{ "unknown", 1 }, { "l1", 1 }, { "lfb", 1 }, { "l2", 1 }, { "l3", 1 },
		{ "l3_snoop", 2 }, { "l3_hitm", 1 }, { "pmem", 1 }, { "rpmem", 1 },
		{ "dram", 1 }, { "rdram", 1 }, { "rcache", 1 }, { "rhitm", 1 }, { "io", 1 },
		{ "unc", 1 },
	};
	json_object *json, *by_source, *by_raw, *cells;
	unsigned int i;
	char key[8];

	for (i = 0; i < 16; i++)
		counted(*state, 0, 0x1000, 0x400000, (uint8_t)i, 100 * i + 1);
	json = bracket(*state);
	by_source = get(get(json, "counted"), "by_source");
	assert_int_equal(json_object_object_length(by_source), sizeof(want) / sizeof(want[0]));
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(num(by_source, want[i].name), want[i].count);
	by_raw = get(get(json, "counted"), "by_raw");
	for (i = 0; i < 16; i++) {
		snprintf(key, sizeof(key), "0x%02x", i);
		assert_int_equal(num(by_raw, key), 1);
	}
	assert_int_equal(num(get(get(json, "counted"), "latency_by_source"), "l3_snoop"),
			 501 + 601);
	cells = get(get(get(json, "counted"), "by_source_bucket"), "l3_snoop");
	assert_int_equal(num_at(cells, 8), 1);	/* 361..512 */
	assert_int_equal(num_at(cells, 9), 1);	/* 513..724 */
	assert_int_equal(sum(cells), 2);
}

TEST_WITH(test_raw_bits, setup, teardown)
{
	struct vp_access access = { .locked = true, .vaddr = 64, .paddr = 64 };
	struct vp_outcome outcome = { .code = VP_DRAM, .stlb_miss = true, .latency = 1 };
	json_object *json, *by_raw;

	assert_int_equal(vp_encode_load(&vp_encoding_skl, &access, &outcome), 0x3a);
	vp_truth_counted(*state, &access, &outcome);
	outcome.stlb_miss = false;
	assert_int_equal(vp_encode_load(&vp_encoding_skl, &access, &outcome), 0x2a);
	vp_truth_counted(*state, &access, &outcome);
	access.locked = false;
	outcome.stlb_miss = true;
	assert_int_equal(vp_encode_load(&vp_encoding_skl, &access, &outcome), 0x1a);
	vp_truth_counted(*state, &access, &outcome);
	json = bracket(*state);
	by_raw = get(get(json, "counted"), "by_raw");
	HAS(by_raw, "/0x3a 1", "/0x2a 1", "/0x1a 1");
	assert_int_equal(num(get(get(json, "counted"), "by_source"), "dram"), 3);
}

TEST_WITH(test_bucket_edges, setup, teardown)
{
	static const uint32_t edge[] = {
		32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096
	};
	json_object *json, *bucket;
	unsigned int i;

	for (i = 0; i < 13; i++) {
		counted(*state, 0, 0x1000, 1, VP_L2, edge[i]);		/* the row's last */
		counted(*state, 0, 0x1000, 1, VP_L2, edge[i] + 1);	/* the next one's first */
	}
	counted(*state, 0, 0x1000, 1, VP_L2, 0);
	counted(*state, 0, 0x1000, 1, VP_L2, UINT32_MAX);
	json = bracket(*state);
	bucket = get(get(json, "counted"), "by_bucket");
	for (i = 0; i < 14; i++)
		assert_int_equal(num_at(bucket, i), 2);
}

TEST_WITH(test_lines, setup, teardown)
{
	json_object *json, *lines, *line;
	struct vp_access other = { .vaddr = 0x7f0000001040, .paddr = 0x9040, .ip = 0x400100 };
	struct vp_outcome outcome = { .code = VP_L3, .latency = 60 };

	/* CPU 0 is in node 0, CPUs 2 and 3 are in node 1. */
	counted(*state, 0, 0x7f0000001040, 0x400100, VP_RHITM, 350);
	counted(*state, 0, 0x7f0000001078, 0x400100, VP_DRAM, 220);
	counted(*state, 3, 0x7f000000107f, 0x400200, VP_L3_HITM, 110);
	counted(*state, 2, 0x7f0000002000, 0x400200, VP_RHITM, 350);
	vp_truth_counted(*state, &other, &outcome);	/* another process's page */
	json = bracket(*state);
	assert_int_equal(num(json, "lines_total"), 3);
	lines = get(json, "lines");
	assert_int_equal(json_object_array_length(lines), 3);

	line = at(lines, 0);
	HAS(line, "/vaddr 0x7f0000001040", "/paddr 0x1040", "/counted 3", "/by_source/rhitm 1",
	    "/by_source/l3_hitm 1", "/by_source/dram 1");
	assert_int_equal(json_object_object_length(get(line, "by_source")), 3);
	HAS(line, "/slots/0 1", "/slots/7 2");
	assert_int_equal(sum(get(line, "slots")), 3);
	HAS(line, "/slot_hitm/0 1", "/slot_hitm/7 1");
	assert_int_equal(sum(get(line, "slot_hitm")), 2);
	assert_int_equal(num(line, "hitm_nodes"), 3);

	/* Lines with equal counts are sorted by address. */
	HAS(lines, "/1/vaddr 0x7f0000001040", "/1/paddr 0x9040", "/1/hitm_nodes 0",
	    "/2/vaddr 0x7f0000002000", "/2/hitm_nodes 2");

	HAS(json, "/ips_total 2", "/ips/0/ip 0x400100", "/ips/0/counted 3", "/ips/1/counted 2");
}

/* 5000 lines and instructions, the later ones more often. The lists have fewer. */
TEST_WITH(test_top, setup, teardown)
{
	json_object *json, *list;
	uint64_t total = 0, rest = 0;
	unsigned int i, n;

	for (i = 1; i <= 5000; i++) {
		n = i / 100 + 1;
		total += n;
		while (n--)
			counted(*state, i % 4, i * 64ULL, 0x400000 + i, VP_DRAM, 200);
	}
	json = bracket(*state);
	assert_int_equal(num(get(json, "counted"), "total"), total);
	list = get(json, "lines");
	assert_int_equal(json_object_array_length(list), 4096);
	assert_int_equal(num(json, "lines_total"), 5000);
	assert_string_equal(str(at(list, 0), "vaddr"), "0x4e200");	/* 5000 * 64 */
	assert_int_equal(num(at(list, 0), "counted"), 51);
	for (i = 1; i < 4096; i++)
		assert_true(num(at(list, i), "counted") <= num(at(list, i - 1), "counted"));
	for (i = 1; i <= 5000 - 4096; i++)
		rest += i / 100 + 1;
	assert_int_equal(num(json, "lines_truncated"), rest);
	assert_int_equal(sum_of(list, "counted") + rest, total);

	list = get(json, "ips");
	assert_int_equal(json_object_array_length(list), 1024);
	assert_int_equal(num(json, "ips_total"), 5000);
	assert_int_equal(sum_of(list, "counted") + num(json, "ips_truncated"), total);
}

/* All ways to add up have the same total. */
TEST_WITH(test_conservation, setup, teardown)
{
	json_object *json, *c;
	uint64_t seed = 5, latency = 0;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		struct vp_access access = { .size = 8 };
		struct vp_outcome outcome = { 0 };

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		access.cpu = seed >> 62;
		access.locked = seed >> 61 & 1;
		access.vaddr = (seed >> 40 & 0xffff) * 24;
		access.paddr = access.vaddr + 4096 * (seed >> 60 & 1);
		access.ip = seed >> 36 & 0xfff;
		outcome.code = seed >> 32 & 15;
		outcome.stlb_miss = seed >> 31 & 1;
		outcome.latency = seed >> 20 & 0x1fff;
		latency += outcome.latency;
		vp_truth_counted(*state, &access, &outcome);
	}
	json = bracket(*state);
	c = get(json, "counted");
	assert_int_equal(num(c, "total"), 100000);
	assert_int_equal(sum(get(c, "by_raw")), 100000);
	assert_int_equal(sum(get(c, "by_source")), 100000);
	assert_int_equal(sum(get(c, "by_bucket")), 100000);
	assert_int_equal(num(c, "latency_sum"), latency);
	assert_int_equal(sum(get(c, "latency_by_source")), latency);
	assert_int_equal(sum_of(get(json, "lines"), "counted") + num(json, "lines_truncated"),
			 100000);
	assert_int_equal(sum_of(get(json, "ips"), "counted") + num(json, "ips_truncated"),
			 100000);
	assert_int_equal(sum_of(get(get(json, "records"), "per_cpu"), "counted"), 100000);
	assert_true(num(json, "lines_truncated") > 0);
}

TEST_WITH(test_accesses, setup, teardown)
{
	struct vp_access access = { .cpu = 1, .user = true };
	struct vp_outcome outcome = { .code = VP_L3_CLEAN };
	json_object *json, *all;
	unsigned int i;

	for (i = 0; i < 5; i++)
		vp_truth_access(*state, &access, &outcome);
	access.user = false;
	access.cpu = 3;
	outcome.code = VP_L1;
	access.locked = true;
	vp_truth_access(*state, &access, &outcome);
	access.store = true;
	vp_truth_access(*state, &access, &outcome);
	access.user = true;
	access.locked = false;
	vp_truth_access(*state, &access, &outcome);
	json = bracket(*state);
	all = get(json, "all");
	HAS(all, "/loads 6", "/stores 2", "/user_loads 5", "/user_stores 1", "/locked 2",
	    "/by_source/l3_snoop 5", "/by_source/l1 1");
	assert_int_equal(sum(get(all, "by_source")), 6);
}

TEST_WITH(test_records, setup, teardown)
{
	struct vp_access access = { .cpu = 2, .vaddr = 0x1008, .paddr = 0x1008, .ip = 0x400 };
	json_object *json, *records, *lost, *cpu;

	counted(*state, 2, 0x1008, 0x400, VP_DRAM, 200);
	vp_truth_record(*state, &access, VP_WRITTEN, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_WRITTEN, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_LOST_BUFFER_FULL, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_LOST_DS_UNMAPPED, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_LOST_DS_UNMAPPED, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_LOST_BAD_DS, VP_NO_WORD);
	vp_truth_record(*state, &access, VP_LOST_NO_PEBS, VP_NO_WORD);
	access.store = true;
	vp_truth_record(*state, &access, VP_WRITTEN, VP_NO_WORD);
	vp_truth_pmi(*state, 2, true);
	vp_truth_pmi(*state, 2, true);
	vp_truth_pmi(*state, 2, false);
	vp_truth_pmi(*state, 0, true);

	json = bracket(*state);
	records = get(json, "records");
	HAS(records, "/written 3", "/written_loads 2");
	lost = get(records, "lost");
	HAS(lost, "/buffer_full 1", "/ds_unmapped 2", "/bad_ds 1", "/no_pebs 1");
	assert_int_equal(json_object_object_length(lost), VP_FATES - 1);
	cpu = at(get(records, "per_cpu"), 2);
	HAS(cpu, "/cpu 2", "/counted 1", "/written 3", "/lost 5", "/pmis 2", "/pmis_masked 1");
	assert_int_equal(num(at(get(records, "per_cpu"), 0), "pmis"), 1);
	HAS(json, "/pmis/sent 3", "/pmis/masked 1",
	    /* Lines and instructions count only the records of loads. */
	    "/lines/0/records 2", "/ips/0/records 2");
}

/* n events, and so many of them by line and instruction. */
static void assert_kept(json_object *json, unsigned int number, uint64_t n, uint64_t kept)
{
	assert_int_equal(num(json, "bracket"), number);
	has_totals(json, n, 14 * n, n, n, n);
	assert_int_equal(sum_of(get(json, "lines"), "counted"), kept);
	assert_int_equal(sum_of(get(json, "lines"), "records"), kept);
	assert_int_equal(sum_of(get(json, "ips"), "counted"), kept);
}

static void assert_events(json_object *json, unsigned int number, uint64_t n)
{
	assert_kept(json, number, n, n);
}

TEST_WITH(test_brackets, setup, teardown)
{
	json_object *json;

	feed(*state, 3);
	assert_events(bracket(*state), 0, 3);
	vp_truth_begin(*state);
	assert_events(bracket(*state), 1, 0);
	feed(*state, 10);
	assert_events(bracket(*state), 1, 10);
	vp_truth_end(*state);
	feed(*state, 100);
	assert_events(bracket(*state), 1, 10);
	json = bracket(*state);
	assert_false(json_object_get_boolean(get(json, "open")));
	vp_truth_end(*state);		/* a second end changes nothing */
	assert_events(bracket(*state), 1, 10);
	vp_truth_begin(*state);
	feed(*state, 1000);
	vp_truth_begin(*state);		/* and a begin without an end starts over */
	feed(*state, 2000);
	vp_truth_end(*state);
	assert_events(bracket(*state), 3, 2000);
	feed(*state, 5);
	/* The figures of the whole run have all of it, and the lines of the brackets. */
	assert_kept(parse(*state, vp_truth_json_run), 3, 3 + 10 + 100 + 1000 + 2000 + 5,
		    3 + 10 + 1000 + 2000);
}
