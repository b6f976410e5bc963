/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The glue between QEMU and the models. QEMU gives this plugin every instruction that it
 * translates. The callbacks that the plugin plants there determine what the models see.
 *
 * There are three levels of callbacks, so that a guest that measures nothing runs nearly as fast as
 * without a plugin:
 *   VP_WATCH_NOTHING	RDMSR, WRMSR, RDPMC and CPUID are intercepted
 *   VP_WATCH_TIME	instructions are counted, too
 *   VP_WATCH_MEMORY	every load and store goes through the cache model, too
 * When a counter or magic call needs a higher level, QEMU continues with blocks that have its
 * callbacks. When a lower level has been enough for a while, QEMU goes back. It keeps the blocks of
 * each level (glue_turn_level), because translating all of them again took a third of a guest's
 * time. The caches are empty each time that the highest level begins.
 */
#ifndef VPEBS_GLUE_H
#define VPEBS_GLUE_H

#include <pthread.h>
#include <stdio.h>

#include "cache.h"
#include "config.h"
#include "cost.h"
#include "insn_regs.h"
#include "lives.h"
#include "model.h"
#include "pmu.h"
#include "qemu_plugin.h"
#include "timing.h"
#include "truth.h"

enum glue_reg {
	R_RAX, R_RBX, R_RCX, R_RDX, R_RSI, R_RDI, R_RBP, R_RSP,
	R_R8, R_R9, R_R10, R_R11, R_R12, R_R13, R_R14, R_R15,
	R_RIP, R_EFLAGS, R_CS, R_CR4, R_CR3, R_FS_BASE,
	R_COUNT
};

/* A block of translated code; instruction addresses for cutting it short. */
struct glue_tb {
	uint64_t pc;
	bool user;
	bool counted;			/* its length is added to the budget at its start */
	uint16_t n;
	struct insn_regs *regs;		/* of each instruction; NULL: the clock does not run */
	uint8_t len[];			/* bytes of each instruction */
};

/* An instruction that is intercepted. */
struct glue_insn {
	struct glue_tb *tb;
	uint64_t pc;
	uint64_t next;
	uint16_t index;
	uint8_t reg;			/* of struct insn */
	void *where;			/* with a clock: what the memory callback must know */
};

/*
 * In a scoreboard that translated code writes: instructions by privilege, which count up to
 * BUDGET_END, where a callback is due, and the block that runs.
 */
struct glue_score {
	uint64_t budget[2];
	uint64_t tb;
	uint64_t clock;			/* instructions since ever */
	uint64_t watch;			/* enum vp_cost_watch */
};
#define BUDGET_END	(1ULL << 40)

/* Short compared with how programs interact, and long compared with the change to the next vCPU. */
#define TURN		500u

/* What glue_behind has to change in the registers after QEMU's instruction. */
enum glue_mend_kind {
	MEND_NOTHING,
	MEND_CPUID,
	MEND_MAGIC,			/* EAX, EBX */
	MEND_MSR,			/* EDX:EAX */
	MEND_MISC_ENABLE,
	MEND_CR4,
	MEND_TSC,			/* nothing, but it tells what the TSC is */
};

/*
 * Usually one; more if an interrupt came between the two instructions, and switched to a task in
 * which the same happens.
 */
#define GLUE_MENDS	4

struct glue_mend {
	enum glue_mend_kind kind;
	uint16_t behind;		/* where in its page the next instruction stands */
	uint64_t rsp;			/* and whose it is */
	uint32_t leaf, subleaf;
	uint32_t eax, ebx;
	uint64_t value;
	uint8_t reg;			/* MEND_CR4: of struct insn */
};

#define GLUE_PAGE	4096u
#define GLUE_MOVED	64

/* Where a page of code runs now, which was translated at another address. */
struct glue_moved {
	uint64_t page;
	uint64_t visit;
	uint64_t by;			/* to be added to its addresses */
};

/* A vCPU's clock, and the place in the block that it has reached. */
struct glue_time {
	struct vp_timing *model;	/* NULL: cycles are instructions */
	const struct glue_tb *tb;
	unsigned int at;		/* the next instruction */
	unsigned int end;		/* that is not reached */
	bool open;			/* it has begun */
	uint64_t told[2][VP_COUNTS];	/* of what is counted: the PMU knows */
	struct vp_thread_time charged[2];	/* and threads were charged with */
};

struct glue_cpu {
	struct qp_register *reg[R_COUNT];
	GByteArray *buf;
	bool alive;
	struct glue_mend mend[GLUE_MENDS];	/* that wait for the next instruction */
	unsigned int mends;		/* how many do */
	bool new_budget;		/* a PMI is held: look soon */
	bool skips;			/* an instruction is being skipped */
	bool turn_end;			/* where its budget ends */
	bool at_start;			/* of a block: interrupts may be raised */
	bool nmi_due;			/* which was no time for this */
	bool in_kernel;			/* at its last access */
	uint64_t visit;			/* number of its visits to user mode */
	uint64_t thread_visit;		/* the visit of that thread; 0: not known */
	struct vp_thread thread;
	struct glue_moved moved[GLUE_MOVED];
	uint64_t rep_ip;		/* string instruction that runs */
	uint64_t rep_line[2];		/* where it loaded, stored last */
	const struct glue_score *score;
	uint64_t next_ip;		/* of the sampled instruction */
	uint64_t start[2];		/* budgets when last looked at */
	int64_t debt[2];		/* instructions counted but not run */
	uint64_t overcount;		/* the same, of the clock and since ever */
	bool pmi_sent;			/* and not delivered yet */
	bool nmi_sent;			/* the same, by a guest's call */
	bool x2apic;			/* its APIC is accessed by MSRs */
	bool knows_apic;
	uint32_t apic_id;
	struct glue_time time;
} __attribute__((aligned(64)));

struct glue {
	qp_id id;
	const struct vp_model *model;
	struct vp_topology topology;
	struct vp_config config;
	unsigned int threads;		/* of a core; they share MISC_FEATURE_CONTROL, and that alone */
	uint32_t cpuid_level;		/* QEMU's own; 0: nobody asked yet */
	struct vp_cache *cache;
	struct vp_lives *lives;
	bool living;			/* a bracket follows lives */
	FILE *trace;			/* of accesses; NULL: none */
	struct vp_truth *truth;
	struct vp_pmu *pmu;
	bool timing;			/* vCPUs have clocks */
	unsigned int turns;		/* instructions of a vCPU's turn while memory is watched */
	bool kernel_off;		/* accesses of kernel code are not watched */
	bool stir;			/* QEMU's main loop is woken all the time */
	struct vp_counts *counts;	/* by vCPU, with clocks */
	FILE *out;
	const char *out_name;
	bool over;			/* the guest has said that its run has ended */
	int level;			/* enum vp_pmu_watch: planted now */
	uint64_t needed_at;		/* instructions of all vCPUs when that much was needed last */
	int bracket;			/* enum vp_pmu_watch: for a bracket that is open */
	struct vp_cost *cost;
	uint64_t owner_start, owner_end;	/* text of the module that is accounted for */
	uint64_t nmi_entry;		/* where NMIs come in; 0: none has yet */
	bool cost_planted;
	bool vmxe;			/* shown in CR4, though it is not set */
	struct qp_scoreboard *score;
	struct glue_cpu cpu[VP_MAX_CPUS];
};

extern struct glue glue;

/* glue_ops.c: the machine as the PMU model sees it */
extern const struct vp_pmu_ops glue_ops;
void glue_learn_registers(unsigned int vcpu);
uint64_t glue_get(unsigned int vcpu, enum glue_reg reg);
void glue_set(unsigned int vcpu, enum glue_reg reg, uint64_t value);
bool glue_read_guest(unsigned int vcpu, uint64_t addr, void *buf, size_t size);
bool glue_write_guest(unsigned int vcpu, uint64_t addr, const void *buf, size_t size);
void glue_learn_tsc(uint64_t guest);
void glue_send_due(unsigned int vcpu);

/* glue_apic.c: the local APIC, by its page and by MSRs (x2APIC) */
bool glue_apic_init(void);
uint32_t glue_lvtpc(unsigned int vcpu);
void glue_lvtpc_set(unsigned int vcpu, uint32_t value);
void glue_learn_apic(unsigned int vcpu);
bool glue_send_nmi(unsigned int vcpu, unsigned int to);	/* false: where is it? */
void glue_raise_nmi(unsigned int vcpu);
bool glue_apic_at_lvtpc(uint64_t vaddr);	/* perhaps */
void glue_apic_access(unsigned int vcpu, uint32_t info, const struct vp_access *a);
/* Before QEMU executes a privileged RDMSR or WRMSR. A WRMSR of LVTPC is done here in its place. */
void glue_apic_rdmsr(unsigned int vcpu, uint32_t msr);
bool glue_apic_is_lvtpc(unsigned int vcpu, uint32_t msr);
void glue_apic_wrmsr(unsigned int vcpu, uint32_t msr, uint64_t value, uint64_t ip);

/* glue_budget.c: how long a vCPU's turn is, while memory is not watched */
bool glue_budget_init(void);
bool glue_replace(void *qemus, const void *ours);

/* glue_clock.c: the host's clock, for the vCPUs' thread */
bool glue_clock_init(void);
void glue_clock_set(int64_t ns);

/* glue_idle.c: the clock, while all vCPUs sleep */
bool glue_idle_init(void);
void glue_idle_vcpu(void *vcpu);
bool glue_idle_all(void);

/* glue_turn.c: which vCPU has its turn */
void glue_turn_init(unsigned int vcpu);
void glue_turn_end(void);
bool glue_turn_stir(void);		/* with stir=on */
void glue_turn_settle(const void *from);	/* where translated code called this plugin */
void glue_turn_level(int level);	/* what blocks are looked for from now on */
void glue_turn_between(void (*func)(void));	/* soon, when all vCPUs are between two blocks */
void glue_turn_nmi(unsigned int vcpu);	/* to itself, behind this block */

/* glue_count.c: instructions */
void glue_count_init(void);
void glue_count_sync(unsigned int vcpu, const struct glue_insn *leaving, uint64_t ip);
void glue_count_sync_at(unsigned int vcpu, const struct glue_insn *insn);
void glue_count_budget(unsigned int vcpu);
void glue_count_shorten_turns(void);
void glue_count_plant(struct qp_tb *tb, struct glue_tb *info);
void glue_count_discon(unsigned int vcpu, enum qp_discon type, uint64_t from, uint64_t to,
		       void *userdata);
void glue_count_forget_blocks(void);
uint64_t glue_count_clock(unsigned int vcpu);
uint64_t glue_count_exact(unsigned int vcpu);
uint64_t glue_count_all(void);
struct qp_u64 glue_count_entry(size_t offset);

/* glue_cost.c: what a module costs */
void glue_cost_owner(uint64_t start, uint64_t end);
bool glue_cost_on(void);
void glue_cost_begin(void);
void glue_cost_end(void);
void glue_cost_report(void);
void glue_cost_planted(bool planted);
void glue_cost_interrupt(unsigned int vcpu, uint64_t from, uint64_t to);
void glue_cost_plant(struct qp_tb *tb, struct glue_tb *info);
void glue_cost_plant_insn(struct qp_insn *insn, struct glue_insn *info, bool iret);

/* glue_timing.c: clocks of vCPUs. Without clocks nothing is planted, and sync does nothing. */
bool glue_timing_init(void);
void glue_timing_plant(struct qp_tb *tb, struct glue_tb *info);
void glue_timing_access(unsigned int vcpu, const struct glue_insn *insn,
			const struct vp_access *access);
void glue_timing_accessed(unsigned int vcpu, const struct glue_insn *insn,
			  const struct vp_access *access, const struct vp_outcome *outcome);
/* Charge a thread with what the vCPU's clock has counted since the last call; NULL: nobody. */
void glue_timing_charge(unsigned int vcpu, const uint32_t *thread);
/* The block was left before its index-th instruction was executed. */
void glue_timing_cut(unsigned int vcpu, const struct glue_tb *tb, unsigned int index);
/* last: the last instruction that was executed, or NULL; leaving: the block ends with it. */
void glue_timing_sync(unsigned int vcpu, const struct glue_insn *last, bool leaving, uint64_t ip);
void glue_timing_retire(unsigned int vcpu, bool user, uint64_t n);
void glue_timing_forget_blocks(void);

/* glue_exec.c: instructions that are intercepted */
void glue_rdmsr(unsigned int vcpu, void *insn);
void glue_wrmsr(unsigned int vcpu, void *insn);
void glue_rdpmc(unsigned int vcpu, void *insn);
void glue_cpuid(unsigned int vcpu, void *insn);
void glue_read_cr4(unsigned int vcpu, void *insn);
void glue_write_cr4(unsigned int vcpu, void *insn);
void glue_hlt(unsigned int vcpu, void *unused);
void glue_rdtsc(unsigned int vcpu, void *behind);	/* the next one's place in its page */
void glue_behind(unsigned int vcpu, void *here);	/* its place in its page */

/* glue_lives.c: lives of lines, in brackets that ask for them */
bool glue_lives_init(void);
bool glue_lives_trace(const char *name);
bool glue_lives_begin(void);
void glue_lives_end(void);
void glue_lives_visit(unsigned int vcpu);	/* user mode was entered: a new visit */

/* glue_magic.c: a guest's call to the emulator. Returns its EAX; may set its EBX. */
uint32_t glue_magic(unsigned int vcpu, uint64_t pc, uint32_t *ebx);

/* glue_trans.c: what is planted where */
void glue_translate(struct qp_tb *tb, void *unused);
void glue_flushed(void *unused);

/* glue.c */
const struct vp_core *glue_core(unsigned int vcpu);
void glue_adjust(void);
void glue_replant(void);
void glue_over(void);	/* the guest has said that its run has ended */

#endif
