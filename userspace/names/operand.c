// SPDX-License-Identifier: GPL-2.0
#include "operand.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/search.h"
#include "../util/xalloc.h"
#include "naming.h"
#include "operand_track.h"
#include "units.h"

#define CODE_MOST	(64U << 10)	/* bytes of a function that is followed */
#define INSN_MOST	15		/* bytes, by the architecture */

/* A file's functions whose operands were looked up. */
struct operands {
	struct operand_types types;
	struct decoder *decoder;
	struct memo functions;	/* struct kept_function by the address in memory of its DIE */
	struct memo known;	/* struct operand by address in the file */
};

static struct operands *operands_of(struct elf_file *file)
{
	if (!file->operands) {
		file->operands = xcalloc(1, sizeof(*file->operands));
		file->operands->decoder = decoder_new();
	}
	return file->operands;
}

void operands_free(struct elf_file *file)
{
	if (!file->operands)
		return;
	operand_types_free(&file->operands->types);
	decoder_free(file->operands->decoder);
	memo_free(&file->operands->functions);
	memo_free(&file->operands->known);
	free(file->operands);
	file->operands = NULL;
}

/* An operand of a function, in few bytes because there may be millions. */
struct kept {
	__u64 at;
	__u32 type;
	__s32 offset;
	__u16 width;
	__u8 base, size;
	__u8 how : 2, member : 1, within : 1, reads : 1, writes : 1;
};

struct kept_function {
	struct kept *rows;	/* sorted by address */
	size_t nr;
};

static void keep(struct kept *row, const struct step *step, const struct tracked *tracked)
{
	*row = (struct kept){
		.at = step->at, .width = step->width, .size = step->size, .base = step->base,
		.reads = step->reads, .writes = step->writes,
	};
	if (!tracked->type || tracked->offset != (__s32)tracked->offset)
		return;
	row->type = tracked->type;
	row->offset = (__s32)tracked->offset;
	row->how = tracked->how;
	row->member = tracked->member;
	row->within = tracked->place == PLACE_WITHIN;
}

ORDER_BY(by_address, struct step, at)

struct code {
	struct step *steps;
	size_t nr, room, bytes;
};

/* Decode all parts of a function. Compilers move code that rarely runs to a part of its own. */
static bool decode(struct code *code, struct operands *operands, const struct elf_file *file,
		   Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &start, &end)) > 0) {
		size_t size = end > start ? end - start : 0, got;
		unsigned char *bytes;

		if (size > CODE_MOST || code->bytes + size > CODE_MOST)
			return false;
		bytes = xmalloc(size);
		got = elf_read(file, start, bytes, size);
		decoder_run(operands->decoder, bytes, got, start, &code->steps, &code->nr,
			    &code->room);
		code->bytes += size;
		free(bytes);
	}
	SORT(code->steps, code->nr, by_address);
	return code->nr;
}

static void read_function(struct elf_files *files, struct elf_file *file, Dwarf_Die *function,
			  struct kept_function *kept)
{
	struct operands *operands = file->operands;
	struct function_vars vars = { 0 };
	struct tracked *answers;
	Dwarf_Addr entry;
	struct code code = { 0 };
	struct tracking tracking = {
		.files = files, .file = file, .types = &operands->types, .vars = &vars,
	};
	size_t i;

	if (decode(&code, operands, file, function)) {
		function_vars_read(&vars, &operands->types, function);
		tracking.steps = code.steps;
		tracking.nr = code.nr;
		tracking.entry = dwarf_entrypc(function, &entry) ? code.steps[0].at : entry;
		answers = xcalloc(code.nr, sizeof(*answers));
		track_function(&tracking, answers);
		for (i = 0; i < code.nr; i++)
			kept->nr += code.steps[i].memory;
		kept->rows = pool_take(files->pool, kept->nr * sizeof(*kept->rows));
		kept->nr = 0;
		for (i = 0; i < code.nr; i++)
			if (code.steps[i].memory)
				keep(&kept->rows[kept->nr++], &code.steps[i], &answers[i]);
		free(answers);
		function_vars_free(&vars);
	}
	free(code.steps);
}

static const struct kept *kept_at(const struct kept_function *function, __u64 address)
{
	size_t at = FIRST_WHERE(i, function->nr, function->rows[i].at >= address);

	return at < function->nr && function->rows[at].at == address ? &function->rows[at] : NULL;
}

static void tell(struct operand *operand, const struct operands *operands,
		 const struct kept *row)
{
	*operand = (struct operand){
		.address = row->at,
		.width = row->width, .reads = row->reads, .writes = row->writes,
		.base = row->base <= REG_RIP ? (__s8)row->base : OPERAND_NONE,
		.type = operand_type_at(&operands->types, row->type),
		.offset = row->offset, .member = row->member,
		.place = row->within ? PLACE_WITHIN : PLACE_EXACT,
		.how = row->type ? (enum operand_how)row->how : OPERAND_UNKNOWN,
	};
}

/* The operands of the function that holds an address; NULL: no function does. */
static const struct kept_function *function_at(struct elf_files *files, struct elf_file *file,
					       __u64 address)
{
	struct kept_function *function;
	struct operands *operands;
	struct memo_key key;
	Dwarf_Die die;

	if (!file->elf || !units_function(files, file, address, &die))
		return NULL;
	operands = operands_of(file);
	key = (struct memo_key){ .address = (__u64)(uintptr_t)die.addr };
	function = (struct kept_function *)memo_find(&operands->functions, key);
	if (!function) {
		function = pool_take(files->pool, sizeof(*function));
		read_function(files, file, &die, function);
		memo_keep(&operands->functions, key, function);
	}
	return function;
}

static const struct operand *operand_of(struct elf_files *files, struct elf_file *file,
					const struct kept *row)
{
	const struct memo_key key = { .address = row->at };
	const struct operand *known = memo_find(&file->operands->known, key);
	struct operand *operand;

	if (known)
		return known;
	operand = pool_take(files->pool, sizeof(*operand));
	tell(operand, file->operands, row);
	memo_keep(&file->operands->known, key, operand);
	return operand;
}

const struct operand *operand_at(struct elf_files *files, struct elf_file *file,
				 __u64 address)
{
	const struct kept_function *function = function_at(files, file, address);
	const struct kept *row = function ? kept_at(function, address) : NULL;

	return row ? operand_of(files, file, row) : NULL;
}

const struct operand *operand_before(struct elf_files *files, struct elf_file *file,
				     __u64 address)
{
	/* The instruction may be the last of its function, so that address is in the next one. */
	const struct kept_function *function = function_at(files, file, address - 1);
	const struct kept *row;
	unsigned int size;

	for (size = 1; function && size <= INSN_MOST; size++) {
		row = kept_at(function, address - size);
		if (row && row->size == size)
			return operand_of(files, file, row);
	}
	return NULL;
}

const struct operand *namer_operand(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	static const struct operand none;
	const struct memo_key key = { .address = ip, .space = space, .gen = gen };
	const struct operand *operand = memo_find(&namer->operands, key);
	struct module module;

	if (kernel_address(ip))
		return NULL;
	if (operand)
		return operand == &none ? NULL : operand;
	module = module_at(namer, history_find(namer->profile->history, space, gen), ip);
	if (module.placed)
		operand = namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER ?
			  operand_before(&namer->files, module.file, ip - module.bias) :
			  operand_at(&namer->files, module.file, ip - module.bias);
	memo_keep(&namer->operands, key, operand ? operand : &none);
	return operand;
}

unsigned int namer_width(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	const struct operand *operand;
	unsigned char bytes[INSN_MOST];
	struct step step;
	size_t got;

	/* Only the code before tells where the instruction begins that ends there. */
	if (namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER) {
		operand = namer_operand(namer, space, gen, ip);
		return operand ? operand->width : 0;
	}
	got = namer_text(namer, space, gen, ip, bytes, sizeof(bytes));
	return decoder_one(namer_decoder(namer), bytes, got, ip, &step) ? step.width : 0;
}
