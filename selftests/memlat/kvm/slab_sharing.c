// SPDX-License-Identifier: GPL-2.0
/*
 * Two kernel threads fight over an object of a slab cache of this module: one of its lines has
 * false sharing, another one true sharing. They also share falsely two words in memory of
 * vmalloc(), which have no type. Parameters say where the object and the words are.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define CACHE	"memlat_sharing"
#define LINE	64
#define ROUNDS	1000
#define WORDS	4096
#define FIRST	(4096 / sizeof(u64) + 8)	/* of the words that are used */

struct sharing {
	u64 mine;
	u64 yours;
	u64 idle[6];
	u64 ours __aligned(LINE);
};

static struct kmem_cache *cache;
static struct sharing *shared;
static u64 *words;
static struct task_struct *threads[2];

static unsigned long object, word;
module_param(object, ulong, 0400);
module_param(word, ulong, 0400);
/* The CPUs of both threads. */
static unsigned int cpus[2] = { 0, 1 };
module_param_array(cpus, uint, NULL, 0400);

/* noinline, so that the compiler neither inlines these functions nor merges them. */
static noinline void count_mine(struct sharing *sharing)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		WRITE_ONCE(sharing->mine, READ_ONCE(sharing->mine) + 1);
		WRITE_ONCE(sharing->ours, READ_ONCE(sharing->ours) + 1);
	}
}

static noinline void count_yours(struct sharing *sharing)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		WRITE_ONCE(sharing->yours, READ_ONCE(sharing->yours) + 1);
		WRITE_ONCE(sharing->ours, READ_ONCE(sharing->ours) + 1);
	}
}

static noinline void count_word(u64 *at)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		WRITE_ONCE(*at, READ_ONCE(*at) + 1);
}

static int run(void *second)
{
	while (!kthread_should_stop()) {
		if (second) {
			count_yours(shared);
			count_word(&words[FIRST + 1]);
		} else {
			count_mine(shared);
			count_word(&words[FIRST]);
		}
		cond_resched();
	}
	return 0;
}

/* A cache with a constructor is not merged with other caches. */
static void construct(void *at)
{
	memset(at, 0, sizeof(struct sharing));
}

/*
 * Neither __init, because that code is freed, nor a tail call, so that this function is known as
 * the caller.
 */
static noinline bool make_words(void)
{
	words = vzalloc(WORDS * sizeof(*words));
	word = (unsigned long)&words[FIRST];
	return words;
}

static void stop(void)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(threads[i]))
			kthread_stop(threads[i]);
	vfree(words);
	if (shared)
		kmem_cache_free(cache, shared);
	kmem_cache_destroy(cache);
}

static int __init start(void)
{
	int i;

	cache = kmem_cache_create(CACHE, sizeof(struct sharing), LINE, 0, construct);
	if (!cache)
		return -ENOMEM;
	shared = kmem_cache_alloc(cache, GFP_KERNEL);
	if (!shared || !make_words()) {
		stop();
		return -ENOMEM;
	}
	object = (unsigned long)shared;
	for (i = 0; i < 2; i++) {
		threads[i] = kthread_create(run, i ? shared : NULL, "sharing/%d", i);
		if (IS_ERR(threads[i])) {
			int ret = PTR_ERR(threads[i]);

			stop();
			return ret;
		}
		kthread_bind(threads[i], cpus[i]);
		wake_up_process(threads[i]);
	}
	return 0;
}

static void __exit finish(void)
{
	stop();
}

module_init(start);
module_exit(finish);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Sharing in an object of a slab cache and in vmalloc() memory, for memlat's tests");
