// SPDX-License-Identifier: GPL-2.0
#include "operand_vars.h"

#include <dwarf.h>
#include <stdlib.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "type_text.h"

#define DEPTH	64
#define MOST	(1U << 16)	/* facts of one function */

#ifndef DW_LANG_Go
#define DW_LANG_Go 0x16
#endif

struct walk {
	struct function_vars *vars;
	struct operand_types *types;
	Dwarf_Die *function;
	__u8 frame;		/* what DW_OP_fbreg counts from; REG_NONE: not known */
	__s64 frame_offset;
	bool i386;
};

/* A register by x86-64's number; false: it holds no addresses. */
static bool number_of(const struct walk *walk, __u64 number, __u8 *reg)
{
	/* eax, ecx, edx, ebx, esp, ebp, esi, edi: System V ABI, i386 supplement, table 2.14 */
	static const __u8 i386[] = { REG_RAX, 2, 1, 3, REG_RSP, REG_RBP, 4, 5 };

	if (number >= (walk->i386 ? sizeof(i386) : REG_NR))
		return false;
	*reg = walk->i386 ? i386[number] : (__u8)number;
	return true;
}

static bool register_of(const struct walk *walk, const Dwarf_Op *op, __u8 *reg)
{
	__u64 number;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		number = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		number = op->number;
	else
		return false;
	return number_of(walk, number, reg);
}

/* A register and a number: breg and fbreg. */
static bool based_on(const struct walk *walk, const Dwarf_Op *op, __u8 *base, __s64 *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*offset = (__s64)op->number;
		return number_of(walk, op->atom - DW_OP_breg0, base);
	} else if (op->atom == DW_OP_bregx) {
		*offset = (__s64)op->number2;
		return number_of(walk, op->number, base);
	} else if (op->atom == DW_OP_fbreg) {
		*base = walk->frame;
		*offset = (__s64)op->number + walk->frame_offset;
	} else {
		return false;
	}
	return *base < REG_NR || *base == FRAME_CFA;
}

static void find_frame(struct walk *walk)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *op;
	size_t nr;

	walk->frame = REG_NONE;
	if (!dwarf_attr_integrate(walk->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation(&attribute, &op, &nr) || nr != 1)
		return;
	if (op->atom == DW_OP_call_frame_cfa)
		walk->frame = FRAME_CFA;
	else if (!register_of(walk, op, &walk->frame) &&
		 !based_on(walk, op, &walk->frame, &walk->frame_offset))
		walk->frame = REG_NONE;
}

/* What one expression says of a variable for some instructions. */
static void add_expression(struct walk *walk, Dwarf_Die *type, const Dwarf_Op *op, size_t nr,
			   __u64 start, __u64 end)
{
	struct function_vars *vars = walk->vars;
	struct fact fact = { .start = start, .end = end };
	struct on_stack place = { .start = start, .end = end, .type = *type };
	bool known = false;

	if (end <= start)
		return;
	if (vars->nr_facts + vars->nr_stack > MOST) {
		vars->too_many = true;
		return;
	}
	if (nr == 1) {
		known = register_of(walk, op, &fact.reg);
	} else if (nr == 2 && op[1].atom == DW_OP_stack_value) {
		/* The variable is the register's value and a number more. */
		known = based_on(walk, op, &fact.reg, &fact.offset) && fact.reg < REG_NR;
		fact.offset = -fact.offset;
	}
	/* Where the stack is, is known without. */
	if (known && fact.reg == REG_RSP)
		return;
	if (known) {
		fact.type = operand_type_pointee(walk->types, type);
		if (!fact.type)
			return;
		ARRAY_GROW(vars->facts, vars->nr_facts + 1, vars->room_facts);
		vars->facts[vars->nr_facts++] = fact;
		return;
	}
	place.size = type_size(type);
	if (nr != 1 || !place.size || !based_on(walk, op, &place.base, &place.at))
		return;
	ARRAY_GROW(vars->stack, vars->nr_stack + 1, vars->room_stack);
	vars->stack[vars->nr_stack++] = place;
}

/* An expression for the whole scope holds where the scope's code is. */
static void add_for_scope(struct walk *walk, Dwarf_Die *scope, Dwarf_Die *type,
			  const Dwarf_Op *op, size_t nr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(scope, at, &base, &start, &end)) > 0)
		add_expression(walk, type, op, nr, start, end);
}

static void take_variable(struct walk *walk, Dwarf_Die *scope, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	Dwarf_Op *op;
	Dwarf_Die type;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attribute) || !type_of(die, &type))
		return;
	while ((at = dwarf_getlocations(&attribute, at, &base, &start, &end, &op, &nr)) > 0) {
		if (!nr)
			continue;
		if (!start && end == (Dwarf_Addr)-1)
			add_for_scope(walk, scope, &type, op, nr);
		else
			add_expression(walk, &type, op, nr, start, end);
	}
}

static void take_call(struct walk *walk, Dwarf_Die *die)
{
	static const unsigned int returns[] = {
		DW_AT_call_return_pc, DW_AT_low_pc
	}, origins[] = { DW_AT_call_origin, DW_AT_abstract_origin };
	struct function_vars *vars = walk->vars;
	struct called called = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Die callee, type;
	unsigned int i;
	Dwarf_Addr pc;
	bool no = false;

	for (i = 0; i < 2 && !called.after; i++)
		if (dwarf_attr(die, returns[i], &attribute) && !dwarf_formaddr(&attribute, &pc))
			called.after = pc;
	for (i = 0; i < 2; i++) {
		if (!dwarf_attr(die, origins[i], &attribute) ||
		    !dwarf_formref_die(&attribute, &callee))
			continue;
		if (type_of(&callee, &type))
			called.type = operand_type_pointee(walk->types, &type);
		if (dwarf_attr_integrate(&callee, DW_AT_noreturn, &attribute) &&
		    !dwarf_formflag(&attribute, &no))
			called.ends = no;
		break;
	}
	if (!called.after || vars->nr_calls > MOST)
		return;
	ARRAY_GROW(vars->calls, vars->nr_calls + 1, vars->room_calls);
	vars->calls[vars->nr_calls++] = called;
}

static void walk_scope(struct walk *walk, Dwarf_Die *scope, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH)
		return;
	DIE_EACH(die, scope)
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			take_variable(walk, scope, &die);
			break;
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			take_call(walk, &die);
			break;
		case DW_TAG_label:
			walk->vars->labels |= dwarf_hasattr(&die, DW_AT_low_pc);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			walk_scope(walk, &die, depth + 1);
			break;
		default:
			break;
		}
}

ORDER_BY(by_after, struct called, after)

void function_vars_read(struct function_vars *vars, struct operand_types *types,
			Dwarf_Die *function, bool i386)
{
	struct walk walk = {
		.vars = vars, .types = types, .function = function, .i386 = i386,
	};
	Dwarf_Die unit;

	*vars = (struct function_vars){ 0 };
	vars->exceptions = type_has_scopes(function);
	vars->all_by_calls = dwarf_diecu(function, &unit, NULL, NULL) &&
			     dwarf_srclang(&unit) == DW_LANG_Go;
	find_frame(&walk);
	walk_scope(&walk, function, 0);
	SORT(vars->calls, vars->nr_calls, by_after);
}

void function_vars_free(struct function_vars *vars)
{
	free(vars->facts);
	free(vars->stack);
	free(vars->calls);
	*vars = (struct function_vars){ 0 };
}

const struct called *function_call(const struct function_vars *vars, __u64 after)
{
	const struct called key = { .after = after };

	return vars->nr_calls ? bsearch(&key, vars->calls, vars->nr_calls, sizeof(key),
					by_after) : NULL;
}
