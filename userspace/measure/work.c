// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../util/chain.h"

#define SHARED_BYTES	(4 * WORK_APART)

int work_pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	int ret;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	ret = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return ret;
}

/* Two threads on two CPUs, each of which increments a word. */

#define INCREMENTS	16384

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
		for (i = 0; i < INCREMENTS; i++)
			*word = *word + 1;
	return NULL;
}

static int counters_work(const struct work *work)
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

/* A pointer chase through so much memory, timed by the clock. */

#define CHUNK		65536ULL	/* steps between two checks of the parent's sign */
#define TRIES		5

static int chase_prepare(struct chase_line **chase, const struct work *work)
{
	__u64 nr = work->bytes / CHASE_LINE, began, i;
	struct chase_line *at;
	struct chase_pool pool;
	double cycle, best = 0;
	int ret;

	/* The end of the process frees it. */
	ret = chase_pool_make(&pool, work->bytes, CHASE_LINE, -1);
	if (ret)
		return ret;
	at = chase_lay(&pool, work->bytes, 0);
	cycle = chain_cycle();
	/* After one turn, a cache holds everything that fits. */
	at = chase_walk(at, nr < CHUNK ? nr : CHUNK);
	for (i = 0; i < TRIES; i++) {
		double taken;

		began = chain_ticks();
		at = chase_walk(at, CHUNK);
		taken = (double)(chain_ticks() - began) / (double)CHUNK;
		if (!i || taken < best)
			best = taken;
	}
	work->shared->cycles = cycle > 0 ? best / cycle : 0;
	*chase = at;
	return 0;
}

static void chase_work(struct chase_line *chase, struct work_shared *shared)
{
	while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
		chase = chase_walk(chase, CHUNK);
		shared->steps += CHUNK;
	}
}

/* The child. If it cannot read a byte, memlat-ctl has ended or has given up. */
static int run(struct work *work)
{
	struct chase_line *chase = NULL;
	char byte;
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ret = work_pin(work->cpu[0]);
	if (!ret && work->kind == WORK_CHASE)
		ret = chase_prepare(&chase, work);
	work->shared->failed = -ret;
	if (write(work->wire, "", 1) != 1 || ret || read(work->wire, &byte, 1) != 1)
		return 1;
	if (work->kind == WORK_CHASE)
		chase_work(chase, work->shared);
	else
		work->shared->failed = -counters_work(work);
	return 0;
}

static int lay_out(struct work *work)
{
	char *memory = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	memset(memory, 0, SHARED_BYTES);
	work->shared = (void *)memory;
	work->words[0] = (void *)(memory + WORK_APART);
	work->words[1] = work->words[0] + (work->kind == WORK_SHARED ? CHASE_LINE / 2 :
					   WORK_APART) / sizeof(__u64);
	return 0;
}

static int make_process(struct work *work)
{
	int wire[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire))
		return -errno;
	work->pid = fork();
	error = errno;
	if (!work->pid) {
		close(wire[0]);
		work->wire = wire[1];
		_exit(run(work));
	}
	close(wire[1]);
	work->wire = wire[0];
	return work->pid < 0 ? -error : 0;
}

int work_begin(struct work *work)
{
	char byte;
	int ret;

	work->pid = 0;
	work->wire = -1;
	work->shared = NULL;
	ret = lay_out(work);
	if (!ret)
		ret = make_process(work);
	if (ret)
		return ret;
	if (read(work->wire, &byte, 1) != 1)
		return -ECHILD;
	return -work->shared->failed;
}

int work_go(struct work *work)
{
	return write(work->wire, "", 1) == 1 ? 0 : -errno;
}

bool work_finish(struct work *work)
{
	int status;
	pid_t got;

	__atomic_store_n(&work->shared->stop, 1, __ATOMIC_RELEASE);
	do
		got = waitpid(work->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	work->pid = 0;
	return got > 0 && WIFEXITED(status) && !WEXITSTATUS(status) && !work->shared->failed;
}

void work_end(struct work *work)
{
	if (work->pid > 0) {
		kill(work->pid, SIGKILL);
		waitpid(work->pid, NULL, 0);
	}
	if (work->wire >= 0)
		close(work->wire);
	if (work->shared)
		munmap(work->shared, SHARED_BYTES);
}
