// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "kernel_object.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "name_cache.h"
#include "operand_track.h"

#define CODE_MOST	(64U << 10)	/* bytes of a function that is followed */
#define PARTS		8		/* parts of a function; cold code lies elsewhere */
#define INSN_MOST	15		/* bytes, by the architecture */
#define ARGUMENTS	6		/* arguments that are passed in registers */

/* A static branch: a place where the kernel patches a jump in or out. */
struct branch {
	__u64 at, target;
};

struct kernel_operands {
	const struct kernel_core *core;
	const struct btf *btf;
	const struct kallsyms *all;
	struct decoder *decoder;
	struct pool pool;
	struct name_cache read;		/* functions, by their start */
	struct name_cache known, ended;	/* operands by the instruction's start, and by its end */
	struct operand_types types;	/* of the kernel and its modules; the kernel's are shared */
	struct name_cache named;		/* rows of code, by name and module */
	struct branch *branches;	/* by at */
	size_t nr_branches;
	struct name_cache percpu;		/* variables, by address */
};

/* A per-CPU variable; type 0: none is known. */
struct percpu {
	__u32 type;
	__s64 offset;
};

/* ------------------------------------------------------------------ names */

static struct name_cache_key name_key(const struct ksym *row)
{
	return (struct name_cache_key){
		.address = XXH3_64bits(row->name, strlen(row->name)),
		.space = (__u32)XXH3_64bits(row->module, strlen(row->module)),
	};
}

static void read_names(struct kernel_operands *operands)
{
	static const struct ksym several;
	const struct kallsyms *all = operands->all;
	struct name_cache *named = &operands->named;
	size_t i;

	for (i = 0; i < all->nr; i++) {
		const struct ksym *row = &all->rows[i];
		const struct name_cache_key key = name_key(row);

		if (row->code)
			name_cache_keep(named, key, name_cache_find(named, key) ? &several : row);
	}
}

/* Static functions of several files may share a name, and BTF has only one of them. */
static bool is_only_one(struct kernel_operands *operands, const struct ksym *row)
{
	if (!operands->named.room)
		read_names(operands);
	return name_cache_find(&operands->named, name_key(row)) == row;
}

/* ------------------------------------------------------------------ types */

/* Following a function. */
struct following {
	struct kernel_operands *operands;
	const char *module;		/* of the function; "": the kernel itself */
	const struct btf *btf;		/* of that module */
};

/* The prototype of a symbol's function; NULL: the name is ambiguous or not known. */
static const struct btf_type *prototype_of(const struct following *following,
					   const struct ksym *row)
{
	const struct btf_type *type;

	if (!row || !row->code || strcmp(row->module, following->module) ||
	    !is_only_one(following->operands, row))
		return NULL;
	type = btf_named(following->btf, BTF_KIND_FUNC, row->name);
	if (type)
		type = btf_type(following->btf, type->type);
	return type && BTF_KIND_OF(type) == BTF_KIND_FUNC_PROTO ? type : NULL;
}

static __u32 pointee(const struct following *following, __u32 id)
{
	Dwarf_Die die;

	return btf_die(following->btf, id, &die) ?
	       operand_type_pointee(&following->operands->types, &die) : 0;
}

/* Does an argument of this type take one register? Structures take none, one or two. */
static bool is_register(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf_bare(btf, id);

	switch (type ? BTF_KIND_OF(type) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		return true;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type->size <= 8;
	default:
		return false;
	}
}

static void take_arguments(const struct following *following, const struct btf_type *type,
			   __u32 arguments[REG_NR])
{
	static const __u8 order[ARGUMENTS] = { 5, 4, 1, 2, 8, 9 };
	const struct btf_param *param = (const void *)(type + 1);
	__u32 nr = BTF_NUMBER_IN(type), i;

	for (i = 0; i < nr && i < ARGUMENTS && is_register(following->btf, param[i].type); i++)
		arguments[order[i]] = pointee(following, param[i].type);
}

/* ------------------------------------------------------------------- code */

ORDER_BY(by_at, struct branch, at)

/* Read the kernel's list of static branches, which has relative addresses and a key. */
static void read_branches(struct kernel_operands *operands)
{
	struct entry {
		__s32 at, target;
		__u64 key;
	} *entries;
	__u64 start, end;
	size_t nr, i;

	if (!kallsyms_named(operands->all, "__start___jump_table", &start) ||
	    !kallsyms_named(operands->all, "__stop___jump_table", &end) || end <= start ||
	    end - start > 16U << 20)
		return;
	nr = (end - start) / sizeof(*entries);
	entries = xcalloc(nr + 1, sizeof(*entries));
	if (kernel_core_get(operands->core, start, entries, nr * sizeof(*entries))) {
		operands->branches = xcalloc(nr + 1, sizeof(*operands->branches));
		operands->nr_branches = nr;
		for (i = 0; i < nr; i++) {
			__u64 place = start + i * sizeof(*entries);

			operands->branches[i] = (struct branch){
				.at = place + (__u64)(__s64)entries[i].at,
				.target = place + 4 + (__u64)(__s64)entries[i].target,
			};
		}
		SORT(operands->branches, nr, by_at);
	}
	free(entries);
}

struct kernel_steps {
	struct step *steps;
	size_t nr, room, bytes;
	const struct ksym *part[PARTS];
	size_t nr_parts;
};

static bool calls_tracer(const struct kernel_operands *operands, const struct step *step)
{
	const struct ksym *row = step->kind == STEP_CALL ?
				 kallsyms_at(operands->all, step->target) : NULL;

	return row && row->start == step->target && !strcmp(row->name, "__fentry__");
}

/*
 * Correct the meaning of a decoded instruction. The kernel continues after a warning's ud2 or ud1
 * (0f 0b, 0f b9). The tracer that a function calls first keeps all registers. A static branch may
 * jump, whatever is patched in now.
 */
static void settle_step(const struct kernel_operands *operands, const unsigned char *bytes,
			struct step *step)
{
	const struct branch key = { .at = step->at }, *branch = NULL;

	if (calls_tracer(operands, step)) {
		step->kind = STEP_PADDING;
		return;
	}
	if (bytes[0] == 0x0f && step->size > 1 && (bytes[1] == 0x0b || bytes[1] == 0xb9)) {
		step->kind = STEP_OTHER;
		step->memory = false;
		return;
	}
	if (operands->nr_branches)
		branch = bsearch(&key, operands->branches, operands->nr_branches, sizeof(key),
				 by_at);
	if (branch) {
		step->kind = STEP_BRANCH;
		step->target = branch->target;
	}
}

static bool add_part(struct kernel_operands *operands, struct kernel_steps *code, const struct ksym *row)
{
	size_t size = row->end - row->start, first = code->nr, i;
	unsigned char *bytes;
	bool good;

	if (code->nr_parts == PARTS || size > CODE_MOST || code->bytes + size > CODE_MOST)
		return false;
	bytes = xmalloc(size);
	good = kernel_core_get(operands->core, row->start, bytes, size);
	if (good) {
		code->part[code->nr_parts++] = row;
		code->bytes += size;
		decoder_run(operands->decoder, bytes, size, row->start, &code->steps, &code->nr,
			    &code->room);
		for (i = first; i < code->nr; i++)
			settle_step(operands, bytes + (code->steps[i].at - row->start),
				    &code->steps[i]);
	}
	free(bytes);
	return good;
}

static bool is_within(const struct kernel_steps *code, __u64 address)
{
	size_t i;

	for (i = 0; i < code->nr_parts; i++)
		if (address - code->part[i]->start < code->part[i]->end - code->part[i]->start)
			return true;
	return false;
}

/* "name.cold", "name.cold.1" */
static bool is_cold(const struct ksym *row, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(row->name, name, length) && !strncmp(row->name + length, ".cold", 5);
}

/*
 * Decode all parts of a function; false if it jumps into other functions' code, which others enter
 * with other values.
 */
static bool decode(struct kernel_operands *operands, struct kernel_steps *code, const struct ksym *row)
{
	size_t i;

	if (!add_part(operands, code, row))
		return false;
	for (i = 0; i < code->nr; i++) {
		const struct step *step = &code->steps[i];
		const struct ksym *other;

		if ((step->kind != STEP_BRANCH && step->kind != STEP_JUMP) || !step->target ||
		    is_within(code, step->target))
			continue;
		other = kallsyms_at(operands->all, step->target);
		if (other && is_cold(other, row->name)) {
			if (!add_part(operands, code, other))
				return false;
		} else if (!other || other->start != step->target) {
			return false;
		}
	}
	return code->nr;
}

ORDER_BY(by_address, struct step, at)

/* ------------------------------------------------------------- a function */

static void find_percpu(struct kernel_operands *operands, __u64 address, struct percpu *percpu)
{
	const struct operand_type *type;
	__u64 within = 0;
	Dwarf_Die die;
	__u32 id;

	id = btf_percpu_at(operands->btf, address - operands->all->percpu, &within);
	if (!id || !btf_die(operands->btf, id, &die))
		return;
	percpu->type = operand_type_number(&operands->types, &die);
	type = operand_type_at(&operands->types, percpu->type);
	percpu->offset = type ? (__s64)(within % type->size) : 0;
}

static __u32 percpu(const struct tracking *tracking, __u64 address, __s64 *offset)
{
	struct kernel_operands *operands = tracking->context;
	const struct name_cache_key key = { .address = address };
	struct percpu *known;

	if (!kallsyms_in_percpu(operands->all, address))
		return 0;
	known = (struct percpu *)name_cache_find(&operands->percpu, key);
	if (!known) {
		known = pool_take(&operands->pool, sizeof(*known));
		find_percpu(operands, address, known);
		name_cache_keep(&operands->percpu, key, known);
	}
	*offset = known->offset;
	return known->type;
}

/* Note the types that called functions return. */
static void take_calls(const struct following *following, const struct kernel_steps *code,
		       struct function_vars *vars)
{
	size_t i;

	for (i = 0; i < code->nr; i++) {
		const struct step *step = &code->steps[i];
		const struct btf_type *type;
		const struct ksym *row;

		if (step->kind != STEP_CALL || !step->target)
			continue;
		row = kallsyms_at(following->operands->all, step->target);
		if (!row || row->start != step->target)
			continue;
		type = prototype_of(following, row);
		if (!type)
			continue;
		ARRAY_GROW(vars->calls, vars->nr_calls + 1, vars->room_calls);
		vars->calls[vars->nr_calls++] = (struct called){
			.after = step->at + step->size, .type = pointee(following, type->type),
		};
	}
}

static void keep(struct kernel_operands *operands, const struct step *step,
		 const struct tracked *tracked)
{
	struct name_cache_key key = { .address = step->at };
	struct operand *operand;

	if (!tracked->type)
		return;
	operand = pool_take(&operands->pool, sizeof(*operand));
	*operand = tracked_operand(&operands->types, step, tracked);
	name_cache_keep(&operands->known, key, operand);
	key.address += step->size;
	name_cache_keep(&operands->ended, key, operand);
}

static void follow(const struct following *following, struct kernel_steps *code, const struct ksym *row)
{
	struct kernel_operands *operands = following->operands;
	__u32 arguments[REG_NR] = { 0 };
	struct function_vars vars = { 0 };
	struct tracking tracking = {
		.types = &operands->types, .vars = &vars, .nr = code->nr, .entry = row->start,
		.arguments = arguments, .percpu = percpu, .context = operands,
	};
	const struct btf_type *type = prototype_of(following, row);
	struct tracked *answers = xcalloc(code->nr, sizeof(*answers));
	size_t i;

	SORT(code->steps, code->nr, by_address);
	tracking.steps = code->steps;
	if (type)
		take_arguments(following, type, arguments);
	take_calls(following, code, &vars);
	track_function(&tracking, answers);
	for (i = 0; i < code->nr; i++)
		keep(operands, &code->steps[i], &answers[i]);
	free(answers);
	function_vars_free(&vars);
}

static void read_function(struct kernel_operands *operands, const struct ksym *row)
{
	struct following following = {
		.operands = operands, .module = row->module,
		.btf = btf_module(operands->btf, row->module),
	};
	struct kernel_steps code = { 0 };

	if (!following.btf)
		return;
	if (decode(operands, &code, row))
		follow(&following, &code, row);
	free(code.steps);
}

static void read_at(struct kernel_operands *operands, __u64 ip)
{
	static const char done;
	const struct ksym *row = kallsyms_at(operands->all, ip);
	struct name_cache_key key;

	if (!row || !row->code || *row->name == '.')
		return;
	key = (struct name_cache_key){ .address = row->start };
	if (name_cache_find(&operands->read, key))
		return;
	name_cache_keep(&operands->read, key, &done);
	read_function(operands, row);
}

/*
 * May an instruction's operand have a type? Not on the stack, where BTF has no variables, nor of a
 * string instruction. This check is cheaper than following the function.
 */
static bool may_have_type(struct kernel_operands *operands, __u64 ip)
{
	const struct ksym *row = kallsyms_at(operands->all, ip);
	unsigned char bytes[INSN_MOST];
	struct step step;
	size_t got;

	if (row && name_cache_find(&operands->read, (struct name_cache_key){ .address = row->start }))
		return true;
	got = kernel_core_read(operands->core, ip, bytes, sizeof(bytes));
	return !decoder_one(operands->decoder, bytes, got, ip, &step) ||
	       (step.memory && step.base != REG_RSP && step.base != REG_OTHER);
}

const struct operand *kernel_operand(struct kernel_operands *operands, __u64 ip)
{
	if (!may_have_type(operands, ip))
		return NULL;
	read_at(operands, ip);
	return name_cache_find(&operands->known, (struct name_cache_key){ .address = ip });
}

const struct operand *kernel_operand_before(struct kernel_operands *operands, __u64 ip)
{
	read_at(operands, ip - 1);
	return name_cache_find(&operands->ended, (struct name_cache_key){ .address = ip });
}

struct kernel_operands *kernel_operands_new(const struct kernel_core *core, const struct btf *btf,
					    const struct kallsyms *all)
{
	struct kernel_operands *operands = xcalloc(1, sizeof(*operands));

	operands->core = core;
	operands->btf = btf;
	operands->all = all;
	operands->decoder = decoder_new(8);
	read_branches(operands);
	return operands;
}

void kernel_operands_free(struct kernel_operands *operands)
{
	if (!operands)
		return;
	operand_types_free(&operands->types);
	decoder_free(operands->decoder);
	name_cache_free(&operands->read);
	name_cache_free(&operands->known);
	name_cache_free(&operands->ended);
	name_cache_free(&operands->percpu);
	name_cache_free(&operands->named);
	pool_free(&operands->pool);
	free(operands->branches);
	free(operands);
}
