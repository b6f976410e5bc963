# SPDX-License-Identifier: GPL-2.0
# The kernel's headers that module/hw/budget.c reaches. kernel.h has what it needs of them, so they
# are empty.
EMPTY := $(addprefix $(OUT)/empty/,linux/cpu.h linux/gfp.h linux/irqflags.h linux/math64.h linux/minmax.h linux/percpu.h linux/jiffies.h \
	linux/irq_work.h linux/mm_types.h linux/atomic.h linux/string.h linux/timekeeping.h asm/apic.h \
	asm/cpufeature.h asm/intel_ds.h asm/irq_vectors.h)
