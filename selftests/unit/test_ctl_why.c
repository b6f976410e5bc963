// SPDX-License-Identifier: GPL-2.0
/* Every reason to refuse a start has a message, a remedy and a status. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl_output.h"
#include "ctl_perf.h"
#include "ctl_test.h"

#include "../signal_child.h"
#include "cli/open.h"
#include "host/process.h"

static const struct memlat_query query = {
	.ldlat_min = 3, .ldlat_max = 65535, .period_min = 16, .overhead_max = 5000,
	.model_title = "Skylake-SP", .period_max = 140737488355327, .memory_min = 1 << 20,
	.memory_max = 1 << 30,
};

/* The flags of the configuration that was refused. */
static __u32 flags;

/* Return what why_explain() writes to standard error. */
static char *explained(int error, __u32 reason, enum exit_status status)
{
	const struct memlat_config config = {
		.reason = reason, .ldlat = 70000, .period = 5, .pid = 4711,
		.store_period = 7, .max_overhead = 10050, .flags = flags, .cpus = { [1] = 0x6 },
	};
	static char text[8192];
	enum exit_status exited;
	struct caught caught;

	output_catch(&caught, STDERR_FILENO);
	exited = refusal_explain(-1, error, &config, &query);
	output_end(&caught, text, sizeof(text));
	assert_int_equal(exited, status);
	return text;
}

static void says(const char *text, const char *words)
{
	if (strncmp(text, "memlat-ctl: ", 12) || !strstr(text, words))
		fail_msg("\"%s\" is not in: %s", words, text);
}

TEST(refusals)
{
	static const struct {
		int error;
		__u32 reason;
		enum exit_status status;
		const char *words[3];
	} cases[] = {
		{ EBUSY, MEMLAT_WHY_RUNNING, FAILED,
		  { "a session runs already", "memlat-ctl stop" } },
		{ EBUSY, MEMLAT_WHY_DS, FAILED,
		  { "DS area", "  " } },
		{ EBUSY, MEMLAT_WHY_UNOWNED, FAILED,
		  { "nobody has reserved", "wrmsr -a 0x38d 0" } },
		{ EBUSY, MEMLAT_WHY_VMX, FAILED,
		  { "CR4.VMXE", "--no-guests" } },
		{ ESRCH, MEMLAT_WHY_PID, FAILED,
		  { "-p 4711: no such process", "ps -e" } },
		{ EINVAL, MEMLAT_WHY_LDLAT, MISUSED,
		  { "--ldlat 70000: out of range", "3 to 65535" } },
		{ EINVAL, MEMLAT_WHY_PERIOD, MISUSED,
		  { "--period 5: out of range", "16 to 140737488355327" } },
		{ EINVAL, MEMLAT_WHY_MEMORY, MISUSED,
		  { "--max-memory: out of range", "1.0 MiB to 1.0 GiB" } },
		{ EINVAL, MEMLAT_WHY_STORE_PERIOD, MISUSED,
		  { "--store-period 7: out of range", "16 to 140737488355327" } },
		{ EINVAL, MEMLAT_WHY_OVERHEAD, MISUSED,
		  { "--max-overhead 100.5%: out of range", "give 0 to 50%" } },
		{ EINVAL, MEMLAT_WHY_CPUS, MISUSED,
		  { "--cpu 65-66: this machine cannot have", "give some of " } },
		{ ENOENT, MEMLAT_WHY_CGROUP, FAILED,
		  { "--cgroup: there is no such cgroup", "systemd-cgls" } },
		{ EOPNOTSUPP, MEMLAT_WHY_STORES, FAILED,
		  { "this CPU (Skylake-SP) cannot sample stores", "--type load" } },
		{ EOPNOTSUPP, MEMLAT_WHY_STRIDE, FAILED,
		  { "--stride: the shortest period of this CPU (Skylake-SP)", "leaves out" } },
		{ EBUSY, MEMLAT_WHY_SUSPEND, FAILED,
		  { "about to sleep", "memlat-ctl ...      again" } },
		{ EINVAL, MEMLAT_WHY_RESERVED, FAILED,
		  { "reason 11", "built with the module" } },
		{ EINVAL, MEMLAT_WHY_FLAGS, FAILED,
		  { "reason 9", "built with the module" } },
		{ EINVAL, 4711, FAILED,
		  { "reason 4711", "built with the module" } },
		{ ENOMEM, MEMLAT_WHY_NONE, FAILED,
		  { "not enough memory", "--max-memory", "--cpu" } },
		{ EPERM, MEMLAT_WHY_OVERHEAD, FAILED,
		  { "so short a period", "CAP_SYS_ADMIN" } },
		{ EPERM, MEMLAT_WHY_MEMORY, FAILED,
		  { "--max-memory: more than ", "CAP_IPC_LOCK" } },
		{ EPERM, MEMLAT_WHY_NONE, FAILED,
		  { "--no-guests", "CAP_SYS_RAWIO" } },
		{ EIO, MEMLAT_WHY_NONE, FAILED,
		  { "Input/output error", "dmesg" } },
	};
	unsigned int i, k;
	char *text;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = explained(cases[i].error, cases[i].reason, cases[i].status);
		for (k = 0; k < 3 && cases[i].words[k]; k++)
			says(text, cases[i].words[k]);
	}
	flags = MEMLAT_F_THREAD;
	text = explained(ESRCH, MEMLAT_WHY_PID, FAILED);
	says(text, "--tid 4711: no such thread; give the tid of one that runs (ps -eL)");
	flags = 0;
}

/*
 * To the module a perf event that counts cycles looks like the watchdog. So the message must depend
 * on who is really there, whichever of the two the module named.
 */
TEST(perf_or_watchdog)
{
	static const __u32 reasons[] = { MEMLAT_WHY_PERF, MEMLAT_WHY_WATCHDOG };
	char self[32], other[32], *text;
	unsigned int i;
	pid_t pid;
	int fd;

	snprintf(self, sizeof(self), "(pid %d) has 1 perf event ", getpid());
	for (i = 0; i < 2; i++) {
		text = explained(EBUSY, reasons[i], FAILED);
		says(text, "the PMU cannot be owned");
		assert_null(strstr(text, self));
		assert_int_equal(!!strstr(text, "sysctl kernel.nmi_watchdog=0"),
				 holders_watchdog("/proc") == WATCHDOG_ON ||
				 (holders_watchdog("/proc") == WATCHDOG_UNKNOWN &&
				  reasons[i] == MEMLAT_WHY_WATCHDOG &&
				  !holders_find(NULL, 0, 0)));
	}
	fd = perf_event_held();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	snprintf(other, sizeof(other), "(pid %d) has 1 perf event ", pid);
	for (i = 0; i < 2; i++) {
		text = explained(EBUSY, reasons[i], FAILED);
		says(text, "someone else owns performance counters");
		says(text, other);
		/* This process has it open, too, as record has its own. */
		assert_null(strstr(text, self));
	}
	signal_child(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
}
