// SPDX-License-Identifier: GPL-2.0
#include "open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../analysis/doctor.h"
#include "../host/device.h"
#include "../host/process.h"
#include "../util/clock.h"
#include "../util/command.h"
#include "../util/text.h"
#include "../views/filter.h"
#include "options.h"
#include "start_options.h"

#define HOLDERS_SHOWN	8

static void explain_running(int fd)
{
	struct memlat_status status;
	char since[TEXT_NUMBER_MAX];

	if (memlat_device_status(fd, &status) ||
	    status.state != MEMLAT_STATE_RUNNING) {
		out_complain("a session runs already\n  memlat-ctl stop");
		return;
	}
	text_duration(since, clock_now() - status.started_ns);
	if (filter_only_counts(status.flags)) {
		out_complain("a session that counts events runs already (since %s)\n"
			     "  memlat-ctl stop      ends it; the program that began it then shows what it counted",
			     since);
		return;
	}
	out_complain("a session runs already (since %s, ldlat %u)\n"
		     "  memlat-ctl report      shows what it has so far\n"
		     "  memlat-ctl stop        ends it", since, status.ldlat);
}

/* Collected before anything is printed, because it decides what to print. */
struct in_the_way {
	struct holder holders[HOLDERS_SHOWN];
	size_t found;
	enum watchdog watchdog;
};

static void look_around(struct in_the_way *way)
{
	/* The events that record listens with count nothing, and block no counter. */
	way->found = holders_find(way->holders, HOLDERS_SHOWN, (__u32)getpid());
	way->watchdog = holders_watchdog("/proc");
}

static void name_holders(const struct in_the_way *way)
{
	char name[4 * PROCESS_NAME_MAX];
	size_t i;

	for (i = 0; i < way->found && i < HOLDERS_SHOWN; i++)
		fprintf(stderr, "  %s (pid %u) has %u perf event%s open: end it, or wait for it\n",
			text_escape(name, sizeof(name), way->holders[i].name),
			way->holders[i].pid, way->holders[i].events,
			way->holders[i].events == 1 ? "" : "s");
	if (way->found > HOLDERS_SHOWN)
		fprintf(stderr, "  and %zu more processes\n",
			way->found - HOLDERS_SHOWN);
}

/*
 * The module sees which events occupy the counters, but not their owners: "perf stat -e cycles"
 * looks like the watchdog. The processes and the sysctl tell them apart.
 */
static void explain_counters(bool like_watchdog)
{
	struct in_the_way way;

	look_around(&way);
	if (!way.found && (way.watchdog == WATCHDOG_ON ||
			   (like_watchdog && way.watchdog == WATCHDOG_UNKNOWN))) {
		out_complain("the NMI watchdog holds a counter on every CPU, so the PMU cannot be owned\n"
			     "  sysctl kernel.nmi_watchdog=0      turns it off until reboot; memlat never does this by itself");
		return;
	}
	out_complain("someone else owns performance counters, so the PMU cannot be owned");
	name_holders(&way);
	if (way.watchdog == WATCHDOG_ON)
		fputs("  the NMI watchdog is on: sysctl kernel.nmi_watchdog=0      turns it off until reboot\n",
		      stderr);
	else if (!way.found)
		command_say(stderr, "  no process with a perf event was found, and the NMI watchdog %s: another driver, or the kernel, holds them\n"
			    "  memlat-ctl doctor      looks for what is in the way; dmesg | tail may say more\n",
			    way.watchdog >= WATCHDOG_BUDDY ? "needs no counter here" : "is off");
}

static void explain_ds(void)
{
	struct in_the_way way;

	look_around(&way);
	out_complain("the DS area or its PEBS buffer is in use by perf or another driver");
	name_holders(&way);
	if (!way.found)
		fputs("  no process with a perf event was found: look for another PEBS or BTS driver with lsmod\n",
		      stderr);
}

static void explain_vmx(void)
{
	const struct doctor_paths paths = { .sys = "/sys" };
	struct doctor_facts facts;

	doctor_look(&facts, &paths);
	out_complain("this machine may be running guests that memlat cannot see (CR4.VMXE is set, and not by KVM), and PEBS would write into their memory");
	if (facts.vmm)
		fprintf(stderr, "  modprobe -r %-21s unloads it: memlat cannot see when it enters a guest\n", facts.vmm);
	command_say(stderr, "  memlat-ctl * --no-guests ...      if you know that no guest runs until stop\n"
			    "  memlat-ctl doctor                 looks for what is in the way; dmesg | tail says more\n");
}

static enum exit_status explain_value(const struct memlat_config *config,
				      const struct memlat_query *query)
{
	char low[TEXT_NUMBER_MAX], high[TEXT_NUMBER_MAX];

	switch (config->reason) {
	case MEMLAT_WHY_LDLAT:
		out_complain("--ldlat %u: out of range; give %u to %u (core cycles)",
			     config->ldlat, query->ldlat_min, query->ldlat_max);
		return MISUSED;
	case MEMLAT_WHY_PERIOD:
		out_complain("--period %llu: out of range; give %llu to %llu (loads per sample)",
			     config->period, query->period_min,
			     query->period_max);
		return MISUSED;
	case MEMLAT_WHY_STORE_PERIOD:
		out_complain("--store-period %llu: out of range; give %llu to %llu (stores per sample)",
			     config->store_period, device_store_period_min(query),
			     query->period_max);
		return MISUSED;
	case MEMLAT_WHY_OVERHEAD:
		out_complain("--max-overhead %s: out of range; give 0 to %s",
			     text_hundredths(low, config->max_overhead),
			     text_hundredths(high, query->overhead_max));
		return MISUSED;
	case MEMLAT_WHY_CPUS:
		cmd_complain_cpus("--cpu", config->cpus);
		return MISUSED;
	case MEMLAT_WHY_MEMORY:
		out_complain("--max-memory: out of range; give %s to %s",
			     text_bytes(low, query->memory_min),
			     text_bytes(high, query->memory_max));
		return MISUSED;
	default:
		/* No valid command line leads here. */
		out_complain("the module refused the configuration (reason %u)\n"
			     "  use the memlat-ctl that was built with the module",
			     config->reason);
		return FAILED;
	}
}

enum exit_status refusal_explain(int fd, int error,
				 const struct memlat_config *config,
				 const struct memlat_query *query)
{
	char size[TEXT_NUMBER_MAX];

	switch (config->reason) {
	case MEMLAT_WHY_RUNNING:
		explain_running(fd);
		break;
	case MEMLAT_WHY_WATCHDOG:
		explain_counters(true);
		break;
	case MEMLAT_WHY_PERF:
		explain_counters(false);
		break;
	case MEMLAT_WHY_UNOWNED:
		out_complain("counters run that nobody has reserved: a driver, a tool that writes MSRs or the kernel before this one turned them on\n"
			     "  dmesg | tail                      shows what they hold\n"
			     "  wrmsr -a 0x38d 0; wrmsr -a 0x38f 0      switches them off, if nobody needs them");
		break;
	case MEMLAT_WHY_DS:
		explain_ds();
		break;
	case MEMLAT_WHY_VMX:
		explain_vmx();
		break;
	case MEMLAT_WHY_SUSPEND:
		out_complain("the machine is about to sleep, so nothing is started now\n"
			     "  memlat-ctl ...      again, once it is awake");
		break;
	case MEMLAT_WHY_PID:
		start_complain_task(config);
		break;
	case MEMLAT_WHY_CGROUP:
		out_complain("--cgroup: there is no such cgroup any more; give one that exists\n"
			     "  systemd-cgls      shows them");
		break;
	case MEMLAT_WHY_STORES:
		out_complain("this CPU (%s) cannot sample stores; give --type load",
			     query->model_title);
		break;
	case MEMLAT_WHY_STRIDE:
		out_complain("--stride: the shortest period of this CPU (%s) leaves out most of the loads that follow each other",
			     query->model_title);
		break;
	default:
		if (error == EINVAL)
			return explain_value(config, query);
		if (error == EPERM && config->reason == MEMLAT_WHY_OVERHEAD)
			out_complain("so short a period needs root or CAP_SYS_ADMIN, unless --max-overhead bounds what it costs\n"
				     "  memlat-ctl start --max-overhead 1");
		else if (error == EPERM && config->reason == MEMLAT_WHY_MEMORY)
			out_complain("--max-memory: more than %s needs root or CAP_IPC_LOCK",
				     text_bytes(size, query->memory_default));
		else if (error == EPERM)
			out_complain("--no-guests vouches for the memory of guests that memlat cannot see, so it needs root or CAP_SYS_RAWIO too\n"
				     "  sudo memlat-ctl ...");
		else if (error == ENOMEM)
			out_complain("not enough memory for the tables and for each CPU's part\n"
				     "  give the tables less with --max-memory, or sample fewer CPUs with --cpu LIST");
		else
			out_complain("cannot start: %s\n  memlat-ctl doctor      looks for what is in the way; dmesg | tail may say more",
				     strerror(error));
	}
	return FAILED;
}

const char *refusal_perf_cgroup(int error)
{
	switch (error) {
	case ENOENT:
		return "--cgroup: perf does not know this cgroup, because its parent never had a controller\n"
		       "  echo +pids >cgroup.subtree_control    in the parent, before the cgroup is made";
	case EINVAL:
		return "--cgroup: without the module, the kernel has to count by cgroup (CONFIG_CGROUP_PERF), and it does not";
	default:
		return NULL;
	}
}
