// SPDX-License-Identifier: GPL-2.0
/*
 * Each thing that check.py has to report, and each that it must not report, once.
 * This never runs. It is built like a module, without any header of the kernel's.
 */
#define noinline __attribute__((noinline, noclone))

void allowed(void);
void printk(const char *text);
void *kmalloc(unsigned long bytes);

static int depth;

static noinline int nested(int n)
{
	allowed();
	return n > 1 ? nested(n - 1) * nested(n - 2) + depth : n;
}

static noinline void again(int n);

static noinline void there(int n)
{
	allowed();
	again(n);
	depth++;
}

static noinline void again(int n)
{
	allowed();
	if (n)
		there(n - 1);
	depth++;
}

static noinline void deeper(void)
{
	allowed();
	printk("from the middle of it");
	allowed();
}

static inline void inlined(void (*hook)(void))
{
	hook();
	allowed();
}

static noinline void by_tail_call(void)
{
	depth++;
	deeper();
}

static noinline void resolved(void (*hook)(void))
{
	hook();
	allowed();
}

void reached_by_pointer(void);
void reached_by_pointer(void)
{
	depth += !!kmalloc(1);
}

int pmi(void (*known)(void), void (*unknown)(void));
int pmi(void (*known)(void), void (*unknown)(void))
{
	char big[2100];

	resolved(known);
	inlined(unknown);
	depth = nested(depth);
	there(depth);
	by_tail_call();
	asm volatile("" : : "r" (big) : "memory");
	return depth;
}

void switched(void);
void switched(void)
{
	asm volatile("sti");
	deeper();
}

static void handed_out(void)
{
	allowed();
}

void (*hook)(void) = handed_out;
