// SPDX-License-Identifier: GPL-2.0
/* Real machines by family, model and stepping: which row of memlat's table is theirs. */
#include "ctl_judge.h"

#include "../../module/hw/cpu_model.h"
#include "host/cpu_models.h"
#include "silicon/silicon.h"

#define XSNP_FWD	7	/* the code of that event: SDM vol. 3B, table 20-101 */

TEST(rows_of_machines)
{
	struct silicon_line line = { .source = "" };
	FILE *file = fopen("silicon/pmu.txt", "r");
	struct cpu_identity cpu;
	unsigned int found = 0;
	const char *name, *why;

	assert_non_null(file);
	while (silicon_next(file, &line, 9)) {
		if (!silicon_told(line.column[0]))
			continue;
		/* These lines do not have the microcode's version, so assume a new one. */
		cpu = (struct cpu_identity){
			.intel = true, .family = (unsigned int)silicon_hex(line.column[0]),
			.model = (unsigned int)silicon_hex(line.column[1]),
			.stepping = (unsigned int)silicon_hex(line.column[2]), .microcode = ~0U,
		};
		name = cpu_models_name(&cpu);
		if (!name || strcmp(name, line.column[3]))
			fail_msg("%x_%x stepping %x is %s, not %s: %s", cpu.family, cpu.model,
				 cpu.stepping, name ? name : "no row", line.column[3], line.source);
		assert_non_null(cpu_models_find(&cpu, &why));
		found++;
	}
	fclose(file);
	assert_true(found >= 20);
}

static const struct memlat_source_table *sources_of(const char *row)
{
	unsigned int i;

	for (i = 0; i < memlat_cpu_models_nr; i++)
		if (!strcmp(memlat_cpu_models[i].name, row))
			return memlat_cpu_models[i].sources;
	fail_msg("no row %s", row);
	return NULL;
}

/* As many samples as were printed, by two threads in turn, and no store at all. */
TEST(read_only_data_is_no_fight)
{
	struct silicon_line line = { .source = "" };
	FILE *file = fopen("silicon/readonly.txt", "r");
	const struct memlat_source_code *code;
	struct verdicts *verdicts;
	unsigned int loads = 0;
	struct session s;
	size_t i;

	assert_non_null(file);
	session_init(&s);
	while (silicon_next(file, &line, 4)) {
		const unsigned int times = 20;
		const __u64 addr = silicon_hex(line.column[2]);
		unsigned int hitm;

		assert_string_equal(line.column[1], "mem_load_l3_hit_retired.xsnp_fwd");
		code = memlat_source_code_of(sources_of(line.column[0]), XSNP_FWD);
		hitm = code->source == MEMLAT_SRC_L3_HITM ? times : 0;
		/* It is not known whether the line was modified, so it must not be called so. */
		assert_int_equal(hitm, 0);
		USE(&s, .addr = addr, .ip = silicon_hex(line.column[3]), .tid = 1 + loads % 2,
		    .loads = times, .hitm = hitm, .fwd = times - hitm);
		loads++;
	}
	fclose(file);
	assert_int_equal(loads, 9);
	verdicts = verdicts_begin(&s.snap);
	assert_int_equal(s.snap.nr_lines, 2);
	for (i = 0; i < s.snap.nr_lines; i++) {
		const struct verdict_line *found = verdict_of(verdicts, &s.lines[i]);

		if (found->verdict == VERDICT_FALSE_SHARING || found->verdict == VERDICT_TRUE_SHARING)
			fail_msg("%s of data that nobody writes", verdict_key(found->verdict));
		assert_false(found->unseen_writer);
	}
	verdicts_end(verdicts);
}
