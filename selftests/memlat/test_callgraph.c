// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains on request. The chains of a known tree of calls are as in its source; a chain within
 * a system call goes through the kernel's functions first; without the request there are none.
 */
#include "rig.h"

#include "command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD		101
#define KERNEL_PERIOD	997

static const char *const names[] = {
	"left", "right", "middle", "outer", "reader", "caller", "main"
};

static struct measured m;
static struct json_object *answer;

/* The function of the workload that has this address; NULL: none of them. */
static const char *function_at(uint64_t address)
{
	const char *found = NULL;
	uint64_t nearest = 0, start;
	char pointer[40];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(pointer, sizeof(pointer), "/functions/%s", names[i]);
		start = truth_address(answer, pointer);
		if (start <= address && start > nearest) {
			nearest = start;
			found = names[i];
		}
	}
	/* Only main is longer than a page. */
	return found && address - nearest < 4096 ? found : NULL;
}

/* Do the frames from here on go through these functions, separated by blanks? */
static bool goes(const struct memlat_rec_stack *stack, unsigned int from,
		 const char *path)
{
	char copy[80], *rest = copy, *name;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((name = strsep(&rest, " "))) {
		const char *function = from < stack->frames ?
				       function_at(stack->frame[from]) : NULL;

		if (!function || strcmp(function, name))
			return false;
		from++;
	}
	return true;
}

static void show(const struct memlat_rec_stack *stack)
{
	unsigned int i;

	note("chain %u, %llu samples:", stack->id, stack->samples);
	for (i = 0; i < stack->frames; i++) {
		const char *name = function_at(stack->frame[i]);

		printf(" %s(0x%llx)", snapshot_is_kernel(stack->frame[i]) ? "kernel" :
		       name ? name : "?", stack->frame[i]);
	}
	printf("\n");
}

/* Do all chains with a sampled instruction in this function take this path? */
static bool all_go(const char *function, const char *path)
{
	uint64_t right = 0, wrong = 0;
	const struct memlat_rec_stack *stack;
	const char *at;
	size_t i;

	for (i = 0; i < m.snapshot.nr_stacks; i++) {
		stack = &m.snapshot.stacks[i];
		at = function_at(stack->frame[0]);
		if (!at || strcmp(at, function) || stack->kernel_frames ||
		    stack->tgid != truth_u64(answer, "/pid"))
			continue;
		if (goes(stack, 0, path)) {
			right += stack->samples;
			continue;
		}
		if (!wrong)
			show(stack);
		wrong += stack->samples;
	}
	note("%s: %" PRIu64 " samples went %s, %" PRIu64 " did not\n",
	     function, right, path, wrong);
	/* A function has no frame in its first instructions. */
	return right > 100 && wrong * 50 <= right;
}

/* The address range of a kernel function, from /proc/kallsyms. */
static uint64_t kernel_function(const char *pattern, uint64_t *end)
{
	char *output = NULL;
	uint64_t start = 0;

	need(!command_run(&output, "sort /proc/kallsyms | grep -A1 -m1 ' [tT] %s$' | cut -d' ' -f1",
			  pattern), "the kernel has no %s", pattern);
	start = strtoull(output, NULL, 16);
	*end = strtoull(strchr(output, '\n') ? strchr(output, '\n') : "0", NULL, 16);
	free(output);
	return start;
}

static void check_kernel(void)
{
	uint64_t end, start = kernel_function("do_syscall_64", &end);
	uint64_t whole = 0, cut = 0;
	const struct memlat_rec_stack *stack;
	unsigned int i, j;

	for (i = 0; i < m.snapshot.nr_stacks; i++) {
		stack = &m.snapshot.stacks[i];
		if (stack->tgid != truth_u64(answer, "/pid") ||
		    stack->kernel_frames < 3 || stack->kernel_frames == stack->frames)
			continue;
		if (!function_at(stack->frame[stack->kernel_frames]) ||
		    strcmp(function_at(stack->frame[stack->kernel_frames]), "reader"))
			continue;
		for (j = 0; j < stack->kernel_frames; j++)
			if (stack->frame[j] - start < end - start)
				break;
		if (j < stack->kernel_frames &&
		    goes(stack, stack->kernel_frames, "reader caller main")) {
			whole += stack->samples;
			continue;
		}
		/* Interrupts do not go through do_syscall_64. */
		if (!cut)
			show(stack);
		cut += stack->samples;
	}
	note("%" PRIu64 " samples within the system call, %" PRIu64
	     " by another way\n", whole, cut);
	result(whole > 50 && cut * 5 <= whole,
	       "chains of a system call: kernel, do_syscall_64, reader, caller, main\n");
}

static void check_accesses(void)
{
	const struct memlat_status *status = &m.snapshot.status.status;
	const struct memlat_rec_access *access;
	const struct memlat_rec_stack *stack;
	uint64_t samples = 0, with = 0, wrong = 0;
	size_t i;

	for (i = 0; i < m.snapshot.nr_accesses; i++) {
		access = &m.snapshot.accesses[i];
		samples += access->samples;
		if (!access->stack)
			continue;
		with += access->samples;
		stack = snapshot_stack(&m.snapshot, access->stack);
		wrong += !stack || stack->frame[0] != access->ip ||
			 (stack->tgid && stack->tgid != access->tgid);
	}
	note("%" PRIu64 " of %" PRIu64 " samples have a chain, %llu lost; %" PRIu64
		       " accesses with a wrong one\n", with, samples,
		       status->stacks_lost, wrong);
	result(!wrong && with && with * 10 >= samples * 8,
	       "nearly each access has its own instruction's chain\n");
}

int main(void)
{
	struct memlat_config config;
	uint64_t pmis;

	rig_open(2 * CONSERVED_RESULTS + 7);
	rig_pages_stay();
	need(!command_run(NULL, "sysctl -q kernel.kptr_restrict=0"), "no kallsyms");

	config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	config.flags = MEMLAT_F_USER | MEMLAT_F_CALL_GRAPH;
	measure_begin(&config);
	answer = work(WORKLOADS "call_tree --rounds 5");
	measure_end(&m);
	check_conserved(&m, "with chains");
	result(all_go("left", "left middle outer main"),
	       "chains of left: left, middle, outer, main\n");
	result(all_go("right", "right middle outer main"),
	       "chains of right: right, middle, outer, main\n");
	check_accesses();
	/* Each record has its own PMI; otherwise a chain would be another record's. */
	pmis = m.snapshot.status.status.pmis;
	result(pmis * 10 >= m.snapshot.status.status.samples * 8,
	       "with call chains there is a PMI for each record\n");
	measured_free(&m);
	json_object_put(answer);

	config.flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_CALL_GRAPH;
	/* All loads of the kernel, with a long period, since each sample costs a PMI. */
	config.ldlat = MEMLAT_LDLAT_MIN;
	config.period = KERNEL_PERIOD;
	measure_begin(&config);
	answer = work(WORKLOADS "call_tree --rounds 0 --calls 1500");
	measure_end(&m);
	check_conserved(&m, "with the kernel's chains");
	check_kernel();
	measured_free(&m);
	json_object_put(answer);

	config = device_config(MEMLAT_LDLAT_DEFAULT, PERIOD);
	config.flags = MEMLAT_F_USER;
	measure_begin(&config);
	answer = work(WORKLOADS "call_tree --rounds 5");
	measure_end(&m);
	result(!m.snapshot.nr_stacks && !m.snapshot.status.status.stacks_lost &&
	       m.snapshot.status.status.samples > 200,
	       "without --call-graph there are no chains\n");
	result(m.snapshot.status.status.pmis * 10 <
	       m.snapshot.status.status.samples,
	       "without --call-graph there is one PMI for many records\n");
	measured_free(&m);
	rig_close();
}
