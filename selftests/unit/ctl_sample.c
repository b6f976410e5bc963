// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl_test.h"

void stream_add(struct stream *stream, __u32 type, const void *record, size_t size)
{
	struct memlat_rec_header header = { .type = type, .size = (__u32)size };

	assert_true(stream->used + size <= sizeof(stream->bytes));
	memcpy(stream->bytes + stream->used, record, size);
	memcpy(stream->bytes + stream->used, &header, sizeof(header));
	stream->used += size;
	stream->records++;
	if (type <= MEMLAT_REC_STRIDE)
		stream->rows[type]++;
}

void stream_add_status(struct stream *stream)
{
	struct memlat_rec_status record = {
		.abi_version = MEMLAT_ABI_VERSION, .model_name = "skx",
		.status = {
			.size = sizeof(struct memlat_status), .state = MEMLAT_STATE_RUNNING,
			.ldlat = 30,
			.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL |
				 MEMLAT_F_LOADS | MEMLAT_F_STORES,
			.period = 1009, .cpus_online = 4, .cpus_armed = 4, .nodes = 2,
			.started_ns = 5000000000, .duration_ns = 12345678901, .records = 1110,
			.samples = 1100, .filtered = 7, .malformed = 2, .collision = 1, .lines = 3,
			.lines_evicted = 4, .latency_sum = 400000, .latency_max = 5000,
			.max_overhead = 100, .loads = 1000, .stores = 100,
			.weight_loads = 1000 * SAMPLE_PERIOD, .weight_stores = 1000700,
			.period_low = 1009, .period_high = 2003, .store_period_low = 10007,
			.store_period_high = 10007, .busy_cycles = 1000000000,
			.own_cycles = 9300000, .lines_error = 3, .sites = 2, .sites_evicted = 100,
			.sites_error = 60, .accesses = 1, .accesses_evicted = 1000,
			.accesses_error = 900, .threads = 2, .stacks = 1, .stacks_lost = 5,
			.traits = MEMLAT_TRAIT_TLB, .cores = 1, .pairs = 47, .strides = 2,
			.strides_evicted = 5, .strides_error = 4,
		},
	};

	stream_add(stream, MEMLAT_REC_STATUS, &record, sizeof(record));
}

void stream_begin(struct stream *stream)
{
	memset(stream, 0, sizeof(*stream));
	stream_add_status(stream);
}

void stream_add_buckets(struct stream *stream)
{
	static const __u64 edges[MEMLAT_BUCKETS] = {
		32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096, 0,
	};
	struct memlat_rec_buckets record = {
		.rows = MEMLAT_BUCKETS, .sources = MEMLAT_SRC_NR,
	};
	unsigned int row, source;

	memcpy(record.edge, edges, sizeof(edges));
	record.count[1][MEMLAT_SRC_L3] = 40;
	record.count[1][MEMLAT_SRC_L3_SNOOP] = 20;
	record.count[4][MEMLAT_SRC_L3_HITM] = 200;
	record.count[7][MEMLAT_SRC_RHITM] = 700;
	record.count[7][MEMLAT_SRC_DRAM] = 10;
	/* One sample of each source that is shown as "other", in the open-ended row. */
	record.count[13][MEMLAT_SRC_UNKNOWN] = 25;
	record.count[13][MEMLAT_SRC_PMEM] = 1;
	record.count[13][MEMLAT_SRC_RPMEM] = 1;
	record.count[13][MEMLAT_SRC_L4] = 1;
	record.count[13][MEMLAT_SRC_IO] = 1;
	record.count[13][MEMLAT_SRC_UNC] = 1;
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			record.weight[row][source] =
				record.count[row][source] * SAMPLE_PERIOD;
	record.latency[MEMLAT_SRC_RHITM] = 250000;
	record.latency[MEMLAT_SRC_L3_HITM] = 150000;
	stream_add(stream, MEMLAT_REC_BUCKETS, &record, sizeof(record));
}

void stream_add_raw(struct stream *stream)
{
	struct memlat_rec_raw record = {
		.count = { [0x0d] = 700, [0x07] = 200, [0x14] = 100 },
	};

	stream_add(stream, MEMLAT_REC_RAW, &record, sizeof(record));
}

void stream_add_line(struct stream *stream, __u64 addr, __u32 space,
		     const __u64 slot_hitm[MEMLAT_LINE_SLOTS])
{
	struct memlat_rec_line record = {
		.addr = addr, .space = space, .nodes = 0x3, .cpus = 0xf, .latency_max = 5000,
		.ip = 0x401136,
	};
	unsigned int i;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		record.slot[i] = slot_hitm[i];
		record.slot_hitm[i] = slot_hitm[i];
		record.samples += slot_hitm[i];
	}
	record.latency_sum = record.samples * 350;
	record.cost = record.latency_sum * SAMPLE_PERIOD;
	/* Lines of the kernel are contended within a socket, other lines between two sockets. */
	record.source[space ? MEMLAT_SRC_RHITM : MEMLAT_SRC_L3_HITM] =
		record.samples;
	record.hitm_nodes = space ? 0x3 : 0x1;
	/* The line is written where it is read. */
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		if (slot_hitm[i])
			record.slot_store[i] = space ? 30 : 40;
		record.stores += record.slot_store[i];
	}
	record.samples += record.stores;
	record.store_nodes = record.hitm_nodes;
	record.store_cpus = 0x5;
	record.weight = record.samples * SAMPLE_PERIOD;
	record.home = MEMLAT_NODE_UNKNOWN;
	/*
	 * A process may have any name: an escape, quotes, bytes that are not UTF-8, not terminated.
	 */
	memcpy(record.comm, "bad\033\"\\\xff\xc3 name...", sizeof(record.comm));
	stream_add(stream, MEMLAT_REC_LINE, &record, sizeof(record));
}

static void stream_add_quiet_line(struct stream *stream)
{
	struct memlat_rec_line record = {
		.addr = 0x7f1c2a0041c0, .space = SAMPLE_GONE_PID, .comm = "quiet", .samples = 96,
		.latency_sum = 48000, .cost = 48000 * SAMPLE_PERIOD, .weight = 96 * SAMPLE_PERIOD,
		.home = MEMLAT_NODE_UNKNOWN, .latency_max = 900,
		.source = { [MEMLAT_SRC_RDRAM] = 96 }, .slot = { [7] = 96 }, .cpus = 0x1,
		.nodes = 0x1,
	};

	stream_add(stream, MEMLAT_REC_LINE, &record, sizeof(record));
}

void stream_add_site(struct stream *stream, __u64 ip, __u32 space, __u64 loads, __u64 stores)
{
	struct memlat_rec_site record = {
		.ip = ip, .space = space, .gen = space ? 7 : 0, .samples = loads + stores,
		.stores = stores, .store_l1_hit = stores / 2, .locked = 11,
		.stlb_miss = (loads + stores) / 4, .latency_sum = loads * 350, .latency_max = 5000,
		.weight = (loads + stores) * SAMPLE_PERIOD, .cost = loads * 350 * SAMPLE_PERIOD,
		.addr_min = 0x55d0c0a04080, .addr_max = 0x55d0c0a04880, .cpus = 0x5, .nodes = 0x3,
		.bucket = { [7] = loads },
		.source = { [MEMLAT_SRC_RHITM] = loads - loads / 20,
			    [MEMLAT_SRC_DRAM] = loads / 20 },
		.comm = "chase\033[2J",
	};

	stream_add(stream, MEMLAT_REC_SITE, &record, sizeof(record));
}

static void stream_add_thread(struct stream *stream, __u32 tid, __u64 samples, __u64 latency_sum)
{
	struct memlat_rec_thread record = {
		.tid = tid, .tgid = tid, .samples = samples, .latency_sum = latency_sum,
		.cost = latency_sum * SAMPLE_PERIOD,
	};

	stream_add(stream, MEMLAT_REC_THREAD, &record, sizeof(record));
}

/* Tables whose rows no view shows. */
static void stream_add_rest(struct stream *stream)
{
	struct memlat_rec_access access = { .samples = 100 };
	struct memlat_rec_stack stack = { .id = 1, .frames = 1, .samples = 100 };

	stream_add(stream, MEMLAT_REC_ACCESS, &access, sizeof(access));
	stream_add_thread(stream, 1, 1000, 300000);
	stream_add_thread(stream, 2, 100, 100000);
	stream_add(stream, MEMLAT_REC_STACK, &stack, sizeof(stack));
}

void stream_add_core(struct stream *stream, __u32 core, __u32 traits, __u64 loads, __u64 stores)
{
	struct memlat_rec_core record = {
		.core = core, .traits = traits, .pebs_format = 3, .record_size = 200,
		.model_name = "skx", .model_title = "Skylake-SP", .loads = loads, .stores = stores,
		.cpus = { 0xf },
	};

	stream_add(stream, MEMLAT_REC_CORE, &record, sizeof(record));
}

void stream_add_source(struct stream *stream, __u32 core, __u32 word,
		       __u64 samples, __u8 source, __u8 snoop, __u16 flags)
{
	struct memlat_rec_source record = {
		.core = core, .word = word, .samples = samples, .source = source, .snoop = snoop,
		.flags = flags,
	};

	stream_add(stream, MEMLAT_REC_SOURCE, &record, sizeof(record));
}

void stream_add_stride(struct stream *stream, __u64 ip, __u32 space, __s64 step, __u64 pairs)
{
	struct memlat_rec_stride record = {
		.ip = ip, .step = step, .space = space, .gen = space ? 7 : 0, .pairs = pairs,
		.error = 2, .stlb_miss = pairs / 2, .new_page = pairs / 3,
		.latency_sum = pairs * 350,
	};

	stream_add(stream, MEMLAT_REC_STRIDE, &record, sizeof(record));
}

void stream_add_end(struct stream *stream)
{
	struct memlat_rec_end record = {
		.records = stream->records + 1, .lines = stream->rows[MEMLAT_REC_LINE],
		.sites = stream->rows[MEMLAT_REC_SITE], .accesses = stream->rows[MEMLAT_REC_ACCESS],
		.threads = stream->rows[MEMLAT_REC_THREAD],
		.stacks = stream->rows[MEMLAT_REC_STACK],
		.sources = stream->rows[MEMLAT_REC_SOURCE],
		.strides = stream->rows[MEMLAT_REC_STRIDE],
	};

	stream_add(stream, MEMLAT_REC_END, &record, sizeof(record));
}

void stream_fill(struct stream *stream)
{
	static const __u64 one_slot[MEMLAT_LINE_SLOTS] = { [3] = 200 };
	static const __u64 two_slots[MEMLAT_LINE_SLOTS] = { 364, 336 };

	memset(stream, 0, sizeof(*stream));
	stream_add_status(stream);
	stream_add_buckets(stream);
	stream_add_raw(stream);
	stream_add_quiet_line(stream);
	stream_add_line(stream, 0xffff9c3f8112c040, 0, one_slot);
	stream_add_line(stream, 0x55d0c0a04080, (__u32)getpid(), two_slots);
	stream_add_site(stream, 0xffffffff81000010, 0, 200, 40);
	stream_add_site(stream, 0x401136, (__u32)getpid(), 700, 60);
	stream_add_rest(stream);
	stream_add_core(stream, 0, MEMLAT_TRAIT_TLB, 1000, 100);
	stream_add_source(stream, 0, 0x07, 200, MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM, 0);
	stream_add_source(stream, 0, 0x0d, 700, MEMLAT_SRC_RHITM, MEMLAT_SNOOP_HITM, 0);
	stream_add_source(stream, 0, 0x14, 100, MEMLAT_SRC_L3, MEMLAT_SNOOP_NONE,
			  MEMLAT_WORD_STLB_MISS);
	stream_add_stride(stream, 0x401136, (__u32)getpid(), 64, 30);
	stream_add_stride(stream, 0x401136, (__u32)getpid(), -4096, 12);
	stream_add_end(stream);
}

void stream_read(const struct stream *stream, struct snapshot *snap)
{
	if (snapshot_feed(snap, stream->bytes, stream->used) || snapshot_finish(snap))
		fail_msg("%s", snap->error);
}

void sample_snapshot(struct snapshot *snap)
{
	struct stream stream;

	stream_fill(&stream);
	snapshot_init(snap);
	stream_read(&stream, snap);
}

void sample_hybrid(struct snapshot *snap)
{
	struct memlat_status *status = &snap->head.status;
	struct memlat_rec_core *big, *small;

	sample_snapshot(snap);
	/* There is room for more rows than were read. */
	assert_true(snap->room_cores >= 2 && snap->room_sources >= 5);
	big = &snap->cores[0];
	small = &snap->cores[1];
	strcpy(big->model_name, "big");
	strcpy(big->model_title, "Big Cove");
	big->traits = MEMLAT_TRAIT_TLB | MEMLAT_TRAIT_BLOCKED |
		      MEMLAT_TRAIT_CACHE_LATENCY;
	big->pebs_format = 4;
	big->loads = 900;
	big->cpus[0] = 0x5;
	*small = *big;
	strcpy(small->model_name, "small");
	strcpy(small->model_title, "Smallmont");
	small->core = 1;
	small->traits = MEMLAT_TRAIT_TLB;
	small->loads = 100;
	small->stores = 0;
	/* More CPUs than a terminal is wide: pairs with gaps, from 4 on. */
	memset(small->cpus, 0, sizeof(small->cpus));
	small->cpus[0] = 0x6db6db6db6db6db0;
	small->cpus[2] = 0x4;
	snap->nr_cores = 2;
	status->cores = 2;
	status->traits = big->traits;

	/* The words above: 0x14 belongs to the small cores, split into two words. */
	snap->sources[0].flags = MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR |
				 MEMLAT_WORD_STLB_MISS | MEMLAT_WORD_LOCKED;
	snap->sources[2].core = 1;
	snap->sources[2].samples = 60;
	snap->sources[3] = snap->sources[2];
	snap->sources[3].word = 0x3c1f;
	snap->sources[3].samples = 40;
	snap->sources[3].source = MEMLAT_SRC_UNKNOWN;
	snap->sources[3].snoop = MEMLAT_SNOOP_NA;
	snap->sources[3].flags = 0;
	snap->nr_sources = 4;
	status->blocked_data = status->blocked_addr = 200;
	snap->buckets.cache_latency[MEMLAT_SRC_RHITM] = 700 * 321;
	snap->buckets.cache_latency[MEMLAT_SRC_L3_HITM] = 200 * 55;
	status->cache_latency_sum = 700 * 321 + 200 * 55;
	snap->have_parts = true;
	snap->parts.use_latency[MEMLAT_SRC_RHITM] = 700 * 400;
	snap->parts.use_latency[MEMLAT_SRC_L3_HITM] = 200 * 60;
	status->use_latency_sum = 700 * 400 + 200 * 60;
}
