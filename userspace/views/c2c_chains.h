/* SPDX-License-Identifier: GPL-2.0 */
/* The call chains of c2c's rows, if chains were recorded. */
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

/* Print the heaviest chains of each row below the table. */
void chains_print(FILE *out, const struct chains *chains, const struct pareto *pareto);
/* The same chains of a row as a JSON list. */
struct json_object *chains_json(const struct chains *chains, const struct c2c_rows *rows,
				const struct c2c_row *row);

#endif
