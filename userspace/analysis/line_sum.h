/* SPDX-License-Identifier: GPL-2.0 */
/* Add up rows that turn out to be of one line. */
#ifndef MEMLAT_LINE_SUM_H
#define MEMLAT_LINE_SUM_H

#include <linux/memlat.h>

/*
 * Add @from to @to. What can't be summed (address, process, latest instruction) stays as it is in
 * @to.
 */
void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from);

#endif
