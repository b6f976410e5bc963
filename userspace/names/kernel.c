// SPDX-License-Identifier: GPL-2.0
/* Name the kernel's code and data. */
#include <errno.h>

#include "kernel_core.h"
#include "naming.h"
#include "symbols.h"
#include "units.h"

static const struct kernel_names *kernel_of(struct namer *namer)
{
	const struct profile *profile = namer->profile;

	if (profile->kernel)
		return profile->kernel;
	if (!namer->kernel_asked) {
		namer->kernel_asked = true;
		/* Ask the running kernel only for live data: another boot has another layout. */
		namer->kernel_error = profile->live ?
			kernel_names_read(&namer->own_kernel, &profile->snap, NULL,
					  profile->snap.head.status.state == MEMLAT_STATE_RUNNING) :
			-ENODATA;
	}
	return namer->own_kernel;
}

/* Where a module was loaded is not recorded. It follows from the address of the row's symbol. */
static struct elf_file *debug_of_module(struct namer *namer, const struct kernel_names *names,
					const struct kernel_row *row, __u64 *shift)
{
	__u8 id[HISTORY_BUILD_ID_MAX];
	const size_t size = kernel_module_id(names, row->module, id);
	struct elf_file *file = size ? elf_file_module(&namer->files, row->module, id, size,
						       namer->profile->machine.kernel) : NULL;
	const struct symbol *symbol = NULL;

	if (file && file->dwfl)
		symbol = symbol_named(&namer->files, file, row->kind == KERNEL_CODE ?
				      SYMBOL_CODE : SYMBOL_DATA, row->name);
	if (!symbol)
		return NULL;
	*shift = row->start - symbol->start;
	return file;
}

/*
 * The debug file of the kernel or a module; NULL: none. shift becomes the difference between an
 * address in memory and the address in the file.
 */
static struct elf_file *debug_of(struct namer *namer, const struct kernel_names *names,
				 const struct kernel_row *row, __u64 *shift)
{
	struct elf_file *file;
	size_t i;

	if (*row->module)
		return debug_of_module(namer, names, row, shift);
	if (row->cpu != KERNEL_NO_CPU || !names->text)
		return NULL;
	file = elf_file_kernel(&namer->files, names->build_id, names->build_id_size,
			       namer->profile->machine.kernel);
	for (i = 0; file && file->elf && i < file->nr_segments; i++)
		if (file->segments[i].flags & PF_X) {
			*shift = names->text - file->segments[i].address;
			return file;
		}
	return NULL;
}

static const char *module_text(struct namer *namer, const struct kernel_row *row)
{
	return *row->module ? pool_format(&namer->pool, "[%s]", row->module) : "[kernel]";
}

void kernel_name_code(struct namer *namer, __u64 ip, struct code_name *code)
{
	const struct kernel_names *names = kernel_of(namer);
	const struct kernel_row *row = names ? kernel_row_at(names, KERNEL_CODE, ip) : NULL;
	struct elf_file *file;
	__u64 shift;

	code->module = code->path = "[kernel]";
	code->module_offset = ip;
	if (!row) {
		namer->kernel_missed = true;
		code->stripped = true;
		return;
	}
	code->function = code->raw = pool_text(&namer->pool, row->name);
	code->offset = ip - row->start;
	code->size = row->end - row->start;
	code->module = code->path = module_text(namer, row);
	file = debug_of(namer, names, row, &shift);
	if (file)
		units_name_code(&namer->files, file, ip - shift, code);
}

/* Name data in a map of BPF by the map and the element, which its types do not know. */
static bool name_in_map(struct namer *namer, const struct kernel_names *names, __u64 address,
			struct data_name *data)
{
	const struct kernel_row *map = kernel_row_at(names, KERNEL_BPF_MAP, address);

	if (!map)
		return false;
	data->how = DATA_BPF_MAP;
	data->start = map->start;
	data->size = map->end - map->start;
	data->offset = address - map->start;
	data->name = map->cpu == KERNEL_NO_CPU ?
		     pool_format(&namer->pool, "BPF map %s", map->name) :
		     pool_format(&namer->pool, "BPF map %s of CPU %u", map->name, map->cpu);
	data->field = kernel_element(&namer->pool, map->module, data->offset);
	return true;
}

/* Name data without a symbol by its type, slab cache or vmalloc() area; false: none is known. */
static bool name_object(struct namer *namer, const struct kernel_names *names, __u64 address,
			struct data_name *data)
{
	const struct kernel_row *slab = kernel_row_at(names, KERNEL_SLAB, address);
	const struct kernel_row *member = kernel_row_at(names, KERNEL_MEMBER, address);
	const struct kernel_row *object = member ? kernel_row_at(names, KERNEL_OBJECT, address) :
						   NULL;
	const struct kernel_row *area = kernel_row_at(names, KERNEL_VMALLOC, address);
	const struct kernel_row *in = slab ? slab : area;

	if (area && !member) {
		data->how = DATA_VMALLOC;
		data->name = pool_format(&namer->pool, "vmalloc by %s", area->name);
		data->module = data->path = module_text(namer, area);
	}
	if (slab) {
		data->how = DATA_SLAB;
		/* The kernel merges caches whose objects have about the same size. */
		data->name = data->cache = *slab->module ?
			     pool_format(&namer->pool, "%s or merged", slab->name) :
			     pool_text(&namer->pool, slab->name);
	}
	if (member) {
		data->how = member->cpu ? DATA_BY_OPERAND : DATA_JOINED;
		data->name = data->type = pool_text(&namer->pool, member->module);
		data->field = *member->name ? pool_text(&namer->pool, member->name) : NULL;
		in = object;
		data->objects = object ? object->cpu : 0;
	}
	if (in) {
		data->start = in->start;
		data->size = in->end - in->start;
		data->offset = address - in->start;
	}
	return slab || area || member;
}

void kernel_name_data(struct namer *namer, __u64 address, struct data_name *data)
{
	const struct kernel_names *names = kernel_of(namer);
	const struct kernel_row *row = names ? kernel_row_at(names, KERNEL_DATA, address) : NULL;
	const struct kernel_row *field;
	struct elf_file *file;
	const char *name;
	__u64 shift;

	data->kind = DATA_KERNEL;
	data->name = "[kernel]";
	data->module = data->path = "[kernel]";
	data->offset = address;
	if (row && row->cpu != KERNEL_NO_CPU)
		data->name = pool_format(&namer->pool, "%s of CPU %u", row->name, row->cpu);
	else if (row)
		data->name = pool_text(&namer->pool, row->name);
	if (!row && names && (name_in_map(namer, names, address, data) ||
			      name_object(namer, names, address, data)))
		return;
	if (!row && names) {
		row = kernel_row_at(names, KERNEL_MEMORY, address);
		if (!row)
			row = kernel_row_at(names, KERNEL_AREA, address);
		if (row)
			data->name = pool_format(&namer->pool, "[kernel %s]", row->name);
	}
	namer->kernel_missed |= !names;
	/* An address in no row is one for which the map of /proc/kcore is missing. */
	namer->core_missed |= names && !row;
	if (!row)
		return;
	field = kernel_row_at(names, KERNEL_FIELD, address);
	if (field && row->cpu != KERNEL_NO_CPU) {
		data->field = *field->name ? pool_text(&namer->pool, field->name) : NULL;
		data->type = pool_text(&namer->pool, field->module);
	}
	data->how = row->kind == KERNEL_DATA ? DATA_SYMBOL : DATA_NO_NAME;
	data->module = data->path = module_text(namer, row);
	data->start = row->start;
	data->size = row->end - row->start;
	data->offset = address - row->start;
	file = row->kind == KERNEL_DATA ? debug_of(namer, names, row, &shift) : NULL;
	name = data->name;
	if (file && variables_name_data(&namer->files, file, false, address - shift, data))
		data->start += shift;
	/* Keep the name with the CPU, which the debug file does not know. */
	if (row->cpu != KERNEL_NO_CPU)
		data->name = name;
}
