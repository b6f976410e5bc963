// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_view.h"

#include "views/row.h"
#include "views/sites.h"

static void site_orders(void **state)
{
	struct snapshot snap;

	(void)state;
	sample_snapshot(&snap);
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	assert_int_equal(snap.sites[0].ip, 0x401136);
	assert_int_equal(site_loads(&snap.sites[0]), 700);
	assert_int_equal(site_hitm(&snap.sites[0]), 665);
	snap.sites[1].samples = 5000;
	site_sort(snap.sites, snap.nr_sites, SITE_BY_SAMPLES);
	assert_int_equal(snap.sites[0].ip, 0xffffffff81000010);
	site_sort(snap.sites, snap.nr_sites, SITE_BY_HITM);
	assert_int_equal(snap.sites[0].ip, 0x401136);
	snap.sites[1].stores = 61;
	site_sort(snap.sites, snap.nr_sites, SITE_BY_STORES);
	assert_int_equal(snap.sites[0].ip, 0xffffffff81000010);

	/* Equal in all: by process, its generation, address. */
	memset(snap.sites, 0, 2 * sizeof(snap.sites[0]));
	snap.sites[0].gen = 2;
	snap.sites[1].gen = 1;
	site_sort(snap.sites, 2, SITE_BY_HITM);
	assert_int_equal(snap.sites[0].gen, 1);
	snapshot_free(&snap);
	site_sort(NULL, 0, SITE_BY_COST);
}

static char *sites_text(const struct snapshot *snap, size_t show, size_t width)
{
	const struct sites_view view = {
		.snap = snap, .order = SITE_BY_COST, .show = show, .width = width,
	};
	struct page page;

	page_open(&page);
	assert_int_equal(sites_print(page.out, &view), 0);
	fclose(page.out);
	return page.text;
}

static void sites_as_text(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	text = sites_text(&snap, 20, 250);
	says(text, "1,100 samples (100 stores), period 1,009..2,003 (stores 10,007), 3 lost");
	says(text, "1  61.2%            0x401136  chase\\033[2J:");
	is_silent(text, "\033");
	says(text, "2  17.5%  0xffffffff81000010  kernel  ");
	says(text, "  700      60      350    5,000  rhitm 95% dram 5%  2.0 KiB   665     25.0%      11     2  0,1          766,840  0x55d0c0a04080\n");
	says(text, "100 of 1,100 samples are of sites that had to leave it, none of which had more than 60;");
	is_silent(text, "left out");
	free(text);

	text = sites_text(&snap, 1, 60);
	says(text, "(left out, too narrow: max cyc, loads served from, spread, HITM,");
	says(text, "(1 of 2 sites, by cost; -n 0 shows all)");
	free(text);

	/* Without stores there is no column of them. */
	snap.head.status.flags = MEMLAT_F_LOADS | MEMLAT_F_USER;
	text = sites_text(&snap, 0, 250);
	says(text, "   loads  avg cyc");
	free(text);

	/* Of stores alone nothing is told that only loads have. */
	snap.head.status.flags = MEMLAT_F_STORES | MEMLAT_F_USER;
	text = sites_text(&snap, 0, 250);
	says(text, "  stores   spread  TLB miss");
	is_silent(text, "loads");
	is_silent(text, "cost");
	free(text);

	/* Code that reads the one and writes the other. */
	snap.sites[0].addr_max = 0xffff888000000000;
	says(text = sites_text(&snap, 0, 250), "  user+kernel  ");
	free(text);

	snap.nr_sites = 0;
	snap.head.status.samples = 0;
	says(text = sites_text(&snap, 0, 250), "No samples: ");
	free(text);
	snapshot_free(&snap);
}

/* Stores alone: nothing was loaded, and no average of nothing. */
static void sites_of_stores(void **state)
{
	struct snapshot snap;
	char *text;

	(void)state;
	sample_snapshot(&snap);
	snap.sites[0].samples = snap.sites[0].stores;
	snap.sites[0].latency_sum = 0;
	memset(snap.sites[0].source, 0, sizeof(snap.sites[0].source));
	text = sites_text(&snap, 1, 250);
	says(text, "kernel       0      40        -    5,000  -  ");
	free(text);
	snapshot_free(&snap);
}

static void sites_as_json(void **state)
{
	static const char *const keys[] = {
		"rank", "ip", "pid", "gen", "comm", "kernel", "samples", "loads",
		"stores", "store_l1_hit", "error", "weight", "cost",
		"cost_cycles", "latency_sum", "latency_avg", "latency_max",
		"hitm", "locked", "stlb_miss", "sources", "latency", "buckets",
		"addr_min", "addr_max", "cpus", "nodes",
	};
	struct sites_view view = { .order = SITE_BY_COST, .show = 1 };
	struct json_object *document;
	struct snapshot snap;
	unsigned int i;

	(void)state;
	sample_snapshot(&snap);
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	view.snap = &snap;
	document = reread(sites_json(&view));
	is_count(document, "/abi_version", MEMLAT_ABI_VERSION);
	is_count(document, "/samples", 1100);
	is_true(document, "/accounts_hold");
	is_text(document, "/sort", "cost");
	is_count(document, "/sites_total", 2);
	is_count(document, "/sites_shown", 1);
	is_count(document, "/evicted", 100);
	is_count(document, "/error_bound", 60);
	is_count(document, "/edges/12", 4096);
	assert_int_equal(json_object_array_length(at(document, "/edges")),
			 MEMLAT_BUCKETS - 1);
	assert_int_equal(json_object_array_length(at(document, "/sites")), 1);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_object_object_get_ex(at(document, "/sites/0"), keys[i],
					       NULL))
			fail_msg("no %s", keys[i]);
	is_text(document, "/sites/0/ip", "0x401136");
	is_text(document, "/sites/0/comm", "chase\033[2J");
	is_count(document, "/sites/0/pid", (__u64)getpid());
	is_count(document, "/sites/0/loads", 700);
	is_count(document, "/sites/0/stores", 60);
	is_count(document, "/sites/0/hitm/remote", 665);
	is_count(document, "/sites/0/sources/dram", 35);
	is_count(document, "/sites/0/buckets/7", 700);
	is_real(document, "/sites/0/cost", 0.6125);
	is_real(document, "/sites/0/latency_avg", 350);
	is_text(document, "/sites/0/addr_max", "0x55d0c0a04880");
	is_count(document, "/sites/0/cpus/1", 2);
	json_object_put(document);
	snapshot_free(&snap);
}

static void where_from(void **state)
{
	__u64 source[MEMLAT_SRC_NR] = { 0 };
	char *text;

	(void)state;
	assert_string_equal(text = row_sources(source), "-");
	free(text);
	source[MEMLAT_SRC_DRAM] = 20;
	source[MEMLAT_SRC_L3] = 30;
	source[MEMLAT_SRC_L3_SNOOP] = 31;
	source[MEMLAT_SRC_UNKNOWN] = 10;
	source[MEMLAT_SRC_LFB] = 9;
	/* Not more than three, the most first; both kinds of L3 are one. */
	assert_string_equal(text = row_sources(source), "l3 61% dram 20% other 10%");
	free(text);
	memset(source, 0, sizeof(source));
	source[MEMLAT_SRC_RHITM] = 98;
	source[MEMLAT_SRC_L1] = 2;
	assert_string_equal(text = row_sources(source), "rhitm 98%");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(site_orders),
		cmocka_unit_test(sites_as_text),
		cmocka_unit_test(sites_of_stores),
		cmocka_unit_test(sites_as_json),
		cmocka_unit_test(where_from),
	};

	return cmocka_run_group_tests_name("ctl_sites", tests, NULL, NULL);
}
