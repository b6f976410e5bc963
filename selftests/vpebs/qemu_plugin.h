/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this plugin uses of QEMU's TCG plugin interface, version 7 (QEMU
 * 11.1). No Debian package ships QEMU's own header.
 */
#ifndef VPEBS_QEMU_PLUGIN_H
#define VPEBS_QEMU_PLUGIN_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QP_VERSION	7
#define QP_EXPORT	__attribute__((visibility("default")))

typedef uint64_t qp_id;
struct qp_tb;
struct qp_insn;
struct qp_hwaddr;
struct qp_register;
struct qp_scoreboard;

struct qp_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

struct qp_reg_desc {
	struct qp_register *handle;
	const char *name;
	const char *feature;
	bool is_readonly;
};

/* A uint64_t in each vCPU's element of a scoreboard. */
struct qp_u64 {
	struct qp_scoreboard *score;
	size_t offset;
};

struct qp_mem_value {
	int type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low;
			uint64_t high;
		} u128;
	} data;
};

enum qp_cb_flags { QP_NO_REGS, QP_R_REGS, QP_RW_REGS, QP_RW_REGS_PC };
enum qp_mem_rw { QP_MEM_R = 1, QP_MEM_W, QP_MEM_RW };
enum qp_op { QP_INLINE_ADD_U64, QP_INLINE_STORE_U64 };
enum qp_discon { QP_DISCON_INTERRUPT = 1, QP_DISCON_EXCEPTION = 2, QP_DISCON_HOSTCALL = 4 };
enum qp_cond {
	QP_COND_NEVER, QP_COND_ALWAYS, QP_COND_EQ, QP_COND_NE,
	QP_COND_LT, QP_COND_LE, QP_COND_GT, QP_COND_GE,
};

typedef void (*qp_cb)(void *userdata);
typedef void (*qp_vcpu_cb)(unsigned int vcpu, void *userdata);
typedef void (*qp_tb_cb)(struct qp_tb *tb, void *userdata);
typedef void (*qp_mem_cb)(unsigned int vcpu, uint32_t meminfo, uint64_t vaddr, void *userdata);
typedef void (*qp_discon_cb)(unsigned int vcpu, enum qp_discon type, uint64_t from,
			     uint64_t to, void *userdata);

void qemu_plugin_reset(qp_id id, qp_cb cb, void *userdata);
void qemu_plugin_register_vcpu_init_cb(qp_id id, qp_vcpu_cb cb, void *userdata);
void qemu_plugin_register_vcpu_discon_cb(qp_id id, enum qp_discon type, qp_discon_cb cb,
					 void *userdata);
void qemu_plugin_register_vcpu_tb_trans_cb(qp_id id, qp_tb_cb cb, void *userdata);
void qemu_plugin_register_flush_cb(qp_id id, qp_cb cb, void *userdata);
void qemu_plugin_register_atexit_cb(qp_id id, qp_cb cb, void *userdata);

size_t qemu_plugin_tb_n_insns(const struct qp_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qp_tb *tb);
struct qp_insn *qemu_plugin_tb_get_insn(const struct qp_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qp_insn *insn, void *dest, size_t size);
size_t qemu_plugin_insn_size(const struct qp_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qp_insn *insn);

void qemu_plugin_register_vcpu_tb_exec_cond_cb(struct qp_tb *tb, qp_vcpu_cb cb,
					       enum qp_cb_flags flags, enum qp_cond cond,
					       struct qp_u64 entry, uint64_t imm, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qp_tb *tb, enum qp_op op,
						       struct qp_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qp_insn *insn, qp_vcpu_cb cb,
					    enum qp_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_mem_cb(struct qp_insn *insn, qp_mem_cb cb,
				      enum qp_cb_flags flags, enum qp_mem_rw rw, void *userdata);

unsigned int qemu_plugin_mem_size_shift(uint32_t meminfo);
bool qemu_plugin_mem_is_store(uint32_t meminfo);
struct qp_mem_value qemu_plugin_mem_get_value(uint32_t meminfo);
struct qp_hwaddr *qemu_plugin_get_hwaddr(uint32_t meminfo, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qp_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qp_hwaddr *hwaddr);

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qp_register *handle, GByteArray *buf);
bool qemu_plugin_write_register(struct qp_register *handle, GByteArray *buf);
void qemu_plugin_set_pc(uint64_t pc) __attribute__((noreturn));

bool qemu_plugin_read_memory_vaddr(uint64_t addr, GByteArray *data, size_t size);
bool qemu_plugin_write_memory_vaddr(uint64_t addr, GByteArray *data);
bool qemu_plugin_translate_vaddr(uint64_t vaddr, uint64_t *paddr);
/* These two return 0 when it worked. */
int qemu_plugin_read_memory_hwaddr(uint64_t addr, GByteArray *data, size_t size);
int qemu_plugin_write_memory_hwaddr(uint64_t addr, GByteArray *data);

struct qp_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qp_scoreboard *score, unsigned int vcpu);

#endif
