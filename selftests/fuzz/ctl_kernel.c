// SPDX-License-Identifier: GPL-2.0
/* What the kernel says about itself: kallsyms and BTF. */
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>

#include "ctl.h"
#include "names/btf.h"
#include "names/kallsyms.h"
#include "names/types.h"

static void check_rows(const struct kallsyms *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		struct ksym *row = &all->rows[i];

		fuzz_check(row->name && row->module && row->start <= row->end);
		fuzz_check(i + 1 == all->nr || row->end <= row[1].start);
		if (row->start == row->end)
			continue;
		fuzz_check(kallsyms_at(all, row->start) == row);
		fuzz_check(kallsyms_at(all, row->end - 1) == row);
	}
	for (i = 0; i < all->nr_local; i++) {
		struct ksym *row = &all->local[i];

		fuzz_check(row->start <= row->end);
		if (row->start < row->end)
			fuzz_check(kallsyms_local_at(all, row->start) == row);
	}
}

void ctl_kallsyms(const uint8_t *data, size_t size)
{
	struct kallsyms all = { .rows = NULL };

	world_file(0, "/proc/kallsyms", data, size);
	if (!kallsyms_read(&all, NULL, NULL))
		check_rows(&all);
	world_open();
	kallsyms_free(&all);
}

static void ask(const struct btf *btf, const char *name, __u64 start)
{
	static const __u64 offsets[] = { 0, 1, 4, 8, 12, 17, 20, 24, 28, 64, 100, 4096, ~0ULL };
	const char *type, *field;
	unsigned int i;

	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct pool pool = { 0 };

		btf_percpu(btf, name, start, start == BTF_ANYWHERE ? offsets[i] :
			   start + offsets[i], &pool, &type, &field);
		fuzz_check(!field || type);
		if (type)
			fuzz_check(strlen(type) < 4096 && (!field || strlen(field) < 65536));
		pool_free(&pool);
	}
}

static void ask_all(const struct btf *btf)
{
	ask(btf, "queues", 0);
	ask(btf, "queues", BTF_ANYWHERE);
	ask(btf, "mine", 0);
	ask(btf, "mine", BTF_ANYWHERE);
}

/* Convert it to DWARF: that has as many types, and readers find their way in it. */
static struct btf_dwarf *read_types(const struct btf *btf, const struct btf_dwarf *base)
{
	struct btf_dwarf *dwarf = btf_dwarf_new(btf, base);
	struct pool pool = { 0 };
	struct btf_place place;
	Dwarf_Die die;
	__u32 id;

	fuzz_check(dwarf);
	for (id = 0; id <= btf_end(btf); id++)
		if (btf_dwarf_type(dwarf, id, &die)) {
			fuzz_check(id && btf_type(btf, id));
			type_name(&pool, &die);
			type_field(&pool, &die, type_size(&die) / 2);
		}
	btf_member(btf, "queue", "half", &place);
	pool_free(&pool);
	return dwarf;
}

/* The kernel's BTF, followed by that of a module. Two bytes say where the first one ends. */
void ctl_btf(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	size_t first = fuzz_take(&input, 2);
	struct btf_dwarf *kernel;
	struct btf *btf, *module;
	uint8_t *bytes;

	if (first > input.left)
		first = input.left;
	/* The parser reads in place, so its input has to be aligned. Copy it. */
	bytes = fuzz_alloc(input.left);
	memcpy(bytes, input.at, input.left);
	btf = btf_from(NULL, bytes, first);
	if (!btf)
		return;
	ask_all(btf);
	kernel = read_types(btf, NULL);
	module = btf_from(btf, bytes + first, input.left - first);
	if (module) {
		ask_all(module);
		btf_dwarf_free(read_types(module, kernel));
	}
	btf_dwarf_free(kernel);
	btf_free(module);
	btf_free(btf);
}
