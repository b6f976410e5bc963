/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * memlat: load latency and HITM cache lines, aggregated in the kernel.
 *
 * Documentation
 * =============
 *
 * There is one device, /dev/memlat (mode 0600; opening it requires CAP_PERFMON
 * or CAP_SYS_ADMIN, else -EPERM), and one session for the whole machine.
 * A session belongs to the machine and not to a file descriptor: it goes
 * on when the process that started it exits, and anyone who may open the
 * device may stop it. With MEMLAT_F_TIED it also ends when the open file that
 * it was started through is closed for the last time, which happens also when
 * the process that holds it is killed. Closing any other file does not end it.
 * Without MEMLAT_F_TIED it also ends, after a second or so in which a sampled
 * CPU was busy, when what @pid or @cgroup selected is gone: the process and
 * all that it forked (with MEMLAT_F_CHILDREN), the thread, or the cgroup.
 *
 * Structures carry their own size in their first member and grow only at
 * their end. The caller fills in the size it was compiled with.
 *   - A size smaller than the first published one (MEMLAT_*_SIZE_V1): -EINVAL.
 *   - A size between that and the module's: members that the caller does not
 *     know are zero on input, and are not written on output.
 *   - On output the size member says how much was filled in: the smaller
 *     of the caller's size and the module's.
 *   - A size larger than the module's is accepted if all bytes beyond what the
 *     module knows are zero, else -E2BIG.
 *   - Unknown flag bits or non-zero reserved members: -EINVAL.
 * The size within an ioctl's number is ignored; the size member counts.
 * A request that is refused changes nothing, except that a START may find
 * only late that it fails; see there. Every structure has the same layout
 * for 32-bit and 64-bit callers and contains no pointer. An ioctl whose number
 * is not listed here returns -ENOTTY; a bad pointer returns -EFAULT.
 *
 * ioctls
 * ------
 * MEMLAT_IOC_QUERY (struct memlat_query, in: size, out: all else)
 *	Describe the module, the CPU, and the ranges that the module accepts.
 *
 * MEMLAT_IOC_START (struct memlat_config, in; out: reason)
 *	Own the PMU, arm every CPU and start counting from zero.
 *	-EBUSY	reason is MEMLAT_WHY_RUNNING: a session runs already;
 *		MEMLAT_WHY_WATCHDOG or MEMLAT_WHY_PERF: someone else owns the
 *		counters; MEMLAT_WHY_UNOWNED: counters run that nobody has
 *		reserved, and that do not look like firmware's; MEMLAT_WHY_DS:
 *		someone else uses the DS area;
 *		MEMLAT_WHY_VMX: CR4.VMXE is set, and not by a KVM that memlat
 *		sees enter its guests: PEBS would write into a guest's memory;
 *		MEMLAT_WHY_SUSPEND: the machine is about to be suspended.
 *	-EINVAL	reason is MEMLAT_WHY_LDLAT, _PERIOD, _STORE_PERIOD, _FLAGS,
 *		_MEMORY, _OVERHEAD, _CPUS or _RESERVED: that member is out of
 *		range.
 *	-ESRCH	reason is MEMLAT_WHY_PID: no such process or thread.
 *	-ENOENT	reason is MEMLAT_WHY_CGROUP: no such cgroup.
 *	-EOPNOTSUPP reason is MEMLAT_WHY_STORES or _STRIDE: this CPU cannot sample these;
 *		without a reason: this kernel does not have the scheduler's tracepoints.
 *	-EPERM	MEMLAT_F_NO_GUESTS requires CAP_SYS_RAWIO as well;
 *		MEMLAT_WHY_OVERHEAD: without max_overhead a period below twice
 *		MEMLAT_PERIOD_DEFAULT (with MEMLAT_F_CALL_GRAPH below 7 times that, with
 *		MEMLAT_F_STRIDE below 129 times) requires CAP_SYS_ADMIN;
 *		MEMLAT_WHY_MEMORY: max_memory above the default of 64 MiB requires
 *		CAP_IPC_LOCK.
 *	-ENOMEM	no memory for the tables, or for a CPU's buffers. The OOM killer is not
 *		called.
 *	With -ENOMEM, with MEMLAT_WHY_DS, and with -EOPNOTSUPP without a reason, the
 *	last session's tables may have been emptied and its counts set to zero, as
 *	by RESET: they are freed first, because two sets need twice the memory.
 *
 *	With MEMLAT_F_COUNT, and neither LOADS nor STORES, the session counts
 *	events instead (MEMLAT_REC_COUNT), without a DS area and interrupts. All else
 *	about it is the same, except that guests do not matter. With LOADS or
 *	STORES it samples as usual, and also counts, with the same filters and
 *	except while memlat works, the events that MEMLAT_REC_COUNT lists.
 *
 * MEMLAT_IOC_STOP (no argument)
 *	Drain and disarm every CPU, and give the PMU back as it was found. The
 *	tables stay readable until the next start, reset or unload.
 *	-ENODATA: no session runs.
 *
 * MEMLAT_IOC_RESET (no argument)
 *	Empty all tables and set every count to zero; a running session
 *	goes on. Records that CPUs have written but memlat has not drained yet, up
 *	to 179 of each CPU, count after that, although they are older.
 *
 * MEMLAT_IOC_STATUS (struct memlat_status, in: size, out: all else)
 *	State and every counter, including what the CPUs have counted until now.
 *
 * MEMLAT_IOC_SNAPSHOT (no argument)
 *	Take a consistent copy of the tables for this file descriptor and
 *	rewind it; the following read()s return it. The previous copy is freed
 *	first. Records that are not drained yet come into a later one.
 *	-ENOMEM: no memory for the copy; or the copies of all open files together
 *	would be larger than memory_max of MEMLAT_IOC_QUERY, or those of callers
 *	without CAP_IPC_LOCK larger than 256 MiB, unless it is the only one of these.
 *
 * MEMLAT_IOC_READER (struct memlat_reader, in)
 *	Set how this file descriptor reads: which tables its snapshots contain,
 *	how often poll() wakes it, and whether records are packed. -EINVAL: an
 *	unknown table or flag, or an interval out of range.
 *
 * MEMLAT_IOC_PREFETCH (struct memlat_prefetch, in: size to cpu, cpus; out: all
 * else, reason also when refused)
 *	Show which hardware prefetchers of a CPU are off, turn some off, or put
 *	back those that were turned off (enum memlat_prefetch_op). Threads of one
 *	core, and E-cores of one module, share them: a prefetcher is off as long as
 *	any of these wants it off. Prefetchers are put back as they were found: one
 *	that was off before stays off, and one that someone else has turned on
 *	meanwhile stays on. They are put back on request, at unload, during a
 *	suspend, before the machine goes down, and on a CPU while it is offline;
 *	and with MEMLAT_PREFETCH_F_TIED when the open file is closed for the last
 *	time, which happens also when the process that holds it is killed. No
 *	session is needed, and a session does not matter.
 *	-EPERM	OFF and ON require CAP_SYS_RAWIO.
 *	-EBUSY	reason is MEMLAT_WHY_PREFETCH_HELD: OFF, and they are held off
 *		already, by another open file or in the other way (tied or not);
 *		ON, and they are held off by another open file; or
 *		MEMLAT_WHY_SUSPEND: the machine is about to be suspended.
 *	-EINVAL	reason is MEMLAT_WHY_FLAGS: an unknown op, flag or kind;
 *		MEMLAT_WHY_CPUS: no CPU of the list, or not that CPU, can exist
 *		here; MEMLAT_WHY_RESERVED: a member that has to be 0 is not.
 *	-EOPNOTSUPP reason is MEMLAT_WHY_PREFETCH: Intel does not document of any
 *		CPU here how these are turned off.
 *	-EIO	reason is MEMLAT_WHY_PREFETCH_MSR: a CPU's register cannot be read
 *		or written (a hypervisor may prevent it). All is as before.
 *	-ENODATA ON, and nothing is held off.
 *	-ENOMEM	no memory.
 *
 * poll()
 * ------
 * POLLPRI: the session's state has changed (started, stopped, ended by
 * itself) since this descriptor was opened, used for MEMLAT_IOC_STATUS or
 * for a snapshot. POLLIN: the interval of MEMLAT_IOC_READER has passed since
 * the last snapshot of this descriptor, or a snapshot is not completely read.
 * Without an interval POLLIN is set only in the latter case.
 *
 * read()
 * ------
 * The snapshot as a stream of records (memlat_records.h), each beginning with
 * struct memlat_rec_header. The first read() of a descriptor without a snapshot
 * takes one. A read() returns as many whole records as fit, 0 at the end.
 * -EINVAL: the buffer is smaller than the next record (no record is
 * larger than MEMLAT_REC_MAX bytes); nothing is consumed. A reader skips
 * record types that it does not know by their size. The stream begins with
 * MEMLAT_REC_STATUS and ends with MEMLAT_REC_END, whose counts show
 * whether it is complete. Seeking is not possible (-ESPIPE).
 *
 * Units and words
 * ---------------
 * Latency: in core cycles. The cache latency, if a kind of core reports it
 * (MEMLAT_TRAIT_CACHE_LATENCY), else the use latency, from dispatch to
 * completion, to which the threshold applies. If both are reported, members
 * named use_latency have the latter. Time: nanoseconds of CLOCK_MONOTONIC.
 * Period: qualifying events (loads longer than ldlat; all stores) per
 * sample. Counts are samples. The period may change while a session runs, so
 * each sample also has a weight: the events that it stands for. Members
 * named weight are sums of weights, an estimate of events; members named
 * cost are sums of latency times weight, an estimate of cycles.
 * Node: NUMA node number. CPU: Linux CPU number. Process: tgid in the initial
 * PID namespace, with a generation, which distinguishes processes that had the
 * same number, and the programs that one process executed one after the other.
 * Thread: tid in the initial PID namespace. A child of vfork() or posix_spawn()
 * is a thread of the process whose memory it uses, until it executes a program.
 *
 * The top of memlat_records.h says which sums are exact.
 */
#ifndef _UAPI_LINUX_MEMLAT_H
#define _UAPI_LINUX_MEMLAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MEMLAT_DEVICE		"/dev/memlat"
#define MEMLAT_ABI_VERSION	2

/* Ranges of struct memlat_config, which MEMLAT_IOC_QUERY also returns. */
#define MEMLAT_LDLAT_MIN	3	/* cycles: SDM, smallest that counts */
#define MEMLAT_LDLAT_MAX	65535	/* cycles: PEBS_LD_LAT_THRESHOLD 15:0 */
#define MEMLAT_LDLAT_DEFAULT	30	/* cycles, as perf mem and perf c2c */
#define MEMLAT_PERIOD_DEFAULT	1009	/* loads, prime: loops do not alias */
#define MEMLAT_STORE_PERIOD_DEFAULT	10007	/* stores, prime */
/*
 * Where periods that change should begin. They are long, because they become shorter within a
 * second, but a short period on a busy machine would be expensive until it becomes longer.
 */
#define MEMLAT_PERIOD_BEGIN	65537	/* loads */
#define MEMLAT_STORE_PERIOD_BEGIN	524287	/* stores */
/*
 * Where those of a session for one command should begin, because the command may end within a
 * second: near the periods to which a program with slow loads and a store in eight cycles comes.
 * Slow loads that are tagged are rare: some thousands in such a second.
 */
#define MEMLAT_PERIOD_COMMAND	37	/* loads */
#define MEMLAT_STORE_PERIOD_COMMAND	41203	/* stores */
#define MEMLAT_OVERHEAD_MAX	5000	/* hundredths of a percent: 50 % */
#define MEMLAT_OVERHEAD_DEFAULT	100	/* 1 % */

/* Where a load was served from, with perf's names. */
enum memlat_source {
	MEMLAT_SRC_UNKNOWN	= 0,	/* the CPU did not say, or not in the table */
	MEMLAT_SRC_L1		= 1,
	MEMLAT_SRC_LFB		= 2,	/* line fill buffer: the line was on its way */
	MEMLAT_SRC_L2		= 3,
	MEMLAT_SRC_L3		= 4,	/* LLC hit, no other core asked */
	MEMLAT_SRC_L3_SNOOP	= 5,	/* LLC hit, another core was asked, clean (or _XSNP_FWD) */
	MEMLAT_SRC_L3_HITM	= 6,	/* modified in another core, this socket */
	MEMLAT_SRC_RCACHE	= 7,	/* clean in a remote socket's cache */
	MEMLAT_SRC_RHITM	= 8,	/* modified in a remote socket's cache */
	MEMLAT_SRC_DRAM		= 9,	/* memory of this node */
	MEMLAT_SRC_RDRAM	= 10,	/* memory of another node */
	MEMLAT_SRC_PMEM		= 11,	/* far memory: persistent; CXL; DDR behind HBM */
	MEMLAT_SRC_RPMEM	= 12,	/* the same, of another node */
	MEMLAT_SRC_L4		= 13,
	MEMLAT_SRC_IO		= 14,
	MEMLAT_SRC_UNC		= 15,	/* uncached memory */
	MEMLAT_SRC_NR		= 16
};

/* Why a start, or a change of prefetchers, was refused (reason). */
enum memlat_why {
	MEMLAT_WHY_NONE		= 0,
	MEMLAT_WHY_RUNNING	= 1,	/* a session runs already */
	MEMLAT_WHY_WATCHDOG	= 2,	/* the counters look like the NMI watchdog's */
	MEMLAT_WHY_PERF		= 3,	/* counters reserved: perf or another driver */
	MEMLAT_WHY_DS		= 4,	/* DS area or its buffer is in use */
	MEMLAT_WHY_VMX		= 5,	/* guests may run unseen */
	MEMLAT_WHY_LDLAT	= 6,	/* ldlat out of range */
	MEMLAT_WHY_PERIOD	= 7,	/* period out of range */
	MEMLAT_WHY_PID		= 8,	/* no such process, or pid negative */
	MEMLAT_WHY_FLAGS	= 9,	/* unknown flag bits, or neither user nor kernel */
	MEMLAT_WHY_MEMORY	= 10,	/* max_memory out of range */
	MEMLAT_WHY_RESERVED	= 11,	/* a reserved member is not zero */
	MEMLAT_WHY_CGROUP	= 12,	/* no cgroup v2 has this id */
	MEMLAT_WHY_CPUS		= 13,	/* no CPU of the list can exist here */
	MEMLAT_WHY_OVERHEAD	= 14,	/* max_overhead out of range */
	MEMLAT_WHY_STORE_PERIOD	= 15,	/* store_period out of range */
	MEMLAT_WHY_STORES	= 16,	/* this CPU can't sample stores */
	MEMLAT_WHY_SUSPEND	= 17,	/* the machine is about to be suspended */
	MEMLAT_WHY_PREFETCH	= 18,	/* nothing is documented to turn prefetchers off */
	MEMLAT_WHY_PREFETCH_HELD = 19,	/* somebody else holds prefetchers off */
	MEMLAT_WHY_PREFETCH_MSR	= 20,	/* a CPU's register cannot be read or written */
	MEMLAT_WHY_UNOWNED	= 21,	/* counters run that nobody has reserved */
	MEMLAT_WHY_STRIDE	= 22	/* this CPU's shortest period is too long for bursts */
};

/* Why the last session ended (memlat_status.ended). */
enum memlat_end {
	MEMLAT_END_NONE		= 0,	/* it runs, or there was none */
	MEMLAT_END_STOPPED	= 1,	/* somebody asked for it */
	MEMLAT_END_TAKEOVER	= 2,	/* someone else programmed the PMU */
	MEMLAT_END_VMX		= 3,	/* a guest got the PMU, or may run unseen */
	MEMLAT_END_REBOOT	= 4,	/* the machine was going down */
	MEMLAT_END_RESUME	= 5,	/* CPUs could not be armed after a suspend */
	MEMLAT_END_CLOSED	= 6,	/* MEMLAT_F_TIED: its file was closed */
	MEMLAT_END_OOPS		= 7,	/* the kernel had an oops, or was about to panic */
	MEMLAT_END_GONE		= 8	/* what pid or cgroup selected is gone; not if tied */
};

enum memlat_state {
	MEMLAT_STATE_IDLE	= 0,
	MEMLAT_STATE_RUNNING	= 1
};

/* memlat_config.flags */
#define MEMLAT_F_USER		(1U << 0)	/* sample or count in user mode */
#define MEMLAT_F_KERNEL		(1U << 1)	/* sample or count in kernel mode */
#define MEMLAT_F_NO_GUESTS	(1U << 2)	/* the caller states: no guest runs unseen */
#define MEMLAT_F_LOADS		(1U << 3)	/* sample loads; also if none of these is set */
#define MEMLAT_F_STORES		(1U << 4)	/* sample stores */
#define MEMLAT_F_THREAD		(1U << 5)	/* pid means one thread */
#define MEMLAT_F_CHILDREN	(1U << 6)	/* also sample what pid forks from now on */
#define MEMLAT_F_CALL_GRAPH	(1U << 7)	/* one record per PMI, with its stack */
#define MEMLAT_F_PHYS		(1U << 8)	/* physical lines, nodes of pages */
#define MEMLAT_F_TIED		(1U << 9)	/* end when this open file is closed */
#define MEMLAT_F_COUNT		(1U << 10)	/* count events; without LOADS, STORES: only */
#define MEMLAT_F_STRIDE		(1U << 11)	/* each sample begins a burst of neighbours */
#define MEMLAT_F_ALL		((1U << 12) - 1)
/* Bits 31:20 stay free: memlat-ctl marks profiles with them whose samples perf took. */

/* What differs between kinds of cores (memlat_query, memlat_status, cores). */
#define MEMLAT_TRAIT_IP_AFTER	(1U << 0)	/* ip: the next instruction, not the one sampled */
#define MEMLAT_TRAIT_TURNS	(1U << 1)	/* loads and stores take turns */
#define MEMLAT_TRAIT_TLB	(1U << 2)	/* stlb_miss and locked are known */
#define MEMLAT_TRAIT_BLOCKED	(1U << 3)	/* blocked loads are known */
#define MEMLAT_TRAIT_CACHE_LATENCY (1U << 4)	/* both latencies are known */
#define MEMLAT_TRAIT_UNRESERVED	(1U << 5)	/* perf opens events meanwhile, and counts none */
#define MEMLAT_TRAIT_XSNP_FWD	(1U << 6)	/* local HITM may also be a clean forward */
#define MEMLAT_TRAIT_STORE_SOURCE (1U << 7)	/* stores have a source and a latency */

/**
 * struct memlat_query - what the module and the CPU are
 * @size: sizeof(struct memlat_query) of the caller
 * @abi_version: MEMLAT_ABI_VERSION of the module
 * @ldlat_min: smallest accepted threshold, cycles
 * @ldlat_max: largest accepted threshold, cycles
 * @period_min: smallest accepted period, loads; see @store_period_min for stores
 * @period_max: largest accepted period, loads
 * @period_default: a sensible period, loads
 * @memory_min: smallest accepted max_memory, bytes
 * @memory_max: largest accepted max_memory, bytes
 * @memory_default: max_memory if the caller gives 0, bytes
 * @cpu_memory: memory that each armed CPU needs while a session runs, bytes
 * @pebs_format: format number from IA32_PERF_CAPABILITIES[11:8]
 * @record_size: bytes of one hardware record
 * @buffer_records: hardware records that fit into one CPU's buffer
 * @cpu_family: family of the CPU that was identified
 * @cpu_model: model
 * @cpu_stepping: stepping
 * @reserved: 0
 * @model_name: short name of the model row, such as "skx"
 * @model_title: name for people, such as "Skylake-SP"
 * @flags: MEMLAT_F_* that this module and this CPU know
 * @overhead_max: largest accepted max_overhead, hundredths of a percent
 * @store_period_default: a sensible period, stores
 * @traits: MEMLAT_TRAIT_* of any kind of core here
 * @cores: kinds of cores; more than one on hybrid parts. The members above
 *	are of the kind of the first CPU; see struct memlat_rec_core.
 * @store_period_min: smallest accepted period, stores
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
	__u32 flags;
	__u32 overhead_max;
	__u64 store_period_default;
	__u32 traits;
	__u32 cores;
	__u64 store_period_min;
};

#define MEMLAT_QUERY_SIZE_V1	168

#define MEMLAT_CPU_WORDS	128	/* 64 CPUs each */

/**
 * struct memlat_config - what to sample
 * @size: sizeof(struct memlat_config) of the caller
 * @reason: in: 0; out, when the start is refused: enum memlat_why
 * @ldlat: sample loads that take longer than this, cycles (3..65535)
 * @flags: MEMLAT_F_*; at least one of USER and KERNEL. THREAD and CHILDREN
 *	need a pid, and exclude each other. COUNT without LOADS and STORES
 *	samples nothing, and so excludes CALL_GRAPH, PHYS and STRIDE. STRIDE
 *	excludes STORES, COUNT and CALL_GRAPH: each sample of the period then
 *	begins a burst of up to 64 more samples, of every second or (in turns) every
 *	third of the following loads; each sample stands for two or three loads.
 * @period: qualifying loads per sample (see query). With @max_overhead, at
 *	the start.
 * @pid: sample only this process (all its threads); 0: all. A thread's id
 *	stands for its process, or with MEMLAT_F_THREAD for itself. As seen
 *	from the caller's PID namespace.
 * @reserved: 0
 * @max_memory: bound of the session's store in bytes; 0: the default
 * @store_period: stores per sample (see query); 0: the default. Has to be 0
 *	without MEMLAT_F_STORES.
 * @max_overhead: change the periods so that memlat takes this share of each
 *	CPU's busy cycles, hundredths of a percent; 0: the periods are fixed.
 *	With MEMLAT_F_COUNT alone nothing has a threshold or a period, so @ldlat,
 *	@period, @store_period and this one have to be 0 or their defaults
 *	(MEMLAT_*_DEFAULT); the status shows them as 0.
 * @reserved2: 0
 * @cgroup: sample only tasks in this cgroup v2 or below it, by its id (the
 *	inode number of its folder); 0: all. Together with @pid: both must hold.
 * @cpus: sample only on these CPUs: bit (n mod 64) of word n / 64; all zero:
 *	on all
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
	__u64 store_period;
	__u32 max_overhead;
	__u32 reserved2;
	__u64 cgroup;
	__u64 cpus[MEMLAT_CPU_WORDS];
};

#define MEMLAT_CONFIG_SIZE_V1	40

/**
 * struct memlat_reader - how a file descriptor reads
 * @size: sizeof(struct memlat_reader) of the caller
 * @interval_ms: time after which poll() wakes, from the last snapshot or, if
 *	there is none yet, from this call; 10..3600000; 0: never
 * @tables: bit (1 << enum memlat_rec_type) of each table that snapshots
 *	contain; 0: all. STATUS and END are always there.
 * @flags: MEMLAT_READER_PACKED, or 0
 */
struct memlat_reader {
	__u32 size;
	__u32 interval_ms;
	__u32 tables;
	__u32 flags;
};

/*
 * Records of tables come without their words that are zero (memlat_records.h), which are most of
 * a line's words. Older modules, which do not know this flag, return -EINVAL.
 */
#define MEMLAT_READER_PACKED	(1U << 0)

/**
 * struct memlat_status - state and counters of the session
 * @size: sizeof(struct memlat_status) of the caller
 * @state: enum memlat_state
 * @ldlat: threshold of this (or the last) session, cycles
 * @flags: MEMLAT_F_*
 * @period: loads per sample
 * @pid: the process that is sampled (initial PID namespace); 0: all
 * @cpus_online: CPUs online now
 * @cpus_armed: CPUs that sample or count now
 * @nodes: NUMA nodes online
 * @started_ns: CLOCK_MONOTONIC at start, 0 before the first
 * @duration_ns: time sampled since start or reset
 * @records: records that hardware wrote and memlat drained
 * @samples: records that were aggregated
 * @filtered: records of tasks that the filters exclude
 * @malformed: records that cannot be valid, such as with a bad size or index
 * @collision: records that do not belong to exactly one of memlat's counters
 * @full_pmis: drains that found the buffer full to its end
 * @lines: cache lines in the store
 * @lines_evicted: samples of lines that were evicted from a full table
 * @pmis: interrupts taken
 * @late_pmis: interrupts that came after disarming, claimed once
 * @switch_drains: drains at a task switch that found records
 * @merges: shards merged into the store
 * @store_bytes: memory of the store, bytes
 * @max_memory: its bound, bytes
 * @latency_sum: sum of the sampled loads' latencies, cycles
 * @latency_max: largest latency of a sampled load, cycles
 * @ended: enum memlat_end
 * @max_overhead: as configured, hundredths of a percent
 * @loads: samples that are loads
 * @stores: samples that are stores
 * @weight_loads: qualifying loads that they stand for
 * @weight_stores: stores that they stand for
 * @period_low: shortest period of loads that any CPU used since start or reset
 * @period_high: longest period of loads that any CPU used since start or reset
 * @store_period_low: shortest period of stores
 * @store_period_high: longest period of stores
 * @busy_cycles: unhalted core cycles of armed CPUs; 0 without @max_overhead
 * @own_cycles: the part of @busy_cycles that memlat used; 0 without @max_overhead
 * @cells_lost: samples that reached none of the tables of lines, sites, accesses
 *	and threads
 * @lines_error: most samples that a line which is not in the table can have had
 * @sites: sites in the store
 * @sites_evicted: samples of sites that were evicted from a full table
 * @sites_error: as @lines_error, for sites
 * @accesses: accesses in the store
 * @accesses_evicted: samples of accesses that were evicted
 * @accesses_error: as @lines_error, for accesses
 * @threads: threads in the store
 * @threads_evicted: samples of threads that were evicted
 * @threads_error: as @lines_error, for threads
 * @stacks: call chains in the store
 * @stacks_lost: samples without a call chain though one was wanted: they were not
 *	alone in their drain, or the table was full
 * @cgroup: as configured
 * @forks_lost: children that could not be followed, because their table was full
 * @suspends: how often the machine was suspended while the session ran
 * @traits: MEMLAT_TRAIT_* of any kind of core here
 * @cores: number of kinds of cores
 * @cache_latency_sum: the part of @latency_sum of loads on kinds of cores that report
 *	the cache latency (MEMLAT_TRAIT_CACHE_LATENCY)
 * @blocked_data: loads that waited for a store's data
 * @blocked_addr: loads that waited for a store's address
 * @load_turn: unhalted core cycles of the loads' turns, where loads and stores
 *	take turns; else 0. Weights only cover the events in a kind's own turns.
 * @store_turn: unhalted core cycles of the stores' turns; else 0
 * @pairs: with MEMLAT_F_STRIDE: pairs of successive loads of one instruction in a
 *	burst
 * @strides: steps of instructions in the store
 * @strides_evicted: pairs of steps that were evicted from a full table, or for which
 *	a CPU's own table had no room
 * @strides_error: most pairs that a step which is not in the table can have had
 * @cpus_still: armed CPUs that run sampled tasks, but whose counters have not moved
 *	for some seconds: they are frozen, or no load there takes @ldlat cycles
 * @use_latency_sum: use latencies of the loads of @cache_latency_sum, cycles
 * @sampled_cycles: the part of @busy_cycles in which tasks ran that the filters
 *	select, in user and kernel mode; 0 without @max_overhead
 * @guest_entries: VM entries of KVM on armed CPUs. Nothing is sampled or counted beside
 *	sampling in guests
 * @guest_ns: time that guests ran on armed CPUs, of all CPUs together
 * @guest_cpus: CPUs on which guests ran more than half of @duration_ns
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
	__u32 ended;
	__u32 max_overhead;
	__u64 loads;
	__u64 stores;
	__u64 weight_loads;
	__u64 weight_stores;
	__u64 period_low;
	__u64 period_high;
	__u64 store_period_low;
	__u64 store_period_high;
	__u64 busy_cycles;
	__u64 own_cycles;
	__u64 cells_lost;
	__u64 lines_error;
	__u64 sites;
	__u64 sites_evicted;
	__u64 sites_error;
	__u64 accesses;
	__u64 accesses_evicted;
	__u64 accesses_error;
	__u64 threads;
	__u64 threads_evicted;
	__u64 threads_error;
	__u64 stacks;
	__u64 stacks_lost;
	__u64 cgroup;
	__u64 forks_lost;
	__u64 suspends;
	__u32 traits;
	__u32 cores;
	__u64 cache_latency_sum;
	__u64 blocked_data;
	__u64 blocked_addr;
	__u64 load_turn;
	__u64 store_turn;
	__u64 pairs;
	__u64 strides;
	__u64 strides_evicted;
	__u64 strides_error;
	__u64 cpus_still;
	__u64 use_latency_sum;
	__u64 sampled_cycles;
	__u64 guest_entries;
	__u64 guest_ns;
	__u64 guest_cpus;
};

#define MEMLAT_STATUS_SIZE_V1	184

#include "memlat_prefetch.h"

#define MEMLAT_IOC_MAGIC	0xE7
#define MEMLAT_IOC_QUERY	_IOWR(MEMLAT_IOC_MAGIC, 0, struct memlat_query)
#define MEMLAT_IOC_START	_IOWR(MEMLAT_IOC_MAGIC, 1, struct memlat_config)
#define MEMLAT_IOC_STOP		_IO(MEMLAT_IOC_MAGIC, 2)
#define MEMLAT_IOC_RESET	_IO(MEMLAT_IOC_MAGIC, 3)
#define MEMLAT_IOC_STATUS	_IOWR(MEMLAT_IOC_MAGIC, 4, struct memlat_status)
#define MEMLAT_IOC_SNAPSHOT	_IO(MEMLAT_IOC_MAGIC, 5)
#define MEMLAT_IOC_READER	_IOW(MEMLAT_IOC_MAGIC, 6, struct memlat_reader)
#define MEMLAT_IOC_PREFETCH	_IOWR(MEMLAT_IOC_MAGIC, 7, struct memlat_prefetch)

#include "memlat_records.h"

#endif /* _UAPI_LINUX_MEMLAT_H */
