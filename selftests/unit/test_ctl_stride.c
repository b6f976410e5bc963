// SPDX-License-Identifier: GPL-2.0
/* What is concluded from the steps between loads. */
#include <errno.h>
#include <math.h>

#include "ctl_view.h"

#include "analysis/stride.h"

#define ROWS		16384
#define IP		0x401136ULL

static struct memlat_rec_stride rows[ROWS];
static struct memlat_rec_site site;
static struct snapshot snap;
static struct strides found;
static const struct stride_site *one;	/* the first one of these */

static void fresh(void)
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

BEGIN_END(fresh(), strides_free(&found))

/* Add rows as the module does: one for each step. */
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

/* Pairs of several steps: PAIRS({ step, nr }, ...) */
struct pairs {
	__s64 step;
	__u64 nr;
};

#define PAIRS(...) pairs_of((const struct pairs[]){ __VA_ARGS__, { 0 } })

static void pairs_of(const struct pairs *all)
{
	for (; all->nr; all++)
		pairs(all->step, all->nr);
}

/* The instruction's loads, and how many of them missed the STLB. */
static void loads(__u64 nr, __u64 missed)
{
	site.samples = nr;
	site.stlb_miss = missed;
	site.cost = 1000;
	snap.nr_sites = 1;
}

static void find(size_t nr)
{
	strides_free(&found);
	strides_find(&found, &snap);
	assert_int_equal(found.nr, nr);
	one = found.sites;
}

static void check(__u64 stride, enum stride_reading reading)
{
	if (one->stride != stride || one->reading != reading)
		fail_msg("stride %llu, %s; not %llu, %s", one->stride,
			 stride_reading_name(one->reading), stride, stride_reading_name(reading));
}

static void is(__u64 stride, enum stride_reading reading)
{
	find(1);
	check(stride, reading);
}

/* Down a column, and at its end up again and one to the right. */
TEST_WITH(by_columns, begin, end)
{
	PAIRS({ 8192, 1023 }, { 8 - 1023 * 8192, 1 });
	loads(1024, 1000);
	is(8192, STRIDE_INEFFICIENT);
	assert_int_equal(one->pairs, 1024);
	/* The step at the end fits but for 8 bytes. */
	assert_int_equal(one->fitting, 1024);
	assert_int_equal(one->forward, 1023);
	assert_int_equal(one->often, 8192);
	assert_int_equal(one->beyond_page, 1024);
	assert_int_equal(one->new_page, 1024);
	assert_ptr_equal(one->site, &site);
}

/* Along the rows, one after the other. */
TEST_WITH(by_rows, begin, end)
{
	PAIRS({ 8, 1000 }, { 0, 24 });
	loads(1024, 1000);
	is(8, STRIDE_SMALL);
	assert_int_equal(one->within_line, 1000);
	assert_int_equal(one->same, 24);
	assert_int_equal(one->fitting, 1000);
}

TEST_WITH(sizes_of_steps, begin, end)
{
	PAIRS({ 0, 1 }, { 63, 2 }, { -63, 3 }, { 64, 10 }, { -4095, 20 }, { 4096, 100 },
	      { -4096, 200 });
	find(1);
	assert_int_equal(one->same, 1);
	assert_int_equal(one->within_line, 5);
	assert_int_equal(one->within_page, 30);
	assert_int_equal(one->beyond_page, 300);
}

/* The direction does not matter: two threads may start from both ends. */
TEST_WITH(directions, begin, end)
{
	PAIRS({ -4096, 60 }, { 4096, 40 });
	loads(100, 10);
	is(4096, STRIDE_INEFFICIENT);
	assert_int_equal(one->often, -4096);
	assert_int_equal(one->fitting, 100);
	assert_int_equal(one->forward, 40);
	/* Among equally frequent steps always the same one is taken. */
	pairs(4096, 20);
	is(4096, STRIDE_INEFFICIENT);
	assert_int_equal(one->often, 4096);
}

/* A CPU records one of four loads, so there are 1, 2, 3, ... steps between two. */
TEST_WITH(multiples, begin, end)
{
	unsigned int k;
	double left = 10000;

	for (k = 1; k < 30; k++) {
		pairs(k * 2048, (__u64)(left / 4));
		left -= left / 4;
	}
	loads(10000, 5000);
	is(2048, STRIDE_INEFFICIENT);
	assert_int_equal(one->fitting, one->pairs);

	/* With a few other steps: 8 divides all of them, but is not the stride. */
	PAIRS({ 8, 700 }, { 24, 700 });
	is(2048, STRIDE_INEFFICIENT);
	/* With too many of them it is. */
	pairs(8, 2000);
	is(8, STRIDE_SMALL);
}

/* Random steps: of a hash, or a list whose nodes are anywhere. */
TEST_WITH(random_steps, begin, end)
{
	unsigned int i, seed = 7;

	for (i = 0; i < 3000; i++)
		pairs((rand_r(&seed) % 100000 - 50000) * 8LL, 1);
	loads(3000, 3000);
	is(0, STRIDE_IRREGULAR);

	/* Records of 4096 bytes, each equally likely: no step is frequent. */
	fresh();
	for (i = 0; i < 3000; i++)
		pairs((rand_r(&seed) % 1000 - 500) * 4096LL, 1);
	loads(3000, 3000);
	is(0, STRIDE_IRREGULAR);
}

/* A loop. Each call returns the address of its next load. */
struct loop {
	__u64 (*next)(struct loop *loop);
	unsigned int rows, columns;
	__u64 row_bytes, column_bytes;
	unsigned int noise;	/* % of its loads that are somewhere else */
	unsigned int at;
	__u32 order[4096];	/* of a list's nodes */
};

static unsigned int seed;

static double random_part(void)
{
	return (rand_r(&seed) + 1.0) / (RAND_MAX + 2.0);
}

static __u64 down_columns(struct loop *loop)
{
	unsigned int at = loop->at++;

	return at % loop->rows * loop->row_bytes +
	       at / loop->rows % loop->columns * loop->column_bytes;
}

/* The other thread: from the last one to the first. */
static __u64 up_columns(struct loop *loop)
{
	return (1ULL << 30) - down_columns(loop);
}

static __u64 along_list(struct loop *loop)
{
	return loop->order[loop->at++ % loop->rows] * loop->row_bytes;
}

static __u64 of_a_hash(struct loop *loop)
{
	return (__u64)(random_part() * loop->rows) * loop->row_bytes;
}

/* The module's part: the step between two tagged loads. A row for each is sufficient. */
static void tagged_pair(__s64 step, __s64 before)
{
	bool ways = step && before;

	assert_true(snap.nr_strides < ROWS);
	rows[snap.nr_strides++] = (struct memlat_rec_stride){
		.ip = IP, .space = 71, .step = step, .pairs = 1,
		.onward = ways && (step > 0) == (before > 0),
		.turned = ways && (step > 0) != (before > 0),
	};
}

/* Bursts of up to 64 loads. The CPU tags one in so many, at random. */
static void sampled(struct loop *loop, double tags, unsigned int nr)
{
	__s64 addr = 0, last = 0, before = 0;
	unsigned int i;

	loop->at = rand_r(&seed) % 1000000;
	for (i = 0; i < nr; i++) {
		/*
		 * The loads in between, and before the first load of a burst also those of a gap.
		 */
		double skip = tags > 1 ? log(random_part()) / log1p(-1 / tags) : 0;

		loop->at += (unsigned int)skip + (i % 64 ? 0 : rand_r(&seed) % 20000);
		addr = (__s64)loop->next(loop);
		if (random_part() * 100 < loop->noise)
			addr = rand_r(&seed) % (1 << 24) * 8LL;
		if (i % 64)
			tagged_pair(addr - last, before);
		if (i % 64 < 1)
			before = 0;
		else if (addr != last)
			before = addr - last;
		last = addr;
	}
}

static const double tagging[] = { 1, 14, 100 };

#define SEEDS		20

static void walked_as(struct loop *loop, struct loop *also, unsigned int nr, __u64 stride,
		      enum stride_reading reading)
{
	unsigned int round;
	size_t i;

	for (i = 0; i < sizeof(tagging) / sizeof(tagging[0]); i++)
		for (round = 1; round <= SEEDS; round++) {
			seed = round;
			fresh();
			sampled(loop, tagging[i], nr);
			if (also)
				sampled(also, tagging[i], nr);
			loads(nr, nr);
			find(1);
			if (one->stride != stride || one->reading != reading)
				print_error("one in %.0f, seed %u\n", tagging[i], round);
			check(stride, reading);
		}
}

TEST(matrix_by_columns)
{
	struct loop loop = {
		.next = down_columns, .rows = 2048, .columns = 24, .row_bytes = 16384,
		.column_bytes = 8,
	}, other = loop;

	walked_as(&loop, NULL, 3000, 16384, STRIDE_INEFFICIENT);
	walked_as(&loop, NULL, 200, 16384, STRIDE_INEFFICIENT);
	loop.noise = 5;
	walked_as(&loop, NULL, 3000, 16384, STRIDE_INEFFICIENT);
	/* Two threads, from both ends. */
	loop.noise = 0;
	other.next = up_columns;
	walked_as(&loop, &other, 2000, 16384, STRIDE_INEFFICIENT);
	/* With few rows, the end of a column is often between two. */
	loop.rows = 600;
	loop.row_bytes = 2400;
	walked_as(&loop, NULL, 3000, 2400, STRIDE_INEFFICIENT);
}

TEST(matrix_by_rows)
{
	struct loop loop = {
		.next = down_columns, .rows = 1 << 20, .columns = 1, .row_bytes = 8,
	};

	walked_as(&loop, NULL, 3000, 8, STRIDE_SMALL);
	loop.noise = 5;
	walked_as(&loop, NULL, 3000, 8, STRIDE_SMALL);
}

/* Its nodes are at multiples of their size, which is all that the steps have in common. */
TEST(list_of_nodes)
{
	static const unsigned int nodes[] = { 50, 200, 1000, 4096 };
	struct loop loop = { .next = along_list };
	unsigned int i, other, size;
	__u32 node;

	for (size = 0; size < sizeof(nodes) / sizeof(nodes[0]); size++) {
		loop.rows = nodes[size];
		for (i = 0; i < loop.rows; i++)
			loop.order[i] = i;
		seed = 7;
		for (i = loop.rows; i-- > 1;) {
			other = rand_r(&seed) % (i + 1);
			node = loop.order[i];
			loop.order[i] = loop.order[other];
			loop.order[other] = node;
		}
		loop.row_bytes = 64;
		walked_as(&loop, NULL, 3000, 0, STRIDE_IRREGULAR);
		loop.row_bytes = 4096;
		walked_as(&loop, NULL, 3000, 0, STRIDE_IRREGULAR);
		walked_as(&loop, NULL, 200, 0, STRIDE_IRREGULAR);
	}
}

TEST(table_of_a_hash)
{
	struct loop loop = { .next = of_a_hash, .rows = 600, .row_bytes = 4096 };

	walked_as(&loop, NULL, 3000, 0, STRIDE_IRREGULAR);
	loop.rows = 1 << 20;
	loop.row_bytes = 16;
	walked_as(&loop, NULL, 3000, 0, STRIDE_IRREGULAR);
}

/* A profile of an older module does not say which steps continue. */
TEST(ways_unknown)
{
	struct stream stream = { 0 };
	struct memlat_rec_stride stride = { .ip = IP, .step = 4096, .pairs = 9 };
	struct snapshot read;

	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_STRIDE, &stride, offsetof(struct memlat_rec_stride, onward));
	snapshot_init(&read);
	assert_int_equal(snapshot_feed(&read, stream.bytes, stream.used), 0);
	assert_int_equal(read.nr_strides, 1);
	assert_int_equal(read.strides[0].pairs, 9);
	assert_int_equal(read.strides[0].onward, 0);
	snapshot_free(&read);
	/* More continued steps than pairs are refused. */
	memset(&stream, 0, sizeof(stream));
	stride.onward = 6;
	stride.turned = 4;
	stream_add_status(&stream);
	stream_add(&stream, MEMLAT_REC_STRIDE, &stride, sizeof(stride));
	snapshot_init(&read);
	assert_int_equal(snapshot_feed(&read, stream.bytes, stream.used), -EBADMSG);
	says(read.error, "record 2: a stride goes on and turns more often than it has pairs");
	snapshot_free(&read);
}

TEST_WITH(little_is_said_of_little, begin, end)
{
	pairs(8192, STRIDE_PAIRS_LEAST - 1);
	pairs(0, 4);
	loads(30, 30);
	is(8192, STRIDE_FEW);
	pairs(8192, 1);
	is(8192, STRIDE_INEFFICIENT);
}

/* A variable that is read again and again. */
TEST_WITH(one_address, begin, end)
{
	PAIRS({ 0, 80 }, { 8192, 20 });
	loads(100, 100);
	is(8192, STRIDE_SAME);
	assert_int_equal(one->often, 0);
	pairs(8192, 1);
	is(8192, STRIDE_INEFFICIENT);
}

TEST_WITH(bounds_of_what_is_named, begin, end)
{
	pairs(1024, 100);
	loads(1000, 100);
	is(1024, STRIDE_INEFFICIENT);
	loads(1000, 99);
	is(1024, STRIDE_LARGE);
	/* A CPU that does not report misses: it may be inefficient, but that is not known. */
	loads(1000, 100);
	snap.head.status.traits = 0;
	is(1024, STRIDE_LARGE);
	fresh();
	pairs(1016, 100);
	loads(1000, 1000);
	is(1016, STRIDE_SMALL);
	/* Exactly 80 % of the steps, then less. */
	fresh();
	PAIRS({ 4096, 80 }, { 10, 4 }, { -30, 4 }, { 50, 4 }, { -70, 4 }, { 90, 4 });
	loads(100, 100);
	is(4096, STRIDE_INEFFICIENT);
	pairs(90, 1);
	is(0, STRIDE_IRREGULAR);
}

/* If the table of sites has no row for it, the pairs' second loads are used. */
TEST_WITH(site_that_was_evicted, begin, end)
{
	__u64 missed, all;

	pairs(4096, 100);
	rows[0].stlb_miss = 10;
	is(4096, STRIDE_INEFFICIENT);
	assert_null(one->site);
	assert_int_equal(stride_cost(one), 0);
	stride_missed(one, &missed, &all);
	assert_int_equal(missed, 10);
	assert_int_equal(all, 100);
	rows[0].stlb_miss = 9;
	is(4096, STRIDE_LARGE);
}

/* The lowest possible step has no counterpart. Sums of invalid figures wrap. */
TEST_WITH(extremes, begin, end)
{
	PAIRS({ INT64_MIN, 50 }, { INT64_MAX, 1 });
	is(1ULL << 63, STRIDE_LARGE);
	pairs(8, UINT64_MAX - 60);
	is(8, STRIDE_SMALL);
	pairs(0, UINT64_MAX);
	find(1);
	fresh();
	pairs(4096, 0);
	is(0, STRIDE_FEW);
	fresh();
	find(0);
}

/* Processes, generations and instructions are separate. The costliest one is first. */
TEST_WITH(sites_apart, begin, end)
{
	PAIRS({ 64, 100 }, { 128, 1 }, { 256, 2 }, { 512, 3 }, { 1024, 4 });
	rows[1].gen = 1;
	rows[2].space = 72;
	rows[3].ip++;
	rows[4].space = 0;
	loads(10, 1);
	site.space = 72;
	find(5);
	assert_int_equal(found.sites[0].space, 72);
	assert_int_equal(found.sites[0].pairs, 2);
	assert_ptr_equal(found.sites[0].site, &site);
	/* Then by pairs. */
	assert_int_equal(found.sites[1].pairs, 100);
	assert_int_equal(found.sites[2].pairs, 4);
	assert_int_equal(found.sites[3].pairs, 3);
	assert_int_equal(found.sites[4].gen, 1);
	assert_null(found.sites[1].site);
}

/* What an element is, by its name. */
TEST(elements)
{
	static const char *const none[] = {
		"int[]", "int[0]", "int]", "3]", "]", "char[99999999999999999999]",
		"char[999999999999999999][999999999999999999]", "struct stats", "", NULL,
	};
	unsigned int i;

	assert_int_equal(stride_element("double[512][512]", 512 * 512 * 8), 8);
	assert_int_equal(stride_element("struct big[10]", 81920), 8192);
	assert_int_equal(stride_element("Table<int[3]>[2][2]", 48), 12);
	assert_int_equal(stride_element("int[3]", 13), 0);
	assert_int_equal(stride_element("[4]", 12), 3);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(stride_element(none[i], 12), 0);
}
