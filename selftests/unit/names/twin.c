// SPDX-License-Identifier: GPL-2.0
/* A variable that a module has twice, because this file is linked once for each NAME. */
static long twin[4];

long *NAME(int i)
{
	return &twin[i];
}
