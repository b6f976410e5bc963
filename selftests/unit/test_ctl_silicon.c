// SPDX-License-Identifier: GPL-2.0
/* Real machines by family, model and stepping: which row of memlat's table is theirs. */
#include "ctl_test.h"

#include "lib/cpu_models.h"
#include "silicon/silicon.h"

static void rows_of_machines(void **state)
{
	struct silicon_line line = { .source = "" };
	FILE *file = fopen("silicon/pmu.txt", "r");
	struct cpu_identity cpu;
	unsigned int found = 0;
	const char *name, *why;

	(void)state;
	assert_non_null(file);
	while (silicon_next(file, &line, 9)) {
		if (!silicon_told(line.column[0]))
			continue;
		/* Microcode is not what these lines tell: none is too old. */
		cpu = (struct cpu_identity){
			.intel = true, .family = (unsigned int)silicon_hex(line.column[0]),
			.model = (unsigned int)silicon_hex(line.column[1]),
			.stepping = (unsigned int)silicon_hex(line.column[2]),
			.microcode = ~0U,
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_machines),
	};

	return cmocka_run_group_tests_name("ctl silicon", tests, NULL, NULL);
}
