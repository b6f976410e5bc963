// SPDX-License-Identifier: GPL-2.0
/* Compare the emulated cores with real ones: what Linux prints about their PMU when it boots. */
#include <stddef.h>
#include <stdint.h>

#include "../../unit/harness.h"
#include "../../unit/silicon/silicon.h"
#include "model.h"

static unsigned int compared;

static void is(const char *what, const char *told, unsigned int has, const struct vp_model *m,
	       const struct vp_core *core, const struct silicon_line *line)
{
	if (silicon_told(told) && silicon_number(told) != has)
		fail_msg("%s, %s: %s is %u, not %s as of a real one (%s)", m->name, core->name, what,
			 has, told, line->source);
}

static void compare(const struct vp_model *m, const struct vp_core *core,
		    const struct silicon_line *line)
{
	const char *const *c = line->column;
	const unsigned int gp = silicon_number(c[7]);

	is("the format", c[4], vp_core_format(core), m, core, line);
	if (silicon_told(c[5]))
		assert_int_equal(!!(core->perf_caps & VP_CAP_BASELINE), !strcmp(c[5], "yes"));
	is("the version", c[6], core->version, m, core, line);
	/*
	 * With hyperthreading off, a core has the counters of both threads. The emulated core has
	 * two threads.
	 */
	if (!(core->version < 5 && gp == 8 && core->gp == 4))
		is("the number of counters", c[7], core->gp, m, core, line);
	is("the number of fixed counters", c[8], core->fixed, m, core, line);
	compared++;
}

/* No machine here has these: Cooper Lake is Cascade Lake, Alder Lake-N is Gracemont alone. */
static bool is_not_emulated(const char *row)
{
	return !strcmp(row, "cpx") || !strcmp(row, "adl-n");
}

/*
 * Compare with the machine of that very model, if there is one. Otherwise with any that has that
 * row's core. A line that is compared with none has a wrong name, or a core has one.
 */
static void compare_all(const struct silicon_line *line)
{
	const char *const *c = line->column;
	const bool known = silicon_told(c[0]);
	const unsigned int before = compared;
	const struct vp_model *m;
	unsigned int i, kind, exact;

	for (exact = known; ; exact = 0) {
		for (i = 0; (m = vp_model_at(i)); i++) {
			if (exact && (m->family != silicon_hex(c[0]) || m->model != silicon_hex(c[1])))
				continue;
			/* What a hypervisor shows of a core is not a real core. */
			if (!strncmp(m->name, "guest-", 6))
				continue;
			for (kind = 0; kind < vp_model_kinds(m); kind++)
				if (!strcmp(m->core[kind]->name, c[3]))
					compare(m, m->core[kind], line);
		}
		if (!exact || compared != before)
			break;
	}
	if ((compared == before) != is_not_emulated(c[3]))
		fail_msg("%s (%s): compared with %u cores", c[3], line->source, compared - before);
}

TEST(test_cores)
{
	struct silicon_line line = { .source = "" };
	FILE *file = fopen("../unit/silicon/pmu.txt", "r");

	assert_non_null(file);
	while (silicon_next(file, &line, 9))
		compare_all(&line);
	fclose(file);
	assert_true(compared >= 20);
}
