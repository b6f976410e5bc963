/* SPDX-License-Identifier: GPL-2.0 */
/* How a sample tells its reader where things are: "label address line". */
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

/* Of another file than the program: some compilers and options only declare it there. */
struct elsewhere {
	long here, there;
};

/* The address of the code in this line, wherever it was inlined. */
#define HERE(label) do { \
	const void *here_; \
	__asm__ volatile("0: lea 0b(%%rip), %0" : "=r" (here_)); \
	tell(label, here_, __LINE__); \
} while (0)

/* thread(): it tells its own number and data, and waits. */
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
