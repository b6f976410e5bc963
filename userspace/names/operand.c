// SPDX-License-Identifier: GPL-2.0
#include "operand.h"

#include <stdlib.h>

#include <capstone/capstone.h>

#include "../profile/known.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "naming.h"
#include "operand_code.h"
#include "operand_track.h"
#include "units.h"

#define CODE_MOST	(64U << 10)	/* bytes of a function that is followed */
#define INSN_MOST	15		/* bytes, by the architecture */

/* A file's functions whose operands were looked up. */
struct operands {
	struct operand_types types;
	struct decoder *decoder;
	struct name_cache functions;	/* struct function by the address in memory of its DIE */
};

static struct operands *operands_of(struct elf_file *file)
{
	if (!file->operands) {
		file->operands = xcalloc(1, sizeof(*file->operands));
		file->operands->decoder = decoder_new(file->i386 ? 4 : 8);
	}
	return file->operands;
}

void operands_free(struct elf_file *file)
{
	if (!file->operands)
		return;
	operand_types_free(&file->operands->types);
	decoder_free(file->operands->decoder);
	name_cache_free(&file->operands->functions);
	free(file->operands);
	file->operands = NULL;
}

/* The operands of a function. */
struct function {
	struct operand *rows;	/* by address */
	size_t nr;
};

ORDER_BY(by_address, struct step, at)

struct function_steps {
	struct step *steps;
	size_t nr, room, bytes;
};

/* Decode all parts of a function. Compilers move code that rarely runs to a part of its own. */
static bool decode(struct function_steps *code, struct operands *operands, const struct elf_file *file,
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

static void read_function(struct elf_files *files, struct elf_file *file, Dwarf_Die *die,
			  struct function *function)
{
	struct operands *operands = file->operands;
	struct function_vars vars = { 0 };
	struct tracked *answers;
	Dwarf_Addr entry;
	struct function_steps code = { 0 };
	struct tracking tracking = {
		.files = files, .file = file, .types = &operands->types, .vars = &vars,
	};
	size_t i;

	if (decode(&code, operands, file, die)) {
		function_vars_read(&vars, &operands->types, die, file->i386);
		tracking.steps = code.steps;
		tracking.nr = code.nr;
		tracking.entry = dwarf_entrypc(die, &entry) ? code.steps[0].at : entry;
		answers = xcalloc(code.nr, sizeof(*answers));
		track_function(&tracking, answers);
		for (i = 0; i < code.nr; i++)
			function->nr += code.steps[i].memory;
		function->rows = pool_take(files->pool, function->nr * sizeof(*function->rows));
		function->nr = 0;
		for (i = 0; i < code.nr; i++)
			if (code.steps[i].memory)
				function->rows[function->nr++] = tracked_operand(
					&operands->types, &code.steps[i], &answers[i]);
		free(answers);
		function_vars_free(&vars);
	}
	free(code.steps);
}

/* The operands of the function that holds an address; NULL: no function does. */
static const struct function *function_at(struct elf_files *files, struct elf_file *file,
					  __u64 address)
{
	struct function *function;
	struct operands *operands;
	struct name_cache_key key;
	Dwarf_Die die;

	if (!file->elf || !units_function(files, file, address, &die))
		return NULL;
	operands = operands_of(file);
	key = (struct name_cache_key){ .address = (__u64)(uintptr_t)die.addr };
	function = (struct function *)name_cache_find(&operands->functions, key);
	if (!function) {
		function = pool_take(files->pool, sizeof(*function));
		read_function(files, file, &die, function);
		name_cache_keep(&operands->functions, key, function);
	}
	return function;
}

static const struct operand *row_at(const struct function *function, __u64 address)
{
	const struct operand *rows = function->rows;
	size_t at = FIRST_WHERE(i, function->nr, rows[i].address >= address);

	return at < function->nr && rows[at].address == address ? &rows[at] : NULL;
}

const struct operand *operand_at(struct elf_files *files, struct elf_file *file,
				 __u64 address)
{
	const struct function *function = function_at(files, file, address);

	return function ? row_at(function, address) : NULL;
}

const struct operand *operand_before(struct elf_files *files, struct elf_file *file,
				     __u64 address)
{
	/* The instruction may be the last of its function, so that address is in the next one. */
	const struct function *function = function_at(files, file, address - 1);
	const struct operand *operand;
	unsigned int size;

	for (size = 1; function && size <= INSN_MOST; size++) {
		operand = row_at(function, address - size);
		if (operand && operand->size == size)
			return operand;
	}
	return NULL;
}

const struct operand *namer_operand(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	static const struct operand none;
	const struct name_cache_key key = { .address = ip, .space = space, .gen = gen };
	const struct operand *operand = name_cache_find(&namer->operands, key);
	struct place place;

	if (kernel_address(ip))
		return NULL;
	if (operand)
		return operand == &none ? NULL : operand;
	place = code_place(namer, space, gen, ip);
	if (place.placed)
		operand = namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER ?
			  operand_before(&namer->files, place.file, ip - place.bias) :
			  operand_at(&namer->files, place.file, ip - place.bias);
	name_cache_keep(&namer->operands, key, operand ? operand : &none);
	return operand;
}

unsigned int namer_width(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	const struct operand *operand;
	unsigned char bytes[INSN_MOST];
	struct step step;
	unsigned int width;
	size_t got;

	width = known_find_width(namer->profile->known, space, gen, ip);
	if (width)
		return width;
	/* Only the code before tells where the instruction begins that ends there. */
	if (namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER) {
		operand = namer_operand(namer, space, gen, ip);
		return operand ? operand->width : 0;
	}
	got = namer_text(namer, space, gen, ip, bytes, sizeof(bytes));
	return decoder_one(namer_decoder(namer, namer_code(namer, space, gen, ip)), bytes, got, ip,
			   &step) ? step.width : 0;
}

#define LOOKED	32	/* bytes of an instruction and those that follow it */

/* Does an instruction read the flags, which the one before it has set? */
static bool asks(const cs_insn *insn)
{
	size_t i;

	for (i = 0; i < insn->detail->regs_read_count; i++)
		if (insn->detail->regs_read[i] == X86_REG_EFLAGS)
			return true;
	return false;
}

static enum operand_use use_of(const cs_insn *insn, const cs_insn *next)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *to = &x86->operands[0];
	bool memory_first, memory = false;
	unsigned int i;

	for (i = 0; i < x86->op_count; i++)
		memory |= x86->operands[i].type == X86_OP_MEM;
	if (!memory || insn->id == X86_INS_LEA)
		return WORD_UNKNOWN;
	memory_first = to->type == X86_OP_MEM;
	switch (insn->id) {
	case X86_INS_INC:
	case X86_INS_ADD:
		return memory_first ? WORD_ADD : WORD_LOAD;
	case X86_INS_DEC:
	case X86_INS_SUB:
		if (!memory_first)
			return WORD_LOAD;
		return next && asks(next) ? WORD_DROP : WORD_ADD;
	case X86_INS_XADD:
		return memory_first ? WORD_FETCH_ADD : WORD_UNKNOWN;
	case X86_INS_XCHG:
	case X86_INS_BTS:
	case X86_INS_BTR:
	case X86_INS_BTC:
		return WORD_EXCHANGE;
	case X86_INS_CMPXCHG:
	case X86_INS_CMPXCHG8B:
	case X86_INS_CMPXCHG16B:
		return WORD_COMPARE;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		return memory_first ? WORD_STORE : WORD_LOAD;
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_CMP:
	case X86_INS_TEST:
		return WORD_LOAD;
	default:
		return WORD_UNKNOWN;
	}
}

enum operand_use operand_use_of(struct decoder *decoder, const unsigned char *code, size_t bytes)
{
	const csh handle = bytes ? decoder_handle(decoder) : 0;
	enum operand_use use = WORD_UNKNOWN;
	cs_insn *insns;
	size_t nr;

	if (!handle)
		return WORD_UNKNOWN;
	nr = cs_disasm(handle, code, bytes, 0, 2, &insns);
	if (nr) {
		use = use_of(&insns[0], nr > 1 ? &insns[1] : NULL);
		cs_free(insns, nr);
	}
	return use;
}

enum operand_use namer_operand_use(struct namer *namer, __u32 space, __u32 gen, __u64 ip)
{
	unsigned char code[LOOKED];

	/* The instruction there is another one. */
	if (namer->profile->snap.head.status.traits & MEMLAT_TRAIT_IP_AFTER)
		return WORD_UNKNOWN;
	return operand_use_of(namer_decoder(namer, namer_code(namer, space, gen, ip)), code,
			      namer_text(namer, space, gen, ip, code, sizeof(code)));
}
