// SPDX-License-Identifier: GPL-2.0
/* memlat-ctl prefetch: names, what is shown, and words for each refusal. */

#include "ctl_view.h"

#include "host/prefetch.h"
#include "util/cpulist.h"
#include "views/views.h"

TEST(names)
{
	static const char *const wrong[] = {
		"", ",", "l3", "l2,", ",l2", "l2,,ip", "L2", "l2 ", "adj", "l2,adjacen",
	};
	char text[PREFETCH_TEXT_MAX];
	__u32 kinds = 0x55, all;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(prefetch_parse(wrong[i], &kinds));
		assert_int_equal(kinds, 0x55);
	}
	for (all = 1; all <= MEMLAT_PREFETCH_ALL; all++) {
		assert_true(prefetch_parse(prefetch_text(text, all), &kinds));
		assert_int_equal(kinds, all);
	}
	assert_true(prefetch_parse("ip,dcu,ip", &kinds));
	assert_int_equal(kinds, MEMLAT_PREFETCH_IP | MEMLAT_PREFETCH_DCU);
	assert_string_equal(prefetch_text(text, kinds), "dcu,ip");
	assert_string_equal(prefetch_text(text, 0), "");
	assert_string_equal(prefetch_text(text, MEMLAT_PREFETCH_ALL),
			    "l2,adjacent,dcu,ip,page,amp,llcpage,aop");
	assert_true(prefetch_parse("aop,page", &kinds));
	assert_int_equal(kinds, MEMLAT_PREFETCH_PAGE | MEMLAT_PREFETCH_AOP);
}

static __u32 known = 0xf;

/* CPUs 0-2 are alike, 3 has one off on its own, 65 is offline. */
static void fill(struct prefetch_state *state, __u32 owner)
{
	const struct memlat_prefetch off = {
		.known = known, .off = 0xf, .held = 0xf, .online = 1, .owner = owner,
	};
	const struct memlat_prefetch found = {
		.known = known, .off = 0x3, .held = 0x2, .online = 1, .owner = owner,
	};
	const struct memlat_prefetch away = { .known = known, .owner = owner };
	unsigned int cpu;

	*state = (struct prefetch_state) { 0 };
	for (cpu = 0; cpu < 3; cpu++)
		prefetch_add(state, cpu, &off);
	prefetch_add(state, 3, &found);
	prefetch_add(state, 65, &away);
	assert_int_equal(state->nr, 3);
}

/* What the view prints. */
static char *printed(enum report_format format, __u32 owner)
{
	struct prefetch_state state;
	char *text;

	fill(&state, owner);
	text = PRINTED(prefetch_print(out, format, &state));
	prefetch_free(&state);
	return text;
}

TEST(text)
{
	SAYS(printed(REPORT_TEXT, MEMLAT_PREFETCH_KEPT),
	     "\n0-2   off  off       off  off  l2,adjacent,dcu,ip\n",
	     "\n3     off  off       on   on   adjacent\n", "\n65    -    -         -    -    -\n",
	     "\nheld off until: memlat-ctl prefetch on ");
	SAYS(printed(REPORT_TEXT, MEMLAT_PREFETCH_FILE),
	     "\nheld off by a program, until it ends\n");
	SAYS(printed(REPORT_TEXT, MEMLAT_PREFETCH_NOBODY), NOT "\nheld off",
	     /* What no CPU here has is not there to look at. */
	     NOT "page");
	known = 0xff;
	SAYS(printed(REPORT_TEXT, MEMLAT_PREFETCH_KEPT),
	     "ip   page  amp  llcpage  aop  held off by memlat\n");
	known = 0xf;
}

TEST(programs)
{
	SAYS(printed(REPORT_CSV, MEMLAT_PREFETCH_KEPT),
	     "cpus,online,l2,adjacent,dcu,ip,page,amp,llcpage,aop,held\r\n",
	     "3,yes,off,off,on,on,,,,,adjacent\r\n", "65,no,,,,,,,,,\r\n");
	TELLS(parsed(printed(REPORT_JSON, MEMLAT_PREFETCH_KEPT)), FITS "prefetch",
	      "/documented true", "/held_by module", "/cpus/0/cpus 0-2", "/cpus/2/held null");
	TELLS(parsed(printed(REPORT_JSON, MEMLAT_PREFETCH_MINE)), "/held_by program");
	TELLS(parsed(printed(REPORT_JSON, MEMLAT_PREFETCH_NOBODY)), "/held_by nobody");
	/* Of a newer module. */
	TELLS(parsed(printed(REPORT_JSON, 77)), "/held_by unknown");
}

/* A list for programs has all CPUs, however many. */
TEST(many_cpus)
{
	const struct memlat_prefetch off = { .known = 0xf, .off = 0xf, .online = 1 };
	struct prefetch_state every = { 0 };
	unsigned int cpu;
	char *text;

	for (cpu = 0; cpu < CPULIST_CPUS; cpu += 2)
		prefetch_add(&every, cpu, &off);
	text = PRINTED(prefetch_print(out, REPORT_CSV, &every));
	SAYS(text, "\"0,2,4,", ",8188,8190\",yes,", NOT "...");
	text = PRINTED(prefetch_print(out, REPORT_TEXT, &every));
	SAYS(text, "\n0,2,4,", "..");
	prefetch_free(&every);
}
