// SPDX-License-Identifier: GPL-2.0
/*
 * Jump into another kernel, which loads and stores for a while and jumps back (kexec with
 * --load-preserve-context, CONFIG_KEXEC_JUMP). The other kernel is the few instructions below.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/kexec.h>
#include <linux/reboot.h>

/* Its physical address, which the kernel has identity-mapped. */
#define AT	0x400000UL
#define BYTES	0x1000UL

/*
 * It is called with its own stack, which has above the return address where it will be entered the
 * next time.
 */
asm("	.pushsection .data\n"
	"other_begins:\n"
	"	movl	$300000, %ecx\n"
	"1:	movq	other_word(%rip), %rax\n"
	"	movq	%rax, other_word(%rip)\n"
	"	decl	%ecx\n"
	"	jnz	1b\n"
	"	leaq	other_begins(%rip), %rax\n"
	"	movq	%rax, 8(%rsp)\n"
	"	ret\n"
	"	.balign	8\n"
	"other_word:\n"
	"	.quad	0\n"
	"other_ends:\n"
	"	.popsection\n");

int main(void)
{
	struct kexec_segment segment = { .mem = (void *)AT, .memsz = BYTES };

	asm("leaq other_begins(%%rip), %0" : "=r" (segment.buf));
	asm("movq $other_ends - other_begins, %0" : "=r" (segment.bufsz));
	if (syscall(SYS_kexec_load, AT, 1UL, &segment, KEXEC_PRESERVE_CONTEXT)) {
		perror("kexec_load");
		return 1;
	}
	if (syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		    LINUX_REBOOT_CMD_KEXEC, NULL)) {
		perror("reboot");
		return 1;
	}
	return 0;
}
