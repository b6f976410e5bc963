// SPDX-License-Identifier: GPL-2.0
/*
 * The file in which a process logs its objects. Each thread has blocks of its own, so no thread
 * waits for another. No descriptor stays open, because programs close and renumber descriptors that
 * they believe to be theirs.
 */
#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096

/* Keep the order of the writes, in case the process ends between two of them. */
#define barrier()	__asm__ __volatile__("" : : : "memory")

static char folder[PATH_MAX], path[PATH_MAX + 32];
static struct heap_file *header;	/* NULL: nothing is logged */
static struct lane *idle, *lanes;	/* lanes: all of this process */
static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t lane_key;
static bool have_key;

/* Zero in a child, however it was forked; NULL before the first call. */
static volatile __u64 *here;

static bool begun;
static __u64 missed;	/* lost before this child began its file, while header is the parent's */

static __thread struct lane *lane;
static __thread bool busy;
/* This thread has given its lane back. It may be past its last destructor, so it keeps none. */
static __thread bool ending;

/*
 * To the clock tick, that is, a few milliseconds, which costs a fraction of the exact time. The
 * order within a thread does not depend on it.
 */
__u64 log_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

void log_lost(__u64 objects)
{
	struct heap_file *file = header;

	if (file && !*here)
		missed += objects;
	else if (file)
		__atomic_fetch_add(&file->lost, objects, __ATOMIC_RELAXED);
}

/* Growing beyond the limit of file size would kill the program by a signal. */
static bool may_grow(size_t end)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       end <= limit.rlim_cur;
}

static void *map_shared(int fd, size_t size, size_t at)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	return map == MAP_FAILED ? NULL : map;
}

/* Begin the file of this program in this process. */
static void file_open(__u32 parent, __u32 parent_file)
{
	struct heap_file first = {
		.magic = HEAP_MAGIC, .pid = (__u32)getpid(), .parent = parent,
		.parent_file = parent_file, .from = log_now(), .blocks = 1,
	};
	int fd;

	header = NULL;
	do {
		snprintf(path, sizeof(path), "%s/%u.%u", folder, first.pid, first.file);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	} while (fd < 0 && errno == EEXIST && ++first.file < 100000);
	if (fd < 0)
		return;
	/*
	 * Write the block before using its mapping: a full disk is then an error and not a signal.
	 */
	if (may_grow(HEAP_BLOCK) && !ftruncate(fd, HEAP_BLOCK) &&
	    pwrite(fd, &first, sizeof(first), 0) == (ssize_t)sizeof(first))
		header = map_shared(fd, PAGE, 0);
	close(fd);
}

static __u64 *block_map(enum heap_block_kind kind)
{
	static const char zeros[HEAP_BLOCK];
	__u64 *block = NULL;
	__u64 number;
	size_t at;
	int fd;

	if (__atomic_load_n(&header->blocks, __ATOMIC_RELAXED) >= HEAP_BLOCKS_MAX)
		return NULL;
	number = __atomic_fetch_add(&header->blocks, 1, __ATOMIC_RELAXED);
	at = (size_t)number * HEAP_BLOCK;
	/* See forked(): the block is the parent's. */
	if (number >= HEAP_BLOCKS_MAX || !may_grow(at + HEAP_BLOCK) || !*here)
		return NULL;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	if (pwrite(fd, zeros, HEAP_BLOCK, (off_t)at) == HEAP_BLOCK)
		block = map_shared(fd, HEAP_BLOCK, at);
	close(fd);
	if (block)
		*block = kind;
	return block;
}

/* Take a block of the file, filled with zeros; NULL: there is no room. */
static __u64 *block_take(enum heap_block_kind kind)
{
	__u64 *block = block_map(kind), never = 0;

	/* Frees will be lost, too, so what is not known to have ended may have ended. */
	if (!block && *here)
		__atomic_compare_exchange_n(&header->full, &never, log_now(), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return block;
}

static void block_next(struct lane *mine)
{
	__u64 *full = mine->block;

	/* First forget it, in case another thread forks just now: its child unmaps what is here. */
	mine->block = NULL;
	barrier();
	if (full)
		munmap(full, HEAP_BLOCK);
	mine->block = block_take(HEAP_BLOCK_LOG);
	mine->at = mine->end = NULL;
	if (!mine->block)
		return;
	mine->at = mine->block + 1;
	mine->end = mine->block + HEAP_BLOCK / sizeof(*mine->block);
}

bool log_append(struct lane *mine, const __u64 *words, unsigned int length)
{
	if (unlikely(length > (size_t)(mine->end - mine->at))) {
		block_next(mine);
		if (!mine->block)
			return false;
	}
	memcpy(mine->at + 1, words + 1, (length - 1) * sizeof(*words));
	barrier();
	*(volatile __u64 *)mine->at = *words;
	mine->at += length;
	return true;
}

static struct lane *lane_make(void)
{
	struct lane *mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 *block;

	if (mine == MAP_FAILED)
		return NULL;
	block = block_take(HEAP_BLOCK_TABLE);
	if (!block) {
		munmap(mine, sizeof(*mine));
		return NULL;
	}
	mine->table = (struct heap_record_object *)(block + 1);
	mine->other = __atomic_load_n(&lanes, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&lanes, &mine->other, mine, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return mine;
}

static struct lane *lane_take(void)
{
	struct lane *mine;

	pthread_mutex_lock(&lanes_lock);
	mine = idle;
	if (mine)
		idle = mine->next;
	pthread_mutex_unlock(&lanes_lock);
	if (mine)	/* the memo is about the stack of another thread */
		memset(mine->memo, 0, sizeof(mine->memo));
	else
		mine = lane_make();
	if (mine && have_key && !ending)
		pthread_setspecific(lane_key, mine);
	return mine;
}

static void lane_return(struct lane *mine)
{
	lane = NULL;
	pthread_mutex_lock(&lanes_lock);
	mine->next = idle;
	idle = mine;
	pthread_mutex_unlock(&lanes_lock);
}

/* A thread ends. If it frees objects afterwards, it gets a lane again, for one object at a time. */
static void lane_give(void *data)
{
	struct lane *mine = data;

	if (lane != mine)
		return;
	busy = true;
	ending = true;
	lane_return(mine);
	busy = false;
}

/* In a child: unmap the parent's blocks, which keep the file's room when it is deleted. */
static void lanes_forget(void)
{
	struct lane *mine, *other;

	for (mine = lanes; mine; mine = other) {
		other = mine->other;
		munmap((__u64 *)mine->table - 1, HEAP_BLOCK);
		if (mine->block)
			munmap(mine->block, HEAP_BLOCK);
		munmap(mine, sizeof(*mine));
	}
}

static void unlock_all(void)
{
	lanes_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	site_unlock();
}

/* In a child: the mapping is the parent's file, which only the parent may write. */
static void reborn(void)
{
	struct heap_file *old = header;

	*here = 1;
	unlock_all();
	lanes_forget();
	lanes = NULL;
	lane = NULL;
	idle = NULL;
	site_forget();
	if (!old)
		return;
	file_open(old->pid, old->file);
	munmap(old, PAGE);
	log_lost(missed);
	missed = 0;
}

/*
 * If a signal's handler forks while the thread is in here, the thread goes on from there with what
 * it has in hand. So nothing is unmapped yet: the next call begins the child's file, as after a
 * fork that does not come through here. Other threads of the parent may have held the locks.
 */
static void forked(void)
{
	if (*here)
		return;
	if (busy) {
		unlock_all();
		return;
	}
	busy = true;
	reborn();
	busy = false;
}

__attribute__((constructor))
static void begin(void)
{
	const char *name = getenv(HEAP_ENV);
	volatile __u64 *word;

	if (here || begun || !environ)
		return;
	begun = true;
	if (!name || *name != '/' || strlen(name) >= sizeof(folder))
		return;
	busy = true;
	strcpy(folder, name);
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (word != MAP_FAILED && !madvise((void *)word, PAGE, MADV_WIPEONFORK)) {
		*word = 1;
		have_key = !pthread_key_create(&lane_key, lane_give);
		here = word;
		file_open(0, 0);
		/* At once, to know when; and for a program that never allocates. */
		pthread_atfork(NULL, NULL, forked);
	}
	busy = false;
}

struct lane *lane_enter(void)
{
	if (unlikely(busy)) {
		log_lost(1);
		return NULL;
	}
	/* Constructors of other libraries may run before ours. */
	if (unlikely(!here)) {
		begin();
		if (!here)
			return NULL;
	}
	busy = true;
	if (unlikely(!*here))
		reborn();
	if (likely(header)) {
		if (unlikely(!lane))
			lane = lane_take();
		if (likely(lane))
			return lane;
		log_lost(1);
	}
	busy = false;
	return NULL;
}

void lane_leave(void)
{
	if (unlikely(ending))
		lane_return(lane);
	busy = false;
}

static struct heap_record_object *entry_of(struct lane *mine, const void *object)
{
	__u64 hash = ((__u64)object >> 4) * 0x9e3779b97f4a7c15ULL;

	return &mine->table[hash >> (64 - 10)];
}

_Static_assert(HEAP_ENTRIES == 1 << 10, "entry_of() takes 10 bits");
_Static_assert(HEAP_ENTRIES * sizeof(struct heap_record_object) + sizeof(__u64) <= HEAP_BLOCK,
	       "a table is one block");

void log_alloc(struct lane *mine, void *object, size_t size, __u32 site, __u64 now)
{
	const __u64 tag = HEAP_TAG(HEAP_OBJECT, HEAP_WORDS(heap_record_object), site);
	struct heap_record_object *entry = entry_of(mine, object);

	if (entry->tag == tag && entry->start == (__u64)object && entry->size == size &&
	    entry->until) {
		entry->again = now;
		entry->count++;
		barrier();
		entry->until = 0;
		return;
	}
	if (entry->tag) {
		struct heap_record_object old = *entry;

		*(volatile __u64 *)&entry->tag = 0;
		barrier();
		if (!log_append(mine, (const __u64 *)&old, HEAP_WORDS(heap_record_object)))
			log_lost(old.count);
	}
	entry->start = (__u64)object;
	entry->size = size;
	entry->from = entry->again = now;
	entry->until = 0;
	entry->count = 1;
	barrier();
	*(volatile __u64 *)&entry->tag = tag;
}

void log_free(struct lane *mine, void *object, __u64 now)
{
	struct heap_record_object *entry = entry_of(mine, object);
	struct heap_record_free record = {
		.tag = HEAP_TAG(HEAP_FREE, HEAP_WORDS(heap_record_free), 0),
		.start = (__u64)object, .time = now,
	};

	if (entry->tag && entry->start == (__u64)object && !entry->until) {
		entry->until = now;
		return;
	}
	log_append(mine, (const __u64 *)&record, HEAP_WORDS(heap_record_free));
}
