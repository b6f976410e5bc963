// SPDX-License-Identifier: GPL-2.0
/* The machine as the PMU model sees it: registers, memory, APIC, time. */
#include <stdio.h>
#include <string.h>

#include "glue.h"

static const char *const reg_names[R_COUNT] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	"rip", "eflags", "cs", "cr4", "cr3", "fs_base",
};

void glue_learn_registers(unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	GArray *regs = qemu_plugin_get_registers();
	unsigned int i, j;

	for (i = 0; i < regs->len; i++) {
		const struct qp_reg_desc *d = &g_array_index(regs, struct qp_reg_desc, i);

		for (j = 0; j < R_COUNT; j++)
			if (!c->reg[j] && !strcmp(d->name, reg_names[j]))
				c->reg[j] = d->handle;
	}
	g_array_free(regs, TRUE);
	for (j = 0; j < R_COUNT; j++)
		if (!c->reg[j])
			g_error("vpebs: this QEMU has no register called %s", reg_names[j]);
	c->buf = g_byte_array_new();
}

uint64_t glue_get(unsigned int vcpu, enum glue_reg reg)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	uint64_t value = 0;

	g_byte_array_set_size(c->buf, 0);
	if (!qemu_plugin_read_register(c->reg[reg], c->buf))
		g_error("vpebs: QEMU does not let register %s be read here", reg_names[reg]);
	memcpy(&value, c->buf->data, MIN(c->buf->len, sizeof(value)));
	return value;
}

void glue_set(unsigned int vcpu, enum glue_reg reg, uint64_t value)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	g_byte_array_set_size(c->buf, 0);
	g_byte_array_append(c->buf, (const guint8 *)&value, sizeof(value));
	if (!qemu_plugin_write_register(c->reg[reg], c->buf))
		g_error("vpebs: QEMU does not let register %s be written here", reg_names[reg]);
}

static bool read_guest(void *ctx, unsigned int vcpu, uint64_t addr, void *buf, size_t size)
{
	(void)ctx;
	return glue_read_guest(vcpu, addr, buf, size);
}

bool glue_read_guest(unsigned int vcpu, uint64_t addr, void *buf, size_t size)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	g_byte_array_set_size(c->buf, 0);
	if (!qemu_plugin_read_memory_vaddr(addr, c->buf, size))
		return false;
	memcpy(buf, c->buf->data, size);
	return true;
}

static bool write_guest(void *ctx, unsigned int vcpu, uint64_t addr, const void *buf, size_t size)
{
	(void)ctx;
	return glue_write_guest(vcpu, addr, buf, size);
}

bool glue_write_guest(unsigned int vcpu, uint64_t addr, const void *buf, size_t size)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	g_byte_array_set_size(c->buf, 0);
	g_byte_array_append(c->buf, buf, (guint)size);
	return qemu_plugin_write_memory_vaddr(addr, c->buf);
}

static bool write_phys(void *ctx, unsigned int vcpu, uint64_t paddr, const void *buf, size_t size)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	(void)ctx;
	g_byte_array_set_size(c->buf, 0);
	g_byte_array_append(c->buf, buf, (guint)size);
	return !qemu_plugin_write_memory_hwaddr(paddr, c->buf);
}

/*
 * QEMU does not provide the registers after the instruction. These are from just before its end, so
 * the target of a load still has its old value. RIP is the address of the next instruction.
 */
static void regs(void *ctx, unsigned int vcpu, uint64_t out[VP_RECORD_REGS])
{
	unsigned int i;

	(void)ctx;
	out[0] = glue_get(vcpu, R_EFLAGS);
	out[1] = glue.cpu[vcpu].next_ip;
	for (i = R_RAX; i <= R_R15; i++)
		out[2 + i] = glue_get(vcpu, i);
}

/* QEMU's accel/tcg/icount-common.c: convert instructions to nanoseconds. */
int64_t icount_to_ns(int64_t count);

/* The last value of the TSC that the guest read, and the instructions executed until then. */
static uint64_t tsc_read, tsc_read_at;

void glue_learn_tsc(uint64_t guest)
{
	tsc_read = guest;
	tsc_read_at = glue_count_all();
}

/*
 * With -icount the TSC counts nanoseconds of the machine's clock. Instructions advance this clock,
 * and it jumps while all CPUs sleep. So this value lags by the time that they have slept since the
 * TSC was last read, which the kernel does when a CPU wakes up.
 */
static uint64_t tsc(void *ctx, unsigned int vcpu)
{
	(void)ctx;
	(void)vcpu;
	return tsc_read + (uint64_t)icount_to_ns((int64_t)(glue_count_all() - tsc_read_at));
}

static uint32_t lvtpc_read(void *ctx, unsigned int vcpu)
{
	(void)ctx;
	return glue_lvtpc(vcpu);
}

static void lvtpc_write(void *ctx, unsigned int vcpu, uint32_t value)
{
	(void)ctx;
	glue_lvtpc_set(vcpu, value);
}

static bool page(void *ctx, unsigned int vcpu, uint64_t addr, uint64_t *paddr)
{
	(void)ctx;
	(void)vcpu;
	if (!qemu_plugin_translate_vaddr(addr, paddr))
		return false;
	*paddr >>= VP_PAGE_SHIFT;
	return true;
}

static uint64_t instructions(void *ctx, unsigned int vcpu)
{
	(void)ctx;
	return glue_count_exact(vcpu);
}

static void nmi(void *ctx, unsigned int vcpu)
{
	struct glue_cpu *c = &glue.cpu[vcpu];

	(void)ctx;
	c->nmi_due = c->skips || !c->at_start;
	if (c->nmi_due) {
		c->new_budget = true;
		return;
	}
	glue.cpu[vcpu].pmi_sent = glue.cost_planted;
	glue_raise_nmi(vcpu);
}

/* Send the NMI that could not be sent while an instruction was skipped, or within a block. */
void glue_send_due(unsigned int vcpu)
{
	if (!glue.cpu[vcpu].nmi_due)
		return;
	glue.cpu[vcpu].nmi_due = false;
	nmi(NULL, vcpu);
}

static void counted(void *ctx, const struct vp_access *access, const struct vp_outcome *outcome)
{
	(void)ctx;
	if (access->store)
		vp_truth_stored(glue.truth, access, outcome);
	else
		vp_truth_counted(glue.truth, access, outcome);
}

static void record(void *ctx, unsigned int vcpu, const struct vp_access *access,
		   enum vp_pmu_fate fate, uint32_t word)
{
	static const enum vp_fate fates[] = {
		[VP_PMU_WRITTEN] = VP_WRITTEN,
		[VP_PMU_BUFFER_FULL] = VP_LOST_BUFFER_FULL,
		[VP_PMU_DS_UNMAPPED] = VP_LOST_DS_UNMAPPED,
		[VP_PMU_BAD_DS] = VP_LOST_BAD_DS,
	};
	/* A record of the events of instructions or cycles has no line. */
	const struct vp_access none = { .cpu = vcpu, .store = true, .ip = glue.cpu[vcpu].next_ip };

	(void)ctx;
	vp_truth_record(glue.truth, access ? access : &none, fates[fate], word);
}

static void pmi(void *ctx, unsigned int vcpu, bool sent)
{
	(void)ctx;
	if (!sent)
		glue.cpu[vcpu].new_budget = true;
	vp_truth_pmi(glue.truth, vcpu, sent);
}

static void violation(void *ctx, unsigned int vcpu, uint64_t ip, const char *kind,
		      const char *detail)
{
	(void)ctx;
	vp_truth_violation(glue.truth, vcpu, ip, kind, "%s", detail);
}

const struct vp_pmu_ops glue_ops = {
	.read = read_guest,
	.write = write_guest,
	.write_phys = write_phys,
	.regs = regs,
	.tsc = tsc,
	.lvtpc_read = lvtpc_read,
	.lvtpc_write = lvtpc_write,
	.nmi = nmi,
	.page = page,
	.clock = instructions,
	.counted = counted,
	.record = record,
	.pmi = pmi,
	.violation = violation,
};
