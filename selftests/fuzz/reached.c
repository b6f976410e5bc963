// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of the unit tests tell libFuzzer what an input reached. gcc calls a function wherever a
 * branch leads. Since libFuzzer has that function to say that it needs clang, the linker puts this one in
 * its place (--wrap). It counts how often it was called from where, in counters that libFuzzer reads.
 */
#include <stdint.h>

#define COUNTERS	(1U << 16)

void __wrap___sanitizer_cov_trace_pc(void);

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

__attribute__((no_sanitize("address", "undefined", "coverage"))) void __wrap___sanitizer_cov_trace_pc(void)
{
	uint64_t from = (uintptr_t)__builtin_return_address(0);

	counters[from * 0x9e3779b97f4a7c15 >> 48]++;
}
