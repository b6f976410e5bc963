/* SPDX-License-Identifier: GPL-2.0 */
/* A plan as a C program: what stands before the objects, and after the threads' functions. */
#ifndef JUDGE_EMIT_H
#define JUDGE_EMIT_H

#include "plan.h"

void emit_begin(const struct plan *plan, FILE *out);
void emit_end(const struct plan *plan, FILE *out);

#endif
