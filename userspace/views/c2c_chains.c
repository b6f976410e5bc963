// SPDX-License-Identifier: GPL-2.0
#include "c2c_pareto.h"

#include <stdlib.h>

#include "../util/text.h"
#include "../util/xalloc.h"

#define CHAINS_SHOWN	3	/* most chains shown for a row */

/* The chains of a row, the costliest first; *nr may become 0. */
static struct stack_use *uses_of(const struct c2c_rows *rows, const struct c2c_row *row, size_t *nr)
{
	struct stack_use *uses = xcalloc(row->nr, sizeof(*uses)), none;
	size_t i;

	for (i = 0; i < row->nr; i++) {
		const struct memlat_rec_access *access = rows->accesses[row->first + i];

		uses[i] = (struct stack_use){ access->stack, access->samples, access->cost };
	}
	*nr = stacks_add_up(uses, row->nr, &none);
	if (*nr > CHAINS_SHOWN)
		*nr = CHAINS_SHOWN;
	return uses;
}

static void print_row(FILE *out, const struct stacks *stacks, const struct c2c_rows *rows,
		      const struct c2c_row *row, size_t number)
{
	char samples[TEXT_NUMBER_MAX], share[TEXT_NUMBER_MAX];
	struct stack_use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++) {
		fprintf(out, "  %zu +0x%02x: %s samples, %s of the row's cost\n", number,
			row->offset, text_count(samples, uses[i].samples),
			text_share(share, uses[i].cost, row->cost, 1));
		stacks_print_one(out, stacks, uses[i].id);
	}
	free(uses);
}

void pareto_print_chains(FILE *out, const struct pareto *pareto)
{
	const struct c2c *c2c = pareto->c2c;
	struct stacks stacks;
	size_t i, j;

	if (!c2c->profile->snap.nr_stacks) {
		fputs("\nNo call chains were recorded: memlat-ctl record --call-graph, or start --call-graph.\n",
		      out);
		return;
	}
	stacks_take(&stacks, &c2c->profile->snap, c2c->namer);
	fputs("\nCall chains by line and offset\n", out);
	for (i = 0; i < c2c->nr_shown; i++)
		for (j = 0; j < pareto->lines[i].nr_rows; j++)
			print_row(out, &stacks, &pareto->lines[i], &pareto->lines[i].rows[j],
				  c2c->first + i + 1);
	stacks_free(&stacks);
}

struct json_object *c2c_chains_json(const struct stacks *stacks, const struct c2c_rows *rows,
				    const struct c2c_row *row)
{
	struct json_object *list = json_list();
	struct stack_use *uses;
	size_t i, nr;

	uses = uses_of(rows, row, &nr);
	for (i = 0; i < nr; i++)
		json_append(list, stacks_json(stacks, &uses[i]));
	free(uses);
	return list;
}
