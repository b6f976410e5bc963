/* SPDX-License-Identifier: GPL-2.0 */
/* 6.16 moved cpuid() to a header of this name. */
#include <asm/processor.h>
