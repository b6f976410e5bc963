// SPDX-License-Identifier: GPL-2.0
/* A variable of which a module has two: linked in twice, once for each NAME. */
static long twin[4];

long *NAME(int i)
{
	return &twin[i];
}
