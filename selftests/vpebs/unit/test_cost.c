// SPDX-License-Identifier: GPL-2.0
/* The cost of a module: following it through everything that can interrupt it. */
#include <stddef.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../cost.h"

#define STACK(n)	(0xffffc90000000000ULL + (n) * 0x4000)	/* ends below the next */
#define TOP(n)		(STACK(n) + 0x3f00)
#define IRQ_STACK	0xfffffe0000001000ULL
#define NMI_STACK	0xfffffe0000005fd8ULL
#define IP		0xffffffff81001000ULL
#define USER_IP		0x401000ULL

static int setup(void **state)
{
	unsigned int i;

	*state = vp_cost_new(2);
	if (!*state)
		return -1;
	for (i = 0; i < 2; i++)
		vp_cost_begin(*state, i, 0);
	return 0;
}

static int teardown(void **state)
{
	vp_cost_free(*state);
	return 0;
}

/* Return the figures at the end of the bracket. */
static struct vp_cost_figures end(struct vp_cost *cost, unsigned int cpu, uint64_t now)
{
	struct vp_cost_figures f;

	vp_cost_end(cost, cpu, now);
	vp_cost_read(cost, cpu, now + 1000, &f);
	assert_int_equal(f.instructions, now);
	assert_int_equal(vp_cost_lost(cost), 0);
	return f;
}

/* At the end of the bracket these are all figures of CPU 0 but its instructions. */
static void ends_with(struct vp_cost *cost, uint64_t now, struct vp_cost_figures want)
{
	const struct vp_cost_figures f = end(cost, 0, now);

	want.instructions = now;
	assert_memory_equal(&f, &want, sizeof(f));
}

TEST_WITH(nothing, setup, teardown)
{
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	assert_false(vp_cost_outside(*state, 0, 10, TOP(1)));
	vp_cost_stack(*state, 0, 20, TOP(2));
	vp_cost_iret(*state, 0, 30, IP, TOP(1), false);
	ends_with(*state, 50, (struct vp_cost_figures) { 0 });
}

TEST_WITH(a_pmi, setup, teardown)
{
	vp_cost_interrupt(*state, 0, 100, VP_COST_PMI, IP, TOP(1));
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_NEITHER);
	/* The module's handler is not counted twice, and does not end too early. */
	vp_cost_text(*state, 0, 110, NMI_STACK - 100);
	assert_false(vp_cost_outside(*state, 0, 120, NMI_STACK));
	/* A page fault in it, and an IRET in between that returns to another place. */
	vp_cost_iret(*state, 0, 130, IP + 8, NMI_STACK - 100, false);
	vp_cost_iret(*state, 0, 140, IP, TOP(1) - 8, false);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_NEITHER);
	vp_cost_iret(*state, 0, 150, IP, TOP(1), false);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	/* A shorter PMI, from user mode. */
	vp_cost_interrupt(*state, 0, 200, VP_COST_PMI, USER_IP, 0x7ffc00000000);
	vp_cost_iret(*state, 0, 220, USER_IP, 0x7ffc00000000, true);
	ends_with(*state, 300, (struct vp_cost_figures) {
		.pmi = 70, .pmi_count = 2, .longest_pmi = 50,
	});
}

/* NMIs within a PMI belong to it. A PMI within another NMI is counted as a PMI. */
TEST_WITH(nested_nmis, setup, teardown)
{
	vp_cost_interrupt(*state, 0, 100, VP_COST_PMI, IP, TOP(1));
	vp_cost_interrupt(*state, 0, 110, VP_COST_NMI, IP + 64, NMI_STACK);
	vp_cost_iret(*state, 0, 120, IP + 64, NMI_STACK, false);
	vp_cost_iret(*state, 0, 130, IP, TOP(1), false);
	vp_cost_interrupt(*state, 0, 200, VP_COST_NMI, IP, TOP(1));
	vp_cost_interrupt(*state, 0, 210, VP_COST_PMI, IP + 64, NMI_STACK);
	vp_cost_iret(*state, 0, 215, IP + 64, NMI_STACK, false);
	ends_with(*state, 300, (struct vp_cost_figures) {
		.pmi = 35, .pmi_count = 2, .longest_pmi = 30,
	});
}

TEST_WITH(a_hook, setup, teardown)
{
	vp_cost_text(*state, 0, 100, TOP(1));
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_OUTSIDE);
	/* A callee, a callback from there, and a tail call at the end. */
	assert_false(vp_cost_outside(*state, 0, 110, TOP(1) - 64));
	vp_cost_text(*state, 0, 115, TOP(1) - 128);
	assert_false(vp_cost_outside(*state, 0, 120, TOP(1)));
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_OUTSIDE);
	assert_false(vp_cost_outside(*state, 0, 130, TOP(1) + 8));
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	/* A shorter call. */
	vp_cost_text(*state, 0, 200, TOP(1));
	assert_false(vp_cost_outside(*state, 0, 210, TOP(1) + 8));
	ends_with(*state, 300, (struct vp_cost_figures) {
		.hook = 40, .hook_count = 2, .longest_hook = 30,
	});
}

/* Faults in the module belong to it. The IRET of a fault does not end the call. */
TEST_WITH(fault_in_hook, setup, teardown)
{
	vp_cost_text(*state, 0, 100, TOP(1));
	assert_false(vp_cost_outside(*state, 0, 110, TOP(1) - 200));
	vp_cost_iret(*state, 0, 120, IP, TOP(1) - 16, false);
	assert_false(vp_cost_outside(*state, 0, 140, TOP(1) + 8));
	assert_int_equal(end(*state, 0, 300).hook, 40);
}

TEST_WITH(interrupted_hook, setup, teardown)
{
	vp_cost_text(*state, 0, 100, TOP(1));
	vp_cost_interrupt(*state, 0, 110, VP_COST_IRQ, IP, TOP(1) - 32);
	/* A switch to the interrupt stack and back, with the module's own handler on that stack. */
	vp_cost_stack(*state, 0, 115, IRQ_STACK);
	vp_cost_text(*state, 0, 120, IRQ_STACK - 8);
	assert_false(vp_cost_outside(*state, 0, 127, IRQ_STACK));
	vp_cost_stack(*state, 0, 150, TOP(1) - 80);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	vp_cost_iret(*state, 0, 200, IP, TOP(1) - 32, false);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_OUTSIDE);
	/* A PMI within the call. */
	vp_cost_interrupt(*state, 0, 210, VP_COST_PMI, IP + 4, TOP(1) - 32);
	vp_cost_iret(*state, 0, 260, IP + 4, TOP(1) - 32, false);
	assert_false(vp_cost_outside(*state, 0, 265, TOP(1) + 8));
	/* Neither of the two calls contains what came in between. */
	ends_with(*state, 300, (struct vp_cost_figures) {
		.hook = 10 + 7 + 10 + 5, .hook_count = 2, .longest_hook = 10 + 10 + 5,
		.pmi = 50, .pmi_count = 1, .longest_pmi = 50,
	});
}

/* The module sleeps, another task enters it too, and it wakes up on another CPU. */
TEST_WITH(sleeping_hook, setup, teardown)
{
	struct vp_cost_figures f;

	vp_cost_text(*state, 0, 100, TOP(1));
	vp_cost_stack(*state, 0, 110, TOP(2) - 100);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	vp_cost_text(*state, 0, 120, TOP(2));
	assert_false(vp_cost_outside(*state, 0, 125, TOP(2) + 8));
	vp_cost_stack(*state, 1, 1000, TOP(3));
	assert_int_equal(vp_cost_watch(*state, 1), VP_COST_TEXT);
	vp_cost_stack(*state, 1, 1010, TOP(1) - 64);
	assert_int_equal(vp_cost_watch(*state, 1), VP_COST_OUTSIDE);
	assert_false(vp_cost_outside(*state, 1, 1015, TOP(1) + 8));
	f = end(*state, 0, 300);
	assert_int_equal(f.hook, 15);
	assert_int_equal(f.longest_hook, 5);
	f = end(*state, 1, 2000);
	assert_int_equal(f.hook, 5);
	assert_int_equal(f.longest_hook, 15);
}

/* The call is preempted in an interrupt. It goes on only with the IRET of that interrupt. */
TEST_WITH(preempted_hook, setup, teardown)
{
	vp_cost_text(*state, 0, 100, TOP(1));
	vp_cost_interrupt(*state, 0, 110, VP_COST_IRQ, IP, TOP(1) - 32);
	vp_cost_stack(*state, 0, 120, TOP(2) - 8);
	vp_cost_stack(*state, 1, 500, TOP(1) - 100);
	assert_int_equal(vp_cost_watch(*state, 1), VP_COST_TEXT);
	vp_cost_iret(*state, 1, 510, IP, TOP(2), false);
	assert_int_equal(vp_cost_watch(*state, 1), VP_COST_TEXT);
	vp_cost_iret(*state, 1, 520, IP, TOP(1) - 32, false);
	assert_int_equal(vp_cost_watch(*state, 1), VP_COST_OUTSIDE);
	assert_false(vp_cost_outside(*state, 1, 523, TOP(1) + 8));
	assert_int_equal(end(*state, 0, 300).hook, 10);
	assert_int_equal(end(*state, 1, 600).hook, 3);
}

/* In an NMI that is no PMI, the module's call is counted until it returns. */
TEST_WITH(foreign_nmi, setup, teardown)
{
	vp_cost_interrupt(*state, 0, 100, VP_COST_NMI, IP, TOP(1));
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	vp_cost_text(*state, 0, 110, NMI_STACK - 100);
	assert_false(vp_cost_outside(*state, 0, 112, NMI_STACK - 100));
	assert_true(vp_cost_outside(*state, 0, 114, NMI_STACK - 92));
	vp_cost_iret(*state, 0, 120, IP, TOP(1), false);
	vp_cost_text(*state, 0, 130, TOP(1));
	assert_false(vp_cost_outside(*state, 0, 134, TOP(1) + 8));
	assert_int_equal(end(*state, 0, 300).hook, 8);
}

/* Of a call that runs when a bracket begins or ends, the part within the bracket is counted. */
TEST_WITH(brackets, setup, teardown)
{
	struct vp_cost_figures f;

	vp_cost_interrupt(*state, 0, 100, VP_COST_PMI, IP, TOP(1));
	vp_cost_end(*state, 0, 130);
	vp_cost_iret(*state, 0, 150, IP, TOP(1), false);
	vp_cost_text(*state, 0, 160, TOP(1));
	vp_cost_read(*state, 0, 170, &f);
	assert_int_equal(f.pmi, 30);
	assert_int_equal(f.hook, 0);
	assert_int_equal(f.longest_pmi, 0);
	vp_cost_begin(*state, 0, 200);
	vp_cost_read(*state, 0, 210, &f);
	assert_int_equal(f.instructions, 10);
	assert_false(vp_cost_outside(*state, 0, 220, TOP(1) + 8));
	vp_cost_end(*state, 0, 300);
	vp_cost_read(*state, 0, 900, &f);
	assert_int_equal(f.instructions, 100);
	assert_int_equal(f.hook, 20);
	/* The longest call counts with its part before the bracket. */
	assert_int_equal(f.longest_hook, 60);
	assert_int_equal(f.pmi, 0);
}

TEST_WITH(too_many, setup, teardown)
{
	uint64_t i;

	for (i = 1; i <= 300; i++) {
		vp_cost_text(*state, 0, i, TOP(2 * i));
		vp_cost_stack(*state, 0, i, TOP(2 * i + 1));
	}
	assert_int_equal(vp_cost_lost(*state), 300 - 256);
	vp_cost_forget(*state);
	vp_cost_stack(*state, 0, 400, TOP(2) - 8);
	assert_int_equal(vp_cost_watch(*state, 0), VP_COST_TEXT);
	assert_int_equal(end(*state, 0, 500).hook, 0);
}

TEST(bad_arguments)
{
	assert_null(vp_cost_new(0));
	assert_null(vp_cost_new(VP_MAX_CPUS + 1));
	vp_cost_free(NULL);
}
