/* SPDX-License-Identifier: GPL-2.0 */
/* 5.14 moved the list of notifiers to a header of this name. */
#include <linux/kernel.h>
