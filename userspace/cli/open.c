// SPDX-License-Identifier: GPL-2.0
#include "open.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../host/device.h"
#include "../profile/keeper.h"
#include "../profile/snapshot.h"
#include "../util/out.h"
#include "../util/text.h"
#include "options.h"

static void complain_lost(void)
{
	out_complain("the process that held the session of perf's engine was killed, and what it had sampled is lost\n"
		     "  memlat-ctl start      begins a new one");
}

static void complain_open(int error)
{
	if (memlat_device_is_absent(-error)) {
		out_complain("the memlat module is not loaded (no %s)\n"
			     "  insmod memlat.ko      or: modprobe memlat\n"
			     "  memlat-ctl doctor     says what this machine lacks, and what to type",
			     MEMLAT_DEVICE);
		return;
	}
	switch (error) {
	case EACCES:
	case EPERM:
		if (!geteuid()) {
			out_complain("%s is closed even to root here: a container without CAP_PERFMON, kernel lockdown, or a security module\n"
				     "  cat /sys/kernel/security/lockdown /sys/kernel/security/lsm\n"
				     "  dmesg | tail          may say which one, and a security module's audit log",
				     MEMLAT_DEVICE);
			break;
		}
		out_complain("%s needs root or CAP_PERFMON\n  sudo memlat-ctl ...",
			     MEMLAT_DEVICE);
		break;
	default:
		out_complain("cannot open %s: %s", MEMLAT_DEVICE,
			     strerror(error));
	}
}

static int ask_query(int fd, struct memlat_query *query)
{
	int ret;

	ret = memlat_device_query(fd, query);
	if (!ret && query->abi_version == MEMLAT_ABI_VERSION) {
		text_plain(query->model_name, sizeof(query->model_name));
		text_plain(query->model_title, sizeof(query->model_title));
		return fd;
	}
	close(fd);
	if (ret == -ENOTTY)
		out_complain("%s is not memlat's device\n  ls -l %s",
			     MEMLAT_DEVICE, MEMLAT_DEVICE);
	else if (ret)
		cmd_complain_device("query the module", -ret);
	else
		out_complain("the module speaks ABI version %u, this memlat-ctl %u\n"
			     "  use the memlat-ctl that was built with the module",
			     query->abi_version, MEMLAT_ABI_VERSION);
	return -1;
}

int cmd_open(struct memlat_query *query)
{
	int fd = memlat_device_open();

	if (fd < 0)
		complain_open(-fd);
	return fd < 0 ? -1 : ask_query(fd, query);
}

int cmd_open_session(struct memlat_query *query)
{
	char left[KEEPER_PATH_MAX];
	const int fd = keeper_session(left);
	const int device = fd == -ENOENT || fd == -EACCES ? memlat_device_open() : fd;

	if (device >= 0)
		return ask_query(device, query);
	if (device == -ECONNREFUSED)
		complain_lost();
	else if (!memlat_device_is_absent(device))
		complain_open(-device);
	else if (fd == -EACCES)
		out_complain("the memlat module is not loaded (no %s), and a session of perf's engine that root began is root's alone\n"
			     "  sudo memlat-ctl ...", MEMLAT_DEVICE);
	else
		out_complain("the memlat module is not loaded (no %s), and no session of perf's engine runs\n"
			     "  memlat-ctl start      begins one, without the module\n"
			     "  insmod memlat.ko      or: modprobe memlat\n"
			     "  memlat-ctl doctor     says what this machine lacks, and what to type",
			     MEMLAT_DEVICE);
	return -1;
}

static enum exit_status use_it(int fd, cmd_use *use, const struct memlat_query *query, void *context)
{
	enum exit_status status;

	if (fd < 0)
		return FAILED;
	status = use(fd, query, context);
	close(fd);
	return status;
}

enum exit_status cmd_with_device(cmd_use *use, void *context)
{
	struct memlat_query query;

	return use_it(cmd_open(&query), use, &query, context);
}

enum exit_status cmd_with_session(cmd_use *use, void *context)
{
	struct memlat_query query;

	return use_it(cmd_open_session(&query), use, &query, context);
}

void cmd_complain_device(const char *what, int error)
{
	if (error == EOWNERDEAD) {
		complain_lost();
		return;
	}
	out_complain("cannot %s: %s\n  memlat-ctl doctor      looks for what is in the way; dmesg | tail may say more", what,
		     strerror(error));
}

/* The tables that the module knows: each came together with a flag or member that tells. */
static __u32 known_tables(const struct memlat_query *query, __u32 tables)
{
	if (!query->cores)
		tables &= ~(1U << MEMLAT_REC_CORE | 1U << MEMLAT_REC_SOURCE);
	/* These tables came with the shortest period of stores. */
	if (query->store_period_min && tables & 1U << MEMLAT_REC_BUCKETS)
		tables |= 1U << MEMLAT_REC_PARTS | 1U << MEMLAT_REC_STORES;
	if (!(query->flags & MEMLAT_F_STRIDE))
		tables &= ~(1U << MEMLAT_REC_STRIDE);
	return tables;
}

void cmd_warn_account(const struct snapshot *snap)
{
	const char *broken = account_snapshot_broken(snap);

	if (broken)
		out_complain("warning: the figures contradict each other: %s\n"
			     "  this is a defect of memlat; please report it", broken);
}

bool cmd_is_read(const struct snapshot *snap, int ret)
{
	if (ret == -EBADMSG)
		out_complain("the snapshot is malformed: %s\n"
			     "  use the memlat-ctl that was built with the module",
			     snap->error);
	else if (ret)
		cmd_complain_device("take a snapshot", -ret);
	if (ret)
		return false;
	cmd_warn_account(snap);
	return true;
}

bool cmd_snapshot_of(struct snapshot *snap, int fd,
		     const struct memlat_query *query, __u32 tables)
{
	snapshot_init(snap);
	snap->tables = known_tables(query, tables);
	if (cmd_is_read(snap, snapshot_read(snap, fd)))
		return true;
	snapshot_free(snap);
	return false;
}

bool cmd_running(struct series *running, int fd, const struct memlat_query *query, __u64 elapsed_ns,
		struct snapshot *came, enum delta_kind *since)
{
	running->tables = known_tables(query, running->tables);
	return cmd_is_read(&running->now, series_read(running, fd, elapsed_ns, came, since));
}

static void complain_documented(const struct memlat_query *query)
{
	out_complain("Intel does not document how these prefetchers are turned off on a CPU of this machine (%s)\n"
		     "  memlat-ctl prefetch show      lists those that can be;"
		     " the firmware's setup may have others", query->model_title);
}

static void complain_held(const struct memlat_prefetch *p)
{
	if (p->owner == MEMLAT_PREFETCH_KEPT)
		out_complain("prefetchers are held off already, by 'memlat-ctl prefetch off'\n"
			     "  memlat-ctl prefetch on      puts them back");
	else if (p->owner == MEMLAT_PREFETCH_FILE)
		out_complain("another program holds prefetchers off for as long as it runs: end it, or wait for it\n"
			     "  fuser -v %s      shows who has the device open", MEMLAT_DEVICE);
	else
		out_complain("prefetchers are held off already, until this program ends\n"
			     "  memlat-ctl prefetch show      has the details");
}

static void complain_prefetch(int error, const struct memlat_query *query, const struct memlat_prefetch *p)
{
	switch (p->reason) {
	case MEMLAT_WHY_PREFETCH:
		complain_documented(query);
		return;
	case MEMLAT_WHY_PREFETCH_HELD:
		complain_held(p);
		return;
	case MEMLAT_WHY_PREFETCH_MSR:
		out_complain("a CPU does not let MSR 0x1a4 be %s: a hypervisor may be in the way, memlat has to run on the host\n"
			     "  all prefetchers are as they were",
			     p->op == MEMLAT_PREFETCH_SHOW ? "read" : "written");
		return;
	case MEMLAT_WHY_SUSPEND:
		out_complain("the machine is about to sleep, so nothing is changed now\n"
			     "  again, once it is awake");
		return;
	case MEMLAT_WHY_CPUS:
		cmd_complain_cpus("--cpu", p->cpus);
		return;
	}
	if (error == ENODATA)
		out_complain("nothing to put back: memlat holds no prefetcher off\n"
			     "  memlat-ctl prefetch show      shows which are off: the firmware or someone else did that");
	else if (error == EPERM)
		out_complain("turning prefetchers off or on needs root or CAP_SYS_RAWIO\n"
			     "  sudo memlat-ctl ...");
	else if (error == ENOTTY)
		out_complain("the module that is loaded cannot turn prefetchers off\n"
			     "  use the module that was built with this memlat-ctl");
	else
		out_complain("cannot query or change prefetchers: %s (reason %u)\n"
			     "  dmesg | tail      may say more", strerror(error), p->reason);
}

bool prefetch_ask(int fd, const struct memlat_query *query, struct memlat_prefetch *p)
{
	int ret = memlat_device_prefetch(fd, p);

	if (ret)
		complain_prefetch(-ret, query, p);
	return !ret;
}

bool prefetch_hold(int fd, const struct memlat_query *query, __u32 kinds, const __u64 *cpus)
{
	struct memlat_prefetch p = {
		.op = MEMLAT_PREFETCH_OFF, .kinds = kinds, .flags = MEMLAT_PREFETCH_F_TIED,
	};

	if (cpus)
		memcpy(p.cpus, cpus, sizeof(p.cpus));
	return prefetch_ask(fd, query, &p);
}

bool prefetch_release(int fd, const struct memlat_query *query)
{
	struct memlat_prefetch p = { .op = MEMLAT_PREFETCH_ON };

	return prefetch_ask(fd, query, &p);
}
