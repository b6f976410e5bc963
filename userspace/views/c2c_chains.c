// SPDX-License-Identifier: GPL-2.0
#include "c2c_chains.h"

#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"

#define CHAINS_SHOWN	3	/* of a row */

/* A chain's part of a row. */
struct use {
	__u32 id;
	__u64 samples, cost;
};

static int compare_stack(const void *pa, const void *pb)
{
	const struct memlat_rec_stack *const *a = pa, *const *b = pb;

	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

void chains_take(struct chains *chains, const struct c2c *c2c)
{
	const struct snapshot *snap = &c2c->profile->snap;
	size_t i;

	memset(chains, 0, sizeof(*chains));
	chains->c2c = c2c;
	chains->stacks = xcalloc(snap->nr_stacks, sizeof(struct memlat_rec_stack *));
	for (i = 0; i < snap->nr_stacks; i++)
		chains->stacks[i] = &snap->stacks[i];
	chains->nr_stacks = snap->nr_stacks;
	qsort(chains->stacks, chains->nr_stacks, sizeof(struct memlat_rec_stack *),
	      compare_stack);
}

void chains_free(struct chains *chains)
{
	free(chains->stacks);
	chains->stacks = NULL;
}

static const struct memlat_rec_stack *stack_of(const struct chains *chains, __u32 id)
{
	const struct memlat_rec_stack key = { .id = id }, *wanted = &key;
	const struct memlat_rec_stack **found;

	found = bsearch(&wanted, chains->stacks, chains->nr_stacks,
			sizeof(struct memlat_rec_stack *), compare_stack);
	return found ? *found : NULL;
}

static int compare_id(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

static int compare_cost(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;

	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return compare_id(a, b);
}

/* The chains of a row, the costliest first; *nr may be 0. */
static struct use *uses_of(const struct c2c_rows *rows, const struct c2c_row *row, size_t *nr)
{
	struct use *uses = xcalloc(row->nr, sizeof(*uses));
	size_t i, last = 0;

	*nr = 0;
	for (i = row->first; i < row->first + row->nr; i++) {
		const struct memlat_rec_access *access = rows->accesses[i];

		if (access->stack)
			uses[(*nr)++] = (struct use){ access->stack, access->samples,
						      access->cost };
	}
	if (!*nr)
		return uses;
	qsort(uses, *nr, sizeof(*uses), compare_id);
	for (i = 1; i < *nr; i++) {
		if (uses[i].id == uses[last].id) {
			uses[last].samples += uses[i].samples;
			uses[last].cost += uses[i].cost;
		} else {
			uses[++last] = uses[i];
		}
	}
	*nr = last + 1;
	qsort(uses, *nr, sizeof(*uses), compare_cost);
	if (*nr > CHAINS_SHOWN)
		*nr = CHAINS_SHOWN;
	return uses;
}

/* Return addresses are after the call that they tell of. */
static const struct code_name *frame_name(const struct chains *chains,
					  const struct memlat_rec_stack *stack, unsigned int at)
{
	__u64 ip = stack->frame[at] - (at ? 1 : 0);

	if (at < stack->kernel_frames)
		return namer_code(chains->c2c->namer, 0, 0, ip);
	return namer_code(chains->c2c->namer, stack->tgid, stack->gen, ip);
}

static unsigned int frames_of(const struct memlat_rec_stack *stack)
{
	return stack->frames < MEMLAT_STACK_FRAMES ? stack->frames : MEMLAT_STACK_FRAMES;
}

static void print_stack(FILE *out, const struct chains *chains,
			const struct memlat_rec_stack *stack)
{
	unsigned int i;

	for (i = 0; i < frames_of(stack); i++) {
		const struct code_name *code = frame_name(chains, stack, i);
		const char *name = code->function ? code->function : code->raw;

		fprintf(out, "      0x%llx ", stack->frame[i]);
		text_put(out, name ? name : "?");
		if (code->file && code->line) {
			const char *slash = strrchr(code->file, '/');

			fputc(' ', out);
			text_put(out, slash ? slash + 1 : code->file);
			fprintf(out, ":%u", code->line);
		}
		if (code->module) {
			fputs(" (", out);
			text_put(out, code->module);
			fputc(')', out);
		}
		fputc('\n', out);
	}
}

static void print_row(FILE *out, const struct chains *chains, const struct c2c_rows *rows,
		      const struct c2c_row *row, size_t number)
{
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	struct use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++) {
		const struct memlat_rec_stack *stack = stack_of(chains, uses[i].id);

		fprintf(out, "  %zu +0x%02x: %s samples, %s of the row's cost\n", number,
			row->offset, text_count(samples, uses[i].samples),
			text_share(share, uses[i].cost, row->cost, 1));
		if (stack)
			print_stack(out, chains, stack);
	}
	free(uses);
}

void chains_print(FILE *out, const struct chains *chains, const struct pareto *pareto)
{
	size_t i, j;

	if (!chains->nr_stacks) {
		fputs("\nNo call chains were recorded: memlat-ctl record --call-graph, or start --call-graph.\n",
		      out);
		return;
	}
	fputs("\nCall chains by line and offset\n", out);
	for (i = 0; i < chains->c2c->nr_shown; i++)
		for (j = 0; j < pareto->lines[i].nr_rows; j++)
			print_row(out, chains, &pareto->lines[i], &pareto->lines[i].rows[j],
				  chains->c2c->first + i + 1);
}

static struct json_object *stack_json(const struct chains *chains, const struct use *use)
{
	const struct memlat_rec_stack *stack = stack_of(chains, use->id);
	struct json_object *object = json_new(), *frames = json_list();
	unsigned int i;

	json_put_count(object, "samples", use->samples);
	json_put_count(object, "cost_cycles", use->cost);
	for (i = 0; stack && i < frames_of(stack); i++) {
		const struct code_name *code = frame_name(chains, stack, i);
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

struct json_object *chains_json(const struct chains *chains, const struct c2c_rows *rows,
				const struct c2c_row *row)
{
	struct json_object *list = json_list();
	struct use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++)
		json_append(list, stack_json(chains, &uses[i]));
	free(uses);
	return list;
}
