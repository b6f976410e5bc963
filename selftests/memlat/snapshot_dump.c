// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot_dump: a snapshot of /dev/memlat as plain text, for shell tests that
 * must not trust memlat-ctl. One figure a line, "NAME VALUE", then one line
 * for each record of the tables:
 *	line ADDRESS SPACE SAMPLES HITM HITM_NODES STORES WEIGHT GEN
 *	site IP SPACE SAMPLES STORES WEIGHT GEN
 *	access ADDRESS IP TGID TID STACK SAMPLES STORES WEIGHT GEN
 *	thread TID TGID SAMPLES STORES WEIGHT GEN COMM
 *	stack ID TGID SAMPLES KERNEL_FRAMES FRAME...
 *	core NUMBER NAME TRAITS FORMAT RECORD_SIZE LOADS STORES CPUS
 *	source CORE WORD SAMPLES SOURCE SNOOP FLAGS
 * (CPUS as 0-3,8; SOURCE, SNOOP, FLAGS and TRAITS are the numbers of the header.)
 * With --figures of these only core and source: the other tables are not asked
 * for, so that a test which asks often does not sample itself reading them.
 * Status 1, with a message, when the device refuses, the stream is not as
 * documented, or the accounts do not add up.
 */
#include "device.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

static void print_tables(const struct snapshot *s)
{
	size_t i, j;

	for (i = 0; i < s->nr_lines; i++) {
		const struct memlat_rec_line *line = &s->lines[i];

		printf("line 0x%llx %u %llu %llu 0x%llx %llu %llu %u\n",
		       (ull)line->addr, line->space, (ull)line->samples,
		       (ull)snapshot_line_hitm(line), (ull)line->hitm_nodes,
		       (ull)line->stores, (ull)line->weight, line->gen);
	}
	for (i = 0; i < s->nr_sites; i++) {
		const struct memlat_rec_site *site = &s->sites[i];

		printf("site 0x%llx %u %llu %llu %llu %u\n", (ull)site->ip,
		       site->space, (ull)site->samples, (ull)site->stores,
		       (ull)site->weight, site->gen);
	}
	for (i = 0; i < s->nr_accesses; i++) {
		const struct memlat_rec_access *access = &s->accesses[i];

		printf("access 0x%llx 0x%llx %u %u %u %llu %llu %llu %u\n",
		       (ull)access->addr, (ull)access->ip, access->tgid,
		       access->tid, access->stack, (ull)access->samples,
		       (ull)access->stores, (ull)access->weight, access->gen);
	}
	for (i = 0; i < s->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &s->threads[i];

		printf("thread %u %u %llu %llu %llu %u %.16s\n", thread->tid,
		       thread->tgid, (ull)thread->samples, (ull)thread->stores,
		       (ull)thread->weight, thread->gen, thread->comm);
	}
	for (i = 0; i < s->nr_stacks; i++) {
		const struct memlat_rec_stack *stack = &s->stacks[i];

		printf("stack %u %u %llu %u", stack->id, stack->tgid,
		       (ull)stack->samples, stack->kernel_frames);
		for (j = 0; j < stack->frames && j < MEMLAT_STACK_FRAMES; j++)
			printf(" 0x%llx", (ull)stack->frame[j]);
		putchar('\n');
	}
}

/* "0-3,8" */
static void print_cpus(const __u64 cpus[MEMLAT_CPU_WORDS])
{
	const unsigned int end = MEMLAT_CPU_WORDS * 64;
	const char *comma = "";
	unsigned int cpu, last;

	for (cpu = 0; cpu < end; cpu = last + 1) {
		for (last = cpu; last < end && cpus[last / 64] >> last % 64 & 1; last++)
			;
		/* The first CPU that is not in the range. */
		if (last == cpu)
			continue;
		printf(last - cpu > 1 ? "%s%u-%u" : "%s%u", comma, cpu, last - 1);
		comma = ",";
	}
	puts(*comma ? "" : "-");
}

static void print_sources(const struct snapshot *s)
{
	size_t i;

	for (i = 0; i < s->nr_cores; i++) {
		const struct memlat_rec_core *core = &s->cores[i];

		printf("core %u %.16s 0x%x %u %u %llu %llu ", core->core,
		       core->model_name, core->traits, core->pebs_format,
		       core->record_size, (ull)core->loads, (ull)core->stores);
		print_cpus(core->cpus);
	}
	for (i = 0; i < s->nr_sources; i++) {
		const struct memlat_rec_source *source = &s->sources[i];

		printf("source %u 0x%x %llu %u %u 0x%x\n", source->core,
		       source->word, (ull)source->samples, source->source,
		       source->snoop, source->flags);
	}
}

int main(int argc, char **argv)
{
	bool tables = argc < 2 || strcmp(argv[1], "--figures");
	const struct memlat_status *status;
	struct snapshot snapshot;
	const char *wrong;
	int fd, error;

	fd = device_open();
	error = fd < 0 ? fd : 0;
	if (!error && !tables)
		error = device_tables(fd, 1u << MEMLAT_REC_BUCKETS | 1u << MEMLAT_REC_PARTS |
				      1u << MEMLAT_REC_STORES | 1u << MEMLAT_REC_RAW |
				      1u << MEMLAT_REC_CORE | 1u << MEMLAT_REC_SOURCE);
	if (!error)
		error = device_snapshot(fd, &snapshot);
	if (error) {
		fprintf(stderr, "snapshot_dump: %s\n", strerror(-error));
		return 1;
	}
	status = &snapshot.status.status;

#define FIGURE(name)	printf(#name " %lld\n", (long long)status->name)
	FIGURE(state);
	FIGURE(ldlat);
	FIGURE(flags);
	FIGURE(period);
	FIGURE(pid);
	FIGURE(cpus_online);
	FIGURE(cpus_armed);
	FIGURE(nodes);
	FIGURE(started_ns);
	FIGURE(duration_ns);
	FIGURE(records);
	FIGURE(samples);
	FIGURE(filtered);
	FIGURE(malformed);
	FIGURE(collision);
	FIGURE(full_pmis);
	FIGURE(lines);
	FIGURE(lines_evicted);
	FIGURE(pmis);
	FIGURE(late_pmis);
	FIGURE(switch_drains);
	FIGURE(latency_sum);
	FIGURE(latency_max);
	FIGURE(merges);
	FIGURE(store_bytes);
	FIGURE(max_memory);
	FIGURE(ended);
	FIGURE(max_overhead);
	FIGURE(loads);
	FIGURE(stores);
	FIGURE(weight_loads);
	FIGURE(weight_stores);
	FIGURE(period_low);
	FIGURE(period_high);
	FIGURE(store_period_low);
	FIGURE(store_period_high);
	FIGURE(busy_cycles);
	FIGURE(own_cycles);
	FIGURE(sampled_cycles);
	FIGURE(guest_entries);
	FIGURE(guest_ns);
	FIGURE(guest_cpus);
	FIGURE(cells_lost);
	FIGURE(lines_error);
	FIGURE(sites);
	FIGURE(sites_evicted);
	FIGURE(sites_error);
	FIGURE(accesses);
	FIGURE(accesses_evicted);
	FIGURE(accesses_error);
	FIGURE(threads);
	FIGURE(threads_evicted);
	FIGURE(threads_error);
	FIGURE(stacks);
	FIGURE(stacks_lost);
	FIGURE(cgroup);
	FIGURE(forks_lost);
	FIGURE(suspends);
	FIGURE(cpus_still);
	FIGURE(traits);
	FIGURE(cores);
	FIGURE(cache_latency_sum);
	FIGURE(use_latency_sum);
	FIGURE(blocked_data);
	FIGURE(blocked_addr);
	FIGURE(load_turn);
	FIGURE(store_turn);
	FIGURE(pairs);
	FIGURE(strides);
	FIGURE(strides_evicted);
	FIGURE(strides_error);
#undef FIGURE
	if (tables)
		print_tables(&snapshot);
	print_sources(&snapshot);
	wrong = tables ? snapshot_accounts(&snapshot) : snapshot_totals(&snapshot);
	if (wrong)
		fprintf(stderr, "snapshot_dump: %s\n", wrong);
	snapshot_free(&snapshot);
	return wrong ? 1 : 0;
}
