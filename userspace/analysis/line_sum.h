/* SPDX-License-Identifier: GPL-2.0 */
/* Two rows of lines that turn out to be one line. */
#ifndef MEMLAT_LINE_SUM_H
#define MEMLAT_LINE_SUM_H

#include <linux/memlat.h>

/*
 * Add a row to another; what can't be summed (address, process, latest
 * instruction) stays the first one's.
 */
void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from);

#endif
