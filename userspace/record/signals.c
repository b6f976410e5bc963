// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "../util/out.h"

int signals_hold(sigset_t *mask)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD };
	struct sigaction old;
	sigset_t set;
	size_t i;
	int fd;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&set, ends[i]);
	/* nohup ignores SIGHUP on purpose. A blocked signal would be seen all the same. */
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN)
		sigdelset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, mask);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		out_complain("cannot wait for signals: %s", strerror(errno));
	return fd;
}
