// SPDX-License-Identifier: GPL-2.0
/*
 * Physical lines. PEBS records have no physical address, so it is looked up while the sampled task
 * still runs.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/io.h>
#include <uapi/linux/memlat.h>

#include "phys.h"

/**
 * memlat_phys_line - physical address of the cache line of a linear address
 * @addr: linear address, of the kernel or of current
 *
 * Runs in NMI: takes no lock, and causes no page fault.
 *
 * Return: the address. 0 if the page is not present, or if it is kernel memory outside the direct
 * map (vmalloc, modules).
 */
u64 memlat_phys_line(u64 addr)
{
	struct page *page;
	u64 phys = 0;

	if ((s64)addr < 0) {
		if (virt_addr_valid((void *)addr))
			phys = virt_to_phys((void *)addr);
	} else if (current->mm) {
		pagefault_disable();
		if (get_user_pages_fast_only(addr, 1, 0, &page) == 1) {
			phys = page_to_phys(page) + offset_in_page(addr);
			put_page(page);
		}
		pagefault_enable();
	}
	return phys & ~(u64)(MEMLAT_LINE_BYTES - 1);
}
