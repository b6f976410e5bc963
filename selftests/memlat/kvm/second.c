// SPDX-License-Identifier: GPL-2.0
#define COUNT	second_count
#define TOTAL	second_total
#include "first.c"
