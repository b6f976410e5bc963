// SPDX-License-Identifier: GPL-2.0
/* What other tools get; selftests/exports has it read by these. */
#include "ctl_profile.h"
#include "ctl_view.h"

#include "views/export.h"

static char *folded(const struct profile *profile, struct namer *namer, enum export_value value)
{
	struct export export;
	struct page page;

	export_begin(&export, profile, namer);
	page_open(&page);
	export_folded(page.out, &export, value);
	fclose(page.out);
	export_end(&export);
	return page.text;
}

static __u64 sum_of(char *text)
{
	char *line, *rest;
	__u64 sum = 0;

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		sum += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	free(text);
	return sum;
}

/* Most of its samples are of accesses that had to leave, and all are in the totals. */
TEST(totals_are_the_profile_s)
{
	struct profile profile;
	struct namer *namer;
	char *text;

	sample_profile(&profile);
	namer = namer_new(&profile, NULL);
	assert_int_equal(sum_of(folded(&profile, namer, EXPORT_LOADS)),
			 profile.snap.head.status.loads);
	assert_int_equal(sum_of(folded(&profile, namer, EXPORT_STORES)),
			 profile.snap.head.status.stores);
	assert_int_equal(sum_of(folded(&profile, namer, EXPORT_CYCLES)),
			 snapshot_cost(&profile.snap));
	text = folded(&profile, namer, EXPORT_LOADS);
	says(text, "[evicted] ");
	free(text);
	namer_free(namer);
	profile_free(&profile);
}

/* Who called whom, outermost first, with names that would break the format. */
TEST(chains_and_names)
{
	struct memlat_rec_stack stack = {
		.id = 7, .frames = 3, .kernel_frames = 1, .tgid = 5,
		.frame = { 0xffffffff81000010, 0x401136, 0x401000 },
	};
	struct memlat_rec_access access = {
		.ip = 0xffffffff81000010, .tgid = 5, .tid = 5, .stack = 7, .samples = 3,
		.stores = 1, .cost = 90, .hitm = 1, .rhitm = 1,
	};
	struct code_name code = { .function = "a;b\n c\x1b" };
	struct snapshot snap = { .accesses = &access, .nr_accesses = 1, .stacks = &stack,
				 .nr_stacks = 1 };
	struct shown shown;
	struct page page;
	char *text;

	snap.head.status.loads = 2;
	snap.head.status.stores = 1;
	snap.sum[TABLE_ACCESSES].cost = 90;
	shown_open(&shown, &snap);
	text = folded(&shown.profile, shown.namer, EXPORT_HITM);
	says(text, "[unknown];[unknown];[unknown];");
	says(text, " 2\n");
	free(text);
	shown_close(&shown);
	page_open(&page);
	export_put(page.out, export_function(&code), ';');
	fclose(page.out);
	assert_string_equal(page.text, "a_b_ c_");
	free(page.text);
}

TEST_WITH(as_people_type_it, own_folder_make, own_folder_remove)
{
	static char said[65536];
	struct profile profile;

	sample_profile(&profile);
	profile_put(&profile, in("a"));
	profile_free(&profile);
	assert_int_equal(program(said, sizeof(said), "export --format callgrind -i %s", in("a")), 0);
	says(said, "events: Cycles Loads Hitm Stores");
	says(said, "fn=[evicted]\n0 ");
	assert_int_equal(program(said, sizeof(said), "export --format openmetrics -i %s", in("a")), 0);
	says(said, "memlat_samples_total{type=\"load\"} 1000\n");
	says(said, "# EOF\n");
	assert_int_equal(program(said, sizeof(said), "export -i %s", in("a")), 2);
	says(said, "for which tool?");
	assert_int_equal(program(said, sizeof(said), "export --format xml -i %s", in("a")), 2);
	says(said, "--format xml: no such word; give one of folded, callgrind, pprof, openmetrics");
	assert_int_equal(program(said, sizeof(said), "export --format folded --value time -i %s",
				 in("a")), 2);
	says(said, "give one of cycles, loads, hitm, stores");
}
