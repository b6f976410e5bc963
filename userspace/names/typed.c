// SPDX-License-Identifier: GPL-2.0
#include "typed.h"

#include <dwarf.h>
#include <sys/mman.h>

#include "instance.h"
#include "naming.h"
#include "type_text.h"
#include "units.h"
#include "variables.h"

bool namer_typed(struct namer *namer, __u32 space, __u32 gen, __u64 address,
		 struct typed *typed)
{
	const struct history_image *image;
	const struct instance *in;
	struct module module;
	__u64 offset;

	*typed = (struct typed){ 0 };
	/* Types of the kernel's variables are those of BTF. */
	if (kernel_address(address))
		return false;
	image = history_find(namer->profile->history, space, gen);
	module = module_at(namer, image, address);
	if (module.placed && !(module.map->flags & MAP_SHARED)) {
		if (!variables_type(&namer->files, module.file, address - module.bias, &typed->type,
				    &typed->variable, &offset))
			return false;
		typed->start = address - offset;
		return true;
	}
	in = instance_find(namer, space, gen, address);
	if (!in)
		return false;
	typed->type = in->type->die;
	typed->start = in->start;
	return true;
}

const char *namer_declared(struct namer *namer, Dwarf_Die *die, unsigned int *line)
{
	Dwarf_Die origin = type_origin(die);
	int number;

	*line = 0;
	if (dwarf_decl_line(&origin, &number) || number <= 0)
		return NULL;
	*line = (unsigned int)number;
	return units_file(&namer->pool, &origin, DW_AT_decl_file);
}

struct pool *namer_pool(struct namer *namer)
{
	return &namer->pool;
}
