// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/doctor.h"
#include "../host/pmu.h"
#include "../import/perf_file.h"
#include "../util/io.h"

#define SYSCTL		"/proc/sys/kernel/perf_event_"
#define WHY_MAX		640
#define PERIOD_MAX	(1ULL << 31)

__attribute__((format(printf, 1, 2)))
static const char *reason(const char *format, ...)
{
	static char text[WHY_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

static long number_of(const char *path, long otherwise)
{
	char text[32], *end;
	long number;

	if (!io_text(path, text, sizeof(text)))
		return otherwise;
	number = strtol(text, &end, 10);
	return end == text ? otherwise : number;
}

/* The kernel's own value where /proc does not tell. */
static int paranoid(void)
{
	return (int)number_of(SYSCTL "paranoid", 2);
}

__u64 engine_most_rate(void)
{
	const long rate = number_of(SYSCTL "max_sample_rate", 0);

	return rate > 0 ? (__u64)rate : 0;
}

bool engine_watchdog(void)
{
	return number_of("/proc/sys/kernel/nmi_watchdog", 0);
}

struct cpu_identity engine_cpu(struct memlat_query *query)
{
	struct doctor_facts facts = { 0 };

	memset(query, 0, sizeof(*query));
	doctor_look_at_cpu(&facts, "/proc");
	perf_machine_model(query, &facts.cpu, "unknown",
			   *facts.cpu_name ? facts.cpu_name : "unknown");
	return facts.cpu;
}

int engine_query(struct memlat_query *query)
{
	struct pmu pmus[PMUS_MAX];
	const struct cpu_identity cpu = engine_cpu(query);
	size_t i, nr = pmu_find(pmus, "/sys", MEMLAT_LDLAT_DEFAULT);

	query->abi_version = MEMLAT_ABI_VERSION;
	query->ldlat_min = MEMLAT_LDLAT_MIN;
	query->ldlat_max = MEMLAT_LDLAT_MAX;
	query->period_min = cpu_models_period(&cpu, false);
	query->store_period_min = cpu_models_period(&cpu, true);
	query->period_max = PERIOD_MAX;
	query->period_default = MEMLAT_PERIOD_DEFAULT;
	query->store_period_default = MEMLAT_STORE_PERIOD_DEFAULT;
	query->overhead_max = MEMLAT_OVERHEAD_MAX;
	query->memory_min = 1 << 20;
	query->memory_max = 1 << 30;
	query->memory_default = ENGINE_MEMORY;
	query->flags = MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_LOADS | MEMLAT_F_THREAD |
		       MEMLAT_F_CHILDREN | MEMLAT_F_CALL_GRAPH | MEMLAT_F_PHYS |
		       MEMLAT_F_NO_GUESTS | MEMLAT_F_COUNT;
	/* Bursts have a period of 2 and 3. */
	if (query->period_min <= 2)
		query->flags |= MEMLAT_F_STRIDE;
	for (i = 0; i < nr; i++)
		if (pmus[i].stores.there)
			query->flags |= MEMLAT_F_STORES;
	return nr ? 0 : -ENOENT;
}

/* perf_event_open() is not allowed. What would be depends on what was asked for. */
static const char *why_denied(const struct memlat_config *config)
{
	const int level = paranoid();

	if (config->flags & MEMLAT_F_PHYS)
		return reason("--phys-data: without the module, physical addresses are for root and CAP_PERFMON; leave it out\n"
			      "  sudo memlat-ctl ...");
	if (level > 2)
		return reason("kernel.perf_event_paranoid is %d: the kernel samples only for root (CAP_SYS_ADMIN)\n"
			      "  sudo sysctl kernel.perf_event_paranoid=2      allows what is one's own, in user mode\n"
			      "  sudo memlat-ctl ...                           samples this once",
			      level);
	if (!config->pid && level > 0)
		return reason("kernel.perf_event_paranoid is %d: without the module, everything (-a) is for root and CAP_PERFMON\n"
			      "  sudo sysctl kernel.perf_event_paranoid=0      allows it for all users\n"
			      "  sudo memlat-ctl ...                           samples this once",
			      level);
	if (!(config->flags & MEMLAT_F_USER) && level > 1)
		return reason("kernel.perf_event_paranoid is %d: kernel mode (-K) is for root and CAP_PERFMON\n"
			      "  sudo sysctl kernel.perf_event_paranoid=1      allows it for all users\n"
			      "  sudo memlat-ctl ...                           samples this once",
			      level);
	return reason("perf_event_open() is denied, although kernel.perf_event_paranoid is %d: a container's filter of system calls, a security module, or another user's process\n"
		      "  docker run --cap-add PERFMON ...\n"
		      "  sudo memlat-ctl ...", level);
}

const char *engine_why(int error, const struct memlat_config *config)
{
	switch (-error) {
	case EACCES:
	case EPERM:
		return why_denied(config);
	case ENOENT:
		return reason("the kernel has no event for the latency of loads on this CPU (/sys/bus/event_source/devices/cpu/events/mem-loads)\n"
			      "  memlat-ctl doctor      says what this machine lacks");
	case EMFILE:
		return reason("perf's engine needs some files for each CPU and thread, and more are not allowed\n"
			      "  ulimit -n 65536");
	case EINVAL:
		if (config->pid && !(config->flags & (MEMLAT_F_THREAD | MEMLAT_F_CHILDREN)))
			return reason("perf_event_open(): %s: before Linux 5.13, perf's engine cannot sample a process without its children\n"
				      "  memlat-ctl ... --children      samples both", strerror(EINVAL));
		return reason("perf_event_open(): %s\n  dmesg | tail      may say more", strerror(EINVAL));
	case ESRCH:
		return reason("the process has ended");
	case EBUSY:
		return reason("the counters are taken: something holds them for itself\n"
			      "  memlat-ctl doctor      names who uses them");
	case ENOSYS:
		return reason("this kernel, or the container, has no perf_event_open()");
	default:
		return reason("perf_event_open(): %s\n  dmesg | tail      may say more", strerror(-error));
	}
}

const char *engine_why_ring(int error)
{
	if (error != -EPERM && error != -ENOMEM)
		return NULL;
	return reason("the kernel gives no memory for the rings of perf's engine: this user has locked as much as it may\n"
		      "  ulimit -l unlimited\n"
		      "  sudo sysctl kernel.perf_event_mlock_kb=4096");
}

const char *engine_why_no_kernel(void)
{
	return reason("only user mode: kernel.perf_event_paranoid is %d, and above 1 kernel mode is for root and CAP_PERFMON",
		      paranoid());
}
