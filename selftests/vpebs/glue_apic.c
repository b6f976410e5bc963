// SPDX-License-Identifier: GPL-2.0
/*
 * The local APIC, by its page of memory and, in x2APIC mode, by MSRs (SDM vol. 3A, "Extended XAPIC
 * (x2APIC)"). Both are QEMU's own APIC. In x2APIC mode its page does nothing, as on silicon, so a
 * guest that uses it then breaks a rule.
 */
#include <string.h>

#include "glue.h"

/* The page, at its default address, which QEMU and the kernel do not change. */
#define APIC_PAGE	0xfee00000ULL
#define APIC_ID		0x20
#define APIC_ICR	0x300
#define APIC_LVTPC	0x340
/* Interrupt command: NMI, level asserted, destination self. */
#define ICR_NMI_SELF	0x00044400u
/* A message (MSI): NMI. Its address has the destination's ID. */
#define MSI_NMI		0x00000400u
#define MSI_TO(id)	(APIC_PAGE | (uint64_t)(id) << 12)

#define MSR_APIC_BASE	0x1b
#define X2APIC_ON	(1u << 10)
/* Each register has the MSR 0x800 + its offset in the page / 16. */
#define MSR_X2APIC	0x800
#define MSR_X2APIC_END	0x900
#define MSR_LVTPC	(MSR_X2APIC + APIC_LVTPC / 16)

/* system/cpus.c, accel/tcg/icount-common.c, include/hw/core/cpu.h */
int64_t cpus_get_virtual_clock(void);
int64_t icount_get(void);
void icount_update(void *cpu);
extern __thread void *current_cpu;

/* hw/i386/x86-cpu.c, hw/intc/apic.c, system/cpus.c. The index is the offset in the page / 16. */
void *cpu_get_current_apic(void);
int apic_msr_read(void *apic, int index, uint64_t *value);
int apic_msr_write(void *apic, int index, uint64_t value);
bool bql_locked(void);
void bql_lock_impl(const char *file, int line);
void bql_unlock(void);

/* The instruction that runs is the RDMSR or WRMSR of an x2APIC register. */
static bool by_msr;

/*
 * The time, for the APIC's timer. With -icount, QEMU ends itself ("Bad icount read") if a block
 * that has not announced it reads the clock, because it would not know how far the block has come.
 * QEMU announces stores to the APIC's page, but not WRMSR. Yet RDMSR and WRMSR are always the last
 * instruction of their block, so all of it counts.
 */
static int64_t virtual_clock(void)
{
	void *cpu = current_cpu;
	int64_t ns;

	if (!cpu || !by_msr)
		return icount_get();
	icount_update(cpu);
	/* QEMU checks only what a vCPU reads. */
	current_cpu = NULL;
	ns = icount_get();
	current_cpu = cpu;
	return ns;
}

bool glue_apic_init(void)
{
	return glue_replace(cpus_get_virtual_clock, virtual_clock);
}

/* Read or write a register of the current vCPU by its MSR, as QEMU does for RDMSR and WRMSR. */
static int by_qemu(unsigned int offset, bool write, uint64_t *value)
{
	const bool locked = bql_locked();
	void *apic = cpu_get_current_apic();
	int ret;

	if (!locked)
		bql_lock_impl(__FILE__, __LINE__);
	if (write)
		ret = apic_msr_write(apic, (int)offset / 16, *value);
	else
		ret = apic_msr_read(apic, (int)offset / 16, value);
	if (!locked)
		bql_unlock();
	return ret;
}

/* Each vCPU has its own APIC at this address. */
static bool read_apic(unsigned int vcpu, unsigned int offset, uint32_t *value)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	uint64_t wide;

	if (c->x2apic) {
		if (by_qemu(offset, false, &wide))
			return false;
		*value = (uint32_t)wide;
		return true;
	}
	g_byte_array_set_size(c->buf, 0);
	if (qemu_plugin_read_memory_hwaddr(APIC_PAGE + offset, c->buf, sizeof(*value)))
		return false;
	memcpy(value, c->buf->data, sizeof(*value));
	return true;
}

static void write_phys(unsigned int vcpu, uint64_t addr, uint32_t value)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	g_byte_array_set_size(c->buf, 0);
	g_byte_array_append(c->buf, (const guint8 *)&value, sizeof(value));
	if (qemu_plugin_write_memory_hwaddr(addr, c->buf))
		vp_truth_violation(glue.truth, vcpu, 0, "emulator", "APIC at 0x%llx not writable",
				   (unsigned long long)addr);
}

static void write_apic(unsigned int vcpu, unsigned int offset, uint32_t value)
{
	uint64_t wide = value;

	if (!glue.cpu[vcpu].x2apic)
		write_phys(vcpu, APIC_PAGE + offset, value);
	else if (by_qemu(offset, true, &wide))
		vp_truth_violation(glue.truth, vcpu, 0, "emulator",
				   "MSR of the APIC for 0x%x not writable", offset);
}

uint32_t glue_lvtpc(unsigned int vcpu)
{
	uint32_t value;

	return read_apic(vcpu, APIC_LVTPC, &value) ? value : VP_LVT_MASKED;
}

void glue_lvtpc_set(unsigned int vcpu, uint32_t value)
{
	write_apic(vcpu, APIC_LVTPC, value);
}

/* Other vCPUs need this one's APIC ID to send to it. Firmware has not yet turned x2APIC on. */
void glue_learn_apic(unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	uint32_t id;

	if (!c->knows_apic && read_apic(vcpu, APIC_ID, &id)) {
		c->apic_id = id >> 24;
		__atomic_store_n(&c->knows_apic, true, __ATOMIC_RELEASE);
	}
}

/* Send an NMI from a vCPU to itself. None of its blocks is being executed. */
void glue_raise_nmi(unsigned int vcpu)
{
	write_apic(vcpu, APIC_ICR, ICR_NMI_SELF);
}

bool glue_send_nmi(unsigned int vcpu, unsigned int to)
{
	if (to == vcpu) {
		glue_turn_nmi(vcpu);
		return true;
	}
	if (!__atomic_load_n(&glue.cpu[to].knows_apic, __ATOMIC_ACQUIRE))
		return false;
	write_phys(vcpu, MSI_TO(glue.cpu[to].apic_id), MSI_NMI);
	return true;
}

/*
 * A held PMI must come as soon as LVTPC is unmasked. A few instructions later, the guest's driver
 * may be in code where silicon raises no PMI.
 */
static void lvtpc_written(unsigned int vcpu, uint32_t value, uint64_t ip)
{
	vp_pmu_saw_lvtpc(glue.pmu, vcpu, value);
	vp_pmu_retire(glue.pmu, vcpu, false, 0, ip);
}

bool glue_apic_at_lvtpc(uint64_t vaddr)
{
	return vaddr % GLUE_PAGE == APIC_LVTPC;
}

/* A load or store outside of memory. */
void glue_apic_access(unsigned int vcpu, uint32_t info, const struct vp_access *a)
{
	if (a->paddr / GLUE_PAGE != APIC_PAGE / GLUE_PAGE)
		return;
	if (glue.cpu[vcpu].x2apic)
		vp_truth_violation(glue.truth, vcpu, a->ip, "apic-page",
				   "%s at 0x%llx of the APIC's page in x2APIC mode",
				   a->store ? "store" : "load",
				   (unsigned long long)a->paddr % GLUE_PAGE);
	else if (a->store && glue_apic_at_lvtpc(a->paddr))
		lvtpc_written(vcpu, qemu_plugin_mem_get_value(info).data.u32, a->ip);
}

void glue_apic_rdmsr(unsigned int vcpu, uint32_t msr)
{
	by_msr = glue.cpu[vcpu].x2apic && msr >= MSR_X2APIC && msr < MSR_X2APIC_END;
}

bool glue_apic_is_lvtpc(unsigned int vcpu, uint32_t msr)
{
	return glue.cpu[vcpu].x2apic && msr == MSR_LVTPC;
}

void glue_apic_wrmsr(unsigned int vcpu, uint32_t msr, uint64_t value, uint64_t ip)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	glue_apic_rdmsr(vcpu, msr);
	if (msr == MSR_APIC_BASE)
		c->x2apic = value & X2APIC_ON;
	if (!glue_apic_is_lvtpc(vcpu, msr) || !vp_pmu_lvtpc_is_valid(glue.pmu, vcpu, value, ip))
		return;
	glue_lvtpc_set(vcpu, (uint32_t)value);
	lvtpc_written(vcpu, (uint32_t)value, ip);
}
