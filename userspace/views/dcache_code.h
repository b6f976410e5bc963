/* SPDX-License-Identifier: GPL-2.0 */
/* The code around the most costly instructions. */
#ifndef MEMLAT_DCACHE_CODE_H
#define MEMLAT_DCACHE_CODE_H

#include "dcache_table.h"

/* Print the code around the first rows of a table by instruction. */
void dcache_code_print(FILE *out, const struct dcache_table *table);
struct json_object *dcache_code_json(const struct dcache_table *table);

#endif
