// SPDX-License-Identifier: GPL-2.0
#include "ctl_test.h"

#include "profile/snapshot.h"

/* Add to a figure, and take it back: only its equation is reported. */
#define BREAKS(figure, by, words) do {						\
	snap.figure += (by);							\
	assert_string_equal(account_snapshot_broken(&snap), words);		\
	snap.figure -= (by);							\
} while (0)

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

	BREAKS(buckets.count[0][0], 1, "1000 loads, but 1001 in the buckets");
	BREAKS(raw.count[0xff], 1, "1000 loads, but 1001 by raw source word");
	BREAKS(head.status.lines_evicted, -1, "1100 samples, but 1099 in lines and evicted lines");
	BREAKS(sum[TABLE_SITES].samples, 1, "1100 samples, but 1101 in sites and evicted sites");
	BREAKS(head.status.accesses_evicted, 1, "1100 samples, but 1101 in accesses and evicted accesses");
	BREAKS(sum[TABLE_THREADS].samples, -1, "1100 samples, but 1099 in threads and evicted threads");
	BREAKS(sum[TABLE_SOURCES].samples, 1, "1000 loads, but 1001 by source word");
	BREAKS(sum[TABLE_STRIDES].samples, 1, "47 pairs, but 48 in strides and evicted strides");
	BREAKS(head.status.strides_evicted, -1, "47 pairs, but 46 in strides and evicted strides");
	BREAKS(sources[1].samples, -1, "1000 loads on cores skx, but 999 by source word");
	BREAKS(cores[0].stores, -1, "1000 loads and 100 stores, but 1000 and 99 by kind of core");
	assert_null(account_snapshot_broken(&snap));

	snap.head.status.stores++;
	assert_false(account_status_holds(&snap.head.status));
	assert_string_equal(account_snapshot_broken(&snap),
			    "1100 samples, but 1101 are loads or stores");
	snapshot_free(&snap);
}
