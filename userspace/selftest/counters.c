// SPDX-License-Identifier: GPL-2.0
/* Two threads on two CPUs, each of which increments a word. */
#include "work.h"

#include <pthread.h>

#define CHUNK	16384

struct counter {
	const struct work *work;
	int which;
	int failed;
};

static void *count(void *data)
{
	struct counter *counter = data;
	const struct work *work = counter->work;
	volatile __u64 *word = work->words[counter->which];
	int i;

	counter->failed = -work_pin(work->cpu[counter->which]);
	while (!counter->failed && !__atomic_load_n(&work->shared->stop, __ATOMIC_ACQUIRE))
		for (i = 0; i < CHUNK; i++)
			*word = *word + 1;
	return NULL;
}

int counters_work(const struct work *work)
{
	struct counter counters[2] = { { work, 0, 0 }, { work, 1, 0 } };
	pthread_t other;
	int error;

	error = pthread_create(&other, NULL, count, &counters[1]);
	if (error)
		return -error;
	count(&counters[0]);
	pthread_join(other, NULL);
	return counters[0].failed ? -counters[0].failed : -counters[1].failed;
}
