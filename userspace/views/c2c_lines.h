/* SPDX-License-Identifier: GPL-2.0 */
/* c2c's fourth table: the shared lines. */
#ifndef MEMLAT_C2C_LINES_H
#define MEMLAT_C2C_LINES_H

#include "c2c.h"

/* The table of the lines that are shown. */
struct report c2c_lines_report(const struct c2c *c2c);

#endif
