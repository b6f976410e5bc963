// SPDX-License-Identifier: GPL-2.0
/*
 * The time of day for the vCPUs' thread. QEMU shrinks a vCPU's TLB if less than a third of it was
 * used for a tenth of a second of the host's time (tlb_mmu_resize_locked() in accel/tcg/cputlb.c).
 * A page that has lost its entry is looked up in the guest's page tables again, which sets the
 * accessed bit of its PTE. The guest's kernel reads that bit, and then takes another path: since
 * Linux 6.17 its kdamond does so by default (CONFIG_DAMON_STAT).
 *
 * So for this thread the time is computed from the instructions that its vCPUs have executed. QEMU
 * reads the time with gettimeofday(), through a pointer that the linker has set.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "glue.h"

bool qemu_in_vcpu_thread(void);

/* When the current turn of a vCPU began, in ns. QEMU does not count within a block. */
static int64_t now;

void glue_clock_set(int64_t ns)
{
	now = ns;
}

static int time_of_day(struct timeval *tv, void *zone)
{
	struct timespec ts;

	(void)zone;
	if (qemu_in_vcpu_thread()) {
		tv->tv_sec = now / 1000000000;
		tv->tv_usec = now % 1000000000 / 1000;
		return 0;
	}
	clock_gettime(CLOCK_REALTIME, &ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

/* A function that QEMU imports, and whether it was found. */
struct import {
	const char *name;
	const void *ours;
	bool done;
};

/* The page may be read-only after relocation (RELRO), so it is made read-only again. */
static bool point_at(void **slot, const void *ours)
{
	const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)slot & ~(size - 1));

	if (mprotect(page, size, PROT_READ | PROT_WRITE))
		return false;
	memcpy(slot, &ours, sizeof(ours));
	return !mprotect(page, size, PROT_READ);
}

/* The first object is the program, QEMU. */
static int redirect(struct dl_phdr_info *object, size_t size, void *data)
{
	struct import *import = data;
	const ElfW(Dyn) *dyn = NULL;
	const ElfW(Sym) *symbols = NULL;
	const ElfW(Rela) *rela = NULL;
	const char *names = NULL;
	size_t n = 0, i;

	(void)size;
	for (i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	/* glibc has replaced the offsets of these by addresses. */
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_SYMTAB)
			symbols = (const void *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_STRTAB)
			names = (const void *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_JMPREL)
			rela = (const void *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_PLTRELSZ)
			n = dyn->d_un.d_val / sizeof(*rela);
	}
	if (!symbols || !names || !rela)
		return 1;
	for (i = 0; i < n; i++)
		if (!strcmp(names + symbols[ELF64_R_SYM(rela[i].r_info)].st_name, import->name))
			import->done = point_at((void *)(object->dlpi_addr + rela[i].r_offset),
						import->ours);
	return 1;
}

bool glue_clock_init(void)
{
	struct import import = { .name = "gettimeofday", .ours = time_of_day };

	dl_iterate_phdr(redirect, &import);
	return import.done;
}
