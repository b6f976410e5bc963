// SPDX-License-Identifier: GPL-2.0
/* The effect of one instruction on the known values. */
#include "operand_track.h"

#include <stdlib.h>

#include "type_text.h"
#include "units.h"

#define ANYWHERE	(-(1LL << 31))

/* ------------------------------------------------------------- the stack */

struct slot *flow_slot(const struct state *state, __s64 at)
{
	unsigned int i;

	for (i = 0; i < state->nr_slots; i++)
		if (state->slot[i].at == at)
			return (struct slot *)&state->slot[i];
	return NULL;
}

/* Forget slots that were overwritten: @bytes from @low on; 0: everything from there on. */
static void slots_drop(struct state *state, __s64 low, __u64 bytes)
{
	unsigned int i, kept = 0;

	for (i = 0; i < state->nr_slots; i++) {
		__s64 before = value_apart(state->slot[i].at, low);

		if (before >= state->word || (bytes && before <= 0 && 0 - (__u64)before >= bytes))
			state->slot[kept++] = state->slot[i];
	}
	state->nr_slots = kept;
}

static void slot_set(struct state *state, __s64 at, struct value value)
{
	slots_drop(state, at, state->word);
	if (value.kind != VALUE_UNKNOWN && state->nr_slots < FLOW_SLOTS)
		state->slot[state->nr_slots++] = (struct slot){ at, value };
}

/* Find the variable at a place of the stack, and the offset in it. */
static const struct on_stack *variable_on_stack(const struct flow *flow,
						const struct state *state, __u64 pc,
						__s64 at, __u64 *within)
{
	const struct function_vars *vars = flow->in->vars;
	size_t i;

	for (i = 0; i < vars->nr_stack; i++) {
		const struct on_stack *place = &vars->stack[i];
		/* the return address lies below the frame */
		__s64 base = state->word;

		if (pc < place->start || pc >= place->end)
			continue;
		if (place->base != FRAME_CFA) {
			const struct value *reg = &state->reg[place->base];

			if (reg->kind != VALUE_STACK || reg->step)
				continue;
			base = reg->offset;
		}
		*within = (__u64)at - (__u64)base - (__u64)place->at;
		if (*within < place->size)
			return place;
	}
	return NULL;
}

/* ------------------------------------------------------------- addresses */

static struct value reg_value(const struct state *state, __u8 reg)
{
	return reg < REG_NR ? state->reg[reg] : (struct value){ 0 };
}

/* An address in the file. If a variable is there, it points to an object of its type. */
static struct value global_value(const struct flow *flow, __u64 address)
{
	const struct tracking *in = flow->in;
	const struct operand_type *type;
	Dwarf_Die die, variable;
	__u64 offset;
	__u32 number;

	if (!in->file ||
	    !variables_type(in->files, in->file, address, &die, &variable, &offset))
		return (struct value){ 0 };
	number = operand_type_number(in->types, &die);
	type = operand_type_at(in->types, number);
	if (!type)
		return (struct value){ 0 };
	return value_pointer(number, (__s64)(offset % type->size));
}

static struct value index_of(const struct state *state, const struct step *step)
{
	struct value index = reg_value(state, step->index);

	/* Without a scale, either register may hold the address. */
	return step->scale > 1 ? value_times(index, step->scale) : index;
}

/* A per-CPU variable of the executing CPU. */
static struct value percpu_value(const struct flow *flow, const struct step *step)
{
	const struct tracking *in = flow->in;
	__s64 offset = 0;
	__u32 type = 0;

	if (in->percpu && step->index == REG_NONE &&
	    (step->base == REG_RIP || step->base == REG_NONE))
		type = in->percpu(in, (__u64)step->disp, &offset);
	return type ? value_pointer(type, offset) : (struct value){ 0 };
}

static struct value address_of(const struct flow *flow, const struct state *state,
			       const struct step *step)
{
	struct value sum = value_number(step->disp);

	if (step->segment)
		return percpu_value(flow, step);
	if (step->base == REG_RIP || (step->base == REG_NONE && step->index == REG_NONE))
		return global_value(flow, (__u64)step->disp);
	/* "lea (%rax,%rax,2)" multiplies. */
	if (step->base == step->index)
		return value_add(sum, value_times(reg_value(state, step->base), step->scale + 1));
	if (step->base != REG_NONE)
		sum = value_add(reg_value(state, step->base), sum);
	if (step->index != REG_NONE)
		sum = value_add(sum, index_of(state, step));
	return sum;
}

/* The pointer that is loaded from an address. */
static struct value loaded_from(const struct flow *flow, struct state *state,
				const struct step *step, struct value address)
{
	struct operand_types *types = flow->in->types;
	const struct on_stack *variable;
	enum operand_place place;
	Dwarf_Die type;
	__u32 number = 0;
	__u64 within;

	if (address.kind == VALUE_STACK && !address.step) {
		struct slot *slot = flow_slot(state, address.offset);

		if (slot)
			return slot->value;
		variable = variable_on_stack(flow, state, step->at, address.offset, &within);
		if (!variable)
			return (struct value){ 0 };
		type = variable->type;
		if (!within)
			number = operand_type_pointee(types, &type);
		if (!number)
			number = operand_type_loaded(types, operand_type_number(types, &type),
						     within);
	} else if (address.kind == VALUE_POINTER &&
		   operand_type_fits(types, address.type, &address.offset, address.step,
				     step->word,
				     &place) == FIT_MEMBER) {
		number = operand_type_loaded(types, address.type, (__u64)address.offset);
	}
	return number ? value_pointer(number, 0) : (struct value){ 0 };
}

/* ------------------------------------------------------------- one step */

static bool count_leaf(void *nr, const struct type_leaf *leaf)
{
	++*(unsigned int *)nr;
	return true;
}

/* How many members are at an offset of a type: several in a union. */
static unsigned int members_at(const struct operand_type *type, __u64 offset)
{
	unsigned int nr = 0;

	type_shape_leaves(type->shape, offset, count_leaf, &nr);
	return nr;
}

/*
 * Does a value say more than DWARF does, because it points into a larger object that has the other
 * one there? The self of a library's function that was inlined is only a member of what people use.
 * But where the larger one has a union, DWARF says which of its members it is.
 */
static bool is_larger(const struct flow *flow, const struct value *value, const struct fact *fact)
{
	const struct operand_type *outer, *inner;
	__u64 at;

	if (value->kind != VALUE_POINTER || value->step || value->type == fact->type)
		return false;
	outer = operand_type_at(flow->in->types, value->type);
	inner = operand_type_at(flow->in->types, fact->type);
	at = (__u64)value_apart(fact->offset, value->offset);
	return outer && inner && inner->compound && outer->size > inner->size &&
	       operand_type_holds(outer, at, inner) && members_at(outer, at) <= members_at(inner, 0);
}

/*
 * Take what DWARF says of the registers. A value that includes it is kept, because it says more: it
 * holds all elements of a walk, or all of an object.
 */
static void take_facts(const struct flow *flow, size_t at, struct state *state)
{
	struct fact fact;
	__u8 reg;

	if (flow->facts.first[at] == flow->facts.first[at + 1])
		return;
	for (reg = 0; reg < REG_NR; reg++) {
		struct value *value = &state->reg[reg];

		if (value->kind == VALUE_STACK ||
		    !facts_of(&flow->facts, flow->in->types, at, reg, &fact))
			continue;
		if (!fact.type)
			*value = (struct value){ 0 };
		else if (!value_includes(value, fact.type, fact.offset) &&
			 !is_larger(flow, value, &fact))
			*value = value_pointer(fact.type, fact.offset);
	}
}

static void record_answer(struct flow *flow, size_t at, struct value address, enum operand_how how)
{
	struct tracked *answer = &flow->answers[at];
	enum operand_fit fit;

	if (address.kind != VALUE_POINTER)
		return;
	fit = operand_type_fits(flow->in->types, address.type, &address.offset, address.step,
				flow->in->steps[at].width, &answer->place);
	if (fit == FIT_NONE)
		return;
	answer->type = address.type;
	answer->offset = address.offset;
	answer->member = fit == FIT_MEMBER;
	answer->how = how;
}

/* Answer for a structure on the stack; plain numbers there are no members. */
static void tell_stack(struct flow *flow, size_t at, const struct state *state,
		       struct value address)
{
	const struct operand_type *type;
	const struct on_stack *variable;
	__u64 within;
	__u32 number;
	Dwarf_Die die;

	variable = variable_on_stack(flow, state, flow->in->steps[at].at, address.offset, &within);
	if (!variable || address.step)
		return;
	die = variable->type;
	number = operand_type_number(flow->in->types, &die);
	type = operand_type_at(flow->in->types, number);
	if (type && type->compound)
		record_answer(flow, at, value_pointer(number, (__s64)(within % type->size)),
			      OPERAND_LOCATION);
}

static void answer(struct flow *flow, size_t at, const struct state *state,
		   struct value address)
{
	const struct step *step = &flow->in->steps[at];
	struct value index = { .kind = VALUE_NUMBER };
	struct fact fact;

	if (step->segment)
		return;
	if (address.kind == VALUE_STACK) {
		tell_stack(flow, at, state, address);
		return;
	}
	if (step->index != REG_NONE)
		index = index_of(state, step);
	if (index.kind == VALUE_NUMBER &&
	    facts_fit(&flow->facts, flow->in->types, at, step, index.step ? index.step :
		      (__u64)llabs(index.offset), &fact)) {
		struct value base = value_pointer(fact.type, fact.offset + step->disp);

		fact.offset += step->disp;
		if (index.offset || !is_larger(flow, &address, &fact))
			record_answer(flow, at, value_add(base, index), OPERAND_LOCATION);
		if (flow->answers[at].type)
			return;
	}
	record_answer(flow, at, address, flow->in->arguments ? OPERAND_ARGUMENT : OPERAND_TRACKED);
}

static void kill(struct state *state, __u32 kills)
{
	unsigned int i;

	for (i = 0; i < REG_NR; i++)
		if (kills >> i & 1)
			state->reg[i] = (struct value){ 0 };
}

/*
 * i386 has no addresses relative to the instruction, so a call of __x86.get_pc_thunk.bx sets %ebx,
 * which other calls leave alone: "mov (%esp),%ebx; ret".
 */
static bool sets_other_registers(const struct flow *flow, const struct step *step)
{
	__u8 code[3];

	return step->word == 4 && step->target && flow->in->file &&
	       elf_read(flow->in->file, step->target, code, sizeof(code)) == sizeof(code) &&
	       code[0] == 0x8b && (code[1] & 0xc7) == 0x04 && code[2] == 0x24;
}

/* A called function may write to any part of the stack whose address has escaped. */
static void after_call(struct flow *flow, const struct step *step, struct state *state)
{
	const struct called *called = function_call(flow->in->vars, step->at + step->size);
	const struct function_vars *vars = flow->in->vars;
	struct value stack = state->reg[REG_RSP];
	__u32 type = called ? called->type : 0;
	Dwarf_Die callee, result;

	if (sets_other_registers(flow, step))
		kill(state, 0xffff);
	if (!called && step->target && flow->in->file &&
	    units_function(flow->in->files, flow->in->file, step->target, &callee) &&
	    type_of(&callee, &result))
		type = operand_type_pointee(flow->in->types, &result);
	kill(state, vars->all_by_calls ? 0xffff : REGS_OF_CALLS);
	state->reg[REG_RSP] = stack;
	if (type && !vars->all_by_calls)
		state->reg[REG_RAX] = value_pointer(type, 0);
	slots_drop(state, flow->escaped, 0);
}

/* An address of the stack is in a register, and so may be passed on anywhere. */
static void note_escape(struct flow *flow, const struct step *step, struct value value)
{
	if (value.kind != VALUE_STACK || step->dst == REG_RSP || step->dst == REG_RBP)
		return;
	if (value.step)
		value.offset = ANYWHERE;
	if (value.offset < flow->escaped) {
		flow->escaped = value.offset;
		flow->again = true;
	}
}

static void set(struct state *state, const struct step *step, struct value value)
{
	if (step->dst >= REG_NR)
		return;
	/* A register that is written in part holds a number, not an address. */
	if (!step->wide && value.kind != VALUE_NUMBER)
		value = (struct value){ 0 };
	state->reg[step->dst] = value;
}

static void stack_move(struct state *state, __s64 bytes)
{
	state->reg[REG_RSP] = value_add(state->reg[REG_RSP], value_number(bytes));
}

static void pop(struct state *state, __u8 dst)
{
	struct value top = state->reg[REG_RSP], value = { 0 };
	struct slot *slot = top.kind == VALUE_STACK ? flow_slot(state, top.offset) : NULL;

	if (slot)
		value = slot->value;
	stack_move(state, state->word);
	if (dst < REG_NR)
		state->reg[dst] = value;
}

/* Is the operand at a fixed address or in another segment, and so not on the stack? */
static bool is_apart(const struct step *step)
{
	return step->memory && step->base != REG_OTHER &&
	       (step->segment || step->base == REG_RIP ||
		(step->base == REG_NONE && step->index == REG_NONE));
}

static void store(const struct flow *flow, struct state *state, const struct step *step,
		  struct value address)
{
	bool kept = step->kind == STEP_STORE && step->width == step->word &&
		    step->src < REG_NR;

	/* What a typed pointer leads to keeps its types. Any other address may be an escaped one. */
	if (address.kind == VALUE_POINTER || is_apart(step))
		return;
	if (address.kind != VALUE_STACK)
		slots_drop(state, flow->escaped, 0);
	else if (address.step)
		state->nr_slots = 0;
	else if (kept)
		slot_set(state, address.offset, state->reg[step->src]);
	else
		slots_drop(state, address.offset, step->width ? step->width : 0);
}

void flow_step(struct flow *flow, size_t at, struct state *state)
{
	const struct step *step = &flow->in->steps[at];
	struct value address = { 0 }, value = { 0 }, src, dst;

	take_facts(flow, at, state);
	if (step->memory || step->kind == STEP_ADDRESS)
		address = address_of(flow, state, step);
	if (step->memory && flow->answers)
		answer(flow, at, state, address);
	if (step->writes)
		store(flow, state, step, address);
	src = reg_value(state, step->src);
	dst = reg_value(state, step->dst);
	switch (step->kind) {
	case STEP_COPY:
		value = src;
		break;
	case STEP_LOAD:
		value = loaded_from(flow, state, step, address);
		break;
	case STEP_ADDRESS:
		value = address;
		break;
	case STEP_ADD:
		value = value_add(dst, value_number(step->number));
		break;
	case STEP_ADD_REGISTER:
		value = value_add(dst, src);
		break;
	case STEP_NUMBER:
		value = value_number(step->number);
		break;
	case STEP_MULTIPLE:
		value = value_times((struct value){ 0 }, step->number);
		break;
	case STEP_TIMES:
		value = value_times(src, step->number);
		break;
	case STEP_SELECT:
		value = value_meet(flow->in->types, dst, src);
		break;
	case STEP_SELECT_LOAD:
		value = value_meet(flow->in->types, dst, loaded_from(flow, state, step, address));
		break;
	case STEP_SWAP:
		kill(state, step->kills);
		if (step->src < REG_NR)
			state->reg[step->src] = dst;
		set(state, step, src);
		return;
	case STEP_PUSH:
		stack_move(state, -(__s64)state->word);
		if (state->reg[REG_RSP].kind == VALUE_STACK)
			slot_set(state, state->reg[REG_RSP].offset, src);
		return;
	case STEP_POP:
		pop(state, step->dst);
		return;
	case STEP_LEAVE:
		state->reg[REG_RSP] = state->reg[REG_RBP];
		pop(state, REG_RBP);
		return;
	case STEP_CALL:
		after_call(flow, step, state);
		return;
	default:
		kill(state, step->kills);
		return;
	}
	note_escape(flow, step, value);
	kill(state, step->kills);
	set(state, step, value);
}
