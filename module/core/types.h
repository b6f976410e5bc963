/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that module/core needs. The files in core are pure C and are compiled both
 * into memlat.ko and into the unit tests on a host.
 */
#ifndef MEMLAT_CORE_TYPES_H
#define MEMLAT_CORE_TYPES_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#endif

#endif /* MEMLAT_CORE_TYPES_H */
