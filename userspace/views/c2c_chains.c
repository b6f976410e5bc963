// SPDX-License-Identifier: GPL-2.0
#include "c2c_chains.h"

#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define CHAINS_SHOWN	3	/* most chains shown for a row */

/* The part of a row's cost that a chain has. */
struct use {
	__u32 id;
	__u64 samples, cost;
};

void chains_take(struct chains *chains, const struct c2c *c2c)
{
	chains->c2c = c2c;
	stacks_take(&chains->stacks, &c2c->profile->snap, c2c->namer);
}

void chains_free(struct chains *chains)
{
	stacks_free(&chains->stacks);
}

ORDER_BY(compare_id, struct use, id)

static int compare_cost(const void *pa, const void *pb)
{
	const struct use *a = pa, *b = pb;

	return order(b->cost, a->cost) ?: order(b->samples, a->samples) ?: compare_id(a, b);
}

/* The chains of a row, the costliest first; *nr may become 0. */
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

static void print_row(FILE *out, const struct chains *chains, const struct c2c_rows *rows,
		      const struct c2c_row *row, size_t number)
{
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	struct use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++) {
		const struct memlat_rec_stack *stack = stacks_find(&chains->stacks, uses[i].id);

		fprintf(out, "  %zu +0x%02x: %s samples, %s of the row's cost\n", number,
			row->offset, text_count(samples, uses[i].samples),
			text_share(share, uses[i].cost, row->cost, 1));
		if (stack)
			stacks_print_one(out, &chains->stacks, stack);
	}
	free(uses);
}

void chains_print(FILE *out, const struct chains *chains, const struct pareto *pareto)
{
	size_t i, j;

	if (!chains->stacks.nr) {
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

struct json_object *chains_json(const struct chains *chains, const struct c2c_rows *rows,
				const struct c2c_row *row)
{
	struct json_object *list = json_list();
	struct use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++)
		json_append(list, stacks_json(&chains->stacks, uses[i].id, uses[i].samples, uses[i].cost));
	free(uses);
	return list;
}
