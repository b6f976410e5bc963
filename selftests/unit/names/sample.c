// SPDX-License-Identifier: GPL-2.0
/* A program. The test of the namer knows what each of its addresses is called. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "here.h"

typedef unsigned long counter_t;

struct per_cpu {
	counter_t hits, misses;
	char name[16];
};

struct stats {
	int version;
	/* 4 bytes that belong to no member */
	const struct per_cpu *const best;
	struct per_cpu per_cpu[8];
	union {
		struct {
			short low, high;
		};
		int whole;
	};
	unsigned int ready : 1, done : 2, wide : 20;
	struct {
		long inner;
	} nested;
	char tail[];
};

struct stats stats = { .version = 1, .tail = "as long as it takes" };
int matrix[3][4][5] APART;
static volatile long counter;
__thread long tls_first = 1;
__thread struct per_cpu tls_second[2];
char lonely[3];
void (*hook)(int);
const char *const words[] = { "one", "two" };
volatile const int plain = 7;

static inline __attribute__((always_inline)) void deepest(void)
{
	HERE("deepest");
}

static inline __attribute__((always_inline)) void middle(void)
{
	counter++;
	deepest();
}

__attribute__((noinline)) void outer(void)
{
	middle();
	HERE("outer");
}

__attribute__((noinline)) static void hidden(void)
{
	static long kept;

	kept++;
	HERE("hidden");
	THERE("kept", kept);
}

/* Another function has a static variable of the same name. */
__attribute__((noinline)) static void other(void)
{
	static long kept[2];

	kept[1]++;
	THERE("kept[1]", kept[1]);
}

/* Two names for one address, like glibc's pthread_spin_init() and pthread_spin_unlock(). */
__attribute__((noinline)) int spun_in(int *word)
{
	*word = 0;
	return 0;
}
int spun_out(int *word) __attribute__((alias("spun_in")));

static void tell_data(const char *who)
{
	char label[64];

#define TELL(name, object) do { \
	snprintf(label, sizeof(label), "%s%s", who, name); \
	THERE(label, object); \
} while (0)
	TELL("tls_first", tls_first);
	TELL("tls_second", tls_second[1].misses);
	TELL("stack", label[0]);
	snprintf(label, sizeof(label), "%stp", who);
	tell(label, __builtin_thread_pointer(), 0);
}

struct {
	long first;
	struct elsewhere elsewhere;
	long last;
} mixed;

__attribute__((noinline)) static void *xmalloc(size_t bytes)
{
	HERE("xmalloc");
	return malloc(bytes);
}

__attribute__((noinline)) static void *make_object(void)
{
	void *object = xmalloc(100);

	HERE("make_object");
	return object;
}

/* Members without bytes mark where a group begins and ends. */
struct {
	char begin[0];
	long first, second;
	char end[0];
	long third;
} marked;

TELLING_THREAD(tell_data)

int main(void)
{
	char *heap = make_object(), *anon, *shared;
	pthread_t id;

	tell("spun_out", (void *)spun_out, 0);
	THERE("stats", stats);
	THERE("hits", stats.per_cpu[3].hits);
	THERE("misses", stats.per_cpu[7].misses);
	THERE("name", stats.per_cpu[0].name[5]);
	tell("padding", (char *)&stats + 4, 0);
	THERE("union", stats.whole);
	tell("union.high", (char *)&stats.whole + 2, 0);
	tell("bits", (char *)&stats.whole + 4, 0);
	tell("wide", (char *)&stats.whole + 5, 0);
	tell("nobits", (char *)&stats.whole + 7, 0);
	THERE("inner", stats.nested.inner);
	THERE("tail", stats.tail[9]);
	THERE("marked", marked.second);
	THERE("marked.end", marked.third);
	THERE("matrix", matrix[2][1][3]);
	tell("matrix.byte", (char *)&matrix[0][3][0] + 1, 0);
	tell("matrix.past", (char *)matrix + sizeof(matrix), 0);
	THERE("counter", counter);
	THERE("lonely", lonely[2]);
	tell("lonely.past", lonely + 3, 0);
	THERE("hook", hook);
	THERE("words", words[1]);
	THERE("plain", plain);
	THERE("first", mixed.first);
	THERE("there", mixed.elsewhere.there);
	outer();
	hidden();
	other();
	HERE("main");
	tell("heap", heap, 0);
	anon = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	tell("anon", anon + 0x123, 0);
	tell("shared", shared + 0x456, 0);
	tell("puts", (void *)(uintptr_t)puts, 0);
	tell("vdso", (void *)getauxval(AT_SYSINFO_EHDR), 0);
	tell_data("main.");
	if (pthread_create(&id, NULL, thread, NULL))
		return 1;
	pause();
	return 0;
}
