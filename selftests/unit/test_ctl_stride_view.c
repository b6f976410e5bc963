// SPDX-License-Identifier: GPL-2.0
/* How memlat-ctl stride shows its conclusions: text, JSON, CSV. */
#include <unistd.h>

#include "ctl_own.h"

#include "views/views.h"

/* Their addresses stand for instructions. They are never called. */
static int walk_columns(void)
{
	return 1;
}

static int walk_records(void)
{
	return 2;
}

static int count_up(void)
{
	return 3;
}

static int other(void)
{
	return 4;
}

/* Data of this program to walk: a matrix, records, and single numbers. */
static double matrix[64][1024];
static struct { char all[2048]; } records[16];
static long counter;

static struct own own;
static struct rows_view view;

static void put_row(size_t place, const void *ip, __s64 step, __u64 nr)
{
	struct memlat_rec_stride *row = &own.profile.snap.strides[place];

	memset(row, 0, sizeof(*row));
	row->ip = (__u64)(uintptr_t)ip;
	row->space = (__u32)getpid();
	row->step = step;
	row->pairs = nr;
	row->new_page = step >= 4096 || step <= -4096 ? nr : 0;
	row->latency_sum = nr * 100;
}

static void put_site(size_t place, const void *ip, __u64 nr, __u64 missed, __u64 cost)
{
	struct memlat_rec_site *row = &own.profile.snap.sites[place];

	row->ip = (__u64)(uintptr_t)ip;
	row->space = (__u32)getpid();
	row->samples = nr;
	row->stlb_miss = missed;
	row->cost = cost;
}

static void put_access(size_t place, const void *ip, const void *addr, __u64 nr)
{
	struct memlat_rec_access *row = &own.profile.snap.accesses[place];

	row->ip = (__u64)(uintptr_t)ip;
	row->addr = (__u64)(uintptr_t)addr;
	row->tgid = row->tid = (__u32)getpid();
	row->samples = nr;
}

/* Functions of this program stand for those that walk. */
static int begin(void **state)
{
	struct memlat_status *status;

	own_open(&own, 3, 6);
	status = &own.profile.snap.head.status;
	free(own.profile.snap.strides);
	own.profile.snap.strides = calloc(8, sizeof(*own.profile.snap.strides));
	assert_non_null(own.profile.snap.strides);
	own.profile.snap.nr_strides = own.profile.snap.room_strides = 4;
	status->flags = MEMLAT_F_USER | MEMLAT_F_LOADS | MEMLAT_F_STRIDE;
	status->traits = MEMLAT_TRAIT_TLB;
	status->pairs = 505;
	status->strides_evicted = 5;
	status->strides_error = 3;
	put_row(0, walk_columns, 8192, 290);
	put_row(1, walk_columns, 2400 - 63 * 8192, 10);
	put_row(2, walk_records, -2048, 100);
	put_row(3, count_up, 0, 100);
	put_site(0, walk_columns, 400, 388, 90000);
	put_site(1, walk_records, 200, 50, 9000);
	put_site(2, count_up, 300, 0, 1000);
	put_access(0, walk_columns, &matrix[3][5], 100);
	put_access(1, walk_columns, &matrix[4][5], 100);
	put_access(2, walk_columns, &counter, 120);
	put_access(3, walk_records, &records[9], 10);
	put_access(4, count_up, &counter, 10);
	put_access(5, other, &matrix[0][0], 10);
	own_name(&own);
	view = (struct rows_view){
		.profile = &own.profile, .namer = own.namer, .show = 20, .width = 400,
	};
	return 0;
}

static int end(void **state)
{
	own_close(&own);
	return 0;
}

static char *text_of(void)
{
	return PRINTED(stride_show(out, REPORT_TEXT, &view));
}

/* All that was sampled cost so much. */
static void costs(__u64 cost)
{
	unsigned int table;

	for (table = 0; table < TABLE_NR; table++)
		own.profile.snap.sum[table].cost = table == TABLE_SITES ? cost : 0;
}

/* As in a look-up of a hash table: no stride, and nearly every load is in another page. */
TEST_WITH(at_random, begin, end)
{
	static const __s64 steps[] = { 1000003, -777781, 3141593, -2718281, 999331 };
	size_t i;

	own.profile.snap.nr_strides = 5;
	for (i = 0; i < 5; i++)
		put_row(i, walk_columns, steps[i], 60);
	SAYS(text_of(), "\n1: walk_columns() (test_ctl_stride_view.c:",
	     ") loads matrix (.bss) at random: 97% of its samples missed the STLB, 1.00 pages a load; larger pages help: 'memlat-ctl try thp=always -- COMMAND' measures it.\n",
	     NOT "No site walks");
	/* Where the TLB holds what is read, nothing is said. */
	costs(100000);
	put_site(0, walk_columns, 400, 39, 90000);
	SAYS(text_of(), "No site walks in large strides or at random and misses the STLB.\n", NOT "\n1: ");
	put_site(0, walk_columns, 400, 40, 90000);
	SAYS(text_of(), "at random: 10% of its samples missed the STLB", NOT "No site walks");
}

/* Nothing is denied of sites with too few pairs, nor of those without any. */
TEST_WITH(too_few_pairs, begin, end)
{
	costs(100000);
	own.profile.snap.nr_strides = 2;
	put_row(0, walk_columns, 8192, 7);
	put_row(1, walk_columns, 0, 7);
	SAYS(text_of(), "\nWhether a site walks in large strides or at random and misses the STLB is not known: 100% of sampled latency is of sites with fewer than 20 steps. Sample about 3 times as long, or give --max-overhead 5.\n",
	     NOT "No site walks");
	put_row(0, walk_columns, 8, 70);
	put_row(1, count_up, 0, 50);
	SAYS(text_of(), "No site walks in large strides or at random and misses the STLB.\n");
	/* Nor of rows that were evicted. */
	costs(102300);
	SAYS(text_of(), "is not known: 11% of sampled latency", "Sample about 20 times as long");
}

TEST_WITH(without_the_tlb, begin, end)
{
	own.profile.snap.head.status.traits = MEMLAT_TRAIT_BLOCKED;
	SAYS(text_of(), "This CPU's records do not report STLB misses", NOT "LARGE STRIDE",
	     NOT "missed the STLB",
	     "  +8,192   96.7%         -        1.00  matrix (.bss)   large stride ");
	TELLS(stride_show(NULL, REPORT_JSON, &view), FITS "stride", "/tlb_known false", "/sites_inefficient 0",
	      "/sites/0/reading large", "/sites/0/stlb_miss_share null", "/sites/0/stlb_miss null",
	      "/sites/0/story null");
}

/* Bursts were requested, but none had two loads of one instruction. */
TEST_WITH(no_pairs, begin, end)
{
	own.profile.snap.nr_strides = 0;
	own.profile.snap.head.status.pairs = 0;
	SAYS(text_of(), "No pairs: no instruction was sampled twice in one burst");
	TELLS(stride_show(NULL, REPORT_JSON, &view), FITS "stride", "/sites_total 0");
}
