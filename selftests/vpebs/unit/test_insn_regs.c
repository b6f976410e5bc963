// SPDX-License-Identifier: GPL-2.0
/* Registers that instructions read and write, as an assembler encodes the instructions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../insn_regs.h"

enum {
	RAX = 1 << 0, RCX = 1 << 1, RDX = 1 << 2, RBX = 1 << 3,
	RSP = 1 << 4, RBP = 1 << 5, RSI = 1 << 6, RDI = 1 << 7,
	R8 = 1 << 8, R9 = 1 << 9, R10 = 1 << 10, R12 = 1 << 12,
	R11 = 1 << 11, R13 = 1 << 13, R15 = 1 << 15, FL = INSN_FLAGS,
};

static const struct {
	const char *name;
	size_t size;
	const char *bytes;
	uint32_t addr, in, out;
	bool moves;
} cases[] = {
	{ "mov (%rax),%rax", 3, "\x48\x8b\x00",
	  RAX, 0, RAX, true },
	{ "mov (%rdi,%rcx,8),%r9", 4, "\x4c\x8b\x0c\xcf",
	  RDI | RCX, 0, R9, true },
	{ "mov 8(%rsp),%rbx", 5, "\x48\x8b\x5c\x24\x08",
	  RSP, 0, RBX, true },
	{ "mov (%r12),%r13", 4, "\x4d\x8b\x2c\x24",
	  R12, 0, R13, true },
	{ "mov 0x40(%r13,%r12,4),%eax", 5, "\x43\x8b\x44\xa5\x40",
	  R13 | R12, 0, RAX, true },
	{ "mov 0x1000(,%rdx,8),%rdi", 8, "\x48\x8b\x3c\xd5\x00\x10\x00\x00",
	  RDX, 0, RDI, true },
	{ "mov 0x1234(%rip),%rax", 7, "\x48\x8b\x05\x34\x12\x00\x00",
	  0, 0, RAX, true },
	{ "mov %rax,(%rdi)", 3, "\x48\x89\x07",
	  RDI, RAX, 0, false },
	{ "mov %rax,%rbx", 3, "\x48\x89\xc3",
	  0, RAX, RBX, false },
	{ "mov %al,%bl", 2, "\x88\xc3",
	  0, RAX | RBX, RBX, false },
	{ "mov %ah,%cl", 2, "\x88\xe1",
	  0, RAX | RCX, RCX, false },
	{ "mov %sil,%cl", 3, "\x40\x88\xf1",
	  0, RSI | RCX, RCX, false },
	{ "mov (%rax),%ch", 2, "\x8a\x28",
	  RAX, RCX, RCX, true },
	{ "mov (%rax),%dx", 3, "\x66\x8b\x10",
	  RAX, RDX, RDX, true },
	{ "movl $1,(%rdi)", 6, "\xc7\x07\x01\x00\x00\x00",
	  RDI, 0, 0, false },
	{ "mov $1,%eax", 5, "\xb8\x01\x00\x00\x00",
	  0, 0, RAX, false },
	{ "mov $1,%r15", 7, "\x49\xc7\xc7\x01\x00\x00\x00",
	  0, 0, R15, false },
	{ "mov $1,%al", 2, "\xb0\x01",
	  0, RAX, RAX, false },
	{ "movzbl (%rdi),%eax", 3, "\x0f\xb6\x07",
	  RDI, 0, RAX, true },
	{ "movzbl %ah,%ecx", 3, "\x0f\xb6\xcc",
	  0, RAX, RCX, false },
	{ "movswq 2(%rsi),%r8", 5, "\x4c\x0f\xbf\x46\x02",
	  RSI, 0, R8, true },
	{ "movslq (%rdi),%rdx", 3, "\x48\x63\x17",
	  RDI, 0, RDX, true },
	{ "lea 8(%rdi,%rsi,2),%rax", 5, "\x48\x8d\x44\x77\x08",
	  0, RDI | RSI, RAX, false },
	{ "add (%rdi),%rax", 3, "\x48\x03\x07",
	  RDI, RAX, RAX | FL, false },
	{ "add %rax,(%rdi)", 3, "\x48\x01\x07",
	  RDI, RAX, FL, false },
	{ "add $1,%rcx", 4, "\x48\x83\xc1\x01",
	  0, RCX, RCX | FL, false },
	{ "adc %rbx,%rcx", 3, "\x48\x11\xd9",
	  0, RBX | RCX | FL, RCX | FL, false },
	{ "cmp (%rdi),%rax", 3, "\x48\x3b\x07",
	  RDI, RAX, FL, false },
	{ "cmp $5,%edx", 3, "\x83\xfa\x05",
	  0, RDX, FL, false },
	{ "cmpb $0,(%rax)", 3, "\x80\x38\x00",
	  RAX, 0, FL, false },
	{ "sub %rax,%rax", 3, "\x48\x29\xc0",
	  0, 0, RAX | FL, false },
	{ "xor %eax,%eax", 2, "\x31\xc0",
	  0, 0, RAX | FL, false },
	{ "xor %r9d,%r9d", 3, "\x45\x31\xc9",
	  0, 0, R9 | FL, false },
	{ "xor %ebx,%eax", 2, "\x31\xd8",
	  0, RAX | RBX, RAX | FL, false },
	{ "xor %al,%al", 2, "\x30\xc0",
	  0, RAX, RAX | FL, false },
	{ "sub $8,%rax", 4, "\x48\x83\xe8\x08",
	  0, RAX, RAX | FL, false },
	{ "and $0xfff,%eax", 5, "\x25\xff\x0f\x00\x00",
	  0, RAX, RAX | FL, false },
	{ "test %rax,%rax", 3, "\x48\x85\xc0",
	  0, RAX, FL, false },
	{ "inc %r8", 3, "\x49\xff\xc0",
	  0, R8, R8 | FL, false },
	{ "decq (%rbx)", 3, "\x48\xff\x0b",
	  RBX, 0, FL, false },
	{ "shl $3,%rax", 4, "\x48\xc1\xe0\x03",
	  0, RAX | FL, RAX | FL, false },
	{ "shr %cl,%rdx", 3, "\x48\xd3\xea",
	  0, RDX | RCX | FL, RDX | FL, false },
	{ "neg %rsi", 3, "\x48\xf7\xde",
	  0, RSI, RSI | FL, false },
	{ "not %rsi", 3, "\x48\xf7\xd6",
	  0, RSI, RSI, false },
	{ "mul %rcx", 3, "\x48\xf7\xe1",
	  0, RAX | RCX, RAX | RDX | FL, false },
	{ "idiv %rcx", 3, "\x48\xf7\xf9",
	  0, RAX | RDX | RCX, RAX | RDX | FL, false },
	{ "imul %rcx,%rdx", 4, "\x48\x0f\xaf\xd1",
	  0, RCX | RDX, RDX | FL, false },
	{ "imul $3,%rcx,%rdx", 4, "\x48\x6b\xd1\x03",
	  0, RCX, RDX | FL, false },
	{ "cmove %rcx,%rdx", 4, "\x48\x0f\x44\xd1",
	  0, RCX | RDX | FL, RDX, false },
	{ "cmovne (%rdi),%rdx", 4, "\x48\x0f\x45\x17",
	  RDI, RDX | FL, RDX, false },
	{ "sete %al", 3, "\x0f\x94\xc0",
	  0, RAX | FL, RAX, false },
	{ "push %rbx", 1, "\x53",
	  RSP, RBX, 0, false },
	{ "push %r12", 2, "\x41\x54",
	  RSP, R12, 0, false },
	{ "pop %rbx", 1, "\x5b",
	  RSP, 0, RBX, true },
	{ "pop %r12", 2, "\x41\x5c",
	  RSP, 0, R12, true },
	{ "call *%rax", 2, "\xff\xd0",
	  0, RAX, 0, false },
	{ "call *(%rax)", 2, "\xff\x10",
	  RAX, 0, 0, false },
	{ "jmp *8(%rdi,%rsi,8)", 4, "\xff\x64\xf7\x08",
	  RDI | RSI, 0, 0, false },
	{ "ret", 1, "\xc3",
	  RSP, 0, 0, false },
	{ "leave", 1, "\xc9",
	  RBP, 0, RBP | RSP, true },
	{ "cltq", 2, "\x48\x98",
	  0, RAX, RAX, false },
	{ "cqto", 2, "\x48\x99",
	  0, RAX, RDX, false },
	{ "xchg %rax,%rcx", 2, "\x48\x91",
	  0, RAX | RCX, RAX | RCX, false },
	{ "xchg %rcx,(%rdi)", 3, "\x48\x87\x0f",
	  RDI, RCX, RCX, false },
	{ "bswap %r10", 3, "\x49\x0f\xca",
	  0, R10, R10, false },
	{ "bsf %rax,%rcx", 4, "\x48\x0f\xbc\xc8",
	  0, RAX, RCX | FL, false },
	{ "popcnt %rax,%rcx", 5, "\xf3\x48\x0f\xb8\xc8",
	  0, RAX, RCX | FL, false },
	{ "bt %rax,%rcx", 4, "\x48\x0f\xa3\xc1",
	  0, RAX | RCX, FL, false },
	{ "bts $3,%rcx", 5, "\x48\x0f\xba\xe9\x03",
	  0, RCX, RCX | FL, false },
	{ "shld $3,%rax,%rcx", 5, "\x48\x0f\xa4\xc1\x03",
	  0, RAX | RCX, RCX | FL, false },
	{ "lock cmpxchg %rcx,(%rdx)", 5, "\xf0\x48\x0f\xb1\x0a",
	  RDX, RAX | RCX, RAX | FL, false },
	{ "lock xadd %rcx,(%rdx)", 5, "\xf0\x48\x0f\xc1\x0a",
	  RDX, RCX, RCX | FL, false },
	{ "cmpxchg16b (%rdi)", 4, "\x48\x0f\xc7\x0f",
	  RDI, RAX | RBX | RCX | RDX, RAX | RDX | FL, false },
	{ "movnti %rax,(%rdi)", 4, "\x48\x0f\xc3\x07",
	  RDI, RAX, 0, false },
	{ "rep stosq", 3, "\xf3\x48\xab",
	  RDI, RAX | RCX, RDI | RCX, false },
	{ "rep movsq", 3, "\xf3\x48\xa5",
	  RSI | RDI, RCX, RSI | RDI | RCX, false },
	{ "lodsb", 1, "\xac",
	  RSI, RCX, RSI | RAX | RCX, false },
	{ "movaps (%rsi),%xmm1", 3, "\x0f\x28\x0e",
	  RSI, 0, 0, false },
	{ "movdqu %xmm9,16(%r10)", 6, "\xf3\x45\x0f\x7f\x4a\x10",
	  R10, 0, 0, false },
	{ "prefetcht0 (%rax)", 3, "\x0f\x18\x08",
	  RAX, 0, 0, false },
	{ "vmovdqu (%rsi),%ymm1", 4, "\xc5\xfe\x6f\x0e",
	  RSI, 0, 0, false },
	{ "vmovdqu (%r9,%r10,1),%ymm9", 6, "\xc4\x01\x7e\x6f\x0c\x11",
	  R9 | R10, 0, 0, false },
	{ "vmovdqu 8(%rdi,%r10,1),%ymm1", 7, "\xc4\xa1\x7e\x6f\x4c\x17\x08",
	  RDI | R10, 0, 0, false },
	{ "vpshufb (%r11),%ymm1,%ymm2", 5, "\xc4\xc2\x75\x00\x13",
	  R11, 0, 0, false },
	{ "vzeroupper", 3, "\xc5\xf8\x77",
	  0, 0, 0, false },
	{ "pshufb (%rax),%xmm1", 5, "\x66\x0f\x38\x00\x08",
	  RAX, 0, 0, false },
	{ "nop", 1, "\x90",
	  0, 0, 0, false },
	{ "nopl 8(%rax,%rax,1)", 5, "\x0f\x1f\x44\x00\x08",
	  RAX, 0, 0, false },
	{ "jne .+6", 2, "\x75\x04",
	  0, 0, 0, false },
	{ "syscall", 2, "\x0f\x05",
	  0, 0, 0, false },
	{ "fldl (%rcx)", 2, "\xdd\x01",
	  RCX, 0, 0, false },
	{ "mov %gs:0x10,%rax", 9, "\x65\x48\x8b\x04\x25\x10\x00\x00\x00",
	  0, 0, RAX, true },
	{ "mov %fs:(%rax),%rax", 4, "\x64\x48\x8b\x00",
	  RAX, 0, RAX, true },
	{ "test $1,%al", 2, "\xa8\x01",
	  0, RAX, FL, false },
	{ "testb $1,(%rcx)", 3, "\xf6\x01\x01",
	  RCX, 0, FL, false },
	{ "sbb %eax,%eax", 2, "\x19\xc0",
	  0, RAX | FL, RAX | FL, false },
	{ "add $0x12345,%rax", 6, "\x48\x05\x45\x23\x01\x00",
	  0, RAX, RAX | FL, false },
};

TEST(test_cases)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn_regs r = insn_registers((const uint8_t *)cases[i].bytes,
						    cases[i].size);

		if (r.addr != cases[i].addr || r.in != cases[i].in || r.out != cases[i].out ||
		    r.moves != cases[i].moves)
			fail_msg("%s: addr 0x%x in 0x%x out 0x%x%s, not 0x%x 0x%x 0x%x%s",
				 cases[i].name, r.addr, r.in, r.out, r.moves ? " moves" : "",
				 cases[i].addr, cases[i].in, cases[i].out,
				 cases[i].moves ? " moves" : "");
	}
}

/* Instructions that are cut off anywhere: no byte behind the end is read. */
TEST(test_short)
{
	size_t i, n;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (n = 0; n < cases[i].size; n++) {
			uint8_t *bytes = malloc(n + 1);

			assert_non_null(bytes);

			memcpy(bytes + 1, cases[i].bytes, n);
			insn_registers(bytes + 1, n);
			free(bytes);
		}
	}
}

/* All combinations of two bytes and an operand: no register is out of range. */
TEST(test_all)
{
	uint8_t bytes[15] = { 0 };
	unsigned int i, prefix;

	for (prefix = 0; prefix < 3; prefix++) {
		for (i = 0; i < 1 << 24; i += 7) {
			static const uint8_t before[3] = { 0x48, 0x0f, 0x66 };
			struct insn_regs r;

			bytes[0] = before[prefix];
			bytes[1] = (uint8_t)(i >> 16);
			bytes[2] = (uint8_t)(i >> 8);
			bytes[3] = (uint8_t)i;
			r = insn_registers(bytes, sizeof(bytes));
			assert_false((r.addr | r.in | r.out) >> INSN_REGS);
		}
	}
}
