// SPDX-License-Identifier: GPL-2.0
/*
 * What the sanitizers are told in each test program, and in the memlat-ctl that tests start.
 * Undefined behaviour is an instruction that the CPU refuses: a program must not handle that
 * itself, so that it ends with a report of where it was. What was freed is kept until it would
 * leave the caches. Programs are started by the hundred: without the pages that only guard the
 * sanitizer itself, they start in half the time. Weak, for a program that has its own.
 */
const char *__asan_default_options(void);
void __sanitizer_cov_trace_pc(void);

__attribute__((weak)) const char *__asan_default_options(void)
{
	return "handle_sigill=2:quarantine_size_mb=16:protect_shadow_gap=0";
}

/* Where a branch of memlat-ctl leads. That is of use to libFuzzer alone, see fuzz/reached.c. */
void __sanitizer_cov_trace_pc(void)
{
}
