// SPDX-License-Identifier: GPL-2.0
/* Plant callbacks when QEMU translates guest code. */
#include <stdlib.h>

#include "glue.h"
#include "insn.h"

/* Everything that translated code points to, until QEMU drops that code. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *allocated;
/*
 * The offsets in a page of all instructions that follow one whose result is corrected. Addresses
 * would not do, because programs that have a page of code elsewhere execute the same blocks.
 */
static bool behind[GLUE_PAGE];

static void *keep(size_t size)
{
	void *p = g_malloc0(size);

	pthread_mutex_lock(&lock);
	if (!allocated)
		allocated = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(allocated, p);
	pthread_mutex_unlock(&lock);
	return p;
}

void glue_flushed(void *unused)
{
	(void)unused;
	glue_timing_forget_blocks();
	pthread_mutex_lock(&lock);
	if (allocated)
		g_ptr_array_set_size(allocated, 0);
	pthread_mutex_unlock(&lock);
	glue_count_forget_blocks();
}

/* What the memory callback needs to know about its instruction, in one word. */
union where {
	struct {
		uint64_t ip : 56;
		uint64_t locked : 1;
		uint64_t repeated : 1;
		uint64_t len : 6;
	};
	void *word;
};

/*
 * TCG executes string instructions item by item, but a core line by line. So all consecutive items
 * in a line are one access. Besides, no interrupt can come between items here: if each item
 * counted, they would fill a PEBS buffer before its PMI can come.
 */
static bool same_line(struct glue_cpu *c, uint64_t ip, uint64_t vaddr, bool is_store)
{
	uint64_t line = vaddr >> 6;

	if (c->rep_ip == ip && c->rep_line[is_store] == line)
		return true;
	if (c->rep_ip != ip)
		c->rep_line[!is_store] = UINT64_MAX;
	c->rep_ip = ip;
	c->rep_line[is_store] = line;
	return false;
}

/*
 * QEMU translates a page of code once (CF_PCREL), and position-independent programs that have it
 * at another address execute the same translation. A block does not leave its page, so RIP has the
 * page of the instruction. The address of a page cannot change before the kernel has run.
 */
static uint64_t true_ip(unsigned int vcpu, uint64_t ip)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	uint64_t page = ip / GLUE_PAGE;
	struct glue_moved *moved = &c->moved[page % GLUE_MOVED];

	if (ip >> 63) {
		c->in_kernel = true;
		return ip;
	}
	c->visit += c->in_kernel;
	c->in_kernel = false;
	if (moved->page != page || moved->visit != c->visit) {
		moved->page = page;
		moved->visit = c->visit;
		moved->by = (glue_get(vcpu, R_RIP) / GLUE_PAGE - page) * GLUE_PAGE;
	}
	return ip + moved->by;
}

/* timed: the instruction, on a vCPU with a clock. */
static inline void access_memory(unsigned int vcpu, uint32_t info, uint64_t vaddr, union where w,
				 const struct glue_insn *timed)
{
	struct glue_cpu *c = &glue.cpu[vcpu];
	uint64_t ip = true_ip(vcpu, (uint64_t)((int64_t)((uint64_t)w.ip << 8) >> 8));
	const struct qp_hwaddr *hw;
	struct vp_access a = {
		.cpu = vcpu,
		.store = qemu_plugin_mem_is_store(info),
		.user = !(ip >> 63),
		.locked = w.locked,
		.size = 1u << qemu_plugin_mem_size_shift(info),
		.ip = ip,
		.vaddr = vaddr,
	};
	struct vp_outcome o;
	bool more = false;

	if (__builtin_expect(glue.living, 0) && a.user && c->thread_visit != c->visit)
		glue_lives_visit(vcpu);
	if (!w.repeated)
		c->rep_ip = 0;
	else
		more = same_line(c, ip, vaddr, a.store);
	if (more && !glue.living)
		return;
	hw = qemu_plugin_get_hwaddr(info, vaddr);
	if (!hw)
		return;
	a.paddr = qemu_plugin_hwaddr_phys_addr(hw);
	if (more) {
		vp_cache_more(glue.cache, &a);
		return;
	}
	if (qemu_plugin_hwaddr_is_io(hw)) {
		glue_apic_access(vcpu, info, &a);
		return;
	}
	if (timed)
		glue_timing_access(vcpu, timed, &a);
	vp_cache_access(glue.cache, &a, &o);
	if (timed)
		glue_timing_accessed(vcpu, timed, &a, &o);
	vp_truth_access(glue.truth, &a, &o);
	c->next_ip = ip + w.len;
	vp_pmu_access(glue.pmu, &a, &o);
	if (c->new_budget) {
		glue_count_sync(vcpu, NULL, ip);
		glue_count_budget(vcpu);
	}
}

static void memory(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata)
{
	access_memory(vcpu, info, vaddr, (union where) { .word = userdata }, NULL);
}

static void memory_timed(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata)
{
	const struct glue_insn *insn = userdata;

	access_memory(vcpu, info, vaddr, (union where) { .word = insn->where }, insn);
}

/*
 * A store of kernel code with kernel=off. It does not go through the cache model, but a held PMI
 * must still come as soon as LVTPC is unmasked.
 */
static void memory_unwatched(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *userdata)
{
	union where w = { .word = userdata };
	uint64_t ip = (uint64_t)((int64_t)((uint64_t)w.ip << 8) >> 8);
	const struct qp_hwaddr *hw;

	/* For true_ip(): the kernel stores registers whenever it is entered. */
	glue.cpu[vcpu].in_kernel = true;
	if (glue_apic_at_lvtpc(vaddr)) {
		struct vp_access a = { .cpu = vcpu, .store = true, .ip = ip };

		hw = qemu_plugin_get_hwaddr(info, vaddr);
		if (hw && qemu_plugin_hwaddr_is_io(hw)) {
			a.paddr = qemu_plugin_hwaddr_phys_addr(hw);
			glue_apic_access(vcpu, info, &a);
		}
	}
	if (glue.cpu[vcpu].new_budget) {
		glue_count_sync(vcpu, NULL, ip);
		glue_count_budget(vcpu);
	}
}

static void plant_unwatched(struct qp_insn *insn)
{
	union where w = { .word = NULL };

	w.ip = qemu_plugin_insn_vaddr(insn);
	qemu_plugin_register_vcpu_mem_cb(insn, memory_unwatched, QP_R_REGS, QP_MEM_W, w.word);
}

/* timed: NULL without a clock. */
static void plant_memory(struct qp_insn *insn, struct insn d, struct glue_insn *timed)
{
	union where w = { .word = NULL };

	w.ip = qemu_plugin_insn_vaddr(insn);
	w.len = qemu_plugin_insn_size(insn) & 0x3f;
	w.locked = d.locked;
	w.repeated = d.repeated;
	if (timed)
		timed->where = w.word;
	qemu_plugin_register_vcpu_mem_cb(insn, timed ? memory_timed : memory, QP_R_REGS, QP_MEM_RW,
					 timed ? (void *)timed : w.word);
}

static struct glue_insn *describe(struct qp_insn *insn, struct glue_tb *tb, unsigned int index)
{
	struct glue_insn *info = keep(sizeof(*info));

	info->tb = tb;
	info->index = (uint16_t)index;
	info->pc = qemu_plugin_insn_vaddr(insn);
	info->next = info->pc + qemu_plugin_insn_size(insn);
	return info;
}

static void intercept(struct qp_insn *insn, struct glue_tb *tb, unsigned int index,
		      uint8_t reg, qp_vcpu_cb cb)
{
	struct glue_insn *info = describe(insn, tb, index);

	info->reg = reg;
	qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QP_RW_REGS_PC, info);
}

static void *place_in_page(struct qp_insn *insn, size_t further)
{
	return (void *)(uintptr_t)((qemu_plugin_insn_vaddr(insn) + further) % GLUE_PAGE);
}

void glue_translate(struct qp_tb *tb, void *unused)
{
	int level = __atomic_load_n(&glue.level, __ATOMIC_RELAXED);
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	struct glue_tb *info = keep(sizeof(*info) + n);
	bool follow = false, pivot = false, cost;

	(void)unused;
	info->pc = qemu_plugin_tb_vaddr(tb);
	info->user = !(info->pc >> 63);
	info->n = (uint16_t)n;
	cost = glue.cost_planted && !info->user;
	if (level >= VP_WATCH_TIME) {
		/* This comes first, because the block must not be counted yet. */
		if (cost)
			glue_cost_plant(tb, info);
		if (glue.timing && level >= VP_WATCH_MEMORY) {
			info->regs = keep(n * sizeof(*info->regs));
			glue_timing_plant(tb, info);
		}
		glue_count_plant(tb, info);
	}
	for (i = 0; i < n; i++) {
		static const qp_vcpu_cb cbs[INSN_KINDS] = {
			[INSN_RDMSR] = glue_rdmsr, [INSN_WRMSR] = glue_wrmsr,
			[INSN_RDPMC] = glue_rdpmc, [INSN_CPUID] = glue_cpuid,
			[INSN_READ_CR4] = glue_read_cr4, [INSN_WRITE_CR4] = glue_write_cr4,
		};
		struct qp_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[16];
		size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
		struct insn d = insn_decode(bytes, size);

		info->len[i] = (uint8_t)qemu_plugin_insn_size(insn);
		if (info->regs)
			info->regs[i] = insn_registers(bytes, size);
		/* If a block ends between the two, the second is the first of the next block. */
		if (follow || (!i && behind[info->pc % GLUE_PAGE]))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, glue_behind, QP_RW_REGS,
							       place_in_page(insn, 0));
		follow = d.kind == INSN_CPUID || d.kind == INSN_RDMSR || d.kind == INSN_READ_CR4 ||
			 d.kind == INSN_RDTSC;
		if (follow)
			behind[(uintptr_t)place_in_page(insn, size)] = true;
		if (cost && (pivot || d.kind == INSN_IRET))
			glue_cost_plant_insn(insn, describe(insn, info, (unsigned int)i),
					     d.kind == INSN_IRET);
		pivot = d.kind == INSN_STACK;
		if (cbs[d.kind])
			intercept(insn, info, (unsigned int)i, d.reg, cbs[d.kind]);
		else if (d.kind == INSN_RDTSC && follow)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, glue_rdtsc, QP_R_REGS,
							       place_in_page(insn, size));
		else if (d.kind == INSN_HLT)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, glue_hlt, QP_NO_REGS, NULL);
		else if (level >= VP_WATCH_MEMORY && glue.kernel_off && !info->user)
			plant_unwatched(insn);
		else if (level >= VP_WATCH_MEMORY)
			plant_memory(insn, d, info->regs ?
				     describe(insn, info, (unsigned int)i) : NULL);
	}
}
