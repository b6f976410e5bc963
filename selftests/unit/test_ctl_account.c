// SPDX-License-Identifier: GPL-2.0
#include "ctl_test.h"

#include "profile/snapshot.h"

/* Break each equation on its own: only that one is reported. */
TEST(accounts)
{
	struct snapshot snap;

	sample_snapshot(&snap);
	assert_int_equal(account_lost(&snap.head.status), 3);
	assert_true(account_status_holds(&snap.head.status));

	snap.head.status.records++;
	assert_false(account_status_holds(&snap.head.status));
	assert_string_equal(account_snapshot_broken(&snap),
			    "1111 records, but 1110 are samples, filtered, malformed or collisions");
	snap.head.status.records--;

	snap.buckets.count[0][0]++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1000 loads, but 1001 in the buckets");
	snap.buckets.count[0][0]--;

	snap.raw.count[0xff]++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1000 loads, but 1001 by raw source word");
	snap.raw.count[0xff]--;

	snap.head.status.lines_evicted--;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1099 in lines and evicted lines");
	snap.head.status.lines_evicted++;

	snap.sum[TABLE_SITES].samples++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1101 in sites and evicted sites");
	snap.sum[TABLE_SITES].samples--;

	snap.head.status.accesses_evicted++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1101 in accesses and evicted accesses");
	snap.head.status.accesses_evicted--;

	snap.sum[TABLE_THREADS].samples--;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1099 in threads and evicted threads");
	snap.sum[TABLE_THREADS].samples++;

	snap.sum[TABLE_SOURCES].samples++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1000 loads, but 1001 by source word");
	snap.sum[TABLE_SOURCES].samples--;

	snap.sum[TABLE_STRIDES].samples++;
	assert_string_equal(account_snapshot_broken(&snap),
			    "47 pairs, but 48 in strides and evicted strides");
	snap.sum[TABLE_STRIDES].samples--;
	snap.head.status.strides_evicted--;
	assert_string_equal(account_snapshot_broken(&snap),
			    "47 pairs, but 46 in strides and evicted strides");
	snap.head.status.strides_evicted++;

	snap.sources[1].samples--;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1000 loads on cores skx, but 999 by source word");
	snap.sources[1].samples++;

	snap.cores[0].stores--;
	assert_string_equal(account_snapshot_broken(&snap),
			    "1000 loads and 100 stores, but 1000 and 99 by kind of core");
	snap.cores[0].stores++;
	assert_null(account_snapshot_broken(&snap));

	snap.head.status.stores++;
	assert_false(account_status_holds(&snap.head.status));
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1101 are loads or stores");
	snapshot_free(&snap);
}
