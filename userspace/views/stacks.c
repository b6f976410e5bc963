// SPDX-License-Identifier: GPL-2.0
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/lineset.h"
#include "../util/command.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "report.h"

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

COMPARE(by_cost, struct stack_use,
	order(!a->id, !b->id) ?: order(b->sum.cost, a->sum.cost) ?:
	order(b->sum.samples, a->sum.samples) ?: order(a->id, b->id))

void chains_add(struct pivot *chains, const struct memlat_rec_access *access)
{
	const struct sums sums = sums_of_access(access);
	struct stack_use *use = pivot_row(chains, access->stack);

	use->id = access->stack;
	sums_add(&use->sum, &sums);
}

struct stack_use *chains_end(struct pivot *chains, size_t *nr)
{
	struct stack_use *uses = pivot_end(chains, by_cost, nr);

	if (*nr && !uses[*nr - 1].id)
		(*nr)--;
	return uses;
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

	json_put_count(object, "samples", use->sum.samples);
	json_put_count(object, "cost_cycles", use->sum.cost);
	for (i = 0; stack && i < frames_of(stack); i++) {
		const struct code_name *code = stacks_code(stacks, stack, i);
		const char *name = code->function ? code->function : code->raw;
		struct json_object *frame = json_new();

		json_put_hex(frame, "ip", stack->frame[i]);
		json_put_text(frame, "symbol", name);
		json_put_text(frame, "module", code->module);
		json_append(frames, frame);
	}
	json_put(object, "frames", frames);
	return object;
}

struct all {
	struct stack_use *chain;
	size_t nr, shown;
	struct sums none;
};

static struct {
	const struct profile *profile;
	struct namer *namer;
	bool of_lines;
	size_t show;
} asked;

void chains_set(const struct profile *profile, struct namer *namer, bool of_lines, size_t show)
{
	asked.profile = profile;
	asked.namer = namer;
	asked.of_lines = of_lines;
	asked.show = show;
}

static void sum_chains(struct all *all)
{
	const struct snapshot *snap = &asked.profile->snap;
	struct pivot chains = PIVOT(struct stack_use);
	struct lineset *set;
	size_t i, k;

	for (i = 0; !asked.of_lines && i < snap->nr_accesses; i++)
		chains_add(&chains, &snap->accesses[i]);
	set = asked.of_lines ? lineset_new(snap, asked.profile->history, MEMLAT_LINE_BYTES) : NULL;
	for (i = 0; set && i < lineset_lines(set); i++) {
		const struct lineset_line *line = lineset_line(set, i);

		for (k = line->first; k < line->first + line->nr; k++)
			chains_add(&chains, lineset_access(set, k));
	}
	lineset_free(set);
	all->none = ((struct stack_use *)pivot_row(&chains, 0))->sum;
	all->chain = chains_end(&chains, &all->nr);
	all->shown = report_limit(asked.show, all->nr);
}

void chains_print_all(FILE *out)
{
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX];
	struct stacks stacks;
	struct all all;
	__u64 cost;
	size_t i;

	if (!asked.profile)
		return;
	if (!asked.profile->snap.nr_stacks) {
		command_say(out, CHAINS_NONE);
		return;
	}
	cost = snapshot_cost(&asked.profile->snap);
	stacks_take(&stacks, &asked.profile->snap, asked.namer);
	sum_chains(&all);
	fputs("\nCall chains of these accesses, the most costly first\n", out);
	for (i = 0; i < all.shown; i++) {
		fprintf(out, "  %zu: %s sample%s, %s of sampled latency\n", i + 1,
			text_count(a, all.chain[i].sum.samples), all.chain[i].sum.samples == 1 ? "" : "s",
			cost ? text_share(b, all.chain[i].sum.cost, cost, 1) : "-");
		stacks_print_one(out, &stacks, all.chain[i].id);
	}
	if (all.shown < all.nr)
		fprintf(out, "(%zu of %zu chains; -n 0 shows all)\n", all.shown, all.nr);
	if (all.none.samples)
		fprintf(out, "(without a chain: %s samples, %s of sampled latency)\n",
			text_count(a, all.none.samples),
			cost ? text_share(b, all.none.cost, cost, 1) : "-");
	free(all.chain);
	stacks_free(&stacks);
}

void chains_put(struct json_object *document)
{
	struct json_object *list, *none;
	struct stacks stacks;
	struct all all;
	size_t i;

	if (!asked.profile)
		return;
	stacks_take(&stacks, &asked.profile->snap, asked.namer);
	sum_chains(&all);
	list = json_list();
	for (i = 0; i < all.shown; i++)
		json_append(list, stacks_json(&stacks, &all.chain[i]));
	json_put(document, "chains", list);
	none = json_new();
	json_put_count(none, "samples", all.none.samples);
	json_put_count(none, "cost_cycles", all.none.cost);
	json_put(document, "without_chain", none);
	free(all.chain);
	stacks_free(&stacks);
}
