/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the ABI share. They only need the C library. */
#ifndef MEMLAT_TEST_ABI_H
#define MEMLAT_TEST_ABI_H

#include "device.h"

#include <linux/memlat.h>
#include <stdbool.h>

#define WORK	"selftests/workloads/false_sharing --iterations 200000"

/* Is this the emulated machine? */
bool emulated(void);

/*
 * Load the module and open the device. Returns the descriptor, -ENODEV if this is a real machine
 * without PEBS that memlat knows, or another error.
 */
int abi_open(void);

/* Are two status equal, except for members that change with time? */
bool same_status(const struct memlat_status *before,
		 const struct memlat_status *after);

/*
 * A start with this config is refused with this errno and reason, and changes nothing.
 */
bool start_refused(int fd, struct memlat_config config, int error,
		   unsigned int reason);

/* A start with this config is accepted. Stops the session again. */
bool start_accepted(int fd, struct memlat_config config);

#endif
