// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads of the kernel that fight over an object of a slab cache of its own: one line of
 * it they share falsely, another one truly. Where the object is stands in a parameter.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define CACHE	"memlat_sharing"
#define LINE	64
#define ROUNDS	1000

struct sharing {
	u64 mine;
	u64 yours;
	u64 idle[6];
	u64 ours __aligned(LINE);
};

static struct kmem_cache *cache;
static struct sharing *shared;
static struct task_struct *threads[2];

static unsigned long object;
module_param(object, ulong, 0400);
/* The CPUs of the two. */
static unsigned int cpus[2] = { 0, 1 };
module_param_array(cpus, uint, NULL, 0400);

/* The compiler is to take neither for part of its caller, nor one for the other. */
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

static int run(void *second)
{
	while (!kthread_should_stop()) {
		if (second)
			count_yours(shared);
		else
			count_mine(shared);
		cond_resched();
	}
	return 0;
}

/* A cache with a constructor is merged with no other one. */
static void construct(void *at)
{
	memset(at, 0, sizeof(struct sharing));
}

static void stop(void)
{
	int i;

	for (i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(threads[i]))
			kthread_stop(threads[i]);
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
	if (!shared) {
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
MODULE_DESCRIPTION("Sharing in an object of a slab cache, for memlat's tests");
