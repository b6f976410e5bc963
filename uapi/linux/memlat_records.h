/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The records of memlat's snapshot stream, which read() of /dev/memlat returns. The top of
 * memlat.h, which includes this file, defines the terms.
 *
 * The accounts
 * ------------
 * Each record of a CPU is counted in one place, and these equations hold exactly in every
 * status and snapshot:
 *	records = samples + filtered + malformed + collision
 *	samples = loads + stores
 *	loads = sum of the buckets = sum of the raw source counts
 *		= sum of the source words (MEMLAT_REC_SOURCE)
 *	stores = sum of the counts of MEMLAT_REC_STORES
 *	samples = sum of the lines + lines_evicted
 *		= sum of the sites + sites_evicted
 *		= sum of the accesses + accesses_evicted
 *		= sum of the threads + threads_evicted
 *	pairs = sum of the strides' pairs + strides_evicted
 * Tables are bounded. When one is full, its lightest entries are evicted (the
 * space-saving sketch), and an entry's error says how many samples it may
 * have had before an earlier eviction:
 *	entry.samples <= truth <= entry.samples + entry.error + cells_lost
 * A key that is not in the table had at most (table)_error + cells_lost.
 * cells_lost are samples that were lost to all tables before they reached the
 * store, because a CPU made more distinct samples than could be merged in
 * time; they are part of every (table)_evicted.
 * If the buffer is full, hardware writes no more records, and PEBS does not
 * count them. full_pmis counts the drains that found the buffer full to its
 * last record; after these, records may be missing.
 */
#ifndef _UAPI_LINUX_MEMLAT_RECORDS_H
#define _UAPI_LINUX_MEMLAT_RECORDS_H

#ifndef _UAPI_LINUX_MEMLAT_H
#error "include memlat.h"
#endif

#include <linux/types.h>

/* Records of the snapshot stream. */
enum memlat_rec_type {
	MEMLAT_REC_STATUS	= 1,	/* struct memlat_rec_status, first */
	MEMLAT_REC_BUCKETS	= 2,	/* struct memlat_rec_buckets, one */
	MEMLAT_REC_RAW		= 3,	/* struct memlat_rec_raw, one */
	MEMLAT_REC_LINE		= 4,	/* struct memlat_rec_line, one per line */
	MEMLAT_REC_END		= 5,	/* struct memlat_rec_end, last */
	MEMLAT_REC_SITE		= 6,	/* struct memlat_rec_site, one per instruction */
	MEMLAT_REC_ACCESS	= 7,	/* struct memlat_rec_access */
	MEMLAT_REC_THREAD	= 8,	/* struct memlat_rec_thread */
	MEMLAT_REC_STACK	= 9,	/* struct memlat_rec_stack */
	MEMLAT_REC_CORE		= 10,	/* struct memlat_rec_core, one per kind */
	MEMLAT_REC_SOURCE	= 11,	/* struct memlat_rec_source, one per word */
	MEMLAT_REC_COUNT	= 12,	/* struct memlat_rec_count, one per CPU and event */
	MEMLAT_REC_STRIDE	= 13,	/* struct memlat_rec_stride, one per step of a site */
	MEMLAT_REC_PARTS	= 14,	/* struct memlat_rec_parts, one */
	MEMLAT_REC_STORES	= 15	/* struct memlat_rec_stores, one */
};

#define MEMLAT_REC_MAX		4096	/* no record is larger, bytes */

/*
 * Packed records
 * --------------
 * With MEMLAT_READER_PACKED, records of tables come without the words of 8 bytes that are
 * zero. Such a record consists of
 *	its header. The upper 16 bits of its type are the number of words, including the
 *	header, of the record when it is not packed. In records that are not packed these
 *	bits are zero;
 *	a map: bit (n mod 64) of word n / 64 is set if word n after the header is not
 *	zero. It has as many words as the record needs;
 *	the words that are not zero, in their order.
 * A stream may contain both packed records and records that are not packed.
 */
#define MEMLAT_REC_WORDS_SHIFT	16
#define MEMLAT_REC_TYPE_MASK	0xffff

/**
 * struct memlat_rec_header - the beginning of each record
 * @type: enum memlat_rec_type; for a packed record also its number of words, see above
 * @size: bytes of the whole record in the stream, including this header; a multiple of 8
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
 * @status: as MEMLAT_IOC_STATUS returns it
 */
struct memlat_rec_status {
	struct memlat_rec_header hdr;
	__u32 abi_version;
	__u32 reserved;
	char model_name[16];
	struct memlat_status status;
};

#include "memlat_totals.h"

#define MEMLAT_LINE_BYTES	64
#define MEMLAT_LINE_SLOTS	8	/* 8-byte slots of a line */
#define MEMLAT_COMM_BYTES	16	/* as TASK_COMM_LEN */

/**
 * struct memlat_rec_line - one cache line
 * @hdr: type MEMLAT_REC_LINE
 * @addr: linear address of the line, 64-byte aligned
 * @space: address space, as the tgid of a process; 0 for kernel addresses
 * @gen: generation of that process; 0 for kernel addresses
 * @samples: loads and stores sampled
 * @error: most samples that may have been lost to earlier evictions
 * @latency_sum: sum of latencies, cycles
 * @latency_max: largest latency, cycles
 * @locked: accesses with a lock prefix
 * @stlb_miss: accesses that missed the second-level TLB
 * @source: loads by enum memlat_source
 * @slot: loads by 8-byte slot of the line
 * @slot_hitm: the part of @slot that is local or remote HITM
 * @cpus: bit (CPU mod 64) of each CPU that loaded or stored
 * @nodes: bit (node mod 64) of each node that loaded or stored
 * @hitm_nodes: bit (node mod 64) of each node that had HITM loads, and so fetched
 *	another core's modified copy
 * @ip: instruction address of the latest sample
 * @comm: command name of the process that used it last, terminated by a zero
 *	byte; for kernel addresses, of the process for which the kernel worked.
 *	May contain any bytes.
 * @reserved2: 0
 * @phys: physical address of the line; 0: not known. With MEMLAT_F_PHYS lines
 *	are identified by it if it is known, so that processes that share memory
 *	share the record; @addr and @space are then those of the latest sample.
 * @home: node of its page; MEMLAT_NODE_UNKNOWN: not known
 * @shared: 1: more than one process used it (with MEMLAT_F_PHYS)
 * @stores: stores sampled
 * @store_l1_hit: the part of @stores that found the line in L1; the others missed it
 * @weight: loads and stores that the samples stand for
 * @cost: cycles that they stand for
 * @latency: sum of latencies by enum memlat_source, cycles
 * @slot_store: stores by slot
 * @bytes_loaded: bit n: a load began at byte n of the line
 * @bytes_stored: bit n: a store began at byte n of the line
 * @store_cpus: bit (CPU mod 64) of each CPU that stored
 * @store_nodes: bit (node mod 64) of each node that stored
 * @blocked_data: loads that waited for a store's data
 * @blocked_addr: loads that waited for a store's address
 * @xsnp_fwd: of @source[MEMLAT_SRC_L3_SNOOP]: MEMLAT_PART_XSNP_FWD
 * @xsnp_fwd_latency: of their @latency
 * @slot_xsnp_fwd: these by slot
 * @not_memory: of @source[MEMLAT_SRC_L1]: MEMLAT_PART_NOT_MEMORY
 * @store_hitm: of @stores: the line was modified in another core, local or remote
 * @store_xsnp_fwd: of @stores: forwarded by a sibling core, modified or clean
 * @store_latency_sum: sum of the stores' latencies, cycles; see struct memlat_rec_stores
 */
struct memlat_rec_line {
	struct memlat_rec_header hdr;
	__u64 addr;
	__u32 space;
	__u32 gen;
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
	__u64 phys;
	__u32 home;
	__u32 shared;
	__u64 stores;
	__u64 store_l1_hit;
	__u64 weight;
	__u64 cost;
	__u64 latency[MEMLAT_SRC_NR];
	__u64 slot_store[MEMLAT_LINE_SLOTS];
	__u64 bytes_loaded;
	__u64 bytes_stored;
	__u64 store_cpus;
	__u64 store_nodes;
	__u64 blocked_data;
	__u64 blocked_addr;
	__u64 xsnp_fwd;
	__u64 xsnp_fwd_latency;
	__u64 slot_xsnp_fwd[MEMLAT_LINE_SLOTS];
	__u64 not_memory;
	__u64 store_hitm;
	__u64 store_xsnp_fwd;
	__u64 store_latency_sum;
};

#define MEMLAT_NODE_UNKNOWN	(~0U)

/**
 * struct memlat_rec_site - one instruction of one program
 * @hdr: type MEMLAT_REC_SITE
 * @ip: its address
 * @space: process: tgid; 0 for kernel code
 * @gen: generation of the process; 0 for kernel code
 * @samples: loads and stores sampled
 * @error: as in struct memlat_rec_line
 * @stores: stores among them
 * @store_l1_hit: of these, the line was in L1
 * @locked: with a lock prefix
 * @stlb_miss: that missed the second-level TLB
 * @latency_sum: sum of latencies, cycles
 * @latency_max: largest latency, cycles
 * @weight: loads and stores that the samples stand for
 * @cost: cycles that they stand for
 * @addr_min: lowest operand address
 * @addr_max: highest operand address
 * @cpus: bit (CPU mod 64) of each CPU it ran on
 * @nodes: bit (node mod 64) of each node it ran on
 * @bucket: loads by latency, rows as in struct memlat_rec_buckets
 * @source: loads by enum memlat_source
 * @latency: sum of latencies by enum memlat_source, cycles
 * @comm: command name of the process that ran it last, as in struct
 *	memlat_rec_line
 * @blocked_data: loads that waited for a store's data
 * @blocked_addr: loads that waited for a store's address
 * @xsnp_fwd: of @source[MEMLAT_SRC_L3_SNOOP]: MEMLAT_PART_XSNP_FWD
 * @not_memory: of @source[MEMLAT_SRC_L1]: MEMLAT_PART_NOT_MEMORY
 * @store_hitm: of @stores: the line was modified in another core, local or remote
 * @store_xsnp_fwd: of @stores: forwarded by a sibling core, modified or clean
 * @store_latency_sum: sum of the stores' latencies, cycles; see struct memlat_rec_stores
 */
struct memlat_rec_site {
	struct memlat_rec_header hdr;
	__u64 ip;
	__u32 space;
	__u32 gen;
	__u64 samples;
	__u64 error;
	__u64 stores;
	__u64 store_l1_hit;
	__u64 locked;
	__u64 stlb_miss;
	__u64 latency_sum;
	__u64 latency_max;
	__u64 weight;
	__u64 cost;
	__u64 addr_min;
	__u64 addr_max;
	__u64 cpus;
	__u64 nodes;
	__u64 bucket[MEMLAT_BUCKETS];
	__u64 source[MEMLAT_SRC_NR];
	__u64 latency[MEMLAT_SRC_NR];
	char comm[MEMLAT_COMM_BYTES];
	__u64 blocked_data;
	__u64 blocked_addr;
	__u64 xsnp_fwd;
	__u64 not_memory;
	__u64 store_hitm;
	__u64 store_xsnp_fwd;
	__u64 store_latency_sum;
};

/**
 * struct memlat_rec_access - one thread's use of one address by one instruction
 * @hdr: type MEMLAT_REC_ACCESS
 * @addr: linear address, to the byte
 * @ip: instruction address
 * @tgid: process
 * @gen: its generation
 * @tid: thread
 * @stack: id of the call chain (struct memlat_rec_stack), 0: none
 * @samples: loads and stores sampled
 * @error: as in struct memlat_rec_line
 * @stores: stores among them
 * @store_l1_hit: of these, the line was in L1
 * @hitm_local: loads that were local HITM
 * @hitm_remote: loads that were remote HITM
 * @latency_sum: sum of latencies, cycles
 * @latency_hitm_local: of these, of local HITM
 * @latency_hitm_remote: of these, of remote HITM
 * @latency_max: largest latency, cycles
 * @weight: loads and stores that the samples stand for
 * @cost: cycles that they stand for
 * @cpus: bit (CPU mod 64) of each CPU
 * @nodes: bit (node mod 64) of each node
 * @phys: physical address of the line, 0: not known
 * @xsnp_fwd: loads that a sibling core forwarded, modified or clean
 *	(MEMLAT_PART_XSNP_FWD)
 * @latency_xsnp_fwd: of @latency_sum, theirs
 * @store_hitm: of @stores: the line was modified in another core, local or remote
 * @store_xsnp_fwd: of @stores: forwarded by a sibling core, modified or clean
 */
struct memlat_rec_access {
	struct memlat_rec_header hdr;
	__u64 addr;
	__u64 ip;
	__u32 tgid;
	__u32 gen;
	__u32 tid;
	__u32 stack;
	__u64 samples;
	__u64 error;
	__u64 stores;
	__u64 store_l1_hit;
	__u64 hitm_local;
	__u64 hitm_remote;
	__u64 latency_sum;
	__u64 latency_hitm_local;
	__u64 latency_hitm_remote;
	__u64 latency_max;
	__u64 weight;
	__u64 cost;
	__u64 cpus;
	__u64 nodes;
	__u64 phys;
	__u64 xsnp_fwd;
	__u64 latency_xsnp_fwd;
	__u64 store_hitm;
	__u64 store_xsnp_fwd;
};

/**
 * struct memlat_rec_thread - one thread
 * @hdr: type MEMLAT_REC_THREAD
 * @tid: thread
 * @tgid: its process
 * @gen: the process's generation
 * @reserved: 0
 * @samples: loads and stores sampled
 * @error: as in struct memlat_rec_line
 * @stores: stores among them
 * @hitm: loads that were HITM, local or remote
 * @latency_sum: sum of latencies, cycles
 * @weight: loads and stores that the samples stand for
 * @cost: cycles that they stand for
 * @cpus: bit (CPU mod 64) of each CPU
 * @nodes: bit (node mod 64) of each node
 * @comm: its name when last sampled; empty when it could not be noted
 * @first_ns: CLOCK_MONOTONIC, ns, when samples of it were first taken out of a
 *	CPU's buffer, which is done at the latest when it leaves the CPU; so @gen
 *	is the program that it executed then. 0 when it could not be noted.
 * @tls_base: x86's FS base, the thread pointer of the psABI, when its samples
 *	were last taken out; 0: not known, or it has none
 * @named_ns: CLOCK_MONOTONIC, ns, when it was first seen under @comm by the CPU that
 *	tells; 0 when that could not be noted
 */
struct memlat_rec_thread {
	struct memlat_rec_header hdr;
	__u32 tid;
	__u32 tgid;
	__u32 gen;
	__u32 reserved;
	__u64 samples;
	__u64 error;
	__u64 stores;
	__u64 hitm;
	__u64 latency_sum;
	__u64 weight;
	__u64 cost;
	__u64 cpus;
	__u64 nodes;
	char comm[MEMLAT_COMM_BYTES];
	__u64 first_ns;
	__u64 tls_base;
	__u64 named_ns;
};

/*
 * What MEMLAT_F_COUNT counts, with Intel's names. A read is a cache line that the core requests
 * from beyond its L2, for a demand load or a prefetch. Each _OUTSTANDING is the sum, over cycles,
 * of the requests that are under way, and its _CYCLES are the cycles with at least one request.
 * So their quotient is the average number while there are any. The _STALLS are cycles in which
 * the core was stalled, by loads that missed L1 or by a full store buffer; generations define
 * that a little differently. WALK_PENDING is a sum over cycles, like _OUTSTANDING. Beside
 * sampling, CYCLES, INSTRUCTIONS, LOADS, STORES, DTLB_LOAD_WALKS, L1_MISSES and L2_MISSES are
 * counted, as far as there are counters.
 */
enum memlat_event_id {
	MEMLAT_EVENT_CYCLES		= 0,	/* core cycles while not halted */
	MEMLAT_EVENT_INSTRUCTIONS	= 1,	/* retired */
	MEMLAT_EVENT_READS_OUTSTANDING	= 2,	/* OFFCORE_REQUESTS_OUTSTANDING: data reads */
	MEMLAT_EVENT_READS_CYCLES	= 3,
	MEMLAT_EVENT_DEMAND_OUTSTANDING	= 4,	/* the same: demand data reads */
	MEMLAT_EVENT_DEMAND_CYCLES	= 5,
	MEMLAT_EVENT_RFO_OUTSTANDING	= 6,	/* the same: demand reads for ownership */
	MEMLAT_EVENT_RFO_CYCLES		= 7,
	MEMLAT_EVENT_CODE_OUTSTANDING	= 8,	/* the same: demand reads of code */
	MEMLAT_EVENT_CODE_CYCLES	= 9,
	MEMLAT_EVENT_L1D_PENDING	= 10,	/* L1D_PEND_MISS.PENDING: demand loads */
	MEMLAT_EVENT_L1D_PENDING_CYCLES	= 11,
	MEMLAT_EVENT_LOADS		= 12,	/* retired */
	MEMLAT_EVENT_STORES		= 13,	/* retired */
	MEMLAT_EVENT_DTLB_LOAD_WALKS	= 14,	/* DTLB_LOAD_MISSES.WALK_COMPLETED */
	MEMLAT_EVENT_READS		= 15,	/* OFFCORE_REQUESTS: data reads, a line each */
	MEMLAT_EVENT_L1_MISSES		= 16,	/* MEM_LOAD_RETIRED.L1_MISS */
	MEMLAT_EVENT_L2_MISSES		= 17,	/* MEM_LOAD_RETIRED.L2_MISS */
	MEMLAT_EVENT_LOAD_STALLS	= 18,	/* CYCLE_ACTIVITY.STALLS_L1D_MISS */
	MEMLAT_EVENT_STORE_STALLS	= 19,	/* EXE_ACTIVITY.BOUND_ON_STORES */
	MEMLAT_EVENT_WALK_PENDING	= 20,	/* DTLB_LOAD_MISSES.WALK_PENDING */
	MEMLAT_EVENT_NR			= 21
};

/**
 * struct memlat_rec_count - one event on one CPU, in a session with MEMLAT_F_COUNT
 * @hdr: type MEMLAT_REC_COUNT
 * @cpu: the CPU
 * @event: enum memlat_event_id
 * @core: its kind of core, as in struct memlat_rec_core
 * @value: events counted since start or reset
 * @enabled: cycles (MEMLAT_EVENT_CYCLES) of the tasks that are counted
 * @running: the part of @enabled in which the event had a counter; 0: it was not
 *	counted
 *
 * There are fewer counters than events, so events take turns. An estimate of the number of
 * events is @value * @enabled / @running. An _OUTSTANDING and its _CYCLES have their turns
 * together, unless the CPU can count both only on the same counter. So if their @running is
 * equal, the quotient of their values is exact. LOAD_STALLS is counted in the turns of
 * L1D_PENDING and DEMAND_OUTSTANDING if these fit into the counters, because gains are computed
 * from differences of the three; L1D_PENDING_CYCLES then has turns of its own.
 * If a kind of core does not have an event, there is no record of it for its CPUs.
 *
 * Beside sampling (MEMLAT_F_COUNT with _LOADS or _STORES) there are no turns: @enabled
 * and @running are equal, and @value is exact. They are cycles if the CPU has a record of
 * CYCLES, else instructions, because max_overhead or the turns of loads and stores may use the
 * cycle counter. An event for which there is no counter has no record.
 */
struct memlat_rec_count {
	struct memlat_rec_header hdr;
	__u32 cpu;
	__u16 event;
	__u16 core;
	__u64 value;
	__u64 enabled;
	__u64 running;
};

/**
 * struct memlat_rec_stride - a step between an instruction's loads, with MEMLAT_F_STRIDE
 * @hdr: type MEMLAT_REC_STRIDE
 * @ip: its address
 * @step: bytes from one load's operand address to that of the next one of the same
 *	instruction in the same thread, within one burst; may be negative or 0
 * @space: process: tgid; 0 for kernel code
 * @gen: generation of the process; 0 for kernel code
 * @pairs: number of pairs of loads with this step
 * @error: most pairs that may have been lost to earlier evictions
 * @stlb_miss: second loads that missed the second-level TLB
 * @new_page: second loads in another 4 KiB page than the first
 * @latency_sum: sum of the second loads' latencies, cycles
 * @onward: pairs whose step has the same sign as the instruction's previous step in the same
 *	burst. A walk goes on; a chase through a list turns two times out of three
 * @turned: pairs whose step has the other sign. The first step of a burst, and a step of 0, are
 *	in neither
 */
struct memlat_rec_stride {
	struct memlat_rec_header hdr;
	__u64 ip;
	__s64 step;
	__u32 space;
	__u32 gen;
	__u64 pairs;
	__u64 error;
	__u64 stlb_miss;
	__u64 new_page;
	__u64 latency_sum;
	__u64 onward;
	__u64 turned;
};

#define MEMLAT_STACK_FRAMES	32

/**
 * struct memlat_rec_stack - one call chain
 * @hdr: type MEMLAT_REC_STACK
 * @id: as in struct memlat_rec_access, never 0
 * @frames: number of frames in @frame
 * @kernel_frames: number of kernel frames, which come first
 * @tgid: process
 * @gen: its generation
 * @reserved: 0
 * @samples: samples with this chain
 * @hitm: loads that were HITM, local or remote
 * @latency_sum: sum of latencies, cycles
 * @weight: loads and stores that the samples stand for
 * @cost: cycles that they stand for
 * @frame: addresses, innermost first: the sampled instruction's, then return
 *	addresses
 */
struct memlat_rec_stack {
	struct memlat_rec_header hdr;
	__u32 id;
	__u32 frames;
	__u32 kernel_frames;
	__u32 tgid;
	__u32 gen;
	__u32 reserved;
	__u64 samples;
	__u64 hitm;
	__u64 latency_sum;
	__u64 weight;
	__u64 cost;
	__u64 frame[MEMLAT_STACK_FRAMES];
};

/**
 * struct memlat_rec_end - the end of the stream
 * @hdr: type MEMLAT_REC_END
 * @records: records in the stream, this one included
 * @lines: MEMLAT_REC_LINE records among them
 * @sites: MEMLAT_REC_SITE records
 * @accesses: MEMLAT_REC_ACCESS records
 * @threads: MEMLAT_REC_THREAD records
 * @stacks: MEMLAT_REC_STACK records
 * @sources: MEMLAT_REC_SOURCE records
 * @strides: MEMLAT_REC_STRIDE records
 */
struct memlat_rec_end {
	struct memlat_rec_header hdr;
	__u64 records;
	__u64 lines;
	__u64 sites;
	__u64 accesses;
	__u64 threads;
	__u64 stacks;
	__u64 sources;
	__u64 strides;
};

#endif /* _UAPI_LINUX_MEMLAT_RECORDS_H */
