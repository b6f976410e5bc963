// SPDX-License-Identifier: GPL-2.0
/* Read machine code for disassembly: a program's from its file, the kernel's from its memory. */
#include "kernel_core.h"
#include "naming.h"

/* The kernel patches its own code, so the code that runs is in its memory only. */
static size_t kernel_text(struct namer *namer, __u64 ip, void *bytes, size_t size)
{
	if (namer->profile->live && !namer->core_asked) {
		namer->core_asked = true;
		namer->core = kernel_core_open();
	}
	return namer->core ? kernel_core_read(namer->core, ip, bytes, size) : 0;
}

size_t namer_text(struct namer *namer, __u32 space, __u32 gen, __u64 ip, void *bytes,
		  size_t size)
{
	struct module module;

	if (kernel_address(ip))
		return kernel_text(namer, ip, bytes, size);
	module = module_at(namer, history_find(namer->profile->history, space, gen), ip);
	return module.placed ? elf_read(module.file, ip - module.bias, bytes, size) : 0;
}
