// SPDX-License-Identifier: GPL-2.0
/* Operands of a program from an untrusted source: damaged ELF, DWARF, location lists and code. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

#include "names/elf_file.h"
#include "names/operand.h"
#include "names/types.h"

#define ADDRESSES_MOST	4096	/* of one input that are asked for */

/* What is said about an access must be true for the type that is named. */
static void check_operand(struct pool *pool, const struct operand *operand)
{
	Dwarf_Die die;

	fuzz_check(operand->width <= 512);
	if (!operand->type) {
		fuzz_equal(operand->how, OPERAND_UNKNOWN);
		return;
	}
	fuzz_check(operand->how != OPERAND_UNKNOWN && operand->type->size);
	die = operand->type->die;
	type_name(pool, &die);
	type_field(pool, &die, (__u64)operand->offset);
}

static void ask_all(struct elf_files *files, struct elf_file *file)
{
	size_t i, asked = 0;
	__u64 at;

	for (i = 0; i < file->nr_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (!(segment->flags & PF_X))
			continue;
		for (at = segment->address; at - segment->address < segment->file_size &&
					    asked < ADDRESSES_MOST; at++, asked++) {
			const struct operand *operand = operand_at(files, file, at);

			if (operand) {
				fuzz_equal(operand->address, at);
				check_operand(files->pool, operand);
			}
			operand = operand_before(files, file, at);
			fuzz_check(!operand || at - operand->address <= 15);
		}
	}
}

void ctl_operand(const uint8_t *data, size_t size)
{
	struct pool pool = { 0 };
	struct profile profile;
	struct elf_files files = { .pool = &pool, .profile = &profile };
	struct history_map map = { .path = NULL };
	struct elf_file *file;
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/program", world_folder());
	world_open();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	elf_version(EV_CURRENT);
	profile_init(&profile);
	map.path = path;
	file = elf_file_of(&files, 0, &map);
	if (file && file->elf)
		ask_all(&files, file);
	elf_files_free(&files);
	pool_free(&pool);
	profile_free(&profile);
}
