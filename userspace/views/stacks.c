// SPDX-License-Identifier: GPL-2.0
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "where.h"

static int compare_stack(const void *pa, const void *pb)
{
	const struct memlat_rec_stack *const *a = pa, *const *b = pb;

	return order((*a)->id, (*b)->id);
}

void stacks_take(struct stacks *stacks, const struct snapshot *snap, struct namer *namer)
{
	size_t i;

	stacks->namer = namer;
	stacks->nr = snap->nr_stacks;
	stacks->by_id = xcalloc(snap->nr_stacks, sizeof(struct memlat_rec_stack *));
	for (i = 0; i < snap->nr_stacks; i++)
		stacks->by_id[i] = &snap->stacks[i];
	qsort(stacks->by_id, stacks->nr, sizeof(struct memlat_rec_stack *), compare_stack);
}

void stacks_free(struct stacks *stacks)
{
	free(stacks->by_id);
	memset(stacks, 0, sizeof(*stacks));
}

const struct memlat_rec_stack *stacks_find(const struct stacks *stacks, __u32 id)
{
	const struct memlat_rec_stack key = { .id = id }, *wanted = &key;
	const struct memlat_rec_stack **found;

	found = bsearch(&wanted, stacks->by_id, stacks->nr,
			sizeof(struct memlat_rec_stack *), compare_stack);
	return found ? *found : NULL;
}

/* A return address is behind the call, so name the byte before it. */
const struct code_name *stacks_code(const struct stacks *stacks,
				    const struct memlat_rec_stack *stack, unsigned int at)
{
	const bool kernel = at < stack->kernel_frames;

	if (!at)
		return namer_sampled(stacks->namer, kernel ? 0 : stack->tgid,
				     kernel ? 0 : stack->gen, stack->frame[at]);
	return namer_code(stacks->namer, kernel ? 0 : stack->tgid, kernel ? 0 : stack->gen,
			  stack->frame[at] - 1);
}

static unsigned int frames_of(const struct memlat_rec_stack *stack)
{
	return stack->frames < MEMLAT_STACK_FRAMES ? stack->frames : MEMLAT_STACK_FRAMES;
}

ORDER_BY(by_id, struct stack_use, id)

COMPARE(by_cost, struct stack_use,
	order(b->cost, a->cost) ?: order(b->samples, a->samples) ?: order(a->id, b->id))

static void add(struct stack_use *to, const struct stack_use *from)
{
	to->samples += from->samples;
	to->cost += from->cost;
}

size_t stacks_add_up(struct stack_use *uses, size_t nr, struct stack_use *none)
{
	size_t i, kept = 0;

	*none = (struct stack_use){ 0 };
	qsort(uses, nr, sizeof(*uses), by_id);
	for (i = 0; i < nr; i++) {
		if (!uses[i].id)
			add(none, &uses[i]);
		else if (kept && uses[kept - 1].id == uses[i].id)
			add(&uses[kept - 1], &uses[i]);
		else
			uses[kept++] = uses[i];
	}
	qsort(uses, kept, sizeof(*uses), by_cost);
	return kept;
}

void stacks_print_one(FILE *out, const struct stacks *stacks, __u32 id)
{
	const struct memlat_rec_stack *stack = stacks_find(stacks, id);
	unsigned int i;

	for (i = 0; stack && i < frames_of(stack); i++) {
		const struct code_name *code = stacks_code(stacks, stack, i);
		const char *name = code->function ? code->function : code->raw;

		text_say(out, "      0x%llx %s", stack->frame[i], name ? name : "?");
		if (code->file && code->line)
			text_say(out, " %s:%u", text_last_part(code->file), code->line);
		if (code->module)
			text_say(out, " (%s)", code->module);
		fputc('\n', out);
	}
}

struct json_object *stacks_json(const struct stacks *stacks, const struct stack_use *use)
{
	const struct memlat_rec_stack *stack = stacks_find(stacks, use->id);
	struct json_object *object = json_new(), *frames = json_list();
	unsigned int i;

	json_put_count(object, "samples", use->samples);
	json_put_count(object, "cost_cycles", use->cost);
	for (i = 0; stack && i < frames_of(stack); i++) {
		const struct code_name *code = stacks_code(stacks, stack, i);
		const char *name = code->function ? code->function : code->raw;
		struct json_object *frame = json_new();

		json_put_hex(frame, "address", stack->frame[i]);
		json_put_text(frame, "symbol", name);
		json_put_text(frame, "module", code->module);
		json_append(frames, frame);
	}
	json_put(object, "frames", frames);
	return object;
}
