// SPDX-License-Identifier: GPL-2.0
/*
 * The call chains of allocations. Walking the stack by its unwind tables takes a microsecond or
 * more. A chain that was walked before is recognized with a few loads, by the return addresses that
 * are still at the same places.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#include "log.h"

#define SITES_BITS	15
#define SITES		(1 << SITES_BITS)

/* All chains of this process. A chain's number is its index plus one. */
struct chain {
	__u32 frames;
	__u64 frame[HEAP_SITE_FRAMES];
};

static struct chain *chains;
static unsigned int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Unwinding takes the loader's lock if libc lacks this function, and could then deadlock. */
static int can_unwind = -1;

struct walk {
	const __u64 *first;	/* the place of the innermost return address */
	struct name_cache *memo;
	bool begun, exact;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
	const __u64 *where = (const __u64 *)_Unwind_GetCFA(context) - 1;
	__u64 address = _Unwind_GetIP(context);
	struct walk *walk = data;
	struct name_cache *memo = walk->memo;

	/* Skip the frames of this library. */
	walk->begun |= where == walk->first;
	if (!walk->begun)
		return _URC_NO_REASON;
	if (!address || memo->frames == HEAP_SITE_FRAMES)
		return _URC_END_OF_STACK;
	walk->exact &= *where == address;
	memo->where[memo->frames] = where;
	memo->frame[memo->frames++] = address;
	return _URC_NO_REASON;
}

static __u64 hash(const __u64 *words, unsigned int length)
{
	__u64 mixed = length;
	unsigned int i;

	for (i = 0; i < length; i++)
		mixed = (mixed ^ words[i] ^ mixed >> 29) * 0x9e3779b97f4a7c15ULL;
	return mixed;
}

static __u32 number_of(struct lane *lane, const __u64 *frame, __u32 frames)
{
	struct heap_record_site record;
	__u32 place, site = 0;

	pthread_mutex_lock(&lock);
	if (!chains) {
		void *room = mmap(NULL, SITES * sizeof(*chains), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		chains = room == MAP_FAILED ? NULL : room;
	}
	if (!chains)
		goto unlock;
	place = hash(frame, frames) >> (64 - SITES_BITS);
	while (chains[place].frames) {
		if (chains[place].frames == frames &&
		    !memcmp(chains[place].frame, frame, frames * sizeof(*frame))) {
			site = place + 1;
			goto unlock;
		}
		place = (place + 1) % SITES;
	}
	/* Leave some places free, so that a search ends. */
	if (used == SITES * 3 / 4)
		goto unlock;
	record.tag = HEAP_TAG(HEAP_SITE, 1 + frames, place + 1);
	memcpy(record.frame, frame, frames * sizeof(*frame));
	if (!log_append(lane, (const __u64 *)&record, 1 + frames))
		goto unlock;
	memcpy(chains[place].frame, frame, frames * sizeof(*frame));
	chains[place].frames = frames;
	used++;
	site = place + 1;
unlock:
	pthread_mutex_unlock(&lock);
	return site;
}

static bool still_so(const struct name_cache *memo)
{
	__u32 i;

	/* From the inside outwards: if a frame is the same function, the next place is valid. */
	for (i = 0; i < memo->frames; i++)
		if (*memo->where[i] != memo->frame[i])
			return false;
	return true;
}

__u32 site_find(struct lane *lane, const __u64 *where)
{
	const __u64 key[2] = { (__u64)where, *where };
	struct name_cache *memo = &lane->memo[hash(key, 2) >> (64 - MEMO_BITS)];
	struct walk walk = { .first = where, .memo = memo, .exact = true };

	if (likely(memo->frames && memo->where[0] == where && still_so(memo)))
		return memo->site;
	if (unlikely(can_unwind < 0))
		can_unwind = dlsym(RTLD_DEFAULT, "_dl_find_object") != NULL;
	memo->frames = 0;
	if (can_unwind)
		_Unwind_Backtrace(step, &walk);
	if (!memo->frames) {
		memo->where[0] = where;
		memo->frame[0] = *where;
		memo->frames = 1;
	}
	memo->site = number_of(lane, memo->frame, memo->frames);
	if (!walk.exact || !memo->site)
		memo->frames = 0;
	return memo->site;
}

void site_unlock(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void site_forget(void)
{
	used = 0;
	if (chains)
		munmap(chains, SITES * sizeof(*chains));
	chains = NULL;
}
