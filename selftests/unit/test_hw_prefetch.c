// SPDX-License-Identifier: GPL-2.0
/*
 * The register that turns prefetchers off does not keep all that is written to it, as under some
 * hypervisors. This is module/hw/prefetch.c itself, with a register and a CPU that are made up here.
 */
#include "core_test.h"

/* What follows is in place of the headers of module/hw that need the kernel. */
#define MEMLAT_HW_PMU_H
#define MEMLAT_HW_HW_H
#include "../../module/hw/cpu_model.h"

#define DEFINE_PER_CPU(type, name)	type name
#define READ_ONCE(x)			(x)
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define per_cpu_ptr(pointer, cpu)	((void)(cpu), (pointer))
#define this_cpu_read(x)		(x)
#define this_cpu_write(x, value)	((x) = (value))
#define smp_processor_id()		0
#define cpuid_count(leaf, sub, a, b, c, d)	\
	((void)(leaf), (void)(sub), *(a) = *(b) = *(c) = *(d) = 0)
#define order_base_2(n)			((void)(n), 0)
#define memlat_cores_cpu_online()	true

static const struct memlat_cpu_model model = { .prefetch = 0xff };
static const struct memlat_core { const struct memlat_cpu_model *model; } kind = { &model };
static struct { const struct memlat_core *core; } the_cpu = { &kind }, *memlat_cpu = &the_cpu;

static u64 value_now, kept;	/* the register, and the bits of it that can be changed */

#define MEMLAT_MSR_PREFETCH		0x1a4
#define rdmsrq_safe(msr, to)		(*(to) = value_now, 0)

static int wrmsrq_safe(u32 msr, u64 from)
{
	value_now = (value_now & ~kept) | (from & kept);
	return 0;
}

#include "../../module/hw/prefetch.c"

static int change(u64 found, u64 keeps, u8 want, u8 *held)
{
	u8 lost;

	value_now = found;
	kept = keeps;
	return memlat_hw_prefetch_change(want, held, &lost);
}

TEST(all_bits_are_kept)
{
	u8 held = 0;

	assert_int_equal(change(0x101, ~0ULL, 0xff, &held), 0);
	assert_int_equal(value_now, 0x1ff);
	assert_int_equal(held, 0xfe);
	assert_int_equal(change(value_now, ~0ULL, 0, &held), 0);
	assert_int_equal(value_now, 0x101);
	assert_int_equal(held, 0);
}

/* If one bit is not kept, the change fails, and the bits that are kept are restored. */
TEST(some_bits_are_kept)
{
	u8 held = 0;

	assert_int_equal(change(0x1, 0xf, 0xff, &held), -EIO);
	assert_int_equal(value_now, 0x1);
	assert_int_equal(held, 0);
}

/* The same when they are turned on again: memlat still holds them all, and may try again. */
TEST(some_bits_stay)
{
	u8 held = 0xe;

	assert_int_equal(change(0xf, 0x5, 0, &held), -EIO);
	assert_int_equal(value_now, 0xf);
	assert_int_equal(held, 0xe);
}

TEST(no_bit_is_kept)
{
	u8 held = 0;

	assert_int_equal(change(0, 0, 0xff, &held), -EIO);
	assert_int_equal(value_now, 0);
	assert_int_equal(held, 0);
}
