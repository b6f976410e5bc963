// SPDX-License-Identifier: GPL-2.0
/*
 * capstone's functions under their own names, as in its header. The first call loads the library.
 * Linking it directly would cost every start of memlat-ctl 80,000 relocations, half of the start,
 * and few commands look at machine code.
 */
#include <dlfcn.h>
#include <string.h>

#include <capstone/capstone.h>

#include "out.h"

#define TEXT_OF(number)	#number
#define TEXT(number)	TEXT_OF(number)
/* The version of this header. Others number instructions and registers differently. */
#define LIBRARY		"libcapstone.so." TEXT(CS_API_MAJOR)

static struct {
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *malloc;
	__typeof__(cs_free) *free;
	__typeof__(cs_disasm) *disasm;
	__typeof__(cs_disasm_iter) *disasm_iter;
	__typeof__(cs_insn_group) *insn_group;
	__typeof__(cs_regs_access) *regs_access;
} theirs;

/* Say it once, because each piece of code asks again. */
static bool give_up(void)
{
	static bool said;

	if (!said)
		out_complain("code cannot be decoded: %s; install the package that has " LIBRARY,
			     dlerror());
	said = true;
	return false;
}

static bool load(void)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "cs_close", &theirs.close }, { "cs_option", &theirs.option },
		{ "cs_malloc", &theirs.malloc }, { "cs_free", &theirs.free },
		{ "cs_disasm", &theirs.disasm }, { "cs_disasm_iter", &theirs.disasm_iter },
		{ "cs_insn_group", &theirs.insn_group }, { "cs_regs_access", &theirs.regs_access },
		{ "cs_open", &theirs.open },
	};
	static void *library;
	size_t i;

	if (theirs.open)
		return true;
	library = library ?: dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return give_up();
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return give_up();
		memcpy(functions[i].to, &function, sizeof(function));
	}
	return true;
}

/* CS_ERR_ARCH: the library is missing, and the user was told. */
cs_err cs_open(cs_arch arch, cs_mode mode, csh *handle)
{
	return load() ? theirs.open(arch, mode, handle) : CS_ERR_ARCH;
}

/* The functions below need a handle, which only a loaded library's cs_open() returns. */

cs_err cs_close(csh *handle)
{
	return theirs.close(handle);
}

cs_err cs_option(csh handle, cs_opt_type type, size_t value)
{
	return theirs.option(handle, type, value);
}

cs_insn *cs_malloc(csh handle)
{
	return theirs.malloc(handle);
}

void cs_free(cs_insn *insn, size_t count)
{
	theirs.free(insn, count);
}

size_t cs_disasm(csh handle, const uint8_t *code, size_t size, uint64_t address, size_t count,
		 cs_insn **insn)
{
	return theirs.disasm(handle, code, size, address, count, insn);
}

bool cs_disasm_iter(csh handle, const uint8_t **code, size_t *size, uint64_t *address, cs_insn *insn)
{
	return theirs.disasm_iter(handle, code, size, address, insn);
}

bool cs_insn_group(csh handle, const cs_insn *insn, unsigned int group_id)
{
	return theirs.insn_group(handle, insn, group_id);
}

cs_err cs_regs_access(csh handle, const cs_insn *insn, cs_regs regs_read, uint8_t *regs_read_count,
		      cs_regs regs_write, uint8_t *regs_write_count)
{
	return theirs.regs_access(handle, insn, regs_read, regs_read_count, regs_write,
				  regs_write_count);
}
