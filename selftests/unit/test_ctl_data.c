// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_own.h"

#include "profile/imported.h"
#include "views/figures.h"
#include "views/row.h"
#include "views/views.h"

#define ALL	((1U << DATA_TABLES) - 1)

/* Data of this program, to be sampled. */
struct fight {
	long first;
	long second[2];
};

struct fight fought_over;
static long alone;

static void access_set(struct memlat_rec_access *access, const void *addr, __u32 tid,
		       __u64 loads, __u64 stores)
{
	memset(access, 0, sizeof(*access));
	access->addr = (__u64)(uintptr_t)addr;
	access->ip = 0x401000;
	access->tgid = (__u32)getpid();
	access->tid = tid;
	access->samples = loads + stores;
	access->stores = stores;
	access->hitm_remote = loads / 2;
	access->latency_sum = loads * 350;
	access->latency_max = 700;
	access->weight = (loads + stores) * SAMPLE_PERIOD;
	access->cost = access->latency_sum * SAMPLE_PERIOD;
	access->cpus = 1ULL << tid % 4;
	access->nodes = 1;
}

static struct own own;
static struct rows_view view;

static int begin(void **state)
{
	static const __u64 unmapped = 0x10;
	struct memlat_rec_access *accesses;
	__u32 pid = (__u32)getpid();

	own_open(&own, 0, 6);
	accesses = own.profile.snap.accesses;
	access_set(&accesses[0], &fought_over.first, pid, 300, 50);
	access_set(&accesses[1], &fought_over.second[1], pid + 1, 200, 50);
	access_set(&accesses[2], &fought_over.second[1], pid, 100, 0);
	access_set(&accesses[3], &alone, pid, 10, 0);
	access_set(&accesses[4], (const void *)(uintptr_t)unmapped, pid, 7, 0);
	access_set(&accesses[5], (const void *)(uintptr_t)0xffff888000000040, pid, 5, 0);
	/* The first two of the table of threads: who they were. */
	assert_true(own.profile.snap.nr_threads >= 2);
	own.profile.snap.threads[0].tid = own.profile.snap.threads[0].tgid = pid;
	own.profile.snap.threads[1].tid = pid + 1;
	own.profile.snap.threads[1].tgid = pid;
	strcpy(own.profile.snap.threads[0].comm, "wri\033[2Jter");
	strcpy(own.profile.snap.threads[1].comm, "reader");
	own_name(&own);
	view = (struct rows_view){
		.profile = &own.profile, .namer = own.namer, .word = ALL, .show = 20, .width = 300,
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
	return PRINTED(data_show(out, REPORT_TEXT, &view));
}

static struct json_object *document_of(void)
{
	struct json_object *document = data_show(NULL, REPORT_JSON, &view);

	assert_non_null(document);
	return reread(document);
}

TEST_WITH(latency_is_not_known, begin, end)
{
	own.profile.snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	SAYS(text_of(), "\nVariables\n", NOT "avg cyc");
	TELLS(document_of(), FITS "data", "/variables/0/latency_avg null");
	view.word = 1U << DATA_BY_VARIABLE;
	SAYS(PRINTED(data_show(out, REPORT_CSV, &view)), "\n0.525,0.496012,0.55382,0.525,600,100,,300,0,300,fought_over,");
}

TEST_WITH(of_stores_and_of_nothing, begin, end)
{
	size_t i;

	own.profile.snap.head.status.flags = MEMLAT_F_STORES | MEMLAT_F_USER;
	for (i = 0; i < own.profile.snap.nr_accesses; i++) {
		own.profile.snap.accesses[i].stores = own.profile.snap.accesses[i].samples;
		own.profile.snap.accesses[i].cost = 0;
		own.profile.snap.accesses[i].latency_sum = 0;
	}
	memset(own.profile.snap.sum, 0, sizeof(own.profile.snap.sum));
	SAYS(text_of(), "\nstores  variable", "\n   700  fought_over  ",
	     /* Shares of who did it are of samples then; none is of latency. */
	     NOT "  cost", NOT "avg cyc");
	TELLS(document_of(), "/variables/0/cost null", "/variables/0/latency_avg null");

	own.profile.snap.nr_accesses = 0;
	SAYS(text_of(), "\nVariables\n(none)\n");
	own.profile.snap.head.status.samples = 0;
	SAYS(text_of(), "No samples", NOT "Variables");
}

/* A damaged row may claim more stores than samples. It has no loads then. */
TEST_WITH(more_stores_than_samples, begin, end)
{
	size_t i;

	for (i = 0; i < own.profile.snap.nr_accesses; i++)
		own.profile.snap.accesses[i].stores = own.profile.snap.accesses[i].samples + 1;
	TELLS(document_of(), "/variables/0/loads 0", "/variables/0/stores 700");
}

/* Lines that debug information does not tell are left out, and are not line 0. */
TEST(where_it_comes_from)
{
	struct code_name site = { .function = "make", .file = "/src/make.c", .line = 7 };
	struct data_name data = { .site = &site };

	says_just(where_data(&data), "allocated in make(), make.c:7");
	site.line = 0;
	says_just(where_data(&data), "allocated in make()");
	site.file = NULL;
	says_just(where_data(&data), "allocated in make()");
	/* The name of a C++ function has its parameters. */
	site.function = "maker::build(int)";
	says_just(where_data(&data), "allocated in maker::build(int)");
	data = (struct data_name){ .file = "/src/make.c", .line = 3 };
	says_just(where_data(&data), "make.c:3");
	data.line = 0;
	says_just(where_data(&data), "make.c");
	data.file = NULL;
	assert_null(where_data(&data));
}
