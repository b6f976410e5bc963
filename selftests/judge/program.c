// SPDX-License-Identifier: GPL-2.0
/*
 * A program with the instructions that were executed, each at its address, so that memlat-ctl reads
 * from them how wide an access is, as it does from a compiled program. There is nothing else in it.
 */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/util/xalloc.h"
#include "native.h"

#define PAGE		0x1000
#define INSTRUCTION	4		/* bytes, at most; each is at a multiple of that */

static unsigned char *code;
static size_t bytes;

/* mov (%rax) from or to a register, or lock add; NULL: no operand has this width. */
static const char *instruction(unsigned int width, bool store, bool locked)
{
	static const char * const text[6][3] = {
		{ "\x8a\x00\x90\x90", "\x88\x00\x90\x90", "\xf0\x00\x00\x90" },
		{ "\x66\x8b\x00\x90", "\x66\x89\x00\x90", "\x66\xf0\x01\x00" },
		{ "\x8b\x00\x90\x90", "\x89\x00\x90\x90", "\xf0\x01\x00\x90" },
		{ "\x48\x8b\x00\x90", "\x48\x89\x00\x90", "\xf0\x48\x01\x00" },
		{ "\x0f\x10\x00\x90", "\x0f\x11\x00\x90" },
		{ "\xc5\xfc\x10\x00", "\xc5\xfc\x11\x00" },
	};
	unsigned int i;

	for (i = 0; i < 6; i++)
		if (width == 1U << i)
			return text[i][locked ? 2 : store];
	return NULL;
}

void program_executes(uint64_t ip, unsigned int width, bool store, bool locked)
{
	const size_t at = ip - NATIVE_TEXT;
	const char *text = instruction(width, store, locked);

	if (at + INSTRUCTION > bytes) {
		code = xreallocarray(code, at + PAGE, 1);
		memset(code + bytes, 0, at + PAGE - bytes);
		bytes = at + PAGE;
	}
	/* An instruction that no decoder takes for an access: its width is not known. */
	memcpy(code + at, text ? text : "\x0f\x0b\x90\x90", INSTRUCTION);
}

void program_id(const struct plan *plan, uint8_t id[NATIVE_ID_BYTES])
{
	memset(id, 0, NATIVE_ID_BYTES);
	memcpy(id, &plan->seed, sizeof(plan->seed));
}

bool program_write(const struct plan *plan, const char *path)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr load, note;
		Elf64_Nhdr name;
		char owner[4];
		uint8_t id[NATIVE_ID_BYTES];
	} file = {
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = NATIVE_CODE, .p_vaddr = NATIVE_CODE,
			.p_filesz = bytes, .p_memsz = bytes, .p_align = PAGE,
		},
		.note = {
			.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = offsetof(__typeof__(file), name),
			.p_filesz = sizeof(Elf64_Nhdr) + 4 + NATIVE_ID_BYTES, .p_align = 4,
		},
		.name = { .n_namesz = 4, .n_descsz = NATIVE_ID_BYTES, .n_type = NT_GNU_BUILD_ID },
		.owner = "GNU",
	};
	FILE *out = fopen(path, "w");
	size_t at;
	bool ok;

	program_id(plan, file.id);
	ok = out && fwrite(&file, sizeof(file), 1, out) == 1;
	/* Most of the code's pages are empty, and make a hole in the file. */
	for (at = 0; ok && at < bytes; at += PAGE) {
		static const unsigned char empty[PAGE];
		const size_t some = bytes - at < PAGE ? bytes - at : PAGE;

		if (memcmp(code + at, empty, some) || at + some == bytes)
			ok = !fseek(out, (long)(NATIVE_CODE + at), SEEK_SET) && fwrite(code + at, some, 1, out) == 1;
	}
	if (!out || fclose(out))
		ok = false;
	if (!ok)
		perror(path);
	free(code);
	return ok;
}
