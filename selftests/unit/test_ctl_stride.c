// SPDX-License-Identifier: GPL-2.0
/* What steps between loads come to, and how memlat-ctl stride tells it. */
#include <errno.h>
#include <unistd.h>

#include "ctl_own.h"

#include "lib/stride.h"
#include "views/stride.h"

#define ROWS		4096
#define IP		0x401136ULL

static struct memlat_rec_stride rows[ROWS];
static struct memlat_rec_site site;
static struct snapshot snap;
static struct strides found;

static void begin(void)
{
	memset(&snap, 0, sizeof(snap));
	memset(rows, 0, sizeof(rows));
	memset(&site, 0, sizeof(site));
	site.ip = IP;
	site.space = 71;
	snap.strides = rows;
	snap.sites = &site;
	snap.head.status.traits = MEMLAT_TRAIT_TLB;
	snap.head.status.cores = 1;
}

/* As the module does it: one row for each step. */
static void pairs(__s64 step, __u64 nr)
{
	size_t i;

	for (i = 0; i < snap.nr_strides && rows[i].step != step; i++)
		;
	if (i == snap.nr_strides) {
		assert_true(i < ROWS);
		rows[i].ip = IP;
		rows[i].space = 71;
		rows[i].step = step;
		snap.nr_strides++;
	}
	rows[i].pairs += nr;
	rows[i].new_page += step >= 4096 || step <= -4096 ? nr : 0;
}

/* Its loads, and how many of them missed the STLB. */
static void loads(__u64 nr, __u64 missed)
{
	site.samples = nr;
	site.stlb_miss = missed;
	site.cost = 1000;
	snap.nr_sites = 1;
}

static const struct stride_site *find(void)
{
	assert_int_equal(strides_find(&found, &snap), 0);
	assert_int_equal(found.nr, 1);
	return found.sites;
}

static void is(const struct stride_site *one, __u64 stride, enum stride_reading reading)
{
	if (one->stride != stride || one->reading != reading)
		fail_msg("stride %llu, %s; not %llu, %s", one->stride,
			 stride_reading_name(one->reading), stride, stride_reading_name(reading));
	strides_free(&found);
}

/* Down a column, and at its end up again and one to the right. */
static void by_columns(void **state)
{
	const struct stride_site *one;

	(void)state;
	begin();
	pairs(8192, 1023);
	pairs(8 - 1023 * 8192, 1);
	loads(1024, 1000);
	one = find();
	assert_int_equal(one->pairs, 1024);
	assert_int_equal(one->fitting, 1023);
	assert_int_equal(one->forward, 1023);
	assert_int_equal(one->often, 8192);
	assert_int_equal(one->beyond_page, 1024);
	assert_int_equal(one->new_page, 1024);
	assert_ptr_equal(one->site, &site);
	is(one, 8192, STRIDE_INEFFICIENT);
}

/* Along the rows, which are one after the other. */
static void by_rows(void **state)
{
	const struct stride_site *one;

	(void)state;
	begin();
	pairs(8, 1000);
	pairs(0, 24);
	loads(1024, 1000);
	one = find();
	assert_int_equal(one->within_line, 1000);
	assert_int_equal(one->same, 24);
	assert_int_equal(one->fitting, 1000);
	is(one, 8, STRIDE_SMALL);
}

/* Which way does not matter: two threads may come from both ends. */
static void directions(void **state)
{
	const struct stride_site *one;

	(void)state;
	begin();
	pairs(-4096, 60);
	pairs(4096, 40);
	loads(100, 10);
	one = find();
	assert_int_equal(one->often, -4096);
	assert_int_equal(one->fitting, 100);
	assert_int_equal(one->forward, 40);
	is(one, 4096, STRIDE_INEFFICIENT);
	/* Of equal ones always the same. */
	pairs(4096, 20);
	one = find();
	assert_int_equal(one->often, 4096);
	is(one, 4096, STRIDE_INEFFICIENT);
}

/* A CPU that records one load of four: 1, 2, 3, ... steps are between two. */
static void multiples(void **state)
{
	const struct stride_site *one;
	unsigned int k;
	double left = 10000;

	(void)state;
	begin();
	for (k = 1; k < 30; k++) {
		pairs(k * 2048, (__u64)(left / 4));
		left -= left / 4;
	}
	loads(10000, 5000);
	one = find();
	assert_int_equal(one->fitting, one->pairs);
	is(one, 2048, STRIDE_INEFFICIENT);

	/* With a few others between: 8 is a divisor, but not what is walked. */
	pairs(8, 700);
	pairs(24, 700);
	is(find(), 2048, STRIDE_INEFFICIENT);
	/* With too many of them it is. */
	pairs(8, 2000);
	is(find(), 8, STRIDE_SMALL);
}

/* As nothing walks: of a hash, or a list whose nodes lie anywhere. */
static void random_steps(void **state)
{
	unsigned int i, seed = 7;

	(void)state;
	begin();
	for (i = 0; i < 3000; i++)
		pairs((rand_r(&seed) % 100000 - 50000) * 8LL, 1);
	loads(3000, 3000);
	is(find(), 0, STRIDE_IRREGULAR);

	/* Records of 4096 bytes, each as likely as any: no step comes often. */
	begin();
	for (i = 0; i < 3000; i++)
		pairs((rand_r(&seed) % 1000 - 500) * 4096LL, 1);
	loads(3000, 3000);
	is(find(), 0, STRIDE_IRREGULAR);
}

static void little_is_said_of_little(void **state)
{
	(void)state;
	begin();
	pairs(8192, STRIDE_PAIRS_LEAST - 1);
	pairs(0, 4);
	loads(30, 30);
	is(find(), 8192, STRIDE_FEW);
	pairs(8192, 1);
	is(find(), 8192, STRIDE_INEFFICIENT);
}

/* A variable that is read over and over. */
static void one_address(void **state)
{
	const struct stride_site *one;

	(void)state;
	begin();
	pairs(0, 80);
	pairs(8192, 20);
	loads(100, 100);
	one = find();
	assert_int_equal(one->often, 0);
	is(one, 8192, STRIDE_SAME);
	pairs(8192, 1);
	is(find(), 8192, STRIDE_INEFFICIENT);
}

static void bounds_of_what_is_named(void **state)
{
	(void)state;
	begin();
	pairs(1024, 100);
	loads(1000, 100);
	is(find(), 1024, STRIDE_INEFFICIENT);
	loads(1000, 99);
	is(find(), 1024, STRIDE_LARGE);
	/* A CPU that does not tell misses: it may be, but nobody knows. */
	loads(1000, 100);
	snap.head.status.traits = 0;
	is(find(), 1024, STRIDE_LARGE);
	begin();
	pairs(1016, 100);
	loads(1000, 1000);
	is(find(), 1016, STRIDE_SMALL);
	/* Exactly 80 % of the steps, then less. */
	begin();
	pairs(4096, 80);
	pairs(10, 4);
	pairs(-30, 4);
	pairs(50, 4);
	pairs(-70, 4);
	pairs(90, 4);
	loads(100, 100);
	is(find(), 4096, STRIDE_INEFFICIENT);
	pairs(90, 1);
	is(find(), 0, STRIDE_IRREGULAR);
}

/* Without a row of its own in the table of sites the pairs' second loads tell. */
static void site_that_was_evicted(void **state)
{
	const struct stride_site *one;
	__u64 missed, all;

	(void)state;
	begin();
	pairs(4096, 100);
	rows[0].stlb_miss = 10;
	one = find();
	assert_null(one->site);
	assert_int_equal(stride_cost(one), 0);
	stride_missed(one, &missed, &all);
	assert_int_equal(missed, 10);
	assert_int_equal(all, 100);
	is(one, 4096, STRIDE_INEFFICIENT);
	rows[0].stlb_miss = 9;
	is(find(), 4096, STRIDE_LARGE);
}

/* The lowest step there is has no counterpart; sums of what is not true go round. */
static void extremes(void **state)
{
	(void)state;
	begin();
	pairs(INT64_MIN, 50);
	pairs(INT64_MAX, 1);
	is(find(), 1ULL << 63, STRIDE_LARGE);
	pairs(8, UINT64_MAX - 60);
	is(find(), 8, STRIDE_SMALL);
	pairs(0, UINT64_MAX);
	assert_int_equal(strides_find(&found, &snap), 0);
	strides_free(&found);
	begin();
	pairs(4096, 0);
	is(find(), 4096, STRIDE_FEW);
	begin();
	assert_int_equal(strides_find(&found, &snap), 0);
	assert_int_equal(found.nr, 0);
	strides_free(&found);
}

/* Processes, generations and instructions apart; the most costly first. */
static void sites_apart(void **state)
{
	(void)state;
	begin();
	pairs(64, 100);
	pairs(128, 1);
	pairs(256, 2);
	pairs(512, 3);
	pairs(1024, 4);
	rows[1].gen = 1;
	rows[2].space = 72;
	rows[3].ip++;
	rows[4].space = 0;
	loads(10, 1);
	site.space = 72;
	assert_int_equal(strides_find(&found, &snap), 0);
	assert_int_equal(found.nr, 5);
	assert_int_equal(found.sites[0].space, 72);
	assert_int_equal(found.sites[0].pairs, 2);
	assert_ptr_equal(found.sites[0].site, &site);
	/* Then by pairs. */
	assert_int_equal(found.sites[1].pairs, 100);
	assert_int_equal(found.sites[2].pairs, 4);
	assert_int_equal(found.sites[3].pairs, 3);
	assert_int_equal(found.sites[4].gen, 1);
	assert_null(found.sites[1].site);
	strides_free(&found);
}

static void elements(void **state)
{
	(void)state;
	assert_int_equal(stride_element("double[512][512]", 512 * 512 * 8), 8);
	assert_int_equal(stride_element("struct big[10]", 81920), 8192);
	assert_int_equal(stride_element("Table<int[3]>[2][2]", 48), 12);
	assert_int_equal(stride_element("int[3]", 13), 0);
	assert_int_equal(stride_element("int[]", 12), 0);
	assert_int_equal(stride_element("int[0]", 12), 0);
	assert_int_equal(stride_element("int]", 12), 0);
	assert_int_equal(stride_element("3]", 12), 0);
	assert_int_equal(stride_element("]", 12), 0);
	assert_int_equal(stride_element("[4]", 12), 3);
	assert_int_equal(stride_element("char[99999999999999999999]", 12), 0);
	assert_int_equal(stride_element("char[999999999999999999][999999999999999999]", 12), 0);
	assert_int_equal(stride_element("struct stats", 12), 0);
	assert_int_equal(stride_element("", 12), 0);
	assert_int_equal(stride_element(NULL, 12), 0);
}

/* What no pair can be: its second load is one. */
static void impossible_pairs(void **state)
{
	struct memlat_rec_stride stride = { .step = 8, .pairs = 3 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct stream stream = { 0 };
		struct snapshot read;
		int ret;

		stride.stlb_miss = i & 1 ? 4 : 3;
		stride.new_page = i & 2 ? 4 : 3;
		stream_add_status(&stream);
		stream_add(&stream, MEMLAT_REC_STRIDE, &stride, sizeof(stride));
		snapshot_init(&read);
		ret = snapshot_feed(&read, stream.bytes, stream.used);
		assert_int_equal(ret, i ? -EBADMSG : 0);
		if (i)
			says(read.error, "record 2: a stride has more STLB misses or new pages");
		snapshot_free(&read);
	}
}

/* What this program has, to have been walked: a matrix, records, and single numbers. */
static double matrix[64][1024];
static struct { char all[2048]; } records[16];
static long counter;

static void put_row(struct own *own, size_t place, const void *ip, __s64 step, __u64 nr)
{
	struct memlat_rec_stride *row = &own->profile.snap.strides[place];

	memset(row, 0, sizeof(*row));
	row->ip = (__u64)(uintptr_t)ip;
	row->space = (__u32)getpid();
	row->step = step;
	row->pairs = nr;
	row->new_page = step >= 4096 || step <= -4096 ? nr : 0;
	row->latency_sum = nr * 100;
}

static void put_site(struct own *own, size_t place, const void *ip, __u64 nr, __u64 missed,
		     __u64 cost)
{
	struct memlat_rec_site *row = &own->profile.snap.sites[place];

	row->ip = (__u64)(uintptr_t)ip;
	row->space = (__u32)getpid();
	row->samples = nr;
	row->stlb_miss = missed;
	row->cost = cost;
}

static void put_access(struct own *own, size_t place, const void *ip, const void *addr, __u64 nr)
{
	struct memlat_rec_access *row = &own->profile.snap.accesses[place];

	row->ip = (__u64)(uintptr_t)ip;
	row->addr = (__u64)(uintptr_t)addr;
	row->tgid = row->tid = (__u32)getpid();
	row->samples = nr;
}

/* Functions of this program stand for those that walk. */
static void own_walks(struct own *own, __u32 traits)
{
	struct memlat_status *status;

	own_open(own, 3, 6);
	status = &own->profile.snap.head.status;
	free(own->profile.snap.strides);
	own->profile.snap.strides = calloc(8, sizeof(*own->profile.snap.strides));
	assert_non_null(own->profile.snap.strides);
	own->profile.snap.nr_strides = own->profile.snap.room_strides = 4;
	status->flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STRIDE;
	status->traits = traits;
	status->pairs = 505;
	status->strides_evicted = 5;
	status->strides_error = 3;
	put_row(own, 0, by_columns, 8192, 290);
	put_row(own, 1, by_columns, 8 - 63 * 8192, 10);
	put_row(own, 2, by_rows, -2048, 100);
	put_row(own, 3, extremes, 0, 100);
	put_site(own, 0, by_columns, 400, 388, 90000);
	put_site(own, 1, by_rows, 200, 50, 9000);
	put_site(own, 2, extremes, 300, 0, 1000);
	put_access(own, 0, by_columns, &matrix[3][5], 100);
	put_access(own, 1, by_columns, &matrix[4][5], 100);
	put_access(own, 2, by_columns, &counter, 120);
	put_access(own, 3, by_rows, &records[9], 10);
	put_access(own, 4, extremes, &counter, 10);
	put_access(own, 5, elements, &matrix[0][0], 10);
	own_name(own);
}

static struct stride_view view_of(struct own *own)
{
	return (struct stride_view){
		.profile = &own->profile, .namer = own->namer, .show = 20, .width = 400,
	};
}

static char *text_of(const struct stride_view *view)
{
	struct page page;

	page_open(&page);
	assert_int_equal(stride_print(page.out, view), 0);
	fclose(page.out);
	return page.text;
}

static void as_text(void **state)
{
	struct stride_view view;
	struct own own;
	char *text;

	(void)state;
	own_walks(&own, MEMLAT_TRAIT_TLB);
	view = view_of(&own);
	text = text_of(&view);
	says(text, "\n1: by_columns() (test_ctl_stride.c:");
	says(text, ") loads matrix (.bss) in steps of 8,192 bytes: 97% of its samples missed the STLB, 1.00 pages a load; by rows it would be 8.\n");
	says(text, "\n2: by_rows() (test_ctl_stride.c:");
	says(text, ") loads records (.bss) in steps of -2,048 bytes: 25% of its samples missed the STLB, 0.00 pages a load; that is one element each: keep together what the loop reads of them.\n");
	says(text, "  +8,192   96.7%     97.0%        1.00  matrix (.bss)   LARGE STRIDE ");
	says(text, "  -2,048  100.0%     25.0%        0.00  records (.bss)  LARGE STRIDE ");
	says(text, "       -       -      0.0%        0.00  counter (.bss)  one address ");
	says(text, "(the table was full: 5 of 505 pairs had steps that had to leave it, none of which had more than 3;");
	free(text);
	/* What is not shown is counted. */
	view.show = 1;
	text = text_of(&view);
	says(text, "(1 more of these are not shown; -n 0 shows all)\n");
	says(text, "(1 of 3 sites, by cost; -n 0 shows all)\n");
	is_silent(text, "by_rows");
	free(text);
	view.width = 60;
	view.show = 20;
	text = text_of(&view);
	says(text, "LARGE STRIDE");
	says(text, "+8,192");
	says(text, "(left out, too narrow: source line, fit, ");
	free(text);
	own_close(&own);
}

static void without_the_tlb(void **state)
{
	struct json_object *document;
	struct stride_view view;
	struct own own;
	char *text;

	(void)state;
	own_walks(&own, MEMLAT_TRAIT_BLOCKED);
	view = view_of(&own);
	text = text_of(&view);
	says(text, "This CPU's records do not tell STLB misses");
	is_silent(text, "LARGE STRIDE");
	is_silent(text, "missed the STLB");
	says(text, "  +8,192   96.7%         -        1.00  matrix (.bss)   large stride ");
	free(text);
	document = reread(stride_json(&view));
	is_false(document, "/tlb_known");
	is_count(document, "/sites_inefficient", 0);
	is_text(document, "/sites/0/reading", "large");
	assert_null(at(document, "/sites/0/stlb_miss_share"));
	assert_null(at(document, "/sites/0/stlb_miss"));
	assert_null(at(document, "/sites/0/story"));
	fits_schema(document, "stride");
	json_object_put(document);
	own_close(&own);
}

static void as_json(void **state)
{
	struct json_object *document;
	struct stride_view view;
	struct own own;

	(void)state;
	own_walks(&own, MEMLAT_TRAIT_TLB);
	view = view_of(&own);
	document = reread(stride_json(&view));
	is_text(document, "/view", "stride");
	is_count(document, "/pairs", 505);
	is_count(document, "/evicted", 5);
	is_count(document, "/error_bound", 3);
	is_count(document, "/sites_total", 3);
	is_count(document, "/sites_inefficient", 2);
	is_text(document, "/sites/0/function", "by_columns");
	is_count(document, "/sites/0/stride", 8192);
	is_real(document, "/sites/0/stride_share", 290.0 / 300);
	is_real(document, "/sites/0/stlb_miss_share", 0.97);
	is_count(document, "/sites/0/stlb_miss", 388);
	is_count(document, "/sites/0/loads", 400);
	is_real(document, "/sites/0/pages_per_load", 1);
	is_real(document, "/sites/0/forward_share", 1);
	is_text(document, "/sites/0/data", "matrix");
	is_text(document, "/sites/0/data_type", "double[64][1024]");
	is_real(document, "/sites/0/data_share", 200.0 / 320);
	is_count(document, "/sites/0/element_bytes", 8);
	is_text(document, "/sites/0/reading", "inefficient");
	is_real(document, "/sites/0/latency_avg", 100);
	assert_int_equal(json_object_get_int64(at(document, "/sites/1/stride")), -2048);
	is_count(document, "/sites/1/element_bytes", 2048);
	assert_null(at(document, "/sites/2/stride"));
	assert_null(at(document, "/sites/2/forward_share"));
	is_real(document, "/sites/2/same_share", 1);
	fits_schema(document, "stride");
	json_object_put(document);
	own_close(&own);
}

/* One heading and one line for each site, whatever is not known. */
static void as_csv(void **state)
{
	struct stride_view view;
	struct page page;
	struct own own;
	size_t lines = 0;
	char *c;

	(void)state;
	own_walks(&own, MEMLAT_TRAIT_TLB);
	view = view_of(&own);
	page_open(&page);
	assert_int_equal(stride_csv(page.out, &view), 0);
	fclose(page.out);
	for (c = page.text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 4);
	says(page.text, "rank,cost,stride,stride_share,stlb_miss_share,pairs,");
	says(page.text, ",8192,0.966667,0.97,300,");
	free(page.text);
	own_close(&own);
}

/* Bursts were asked for, and none had two loads of one instruction. */
static void no_pairs(void **state)
{
	struct json_object *document;
	struct stride_view view;
	struct own own;
	char *text;

	(void)state;
	own_walks(&own, MEMLAT_TRAIT_TLB);
	own.profile.snap.nr_strides = 0;
	own.profile.snap.head.status.pairs = 0;
	view = view_of(&own);
	text = text_of(&view);
	says(text, "No pairs: no instruction was sampled twice in one burst");
	free(text);
	document = reread(stride_json(&view));
	is_count(document, "/sites_total", 0);
	fits_schema(document, "stride");
	json_object_put(document);
	own_close(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_columns),
		cmocka_unit_test(by_rows),
		cmocka_unit_test(directions),
		cmocka_unit_test(multiples),
		cmocka_unit_test(random_steps),
		cmocka_unit_test(little_is_said_of_little),
		cmocka_unit_test(one_address),
		cmocka_unit_test(bounds_of_what_is_named),
		cmocka_unit_test(site_that_was_evicted),
		cmocka_unit_test(extremes),
		cmocka_unit_test(sites_apart),
		cmocka_unit_test(elements),
		cmocka_unit_test(impossible_pairs),
		cmocka_unit_test(as_text),
		cmocka_unit_test(without_the_tlb),
		cmocka_unit_test(as_json),
		cmocka_unit_test(as_csv),
		cmocka_unit_test(no_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
