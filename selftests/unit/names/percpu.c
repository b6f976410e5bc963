// SPDX-License-Identifier: GPL-2.0
/* A variable in a section like that of the kernel's per-CPU variables. The test of BTF knows its type. */
struct queue {
	unsigned long running;
	struct {
		int a, b;
	};
	union {
		long whole;
		struct {
			short low, high;
		} half;
	} word;
	unsigned int ready : 1, done : 2, wide : 20;
	const char *names[4];
};

__attribute__((section(".data..percpu"))) struct queue queues[2] = { { .running = 1 } };
