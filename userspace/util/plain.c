// SPDX-License-Identifier: GPL-2.0
#include "plain.h"

void plain_name(char *field, size_t size)
{
	field[size - 1] = '\0';
	for (; *field; field++)
		if (*field < ' ' || *field > '~')
			*field = '?';
}
