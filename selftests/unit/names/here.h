/* SPDX-License-Identifier: GPL-2.0 */
/* A sample prints where things are, one "label address line" per line. */
#ifndef NAMES_HERE_H
#define NAMES_HERE_H

#include <stdio.h>

#ifndef APART
#define APART	/* the alignment of one variable */
#endif

static inline void tell(const char *label, const volatile void *address, int line)
{
	printf("%s %p %d\n", label, address, line);
}

/* It is in another file than the program, which some compilers and options only declare. */
struct elsewhere {
	long here, there;
};

/* Print the address of this line's code, wherever the compiler has inlined it. */
#define HERE(label) do { \
	const void *here_; \
	__asm__ volatile("0: lea 0b(%%rip), %0" : "=r" (here_)); \
	tell(label, here_, __LINE__); \
} while (0)

/* thread() prints its own number and data, and waits. */
#define TELLING_THREAD(tell_data)		\
	static void *thread(void *arg)		\
	{					\
		printf("tid %d 0\n", gettid());	\
		tell_data("thread.");		\
		puts("end 0 0");		\
		fflush(stdout);			\
		pause();			\
		return arg;			\
	}

#define THERE(label, object) tell(label, &(object), __LINE__)

#endif
