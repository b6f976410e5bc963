/* SPDX-License-Identifier: GPL-2.0 */
/* Call chains of c2c's rows, where they were recorded. */
#ifndef MEMLAT_C2C_CHAINS_H
#define MEMLAT_C2C_CHAINS_H

#include "c2c_pareto.h"
#include "stacks.h"

struct chains {
	const struct c2c *c2c;
	struct stacks stacks;
};

void chains_take(struct chains *chains, const struct c2c *c2c);
void chains_free(struct chains *chains);

/* Below the table: the heaviest chains of each row. */
void chains_print(FILE *out, const struct chains *chains, const struct pareto *pareto);
/* A row's, as a list: the same ones. */
struct json_object *chains_json(const struct chains *chains, const struct c2c_rows *rows,
				const struct c2c_row *row);

#endif
