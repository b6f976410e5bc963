/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel types that module/core needs, and what searches for bytes in words. The files in
 * core are pure C and are compiled both into memlat.ko and into the unit tests on a host.
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

/* The lowest bit of each byte of a word, and the highest bit of each. */
#define MEMLAT_BYTES_ONE	0x0101010101010101ULL
#define MEMLAT_BYTES_HIGH	0x8080808080808080ULL

/*
 * Set the highest bit of each byte that is 0. A byte of value 1 above a byte that is 0 may be taken
 * for 0 too. Such a way has a tag that differs in one bit, and is never free; callers compare keys.
 */
static __always_inline u64 memlat_bytes_zero(u64 bytes)
{
	return (bytes - MEMLAT_BYTES_ONE) & ~bytes & MEMLAT_BYTES_HIGH;
}

#endif /* MEMLAT_CORE_TYPES_H */
