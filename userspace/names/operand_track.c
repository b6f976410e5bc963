// SPDX-License-Identifier: GPL-2.0
/*
 * Forward data flow over the function's basic blocks, to a fixed point. Where two paths meet, a
 * register keeps what both agree on. An instruction that is not understood makes everything
 * unknown that it may change.
 */
#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "operand_track.h"
#include "symbols.h"

#define ROUNDS		16	/* over all blocks; real functions settle in a few */
#define TABLE_MOST	4096	/* targets of one jump table */

static size_t step_at(const struct tracking *in, __u64 address)
{
	size_t at = FIRST_WHERE(i, in->nr, in->steps[i].at >= address);

	return at < in->nr && in->steps[at].at == address ? at : in->nr;
}

/* Copy only the slots in use. */
static void state_copy(struct state *to, const struct state *from)
{
	memcpy(to, from, offsetof(struct state, slot) + from->nr_slots * sizeof(from->slot[0]));
}

static void enter(struct flow *flow, size_t at, const struct state *from)
{
	struct block *block;
	struct state *to;
	unsigned int i, kept = 0;
	bool changed = false;

	if (at >= flow->in->nr || !flow->block_of[at])
		return;
	block = &flow->blocks[flow->block_of[at] - 1];
	to = &block->before;
	if (!to->reached) {
		state_copy(to, from);
		to->reached = true;
		block->changed = flow->again = true;
		return;
	}
	for (i = 0; i < REG_NR; i++) {
		struct value met;

		if (value_same(&to->reg[i], &from->reg[i]))
			continue;
		met = value_meet(flow->in->types, to->reg[i], from->reg[i]);
		if (!value_same(&met, &to->reg[i])) {
			to->reg[i] = met;
			changed = true;
		}
	}
	for (i = 0; i < to->nr_slots; i++) {
		struct slot *other = flow_slot(from, to->slot[i].at);
		struct value met = { 0 };

		if (other)
			met = value_meet(flow->in->types, to->slot[i].value, other->value);
		changed |= !value_same(&met, &to->slot[i].value);
		if (met.kind != VALUE_UNKNOWN)
			to->slot[kept++] = (struct slot){ to->slot[i].at, met };
	}
	to->nr_slots = kept;
	if (changed)
		block->changed = flow->again = true;
}

/*
 * Call @look for every target of the function's jump tables, of 4-byte words relative to the table
 * or of 8-byte addresses. Data that only looks like a table adds paths that do not exist. That costs
 * names, but makes no wrong ones.
 */
static bool each_target(struct flow *flow, void (*look)(struct flow *flow, size_t at, void *context),
			void *context)
{
	const struct elf_file *file = flow->in->file;
	unsigned int i, n, bytes;
	bool any = false;

	for (i = 0; i < flow->nr_tables; i++)
		for (bytes = 4; bytes <= 8; bytes += 4)
			for (n = 0; n < TABLE_MOST; n++) {
				__u64 table = flow->table[i], word = 0;
				size_t at;

				if (elf_read(file, table + (__u64)bytes * n, &word, bytes) != bytes)
					break;
				if (bytes == 4)
					word = table + (__u64)(__s64)(__s32)word;
				at = step_at(flow->in, word);
				if (at == flow->in->nr)
					break;
				look(flow, at, context);
				any = true;
			}
	return any;
}

static void enter_target(struct flow *flow, size_t at, void *state)
{
	enter(flow, at, state);
}

/* An indirect jump: by a jump table, or a tail call. */
static void go_away(struct flow *flow, const struct step *step, const struct state *state)
{
	const struct value *stack = &state->reg[REG_RSP];
	bool at_entry = stack->kind == VALUE_STACK && !stack->step && !stack->offset;

	if (each_target(flow, enter_target, (void *)(uintptr_t)state))
		return;
	if (!at_entry || flow->in->vars->labels || (step->memory && step->index != REG_NONE))
		flow->lost = true;
}

/* Runtime functions that never return, which DWARF does not say: no path leads past the call. */
static bool throws(const struct tracking *in, __u64 target)
{
	static const char *const names[] = {
		"__cxa_throw", "__cxa_rethrow", "_Unwind_Resume", "_ZSt9terminatev",
		"__clang_call_terminate", "__cxa_bad_cast", "__cxa_throw_bad_array_new_length",
		"abort", "__stack_chk_fail", "__assert_fail", "__cxa_pure_virtual",
	};
	static const enum symbol_kind kinds[] = { SYMBOL_CODE, SYMBOL_PLT };
	const struct symbol *symbol = NULL;
	unsigned int i;

	for (i = 0; i < 2 && !symbol; i++)
		symbol = symbol_at(in->files, in->file, kinds[i], target);
	if (!symbol)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(symbol->name, names[i]))
			return true;
	/* std::__throw_length_error() and its like */
	return !strncmp(symbol->name, "_ZSt", 4) && strstr(symbol->name, "__throw_");
}

static bool never_returns(const struct flow *flow, const struct step *step)
{
	const struct called *called = function_call(flow->in->vars, step->at + step->size);

	return (called && called->ends) ||
	       (flow->in->vars->exceptions && step->target && throws(flow->in, step->target));
}

static void run_block(struct flow *flow, size_t number)
{
	const struct tracking *in = flow->in;
	struct block *block = &flow->blocks[number];
	size_t end = number + 1 < flow->nr_blocks ? flow->blocks[number + 1].first : in->nr, at;
	struct state state;

	state_copy(&state, &block->before);
	block->changed = false;
	for (at = block->first; at < end; at++) {
		const struct step *step = &in->steps[at];

		flow_step(flow, at, &state);
		switch (step->kind) {
		case STEP_BRANCH:
			enter(flow, step_at(in, step->target), &state);
			break;
		case STEP_JUMP:
			enter(flow, step_at(in, step->target), &state);
			return;
		case STEP_AWAY:
			go_away(flow, step, &state);
			return;
		case STEP_END:
			return;
		case STEP_CALL:
			if (never_returns(flow, step))
				return;
			break;
		default:
			break;
		}
	}
	/* Fall through to the next block, unless undecoded bytes lie between. */
	if (end < in->nr && in->steps[end - 1].at + in->steps[end - 1].size == in->steps[end].at)
		enter(flow, end, &state);
}

static void mark(const struct flow *flow, bool *leads, __u64 address)
{
	size_t at = address ? step_at(flow->in, address) : flow->in->nr;

	if (at < flow->in->nr)
		leads[at] = true;
}

static void note_table(struct flow *flow, const struct step *step)
{
	const struct elf_section *section;
	__u64 address = (__u64)step->disp;

	if (!flow->in->file || flow->nr_tables == FLOW_TABLES)
		return;
	section = elf_section_at(flow->in->file, address);
	if (section && !(section->flags & SHF_EXECINSTR))
		flow->table[flow->nr_tables++] = address;
}

static void mark_target(struct flow *flow, size_t at, void *leads)
{
	((bool *)leads)[at] = true;
}

static bool is_padding(const struct flow *flow, size_t at)
{
	return flow->in->steps[at].kind == STEP_PADDING;
}

static void find_blocks(struct flow *flow)
{
	const struct tracking *in = flow->in;
	bool *leads = xcalloc(in->nr + 1, sizeof(*leads)), away = false;
	size_t at, nr = 0;

	leads[0] = true;
	mark(flow, leads, in->entry);
	for (at = 0; at < in->nr; at++) {
		const struct step *step = &in->steps[at];

		if (step->kind == STEP_BRANCH || step->kind == STEP_JUMP)
			mark(flow, leads, step->target);
		if (step->kind >= STEP_CALL)
			leads[at + 1] = true;
		/* A block begins where padding ends. */
		if (at && !is_padding(flow, at) && is_padding(flow, at - 1))
			leads[at] = true;
		away |= step->kind == STEP_AWAY;
		if ((step->kind == STEP_ADDRESS && step->base == REG_RIP) ||
		    (step->kind == STEP_AWAY && step->memory && step->base == REG_NONE))
			note_table(flow, step);
		if (at && in->steps[at - 1].at + in->steps[at - 1].size != step->at)
			leads[at] = true;
	}
	if (away)
		each_target(flow, mark_target, leads);
	else
		flow->nr_tables = 0;
	flow->block_of = xcalloc(in->nr + 1, sizeof(*flow->block_of));
	for (at = 0; at < in->nr; at++)
		nr += leads[at];
	flow->blocks = xmallocarray(nr, sizeof(*flow->blocks));
	for (at = 0; at < in->nr; at++) {
		if (!leads[at])
			continue;
		/* Nothing is known at its start; leave the slots alone, as most are never used. */
		memset(&flow->blocks[flow->nr_blocks], 0, offsetof(struct block, before.slot));
		flow->blocks[flow->nr_blocks].first = at;
		flow->block_of[at] = (__u32)++flow->nr_blocks;
	}
	free(leads);
}

static void begin_state(const struct tracking *in, struct state *state)
{
	unsigned int i;

	memset(state, 0, sizeof(*state));
	state->word = in->steps[0].word;
	state->reg[REG_RSP].kind = VALUE_STACK;
	for (i = 0; in->arguments && i < REG_NR; i++)
		if (in->arguments[i])
			state->reg[i] = value_pointer(in->arguments[i], 0);
}

/* Run changed blocks until nothing changes; false if that takes more than ROUNDS. */
static bool run_to_fixpoint(struct flow *flow)
{
	unsigned int round;
	size_t i;

	for (round = 0; round < ROUNDS; round++) {
		__s64 escaped = flow->escaped;

		flow->again = false;
		for (i = 0; i < flow->nr_blocks && !flow->lost; i++)
			if (flow->blocks[i].before.reached && flow->blocks[i].changed)
				run_block(flow, i);
		/* Slots that were kept across a call may have been written after all. */
		if (flow->escaped != escaped)
			for (i = 0; i < flow->nr_blocks; i++)
				flow->blocks[i].changed = true;
		else if (!flow->again)
			return true;
	}
	return false;
}

static bool follow(struct flow *flow)
{
	struct state state;
	size_t i = 0;

	begin_state(flow->in, &state);
	enter(flow, step_at(flow->in, flow->in->entry), &state);
	/*
	 * A block that no known path reaches is entered in some unknown way, so nothing is known
	 * of its registers. Padding is never run.
	 */
	memset(&state, 0, sizeof(state));
	for (;;) {
		if (!run_to_fixpoint(flow))
			return false;
		while (i < flow->nr_blocks && (flow->blocks[i].before.reached ||
					       is_padding(flow, flow->blocks[i].first)))
			i++;
		if (i == flow->nr_blocks)
			return !flow->lost;
		enter(flow, flow->blocks[i].first, &state);
	}
}

struct operand tracked_operand(const struct operand_types *types, const struct step *step,
			       const struct tracked *tracked)
{
	struct operand operand = {
		.address = step->at, .width = step->width, .size = step->size,
		.base = step->base <= REG_RIP ? (__s8)step->base : OPERAND_NONE,
		.reads = step->reads, .writes = step->writes,
		.type = operand_type_at(types, tracked->type),
	};

	if (operand.type) {
		operand.offset = tracked->offset;
		operand.member = tracked->member;
		operand.place = tracked->place;
		operand.how = tracked->how;
	}
	return operand;
}

void track_function(const struct tracking *tracking, struct tracked *answers)
{
	struct flow flow = { .in = tracking, .escaped = 1LL << 62 };
	struct state state;
	bool settled;
	size_t i, at;

	if (!tracking->nr)
		return;
	facts_spread(&flow.facts, tracking->vars, tracking->steps, tracking->nr);
	find_blocks(&flow);
	settled = follow(&flow);
	flow.answers = answers;
	for (i = 0; i < flow.nr_blocks; i++) {
		size_t end = i + 1 < flow.nr_blocks ? flow.blocks[i + 1].first : tracking->nr;

		state_copy(&state, &flow.blocks[i].before);
		for (at = flow.blocks[i].first; at < end; at++) {
			/* If the data flow failed, use only what DWARF says at each instruction. */
			if (!settled)
				memset(&state, 0, sizeof(state));
			flow_step(&flow, at, &state);
		}
	}
	facts_free(&flow.facts);
	free(flow.blocks);
	free(flow.block_of);
}
