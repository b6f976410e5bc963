// SPDX-License-Identifier: GPL-2.0
/* The few instructions that the emulator must recognize, and some that look like them. */
#include <stddef.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../insn.h"

static const struct {
	const char *name;
	const char *bytes;	/* none of them holds a zero byte */
	enum insn_kind kind;
	bool locked;
	bool repeated;
} cases[] = {
	{ "wrmsr", "\x0f\x30", INSN_WRMSR, false, false },
	{ "ds wrmsr (padded)", "\x3e\x0f\x30", INSN_WRMSR, false, false },
	{ "ds ds ds wrmsr", "\x3e\x3e\x3e\x0f\x30", INSN_WRMSR, false, false },
	{ "rex.w wrmsr", "\x48\x0f\x30", INSN_WRMSR, false, false },
	{ "wrmsrns", "\x0f\x01\xc6", INSN_WRMSR, false, false },
	{ "rdmsr", "\x0f\x32", INSN_RDMSR, false, false },
	{ "rdpmc", "\x0f\x33", INSN_RDPMC, false, false },
	{ "cpuid", "\x0f\xa2", INSN_CPUID, false, false },
	{ "rdtsc", "\x0f\x31", INSN_RDTSC, false, false },
	{ "rdtscp", "\x0f\x01\xf9", INSN_RDTSC, false, false },
	{ "hlt", "\xf4", INSN_HLT, false, false },
	{ "mwait", "\x0f\x01\xc9", INSN_HLT, false, false },
	{ "monitor", "\x0f\x01\xc8", INSN_OTHER, false, false },
	{ "swapgs", "\x0f\x01\xf8", INSN_OTHER, false, false },
	{ "xgetbv", "\x0f\x01\xd0", INSN_OTHER, false, false },
	{ "mov $0x32f0, %ax", "\x66\xb8\xf0\x32", INSN_OTHER, false, false },
	{ "mov $0xf4, %al", "\xb0\xf4", INSN_OTHER, false, false },
	{ "nop", "\x90", INSN_OTHER, false, false },
	{ "lock incl (%rax)", "\xf0\xff\x20", INSN_OTHER, true, false },
	{ "lock cmpxchg %rcx,(%rdx)", "\xf0\x48\x0f\xb1\x0a", INSN_OTHER, true, false },
	{ "gs lock prefix order", "\x65\xf0\x48\x0f\xc7\x4d\x10", INSN_OTHER, true, false },
	{ "lock gs", "\xf0\x65\x48\x0f\xc7\x4d\x10", INSN_OTHER, true, false },
	{ "xchg %eax,(%rdi)", "\x87\x07", INSN_OTHER, true, false },
	{ "xchg %rax,8(%rdi)", "\x48\x87\x47\x08", INSN_OTHER, true, false },
	{ "xchg %al,(%rdi)", "\x86\x07", INSN_OTHER, true, false },
	{ "xchg %eax,%ecx", "\x87\xc1", INSN_OTHER, false, false },
	{ "xchg %rax,%rdi", "\x48\x87\xc7", INSN_OTHER, false, false },
	{ "mov (%rdi),%eax", "\x8b\x07", INSN_OTHER, false, false },
	{ "mov %al,0xf0(%rdi)", "\x88\x87\xf0\x01\x01\x01", INSN_OTHER, false, false },
	{ "rep stosq", "\xf3\x48\xab", INSN_OTHER, false, true },
	{ "rep stosb", "\xf3\xaa", INSN_OTHER, false, true },
	{ "rep movsb", "\xf3\xa4", INSN_OTHER, false, true },
	{ "rep movsq", "\xf3\x48\xa5", INSN_OTHER, false, true },
	{ "repne scasb", "\xf2\xae", INSN_OTHER, false, true },
	{ "repz cmpsb", "\xf3\xa6", INSN_OTHER, false, true },
	{ "stosb", "\xaa", INSN_OTHER, false, false },
	{ "pause", "\xf3\x90", INSN_OTHER, false, false },
	{ "rep test", "\xf3\xa8\x01", INSN_OTHER, false, false },
	{ "iretq", "\x48\xcf", INSN_IRET, false, false },
	{ "iret", "\xcf", INSN_IRET, false, false },
	{ "mov 0x1a18(%rsi),%rsp", "\x48\x8b\xa6\x18\x1a\x01\x01", INSN_STACK, false, false },
	{ "mov %gs:0x101,%rsp", "\x65\x48\x8b\x24\x25\x01\x01\x01\x01", INSN_STACK, false, false },
	{ "mov %rax,%rsp", "\x48\x89\xc4", INSN_STACK, false, false },
	{ "mov %r11,%rsp", "\x4c\x89\xdc", INSN_STACK, false, false },
	{ "mov %r13,%rsp", "\x4c\x89\xec", INSN_STACK, false, false },
	{ "mov %rax,%rsp (8b)", "\x48\x8b\xe0", INSN_STACK, false, false },
	{ "pop %rsp", "\x5c", INSN_STACK, false, false },
	{ "pop %r12", "\x41\x5c", INSN_OTHER, false, false },
	{ "mov %rbp,%rsp", "\x48\x89\xec", INSN_OTHER, false, false },
	{ "mov %rbp,%rsp (8b)", "\x48\x8b\xe5", INSN_OTHER, false, false },
	{ "mov %rax,%r12", "\x49\x89\xc4", INSN_OTHER, false, false },
	{ "mov (%rax),%r12", "\x4c\x8b\x20", INSN_OTHER, false, false },
	{ "mov %rax,(%rsp)", "\x48\x89\x04\x24", INSN_OTHER, false, false },
	{ "mov %rsp,%rdi", "\x48\x89\xe7", INSN_OTHER, false, false },
	{ "mov %eax,%esp", "\x89\xc4", INSN_OTHER, false, false },
	{ "mov %cr4,%rax", "\x0f\x20\xe0", INSN_READ_CR4, false, false },
	{ "mov %cr3,%rax", "\x0f\x20\xd8", INSN_OTHER, false, false },
	{ "mov %cr8,%rax", "\x44\x0f\x20\xc0", INSN_OTHER, false, false },
	{ "mov %rax,%cr4", "\x0f\x22\xe0", INSN_WRITE_CR4, false, false },
	{ "mov %rax,%cr3", "\x0f\x22\xd8", INSN_OTHER, false, false },
	{ "a lone prefix", "\xf0", INSN_OTHER, true, false },
	{ "a lone rex", "\x48", INSN_OTHER, false, false },
	{ "a cut 0f", "\x0f", INSN_OTHER, false, false },
	{ "a cut xchg", "\x87", INSN_OTHER, false, false },
};

TEST(cr4_target)
{
	assert_int_equal(insn_decode((const uint8_t *)"\x0f\x20\xe0", 3).reg, 0);
	assert_int_equal(insn_decode((const uint8_t *)"\x0f\x20\xe7", 3).reg, 7);
	assert_int_equal(insn_decode((const uint8_t *)"\x41\x0f\x20\xe4", 4).reg, 12);
	assert_int_equal(insn_decode((const uint8_t *)"\x0f\x22\xe7", 3).reg, 7);
}

TEST(decoded)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = strlen(cases[i].bytes);
		struct insn insn = insn_decode((const uint8_t *)cases[i].bytes, size);

		if (insn.kind != cases[i].kind || insn.locked != cases[i].locked ||
		    insn.repeated != cases[i].repeated)
			fail_msg("%s: kind %d, locked %d, repeated %d", cases[i].name, insn.kind,
				 insn.locked, insn.repeated);
	}
}

TEST(nothing)
{
	struct insn insn = insn_decode((const uint8_t *)"", 0);

	assert_int_equal(insn.kind, INSN_OTHER);
	assert_false(insn.locked);
}
