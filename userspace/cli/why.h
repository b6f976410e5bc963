/* SPDX-License-Identifier: GPL-2.0 */
/* Why a start was refused, and what to type. */
#ifndef MEMLAT_WHY_H
#define MEMLAT_WHY_H

#include <linux/memlat.h>

#include "../util/out.h"

/*
 * Explain what MEMLAT_IOC_START answered: error is its errno, config as it
 * came back. fd is the device, to ask about the session that runs.
 */
enum exit_status why_explain(int fd, int error,
			     const struct memlat_config *config,
			     const struct memlat_query *query);

#endif
