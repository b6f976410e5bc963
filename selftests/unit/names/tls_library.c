// SPDX-License-Identifier: GPL-2.0
/*
 * A library with a thread-local variable NAME_local, which has SIZE bytes and is aligned to ALIGN.
 * INITIAL says whether it is initialized.
 */
#define JOIN_(a, b)	a##b
#define JOIN(a, b)	JOIN_(a, b)

struct local {
	long first;
	short rest[(SIZE - 8) / 2];
};

__thread struct local JOIN(NAME, _local) __attribute__((aligned(ALIGN)))
#ifdef INITIAL
	= { .first = INITIAL }
#endif
;

#ifdef NEEDS
void *JOIN(NEEDS, _place)(void);

void *JOIN(NAME, _needs)(void)
{
	return JOIN(NEEDS, _place)();
}
#endif

/* Return the address of the last element in the calling thread. */
void *JOIN(NAME, _place)(void)
{
	return &JOIN(NAME, _local).rest[(SIZE - 8) / 2 - 1];
}
