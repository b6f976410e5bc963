// SPDX-License-Identifier: GPL-2.0
/*
 * The allocation functions, which take precedence over those of the next library: libc, or another
 * allocator of the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

#define EXPORT	__attribute__((visibility("default")))

/* The place on the stack that holds the return address of the current function. */
#define RETURN	((const __u64 *)__builtin_frame_address(0) + 1)

static void *(*next_malloc)(size_t size);
static void *(*next_calloc)(size_t number, size_t size);
static void *(*next_realloc)(void *old, size_t size);
static void (*next_free)(void *object);
static void *(*next_memalign)(size_t alignment, size_t size);
static void *(*next_aligned_alloc)(size_t alignment, size_t size);
static int (*next_posix_memalign)(void **object, size_t alignment, size_t size);
static void *(*next_valloc)(size_t size);
static void *(*next_pvalloc)(size_t size);

/*
 * For allocations while the real functions are looked up, as the loader makes them. Never freed;
 * zero at the start.
 */
static char early[65536] __attribute__((aligned(64)));
static size_t early_used;
static __thread int looking;

/* The alignment of every object and its size, for memlat-ctl try heap-align=N. 0: unchanged. */
static size_t line;

static void look_up_line(void)
{
	const char *text = getenv(HEAP_ALIGN_ENV);
	unsigned long bytes = text ? strtoul(text, NULL, 10) : 0;

	if (bytes == 64 || bytes == 128)
		line = bytes;
}

/* Round up. A size that would overflow stays, and is refused later. */
static size_t whole_lines(size_t size)
{
	return line && size <= SIZE_MAX - line ? (size + line - 1) & ~(line - 1) : size;
}

static size_t at_least_a_line(size_t alignment)
{
	return alignment < line ? line : alignment;
}

static void *lines_alloc(size_t size)
{
	return next_memalign(line, whole_lines(size ? size : 1));
}

static void *lines_calloc(size_t number, size_t size)
{
	size_t all;
	void *object;

	if (__builtin_mul_overflow(number, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	object = lines_alloc(all);
	return object ? memset(object, 0, all) : NULL;
}

static void *lines_realloc(void *old, size_t size)
{
	size_t had;
	void *object;

	if (!old)
		return lines_alloc(size);
	if (!size)
		return next_realloc(old, 0);
	had = malloc_usable_size(old);
	object = lines_alloc(size);
	if (object) {
		memcpy(object, old, had < size ? had : size);
		next_free(old);
	}
	return object;
}

static bool is_early(const void *object)
{
	return (const char *)object >= early && (const char *)object < early + sizeof(early);
}

static void *early_alloc(size_t size, size_t alignment)
{
	size_t at;

	if (alignment < 16)
		alignment = 16;
	if (size > sizeof(early) || alignment > 64)
		return NULL;
	/* Add 64 bytes for the size, which realloc() needs. Several threads may do this at once. */
	size = ((size + 63) & ~(size_t)63) + 64;
	at = __atomic_fetch_add(&early_used, size, __ATOMIC_RELAXED);
	if (at + size > sizeof(early))
		return NULL;
	memcpy(early + at, &size, sizeof(size));
	return early + at + 64;
}

static size_t early_size(const void *object)
{
	size_t size;

	memcpy(&size, (const char *)object - 64, sizeof(size));
	return size - 64;
}

static void look_up(void)
{
	looking++;
	look_up_line();
	next_calloc = dlsym(RTLD_NEXT, "calloc");
	next_realloc = dlsym(RTLD_NEXT, "realloc");
	next_free = dlsym(RTLD_NEXT, "free");
	next_memalign = dlsym(RTLD_NEXT, "memalign");
	next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	next_valloc = dlsym(RTLD_NEXT, "valloc");
	next_pvalloc = dlsym(RTLD_NEXT, "pvalloc");
	/* Set it last: if it is set, all are. */
	__atomic_store_n(&next_malloc, dlsym(RTLD_NEXT, "malloc"), __ATOMIC_RELEASE);
	looking--;
}

/* false: this thread is just looking them up. */
static inline bool ready(void)
{
	if (likely(__atomic_load_n(&next_malloc, __ATOMIC_ACQUIRE)))
		return true;
	if (looking)
		return false;
	look_up();
	return next_malloc != NULL;
}

static void *note(void *object, size_t size, const __u64 *where)
{
	const int error = errno;
	struct lane *lane = object ? lane_enter() : NULL;
	__u32 site;

	if (!lane) {
		errno = error;
		return object;
	}
	site = site_find(lane, where);
	if (likely(site))
		log_alloc(lane, object, size, site, log_now());
	else
		log_lost(1);
	lane_leave();
	errno = error;
	return object;
}

EXPORT void *malloc(size_t size)
{
	if (unlikely(!ready()))
		return early_alloc(size, 0);
	return note(unlikely(line) ? lines_alloc(size) : next_malloc(size), size, RETURN);
}

EXPORT void *calloc(size_t number, size_t size)
{
	if (unlikely(!ready())) {
		size_t all;

		return __builtin_mul_overflow(number, size, &all) ? NULL :
		       early_alloc(all, 0);
	}
	return note(unlikely(line) ? lines_calloc(number, size) : next_calloc(number, size),
		    number * size, RETURN);
}

/* now: the time; 0: not taken yet. */
static void note_free(void *object, __u64 now)
{
	const int error = errno;
	struct lane *lane = lane_enter();

	if (lane) {
		log_free(lane, object, now ? now : log_now());
		lane_leave();
	}
	errno = error;
}

EXPORT void free(void *object)
{
	if (!object || unlikely(is_early(object)) || unlikely(!ready()))
		return;
	/* Before free(): after it, another thread may get the memory. */
	note_free(object, 0);
	next_free(object);
}

static void *resize(void *old, size_t size, const __u64 *where)
{
	void *object;
	__u64 now;

	if (unlikely(is_early(old))) {
		size_t had = early_size(old);

		object = unlikely(line) ? lines_alloc(size) : next_malloc(size);
		if (object)
			memcpy(object, old, had < size ? had : size);
		return note(object, size, where);
	}
	/* The time as in free(). Whether the object was freed is known only afterwards. */
	now = log_now();
	object = unlikely(line) ? lines_realloc(old, size) : next_realloc(old, size);
	if (old && (object || !size))
		note_free(old, now);
	return note(object, size, where);
}

EXPORT void *realloc(void *old, size_t size)
{
	if (unlikely(!ready()))
		return old ? NULL : early_alloc(size, 0);
	return resize(old, size, RETURN);
}

EXPORT void *reallocarray(void *old, size_t number, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(number, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	if (unlikely(!ready()))
		return old ? NULL : early_alloc(all, 0);
	return resize(old, all, RETURN);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	if (unlikely(!ready()))
		return early_alloc(size, alignment);
	return note(next_memalign(at_least_a_line(alignment), whole_lines(size)), size, RETURN);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	if (unlikely(!ready()))
		return early_alloc(size, alignment);
	return note(next_aligned_alloc(at_least_a_line(alignment), whole_lines(size)), size,
		    RETURN);
}

EXPORT int posix_memalign(void **object, size_t alignment, size_t size)
{
	int ret;

	if (unlikely(!ready())) {
		*object = early_alloc(size, alignment);
		return *object ? 0 : ENOMEM;
	}
	ret = next_posix_memalign(object, at_least_a_line(alignment), whole_lines(size));
	if (!ret)
		note(*object, size, RETURN);
	return ret;
}

EXPORT void *valloc(size_t size)
{
	return ready() ? note(next_valloc(size), size, RETURN) : NULL;
}

EXPORT void *pvalloc(size_t size)
{
	return ready() ? note(next_pvalloc(size), size, RETURN) : NULL;
}
