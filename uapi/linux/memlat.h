/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * memlat: load latency and HITM cache lines, aggregated in the kernel.
 *
 * Documentation
 * =============
 *
 * One device, /dev/memlat (0600; opening it asks for CAP_PERFMON or
 * CAP_SYS_ADMIN, else -EPERM), and one session for the whole machine.
 * A session belongs to the machine and not to a file descriptor: it goes
 * on when the process that started it exits, and anyone who may open the
 * device may stop it.
 *
 * Structures carry their own size in their first member and grow only at
 * their end. The caller fills in the size it was compiled with.
 *   - A smaller size than the first published one: -EINVAL.
 *   - A larger size than this kernel knows: accepted while everything
 *     beyond what it knows is zero, else -E2BIG.
 *   - Unknown flag bits or non-zero reserved members: -EINVAL.
 * The size within an ioctl's number is not looked at: the member counts.
 * What is refused changes nothing. Every structure has the same layout for
 * 32-bit and 64-bit callers and holds no pointer. An ioctl whose number
 * is not listed here gives -ENOTTY; a bad pointer gives -EFAULT.
 *
 * ioctls
 * ------
 * MEMLAT_IOC_QUERY (struct memlat_query, in: size, out: all else)
 *	What this module is, what this CPU is, and the ranges it accepts.
 *
 * MEMLAT_IOC_START (struct memlat_config, in; out: reason)
 *	Own the PMU, arm every CPU and start counting from zero.
 *	-EBUSY	reason is MEMLAT_WHY_RUNNING: a session runs already;
 *		MEMLAT_WHY_WATCHDOG or MEMLAT_WHY_PERF: someone else owns the
 *		counters; MEMLAT_WHY_DS: someone else uses the DS area;
 *		MEMLAT_WHY_VMX: the machine may be running guests, and
 *		PEBS would write into their memory.
 *	-EINVAL	reason is MEMLAT_WHY_LDLAT, _PERIOD, _FLAGS, _MEMORY or
 *		_RESERVED: that member is out of range.
 *	-ESRCH	reason is MEMLAT_WHY_PID: no such process.
 *	-ENOMEM	no memory for the tables.
 *
 * MEMLAT_IOC_STOP (no argument)
 *	Drain and disarm every CPU, give the PMU back as it was found. The
 *	tables stay readable until the next start, reset or unload.
 *	-ENODATA: nothing runs.
 *
 * MEMLAT_IOC_RESET (no argument)
 *	Empty all tables and set every count to zero; a running session
 *	goes on.
 *
 * MEMLAT_IOC_STATUS (struct memlat_status, in: size, out: all else)
 *	State and every counter, after folding in what the CPUs hold.
 *
 * MEMLAT_IOC_SNAPSHOT (no argument)
 *	Take a consistent copy of the tables for this file descriptor and
 *	rewind it; the following read()s return it.
 *	-ENOMEM: no memory for the copy.
 *
 * read()
 * ------
 * The snapshot as a stream of records, each led by struct
 * memlat_rec_header. The first read() of a descriptor without a snapshot
 * takes one. A read() returns as many whole records as fit, 0 at the end.
 * -EINVAL: the buffer is smaller than the next record (no record is
 * larger than MEMLAT_REC_MAX bytes); nothing is consumed. A reader skips
 * record types it does not know by their size. The stream opens with
 * MEMLAT_REC_STATUS and closes with MEMLAT_REC_END, whose count says
 * whether it is whole. Seeking is not possible (-ESPIPE).
 *
 * Units and words
 * ---------------
 * Latency: core cycles as the PMU gives it, from first dispatch to
 * completion (use latency). Time: nanoseconds of CLOCK_MONOTONIC.
 * Period: qualifying loads (loads longer than ldlat) per sample. Counts
 * are samples; multiply by the period for an estimate of loads.
 * Node: NUMA node number. CPU: Linux CPU number. Process: tgid as seen
 * from the initial PID namespace.
 *
 * The accounts
 * ------------
 * Each CPU's records go one way, and these hold exactly in every status
 * and snapshot:
 *	records = samples + filtered + malformed + collision
 *	samples = sum of the buckets = sum of the raw source counts
 *	samples = sum of the lines + lines_evicted
 * Records that hardware could not write because the buffer was full are
 * never made; PEBS does not count them. full_pmis counts how often a drain
 * found the buffer full to its last record, and so that some may be missing.
 */
#ifndef _UAPI_LINUX_MEMLAT_H
#define _UAPI_LINUX_MEMLAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MEMLAT_DEVICE		"/dev/memlat"
#define MEMLAT_ABI_VERSION	1

/* Ranges of struct memlat_config, also told by MEMLAT_IOC_QUERY. */
#define MEMLAT_LDLAT_MIN	3	/* cycles: SDM, smallest that counts */
#define MEMLAT_LDLAT_MAX	65535	/* cycles: PEBS_LD_LAT_THRESHOLD 15:0 */
#define MEMLAT_LDLAT_DEFAULT	30	/* cycles, as perf mem and perf c2c */
#define MEMLAT_PERIOD_DEFAULT	1009	/* loads, prime: loops do not alias */

/* Where a load was served from: one word per level, as perf names them. */
enum memlat_source {
	MEMLAT_SRC_UNKNOWN	= 0,	/* the CPU did not say, or not in the table */
	MEMLAT_SRC_L1		= 1,
	MEMLAT_SRC_LFB		= 2,	/* line fill buffer: the line was on its way */
	MEMLAT_SRC_L2		= 3,
	MEMLAT_SRC_L3		= 4,	/* LLC hit, no other core asked */
	MEMLAT_SRC_L3_SNOOP	= 5,	/* LLC hit, another core was asked, clean */
	MEMLAT_SRC_L3_HITM	= 6,	/* modified in another core, this socket */
	MEMLAT_SRC_RCACHE	= 7,	/* clean in a remote socket's cache */
	MEMLAT_SRC_RHITM	= 8,	/* modified in a remote socket's cache */
	MEMLAT_SRC_DRAM		= 9,	/* memory of this node */
	MEMLAT_SRC_RDRAM	= 10,	/* memory of another node */
	MEMLAT_SRC_PMEM		= 11,
	MEMLAT_SRC_RPMEM	= 12,
	MEMLAT_SRC_L4		= 13,
	MEMLAT_SRC_IO		= 14,
	MEMLAT_SRC_UNC		= 15,	/* uncached memory */
	MEMLAT_SRC_NR		= 16
};

/* Why a start was refused (memlat_config.reason). */
enum memlat_why {
	MEMLAT_WHY_NONE		= 0,
	MEMLAT_WHY_RUNNING	= 1,	/* a session runs already */
	MEMLAT_WHY_WATCHDOG	= 2,	/* the counters look like the NMI watchdog's */
	MEMLAT_WHY_PERF		= 3,	/* counters reserved: perf or another driver */
	MEMLAT_WHY_DS		= 4,	/* DS area or its buffer is in use */
	MEMLAT_WHY_VMX		= 5,	/* CR4.VMXE is set: guests may run */
	MEMLAT_WHY_LDLAT	= 6,	/* ldlat out of range */
	MEMLAT_WHY_PERIOD	= 7,	/* period out of range */
	MEMLAT_WHY_PID		= 8,	/* no such process, or pid negative */
	MEMLAT_WHY_FLAGS	= 9,	/* unknown flag bits, or neither user nor kernel */
	MEMLAT_WHY_MEMORY	= 10,	/* max_memory out of range */
	MEMLAT_WHY_RESERVED	= 11	/* a reserved member is not zero */
};

enum memlat_state {
	MEMLAT_STATE_IDLE	= 0,
	MEMLAT_STATE_RUNNING	= 1
};

/* memlat_config.flags */
#define MEMLAT_F_USER		(1U << 0)	/* sample loads made in user mode */
#define MEMLAT_F_KERNEL		(1U << 1)	/* sample loads made in kernel mode */
#define MEMLAT_F_NO_GUESTS	(1U << 2)	/* the caller states: no VM guest runs */
#define MEMLAT_F_ALL		(MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_NO_GUESTS)

/**
 * struct memlat_query - what the module and the CPU are
 * @size: sizeof(struct memlat_query) of the caller
 * @abi_version: MEMLAT_ABI_VERSION of the module
 * @ldlat_min: smallest accepted threshold, cycles
 * @ldlat_max: largest accepted threshold, cycles
 * @period_min: smallest accepted period, loads
 * @period_max: largest accepted period, loads
 * @period_default: a sensible period, loads
 * @memory_min: smallest accepted max_memory, bytes
 * @memory_max: largest accepted max_memory, bytes
 * @memory_default: max_memory when the caller gives 0, bytes
 * @cpu_memory: memory that each armed CPU takes while a session runs, bytes
 * @pebs_format: format number from IA32_PERF_CAPABILITIES[11:8]
 * @record_size: bytes of one hardware record
 * @buffer_records: hardware records that one CPU's buffer holds
 * @cpu_family: family, of the CPU that was identified
 * @cpu_model: model
 * @cpu_stepping: stepping
 * @reserved: 0
 * @model_name: short name of the model row, such as "skx"
 * @model_title: the name a person reads, such as "Skylake-SP"
 */
struct memlat_query {
	__u32 size;
	__u32 abi_version;
	__u32 ldlat_min;
	__u32 ldlat_max;
	__u64 period_min;
	__u64 period_max;
	__u64 period_default;
	__u64 memory_min;
	__u64 memory_max;
	__u64 memory_default;
	__u64 cpu_memory;
	__u32 pebs_format;
	__u32 record_size;
	__u32 buffer_records;
	__u32 cpu_family;
	__u32 cpu_model;
	__u32 cpu_stepping;
	__u64 reserved;
	char model_name[16];
	char model_title[48];
};

/**
 * struct memlat_config - what to sample
 * @size: sizeof(struct memlat_config) of the caller
 * @reason: in: 0; out, when the start is refused: enum memlat_why
 * @ldlat: sample loads that take longer than this, cycles (3..65535)
 * @flags: MEMLAT_F_*; at least one of USER and KERNEL
 * @period: every how many qualifying loads a sample is taken (see query)
 * @pid: sample only this process (all its threads); 0: all. A thread's id
 *	stands for its process. As seen from the caller's PID namespace.
 * @reserved: 0
 * @max_memory: bound of the session's store in bytes; 0: the default
 */
struct memlat_config {
	__u32 size;
	__u32 reason;
	__u32 ldlat;
	__u32 flags;
	__u64 period;
	__s32 pid;
	__u32 reserved;
	__u64 max_memory;
};

/**
 * struct memlat_status - state and counters of the session
 * @size: sizeof(struct memlat_status) of the caller
 * @state: enum memlat_state
 * @ldlat: threshold of this (or the last) session, cycles
 * @flags: MEMLAT_F_*
 * @period: loads per sample
 * @pid: the process sampled (initial PID namespace), 0: all
 * @cpus_online: CPUs online now
 * @cpus_armed: CPUs sampling now
 * @nodes: NUMA nodes online
 * @started_ns: CLOCK_MONOTONIC at start, 0 before the first
 * @duration_ns: time sampled since start or reset
 * @records: records that hardware wrote and memlat took out
 * @samples: records that were aggregated
 * @filtered: records left out by the pid filter
 * @malformed: records that can't be one (bad size or index)
 * @collision: records that did not belong to memlat's counter
 * @full_pmis: drains that found the buffer full to its end
 * @lines: cache lines in the store
 * @lines_evicted: samples of lines that had to leave a full table
 * @pmis: interrupts taken
 * @late_pmis: interrupts that came after disarming, claimed once
 * @switch_drains: drains at a task switch that found records
 * @merges: shards merged into the store
 * @store_bytes: memory of the store, bytes
 * @max_memory: its bound, bytes
 * @latency_sum: sum of all samples' latencies, cycles
 * @latency_max: largest latency of a sample, cycles
 */
struct memlat_status {
	__u32 size;
	__u32 state;
	__u32 ldlat;
	__u32 flags;
	__u64 period;
	__s32 pid;
	__u32 cpus_online;
	__u32 cpus_armed;
	__u32 nodes;
	__u64 started_ns;
	__u64 duration_ns;
	__u64 records;
	__u64 samples;
	__u64 filtered;
	__u64 malformed;
	__u64 collision;
	__u64 full_pmis;
	__u64 lines;
	__u64 lines_evicted;
	__u64 pmis;
	__u64 late_pmis;
	__u64 switch_drains;
	__u64 merges;
	__u64 store_bytes;
	__u64 max_memory;
	__u64 latency_sum;
	__u64 latency_max;
};

#define MEMLAT_IOC_MAGIC	0xE7
#define MEMLAT_IOC_QUERY	_IOWR(MEMLAT_IOC_MAGIC, 0, struct memlat_query)
#define MEMLAT_IOC_START	_IOWR(MEMLAT_IOC_MAGIC, 1, struct memlat_config)
#define MEMLAT_IOC_STOP		_IO(MEMLAT_IOC_MAGIC, 2)
#define MEMLAT_IOC_RESET	_IO(MEMLAT_IOC_MAGIC, 3)
#define MEMLAT_IOC_STATUS	_IOWR(MEMLAT_IOC_MAGIC, 4, struct memlat_status)
#define MEMLAT_IOC_SNAPSHOT	_IO(MEMLAT_IOC_MAGIC, 5)

/* Records of the snapshot stream. */
enum memlat_rec_type {
	MEMLAT_REC_STATUS	= 1,	/* struct memlat_rec_status, first */
	MEMLAT_REC_BUCKETS	= 2,	/* struct memlat_rec_buckets, one */
	MEMLAT_REC_RAW		= 3,	/* struct memlat_rec_raw, one */
	MEMLAT_REC_LINE		= 4,	/* struct memlat_rec_line, one per line */
	MEMLAT_REC_END		= 5	/* struct memlat_rec_end, last */
};

#define MEMLAT_REC_MAX		4096	/* no record is larger, bytes */

/**
 * struct memlat_rec_header - leads each record
 * @type: enum memlat_rec_type
 * @size: bytes of the whole record with this header, a multiple of 8
 */
struct memlat_rec_header {
	__u32 type;
	__u32 size;
};

/**
 * struct memlat_rec_status - the counters at the moment of the snapshot
 * @hdr: type MEMLAT_REC_STATUS
 * @abi_version: MEMLAT_ABI_VERSION
 * @reserved: 0
 * @model_name: as in struct memlat_query
 * @status: as MEMLAT_IOC_STATUS gives it
 */
struct memlat_rec_status {
	struct memlat_rec_header hdr;
	__u32 abi_version;
	__u32 reserved;
	char model_name[16];
	struct memlat_status status;
};

#define MEMLAT_BUCKETS		14	/* rows; the last is open-ended */

/**
 * struct memlat_rec_buckets - samples by latency and source
 * @hdr: type MEMLAT_REC_BUCKETS
 * @rows: MEMLAT_BUCKETS
 * @sources: MEMLAT_SRC_NR
 * @edge: upper edge of each row, inclusive, cycles; 0 for the last row
 * @count: samples, by row and enum memlat_source
 * @latency: sum of latencies by source, cycles
 */
struct memlat_rec_buckets {
	struct memlat_rec_header hdr;
	__u32 rows;
	__u32 sources;
	__u64 edge[MEMLAT_BUCKETS];
	__u64 count[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	__u64 latency[MEMLAT_SRC_NR];
};

/**
 * struct memlat_rec_raw - samples by the source word as hardware wrote it
 * @hdr: type MEMLAT_REC_RAW
 * @count: samples by bits 7:0 of the word (skx: 3:0 source, 4 STLB miss,
 *	5 locked), so that a wrong decoding can be mended later
 */
struct memlat_rec_raw {
	struct memlat_rec_header hdr;
	__u64 count[256];
};

#define MEMLAT_LINE_BYTES	64
#define MEMLAT_LINE_SLOTS	8	/* 8-byte slots of a line */
#define MEMLAT_COMM_BYTES	16	/* as TASK_COMM_LEN */

/**
 * struct memlat_rec_line - one cache line
 * @hdr: type MEMLAT_REC_LINE
 * @addr: linear address of the line, 64-byte aligned
 * @space: whose address space: tgid; 0 for kernel addresses
 * @reserved: 0
 * @samples: loads sampled
 * @error: at most so many more samples were lost to earlier evictions
 * @latency_sum: sum of latencies, cycles
 * @latency_max: largest latency, cycles
 * @locked: loads with a lock prefix
 * @stlb_miss: loads that missed the second-level TLB
 * @source: loads by enum memlat_source
 * @slot: loads by 8-byte slot of the line
 * @slot_hitm: of these, local and remote HITM
 * @cpus: bit (CPU mod 64) of each CPU that loaded it
 * @nodes: bit (node mod 64) of each node that loaded it
 * @hitm_nodes: the same for HITM loads alone: who had to fetch it from
 *	another core's modified copy
 * @ip: instruction address of the latest sample
 * @comm: command name of the process that loaded it last, ending with a zero
 *	byte; for kernel addresses, of the process on whose behalf. Any bytes.
 * @reserved2: 0
 */
struct memlat_rec_line {
	struct memlat_rec_header hdr;
	__u64 addr;
	__u32 space;
	__u32 reserved;
	__u64 samples;
	__u64 error;
	__u64 latency_sum;
	__u64 latency_max;
	__u64 locked;
	__u64 stlb_miss;
	__u64 source[MEMLAT_SRC_NR];
	__u64 slot[MEMLAT_LINE_SLOTS];
	__u64 slot_hitm[MEMLAT_LINE_SLOTS];
	__u64 cpus;
	__u64 nodes;
	__u64 hitm_nodes;
	__u64 ip;
	char comm[MEMLAT_COMM_BYTES];
	__u64 reserved2;
};

/**
 * struct memlat_rec_end - closes the stream
 * @hdr: type MEMLAT_REC_END
 * @records: records in the stream, this one included
 * @lines: MEMLAT_REC_LINE records among them
 */
struct memlat_rec_end {
	struct memlat_rec_header hdr;
	__u64 records;
	__u64 lines;
};

#endif /* _UAPI_LINUX_MEMLAT_H */
