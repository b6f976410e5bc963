// SPDX-License-Identifier: GPL-2.0
/* This file is compiled twice, with other names for the members of a structure. */
struct node {
	long FIRST, SECOND;
};

long NAME(const struct node *node)
{
	return node->FIRST;
}
