// SPDX-License-Identifier: GPL-2.0
/* The machine's options: what is accepted, what is refused, and that nothing else changes. */
#include <stddef.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../options.h"
#include "../random.h"

TEST(taken)
{
	struct vp_options o = vp_options_default;
	char why[96];

	assert_true(o.wait);
	assert_int_equal(vp_option(&o, "wait", "off", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_false(o.wait);
	assert_int_equal(vp_option(&o, "wait", "on", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_true(o.wait);
	assert_int_equal(vp_option(&o, "seed", "4294967295", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_int_equal(o.seed, 4294967295ULL);
	assert_non_null(strstr(vp_option_names(), "seed, tag, after, wait"));
	assert_true(o.after);
	assert_int_equal(o.tag, 30);
	assert_int_equal(vp_option(&o, "tag", "1", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_int_equal(o.tag, 1);
	/* Options about what firmware and hypervisors leave are an exception. */
	assert_false(o.freeze);
	assert_int_equal(vp_option(&o, "freeze", "on", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_true(o.freeze);
	assert_false(o.firmware);
	assert_int_equal(vp_option(&o, "firmware", "fixed", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_true(o.firmware);
	assert_int_equal(vp_option(&o, "firmware", "clean", why, sizeof(why)), VP_OPTION_TAKEN);
	assert_false(o.firmware);
}

TEST(refused)
{
	static const struct {
		const char *name, *value;
		enum vp_option is;
	} t[] = {
		{ "weather", "on", VP_OPTION_UNKNOWN },
		{ "wait", "yes", VP_OPTION_BAD },
		{ "wait", "", VP_OPTION_BAD },
		{ "firmware", "on", VP_OPTION_BAD },
		{ "tag", "0", VP_OPTION_BAD },
		{ "tag", "10001", VP_OPTION_BAD },
		{ "swallow", "pebs", VP_OPTION_BAD },
		{ "seed", "0", VP_OPTION_BAD },
		{ "seed", "-1", VP_OPTION_BAD },
		{ "seed", "7x", VP_OPTION_BAD },
		{ "seed", "4294967296", VP_OPTION_BAD },
		{ "seed", "on", VP_OPTION_BAD },
	};
	struct vp_options o = vp_options_default;
	char why[96];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(*t); i++) {
		why[0] = '\0';
		assert_int_equal(vp_option(&o, t[i].name, t[i].value, why, sizeof(why)), t[i].is);
		assert_int_equal(!why[0], t[i].is == VP_OPTION_UNKNOWN);
		assert_memory_equal(&o, &vp_options_default, sizeof(o));
	}
}

/*
 * The same seed gives the same numbers, and each CPU has other ones. All numbers of a range are
 * equally frequent.
 */
TEST(numbers)
{
	uint64_t a = vp_random_start(1, 0), b = vp_random_start(1, 0), c = vp_random_start(1, 1);
	unsigned int seen[8] = { 0 }, same = 0, i;

	for (i = 0; i < 8000; i++) {
		uint32_t of_a = vp_random(&a);

		assert_int_equal(of_a, vp_random(&b));
		same += of_a == vp_random(&c);
		seen[vp_random_below(&a, 8)]++;
		vp_random(&b);
	}
	assert_true(same < 3);
	for (i = 0; i < 8; i++)
		assert_in_range(seen[i], 880, 1120);	/* 4 sigma around 1000 */
}
