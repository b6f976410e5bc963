// SPDX-License-Identifier: GPL-2.0
#include "open.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../host/device.h"
#include "../util/out.h"
#include "options.h"

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

static void complain(int error, const struct memlat_query *query, const struct memlat_prefetch *p)
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
		complain(-ret, query, p);
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
