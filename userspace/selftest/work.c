// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The child. If it cannot read a byte, memlat-ctl has ended or has given up. */
static int run(struct work *work)
{
	struct chase *chase = NULL;
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
	work->words[1] = work->words[0] + (work->kind == WORK_SHARED ? WORK_LINE / 2 :
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
