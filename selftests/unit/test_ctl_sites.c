// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_view.h"

#include "profile/imported.h"
#include "views/row.h"
#include "views/views.h"

SAMPLE_BEGIN_END(snap)

static char *sites_text(size_t show, size_t width)
{
	struct rows_view view = { .word = SITE_BY_COST, .show = show, .width = width };

	return SHOWN(&snap, view, PRINTED(sites_show(out, REPORT_TEXT, &view)));
}

static char *sites_csv_text(void)
{
	struct rows_view view = { .word = SITE_BY_COST };

	return SHOWN(&snap, view, PRINTED(sites_show(out, REPORT_CSV, &view)));
}

static struct json_object *sites_document(size_t show)
{
	struct rows_view view = { .word = SITE_BY_COST, .show = show };

	return SHOWN(&snap, view, reread(sites_show(NULL, REPORT_JSON, &view)));
}

TEST_WITH(sites_as_text, begin, end)
{
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	SAYS(sites_text(20, 250),
	     "1,100 samples (100 stores), period 1,009..2,003 (stores 10,007), overhead 0.93%, 3 lost",
	     "1  61.2%            0x401136  (unknown)      700      60      350  -         chase\\033[2J:",
	     NOT "\033",
	     "2  17.5%  0xffffffff81000010  (no symbol)    200      40      350  [kernel]  kernel ",
	     "    5,000  rmt HITM 95%, DRAM 5%  2.0 KiB   665     25.0%      11     2  0,1          766,840  0x55d0c0a04080\n",
	     "100 of 1,100 samples are of sites that were evicted, none of which had more than 60;",
	     NOT "left out");

	SAYS(sites_text(1, 60),
	     "(left out, too narrow: process, max cyc, loads served from,\n spread, HITM,",
	     "(1 of 2 sites, by cost; -n 0 shows all)");

	/* Without stores there is no column of them. */
	snap.head.status.flags = MEMLAT_F_LOADS | MEMLAT_F_USER;
	SAYS(sites_text(0, 250), "   loads  avg cyc");

	/* With stores alone, nothing is shown that only loads have. */
	snap.head.status.flags = MEMLAT_F_STORES | MEMLAT_F_USER;
	SAYS(sites_text(0, 250),
	     "  function     stores  module    process ", "  spread  TLB miss", NOT "loads",
	     NOT "  cost");

	/* Code that reads one object and writes another. */
	snap.sites[0].addr_max = 0xffff888000000000;
	SAYS(sites_text(0, 250), "  user+kernel  ");

	snap.nr_sites = 0;
	snap.head.status.samples = 0;
	SAYS(sites_text(0, 250), "No samples: ");
}

/* What only some CPUs report is shown for these, if there is any. */
TEST_WITH(sites_of_other_cores, begin, end)
{
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	SAYS(sites_text(0, 250), NOT "blk", NOT "after");
	TELLS(sites_document(0), "/ip_after false", "/sites/0/locked 11",
	      "/sites/0/blocked_data null", "/sites/0/blocked_addr null");

	snap.head.status.traits |= MEMLAT_TRAIT_BLOCKED;
	snap.sites[1].blocked_addr = 17;
	SAYS(sites_text(0, 250),
	     "locked  blk addr  CPUs", "    11        17     2  ", NOT "blk data");
	/* With one node, there is only one to name. */
	snap.head.status.nodes = 1;
	SAYS(sites_text(0, 250), "CPUs  est. accesses");
	snap.head.status.nodes = 2;
	/* Not because of a row that is not shown. */
	SAYS(sites_text(1, 250), NOT "blk");
	TELLS(sites_document(0), "/sites/1/blocked_addr 17", "/sites/1/blocked_data 0");

	/* Format 1 has no bits for TLB and locks. */
	snap.head.status.traits = MEMLAT_TRAIT_IP_AFTER;
	SAYS(sites_text(0, 250),
	     "ldlat 30, user and\n kernel\nip is that of the instruction after the access: this CPU's records hold no other address.\n\n",
	     "            ip after  function ", NOT "TLB miss", NOT "locked");
	TELLS(sites_document(0), "/ip_after true", "/quality/traits/0 ip_after",
	      "/sites/0/locked null", "/sites/0/stlb_miss null");
}

/* Stores alone: nothing was loaded, and there is no average of nothing. */
TEST_WITH(sites_of_stores, begin, end)
{
	snap.sites[0].samples = snap.sites[0].stores;
	snap.sites[0].latency_sum = 0;
	memset(snap.sites[0].source, 0, sizeof(snap.sites[0].source));
	SAYS(sites_text(1, 250),
	     "(no symbol)      0      40        -  [kernel]  kernel     5,000  -  ");
	SAYS(sites_csv_text(), "rmt HITM 95%, DRAM 5%", NOT "'-");
}

/* An average that is not known, although there are loads. */
TEST_WITH(latency_is_not_known, begin, end)
{
	snap.head.status.flags |= IMPORTED | IMPORTED_NO_LATENCY;
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	SAYS(sites_text(20, 250), "  (unknown)      700      60        -  -         chase");
	TELLS(sites_document(0), FITS "sites", "/sites/0/latency_avg null");
}

TEST_WITH(cpus_are_not_known, begin, end)
{
	SAYS(sites_text(0, 250), "  CPUs  ");
	snap.sites[0].cpus = snap.sites[1].cpus = 0;
	SAYS(sites_text(0, 250), NOT "  CPUs  ");
}

/* A damaged profile, in which a site's accesses have more samples than can be counted. */
TEST_WITH(samples_that_overflow, begin, end)
{
	struct memlat_rec_access *accesses = xcalloc(2, sizeof(*accesses));

	accesses[0].ip = accesses[1].ip = 0xffffffff81000010;
	accesses[0].addr = 0x55d0c0a04080;
	accesses[0].samples = INT64_MAX;
	accesses[1].addr = 0xffff9c3f8112c040;
	accesses[1].samples = 1ULL + INT64_MAX;
	free(snap.accesses);
	snap.accesses = accesses;
	snap.nr_accesses = snap.room_accesses = 2;
	site_sort(snap.sites, snap.nr_sites, SITE_BY_COST);
	SAYS(sites_text(0, 250), "  [kernel] 50%  ");
	/* Their sum is none at all. */
	accesses[1].samples++;
	SAYS(sites_text(0, 250), "  [kernel] -  ");
}

TEST(where_from)
{
	__u64 source[MEMLAT_SRC_NR] = { 0 }, part[MEMLAT_PART_NR] = { 0 };
	char *text;

	assert_string_equal(text = row_sources(source, part), "-");
	free(text);
	source[MEMLAT_SRC_DRAM] = 20;
	source[MEMLAT_SRC_L3] = 30;
	source[MEMLAT_SRC_L3_SNOOP] = 31;
	source[MEMLAT_SRC_UNKNOWN] = 10;
	source[MEMLAT_SRC_LFB] = 9;
	/* At most three, the most frequent first. Both kinds of L3 count as one. */
	assert_string_equal(text = row_sources(source, part), "L3 61%, DRAM 20%, other 10%");
	free(text);
	/* Except what a core forwarded, modified or clean. */
	part[MEMLAT_PART_XSNP_FWD] = 31;
	assert_string_equal(text = row_sources(source, part), "L3 fwd 31%, L3 30%, DRAM 20%");
	free(text);
	part[MEMLAT_PART_XSNP_FWD] = 0;
	memset(source, 0, sizeof(source));
	source[MEMLAT_SRC_RHITM] = 98;
	source[MEMLAT_SRC_L1] = 2;
	assert_string_equal(text = row_sources(source, part), "rmt HITM 98%");
	free(text);
}
