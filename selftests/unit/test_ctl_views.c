// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_test.h"

#include "lib/source.h"
#include "views/buckets.h"
#include "views/lines.h"
#include "views/quality.h"
#include "views/status.h"

/* Collect what a view prints. */
struct page {
	FILE *out;
	char *text;
	size_t size;
};

static void page_open(struct page *page)
{
	page->text = NULL;
	page->out = open_memstream(&page->text, &page->size);
	assert_non_null(page->out);
}

static void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void is_silent(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("\"%s\" is in:\n%s", words, text);
}

/* Print the document and read it back as any reader would. */
static struct json_object *reread(struct json_object *document)
{
	struct json_object *again;

	again = json_tokener_parse(json_object_to_json_string(document));
	assert_non_null(again);
	json_object_put(document);
	return again;
}

static struct json_object *at(struct json_object *object, const char *path)
{
	struct json_object *found = NULL;

	if (json_pointer_get(object, path, &found))
		fail_msg("no %s in %s", path, json_object_to_json_string(object));
	return found;
}

static void is_count(struct json_object *object, const char *path, __u64 count)
{
	struct json_object *found = at(object, path);

	assert_int_equal(json_object_get_type(found), json_type_int);
	assert_int_equal(json_object_get_uint64(found), count);
}

static void folding(void **state)
{
	__u64 count[MEMLAT_SRC_NR], column[COLUMN_NR];
	unsigned int i;

	(void)state;
	/* One bit per source: each must be in one column and only there. */
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		count[i] = 1ULL << i;
	source_fold(count, column);
	assert_int_equal(column[COLUMN_L1], 1 << MEMLAT_SRC_L1);
	assert_int_equal(column[COLUMN_LFB], 1 << MEMLAT_SRC_LFB);
	assert_int_equal(column[COLUMN_L2], 1 << MEMLAT_SRC_L2);
	assert_int_equal(column[COLUMN_L3],
			 1 << MEMLAT_SRC_L3 | 1 << MEMLAT_SRC_L3_SNOOP);
	assert_int_equal(column[COLUMN_L3_HITM], 1 << MEMLAT_SRC_L3_HITM);
	assert_int_equal(column[COLUMN_RCACHE], 1 << MEMLAT_SRC_RCACHE);
	assert_int_equal(column[COLUMN_RHITM], 1 << MEMLAT_SRC_RHITM);
	assert_int_equal(column[COLUMN_DRAM], 1 << MEMLAT_SRC_DRAM);
	assert_int_equal(column[COLUMN_RDRAM], 1 << MEMLAT_SRC_RDRAM);
	assert_int_equal(column[COLUMN_OTHER],
			 1 << MEMLAT_SRC_UNKNOWN | 1 << MEMLAT_SRC_PMEM |
			 1 << MEMLAT_SRC_RPMEM | 1 << MEMLAT_SRC_L4 |
			 1 << MEMLAT_SRC_IO | 1 << MEMLAT_SRC_UNC);
	assert_int_equal(source_total(count), 0xffff);
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		assert_non_null(source_name(i));
}

static void buckets_text(void **state)
{
	struct snapshot snap;
	struct page page;

	(void)state;
	sample_snapshot(&snap);
	page_open(&page);
	buckets_print(page.out, &snap);
	fclose(page.out);
	assert_string_equal(page.text,
"# memlat 1  state running  ldlat 30  period 1009  samples 1000  lost 3  unit cycles  edges skx\n"
"# latency        l1       lfb        l2        l3    l3hitm    rcache     rhitm      dram     rdram     other     total\n"
"<=32              0         0         0         0         0         0         0         0         0         0         0\n"
"<=45              0         0         0        60         0         0         0         0         0         0        60\n"
"<=64              0         0         0         0         0         0         0         0         0         0         0\n"
"<=90              0         0         0         0         0         0         0         0         0         0         0\n"
"<=128             0         0         0         0       200         0         0         0         0         0       200\n"
"<=180             0         0         0         0         0         0         0         0         0         0         0\n"
"<=256             0         0         0         0         0         0         0         0         0         0         0\n"
"<=360             0         0         0         0         0         0       700        10         0         0       710\n"
"<=512             0         0         0         0         0         0         0         0         0         0         0\n"
"<=724             0         0         0         0         0         0         0         0         0         0         0\n"
"<=1024            0         0         0         0         0         0         0         0         0         0         0\n"
"<=2048            0         0         0         0         0         0         0         0         0         0         0\n"
"<=4096            0         0         0         0         0         0         0         0         0         0         0\n"
">4096             0         0         0         0         0         0         0         0         0        30        30\n"
"total             0         0         0        60       200         0       700        10         0        30      1000\n");
	free(page.text);
	snapshot_free(&snap);
}

static void buckets_as_json(void **state)
{
	struct json_object *document;
	struct snapshot snap;

	(void)state;
	sample_snapshot(&snap);
	document = reread(buckets_json(&snap));
	is_count(document, "/abi_version", MEMLAT_ABI_VERSION);
	is_count(document, "/samples", 1000);
	is_count(document, "/lost", 3);
	assert_true(json_object_get_boolean(at(document, "/accounts_hold")));
	assert_int_equal(json_object_array_length(at(document, "/buckets")),
			 MEMLAT_BUCKETS);
	is_count(document, "/buckets/0/above", 0);
	is_count(document, "/buckets/0/to", 32);
	is_count(document, "/buckets/1/above", 32);
	is_count(document, "/buckets/1/sources/l3_snoop", 20);
	is_count(document, "/buckets/13/above", 4096);
	assert_null(at(document, "/buckets/13/to"));
	is_count(document, "/buckets/13/total", 30);
	assert_int_equal(json_object_object_length(at(document,
			 "/buckets/13/sources")), MEMLAT_SRC_NR);
	is_count(document, "/total/total", 1000);
	is_count(document, "/total/sources/rhitm", 700);
	is_count(document, "/total/latency_sum", 400000);
	is_count(document, "/raw/0x0d", 700);
	assert_int_equal(json_object_object_length(at(document, "/raw")), 3);
	json_object_put(document);
	snapshot_free(&snap);
}

static void quality_line(void **state)
{
	struct snapshot snap;
	struct page page;

	(void)state;
	sample_snapshot(&snap);
	page_open(&page);
	quality_print(page.out, &snap.head.status);
	snap.head.status.state = MEMLAT_STATE_IDLE;
	snap.head.status.full_pmis = 1500;
	snap.head.status.flags = MEMLAT_F_KERNEL;
	snap.head.status.pid = 71;
	quality_print(page.out, &snap.head.status);
	fclose(page.out);
	assert_string_equal(page.text,
"12.3 s | 1,000 samples, period 1,009, 3 lost | 4 of 4 CPUs | ldlat 30, user and kernel\n"
"12.3 s | 1,000 samples, period 1,009, 3 lost, buffer full 1,500 times | stopped | ldlat 30, kernel, pid 71\n");
	free(page.text);
	snapshot_free(&snap);
}

static void line_order(void **state)
{
	struct snapshot snap;

	(void)state;
	sample_snapshot(&snap);
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM);
	assert_int_equal(snap.lines[0].addr, 0x55d0c0a04080);
	assert_int_equal(snap.lines[1].addr, 0xffff9c3f8112c040);
	assert_int_equal(snap.lines[2].addr, 0x7f1c2a0041c0);

	/* Few loads that cost much, many that cost little. */
	snap.lines[2].latency_sum = 1000000;
	snap.lines[1].samples = 5000;
	line_sort(snap.lines, snap.nr_lines, LINE_BY_COST);
	assert_int_equal(snap.lines[0].addr, 0x7f1c2a0041c0);
	line_sort(snap.lines, snap.nr_lines, LINE_BY_LOADS);
	assert_int_equal(snap.lines[0].addr, 0xffff9c3f8112c040);

	/* Equal in all: by address. */
	memset(snap.lines, 0, 3 * sizeof(snap.lines[0]));
	snap.lines[0].addr = 128;
	snap.lines[1].addr = 64;
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM);
	assert_int_equal(snap.lines[0].addr, 0);
	assert_int_equal(snap.lines[1].addr, 64);
	assert_int_equal(snap.lines[2].addr, 128);
	snapshot_free(&snap);
	line_sort(NULL, 0, LINE_BY_HITM);
}

static void line_readings(void **state)
{
	struct memlat_rec_line line = {
		.samples = 100,
		.source = { [MEMLAT_SRC_RHITM] = 60, [MEMLAT_SRC_L3_HITM] = 40 },
		.slot_hitm = { 100 },
	};

	(void)state;
	assert_int_equal(line_read(&line), LINE_TRUE_SHARING);
	line.slot_hitm[0] = 50;
	line.slot_hitm[7] = 50;
	assert_int_equal(line_read(&line), LINE_FALSE_SHARING);
	/* A stray load of a neighbour does not make a second party. */
	line.slot_hitm[0] = 91;
	line.slot_hitm[7] = 9;
	assert_int_equal(line_read(&line), LINE_TRUE_SHARING);
	line.slot_hitm[0] = 90;
	line.slot_hitm[7] = 10;
	assert_int_equal(line_read(&line), LINE_FALSE_SHARING);
	/* HITM is rare among its loads. */
	line.samples = 1001;
	assert_int_equal(line_read(&line), LINE_PLAIN);
	line.samples = 1000;
	assert_int_equal(line_read(&line), LINE_FALSE_SHARING);
	/* Too few to say anything. */
	memset(&line, 0, sizeof(line));
	line.samples = 9;
	line.source[MEMLAT_SRC_RHITM] = 9;
	line.slot_hitm[0] = 9;
	assert_int_equal(line_read(&line), LINE_PLAIN);
	memset(&line, 0, sizeof(line));
	assert_int_equal(line_read(&line), LINE_PLAIN);
}

static char *lines_text(const struct snapshot *snap, size_t show, size_t width)
{
	const struct lines_view view = {
		.snap = snap, .order = LINE_BY_HITM, .show = show, .width = width,
	};
	struct page page;

	page_open(&page);
	assert_int_equal(lines_print(page.out, &view), 0);
	fclose(page.out);
	return page.text;
}

static void lines_as_text(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM);
	text = lines_text(&snap, 20, 200);
	says(text, "1,000 samples, period 1,009, 3 lost");
	says(text, " 61.2%      0x55d0c0a04080       700         0    700");
	says(text, " 17.5%  0xffff9c3f8112c040         0       200    200");
	says(text, "bad\\033\"\\134\\377\\303 name...:");
	is_silent(text, "\033");
	says(text, "  kernel  ");
	says(text, "  quiet:2147483646  ");
	says(text, "+0x00 52% +0x08 48%  ");
	says(text, "+0x38 100%  ");
	says(text, "4 of 1,000 samples are of lines that had to leave");
	says(text, "Line 1: 700 of 700 loads");
	says(text, "on nodes 0,1,\n");
	says(text, "likely false sharing");
	is_silent(text, "left out");
	is_silent(text, "-n 0");
	free(text);

	text = lines_text(&snap, 1, 60);
	says(text, "(left out, too narrow: nodes, process, offsets (of loads), CPUs, max cyc;");
	says(text, "(1 of 3 lines, by hitm; -n 0 shows all)");
	is_silent(text, "kernel\n1");
	free(text);

	text = lines_text(&snap, 0, 200);
	says(text, "0x7f1c2a0041c0");
	free(text);

	/* Slots with less than a fifth of the loads are not named; then none is. */
	memset(snap.lines[2].slot, 0, sizeof(snap.lines[2].slot));
	snap.lines[2].slot[0] = 40;
	snap.lines[2].slot[1] = 41;
	snap.lines[2].slot[2] = 19;
	says(text = lines_text(&snap, 0, 200), "  +0x00 40% +0x08 41%  ");
	free(text);
	snap.lines[2].slot[0] = 19;
	snap.lines[2].slot[1] = 19;
	for (size_t i = 3; i < 6; i++)
		snap.lines[2].slot[i] = 14;
	says(text = lines_text(&snap, 0, 200), "  spread  ");
	free(text);
	snapshot_free(&snap);
}

/* A hot slot of a line of one node alone reads as true sharing. */
static void lines_true_sharing(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM);
	snap.lines[0] = snap.lines[1];
	text = lines_text(&snap, 1, 200);
	says(text, "on node 0,\nat +0x18 100% (of the HITM loads): likely true sharing");
	free(text);
	snapshot_free(&snap);
}

static void lines_without_samples(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	snap.nr_lines = 0;
	snap.head.status.samples = 0;
	snap.head.status.latency_sum = 0;
	snap.head.status.pid = 71;
	text = lines_text(&snap, 20, 132);
	says(text, "No samples: no load longer than 30 cycles");
	says(text, "lower --ldlat or --period");
	says(text, "7 records of other processes were left out by -p 71");
	is_silent(text, "%");
	free(text);

	snap.head.status.started_ns = 0;
	text = lines_text(&snap, 20, 132);
	says(text, "nothing was started");
	says(text, "memlat-ctl start --ldlat 30");
	free(text);
	snapshot_free(&snap);
}

static void lines_as_json(void **state)
{
	struct json_object *document;
	struct lines_view view = { .order = LINE_BY_HITM, .show = 2 };
	struct snapshot snap;

	(void)state;
	sample_snapshot(&snap);
	line_sort(snap.lines, snap.nr_lines, LINE_BY_HITM);
	snap.lines[0].latency_sum = 200001;
	view.snap = &snap;
	document = reread(lines_json(&view));
	is_count(document, "/lines_total", 3);
	is_count(document, "/lines_shown", 2);
	assert_int_equal(json_object_array_length(at(document, "/lines")), 2);
	assert_string_equal(json_object_get_string(at(document, "/sort")), "hitm");
	assert_string_equal(json_object_get_string(at(document, "/lines/0/addr")),
			    "0x55d0c0a04080");
	assert_string_equal(json_object_get_string(at(document, "/lines/0/comm")),
			    "bad\033\"\\\\377\\303 name...");
	is_count(document, "/lines/0/pid", (__u64)getpid());
	is_count(document, "/lines/0/loads", 700);
	is_count(document, "/lines/0/hitm/remote", 700);
	is_count(document, "/lines/0/hitm/local", 0);
	is_count(document, "/lines/0/slots/1", 336);
	is_count(document, "/lines/0/slot_hitm/0", 364);
	is_count(document, "/lines/0/hitm_nodes/1", 1);
	is_count(document, "/lines/0/cpus/3", 3);
	assert_string_equal(json_object_get_string(at(document, "/lines/0/reading")),
			    "false_sharing");
	assert_string_equal(json_object_get_string(at(document, "/lines/0/ip")),
			    "0x401136");
	assert_true(json_object_get_double(at(document, "/lines/0/cost")) > 0.50000);
	assert_true(json_object_get_double(at(document, "/lines/0/cost")) < 0.50001);
	assert_true(json_object_get_boolean(at(document, "/lines/1/kernel")));
	json_object_put(document);

	/* No share of nothing. */
	snap.head.status.latency_sum = 0;
	document = reread(lines_json(&view));
	assert_null(at(document, "/lines/0/cost"));
	json_object_put(document);
	snapshot_free(&snap);
}

static const struct memlat_query query = {
	.abi_version = 1,
	.ldlat_min = 3,
	.ldlat_max = 65535,
	.period_max = INT64_MAX,
	.pebs_format = 3,
	.model_name = "skx",
	.model_title = "Skylake-SP",
};

static void status_as_text(void **state)
{
	struct snapshot snap;
	struct page page;

	(void)state;
	sample_snapshot(&snap);
	page_open(&page);
	status_print(page.out, &query, &snap.head.status, 17000000000);
	fclose(page.out);
	says(page.text, "state     running, since 12.0 s\n");
	says(page.text, "samples   loads longer than 30 cycles, one in 1,009, user and kernel mode, all processes\n");
	says(page.text, "machine   Skylake-SP (skx), PEBS format 3, 4 of 4 CPUs sampling, 2 nodes\n");
	says(page.text, "account   1,010 records = 1,000 samples + 7 filtered + 2 malformed + 1 collision: holds\n");
	says(page.text, "\nlines_evicted                   4         samples whose line left");
	says(page.text, "\nlatency_sum               400,000 cycles  sum of");
	free(page.text);

	snap.head.status.records++;
	snap.head.status.state = MEMLAT_STATE_IDLE;
	page_open(&page);
	status_print(page.out, &query, &snap.head.status, 17000000000);
	fclose(page.out);
	says(page.text, "idle; figures are of the last session");
	says(page.text, "DOES NOT HOLD");
	free(page.text);

	memset(&snap.head.status, 0, sizeof(snap.head.status));
	page_open(&page);
	status_print(page.out, &query, &snap.head.status, 17000000000);
	fclose(page.out);
	says(page.text, "nothing was started");
	is_silent(page.text, "loads longer");
	free(page.text);
	snapshot_free(&snap);
}

static void status_as_json(void **state)
{
	/* Counters are told under their names in struct memlat_status. */
	static const char *const names[] = {
		"records", "samples", "filtered", "malformed", "collision",
		"full_pmis", "lines", "lines_evicted", "pmis", "late_pmis",
		"switch_drains", "merges", "store_bytes", "max_memory",
		"latency_sum", "latency_max",
	};
	struct json_object *document;
	struct snapshot snap;
	unsigned int i;

	(void)state;
	sample_snapshot(&snap);
	snap.head.status.latency_max = UINT64_MAX;
	document = reread(status_json(&query, &snap.head.status));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_true(json_object_object_get_ex(document, names[i],
						      NULL));
	is_count(document, "/lines_evicted", 4);
	is_count(document, "/latency_max", UINT64_MAX);
	is_count(document, "/ldlat", 30);
	is_count(document, "/limits/period_max", INT64_MAX);
	assert_true(json_object_get_boolean(at(document, "/kernel")));
	assert_false(json_object_get_boolean(at(document, "/no_guests")));
	assert_true(json_object_get_boolean(at(document, "/accounts_hold")));
	assert_string_equal(json_object_get_string(at(document, "/cpu/title")),
			    "Skylake-SP");
	assert_string_equal(json_object_get_string(at(document, "/state")),
			    "running");
	json_object_put(document);
	snapshot_free(&snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folding),
		cmocka_unit_test(buckets_text),
		cmocka_unit_test(buckets_as_json),
		cmocka_unit_test(quality_line),
		cmocka_unit_test(line_order),
		cmocka_unit_test(line_readings),
		cmocka_unit_test(lines_as_text),
		cmocka_unit_test(lines_true_sharing),
		cmocka_unit_test(lines_without_samples),
		cmocka_unit_test(lines_as_json),
		cmocka_unit_test(status_as_text),
		cmocka_unit_test(status_as_json),
	};

	return cmocka_run_group_tests_name("ctl_views", tests, NULL, NULL);
}
