// SPDX-License-Identifier: GPL-2.0
/* Machine code, for disassembly: from the file, as the processor saw it. */
#include "kernel_core.h"
#include "naming.h"

/* The kernel patches itself: what it runs is in its memory alone. */
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
